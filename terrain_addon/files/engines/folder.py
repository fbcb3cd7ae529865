"""A package folder that appears complete or not at all."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from ..reading import read_short_text
from ..staging import finish_interrupted, is_inside
from ..writing import find_target, write_together


class PackageName(NamedTuple):
    """What a package is: only one that is the same replaces it.

    Attributes
    ----------
    name : str
        Of the level.
    engine : str
        For which it is.
    """

    name: str
    engine: str


MANIFEST = "manifest.json"
"""The file that makes a folder a package; its entry ``files`` lists all other files."""

_LONGEST_MANIFEST = 1 << 26


@contextmanager
def replace_package(folder: str | os.PathLike[str], own: PackageName) -> Iterator[Path]:
    """Give an empty folder; its files replace the package in `folder` when the block ends without a fault.

    After a fault `folder` is unchanged.  Files of an earlier package are replaced or removed.  Other files in its
    folder are kept, for example those that an engine stores beside each file, and levels that it has built.

    Parameters
    ----------
    folder : str or PathLike
        Missing, empty, or an earlier package.  Missing folders on the way to it are made.
    own : PackageName
        The new package.

    Yields
    ------
    Path
        The folder to fill.

    Raises
    ------
    ValueError
        If `folder` holds something else than a package, or another package, or cannot be written.
    """
    target = _target_of(folder, own)
    with write_together(target, filter(is_inside, _files_of(target) or ()), MANIFEST) as part:
        yield part


def find_obsolete(folder: Path, package: str, own: PackageName) -> list[str]:
    """Return the files of the package inside a folder, which another package may replace.

    Parameters
    ----------
    folder : Path
        Where the package is, or will be.
    package : str
        Name of the package's own folder.
    own : PackageName
        The new package.

    Returns
    -------
    list of str
        Relative paths with ``/`` between names, for `writing.write_together`; none if there is no package yet.

    Raises
    ------
    ValueError
        If the folder of the package holds something else, or another package, or cannot be written.
    """
    _finish_interrupted(folder)
    target = _target_of(folder / package, own)
    return [f"{package}/{name}" for name in _files_of(target) or () if is_inside(name)]


def _target_of(folder: str | os.PathLike[str], own: PackageName) -> Path:
    """Return where a package will be; refuse a folder that holds something else, or another package."""
    target = find_target(folder, "folder")
    _finish_interrupted(target)
    try:
        if target.exists() and any(target.iterdir()) and _files_of(target) is None:
            raise ValueError(f"cannot write {folder}: it holds other things; choose a new folder, or an empty one")
    except OSError as error:
        raise ValueError(f"cannot write {folder}: {error.strerror or error}") from error
    manifest = _manifest_of(target) or {}
    there = PackageName(manifest.get("name", own.name), manifest.get("engine", own.engine))
    if there != own:
        raise ValueError(
            f"cannot write {folder}: it holds the package {there.name} for {there.engine}, "
            f"not {own.name} for {own.engine}; choose another folder or name, or delete it"
        )
    return target


def _finish_interrupted(folder: Path) -> None:
    """Complete what a process that was ended has begun in a folder; it may have replaced only a part of a package."""
    try:
        finish_interrupted(folder)
    except OSError as error:
        raise ValueError(f"cannot write {folder}: {error.strerror or error}") from error


def _files_of(package: Path) -> set[str] | None:
    """Return the files that the manifest of a package lists, None if there is no manifest."""
    manifest = _manifest_of(package)
    if manifest is None:
        return None
    try:
        return {MANIFEST, *(str(file["path"]) for file in manifest["files"])}
    except (KeyError, TypeError):
        return None


def _manifest_of(package: Path) -> dict[str, Any] | None:
    """Return the manifest of a package, None if there is none."""
    try:
        manifest = json.loads(read_short_text(package / MANIFEST, _LONGEST_MANIFEST))
    except (OSError, ValueError, RecursionError):
        return None
    return manifest if isinstance(manifest, dict) else None

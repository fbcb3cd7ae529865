"""A package folder that appears complete or not at all."""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..writing import find_target, make_folder, temporary_path

MANIFEST = "manifest.json"
"""The file that makes a folder a package; its entry ``files`` lists all other files."""


@contextmanager
def replace_package(folder: str | os.PathLike[str]) -> Iterator[Path]:
    """Give an empty folder that replaces `folder` when the block ends without a fault.

    Until then it has a temporary name beside `folder`.  After a fault it is removed, and what was at `folder` before is
    unchanged.  Files of an earlier package are replaced.  Other files in its folder are kept, for example those that an
    engine stores beside each file, and levels that it has built.

    Parameters
    ----------
    folder : str or PathLike
        Missing, empty, or an earlier package.  Missing folders on the way to it are made.

    Yields
    ------
    Path
        The folder to fill.

    Raises
    ------
    ValueError
        If `folder` holds something else than a package, or cannot be written.
    """
    target = _target_of(folder)
    with make_folder(target.parent, folder):
        part = temporary_path(target.parent)
        try:
            part.mkdir()
            yield part
            if target.exists():
                _keep_other_files(target, part)
            _exchange(part, target)
        finally:
            shutil.rmtree(part, ignore_errors=True)


def _target_of(folder: str | os.PathLike[str]) -> Path:
    """Return where the package will be; refuse a folder that holds something else."""
    target = find_target(folder, "folder")
    try:
        if target.exists() and any(target.iterdir()) and _files_of(target) is None:
            raise ValueError(f"cannot write {folder}: it holds other things; choose a new folder, or an empty one")
    except OSError as error:
        raise ValueError(f"cannot write {folder}: {error.strerror or error}") from error
    return target


def _files_of(package: Path) -> set[str] | None:
    """Return the files that the manifest of a package lists, None if there is no manifest."""
    try:
        listed = json.loads((package / MANIFEST).read_text(encoding="utf-8"))["files"]
        return {MANIFEST, *(str(file["path"]) for file in listed)}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _keep_other_files(old: Path, new: Path) -> None:
    """Copy the files that are not part of the old package."""
    package_files = _files_of(old) or set()
    for root, _, names in os.walk(old):
        for name in names:
            file = Path(root, name)
            copy = new / file.relative_to(old)
            if file.relative_to(old).as_posix() not in package_files and not copy.exists():
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(file, copy, follow_symlinks=False)


def _exchange(new: Path, target: Path) -> None:
    """Move a folder to the place of another; if that fails, the other one is put back."""
    if not target.exists():
        new.replace(target)
        return
    old = new.with_suffix(".old")
    target.replace(old)
    try:
        new.replace(target)
    except OSError:
        old.replace(target)
        raise
    shutil.rmtree(old, ignore_errors=True)

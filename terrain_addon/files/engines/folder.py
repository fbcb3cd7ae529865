"""Writing a folder so that it is either there as a whole or not at all."""

import json
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

MANIFEST = "manifest.json"
"""The file that makes a folder a package; under ``files`` it lists all others."""


@contextmanager
def replace_package(folder: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a folder to fill that takes the place of `folder` once the block has ended without a fault.

    Until then it has a temporary name beside it.  After any fault it is gone, and what stood at `folder` before stays
    as it was.  Files of an earlier package are replaced; others in its folder, such as what an engine keeps beside each
    file and the levels it has built, are taken along.

    Parameters
    ----------
    folder : path
        Missing, empty, or an earlier package.  Folders on the way to it are made.

    Yields
    ------
    Path
        An empty folder.

    Raises
    ------
    ValueError
        If `folder` holds something other than a package, or cannot be written.
    """
    target = _target_of(folder)
    part = target.parent / f".{secrets.token_hex(8)}.part"
    missing: list[Path] = []
    try:
        missing += [f for f in target.parents if not f.exists()]
        target.parent.mkdir(parents=True, exist_ok=True)
        part.mkdir()
        yield part
        if target.exists():
            _take_along(target, part)
        _exchange(part, target)
    except BaseException as error:
        shutil.rmtree(part, ignore_errors=True)
        with suppress(OSError):
            for parent in missing:
                parent.rmdir()
        if isinstance(error, OSError):
            raise ValueError(f"cannot write {folder}: {error.strerror or error}") from error
        raise


def _target_of(folder: str | os.PathLike[str]) -> Path:
    if "\0" in str(folder):
        raise ValueError(f"cannot write {str(folder)!r}: the name holds a null character")
    try:
        target = Path(os.path.realpath(folder))
        if target.exists() and not target.is_dir():
            raise ValueError(f"cannot write {folder}: there is a file of that name")
        present = next((f for f in target.parents if f.exists()), target)
        if not present.is_dir():
            raise ValueError(f"cannot write {folder}: {present} is not a folder")
        # Replacing needs no right to the old folder, only to the one around it.
        if not os.access(target if target.exists() else present, os.W_OK):
            raise ValueError(f"cannot write {folder}: the folder is write-protected")
        if target.exists() and any(target.iterdir()) and _files_of(target) is None:
            raise ValueError(f"cannot write {folder}: it holds other things; choose a new folder, or an empty one")
    except OSError as error:
        raise ValueError(f"cannot write {folder}: {error.strerror or error}") from error
    except UnicodeError as error:
        raise ValueError(f"cannot write {str(folder)!r}: the name holds characters that no folder can have") from error
    return target


def _files_of(package: Path) -> set[str] | None:
    """Return the files that the manifest of a package lists, None where there is none."""
    try:
        listed = json.loads((package / MANIFEST).read_text(encoding="utf-8"))["files"]
        return {MANIFEST, *(str(file["path"]) for file in listed)}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _take_along(old: Path, new: Path) -> None:
    """Copy what is not part of the old package."""
    ours = _files_of(old) or set()
    for root, _, names in os.walk(old):
        for name in names:
            file = Path(root, name)
            copy = new / file.relative_to(old)
            if file.relative_to(old).as_posix() not in ours and not copy.exists():
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(file, copy, follow_symlinks=False)


def _exchange(new: Path, target: Path) -> None:
    """Put a folder in the place of another, which is put back if that fails."""
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

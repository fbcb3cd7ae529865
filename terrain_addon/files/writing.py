"""Writing a file so that it is either there as a whole or not at all."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file that takes the place of `path` once the block has ended without a fault.

    Until then the bytes go to a temporary name in the same folder.  After any fault nothing new is left behind, and
    what stood at `path` before stays as it was.  Folders that are missing on the way to `path` are made.  Where `path`
    is a symbolic link, the file it points to is replaced.

    Parameters
    ----------
    path : path
        Absolute, or relative to the working directory; Blender's ``//`` must have been resolved.

    Yields
    ------
    file : binary file, seekable
        Where to write.

    Raises
    ------
    ValueError
        If the file or its folder cannot be written (missing rights, full disk, a folder of that name).
    """
    target = _target_of(path)
    part = target.parent / f".{secrets.token_hex(8)}.part"
    missing: list[Path] = []
    try:
        missing += [folder for folder in (target.parent, *target.parent.parents) if not folder.exists()]
        target.parent.mkdir(parents=True, exist_ok=True)
        with part.open("xb") as file:
            yield file
        part.replace(target)
    except BaseException as error:
        _remove(part, missing)
        if isinstance(error, OSError):
            raise ValueError(f"cannot write {path}: {error.strerror or error}") from error
        raise


def _target_of(path: str | os.PathLike[str]) -> Path:
    if "\0" in str(path):
        raise ValueError(f"cannot write {str(path)!r}: the name holds a null character")
    try:
        target = Path(os.path.realpath(path))
        if target.is_dir():
            raise ValueError(f"cannot write {path}: there is a folder of that name")
        # Replacing needs no right to the old file, only to its folder: unchecked, a write-protected file would be lost.
        if target.exists() and not os.access(target, os.W_OK):
            raise ValueError(f"cannot write {path}: the file is write-protected")
        present = next((folder for folder in target.parents if folder.exists()), target.parent)
        if not present.is_dir():
            raise ValueError(f"cannot write {path}: {present} is not a folder")
    except OSError as error:
        raise ValueError(f"cannot write {path}: {error.strerror or error}") from error
    except UnicodeError as error:
        raise ValueError(f"cannot write {str(path)!r}: the name holds characters that no file can have") from error
    return target


def _remove(part: Path, folders: list[Path]) -> None:
    with suppress(OSError):
        part.unlink(missing_ok=True)
        for folder in folders:
            folder.rmdir()

"""Files that appear complete or not at all.

Everything is written under a temporary name first.  Only when it is complete does it take its final name, in one step
of the file system.  After a fault the temporary files are removed, and what was there before is unchanged.
"""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Literal


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file that replaces `path` when the block ends without a fault.

    The bytes go to a temporary file in the same folder.  After a fault that file is removed, and the file that was at
    `path` before is unchanged.  Missing folders on the way to `path` are made.  If `path` is a symbolic link, the file
    that it points to is replaced.

    Parameters
    ----------
    path : str or PathLike
        Absolute, or relative to the working directory.  A path that starts with Blender's ``//`` must be resolved
        before.

    Yields
    ------
    BinaryIO
        The file to write to; it can seek.

    Raises
    ------
    ValueError
        If the file or its folder cannot be written (missing rights, full disk, a folder of that name).

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_write(Path(folder, "new", "land.txt")) as file:
    ...         _ = file.write(b"heights")
    ...     Path(folder, "new", "land.txt").read_bytes()
    b'heights'
    """
    target = find_target(path, "file")
    with make_folder(target.parent, path):
        part = temporary_path(target.parent)
        try:
            with part.open("xb") as file:
                yield file
            part.replace(target)
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)


@contextmanager
def write_together(folder: str | os.PathLike[str]) -> Iterator[Path]:
    """Give an empty folder; its files move to `folder` when the block ends without a fault.

    Files of the same name are replaced, other files in `folder` are unchanged.  After a fault nothing has changed.

    Parameters
    ----------
    folder : str or PathLike
        Where the files go.  It is made if it is missing.

    Yields
    ------
    Path
        The folder to fill with files.

    Raises
    ------
    ValueError
        If a file cannot be written, or cannot be replaced because it is write-protected or a folder.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with write_together(folder) as part:
    ...         _ = (part / "height.txt").write_text("1")
    ...         _ = (part / "slope.txt").write_text("2")
    ...     sorted(path.name for path in Path(folder).iterdir())
    ['height.txt', 'slope.txt']
    """
    with make_folder(Path(folder), f"to {folder}"):
        part = temporary_path(Path(folder))
        try:
            part.mkdir(mode=0o700)
            yield part
            written = sorted(part.iterdir())
            for path in written:
                find_target(Path(folder, path.name), "file")
            for path in written:
                path.replace(Path(folder, path.name))
        finally:
            shutil.rmtree(part, ignore_errors=True)


@contextmanager
def make_folder(folder: Path, name: str | os.PathLike[str]) -> Iterator[None]:
    """Make a folder, and remove it again if the block ends with a fault.

    Parameters
    ----------
    folder : Path
        The folder; missing folders on the way to it are made too.  Folders that were there before stay.
    name : str or PathLike
        What the message of an error says after "cannot write".

    Yields
    ------
    None
        While the folder exists.

    Raises
    ------
    ValueError
        If the folder cannot be made, or the block raised OSError.
    """
    missing: list[Path] = []
    try:
        missing += [path for path in (folder, *folder.parents) if not path.exists()]
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException as error:
        with suppress(OSError):
            for path in missing:
                path.rmdir()
        if isinstance(error, OSError):
            raise ValueError(f"cannot write {name}: {error.strerror or error}") from error
        raise


def find_target(path: str | os.PathLike[str], kind: Literal["file", "folder"]) -> Path:
    """Return the place where a file or folder will be written, with links followed.

    Parameters
    ----------
    path : str or PathLike
        Its name.
    kind : {'file', 'folder'}
        What will be written.

    Returns
    -------
    Path
        Absolute.

    Raises
    ------
    ValueError
        If it is clear before writing that this cannot work: the name cannot exist, something of the other kind has
        this name, a folder on the way is a file, or the target is write-protected.
    """
    if "\0" in str(path):
        raise ValueError(f"cannot write {str(path)!r}: the name holds a null character")
    try:
        target = Path(os.path.realpath(path))
        exists = target.exists()
        if exists and target.is_dir() != (kind == "folder"):
            raise ValueError(f"cannot write {path}: there is a {_OTHER[kind]} of that name")
        present = next((parent for parent in target.parents if parent.exists()), target)
        if not present.is_dir():
            raise ValueError(f"cannot write {path}: {present} is not a folder")
        # To replace a file or folder the system asks for no right to it, only for rights to the folder around it.
        # Without this check a write-protected file would be lost.
        protected = target if exists else present
        if (exists or kind == "folder") and not os.access(protected, os.W_OK):
            raise ValueError(f"cannot write {path}: the {kind} is write-protected")
    except OSError as error:
        raise ValueError(f"cannot write {path}: {error.strerror or error}") from error
    except UnicodeError as error:
        raise ValueError(f"cannot write {str(path)!r}: the name holds characters that no {kind} can have") from error
    return target


def temporary_path(folder: Path) -> Path:
    """Return a hidden name in a folder that nothing else has.

    Parameters
    ----------
    folder : Path
        The folder.

    Returns
    -------
    Path
        Nothing exists there yet.
    """
    return folder / f".{secrets.token_hex(8)}.part"


_OTHER = {"file": "folder", "folder": "file"}

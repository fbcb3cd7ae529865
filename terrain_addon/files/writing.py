"""Files that appear complete or not at all.

Everything is written to a hidden folder first.  Only when it is complete does it take its final name, in one step of
the file system.  After a fault the hidden folder is removed, and what was there before is unchanged.  If the process
was ended, the next one that writes there does that.
"""

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Literal
from unicodedata import category

from .staging import files_below, staging_folder, switch


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file that replaces `path` when the block ends without a fault.

    The bytes go to a hidden folder in the same folder.  After a fault that is removed, and the file that was at `path`
    before is unchanged.  Missing folders on the way to `path` are made.  If `path` is a symbolic link, the file that it
    points to is replaced.

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
        If the file or its folder cannot be written (missing rights, full disk, a folder or device of that name).

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
    with make_folder(target.parent, path), staging_folder(target.parent) as part:
        new = part / "file"
        with new.open("xb") as file:
            yield file
        new.replace(target)


@contextmanager
def write_together(
    folder: str | os.PathLike[str], obsolete: Iterable[str] = (), record: str | None = None
) -> Iterator[Path]:
    """Give an empty folder; its files and folders move to `folder` when the block ends without a fault.

    Files of the same name are replaced, other files in `folder` are unchanged.  After a fault nothing has changed.  If
    the process is ended while the files move, `folder` has no `record`, and the next call for `folder` moves the rest.

    Parameters
    ----------
    folder : str or PathLike
        Where the files go.  It is made if it is missing.
    obsolete : iterable of str
        Files of `folder` that are removed, unless they are replaced: relative paths with ``/`` between names.  It is
        read when the block has ended.
    record : str, optional
        Name of the new file that says that all others are there.  The old one is removed before the first file moves,
        and the new one moves last.

    Yields
    ------
    Path
        The folder to fill with files.

    Raises
    ------
    ValueError
        If a file cannot be written, or cannot be replaced because it is write-protected, a folder or a device.

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
    find_target(folder, "folder")
    with make_folder(Path(folder), f"to {folder}"), staging_folder(Path(folder)) as part:
        with _named_as_in(Path(folder), part):
            yield part
        written = files_below(part)
        for name in written:
            find_target(Path(folder, name), "file")
        switch(part, Path(folder), set(obsolete) - set(written), record)


@contextmanager
def _named_as_in(folder: Path, part: Path) -> Iterator[None]:
    """Let what is said about a file in a staging folder name the place where the user looks for it."""
    try:
        yield
    except ValueError as error:
        if str(part) not in str(error):
            raise
        raise ValueError(str(error).replace(str(part), str(folder))) from error


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
        If it is clear before writing that this cannot work: the name cannot exist, something of another kind has this
        name, a folder on the way is a file, or the target is write-protected.
    """
    if "\0" in str(path):
        raise ValueError(f"cannot write {str(path)!r}: the name holds a null character")
    try:
        target = Path(os.path.realpath(path))
        exists = target.exists()
        present_kind = _kind_of(target) if exists else kind
        if present_kind != kind:
            raise ValueError(f"cannot write {path}: there is a {present_kind} of that name")
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


def check_target(path: str | os.PathLike[str], kind: Literal["file", "folder"]) -> None:
    """Refuse a place where nothing can be written, before long work for it begins.

    A hidden folder is made in the nearest folder that is there, and removed: rights alone do not tell.

    Parameters
    ----------
    path : str or PathLike
        As in `find_target`.
    kind : {'file', 'folder'}
        What will be written.

    Raises
    ------
    ValueError
        As `find_target`, or if the folder cannot be written.
    """
    target = find_target(path, kind)
    present = next(folder for folder in (target, *target.parents) if folder.is_dir())
    try:
        with staging_folder(present):
            pass
    except OSError as error:
        raise ValueError(f"cannot write {path}: {error.strerror or error}") from error


def check_name(name: str, what: str) -> None:
    """Refuse a name that cannot be the name of a file, or that leads to another folder.

    Parameters
    ----------
    name : str
        The name or its beginning, without folders.
    what : str
        What has this name, for the message.

    Raises
    ------
    ValueError
        If the name is empty, ``.`` or ``..``, longer than 200 bytes, or holds a slash, a backslash, a colon or a
        control character.

    Examples
    --------
    >>> check_name("Höhe 2", "land")
    >>> check_name("../hill", "land")
    Traceback (most recent call last):
        ...
    ValueError: the land has the name '../hill', which holds '/'; a file cannot be named so
    """
    odd = next((sign for sign in name if sign in "/\\:" or category(sign) in ("Cc", "Cs")), None)
    if odd is not None:
        raise ValueError(f"the {what} has the name {name[:100]!r}, which holds {odd!r}; a file cannot be named so")
    if name in ("", ".", ".."):
        raise ValueError(f"the {what} has the name {name!r}; a file cannot be named so")
    size = len(name.encode())
    if size > _LONGEST_NAME:
        raise ValueError(f"the name of the {what} has {size} bytes, outside 1 to {_LONGEST_NAME}: {name[:40]!r} …")


def file_name_of(name: str) -> str:
    """Return the name of a file for a thing that a user named, with letters of all languages.

    ASCII characters other than letters, digits and ``-`` become ``_``, and so do control characters.

    Parameters
    ----------
    name : str
        Any text.

    Returns
    -------
    str
        At most 200 bytes, without an ending; empty if the text has no letter and no digit.

    Examples
    --------
    >>> file_name_of(" Täler: 高山 2. "), file_name_of("a/b"), file_name_of("..")
    ('Täler__高山_2_', 'a_b', '')
    """

    def allowed(sign: str) -> bool:
        return sign.isalnum() or sign == "-" if sign.isascii() else category(sign) not in ("Cc", "Cs")

    plain = "".join(sign if allowed(sign) else "_" for sign in name.strip())
    cut = plain.encode()[:_LONGEST_NAME].decode(errors="ignore")
    return cut if any(sign.isalnum() for sign in cut) else ""


_LONGEST_NAME = 200
"""Bytes; most file systems take 255, and endings are added."""


def _kind_of(target: Path) -> str:
    """Return what is at a place, in one word."""
    mode = target.stat().st_mode
    if stat.S_ISREG(mode):
        return "file"
    return "folder" if stat.S_ISDIR(mode) else "device or pipe"

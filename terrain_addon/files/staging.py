"""Folders in which files are made before they take their place, and what becomes of them after a crash.

A staging folder is a hidden folder beside the files that it will replace.  The process that fills it holds a lock on
a file in it.  The system ends the lock with the process.  So a folder without a lock is left over from a process that
was ended, and the next process that writes there clears it away.

A set of files takes its place in one step of the file system where that is possible; see `folder_exchange`.
Elsewhere it takes two steps.  First, one small file in the staging folder says that the set is complete.  Then the
files move.  After a crash before the first step, the old files are all there.  After a crash later, the next process
moves the rest.  Until then old and new files are mixed.  The record of the set shows this: the old one is removed
before the first file moves, and the new one moves last.
"""

import json
import os
import re
import secrets
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from .folder_exchange import take_place

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_NAME = re.compile(r"\.[0-9a-f]{16}\.part")
_LOCK = "lock"
_FILES = "files"
_SWITCH = "switch.json"
_LONGEST_SWITCH = 1 << 26
_TRIES = 100


@contextmanager
def staging_folder(folder: Path) -> Iterator[Path]:
    """Make an empty hidden folder inside a folder, and remove it at the end of the block.

    What earlier processes left behind there is cleared away first; see `finish_interrupted`.

    Parameters
    ----------
    folder : Path
        It exists.

    Yields
    ------
    Path
        The folder to fill.

    Raises
    ------
    OSError
        If nothing can be written there.
    """
    finish_interrupted(folder)
    part, lock = _make_locked(folder)
    try:
        files = part / _FILES
        files.mkdir()
        yield files
    finally:
        lock.close()
        if not (part / _SWITCH).exists():
            shutil.rmtree(part, ignore_errors=True)


def switch(files: Path, folder: Path, obsolete: Iterable[str], record: str | None = None) -> None:
    """Move all files of a staging folder into their folder, and remove those that they make obsolete.

    Parameters
    ----------
    files : Path
        What `staging_folder` gave; it may hold folders.
    folder : Path
        The folder that it was made for.
    obsolete : iterable of str
        Files to remove that are not replaced: paths inside `folder`, with ``/`` between names.
    record : str, optional
        Name of the file whose presence says that the set is complete.

    Raises
    ------
    OSError
        If a file cannot be moved.  The rest is moved when the next staging folder is made there.
    """
    part = files.parent
    gone = sorted(obsolete)
    folder = folder.resolve()
    if take_place(part, files.name, folder, [*gone, *files_below(files)]):
        shutil.rmtree(folder.parent / part.name, ignore_errors=True)
        return
    draft = part / "draft"
    draft.write_text(json.dumps({"obsolete": gone, "record": record}), encoding="utf-8")
    draft.replace(part / _SWITCH)
    _move(part, folder)


def finish_interrupted(folder: Path) -> None:
    """Clear away what processes that were ended have left in a folder; a switch that had begun is completed.

    Parameters
    ----------
    folder : Path
        Where files are written.  Nothing happens if it is missing.

    Raises
    ------
    OSError
        If a file of an interrupted switch cannot be moved.
    """
    if _NAME.fullmatch(folder.parent.name):  # This process has just made it.
        return
    for place in (folder, folder.resolve().parent):  # `take_place` works beside the folder.
        for part in _left_over(place):
            lock = _lock(part)
            if lock is not None:
                with lock:
                    if (part / _SWITCH).exists():
                        _move(part, place)
                shutil.rmtree(part, ignore_errors=True)


def _left_over(folder: Path) -> list[Path]:
    """Return the staging folders in a folder, none if it cannot be read."""
    with suppress(FileNotFoundError, NotADirectoryError, PermissionError), os.scandir(folder) as entries:
        return [Path(entry.path) for entry in entries if _NAME.fullmatch(entry.name)]
    return []


def is_inside(path: str) -> bool:
    """Return whether a relative path, with ``/`` between names, stays inside its folder.

    Parameters
    ----------
    path : str
        As it stands in a file.

    Returns
    -------
    bool

    Examples
    --------
    >>> [is_inside(path) for path in ("meshes/land.glb", "../land.glb", "/etc/hosts", "C:/land", "a\\\\b", "")]
    [True, False, False, False, False, False]
    """
    names = path.split("/")
    return not any(name in ("", ".", "..") or set(name) & set("\\:\0") for name in names)


def files_below(folder: Path) -> list[str]:
    """Return all files in a folder and its folders.

    Parameters
    ----------
    folder : Path
        It exists.

    Returns
    -------
    list of str
        Relative paths with ``/`` between names, those in the deepest folders first.
    """
    found = [path.relative_to(folder) for path in folder.rglob("*") if not path.is_dir() or path.is_symlink()]
    return [path.as_posix() for path in sorted(found, key=lambda path: (-len(path.parts), path))]


def _make_locked(folder: Path) -> tuple[Path, BinaryIO]:
    """Return a new folder, and the open file in it that locks it."""
    for _ in range(_TRIES):
        part = folder / f".{secrets.token_hex(8)}.part"
        part.mkdir(mode=0o700)
        lock = _lock(part, only_if_sure=False)
        if lock is not None:
            return part, lock
    raise OSError(f"other programs remove what is written to {folder}")


def _lock(part: Path, *, only_if_sure: bool = True) -> BinaryIO | None:
    """Return the open file that locks a staging folder, None if another process holds it or removes the folder.

    Some file systems know no locks.  Then nobody can say whether the folder is in use, and it stays, `only_if_sure`.
    """
    try:
        file = (part / _LOCK).open("ab")
    except OSError:
        return None
    try:
        _take(file)
    except OSError as error:
        if only_if_sure or isinstance(error, (BlockingIOError, PermissionError)):
            file.close()
            return None
    with suppress(OSError):
        if os.path.samestat(os.fstat(file.fileno()), (part / _LOCK).stat()):
            return file
    file.close()
    return None


def _take(file: BinaryIO) -> None:
    """Lock a file, or raise OSError at once."""
    if sys.platform == "win32":
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _move(part: Path, folder: Path) -> None:
    """Move the files that are still in a staging folder, remove obsolete ones, and then the mark that this began."""
    files, noted = part / _FILES, _read_switch(part)
    names = files_below(files)
    last = [name for name in names if name == noted["record"]]
    for name in last:
        (folder / name).unlink(missing_ok=True)
    for name in names:
        if name not in last:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (files / name).replace(folder / name)
    for name in map(str, noted["obsolete"]):
        target = folder / name
        if is_inside(name) and _really_inside(target, folder):
            target.unlink(missing_ok=True)
            with suppress(OSError):
                target.parent.rmdir()  # Only if it is empty.
    for name in last:
        (files / name).replace(folder / name)
    (part / _SWITCH).unlink()


def _read_switch(part: Path) -> dict[str, Any]:
    """Return which files the switch of a staging folder removes, and which one is the record."""
    try:
        with (part / _SWITCH).open("rb") as file:
            noted = json.loads(file.read(_LONGEST_SWITCH))
        return {"obsolete": list(noted["obsolete"]), "record": noted.get("record")}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {"obsolete": [], "record": None}


def _really_inside(target: Path, folder: Path) -> bool:
    """Return whether a path leads to a place inside a folder, with links followed."""
    return Path(os.path.realpath(target.parent)).is_relative_to(os.path.realpath(folder)) and not target.is_dir()

"""Two folders that change places in one step of the file system, so that a set of files is the old or the new one.

Only Linux does this on its usual file systems.  Elsewhere, and where it would disturb somebody, the caller moves file
by file.
"""

import ctypes
import os
import shutil
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

_HERE = -100  # AT_FDCWD: relative paths begin in the working directory
_EXCHANGE = 2  # RENAME_EXCHANGE of renameat2 in Linux


def take_place(part: Path, files: str, folder: Path, gone: Iterable[str]) -> bool:
    """Put a complete folder in the place of another one in one step.

    Parameters
    ----------
    part : Path
        A folder inside `folder`.  It moves beside `folder`, and what was in `folder` is then in it.
    files : str
        Name of the folder in `part` that becomes `folder`.
    folder : Path
        The folder to replace, without links on the way to it.
    gone : iterable of str
        Files of `folder` that do not stay: relative paths with ``/`` between names.

    Returns
    -------
    bool
        False if the system cannot do it, or if it would disturb somebody: the folder holds anything else, a process
        works in it, or it belongs to another user.  Then nothing has changed.
    """
    exchange = _find_exchange()
    beside = folder.parent / part.name
    gone = {*gone}
    try:
        if exchange is None or _owner(folder) != _owner(part / files) or _is_somebody_inside(folder):
            return False
        if not _content(folder, part) <= gone:
            return False
        shutil.copystat(folder, part / files)
        part.rename(beside)
    except OSError:
        return False
    if not exchange(beside / files, folder):
        beside.rename(part)
        return False
    for late in _content(beside / files, part) - gone:
        with suppress(OSError):
            (folder / late).parent.mkdir(parents=True, exist_ok=True)
            (beside / files / late).replace(folder / late)
    return True


def _find_exchange() -> Callable[[Path, Path], bool] | None:
    """Return the function that exchanges two folders, None if the system has none."""
    if not sys.platform.startswith("linux"):
        return None
    with suppress(OSError, AttributeError):
        renameat2 = ctypes.CDLL(None).renameat2
        return lambda one, other: renameat2(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0
    return None


def _owner(path: Path) -> tuple[int, int]:
    """Return the user and the group of a folder."""
    status = path.stat()
    return status.st_uid, status.st_gid


def _is_somebody_inside(folder: Path) -> bool:
    """Return whether a process has a folder, or one below it, as its working directory: it would see it empty."""
    with os.scandir("/proc") as entries:
        processes = [entry.path for entry in entries if entry.name.isdigit()]
    for process in processes:
        with suppress(OSError):
            if Path(process, "cwd").readlink().is_relative_to(folder):
                return True
    return False


def _content(folder: Path, without: Path) -> set[str]:
    """Return the relative paths of the files in a folder, and of folders that are empty, links or other disks."""
    found = set()
    for root, folders, names in os.walk(folder):
        inside = Path(root).relative_to(folder)
        folders[:] = [name for name in folders if Path(root, name) != without]
        odd = [name for name in folders if Path(root, name).is_symlink() or os.path.ismount(Path(root, name))]
        found |= {(inside / name).as_posix() for name in (*names, *odd)}
        if not folders and not names and Path(root) != folder:
            found.add(inside.as_posix())
    return found

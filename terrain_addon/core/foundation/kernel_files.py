"""Compiled kernels as files, each with a checksum.

numba's own cache trusts its files: a damaged one ends the program, or raises the same error for ever.  Here a file that
is damaged, of another version or of another program counts as missing.  Then the kernel is compiled again, and the
new file replaces it in one step of the file system.
"""

import hashlib
import importlib
import os
import pickle
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

KERNEL_ENDING = ".kernel"
"""How names of files with a compiled kernel end."""

_MAGIC = b"landscape kernel 1\n"
_DIGEST_SIZE = hashlib.sha256().digest_size


def keep_compiled(dispatcher: Any, folder: Path, versions: tuple[str, ...]) -> None:
    """Let a dispatcher of numba, which was made with a cache, keep what it compiles in files with checksums.

    A file that cannot be read or written costs only time.

    Parameters
    ----------
    dispatcher : object
        What ``numba.njit(cache=True)`` returned.
    folder : Path
        Where the files go.
    versions : tuple of str
        All programs on which the content of the files depends, with their versions.
    """
    cache = dispatcher._cache
    cache._cache_file = _KernelFiles(folder, dispatcher.py_func, versions)
    cache.load_overload = _none_if_it_fails(cache.load_overload)
    cache.save_overload = _none_if_it_fails(cache.save_overload)


def kept_bytes(folder: Path) -> int:
    """Return how much the compiled kernels in a folder take on the disk.

    Parameters
    ----------
    folder : Path
        With its sub-folders.

    Returns
    -------
    int
        Bytes; 0 if the folder is not there.
    """
    sizes = []
    for file in folder.rglob(f"*{KERNEL_ENDING}"):
        with suppress(OSError):  # another program may have removed it since
            sizes.append(file.stat().st_size)
    return sum(sizes)


def remove_kept(folder: Path) -> int:
    """Remove the compiled kernels in a folder, which costs time only: they are compiled again when they are needed.

    Parameters
    ----------
    folder : Path
        With its sub-folders; what is no compiled kernel stays.

    Returns
    -------
    int
        How many files were removed.

    Raises
    ------
    OSError
        If one cannot be removed.
    """
    files = list(folder.rglob(f"*{KERNEL_ENDING}"))
    for file in files:
        file.unlink(missing_ok=True)
    return len(files)


class _KernelFiles:
    """The compiled forms of one kernel, in place of numba's ``IndexDataCacheFile``."""

    def __init__(self, folder: Path, function: Callable[..., Any], versions: tuple[str, ...]) -> None:
        self._folder = folder
        self._name = function.__qualname__
        # Types of arguments are stored with the name of the module that defines them.  So the same source under another
        # name of the package has files of its own.
        self._salt = repr((function.__module__, function.__qualname__, sys.implementation.cache_tag, versions))

    def load(self, key: Any) -> Any:
        """Return what was stored for a key; None if there is nothing, or nothing that can be trusted."""
        path = self._path(key)
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return None
        begin = len(_MAGIC) + _DIGEST_SIZE
        payload = memoryview(data)[begin:]
        if data[:begin] != _MAGIC + hashlib.sha256(payload).digest():
            return None
        stored_key, stored = pickle.loads(payload)
        return stored if stored_key == key else None

    def save(self, key: Any, data: Any) -> None:
        """Store data under a key in one step, so that other processes see the whole file or none."""
        payload: bytes = importlib.import_module("numba.core.serialize").dumps((key, data))
        path = self._path(key)
        part = path.with_suffix(f".{os.getpid()}.part")
        try:
            part.write_bytes(_MAGIC + hashlib.sha256(payload).digest() + payload)
            part.replace(path)
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)

    def flush(self) -> None:
        """Do nothing: a file is replaced when its kernel is compiled again."""

    def _path(self, key: Any) -> Path:
        digest = hashlib.sha256(f"{self._salt} {key}".encode()).hexdigest()[:20]
        return self._folder / f"{self._name}-{digest}{KERNEL_ENDING}"


def _none_if_it_fails(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that returns None instead of raising: without a file, a kernel is compiled."""

    def careful(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except Exception:  # noqa: BLE001  What a file of another version or program makes numba raise can be anything.
            return None

    return careful

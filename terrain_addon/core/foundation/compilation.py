"""How kernels are compiled, kept between sessions, and shared out to threads.

A kernel is a plain function over arrays and numbers, decorated with `kernel` or `parallel_kernel`.  Nothing is
compiled, and numba is not even imported, before a kernel's first call, so that registering the add-on stays instant and
a broken numba is met as one clear sentence by the first operator that needs it.

Threads are ours and not numba's: its own loops over threads take three times as long to compile, and one of the
libraries behind them ends the process when two landscapes are made at once.
"""

import hashlib
import importlib
import importlib.util
import os
import pickle
import re
import shutil
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

# What a kernel is given; numba settles the element type when the kernel is called.
Array: TypeAlias = npt.NDArray[Any]
Bits: TypeAlias = np.uint32

Part: TypeAlias = tuple[int, int]
"""Which part of the work a call of a parallel kernel does: its number from 0, and how many there are."""

# More parts than threads, so that a thread whose part is light takes the next one.
_PARTS_PER_THREAD = 4

_COMPILE_LOCK = threading.RLock()
_BROKEN_CACHE = (EOFError, OSError, pickle.UnpicklingError)
_OWN_FOLDER = "landscape_kernels"
_IMPORT = re.compile(r"^\s*from (\.+[\w.]*) import", re.MULTILINE)
_cache_folder: Path | None = None


class CompilerMissing(RuntimeError):
    """numba cannot be loaded, so no landscape can be computed."""


def set_cache_folder(folder: str | os.PathLike[str]) -> None:
    """Choose where compiled kernels are kept between sessions.

    Parameters
    ----------
    folder : path
        A folder that may be written.  Kernels land in its sub-folder `landscape_kernels`, apart by the source code that
        they come from, because numba does not notice when a kernel in another file has changed.

    Notes
    -----
    Takes effect for kernels that have not run yet.  Where the folder cannot be written, kernels are compiled anew in
    every session.
    """
    global _cache_folder
    _cache_folder = Path(folder)


class Kernel:
    """A function that numba compiles when it is first called.

    Kernels may call one another: to numba each of them is the compiled function it wraps.
    """

    def __init__(self, function: Callable[..., Any], *, parallel: bool) -> None:
        self.py_func = function
        self.parallel = parallel
        self.__name__ = function.__name__
        self.__doc__ = function.__doc__
        self._compiled: Any = None

    def __call__(self, *arguments: Any) -> Any:
        arguments = tuple(map(_writable, arguments))
        try:
            return self._run(arguments)
        except _BROKEN_CACHE:
            # Kernels themselves raise nothing, so this is numba reading what a crash or a full disk left half-written;
            # no part of the work has begun.
            shutil.rmtree(cache_root(), ignore_errors=True)
            self._compiled = None
            return self._run(arguments)

    def alone(self, *arguments: Any) -> Any:
        """Run a parallel kernel in the calling thread only, for work that is too little to share."""
        return self.compiled((0, 1), *map(_writable, arguments))

    @property
    def compiled(self) -> Any:
        """The numba dispatcher, made on first use."""
        if self._compiled is None:
            with _COMPILE_LOCK:
                if self._compiled is None:
                    self._compiled = _compile(self.py_func)
        return self._compiled

    def _run(self, arguments: tuple[Any, ...]) -> Any:
        if not self.parallel:
            return self.compiled(*arguments)
        threads = thread_count()
        if threads == 1:
            return self.compiled((0, 1), *arguments)
        parts = threads * _PARTS_PER_THREAD
        waiting = deque(range(parts))

        def work() -> None:
            while waiting:
                try:
                    number = waiting.popleft()
                except IndexError:  # another thread was faster
                    return
                self.compiled((number, parts), *arguments)

        others = [_pool().submit(work) for _ in range(threads - 1)]
        try:
            work()
        finally:
            waiting.clear()
            wait(others)
        for other in others:
            other.result()

    @property
    def _numba_type_(self) -> Any:
        # numba asks any global that a kernel names for this attribute; answering with the dispatcher's own type is what
        # lets one kernel call another.
        return self.compiled._numba_type_


def kernel(function: Callable[..., Any]) -> Kernel:
    """Compile `function` for one thread; it releases the interpreter lock while it runs."""
    return Kernel(function, parallel=False)


def parallel_kernel(function: Callable[..., Any]) -> Kernel:
    """Compile `function(part, …)` for all threads; called without `part`, it runs once for every part of the work.

    Which part does what is told by `portion`; no two parts may write to the same place, and what a part writes may not
    depend on how many there are.
    """
    return Kernel(function, parallel=True)


@kernel
def portion(part: Part, count: int) -> range:
    """Return those numbers from 0 to `count` - 1 that are up to one part of a parallel kernel."""
    number, parts = part
    return range(count * number // parts, count * (number + 1) // parts)


class _Alias:
    """The memory of an array, as if it could be written to."""

    def __init__(self, array: Array) -> None:
        self.array = array
        self.__array_interface__ = array.__array_interface__ | {"data": (array.ctypes.data, False)}


def _writable(argument: Any) -> Any:
    """Return an array that may be written to in place of one that may not; everything else as it is.

    To numba these are two types, and it would compile a kernel for each; kernels write to nothing but their results.
    """
    if isinstance(argument, np.ndarray) and not argument.flags.writeable:
        return np.asarray(_Alias(argument))
    return argument


def thread_count() -> int:
    """Return how many threads parallel kernels use."""
    return _threads


def set_thread_count(threads: int) -> None:
    """Let parallel kernels use `threads` threads.

    Raises
    ------
    ValueError
        If `threads` is below 1 or above the number of processors.
    """
    global _threads
    if not 1 <= threads <= _PROCESSORS:
        raise ValueError(f"threads = {threads} is outside 1 to {_PROCESSORS}")
    _threads = threads


def processors() -> int:
    """Return how many processors there are for this process."""
    if hasattr(os, "sched_getaffinity"):  # not on every system
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


_PROCESSORS = processors()
_threads = _PROCESSORS


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max(_PROCESSORS - 1, 1), "landscape")


def _compile(function: Callable[..., Any]) -> Any:
    numba = _numba()
    folder = writable(cache_root() / f"{Path(function.__code__.co_filename).stem}-{digest_of(function.__module__)}")
    before = numba.core.config.CACHE_DIR
    numba.core.config.CACHE_DIR = str(folder) if folder else before
    try:
        # No fastmath: results must be the same bytes on every processor.  error_model "numpy" drops the checks for
        # division by zero, which would keep loops from being vectorised.
        return numba.njit(nogil=True, cache=folder is not None, error_model="numpy")(function)
    finally:
        numba.core.config.CACHE_DIR = before


def _numba() -> Any:
    try:
        return importlib.import_module("numba")
    except ImportError as error:
        raise CompilerMissing(
            f"numba cannot be loaded ({error}); reinstall the extension, or remove add-ons that bring their own numba"
        ) from error


def cache_root() -> Path:
    """Return the folder that holds compiled kernels and nothing else; whoever finds it broken may remove it."""
    home = os.environ.get("LOCALAPPDATA") or os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return (_cache_folder or Path(home).expanduser() / "terrain_addon" / "kernels") / _OWN_FOLDER


def writable(folder: Path) -> Path | None:
    """Return a folder, made if it is missing; None if nothing can be written there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return None


@cache
def digest_of(*modules: str) -> str:
    """Return a text that changes with the source code of modules, and of all of this package that they import."""
    names = sorted(set().union(*map(_imported_by, modules)))
    digest = hashlib.sha256()
    for name in names:
        digest.update(Path(str(sys.modules[name].__file__)).read_bytes())
    return digest.hexdigest()[:16]


@cache
def _imported_by(module: str) -> frozenset[str]:
    """A module and all of this package that it imports, and that those import, and so on."""
    found, waiting = set(), [module]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _imports(name)
    return frozenset(found)


@cache
def _imports(module: str) -> tuple[str, ...]:
    loaded = sys.modules[module]
    package = loaded.__package__ or ""
    source = Path(str(loaded.__file__)).read_text(encoding="utf-8")
    names = [importlib.util.resolve_name(name, package) for name in _IMPORT.findall(source)]
    return tuple(name for name in names if name in sys.modules)

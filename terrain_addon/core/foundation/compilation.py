"""How kernels are compiled, kept between sessions, and run on several threads.

A kernel is a plain function over arrays and numbers, decorated with `kernel` or `parallel_kernel`.  Nothing is
compiled, and numba is not even imported, before the first call of a kernel.  So the add-on registers at once, and a
broken numba becomes one clear message from the first operator that needs it.

The threads are our own, not numba's.  Numba's parallel loops take three times as long to compile, and one of the
libraries behind them ends the process when two landscapes are made at the same time.

A parallel kernel divides its work with `portion`::

    @parallel_kernel
    def double(part: Part, values: Array) -> None:
        for i in portion(part, values.size):
            values[i] *= 2.0
"""

import hashlib
import importlib.util
import os
import re
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from .kernel_files import keep_compiled
from .numba_check import compiler_missing, load_numba

# The arguments of kernels; numba finds the element type of an array when the kernel is called.
Array: TypeAlias = npt.NDArray[Any]
Bits: TypeAlias = np.uint32

Part: TypeAlias = tuple[int, int]
"""Which part of the work a call of a parallel kernel does: the number of the part, from 0, and how many there are."""

# More parts than threads, so that a thread that finishes a light part takes another one.
_PARTS_PER_THREAD = 4

_COMPILE_LOCK = threading.RLock()
_POOL_LOCK = threading.Lock()
_calling = threading.local()
_OWN_FOLDER = "landscape_kernels"
_IMPORT = re.compile(r"^\s*from (\.+[\w.]*) import", re.MULTILINE)
_cache_folder: Path | None = None
_threads_beside: ThreadPoolExecutor | None = None


def set_cache_folder(folder: str | os.PathLike[str]) -> None:
    """Choose where compiled kernels are kept between sessions.

    Parameters
    ----------
    folder : path
        A folder that can be written.  Kernels go into its sub-folder `landscape_kernels`, and there into one folder for
        each state of the source code, because numba does not notice when a kernel in another file has changed.

    Notes
    -----
    Takes effect for kernels that have not run yet.  If the folder cannot be written, every session compiles
    kernels again.
    """
    global _cache_folder
    _cache_folder = Path(folder)


class Kernel:
    """A function that numba compiles when it is first called.

    Kernels may call one another: numba sees each of them as the compiled function that it wraps.

    Attributes
    ----------
    py_func : callable
        The plain Python function.
    parallel : bool
        Whether its first argument is the part of the work.
    """

    def __init__(self, function: Callable[..., Any], *, parallel: bool) -> None:
        self.py_func = function
        self.parallel = parallel
        self.__name__ = function.__name__
        self.__doc__ = function.__doc__
        self._compiled: Any = None

    def __call__(self, *arguments: Any) -> Any:
        return self._run(tuple(map(as_writable, arguments)))

    def alone(self, *arguments: Any) -> Any:
        """Run a parallel kernel in the calling thread only, for work that is too small for several threads.

        Parameters
        ----------
        *arguments
            What the kernel takes after `part`.

        Returns
        -------
        object
            What the kernel returns.
        """
        return self.compiled((0, 1), *map(as_writable, arguments))

    @property
    def compiled(self) -> Any:
        """The numba dispatcher, made on first use."""
        if self._compiled is None:
            with _COMPILE_LOCK:
                if self._compiled is None:
                    self._compiled = _compile(self.py_func)
        return self._compiled

    def _run(self, arguments: tuple[Any, ...]) -> Any:
        """Run the kernel, if it is parallel on all threads: each takes the next part until none is left."""
        if not self.parallel:
            return self.compiled(*arguments)
        threads = thread_count()
        if threads == 1 or getattr(_calling, "works_alone", False):
            return self.compiled((0, 1), *arguments)
        parts = threads * _PARTS_PER_THREAD
        waiting = deque(range(parts))

        def work() -> None:
            while waiting:
                try:
                    number = waiting.popleft()
                except IndexError:  # another thread has taken the last part
                    return
                self.compiled((number, parts), *arguments)

        others = _start_beside(work, threads - 1)
        try:
            work()
        finally:
            waiting.clear()
            wait(others)
        for other in others:
            other.result()

    @property
    def _numba_type_(self) -> Any:
        # numba reads this attribute of every global that a kernel names.  Answered with the type of the dispatcher, it
        # lets one kernel call another.
        return self.compiled._numba_type_


def kernel(function: Callable[..., Any]) -> Kernel:
    """Compile a function for one thread; it releases the interpreter lock while it runs.

    Parameters
    ----------
    function : callable
        Over arrays and numbers; it must not keep references to its arguments, raise, or write to anything but its
        results.

    Returns
    -------
    Kernel
    """
    return Kernel(function, parallel=False)


def parallel_kernel(function: Callable[..., Any]) -> Kernel:
    """Compile ``function(part, …)`` for all threads.

    The kernel is called without `part`, and the function runs once for every part of the work.

    Parameters
    ----------
    function : callable
        Its first argument is the part, from which `portion` says what to do.  No two parts may write to the same place,
        and what a part writes must not depend on how many parts there are.

    Returns
    -------
    Kernel
    """
    return Kernel(function, parallel=True)


@kernel
def portion(part: Part, count: int) -> range:
    """Return which of the numbers from 0 to `count` − 1 belong to one part of a parallel kernel.

    Parameters
    ----------
    part : Part
        Which share of the work this call does.
    count : int
        How many pieces of work there are, such as rows.

    Returns
    -------
    range

    Examples
    --------
    >>> [list(portion.py_func((part, 2), 5)) for part in (0, 1)]
    [[0, 1], [2, 3, 4]]
    """
    number, parts = part
    return range(count * number // parts, count * (number + 1) // parts)


class _Alias:
    """The memory of a read-only array, presented as writable."""

    def __init__(self, array: Array) -> None:
        self.array = array
        self.__array_interface__ = array.__array_interface__ | {"data": (array.ctypes.data, False)}


def as_writable(argument: Any) -> Any:
    """Return a writable view of a read-only array; anything else as it is.

    For numba these are two types, and it would compile a kernel for each.  Kernels write to nothing but their results.

    Parameters
    ----------
    argument : object
        What a kernel is given; arrays in a named tuple count too.

    Returns
    -------
    object
        The same memory, never a copy.
    """
    if isinstance(argument, np.ndarray) and not argument.flags.writeable:
        return np.asarray(_Alias(argument))
    if isinstance(argument, tuple) and hasattr(argument, "_make"):
        return argument._make(map(as_writable, argument))
    return argument


def thread_count() -> int:
    """Return how many threads parallel kernels use."""
    return _threads


def set_thread_count(threads: int) -> None:
    """Choose how many threads parallel kernels use.

    Parameters
    ----------
    threads : int
        1 to the number of processors.

    Raises
    ------
    ValueError
        If `threads` is below 1 or above the number of processors.
    """
    global _threads
    if not 1 <= threads <= _PROCESSORS:
        raise ValueError(f"threads = {threads} is outside 1 to {_PROCESSORS}")
    _threads = threads


@contextmanager
def in_this_thread() -> Iterator[None]:
    """Let parallel kernels that this thread calls run in it alone: for many steps of little work, which others slow."""
    before = getattr(_calling, "works_alone", False)
    _calling.works_alone = True
    try:
        yield
    finally:
        _calling.works_alone = before


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):  # not on every system
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


_PROCESSORS = processors()
_threads = _PROCESSORS


def stop_threads() -> None:
    """End the threads of parallel kernels when their work is done; the next call of a kernel starts new ones."""
    global _threads_beside
    with _POOL_LOCK:
        pool, _threads_beside = _threads_beside, None
    if pool is not None:
        pool.shutdown(wait=True)


def _start_beside(work: Callable[[], None], count: int) -> list[Future[None]]:
    """Start work on some threads beside the calling one."""
    global _threads_beside
    with _POOL_LOCK:
        if _threads_beside is None:
            _threads_beside = ThreadPoolExecutor(max(_PROCESSORS - 1, 1), "landscape")
        return [_threads_beside.submit(work) for _ in range(count)]


def _compile(function: Callable[..., Any]) -> Any:
    """Return the numba dispatcher of a function, which keeps its results in the folder of its source code."""
    numba = load_numba()
    folder = writable(cache_root() / f"{Path(function.__code__.co_filename).stem}-{digest_of(function.__module__)}")
    try:
        return _dispatcher(numba, function, folder)
    except Exception as error:  # Nothing was compiled yet, so this is no fault of the function.
        raise compiler_missing(error) from error


def _dispatcher(numba: Any, function: Callable[..., Any], folder: Path | None) -> Any:
    before = numba.core.config.CACHE_DIR
    numba.core.config.CACHE_DIR = str(folder) if folder else before
    try:
        # No fastmath: results must be the same bytes on every processor.  error_model "numpy" drops the checks for
        # division by zero, which would keep loops from being vectorised.
        dispatcher = numba.njit(nogil=True, cache=folder is not None, error_model="numpy")(function)
    finally:
        numba.core.config.CACHE_DIR = before
    if folder is not None:
        llvmlite = str(getattr(sys.modules.get("llvmlite"), "__version__", ""))
        keep_compiled(dispatcher, folder, (numba.__version__, llvmlite, np.__version__))
    return dispatcher


def cache_root() -> Path:
    """Return the folder that holds compiled kernels, marks that say which of them are there, and nothing else."""
    home = os.environ.get("LOCALAPPDATA") or os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return (_cache_folder or Path(home).expanduser() / "terrain_addon" / "kernels") / _OWN_FOLDER


def writable(folder: Path) -> Path | None:
    """Return a folder, made if it is missing; None if nothing can be written there.

    Parameters
    ----------
    folder : Path
        Where to write.

    Returns
    -------
    Path or None
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return None


@cache
def digest_of(*modules: str) -> str:
    """Return a text that changes with the source code of modules, and of all modules of this package that they import.

    Parameters
    ----------
    *modules : str
        Full names of imported modules.

    Returns
    -------
    str
        16 hexadecimal digits.
    """
    names = sorted(set().union(*map(_imported_by, modules)))
    digest = hashlib.sha256()
    for name in names:
        digest.update(Path(str(sys.modules[name].__file__)).read_bytes())
    return digest.hexdigest()[:16]


@cache
def _imported_by(module: str) -> frozenset[str]:
    """Return a module and all modules of this package that it imports, directly or through others."""
    found, waiting = set(), [module]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _imports(name)
    return frozenset(found)


@cache
def _imports(module: str) -> tuple[str, ...]:
    """Return the modules of this package that a module imports itself, read from its source."""
    loaded = sys.modules[module]
    package = loaded.__package__ or ""
    source = Path(str(loaded.__file__)).read_text(encoding="utf-8")
    names = [importlib.util.resolve_name(name, package) for name in _IMPORT.findall(source)]
    return tuple(name for name in names if name in sys.modules)

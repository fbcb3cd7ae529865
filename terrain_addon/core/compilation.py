"""How kernels are compiled: options, cache folder, threading order and the one lock.

A kernel is a plain function over arrays and numbers, decorated with `kernel` or `parallel_kernel`.  Nothing is
compiled, and numba is not even imported, before a kernel's first call, so that registering the add-on stays instant and
a broken numba is met as one clear sentence by the first operator that needs it.
"""

import hashlib
import importlib
import os
import pickle
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

# What a kernel is given; numba settles the element type when the kernel is called.
Array: TypeAlias = npt.NDArray[Any]
Bits: TypeAlias = np.uint32

# Stands in for numba.prange until numba is loaded; the first compilation of a kernel puts the real one in its module.
prange = range

# tbb is what Blender 4.3+ brings; workqueue is always there but aborts when two threads enter it, hence PARALLEL_LOCK;
# omp comes last: it aborts after a fork and crawls on busy cores.
THREADING_LAYER_PRIORITY = ["tbb", "workqueue", "omp"]

# Held by every parallel kernel while it runs.  Reentrant, so that a caller may hold it over several kernels.
PARALLEL_LOCK = threading.RLock()

_COMPILE_LOCK = threading.RLock()
_BROKEN_CACHE = (EOFError, OSError, pickle.UnpicklingError)
_cache_folder: Path | None = None


class CompilerMissing(RuntimeError):
    """numba cannot be loaded, so no landscape can be computed."""


def set_cache_folder(folder: str | os.PathLike[str]) -> None:
    """Choose where compiled kernels are kept between sessions.

    Parameters
    ----------
    folder : path
        A folder that may be written.  Kernels land in a sub-folder named after the source code of `core`, because numba
        does not notice when a kernel in another file has changed.

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
        if self.parallel:
            with PARALLEL_LOCK:
                return self._run(arguments)
        return self._run(arguments)

    @property
    def compiled(self) -> Any:
        """The numba dispatcher, made on first use."""
        if self._compiled is None:
            with _COMPILE_LOCK:
                if self._compiled is None:
                    self._compiled = _compile(self.py_func, self.parallel)
        return self._compiled

    def _run(self, arguments: tuple[Any, ...]) -> Any:
        try:
            return self.compiled(*arguments)
        except _BROKEN_CACHE:
            # Kernels themselves raise nothing, so this is numba reading what a crash or a full disk left half-written.
            shutil.rmtree(_cache_root() / _source_digest(), ignore_errors=True)
            self._compiled = None
            return self.compiled(*arguments)

    @property
    def _numba_type_(self) -> Any:
        # numba asks any global that a kernel names for this attribute; answering with the dispatcher's own type is what
        # lets one kernel call another.
        return self.compiled._numba_type_


def kernel(function: Callable[..., Any]) -> Kernel:
    """Compile `function` for one thread; it releases the interpreter lock while it runs."""
    return Kernel(function, parallel=False)


def parallel_kernel(function: Callable[..., Any]) -> Kernel:
    """Compile `function` for all threads; its `prange` loops are shared out, one such kernel at a time."""
    return Kernel(function, parallel=True)


def thread_count() -> int:
    """Return how many threads parallel kernels use."""
    return int(_numba().get_num_threads())


def set_thread_count(threads: int) -> None:
    """Let parallel kernels called from this thread use `threads` threads.

    Raises
    ------
    ValueError
        If `threads` is below 1 or above the number of threads numba was started with.
    """
    most = int(_numba().config.NUMBA_NUM_THREADS)
    if not 1 <= threads <= most:
        raise ValueError(f"threads = {threads} is outside 1 to {most}")
    _numba().set_num_threads(threads)


def _compile(function: Callable[..., Any], parallel: bool) -> Any:
    numba = _numba()
    names = function.__globals__
    if names.get("prange") is range:
        names["prange"] = numba.prange
    folder = _writable_cache_folder()
    before = numba.core.config.CACHE_DIR
    numba.core.config.CACHE_DIR = str(folder) if folder else before
    try:
        # No fastmath: results must be the same bytes on every processor.  error_model "numpy" drops the checks for
        # division by zero, which would keep loops from being vectorised.
        return numba.njit(nogil=True, parallel=parallel, cache=folder is not None, error_model="numpy")(function)
    finally:
        numba.core.config.CACHE_DIR = before


def _numba() -> Any:
    loaded = "numba" in sys.modules
    try:
        numba = importlib.import_module("numba")
    except ImportError as error:
        raise CompilerMissing(
            f"numba cannot be loaded ({error}); reinstall the extension, or remove add-ons that bring their own numba"
        ) from error
    if not loaded:
        numba.config.THREADING_LAYER_PRIORITY = THREADING_LAYER_PRIORITY
    return numba


def _writable_cache_folder() -> Path | None:
    folder = _cache_root() / _source_digest()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return None


def _cache_root() -> Path:
    if _cache_folder is not None:
        return _cache_folder
    home = os.environ.get("LOCALAPPDATA") or os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(home).expanduser() / "terrain_addon" / "kernels"


_digest = ""


def _source_digest() -> str:
    global _digest
    if not _digest:
        digest = hashlib.sha256()
        for source in sorted(Path(__file__).parent.rglob("*.py")):
            digest.update(source.read_bytes())
        _digest = digest.hexdigest()[:16]
    return _digest

"""Who works on tiles: processes on this machine, or those of a running scheduler of Dask."""

import logging
import math
import re
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from .libraries import load_library
from .world import USUAL_SCALE

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")
_PER_SAMPLE = 160
"""Bytes that a worker takes for each sample of a tile, at most."""
_AT_REST = 400_000_000
"""Bytes that a worker takes by itself, with its compiled kernels."""
_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
# Its own HTTP server would else warn where another cluster runs already.
_ANY_PORT = "127.0.0.1:0"
_TIMEOUT = 10.0
"""Seconds in which a scheduler must answer, at first and after the connection was lost."""


@contextmanager
def open_client(workers: int | None, scheduler: str | None, memory: int | None, tile: int) -> Iterator[Any]:
    """Open a client of Dask.

    Parameters
    ----------
    workers : int or None
        How many processes to start on this machine.
    scheduler : str or None
        Address of a running scheduler instead, such as ``tcp://10.0.0.7:8786``.
    memory : int or None
        Bytes that all processes on this machine may take.
    tile : int
        Cells along a side of a tile.

    Yields
    ------
    distributed.Client or None
        None if neither is given: this process does all.

    Raises
    ------
    ValueError
        If no scheduler answers, a number is out of range, or a tile needs more memory.
    """
    if workers is not None and not 1 <= workers <= 1024:
        raise ValueError(f"workers = {workers} is outside 1 to 1024")
    if workers is not None and scheduler is not None:
        raise ValueError("give either workers or a scheduler, not both")
    if memory is not None:
        _check_memory(memory, tile, workers or 1)
    if workers is None and scheduler is None:
        yield None
        return
    with _connected(scheduler) if scheduler is not None else _started(workers or 1, memory) as client:
        yield client


@contextmanager
def _connected(scheduler: str) -> Iterator[Any]:
    """Open a client of a running scheduler."""
    distributed = load_library("distributed")
    try:
        client = distributed.Client(scheduler, timeout=_TIMEOUT)
        # What becomes of the connection is said in one sentence, not in Dask's own lines.
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
    except (OSError, ValueError, TypeError) as error:  # Some texts are no address at all.
        raise ValueError(
            f"no scheduler of Dask answers at {scheduler!r}; an address looks like tcp://10.0.0.7:8786"
        ) from error
    with client:
        yield client


@contextmanager
def _started(workers: int, memory: int | None) -> Iterator[Any]:
    """Open a client of processes that are started on this machine."""
    distributed = load_library("distributed")
    limit = memory // workers if memory is not None else 0
    try:
        with _without_interrupts(), _with_usual_memory():
            cluster = distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                memory_limit=limit,
                dashboard_address=_ANY_PORT,
                silence_logs=50,
            )
    except (RuntimeError, OSError, TimeoutError) as error:
        reason = " ".join(str(error.__cause__ or error).split())[:200]
        raise ValueError(f"{workers} workers of Dask did not start ({reason}); take fewer or none") from error
    with cluster, distributed.Client(cluster) as client:
        yield client


def map_ahead(client: Any, function: Callable[[_Item], _Result], items: Iterable[_Item]) -> Iterator[_Result]:
    """Call a function for each item, and yield the results in their order; a few of them wait at most.

    Parameters
    ----------
    client : distributed.Client or None
        Who does it; None for this process.
    function : callable
        Of a module, so that other processes know it.
    items : iterable

    Yields
    ------
    object
        What the function returns.
    """
    if client is None:
        yield from map(function, items)
        return
    waiting: deque[Any] = deque()
    ahead = 2 * max(len(client.ncores()), 1)
    try:
        for item in items:
            waiting.append(client.submit(function, item, pure=False))
            if len(waiting) > ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        # After a fault, workers must not write any more to folders that are then removed.
        load_library("distributed").wait(list(waiting))


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Start processes that leave Ctrl-C to this one, which then ends them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _with_usual_memory() -> Iterator[None]:
    """Start processes that reuse memory as Python does by itself: with Dask's setting they ask for each array anew."""
    config, key = load_library("dask.config"), "distributed.nanny.pre-spawn-environ"
    environment = {name: value for name, value in config.get(key).items() if name != "MALLOC_TRIM_THRESHOLD_"}
    with config.set({key: environment}):
        yield


def parse_memory(text: str) -> int:
    """Return how many bytes a text such as ``4GB`` means.

    Parameters
    ----------
    text : str
        A number with B, KB, MB, GB or TB.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If it is none.

    Examples
    --------
    >>> parse_memory("1.5 GB")
    1500000000
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?B?)", text.strip().upper())
    if found is None or found[2] not in _UNITS:
        raise ValueError(f"memory = {text!r} is no amount such as 4GB")
    return int(float(found[1]) * _UNITS[found[2]])


def _check_memory(memory: int, tile: int, workers: int) -> None:
    """Refuse tiles that do not fit into the memory of the workers, and say with how much they would."""
    if workers * _need_of(tile) <= memory:
        return
    ways = [f"{_said(workers * _need_of(tile))} or more"]
    if (smallest := USUAL_SCALE.side) < tile or workers > 1:
        ways.append(f"at least {_said(_need_of(smallest))} with tiles of {smallest} cells and one worker")
    raise ValueError(
        f"a tile of {tile} cells needs about {_said(_need_of(tile))}, "
        f"and each worker may take {_said(memory // workers)}; allow {', or '.join(ways)}"
    )


def _need_of(tile: int) -> int:
    """How many bytes a worker takes that makes tiles of so many cells along a side."""
    return tile * tile * _PER_SAMPLE + _AT_REST


def _said(amount: int) -> str:
    """Return an amount of memory as one reads and writes it: never less than it is."""
    return f"{math.ceil(amount / 1e8) / 10} GB" if amount >= _UNITS["GB"] else f"{math.ceil(amount / 1e6)} MB"

"""Work on the pieces of a file in several threads; the results come in order, so the threads change no byte."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from ..core.foundation.compilation import thread_count

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def map_in_order(function: Callable[[_Item], _Result], items: Iterable[_Item]) -> Iterator[_Result]:
    """Yield ``function(item)`` for each item, in the order of the items, computed in several threads.

    There are as many threads as parallel kernels use.  The calling thread takes the items, only a few more than have
    been yielded, so a large file is never in memory as a whole.  zlib and numpy release the interpreter lock, so the
    threads run at the same time.

    Parameters
    ----------
    function : callable
        Takes one item; runs in any thread.
    items : iterable
        What to work on.

    Yields
    ------
    object
        What `function` returns.

    Raises
    ------
    Exception
        The error of the first item, in their order, for which `function` failed.

    Examples
    --------
    >>> list(map_in_order(abs, [-3, 2, -1]))
    [3, 2, 1]
    """
    workers = thread_count()
    with ThreadPoolExecutor(workers) as pool:
        waiting: deque[Future[_Result]] = deque()
        for item in items:
            waiting.append(pool.submit(function, item))
            if len(waiting) > 2 * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()

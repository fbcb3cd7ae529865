"""Work on pieces of a file in several threads, with results in order, so that threads change no byte."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def map_in_order(function: Callable[[_Item], _Result], items: Iterable[_Item]) -> Iterator[_Result]:
    """Yield ``function(item)`` for each item, in their order, computed in as many threads as there are processors.

    `items` is walked in the calling thread, and only a few items ahead of what has been taken, so that a large file is
    never in memory as a whole.  zlib and numpy release the interpreter lock, so the threads do run at once.

    Raises
    ------
    Exception
        Whatever `function` raised first, in the order of the items.
    """
    workers = os.cpu_count() or 1
    with ThreadPoolExecutor(workers) as pool:
        waiting: deque[Future[_Result]] = deque()
        for item in items:
            waiting.append(pool.submit(function, item))
            if len(waiting) > 2 * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()

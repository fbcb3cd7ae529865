"""How long a piece of work takes."""

import time
from collections.abc import Callable
from typing import Any


def best_of(runs: int, work: Callable[[], Any], *, warm_up: bool = True) -> float:
    """Return the shortest of several runs in milliseconds, after one that is not counted."""
    if warm_up:
        work()
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return 1e3 * min(times)

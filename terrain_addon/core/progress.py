"""How a long calculation says how far it is, and how it is stopped."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")

Steps = Generator[float, None, T]
"""A process that can be watched and stopped: yields its share done, from 0 to 1, and returns its result.

Between two steps nothing is half-changed; to cancel, stop asking for the next one.
"""


@dataclass(frozen=True)
class Progress:
    """Which stage is being computed, and how much of the whole is done, from 0 to 1."""

    stage: str
    fraction: float


def run(steps: Generator[object, None, T]) -> T:
    """Go through all steps without looking, and return the result."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result

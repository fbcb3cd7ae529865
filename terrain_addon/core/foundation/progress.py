"""How a long calculation says how far it is, and how it is stopped."""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TypeVar

A = TypeVar("A")
B = TypeVar("B")
T = TypeVar("T")

Steps = Generator[float, bool | None, T]
"""A process that can be watched, stopped and finished early: yields its share done, from 0 to 1, returns its result.

Between two steps nothing is half-changed; to cancel, stop asking for the next one.  ``send(True)`` in place of ``next``
asks it to finish early: a process that goes through consistent states returns the one it is in, others go on.
"""


@dataclass(frozen=True)
class Progress:
    """Which stage is being computed, and how much of the whole is done, from 0 to 1."""

    stage: str
    fraction: float


def run(steps: Generator[A, bool | None, T], report: Callable[[A], None] | None = None) -> T:
    """Go through all steps and return the result.

    Parameters
    ----------
    steps : generator
        What to do.
    report : callable, optional
        Told what each step yields; whatever it raises stops the work and passes through.
    """
    while True:
        try:
            step = next(steps)
        except StopIteration as end:
            result: T = end.value
            return result
        if report is not None:
            report(step)


def within(steps: Steps[T], begin: float, end: float) -> Steps[T]:
    """Return steps that are the part from `begin` to `end` of a whole, which is 1."""
    return mapped(steps, lambda share: begin + (end - begin) * share)


def mapped(steps: Generator[A, bool | None, T], change: Callable[[A], B]) -> Generator[B, bool | None, T]:
    """Return steps that do the same and yield `change` of what they yielded; what is sent to them is passed on."""
    finish: bool | None = None
    while True:
        try:
            step = steps.send(finish)
        except StopIteration as end:
            result: T = end.value
            return result
        finish = yield change(step)


def watched(steps: Generator[A, bool | None, T], hurry: bool = False) -> Generator[A, bool | None, tuple[T, bool]]:
    """Return the same steps, and with their result whether nobody asked them to finish early; in a hurry, we do."""
    finish: bool | None = None
    in_full = True
    while True:
        try:
            step = steps.send(finish)
        except StopIteration as end:
            return end.value, in_full
        finish = (yield step) or hurry
        in_full = in_full and not finish

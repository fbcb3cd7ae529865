"""How a long calculation reports its progress, and how it is stopped.

>>> def count(numbers):
...     for done, _ in enumerate(numbers):
...         yield done / len(numbers)
...     return len(numbers)
>>> run(count("abcd"), report=print)
0.0
0.25
0.5
0.75
4
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TypeVar

A = TypeVar("A")
B = TypeVar("B")
T = TypeVar("T")

_BAR = 24  # characters

Steps = Generator[float, bool | None, T]
"""A calculation in steps: a generator that yields the share that is done, from 0 to 1, and returns the result.

Between two steps nothing is half-changed.  To cancel, do not ask for the next step.  ``send(True)`` instead of ``next``
asks it to finish early: a calculation whose states are all consistent returns the one it has reached; others go on.
"""


@dataclass(frozen=True)
class Progress:
    """How far a calculation is.

    Attributes
    ----------
    stage : str
        What is being computed.
    fraction : float
        Which share of the whole time has gone by, 0 to 1.
    seconds_left : float or None
        How long the rest probably takes; None where nobody knows.
    """

    stage: str
    fraction: float
    seconds_left: float | None = None


def text_bar(fraction: float) -> str:
    """Return a progress bar for a terminal.

    Parameters
    ----------
    fraction : float
        Which share is done, 0 to 1.

    Returns
    -------
    str

    Examples
    --------
    >>> text_bar(0.25)
    '[######..................]'
    """
    filled = round(_BAR * fraction)
    return f"[{'#' * filled}{'.' * (_BAR - filled)}]"


def run(steps: Generator[A, bool | None, T], report: Callable[[A], None] | None = None) -> T:
    """Go through all steps and return the result.

    Parameters
    ----------
    steps : generator
        What to do.
    report : callable, optional
        Called with what each step yields.  An exception that it raises stops the work and reaches the caller.

    Returns
    -------
    object
        What the generator returns.
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
    """Return steps that report a part of a larger calculation.

    Parameters
    ----------
    steps : generator
        Yields shares from 0 to 1.
    begin, end : float
        Shares of the whole at which these steps start and end, 0 to 1.

    Returns
    -------
    generator
        Yields shares from `begin` to `end`.
    """
    return mapped(steps, lambda share: begin + (end - begin) * share)


def mapped(steps: Generator[A, bool | None, T], change: Callable[[A], B]) -> Generator[B, bool | None, T]:
    """Return steps that do the same but yield something else; what is sent to them is passed on.

    Parameters
    ----------
    steps : generator
        What to do.
    change : callable
        Returns what to yield instead of what a step yields.

    Returns
    -------
    generator
    """
    finish: bool | None = None
    while True:
        try:
            step = steps.send(finish)
        except StopIteration as end:
            result: T = end.value
            return result
        finish = yield change(step)


def watched(
    steps: Generator[A, bool | None, T], finish_early: bool = False
) -> Generator[A, bool | None, tuple[T, bool]]:
    """Return the same steps, whose result also says whether they ran in full.

    Parameters
    ----------
    steps : generator
        What to do.
    finish_early : bool
        Whether to ask every step to finish early.

    Returns
    -------
    generator
        Returns the result, and whether the steps were never asked to finish early.
    """
    finish: bool | None = None
    in_full = True
    while True:
        try:
            step = steps.send(finish)
        except StopIteration as end:
            return end.value, in_full
        finish = (yield step) or finish_early
        in_full = in_full and not finish

"""Long work in threads of its own, so that the window never freezes.

A `Task` is steps that touch nothing of Blender, and a way to show their result that runs in the main thread.  `Job`
goes through the steps in a thread; whoever started it looks at `job.done` now and then and calls `job.show()`.
"""

import threading
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

from ..core.compilation import CompilerMissing
from ..core.progress import Progress, run

FAILURES = (ValueError, CompilerMissing, MemoryError, OSError)
"""What may stop a task; anything else is a fault of ours and is not hidden."""

TaskSteps = Generator[Progress, bool | None, Any]


@dataclass(frozen=True)
class Task:
    """Long work, and what becomes of its result.

    Attributes
    ----------
    title : str
        What is being done, for the progress bar.
    steps : generator
        The work.  It must not touch bpy.
    show : callable
        Takes the result of the steps in Blender's main thread, changes the scene, returns the sentence to report.
    """

    title: str
    steps: TaskSteps
    show: Callable[[Any], str]

    def run(self, report: Callable[[Progress], None] | None = None) -> str:
        """Do the work at once, in this thread; return the sentence to report."""
        return self.show(run(self.steps, report))


class Job:
    """A task at work in its own thread.

    Attributes
    ----------
    progress : Progress
        How far it is.
    cancelled : bool
        Whether it was told to stop; nothing was changed then.
    """

    def __init__(self, task: Task) -> None:
        self.task = task
        self.progress = Progress("", 0.0)
        self.cancelled = False
        self._finishes_early = False
        self._result: Any = None
        self._error: Exception | None = None
        self._started = time.monotonic()
        self._thread = threading.Thread(target=self._work, name=task.title, daemon=True)
        running.append(self)
        self._thread.start()

    @property
    def done(self) -> bool:
        """Whether the thread has ended."""
        return not self._thread.is_alive()

    @property
    def seconds_left(self) -> float | None:
        """An estimate from the share done so far; None while it is too early to tell."""
        share, spent = self.progress.fraction, time.monotonic() - self._started
        return None if share < 0.02 or spent < 0.5 else spent * (1.0 - share) / share

    def cancel(self) -> None:
        """Ask it to stop at the next step."""
        self.cancelled = True

    def finish_early(self) -> None:
        """Ask the process at work to end with the state that it is in."""
        self._finishes_early = True

    def show(self) -> str:
        """Show the result of a job that is done; return the sentence to report, empty if it was cancelled.

        Raises
        ------
        FAILURES
            What stopped the work.
        """
        self.join()
        if self._error is not None:
            raise self._error
        return "" if self.cancelled else self.task.show(self._result)

    def join(self, patience: float | None = None) -> None:
        """Wait until the thread has ended."""
        self._thread.join(patience)
        if self in running:
            running.remove(self)

    def _work(self) -> None:
        steps = self.task.steps
        finish: bool | None = None
        try:
            while not self.cancelled:
                self.progress = steps.send(finish)
                finish = True if self._finishes_early else None
                self._finishes_early = False
            steps.close()
        except StopIteration as end:
            self._result = end.value
        except FAILURES as error:
            self._error = error


running: list[Job] = []
"""Jobs that were started and whose result was not yet asked for."""


def stop_all() -> None:
    """Cancel all jobs and wait for them; before a file is loaded, and when the add-on goes."""
    for job in running:
        job.cancel()
    for job in tuple(running):
        job.join(30.0)


def describe(job: Job) -> str:
    """Return what a job is doing, for a progress bar."""
    left = job.seconds_left
    stage = f": {job.progress.stage}" if job.progress.stage else ""
    return f"{job.task.title}{stage}" + (f", {left:.0f} s left" if left is not None and left >= 1.0 else "")

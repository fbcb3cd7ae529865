"""Long work in threads, so that the window never freezes.

A `Task` has steps that do not touch Blender, and a function that shows their result in the main thread.  A `Job` runs
the steps in a thread.  Whoever started the job checks `job.ready` from time to time and then calls `job.show()`.
"""

import itertools
import math
import sys
import threading
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

from ...core.foundation.numba_check import CompilerMissing
from ...core.foundation.progress import Progress, run
from ..land.building import COMPILING
from ..land.lookup import find_object
from . import compiler


class Fault(RuntimeError):
    """A bug of the extension stopped a task; the console shows the details."""


FAILURES = (ValueError, CompilerMissing, MemoryError, OSError, Fault)
"""Errors that may stop a task."""

TaskSteps = Generator[Progress, bool | None, Any]

_FIRST_ESTIMATE = 0.5  # seconds before the time left is estimated
_MINUTES, _ROUGHLY = 100.0, 10.0  # seconds above which the time left is told in minutes, in steps of 5 seconds
_LONG = 0.4  # seconds after which a job shows a progress bar
# Seconds for which a thread may hold Python's lock: every panel that Blender draws waits for it once.
_SHORT_SWITCH = 0.0005
_LONGEST_WAIT = 30.0  # seconds that Blender waits at its end for the running steps


@dataclass(frozen=True)
class Task:
    """Long work, and how its result is shown.

    Attributes
    ----------
    title : str
        What is done, for the progress bar.
    steps : generator
        The work.  It must not touch bpy.
    show : callable
        Takes the result of the steps in Blender's main thread, changes the scene, and returns the sentence to report.
    land : int
        Session uid of the land that will change, 0 if there is none.  A newer task for the same land replaces this one.
    """

    title: str
    steps: TaskSteps
    show: Callable[[Any], str]
    land: int = 0

    def run(self, report: Callable[[Progress], None] | None = None) -> str:
        """Do the work at once in this thread, and return the sentence to report."""
        return self.show(run(self.steps, report))


class Job:
    """A task that runs in its own thread.

    Attributes
    ----------
    number : int
        Number of the job in this session, from 1 on.
    progress : Progress
        How much is done.
    cancelled : bool
        Whether it was asked to stop; then its result is not shown.
    """

    def __init__(self, task: Task) -> None:
        self.task = task
        self.number = next(_numbers)
        self.progress = Progress("", 0.0)
        self.cancelled = False
        self._finishes_early = False
        self._result: Any = None
        self._error: Exception = Fault(
            f"{task.title} stopped because of a bug of the extension; the console shows the details"
        )
        self._succeeded = False
        self._started = time.monotonic()
        self._thread = threading.Thread(target=self._work, name=task.title, daemon=True)
        running.append(self)
        with _switching:
            _threads.add(self._thread)
            sys.setswitchinterval(_SHORT_SWITCH)
        self._thread.start()

    @property
    def done(self) -> bool:
        """Whether the thread has ended."""
        return not self._thread.is_alive()

    @property
    def ready(self) -> bool:
        """Whether the result can be shown: the thread has ended, and nobody is editing the mesh of the land.

        In Edit Mode the mesh has no vertices that could be changed, and what is written there is lost.
        """
        return self.done and not self._is_edited()

    @property
    def waits(self) -> bool:
        """Whether it has a result that waits until nobody edits the mesh of the land."""
        return self.done and self._succeeded and self._is_edited()

    @property
    def is_long(self) -> bool:
        """Whether it has run for so long that it shows a progress bar."""
        return time.monotonic() - self._started > _LONG

    @property
    def seconds_left(self) -> float | None:
        """How long it probably takes still; None while nobody knows."""
        if self.progress.seconds_left is not None:
            return self.progress.seconds_left
        share, spent = self.progress.fraction, time.monotonic() - self._started
        return None if share < 0.02 or spent < _FIRST_ESTIMATE else spent * (1.0 - share) / share

    def say(self, stage: str) -> None:
        """Let the progress bar show what goes on after the thread has ended."""
        self.progress = Progress(stage, self.progress.fraction)

    def cancel(self) -> None:
        """Ask it to stop at the next step."""
        self.cancelled = True

    def discard(self) -> None:
        """Cancel it and remove it from the running jobs; the thread ends by itself."""
        self.cancel()
        if self in running:
            running.remove(self)

    def finish_early(self) -> None:
        """Ask the running process to end with its current state."""
        self._finishes_early = True

    def wait(self, seconds: float) -> None:
        """Wait for the thread to end, at most this long."""
        self._thread.join(seconds)

    def show(self) -> str:
        """Show the result of a job that is done; return the sentence to report, empty if it was cancelled.

        Raises
        ------
        FAILURES
            The error that stopped the work.
        """
        self._thread.join()
        if self in running:
            running.remove(self)
        if self.cancelled:
            return ""
        if not self._succeeded:
            raise self._error
        return self.task.show(self._result)

    def _is_edited(self) -> bool:
        """Whether somebody edits the mesh of the land that the result is for."""
        edited = find_object(self.task.land) if self.task.land and not self.cancelled else None
        return edited is not None and edited.type == "MESH" and bool(edited.data.is_editmode)

    def _work(self) -> None:
        """Run the steps, in the thread of the job."""
        steps = self.task.steps
        finish: bool | None = None
        try:
            while not self.cancelled:
                self.progress = steps.send(finish)
                finish = None
                if self._finishes_early:  # not cleared unseen: the user may ask for it at any moment
                    finish, self._finishes_early = True, False
            steps.close()
        except StopIteration as end:
            self._result, self._succeeded = end.value, True
        except FAILURES as error:
            self._error = error
        finally:
            with _switching:
                _threads.discard(self._thread)
                if not _threads:
                    sys.setswitchinterval(_USUAL_SWITCH)


def long_jobs() -> list[Job]:
    """Return the running jobs that show a progress bar and were not asked to stop."""
    return [job for job in running if job.is_long and not job.cancelled]


running: list[Job] = []
"""Jobs that were started and whose result was not shown yet."""

_threads: set[threading.Thread] = set()
_switching = threading.Lock()  # so that a job which ends does not slow down one that begins
_USUAL_SWITCH = sys.getswitchinterval()
_numbers = itertools.count(1)


def discard_jobs_of(uid: int) -> None:
    """Cancel and forget the jobs of the land with this session uid; 0 is no land."""
    for job in tuple(running):
        if uid != 0 and job.task.land == uid:
            job.discard()


def stop_all() -> None:
    """Cancel and forget all jobs, before another file is opened."""
    for job in tuple(running):
        job.discard()


def end_all() -> None:
    """Stop all jobs and wait for their threads, before Blender quits or the add-on is disabled."""
    stop_all()
    deadline = time.monotonic() + _LONGEST_WAIT
    for thread in tuple(_threads):
        thread.join(max(deadline - time.monotonic(), 0.0))


def describe(job: Job) -> str:
    """Return what a job is doing, as text for a progress bar."""
    if job.cancelled:
        return "Stopping…"
    if job.waits:
        return "Ready. Leave Edit Mode to see the new land"
    compiler.listen()
    stage = job.progress.stage.replace("_", " ")
    doing = stage[:1].upper() + stage[1:] if stage else job.task.title
    if stage == COMPILING:
        return doing
    if compiler.is_compiling():
        return COMPILING[:1].upper() + COMPILING[1:]
    return doing + _time_left(job.seconds_left)


def _time_left(seconds: float | None) -> str:
    """Return how long a job still takes, as the end of a text; rounded up, and empty if it is short or unknown."""
    if seconds is None or seconds < 1.0:
        return ""
    if seconds > _MINUTES:
        return f" · about {math.ceil(seconds / 60.0)} min left"
    step = 5 if seconds > _ROUGHLY else 1
    return f" · about {step * math.ceil(seconds / step)} s left"

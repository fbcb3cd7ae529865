"""Long work in threads of its own, so that the window never freezes.

A `Task` is steps that touch nothing of Blender, and a way to show their result that runs in the main thread.  `Job`
goes through the steps in a thread; whoever started it looks at `job.done` now and then and calls `job.show()`.
"""

import importlib
import itertools
import sys
import threading
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

from ...core.foundation.compilation import CompilerMissing
from ...core.foundation.progress import Progress, run


class Fault(RuntimeError):
    """A fault of ours stopped a task; the console has the details."""


FAILURES = (ValueError, CompilerMissing, MemoryError, OSError, Fault)
"""What may stop a task."""

TaskSteps = Generator[Progress, bool | None, Any]

_FIRST_ESTIMATE = 0.5  # seconds before which the time left is not guessed at
_WORTH_A_BAR = 0.4  # seconds
# Seconds for which a thread may keep Python to itself: every panel that Blender draws waits for that once.
_SHORT_TURN = 0.0005
_PATIENCE = 30.0  # seconds that Blender's end waits for a step to end


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
    land : int
        Session uid of the object that is to change, 0 if there is none: what it would become last is what counts.
    """

    title: str
    steps: TaskSteps
    show: Callable[[Any], str]
    land: int = 0

    def run(self, report: Callable[[Progress], None] | None = None) -> str:
        """Do the work at once, in this thread; return the sentence to report."""
        return self.show(run(self.steps, report))


class Job:
    """A task at work in its own thread.

    Attributes
    ----------
    number : int
        Which job it is, from 1 on.
    progress : Progress
        How far it is.
    cancelled : bool
        Whether it was told to stop; nothing was changed then.
    """

    def __init__(self, task: Task) -> None:
        self.task = task
        self.number = next(_numbers)
        self.progress = Progress("", 0.0)
        self.cancelled = False
        self._finishes_early = False
        self._result: Any = None
        self._error: Exception = Fault(f"{task.title} stopped because of a fault; the console says more")
        self._succeeded = False
        self._started = time.monotonic()
        self._thread = threading.Thread(target=self._work, name=task.title, daemon=True)
        running.append(self)
        _threads.add(self._thread)
        sys.setswitchinterval(_SHORT_TURN)
        self._thread.start()

    @property
    def done(self) -> bool:
        """Whether the thread has ended."""
        return not self._thread.is_alive()

    @property
    def is_long(self) -> bool:
        """Whether it has been at work for so long that a progress bar is worth a look."""
        return time.monotonic() - self._started > _WORTH_A_BAR

    @property
    def seconds_left(self) -> float | None:
        """An estimate from the share done so far; None while it is too early to tell."""
        share, spent = self.progress.fraction, time.monotonic() - self._started
        return None if share < 0.02 or spent < _FIRST_ESTIMATE else spent * (1.0 - share) / share

    def cancel(self) -> None:
        """Ask it to stop at the next step."""
        self.cancelled = True

    def discard(self) -> None:
        """Cancel it and forget it; the thread ends by itself."""
        self.cancel()
        if self in running:
            running.remove(self)

    def finish_early(self) -> None:
        """Ask the process at work to end with the state that it is in."""
        self._finishes_early = True

    def wait(self, seconds: float) -> None:
        """Wait for the thread to end, but not longer than this."""
        self._thread.join(seconds)

    def show(self) -> str:
        """Show the result of a job that is done; return the sentence to report, empty if it was cancelled.

        Raises
        ------
        FAILURES
            What stopped the work.
        """
        self._thread.join()
        if self in running:
            running.remove(self)
        if self.cancelled:
            return ""
        if not self._succeeded:
            raise self._error
        return self.task.show(self._result)

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
            self._result, self._succeeded = end.value, True
        except FAILURES as error:
            self._error = error
        finally:
            _threads.discard(self._thread)
            if not _threads:
                sys.setswitchinterval(_USUAL_TURN)


running: list[Job] = []
"""Jobs that were started and whose result was not yet asked for."""

_threads: set[threading.Thread] = set()
_USUAL_TURN = sys.getswitchinterval()
_numbers = itertools.count(1)


def stop_all() -> None:
    """Cancel and forget all jobs: before a file is loaded."""
    for job in tuple(running):
        job.discard()


def end_all() -> None:
    """Stop all jobs and wait until their threads have ended: before Blender or the add-on goes."""
    stop_all()
    deadline = time.monotonic() + _PATIENCE
    for thread in tuple(_threads):
        thread.join(max(deadline - time.monotonic(), 0.0))


def describe(job: Job) -> str:
    """Return what a job is doing, for a progress bar."""
    if job.cancelled:
        return "Stopping…"
    _listen_to_the_compiler()
    stage = job.progress.stage.replace("_", " ")
    if _compiling:
        return f"Compiling {stage.partition(':')[0]} (first time)"
    left = job.seconds_left
    remaining = f" · {left:.0f} s left" if left is not None and left >= 1.0 else ""
    return (stage[:1].upper() + stage[1:] if stage else job.task.title) + remaining


# --- the compiler -----------------------------------------------------------------------------------------------------

# Kernels that numba compiles at this moment; those it finds in its cache are not among them.
_compiling: list[Any] = []
_listener: Any = None


def _listen_to_the_compiler() -> None:
    """Ask numba to say when it compiles, once it is there."""
    global _listener
    if _listener is not None or "numba.core.event" not in sys.modules:
        return
    event = importlib.import_module("numba.core.event")

    class Listener(event.Listener):  # type: ignore[name-defined]
        def on_start(self, event: Any) -> None:
            _compiling.append(event)

        def on_end(self, event: Any) -> None:
            # It may have been at work before anyone listened.
            if _compiling:
                _compiling.pop()

    _listener = Listener()
    event.register("numba:compile", _listener)


def forget_the_compiler() -> None:
    """No longer listen to numba."""
    global _listener
    if _listener is not None:
        importlib.import_module("numba.core.event").unregister("numba:compile", _listener)
        _listener = None
    _compiling.clear()

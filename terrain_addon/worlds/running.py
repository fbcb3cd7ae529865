"""Every tile goes through a phase before any begins the next; tiles that are done are not done again."""

import time
from asyncio import CancelledError
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from .libraries import load_library
from .phases import WEIGHTS, create_arrays, work_on_waiting_tile
from .repairing import Repairer, scratch_folder
from .store import Corrupt
from .tiles import summary_file
from .workshop import Workshop
from .world import Phase


class SchedulerGone(ValueError):
    """The scheduler of Dask does not answer any more."""


class WorldProgress(NamedTuple):
    """How far a world is.

    Attributes
    ----------
    what : str
        What is done now.
    fraction : float
        Share of the work that is done, 0 to 1.
    seconds_left : float or None
        None before anything is known.
    """

    what: str
    fraction: float
    seconds_left: float | None


Report = Callable[[WorldProgress], None]


class Runner:
    """Goes through the phases of a world.

    Parameters
    ----------
    shop : Workshop
        The world.
    described : str
        JSON of the world, for the processes that work on it.
    client : distributed.Client or None
        Who works on tiles; None for this process.
    report : callable or None
        Called after every tile.
    repairer : Repairer
        Works on tiles where nobody else does, and repairs.
    """

    def __init__(
        self,
        shop: Workshop,
        described: str,
        client: Any,
        report: Report | None,
        repairer: Repairer,
    ) -> None:
        self.shop, self.described, self.client = shop, described, client
        self._report, self._repairer = report, repairer
        self._started, self._skipped = time.monotonic(), 0.0
        self._done, self._all = (
            0.0,
            sum(self._cost(phase) * self._count(phase) for phase in shop.world.phases),
        )

    def run(self) -> None:
        """Go through all phases; what is done already is skipped."""
        for phase in self.shop.world.phases:
            self._run_phase(phase)
            if phase.step and self.shop.world.is_last_of_step(phase):
                self.shop.store.remove(scratch_folder(phase))

    def _run_phase(self, phase: Phase) -> None:
        store = self.shop.store
        waiting = [n for n in range(self._count(phase)) if not summary_file(store.folder, phase, n).is_file()]
        skipped = (self._count(phase) - len(waiting)) * self._cost(phase)
        self._done += skipped
        self._skipped += skipped
        if waiting:
            create_arrays(self.shop.world, store, phase)
        for _ in self._work_on(phase, waiting):
            self._done += self._cost(phase)
            self._tell(phase)
        self._repairer.solve(phase)

    def _work_on(self, phase: Phase, waiting: Iterable[int]) -> Iterator[int]:
        folder = str(self.shop.store.folder)
        if self.client is None:
            for number in waiting:
                self._repairer.work(phase, number)
                yield number
            return
        distributed = load_library("distributed")
        gone = (
            distributed.comm.CommClosedError,
            distributed.client.ClosedClientError,
            distributed.client.FutureCancelledError,
            CancelledError,
            TimeoutError,
        )
        error: BaseException | None = None
        try:
            submit = self.client.submit
            futures = {
                submit(work_on_waiting_tile, folder, self.described, tuple(phase), number, pure=False): number
                for number in waiting
            }
            for future in distributed.as_completed(list(futures)):
                number = futures.pop(future)
                error = future.exception()
                if error is None and future.cancelled():
                    # A lost connection cancels what is not done without a word. A future that is lost was
                    # finished: its tile is in the store, whatever became of the worker that made it.
                    error = CancelledError()
                if isinstance(error, Corrupt):
                    self._repairer.work(phase, number)
                elif error is not None:
                    break
                yield number
            if error is None and futures:
                error = CancelledError()
        except gone as lost:
            error = lost
        if isinstance(error, gone):
            raise SchedulerGone(
                "the scheduler of Dask does not answer; start one again and continue with --resume"
            ) from error
        if error is not None and not isinstance(error, Corrupt):
            raise error

    def _tell(self, phase: Phase) -> None:
        if self._report is not None:
            worked = self._done - self._skipped
            seconds = time.monotonic() - self._started
            left = seconds * (self._all - self._done) / worked if worked > 0.0 else None
            where = f"level {phase.level} of {self.shop.world.levels}"
            self._report(WorldProgress(f"{where}: {phase.name}", self._done / self._all, left))

    def _count(self, phase: Phase) -> int:
        return self.shop.world.tile_count(phase.level)

    def _cost(self, phase: Phase) -> float:
        rows, columns = self.shop.world.land(phase.level).shape
        return WEIGHTS.get(phase.name, 1.0) * rows * columns / self._count(phase)

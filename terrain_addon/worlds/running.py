"""Every tile goes through a phase before any begins the next; tiles that are done are not done again."""

import time
from asyncio import CancelledError
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from .coarse_level import make_coarse_level
from .erosion_phases import state_path
from .finishing_phases import finished_arrays, working_arrays
from .graphs import solve_graph
from .libraries import load_library
from .phases import WEIGHTS, create_arrays, work_on_tile
from .store import CorruptChunk
from .tiles import WorldTile, summary_file
from .workshop import Workshop
from .world import FINAL_PHASES, Phase


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
    notice : callable or None
        Gets a sentence when something was repaired.
    """

    def __init__(
        self,
        shop: Workshop,
        described: str,
        client: Any,
        report: Report | None,
        notice: Callable[[str], None] | None,
    ) -> None:
        self.shop, self.described, self.client = shop, described, client
        self._report, self._notice = report, notice
        self._started, self._skipped = time.monotonic(), 0.0
        self._done, self._all = 0.0, sum(self._cost(phase) * self._count(phase) for phase in shop.world.phases)

    def run(self) -> None:
        """Go through all phases; what is done already is skipped."""
        for phase in self.shop.world.phases:
            self._run_phase(phase)
            if phase.name == "fill":
                self.shop.store.remove(f"work/scratch/{phase.level}/{phase.step}")

    def repair(self, corrupt: CorruptChunk) -> None:
        """Make the tile anew in which a chunk is corrupt."""
        if self._notice is not None:
            self._notice(f"{corrupt}; its tile is made anew")
        world, store, parts = self.shop.world, self.shop.store, corrupt.path.split("/")
        if parts[1:2] == ["coarse"]:
            store.remove(corrupt.path)
            make_coarse_level(world, store, None)
            return
        final = corrupt.path in (*finished_arrays(world), *working_arrays())
        level, step = (world.levels, 0) if final else (int(parts[2]), int(parts[3]))
        number = self._tile_with(corrupt, level)
        phases = [Phase(name, level, step) for name in _makers(corrupt.path, final=final, step=step)]
        create_arrays(world, store, phases[0])
        for phase in phases:
            # Incision looks at the ground beside its tile.
            beside = phase.name == "ground" and len(phases) > 1
            for each in self._around(number, level) if beside else (number,):
                self._redo(phase, each)
        if len(phases) > 1 and not final:
            store.remove(f"work/scratch/{level}/{step}")

    def verify(self) -> None:
        """Read all that is done and kept, and repair what is corrupt."""
        world = self.shop.world
        for phase in world.phases:
            if phase.name in ("refine", "fill"):
                paths = [state_path(phase.level, phase.step, name) for name in ("height", "sediment")]
            elif phase.name == "finish":
                paths = list(finished_arrays(world))
            else:
                continue
            for number in range(self._count(phase)):
                if not summary_file(self.shop.store.folder, phase, number).is_file():
                    continue
                span = WorldTile(self.shop, phase, number).span
                for path in paths:
                    for corrupt in self.shop.store.find_corrupt(path, span):
                        self.repair(corrupt)

    def make_again(self, number: int) -> None:
        """Make a finished tile once more."""
        for name in FINAL_PHASES:
            self._redo(Phase(name, self.shop.world.levels, 0), number)

    def _redo(self, phase: Phase, number: int) -> None:
        while True:
            try:
                work_on_tile(str(self.shop.store.folder), self.described, phase, number)
                return
            except CorruptChunk as corrupt:
                self.repair(corrupt)

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
        solve_graph(self.shop, phase)

    def _work_on(self, phase: Phase, waiting: Iterable[int]) -> Iterator[int]:
        folder = str(self.shop.store.folder)
        if self.client is None:
            for number in waiting:
                self._redo(phase, number)
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
                submit(work_on_tile, folder, self.described, tuple(phase), number, 1, pure=False): number
                for number in waiting
            }
            for future in distributed.as_completed(list(futures)):
                number = futures.pop(future)
                error = future.exception()
                if isinstance(error, CorruptChunk):
                    self._redo(phase, number)
                elif error is not None:
                    break
                yield number
        except gone as lost:
            error = lost
        if isinstance(error, gone):
            raise SchedulerGone(
                "the scheduler of Dask does not answer; start one again and go on with --resume"
            ) from error
        if error is not None and not isinstance(error, CorruptChunk):
            raise error

    def _tell(self, phase: Phase) -> None:
        if self._report is not None:
            worked = self._done - self._skipped
            seconds = time.monotonic() - self._started
            left = seconds * (self._all - self._done) / worked if worked > 0.0 else None
            where = f"level {phase.level} of {self.shop.world.levels}"
            self._report(WorldProgress(f"{where}: {phase.name}", self._done / self._all, left))

    def _count(self, phase: Phase) -> int:
        down, across = self.shop.world.tiles(phase.level)
        return down * across

    def _cost(self, phase: Phase) -> float:
        rows, columns = self.shop.world.land(phase.level).shape
        return WEIGHTS.get(phase.name, 1.0) * rows * columns / self._count(phase)

    def _tile_with(self, corrupt: CorruptChunk, level: int) -> int:
        blocks, world = self.shop.world.blocks(level), self.shop.world
        per_tile = world.tile // world.scale.side
        row, column = min(corrupt.row, blocks.down - 1), min(corrupt.column, blocks.across - 1)
        return row // per_tile * world.tiles(level)[1] + column // per_tile

    def _around(self, number: int, level: int) -> Iterator[int]:
        down, across = self.shop.world.tiles(level)
        row, column = divmod(number, across)
        for r in range(max(row - 1, 0), min(row + 2, down)):
            for c in range(max(column - 1, 0), min(column + 2, across)):
                yield r * across + c


def _makers(path: str, *, final: bool, step: int) -> tuple[str, ...]:
    """Return the names of the phases that make an array; what they need in turn lasts."""
    if final:
        return FINAL_PHASES[:3]
    if path.startswith("work/scratch"):
        return (_SCRATCH_MAKERS.get(path.split("/")[-1], "ground"),)
    return ("ground", "carve", "solve", "fill") if step else ("refine",)


_SCRATCH_MAKERS = {"flow": "carve", "cut": "solve", "loose": "solve"}

"""What is corrupt is made anew: a chunk of an array, or a file with what tiles and graphs tell each other."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from ..core.tiling.blocks import Block
from .checked_json import read_json
from .coarse_level import COARSE, COARSE_HEIGHT, make_coarse_level
from .finishing_phases import PLANTS, RAW_PLANTS, TILES, finished_arrays, working_arrays
from .graphs import forget_answers, solve_graph
from .phases import array_kind, arrays_for, create_arrays, maker_of, work_on_tile
from .store import DESCRIPTION, Corrupt, CorruptChunk, CorruptFile
from .tiles import ANSWERS, SUMMARIES, WorldTile, load_arrays, summary_file
from .workshop import Workshop
from .world import FINAL_PHASES, Phase


class Repairer:
    """Works on tiles and graphs of a world in this process, and makes anew what it finds corrupt.

    Parameters
    ----------
    shop : Workshop
        The world.
    described : str
        JSON of the world.
    notice : callable or None
        Gets a sentence for everything that is made anew.
    """

    def __init__(self, shop: Workshop, described: str, notice: Callable[[str], None] | None) -> None:
        self.shop, self.described, self._notice = shop, described, notice
        self._folder = shop.store.folder

    def work(self, phase: Phase, number: int) -> None:
        """Let one tile go through a phase."""
        self.until_read(lambda: work_on_tile(str(self._folder), self.described, phase, number))

    def solve(self, phase: Phase) -> None:
        """Solve the graph of a phase, if it is not solved yet."""
        self.until_read(lambda: solve_graph(self.shop, phase))

    def until_read(self, work: Callable[[], Any]) -> Any:
        """Do some work, again and again until nothing that it reads is corrupt."""
        while True:
            try:
                return work()
            except Corrupt as corrupt:
                self.repair(corrupt)

    def repair(self, corrupt: Corrupt) -> None:
        """Make anew what is corrupt."""
        self._name(corrupt)
        self._mend(corrupt)

    def _name(self, corrupt: Corrupt) -> None:
        whole = "it" if isinstance(corrupt, CorruptFile) else "its tile"
        if self._notice is not None:
            self._notice(f"{corrupt}; {whole} is made anew")

    def _mend(self, corrupt: Corrupt) -> None:
        if isinstance(corrupt, CorruptFile):
            self._write_again(Path(corrupt.path).relative_to(self._folder))
        elif isinstance(corrupt, CorruptChunk):
            self._fill_again(corrupt)

    def verify(self) -> None:
        """Read all that is done and kept, and repair what is corrupt."""
        begun = [phase for phase in self.shop.world.phases if (self._folder / SUMMARIES / phase.key).is_dir()]
        for path in sorted((self._folder / COARSE).rglob(DESCRIPTION)):
            self._verify_coarse_array(path.parent.relative_to(self._folder).as_posix())
        for phase in begun:
            for name, dtype in arrays_for(self.shop.world, phase).items():
                if (self._folder / name).is_dir():
                    kind = array_kind(self.shop.world, phase.level, name, dtype)
                    self.until_read(partial(self.shop.store.check, name, kind))
            for number in range(self.shop.world.tile_count(phase.level)):
                file = summary_file(self._folder, phase, number)
                # Tiles of the last of these phases may still be waiting.
                if phase != begun[-1] or file.is_file():
                    self.until_read(partial(load_arrays, file))
                    self._verify_tile(phase, number)
            for file in sorted((self._folder / ANSWERS).glob(f"{phase.key}*/*.npz")):
                self.until_read(partial(load_arrays, file))

    def _verify_coarse_array(self, path: str) -> None:
        if path != COARSE and (self._folder / path / "c").is_dir():
            dtype = "f8" if path == COARSE_HEIGHT else "f4"
            kind = array_kind(self.shop.world, 0, path, dtype)._replace(packed=True)
            self.until_read(partial(self.shop.store.check, path, kind))
            for corrupt in self.shop.store.find_corrupt(path, Block(0, 0, *kind.shape)):
                self.repair(corrupt)

    def _verify_tile(self, phase: Phase, number: int) -> None:
        """Read what a tile has written for good in a phase that it is done with."""
        world = self.shop.world
        paths: list[str] = []
        if phase.name == "finish":
            paths = list(finished_arrays(world))
        elif world.is_last_of_step(phase):
            paths = list(arrays_for(world, phase))
        elif phase.name == "grow":
            self.until_read(lambda: load_arrays(self._folder / RAW_PLANTS / f"{number}.npz"))
        elif phase.name == "plants":
            row, column = divmod(number, world.tiles(phase.level)[1])
            self.until_read(lambda: load_arrays(self._folder / PLANTS / f"{row}_{column}.npz"))
            self.until_read(lambda: _read_record(self._folder / TILES / f"{row}_{column}.json"))
        span = WorldTile(self.shop, phase, number).span
        find = self.shop.store.find_corrupt
        # All are named before the first is mended: that makes the others of the tile anew too.
        for path in paths:
            for corrupt in self.until_read(partial(find, path, span)):
                self._name(corrupt)
        for path in paths:
            for corrupt in find(path, span):
                self._mend(corrupt)

    def _write_again(self, file: Path) -> None:
        """Make a file anew by the phase or the graph that wrote it."""
        world, folder = self.shop.world, file.parent.as_posix()
        if file.name == DESCRIPTION:
            self.shop.store.forget(folder)
            if folder.startswith(COARSE):
                make_coarse_level(world, self.shop.store, None)
            for phase in world.phases:
                if folder in arrays_for(world, phase):
                    create_arrays(world, self.shop.store, phase)
        elif folder.startswith(ANSWERS):
            phase = _phase_of(file.parent.name)
            forget_answers(self.shop, phase)
            self.solve(phase)
        elif folder.startswith(SUMMARIES):
            phase, number = _phase_of(file.parent.name), int(file.stem)
            if phase.step and not self._is_open(phase):
                self._step_again(phase, number)
            else:
                self.work(phase, number)
        elif folder == RAW_PLANTS:
            self.work(Phase("grow", world.levels, 0), int(file.stem))
        else:
            row, column = map(int, file.stem.split("_"))
            self.work(Phase("plants", world.levels, 0), row * world.tiles(world.levels)[1] + column)

    def _fill_again(self, corrupt: CorruptChunk) -> None:
        """Make anew the tile of an array in which a chunk is corrupt."""
        world, parts = self.shop.world, corrupt.path.split("/")
        if parts[1:2] == ["coarse"]:
            self.shop.store.remove(corrupt.path)
            make_coarse_level(world, self.shop.store, None)
        elif corrupt.path in (*finished_arrays(world), *working_arrays()):
            number = self._tile_with(corrupt, world.levels)
            for name in FINAL_PHASES[:3]:
                self.work(Phase(name, world.levels, 0), number)
        else:
            phase = maker_of(world, corrupt.path)
            number = self._tile_with(corrupt, phase.level)
            if phase.step and not self._is_open(phase):
                self._step_again(phase, number)
            else:
                self.work(phase, number)

    def _is_open(self, phase: Phase) -> bool:
        """Whether the arrays of a step are there, which only its own phases use."""
        alone = len(self.shop.world.step_phases(phase.level, phase.step)) == 1
        return alone or (self._folder / scratch_folder(phase)).is_dir()

    def _step_again(self, phase: Phase, number: int) -> None:
        """Let one tile go through a whole step whose own arrays are gone, and what else the tile needs in it."""
        for name in self.shop.world.step_phases(phase.level, phase.step):
            phase = phase._replace(name=name)
            create_arrays(self.shop.world, self.shop.store, phase)
            for each in self._needed_by(phase, number):
                self.work(phase, each)
        self.shop.store.remove(scratch_folder(phase))

    def _needed_by(self, phase: Phase, number: int) -> Iterable[int]:
        """The tiles that must go through a phase of a step, so that one tile can go through all of it."""
        if phase.step > self.shop.world.steps:
            return range(self.shop.world.tile_count(phase.level))
        if phase.name in ("chain", "creep"):
            return (number,)
        # Creep looks at what fills the tiles beside, and incision at the ground beside those.
        return self._around(number, phase.level, 2 if phase.name == "ground" else 1)

    def _tile_with(self, corrupt: CorruptChunk, level: int) -> int:
        blocks, world = self.shop.world.blocks(level), self.shop.world
        per_tile = world.tile // world.scale.side
        row, column = min(corrupt.row, blocks.down - 1), min(corrupt.column, blocks.across - 1)
        return row // per_tile * world.tiles(level)[1] + column // per_tile

    def _around(self, number: int, level: int, distance: int) -> Iterator[int]:
        down, across = self.shop.world.tiles(level)
        row, column = divmod(number, across)
        for r in range(max(row - distance, 0), min(row + distance + 1, down)):
            for c in range(max(column - distance, 0), min(column + distance + 1, across)):
                yield r * across + c


def scratch_folder(phase: Phase) -> str:
    """Where the arrays are that only the phases of a step of erosion use."""
    return f"work/scratch/{phase.level}/{phase.step}"


def _read_record(file: Path) -> None:
    try:
        read_json(file)
    except ValueError as error:
        raise CorruptFile(str(file)) from error


def _phase_of(key: str) -> Phase:
    """Return the phase whose summaries or answers are in a folder of a name."""
    level, step, name = key.split(".")[:3]
    return Phase(name, int(level), int(step))

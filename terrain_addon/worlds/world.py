"""What a world is: a recipe, how large it is, and how it is cut."""

import json
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np

from ..core.building.drawing_stages import features_of, with_inflows
from ..core.building.recipe import Recipe
from ..core.building.window_relief import check_windows
from ..core.direction.features import Cliff, Lake, Pad, Ridge, River, Road, Shore, Summit, Valley
from ..core.erosion.droplets import TURNS, Droplets
from ..core.erosion.processes import PROCESSES
from ..core.erosion.river_beds import RiverBeds
from ..core.erosion.stream_power import StreamPower
from ..core.flow.inflows import Inflow
from ..core.foundation.terrain import Grid
from ..core.tiling.blocks import Blocks
from .river_steps import STEPS

SCHEMA = 6
MOST_CELLS_A_SIDE = 2**18
"""Cells along the longer side that are allowed."""


class Scale(NamedTuple):
    """What the bytes of a world depend on besides its recipe; tests use smaller numbers.

    Attributes
    ----------
    side : int
        Samples along a side of a block, and of a chunk of an array.
    coarse_cells : int
        Most cells along the longer side of the level that is made in memory.
    """

    side: int = 512
    coarse_cells: int = 2048


USUAL_SCALE = Scale()


class Phase(NamedTuple):
    """A part of the work that every tile goes through before any tile begins the next.

    Attributes
    ----------
    name : str
        What is done; see `phases.PHASES`.
    level : int
        Level of the world, 1 and up; each has twice as many cells along a side as the one before.
    step : int
        Step of erosion, 0 where there is none.  On the finest level, each process that follows the rivers has a step
        after those of river incision.
    """

    name: str
    level: int
    step: int

    @property
    def key(self) -> str:
        """A name for folders."""
        return f"{self.level}.{self.step}.{self.name}"


@dataclass(frozen=True)
class World:
    """A land larger than memory.

    Parameters
    ----------
    recipe : Recipe
        What it is made from; its resolution does not count.
    size : int
        Cells along its longer side.
    tile : int
        Cells along a side of a tile.
    scale : Scale
        Blocks, and the level that is made in memory.

    Raises
    ------
    ValueError
        If a number does not fit, or the recipe cannot be made tile by tile.
    """

    recipe: Recipe
    size: int
    tile: int
    scale: Scale = USUAL_SCALE

    def __post_init__(self) -> None:
        if not 16 <= self.size <= MOST_CELLS_A_SIDE:
            raise ValueError(f"size = {self.size} cells is outside 16 to {MOST_CELLS_A_SIDE}")
        side = self.scale.side
        if self.tile < side or self.tile % side:
            raise ValueError(f"tile = {self.tile} cells is not a whole number of blocks of {side} cells")
        doubled = 2**self.levels
        if self.size % doubled:
            near = round(self.size / doubled) * doubled
            raise ValueError(
                f"size = {self.size} cells is not a number of at most {self.scale.coarse_cells} doubled some times; "
                f"take {near}"
            )
        if self.levels:
            check_windows(self.recipe)
            if self.recipe.glaciers.enabled:
                raise ValueError("glaciers.enabled = True, but a land made tile by tile has no glaciers; turn them off")
            if self.recipe.winter.enabled:
                raise ValueError("winter.enabled = True, but a land made tile by tile has no winter; turn it off")
            if self.recipe.water.sea_rise:
                raise ValueError(
                    f"water.sea_rise = {self.recipe.water.sea_rise} m, but the sea of a land made tile by tile cannot "
                    f"rise after erosion; take 0"
                )
        self.coarse_recipe  # noqa: B018  (refuses a land whose depth does not fit)

    @property
    def inflows(self) -> tuple[Inflow, ...]:
        """Rivers that come from beyond the land, also those that are drawn."""
        return with_inflows(self.recipe).water.inflows

    @property
    def levels(self) -> int:
        """How many tiled levels there are; 0 if the world is made in memory."""
        return max(math.ceil(math.log2(self.size / self.scale.coarse_cells)), 0)

    @cached_property
    def coarse_recipe(self) -> Recipe:
        """The recipe of the level that is made in memory."""
        longer, shorter = max(self.recipe.width, self.recipe.depth), min(self.recipe.width, self.recipe.depth)
        cells = self.size // 2**self.levels
        across = cells if self.recipe.width == longer else max(round(cells * shorter / longer), 1)
        return self.recipe.replace(resolution=across + 1)

    def land(self, level: int) -> Grid:
        """Return the samples of a level on the endless plane; level 0 is made in memory."""
        grid, finer = self.coarse_recipe.grid, 2**level
        return Grid(
            (grid.rows - 1) * finer + 1,
            (grid.columns - 1) * finer + 1,
            grid.cell_size / finer,
            grid.first_row * finer,
            grid.first_column * finer,
        )

    def blocks(self, level: int) -> Blocks:
        """Return the blocks of a level."""
        land = self.land(level)
        return Blocks(land.rows, land.columns, self.scale.side)

    def tiles(self, level: int) -> tuple[int, int]:
        """Return how many tiles a level has from south to north and from west to east."""
        blocks, per_tile = self.blocks(level), self.tile // self.scale.side
        return math.ceil(blocks.down / per_tile), math.ceil(blocks.across / per_tile)

    def tile_count(self, level: int) -> int:
        """Return how many tiles a level has."""
        down, across = self.tiles(level)
        return down * across

    @cached_property
    def river_process(self) -> StreamPower | None:
        """The last stream power of the recipe, which goes on in the tiled levels."""
        found = [one for one in self.recipe.erosion if isinstance(one, StreamPower) and one.enabled and one.age > 0.0]
        return found[-1] if found else None

    @property
    def keeps_land(self) -> bool:
        """Whether a mask keeps the river incision of the tiled levels from a part of the land."""
        return self.river_process is not None and not self.river_process.mask.is_everywhere

    @cached_property
    def shared_processes(self) -> int:
        """How many processes of the recipe, from the first, act on the level in memory before it is refined."""
        erosion = self.recipe.erosion
        return max((n for n, one in enumerate(erosion, start=1) if one is self.river_process), default=0)

    @cached_property
    def shaping(self) -> tuple[int, ...]:
        """Places in the recipe, from 0, of the processes that act on the finest level only, once rivers have cut it."""
        erosion = self.recipe.erosion
        return tuple(n for n in range(self.shared_processes, len(erosion)) if erosion[n].enabled)

    def process_of(self, step: int) -> Any:
        """Return the process that acts in a step of the finest level after those of river incision."""
        return self.recipe.erosion[self.shaping[step - self.steps - 1]]

    @cached_property
    def is_bare(self) -> bool:
        """Whether no process acts before the finest level, which then begins as the relief itself."""
        return not any(one.enabled for one in self.recipe.erosion[: self.shared_processes])

    @property
    def last_step(self) -> int:
        """The step of the finest level after which nothing changes the land."""
        return self.steps + len(self.shaping) + len(self.drawn_steps)

    @cached_property
    def drawn_steps(self) -> tuple[str, ...]:
        """What is laid on the finest level after all processes, in this order: border, forms and lakes, beds, works."""
        drawn = features_of(self.recipe)
        border = self.recipe.fixed_border and any(one.enabled for one in self.recipe.erosion)
        kinds = {"forms": Lake | Ridge | Valley | Cliff | Shore | Summit, "beds": River | Lake, "works": Pad | Road}
        found = tuple(name for name, kind in kinds.items() if any(isinstance(one, kind) for one in drawn))
        return ("border", *found) if border else found

    def drawn_in(self, step: int) -> str | None:
        """Return what of the drawing is laid on the land in a step; None if a process acts in it."""
        place = step - self.steps - len(self.shaping) - 1
        return self.drawn_steps[place] if place >= 0 else None

    def step_of(self, drawn: str) -> int | None:
        """Return the step in which something of the drawing is laid on the land; None if nothing is."""
        return self.steps + len(self.shaping) + 1 + self.drawn_steps.index(drawn) if drawn in self.drawn_steps else None

    def name_of(self, step: int) -> str:
        """Return what happens in a step of the finest level after those of river incision."""
        return self.drawn_in(step) or str(self.process_of(step).model())

    def step_phases(self, level: int, step: int) -> tuple[str, ...]:
        """Return the names of the phases of a step; the last one writes the land after it."""
        if step <= self.steps:
            # As in memory, nothing creeps at the very end, so that rivers have clear beds.
            if (level, step) != (self.levels, self.steps):
                return (*EROSION_PHASES, "creep")
            return (*EROSION_PHASES, "keep") if self.keeps_land else EROSION_PHASES
        drawn = self.drawn_in(step)
        if drawn is not None:
            return DRAWING_PHASES[drawn]
        process = self.process_of(step)
        if type(process) in _PHASES_OF:
            return _PHASES_OF[type(process)]
        return SHAPE_PHASES if _acts_in_pieces(process, self.land(level).cell_size) else SURVEY_PHASES

    def is_last_of_step(self, phase: Phase) -> bool:
        """Return whether a phase writes the land after a step."""
        if phase.step == 0:
            return phase.name == "refine"
        return phase.name == self.step_phases(phase.level, phase.step)[-1]

    @cached_property
    def phases(self) -> tuple[Phase, ...]:
        """All phases in their order."""
        found, last = [], self.levels
        for level in range(last if self.is_bare else 1, last + 1):
            found.append(Phase("refine", level, 0))
            for step in range(1, (self.last_step if level == last else self.steps) + 1):
                found += [Phase(name, level, step) for name in self.step_phases(level, step)]
        return (*found, *(Phase(name, last, 0) for name in FINAL_PHASES)) if last else ()

    @property
    def steps(self) -> int:
        """Steps of river incision on each tiled level."""
        return STEPS if self.river_process is not None else 0

    def bytes_needed(self) -> int:
        """Return about how much of the disk the world takes while it is built."""
        rows, columns = self.land(self.levels).shape
        states = 12.0 * (1 + self.steps) * 4.0 / 3.0 + 8.0 * (self.last_step - self.steps) if self.levels else 0.0
        # What a step works with is gone before the finished arrays are made.
        return int(rows * columns * (states + max(_SCRATCH_BYTES * bool(self.levels), _FINISHED_BYTES)))

    def to_json(self) -> dict[str, Any]:
        """Return what the bytes of the world depend on, and its tiles."""
        import numba

        return {
            "schema": SCHEMA,
            "recipe": json.loads(self.recipe.replace(resolution=self.coarse_recipe.resolution).dumps()),
            "size": self.size,
            "tile": self.tile,
            "side": self.scale.side,
            "coarse_cells": self.scale.coarse_cells,
            "versions": {"numpy": np.__version__, "numba": numba.__version__},
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Return the world that `to_json` described.

        Raises
        ------
        ValueError
            If another version wrote it.
        """
        if data.get("schema") != SCHEMA:
            raise ValueError(f"this world has schema {data.get('schema')!r}; this version reads {SCHEMA}")
        recipe = Recipe.loads(json.dumps(data["recipe"]))
        return cls(recipe, data["size"], data["tile"], Scale(data["side"], data["coarse_cells"]))


def _acts_in_pieces(process: Any, cell_size: float) -> bool:
    """Whether a process can act on the pieces of a land with cells of some size."""
    reach = PROCESSES[type(process)].reach
    return reach is not None and reach(process, cell_size) is not None


EROSION_PHASES = ("ground", "carve", "chain", "solve", "fill")
"""One step of river incision."""
BED_PHASES = ("lead", "drain", "course", "sink", "bed", "cut")
"""River beds."""
FALL_PHASES = tuple(f"fall{turn}" for turn in range(TURNS))
"""Droplets, a turn each."""
_PHASES_OF = {RiverBeds: BED_PHASES, Droplets: FALL_PHASES}
SHAPE_PHASES = ("shape",)
"""A process that looks at its surroundings only."""
SURVEY_PHASES = ("survey", "spread")
"""A process that looks at the whole land."""
DRAWING_PHASES = {
    "border": ("survey", "rim"),
    "forms": ("survey", "form"),
    "beds": ("trace", "dig", "lay"),
    "works": ("survey", "build"),
}
"""What is drawn, and the border that keeps its heights."""
FINAL_PHASES = ("surface", "route", "finish", "grow", "plants")
"""What makes the finished land of the last state."""
# Bytes for each cell: of one step while it is worked on, and of the finished world with its maps.
_SCRATCH_BYTES, _FINISHED_BYTES = 38.0, 56.0

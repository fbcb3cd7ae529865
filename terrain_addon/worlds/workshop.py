"""What all tiles of a world have in common, kept by each process that works on them."""

from functools import cached_property

import numpy as np

from ..core.building.drawing_stages import features_of, follow_drawing
from ..core.building.layers import Inputs
from ..core.building.window_relief import relief_in_window
from ..core.direction.courses import DrawnCourses
from ..core.direction.drawing import NOTHING_DRAWN, DrawnFeatures
from ..core.erosion.finer_land import FinerLand
from ..core.erosion.process import HARDNESS, RAIN, Factor
from ..core.erosion.stream_power import Acting, StreamPower
from ..core.flow.inflows import Inlets, inlets_of
from ..core.foundation.progress import run
from ..core.foundation.terrain import Field, Terrain
from ..core.tiling.blocks import Block
from ..files.inputs import read_inputs
from .coarse_level import COARSE_RELIEF, coarse_factor
from .forced_flow import ForcedFlow, forced_flow
from .river_steps import RiverStep, step_on_level
from .store import Store
from .world import World


class Workshop:
    """A world, its arrays, and what every tile needs of its coarse level.

    Parameters
    ----------
    world : World
        What is made.
    store : Store
        Its arrays.
    """

    def __init__(self, world: World, store: Store) -> None:
        self.world, self.store = world, store
        self._courses: dict[int, DrawnCourses] = {}
        self._inlets: dict[int, Inlets | None] = {}

    @cached_property
    def inputs(self) -> Inputs:
        """Elevation data that the recipe names."""
        return read_inputs(self.world.recipe)

    @cached_property
    def relief(self) -> Field:
        """The land before erosion on the level in memory, in metres."""
        return self.store.read(COARSE_RELIEF, Block(0, 0, *self.world.land(0).shape))

    @cached_property
    def rivers(self) -> FinerLand:
        """What acts on the land where rivers cut."""
        world = self.world
        terrain = Terrain(self.relief, np.zeros_like(self.relief), world.land(0).cell_size)
        acting = Acting(terrain, rain=self._factor(RAIN), hardness=self._factor(HARDNESS))
        return FinerLand(acting, self.process, world.recipe.seed, world.recipe.water.sea_surface)

    def _factor(self, factor: Factor) -> Field | None:
        """What a mask of the stream power stands for on the level in memory; None for the usual everywhere."""
        path = coarse_factor(factor.name)
        return self.store.read(path, Block(0, 0, *self.world.land(0).shape)) if path in self.store else None

    @property
    def process(self) -> StreamPower:
        """The stream power of the recipe; worlds without it have no phase that asks for it."""
        process = self.world.river_process
        if process is None:
            raise ValueError("the recipe has no stream power")
        return process

    @property
    def sea_level(self) -> float:
        """In metres; minus infinity without a sea."""
        level = self.world.recipe.water.sea_surface
        return -np.inf if level is None else float(level)

    def inlets(self, level: int) -> Inlets | None:
        """Return where rivers from beyond the land enter a level, and where its border is closed; None if nowhere."""
        if level not in self._inlets:
            land = self.world.land(level)
            lakes = self.drawing.lakes_on_border(land.shape, land.cell_size)
            self._inlets[level] = inlets_of(self.world.inflows, land.shape, land.cell_size, lakes)
        return self._inlets[level]

    @cached_property
    def drawing(self) -> DrawnFeatures:
        """What is drawn, with its heights; the same as on the level in memory."""
        world = self.world
        if not features_of(world.recipe):
            return NOTHING_DRAWN
        recipe, land = world.coarse_recipe, world.coarse_recipe.grid
        relief = relief_in_window(recipe, land, self.inputs)
        terrain = Terrain(relief, np.zeros_like(relief), land.cell_size)
        return run(follow_drawing(recipe, terrain, self.inputs))

    def courses(self, level: int) -> DrawnCourses:
        """Return the courses of drawn rivers on a level."""
        if level not in self._courses:
            land = self.world.land(level)
            self._courses[level] = self.drawing.courses(land.shape, land.cell_size)
        return self._courses[level]

    def forced_flow(self, level: int) -> ForcedFlow:
        """Return where water is led along drawn rivers on a level."""
        return forced_flow(self.courses(level), self.world.land(level))

    def step(self, level: int, step: int) -> RiverStep:
        """Return a step of river incision on a level."""
        return step_on_level(self.process.age, self.rivers.last_time, self.world.levels, level, step)

"""From a recipe to the list of stages that make its landscape.

Each stage names the stages it uses and the parameters it reads; its key is a hash of both, so whoever keeps results can
tell which of them still hold.  Read `stages_of` to see how a landscape comes about.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .ecosystem.dart_throwing import throw_darts
from .ecosystem.density import Habitat, plant_density
from .ecosystem.plants import Plants
from .erosion.weathering import Weathering, weather_rock
from .maps.humidity import measure_humidity
from .maps.illumination import measure_illumination
from .maps.slope import measure_slope
from .progress import Steps
from .recipe import Recipe
from .relief.elevation import Elevation
from .relief.elevation_model import ElevationModel, sample_elevation
from .relief.fractal_noise import FractalNoise, make_fractal_noise
from .relief.midpoint_displacement import MidpointDisplacement, displace_midpoints
from .terrain import Field, Terrain

Results = Mapping[str, Any]
Inputs = Mapping[str, Elevation]
"""What comes from outside, by the name under which the recipe asks for it (a path)."""


@dataclass(frozen=True)
class Stage:
    """One step of the way from a recipe to a landscape.

    Attributes
    ----------
    name : str
        Unique within a recipe; also what a progress bar shows.
    needs : tuple of str
        Names of the stages whose results it uses.
    reads : object
        Everything else that its result depends on, as JSON.
    compute : callable
        From results by name to the steps of this stage.
    """

    name: str
    needs: tuple[str, ...]
    reads: Any
    compute: Callable[[Results], Steps[Any]]


def stages_of(recipe: Recipe, inputs: Inputs) -> list[Stage]:
    """Return the stages of a recipe, in an order in which each comes after those it needs.

    Raises
    ------
    ValueError
        If the recipe asks for an input that is not given.
    """
    grid = recipe.grid
    place = [grid.rows, grid.columns, grid.cell_size]
    stages = [
        Stage("relief", (), [place, recipe.seed, *_relief_reads(recipe, inputs)], lambda _: _relief(recipe, inputs))
    ]

    land = "relief"
    for number, process in enumerate(recipe.erosion, start=1):
        if process.enabled:
            before, land = land, f"erosion {number}: {process.model()}"
            stages.append(Stage(land, (before,), process.to_json(), _erode(process, before)))

    def surface(results: Results) -> Field:
        terrain: Terrain = results[land]
        return terrain.surface

    size = grid.cell_size
    light = recipe.illumination
    stages += [
        Stage("slope", (land,), [], lambda r: _at_once(measure_slope, surface(r), size)),
        Stage(
            "illumination", (land,), light.to_json(), lambda r: _at_once(measure_illumination, surface(r), size, light)
        ),
        Stage("humidity", (land, "slope"), [], lambda r: _at_once(measure_humidity, surface(r), r["slope"], size)),
    ]
    stages.append(
        Stage("plants", (land, *MAPS), [recipe.seed, recipe.ecosystem.to_json()], lambda r: _plant(recipe, r, r[land]))
    )
    return stages


MAPS = ("slope", "illumination", "humidity")
"""Names of the stages whose results are maps."""


def stage_keys(stages: list[Stage]) -> dict[str, str]:
    """Return a key for every stage: equal keys mean equal results, within one version of this package."""
    keys: dict[str, str] = {}
    for stage in stages:
        content = json.dumps([stage.name, [keys[name] for name in stage.needs], stage.reads])
        keys[stage.name] = hashlib.sha256(content.encode()).hexdigest()
    return keys


def last_land(stages: list[Stage]) -> str:
    """Return the name of the stage whose result is the finished terrain."""
    return next(stage.needs[0] for stage in stages if stage.name == "slope")


def _relief_reads(recipe: Recipe, inputs: Inputs) -> list[Any]:
    relief = recipe.relief
    reads: list[Any] = [relief.model(), relief.to_json()]
    if isinstance(relief, ElevationModel):
        if relief.path not in inputs:
            raise ValueError(
                f"relief.path = {relief.path!r} has not been read; give its elevation as inputs[{relief.path!r}]"
            )
        reads.append(hashlib.sha256(inputs[relief.path].heights.tobytes()).hexdigest())
    return reads


def _relief(recipe: Recipe, inputs: Inputs) -> Steps[Terrain]:
    yield 0.0
    relief, grid = recipe.relief, recipe.grid
    if isinstance(relief, FractalNoise):
        heights = make_fractal_noise(grid, relief, recipe.seed)
    elif isinstance(relief, MidpointDisplacement):
        heights = displace_midpoints(grid, relief, recipe.seed)
    else:
        heights = sample_elevation(grid, relief, inputs[relief.path])
    return Terrain(heights, np.zeros_like(heights), grid.cell_size)


def _erode(process: Weathering, before: str) -> Callable[[Results], Steps[Terrain]]:
    return lambda results: _at_once(weather_rock, results[before], process)


def _at_once(function: Callable[..., Any], *arguments: Any) -> Steps[Any]:
    yield 0.0
    return function(*arguments)


def _plant(recipe: Recipe, results: Results, terrain: Terrain) -> Steps[Plants]:
    ecosystem = recipe.ecosystem
    habitat = Habitat(terrain.sediment, results["illumination"], results["humidity"], results["slope"], terrain.surface)
    densities = [
        plant_density(habitat, species, ecosystem.combination) * np.float32(ecosystem.cover)
        for species in ecosystem.species
    ]
    plants = yield from throw_darts(densities, terrain.cell_size, ecosystem.species, recipe.seed, ecosystem.throwing)
    return plants

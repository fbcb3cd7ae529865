"""Building and drawing planets with the file that their recipes name."""

from collections.abc import Generator
from dataclasses import replace

import bpy

from ...core.foundation.progress import Progress, mapped
from ...core.planet.planet import Planet, build_planet_steps
from ...core.planet.planet_recipe import PlanetLook, PlanetRecipe
from ...core.planet.standing import Standing, viewer_at
from ...files.inputs import InputCache, read_planet_elevation
from ..data.planet_data import PlanetDrawing, draw_planet
from ..land.building import when_planets_are_warm

_LARGEST_KEPT = 513  # samples along an edge of a face; such a planet takes 0.2 GB

_BUILT = 0.8  # of the whole

_read_before = InputCache()
_kept: list[Planet] = []  # the last two resolutions that were built: a preview, and the whole


def planet_steps(recipe: PlanetRecipe) -> Generator[Progress, bool | None, Planet]:
    """Return the steps of building a planet, which may run in any thread; they read the file that the recipe names.

    What was built last, as a preview or in full, is built no second time when only its look differs.
    """
    return _planet_steps(recipe, bpy.path.abspath(recipe.elevation.path))


def planet_drawing_steps(
    building: Generator[Progress, bool | None, Planet], size: float, standing: Standing | None
) -> Generator[Progress, bool | None, PlanetDrawing]:
    """Return the steps of building a planet and drawing it.

    Parameters
    ----------
    building : generator
        From `planet_steps`.
    size : float
        Radius in the scene.
    standing : Standing, optional
        Near which place the ground is fine.
    """
    planet = yield from mapped(building, lambda step: Progress(step.stage, _BUILT * step.fraction))
    yield Progress("colours and mesh", _BUILT)
    return draw_planet(planet, size, viewer=None if standing is None else viewer_at(planet, standing))


def _planet_steps(recipe: PlanetRecipe, file: str) -> Generator[Progress, bool | None, Planet]:
    """Read the heights of a file, if the recipe names one, and build the planet."""
    if file:
        yield Progress("reading heights", 0.0)
    elevation = read_planet_elevation(recipe, lambda path: file, _read_before)
    for known in tuple(_kept):
        if _shape(known.recipe) == _shape(recipe) and known.elevation is elevation:
            return replace(known, recipe=recipe)
    planet = yield from when_planets_are_warm(build_planet_steps(recipe, elevation))
    if planet.is_whole and recipe.resolution <= _LARGEST_KEPT:
        _kept[:] = [planet, *(one for one in _kept if one.recipe.resolution != recipe.resolution)][:2]
    return planet


def _shape(recipe: PlanetRecipe) -> PlanetRecipe:
    """A recipe without what changes only how a planet looks."""
    return recipe.replace(look=PlanetLook())

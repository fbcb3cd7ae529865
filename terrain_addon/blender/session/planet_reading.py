"""Building planets with the file that their recipes name."""

from collections.abc import Generator

import bpy

from ...core.foundation.progress import Progress
from ...core.planet.planet import Planet, build_planet_steps
from ...core.planet.planet_recipe import PlanetRecipe
from ...files.inputs import InputCache, read_planet_elevation

_read_before = InputCache()


def planet_steps(recipe: PlanetRecipe) -> Generator[Progress, bool | None, Planet]:
    """Return the steps of building a planet, which may run in any thread; they read the file that the recipe names."""
    return _planet_steps(recipe, bpy.path.abspath(recipe.elevation.path))


def _planet_steps(recipe: PlanetRecipe, file: str) -> Generator[Progress, bool | None, Planet]:
    """Read the heights of a file, if the recipe names one, and build the planet."""
    if file:
        yield Progress("reading heights", 0.0)
    elevation = read_planet_elevation(recipe, lambda path: file, _read_before)
    return (yield from build_planet_steps(recipe, elevation))

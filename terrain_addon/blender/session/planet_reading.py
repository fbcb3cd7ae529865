"""Building and drawing planets with the file that their recipes name."""

from collections.abc import Generator

import bpy

from ...core.foundation.progress import Progress, mapped
from ...core.planet.planet import Planet
from ...core.planet.planet_recipe import PlanetRecipe
from ...core.planet.standing import Standing, viewer_at
from ...files.inputs import InputCache, read_planet_elevation
from ..data.planet_data import PlanetDrawing, draw_planet
from ..land import building

_BUILT = 0.8  # of the whole

_read_before = InputCache()


def planet_steps(
    recipe: PlanetRecipe, *, preview: int | None = None, close: bool = False
) -> Generator[Progress, bool | None, Planet]:
    """Return the steps of building a planet, which may run in any thread; they read the file that the recipe names.

    `preview` is how many samples an edge of a face of a coarser look at it has; left out, the whole planet is built;
    `close` whether it is to be seen from close by.
    """
    return _planet_steps(recipe, bpy.path.abspath(recipe.elevation.path), preview, close=close)


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


def _planet_steps(
    recipe: PlanetRecipe, file: str, preview: int | None, *, close: bool
) -> Generator[Progress, bool | None, Planet]:
    """Read the heights of a file, if the recipe names one, and build the planet."""
    if file:
        yield Progress("reading heights", 0.0)
    elevation = read_planet_elevation(recipe, lambda path: file, _read_before)
    return (yield from building.kept_planet_steps(recipe, elevation, preview=preview, close=close))

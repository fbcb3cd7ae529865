"""Tasks that make the landscape of a place on a planet."""

import time
from collections.abc import Generator

import bpy

from ...core.building.plan import Extent
from ...core.building.planet_landscape import (
    PlanetLandscape,
    Square,
    check_square,
    landscape_of_planet,
    warnings_of_square,
)
from ...core.building.plant_stages import ATTRIBUTE
from ...core.ecosystem.plants import VARIANTS
from ...core.foundation.progress import Progress, mapped
from ...core.planet.planet import Planet
from ...core.planet.planet_recipe import PlanetRecipe
from ...core.relief.stored_heights import StoredHeights
from ..land.building import given_landscape_steps
from ..land.drawings import drawing_steps
from ..land.lookup import check_scene, find_object
from ..land.planet_objects import hide_planet
from ..land.sculpting import PLANET_SURFACE
from ..look.ground_material import set_cover_colours
from ..look.render_settings import aspect_of
from ..look.space import leave_space
from .jobs import Task
from .making import ReadyLand, add_ready_land, ready_steps, summary
from .planet_reading import planet_steps

_Made = tuple[PlanetLandscape, ReadyLand, list[str]]

_BUILT = 0.4  # of the whole
# Rock and what it becomes on worlds without life, in colours of `PLANET_COLOURS`; others keep those of Earth.
_GROUND = {
    "rust": {"Rock": (0.21, 0.085, 0.036), "Scree": (0.30, 0.135, 0.06), "Sand": (0.36, 0.17, 0.078)},
    "grey": {"Rock": (0.105, 0.101, 0.097), "Scree": (0.125, 0.12, 0.114), "Sand": (0.11, 0.106, 0.102)},
    "frost": {"Rock": (0.45, 0.42, 0.39), "Scree": (0.60, 0.60, 0.60), "Sand": (0.52, 0.47, 0.42)},
}


def landscape_here_task(
    context: bpy.types.Context, planet: bpy.types.Object, recipe: PlanetRecipe, square: Square, *, with_scenery: bool
) -> Task:
    """Return the task that makes the landscape of a square of a planet, and hides the planet.

    Parameters
    ----------
    context : Context
    planet : Object
    recipe : PlanetRecipe
        Of the planet.
    square : Square
        Which part of it.
    with_scenery : bool
        Whether the scene gets the sun, sky and camera of a landscape, in place of those that we gave it for the planet.

    Raises
    ------
    ValueError
        If the scene cannot take a land, or the square is not on the planet.
    """
    check_scene(context)
    check_square(recipe, square)
    uid, started = planet.session_uid, time.perf_counter()

    def show(result: _Made) -> str:
        made, ready, warnings = result
        check_scene(context)
        shown = find_object(uid)
        if shown is not None:
            hide_planet(shown)
        if with_scenery and recipe.look.atmosphere > 0.0:
            # Without air the sky stays black, with stars.
            leave_space(context.scene)
        aside = (square.east * square.size, square.north * square.size, 0.0)
        land = add_ready_land(context, _name_of(square), ready, {PLANET_SURFACE: made.heights.heights}, aside)
        set_cover_colours(land.data.materials[0], _GROUND.get(recipe.look.colours, {}))
        return summary("made", ready, time.perf_counter() - started, warnings, "; the planet is hidden")

    aspect = aspect_of(context.scene) if with_scenery else None
    return Task(_name_of(square), _steps(planet_steps(recipe), square, aspect), show)


def _steps(
    building: Generator[Progress, bool | None, Planet], square: Square, aspect: float | None
) -> Generator[Progress, bool | None, _Made]:
    """Build the planet, the recipe of the square, and its landscape."""
    planet = yield from mapped(building, lambda step: Progress(step.stage, _BUILT * step.fraction))
    yield Progress("heights of the planet", _BUILT)
    made = landscape_of_planet(planet, square, StoredHeights(key=ATTRIBUTE + PLANET_SURFACE))
    species = made.recipe.ecosystem.species
    extent: Extent = "plants" if species else "maps"
    drawing = drawing_steps(given_landscape_steps(made.recipe, made.inputs, extent), [VARIANTS] * len(species))
    steps = ready_steps(drawing, None, aspect)
    ready = yield from mapped(steps, lambda step: Progress(step.stage, _BUILT + (1.0 - _BUILT) * step.fraction))
    return made, ready, warnings_of_square(planet, square, made)


def _name_of(square: Square) -> str:
    """A square as people write it, such as ``46.5° N 8.0° E``, and ``46.5° N 8.0° E 2 west`` for one beside it."""
    (latitude, longitude), east, north = square.place, square.east, square.north
    place = (
        f"{abs(latitude):.1f}° {'N' if latitude >= 0.0 else 'S'} {abs(longitude):.1f}° {'E' if longitude >= 0 else 'W'}"
    )
    to_north = f" {abs(north)} {'north' if north > 0 else 'south'}" if north else ""
    to_east = f" {abs(east)} {'east' if east > 0 else 'west'}" if east else ""
    return place + to_north + to_east

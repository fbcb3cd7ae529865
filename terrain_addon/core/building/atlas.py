"""All maps of a land: what each needs, which parameters it reads, how it is measured.

A map is measured for the finished land as a stage of its own, and for the land beneath a layer or a process where a
mask or a process asks for it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..flow.water import Waters, find_water
from ..foundation.parameters import parameters_of
from ..foundation.terrain import Terrain
from ..maps.curvature import measure_curvature
from ..maps.deposition import measure_deposition
from ..maps.humidity import measure_humidity
from ..maps.illumination import measure_illumination
from ..maps.sky import measure_ambient_occlusion, measure_sky_view
from ..maps.slope import measure_gradient, measure_slope
from ..maps.sun import day_length, measure_sun_hours
from ..maps.topographic_position import measure_topographic_position
from ..maps.water_distance import measure_distance, measure_wet_ground
from .recipe import ExtraMaps, Recipe

Get = Callable[[str], Any]
"""From the name of a chart to what it shows."""

_SURROUNDINGS = 10
"""Radius of what counts as the surroundings of a place, in cells."""


@dataclass(frozen=True)
class Chart:
    """How one map is made.

    Attributes
    ----------
    measure : callable
        From the land, the recipe and the charts it needs to the map.
    needs : tuple of str
        Names of the charts it is made from, or ``relief``, the land before erosion.
    reads : callable
        From a recipe to the parameters that it reads, as JSON.
    """

    measure: Callable[[Terrain, Recipe, Get], Any]
    needs: tuple[str, ...] = ()
    reads: Callable[[Recipe], Any] = lambda recipe: []


def _of_surface(measure: Callable[..., Any], **options: Any) -> Chart:
    return Chart(lambda land, recipe, get: measure(land.surface, land.cell_size, **options))


def _sun_hours(land: Terrain, recipe: Recipe, get: Get) -> Any:
    light = recipe.illumination
    return measure_sun_hours(land.surface, land.cell_size, light.latitude, light.day_of_year)


def _shadow_hours(land: Terrain, recipe: Recipe, get: Get) -> Any:
    light = recipe.illumination
    return np.float32(day_length(light.latitude, light.day_of_year)) - get("sun_hours")


def _watered(waters: Waters) -> npt.NDArray[np.bool_]:
    """Where there is standing or running water."""
    places = waters.water_depth > 0.0
    places.ravel()[waters.rivers.cell] = True
    return places


CHARTS = {
    "water": Chart(
        lambda land, recipe, get: find_water(land.surface, land.cell_size, recipe.water),
        reads=lambda recipe: recipe.water.to_json(),
    ),
    "slope": _of_surface(measure_slope),
    "gradient": _of_surface(measure_gradient),
    "curvature": _of_surface(measure_curvature),
    "profile_curvature": _of_surface(measure_curvature, kind="profile"),
    "plan_curvature": _of_surface(measure_curvature, kind="plan"),
    "topographic_position": Chart(
        lambda land, recipe, get: measure_topographic_position(
            land.surface, land.cell_size, _SURROUNDINGS * land.cell_size
        )
    ),
    "illumination": Chart(
        lambda land, recipe, get: measure_illumination(land.surface, land.cell_size, recipe.illumination),
        reads=lambda recipe: recipe.illumination.to_json(),
    ),
    "sky_view": _of_surface(measure_sky_view),
    "ambient_occlusion": _of_surface(measure_ambient_occlusion),
    "sun_hours": Chart(_sun_hours, reads=lambda recipe: recipe.illumination.to_json()),
    "shadow_hours": Chart(_shadow_hours, ("sun_hours",), reads=lambda recipe: recipe.illumination.to_json()),
    "humidity": Chart(
        lambda land, recipe, get: measure_humidity(land.surface, get("gradient"), land.cell_size), ("gradient",)
    ),
    "drainage": Chart(lambda land, recipe, get: get("water").drainage_area, ("water",)),
    "deposition": Chart(lambda land, recipe, get: measure_deposition(get("relief"), land), ("relief",)),
    "water_depth": Chart(lambda land, recipe, get: get("water").water_depth, ("water",)),
    "water_distance": Chart(
        lambda land, recipe, get: measure_distance(_watered(get("water")), land.cell_size), ("water",)
    ),
    "wet_ground": Chart(
        lambda land, recipe, get: measure_wet_ground(
            land.surface, get("water").water_level, _watered(get("water")), land.cell_size
        ),
        ("water",),
    ),
}
"""By name, each after those it needs."""

_EXTRA = {parameter.name for parameter in parameters_of(ExtraMaps)}


def maps_wanted(recipe: Recipe) -> tuple[str, ...]:
    """Return the names of the maps that a landscape of this recipe has, one value per sample each."""
    return tuple(
        name for name in CHARTS if name != "water" and (name not in _EXTRA or getattr(recipe.extra_maps, name))
    )


def maps_of(land: Terrain, recipe: Recipe) -> Get:
    """Return a function that gives any map of a land, measured when it is first asked for.

    Parameters
    ----------
    land : Terrain
    recipe : Recipe
        What the maps read their parameters from.

    Raises
    ------
    ValueError
        From the function, if there is no map of that name.
    """
    known: dict[str, Any] = {"altitude": land.surface, "sediment": land.sediment, "relief": land}

    def get(name: str) -> Any:
        if name not in known:
            if name not in CHARTS:
                raise ValueError(f"there is no map {name!r}; there are: {', '.join((*known, *CHARTS))}")
            known[name] = CHARTS[name].measure(land, recipe, get)
        return known[name]

    return get

"""Landscapes as arrays, without Blender.

>>> from terrain_addon import core
>>> land = core.build(core.Recipe.preset("alpine", seed=3, resolution=65))
>>> land.terrain.surface.shape, land.maps["slope"].dtype, len(land.plants) > 0
((65, 65), dtype('float32'), True)
"""

from importlib import import_module
from typing import Any

from .building.landscape import Landscape, build, build_steps
from .building.planet_landscape import PlanetLandscape, Square, landscape_of_planet
from .building.recipe import Recipe, preset_names
from .direction.features import Cliff, Lake, Pad, Ridge, River, Road, Shore, Summit, Valley
from .foundation.cache import Cache
from .foundation.progress import Progress
from .foundation.terrain import Grid, Terrain
from .planet.local_plane import Place
from .planet.planet import Planet, build_planet
from .planet.planet_recipe import PlanetRecipe, planet_preset_names

__all__ = [
    "Cache",
    "Cliff",
    "Grid",
    "Lake",
    "Landscape",
    "Pad",
    "Place",
    "Planet",
    "PlanetLandscape",
    "PlanetRecipe",
    "Progress",
    "Recipe",
    "Ridge",
    "River",
    "Road",
    "Shore",
    "Square",
    "Summit",
    "Terrain",
    "Valley",
    "build",
    "build_planet",
    "build_steps",
    "build_world",
    "landscape_of_planet",
    "planet_preset_names",
    "preset_names",
]


def __getattr__(name: str) -> Any:
    """Give `build_world` to whoever asks: it lies above core, and needs libraries that Blender lacks."""
    if name == "build_world":
        return import_module("..worlds", __name__).build_world
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""Landscapes as arrays, without Blender.

>>> from terrain_addon import core
>>> land = core.build(core.Recipe.preset("alpine", seed=3, resolution=65))
>>> land.terrain.surface.shape, land.maps["slope"].dtype, len(land.plants) > 0
((65, 65), dtype('float32'), True)
"""

from .building.cache import Cache
from .building.landscape import Landscape, build, build_steps
from .building.recipe import Recipe, preset_names
from .foundation.progress import Progress
from .foundation.terrain import Grid, Terrain
from .planet.planet import Planet, build_planet
from .planet.planet_recipe import PlanetRecipe, planet_preset_names

__all__ = [
    "Cache",
    "Grid",
    "Landscape",
    "Planet",
    "PlanetRecipe",
    "Progress",
    "Recipe",
    "Terrain",
    "build",
    "build_planet",
    "build_steps",
    "planet_preset_names",
    "preset_names",
]

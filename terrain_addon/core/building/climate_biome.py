"""The biome that the climate of a land asks for, by temperature and rain as in Whittaker's diagram."""

import numpy as np

from ..climate.climate import SNOW_LINE, TREE_LINE
from ..climate.temperature import altitude_with
from ..planet.biomes import Biome, classify_biomes
from .landscape import Landscape
from .measuring import Measured
from .recipe import Recipe

CHOICE_RESOLUTION = 129
"""Samples along the width of a land that are enough to tell its biome."""

_HIGHEST = 12000.0  # m; limit of altitudes in recipes
# The biome of the extension that is most like each of Whittaker's; there is none for steppes and for wet tropics.
_LIKE = {
    Biome.ICE: "alpine_meadow",
    Biome.TUNDRA: "alpine_meadow",
    Biome.TAIGA: "boreal",
    Biome.TEMPERATE_GRASSLAND: "alpine_meadow",
    Biome.WOODLAND: "mediterranean",
    Biome.TEMPERATE_FOREST: "temperate",
    Biome.TEMPERATE_RAINFOREST: "temperate",
    Biome.DESERT: "desert",
    Biome.SAVANNA: "savanna",
    Biome.SEASONAL_FOREST: "savanna",
    Biome.RAINFOREST: "savanna",
}


def biome_of_climate(landscape: Landscape) -> str:
    """Return the biome of the extension that is most like what the climate of a land asks for at most places.

    Parameters
    ----------
    landscape : Landscape
        Of a recipe whose climate is on.

    Returns
    -------
    str
        One of `biome_presets()`.

    Raises
    ------
    ValueError
        If the climate is off, or the sea covers the whole land.

    References
    ----------
    Whittaker (1975), fig. 4.10; see `planet.biomes`.
    """
    recipe, surface = landscape.recipe, landscape.terrain.surface
    if not recipe.climate.enabled:
        raise ValueError("the climate is off, so it asks for no biome; turn it on first")
    measured = Measured(landscape.terrain, recipe, None)
    sea = recipe.water.sea_surface
    depth = np.full_like(surface, -1.0) if sea is None else np.float32(sea) - surface
    warmest = measured("temperature") + np.float32(recipe.climate.season)
    biomes, _ = classify_biomes(measured("temperature"), warmest, measured("rain"), depth, has_water=True)
    on_land = biomes[depth <= 0.0]
    if on_land.size == 0:
        raise ValueError("the sea covers the whole land, so nothing grows on it; lower the sea level")
    return _LIKE[Biome(int(np.bincount(on_land).argmax()))]


def with_biome_of_climate(landscape: Landscape) -> Recipe:
    """Return the recipe of a land with the plants that its climate asks for, and tree line and snow line to fit.

    Parameters
    ----------
    landscape : Landscape
        As for `biome_of_climate`.

    Returns
    -------
    Recipe
        All else stays.

    Raises
    ------
    ValueError
        As `biome_of_climate`.
    """
    recipe = landscape.recipe
    name, latitude = biome_of_climate(landscape), recipe.illumination.latitude
    snow, trees = (
        min(max(altitude_with(limit, recipe.climate, latitude), -_HIGHEST), _HIGHEST)
        for limit in (SNOW_LINE, TREE_LINE)
    )
    return recipe.replace(appearance=recipe.appearance.replace(snow_line=snow, tree_line=trees)).with_biome(name)

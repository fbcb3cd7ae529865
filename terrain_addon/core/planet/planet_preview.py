"""A coarser look at a planet while a slider moves: what is known of the whole planet is thinned out, not made again.

Every second sample of a face is a sample of the next coarser face.  So coasts, rivers and winds that a slider does not
touch are those of the whole planet, and cost nothing.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from ..foundation.cache import Cache
from ..foundation.progress import Steps
from ..foundation.stages import Results, Stage, keys_of, pending_stages
from ..foundation.stored_field import StoredField
from .climate import Weather
from .planet_recipe import PlanetRecipe
from .planet_stages import SHOWN_STAGES, PlanetLand, planet_stages
from .sphere_links import Sphere

# Stages whose results are thinned out.  All others are quick on a coarse planet.
_THINNED = ("spheres", "ranges", "young rain", "weather", "hollows", "erosion", "sand", "land", "wind")


def preview_stages(recipe: PlanetRecipe, resolution: int, cache: Cache, elevation: StoredField | None) -> list[Stage]:
    """Return the stages of a coarser look at a planet.

    Parameters
    ----------
    recipe : PlanetRecipe
        Of the whole planet.
    resolution : int
        Samples along an edge of a face: a power of two, plus one, at most that of the recipe.
    cache : Cache
        Results of earlier builds, also of the whole planet.
    elevation : StoredField or None
        The heights that the recipe names.

    Returns
    -------
    list of Stage
        Those of `planet_stages`; where the cache holds the result for the whole planet, it is only thinned out.
    """
    whole = keys_of(planet_stages(recipe, elevation))
    known = cache.find([whole[name] for name in _THINNED if name in whole], passes=True)
    stages = []
    for stage in planet_stages(recipe.replace(resolution=resolution), elevation):
        key = whole[stage.name]
        thinned = _thinned(known[key], resolution) if stage.name in _THINNED and key in known else None
        stages.append(stage if thinned is None else _given(stage, [key, resolution], thinned))
    return stages


def touched_stages(recipe: PlanetRecipe, cache: Cache, elevation: StoredField | None = None) -> frozenset[str]:
    """Return the names of the stages that have to be computed for a planet: what a moved slider touches.

    Parameters
    ----------
    recipe : PlanetRecipe
        Of the planet.
    cache : Cache
        Results of earlier builds.
    elevation : StoredField, optional
        The heights that the recipe names; without them all stages count that use them.

    Returns
    -------
    frozenset of str

    Raises
    ------
    ValueError
        If an eroded planet does not fit into memory.
    """
    stages = planet_stages(recipe, elevation)
    keys = keys_of(stages)
    known = {name for name, key in keys.items() if key in cache}
    return frozenset(stage.name for stage in pending_stages(stages, SHOWN_STAGES, known))


def _given(stage: Stage, reads: Any, result: Any) -> Stage:
    """A stage whose result is at hand."""

    def compute(_: Results) -> Steps[Any]:
        yield 0.0
        return result

    return replace(stage, needs=(), reads=reads, compute=compute)


def _thinned(result: Any, resolution: int) -> Any:
    """The result of a stage for a coarser planet; None if it does not hold one."""
    if isinstance(result, PlanetLand):
        sediment = None if result.sediment is None else _thin(result.sediment, resolution)
        return PlanetLand(_thin(result.surface, resolution), sediment)
    if isinstance(result, Weather):
        return Weather(_thin(result.year, resolution), _thin(result.current, resolution))
    if isinstance(result, np.ndarray):
        return _thin(result, resolution)
    return _coarse_spheres(result, resolution)


def _coarse_spheres(spheres: list[Sphere], resolution: int) -> list[Sphere] | None:
    """The spheres up to a resolution, if it is one of theirs."""
    resolutions = [sphere.resolution for sphere in spheres]
    return spheres[: resolutions.index(resolution) + 1] if resolution in resolutions else None


def _thin(values: np.ndarray[Any, Any], resolution: int) -> np.ndarray[Any, Any]:
    """The samples of a map that a coarser planet has, too."""
    # What is known on a coarse sphere only stays as it is.
    step = max((values.shape[1] - 1) // (resolution - 1), 1)
    return np.ascontiguousarray(values[:, ::step, ::step])

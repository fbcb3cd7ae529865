"""The ground of a planet before rivers have cut it: made or from a file, with craters."""

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ..foundation.stored_field import StoredField
from ..foundation.terrain import Field
from .craters import CraterField, dig_craters, plan_craters
from .cube_sphere import Directions, face_directions, solid_angles
from .ground import GroundSets, plan_ground, raise_ground, refine_ground
from .planet_recipe import PlanetRecipe
from .whole_map import whole_map, whole_map_heights

# Samples along an edge of the coarse planet on which the mean altitude is counted.
_COUNTING = 33

Altitudes: TypeAlias = npt.NDArray[np.float64]
"""Altitudes in metres; what is added to them is not yet rounded."""

Raise: TypeAlias = Callable[[npt.NDArray[np.float64], Directions], Altitudes]
"""From a turn and directions to altitudes before craters, in metres."""


def planet_relief(
    recipe: PlanetRecipe,
    directions: Directions,
    elevation: StoredField | None = None,
    finest: float | None = None,
) -> Field:
    """Return the altitude of the ground in any directions; it depends on nothing but recipe and direction.

    Parameters
    ----------
    recipe : PlanetRecipe
        Of the planet.
    directions : ndarray of float64, shape (…, 3)
        Unit vectors.
    elevation : StoredField, optional
        The heights that the recipe names.
    finest : float, optional
        Wavelength in degrees of the finest octave of noise; left out, two samples of the recipe's resolution.

    Returns
    -------
    ndarray of float32, shape (…)
        Metres above the sphere.

    Raises
    ------
    ValueError
        If the heights that the recipe names are missing, or not those of a whole planet.
    """
    ground = made_ground(recipe, elevation, finest)
    usual = ground if finest is None else made_ground(recipe, elevation)
    return with_craters(recipe, ground, usual, directions, ground(recipe.turn, directions))


def made_ground(recipe: PlanetRecipe, elevation: StoredField | None = None, finest: float | None = None) -> Raise:
    """Return the ground of a planet before craters.

    Parameters
    ----------
    recipe : PlanetRecipe
        Of the planet.
    elevation : StoredField, optional
        The heights that the recipe names.
    finest : float, optional
        Wavelength in degrees of the finest octave of noise; left out, two samples of the recipe's resolution.

    Returns
    -------
    callable
        From a turn and directions to altitudes in metres.

    Raises
    ------
    ValueError
        As `planet_relief`.
    """
    usual = 180.0 / (recipe.resolution - 1)  # two samples
    if recipe.elevation.path:
        if elevation is None:
            raise ValueError(f"the recipe names {recipe.elevation.path}, but its heights are not given")
        found = whole_map(elevation, recipe.elevation.exaggeration, 0.5 * (finest or usual))
        return lambda turn, directions: whole_map_heights(found, turn, directions)
    sets = GroundSets(recipe.continents, recipe.plates, recipe.hills)
    ground = plan_ground(sets, recipe.turn, recipe.radius, recipe.seed, usual)
    if finest is not None:
        ground = refine_ground(ground, sets, recipe.seed, finest)
    return lambda turn, directions: raise_ground(ground._replace(turn=turn), directions)


def with_craters(
    recipe: PlanetRecipe, ground: Raise, usual: Raise, directions: Directions, heights: Altitudes
) -> Field:
    """Return ground with craters; where no sea says what altitude 0 is, it is the mean.

    Parameters
    ----------
    recipe : PlanetRecipe
        Of the planet.
    ground, usual : callable
        From `made_ground`: as fine as the heights, and as fine as the planet's samples.
    directions : ndarray of float64, shape (…, 3)
        Unit vectors.
    heights : ndarray of float64, shape (…)
        What `ground` says there, in metres.

    Returns
    -------
    ndarray of float32, shape (…)
        Metres above the sphere.
    """
    craters = plan_craters(recipe.craters, recipe.radius, recipe.seed) if recipe.craters.enabled else None
    heights = _dug(craters, recipe.turn, ground, directions, heights)
    is_centred = not (recipe.has_sea or recipe.elevation.path)
    if is_centred or craters is not None:
        # Impacts only move ground.
        counted, share = face_directions(_COUNTING), solid_angles(_COUNTING) / (4.0 * math.pi)
        before = usual(np.eye(3), counted)
        found = _dug(craters, np.eye(3), usual, counted, before)
        if not is_centred:
            found = found - before
        heights = heights - math.fsum((share * found).ravel())
    return heights.astype(np.float32)


def _dug(
    craters: CraterField | None,
    turn: npt.NDArray[np.float64],
    ground: Raise,
    directions: Directions,
    heights: Altitudes,
) -> Altitudes:
    """Altitudes after all impacts, in metres."""
    if craters is None:
        return heights
    heights = heights.copy()
    dig_craters(craters, turn, ground(np.eye(3), craters.centres), directions, heights)
    return heights

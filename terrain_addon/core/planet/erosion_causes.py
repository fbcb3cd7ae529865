"""What raises the land of a planet, and where rain falls on it, before rivers cut it.

References
----------
Cortial, Y., Peytavie, A., Galin, E. & Guérin, E. (2019). Procedural tectonic planets. Computer Graphics Forum 38(2),
1–11. doi:10.1111/cgf.13614  (Plates that collide raise the land.)
"""

from typing import Any

import numpy as np

from ..foundation.terrain import Field
from .climate import PlanetClimate, make_climate
from .cube_sphere import face_directions
from .ground import GroundSets, plan_ground, raise_ranges
from .located_places import refine_faces
from .planet_recipe import PlanetRecipe

_USUAL_TEMPERATURE, _USUAL_RAIN = 25.0, 100.0


def rising_ranges(recipe: PlanetRecipe, resolution: int) -> Field:
    """Return how far plates that collide raise the land.

    Parameters
    ----------
    recipe : PlanetRecipe
        Of the planet.
    resolution : int
        Samples along an edge of a face.

    Returns
    -------
    ndarray of float32, shape (6, resolution, resolution)
        Metres, 0 or more.
    """
    if not recipe.plates.enabled:
        return np.zeros((6, resolution, resolution), np.float32)
    sets = GroundSets(recipe.continents, recipe.plates, recipe.hills)
    ground = plan_ground(sets, recipe.turn, recipe.radius, recipe.seed, 180.0 / (resolution - 1))
    return raise_ranges(ground, face_directions(resolution))


def ranges_read(recipe: PlanetRecipe) -> list[Any]:
    """Return what `rising_ranges` depends on, beside seed, turn and resolution: of hills only what fits the planet.

    Parameters
    ----------
    recipe : PlanetRecipe
        Of the planet.

    Returns
    -------
    list
        As JSON.
    """
    return [recipe.radius, recipe.plates.to_json(), recipe.continents.to_json(), recipe.share_that_fits]


def rain_on_young_land(recipe: PlanetRecipe, surface: Field, resolution: int) -> Field | None:
    """Return where rain falls before rivers have cut the land.

    Parameters
    ----------
    recipe : PlanetRecipe
        Of the planet.
    surface : ndarray of float32
        Its ground in metres above the sphere, on six faces.
    resolution : int
        Samples along an edge of a face of the result.

    Returns
    -------
    ndarray of float32, shape (6, resolution, resolution), or None
        Millimetres in a year of usual warmth and rain: erosion asks only where more of it falls.  A warmer air brings
        more by the same factor everywhere.  None on planets without air and water.
    """
    if not recipe.climate.enabled:
        return None
    usual = PlanetClimate(
        temperature=_USUAL_TEMPERATURE, difference=recipe.climate.difference, rain=_USUAL_RAIN, variation=0.0
    )
    seen = refine_faces(surface, resolution)
    return make_climate(usual, seen, recipe.level_of_sea, recipe.turn, recipe.seed).rain

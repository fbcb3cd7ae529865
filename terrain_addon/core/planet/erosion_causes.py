"""What raises the land of a planet, and where rain falls on it, before rivers cut it.

References
----------
Cortial, Y., Peytavie, A., Galin, E. & Guérin, E. (2019). Procedural tectonic planets. Computer Graphics Forum 38(2),
1–11. doi:10.1111/cgf.13614  (Plates that collide raise the land.)
"""

import math

import numpy as np

from ..erosion.mass_balance import MassBalance
from ..foundation.progress import Steps
from ..foundation.terrain import Field
from .climate import make_climate
from .cube_sphere import face_directions
from .ground import GroundSets, plan_ground, raise_ranges
from .located_places import refine_faces
from .planet_erosion import Causes, ErodedPlanet, YoungPlanet, erode_planet
from .planet_recipe import PlanetRecipe
from .sphere_levels import spheres_from_coarse
from .sphere_links import Sphere, make_sphere


def erode_as_recipe_says(recipe: PlanetRecipe, surface: Field) -> Steps[tuple[ErodedPlanet, Sphere]]:
    """Let rivers cut the ground of a planet, where the climate of the young planet lets rain fall.

    Parameters
    ----------
    recipe : PlanetRecipe
        Of the planet.
    surface : ndarray of float32, shape (6, resolution, resolution)
        Its ground in metres above the sphere.

    Yields
    ------
    float
        Share done.  Asked to finish early, rivers cut no further.

    Returns
    -------
    eroded : ErodedPlanet
        What is left.  Heights from a file have their valleys already: they are as before.
    sphere : Sphere
        The finest one, to find water on.
    """
    yield 0.0
    if recipe.elevation.path:
        sphere = make_sphere(recipe.resolution, recipe.radius)
        volume = float((sphere.cells.of(surface) * sphere.mesh.area).sum())
        return ErodedPlanet(surface, np.zeros_like(surface), MassBalance(volume, volume)), sphere
    spheres = spheres_from_coarse(recipe.resolution, recipe.radius)
    coarse = spheres[0].resolution
    sea_level = recipe.sea_level if recipe.has_sea else -math.inf
    rain = None
    if recipe.climate.enabled:
        seen = refine_faces(surface, coarse)
        rain = make_climate(recipe.climate, seen, sea_level, recipe.turn, recipe.seed).rain
    young = YoungPlanet(surface, spheres, recipe.radius, sea_level, recipe.turn, recipe.seed)
    eroded = yield from erode_planet(young, recipe.erosion, Causes(_ranges(recipe, coarse), rain))
    return eroded, spheres[-1]


def _ranges(recipe: PlanetRecipe, resolution: int) -> Field:
    """How far plates that collide raise the land."""
    if not recipe.plates.enabled:
        return np.zeros((6, resolution, resolution), np.float32)
    sets = GroundSets(recipe.continents, recipe.plates, recipe.hills)
    ground = plan_ground(sets, recipe.turn, recipe.radius, recipe.seed, 180.0 / (resolution - 1))
    return raise_ranges(ground, face_directions(resolution))

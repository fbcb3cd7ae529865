"""The ground of a planet between its samples: its noise goes on to any wavelength, and what erosion did is smooth.

References
----------
Musgrave, F. K., Kolb, C. E. & Mace, R. S. (1989). The synthesis and rendering of eroded fractal terrains. Computer
Graphics 23(3), 41–50. doi:10.1145/74334.74337  (Octaves as fine as what is seen needs.)
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.terrain import Field
from .biomes import BiomeNumbers
from .cube_sphere import Directions, nearest_samples, sample_faces
from .planet import Planet, planet_relief
from .planet_mesh import PlanetMesh

_MARGIN = 3.0  # samples around what is asked for


class CloseGround(NamedTuple):
    """The ground at the vertices of a mesh.

    Attributes
    ----------
    heights : ndarray of float32, shape (vertices,)
        Metres above the sphere.
    maps : mapping of str to ndarray of float32, shape (vertices,)
        As those of a planet.
    biomes : ndarray of uint8, shape (vertices,)
        A `Biome` for each vertex.
    """

    heights: Field
    maps: Mapping[str, Field]
    biomes: BiomeNumbers


def ground_at(planet: Planet, mesh: PlanetMesh) -> CloseGround:
    """Return the ground at the vertices of a mesh.

    Parameters
    ----------
    planet : Planet
        From `build_planet`.
    mesh : PlanetMesh
        From `planet_mesh` or `near_mesh.mesh_near`.

    Returns
    -------
    CloseGround
        What the planet has at its samples; between them it has noise as fine as the polygons.
    """
    between = np.flatnonzero(mesh.samples < 0)
    samples = mesh.samples.copy()
    directions = mesh.directions[between]
    samples[between] = nearest_samples(directions, planet.recipe.resolution)
    biomes, heights = planet.biomes.ravel()[samples], planet.surface.ravel()[samples]
    maps = {name: values.ravel()[samples] for name, values in planet.maps.items()}
    if len(between):
        heights[between] = _heights_between(planet, directions, mesh.spacing[between])
        for name, values in planet.maps.items():
            maps[name][between] = sample_faces(values, directions)
        maps["sea_depth"][between] = np.maximum(np.float32(planet.sea_level) - heights[between], np.float32(0.0))
    return CloseGround(heights, maps, biomes)


def close_heights(planet: Planet, directions: Directions, finest: float, changed: Field) -> Field:
    """Return the altitude of the ground in any directions.

    Parameters
    ----------
    planet : Planet
        From `build_planet`.
    directions : ndarray of float64, shape (…, 3)
        Unit vectors.
    finest : float
        Wavelength in degrees of the finest octave of noise.
    changed : ndarray of float32, shape (6, resolution, resolution)
        From `changed_by_erosion`, for all of these directions.

    Returns
    -------
    ndarray of float32, shape (…)
        Metres above the sphere.
    """
    heights = planet_relief(planet.recipe, directions, planet.elevation, finest)
    return heights + sample_faces(changed, directions) if changed.any() else heights


def changed_by_erosion(planet: Planet, middle: npt.NDArray[np.float64], reach: float) -> Field:
    """Return how far erosion has moved the ground since its relief was made.

    Parameters
    ----------
    planet : Planet
        From `build_planet`.
    middle : ndarray of float64, shape (3,)
        Unit vector.
    reach : float
        Radians around the middle; farther away the result is 0.

    Returns
    -------
    ndarray of float32, shape (6, resolution, resolution)
        Metres.
    """
    reach += _MARGIN * math.pi / (planet.recipe.resolution - 1)
    is_near = planet.directions @ middle > math.cos(min(reach, math.pi))
    changed = np.zeros_like(planet.surface)
    changed[is_near] = planet.surface[is_near] - planet_relief(
        planet.recipe, planet.directions[is_near], planet.elevation
    )
    return changed


def _heights_between(planet: Planet, directions: Directions, spacing: npt.NDArray[np.float64]) -> Field:
    """Heights of vertices between samples, each with the octaves that its polygons can show."""
    middle = directions.mean(axis=0)
    middle /= math.sqrt(float(np.square(middle).sum()))
    changed = changed_by_erosion(planet, middle, math.acos(max(float((directions @ middle).min()), -1.0)))
    heights = np.empty(len(directions), np.float32)
    for one in np.unique(spacing):
        here = spacing == one
        heights[here] = close_heights(planet, directions[here], 2.0 * one, changed)
    return heights

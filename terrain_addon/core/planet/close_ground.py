"""The ground of a planet between its samples: its noise goes on to any wavelength, and what erosion did is smooth.

References
----------
Musgrave, F. K., Kolb, C. E. & Mace, R. S. (1989). The synthesis and rendering of eroded fractal terrains. Computer
Graphics 23(3), 41–50. doi:10.1145/74333.74337  (Octaves as fine as what is seen needs.)
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.terrain import Field
from .biomes import BiomeNumbers
from .cube_sphere import Directions, nearest_samples, sample_faces
from .dunes import dunes_between
from .gullies import GulliedLand, gullied_heights
from .planet import Planet
from .planet_mesh import PlanetMesh
from .planet_relief import planet_relief

_MARGIN = 3.0  # samples around what is asked for
_FINER = 0.75  # of the distance of samples
_SNOW_STAYS = -4.0  # °C of the year, on mountains between the samples
# Where less than half of the samples around a place are wet, its ground may lie so far below the lake and stay dry;
# a share of the radius, as it is shown.
_DAM = 0.004


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
    between = np.flatnonzero(is_between(planet.recipe.resolution, mesh))
    samples = mesh.samples.copy()
    directions = mesh.directions[between]
    samples[between] = nearest_samples(directions, planet.recipe.resolution)
    biomes, heights = planet.biomes.ravel()[samples], planet.surface.ravel()[samples]
    maps = {name: values.ravel()[samples] for name, values in planet.maps.items()}
    if len(between):
        heights[between] = near_heights(planet, directions, mesh.spacing[between])
        for name, values in planet.maps.items():
            maps[name][between] = sample_faces(values, directions)
        if "lake_depth" in maps:
            heights[between], maps["lake_depth"][between] = _with_lakes(planet, directions, heights[between])
        if planet.recipe.climate.enabled:
            rise = heights[between] - sample_faces(planet.surface, directions)
            colder = np.float32(0.001 * planet.recipe.climate.lapse_rate) * rise
            maps["temperature"][between] -= colder
            snow = np.float32(0.5) - (maps["temperature"][between] - np.float32(_SNOW_STAYS)) / np.float32(4.0)
            maps["ice"][between] = np.maximum(maps["ice"][between], np.clip(snow, 0.0, 1.0))
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


def is_between(resolution: int, mesh: PlanetMesh) -> npt.NDArray[np.bool_]:
    """Return which vertices of a mesh show ground finer than the samples: those between them, or among such.

    Parameters
    ----------
    resolution : int
        Samples along an edge of a face of the planet.
    mesh : PlanetMesh
        Of that planet.

    Returns
    -------
    ndarray of bool, shape (vertices,)
    """
    return np.asarray((mesh.samples < 0) | (mesh.spacing < _FINER * 90.0 / (resolution - 1)))


def near_heights(planet: Planet, directions: Directions, spacing: npt.NDArray[np.float64]) -> Field:
    """Return the altitude of ground that is finer than the samples.

    Where rivers have cut the land it is the smooth surface through the samples with gullies on it; elsewhere the noise
    of the relief goes on.

    Parameters
    ----------
    planet : Planet
        From `build_planet`.
    directions : ndarray of float64, shape (places, 3)
        Unit vectors.
    spacing : ndarray of float64, shape (places,)
        Degrees between vertices around each place.

    Returns
    -------
    ndarray of float32, shape (places,)
        Metres above the sphere.
    """
    recipe = planet.recipe
    if recipe.erosion.enabled:
        base = planet.sea_level if recipe.has_sea else float(np.median(planet.surface))
        shown = recipe.exaggeration / recipe.radius
        sand = planet.maps.get("sand")
        land = GulliedLand(planet.surface, base, shown, recipe.turn, recipe.seed, sand)
        heights = gullied_heights(land, directions, spacing)
        if sand is not None:
            here = sample_faces(sand, directions)
            heights += dunes_between(recipe.dune_field, recipe.resolution, directions, spacing, here)
        return heights
    heights = np.empty(len(directions), np.float32)
    for one in np.unique(spacing):
        here = spacing == one
        heights[here] = planet_relief(recipe, directions[here], planet.elevation, 2.0 * one)
    return heights


def _with_lakes(planet: Planet, directions: Directions, heights: Field) -> tuple[Field, Field]:
    """Fill hollows near the wet samples of lakes; return the heights with level water, and how deep it is."""
    depth = planet.maps["lake_depth"]
    wet = (depth > 0.0).astype(np.float32)
    share = sample_faces(wet, directions)
    level = sample_faces(wet * (planet.surface + depth), directions) / np.maximum(share, np.float32(1e-6))
    dam = _DAM * planet.recipe.radius / planet.recipe.exaggeration
    level -= np.float32(2.0 * dam) * np.maximum(np.float32(0.5) - share, np.float32(0.0))
    water = np.where(share > 0.0, np.maximum(level - heights, np.float32(0.0)), np.float32(0.0))
    return heights + water, water

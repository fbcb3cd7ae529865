"""Where to stand on a planet, or to fly above it, to see much of its ground: mountains, coasts, many kinds of land.

References
----------
Vázquez, P.-P., Feixas, M., Sbert, M. & Heidrich, W. (2001). Viewpoint selection using viewpoint entropy. Vision,
Modeling and Visualization 2001, 273–280.  (A good place shows much; here it is the height of the skyline that counts.)
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.elementary import cos, sin
from .biomes import Biome
from .close_ground import near_heights
from .cube_sphere import face_directions, nearest_samples, sample_faces
from .near_mesh import Viewer
from .planet import Planet

_EYE = 0.0014
"""Height of the eye above the ground as a share of the radius: a mountain top on a planet whose mountains are tall."""

_FINEST = 0.001  # degrees between what the feet feel

_AROUND = math.cos(math.radians(45.0))  # how far from the place that is asked for
_CANDIDATES = 33  # samples along an edge of a face from which a place is chosen
_WAYS = 24  # directions of the compass
_DISTANCES = np.radians((1.0, 1.5, 2.0, 3.0, 4.0, 5.5, 7.5, 10.0))
_CLOSE, _FREE = 3, math.radians(1.0)  # of these distances the nearest ones, whose ground stays below the level line
_TALLEST, _SIDES = math.radians(11.0), 2  # mountains above that hide the sky; ways to either side in the picture
_BAY = 0.25  # share of water that looks best
_ROUGH = 0.006  # of the radius; more up and down is no better
_LIFE = math.radians(5.0)  # what plants are worth
_GREEN = (Biome.TAIGA, Biome.WOODLAND, Biome.TEMPERATE_FOREST, Biome.TEMPERATE_RAINFOREST, Biome.SEASONAL_FOREST)
_TOP, _STEPS = math.radians(0.5), 21  # how far around a place its top may lie, and places from side to side
# From orbit: how far from the place that is asked for, what is looked at ahead, and the share of land that looks best.
_ORBIT_AROUND = math.cos(math.radians(60.0))
_ORBIT_DISTANCES = np.radians((4.0, 6.0, 8.0, 10.0, 12.0, 15.0, 18.0, 22.0))
_ORBIT = 0.13  # height of the eye above the sphere in radii: above the air and the tallest mountains
_ORBIT_DOWN = math.radians(17.0)  # its line of sight lies that far below the horizon
_LAND = 0.65
_DOWN = math.radians(4.0)  # the line of sight lies that far below the horizon


class Standing(NamedTuple):
    """Where somebody is who looks at the ground of a planet, in the planet's own space.

    Attributes
    ----------
    place : ndarray of float64, shape (3,)
        Unit vector to the place on which or above which the eye is.
    ahead : ndarray of float64, shape (3,)
        Level unit vector of the way in which it looks.
    height : float
        Of the eye above the sphere in radii; 0 for somebody who stands on the ground.
    """

    place: npt.NDArray[np.float64]
    ahead: npt.NDArray[np.float64]
    height: float = 0.0


def where_to_stand(planet: Planet, towards: npt.NDArray[np.float64], *, is_exact: bool = False) -> Standing:
    """Return a good place near one that is given, and where to look from it.

    Parameters
    ----------
    planet : Planet
        From `build_planet`.
    towards : ndarray of float64, shape (3,)
        Direction from the middle of the planet, of any length above 0.
    is_exact : bool
        Whether to stand just there; left out, on the best land around.

    Returns
    -------
    Standing
        If there is no land around, the place that is given.
    """
    towards = towards / math.sqrt(float(np.square(towards).sum()))
    places = towards[np.newaxis]
    if not is_exact:
        known = face_directions(_CANDIDATES).reshape(-1, 3)
        near = known[known @ towards > _AROUND]
        is_land = sample_faces(planet.surface, near) > planet.sea_level
        if "lake_depth" in planet.maps:
            is_land &= sample_faces(planet.maps["lake_depth"], near) == 0.0
        places = near[is_land] if is_land.any() else places
    east, north = _level_axes(places)
    ahead = np.stack([c * east + s * north for c, s in _points_on_circle(_WAYS)], axis=1)
    along, aside = (np.array([float(of(angle)) for angle in _DISTANCES])[:, np.newaxis] for of in (cos, sin))
    seen = along * places[:, np.newaxis, np.newaxis] + aside * ahead[:, :, np.newaxis]
    ground = np.maximum(sample_faces(planet.surface, seen), np.float32(planet.sea_level)).astype(np.float64)
    tall = planet.recipe.exaggeration / planet.recipe.radius
    own = np.maximum(sample_faces(planet.surface, places), np.float32(planet.sea_level)).astype(np.float64)
    rise = tall * (ground - own[:, np.newaxis, np.newaxis]) - _EYE
    # Elevation angles of the ground, which falls away behind the horizon.
    angles = rise / _DISTANCES - 0.5 * _DISTANCES
    far, close = angles[..., _CLOSE:].max(axis=2), angles[..., :_CLOSE].max(axis=2)
    # Tall mountains far away, none close by, and ground that goes up and down between.
    worth = np.where(far > _TALLEST, 2.0 * _TALLEST - far, far) - 2.0 * np.maximum(close + _FREE, 0.0)
    worth += np.minimum(rise.std(axis=2) / _ROUGH, 1.0) * _TALLEST
    # Bays and coasts: land with some water.
    water = (ground <= planet.sea_level).mean(axis=2)
    worth += np.minimum(water / _BAY, np.maximum(2.0 - water / _BAY, 0.0)) * _TALLEST
    worth += _life_at(planet, places)[:, np.newaxis] * _LIFE
    wide = sum(np.roll(worth, turn, axis=1) for turn in range(-_SIDES, _SIDES + 1))
    best, way = np.unravel_index(int(np.argmax(wide)), worth.shape)
    place = places[best] if is_exact else _top_near(planet, places[best])
    level = ahead[best, way] - float(ahead[best, way] @ place) * place
    return Standing(place, level / math.sqrt(float(np.square(level).sum())))


def _life_at(planet: Planet, places: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Whether trees grow at each place, but no rainforest that hides everything."""
    return np.isin(planet.biomes.ravel()[nearest_samples(places, planet.recipe.resolution)], _GREEN)


def _top_near(planet: Planet, place: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The highest ground around a place, from which more can be seen."""
    east, north = _level_axes(place[np.newaxis])
    steps = np.linspace(-_TOP, _TOP, _STEPS)[:, np.newaxis]
    around = place + (steps * east)[:, np.newaxis] + (steps * north)[np.newaxis]
    around = around.reshape(-1, 3)
    around /= np.sqrt(np.square(around).sum(axis=1, keepdims=True))
    heights = near_heights(planet, around, np.full(len(around), math.degrees(_TOP) / _STEPS))
    return np.asarray(around[int(np.argmax(heights))])


def where_to_orbit(planet: Planet, towards: npt.NDArray[np.float64]) -> Standing:
    """Return a place above which much can be seen at a slant: coasts, mountains, and many colours of land.

    Parameters
    ----------
    planet : Planet
        From `build_planet`.
    towards : ndarray of float64, shape (3,)
        Direction from the middle of the planet; the place lies not far from it.

    Returns
    -------
    Standing
    """
    towards = towards / math.sqrt(float(np.square(towards).sum()))
    known = face_directions(_CANDIDATES).reshape(-1, 3)
    places = known[known @ towards > _ORBIT_AROUND]
    east, north = _level_axes(places)
    ahead = np.stack([c * east + s * north for c, s in _points_on_circle(_WAYS)], axis=1)
    along, aside = (np.array([float(of(a)) for a in _ORBIT_DISTANCES])[:, np.newaxis] for of in (cos, sin))
    seen = along * places[:, np.newaxis, np.newaxis] + aside * ahead[:, :, np.newaxis]
    nearest = nearest_samples(seen, planet.recipe.resolution)
    heights = planet.surface.ravel()[nearest]
    is_land = heights > planet.sea_level
    biomes = planet.biomes.ravel()[nearest]
    changes = (biomes[..., 1:] != biomes[..., :-1]).mean(axis=2)
    land = is_land.mean(axis=2)
    rough = heights.std(axis=2) * np.float32(planet.recipe.exaggeration / (_ROUGH * planet.recipe.radius))
    # Ice is white everywhere.
    ice = planet.maps["ice"].ravel()[nearest].mean(axis=2)
    worth = np.minimum(land / _LAND, np.maximum(2.0 - land / _LAND, 0.0)) + changes + 0.5 * np.minimum(rough, 1.0) - ice
    wide = sum(np.roll(worth, turn, axis=1) for turn in range(-_SIDES, _SIDES + 1))
    best, way = np.unravel_index(int(np.argmax(wide)), worth.shape)
    return Standing(places[best], ahead[best, way], _ORBIT)


def viewer_at(planet: Planet, standing: Standing) -> Viewer:
    """Return the eye of somebody at a place, mountains exaggerated as the look of the planet says.

    Parameters
    ----------
    planet : Planet
        From `build_planet`.
    standing : Standing
        Where.

    Returns
    -------
    Viewer
    """
    if standing.height > 0.0:
        below = math.acos(1.0 / (1.0 + standing.height)) + _ORBIT_DOWN
        sight = math.cos(below) * standing.ahead - math.sin(below) * standing.place
        return Viewer(standing.place * (1.0 + standing.height), sight, 1.0)
    own = near_heights(planet, standing.place[np.newaxis], np.array((_FINEST,)))[0]
    height = max(float(own), planet.sea_level)
    ground = 1.0 + height * planet.recipe.exaggeration / planet.recipe.radius
    below = math.acos(ground / (ground + _EYE)) + _DOWN
    sight = math.cos(below) * standing.ahead - math.sin(below) * standing.place
    return Viewer(standing.place * (ground + _EYE), sight, ground)


def _points_on_circle(count: int) -> list[tuple[float, float]]:
    """Cosine and sine of angles in equal steps around a circle."""
    angles = [2.0 * math.pi * k / count for k in range(count)]
    return [(float(cos(angle)), float(sin(angle))) for angle in angles]


def _level_axes(places: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """East and north at each place; at the poles any two level directions."""
    east = np.stack((-places[:, 1], places[:, 0], np.zeros(len(places))), axis=-1)
    length = np.sqrt(np.square(east).sum(axis=-1, keepdims=True))
    east = np.where(length > 1e-9, east / np.maximum(length, 1e-9), (1.0, 0.0, 0.0))
    return east, np.asarray(np.cross(places, east), np.float64)

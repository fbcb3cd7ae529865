"""Hollows of a planet that rivers have not filled yet: dug by the ice of the last cold age, or sinking still.

Rivers fill every hollow while the land rises, within a few million years.  What holds lakes on Earth is younger: most
of them lie where sheets of ice have scoured the rock, some where the crust sinks.

References
----------
Cook, S. J. & Swift, D. A. (2012). Subglacial basins: their origin and importance in glacial systems and landscapes.
Earth-Science Reviews 115, 332–372. doi:10.1016/j.earscirev.2012.09.009
Messager, M. L., Lehner, B., Grill, G., Nedeva, I. & Schmitt, O. (2016). Estimating the volume and age of water stored
in global lakes using a geo-statistical approach. Nature Communications 7, 13603. doi:10.1038/ncomms13603
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, parallel_kernel, portion
from ..foundation.hashing import Purpose
from ..foundation.parameters import ParameterSet, parameter
from ..foundation.terrain import Field
from .climate import PlanetClimate
from .cube_sphere import face_directions
from .point_noise import draw_noise, space_octaves

# Wavelength in degrees of the largest hollows, how many sizes there are, and the ratio of their depths.
_WAVELENGTH, _OCTAVES, _GAIN = 3.0, 5, 0.75
# Noise from which on the ground is hollow with an amount of 1, where ice lay and elsewhere, and how much more makes it
# as deep as it gets.
_UNDER_ICE, _ELSEWHERE, _SIDES = 0.12, 0.22, 0.06
# Mean temperatures of the year, in °C, from which down ice lay in cold ages: in part, and everywhere.
_ICE_BEGAN, _ICE_EVERYWHERE = 9.0, 0.0
# No hollow takes more than this share of the altitude of its place: land stays land.
_MOST_OF_LAND = 0.9
# Nor is one deeper than this share of the height of the land: level ground stays level, and small planets keep theirs.
_MOST_OF_RELIEF = 0.12


@dataclass(frozen=True)
class PlanetHollows(ParameterSet):
    """Young hollows, which hold lakes where enough rain falls."""

    amount: float = parameter(
        1.0,
        "How much of the land is hollow: 0 is none, 1 about as on Earth; most lie where ice was in cold ages",
        limits=(0.0, 10.0),
        soft=(0.0, 3.0),
    )
    depth: float = parameter(
        400.0, "How deep hollows are in their middle", unit="m", limits=(0.0, 10000.0), soft=(0.0, 1000.0)
    )


def draw_hollows(resolution: int, turn: npt.NDArray[np.float64], seed: int) -> Field:
    """Return where the ground is weak or sinks.

    Parameters
    ----------
    resolution : int
        Samples along an edge of a face.
    turn : ndarray of float64, shape (3, 3)
        Turns a direction on the planet into the space of the noise.
    seed : int
        Seed of the recipe.

    Returns
    -------
    ndarray of float32, shape (6, resolution, resolution)
        Noise around 0.
    """
    octaves = space_octaves(_WAVELENGTH, _OCTAVES, _GAIN, seed, Purpose.HOLLOWS, 180.0 / (resolution - 1))
    return draw_noise(octaves, turn, face_directions(resolution))


def dig_hollows(surface: Field, weak: Field, hollows: PlanetHollows, climate: PlanetClimate, sea_level: float) -> Field:
    """Return how deep young hollows are.

    Parameters
    ----------
    surface : ndarray of float32, shape (6, resolution, resolution)
        Metres above the sphere.
    weak : ndarray of float32, of the same shape
        From `draw_hollows`.
    hollows : PlanetHollows
        How many, and how deep; an amount above 0.
    climate : PlanetClimate
        Its temperature, difference and lapse rate say where ice lay.
    sea_level : float
        Altitude of the sea in metres; −inf for none.

    Returns
    -------
    ndarray of float32, of the same shape
        Metres, 0 or more; 0 below the sea.  All land stays above the sea.
    """
    depth = np.empty(surface.shape, np.float32)
    polar = face_directions(surface.shape[1])[..., 2]
    level = sea_level if math.isfinite(sea_level) else 0.0
    air = climate.temperature, climate.difference, 0.001 * climate.lapse_rate
    relief = float(surface.max()) - max(float(surface.min()), sea_level)
    deepest = min(hollows.depth, max(_MOST_OF_RELIEF * relief, 0.0))
    sizes = _UNDER_ICE / hollows.amount, _ELSEWHERE / hollows.amount, deepest
    _dig(surface.ravel(), weak.ravel(), polar.ravel(), air, sizes, (level, sea_level), depth.ravel())
    return depth


@parallel_kernel
def _dig(
    part: Part,
    surface: Array,
    weak: Array,
    polar: Array,
    air: tuple[float, float, float],
    sizes: tuple[float, float, float],
    levels: tuple[float, float],
    depth: Array,
) -> None:
    """Write how deep the hollow at each place is."""
    warmth, difference, lapse = air
    under_ice, elsewhere, deepest = sizes
    level, sea_level = levels
    for k in portion(part, surface.size):
        height = np.float64(surface[k])
        most = _MOST_OF_LAND * (height - sea_level)
        if most <= 0.0:
            depth[k] = 0.0
            continue
        temperature = warmth - difference * polar[k] * polar[k] - lapse * max(height - level, 0.0)
        t = min(max((temperature - _ICE_EVERYWHERE) / (_ICE_BEGAN - _ICE_EVERYWHERE), 0.0), 1.0)
        begins = under_ice + (elsewhere - under_ice) * t * t * (3.0 - 2.0 * t)
        t = min(max((weak[k] - begins) / _SIDES, 0.0), 1.0)
        depth[k] = min(deepest * t * t * (3.0 - 2.0 * t), most)

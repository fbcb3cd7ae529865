"""Biomes: what grows in which climate, and where ice lies.

References
----------
Whittaker, R. H. (1975). Communities and Ecosystems, 2nd ed., pp. 162–167. Macmillan.

Peel, M. C., Finlayson, B. L. & McMahon, T. A. (2007). Updated world map of the Köppen–Geiger climate classification.
Hydrology and Earth System Sciences 11, 1633–1644. doi:10.5194/hess-11-1633-2007

Ohmura, A., Kasser, P. & Funk, M. (1992). Climate at the equilibrium line of glaciers. Journal of Glaciology 38(130),
397–411. doi:10.3189/S0022143000002276
"""

from enum import IntEnum

import numpy as np
import numpy.typing as npt

from ..foundation.terrain import Field

BiomeNumbers = npt.NDArray[np.uint8]
"""A `Biome` for each sample."""


class Biome(IntEnum):
    """What covers a place."""

    ROCK = 0
    SEA = 1
    SEA_ICE = 2
    ICE = 3
    TUNDRA = 4
    TAIGA = 5
    TEMPERATE_GRASSLAND = 6
    WOODLAND = 7
    TEMPERATE_FOREST = 8
    TEMPERATE_RAINFOREST = 9
    DESERT = 10
    SAVANNA = 11
    SEASONAL_FOREST = 12
    RAINFOREST = 13


_SEA_FREEZES = -1.8  # °C
_MOST_SNOW = 2000.0  # mm per year; where more falls, much of it is rain
_ICE_ENDS = 6.0  # °C over which ice thins out
_TREES_END = 10.0  # °C of the warmest month
_TREES_BEGIN = 3.0  # °C of the whole year, about where taiga ends
_LEAST_RAIN = 50.0  # mm per year; with less, the coldest land too is desert


def classify_biomes(
    temperature: Field, warmest: Field, rain: Field, depth: Field, *, has_water: bool
) -> tuple[BiomeNumbers, Field]:
    """Return the biome of each sample, and how much of it is ice.

    Parameters
    ----------
    temperature, warmest : ndarray of float32, any shape
        °C, the mean of the year and of the warmest month.
    rain : ndarray of float32
        mm per year.
    depth : ndarray of float32
        Of the sea in metres; 0 or less on land.
    has_water : bool
        Whether water freezes on this planet; without it there is no ice.

    Returns
    -------
    biomes : ndarray of uint8
        Of `Biome`.
    ice : ndarray of float32
        0 to 1, changing smoothly where ice ends.

    References
    ----------
    Whittaker (1975), fig. 4.10: borders between biomes by temperature and rain.  Peel et al. (2007), table 1:
    deserts of any temperature.  Ohmura et al. (1992): the summer in which the snow of a year melts.
    """
    # Bands of temperature, and in each the rain at which one biome gives way to the next.
    is_warm, is_temperate = temperature > 19.0, temperature > 5.5
    warm = _by_rain(
        rain, (350.0, 1100.0, 2300.0), (Biome.DESERT, Biome.SAVANNA, Biome.SEASONAL_FOREST, Biome.RAINFOREST)
    )
    dry = np.where(temperature > 12.0, Biome.DESERT, Biome.TEMPERATE_GRASSLAND)
    temperate = _by_rain(
        rain,
        (260.0, 480.0, 800.0, 2000.0),
        (0, Biome.TEMPERATE_GRASSLAND, Biome.WOODLAND, Biome.TEMPERATE_FOREST, Biome.TEMPERATE_RAINFOREST),
    )
    temperate = np.where(temperate == 0, dry, temperate)
    cold = _by_rain(rain, (180.0, 330.0), (Biome.TUNDRA, Biome.TEMPERATE_GRASSLAND, Biome.TAIGA))
    cold = np.where((warmest < _TREES_END) | (temperature < _TREES_BEGIN - 10.0), Biome.TUNDRA, cold)
    biomes = np.where(is_warm, warm, np.where(is_temperate, temperate, cold))
    # Type BW with rain in all seasons: less than 5 (2 T + 14) mm.
    is_dry = rain < np.maximum(np.float32(10.0) * temperature + np.float32(70.0), np.float32(_LEAST_RAIN))
    biomes = np.where(is_dry, Biome.DESERT, biomes)
    is_sea = depth > 0.0
    ice = np.zeros(temperature.shape, np.float32)
    if has_water:
        # Ice stays where summers are too cold to melt the snow of a year; salt water freezes where even they are cold.
        lasting = np.where(is_sea, np.float32(_SEA_FREEZES), _snow_lasts(rain))
        ice = np.clip(np.float32(0.5) - (warmest - lasting) / np.float32(_ICE_ENDS), 0.0, 1.0)
    biomes = np.where(is_sea, Biome.SEA, biomes)
    biomes = np.where(ice > 0.5, np.where(is_sea, Biome.SEA_ICE, Biome.ICE), biomes)
    return biomes.astype(np.uint8), ice.astype(np.float32)


def _snow_lasts(rain: Field) -> Field:
    """°C of the warmest month up to which as much snow falls as melts: Ohmura et al. (1992), P = 645 + 296 T + 9 T²."""
    fallen = np.minimum(rain, np.float32(_MOST_SNOW)) - np.float32(645.0)
    return (np.sqrt(np.float32(296.0**2) + np.float32(36.0) * fallen) - np.float32(296.0)) / np.float32(18.0)


def _by_rain(rain: Field, limits: tuple[float, ...], biomes: tuple[int, ...]) -> npt.NDArray[np.uint8]:
    return np.array(biomes, np.uint8)[np.searchsorted(np.array(limits, np.float32), rain)]

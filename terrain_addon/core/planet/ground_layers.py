"""Layers of ground for engines: how much of each there is in any direction, from the biomes around it.

References
----------
Balinski, M. L. & Young, H. P. (1982). Fair Representation, pp. 16–23. Yale University Press.  (Largest remainders.)
"""

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, parallel_kernel, portion
from .biomes import Biome, BiomeNumbers
from .cube_sphere import Directions, locate

PLANET_LAYERS: dict[str, tuple[Biome, ...]] = {
    "rock": (Biome.ROCK,),
    "sand": (Biome.DESERT,),
    "tundra": (Biome.TUNDRA,),
    "grass": (Biome.TEMPERATE_GRASSLAND, Biome.SAVANNA),
    "forest": (Biome.TAIGA, Biome.WOODLAND, Biome.TEMPERATE_FOREST, Biome.TEMPERATE_RAINFOREST),
    "rainforest": (Biome.SEASONAL_FOREST, Biome.RAINFOREST),
    "ice": (Biome.ICE, Biome.SEA_ICE),
    "water": (Biome.SEA,),
}
"""Layers in the order of the weights, with the biomes that each is made of."""

_FULL = 255


def ground_layers(biomes: BiomeNumbers, directions: Directions) -> npt.NDArray[np.uint8]:
    """Return how much of each layer there is in each direction: the share of the four samples around it.

    Parameters
    ----------
    biomes : ndarray of uint8, shape (6, resolution, resolution)
        A `Biome` for each sample.
    directions : ndarray of float64, shape (…, 3)
        Where to look; of any length above 0.

    Returns
    -------
    ndarray of uint8, shape (…, 8)
        In the order of `PLANET_LAYERS`.  The weights of a place add up to exactly 255 (largest remainder method).

    Examples
    --------
    >>> from .cube_sphere import face_directions
    >>> ground_layers(np.full((6, 3, 3), Biome.DESERT, np.uint8), face_directions(2))[0, 0, 0].tolist()
    [0, 255, 0, 0, 0, 0, 0, 0]
    """
    layer_of = np.zeros(len(Biome), np.int64)
    for number, members in enumerate(PLANET_LAYERS.values()):
        layer_of[list(members)] = number
    places = np.ascontiguousarray(directions, np.float64).reshape(-1, 3)
    weights = np.empty((len(places), len(PLANET_LAYERS)), np.uint8)
    _weigh(np.ascontiguousarray(biomes), layer_of, places, weights)
    return weights.reshape(*directions.shape[:-1], len(PLANET_LAYERS))


@parallel_kernel
def _weigh(part: Part, biomes: Array, layer_of: Array, places: Array, weights: Array) -> None:
    """Write the weights of all layers at each place."""
    resolution, layers = biomes.shape[1], weights.shape[1]
    shares = np.empty(layers, np.float64)
    for k in portion(part, len(places)):
        face, row, column = locate(places[k, 0], places[k, 1], places[k, 2], resolution)
        i, j = min(np.int64(row), resolution - 2), min(np.int64(column), resolution - 2)
        a, b = row - i, column - j
        shares[:] = 0.0
        for up in range(2):
            for right in range(2):
                weight = (a if up else 1.0 - a) * (b if right else 1.0 - b)
                shares[layer_of[biomes[face, i + up, j + right]]] += _FULL * weight
        given = np.int64(0)
        for layer in range(layers):
            whole = np.int64(shares[layer])
            weights[k, layer] = whole
            shares[layer] -= whole
            given += whole
        while given < _FULL:
            largest = 0
            for layer in range(1, layers):
                if shares[layer] > shares[largest]:
                    largest = layer
            weights[k, largest] += 1
            shares[largest] = -1.0
            given += 1

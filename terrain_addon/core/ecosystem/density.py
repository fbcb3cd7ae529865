"""How suitable each place is for a species: response curves over maps, combined.

The published model multiplies soil by light plus water, D = C_S(S) · (C_I(I) + C_H(H)), clamped to [0, 1]: soil is
critical, light and water make up for one another.  Slope and altitude multiply.
"""

from dataclasses import dataclass

import numpy as np

from ..compilation import Array, kernel, parallel_kernel, prange
from ..terrain import Field
from .species import Species

COMBINATIONS = {
    "product_sum": "Soil times the sum of light and water: light and water make up for one another",
    "mean": "Mean of soil, light and water",
    "sum": "Sum of soil, light and water, at most 1",
    "min": "The scarcest of soil, light and water decides",
}
_COMBINATION = {name: index for index, name in enumerate(COMBINATIONS)}


@dataclass(frozen=True)
class Habitat:
    """The maps that species respond to, all float32 (rows, columns).

    Attributes
    ----------
    sediment : metres of loose ground
    illumination, humidity : [0, 1]
    slope : degrees
    altitude : metres
    """

    sediment: Field
    illumination: Field
    humidity: Field
    slope: Field
    altitude: Field


def plant_density(habitat: Habitat, species: Species, combination: str = "product_sum") -> Field:
    """Return how suitable each cell is for a species.

    Parameters
    ----------
    habitat : Habitat
        What the place offers.
    species : Species
        What it likes.
    combination : str
        A key of `COMBINATIONS`.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Probability in [0, 1] that a plant could stand there.

    Raises
    ------
    ValueError
        If the combination is unknown.
    """
    if combination not in _COMBINATION:
        raise ValueError(f"combination = {combination!r} is none of: {', '.join(COMBINATIONS)}")
    curves = np.array(
        [
            species.sediment_response,
            species.illumination_response,
            species.humidity_response,
            species.slope_response,
            species.altitude_response,
        ],
        np.float32,
    )
    density = np.empty_like(habitat.altitude)
    maps = (habitat.sediment, habitat.illumination, habitat.humidity, habitat.slope, habitat.altitude)
    _combine(*maps, curves, _COMBINATION[combination], density)
    return density


@kernel
def respond(value: np.float32, curve: Array) -> np.float32:
    """Height of a piecewise-linear curve (points, 2) at a value; level beyond its ends, the later point at a step."""
    last = curve.shape[0] - 1
    if value >= curve[last, 0]:
        return curve[last, 1]
    for k in range(last, 0, -1):
        if value >= curve[k - 1, 0]:
            share = (value - curve[k - 1, 0]) / (curve[k, 0] - curve[k - 1, 0])
            return curve[k - 1, 1] + share * (curve[k, 1] - curve[k - 1, 1])
    return curve[0, 1]


@parallel_kernel
def _combine(
    sediment: Array,
    illumination: Array,
    humidity: Array,
    slope: Array,
    altitude: Array,
    curves: Array,
    combination: int,
    density: Array,
) -> None:
    one = np.float32(1.0)
    for row in prange(density.shape[0]):
        for column in range(density.shape[1]):
            soil = respond(sediment[row, column], curves[0])
            light = respond(illumination[row, column], curves[1])
            water = respond(humidity[row, column], curves[2])
            if combination == 0:
                base = soil * (light + water)
            elif combination == 1:
                base = (soil + light + water) * np.float32(1.0 / 3.0)
            elif combination == 2:
                base = soil + light + water
            else:
                base = min(soil, light, water)
            factor = respond(slope[row, column], curves[3]) * respond(altitude[row, column], curves[4])
            density[row, column] = min(base, one) * factor

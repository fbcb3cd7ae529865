"""How suitable each place is for a species: response curves over maps, combined.

The published model multiplies soil by light plus water, D = C_S(S) · (C_I(I) + C_H(H)), clamped to [0, 1]: soil is
critical, light and water make up for one another.  Slope, altitude, distance to water, temperature, rain and a painted
map multiply.

>>> place = np.full((2, 2), 0.5, np.float32)
>>> zero = np.zeros((2, 2), np.float32)
>>> float(plant_density(Habitat(place, place, place, zero, zero), Species())[0, 0])
1.0
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import NamedTuple

import numpy as np

from ..flow.water import Waters
from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.parameters import Named
from ..foundation.terrain import Field, as_field
from .species import Species

COMBINATIONS = {
    "product_sum": Named(
        "Soil × (Light + Water)", "Soil times the sum of light and water: light and water make up for one another"
    ),
    "mean": "Mean of soil, light and water",
    "sum": "Sum of soil, light and water, at most 1",
    "min": Named("Scarcest", "The scarcest of soil, light and water decides"),
}
_COMBINATION = {name: index for index, name in enumerate(COMBINATIONS)}
_PRODUCT_SUM, _MEAN, _SUM = (_COMBINATION[name] for name in ("product_sum", "mean", "sum"))


class _Response(NamedTuple):
    """What a species likes: curves for soil, light, water, slope and altitude, and how the first three combine."""

    curves: Array
    combination: int


# Which curve is for which map.
_SOIL, _LIGHT, _WATER, _SLOPE, _ALTITUDE = range(5)


@dataclass(frozen=True)
class Habitat:
    """The maps that species respond to, all float32 (rows, columns).

    Attributes
    ----------
    sediment : metres of loose ground
    illumination, humidity : [0, 1]
    slope : degrees
    altitude : metres
    water_distance : metres to the nearest lake or river, None where the land has neither
    painted : maps in [0, 1] that somebody painted, by name
    waters : sea, lakes and rivers, which keep plants away; None where the land has none
    moved_ground : metres of ground that slides have brought or taken, None where nothing slid
    temperature : mean of the year in °C, None where no climate is known
    rain : mm per year, None where no climate is known

    Raises
    ------
    ValueError
        If a map holds NaN or infinity, or is not of the same shape as the others.
    """

    sediment: Field
    illumination: Field
    humidity: Field
    slope: Field
    altitude: Field
    water_distance: Field | None = None
    painted: Mapping[str, Field] = field(default_factory=dict)
    waters: Waters | None = None
    moved_ground: Field | None = None
    temperature: Field | None = None
    rain: Field | None = None

    def __post_init__(self) -> None:
        for name in (one.name for one in fields(self) if one.name not in ("painted", "waters")):
            values = getattr(self, name)
            if values is not None:
                object.__setattr__(self, name, self._checked(values, name))
        object.__setattr__(
            self, "painted", {name: self._checked(values, f"map {name!r}") for name, values in self.painted.items()}
        )
        if self.waters is not None:
            self._checked(self.waters.water_depth, "water depth")

    def _checked(self, values: Field, name: str) -> Field:
        checked = as_field(values, name)
        if checked.shape != self.sediment.shape:
            raise ValueError(f"{name} has shape {checked.shape} but sediment {self.sediment.shape}")
        return checked


def plant_density(habitat: Habitat, species: Species, combination: str = "product_sum") -> Field:
    """Return how suitable each cell is for a species.

    Parameters
    ----------
    habitat : Habitat
        What the place offers.  Where it has no water, every place counts as endlessly far from it; where it has no
        climate, temperature and rain make no difference.
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
        If the combination is unknown, or the land has no map of the name that the species asks for.
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
    _combine(*maps, _Response(curves, _COMBINATION[combination]), density)
    if habitat.water_distance is None:
        density *= np.float32(species.water_response[-1][1])
    else:
        _multiply(habitat.water_distance, np.array(species.water_response, np.float32), density)
    for values, curve in ((habitat.temperature, species.temperature_response), (habitat.rain, species.rain_response)):
        if values is not None and any(share != 1.0 for _, share in curve):
            _multiply(values, np.array(curve, np.float32), density)
    if species.painted_map:
        _multiply(_painted(habitat, species), np.array(species.painted_response, np.float32), density)
    return density


def _painted(habitat: Habitat, species: Species) -> Field:
    """The painted map that a species responds to."""
    if species.painted_map not in habitat.painted:
        there_are = ", ".join(habitat.painted) or "none"
        raise ValueError(
            f"{species.name} responds to a painted map {species.painted_map!r}, which the land does not have; "
            f"painted maps: {there_are}"
        )
    return habitat.painted[species.painted_map]


@kernel
def respond(value: np.float32, curve: Array) -> np.float32:
    """Return the height of a piecewise-linear curve at a value.

    Parameters
    ----------
    value : float32
        Where.
    curve : ndarray of float32, shape (points, 2)
        Points (value, height) from left to right.  It is level beyond its ends; at a step the later point counts.

    Returns
    -------
    float32
    """
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
    part: Part,
    sediment: Array,
    illumination: Array,
    humidity: Array,
    slope: Array,
    altitude: Array,
    response: _Response,
    density: Array,
) -> None:
    """Write the density that follows from the maps that each species responds to."""
    one = np.float32(1.0)
    curves, combination = response
    for row in portion(part, density.shape[0]):
        for column in range(density.shape[1]):
            soil = respond(sediment[row, column], curves[_SOIL])
            light = respond(illumination[row, column], curves[_LIGHT])
            water = respond(humidity[row, column], curves[_WATER])
            if combination == _PRODUCT_SUM:
                base = soil * (light + water)
            elif combination == _MEAN:
                base = (soil + light + water) * np.float32(1.0 / 3.0)
            elif combination == _SUM:
                base = soil + light + water
            else:
                base = min(soil, light, water)
            factor = respond(slope[row, column], curves[_SLOPE]) * respond(altitude[row, column], curves[_ALTITUDE])
            density[row, column] = min(base, one) * factor


@parallel_kernel
def _multiply(part: Part, values: Array, curve: Array, density: Array) -> None:
    """Multiply density by the response to one map."""
    for row in portion(part, density.shape[0]):
        for column in range(density.shape[1]):
            density[row, column] *= respond(values[row, column], curve)

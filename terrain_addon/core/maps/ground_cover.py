"""What covers the ground: up to eight layers, each with a weight, as game engines need them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.terrain import Field

LAYERS = ("rock", "scree", "soil", "grass", "forest_floor", "sand", "snow", "water")
"""Kinds of ground cover from the bottom to the top: each hides what lies under it."""


@dataclass(frozen=True)
class Site:
    """The maps that decide what covers the ground.

    Attributes
    ----------
    altitude : ndarray of float32, shape (rows, columns)
        Height of the ground in metres.
    sediment : ndarray of float32, shape (rows, columns)
        Thickness of loose ground in metres.
    slope : ndarray of float32, shape (rows, columns)
        Degrees.
    humidity : ndarray of float32, shape (rows, columns)
        Scaled topographic wetness index in [0, 1].
    sky_view : ndarray of float32, shape (rows, columns)
        Sky view factor in [0, 1]; where it is low, snow stays longer in the shade.
    water_depth : ndarray of float32, shape (rows, columns)
        Depth of standing water in metres.
    water_distance : ndarray of float32, shape (rows, columns)
        Distance to the nearest water in metres.
    snow_depth : ndarray of float32, shape (rows, columns), or None
        Depth of snow in metres; None where the snow line says where it lies.
    """

    altitude: Field
    sediment: Field
    slope: Field
    humidity: Field
    sky_view: Field
    water_depth: Field
    water_distance: Field
    snow_depth: Field | None = None

    @property
    def fields(self) -> dict[str, Field]:
        """The maps that are there, by name."""
        return {name: field for name, field in vars(self).items() if field is not None}


def splat_weights(
    site: Site,
    *,
    snow_line: float = 2000.0,
    tree_line: float = 1700.0,
    vegetation: float = 1.0,
    layers: Sequence[str] = LAYERS,
) -> npt.NDArray[np.uint8]:
    """Return the weight of each layer of ground cover.

    The layers lie on top of each other, and each hides a share of those below.  If a layer is left out, those below it
    become visible.

    Parameters
    ----------
    site : Site
        The maps of the land.
    snow_line : float
        Altitude in metres above which snow stays, except on steep slopes.  In the shade it stays lower down, too.
        It does not count where the site says how deep snow lies.
    tree_line : float
        Altitude in metres above which the forest floor is replaced by grass, and higher up grass by scree.
    vegetation : float
        Share of the ground that is green where plants can grow, 0 to 1.
    layers : sequence of str
        Some of `LAYERS`.  The lowest of them covers what no other layer covers.

    Returns
    -------
    ndarray of uint8, shape (rows, columns, len(layers))
        In the order of `layers`.  The weights of a cell add up to exactly 255 (largest remainder method; of equal
        remainders that of the lowest layer is rounded up).

    Raises
    ------
    ValueError
        If `layers` is empty, names a layer twice or an unknown one, or the maps differ in shape.
    """
    unknown = [name for name in layers if name not in LAYERS]
    if unknown or not layers or len(set(layers)) != len(layers):
        raise ValueError(f"layers = {list(layers)!r} must be some of: {', '.join(LAYERS)}")
    for name, field in site.fields.items():
        if field.shape != site.altitude.shape:
            raise ValueError(f"{name} has shape {field.shape} but altitude {site.altitude.shape}")
    used = np.array([name in layers for name in LAYERS])
    weights = np.empty((*site.altitude.shape, len(LAYERS)), np.uint8)
    ground = _Ground(site.altitude, site.sediment, site.slope, site.humidity, site.sky_view)
    limits = _Limits(np.float32(snow_line), np.float32(tree_line), np.float32(vegetation))
    snow = np.empty((0, 0), np.float32) if site.snow_depth is None else site.snow_depth
    _weigh_layers(ground, (site.water_depth, site.water_distance, snow), limits, used, weights)
    return np.ascontiguousarray(weights[:, :, [LAYERS.index(name) for name in layers]])


class _Ground(NamedTuple):
    """The maps of a `Site` without those of the water."""

    altitude: Array
    sediment: Array
    slope: Array
    humidity: Array
    sky_view: Array


class _Limits(NamedTuple):
    """Altitudes of the snow line and the tree line in metres, and the share of the ground that is green."""

    snow_line: np.float32
    tree_line: np.float32
    vegetation: np.float32


@kernel
def ramp(value: np.float32, low: float, high: float) -> np.float32:
    """Return a smooth step: 0 at `low`, 1 at `high`, and 3t² − 2t³ between.

    Parameters
    ----------
    value : float32
        Any number.
    low, high : float
        Where the step begins and ends, in the unit of `value`.  `high` may be less than `low`.

    Returns
    -------
    float32
        In [0, 1].
    """
    t = min(max((value - np.float32(low)) / np.float32(high - low), np.float32(0.0)), np.float32(1.0))
    return t * t * (np.float32(3.0) - np.float32(2.0) * t)


@parallel_kernel
def _weigh_layers(
    part: Part,
    ground: _Ground,
    waters: tuple[Array, Array, Array],
    limits: _Limits,
    used: Array,
    weights: Array,
) -> None:
    """Write the weights of all eight layers in each cell; a layer that is not in `used` gets 0.

    `waters` are depth of and distance from water, and depth of snow, which is empty where it is not known.
    """
    water_depth, water_distance, snow_depth = waters
    altitudes, sediments, slopes, humidities, skies = ground
    snow_line, tree_line, vegetation = limits
    one, full = np.float32(1.0), np.float32(255.0)
    for row in portion(part, weights.shape[0]):
        cover = np.empty(8, np.float32)
        for column in range(weights.shape[1]):
            altitude, sediment, slope = altitudes[row, column], sediments[row, column], slopes[row, column]
            humidity, sky = humidities[row, column], skies[row, column]
            depth, distance = water_depth[row, column], water_distance[row, column]
            loose = ramp(sediment, 0.02, 0.4)
            below_trees = ramp(altitude - tree_line, 120.0, -120.0)
            below_grass = ramp(altitude - tree_line, 500.0, 0.0)
            gentle = ramp(slope, 42.0, 30.0)
            # The share of the layers below that each layer hides.
            cover[0] = one
            cover[1] = max(ramp(sediment, 0.005, 0.1), loose) * ramp(slope, 48.0, 38.0)
            cover[2] = loose * ramp(slope, 38.0, 26.0) * below_grass
            cover[3] = loose * gentle * ramp(humidity, 0.02, 0.18) * below_grass * vegetation
            cover[4] = ramp(sediment, 0.1, 0.6) * gentle * ramp(humidity, 0.2, 0.42) * below_trees * vegetation
            cover[5] = ramp(sediment, 0.05, 0.3) * ramp(slope, 12.0, 5.0) * ramp(distance, 18.0, 4.0)
            cover[6] = ramp(altitude - snow_line - np.float32(400.0) * (sky - one), -80.0, 80.0) * ramp(
                slope, 56.0, 42.0
            )
            if snow_depth.size > 0:
                cover[6] = ramp(snow_depth[row, column], 0.02, 0.15)
            cover[7] = ramp(depth, 0.0, 0.3)
            _share_out(cover, used, full, weights[row, column])


@kernel
def _share_out(cover: Array, used: Array, full: np.float32, weights: Array) -> None:
    """Turn covers, from the bottom to the top, into integer weights that add up to `full`; overwrite the covers."""
    left = full
    lowest = 0
    while not used[lowest]:
        lowest += 1
    given = np.int32(0)
    for layer in range(cover.size - 1, -1, -1):
        weight = np.float32(0.0)
        if used[layer]:
            weight = left if layer == lowest else left * cover[layer]
        left -= weight
        whole = np.int32(weight)
        weights[layer] = whole
        given += whole
        cover[layer] = weight - np.float32(whole)
    for _ in range(np.int32(full) - given):
        largest = lowest
        for layer in range(lowest + 1, cover.size):
            if cover[layer] > cover[largest]:
                largest = layer
        weights[largest] += 1
        cover[largest] = np.float32(-1.0)

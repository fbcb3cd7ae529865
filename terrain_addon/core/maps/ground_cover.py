"""What covers the ground: up to eight layers with a weight each, as game engines want them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.terrain import Field

LAYERS = ("rock", "scree", "soil", "grass", "forest_floor", "sand", "snow", "water")
"""From the bottom to the top: each covers what lies under it."""


@dataclass(frozen=True)
class Site:
    """The maps that decide what covers the ground, all float32 (rows, columns).

    Attributes
    ----------
    altitude : metres
    sediment : metres of loose ground
    slope : degrees
    humidity : [0, 1]
    sky_view : [0, 1], 1 where no shadow keeps snow
    water_depth : metres of standing water
    water_distance : metres to the nearest water
    """

    altitude: Field
    sediment: Field
    slope: Field
    humidity: Field
    sky_view: Field
    water_depth: Field
    water_distance: Field


def splat_weights(
    site: Site,
    *,
    snow_line: float = 2000.0,
    tree_line: float = 1700.0,
    vegetation: float = 1.0,
    layers: Sequence[str] = LAYERS,
) -> npt.NDArray[np.uint8]:
    """Return the weight of each layer of ground cover.

    Layers lie upon one another; each hides a share of those below.  A layer that is left out shows what it would have
    hidden.

    Parameters
    ----------
    site : Site
        What the land is like.
    snow_line : float
        Altitude in metres above which snow stays where it is not too steep; it stays lower in the shade.
    tree_line : float
        Altitude in metres above which the forest floor gives way to grass, and grass to scree.
    vegetation : float
        How much of the ground that could be green is, 0 to 1.
    layers : sequence of str
        Some of `LAYERS`; the lowest of them covers what nothing else does.

    Returns
    -------
    ndarray of uint8, shape (rows, columns, len(layers))
        In the order of `layers`.  The weights of a cell add up to exactly 255 (largest remainder; of equal remainders
        the lowest layer's counts).

    Raises
    ------
    ValueError
        If `layers` is empty or names a layer twice or one that there is not, or maps differ in shape.
    """
    unknown = [name for name in layers if name not in LAYERS]
    if unknown or not layers or len(set(layers)) != len(layers):
        raise ValueError(f"layers = {list(layers)!r} must be some of: {', '.join(LAYERS)}")
    for name, field in vars(site).items():
        if field.shape != site.altitude.shape:
            raise ValueError(f"{name} has shape {field.shape} but altitude {site.altitude.shape}")
    used = np.array([name in layers for name in LAYERS])
    weights = np.empty((*site.altitude.shape, len(LAYERS)), np.uint8)
    maps = (site.altitude, site.sediment, site.slope, site.humidity, site.sky_view)
    lines = np.float32(snow_line), np.float32(tree_line), np.float32(vegetation)
    _weigh(maps, site.water_depth, site.water_distance, *lines, used, weights)
    return np.ascontiguousarray(weights[:, :, [LAYERS.index(name) for name in layers]])


@kernel
def ramp(value: np.float32, low: float, high: float) -> np.float32:
    """0 at `low`, 1 at `high`, smooth between (3t² − 2t³); `high` may be the smaller."""
    t = min(max((value - np.float32(low)) / np.float32(high - low), np.float32(0.0)), np.float32(1.0))
    return t * t * (np.float32(3.0) - np.float32(2.0) * t)


@parallel_kernel
def _weigh(
    part: Part,
    maps: tuple[Array, Array, Array, Array, Array],
    water_depth: Array,
    water_distance: Array,
    snow_line: np.float32,
    tree_line: np.float32,
    vegetation: np.float32,
    used: Array,
    weights: Array,
) -> None:
    altitudes, sediments, slopes, humidities, skies = maps
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
            # How much of what lies below each layer hides.
            cover[0] = one
            cover[1] = max(ramp(sediment, 0.005, 0.1), loose) * ramp(slope, 48.0, 38.0)
            cover[2] = loose * ramp(slope, 38.0, 26.0) * below_grass
            cover[3] = loose * gentle * ramp(humidity, 0.02, 0.18) * below_grass * vegetation
            cover[4] = ramp(sediment, 0.1, 0.6) * gentle * ramp(humidity, 0.2, 0.42) * below_trees * vegetation
            cover[5] = ramp(sediment, 0.05, 0.3) * ramp(slope, 12.0, 5.0) * ramp(distance, 18.0, 4.0)
            cover[6] = ramp(altitude - snow_line - np.float32(400.0) * (sky - one), -80.0, 80.0) * ramp(
                slope, 56.0, 42.0
            )
            cover[7] = ramp(depth, 0.0, 0.3)
            _share_out(cover, used, full, weights[row, column])


@kernel
def _share_out(cover: Array, used: Array, full: np.float32, weights: Array) -> None:
    """Turn covers from the bottom to the top into whole weights that add up to `full`; the covers are used up."""
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

"""How densely the ground around a land is covered by crowns: as the land itself, at the same altitude and slope."""

import math
from typing import NamedTuple

import bpy
import numpy as np
import numpy.typing as npt

from ...core.ecosystem.crown_cover import hidden_by_crowns
from ..data.attributes import read_floats, read_positions
from .far_ground import FarGround, InnerGround

_CELLS = 64  # along the width of the land, for which crowns are counted
_BANDS = 12  # of altitude and of slope


class _Classes(NamedTuple):
    """Inner limits of bands of altitude and of slope, each with equally many samples."""

    heights: npt.NDArray[np.floating]
    slopes: npt.NDArray[np.floating]

    def of(self, heights: npt.NDArray[np.float32], slopes: npt.NDArray[np.float32]) -> npt.NDArray[np.intp]:
        """Return the class of each sample."""
        return np.searchsorted(self.heights, heights) * _BANDS + np.searchsorted(self.slopes, slopes)


def far_canopy(land: bpy.types.Object, inner: InnerGround, ground: FarGround) -> npt.NDArray[np.float32]:
    """Return which share of the ground around a land crowns cover, 0 to 1 at each vertex.

    Parameters
    ----------
    land : Object
        Whose plants are counted; without plants nothing is covered.
    inner : InnerGround
        Its ground.
    ground : FarGround
        The ground around it.
    """
    plants = land.landscape.plants
    heights = None if plants is None else read_floats(plants.data, "height")
    if heights is None or not heights.size or "slope" not in inner.fields:
        return np.zeros(len(ground.positions), np.float32)
    cover = _cover(read_positions(plants.data), heights, inner)
    rows, columns = inner.heights.shape
    up = np.rint((np.arange(cover.shape[0]) + 0.5) / cover.shape[0] * (rows - 1)).astype(np.intp)
    along = np.rint((np.arange(cover.shape[1]) + 0.5) / cover.shape[1] * (columns - 1)).astype(np.intp)
    here, steep = (inner.fields[name][np.ix_(up, along)].ravel() for name in ("height", "slope"))
    shares = np.linspace(0.0, 1.0, _BANDS + 1)[1:-1]
    classes = _Classes(np.quantile(here, shares), np.quantile(steep, shares))
    number = classes.of(here, steep)
    count = np.bincount(number, minlength=_BANDS * _BANDS)
    total = np.bincount(number, weights=cover.ravel(), minlength=_BANDS * _BANDS)
    table = np.where(count > 0, total / np.maximum(count, 1), cover.mean())
    return table[classes.of(ground.positions[:, 2], ground.maps["slope"])].astype(np.float32)


def _cover(
    places: npt.NDArray[np.float32], heights: npt.NDArray[np.float32], inner: InnerGround
) -> npt.NDArray[np.float32]:
    """Return which share of each cell of the land crowns cover, where they stand as chance puts them."""
    columns, rows = _CELLS, max(round(_CELLS * inner.depth / inner.width), 2)
    x, y = (places[:, 0] / inner.width + 0.5) * columns, (places[:, 1] / inner.depth + 0.5) * rows
    root_area = math.sqrt(inner.width * inner.depth / (rows * columns))
    return hidden_by_crowns(x, y, heights / root_area, (rows, columns))

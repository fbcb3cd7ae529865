"""Lakes: each depression is filled with water up to the level at which it spills."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, kernel
from ..foundation.terrain import Field
from .basins import Basins


@dataclass(frozen=True)
class Lakes:
    """The lakes of a land, the largest first.

    Attributes
    ----------
    level : ndarray of float32, shape (lakes,)
        Height of the water surface in metres.
    outlet : ndarray of int32, shape (lakes,)
        Flat index of the pour point: the cell over which the lake spills, as high as the water.  It lies beside the
        water, unless level ground lies between them.
    area : ndarray of float64, shape (lakes,)
        m².
    volume : ndarray of float64, shape (lakes,)
        m³.
    greatest_depth : ndarray of float32, shape (lakes,)
        Metres.
    cell, number : ndarray of int32, shape (cells under lakes,)
        Flat index of each cell under a lake, in rising order, and the number of that lake.
    shape : tuple of int
        (rows, columns) of the land.
    """

    level: npt.NDArray[np.float32]
    outlet: npt.NDArray[np.int32]
    area: npt.NDArray[np.float64]
    volume: npt.NDArray[np.float64]
    greatest_depth: npt.NDArray[np.float32]
    cell: npt.NDArray[np.int32]
    number: npt.NDArray[np.int32]
    shape: tuple[int, int]

    @property
    def labels(self) -> npt.NDArray[np.int32]:
        """Number of the lake that covers each cell, −1 where it is dry: int32 (rows, columns), made at each reading."""
        labels = np.full(self.shape, -1, np.int32)
        labels.ravel()[self.cell] = self.number
        return labels

    def __len__(self) -> int:
        return len(self.level)


def find_lakes(
    surface: Field,
    cell_size: float,
    basins: Basins | None,
    *,
    smallest_area: float = 0.0,
    shallowest: float = 0.0,
    always: Array | None = None,
) -> Lakes:
    """Return the lakes of a land on which every depression is full of water.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    cell_size : float
        Metres.
    basins : Basins or None
        Basins of this surface, from `find_basins`; None if it has no depressions.
    smallest_area : float
        Area in m²; smaller depressions stay dry.
    shallowest : float
        Depth in metres; depressions that are nowhere deeper stay dry.
    always : ndarray of int, shape (cells,), optional
        Flat indices; a depression with one of these cells under water is a lake of any size.

    Returns
    -------
    Lakes
        Level, pour point and size of each, and the lake of each cell.

    References
    ----------
    Cordonnier, G., Bovy, B., & Braun, J. (2019). A versatile, linear complexity algorithm for flow routing in
    topographies with depressions. Earth Surface Dynamics, 7, 549–562. doi:10.5194/esurf-7-549-2019
    """
    if basins is None:
        none, nowhere = np.empty(0, np.float32), np.empty(0, np.int32)
        return Lakes(none, nowhere, np.empty(0), np.empty(0), none, nowhere, nowhere, surface.shape)

    lake = np.empty(len(basins), np.int32)
    spills = np.empty(len(basins), np.int32)
    count = _join_basins(basins.order, basins.parent, basins.pass_height, basins.level, lake, spills)
    spills = spills[:count]
    cells, depth_sum = np.zeros(count, np.int64), np.zeros(count)
    deepest = np.zeros(count, np.float32)
    _measure(surface.ravel(), basins.labels, lake, basins.level, cells, depth_sum, deepest)

    area = cells * cell_size**2
    is_kept = (area >= smallest_area) & (deepest > shallowest)
    if always is not None:
        basin = basins.labels.ravel()[always]
        is_kept[lake[basin[surface.ravel()[always] < basins.level[basin]]]] = True
    kept = np.flatnonzero((cells > 0) & is_kept)
    kept = kept[np.argsort(-area[kept], kind="stable")]
    number = np.full(count + 1, -1, np.int32)  # the last entry is for basin 0, which is in no lake
    number[kept] = np.arange(len(kept), dtype=np.int32)
    number = number[lake]
    cell = np.empty(int(cells[kept].sum()), np.int32)
    _list_cells(surface.ravel(), basins.labels, basins.level, number, cell)

    spill = spills[kept]
    near, far = basins.pass_from[spill], basins.pass_to[spill]
    outlet = np.where(surface.ravel()[near] >= surface.ravel()[far], near, far)
    return Lakes(
        basins.level[spill].astype(np.float32),
        outlet,
        area[kept],
        depth_sum[kept] * cell_size**2,
        deepest[kept],
        cell,
        number[basins.labels[cell]],
        surface.shape,
    )


@kernel
def _join_basins(order: Array, parent: Array, pass_height: Array, level: Array, lake: Array, spills: Array) -> int:
    """Number the lakes: a basin whose pass lies under water belongs to the same lake as the basin beyond the pass."""
    count = 0
    lake[0] = -1
    for basin in order:
        if basin == 0:
            continue
        if pass_height[basin] < level[basin]:
            lake[basin] = lake[parent[basin]]
        else:
            lake[basin] = count
            spills[count] = basin
            count += 1
    return count


@kernel
def _measure(
    heights: Array, labels: Array, lake: Array, level: Array, cells: Array, depth_sum: Array, deepest: Array
) -> None:
    """Count the cells of each lake, add up their depths and find the greatest depth."""
    for cell in range(heights.size):
        basin = labels[cell]
        if heights[cell] < level[basin]:
            depth = level[basin] - heights[cell]
            number = lake[basin]
            cells[number] += 1
            depth_sum[number] += depth
            deepest[number] = max(deepest[number], depth)


@kernel
def _list_cells(heights: Array, basins: Array, level: Array, number: Array, cells: Array) -> None:
    """Write the cells under lakes; `number` holds the lake of each basin, or −1."""
    count = 0
    for cell in range(heights.size):
        basin = basins[cell]
        if heights[cell] < level[basin] and number[basin] >= 0:
            cells[count] = cell
            count += 1

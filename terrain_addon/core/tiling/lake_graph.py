"""The lakes of a land that is cut into blocks: depressions that are full of water."""

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, kernel
from .basin_graph import LandBasins
from .block_flow import Amounts


def find_lake_levels(
    basins: LandBasins, wet: Amounts, deepest: npt.NDArray[np.float64], fewest_cells: float, shallowest: float
) -> npt.NDArray[np.float64]:
    """Return the level of the lake in each basin.

    Parameters
    ----------
    basins : LandBasins
        All basins.
    wet : ndarray of int64, shape (basins,)
        Cells of each basin that lie below its level.
    deepest : ndarray of float64, shape (basins,)
        Greatest depth of each basin in metres.
    fewest_cells : float
        Lakes with fewer cells stay dry.
    shallowest : float
        Metres; lakes that are nowhere deeper stay dry.

    Returns
    -------
    ndarray of float64, shape (basins,)
        Metres; minus infinity where there is no lake.

    References
    ----------
    Cordonnier, G., Bovy, B., & Braun, J. (2019). A versatile, linear complexity algorithm for flow routing in
    topographies with depressions. Earth Surface Dynamics, 7, 549–562. doi:10.5194/esurf-7-549-2019
    """
    lake = np.zeros(len(basins.pit), np.int32)
    _join_lakes(basins.order, basins.parent, basins.pass_height, basins.level, lake)
    cells, depth = np.zeros(lake.size, np.int64), np.zeros(lake.size)
    np.add.at(cells, lake, wet)
    np.maximum.at(depth, lake, deepest)
    kept = (cells > 0) & (cells >= fewest_cells) & (depth > shallowest)
    kept[0] = False
    return np.where(kept[lake], basins.level, -np.inf)


@kernel
def _join_lakes(order: Array, parent: Array, pass_height: Array, level: Array, lake: Array) -> None:
    """A basin whose pass lies under water belongs to the lake beyond the pass; a lake has the number of a basin."""
    for basin in order:
        if basin > 0:
            lake[basin] = lake[parent[basin]] if pass_height[basin] < level[basin] else basin

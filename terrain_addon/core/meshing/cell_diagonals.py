"""Along which diagonal each cell of a mesh is divided into two triangles.

Divided everywhere from south-west to north-east, valleys and crests that run to the other side become rows of teeth:
a river in such a valley would climb over a dam in each cell.  So each cell is divided along the diagonal whose middle
is closer to a smooth surface through the samples around it, the choice that data-dependent triangulations make [1]_.
The smooth surface is the four-point interpolation of Deslauriers and Dubuc [2]_.

On an even slope both are as close.  There the diagonal that is nearer to level is better, because shores and other
borders that maps draw along a height then have no teeth.

References
----------
.. [1] Dyn, N., Levin, D. & Rippa, S. (1990), "Data dependent triangulations for piecewise linear interpolation", IMA
   Journal of Numerical Analysis 10(1), 137–154, https://doi.org/10.1093/imanum/10.1.137
.. [2] Deslauriers, G. & Dubuc, S. (1989), "Symmetric iterative interpolation processes", Constructive Approximation 5,
   49–68, https://doi.org/10.1007/BF01889598
"""

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.terrain import Field

# Weights of the four-point interpolation halfway between two samples, for the two beside the middle and the two beyond.
_BESIDE, _BEYOND = np.float32(9.0 / 16.0), np.float32(-1.0 / 16.0)
_HALF = np.float32(0.5)
# Metres of distance from the smooth surface that count as much as a metre of fall along a diagonal.
_LEVEL = np.float32(1.0 / 16.0)


def turned_cells(heights: Field) -> npt.NDArray[np.bool_]:
    """Return which cells of a mesh are divided from south-east to north-west; the others from south-west to north-east.

    Parameters
    ----------
    heights : ndarray of float32, shape (rows, columns)
        Metres; at least 2 × 2.

    Returns
    -------
    ndarray of bool, shape (rows − 1, columns − 1)

    Examples
    --------
    A valley from south-east to north-west, and one across it:

    >>> valley = np.abs(np.add.outer(np.arange(-2, 3), np.arange(-2, 3))).astype(np.float32)
    >>> bool(turned_cells(valley)[1, 2]), bool(turned_cells(valley[:, ::-1].copy()).any())
    (True, False)
    """
    turned = np.empty((heights.shape[0] - 1, heights.shape[1] - 1), np.bool_)
    _turn(heights, turned)
    return turned


def cell_triangles(turned: npt.NDArray[np.bool_], cells: npt.NDArray[np.bool_] | None = None) -> npt.NDArray[np.int32]:
    """Return the two triangles of each cell of a mesh.

    Parameters
    ----------
    turned : ndarray of bool, shape (rows − 1, columns − 1)
        From `turned_cells`.
    cells : ndarray of bool, shape (rows − 1, columns − 1), optional
        Of which cells; without it, of all.

    Returns
    -------
    ndarray of int32, shape (triangles, 3)
        Vertices row · columns + column, counter-clockwise seen from above.

    Examples
    --------
    >>> cell_triangles(np.array([[False, True]])).tolist()
    [[0, 1, 4], [0, 4, 3], [2, 5, 4], [2, 4, 1]]
    """
    row, column = np.nonzero(np.ones_like(turned) if cells is None else cells)
    columns = turned.shape[1] + 1
    south_west = (row * columns + column).astype(np.int32)
    around = np.stack((south_west, south_west + 1, south_west + columns + 1, south_west + columns), axis=1)
    other = turned[row, column]
    around[other] = np.roll(around[other], -1, axis=1)
    return around[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)


def altitude_on_mesh(
    heights: Field,
    cell_size: float,
    x: npt.NDArray[np.float32],
    y: npt.NDArray[np.float32],
    turned: npt.NDArray[np.bool_] | None = None,
) -> npt.NDArray[np.float32]:
    """Return the height of a mesh of triangles at places on it, so that what stands there neither floats nor sinks in.

    Parameters
    ----------
    heights : ndarray of float32, shape (rows, columns)
        Metres; at least 2 × 2.
    cell_size : float
        Metres.
    x, y : ndarray of float32, shape (places,)
        Metres east and north of the south-west corner; beyond the border the triangles go on.
    turned : ndarray of bool, shape (rows − 1, columns − 1), optional
        From `turned_cells`; without it, all cells are divided from south-west to north-east.

    Returns
    -------
    ndarray of float32, shape (places,)
        Metres.

    Examples
    --------
    The middle of a cell with one high corner lies on the diagonal between the low ones, or on that to the high one:

    >>> corner, middle = np.array([[0.0, 0.0], [0.0, 8.0]], np.float32), np.array([0.5], np.float32)
    >>> float(altitude_on_mesh(corner, 1.0, middle, middle)[0])
    4.0
    >>> float(altitude_on_mesh(corner, 1.0, middle, middle, np.array([[True]]))[0])
    0.0
    """
    result = np.empty(x.size, np.float32)
    cells = np.zeros((heights.shape[0] - 1, heights.shape[1] - 1), np.bool_) if turned is None else turned
    _stand(heights, np.ascontiguousarray(x), np.ascontiguousarray(y), 1.0 / cell_size, cells, result)
    return result


@kernel
def height_in_cell(
    south_west: float, south_east: float, north_east: float, north_west: float, right: float, up: float, turned: bool
) -> float:
    """Return the height at a place in a cell that is divided into two triangles.

    Parameters
    ----------
    south_west, south_east, north_east, north_west : float
        Heights of its corners in metres.
    right, up : float
        Place in the cell, 0 to 1 from west to east and from south to north; beyond, its triangles go on.
    turned : bool
        Whether it is divided from south-east to north-west.

    Returns
    -------
    float
        Metres.
    """
    if turned:
        if right + up <= 1.0:
            return south_west + right * (south_east - south_west) + up * (north_west - south_west)
        return north_east + (1.0 - right) * (north_west - north_east) + (1.0 - up) * (south_east - north_east)
    if right >= up:
        return south_west + right * (south_east - south_west) + up * (north_east - south_east)
    return south_west + up * (north_west - south_west) + right * (north_east - north_west)


@kernel
def is_turned(heights: Array, row: int, column: int) -> bool:
    """Return whether one cell is divided from south-east to north-west; see `turned_cells`.

    Parameters
    ----------
    heights : ndarray of float32, shape (rows, columns)
        Metres.
    row, column : int
        Of the cell's south-west corner.

    Returns
    -------
    bool
    """
    rows, columns = heights.shape
    south, north = max(row - 1, 0), min(row + 2, rows - 1)
    west, east = max(column - 1, 0), min(column + 2, columns - 1)
    across_south = _halfway(heights, south, west, column, east)
    across_low = _halfway(heights, row, west, column, east)
    across_high = _halfway(heights, row + 1, west, column, east)
    across_north = _halfway(heights, north, west, column, east)
    middle = _BESIDE * (across_low + across_high) + _BEYOND * (across_south + across_north)
    south_west, south_east = heights[row, column], heights[row, column + 1]
    north_west, north_east = heights[row + 1, column], heights[row + 1, column + 1]
    usual = abs(_HALF * (south_west + north_east) - middle) + _LEVEL * abs(north_east - south_west)
    other = abs(_HALF * (south_east + north_west) - middle) + _LEVEL * abs(north_west - south_east)
    return bool(other < usual)


@kernel
def _halfway(heights: Array, row: int, west: int, column: int, east: int) -> float:
    """Value of a row halfway between a column and the next one."""
    beside = heights[row, column] + heights[row, column + 1]
    value: float = _BESIDE * beside + _BEYOND * (heights[row, west] + heights[row, east])
    return value


@parallel_kernel
def _stand(part: Part, heights: Array, x: Array, y: Array, per_cell: float, turned: Array, result: Array) -> None:
    for place in portion(part, x.size):
        column, row = x[place] * per_cell, y[place] * per_cell
        r = max(min(int(row), heights.shape[0] - 2), 0)
        c = max(min(int(column), heights.shape[1] - 2), 0)
        south, north = heights[r], heights[r + 1]
        result[place] = height_in_cell(
            south[c], south[c + 1], north[c + 1], north[c], column - c, row - r, turned[r, c]
        )


@parallel_kernel
def _turn(part: Part, heights: Array, turned: Array) -> None:
    for row in portion(part, turned.shape[0]):
        for column in range(turned.shape[1]):
            turned[row, column] = is_turned(heights, row, column)

"""Which share of the ground lies under the crowns of trees."""

import numpy as np
import numpy.typing as npt

from ..foundation.elementary import exp_of
from ..foundation.terrain import Field, Grid
from .plants import Plants

_TREE = 3.0  # metres: what is lower leaves no forest floor
_REACH = 8.0  # metres around a stem over which litter and shade spread, at least
_CROWN = 0.28  # radius of a crown as a share of the height of its plant, between spruce and oak
_OBLIQUE = 2.0  # seen from 30° above the horizon, crowns hide twice as much ground as from above


def crown_cover(plants: Plants, grid: Grid) -> Field:
    """Return which share of the ground around each sample crowns of trees cover.

    Litter falls a little beyond crowns, so each crown counts for the samples around it, as if crowns stood by chance:
    the share is 1 − exp(−area of crowns / area of ground), as in the law of Poisson (Nilson 1999).

    Parameters
    ----------
    plants : Plants
        Those lower than 3 m do not count.
    grid : Grid
        Samples of the land.

    Returns
    -------
    ndarray of float32, shape (grid.rows, grid.columns)
        0 without trees, towards 1 in a closed forest.

    References
    ----------
    Nilson, T. (1999). Inversion of gap frequency data in forest stands. Agricultural and Forest Meteorology 98–99,
    437–448. doi:10.1016/S0168-1923(99)00114-8

    Examples
    --------
    >>> tree = np.array([20.0], np.float32)
    >>> none = np.zeros(1, np.int32)
    >>> oak = Plants(tree, tree, none, tree, tree, 0 * tree, none)
    >>> cover = crown_cover(oak, Grid(9, 9, 5.0))
    >>> print(cover[4, 4] > 0.1, cover[0, 0])
    True 0.0
    """
    rows, columns, spacing = grid.rows, grid.columns, grid.cell_size
    is_tree = plants.height >= _TREE
    x, y = (
        np.clip(place[is_tree] / spacing, 0.0, last) for place, last in ((plants.x, columns - 1), (plants.y, rows - 1))
    )
    area = np.pi * plants.radius[is_tree].astype(np.float64) ** 2
    column, row = np.minimum(x.astype(np.intp), columns - 2), np.minimum(y.astype(np.intp), rows - 2)
    east, north = x - column, y - row
    crowns = np.zeros(rows * columns)
    for up, along in ((0, 0), (0, 1), (1, 0), (1, 1)):
        share = (north if up else 1.0 - north) * (east if along else 1.0 - east)
        crowns += np.bincount((row + up) * columns + column + along, weights=area * share, minlength=rows * columns)
    spread = _blurred(crowns.reshape(rows, columns), max(round(_REACH / spacing), 1))
    return np.float32(1.0) - exp_of((-spread / spacing**2).astype(np.float32))


def hidden_by_crowns(
    x: npt.NDArray[np.floating], y: npt.NDArray[np.floating], heights: npt.NDArray[np.floating], shape: tuple[int, int]
) -> Field:
    """Return which share of the ground crowns hide from somebody who looks down on them at 30°.

    Crowns stand as chance puts them, as in `crown_cover`.

    Parameters
    ----------
    x, y : ndarray of float, shape (plants,)
        Where they stand, as metres divided by the sides of a cell; those outside count for the nearest cell.
    heights : ndarray of float, shape (plants,)
        Of the plants, as metres divided by the root of the area of a cell.
    shape : tuple of int
        Rows and columns of cells.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        0 to 1, row 0 south.
    """
    rows, columns = shape
    row, column = (np.clip(place.astype(np.intp), 0, count - 1) for place, count in ((y, rows), (x, columns)))
    crowns = np.bincount(row * columns + column, np.pi * (_CROWN * heights) ** 2, minlength=rows * columns)
    return np.float32(1.0) - exp_of((-_OBLIQUE * crowns.reshape(shape)).astype(np.float32))


def _blurred(values: npt.NDArray[np.float64], reach: int) -> npt.NDArray[np.float64]:
    """Return the means over squares of 2 · reach + 1 samples, fewer at the border."""
    for axis in (0, 1):
        total = np.cumsum(np.insert(values, 0, 0.0, axis=axis), axis=axis)
        count = values.shape[axis]
        first, last = np.maximum(np.arange(count) - reach, 0), np.minimum(np.arange(count) + reach + 1, count)
        width = np.expand_dims(last - first, 1 - axis)
        values = (total.take(last, axis=axis) - total.take(first, axis=axis)) / width
    return values

"""The eight neighbours of a cell, on a plane grid and on a surface that closes on itself.

Neighbours are numbered counter-clockwise from the east.  On a plane the same step leads from every cell to its
neighbour.  On a sphere a table says which cell the neighbour is.  Kernels ask `neighbour_of` and the other functions
below; numba drops the branch that is not needed, so a plane pays nothing for the sphere.
"""

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .compilation import Array, kernel

ROW_STEP = np.array([0, 1, 1, 1, 0, -1, -1, -1], np.int64)
"""Rows from a cell to each neighbour."""

COLUMN_STEP = np.array([1, 1, 0, -1, -1, -1, 0, 1], np.int64)
"""Columns from a cell to each neighbour."""

DISTANCE = np.array([1.0, math.sqrt(2.0)] * 4, np.float32)
"""Distance to each neighbour in cells."""

_BACK = np.array([4, 5, 6, 7, 0, 1, 2, 3], np.uint8)


def largest_around(field: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the largest value at each cell of a plane grid and its eight neighbours.

    Parameters
    ----------
    field : ndarray, shape (rows, columns)
        Numbers, or bool for a region that grows by one cell.

    Returns
    -------
    ndarray of that dtype, shape (rows, columns)

    Examples
    --------
    >>> largest_around(np.array([[0, 0, 0, 0], [5, 0, 0, 0]])).tolist()
    [[5, 5, 0, 0], [5, 5, 0, 0]]
    """
    around = field.copy()
    for across in (around, around.T):
        before = across.copy()
        np.maximum(across[1:], before[:-1], out=across[1:])
        np.maximum(across[:-1], before[1:], out=across[:-1])
    return around


class Links(NamedTuple):
    """Which cells are neighbours.

    Attributes
    ----------
    cells : ndarray of int64, shape (8,), or of int32, shape (cells, 8)
        On a plane, what to add to the number of a cell to get each neighbour.  On a closed surface the neighbours
        themselves, and the cell itself in place of a neighbour that it lacks.
    back : ndarray of uint8, shape (8,) or (cells, 8)
        The direction from each neighbour back to the cell.
    """

    cells: Array
    back: Array


class Mesh(NamedTuple):
    """A closed surface: its cells in one row, in metres.

    Attributes
    ----------
    links : Links
        Tables of neighbours.
    nearness : ndarray of float32, shape (cells, 8)
        1 over the distance to each neighbour in metres; 0 where there is none.
    area : ndarray of float64, shape (cells,)
        m².
    places : ndarray of float64, shape (cells, 3)
        Where the cells lie, in metres.
    """

    links: Links
    nearness: Array
    area: Array
    places: Array


def flat_steps(columns: int) -> npt.NDArray[np.int64]:
    """Return what to add to the flat index of a cell to get that of each neighbour.

    Parameters
    ----------
    columns : int
        Columns of the grid.

    Returns
    -------
    ndarray of int64, shape (8,)
        Counter-clockwise from the east.

    Examples
    --------
    >>> flat_steps(10).tolist()
    [1, 11, 10, 9, -1, -11, -10, -9]
    """
    return ROW_STEP * columns + COLUMN_STEP


def links_of(columns: int, mesh: Mesh | None) -> Links:
    """Return the links of a mesh, or of a plane grid if there is none.

    Parameters
    ----------
    columns : int
        Columns of the plane grid.
    mesh : Mesh or None
        The closed surface.

    Returns
    -------
    Links
    """
    return Links(flat_steps(columns), _BACK) if mesh is None else mesh.links


@kernel
def neighbour_of(cell: int, direction: int, cells: Array) -> Any:
    """Return a neighbour of a cell.

    Parameters
    ----------
    cell : int
        Its number.
    direction : int
        0 to 7.
    cells : ndarray
        As in `Links`.

    Returns
    -------
    int
        The number of the neighbour; on a plane the cell must not lie on the border.
    """
    if cells.ndim == 1:
        return np.int64(cell + cells[direction])
    return np.int64(cells[cell, direction])


@kernel
def direction_back(cell: int, direction: int, back: Array) -> Any:
    """Return the direction from a neighbour back to the cell.

    Parameters
    ----------
    cell : int
        Its number.
    direction : int
        From the cell to the neighbour, 0 to 7.
    back : ndarray of uint8
        As in `Links`.

    Returns
    -------
    int
        0 to 7.
    """
    if back.ndim == 1:
        return np.int64((direction + 4) & 7)
    return np.int64(back[cell, direction])


@kernel
def area_of(cell: int, area: Array | None) -> Any:
    """Return the area of a cell.

    Parameters
    ----------
    cell : int
        Its number.
    area : ndarray of float64, shape (cells,), or None
        As in `Mesh`; None where all cells are alike.

    Returns
    -------
    float
        m²; 1 where all cells are alike.
    """
    if area is None:
        return 1.0
    return area[cell]

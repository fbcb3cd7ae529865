"""Values of a field between its samples, and the vertices of a surface."""

import numpy as np
import numpy.typing as npt

from .compilation import Array, Part, kernel, parallel_kernel, portion
from .terrain import Field


def sample(field: Field, cell_size: float, x: npt.ArrayLike, y: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """Return the bilinear value of a field at places on it.

    Parameters
    ----------
    field : ndarray of float32, shape (rows, columns)
        At least 2 × 2.
    cell_size : float
        Metres.
    x, y : array_like of float32, shape (places,)
        Metres east and north of the south-west corner; beyond the border the value continues as a straight line.

    Returns
    -------
    ndarray of float32, shape (places,)
        In the unit of the field.

    Raises
    ------
    ValueError
        If `field` is smaller than 2 × 2, or x and y differ in shape.

    Examples
    --------
    >>> sample(np.array([[0.0, 10.0], [20.0, 30.0]], np.float32), 5.0, [2.5, 5.0], [0.0, 2.5]).tolist()
    [5.0, 20.0]
    """
    if min(field.shape) < 2:
        raise ValueError(f"a field of shape {field.shape} has nothing between its samples; it needs 2 × 2 or more")
    columns, rows = np.ascontiguousarray(x, np.float32), np.ascontiguousarray(y, np.float32)
    if columns.shape != rows.shape or columns.ndim != 1:
        raise ValueError(f"x has shape {columns.shape} and y {rows.shape}; both must be (places,)")
    result = np.empty(columns.size, np.float32)
    _sample(field, columns, rows, 1.0 / cell_size, result)
    return result


def vertex_positions(surface: Field, cell_size: float) -> npt.NDArray[np.float32]:
    """Return the vertices of a surface, centred on the origin in x and y.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    cell_size : float
        Metres.

    Returns
    -------
    ndarray of float32, shape (rows · columns, 3)
        x east, y north, z up, in metres; vertex ``row * columns + column``.

    Examples
    --------
    >>> vertex_positions(np.array([[1.0, 2.0]], np.float32), cell_size=10.0).tolist()
    [[-5.0, 0.0, 1.0], [5.0, 0.0, 2.0]]
    """
    positions = np.empty((*surface.shape, 3), np.float32)
    _positions(surface, cell_size, positions)
    return positions.reshape(-1, 3)


@kernel
def interpolate(field: Array, column: float, row: float) -> float:
    """Return the bilinear value of a field at one place.

    Parameters
    ----------
    field : ndarray of float32, shape (rows, columns)
        At least 2 × 2.
    column, row : float
        Fractional indices; beyond the border the value continues as a straight line.

    Returns
    -------
    float
        In the unit of the field.
    """
    r = max(min(int(row), field.shape[0] - 2), 0)
    c = max(min(int(column), field.shape[1] - 2), 0)
    fy, fx = row - r, column - c
    south = field[r, c] + fx * (field[r, c + 1] - field[r, c])
    north = field[r + 1, c] + fx * (field[r + 1, c + 1] - field[r + 1, c])
    return south + fy * (north - south)


@parallel_kernel
def _sample(part: Part, field: Array, x: Array, y: Array, per_cell: float, result: Array) -> None:
    for i in portion(part, x.size):
        result[i] = interpolate(field, x[i] * per_cell, y[i] * per_cell)


@parallel_kernel
def _positions(part: Part, surface: Array, cell_size: float, positions: Array) -> None:
    rows, columns = surface.shape
    west, south = -0.5 * (columns - 1) * cell_size, -0.5 * (rows - 1) * cell_size
    for row in portion(part, rows):
        for column in range(columns):
            positions[row, column, 0] = west + column * cell_size
            positions[row, column, 1] = south + row * cell_size
            positions[row, column, 2] = surface[row, column]

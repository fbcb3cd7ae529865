"""Slope, gradient and surface normals, all from the finite differences of Horn (1981)."""

import math

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.elementary import arctan
from ..foundation.terrain import Field
from .declaration import Kept, Map


def measure_slope(surface: Field, cell_size: float) -> Field:
    """Return the slope angle: the angle between the surface and the horizontal.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    cell_size : float
        Metres.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Degrees, 0 on level ground, below 90.

    References
    ----------
    Horn, B. K. P. (1981). Hill shading and the reflectance map. Proceedings of the IEEE, 69(1), 14–47.
    doi:10.1109/PROC.1981.11918

    Examples
    --------
    A plane that rises by 10 m per cell of 10 m to the east:

    >>> import numpy as np
    >>> from terrain_addon.core.maps.slope import measure_slope
    >>> measure_slope(np.array([[0, 10, 20], [0, 10, 20]], np.float32), 10.0)
    array([[45., 45., 45.],
           [45., 45., 45.]], dtype=float32)
    """
    slope = np.empty_like(surface)
    _steepness(surface, 1.0 / cell_size, True, slope)
    return slope


def measure_gradient(surface: Field, cell_size: float) -> Field:
    """Return the gradient of the surface: its rise over distance along the steepest direction.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    cell_size : float
        Metres.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres per metre, the tangent of the slope angle.

    References
    ----------
    Horn, B. K. P. (1981). Hill shading and the reflectance map. Proceedings of the IEEE, 69(1), 14–47.
    doi:10.1109/PROC.1981.11918
    """
    gradient = np.empty_like(surface)
    _steepness(surface, 1.0 / cell_size, False, gradient)
    return gradient


def surface_normals(surface: Field, cell_size: float) -> npt.NDArray[np.float32]:
    """Return the unit normals of the surface.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    cell_size : float
        Metres.

    Returns
    -------
    ndarray of float32, shape (rows, columns, 3)
        Unit vectors (east, north, up).

    References
    ----------
    Horn, B. K. P. (1981). Hill shading and the reflectance map. Proceedings of the IEEE, 69(1), 14–47.
    doi:10.1109/PROC.1981.11918
    """
    normals = np.empty((*surface.shape, 3), np.float32)
    _normals(surface, 1.0 / cell_size, normals)
    return normals


@kernel
def horn_gradient(surface: Array, row: int, column: int, per_cell: float) -> tuple[float, float]:
    """Return the gradient at one sample: differences over three rows and columns, weighted 1 : 2 : 1 (Horn 1981).

    Differences are one-sided at the border.  The result is exact on any plane.

    Parameters
    ----------
    surface : ndarray of float32 or float64, shape (rows, columns)
        Heights in metres.
    row, column : int
        The sample.
    per_cell : float
        1 over the cell size, in 1/m.

    Returns
    -------
    tuple of float
        Rise per metre to the east and to the north.

    References
    ----------
    Horn, B. K. P. (1981). Hill shading and the reflectance map. Proceedings of the IEEE, 69(1), 14–47.
    doi:10.1109/PROC.1981.11918
    """
    rows, columns = surface.shape
    south, north = max(row - 1, 0), min(row + 1, rows - 1)
    west, east = max(column - 1, 0), min(column + 1, columns - 1)
    rise_east = rise_north = 0.0
    # Horn's weighted differences.
    if east > west:
        rise_east = (
            (surface[north, east] - surface[north, west])
            + 2.0 * (surface[row, east] - surface[row, west])
            + (surface[south, east] - surface[south, west])
        ) * (per_cell / (4.0 * (east - west)))
    if north > south:
        rise_north = (
            (surface[north, east] - surface[south, east])
            + 2.0 * (surface[north, column] - surface[south, column])
            + (surface[north, west] - surface[south, west])
        ) * (per_cell / (4.0 * (north - south)))
    return rise_east, rise_north


@kernel
def gradient_of_row(surface: Array, row: int, per_cell: float, east: Array, north: Array) -> None:
    """Write the gradient at each sample of a row, as `horn_gradient` gives it, in a fraction of its time.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    row : int
        Which one.
    per_cell : float
        1 over the cell size, in 1/m.
    east, north : ndarray of float64, shape (columns,)
        Rise per metre to the east and to the north.
    """
    rows, columns = surface.shape
    below, above = max(row - 1, 0), min(row + 1, rows - 1)
    south, here, beyond = surface[below], surface[row], surface[above]
    across, along = per_cell / 8.0, per_cell / (4.0 * max(above - below, 1))
    for column in range(1, columns - 1):
        before, after = column - 1, column + 1
        east[column] = (
            (beyond[after] - beyond[before]) + 2.0 * (here[after] - here[before]) + (south[after] - south[before])
        ) * across
        north[column] = (
            (beyond[after] - south[after]) + 2.0 * (beyond[column] - south[column]) + (beyond[before] - south[before])
        ) * along
    for column in (0, columns - 1):
        east[column], north[column] = horn_gradient(surface, row, column, per_cell)


@parallel_kernel
def _steepness(part: Part, surface: Array, per_cell: float, as_angle: bool, result: Array) -> None:
    """Write the slope of each cell, in degrees or as a gradient."""
    east, north = np.empty(surface.shape[1]), np.empty(surface.shape[1])
    for row in portion(part, surface.shape[0]):
        gradient_of_row(surface, row, per_cell, east, north)
        line = result[row]
        for column in range(line.size):
            rise = math.sqrt(east[column] * east[column] + north[column] * north[column])
            line[column] = math.degrees(arctan(rise)) if as_angle else rise


@parallel_kernel
def _normals(part: Part, surface: Array, per_cell: float, normals: Array) -> None:
    """Write the unit normal of each cell."""
    easts, norths = np.empty(surface.shape[1]), np.empty(surface.shape[1])
    for row in portion(part, surface.shape[0]):
        gradient_of_row(surface, row, per_cell, easts, norths)
        for column in range(surface.shape[1]):
            east, north = easts[column], norths[column]
            up = 1.0 / math.sqrt(1.0 + east * east + north * north)
            normals[row, column, 0] = -east * up
            normals[row, column, 1] = -north * up
            normals[row, column, 2] = up


SLOPE = Map(
    "slope",
    lambda terrain: measure_slope(terrain.surface, terrain.cell_size),
    description="Angle between the ground and the horizontal",
    unit="°",
    limits=(0.0, 90.0),
    is_quick=True,
)
GRADIENT = Map(
    "gradient",
    lambda terrain: measure_gradient(terrain.surface, terrain.cell_size),
    description="Rise of the ground per metre of distance",
    unit="m/m",
    kept=Kept.ON_REQUEST,
    is_quick=True,
)

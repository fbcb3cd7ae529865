"""Slope and surface normals from the gradient of Horn (1981), "Hill Shading and the Reflectance Map"."""

import math

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.elementary import arctan
from ..foundation.terrain import Field
from .declaration import Kept, Map


def measure_slope(surface: Field, cell_size: float) -> Field:
    """Return the angle between the surface normal and the vertical.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    cell_size : float
        Metres.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Degrees, 0 on flat ground, below 90.
    """
    slope = np.empty_like(surface)
    _steepness(surface, 1.0 / cell_size, True, slope)
    return slope


def measure_gradient(surface: Field, cell_size: float) -> Field:
    """Return how steeply the surface rises, whichever way that is.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    cell_size : float
        Metres.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres per metre: the tangent of the slope angle.
    """
    gradient = np.empty_like(surface)
    _steepness(surface, 1.0 / cell_size, False, gradient)
    return gradient


def surface_normals(surface: Field, cell_size: float) -> npt.NDArray[np.float32]:
    """Return unit normals (east, north, up).

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    cell_size : float
        Metres.

    Returns
    -------
    ndarray of float32, shape (rows, columns, 3)
    """
    normals = np.empty((*surface.shape, 3), np.float32)
    _normals(surface, 1.0 / cell_size, normals)
    return normals


@kernel
def horn_gradient(surface: Array, row: int, column: int, per_cell: float) -> tuple[float, float]:
    """Rise per metre to the east and to the north at one sample; one-sided at the border, exact on any plane.

    Horn 1981: differences across three rows (columns), weighted 1 : 2 : 1.
    """
    rows, columns = surface.shape
    south, north = max(row - 1, 0), min(row + 1, rows - 1)
    west, east = max(column - 1, 0), min(column + 1, columns - 1)
    rise_east = rise_north = 0.0
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


@parallel_kernel
def _steepness(part: Part, surface: Array, per_cell: float, as_angle: bool, result: Array) -> None:
    for row in portion(part, surface.shape[0]):
        for column in range(surface.shape[1]):
            east, north = horn_gradient(surface, row, column, per_cell)
            rise = math.sqrt(east * east + north * north)
            result[row, column] = math.degrees(arctan(rise)) if as_angle else rise


@parallel_kernel
def _normals(part: Part, surface: Array, per_cell: float, normals: Array) -> None:
    for row in portion(part, surface.shape[0]):
        for column in range(surface.shape[1]):
            east, north = horn_gradient(surface, row, column, per_cell)
            up = 1.0 / math.sqrt(1.0 + east * east + north * north)
            normals[row, column, 0] = -east * up
            normals[row, column, 1] = -north * up
            normals[row, column, 2] = up


SLOPE = Map(
    "slope",
    lambda terrain: measure_slope(terrain.surface, terrain.cell_size),
    description="Angle between the ground and the level",
    unit="°",
    limits=(0.0, 90.0),
)
GRADIENT = Map(
    "gradient",
    lambda terrain: measure_gradient(terrain.surface, terrain.cell_size),
    description="Rise of the ground over distance",
    unit="m/m",
    kept=Kept.ON_REQUEST,
)

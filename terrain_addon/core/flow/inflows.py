"""Rivers that come from beyond the land: what they drain outside is added where they enter.

Where a river comes in, the land beyond the border drains to that river.  So water of the land does not leave beside it:
the border is closed there, and water flows on inside.  A lake that goes on beyond the border closes it, too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, kernel
from ..foundation.neighbours import COLUMN_STEP, DISTANCE, ROW_STEP
from ..foundation.parameters import ParameterSet, parameter
from .directions import PIT

# Water does not leave over the border nearer to a river that enters than this share of the shorter side of the land.
_CLOSED = 1.0 / 12.0
# A place counts as on the border, and as inside the land, to this share of the shorter side.
_NEARLY = 1e-6


@dataclass(frozen=True)
class Inflow(ParameterSet):
    """A river that comes from beyond the land, or a spring inside it."""

    x: float = parameter(
        0.0, "Where it enters, from the western border", unit="m", limits=(0.0, 1e6), soft=(0.0, 100.0)
    )
    y: float = parameter(
        0.0, "Where it enters, from the southern border", unit="m", limits=(0.0, 1e6), soft=(0.0, 100.0)
    )
    drainage_area: float = parameter(
        1e6, "Area that it drains outside", unit="m²", limits=(0.0, 1e14), soft=(0.0, 1e10)
    )


class Inlets(NamedTuple):
    """Inflows on one grid.

    Attributes
    ----------
    cells : ndarray of int64, shape (inflows,)
        Flat indices of the cells that get the water.
    areas : ndarray of float64, shape (inflows,)
        m² that they get; cells may be there twice.
    closed : ndarray of int64
        Flat indices of the cells of the border over which no water leaves.
    """

    cells: npt.NDArray[np.int64]
    areas: npt.NDArray[np.float64]
    closed: npt.NDArray[np.int64]

    def pour(self, area: Array) -> None:
        """Add what flows in to the area of the cells.

        Parameters
        ----------
        area : ndarray of float64, shape (cells,)
            m² that each cell gives; changed.
        """
        np.add.at(area, self.cells, self.areas)


def check_inflows(inflows: Sequence[Inflow], width: float, depth: float) -> None:
    """Refuse inflows that are not on the land.

    Parameters
    ----------
    inflows : sequence of Inflow
        All of them.
    width, depth : float
        Of the land, in metres.

    Raises
    ------
    ValueError
        If a place is outside.
    """
    slack = _NEARLY * min(width, depth)
    for number, inflow in enumerate(inflows, start=1):
        if inflow.x > width + slack or inflow.y > depth + slack:
            raise ValueError(
                f"inflow {number} at x = {inflow.x:g} m, y = {inflow.y:g} m is outside the land, 0 to {width:g} m and "
                f"0 to {depth:g} m"
            )


def border_cells(shape: tuple[int, int]) -> npt.NDArray[np.int64]:
    """Return the flat indices of the cells of a border, in rising order.

    Parameters
    ----------
    shape : tuple of int
        (rows, columns).

    Returns
    -------
    ndarray of int64, shape (cells,)
        Made without an array of the whole land, which may be larger than memory.

    Examples
    --------
    >>> border_cells((3, 3))
    array([0, 1, 2, 3, 5, 6, 7, 8])
    """
    rows, columns = shape
    west = np.arange(rows) * columns
    return np.unique(np.concatenate((np.arange(columns), west, west + columns - 1, west[-1] + np.arange(columns))))


def inlets_of(
    inflows: Sequence[Inflow], shape: tuple[int, int], cell_size: float, lakes: Array | None = None
) -> Inlets | None:
    """Return where inflows enter a grid, and where its border is closed.

    Parameters
    ----------
    inflows : sequence of Inflow
        Anywhere on the land; those on its border close the border beside them.
    shape : tuple of int
        (rows, columns).
    cell_size : float
        Metres.
    lakes : ndarray of int, shape (cells,), optional
        Flat indices of cells under lakes; those on the border close it, because the water goes on beyond it.

    Returns
    -------
    Inlets or None
        None if nothing flows in and no lake reaches the border.  One cell of the border always stays open.

    Raises
    ------
    ValueError
        If a place is outside the land.

    Examples
    --------
    >>> inlets_of((Inflow(x=20.0, drainage_area=500.0),), (5, 5), 10.0)
    Inlets(cells=array([2]), areas=array([500.]), closed=array([2]))
    """
    flowing = [one for one in inflows if one.drainage_area > 0.0]
    rows, columns = shape
    border = border_cells(shape)
    flooded = np.isin(border, np.empty(0) if lakes is None else lakes)
    if not flowing and not flooded.any():
        return None
    width, depth = (columns - 1) * cell_size, (rows - 1) * cell_size
    # The depth of a land is rounded to whole cells, so a place on its northern border may be half a cell too far.
    check_inflows(flowing, width + 0.5 * cell_size, depth + 0.5 * cell_size)
    places = np.array([(one.x, one.y) for one in flowing]).reshape(-1, 2)
    near = np.minimum(np.rint(places / cell_size).astype(np.int64), (columns - 1, rows - 1))
    cells = near[:, 1] * columns + near[:, 0]
    column, row = near.T
    enters = (column == 0) | (column == columns - 1) | (row == 0) | (row == rows - 1)
    areas = np.array([one.drainage_area for one in flowing])
    away = _away_from(near[enters], border, columns)
    closed = flooded | (away <= max(_CLOSED * min(width, depth) / cell_size, 0.5))
    closed[np.argmax(np.where(flooded, -1.0, away))] = False
    return Inlets(cells, areas, border[closed])


def _away_from(entries: npt.NDArray[np.int64], border: npt.NDArray[np.int64], columns: int) -> npt.NDArray[np.float64]:
    """How far cells of the border are from the nearest place where a river enters, in cells."""
    away = np.full(len(border), np.inf)
    for column, row in entries.tolist():
        east, north = border % columns - column, border // columns - row
        away = np.minimum(away, np.sqrt(east * east + north * north))
    return away


@kernel
def turn_inward(surface: Array, sea_level: float, closed: Array, directions: Array) -> None:
    """Let water flow on from closed cells of the border: down the steepest way, or into a pit.

    Parameters
    ----------
    surface : ndarray of float32 or float64, shape (rows, columns)
        Heights in metres.
    sea_level : float
        Metres; what lies at or below it stays an outlet.
    closed : ndarray of int64
        As in `Inlets`.
    directions : ndarray of uint8, shape (rows, columns)
        From `find_directions`; changed.
    """
    rows, columns = surface.shape
    for cell in closed:
        row, column = cell // columns, cell % columns
        height = surface[row, column]
        if height <= sea_level:
            continue
        steepest, way = 0.0, np.int64(PIT)
        for k in range(8):
            i, j = row + ROW_STEP[k], column + COLUMN_STEP[k]
            if 0 <= i < rows and 0 <= j < columns:
                slope = (height - surface[i, j]) / DISTANCE[k]
                if slope > steepest:
                    steepest, way = slope, np.int64(k)
        directions[row, column] = way

"""A border that keeps its heights while the land erodes, so that lands side by side share it.

It is a line of fixed heights, like those that are drawn: the land beside it goes over smoothly.  Rivers that leave the
land have it as their base level.
"""

import numpy as np
import numpy.typing as npt

from ..foundation.terrain import Field, Terrain
from .drawing import NOTHING_DRAWN, with_heights
from .forms import FixedHeights, Form, take_heights
from .lines import DrawnLine

# How far the land follows its border, as a share of its shorter side.
_WIDTH = 0.24


def border_form(terrain: Terrain) -> Form:
    """Return the border of a land as a line of fixed heights.

    Parameters
    ----------
    terrain : Terrain
        Before it erodes, with 2 × 2 samples or more.

    Returns
    -------
    Form
        Once around the land.
    """
    surface, cell_size = terrain.surface, terrain.cell_size
    cells = _around(surface.shape)
    row, column = np.divmod(np.append(cells, cells[0]), surface.shape[1])
    line = DrawnLine(column * cell_size, row * cell_size, surface[row, column].astype(np.float64))
    return Form(line, _width(terrain), 1.0)


def keep_border(terrain: Terrain, before: Field) -> Terrain:
    """Return a land whose border has the heights that it had.

    Parameters
    ----------
    terrain : Terrain
        After all processes.
    before : ndarray of float32, shape (rows, columns)
        Heights in metres before erosion.

    Returns
    -------
    Terrain
        The change falls to 1/e over 8 % of the shorter side.
    """
    surface, cell_size = terrain.surface, terrain.cell_size
    cells = np.sort(_around(surface.shape))
    same = np.ones(cells.size)
    fixed = FixedHeights(cells, before.ravel()[cells].astype(np.float64), _width(terrain) * same, same)
    no_rivers = NOTHING_DRAWN.courses(surface.shape, cell_size)
    return with_heights(terrain, take_heights(surface, fixed, no_rivers, cell_size, relief=0.0))


def _around(shape: tuple[int, int]) -> npt.NDArray[np.int64]:
    """Flat indices of the cells of the border, each once, counter-clockwise from the south-west corner."""
    number = np.arange(shape[0] * shape[1], dtype=np.int64).reshape(shape)
    return np.concatenate((number[0, :-1], number[:-1, -1], number[-1, :0:-1], number[:0:-1, 0]))


def _width(terrain: Terrain) -> float:
    """How far the land follows its border, in metres."""
    rows, columns = terrain.surface.shape
    return _WIDTH * (min(rows, columns) - 1) * terrain.cell_size

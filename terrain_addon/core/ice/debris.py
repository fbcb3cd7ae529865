"""Rock that ice carries: it goes where the ice goes, and drops where the ice melts.

Rock also falls from walls onto the ice beside them, and then lies on it in a band.  Where two glaciers join, the bands
on their inner sides become one in the middle, a medial moraine (`strew_bands`).

References
----------
R. S. Anderson (2000), "A model of ablation-dominated medial moraines and the generation of debris-mantled glacier
snouts", Journal of Glaciology 46, 459-469, doi:10.3189/172756500781833025: rock of the walls melts out below the line
of equilibrium, in bands that begin where glaciers join.
"""

import math
from typing import NamedTuple

import numpy as np

from ..foundation.compilation import Array, kernel
from ..foundation.sampling import interpolate
from ..foundation.terrain import Field
from .ice_flow import Ice, IceWeather, balance_at


@kernel
def drop_debris(order: Array, ice: Ice, debris: Array, weather: IceWeather, cell_size: float, dropped: Array) -> float:
    """Carry all debris down the ice; where a share of the ice melts, that share of its debris drops.

    Parameters
    ----------
    order : ndarray of int64, shape (rows · columns,)
        All cells, the highest surface first.
    ice : Ice
        With the fluxes of its surface, which flow down it.
    debris : ndarray of float64, shape (rows, columns)
        What the ice carries above each cell, in metres; 0 afterwards.
    weather : IceWeather
        Snow and melt.
    cell_size : float
        Metres.
    dropped : ndarray of float64, shape (rows, columns)
        Takes what drops, in metres.

    Returns
    -------
    float
        What is carried over the border, in metres on one cell.
    """
    rows, columns = ice.bed.shape
    left = 0.0
    for cell in order:
        i, j = cell // columns, cell % columns
        load = debris[i, j]
        dropped[i, j] = 0.0
        if load <= 0.0:
            continue
        debris[i, j] = 0.0
        if i == 0 or j == 0 or i == rows - 1 or j == columns - 1:
            left += load
            continue
        west, east = max(-ice.east[i, j - 1], 0.0), max(ice.east[i, j], 0.0)
        south, north = max(-ice.north[i - 1, j], 0.0), max(ice.north[i, j], 0.0)
        given = west + east + south + north
        melt = cell_size * max(-balance_at(weather, ice.surface[i, j]), 0.0)
        dropped[i, j] = load * (melt / (melt + given)) if given > 0.0 else load
        if given > 0.0:
            passed = (load - dropped[i, j]) / given
            debris[i, j - 1] += passed * west
            debris[i, j + 1] += passed * east
            debris[i - 1, j] += passed * south
            debris[i + 1, j] += passed * north
    return left


# Metres a year below which ice counts as still.
_STILL = 0.01
# Samples that ice is followed downstream in a step, and stones that begin in each cell along each of its sides.
_STEP, _STONES = 0.7, 3


class MovingIce(NamedTuple):
    """Ice as it carries rock; all are float32, shape (rows, columns).

    Attributes
    ----------
    east, north : ndarray
        Speed in metres a year; 0 where there is no ice.
    surface : ndarray
        Metres.
    walls : ndarray
        1 where rock falls onto the ice, 0 elsewhere.
    """

    east: Field
    north: Field
    surface: Field
    walls: Field


@kernel
def strew_bands(ice: MovingIce, weather: IceWeather, cell_size: float, finer: float, strewn: Array) -> None:
    """Follow the rock of walls down the ice, and add how much of it passes each sample on the surface.

    Snow buries rock above the line of equilibrium, and it comes to light where as much ice has melted again.  Stones
    follow the ice itself, so bands stay as narrow as they begin; fluxes from cell to cell would smear them.

    Parameters
    ----------
    ice : MovingIce
        Ice, and walls beside it.
    weather : IceWeather
        Snow and melt.
    cell_size : float
        Metres, of the ice.
    finer : float
        Samples of `strewn` for each cell along the longer side, 1 or more.
    strewn : ndarray of float64, shape (finer rows, finer columns)
        Over the same ground, to which is added the length of wall whose rock passes here, as a multiple of the width
        that it passes.
    """
    rows, columns = ice.walls.shape
    step, amount = _STEP / finer, _STEP * finer / (_STONES * _STONES)
    # The shorter side of a grid is rounded to whole cells, so each side has a ratio of its own.
    finer_rows, finer_columns = (strewn.shape[0] - 1) / (rows - 1), (strewn.shape[1] - 1) / (columns - 1)
    for i in range(rows):
        for j in range(columns):
            if ice.walls[i, j] <= 0.0:
                continue
            for stone in range(_STONES * _STONES):
                y = i + (stone // _STONES + 0.5) / _STONES - 0.5
                x = j + (stone % _STONES + 0.5) / _STONES - 0.5
                buried = 0.0
                for _ in range(int((rows + columns) / step)):
                    if x < 0.0 or y < 0.0 or x > columns - 1 or y > rows - 1:
                        break
                    to_east, to_north = interpolate(ice.east, x, y), interpolate(ice.north, x, y)
                    speed = math.sqrt(to_east * to_east + to_north * to_north)
                    if speed < _STILL:
                        break
                    years = step * cell_size / speed
                    buried = max(buried + balance_at(weather, interpolate(ice.surface, x, y)) * years, 0.0)
                    if buried == 0.0:
                        strewn[int(y * finer_rows + 0.5), int(x * finer_columns + 0.5)] += amount
                    x += step * to_east / speed
                    y += step * to_north / speed


def walls_beside(ice: Ice, covered: Array) -> Field:
    """Return where rock above the ice falls onto it.

    Parameters
    ----------
    ice : Ice
        The ice.
    covered : ndarray of bool, shape (rows, columns)
        Where it counts as ice.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        1 where ice has a neighbour without ice that is higher, else 0.
    """
    rock = np.where(covered, -np.inf, ice.bed)
    highest = np.full_like(rock, -np.inf)
    for here, there in ((np.s_[1:], np.s_[:-1]), (np.s_[:-1], np.s_[1:])):
        np.maximum(highest[here], rock[there], out=highest[here])
        np.maximum(highest[:, here], rock[:, there], out=highest[:, here])
    return (covered & (highest > ice.surface)).astype(np.float32)


def highest_first(surface: Array, work: Array) -> Array:
    """Return all cells, the highest first, equal ones in the order of rows.

    Parameters
    ----------
    surface : ndarray of float64, shape (rows, columns)
        Metres.
    work : ndarray of float64, shape (rows, columns)
        Memory that it may overwrite.

    Returns
    -------
    ndarray of int64, shape (rows · columns,)
    """
    return np.argsort(np.negative(surface, out=work), axis=None, kind="stable")

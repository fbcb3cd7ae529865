"""Snow that slides: a slope holds the less snow the steeper it is, and the rest runs down and comes to rest.

Where a slope β reaches the angle β₀ it holds S = S₀ · exp(−(β − β₀) / δ) of snow, as water (1): the holding depth of
SnowSlide (Bernhardt & Schulz 2010), which falls off exponentially with the slope.  What a place does not hold goes to
all lower neighbours in proportion to the slope towards them.  On gentler ground, D = (1 − β / β₀) · D₀ of it stays at a
time (2), the deposition of Gruber (2007), or a share 1 − exp(−(1 − β / β₀) · s / L) on a way s if that is more (3), as
friction brings large slides to rest too.  A hollow takes what it has room for up to where it spills, a deep one on the
way there only and not more than some metres; what is left slides on beyond it.

Places are visited once, from the highest to the lowest.  From time to time the snow that lies counts as ground, so that
gullies fill up and later slides spread beside them.

References
----------
Bernhardt, M. & Schulz, K. (2010). SnowSlide: A simple routine for calculating gravitational snow transport. Geophysical
Research Letters 37, L11502. doi:10.1029/2010GL043086

Gruber, S. (2007). A mass-conserving fast algorithm to parameterize gravitational transport and deposition using digital
elevation models. Water Resources Research 43, W06412. doi:10.1029/2006WR004868
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..flow.directions import OUTLET
from ..flow.filling import raise_to_level
from ..flow.routing import Router
from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.elementary import arctan, exp
from ..foundation.neighbours import DISTANCE, flat_steps
from ..foundation.terrain import Field

# S₀ and δ of eq. (1), in mm of water and degrees: 1.5 m of snow at the angle, and a tenth of it 16° further on.
_HELD, _FALLS_OFF = 600.0, 7.0
# D₀ of eq. (2) in mm of water, and L of eq. (3) in metres.
_LAID_DOWN, _RUN_OUT = 100.0, 60.0
# Metres of settled snow for a mm of water.
_DEPTH_OF_WATER = 0.001 / 0.4
# Depth in metres of hollows that a winter may fill.
_SHALLOW = 15.0
_NEARNESS = 1.0 / DISTANCE
_DEGREES = 180.0 / math.pi


class SlideGround(NamedTuple):
    """A land as sliding snow meets it.

    Attributes
    ----------
    level : ndarray of float32, shape (rows, columns)
        Heights in metres, with shallow hollows filled.
    directions : ndarray of uint8, shape (cells,)
        Which neighbour follows on level ground; see `flow.routing.FlowRoutes`.
    order : ndarray of int32, shape (cells,)
        All places from the highest to the lowest, on level ground each before the one that follows.
    held : ndarray of float32, shape (rows, columns)
        Snow that stays where it is, as water in mm; infinite below the angle.
    laid_down : ndarray of float32, shape (rows, columns)
        Sliding snow that stays at a time, as water in mm.
    share : ndarray of float32, shape (rows, columns)
        Share of sliding snow that stays if that is more.
    """

    level: Field
    directions: npt.NDArray[np.uint8]
    order: npt.NDArray[np.int32]
    held: Field
    laid_down: Field
    share: Field


def slide_ground(surface: Field, water: Array, cell_size: float, angle: float) -> SlideGround:
    """Return a land as snow meets it that slides over the snow that lies.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights of the ground in metres.
    water : ndarray of float64, shape (rows, columns)
        The snow that lies, as water in mm.
    cell_size : float
        Metres.
    angle : float
        Degrees: the slope β₀ from which snow slides.

    Returns
    -------
    SlideGround
    """
    top = surface + (water * _DEPTH_OF_WATER).astype(np.float32)
    router = Router(top.shape)
    router.route(top)
    level = _with_shallow_hollows_filled(top, raise_to_level(top, router.basins))
    # Of places as high as each other, those farther up the stack come first.
    downstream = router.order[::-1]
    order = downstream[np.argsort(-level.ravel()[downstream], kind="stable")]
    found = SlideGround(level, router.directions, order, np.empty_like(top), np.empty_like(top), np.empty_like(top))
    _weigh(top, found, cell_size, angle)
    return found


def _with_shallow_hollows_filled(top: Field, filled: Field) -> Field:
    """Return a land on which the hollows are filled that one winter may fill; those of one level count as one."""
    below = filled > top
    if not below.any():
        return filled
    _, hollow = np.unique(filled[below], return_inverse=True)
    depth = np.zeros(hollow.max() + 1, np.float32)
    np.maximum.at(depth, hollow, filled[below] - top[below])
    level = top.copy()
    level[below] = np.where(depth[hollow] <= _SHALLOW, filled[below], top[below])
    return level


@parallel_kernel
def _weigh(part: Part, top: Array, slopes: SlideGround, cell_size: float, angle: float) -> None:
    """Write eqs. (1) to (3); slopes are differences between neighbours, on the border one-sided."""
    level, held, laid_down, share = slopes.level, slopes.held, slopes.laid_down, slopes.share
    rows, columns = top.shape
    for row in portion(part, rows):
        south, north = max(row - 1, 0), min(row + 1, rows - 1)
        for column in range(columns):
            west, east = max(column - 1, 0), min(column + 1, columns - 1)
            to_east = (np.float64(top[row, east]) - top[row, west]) / max(east - west, 1)
            to_north = (np.float64(top[north, column]) - top[south, column]) / max(north - south, 1)
            steepness = math.sqrt(to_east * to_east + to_north * to_north) / cell_size
            beyond = arctan(steepness) * _DEGREES - angle
            held[row, column] = _HELD * exp(-beyond / _FALLS_OFF) if beyond >= 0.0 else np.inf
            gentle = max(-beyond / angle, 0.0)
            room = (np.float64(level[row, column]) - top[row, column]) / _DEPTH_OF_WATER
            laid_down[row, column] = max(gentle * _LAID_DOWN, room)
            share[row, column] = 1.0 - exp(-gentle * cell_size / _RUN_OUT)


def slide_snow(water: Array, slopes: SlideGround, moving: Array) -> float:
    """Let all snow slide that does not hold.

    Parameters
    ----------
    water : ndarray of float64, shape (rows, columns)
        Snow as water in mm; changed.
    slopes : SlideGround
        The land below it.
    moving : ndarray of float64, shape (rows, columns)
        Zeros, and zeros again afterwards.

    Returns
    -------
    float
        What left the land over its border, in mm · cells.
    """
    level, directions, order, *rest = slopes
    held, laid_down, share = (field.ravel() for field in rest)
    cells = SlideGround(level.ravel(), directions, order, held, laid_down, share)
    return float(_slide(water.ravel(), moving.ravel(), cells, flat_steps(water.shape[1]), _NEARNESS, np.zeros(8)))


@kernel
def _slide(water: Array, moving: Array, slopes: SlideGround, steps: Array, nearness: Array, weights: Array) -> float:
    """Visit all places from the highest to the lowest; what moves over the border has left."""
    level, directions, order, held, laid_down, share = slopes
    left = 0.0
    for place in order:
        over = max(water[place] - held[place], 0.0)
        come = moving[place] + over
        if come == 0.0:
            continue
        moving[place] = 0.0
        stays = min(come, max(np.float64(laid_down[place]), come * share[place]))
        water[place] += stays - over
        go = come - stays
        if go <= 0.0:
            continue
        if directions[place] == OUTLET:
            left += go
            continue
        total = 0.0
        for k in range(8):
            drop = np.float64(level[place]) - np.float64(level[place + steps[k]])
            weights[k] = max(drop, 0.0) * nearness[k]
            total += weights[k]
        if total <= 0.0:
            ahead = place + steps[directions[place]]
            if level[ahead] > level[place]:
                left += _fill_hollow(place, go, water, moving, level, directions, steps)
            else:
                moving[ahead] += go
            continue
        for k in range(8):
            moving[place + steps[k]] += go * (weights[k] / total)
    return left


@kernel
def _fill_hollow(
    bottom: int, come: float, water: Array, moving: Array, level: Array, directions: Array, steps: Array
) -> float:
    """Lay snow on the way from the bottom of a deep hollow over its rim, and let the rest slide on beyond it.

    No place takes more than reaches the rim, nor more than a winter fills.  Returns what left the land.
    """
    rim, place = level[bottom], bottom
    while directions[place] != OUTLET and level[place] >= level[bottom]:
        rim = max(rim, level[place])
        place += steps[directions[place]]
    beyond, place = place, bottom
    while place != beyond and come > 0.0:
        room = min(np.float64(rim) - level[place], _SHALLOW) / _DEPTH_OF_WATER - water[place]
        stays = min(come, max(room, 0.0))
        water[place] += stays
        come -= stays
        place += steps[directions[place]]
    if level[beyond] < level[bottom]:
        moving[beyond] += come
        return 0.0
    return come

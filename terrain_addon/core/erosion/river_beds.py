"""River beds: each river gets a bed along its course, deeper and wider the larger the river is.

The depth is a power law of discharge (hydraulic geometry): downstream, depth ∝ Q^0.4.  Discharge that fills the bed
grows with about Q ∝ A^0.75, where A is the drainage area, so depth ∝ A^0.3.  At a distance y from the middle of a
river that drains A,

    cut(y) = depth · (A / 1 km²)^0.3 · (1 − (y / r)²)
    r = ½ · width_ratio · width of the river

In elevation data, narrow valleys often look dammed: trees, bridges and samples that are further apart than the valley
is wide make dams that are not there.  A river that breaches dams of up to a height b runs at

    level = max(ground, water level − b)

and no higher than anywhere upstream, so hollows that are at most b deep run dry, and deeper lakes sink by about b.
Breaching changes less of a land than filling its hollows does (Lindsay 2016).

With a breach or without, no bed is cut below ground downstream on which a lake stays, nor below the banks of a drawn
lake downstream, so no lake runs into a bed, and no water gets deeper.

>>> from terrain_addon.core.flow.water import Water, find_water
>>> from terrain_addon.core.foundation.progress import run
>>> y, x = np.mgrid[0.0:7.0, -2.0:3.0].astype(np.float32)
>>> valley = np.abs(x) + np.float32(0.1) * y
>>> land = Terrain(valley, np.zeros_like(valley), 10.0)
>>> waters = find_water(land.surface, 10.0, Water(river_source=0.0003))
>>> eroded = run(cut_river_beds(land, RiverBeds(depth=6.0), waters=waters))
>>> print(eroded.terrain.surface[2].round(2))
[2.2  1.2  0.19 1.2  2.2 ]

References
----------
L. B. Leopold and T. Maddock (1953), "The hydraulic geometry of stream channels and some physiographic implications",
USGS Professional Paper 252, doi:10.3133/pp252: depth as a power of discharge, downstream 0.4 on average.

L. B. Leopold, M. G. Wolman and J. P. Miller (1964), "Fluvial processes in geomorphology", Freeman, chapter 7: bankfull
discharge as a power of drainage area, 0.75 on average.

J. B. Lindsay (2016), "Efficient hybrid breaching-filling sink removal methods for flow path enforcement in digital
elevation models", Hydrological Processes 30(6), 846–857, doi:10.1002/hyp.10648: why breaching is better than filling.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..direction.drawing import NOTHING_DRAWN, DrawnFeatures
from ..direction.lakes import banks_of_lakes
from ..flow.routing import lowest_outlet
from ..flow.water import Waters
from ..foundation.compilation import Array, kernel
from ..foundation.elementary import power_of
from ..foundation.parameters import parameter
from ..foundation.progress import Steps
from ..foundation.terrain import Field, Terrain
from .mass_balance import Eroded, MassBalance, volume_of
from .process import Process, ProcessParameters

_SQRT_2 = math.sqrt(2.0)
WINDOW = 4
"""The direction of a river is taken over this many cells on either side."""
DEPTH_EXPONENT = 0.3
"""depth ∝ A^0.3: the product of 0.4 for discharge and 0.75 for drainage area."""
WIDTH_OF_BREACH = 2.0
"""Least distance from the middle of a bed to its banks where it breaches a dam, as a multiple of the dam's height."""
BOTTOMLESS = np.float32(-1e30)
"""Height in metres down to which a bed may be cut where nothing limits it."""


@dataclass(frozen=True)
class RiverBeds(ProcessParameters):
    """Rivers get beds with banks, which show in the shape of the mesh."""

    depth: float = parameter(
        1.5,
        "Depth of the bed where a river drains 1 km²; at 4 km² it is 1.5 times as deep",
        unit="m",
        limits=(0.0, 100.0),
        soft=(0.0, 5.0),
    )
    width_ratio: float = parameter(
        1.5,
        "Width of the bed between its banks as a multiple of the river's width",
        limits=(1.0, 20.0),
        soft=(1.0, 5.0),
        advanced=True,
    )
    breach: float = parameter(
        0.0,
        "Height of dams that rivers cut through: lakes and hollows up to this deep run dry, deeper ones sink by about "
        "this much.  Elevation data has such dams in narrow valleys",
        unit="m",
        limits=(0.0, 1000.0),
        soft=(0.0, 20.0),
    )


def cut_river_beds(
    terrain: Terrain, beds: RiverBeds, *, waters: Waters, drawing: DrawnFeatures = NOTHING_DRAWN
) -> Steps[Eroded]:
    """Lower the land along its rivers; sediment is removed before bedrock.

    The bed of a river that drains A km² is depth · A^0.3 deep (power law after Leopold & Maddock 1953).  Its
    cross-section is a parabola from the middle to the banks, so ⅔ · depth · width is removed per metre of river at any
    resolution.  A bed that is narrower than the cells lowers the cells along the river only, each by its share of the
    parabola.  No bed rises downstream, so no water is dammed; before a lake, beds end at the highest ground under it on
    their way.  What is removed leaves with the water.

    Where a river breaches a dam, its bed is at least four times as wide as the dam is high, so that banks are no
    steeper than about 45°.  Beside the river, no floor of a lake is cut below the level to which the lake sinks.

    Parameters
    ----------
    terrain : Terrain
        The land.
    beds : RiverBeds
        Depth and width of the beds, and which dams they cut through.
    waters : Waters
        The rivers of the land.
    drawing : DrawnFeatures
        Upstream of its lakes no bed is cut below their banks, which come back later.

    Yields
    ------
    float
        Share done: 0 once, before its only step.

    Returns
    -------
    Eroded
        The land, nowhere higher than before, and as before beyond the banks and under water that still stands.
    """
    yield 0.0
    rivers, before = waters.rivers, volume_of(terrain)
    depth = np.float32(beds.depth) * power_of((1e-6 * rivers.drainage_area).astype(np.float32), DEPTH_EXPONENT)
    reach = np.float32(0.5 * beds.width_ratio) * rivers.width
    level, ground = rivers.points[:, 2].copy(), terrain.surface.ravel()[rivers.cell]
    sea_level = lowest_outlet(waters.sea_level)
    running = running_level(level, ground, beds.breach, sea_level)
    water_depth = waters.water_depth
    stays = depth_that_stays(water_depth, terrain.surface, beds.breach, sea_level)
    drawn = banks_of_lakes(drawing.lakes, terrain.surface.shape, terrain.cell_size)
    dams = ground_that_dams(stays, terrain.surface, sea_level, drawn).ravel()[rivers.cell]
    courses = _Courses(rivers.first, rivers.joins_at, rivers.cell, level, running, dams)
    middle = np.empty_like(depth)
    _deepen(courses, terrain.surface.shape[1], terrain.cell_size, depth, reach, middle)
    lowest = level - middle if beds.breach > 0.0 else courses.dams
    reach = np.maximum(reach, np.float32(WIDTH_OF_BREACH) * np.clip(middle - depth, 0.0, np.float32(beds.breach)))
    # In a dry depression a river runs above its ground, which is lower already.
    middle -= level - ground
    np.maximum(middle, np.float32(0.0), out=middle)
    taken = np.zeros_like(terrain.surface)
    floor = lowest_floor(water_depth, terrain.surface, beds.breach, sea_level)
    _lower(courses, np.stack((middle, reach, lowest)), np.stack((terrain.surface, floor)), terrain.cell_size, taken)
    cut = without_ground(terrain, taken, stays)
    after = volume_of(cut)
    return Eroded(cut, MassBalance(before, after, left=before - after))


def running_level(level: Field, ground: Field, breach: float, sea_level: float) -> Field:
    """Return how high a river would run if it breached what dams it, before what lies upstream is looked at.

    Parameters
    ----------
    level, ground : ndarray of float32
        Height in metres of the water that fills every depression, and of the ground.
    breach : float
        Height in metres of dams that it cuts through.
    sea_level : float
        Metres; minus infinity, or below all ground, if there is no sea.

    Returns
    -------
    ndarray of float32, the same shape
        Metres.
    """
    if breach == 0.0:
        return level
    return np.maximum(np.maximum(ground, level - np.float32(breach)), np.float32(sea_level))


def depth_that_stays(water_depth: Field, surface: Field, breach: float, sea_level: float) -> Field:
    """Return how deep the sea and lakes are once rivers have breached what dams them.

    Parameters
    ----------
    water_depth, surface : ndarray of float32, shape (rows, columns)
        Depth of standing water, and height of the ground, in metres.
    breach, sea_level : float
        As in `running_level`.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres; 0 or less where it is dry.
    """
    if breach == 0.0:
        return water_depth
    return np.where(surface < np.float32(sea_level), water_depth, water_depth - np.float32(breach))


def ground_that_dams(stays: Field, surface: Field, sea_level: float, drawn: Field | None = None) -> Field:
    """Return the ground under lakes that stay when rivers breach what dams them.

    Parameters
    ----------
    stays : ndarray of float32, shape (rows, columns)
        From `depth_that_stays`.
    surface, sea_level
        As in `depth_that_stays`.
    drawn : ndarray of float32, shape (rows, columns), optional
        From `banks_of_lakes`.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres; `BOTTOMLESS` elsewhere.
    """
    is_dam = (stays > 0.0) & (surface >= np.float32(sea_level))
    dams = np.where(is_dam, surface, BOTTOMLESS)
    return dams if drawn is None else np.fmax(dams, drawn)


def lowest_floor(water_depth: Field, surface: Field, breach: float, sea_level: float) -> Field:
    """Return down to which height the banks of a river may be cut.

    Parameters
    ----------
    water_depth, surface, breach, sea_level
        As in `depth_that_stays`.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres: the level of a lake less the height of the breach; `BOTTOMLESS` elsewhere, and everywhere if nothing is
        breached.
    """
    is_lake = (water_depth > 0.0) & (surface >= np.float32(sea_level)) & (breach > 0.0)
    return np.where(is_lake, surface + water_depth - np.float32(breach), BOTTOMLESS)


def without_ground(terrain: Terrain, taken: Field, water_depth: Field) -> Terrain:
    """Return a land without the ground that rivers have taken; under standing water it stays.

    Parameters
    ----------
    terrain : Terrain
        The land.
    taken : ndarray of float32, shape (rows, columns)
        How far rivers would lower it, in metres.
    water_depth : ndarray of float32, shape (rows, columns)
        Depth of lakes and the sea in metres.

    Returns
    -------
    Terrain
        Sediment is removed before bedrock.
    """
    taken = np.where(water_depth > 0.0, np.float32(0.0), taken)
    sediment = terrain.sediment - taken
    np.maximum(sediment, np.float32(0.0), out=sediment)
    bedrock = terrain.surface - taken
    bedrock -= sediment
    np.copyto(bedrock, terrain.bedrock, where=taken == 0.0)
    return Terrain(bedrock, sediment, terrain.cell_size)


class _Courses(NamedTuple):
    """The rivers as lists of cells: `first`, `joins_at` and `cell` as in `Rivers`.

    `level` is that of the water there, `running` from `running_level`, and `dams` from `ground_that_dams`.
    """

    first: Array
    joins_at: Array
    cell: Array
    level: Array
    running: Array
    dams: Array


@kernel
def _deepen(courses: _Courses, columns: int, cell_size: float, depth: Array, reach: Array, middle: Array) -> None:
    """Write how much is cut away in the middle of each bed, in metres below the level of the river.

    `dams` of the courses becomes the highest ground that dams a river there or downstream.
    """
    first, joins_at, cell, level, running, dams = courses
    # Lowest bed of the tributaries that end at a point.
    inlet = np.full(cell.size, np.inf)
    # A river comes after the one that it joins, so tributaries are visited first.
    for river in range(first.size - 2, -1, -1):
        begin, end = first[river], first[river + 1]
        bed = np.inf
        for i in range(begin, end):
            spacing = cell_size / _mean_step(cell[max(i - WINDOW, begin) : min(i + WINDOW + 1, end)], columns)
            bed = min(min(bed, inlet[i]), running[i] - depth[i] * share_of_depth(reach[i] / spacing))
            middle[i] = level[i] - bed
        if joins_at[river] >= 0:
            inlet[joins_at[river]] = min(inlet[joins_at[river]], bed)
    for river in range(first.size - 1):
        dam = dams[joins_at[river]] if joins_at[river] >= 0 else dams[first[river + 1] - 1]
        for i in range(first[river + 1] - 1, first[river] - 1, -1):
            dam = max(dam, dams[i])
            dams[i] = dam
            middle[i] = min(middle[i], level[i] - dam)


@kernel
def _mean_step(cells: Array, columns: int) -> float:
    """Mean distance from each cell of a course to the next, in cells: 1 along rows and columns, √2 across."""
    length = 0.0
    for i in range(cells.size - 1):
        rows_and_columns = abs(cells[i + 1] // columns - cells[i] // columns) + abs(
            cells[i + 1] % columns - cells[i] % columns
        )
        length += _SQRT_2 if rows_and_columns == 2 else 1.0
    return length / (cells.size - 1)


@kernel
def share_of_depth(reach: float) -> float:
    """Return the share of the depth by which cells in the middle of a bed are lowered, so that it has its volume.

    Parameters
    ----------
    reach : float
        Distance to the bank as a multiple of the distance of the lines of cells along the river.

    Returns
    -------
    float
        Lines at the distances k = −K … K get 1 − (k / reach)² of it, in sum 4 / 3 · reach, the area under the parabola.
    """
    k = math.floor(reach)
    lines = 1.0 + 2.0 * k
    if k > 0.0:
        lines -= k * (k + 1.0) * (2.0 * k + 1.0) / (3.0 * reach * reach)
    return 4.0 / 3.0 * reach / lines


@kernel
def _lower(courses: _Courses, beds: Array, ground: Array, cell_size: float, taken: Array) -> None:
    """Write by how much each cell within the banks of a river is lowered."""
    first, cell = courses.first, courses.cell
    for river in range(first.size - 1):
        for i in range(first[river], first[river + 1] - 1):
            lower_segment(cell[i], cell[i + 1], beds[:, i : i + 2], ground, cell_size, taken)


@kernel
def lower_segment(cell: int, below: int, beds: Array, ground: Array, cell_size: float, taken: Array) -> None:
    """Lower the ground between two cells of a river by a parabola across its course, where it is not lower already.

    Parameters
    ----------
    cell, below : int
        Flat indices of the two.
    beds : ndarray of float32, shape (3, 2)
        How much is cut away in the middle at both, the distance to the bank there, and the height down to which it may
        be cut, in metres.
    ground : ndarray of float32, shape (2, rows, columns)
        Height of the ground in metres, and that down to which it may be cut beside the two, from `lowest_floor`.
    cell_size : float
        Metres.
    taken : ndarray of float32, shape (rows, columns)
        By how much each cell is lowered, in metres; grows.
    """
    columns = taken.shape[1]
    middle, reach, lowest = beds[0], beds[1], beds[2]
    south, west = cell // columns, cell % columns
    up, right = below // columns - south, below % columns - west
    # The own cells, also of a bed that is narrower than they are.
    taken[south, west] = max(taken[south, west], middle[0])
    taken[south + up, west + right] = max(taken[south + up, west + right], middle[1])
    span = math.ceil(max(reach[0], reach[1]) / cell_size)
    for r in range(max(min(south, south + up) - span, 0), min(max(south, south + up) + span + 1, taken.shape[0])):
        for c in range(max(min(west, west + right) - span, 0), min(max(west, west + right) + span + 1, columns)):
            along = ((r - south) * up + (c - west) * right) / float(up * up + right * right)
            along = min(max(along, 0.0), 1.0)
            y, x = r - south - along * up, c - west - along * right
            bank = (reach[0] + along * (reach[1] - reach[0])) / cell_size
            share = 1.0 - (x * x + y * y) / max(bank * bank, 1e-12)
            if share > 0.0:
                deep = middle[0] + along * (middle[1] - middle[0])
                least = lowest[0] + along * (lowest[1] - lowest[0])
                room = np.float32(ground[0, r, c] - max(least, ground[1, r, c]))
                taken[r, c] = max(taken[r, c], min(np.float32(deep * share), room))


RIVER_BEDS = Process(RiverBeds, cut_river_beds, exchanged=("left",), measurements=("waters",), directed=True)

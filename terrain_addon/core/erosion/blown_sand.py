"""Sand that the wind carries, in whole slabs: the kernels of the process `sand`.

A step has four parts, and each reads one state and writes another: cells in the shadow of the wind are found, sand is
lifted elsewhere, all flying sand moves by the same hop and some of it settles, and slopes that are too steep slide.
A cell gathers what comes to it and writes nothing but itself.  So no order of updates exists that could matter: numbers
are whole, sums are exact, and any number of threads gives the same bytes.  Draws are hashes of place and step.

The land goes on beyond its border as it is at the opposite one, at the height of the rock where it enters: what the
wind carries out on one side comes in on the other.

References
----------
B. T. Werner (1995), "Eolian dunes: Computer simulations and attractor interpretation", Geology 23, 1107-1110,
doi:10.1130/0091-7613(1995)023<1107:EDCSAA>2.3.CO;2: slabs, shadow, chances to settle.

H. Tsoar (1983), "Wind tunnel modeling of echo and climbing dunes", in Eolian Sediments and Processes, Developments in
Sedimentology 38, 247-259, doi:10.1016/S0070-4571(08)70798-2: sand climbs gentler rises than 55°; before steeper ones
the wind turns back and sweeps their foot.

J. M. Nield and A. C. W. Baas (2008), "Investigating parabolic and nebkha dune formation using a cellular automaton
modelling approach", Earth Surface Processes and Landforms 33, 724-740, doi:10.1002/esp.1571: plants that hold sand, lie
on steeper slopes, and grow or die by the sand that a season brings or takes.
"""

from typing import NamedTuple

import numpy as np

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.hashing import hash_place, unit_float

_SHARES = 256
_BITS = np.uint32(_SHARES - 1)
_STALLED = -1
# What `sheltered` says of a cell: in the shadow behind a crest; before a wall, where the wind turns back.
_SHADOW, _TURNED = 1, 2
# There it lifts so many times as much.
_SWEPT = 8
# Cells along the side of a gust, from which dunes grow on level sand.
_PATCH = 8
# Plants hold steeper slopes where they cover more than 0.3 of the ground (after Nield & Baas 2008, of which we know
# summaries only), in 255ths without them.
_ROOTED = 178
# How plants grow where sand neither comes nor goes, as a part of how they grow at best: one over this.
_CALM = 5


class BlownGround(NamedTuple):
    """Rock and what the wind does with the sand on it, in slabs.

    Attributes
    ----------
    rock : ndarray of int32, shape (rows, columns)
        Height of what the wind does not move.
    sand : ndarray of int32, shape (rows, columns)
        Slabs that lie on it.
    flying : ndarray of int32, shape (rows, columns)
        Slabs in the air above it.
    bare : ndarray of uint8, shape (rows, columns)
        How freely the wind lifts sand, in 255ths: 255 without plants, 0 where they hold all of it.
    sheltered : ndarray of uint8, shape (rows, columns)
        1 in the shadow of the wind, 2 before a wall, where the wind turns back, and 0 elsewhere.
    slides : ndarray of int32, shape (rows, columns)
        Working memory: what is lifted, then what slides, as 8 · slabs + number of the neighbour.
    """

    rock: Array
    sand: Array
    flying: Array
    bare: Array
    sheltered: Array
    slides: Array


class Law(NamedTuple):
    """How sand moves; chances are in 256ths, heights in slabs.

    Attributes
    ----------
    steepest, steepest_across : int
        Fall to a neighbour along an axis, and along a diagonal, above which sand slides.
    rooted, rooted_across : int
        The same under plants.
    rise : int
        Rise along the wind, over the distance at which it is measured, that stalls the wind.
    near : int
        Rise over that distance at the angle of repose.
    shadow : int
        Fall of the shadow over a cell.
    lifted : int
        What the wind lifts in a step on level ground.
    on_sand, on_rock : int
        Chance to settle after a hop.
    creep : int
        Share of a fall that grains hit by flying ones level in a step.
    speed_up : int
        By how much more the wind lifts on a slope at the angle of repose, in 256ths.
    wall : int
        Rise over a cell along the wind from which the wind turns back; 0 where no rock is so steep.
    """

    steepest: int
    steepest_across: int
    rooted: int
    rooted_across: int
    rise: int
    near: int
    shadow: int
    lifted: int
    on_sand: int
    on_rock: int
    creep: int
    speed_up: int
    wall: int


class SandPlants(NamedTuple):
    """How plants grow or die in a season.

    Attributes
    ----------
    burial : int
        Slabs that a season brings where plants grow best; with twice as many they neither grow nor die.
    exposure : int
        Slabs that a season takes where plants neither grow nor die.
    most : int
        By how much their cover changes at most, in 255ths.
    """

    burial: int
    exposure: int
    most: int


class Gust(NamedTuple):
    """The wind of one step.

    Attributes
    ----------
    row, column : int
        The hop of flying sand, in cells.
    near_row, near_column : int
        Over how many cells the slope along the wind is measured.
    ways : ndarray of int64, shape (number, 2)
        Rows and columns to cells that lie 2, 4, 8 … cells downwind, where walls are looked for.
    seed : uint32
        Of the draws of this step.
    """

    row: int
    column: int
    near_row: int
    near_column: int
    ways: Array
    seed: np.uint32


@parallel_kernel
def shelter(
    part: Part, rock: Array, sand: Array, sheltered: Array, shifts: Array, heights: Array, forward: bool, drop: int
) -> None:
    """Find the cells in the shadow of the wind, line by line across it.

    Parameters
    ----------
    part : Part
        Which share of the rays.
    rock, sand, sheltered : ndarray, shape (lines, rays)
        As in `BlownGround`, turned so that the wind blows mainly from line to line.
    shifts : ndarray of int64, shape (lines before the border + lines,)
        By how many cells the rays have moved sideways at each line; the first lines lie beyond the border.
    heights : ndarray of int32, shape (rays,)
        Top of the shadow on each ray; working memory.
    forward : bool
        Whether the wind blows towards higher lines.
    drop : int
        Slabs by which the shadow falls from one line to the next.
    """
    lines, rays = sand.shape
    before = shifts.size - lines
    mine = portion(part, rays)
    for ray in mine:
        heights[ray] = -(2**30)
    last = 0
    for k in range(shifts.size):
        line = (k - before) % lines
        line = line if forward else lines - 1 - line
        shift = shifts[k] % rays
        crosses = k == before
        moved = shifts[k] - shifts[k - 1] if k else 0
        for ray in mine:
            at = ray + shift
            at = at - rays if at >= rays else at
            height = heights[ray] - drop
            came = at - moved
            if crosses or came < 0 or came >= rays:
                # Over the border the shadow keeps its height above the rock.
                came = came + rays if came < 0 else came - rays if came >= rays else came
                height += rock[line, at] - rock[last, came] if k else 0
            ground = rock[line, at] + sand[line, at]
            if k >= before:  # lines beyond the border belong to other rays
                sheltered[line, at] = np.uint8(height > ground)
            heights[ray] = max(height, ground)
        last = line


@parallel_kernel
def lift(part: Part, ground: BlownGround, law: Law, gust: Gust) -> None:
    """Find what the wind lifts from each cell, more where the ground rises against it and in gusts.

    Where the ground ahead is too steep the wind stalls: it lifts nothing, and drops what it carries.  That fills the
    foot of steep rises and gives dunes a gentle windward slope, and rocks a ramp of sand.  Before a wall the wind turns
    back along the ground (Tsoar 1983) and sweeps its foot, and sand heaps up where both winds meet: an echo dune.

    Parameters
    ----------
    part : Part
        Which share of the rows.
    ground : BlownGround
        Its `slides` take what is lifted; `sheltered` takes where the wind turns back.
    law : Law
        How sand moves.
    gust : Gust
        The wind of the step.
    """
    rows, columns = ground.sand.shape
    # Sand does not hop onto a wall.
    highest_hop = law.steepest * max(abs(gust.row), abs(gust.column))
    # The patches lie elsewhere in each step, so that their edges leave no marks.
    south, west = np.int64(gust.seed & _BITS), np.int64((gust.seed >> np.uint32(8)) & _BITS)
    for i in portion(part, rows):
        row_seed = hash_place((i + south) // _PATCH, -1, gust.seed)
        draw = row_seed
        for j in range(columns):
            if j == 0 or (j + west) % _PATCH == 0:
                draw = hash_place((j + west) // _PATCH, 0, row_seed)
            amount = 0
            if law.wall and _is_before_wall(ground, law, gust, i, j):
                ground.sheltered[i, j] = _TURNED
                amount = min(_SWEPT * law.lifted * int(ground.bare[i, j]) // 255, int(ground.sand[i, j]))
            elif ground.sheltered[i, j] == 0:
                too_steep = -_fall(ground, i, j, i + gust.near_row, j + gust.near_column) > law.rise
                if too_steep or (law.wall and -_fall(ground, i, j, i + gust.row, j + gust.column) > highest_hop):
                    amount = _STALLED
                elif ground.sand[i, j] > 0:
                    rise = _fall(ground, i, j, i - gust.near_row, j - gust.near_column)
                    speed_up = max(_SHARES + law.speed_up * rise // law.near, 0)
                    # From half to one and a half of the usual, and less where plants hold the sand.
                    strength = speed_up * (128 + np.int64(draw & _BITS)) * ground.bare[i, j] // (_SHARES * _SHARES)
                    amount = min(law.lifted * strength // 255, ground.sand[i, j])
            ground.slides[i, j] = amount


@kernel
def _is_before_wall(ground: BlownGround, law: Law, gust: Gust, i: int, j: int) -> bool:
    """Whether rock that rises like a wall stands downwind, and no sand here or upwind reaches its top."""
    rows, columns = ground.sand.shape
    for n in range(gust.ways.shape[0]):
        north, east = int(gust.ways[n, 0]), int(gust.ways[n, 1])
        i_to, j_to = i + north, j + east
        if not (0 <= i_to < rows and 0 <= j_to < columns):
            return False
        rise = int(ground.rock[i_to, j_to] - ground.rock[i, j])
        if rise > law.wall << (n + 1) and rise > ground.sand[i, j]:
            i_from, j_from = min(max(i - north, 0), rows - 1), min(max(j - east, 0), columns - 1)
            upwind = int(ground.rock[i_from, j_from] + ground.sand[i_from, j_from])
            return upwind < int(ground.rock[i_to, j_to])
    return False


@parallel_kernel
def carry(part: Part, ground: BlownGround, arrived: Array, law: Law, gust: Gust) -> None:
    """Move all flying sand by the hop of a step, back before walls; some of it settles, all of it in the shadow.

    Parameters
    ----------
    part : Part
        Which share of the rows.
    ground : BlownGround
        Its sand changes; `slides` tell what was lifted.
    arrived : ndarray of int32, shape (rows, columns)
        Takes what flies on.
    law : Law
        How sand moves.
    gust : Gust
        The wind of the step.
    """
    rows, columns = ground.sand.shape
    lifted = ground.slides
    for i in portion(part, rows):
        source = (i - gust.row) % rows
        row_seed = hash_place(i, -2, gust.seed)
        j_source = -gust.column % columns
        i_beyond = (i + gust.row) % rows
        for j in range(columns):
            flying = 0
            if ground.sheltered[source, j_source] != _TURNED:
                flying = ground.flying[source, j_source] + max(lifted[source, j_source], 0)
            j_source = j_source + 1 if j_source + 1 < columns else 0
            if law.wall:
                j_beyond = (j + gust.column) % columns
                if ground.sheltered[i_beyond, j_beyond] == _TURNED:
                    flying += ground.flying[i_beyond, j_beyond] + max(lifted[i_beyond, j_beyond], 0)
            lying = ground.sand[i, j] - max(lifted[i, j], 0)
            if flying > 0 and ground.sheltered[i, j] != _TURNED:
                chance = law.on_sand if lying > 0 else law.on_rock
                chance = _SHARES - (_SHARES - chance) * ground.bare[i, j] // 255
                chance = _SHARES if ground.sheltered[i, j] == _SHADOW or lifted[i, j] == _STALLED else chance
                settled = int((flying * chance + np.int64(hash_place(j, 0, row_seed) & _BITS)) // _SHARES)
                lying += settled
                flying -= settled
            ground.sand[i, j] = lying
            arrived[i, j] = flying


@kernel
def _fall(ground: BlownGround, i: int, j: int, i_to: int, j_to: int) -> int:
    """Return by how many slabs a cell stands above a neighbour, which may lie beyond the border."""
    rows, columns = ground.sand.shape
    inside = 0 <= i_to < rows and 0 <= j_to < columns
    i_to, j_to = i_to % rows, j_to % columns
    fall = ground.sand[i, j] - ground.sand[i_to, j_to]
    return fall + ground.rock[i, j] - ground.rock[i_to, j_to] if inside else fall


@kernel
def _row_step(number: int) -> int:
    """Rows to a neighbour by its number: four along the axes, then four across; n and (n ^ 1) are opposite."""
    if number < 2:
        return 1 - 2 * number
    if number < 4:
        return 0
    return 1 - 2 * (number & 1)


@kernel
def _column_step(number: int) -> int:
    """Columns to a neighbour by its number."""
    if number < 2:
        return 0
    if number < 4:
        return 1 - 2 * (number & 1)
    side = 1 - 2 * (number & 1)
    return side if number < 6 else -side


@parallel_kernel
def loosen(part: Part, ground: BlownGround, law: Law, unstable: Array) -> None:
    """Find what slides from each cell to its steepest neighbour.

    Where that fall is too steep, a third of the excess slides, as another cell may slide to the same neighbour.  Where
    the wind blows, flying grains hit those that lie, which creep down any slope, but for what plants hold.

    Parameters
    ----------
    part : Part
        Which share of the rows.
    ground : BlownGround
        Its `slides` take what slides.
    law : Law
        How sand moves.
    unstable : ndarray of int32, shape (rows,)
        Takes how many cells of each row are too steep.
    """
    rows, columns = ground.sand.shape
    for i in portion(part, rows):
        count = 0
        for j in range(columns):
            slide = 0
            if ground.sand[i, j] > 0:
                along, across = 0, 0
                to_along, to_across = 0, 4
                if 0 < i < rows - 1 and 0 < j < columns - 1:
                    height = ground.rock[i, j] + ground.sand[i, j]
                    for n in range(4):
                        i_to, j_to = i + _row_step(n), j + _column_step(n)
                        fall = height - ground.rock[i_to, j_to] - ground.sand[i_to, j_to]
                        if fall > along:
                            along, to_along = fall, n
                    for n in range(4, 8):
                        i_to, j_to = i + _row_step(n), j + _column_step(n)
                        fall = height - ground.rock[i_to, j_to] - ground.sand[i_to, j_to]
                        if fall > across:
                            across, to_across = fall, n
                else:
                    for n in range(4):
                        fall = _fall(ground, i, j, i + _row_step(n), j + _column_step(n))
                        if fall > along:
                            along, to_along = fall, n
                    for n in range(4, 8):
                        fall = _fall(ground, i, j, i + _row_step(n), j + _column_step(n))
                        if fall > across:
                            across, to_across = fall, n
                is_rooted = ground.bare[i, j] < _ROOTED
                to, excess = to_along, along - (law.rooted if is_rooted else law.steepest)
                if across * 181 // 256 > along:
                    to, excess = to_across, across - (law.rooted_across if is_rooted else law.steepest_across)
                amount = 0
                if excess > 0:
                    amount = (excess + 2) // 3
                    count += 1
                elif ground.sheltered[i, j] == 0:
                    most = max(along, across * 181 // 256)
                    amount = most * law.creep * int(ground.bare[i, j]) // (255 * 256)
                slide = 8 * min(amount, ground.sand[i, j]) + to
            ground.slides[i, j] = slide
        unstable[i] = count


@parallel_kernel
def slide_down(part: Part, ground: BlownGround) -> None:
    """Move what `loosen` has found: a cell gathers what slides to it.

    Parameters
    ----------
    part : Part
        Which share of the rows.
    ground : BlownGround
        Its sand changes.
    """
    rows, columns = ground.sand.shape
    slides = ground.slides
    for i in portion(part, rows):
        for j in range(columns):
            change = -(slides[i, j] >> 3)
            inside = 0 < i < rows - 1 and 0 < j < columns - 1
            for n in range(8):
                i_from, j_from = i + _row_step(n), j + _column_step(n)
                if not inside:
                    i_from, j_from = i_from % rows, j_from % columns
                coming = slides[i_from, j_from]
                if coming & 7 == n ^ 1:
                    change += coming >> 3
            ground.sand[i, j] += change


@parallel_kernel
def grow_on_sand(part: Part, ground: BlownGround, before: Array, growth: SandPlants, seed: np.uint32) -> None:
    """Let plants grow or die by the sand that a season has brought or taken; a draw rounds to whole 255ths.

    Their growth is linear between points: plants die where sand is taken, grow a little where it stays, best where some
    is brought, and die again where that is too much.

    Parameters
    ----------
    part : Part
        Which share of the rows.
    ground : BlownGround
        Its `bare` changes.
    before : ndarray of int32, shape (rows, columns)
        Slabs at the beginning of the season; takes those of now.
    growth : SandPlants
        How plants grow or die.
    seed : uint32
        Of the draws.
    """
    rows, columns = ground.sand.shape
    for i in portion(part, rows):
        row_seed = hash_place(i, -4, seed)
        for j in range(columns):
            brought = int(ground.sand[i, j]) - int(before[i, j])
            before[i, j] = ground.sand[i, j]
            if brought <= 0:
                share = _SHARES * (growth.exposure + brought) // (_CALM * growth.exposure)
            elif brought <= growth.burial:
                share = _SHARES // _CALM + (_SHARES - _SHARES // _CALM) * brought // growth.burial
            else:
                share = _SHARES * (2 * growth.burial - brought) // growth.burial
            share = max(share, -_SHARES)
            grown = (growth.most * share + np.int64(hash_place(j, 0, row_seed) & _BITS)) // _SHARES
            ground.bare[i, j] = np.uint8(min(max(ground.bare[i, j] - grown, 0), 255))


@parallel_kernel
def lay(part: Part, sand: Array, mean: float, seed: np.uint32) -> None:
    """Lay sand evenly; a draw rounds to whole slabs.

    Parameters
    ----------
    part : Part
        Which share of the rows.
    sand : ndarray of int32, shape (rows, columns)
        Slabs; more is laid on them.
    mean : float
        Slabs for a cell, 0 or more.
    seed : uint32
        Of the draws.
    """
    for i in portion(part, sand.shape[0]):
        for j in range(sand.shape[1]):
            sand[i, j] += int(mean + unit_float(hash_place(i, j, seed)))


@parallel_kernel
def find_gentle(part: Part, height: Array, bare: Array, steepest: int, gentle: Array) -> None:
    """Find cells from which the wind can take sand, and around which no slope is steep.

    Parameters
    ----------
    part : Part
        Which share of the rows.
    height : ndarray of int64, shape (rows, columns)
        Of the ground.
    bare : ndarray of uint8, shape (rows, columns)
        How freely the wind lifts sand.
    steepest : int
        Greatest fall from a cell to the next.
    gentle : ndarray of bool, shape (rows, columns)
        Is written.
    """
    for i in portion(part, height.shape[0]):
        for j in range(height.shape[1]):
            here = _sum_of_nine(height, i, j)
            south, north = _sum_of_nine(height, i - 3, j) - here, _sum_of_nine(height, i + 3, j) - here
            west, east = _sum_of_nine(height, i, j - 3) - here, _sum_of_nine(height, i, j + 3) - here
            along, across = max(abs(south), abs(north)), max(abs(west), abs(east))
            # Over three cells, and as means of nine, on which the roughness of a cell counts little.
            most = 27 * steepest
            gentle[i, j] = bare[i, j] > 0 and along * along + across * across <= most * most


@kernel
def _sum_of_nine(height: Array, i: int, j: int) -> int:
    """Return the sum over a cell and its neighbours."""
    total = 0
    for row in range(i - 1, i + 2):
        for column in range(j - 1, j + 2):
            total += _inside(height, row, column)
    return total


@parallel_kernel
def even_out(part: Part, rock: Array, sand: Array, gentle: Array, after: Array) -> None:
    """Let an eighth of the difference flow between neighbours that are gentle, as far as there is sand.

    Parameters
    ----------
    part : Part
        Which share of the rows.
    rock, sand : ndarray of int64, shape (rows, columns)
        Heights in parts of a slab.
    gentle : ndarray of bool, shape (rows, columns)
        From `find_gentle`.
    after : ndarray of int64, shape (rows, columns)
        Sand afterwards; is written.
    """
    rows, columns = sand.shape
    for i in portion(part, rows):
        for j in range(columns):
            change = 0
            if gentle[i, j]:
                for k in range(4):
                    i_to, j_to = i + (k == 0) - (k == 1), j + (k == 2) - (k == 3)
                    if 0 <= i_to < rows and 0 <= j_to < columns and gentle[i_to, j_to]:
                        fall = rock[i_to, j_to] + sand[i_to, j_to] - rock[i, j] - sand[i, j]
                        # Each gives no more than a quarter of its sand to each neighbour.
                        if fall > 0:
                            change += min(fall >> 3, sand[i_to, j_to] >> 2)
                        else:
                            change -= min(-fall >> 3, sand[i, j] >> 2)
            after[i, j] = sand[i, j] + change


@parallel_kernel
def find_level_ways(part: Part, height: Array, bare: Array, ways: Array) -> None:
    """Write how far each way to a neighbour runs along the level lines of the ground around a cell.

    Parameters
    ----------
    part : Part
        Which share of the rows.
    height : ndarray of int64, shape (rows, columns)
        Of the ground.
    bare : ndarray of uint8, shape (rows, columns)
        How freely the wind lifts sand.
    ways : ndarray of uint8, shape (rows, columns, 4)
        Of the ways north, east, north-east and north-west; 255 along a level line, 0 across it, on level ground, and
        where plants hold all sand.  Is written.
    """
    for i in portion(part, height.shape[0]):
        for j in range(height.shape[1]):
            # Sums of squares, so that the two sides of a crest do not cancel each other out.
            north, east, both = 0.0, 0.0, 0.0
            for row in range(i - 2, i + 3):
                for column in range(j - 2, j + 3):
                    up = float(_inside(height, row + 1, column) - _inside(height, row - 1, column))
                    right = float(_inside(height, row, column + 1) - _inside(height, row, column - 1))
                    north, east, both = north + up * up, east + right * right, both + up * right
            for k in range(4):
                across = north if k == 0 else east
                if k > 1:
                    across = 0.5 * (north + east) + (both if k == 2 else -both)
                along = 1.0 - across / (north + east) if bare[i, j] > 0 and north + east > 0.0 else 0.0
                ways[i, j, k] = np.uint8(255.0 * along * along * along * along)


@kernel
def _inside(height: Array, i: int, j: int) -> int:
    """Return the height of a cell; beyond the border lies what is on it."""
    rows, columns = height.shape
    return height[min(max(i, 0), rows - 1), min(max(j, 0), columns - 1)]


@parallel_kernel
def even_along(part: Part, rock: Array, sand: Array, ways: Array, after: Array) -> None:
    """Let up to an eighth of the difference flow between neighbours along level lines, as far as there is sand.

    Parameters
    ----------
    part : Part
        Which share of the rows.
    rock, sand : ndarray of int64, shape (rows, columns)
        Heights in parts of a slab.
    ways : ndarray of uint8, shape (rows, columns, 4)
        From `find_level_ways`.
    after : ndarray of int64, shape (rows, columns)
        Sand afterwards; is written.

    References
    ----------
    J. Weickert (1999), "Coherence-enhancing diffusion filtering", International Journal of Computer Vision 31, 111-127,
    doi:10.1023/A:1008009714131: diffusion along the direction that squares of slopes, summed around a place, give.
    """
    rows, columns = sand.shape
    for i in portion(part, rows):
        for j in range(columns):
            change = 0
            for k in range(8):
                i_to, j_to = i + _row_step(k), j + _column_step(k)
                if 0 <= i_to < rows and 0 <= j_to < columns:
                    fall = rock[i_to, j_to] + sand[i_to, j_to] - rock[i, j] - sand[i, j]
                    share = np.int64(min(ways[i, j, k >> 1], ways[i_to, j_to, k >> 1]))
                    # Each gives no more than an eighth of its sand to each neighbour.
                    if fall > 0:
                        change += min(fall * share >> 11, sand[i_to, j_to] >> 3)
                    else:
                        change -= min(-fall * share >> 11, sand[i, j] >> 3)
            after[i, j] = sand[i, j] + change

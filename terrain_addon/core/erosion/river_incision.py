"""Rivers cut into rising rock: one implicit step of the stream power law over a whole land, in O(cells).

∂h/∂t = U − K Aᵐ Sⁿ, solved from the outlets upstream, so that the new height of the receiver is known when a cell's
turn comes (Braun & Willett 2013).  Depressions are routed through; while they last they trap what is cut above them.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..flow.directions import OUTLET
from ..flow.drainage import own_area
from ..flow.routing import Router
from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.elementary import power, rough_power
from ..foundation.neighbours import DISTANCE, flat_steps
from ..foundation.terrain import Field, Grid
from .landslides import collapse

Heights = npt.NDArray[np.float64]

_PRECISION = 1e-13
_MOST_ITERATIONS = 60
_HUGE = 1e200


@dataclass(frozen=True)
class Conditions:
    """What a land is exposed to during a step.

    Attributes
    ----------
    uplift : ndarray of float32, shape (rows, columns)
        U in m/yr, or a pattern of it.
    pace : float32
        What the pattern is multiplied by.
    erodibility : ndarray of float32, shape (rows, columns)
        K in m^(1−2m)/yr, 0 or more.
    steepest : ndarray of float32, shape (rows, columns), or None
        Tangent of the steepest slope on which the rock holds; None where it holds on any.
    base : ndarray of float32, shape (rows, columns), or None
        Height in metres of the rivers beyond the border, of which only the border counts; None holds the border still.
    base_distance : float
        How far beyond the border that is, in metres, above 0.
    plain_slope : float
        Tangent of the slope with which a silted lake rises from its outlet.
    """

    uplift: Field
    erodibility: Field
    steepest: Field | None = None
    base: Field | None = None
    base_distance: float = 1.0
    plain_slope: float = 0.0
    pace: np.float32 = np.float32(1.0)


class RiverIncision:
    """Cuts rivers into one land again and again, in memory of its own.

    Parameters
    ----------
    grid : Grid
        Where the samples lie.
    drainage_exponent, slope_exponent : float
        m and n of the law; n above 0.
    rain : ndarray of float32, shape (rows, columns), optional
        Multiple of the mean.
    sea_level : float
        Metres; cells at or below it neither rise nor are cut.  Minus infinity where there is no sea.

    Attributes
    ----------
    router : Router
        Routes of the last step.
    work : ndarray of float64, shape (rows, columns)
        Free for any use between steps, and overwritten by them.

    Raises
    ------
    ValueError
        If `rain` has another shape than the grid or is negative.
    """

    def __init__(
        self,
        grid: Grid,
        drainage_exponent: float,
        slope_exponent: float,
        rain: Field | None = None,
        sea_level: float = -np.inf,
    ) -> None:
        self.router = Router(grid.shape)
        self._cell_size = grid.cell_size
        self._m, self._n = float(drainage_exponent), float(slope_exponent)
        self._sea_level = float(sea_level)
        # Distance to each neighbour in metres; the ninth, beyond the border, is set at each step.
        self._distance = np.append(DISTANCE.astype(np.float64) * grid.cell_size, 1.0)
        self._rain = None if rain is None else own_area(grid.shape, 1.0, rain).astype(np.float32)
        # One after the other: drainage area, conductance, height removed.
        self.work = np.empty(grid.shape)

    def step(
        self,
        height: Heights,
        sediment: Field,
        years: float,
        conditions: Conditions,
        course: Array | None = None,
    ) -> tuple[float, float]:
        """Let the land rise and its rivers cut for some years, in place.

        Parameters
        ----------
        height : ndarray of float64, shape (rows, columns)
            Of the ground, in metres.
        sediment : ndarray of float32, shape (rows, columns)
            How much of it lies loose, in metres: it is cut first, and grows where a lake silts up.
        years : float
            Length of the step; any length is stable, a short one more accurate.
        conditions : Conditions
            Uplift, rock and border.
        course : ndarray of float32 or float64, shape (rows, columns), optional
            Surface whose steepest descent the water follows, where that is not the ground itself.

        Returns
        -------
        risen, left : float
            Height that rose from below and height that left the land, summed over the cells, in metres.
        """
        router, work = self.router, self.work.ravel()
        router.route(height if course is None else course, self._sea_level)
        work[:] = self._cell_size**2
        if self._rain is not None:
            work *= self._rain.ravel()
        steps = flat_steps(self.router.shape[1])
        _gather(router.directions, router.order, work, steps)
        held = conditions.base is None
        self._distance[8] = conditions.base_distance
        # Area as a share of the whole, so that its power is in the range of `power`.
        whole = work.size * self._cell_size**2
        per_length = years * whole**self._m / self._distance**self._n
        erodibility = conditions.erodibility.ravel()
        _conduct(work, erodibility, router.directions, per_length, 1.0 / whole, np.float32(self._m))
        base = height if conditions.base is None else conditions.base
        risen = _cut(
            height.ravel(),
            router.order,
            router.directions,
            steps,
            work,
            conditions.uplift.ravel(),
            np.float32(conditions.pace),
            base.ravel(),
            held,
            self._distance,
            self._n,
            years,
            self._sea_level,
        )
        if conditions.steepest is not None:
            collapse(height, conditions.steepest, self._cell_size, self.work)
        basins = router.basins
        if basins is not None:
            _silt_up(
                height,
                self.work,
                basins.labels.reshape(height.shape),
                basins.level,
                basins.pass_from,
                basins.parent,
                basins.order,
                conditions.plain_slope * self._cell_size,
                np.empty((5, len(basins))),
            )
        return float(risen), float(take_sediment(sediment, self.work))


@kernel
def drop_after_incision(drop: float, conductance: float, exponent: float) -> float:
    """Solve x + C xⁿ = b for the drop x to the receiver after a step; b ≥ 0 is the drop without incision.

    Newton's method on a convex function from above, which falls towards the root without ever passing it: in
    z = x / b for n ≥ 1, in y = zⁿ otherwise.
    """
    if exponent == 1.0:
        return drop / (1.0 + conductance)
    if drop <= 0.0 or conductance <= 0.0:
        return drop
    # z + c zⁿ = 1, whatever the units.
    scaled = conductance * power(drop, exponent - 1.0)
    if not scaled < _HUGE:
        return 0.0
    if exponent > 1.0:
        z = min(1.0, power(1.0 / scaled, 1.0 / exponent))
        for _ in range(_MOST_ITERATIONS):
            part = scaled * power(z, exponent - 1.0)
            step = (z + part * z - 1.0) / (1.0 + exponent * part)
            z -= step
            if not step > _PRECISION * z:
                break
        return drop * min(max(z, 0.0), 1.0)
    inverse = 1.0 / exponent
    y = min(1.0, 1.0 / scaled)
    for _ in range(_MOST_ITERATIONS):
        part = power(y, inverse - 1.0)
        step = (part * y + scaled * y - 1.0) / (inverse * part + scaled)
        y -= step
        if not step > _PRECISION * y:
            break
    return drop * power(min(max(y, 0.0), 1.0), inverse)


@kernel
def _gather(directions: Array, order: Array, area: Array, steps: Array) -> None:
    for place in range(order.size - 1, -1, -1):
        cell = order[place]
        way = directions[cell]
        if way != OUTLET:
            area[cell + steps[way]] += area[cell]


@parallel_kernel
def _conduct(
    part: Part, area: Array, erodibility: Array, directions: Array, per_length: Array, per_area: float, m: np.float32
) -> None:
    """C = K Aᵐ Δt / dⁿ of each cell, in place of its area."""
    for cell in portion(part, area.size):
        share = rough_power(np.float32(area[cell] * per_area), m)
        area[cell] = erodibility[cell] * share * per_length[directions[cell]]


@kernel
def _cut(
    height: Array,
    order: Array,
    directions: Array,
    steps: Array,
    conductance: Array,
    uplift: Array,
    pace: np.float32,
    base: Array,
    held: bool,
    distance: Array,
    n: float,
    years: float,
    sea_level: float,
) -> float:
    """Raise and cut every cell, downstream first; what is removed takes its conductance's place.  Return the rise."""
    total = 0.0
    for cell in order:
        before = height[cell]
        way = directions[cell]
        leaves = way == OUTLET
        cut = 0.0
        if not (leaves and (held or before <= sea_level)):
            floor = base[cell] if leaves else height[cell + steps[way]]
            rise = float(np.float32(uplift[cell] * pace)) * years
            total += rise
            risen = before + rise
            drop = risen - floor
            # Where the way out leads up, through a depression, water stands and nothing is cut.
            if drop > 0.0:
                cut = drop - drop_after_incision(drop, conductance[cell], n)
            height[cell] = risen - cut
        conductance[cell] = cut
    return total


@kernel
def _silt_up(
    height: Array,
    removed: Array,
    labels: Array,
    level: Array,
    pass_from: Array,
    parent: Array,
    order: Array,
    slope: float,
    scratch: Array,
) -> None:
    """Let what was removed in each basin settle there, negative in `removed`; the rest goes on to the next basin.

    A basin fills up to a plain that rises from its pass, and from the plain beyond, by `slope` in metres per cell.
    """
    rows, columns = height.shape
    load, room, foot, pass_row, pass_column = scratch[0], scratch[1], scratch[2], scratch[3], scratch[4]
    load[:] = 0.0
    room[:] = 0.0
    for basin in order:
        if basin == 0:
            continue
        row, column = pass_from[basin] // columns, pass_from[basin] % columns
        pass_row[basin], pass_column[basin], foot[basin] = row, column, level[basin]
        beyond = parent[basin]
        if beyond > 0:
            away = math.sqrt((row - pass_row[beyond]) ** 2 + (column - pass_column[beyond]) ** 2)
            foot[basin] = max(level[basin], foot[beyond] + slope * away)
    for row in range(rows):
        for column in range(columns):
            basin = labels[row, column]
            load[basin] += removed[row, column]
            if basin > 0:
                above = height[row, column] - foot[basin]
                room[basin] += _depth(above, row - pass_row[basin], column - pass_column[basin], slope)
    for place in range(order.size - 1, 0, -1):
        basin = order[place]
        fill = min(load[basin], room[basin])
        load[parent[basin]] += load[basin] - fill
        room[basin] = fill / room[basin] if room[basin] > 0.0 else 0.0
    for row in range(rows):
        for column in range(columns):
            basin = labels[row, column]
            if basin > 0:
                above = height[row, column] - foot[basin]
                fill = _depth(above, row - pass_row[basin], column - pass_column[basin], slope) * room[basin]
                height[row, column] += fill
                removed[row, column] -= fill


@kernel
def _depth(above: float, rows: float, columns: float, slope: float) -> float:
    """How deep a cell so far above the foot of a plain, and so far from it, lies below the plain."""
    # Most cells lie above: they are spared the root.
    rise = slope * slope * (rows * rows + columns * columns)
    if above >= 0.0 and above * above >= rise:
        return 0.0
    return math.sqrt(rise) - above


@kernel
def take_sediment(sediment: Array, removed: Array) -> float:
    """Take what was removed from the sediment as far as there is any; return its sum."""
    total = 0.0
    for row in range(sediment.shape[0]):
        for column in range(sediment.shape[1]):
            change = removed[row, column]
            total += change
            sediment[row, column] = max(sediment[row, column] - change, np.float32(0.0))
    return total

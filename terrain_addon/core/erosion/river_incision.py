"""River incision: one implicit step of the stream power law over a whole land, in O(cells).

∂h/∂t = U − K Aᵐ Sⁿ (Howard 1994), solved in stack order from the outlets upstream, so that the new height of the
receiver is known when a cell is solved (Braun & Willett 2013).  Flow is routed through depressions; while they last
they trap what is eroded above them.

>>> height = np.array([[9.0, 9.0, 9.0, 9.0], [0.0, 5.0, 8.0, 9.0], [9.0, 9.0, 9.0, 9.0]])
>>> sediment, uplift = np.zeros((3, 4), np.float32), np.zeros((3, 4), np.float32)
>>> rock = Conditions(uplift, np.float32(1e-3), hardness=lambda: np.ones((3, 4), np.float32))
>>> risen, left = RiverIncision(Grid(3, 4, 10.0), 0.5, 1.0).step(height, sediment, 100.0, rock)
>>> print(height[1].round(2), risen, round(left, 2))
[0.   4.38 7.67 9.  ] 0.0 0.95
>>> drop_after_incision(8.0, 3.0, 1.0)
2.0

References
----------
J. Braun and S. D. Willett (2013), "A very efficient O(n), implicit and parallel method to solve the stream power
equation governing fluvial incision and landscape evolution", Geomorphology 180-181, 170-179,
doi:10.1016/j.geomorph.2012.10.008.

A. D. Howard (1994), "A detachment-limited model of drainage basin evolution", Water Resources Research 30, 2261-2285,
doi:10.1029/94WR00757.

G. Cordonnier, B. Bovy and J. Braun (2019), "A versatile, linear complexity algorithm for flow routing in topographies
with depressions", Earth Surface Dynamics 7, 549-562, doi:10.5194/esurf-7-549-2019.

J. T. Hack (1957), "Studies of longitudinal stream profiles in Virginia and Maryland", USGS Professional Paper 294-B,
doi:10.3133/pp294B: the area that a river of some length drains.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..flow.directions import OUTLET
from ..flow.drainage import own_area
from ..flow.inflows import Inlets
from ..flow.routing import Router
from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.elementary import power, power_of, rough_power
from ..foundation.neighbours import DISTANCE, Links, Mesh, area_of, neighbour_of
from ..foundation.terrain import Field, Grid
from .landslides import collapse

Heights = npt.NDArray[np.float64]

HACK_COEFFICIENT = 1.0 / 3.0
"""Coefficient of Hack's law in the form A = x² / 3; the exponent of Hack (1957), x ∝ A^0.6, is rounded to ½."""

# Newton's method stops when a step is smaller than this share of the solution.
_PRECISION = 1e-13
_MOST_ITERATIONS = 60
# A conductance beyond which the drop after a step counts as 0.
_INFINITE_CONDUCTANCE = 1e200
# Measured on cones: with it, none loses more than 1.3 % more at one place of a sphere than at another.
_EVENING = 1.2


@dataclass(frozen=True)
class Conditions:
    """The conditions that hold on a land during a step: uplift, rock and border.

    Attributes
    ----------
    uplift : ndarray of float32, shape (rows, columns)
        U in m/yr, or a pattern of it.
    erodibility : float32
        K of rock whose hardness is 1, in m^(1−2m)/yr, 0 or more.
    hardness : callable
        Returns what divides `erodibility`, an ndarray of float32, shape (rows, columns), above 0.  It is called once
        water has its way, so that a step never holds both this field and all that routes need.
    steepest : callable or None
        From that array to the tangent of the steepest slope on which such rock holds, of the same shape.  It may write
        into the array.  None if rock holds on any slope.
    base : ndarray of float32, shape (rows, columns), or None
        Base level: height in metres of the rivers beyond the border.  Only outlets count: the border, and places above
        the sea that the flow surface has below it.  None keeps the border at its height.
    base_distance : float
        How far beyond the border the base level is, in metres, above 0.
    plain_slope : float
        Tangent of the slope with which a lake that is full of sediment rises from its outlet.
    uplift_factor : float32
        Multiplies `uplift`.
    """

    uplift: Field
    erodibility: np.float32
    hardness: Callable[[], Field]
    steepest: Callable[[Field], Field] | None = None
    base: Field | None = None
    base_distance: float = 1.0
    plain_slope: float = 0.0
    uplift_factor: np.float32 = np.float32(1.0)


class RiverIncision:
    """The solver for one grid; it keeps its memory from step to step.

    Parameters
    ----------
    grid : Grid
        Where the samples lie.
    drainage_exponent, slope_exponent : float
        m and n of the law; n above 0.
    rain : ndarray of float32, shape (rows, columns), optional
        Multiple of the mean rain, 0 or more.
    sea_level : float
        Metres; cells at or below it neither rise nor erode.  Minus infinity if there is no sea.
    mesh : Mesh, optional
        The closed surface whose cells lie in the only row of the grid, with a cell size of 1 m.
    inlets : Inlets, optional
        What flows in from beyond the land.

    Attributes
    ----------
    router : Router
        Routes of the last step.
    work : ndarray of float64, shape (rows, columns)
        Free for any use between steps; each step overwrites it.
    flow_surface : ndarray of float32, shape (rows, columns)
        Room for the surface that the next step routes, in the memory of `work`: what is written to one is lost in the
        other.

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
        mesh: Mesh | None = None,
        inlets: Inlets | None = None,
    ) -> None:
        self.router, self._inlets = Router(grid.shape, mesh, inlets), inlets
        self._cell_size = grid.cell_size
        self._m, self._n = float(drainage_exponent), float(slope_exponent)
        self._sea_level = float(sea_level)
        # Distance to each neighbour in metres; the ninth, beyond the border, is set at each step.
        self._distance = np.append(DISTANCE.astype(np.float64) * grid.cell_size, 1.0)
        self._whole = grid.rows * grid.columns * grid.cell_size**2 if mesh is None else float(mesh.area.sum())
        self._area = None if mesh is None else mesh.area
        self._places = None if mesh is None else mesh.places
        self._nearness = None if mesh is None else _raised(mesh.nearness, self._n)
        self._rain = None if rain is None else own_area(grid.shape, 1.0, rain).astype(np.float32)
        self._evening = None if mesh is None else mesh_evening(mesh)
        if self._evening is not None and self._rain is not None:
            self._evening *= self._rain.ravel()
        # Holds in turn: drainage area, conductance, height removed.
        self.work = np.empty(grid.shape)
        self.flow_surface = self.work.ravel().view(np.float32)[: self.work.size].reshape(grid.shape)

    def step(
        self,
        height: Heights,
        sediment: Field,
        years: float,
        conditions: Conditions,
        flow_surface: Array | None = None,
    ) -> tuple[float, float]:
        """Let the land rise and its rivers erode for some years, in place.

        Parameters
        ----------
        height : ndarray of float64, shape (rows, columns)
            Height of the ground in metres.
        sediment : ndarray of float32, shape (rows, columns)
            Thickness of the sediment in metres: it erodes before rock, and grows where a lake fills.
        years : float
            Length of the step, 0 or more; any length is stable, a short one more accurate.
        conditions : Conditions
            Uplift, rock and border.
        flow_surface : ndarray of float32 or float64, shape (rows, columns), optional
            Surface in metres whose steepest descent the water follows; without it, the ground itself.

        Returns
        -------
        risen, left : float
            Height that rose from below and height that left the land, summed over the cells, in metres; on a mesh
            volumes, in m³.
        """
        router, work = self.router, self.work.ravel()
        surface = height if flow_surface is None else flow_surface
        sea_level = self._sea_level
        if self._area is not None:
            # A sphere has no border: where no ground lies below the sea, water ends in the lowest place.
            sea_level = max(sea_level, float(surface.min()))
        router.route(surface, sea_level)
        work[:] = self._cell_size**2 if self._area is None else self._area
        if self._rain is not None:
            work *= self._rain.ravel()
        if self._inlets is not None:
            self._inlets.pour(work)
        network = _Network(router.order, router.directions, router.links, self._area)
        _accumulate_area(network, work)
        if self._evening is not None:
            work += self._evening
        self._distance[8] = conditions.base_distance
        # Area as a share of the whole, so that it is in the range of `rough_power`.
        whole = self._whole
        scale = years * whole**self._m
        lengths = (
            _Lengths(scale / self._distance**self._n, 1.0)
            if self._nearness is None
            else _Lengths(self._nearness, scale)
        )
        hardness = conditions.hardness()
        rock = _Rock(np.float32(conditions.erodibility), hardness.ravel())
        beyond = area_beyond_border(conditions.base_distance)
        _fill_conductance(work, rock, router.directions, lengths, beyond, 1.0 / whole, np.float32(self._m))
        base = height if conditions.base is None else conditions.base
        rise = _Rise(conditions.uplift.ravel(), np.float32(conditions.uplift_factor), years)
        border = _Border(base.ravel(), conditions.base is None, sea_level)
        risen = _incise(height.ravel(), network, work, rise, border, self._n)
        if conditions.steepest is not None:
            collapse(height, conditions.steepest(hardness), self._cell_size, self.work)
        basins = router.basins
        if basins is not None:
            lakes = _Lakes(
                basins.labels.reshape(height.shape), basins.level, basins.pass_from, basins.parent, basins.order
            )
            scratch = np.empty((6, len(basins)))
            slope = conditions.plain_slope * self._cell_size
            _fill_lakes(height, self.work, lakes, slope, scratch, self._area, self._places)
        return float(risen), float(take_sediment(sediment, self.work, self._area))


def mesh_evening(mesh: Mesh) -> Array:
    """Return what is added to the area that each cell drains, so that land erodes alike whatever the size of its cells.

    The head of a river drains one cell.  Where cells are small, heads would hardly cut, and land would lose less.  So
    each cell counts itself about as large as the mean; for large rivers that is nothing.

    Parameters
    ----------
    mesh : Mesh
        A closed surface.

    Returns
    -------
    ndarray of float64, shape (cells,)
        m², below 0 for large cells.
    """
    return _EVENING * (mesh.area.mean() - mesh.area)


def area_beyond_border(base_distance: float) -> float:
    """Return what the rivers beyond the border drain, at least: A = x² / 3 halfway to the base level.

    The land goes on beyond the border, with valleys that this land does not know.  Without them each cell of the border
    drains only itself, hardly erodes, and stands as a rim around the land.

    Parameters
    ----------
    base_distance : float
        How far beyond the border the base level is, in metres.

    Returns
    -------
    float
        m².
    """
    return HACK_COEFFICIENT * (0.5 * base_distance) ** 2


@kernel
def drop_after_incision(drop: float, conductance: float, exponent: float) -> float:
    """Solve x + C xⁿ = b for the drop x to the receiver after a step.

    This is the implicit step of Braun & Willett (2013), linear for n = 1 and solved by Newton's method otherwise.  The
    function is convex and the iteration starts above the root, so it never passes the root: in z = x / b for n ≥ 1, in
    y = zⁿ for n < 1.

    Parameters
    ----------
    drop : float
        b, the drop without incision in metres, 0 or more.
    conductance : float
        C = K Aᵐ Δt / dⁿ in m^(1−n), 0 or more.
    exponent : float
        n, above 0.

    Returns
    -------
    float
        x in metres, 0 to b.
    """
    if exponent == 1.0:
        return drop / (1.0 + conductance)
    if drop <= 0.0 or conductance <= 0.0:
        return drop
    # z + c zⁿ = 1 with c = C bⁿ⁻¹, without units.
    scaled = conductance * power(drop, exponent - 1.0)
    if not scaled < _INFINITE_CONDUCTANCE:
        return 0.0
    if exponent > 1.0:
        z = min(1.0, power(1.0 / scaled, 1.0 / exponent))
        for _ in range(_MOST_ITERATIONS):
            term = scaled * power(z, exponent - 1.0)
            step = (z + term * z - 1.0) / (1.0 + exponent * term)
            z -= step
            if not step > _PRECISION * z:
                break
        return drop * min(max(z, 0.0), 1.0)
    inverse = 1.0 / exponent
    y = min(1.0, 1.0 / scaled)
    for _ in range(_MOST_ITERATIONS):
        term = power(y, inverse - 1.0)
        step = (term * y + scaled * y - 1.0) / (inverse * term + scaled)
        y -= step
        if not step > _PRECISION * y:
            break
    return drop * power(min(max(y, 0.0), 1.0), inverse)


class _Network(NamedTuple):
    """Where the water of each cell goes.

    Attributes
    ----------
    order : ndarray of int32, shape (cells,)
        Stack order: each cell comes after its receiver.
    directions : ndarray of uint8, shape (cells,)
        Direction of the receiver.
    links : Links
        Which cells are neighbours.
    area : ndarray of float64, shape (cells,), or None
        m²; None where all cells are alike.
    """

    order: Array
    directions: Array
    links: Links
    area: Array | None


class _Lengths(NamedTuple):
    """1 / distanceⁿ of each direction, or of each cell and direction, times `scale`."""

    inverse: Array
    scale: float


class _Rise(NamedTuple):
    """Uplift during a step: `uplift` · `factor` in m/yr, for some years."""

    uplift: Array
    factor: np.float32
    years: float


class _Rock(NamedTuple):
    """The erodibility of usual rock, and how many times as hard the rock of each cell is."""

    erodibility: np.float32
    hardness: Array


class _Border(NamedTuple):
    """Base level and sea level in metres, and whether the border keeps its height."""

    base: Array
    fixed: bool
    sea_level: float


class _Lakes(NamedTuple):
    """The depressions of a land, as in `Basins`, and the basin of each cell, shape (rows, columns)."""

    labels: Array
    level: Array
    pass_from: Array
    parent: Array
    order: Array


@kernel
def _accumulate_area(network: _Network, area: Array) -> None:
    """Add the area of each cell to its receiver, upstream first."""
    order, directions, links, _ = network
    for place in range(order.size - 1, -1, -1):
        cell = order[place]
        direction = directions[cell]
        if direction != OUTLET:
            area[neighbour_of(cell, direction, links.cells)] += area[cell]


@kernel
def _per_length(cell: int, direction: int, inverse: Array, scale: float) -> float:
    """Return 1 / distanceⁿ to the receiver of a cell, times a scale."""
    if inverse.ndim == 1:
        return inverse[direction] * scale
    return inverse[cell, direction] * scale


@kernel
def _is_fixed(direction: int, inverse: Array) -> bool:
    """Whether a cell is an outlet of a mesh: nothing erodes there."""
    if inverse.ndim == 1:
        return False
    return direction == OUTLET


def _raised(nearness: Array, exponent: float) -> Array:
    """Return a power of the nearness of neighbours, and 0 where there is none."""
    if exponent == 1.0:
        return nearness
    raised = power_of(np.where(nearness > 0.0, nearness, np.float32(1.0)), exponent)
    raised[nearness == 0.0] = 0.0
    return raised


@parallel_kernel
def _fill_conductance(
    part: Part,
    area: Array,
    rock: _Rock,
    directions: Array,
    lengths: _Lengths,
    beyond: float,
    per_area: float,
    m: np.float32,
) -> None:
    """Write the conductance C = K Aᵐ Δt / dⁿ of each cell in place of its area; on the border A is `beyond` or more."""
    for cell in portion(part, area.size):
        if _is_fixed(directions[cell], lengths.inverse):
            area[cell] = 0.0
            continue
        drained = max(area[cell], beyond) if directions[cell] == OUTLET else area[cell]
        share = rough_power(np.float32(drained * per_area), m)
        erodibility = rock.erodibility / rock.hardness[cell]
        area[cell] = erodibility * share * _per_length(cell, directions[cell], lengths.inverse, lengths.scale)


@kernel
def _incise(
    height: Array, network: _Network, conductance: Array, rise: _Rise, border: _Border, exponent: float
) -> float:
    """Raise and erode every cell, downstream first; write what is removed in place of the conductance.

    Return the sum of the rise.
    """
    order, directions, links, area = network
    uplift, base = rise.uplift, border.base
    total = 0.0
    for cell in order:
        before = height[cell]
        direction = directions[cell]
        is_outlet = direction == OUTLET
        removed = 0.0
        if not (is_outlet and (border.fixed or before <= border.sea_level)):
            floor = base[cell] if is_outlet else height[neighbour_of(cell, direction, links.cells)]
            lifted = float(np.float32(uplift[cell] * rise.factor)) * rise.years
            total += lifted * area_of(cell, area)
            risen = before + lifted
            drop = risen - floor
            # Where the receiver is higher, in a depression, water stands and nothing erodes.
            if drop > 0.0:
                removed = drop - drop_after_incision(drop, conductance[cell], exponent)
            height[cell] = risen - removed
        conductance[cell] = removed
    return total


@kernel
def _fill_lakes(
    height: Array,
    removed: Array,
    lakes: _Lakes,
    slope: float,
    scratch: Array,
    area: Array | None,
    places: Array | None,
) -> None:
    """Deposit what was removed in each basin in its lake; the rest goes on to the next basin.

    A lake fills up to a plain that rises by `slope`, in metres per cell, from its pass and from the plain beyond.
    Deposits are negative in `removed`.
    """
    labels, level, pass_from, parent, order = lakes
    rows, columns = height.shape
    load, room, foot, passes = scratch[0], scratch[1], scratch[2], scratch[3:]
    load[:] = 0.0
    room[:] = 0.0
    # The foot of each plain, at its pass: not below the plain that it drains to.
    for basin in order:
        if basin == 0:
            continue
        row, column = pass_from[basin] // columns, pass_from[basin] % columns
        _note_place(row, column, passes, basin, places)
        foot[basin] = level[basin]
        beyond = parent[basin]
        if beyond > 0:
            away = math.sqrt(_squared_distance(row, column, passes, beyond, places))
            foot[basin] = max(level[basin], foot[beyond] + slope * away)
    # What each basin gets, and how much fits in its lake.
    for row in range(rows):
        for column in range(columns):
            basin = labels[row, column]
            load[basin] += removed[row, column] * area_of(column, area)
            if basin > 0:
                above = height[row, column] - foot[basin]
                depth = _depth_below_plain(above, _squared_distance(row, column, passes, basin, places), slope)
                room[basin] += depth * area_of(column, area)
    # The share of its room that each lake fills, upstream first.
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
                depth = _depth_below_plain(above, _squared_distance(row, column, passes, basin, places), slope)
                fill = depth * room[basin]
                height[row, column] += fill
                removed[row, column] -= fill


@kernel
def _note_place(row: int, column: int, passes: Array, basin: int, places: Array | None) -> None:
    """Write where a cell lies, as the place of the pass of a basin."""
    if places is None:
        passes[0, basin], passes[1, basin] = row, column
    else:
        for axis in range(3):
            passes[axis, basin] = places[column, axis]


@kernel
def _squared_distance(row: int, column: int, passes: Array, basin: int, places: Array | None) -> float:
    """Square of the distance from a cell to the pass of a basin, in cells; on a mesh in metres."""
    if places is None:
        rows, columns = row - passes[0, basin], column - passes[1, basin]
        return rows * rows + columns * columns
    x, y, z = (
        places[column, 0] - passes[0, basin],
        places[column, 1] - passes[1, basin],
        places[column, 2] - passes[2, basin],
    )
    return x * x + y * y + z * z


@kernel
def _depth_below_plain(above: float, squared_distance: float, slope: float) -> float:
    """Return how deep a cell lies below a plain: `above` its foot in metres, and so far away from it."""
    # Most cells lie above the plain and need no square root.
    rise = slope * slope * squared_distance
    if above >= 0.0 and above * above >= rise:
        return 0.0
    return math.sqrt(rise) - above


@kernel
def take_sediment(sediment: Array, removed: Array, area: Array | None) -> float:
    """Subtract from the sediment what was removed, in place; its thickness stays at 0 or more.

    Parameters
    ----------
    sediment : ndarray of float32, shape (rows, columns)
        Thickness in metres.
    removed : ndarray of float64, shape (rows, columns)
        Height that was removed, in metres; negative where something was deposited, which becomes sediment.
    area : ndarray of float64, shape (columns,), or None
        Areas of the cells of a mesh, in m²; None for a plane.

    Returns
    -------
    float
        Sum of `removed` in metres; on a mesh in m³.
    """
    total = 0.0
    for row in range(sediment.shape[0]):
        for column in range(sediment.shape[1]):
            change = removed[row, column]
            total += change * area_of(column, area)
            sediment[row, column] = max(sediment[row, column] - change, np.float32(0.0))
    return total

"""The flow of a glacier: shallow ice on any bed, in steps of years that no ice is lost in.

    ∂H/∂t = ∇ · (D ∇s) + ṁ        s = b + H        D = 2A(ρg)ⁿ / (n + 2) · Hⁿ⁺² |∇s|ⁿ⁻¹ + sliding        (1)

with n = 3.  Ice slides at u_b ∝ τ³ / H, τ = ρgH|∇s|, and no ice reaches a fastest speed.  Snow falls where
ṁ = min(γ (s − ELA), ṁ_max) is above 0, and ice melts where it is below.

A step solves (1 + Δt Aₓ)(1 + Δt Aᵧ) δH = Δt (ṁ − ∇ · q) along rows, then along columns, with A from the growth of
fluxes with thickness; it may be some thousand times as long as an explicit one.  Both parts are fluxes over the edges
of cells, so what falls, melts and leaves is what the land has more or less, to the last bits.  A step in which cells
would give ice that they do not have is refused, and a shorter one is taken.

References
----------
K. Hutter (1983), Theoretical Glaciology, Reidel: the shallow ice approximation.

A. H. Jarosch, C. G. Schoof and F. S. Anslow (2013), "Restoring mass conservation to shallow ice flow models over
complex terrain", The Cryosphere 7, 229-240, doi:10.5194/tc-7-229-2013: thickness at edges with a flux limiter.

J. Braun, D. Zwartz and J. H. Tomkin (1999), "A new surface-processes model combining glacial and fluvial erosion",
Annals of Glaciology 28, 282-290, doi:10.3189/172756499781821797: narrow valleys hold the ice that slides.
"""

import math
from typing import NamedTuple

import numpy as np

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.creep import Creep

GLEN_RATE = 2.4e-24
"""A in Glen's law for ice at 0 °C, in s⁻¹ Pa⁻³; Cuffey and Paterson (2010), The Physics of Glaciers, table 3.4."""
ICE_DENSITY, GRAVITY = 910.0, 9.81
YEAR = 365.25 * 86400.0
_WEIGHT = ICE_DENSITY * GRAVITY
# Sliding is said for this shear stress in Pa below so many metres of ice.
_USUAL_STRESS, _USUAL_THICKNESS = 1e5, 100.0
# On steeper ground ice falls, which is another law.
_STEEPEST = 1.0
# Squares of slopes are no less than this where they divide.
_FLAT = 1e-30
_COLUMNS_PER_BLOCK = 16
# Share of all ice that cells may give in a step without having it.
_TOLERANCE = 1e-4
# Metres over which a bed counts as even, as narrower hollows hold no more ice.
_EVENED = 75.0
_SHORTER, _LONGER = 0.5, 1.1
_SHORTEST = 1e-6


class IceLaw(NamedTuple):
    """How ice flows.

    Attributes
    ----------
    deformation : float
        2A(ρg)³ / 5 of eq. (1), in m⁻³ per year.
    sliding : float
        u_b / (H² |∇s|³), in m⁻¹ per year.
    fastest : float
        Speed that ice approaches and does not reach, in m per year, above 0.
    constriction : float
        Length in metres: a bed whose curvature is its inverse halves the speed of sliding.
    """

    deformation: float
    sliding: float
    fastest: float
    constriction: float


class IceWeather(NamedTuple):
    """Snow and melt.

    Attributes
    ----------
    line : float
        Altitude in metres where as much snow falls as melts.
    gradient : float
        γ: by how much more falls with each metre, in 1 per year.
    most : float
        ṁ_max: m of ice per year.
    sea : float
        Altitude in metres; where the ground is lower, ice breaks off and is gone.
    """

    line: float
    gradient: float
    most: float
    sea: float = -math.inf


def ice_law(sliding: float, fastest: float, constriction: float) -> IceLaw:
    """Return the law of ice at 0 °C.

    Parameters
    ----------
    sliding : float
        Speed at the bed for a shear stress of 100 kPa below 100 m of ice, m per year, 0 or more.
    fastest : float
        Speed that ice does not reach, m per year, above 0.
    constriction : float
        As in `IceLaw`.

    Returns
    -------
    IceLaw

    Examples
    --------
    >>> print(round(ice_law(30.0, 300.0, 1000.0).deformation * 1e5, 3))
    2.155
    """
    deformation = 2.0 * GLEN_RATE * YEAR * _WEIGHT * _WEIGHT * _WEIGHT / 5.0
    slope = _USUAL_STRESS / (_WEIGHT * _USUAL_THICKNESS)
    return IceLaw(deformation, sliding / (_USUAL_THICKNESS**2 * slope * slope * slope), fastest, constriction)


class Ice(NamedTuple):
    """Ice on its bed; all are float64, shape (rows, columns).

    Attributes
    ----------
    bed : ndarray
        Height of the ground in metres.
    thickness : ndarray
        Of the ice, in metres, 0 or more.
    surface : ndarray
        Of the ice, or of the ground where there is none.
    drag : ndarray
        Share of the speed of sliding that the shape of the bed leaves, 0 to 1.
    east, north : ndarray
        Flux to the next cell, m² per year.
    east_up, east_down, north_up, north_down : ndarray
        By how much that flux grows with the thickness of the cell, and falls with that of the next one, m per year.
    work : ndarray
        Free for any use between steps; each step, and each measurement of the flow, overwrites it.
    """

    bed: Array
    thickness: Array
    surface: Array
    drag: Array
    east: Array
    north: Array
    east_up: Array
    east_down: Array
    north_up: Array
    north_down: Array
    work: Array


class IceBalance(NamedTuple):
    """What became of ice, in m³.

    Attributes
    ----------
    fallen, melted, left : float
        As snow, as water, and over the border or into the sea.
    """

    fallen: float = 0.0
    melted: float = 0.0
    left: float = 0.0

    def plus(self, other: "IceBalance") -> "IceBalance":
        """Return the sum with the mass balance of another time.

        Parameters
        ----------
        other : IceBalance
            Of the same ice.

        Returns
        -------
        IceBalance
        """
        return IceBalance(*(one + more for one, more in zip(self, other)))


def ice_on(bed: Array, thickness: Array | None = None) -> Ice:
    """Return ice on a bed.

    Parameters
    ----------
    bed : ndarray of float, shape (rows, columns)
        Metres.
    thickness : ndarray of float, shape (rows, columns), optional
        Metres, 0 or more; without it there is no ice.

    Returns
    -------
    Ice
        With arrays of its own.
    """
    bed = np.array(bed, np.float64)
    ice = np.zeros_like(bed) if thickness is None else np.array(thickness, np.float64)
    return Ice(bed, ice, bed + ice, *(np.zeros_like(bed) for _ in range(8)))


def flow(ice: Ice, law: IceLaw, weather: IceWeather, cell_size: float, years: float) -> IceBalance | None:
    """Let ice flow, snow fall and ice melt for some years, in one step.

    Parameters
    ----------
    ice : Ice
        Its thickness and surface change; its fluxes are those of the step.
    law : IceLaw
        How ice flows.
    weather : IceWeather
        Snow and melt.
    cell_size : float
        Metres.
    years : float
        Length of the step, above 0.

    Returns
    -------
    IceBalance or None
        Of this step; None if it is refused, and the thickness is as before.
    """
    measure_flow(ice, law, cell_size)
    ratio = years / cell_size
    _estimate(ice, weather, cell_size, years)
    _solve_rows(ice, weather.sea, ratio)
    _solve_columns(ice, weather.sea, ratio)
    terms = np.zeros((ice.bed.shape[0], 4))
    _move(ice, weather, cell_size, years, ice.work, terms)
    fallen, melted, left, lacking = (float(term) for term in terms.sum(axis=0))
    inside = ice.work[1:-1, 1:-1]
    there = float(inside.sum())
    if not lacking <= _TOLERANCE * there:
        return None
    if lacking > 0.0:
        # The little that some cells give without having it comes from all ice.
        inside *= (there - lacking) / there
    np.copyto(ice.thickness, ice.work)
    np.add(ice.bed, ice.thickness, out=ice.surface)
    return IceBalance(*(term * cell_size**2 for term in (fallen, melted, left)))


class FlowSteps:
    """How long the steps of some ice can be.

    Parameters
    ----------
    longest : float
        Years.
    """

    def __init__(self, longest: float) -> None:
        self._longest = self._years = longest

    def step(self, ice: Ice, law: IceLaw, weather: IceWeather, cell_size: float) -> IceBalance:
        """Let ice flow for as long as one step can be.

        Parameters
        ----------
        ice, law, weather, cell_size
            As for `flow`.

        Returns
        -------
        IceBalance
            Of this step.

        Raises
        ------
        ValueError
            If no step is short enough.
        """
        while (balance := flow(ice, law, weather, cell_size, self._years)) is None:
            self._years *= _SHORTER
            if self._years < _SHORTEST:
                raise ValueError(
                    f"the ice is too thick or too fast for steps of {_SHORTEST:g} years or more; lower the resolution, "
                    "the sliding or the maximum accumulation"
                )
        self._years = min(self._years * _LONGER, self._longest)
        return balance


def measure_flow(ice: Ice, law: IceLaw, cell_size: float) -> None:
    """Write the fluxes of ice as it lies, and how they change with thickness.

    Parameters
    ----------
    ice : Ice
        Its thickness along the border becomes that of ice that flows on beyond it.
    law : IceLaw
        How ice flows.
    cell_size : float
        Metres.
    """
    _go_on_beyond(ice)
    np.add(ice.bed, ice.thickness, out=ice.surface)
    np.copyto(ice.work, ice.bed)
    Creep(ice.bed.shape).step(ice.work, (_EVENED / cell_size) ** 2)
    _drag(ice, ice.work, law.constriction / cell_size**2)
    _measure_fluxes(ice, law, cell_size)


def _go_on_beyond(ice: Ice) -> None:
    """Give the cells of the border ice whose surface goes on falling; they take what comes and give nothing back."""
    for bed, thickness in ((ice.bed, ice.thickness), (ice.bed.T, ice.thickness.T)):
        if bed.shape[0] < 3:
            continue
        for rim, inner, third in ((0, 1, 2), (-1, -2, -3)):
            near, far = bed[inner] + thickness[inner], bed[third] + thickness[third]
            level = np.minimum(np.minimum(bed[rim] + thickness[inner], near), 2.0 * near - far)
            thickness[rim] = np.maximum(level - bed[rim], 0.0)


@parallel_kernel
def _drag(part: Part, ice: Ice, even: Array, scale: float) -> None:
    """Write the share of the speed of sliding that a hollow bed leaves.

    Braun, Zwartz and Tomkin (1999), eq. (8), with the curvature in all directions of an evened bed, so that no
    pits form.
    """
    rows, columns = ice.bed.shape
    for i in portion(part, rows):
        south, north = max(i - 1, 0), min(i + 1, rows - 1)
        for j in range(columns):
            west, east = max(j - 1, 0), min(j + 1, columns - 1)
            sides = even[i, west] + even[i, east] + even[south, j] + even[north, j]
            ice.drag[i, j] = 1.0 / (1.0 + scale * max(sides - 4.0 * even[i, j], 0.0))


@kernel
def _height_seen(surface: Array, thickness: Array, i: int, j: int, own: float) -> float:
    """Return the surface beside a glacier: rock that stands above ice does not push it."""
    height = surface[i, j]
    return own if thickness[i, j] <= 0.0 and height > own else height


@kernel
def slope_across(ice: Ice, i: int, j: int, by_row: bool) -> float:
    """Return the difference of the surface over two cells, from one side of a cell to the other.

    Parameters
    ----------
    ice : Ice
        Surface and thickness are read.
    i, j : int
        The cell, not on the border.
    by_row : bool
        Whether to look from south to north rather than from west to east.

    Returns
    -------
    float
        Metres, above 0 where it rises to the north or east.
    """
    own = ice.surface[i, j]
    if by_row:
        after = _height_seen(ice.surface, ice.thickness, i + 1, j, own)
        return after - _height_seen(ice.surface, ice.thickness, i - 1, j, own)
    after = _height_seen(ice.surface, ice.thickness, i, j + 1, own)
    return after - _height_seen(ice.surface, ice.thickness, i, j - 1, own)


@kernel
def speeds(law: IceLaw, thickness: float, total: float, drag: float) -> tuple[float, float]:
    """Return the mean speed of deforming ice and the speed of sliding, each over the slope.

    Parameters
    ----------
    law : IceLaw
        How ice flows.
    thickness : float
        Metres.
    total : float
        Square of the slope of the surface.
    drag : float
        Share of the speed of sliding that the shape of the bed leaves.

    Returns
    -------
    float, float
        m per year; their sum, times the slope, stays below the fastest speed.
    """
    bent = min(total, _STEEPEST * _STEEPEST)
    square = thickness * thickness
    sheared = law.deformation * square * square * bent
    sliding = law.sliding * drag * square * bent
    slowed = 1.0 / (1.0 + (sheared + sliding) * math.sqrt(total) / law.fastest)
    return sheared * slowed, sliding * slowed


@kernel
def _flux(
    law: IceLaw, upper: float, above: float, lower: float, slope: float, across: float, drag: float
) -> tuple[float, float, float]:
    """Return the flux down an edge, its growth with the thickness above the edge, and with the slope.

    `above`, `upper` and `lower` are thicknesses one after the other down the slope.
    """
    step, before = lower - upper, upper - above
    limiter = 1.0
    if step == 0.0:
        limiter = 0.0
    elif 2.0 * before / step < 1.0:
        limiter = max(2.0 * before / step, 0.0)
    thickness = upper + 0.5 * limiter * step
    total = slope * slope + across * across
    sheared, sliding = speeds(law, thickness, total, drag)
    flux = thickness * (sheared + sliding) * slope
    push = (5.0 * sheared + 3.0 * sliding) * slope * (1.0 - 0.5 * limiter)
    stiff = thickness * (sheared + sliding) * (1.0 + 2.0 * slope * slope / max(total, _FLAT))
    return flux, push, stiff


@parallel_kernel
def _measure_fluxes(part: Part, ice: Ice, law: IceLaw, cell_size: float) -> None:
    """Write the fluxes over the east and north edges of all cells, and their growth."""
    rows, columns = ice.bed.shape
    thickness, surface = ice.thickness, ice.surface
    for i in portion(part, rows):
        for j in range(columns):
            for by_row in (False, True):
                i_to, j_to = (i + 1, j) if by_row else (i, j + 1)
                flux, up, down = 0.0, 0.0, 0.0
                # No ice flows along the border.
                flows = i_to < rows and 0 < j < columns - 1 if by_row else j_to < columns and 0 < i < rows - 1
                if flows and (thickness[i, j] > 0.0 or thickness[i_to, j_to] > 0.0):
                    fall = surface[i, j] - surface[i_to, j_to]
                    ahead = fall > 0.0
                    i_up, j_up = (i, j) if ahead else (i_to, j_to)
                    i_down, j_down = (i_to, j_to) if ahead else (i, j)
                    at_rim = i_up == 0 or j_up == 0 or i_up == rows - 1 or j_up == columns - 1
                    if thickness[i_up, j_up] > 0.0 and fall != 0.0 and not at_rim:
                        above = thickness[2 * i_up - i_down, 2 * j_up - j_down]
                        across = slope_across(ice, i_up, j_up, not by_row)
                        if 0 < i_down < rows - 1 and 0 < j_down < columns - 1:
                            across = 0.5 * (across + slope_across(ice, i_down, j_down, not by_row))
                        drag = 0.5 * (ice.drag[i, j] + ice.drag[i_to, j_to])
                        flux, push, stiff = _flux(
                            law,
                            thickness[i_up, j_up],
                            above,
                            thickness[i_down, j_down],
                            abs(fall) / cell_size,
                            0.5 * across / cell_size,
                            drag,
                        )
                        stiff /= cell_size
                        up = stiff + push if ahead else stiff
                        down = stiff if ahead else stiff + push
                        flux = flux if ahead else -flux
                if by_row:
                    ice.north[i, j], ice.north_up[i, j], ice.north_down[i, j] = flux, up, down
                else:
                    ice.east[i, j], ice.east_up[i, j], ice.east_down[i, j] = flux, up, down


@kernel
def balance_at(weather: IceWeather, height: float) -> float:
    """Return what falls or melts at a height of the surface.

    Parameters
    ----------
    weather : IceWeather
        Snow and melt.
    height : float
        Metres.

    Returns
    -------
    float
        m of ice per year; below 0 where it melts.
    """
    return min(weather.gradient * (height - weather.line), weather.most)


def snow_falls(weather: IceWeather, highest: float) -> bool:
    """Return whether more snow falls than melts somewhere on a land.

    Parameters
    ----------
    weather : IceWeather
        Snow and melt.
    highest : float
        Altitude of its highest place in metres.

    Returns
    -------
    bool
    """
    return balance_at(weather, highest) > 0.0


@parallel_kernel
def _estimate(part: Part, ice: Ice, weather: IceWeather, cell_size: float, years: float) -> None:
    """Write by how much each cell would change at the fluxes of now; no cell loses more than it has."""
    rows, columns = ice.bed.shape
    for i in portion(part, rows):
        for j in range(columns):
            change = 0.0
            if 0 < i < rows - 1 and 0 < j < columns - 1 and ice.bed[i, j] >= weather.sea:
                gained = ice.east[i, j - 1] - ice.east[i, j] + ice.north[i - 1, j] - ice.north[i, j]
                change = years * gained / cell_size
                melted = ice.thickness[i, j] + max(change, 0.0)
                change += max(years * balance_at(weather, ice.surface[i, j]), -melted)
            ice.work[i, j] = change


@parallel_kernel
def _solve_rows(part: Part, ice: Ice, sea: float, ratio: float) -> None:
    """Solve (1 + Δt Aₓ) w = change along each row, and add the fluxes that w makes; in the sea w stays 0."""
    rows, columns = ice.bed.shape
    carried = np.empty(columns)
    for i in portion(part, rows):
        up, down, change = ice.east_up[i], ice.east_down[i], ice.work[i]
        carried[0] = 0.0
        for j in range(1, columns - 1):
            if ice.bed[i, j] < sea:
                carried[j] = 0.0
                continue
            pivot = 1.0 / (1.0 + ratio * (up[j] + down[j - 1] - up[j - 1] * carried[j - 1]))
            carried[j] = ratio * down[j] * pivot
            change[j] = (change[j] + ratio * up[j - 1] * change[j - 1]) * pivot
        for j in range(columns - 2, 0, -1):
            change[j] += carried[j] * change[j + 1]
        for j in range(columns - 1):
            ice.east[i, j] += up[j] * change[j] - down[j] * change[j + 1]


@parallel_kernel
def _solve_columns(part: Part, ice: Ice, sea: float, ratio: float) -> None:
    """Solve (1 + Δt Aᵧ) v = w along each column, and add the fluxes that v makes; in the sea v stays 0."""
    rows, columns = ice.bed.shape
    up, down, change = ice.north_up, ice.north_down, ice.work
    carried = np.empty((rows, _COLUMNS_PER_BLOCK))
    for block in portion(part, -(-columns // _COLUMNS_PER_BLOCK)):
        west, east = block * _COLUMNS_PER_BLOCK, min((block + 1) * _COLUMNS_PER_BLOCK, columns)
        for j in range(west, east):
            carried[0, j - west] = 0.0
        for i in range(1, rows - 1):
            for j in range(west, east):
                if ice.bed[i, j] < sea:
                    carried[i, j - west] = 0.0
                    continue
                pivot = 1.0 / (1.0 + ratio * (up[i, j] + down[i - 1, j] - up[i - 1, j] * carried[i - 1, j - west]))
                carried[i, j - west] = ratio * down[i, j] * pivot
                change[i, j] = (change[i, j] + ratio * up[i - 1, j] * change[i - 1, j]) * pivot
        for i in range(rows - 2, 0, -1):
            for j in range(west, east):
                change[i, j] += carried[i, j - west] * change[i + 1, j]
        for i in range(rows - 1):
            for j in range(west, east):
                ice.north[i, j] += up[i, j] * change[i, j] - down[i, j] * change[i + 1, j]


@parallel_kernel
def _move(
    part: Part, ice: Ice, weather: IceWeather, cell_size: float, years: float, result: Array, terms: Array
) -> None:
    """Move the ice, let snow fall and ice melt; write the thickness, and the sums of each row."""
    rows, columns = ice.bed.shape
    ratio = years / cell_size
    for i in portion(part, rows):
        fallen, melted, left, lacking = 0.0, 0.0, 0.0, 0.0
        for j in range(columns):
            result[i, j] = ice.thickness[i, j]
            if 0 < i < rows - 1 and 0 < j < columns - 1:
                balance = years * balance_at(weather, ice.surface[i, j])
                west, east, south, north = ice.east[i, j - 1], ice.east[i, j], ice.north[i - 1, j], ice.north[i, j]
                # Nothing comes from beyond the border.
                west, south = min(west, 0.0) if j == 1 else west, min(south, 0.0) if i == 1 else south
                east, north = max(east, 0.0) if j == columns - 2 else east, max(north, 0.0) if i == rows - 2 else north
                there = ice.thickness[i, j] + max(balance, 0.0) + ratio * (west - east + south - north)
                lacking += max(-there, 0.0)
                there = max(there, 0.0)
                if ice.bed[i, j] < weather.sea:
                    left += there
                    there = 0.0
                melt = min(max(-balance, 0.0), there)
                result[i, j] = there - melt
                fallen += max(balance, 0.0)
                melted += melt
                left -= ratio * west if j == 1 else 0.0
                left += ratio * east if j == columns - 2 else 0.0
                left -= ratio * south if i == 1 else 0.0
                left += ratio * north if i == rows - 2 else 0.0
        terms[i, 0], terms[i, 1], terms[i, 2], terms[i, 3] = fallen, melted, left, lacking

"""Glaciers of today: the ice that lies on a finished land.

Ice flows over the land from its first snow on, until it fits its bed; see `ice_flow`.  That is done on a coarse grid,
because ice is smooth: the height of its surface is then brought to every sample, and the ice is what lies between that
surface and the ground.

>>> side = np.linspace(-2000.0, 2000.0, 41, dtype=np.float32)
>>> valley = np.abs(side) + np.linspace(0.0, 2000.0, 41, dtype=np.float32)[:, np.newaxis]
>>> found = find_glaciers(valley, 100.0, Glaciers(enabled=True, equilibrium_line_altitude=1500.0))
>>> bool(found.thickness.max() > 50.0), bool(found.thickness[0].max() > 0.0)
(True, False)

References
----------
B. Kamb and K. A. Echelmeyer (1986), "Stress-gradient coupling in glacier flow: I. Longitudinal averaging of the
influence of ice thickness and surface slope", Journal of Glaciology 32, 267-284, doi:10.3189/S0022143000015604.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..foundation.compilation import Array
from ..foundation.creep import Creep
from ..foundation.levels import coarsen, refine, shapes_from_coarse, threads_for
from ..foundation.parameters import ParameterSet, group, parameter
from ..foundation.terrain import Field
from .debris import MovingIce, drop_debris, highest_first, strew_bands, walls_beside
from .ice_climate import IceClimate
from .ice_flow import FlowSteps, Ice, IceLaw, IceWeather, ice_on, measure_flow, snow_falls

LEAST_ICE = 5.0
"""Metres of ice below which there is none."""
MOST_STEPS = 1500
"""Steps at most in which ice grows on each grid; usually it fits its bed much earlier."""
STEADY = 0.002
"""Ice fits its bed where what falls and what is lost differ by no more than this share of what falls."""
# Grids on which ice grows, the coarsest first, and years of the longest steps: long ones until it nearly fits its bed.
# Then ice at its limits still swings from one long step to the next, which hides that it grows.
_GRIDS, _YEARS = 2, (10.0, 1.0)
_STEADY_STEPS = 5  # one after the other
# Metres over which debris is strewn when it melts out, as a share of the ice that melts, at which it hides the ice.
_HIDES = 40.0
# Metres over which ice pulls ice along, which shallow ice does not know (Kamb & Echelmeyer 1986: some thicknesses).
_COUPLED = 150.0
# Metres over which rock of walls slides off to both sides, in some steps; and the length of wall whose rock hides half
# of the ice, as a multiple of the width that it passes.
_SPREADS, _SPREADINGS, _HALF_HIDDEN = 30.0, 3, 30.0


@dataclass(frozen=True)
class Glaciers(ParameterSet):
    """Ice that lies on the land today; the land itself does not depend on it."""

    enabled: bool = parameter(False, "Whether glaciers lie on the land")
    equilibrium_line_altitude: float = parameter(
        2600.0,
        "Altitude where as much snow falls in a year as melts; glaciers grow above it and melt below",
        unit="m",
        limits=(-10000.0, 10000.0),
        soft=(0.0, 4000.0),
    )
    ice: IceClimate = group(IceClimate, "Snow, melt, and how easily ice slides")


class GlacierFields(NamedTuple):
    """The ice of a land; all are float32, shape (rows, columns), and 0 where there is no ice.

    Attributes
    ----------
    thickness : ndarray
        Metres.
    strain : ndarray
        How fast the ice is pulled apart along its surface, the way in which it is pulled most, 1 per year.
    debris : ndarray
        Share of the surface that rock hides, 0 to 1.
    """

    thickness: Field
    strain: Field
    debris: Field


def find_glaciers(
    surface: Field, cell_size: float, glaciers: Glaciers, sea_level: float | None = None
) -> GlacierFields:
    """Find the ice that lies on a land.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Height of the ground in metres.
    cell_size : float
        Metres.
    glaciers : Glaciers
        Where it snows, and how ice flows.
    sea_level : float, optional
        Metres; ice ends where the ground is lower, because there it breaks off.

    Returns
    -------
    GlacierFields
        Ice is at least `LEAST_ICE` thick; there is none on the border.
    """
    weather = glaciers.ice.weather(glaciers.equilibrium_line_altitude)
    nothing = np.zeros_like(surface)
    if min(surface.shape) < 5 or not snow_falls(weather, float(surface.max())):
        return GlacierFields(nothing, nothing, nothing)
    ice, cell = _ice_on_coarse_grid(surface, cell_size, glaciers, sea_level)
    measure_flow(ice, glaciers.ice.law, cell)
    thickness = _brought_to(surface, ice)
    if sea_level is not None:
        thickness[surface < sea_level] = 0.0
    covered = thickness > 0.0
    strain = np.where(covered, refine(_strain(ice, cell), surface.shape), np.float32(0.0))
    return GlacierFields(thickness, strain, _debris(ice, glaciers, cell, surface, thickness))


def why_no_glaciers(found: GlacierFields, glaciers: Glaciers, highest: float) -> tuple[str, ...]:
    """Return a sentence if a land has no ice.

    Parameters
    ----------
    found : GlacierFields
        Its ice.
    glaciers : Glaciers
        What was asked for.
    highest : float
        Metres: the highest place of the land.

    Returns
    -------
    tuple of str
    """
    line = glaciers.equilibrium_line_altitude
    if found.thickness.any():
        return ()
    if line >= highest:
        return (
            f"No glacier lies here: the equilibrium line, at {line:.0f} m, is above the land, up to {highest:.0f} m",
        )
    return (f"No glacier lies here: above {line:.0f} m there is too little room or snow for {LEAST_ICE:g} m of ice",)


def _ice_on_coarse_grid(
    surface: Field, cell_size: float, glaciers: Glaciers, sea_level: float | None
) -> tuple[Ice, float]:
    """Let ice grow until it fits its bed; return it on the second of the grids, and the size of its cells."""
    law, weather = glaciers.ice.law, glaciers.ice.weather(glaciers.equilibrium_line_altitude)
    if sea_level is not None:
        weather = weather._replace(sea=sea_level)
    shapes = shapes_from_coarse(surface.shape)[:_GRIDS]
    ice = ice_on(coarsen(surface, shapes[0]))
    for shape in shapes:
        cell = cell_size * (max(surface.shape) - 1) / (max(shape) - 1)
        ice = _on_grid(ice, surface, shape)
        with threads_for(ice.bed.size):
            for longest in _YEARS:
                _grow(ice, law, weather, cell, longest)
        _clear_border(ice.thickness)
    return ice, cell


def _grow(ice: Ice, law: IceLaw, weather: IceWeather, cell: float, longest: float) -> None:
    """Let ice flow in steps of up to some years, until it fits its bed."""
    pace, steady = FlowSteps(longest), 0
    for _ in range(MOST_STEPS):
        balance = pace.step(ice, law, weather, cell)
        lost = balance.melted + balance.left
        steady = steady + 1 if abs(balance.fallen - lost) <= STEADY * balance.fallen else 0
        if steady == _STEADY_STEPS:
            break


def _on_grid(ice: Ice, surface: Field, shape: tuple[int, int]) -> Ice:
    """Ice on a grid that is as fine or finer: up to the same surface, from the ground there."""
    bed = coarsen(surface, shape).astype(np.float64)
    top = refine((ice.bed + ice.thickness).astype(np.float32), shape)
    there = refine(ice.thickness.astype(np.float32), shape) > 0.0
    return ice_on(bed, np.where(there, np.maximum(top - bed, 0.0), 0.0))


def _clear_border(thickness: Array) -> None:
    """Take the ice that stands for what lies beyond the land."""
    for rim in (0, -1):
        thickness[rim] = 0.0
        thickness[:, rim] = 0.0


def _brought_to(surface: Field, ice: Ice) -> Field:
    """The thickness of ice on a finer grid: from the ground there up to the surface of the ice."""
    top = refine((ice.bed + ice.thickness).astype(np.float32), surface.shape)
    there = refine(ice.thickness.astype(np.float32), surface.shape)
    # Where the coarse ice thins out, its surface is that of coarse ground, which may be far from the real one.
    thickness = np.minimum(np.maximum(top - surface, np.float32(0.0)), np.float32(2.0) * there)
    thickness[(thickness < np.float32(LEAST_ICE)) | (there < np.float32(LEAST_ICE))] = 0.0
    _clear_border(thickness)
    return np.ascontiguousarray(thickness, np.float32)


def _speeds(ice: Ice) -> tuple[Array, Array]:
    """The speed of the ice to the east and to the north, in m per year, as a mean over its thickness."""
    moving = np.maximum(ice.thickness, LEAST_ICE)
    east, north = np.zeros_like(ice.bed), np.zeros_like(ice.bed)
    east[:, 1:-1] = 0.5 * (ice.east[:, 1:-1] + ice.east[:, :-2]) / moving[:, 1:-1]
    north[1:-1] = 0.5 * (ice.north[1:-1] + ice.north[:-2]) / moving[1:-1]
    return east, north


def _strain(ice: Ice, cell: float) -> Field:
    """The largest principal strain rate along the surface: how fast ice is pulled where it is pulled most."""
    east, north = _speeds(ice)
    creep = Creep(ice.bed.shape)
    for speed in (east, north):
        creep.step(speed, 0.5 * (_COUPLED / cell) ** 2)
    (east_y, east_x), (north_y, north_x) = (np.gradient(one, cell) for one in (east, north))
    shear, half = 0.5 * (east_y + north_x), 0.5 * (east_x - north_y)
    pulled = 0.5 * (east_x + north_y) + np.sqrt(half * half + shear * shear)
    return np.maximum(pulled, 0.0).astype(np.float32)


def _debris(ice: Ice, glaciers: Glaciers, cell: float, surface: Field, thickness: Field) -> Field:
    """The share of the surface that rock hides: in bands from walls and where glaciers join, and at the snout."""
    thick = ice.thickness >= LEAST_ICE
    walls = walls_beside(ice, thick)
    load, dropped = walls.astype(np.float64), np.zeros_like(ice.bed)
    weather = glaciers.ice.weather(glaciers.equilibrium_line_altitude)
    drop_debris(highest_first(ice.surface, ice.work), ice, load, weather, cell, dropped)
    covered = thickness > 0.0
    finer = (max(surface.shape) - 1) / (max(walls.shape) - 1)
    east, north, top = (one.astype(np.float32) for one in (*_speeds(ice), ice.surface))
    rock, creep = np.zeros(surface.shape), Creep(surface.shape)
    strew_bands(MovingIce(east, north, top, walls), weather, cell, finer, rock)
    for _ in range(_SPREADINGS):
        creep.step(rock, (_SPREADS * finer / cell) ** 2 / (2.0 * _SPREADINGS))
    rock *= rock
    bands = (rock / (rock + _HALF_HIDDEN**2)).astype(np.float32)
    hidden = np.minimum(dropped * _HIDES / cell, 1.0)
    Creep(hidden.shape).step(hidden, 0.5 * (_SPREADS / cell) ** 2)
    snout = refine(hidden.astype(np.float32), surface.shape)
    snout[surface + thickness >= np.float32(weather.line)] = 0.0
    return np.where(covered, np.maximum(snout, bands), np.float32(0.0))

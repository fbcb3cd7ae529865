"""Glaciation: glaciers fill the valleys of a land for several thousand years, and reshape them.

Snow above the equilibrium line becomes ice, which flows down and melts below; see `ice.ice_flow`.  Where it slides, it
wears its bed down (Hallet 1979; Humphrey and Raymond 1994):

    ė = K |u_b|                                                                                                      (1)

A narrow valley holds its ice and so becomes wide: V turns to U.  Trunk glaciers carry more ice than their tributaries
and cut deeper, so tributary valleys hang; below the equilibrium line they dig basins that become lakes, or fjords.
What is worn down travels with the ice and drops where it melts: meltwater carries most of it off the land, and the
rest is moraine.

Ice fits its bed within centuries, and the bed changes over tens of thousands of years.  So each step of the ice stands
for many years of wear.  The land takes its large shape on a coarse grid, and detail on finer ones.

>>> from terrain_addon.core.foundation.progress import run
>>> side = np.linspace(-900.0, 900.0, 33, dtype=np.float32)
>>> valley = np.abs(side) + np.linspace(0.0, 800.0, 33, dtype=np.float32)[:, np.newaxis]
>>> land = Terrain(valley, np.zeros_like(valley), 60.0)
>>> worn = run(glaciate(land, Glaciation(equilibrium_line_altitude=600.0, years=20000.0)))
>>> bool((worn.terrain.surface - valley).min() < -5.0), worn.notices
(True, ())
>>> run(glaciate(land, Glaciation(equilibrium_line_altitude=3000.0))).notices
('no glacier formed: the equilibrium line, at 3000 m, is above all of the land, which reaches 1700 m',)

References
----------
F. Herman and J. Braun (2008), "Evolution of the glacial landscape of the Southern Alps of New Zealand: Insights from a
glacial erosion model", Journal of Geophysical Research 113, F02009, doi:10.1029/2007JF000807.

B. Hallet (1979), "A theoretical model of glacial abrasion", Journal of Glaciology 23, 39-50,
doi:10.3189/S0022143000029725.

N. F. Humphrey and C. F. Raymond (1994), "Hydrology, erosion and sediment production in a surging glacier", Journal of
Glaciology 40, 539-552, doi:10.3189/S0022143000012429.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from ..foundation.compilation import Array
from ..foundation.creep import Creep
from ..foundation.levels import coarsen, refine, shapes_from_coarse, threads_for
from ..foundation.parameters import group, parameter
from ..foundation.progress import Steps, within
from ..foundation.terrain import Terrain
from ..ice.debris import drop_debris, highest_first
from ..ice.ice_climate import IceClimate
from ..ice.ice_flow import FlowSteps, IceWeather, ice_on, measure_flow, snow_falls
from .glacial_bed import GlacialBed, measure_sliding, wear_down
from .mass_balance import Eroded, MassBalance, volume_of
from .process import History, Process, ProcessParameters
from .stabilisation import settle

MOST_YEARS = 200_000.0
"""Longest glacial age."""
# Years at which states are kept grow by this ratio from the first.
_FIRST_KEPT, _KEPT_RATIO = 1000.0, math.sqrt(2.0)
# Share of the remaining years that each grid takes before a finer one goes on.
_TIME_SHARE = 0.5
# Steps on the coarsest grid between two states that are kept, and steps on each finer one.
_COARSE_STEPS = 60
_FINER_STEPS = (120, 80, 40, 20)
# Most years in which the ice of a step flows.
_YEARS_OF_ICE = 10.0
_STEPS_OF_DEBRIS = 10
# Metres over which ice pulls the ice beside it along, and over which debris is strewn.
_PULL, _STREWN = 150.0, 150.0
MORAINE_ANGLE = 35.0
"""Degrees: no moraine is steeper once the ice has melted."""


@dataclass(frozen=True)
class Glaciation(ProcessParameters):
    """Glaciers widen and deepen valleys, dig lakes, and leave moraines."""

    equilibrium_line_altitude: float = parameter(
        1000.0,
        "Altitude where as much snow falls in a year as melts; glaciers grow above it and melt below",
        unit="m",
        limits=(-10000.0, 10000.0),
        soft=(0.0, 4000.0),
    )
    years: float = parameter(
        50_000.0,
        "How long glaciers lie on the land",
        unit="yr",
        limits=(0.0, MOST_YEARS),
        soft=(0.0, 100_000.0),
    )
    erodibility: float = parameter(
        1e-4,
        "Depth that ice wears down while it slides one metre: hard rock 0.00003, usual 0.0001, soft rock 0.0005",
        limits=(0.0, 0.01),
        soft=(0.0, 0.001),
    )
    meltwater: float = parameter(
        0.9,
        "Share of the debris that meltwater carries off the land; the rest is left as moraine",
        limits=(0.0, 1.0),
    )
    ice: IceClimate = group(IceClimate, "Snow, melt, and how easily ice slides")

    def acting_at(self, altitude: float) -> Self:
        """Return these glaciers with an equilibrium line at an altitude.

        Parameters
        ----------
        altitude : float
            Metres.

        Returns
        -------
        Self
        """
        return self.replace(equilibrium_line_altitude=altitude)

    @property
    def weather(self) -> IceWeather:
        """Snow and melt, as kernels take them."""
        return self.ice.weather(self.equilibrium_line_altitude)


class _Kept(NamedTuple):
    """A state at some year."""

    year: float
    thickness: Array
    worn: Array
    moraine: Array
    left: float


class _Glacier:
    """Ice on one grid of a land, and its bed.

    Parameters
    ----------
    terrain : Terrain
        The land on its finest grid, before any ice.
    process : Glaciation
        How ice works; its years do not count here.
    shape : tuple of int
        The grid.
    kept : _Kept
        What to start from, on any grid.
    """

    def __init__(self, terrain: Terrain, process: Glaciation, shape: tuple[int, int], kept: _Kept) -> None:
        finest = terrain.surface.shape
        self.process, self.year, self.left = process, kept.year, kept.left
        self.cell_size = terrain.cell_size * (max(finest) - 1) / (max(shape) - 1)
        ground = coarsen(terrain.surface, shape)
        ground.flags.writeable = False  # as the finest one is, so that kernels are compiled for one type only
        thickness, worn, moraine = (_on_grid(one, shape) for one in (kept.thickness, kept.worn, kept.moraine))
        if kept.worn.shape != shape:
            # What is worn down, left and lies as moraine keep their ratios.
            scale = _ratio(worn.sum() * self.cell_size**2, self._area_of(terrain, kept.worn.shape) * kept.worn.sum())
            self.left *= scale
            moraine *= _ratio(worn.sum() - self.left / self.cell_size**2, moraine.sum())
            surface = _on_grid(
                coarsen(terrain.surface, kept.worn.shape) - kept.worn + kept.moraine + kept.thickness, shape
            )
            thickness = np.where(thickness > 0.0, np.maximum(surface - (ground - worn + moraine), 0.0), 0.0)
        self.ice = ice_on(ground - worn + moraine, thickness)
        self.bed = GlacialBed(ground, worn, moraine, np.zeros(shape))
        self.pace = FlowSteps(_YEARS_OF_ICE)
        self._creep = Creep(shape)

    def _area_of(self, terrain: Terrain, shape: tuple[int, int]) -> float:
        return (terrain.cell_size * (max(terrain.surface.shape) - 1) / (max(shape) - 1)) ** 2

    def go_on(self, year: float, steps: int) -> Steps[bool]:
        """Go on to some year in equal steps; return whether to finish early."""
        law, weather = self.process.ice.law, self.process.weather
        each = (year - self.year) / steps
        rate = self.process.erodibility * each
        finish = False
        for step in range(1, steps + 1):
            with threads_for(self.ice.bed.size):
                self.pace.step(self.ice, law, weather, self.cell_size)
                sliding = self.ice.work
                measure_sliding(self.ice, law, self.cell_size, sliding)
                self._creep.step(sliding, (_PULL / self.cell_size) ** 2)
                wear_down(self.ice, self.bed, sliding, rate)
                np.add(self.ice.bed, self.ice.thickness, out=self.ice.surface)
            finish = bool((yield step / steps))
            if step % _STEPS_OF_DEBRIS == 0 or step == steps or finish:
                self._drop()
            if finish:
                self.year += each * step
                return True
        self.year = year
        return False

    def _drop(self) -> None:
        """Carry debris to where it drops."""
        measure_flow(self.ice, self.process.ice.law, self.cell_size)
        dropped, weather = self.ice.work, self.process.weather
        order = highest_first(self.ice.surface, self.ice.work)
        left = drop_debris(order, self.ice, self.bed.debris, weather, self.cell_size, dropped)
        washed = self.process.meltwater * float(dropped.sum())
        self.left += (left + washed) * self.cell_size**2
        dropped *= 1.0 - self.process.meltwater
        self._creep.step(dropped, (_STREWN / self.cell_size) ** 2)
        np.add(self.bed.moraine, dropped, out=self.bed.moraine)
        np.subtract(self.bed.ground, self.bed.worn, out=self.ice.bed)
        np.add(self.ice.bed, self.bed.moraine, out=self.ice.bed)
        np.add(self.ice.bed, self.ice.thickness, out=self.ice.surface)

    def state(self) -> _Kept:
        """Return the state, in the memory of this glacier."""
        return _Kept(self.year, self.ice.thickness, self.bed.worn, self.bed.moraine, self.left)

    def kept(self) -> _Kept:
        """Return the state in memory of its own, which stays as it is when the glacier goes on."""
        year, thickness, worn, moraine, left = self.state()
        return _Kept(year, thickness.copy(), worn.copy(), moraine.copy(), left)


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole > 0.0 else 0.0


def _on_grid(values: Array, shape: tuple[int, int]) -> Array:
    """Return values on a grid that is as fine or finer."""
    return values.copy() if values.shape == shape else refine(values.astype(np.float32), shape).astype(np.float64)


class IceHistory(NamedTuple):
    """A land under ice at several years on a coarse grid, from which `land_after` computes it after any number of them.

    Attributes
    ----------
    terrain : Terrain
        The land before any ice.
    process : Glaciation
        How ice works.
    states : list of _Kept
        Rising years, from 0; the only one where there is no ice.
    """

    terrain: Terrain
    process: Glaciation
    states: list[_Kept]


def follow_ice(terrain: Terrain, process: Glaciation) -> Steps[IceHistory]:
    """Let glaciers work on a coarse grid for as long as any age can be.

    Parameters
    ----------
    terrain : Terrain
        The land.  Beyond its border it goes on falling as it does there.
    process : Glaciation
        How ice works; its years have no influence.

    Yields
    ------
    float
        Share done.  Asked to finish early, it returns the history so far.

    Returns
    -------
    IceHistory
    """
    shape = shapes_from_coarse(terrain.surface.shape)[0]
    nothing = np.zeros(shape)
    states = [_Kept(0.0, nothing, nothing, nothing, 0.0)]
    history = IceHistory(terrain, process, states)
    if not _has_ice(terrain, process):
        return history
    glacier = _Glacier(terrain, process, shape, states[0])
    years = _kept_years()
    for number, year in enumerate(years):
        stopped = yield from within(glacier.go_on(year, _COARSE_STEPS), number / len(years), (number + 1) / len(years))
        states.append(glacier.kept())
        if stopped:
            break
    return history


def land_after(history: IceHistory, years: float) -> Steps[Eroded]:
    """Compute a land after some years of ice, and without the ice.

    Parameters
    ----------
    history : IceHistory
        From `follow_ice`.
    years : float
        0 to 200,000.

    Yields
    ------
    float
        Share done.  Asked to finish early, it returns the land as it is then.

    Returns
    -------
    Eroded
        Ice takes sediment first, then rock; moraine is sediment, nowhere steeper than 35°.  What meltwater carries
        away, and what ice carries over the border, has `left`.  Without ice the land stays as it is, to the last bit,
        and a notice says why.

    Raises
    ------
    ValueError
        If `years` is out of range.
    """
    if not 0.0 <= years <= MOST_YEARS:
        raise ValueError(f"years = {years!r} is outside 0.0 to {MOST_YEARS:.0f}")
    terrain, process, states = history
    before = volume_of(terrain)
    if not _has_ice(terrain, process):
        return Eroded(terrain, MassBalance(before, before), (_no_ice(terrain, process),))
    if years == 0.0:
        return Eroded(terrain, MassBalance(before, before))
    shapes = shapes_from_coarse(terrain.surface.shape)
    ends = _ends_of(years, len(shapes))
    kept = max((one for one in states if one.year <= ends[0]), key=lambda one: one.year)
    work = [0.0]
    plans = []
    for number, (shape, end) in enumerate(zip(shapes, ends)):
        steps = _FINER_STEPS[min(number, len(_FINER_STEPS)) - 1] if number else _coarse_steps(kept.year, end)
        plans.append((shape, end, steps))
        work.append(work[-1] + steps * math.prod(shape))
    for number, (shape, end, steps) in enumerate(plans):
        glacier = _Glacier(terrain, process, shape, kept)
        begin, done = work[number] / max(work[-1], 1), work[number + 1] / max(work[-1], 1)
        stopped = steps > 0 and (yield from within(glacier.go_on(end, steps), begin, done))
        kept = glacier.state()
        del glacier  # its fields of flow are most of the memory
        if stopped:
            break
    return (yield from _melted(terrain, process, kept))


def glaciate(terrain: Terrain, process: Glaciation) -> Steps[Eroded]:
    """Let glaciers work on a land, and melt.

    Parameters
    ----------
    terrain : Terrain
        The land.
    process : Glaciation
        How ice works, and how long.

    Yields
    ------
    float
        Share done.  Asked to finish early, it returns the land as it is then.

    Returns
    -------
    Eroded
        As `land_after`.
    """
    history = yield from within(follow_ice(terrain, process), 0.0, 0.3)
    return (yield from within(land_after(history, process.years), 0.3, 1.0))


def _kept_years() -> list[float]:
    """Return the years at which states are kept."""
    count = math.floor(math.log(MOST_YEARS / _FIRST_KEPT) / math.log(_KEPT_RATIO) + 1e-9) + 1
    return [_FIRST_KEPT * _KEPT_RATIO**number for number in range(count)]


def _coarse_steps(begin: float, end: float) -> int:
    """Return in how many steps the coarsest grid goes on from a state that is kept."""
    longest = max(begin * (_KEPT_RATIO - 1.0), _FIRST_KEPT)
    return math.ceil(_COARSE_STEPS * (end - begin) / longest)


def _ends_of(years: float, grids: int) -> list[float]:
    """Return the years up to which each grid goes."""
    ends, reached = [], 0.0
    for number in range(grids):
        reached = years if number == grids - 1 else reached + _TIME_SHARE * (years - reached)
        ends.append(reached)
    return ends


def _has_ice(terrain: Terrain, process: Glaciation) -> bool:
    """Whether it snows anywhere more than melts, on a land with room for a glacier."""
    return min(terrain.surface.shape) > 2 and snow_falls(process.weather, float(terrain.surface.max()))


def _no_ice(terrain: Terrain, process: Glaciation) -> str:
    line, highest = process.equilibrium_line_altitude, float(terrain.surface.max())
    if highest > line:
        return "no glacier formed: no snow falls, or the land has no room for ice"
    return (
        f"no glacier formed: the equilibrium line, at {line:.0f} m, is above all of the land, which reaches "
        f"{highest:.0f} m"
    )


def _melted(terrain: Terrain, process: Glaciation, kept: _Kept) -> Steps[Eroded]:
    """Return the land without its ice, whose moraine slides where ice held it up; `kept` may be on a coarser grid."""
    if kept.worn.shape != terrain.surface.shape:
        kept = _Glacier(terrain, process, terrain.surface.shape, kept).state()
    worn, moraine = kept.worn, kept.moraine
    deeper = np.maximum(worn - terrain.sediment, 0.0)
    bedrock = (terrain.bedrock - deeper).astype(np.float32)
    soil = np.maximum(terrain.sediment - worn, 0.0).astype(np.float32)
    below = bedrock + soil  # only moraine slides
    surface = below + moraine
    yield from within(settle(surface, below, terrain.cell_size, MORAINE_ANGLE), 1.0, 1.0)
    sediment = (soil + (surface - below)).astype(np.float32)
    after = Terrain(bedrock, sediment, terrain.cell_size)
    return Eroded(after, MassBalance(volume_of(terrain), volume_of(after), left=kept.left))


GLACIATION = Process(
    Glaciation,
    glaciate,
    exchanged=("left",),
    history=History(follow_ice, land_after, "years", "letting the ice flow"),
    land_class="fjords",
    layers=42,
)

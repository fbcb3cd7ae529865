"""Stream power with uplift: mountains rise while rivers cut into them, slopes fail and lakes fill with sediment.

Rivers follow the stream power law (see `river_incision`) while the land rises:

    ∂h/∂t = U − K Aᵐ Sⁿ

with U the uplift, A the drainage area, S the slope along the river, and K how easily the rock erodes.  A land takes its
shape on a coarse grid first, which is the same for every resolution, and is then refined (Schott et al. 2024), so
valleys are at the same places for any final grid.

Time is counted in ages of the land.  In one age a wave of erosion moves from the border up to the divides.  So the same
age is the same stage of development for a small land and a large one, a low one and a high one.

>>> from terrain_addon.core.foundation.progress import run
>>> ridge = np.array([[0.0, 3.0, 6.0, 3.0, 0.0]] * 4, np.float32) + np.arange(4, dtype=np.float32)[:, np.newaxis]
>>> eroded = run(erode_by_stream_power(Terrain(ridge, np.zeros_like(ridge), 100.0), StreamPower(age=0.5), seed=3))
>>> print(eroded.terrain.surface[1].round(2))
[1.02 1.16 2.18 0.5  1.02]

References
----------
J. Braun and S. D. Willett (2013), "A very efficient O(n), implicit and parallel method to solve the stream power
equation governing fluvial incision and landscape evolution", Geomorphology 180-181, 170-179,
doi:10.1016/j.geomorph.2012.10.008: the solver.

G. Cordonnier, J. Braun, M.-P. Cani, B. Benes, E. Galin, A. Peytavie and E. Guérin (2016), "Large scale terrain
generation from tectonic uplift and fluvial erosion", Computer Graphics Forum 35(2), 165-175, doi:10.1111/cgf.12820:
mountains from an uplift map and stream power.

A. D. Howard (1994), "A detachment-limited model of drainage basin evolution", Water Resources Research 30, 2261-2285,
doi:10.1029/94WR00757: the law.

H. Schott, E. Galin, E. Guérin, A. Peytavie and A. Paris (2024), "Terrain amplification using multi-scale erosion", ACM
Transactions on Graphics 43(4), 145, doi:10.1145/3658200: erosion from coarse to fine.

J. T. Hack (1957), "Studies of longitudinal stream profiles in Virginia and Maryland", USGS Professional Paper 294-B,
doi:10.3133/pp294B: drainage area against the length of a river.

G. Cordonnier, E. Galin, J. Gain, B. Benes, E. Guérin, A. Peytavie and M.-P. Cani (2017), "Authoring landscapes by
combining ecosystem and terrain erosion simulation", ACM Transactions on Graphics 36(4), 134,
doi:10.1145/3072959.3073667: layers of bedrock and sediment under several processes.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..direction.courses import keep_falling, lead_water
from ..direction.drawing import NOTHING_DRAWN, DrawnFeatures
from ..direction.forms import correct_uplift, fixed_heights, lift_of
from ..direction.steps import hold_step
from ..flow.inflows import Inflow, inlets_of
from ..flow.routing import lowest_outlet
from ..foundation.compilation import Array, Part, parallel_kernel, portion
from ..foundation.creep import Creep
from ..foundation.elementary import exp_of
from ..foundation.hashing import Purpose, derive_seed, hash_place, unit_float
from ..foundation.levels import coarsen, refine, shapes_from_coarse, threads_for
from ..foundation.parameters import group, parameter, variant
from ..foundation.progress import Steps
from ..foundation.terrain import Field, Grid, Terrain, as_field
from ..maps.masks import MASKS
from .ages import FINAL_STEPS, MAXIMUM_AGE, STEPS_BETWEEN_STATES, evenly_spaced, kept_ages, plan_ages
from .landslides import collapse
from .layers import heights_of
from .mass_balance import Eroded, MassBalance
from .process import HARDNESS, RAIN, History, Process, ProcessParameters
from .river_incision import HACK_COEFFICIENT, Conditions, Heights, RiverIncision, take_sediment
from .rock import jointed_rock, steepest_slope, uneven_rock
from .strata import Strata, lay_beds, measure_hardness

FINAL_PERTURBATION = np.float32(0.5)
"""Share of the usual perturbation of flow in the final steps, in which rivers are not to be straight."""

BASE_DISTANCE = 1.0 / 16.0
"""How far beyond the border the base level is, as a share of the span of the land, its shorter side."""
PLAIN_SLOPE = 0.06
"""Slope of the plains in place of lakes, as a multiple of height over span."""
LARGE_GRID = 4_000_000
"""Samples from which on the rock of a grid is not kept from step to step."""
CREST_WIDTH = 0.008
"""Width of rounded crests, as a share of the span."""
# Lengths as shares of the span: the hills that the uplift pattern leaves out, the length of a hillslope above the head
# of a channel.
_UPLIFT_BLUR = 1.0 / 20.0
_CHANNEL_HEAD = 0.01
# Slope of the land beyond the border above its lowest rivers, at most, as a multiple of height over span.
_BASE_SLOPE = 0.5
DETAIL_DECAY = 0.02
"""Detail of the relief falls to 1/e where this share of the height of the land has been eroded or deposited."""
_BLUR_STEPS = 4
# Steps between two kept states where a land is only sketched: a sixth of the usual.
_STEPS_OF_SKETCH = 1
# Rows whose rock is laid together.
_STRIP_ROWS = 128
# Upper bound of the erodibility, so that float32 can hold it.
_HIGHEST_ERODIBILITY = 1e30

_PATTERNS = {
    "relief": "The land rises most where the relief is high, so its mountains stay where they are",
    "uniform": "The whole land rises equally",
    "dome": "The middle rises most, the border not at all",
}


@dataclass(frozen=True)
class StreamPower(ProcessParameters):
    """Land rises and rivers cut it into mountains, from a young plateau with gorges to old hills."""

    strength: float = parameter(
        1.0,
        "How much the rivers wear the land down: high values give low, gentle land, low values leave high mountains",
        limits=(0.0, 100.0),
        soft=(0.2, 4.0),
    )
    age: float = parameter(
        1.0,
        "Age of the land: 0.1 is a young plateau with gorges, 1 mature mountains, 4 old hills",
        limits=(0.0, MAXIMUM_AGE),
        soft=(0.0, 4.0),
    )
    rockiness: float = parameter(
        0.5,
        "How rocky the land is: 0 has soft crests and gentle slopes, 1 sharp crests and steep walls of uneven rock",
        limits=(0.0, 1.0),
    )
    strata: Strata = group(Strata, "Beds of harder and softer rock")
    rain: Any = variant(MASKS, "Where the full rain falls; elsewhere a tenth of it falls", advanced=True)
    hardness: Any = variant(
        MASKS,
        "Where rock is eight times as hard as elsewhere; without a mask it is equally hard everywhere",
        advanced=True,
    )
    uplift: float = parameter(
        1.0,
        "How far the land rises over time, as a multiple of the height of the relief",
        limits=(0.0, 100.0),
        soft=(0.0, 3.0),
        advanced=True,
    )
    uplift_pattern: str = parameter("relief", "Where the land rises", choices=_PATTERNS, advanced=True)
    drainage_exponent: float = parameter(
        0.45,
        "How much faster large rivers cut than small ones (m): high makes large valleys gentle and small ones steep",
        limits=(0.0, 2.0),
        soft=(0.3, 0.7),
        advanced=True,
    )
    slope_exponent: float = parameter(
        1.0,
        "How much faster steep rivers cut than gentle ones (n): above 1 steps in a river become smooth, below 1 sharp",
        limits=(0.1, 5.0),
        soft=(0.7, 2.0),
        advanced=True,
    )
    flow_perturbation: float = parameter(
        1.0,
        "How far young rivers turn away from the steepest path, so that valleys are not straight",
        limits=(0.0, 2.0),
        advanced=True,
    )


class Acting(NamedTuple):
    """A land at age 0, and what acts on it.

    Parameters
    ----------
    terrain : Terrain
        The land.
    rain, hardness, uplift : ndarray of float32, shape (rows, columns), optional
        As for `erode_by_stream_power`.
    """

    terrain: Terrain
    rain: Field | None = None
    hardness: Field | None = None
    uplift: Field | None = None


class LandHistory:
    """States of a land at several ages on a coarse grid, from which `land_at_age` computes it at any age.

    Attributes
    ----------
    ages : tuple of float
        Ages of the states: 0, then growing by a constant ratio.
    """

    def __init__(self, setting: "LandSetting", states: "list[_State]") -> None:
        self.ages = tuple(state.age for state in states)
        self._setting, self._states = setting, states

    def youngest_before(self, age: float) -> "tuple[LandSetting, _State]":
        """Return the setting, and the oldest kept state from which a land can reach an age.

        Parameters
        ----------
        age : float
            The age to come to, 0 to 10.

        Returns
        -------
        tuple
            The setting and a copy of the state; both are private to this module.
        """
        coarse_age = plan_ages(len(self._setting.shapes), age)[0][-1]
        return self._setting, next(state for state in reversed(self._states) if state.age <= coarse_age).copy()


def erode_by_stream_power(
    terrain: Terrain,
    process: StreamPower,
    *,
    seed: int = 0,
    rain: Field | None = None,
    hardness: Field | None = None,
    uplift: Field | None = None,
    sea_level: float | None = None,
    overview: Acting | None = None,
    drawing: DrawnFeatures = NOTHING_DRAWN,
    inflows: Sequence[Inflow] = (),
    steps_between_states: int = STEPS_BETWEEN_STATES,
) -> Steps[Eroded]:
    """Let a land rise while rivers cut it into mountains.

    Parameters
    ----------
    terrain : Terrain
        The land at age 0.  Young lands keep its shape, and old ones have their mountains where it had them.
    process : StreamPower
        Strength, age, rockiness and the advanced parameters.
    seed : int
        0 to 2³¹ − 1; chooses uneven rock and the courses of small rivers.
    rain : ndarray of float32, shape (rows, columns), optional
        Multiple of the mean rain, 0 or more: where more falls, rivers are larger.
    hardness : ndarray of float32, shape (rows, columns), optional
        Multiple of the usual hardness, above 0: hard rock erodes more slowly and holds steeper slopes.
    uplift : ndarray of float32, shape (rows, columns), optional
        Multiple of the uplift pattern, 0 or more.
    sea_level : float, optional
        Metres; land at or below it neither rises nor erodes, but steep ground slides there too.
    overview : Acting, optional
        The same land as it is on the grid of a preview.  Coarse grids are made from it, so that the land has the same
        valleys as the preview: which way a river takes on a coarse grid depends on very small differences.
    drawing : DrawnFeatures
        What was drawn: along drawn rivers water keeps its course, and their beds fall all the way.
    inflows : sequence of Inflow
        Rivers that come from beyond the land; they cut it, too.
    steps_between_states : int
        As for `plan_ages`: with fewer steps it is quicker, and its small rivers have other courses.

    Yields
    ------
    float
        Share done.  Asked to finish early, it returns the land at the age that it has reached.

    Returns
    -------
    Eroded
        Rivers carry rock, and what slides into them, over the border or into the sea; lakes keep what they can hold.
        Sediment erodes before rock.  The mass balance counts the heights in float64, before they are stored.  On the
        final grid everything that leaves is counted; what left on coarser grids is what is missing when the final grid
        begins.  The land equals that of `land_at_age`, byte for byte.

    Raises
    ------
    ValueError
        If a map has another shape than the land or values out of range, or `sea_level` is not finite.

    Notes
    -----
    The rock erodes by

        K = strength · H / (τ W²ᵐ) · (L / H)ⁿ,    L = ∫ (W² / A(x))^(m/n) dx

    with H the height of the relief, W its shorter side, A the drainage area with rain, and the integral along a river
    with A = x² / 3.  So one age, τ, is the time in which a wave moves up a river of length W / 2.  U falls as
    exp(−t / τ): old lands no longer rise.  Slopes stay below a critical angle and creep rounds crests; both follow from
    rockiness.  Joints make that angle smaller in some places and larger in others, so walls have chutes and ribs.

    Rivers go on beyond the border: their base level lies W / 16 farther out.  Its height is that of the relief on the
    border, lowered to where no slope is steeper than H / (2 W).  A cell of the border drains at least the A = x² / 3 of
    a river halfway to its base level.  Otherwise the border would hardly erode, and stand as a rim around the land.
    """
    acting = Acting(terrain, rain, hardness, uplift)
    setting = LandSetting(acting, process, seed, sea_level, overview, drawing, inflows)
    return (yield from _grow(setting, _State.first(setting), process.age, steps_between_states))


def age_land(
    terrain: Terrain,
    process: StreamPower,
    *,
    seed: int = 0,
    rain: Field | None = None,
    hardness: Field | None = None,
    uplift: Field | None = None,
    sea_level: float | None = None,
    overview: Acting | None = None,
    drawing: DrawnFeatures = NOTHING_DRAWN,
    inflows: Sequence[Inflow] = (),
) -> Steps[LandHistory]:
    """Compute a land at all its ages on a coarse grid.

    Parameters
    ----------
    terrain : Terrain
        The land at age 0.
    process : StreamPower
        As for `erode_by_stream_power`; `age` has no influence.
    seed : int
        0 to 2³¹ − 1; chooses uneven rock and the courses of small rivers.
    rain, hardness, uplift : ndarray of float32, shape (rows, columns), optional
        As for `erode_by_stream_power`.
    sea_level : float, optional
        Metres; land at or below it neither rises nor erodes.
    overview : Acting, optional
        As for `erode_by_stream_power`.
    drawing : DrawnFeatures
        As for `erode_by_stream_power`.
    inflows : sequence of Inflow
        As for `erode_by_stream_power`.

    Yields
    ------
    float
        Share done.  Asked to finish early, it returns the young ages only, from which any age can still be reached.

    Returns
    -------
    LandHistory
        What `land_at_age` starts from.  It can be kept while `process.age` changes.

    Raises
    ------
    ValueError
        If a map has another shape than the land or values out of range, or `sea_level` is not finite.
    """
    acting = Acting(terrain, rain, hardness, uplift)
    setting = LandSetting(acting, process, seed, sea_level, overview, drawing, inflows)
    states = [_State.first(setting)]
    ages = kept_ages(MAXIMUM_AGE) if setting.height > 0.0 else []
    level: _Level | None = None
    for number, age in enumerate(ages):
        if (yield number / len(ages)):
            break
        if level is None:
            level = _Level(setting, 0)
            level.prepare()
        state = states[-1].copy()
        for next_age in evenly_spaced(state.age, age, STEPS_BETWEEN_STATES):
            with threads_for(state.height.size):
                level.step(state, next_age, final=False)
        states.append(state)
    return LandHistory(setting, states)


def land_at_age(history: LandHistory, age: float) -> Steps[Eroded]:
    """Compute a land at an age from its history.

    Parameters
    ----------
    history : LandHistory
        From `age_land`.
    age : float
        0 to 10.

    Yields
    ------
    float
        Share done.  Asked to finish early, it returns the land at the age that it has reached.

    Returns
    -------
    Eroded
        The same bytes as `erode_by_stream_power` for that age, whatever ages were computed before: the steps to an age
        always start from the same kept state.

    Raises
    ------
    ValueError
        If the age is outside 0 to 10.
    """
    if not 0.0 <= age <= MAXIMUM_AGE:
        raise ValueError(f"age = {age!r} is outside 0.0 to {MAXIMUM_AGE}")
    setting, state = history.youngest_before(age)
    return (yield from _grow(setting, state, age))


class LandSetting:
    """The land at age 0 and everything that acts on it; the same for all grids.

    Parameters
    ----------
    acting : Acting
        The land on its finest grid.
    process : StreamPower
        Its parameters.
    seed : int
        0 to 2³¹ − 1.
    sea_level : float or None
        Metres.
    overview : Acting or None
        As for `erode_by_stream_power`.
    drawing : DrawnFeatures
        As for `erode_by_stream_power`.
    inflows : sequence of Inflow
        Rivers that come from beyond the land.

    Attributes
    ----------
    shapes : list of tuple of int
        (rows, columns) of all grids, from coarse to fine.
    span, height : float
        The shorter side of the land, and the height of its relief, in metres.
    volume : float
        Of the land at age 0, in m³.
    uplift_pattern, base : ndarray of float32, shape (rows, columns)
        On the coarsest grid: the uplift of each place from 0 to 1, and the base level in metres.

    Raises
    ------
    ValueError
        As for `erode_by_stream_power`.
    """

    def __init__(
        self,
        acting: Acting,
        process: StreamPower,
        seed: int,
        sea_level: float | None,
        overview: Acting | None,
        drawing: DrawnFeatures = NOTHING_DRAWN,
        inflows: Sequence[Inflow] = (),
    ) -> None:
        self.terrain, self.process, self.seed = acting.terrain, process, seed
        self.drawing, self.inflows = drawing, inflows
        self.sea_level = lowest_outlet(sea_level)
        self._acting = _checked(acting)
        shape = self.terrain.bedrock.shape
        self.shapes = shapes_from_coarse(shape)
        # An overview whose grid is not one of these is of no use.
        is_used = overview is not None and overview.terrain.bedrock.shape in self.shapes
        self._overview = _checked(overview) if overview is not None and is_used else self._acting
        grid = self.terrain.grid
        self.span = max(min(grid.width, grid.depth), grid.cell_size)
        relief = self.relief(self.shapes[0])
        self.volume = float(heights_of(self.terrain).sum()) * self.terrain.cell_size**2
        self.height = float(relief.max()) - float(relief.min())
        cell_size = self.cell_size(self.shapes[0])
        self.uplift_pattern = _uplift_pattern(process.uplift_pattern, relief, _UPLIFT_BLUR * self.span / cell_size)
        # The base level: the relief, lowered to where no slope is steeper than the bound.
        base = relief.astype(np.float64)
        if drawing.border is None:
            collapse(base, np.full(relief.shape, _BASE_SLOPE * self.height / self.span, np.float32), cell_size, None)
        self.base = np.maximum(base, self.sea_level).astype(np.float32)

    def relief(self, shape: tuple[int, int]) -> Field:
        """Return the height of the land at age 0 on a grid.

        Parameters
        ----------
        shape : tuple of int
            (rows, columns), one of `shapes`.

        Returns
        -------
        ndarray of float32, shape (rows, columns)
            Metres.
        """
        terrain = self._on(shape).terrain
        # Not its `surface`, which it would keep.
        return coarsen(terrain.bedrock + terrain.sediment, shape)

    def sediment(self, shape: tuple[int, int]) -> Field:
        """Return the sediment at age 0 on a grid.

        Parameters
        ----------
        shape : tuple of int
            (rows, columns), one of `shapes`.

        Returns
        -------
        ndarray of float32, shape (rows, columns)
            Metres.
        """
        return coarsen(self._on(shape).terrain.sediment, shape)

    def rain(self, shape: tuple[int, int]) -> Field | None:
        """Return the rain on a grid.

        Parameters
        ----------
        shape : tuple of int
            (rows, columns), one of `shapes`.

        Returns
        -------
        ndarray of float32, shape (rows, columns) or None
            Multiple of the mean rain; None if it is the same everywhere.
        """
        return _coarsen_map(self._on(shape).rain, shape)

    def hardness(self, shape: tuple[int, int]) -> Field | None:
        """Return the multiple of the usual hardness on a grid.

        Parameters
        ----------
        shape : tuple of int
            (rows, columns), one of `shapes`.

        Returns
        -------
        ndarray of float32, shape (rows, columns) or None
            None if it is the same everywhere.
        """
        return _coarsen_map(self._on(shape).hardness, shape)

    def uplift(self, shape: tuple[int, int]) -> Field | None:
        """Return the multiple of the uplift pattern on a grid.

        Parameters
        ----------
        shape : tuple of int
            (rows, columns), one of `shapes`.

        Returns
        -------
        ndarray of float32, shape (rows, columns) or None
            None if it is the same everywhere.
        """
        return _coarsen_map(self._on(shape).uplift, shape)

    def _on(self, shape: tuple[int, int]) -> Acting:
        """What is averaged to give a grid: the overview if it is fine enough."""
        fits = max(shape) <= max(self._overview.terrain.bedrock.shape)
        return self._overview if fits else self._acting

    def cell_size(self, shape: tuple[int, int]) -> float:
        """Return the metres between the samples of a grid of this shape over the land.

        Parameters
        ----------
        shape : tuple of int
            (rows, columns), one of `shapes`.

        Returns
        -------
        float
            Metres.
        """
        return self.terrain.cell_size * max(max(self.shapes[-1]) - 1, 1) / max(max(shape) - 1, 1)


def erodibility_of(process: StreamPower, height: float, span: float) -> float:
    """Return the erodibility K of rock of usual hardness; see the notes of `erode_by_stream_power`.

    Parameters
    ----------
    process : StreamPower
        Strength and the exponents m and n.
    height, span : float
        Height of the land, and its shorter side, in metres, above 0.

    Returns
    -------
    float
        m^(1−2m) per age, at most what float32 can hold.
    """
    m, n = process.drainage_exponent, process.slope_exponent
    power, from_head, to_divide = 1.0 - 2.0 * m / n, _CHANNEL_HEAD, 0.5
    is_power = abs(power) > 1e-6
    path = (to_divide**power - from_head**power) / power if is_power else math.log(to_divide / from_head)
    # L / H, with A = x² / 3 along the river
    steepness = path * HACK_COEFFICIENT ** (-m / n) * span / height
    return min(process.strength * height * steepness**n * span ** (-2.0 * m), _HIGHEST_ERODIBILITY)


def spread_of_creep(rockiness: float, age: float, time: float, crest: float) -> float:
    """Return how far ground creeps in a step.

    Parameters
    ----------
    rockiness : float
        0 to 1.
    age, time : float
        Age of the land at the end of the step, and length of the step, in ages.
    crest : float
        Width of rounded crests in cells.

    Returns
    -------
    float
        D Δt / cell size², as `Creep.step` takes it.
    """
    # Soil becomes deeper with time, so old land creeps faster.
    softness = 2.0 * (1.0 - rockiness) ** 2 * (1.0 + age)
    return softness * time * crest**2


@dataclass
class _State:
    """A land at an age: heights and sediment in metres, and the volumes in m³ that rose and left since age 0."""

    age: float
    height: Heights
    sediment: Field
    risen: float = 0.0
    left: float = 0.0

    @classmethod
    def first(cls, setting: LandSetting) -> "_State":
        """Return the state at age 0 on the coarsest grid."""
        terrain, shape = setting.terrain, setting.shapes[0]
        if shape == terrain.bedrock.shape:
            return cls(0.0, heights_of(terrain), terrain.sediment.copy())
        return cls(0.0, setting.relief(shape).astype(np.float64), setting.sediment(shape).copy())

    def copy(self) -> "_State":
        return replace(self, height=self.height.copy(), sediment=self.sediment.copy())


class _Rock(NamedTuple):
    """The hardness of rock without beds, and the height of a bed in metres, if there are any."""

    hardness: Field
    bed: Field | None


class _Level:
    """The setting on one of the grids from coarse to fine."""

    def __init__(self, setting: LandSetting, number: int) -> None:
        self.setting, self.number = setting, number
        shape, process = setting.shapes[number], setting.process
        self.grid = Grid(*shape, setting.cell_size(shape))
        self.sediment = setting.sediment(shape)
        rise = np.maximum(refine(setting.uplift_pattern, shape), 0.0) * np.float32(process.uplift * setting.height)
        uplift = setting.uplift(shape)
        self.rise = rise if uplift is None else rise * uplift

    def prepare(self) -> None:
        """Compute what `step` needs and `refine` does not, so that `refine` has memory for its own fields before."""
        setting, shape, process = self.setting, self.grid.shape, self.setting.process
        drawing, cell_size = setting.drawing, self.grid.cell_size
        self._incision = RiverIncision(
            self.grid,
            process.drainage_exponent,
            process.slope_exponent,
            setting.rain(shape),
            setting.sea_level,
            inlets=inlets_of(setting.inflows, shape, cell_size, drawing.lakes_on_border(shape, cell_size)),
        )
        # A border that keeps its heights is the base level itself.
        is_held = drawing.border is not None
        self._base = refine(setting.base, shape)
        self._harder = setting.hardness(shape)
        # To lay rock again in each step takes a tenth more time, which is well spent where memory is what runs out.
        is_kept = self.grid.rows * self.grid.columns < LARGE_GRID
        self._rock = [self._lay_rock(*strip) for strip in self.grid.strips(_STRIP_ROWS)] if is_kept else []
        self._joints = [self._lay_joints(strip) for strip, _ in self.grid.strips(_STRIP_ROWS)] if is_kept else []
        self._erodibility = np.float32(erodibility_of(process, setting.height, setting.span))
        self._base_distance = cell_size if is_held else BASE_DISTANCE * setting.span
        self._courses = drawing.courses(shape, cell_size)
        self._levels = drawing.levels(shape, cell_size)
        self._lift = lift_of(fixed_heights(drawing.lines, shape, cell_size, self._courses), shape, cell_size)
        self._steps = drawing.held_steps(shape, cell_size)
        self._creep = Creep(shape)

    @property
    def relief(self) -> Field:
        """Height of the land at age 0 on this grid.  It is rarely needed, so it is computed each time."""
        return self.setting.relief(self.grid.shape)

    def _lay_rock(self, strip: Grid, rows: slice) -> _Rock:
        """Return the rock of some rows, before the land rises through its beds."""
        setting, strata = self.setting, self.setting.process.strata
        hardness = uneven_rock(strip, setting.span, setting.process.rockiness, setting.seed)
        if self._harder is not None:
            hardness *= self._harder[rows]
        return _Rock(hardness, lay_beds(strip, strata, setting.seed, self.grid) if strata.contrast > 1.0 else None)

    def _hardness(self, state: _State) -> Field:
        """Return the hardness of the rock at the surface, in memory of its own."""
        strata, share = self.setting.process.strata, np.float32(1.0 - math.exp(-state.age))
        result = np.empty(self.grid.shape, np.float32)
        for number, (strip, rows) in enumerate(self.grid.strips(_STRIP_ROWS)):
            rock = self._rock[number] if self._rock else self._lay_rock(strip, rows)
            result[rows] = rock.hardness
            if rock.bed is not None:
                above = state.height[rows] - rock.bed
                beds = self.rise[rows] * share
                above -= beds
                measure_hardness(above, strata, self.setting.seed, beds)
                result[rows] *= beds
        return result

    def _lay_joints(self, strip: Grid) -> Field:
        """Return how joints change the steepest slope of some rows."""
        return jointed_rock(strip, self.setting.span, self.setting.process.rockiness, self.setting.seed)

    def _steepest(self, hardness: Field) -> Field:
        """Turn hardness, in place, into the steepest slope on which rock with its joints holds."""
        steepest_slope(hardness, self.setting.process.rockiness)
        for number, (strip, rows) in enumerate(self.grid.strips(_STRIP_ROWS)):
            hardness[rows] *= self._joints[number] if self._joints else self._lay_joints(strip)
        return hardness

    def step(self, state: _State, age: float, *, final: bool) -> None:
        """Bring a state of this grid to an age, in place; the final steps perturb flow less and do not creep."""
        process, area, cell_size = self.setting.process, self.grid.cell_size**2, self.grid.cell_size
        time = age - state.age
        if self._courses.cell.size:
            state.left += keep_falling(self._courses, state.height, state.sediment, cell_size) * area
        share = math.exp(-state.age) - math.exp(-age)
        flow_surface = self._incision.flow_surface
        if process.flow_perturbation > 0.0:
            amount = np.float32(process.flow_perturbation) * (FINAL_PERTURBATION if final else np.float32(1.0))
            _perturb_flow(
                state.height,
                amount,
                derive_seed(self.setting.seed, Purpose.FLOW_PERTURBATION, self.number),
                flow_surface,
            )
        else:
            # As float32, like every surface that is routed, so that kernels are compiled for one type only.
            flow_surface[...] = state.height
        if self._courses.cell.size:
            lead_water(self._courses, flow_surface, cell_size)
        conditions = Conditions(
            self.rise,
            self._erodibility,
            partial(self._hardness, state),
            self._steepest,
            self._base,
            self._base_distance,
            PLAIN_SLOPE * self.setting.height / self.setting.span,
            np.float32(share / time),
        )
        risen, left = self._incision.step(state.height, state.sediment, time, conditions, flow_surface)
        state.risen += risen * area
        state.left += left * area
        state.age = age
        self._follow_drawing(state)
        spread = spread_of_creep(process.rockiness, age, time, CREST_WIDTH * self.setting.span / self.grid.cell_size)
        if not final and spread > 0.0:
            crept = self._incision.work
            crept[...] = state.height
            self._creep.step(state.height, spread)
            crept -= state.height
            take_sediment(state.sediment, crept, None)

    def _follow_drawing(self, state: _State) -> None:
        """Let forms have their heights, cliffs their steps and lakes their levels, in place."""
        area = self.grid.cell_size**2
        if self._lift.cell.size:
            base = float(self._base.min())
            state.risen += correct_uplift(state.height, self._lift, base, self._incision.work) * area
        for step in self._steps:
            state.risen += hold_step(state.height, step) * area
        if self._levels is not None:
            wet = ~np.isnan(self._levels)
            state.left += float((state.height[wet] - self._levels[wet]).sum()) * area
            state.height[wet] = self._levels[wet]
            state.sediment[wet] = 0.0

    def refine(self, coarse: _State, coarser: "_Level") -> _State:
        """Return the state of a coarser grid on this grid, with the detail of the relief.

        Detail disappears where much has been eroded or deposited.  No rock is higher than it can have risen.
        """
        shape = self.grid.shape
        relief, coarse_relief = self.relief, coarser.relief
        share = 1.0 - math.exp(-coarse.age)
        changed = refine((coarse.height - (coarse_relief + coarser.rise * share)).astype(np.float32), shape)
        detail = np.abs(changed, out=changed)
        detail *= np.float32(-1.0 / (DETAIL_DECAY * self.setting.height))
        exp_of(detail)
        sediment = refine(coarse.sediment, shape) + detail * (self.sediment - refine(coarser.sediment, shape))
        np.maximum(sediment, np.float32(0.0), out=sediment)
        detail *= relief - refine(coarse_relief, shape)
        height = refine(coarse.height.astype(np.float32), shape).astype(np.float64)
        height += detail
        highest = self.rise * share
        highest += relief
        highest += sediment
        np.minimum(height, highest, out=height)
        after = float(height.sum()) * self.grid.cell_size**2
        return _State(coarse.age, height, sediment, coarse.risen, self.setting.volume + coarse.risen - after)


def _grow(
    setting: LandSetting, state: _State, age: float, steps_between_states: int = STEPS_BETWEEN_STATES
) -> Steps[Eroded]:
    """Bring a state of the coarsest grid to an age on the finest grid."""
    before = setting.volume
    if age == 0.0 or setting.height == 0.0:
        yield 0.0
        return Eroded(setting.terrain, MassBalance(before, before))
    plan = plan_ages(len(setting.shapes), age, steps_between_states)
    plan[0] = [next_age for next_age in plan[0] if next_age > state.age]
    work = [len(ages) * rows * columns for ages, (rows, columns) in zip(plan, setting.shapes)]
    done, finish = 0, False
    level: _Level | None = None
    for number, ages in enumerate(plan):
        if finish and number < len(plan) - 1:
            continue
        coarser, level = level, _Level(setting, number)
        if coarser is not None:
            state = level.refine(state, coarser)
        del coarser  # frees its fields, a quarter of the size of this grid's
        level.prepare()
        for place, next_age in enumerate(ages):
            finish = finish or bool((yield done / sum(work)))
            if finish:
                break
            final = number == len(plan) - 1 and place >= len(ages) - FINAL_STEPS
            with threads_for(state.height.size):
                level.step(state, next_age, final=final)
            done += work[number] // len(ages)
    del level
    after = float(state.height.sum()) * setting.terrain.cell_size**2
    state.height -= state.sediment
    bedrock = state.height.astype(np.float32)
    return Eroded(
        Terrain(bedrock, state.sediment, setting.terrain.cell_size), MassBalance(before, after, state.risen, state.left)
    )


def _checked(acting: Acting) -> Acting:
    """Return what acts on a land, with maps that fit it and are nowhere below their lowest values."""
    shape = acting.terrain.bedrock.shape
    return acting._replace(
        rain=_checked_map(acting.rain, "rain", shape, lowest=0.0),
        hardness=_checked_map(acting.hardness, "hardness", shape, lowest=float(np.finfo(np.float32).tiny)),
        uplift=_checked_map(acting.uplift, "uplift", shape, lowest=0.0),
    )


def _checked_map(field: Field | None, name: str, shape: tuple[int, int], lowest: float) -> Field | None:
    """Return a map that fits the land and is nowhere below a lowest value."""
    if field is None:
        return None
    field = as_field(field, name)
    if field.shape != shape:
        raise ValueError(f"{name} has shape {field.shape} but the land {shape}")
    if float(field.min()) < lowest:
        raise ValueError(f"{name} = {float(field.min())!r} is {'below' if lowest == 0.0 else 'not above'} 0")
    return field


def _coarsen_map(field: Field | None, shape: tuple[int, int]) -> Field | None:
    return None if field is None else coarsen(field, shape)


def _uplift_pattern(pattern: str, relief: Field, width: float) -> Field:
    """Return the uplift of each place from 0 to 1; hills narrower than `width`, in cells, are blurred away."""
    if pattern == "relief":
        broad = relief.astype(np.float64)
        creep = Creep(relief.shape)
        for _ in range(_BLUR_STEPS):
            creep.step(broad, 0.5 * width * width / _BLUR_STEPS)
        low, high = float(broad.min()), float(broad.max())
        return ((broad - low) / (high - low if high > low else 1.0)).astype(np.float32)
    result = np.ones(relief.shape, np.float32)
    if pattern == "dome":
        y, x = (np.linspace(-1.0, 1.0, count, dtype=np.float32) for count in relief.shape)
        result = (1.0 - y[:, np.newaxis] ** 2) * (1.0 - x**2)
    return result


@parallel_kernel
def _perturb_flow(part: Part, height: Array, amount: np.float32, seed: np.uint32, flow_surface: Array) -> None:
    """Raise or lower each cell by a random share of the drop to its neighbours."""
    rows, columns = height.shape
    for row in portion(part, rows):
        south, north = height[max(row - 1, 0)], height[min(row + 1, rows - 1)]
        line = height[row]
        for column in range(columns):
            east = np.float32(line[min(column + 1, columns - 1)] - line[max(column - 1, 0)])
            up = np.float32(north[column] - south[column])
            shift = unit_float(hash_place(row, column, seed)) - np.float32(0.5)
            flow_surface[row, column] = np.float32(line[column]) + amount * shift * math.sqrt(east * east + up * up)


STREAM_POWER = Process(
    StreamPower,
    erode_by_stream_power,
    exchanged=("uplifted", "left"),
    seeded=True,
    at_sea=True,
    fed=True,
    factors=(RAIN, HARDNESS),
    history=History(age_land, land_at_age, "age", "wearing the land down"),
    land_class="mountains",
    overview=Acting,
    directed=True,
    sketch=partial(erode_by_stream_power, steps_between_states=_STEPS_OF_SKETCH),
    layers=20,
)

"""Mountains: land that rises while rivers cut into it, slopes fail and lakes silt up.

Rivers follow the stream power law (see `river_incision`).  A land takes shape on a coarse grid first, which is the same
for every resolution, and is then refined (Schott et al. 2024): valleys lie where they lie, however fine the final grid.
Time is counted in ages of the land: in one age a wave of erosion runs from the border up to the divides, so that the
same age means the same stage of life for a garden and for a continent, whatever the height of the land.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..flow.routing import lowest_outlet
from ..foundation.compilation import Array, Part, parallel_kernel, portion
from ..foundation.elementary import exp_of, power_of
from ..foundation.hashing import Purpose, derive_seed, hash_place, unit_float
from ..foundation.parameters import ParameterSet, group, parameter, variant
from ..foundation.progress import Steps
from ..foundation.terrain import Field, Grid, Terrain, as_field
from ..maps.masks import MASKS
from ..relief.fractal_noise import FractalNoise, make_fractal_noise
from .hillslope import Creep
from .landslides import collapse
from .layers import heights_of
from .levels import coarsen, refine, shapes_from_coarse
from .mass_balance import Eroded, MassBalance
from .process import HARDNESS, RAIN, History, Process
from .river_incision import Conditions, Heights, RiverIncision, take_sediment
from .strata import Strata, lay_beds, measure_hardness

OLDEST = 10.0

# What seeds are derived for.

# States are kept at ages in geometric steps; between two of them lies always the same number of steps.
_FIRST_AGE, _AGE_RATIO, _STEPS_BETWEEN = 0.02, math.sqrt(2.0), 6
# Share of the remaining time that each grid but the last takes, and the steps in which the finer ones take it.
_SHARE = 0.5
_STEPS = (20, 12, 6, 4, 3)
# The last steps of all: water keeps to the steepest way and nothing creeps, so that rivers end in beds of their own.
_LAST_STEPS = 3
_LAST_SHARE = 0.3

# Lengths as shares of the land's extent.
_CREST = 0.008
_BEYOND_BORDER = 1.0 / 16.0
# How steeply the land beyond the border may stand above its lowest rivers, as a multiple of height per extent.
_BASE_STEEPNESS = 2.0
# Slope of the plains that lakes leave behind, as a multiple of the same.
_PLAIN_STEEPNESS = 0.06
_ROCK_WAVELENGTH = 1.0 / 8.0
_UPLIFT_WIDTH = 1.0 / 20.0
_CHANNEL_HEAD = 0.01
# How much detail survives: it falls by 1/e where this share of the land's height has been cut.
_DETAIL = 0.02
_BLUR_STEPS = 4
# Slopes that the softest and the rockiest land hold, in degrees, and how hardness steepens them.
_SOFT_ANGLE, _ROCKY_ANGLE = 30.0, 60.0
_STEEPENING = 0.4
_UNEVENNESS = 4.0
# An erodibility beyond which rock might as well be water.
_HARDLY_ROCK = 1e30
# Coefficient of Hack's law A = x² / 3 (Hack 1957, rounded).
_HACK = 1.0 / 3.0

_PATTERNS = {
    "relief": "The land rises most where the relief is high: its mountains stay where they are",
    "uniform": "The whole land rises alike",
    "dome": "The middle rises most, the border not at all",
}


@dataclass(frozen=True)
class StreamPower(ParameterSet):
    """Land rises and rivers cut it into mountains, from a young plateau with gorges to old hills."""

    enabled: bool = parameter(True, "Whether this process takes part")
    strength: float = parameter(
        1.0,
        "How hard rivers cut against the rise of the land: gentle slopes and deep valleys above 1, high massifs below",
        limits=(0.0, 100.0),
        soft=(0.2, 4.0),
    )
    age: float = parameter(
        1.0,
        "Age of the land: 0.1 is a young plateau with gorges, 1 mature mountains, 4 old hills",
        limits=(0.0, OLDEST),
        soft=(0.0, 4.0),
    )
    rockiness: float = parameter(
        0.5,
        "How rocky it is: 0 has soft crests and gentle slopes, 1 sharp crests and steep walls of uneven rock",
        limits=(0.0, 1.0),
    )
    strata: Strata = group(Strata, "Beds of harder and softer rock")
    rain: Any = variant(MASKS, "Where it rains in full; elsewhere there is a tenth of it", advanced=True)
    hardness: Any = variant(
        MASKS, "Where rock is eight times as hard as elsewhere; everywhere alike if not masked", advanced=True
    )
    uplift: float = parameter(
        1.0,
        "How far the land rises in the course of time, as a multiple of the height of the relief",
        limits=(0.0, 100.0),
        soft=(0.0, 3.0),
        advanced=True,
    )
    uplift_pattern: str = parameter("relief", "Where the land rises", choices=_PATTERNS, advanced=True)
    drainage_exponent: float = parameter(
        0.45,
        "How much more large rivers cut than small ones (m)",
        limits=(0.0, 2.0),
        soft=(0.3, 0.7),
        advanced=True,
    )
    slope_exponent: float = parameter(
        1.0,
        "How much more steep rivers cut than gentle ones (n): above 1 steps in a river smooth out, below they sharpen",
        limits=(0.1, 5.0),
        soft=(0.7, 2.0),
        advanced=True,
    )
    straying: float = parameter(
        1.0,
        "How far young rivers stray from the steepest way, which keeps valleys from running straight",
        limits=(0.0, 2.0),
        advanced=True,
    )


class LandHistory:
    """A land at several ages on a coarse grid, from which `land_at_age` grows it to any age.

    Attributes
    ----------
    ages : tuple of float
        From 0 on, in geometric steps.
    """

    def __init__(self, world: "_World", states: "list[_State]") -> None:
        self.ages = tuple(state.age for state in states)
        self._world, self._states = world, states

    def youngest_before(self, age: float) -> "tuple[_World, _State]":
        """Return the world, and the oldest state that the land has on its coarse way to an age."""
        coarse_age = _plan(self._world, age)[0][-1]
        return self._world, next(state for state in reversed(self._states) if state.age <= coarse_age).copy()


def erode_by_stream_power(
    terrain: Terrain,
    process: StreamPower,
    *,
    seed: int = 0,
    rain: Field | None = None,
    hardness: Field | None = None,
    uplift: Field | None = None,
    sea_level: float | None = None,
) -> Steps[Eroded]:
    """Let a land rise and rivers cut it into mountains.

    Parameters
    ----------
    terrain : Terrain
        The land to begin with.  Its shape remains in young lands, and old ones have their mountains where it had them.
    process : StreamPower
        Strength, age, rockiness and what lies behind.
    seed : int
        0 to 2³¹ − 1: uneven rock and the courses of small rivers.
    rain : ndarray of float32, shape (rows, columns), optional
        Multiple of the mean, 0 or more: where more falls, rivers are larger.
    hardness : ndarray of float32, shape (rows, columns), optional
        Multiple of the usual, above 0: hard rock is cut more slowly and stands more steeply.
    uplift : ndarray of float32, shape (rows, columns), optional
        Multiple of the uplift pattern, 0 or more.
    sea_level : float, optional
        Metres; what lies at or below it neither rises nor is cut, though steep ground slides there too.

    Yields
    ------
    float
        Share done.  Asked to finish early, it returns the land at the age that it has come to.

    Returns
    -------
    Eroded
        Rivers, and what slides into them, carry rock over the border or into the sea; lakes keep what they can.  What
        is cut is taken from the sediment first.  The books are those of the heights in float64 before they are stored:
        on the final grid all that leaves is counted; what left before, on coarser ones, is what was missing then.
        Equal to the land of `land_at_age`, byte for byte.

    Raises
    ------
    ValueError
        If a map has another shape than the land or values out of range, or `sea_level` is not finite.

    Notes
    -----
    ∂h/∂t = U − K Aᵐ Sⁿ with K = strength · H / (τ W²ᵐ) · (L / H)ⁿ, where H is the height of the relief, W its shorter
    side, A counts rain, and L = W ∫ (W² / A(x))^(m/n) dx / W along a river with A = x² / 3, so that τ, one age, is what
    a wave takes to run up a river that is W / 2 long.  U falls as exp(−t / τ): old lands no longer rise.  Slopes are
    held below a critical angle, crests rounded by creep; both follow from rockiness.
    """
    world = _World(terrain, process, seed, rain, hardness, uplift, sea_level)
    return (yield from _grow(world, _State.first(world), process.age))


def age_land(
    terrain: Terrain,
    process: StreamPower,
    *,
    seed: int = 0,
    rain: Field | None = None,
    hardness: Field | None = None,
    uplift: Field | None = None,
    sea_level: float | None = None,
) -> Steps[LandHistory]:
    """Follow a land through all its ages on a coarse grid; takes what `erode_by_stream_power` takes.

    Yields
    ------
    float
        Share done.  Asked to finish early, it knows the young ages only, from which any other can still be reached.

    Returns
    -------
    LandHistory
        What `land_at_age` starts from.  `process.age` has no influence on it, so that it can be kept while that moves.

    Raises
    ------
    ValueError
        As `erode_by_stream_power` does.
    """
    world = _World(terrain, process, seed, rain, hardness, uplift, sea_level)
    states = [_State.first(world)]
    ages = _frame_ages(OLDEST) if world.height > 0.0 else []
    level: _Level | None = None
    for number, age in enumerate(ages):
        if (yield number / len(ages)):
            break
        if level is None:
            level = _Level(world, 0)
            level.prepare()
        state = states[-1].copy()
        for next_age in _between(state.age, age, _STEPS_BETWEEN):
            level.step(state, next_age, straying=True)
        states.append(state)
    return LandHistory(world, states)


def land_at_age(history: LandHistory, age: float) -> Steps[Eroded]:
    """Grow a land to an age.

    Parameters
    ----------
    history : LandHistory
        From `age_land`.
    age : float
        0 to 10.

    Yields
    ------
    float
        Share done.  Asked to finish early, it returns the land at the age that it has come to.

    Returns
    -------
    Eroded
        The same bytes as `erode_by_stream_power` for that age, whatever ages were asked for before: each way to an
        age goes over the same kept states and the same steps from the last of them on.

    Raises
    ------
    ValueError
        If the age is outside 0 to 10.
    """
    if not 0.0 <= age <= OLDEST:
        raise ValueError(f"age = {age!r} is outside 0.0 to {OLDEST}")
    world, state = history.youngest_before(age)
    return (yield from _grow(world, state, age))


class _World:
    """A land before its first day, and all that acts on it."""

    def __init__(
        self,
        terrain: Terrain,
        process: StreamPower,
        seed: int,
        rain: Field | None,
        hardness: Field | None,
        uplift: Field | None,
        sea_level: float | None,
    ) -> None:
        self.terrain, self.process, self.seed = terrain, process, seed
        shape = terrain.bedrock.shape
        self.rain = _checked(rain, "rain", shape, lowest=0.0)
        self.hardness = _checked(hardness, "hardness", shape, lowest=float(np.finfo(np.float32).tiny))
        self.uplift = _checked(uplift, "uplift", shape, lowest=0.0)
        self.sea_level = lowest_outlet(sea_level)
        self.shapes = shapes_from_coarse(shape)
        grid = terrain.grid
        self.extent = max(min(grid.width, grid.depth), grid.cell_size)
        relief = coarsen(terrain.surface, self.shapes[0])
        self.volume = float(heights_of(terrain).sum()) * terrain.cell_size**2
        self.height = float(relief.max()) - float(relief.min())
        cell_size = self.cell_size(self.shapes[0])
        self.uplift_pattern = _uplift_pattern(process.uplift_pattern, relief, _UPLIFT_WIDTH * self.extent / cell_size)
        # Rivers beyond the border are as low as the land around there, seen from far away.
        base = relief.astype(np.float64)
        collapse(base, np.full(relief.shape, _BASE_STEEPNESS * self.height / self.extent, np.float32), cell_size, None)
        self.base = np.maximum(base, self.sea_level).astype(np.float32)

    def cell_size(self, shape: tuple[int, int]) -> float:
        """Metres between the samples of a grid of this shape over the land."""
        return self.terrain.cell_size * max(max(self.shapes[-1]) - 1, 1) / max(max(shape) - 1, 1)

    @property
    def erodibility(self) -> float:
        """K in m^(1−2m) per age; see the notes of `erode_by_stream_power`."""
        process = self.process
        m, n = process.drainage_exponent, process.slope_exponent
        power = 1.0 - 2.0 * m / n
        from_head, to_divide = _CHANNEL_HEAD, 0.5
        if abs(power) > 1e-6:
            path = (to_divide**power - from_head**power) / power
        else:
            path = math.log(to_divide / from_head)
        steepness = path * _HACK ** (-m / n) * self.extent / self.height
        return process.strength * self.height * steepness**n * self.extent ** (-2.0 * m)


@dataclass
class _State:
    """A land on its way: heights and loose ground in metres, and volumes in m³ that rose and left since the start."""

    age: float
    height: Heights
    sediment: Field
    risen: float = 0.0
    left: float = 0.0

    @classmethod
    def first(cls, world: _World) -> "_State":
        terrain, shape = world.terrain, world.shapes[0]
        if shape == terrain.bedrock.shape:
            return cls(0.0, heights_of(terrain), terrain.sediment.copy())
        return cls(0.0, coarsen(terrain.surface, shape).astype(np.float64), coarsen(terrain.sediment, shape).copy())

    def copy(self) -> "_State":
        return replace(self, height=self.height.copy(), sediment=self.sediment.copy())


class _Level:
    """The world on one of its grids."""

    def __init__(self, world: _World, number: int) -> None:
        self.world, self.number = world, number
        shape, process = world.shapes[number], world.process
        self.grid = Grid(*shape, world.cell_size(shape))
        self.sediment = coarsen(world.terrain.sediment, shape)
        rise = np.maximum(refine(world.uplift_pattern, shape), 0.0) * np.float32(process.uplift * world.height)
        self.rise = rise if world.uplift is None else rise * coarsen(world.uplift, shape)

    def prepare(self) -> None:
        """Get what steps need and `refine` does not: while that works, there is room for both."""
        world, shape, process = self.world, self.grid.shape, self.world.process
        rain = None if world.rain is None else coarsen(world.rain, shape)
        self._rock = _uneven_rock(self.grid, world.extent, process.rockiness, world.seed)
        if world.hardness is not None:
            self._rock *= coarsen(world.hardness, shape)
        self._bed = lay_beds(self.grid, process.strata, world.seed) if process.strata.contrast > 1.0 else None
        self._incision = RiverIncision(
            self.grid, process.drainage_exponent, process.slope_exponent, rain, world.sea_level
        )
        self._base = refine(world.base, shape)
        self._creep = Creep(shape)
        self._course = np.empty(shape, np.float32)
        self._erodibility, self._steepest = np.empty(shape, np.float32), np.empty(shape, np.float32)
        self._expose(self._rock)

    @property
    def relief(self) -> Field:
        """What the land was before its first day; too seldom wanted to be kept."""
        return coarsen(self.world.terrain.surface, self.grid.shape)

    def _expose(self, hardness: Field) -> None:
        process = self.world.process
        np.divide(np.float32(min(self.world.erodibility, _HARDLY_ROCK)), hardness, out=self._erodibility)
        angle = _SOFT_ANGLE + (_ROCKY_ANGLE - _SOFT_ANGLE) * process.rockiness
        self._steepest[...] = hardness
        power_of(self._steepest, _STEEPENING)
        self._steepest *= np.float32(math.tan(math.radians(angle)))

    def step(self, state: _State, age: float, *, straying: bool) -> None:
        """Bring a state of this grid to an age, in place."""
        process, area = self.world.process, self.grid.cell_size**2
        time = age - state.age
        share = math.exp(-state.age) - math.exp(-age)
        if self._bed is not None:
            above = np.subtract(state.height, self._bed, out=self._incision.work)
            above -= self.rise * (1.0 - math.exp(-state.age))
            measure_hardness(above, process.strata, self.world.seed, self._course)
            self._course *= self._rock
            self._expose(self._course)
        if straying and process.straying > 0.0:
            amount = np.float32(process.straying)
            _stray(
                state.height, amount, derive_seed(self.world.seed, Purpose.FLOW_PERTURBATION, self.number), self._course
            )
        else:
            # As float32 like everything that is routed: kernels are compiled for one type only.
            self._course[...] = state.height
        conditions = Conditions(
            self.rise,
            self._erodibility,
            self._steepest,
            self._base,
            _BEYOND_BORDER * self.world.extent,
            _PLAIN_STEEPNESS * self.world.height / self.world.extent,
            np.float32(share / time),
        )
        risen, left = self._incision.step(state.height, state.sediment, time, conditions, self._course)
        state.risen += risen * area
        state.left += left * area
        state.age = age
        # Soil deepens with time: old land creeps faster.
        softness = 2.0 * (1.0 - process.rockiness) ** 2 * (1.0 + age)
        if straying and softness > 0.0:
            crept = self._incision.work
            crept[...] = state.height
            self._creep.step(state.height, softness * time * (_CREST * self.world.extent / self.grid.cell_size) ** 2)
            crept -= state.height
            take_sediment(state.sediment, crept)

    def refine(self, coarse: _State, coarser: "_Level") -> _State:
        """Return a state on this grid that looks like one on a coarser grid, with the detail that the relief had.

        Detail goes where much has been cut or laid down.  No rock stands higher than it has risen.
        """
        shape = self.grid.shape
        relief, coarse_relief = self.relief, coarser.relief
        share = 1.0 - math.exp(-coarse.age)
        changed = refine((coarse.height - (coarse_relief + coarser.rise * share)).astype(np.float32), shape)
        detail = np.abs(changed, out=changed)
        detail *= np.float32(-1.0 / (_DETAIL * self.world.height))
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
        return _State(coarse.age, height, sediment, coarse.risen, self.world.volume + coarse.risen - after)


def _grow(world: _World, state: _State, age: float) -> Steps[Eroded]:
    """Bring a state of the coarsest grid to an age on the finest."""
    before = world.volume
    if age == 0.0 or world.height == 0.0:
        yield 0.0
        return Eroded(world.terrain, MassBalance(before, before))
    plan = _plan(world, age)
    plan[0] = [next_age for next_age in plan[0] if next_age > state.age]
    work = [len(ages) * rows * columns for ages, (rows, columns) in zip(plan, world.shapes)]
    done, finish = 0, False
    level: _Level | None = None
    for number, ages in enumerate(plan):
        if finish and number < len(plan) - 1:
            continue
        coarser, level = level, _Level(world, number)
        if coarser is not None:
            state = level.refine(state, coarser)
        del coarser  # its fields are a quarter of this grid's
        level.prepare()
        for place, next_age in enumerate(ages):
            finish = finish or bool((yield done / sum(work)))
            if finish:
                break
            last = number == len(plan) - 1 and place >= len(ages) - _LAST_STEPS
            level.step(state, next_age, straying=not last)
            done += work[number] // len(ages)
    after = float(state.height.sum()) * world.terrain.cell_size**2
    state.height -= state.sediment
    bedrock = state.height.astype(np.float32)
    return Eroded(
        Terrain(bedrock, state.sediment, world.terrain.cell_size), MassBalance(before, after, state.risen, state.left)
    )


def _plan(world: _World, age: float) -> list[list[float]]:
    """Return the ages at which steps end, for each grid."""
    finer = len(world.shapes) - 1
    reached = age * (1.0 - _SHARE if finer else 1.0)
    ages, previous = [], 0.0
    for frame in [*_frame_ages(reached), reached]:
        if frame > previous:
            ages += _between(previous, frame, _STEPS_BETWEEN)
        previous = frame
    plan = [ages or [0.0]]
    for number in range(finer):
        end = age if number == finer - 1 else reached + _SHARE * (age - reached)
        plan.append(_between(reached, end, _STEPS[min(number, len(_STEPS) - 1)]))
        reached = end
    # The last step becomes the last steps, which are short.
    begin = plan[-1][-2]
    end = begin + (age - begin) * (1.0 - _LAST_SHARE)
    plan[-1][-1:] = [end, *_between(end, age, _LAST_STEPS)]
    return plan


def _frame_ages(oldest: float) -> list[float]:
    """Return the ages at which states are kept, up to an oldest."""
    count = math.floor(math.log(oldest / _FIRST_AGE) / math.log(_AGE_RATIO) + 1e-9) + 1 if oldest > 0.0 else 0
    return [_FIRST_AGE * _AGE_RATIO**number for number in range(count)]


def _between(start: float, end: float, steps: int) -> list[float]:
    return [start + (end - start) * step / steps for step in range(1, steps)] + [end]


def _checked(field: Field | None, name: str, shape: tuple[int, int], lowest: float) -> Field | None:
    if field is None:
        return None
    field = as_field(field, name)
    if field.shape != shape:
        raise ValueError(f"{name} has shape {field.shape} but the land {shape}")
    if float(field.min()) < lowest:
        raise ValueError(f"{name} = {float(field.min())!r} is {'below' if lowest == 0.0 else 'not above'} 0")
    return field


def _uplift_pattern(pattern: str, relief: Field, width: float) -> Field:
    """Rise of each place from 0 to 1; `width` in cells is that of the hills that do not count in the relief."""
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


def _uneven_rock(grid: Grid, extent: float, rockiness: float, seed: int) -> Field:
    """Hardness of rock without beds, around 1."""
    wavelength = min(max(_ROCK_WAVELENGTH * extent, 0.01), 1e6)
    noise = FractalNoise(wavelength=wavelength, base_altitude=-1.0, height=2.0, octaves=6)
    rock = make_fractal_noise(grid, noise, int(derive_seed(seed, Purpose.ROCK) >> 1))
    return exp_of(np.float32(_UNEVENNESS * rockiness) * rock)


@parallel_kernel
def _stray(part: Part, height: Array, amount: np.float32, seed: np.uint32, course: Array) -> None:
    """Shake the surface, each cell by its own random share of the drop to its neighbours."""
    rows, columns = height.shape
    for row in portion(part, rows):
        south, north = height[max(row - 1, 0)], height[min(row + 1, rows - 1)]
        line = height[row]
        for column in range(columns):
            east = np.float32(line[min(column + 1, columns - 1)] - line[max(column - 1, 0)])
            up = np.float32(north[column] - south[column])
            shake = unit_float(hash_place(row, column, seed)) - np.float32(0.5)
            course[row, column] = np.float32(line[column]) + amount * shake * math.sqrt(east * east + up * up)


STREAM_POWER = Process(
    StreamPower,
    erode_by_stream_power,
    exchanged=("uplifted", "left"),
    seeded=True,
    at_sea=True,
    factors=(RAIN, HARDNESS),
    history=History(age_land, land_at_age, "age"),
)

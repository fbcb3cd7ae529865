"""Sand: the wind heaps it up into dunes that travel.

Slabs of sand are lifted, hop downwind, and settle on sand more easily than on bare rock, and surely in the shadow
behind a crest; slopes above the angle of repose slide.  From that follow barchans where sand is scarce, transverse
dunes where there is much, linear dunes along the mean of two winds that meet at an obtuse angle, and star dunes under
winds from many sides.  Two things are added to Werner's model, so that windward slopes are gentle: the wind is faster
where the ground rises against it, and it stalls and drops its sand before a rise that is too steep.

With φ the angle of repose, c the side of a cell, r the rise over the last four cells along the wind, and u random in
[0, 1), a step

    lifts    ⅛ c tan φ · (1 + 2 r / (4 c tan φ)) · (½ + u) · (1 − plants)
    hops     5 c · (½ + u) downwind
    settles  with the chance 0.6 on sand, 0.4 on rock, and 1 in a shadow
    shades   ground below h(x′) − tan 15° · |x − x′| for any place x′ upwind

No sand is lifted in a shadow.  Hops, slabs and shadows are multiples of the cell, so dunes depend on the size of cells:
on coarse cells, such as those of a preview, they are lower and farther apart.

Werner's slabs move one after the other in a random order.  Ours move all at once, cell by cell from one state to the
next; see `blown_sand`.  So the result is exact and the same for any number of threads.

>>> from terrain_addon.core.foundation.progress import run
>>> flat = np.zeros((32, 32), np.float32)
>>> blown = run(blow_sand(Terrain(flat, flat, 2.0), Sand(supply=1.0, years=20.0)))
>>> print(blown.terrain.sediment.mean().round(2), blown.terrain.sediment.max() > 2.0, blown.balance.error)
1.0 True 0.0

References
----------
B. T. Werner (1995), "Eolian dunes: Computer simulations and attractor interpretation", Geology 23, 1107-1110,
doi:10.1130/0091-7613(1995)023<1107:EDCSAA>2.3.CO;2: slabs, shadow, chances to settle.

H. Momiji, R. Carretero-González, S. R. Bishop and A. Warren (2000), "Simulation of the effect of wind speedup in the
formation of transverse dune fields", Earth Surface Processes and Landforms 25, 905-918: faster wind on windward slopes.

D. M. Rubin and R. E. Hunter (1987), "Bedform alignment in directionally varying flows", Science 237, 276-278,
doi:10.1126/science.237.4812.276: dunes under several winds.

A. C. W. Baas and J. M. Nield (2007), "Modelling vegetated dune landscapes", Geophysical Research Letters 34, L06405,
doi:10.1029/2006GL029152: parabolic dunes of sand and plants that grow and die.

J. M. Nield and A. C. W. Baas (2008), "Investigating parabolic and nebkha dune formation using a cellular automaton
modelling approach", Earth Surface Processes and Landforms 33, 724-740, doi:10.1002/esp.1571: how plants do so.
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from ..foundation.compilation import Array
from ..foundation.elementary import cos, sin
from ..foundation.hashing import Purpose, chain_hashes, derive_seed, hash_place, unit_float
from ..foundation.levels import coarsen, refine, shapes_from_coarse
from ..foundation.parameters import ParameterSet, group, parameter, parameters_of, variant
from ..foundation.progress import Steps, watched, within
from ..foundation.terrain import Field, Terrain
from ..maps.masks import MASKS
from .blown_sand import (
    BlownGround,
    Gust,
    Law,
    SandPlants,
    carry,
    even_along,
    even_out,
    find_gentle,
    find_level_ways,
    grow_on_sand,
    lay,
    lift,
    loosen,
    shelter,
    slide_down,
)
from .mass_balance import Eroded, MassBalance, volume_of
from .process import Factor, Process, ProcessParameters

# Werner's values: the angle of the shadow, cells of a hop, chances to settle.
_SHADOW_ANGLE = 15.0
_HOP = 5.0
_ON_SAND, _ON_ROCK = 0.6, 0.4
# Cells over which slopes along the wind are measured.
_NEAR = 4.0
# What the wind lifts from a cell in a step, as a share of the fall that slides.
_LIFTED = 0.125
_CREEP = 0.05
_SPEED_UP = 2.0
# The wind turns back before rock that is steeper; cells, as a power of two, over which walls are looked for at most.
_WALL_ANGLE, _FARTHEST_WALL = 55.0, 5
# Slabs of the fall that slides, at least: the angle of repose is met to 1 / 32.
_LEAST_STEEPEST = 32
# The wind keeps its direction for some steps, but for gusts by so many degrees.
_SEASON, _GUSTS = 8, 20.0
# Angle of repose under plants (Nield & Baas 2008).
_ROOTED_ANGLE = 40.0
# Metres of the cells on which plants meet as much sand as is said; hops over larger cells spread it over more ground.
_PLANT_CELL = 2.0
# Steps on one grid; years before them pass on a grid with cells twice as large.  Where plants live there are the most
# steps on each, as coarse ones do not show their arms.
_STEPS_ON_GRID = 500
_MOST_STEPS = 2000
# Rounds in which the last slopes come to rest.
_REST_ROUNDS = 250
EVEN_ROUNDS = 12
"""In so many rounds grains that jump even out what draws of whole slabs leave rough on windward sides."""

ALONG_ROUNDS = 6
"""In so many rounds brinks that run obliquely to the grid lose the teeth of its cells."""

# The wind evens out where no slope is steeper than this share of the angle of repose, by parts of a slab.
_GENTLE, _PARTS = 0.85, 16
# Rock and sand are no higher than this many slabs, so that their sums are whole numbers of 32 bits.
_MOST_ROCK, _MOST_SAND = 2**28, 2**24


def _share(direction: str, default: float = 0.0) -> Any:
    return parameter(default, f"Share of the wind that comes from the {direction}", limits=(0.0, 1.0))


@dataclass(frozen=True)
class WindRose(ParameterSet):
    """From where the wind comes, and how often; only the ratios of the shares count."""

    north: float = _share("north")
    north_east: float = _share("north-east")
    east: float = _share("east")
    south_east: float = _share("south-east")
    south: float = _share("south")
    south_west: float = _share("south-west")
    west: float = _share("west", 1.0)
    north_west: float = _share("north-west")
    turned: float = parameter(0.0, "Angle by which all directions are turned clockwise", unit="°", limits=(0.0, 360.0))


@dataclass(frozen=True)
class Sand(ProcessParameters):
    """The wind heaps up sand into dunes that travel."""

    supply: float = parameter(
        3.0,
        "Sand that is laid on the whole land first: little makes barchans, much makes long dunes",
        unit="m",
        limits=(0.0, 200.0),
        soft=(0.0, 20.0),
    )
    winds: WindRose = group(WindRose, "From where the wind comes; if all shares are 0 there is no wind")
    years: float = parameter(
        60.0, "How long the wind blows; dunes grow and travel", unit="yr", limits=(0.0, 1e6), soft=(0.0, 500.0)
    )
    drift: float = parameter(
        30.0,
        "Sand that the wind carries over each metre in a year: calm 5, usual 30, stormy 80",
        unit="m²/yr",
        limits=(0.0, 1000.0),
        soft=(0.0, 100.0),
    )
    repose_angle: float = parameter(
        32.5, "Steepest slope on which sand lies", unit="°", limits=(5.0, 60.0), soft=(30.0, 35.0), advanced=True
    )
    windward_angle: float = parameter(
        20.0,
        "Slope that the wind climbs before it stalls: 20 for one wind, 45 for long dunes under two winds",
        unit="°",
        limits=(5.0, 60.0),
        soft=(10.0, 45.0),
        advanced=True,
    )
    plants: Any = variant(MASKS, "Where plants hold the sand at first; without a mask there are none", advanced=True)
    plant_growth: float = parameter(
        0.0,
        "Share of the ground that plants gain or lose in a year at most: 0 leaves them as they are, marram grass 0.5",
        unit="1/yr",
        limits=(0.0, 10.0),
        soft=(0.0, 1.0),
        advanced=True,
    )
    burial: float = parameter(
        0.6,
        "How much new sand in a year lets plants grow best; more than twice as much kills them",
        unit="m/yr",
        limits=(0.01, 100.0),
        soft=(0.1, 2.0),
        advanced=True,
    )
    exposure: float = parameter(
        0.1,
        "How much sand plants can lose in a year; they die if they lose more",
        unit="m/yr",
        limits=(0.001, 100.0),
        soft=(0.01, 1.0),
        advanced=True,
    )

    def acting_at(self, altitude: float) -> Self:
        """Return sand with plants that live.

        Parameters
        ----------
        altitude : float
            Metres.

        Returns
        -------
        Self
        """
        return self.replace(plant_growth=1.0)


def blow_sand(terrain: Terrain, process: Sand, *, seed: int = 0, plants: Field | None = None) -> Steps[Eroded]:
    """Lay sand on the land and let the wind heap it up.

    Years that would take more than 500 steps pass on coarser grids first, so a land of many samples takes about as long
    as 700 steps of it, however many years there are; dunes as large as the coarse grid makes them then get the detail
    of the finer one.  With plants that live it is four times as many steps.

    Parameters
    ----------
    terrain : Terrain
        The land; all its sediment is sand.  What leaves it over one border comes in at the opposite one.
    process : Sand
        How much sand there is, and the winds.
    seed : int
        Of the draws, 0 to 2³¹ − 1.
    plants : ndarray of float32, shape (rows, columns), optional
        Where plants hold the sand at first, from 0 to 1, where nothing moves it.

    Yields
    ------
    float
        Share of the work done.  Asked to finish early, it returns the dunes as they are then.

    Returns
    -------
    Eroded
        The same bedrock.  Sand is counted in whole slabs, and none is lost; what was laid is `uplifted` in the mass
        balance.  Without wind, sand lies where it was laid, and a notice says so.  At the end sand is evened out on
        gentle ground and along level lines, and what is steeper than the angle of repose slides.
    """
    salt = derive_seed(seed, Purpose.SAND)
    thickness = _thickness_of(terrain.cell_size, process.repose_angle)
    slabs = np.minimum(np.floor(terrain.sediment / np.float32(thickness)), _MOST_SAND).astype(np.int32)
    below = terrain.sediment - slabs * np.float32(thickness)  # less than a slab; it stays where it is
    lying = int(slabs.sum(dtype=np.int64))
    lay(slabs, process.supply / thickness, salt)
    total = int(slabs.sum(dtype=np.int64))
    blown = yield from _blow(_Land(terrain, slabs, thickness, plants), process, salt)
    sediment = (below + blown * np.float32(thickness)).astype(np.float32)
    after = Terrain(terrain.bedrock, sediment, terrain.cell_size)
    laid = (total - lying) * thickness * terrain.cell_size**2
    return Eroded(after, MassBalance(volume_of(terrain), volume_of(after), uplifted=laid), _why_still(process, total))


class _Land(NamedTuple):
    """A land with its sand in whole slabs of some thickness in metres."""

    terrain: Terrain
    slabs: Array
    thickness: float
    plants: Field | None


class _Wind(NamedTuple):
    """A wind: degrees clockwise from north from where it comes, and its share."""

    bearing: float
    share: float


class _Stay(NamedTuple):
    """Steps on one grid."""

    shape: tuple[int, int]
    steps: int


class _Seasons(NamedTuple):
    """Plants that live: how many steps a season of theirs takes, and what they do in it."""

    steps: int
    growth: SandPlants


def _why_still(process: Sand, slabs: int) -> tuple[str, ...]:
    """Return why no sand was blown, as a notice; empty if it was."""
    if not slabs:
        return ("no dunes formed: there is no sand; raise Supply",)
    if not _winds_of(process.winds):
        return ("no dunes formed: no wind blows; raise a share in Winds",)
    if process.years == 0.0 or process.drift == 0.0:
        return (f"no dunes formed: {'Years' if process.years == 0.0 else 'Drift'} is 0; raise it",)
    return ()


def _winds_of(rose: WindRose) -> list[_Wind]:
    """Return the winds that blow."""
    directions = [one.name for one in parameters_of(WindRose) if one.name != "turned"]
    winds = [_Wind(45.0 * k + rose.turned, getattr(rose, name)) for k, name in enumerate(directions)]
    return [wind for wind in winds if wind.share > 0.0]


def _thickness_of(cell_size: float, repose_angle: float) -> float:
    """Return the thickness of a slab in metres, a power of two, so that heights in slabs are exact in metres too."""
    most = math.tan(math.radians(repose_angle)) * cell_size / _LEAST_STEEPEST
    return 2.0 ** (math.frexp(most)[1] - 1)


def _law_of(cell_size: float, thickness: float, process: Sand, rock: Array) -> Law:
    """Return how sand moves on cells of some size, on rock whose height is given in slabs."""
    steepest = math.tan(math.radians(process.repose_angle)) * cell_size / thickness
    rise = math.tan(math.radians(process.windward_angle)) * _NEAR * cell_size / thickness
    shares = [round(256 * share) for share in (_ON_SAND, _ON_ROCK, _CREEP, _SPEED_UP)]
    rooted = max(math.tan(math.radians(_ROOTED_ANGLE)) * cell_size / thickness, steepest)
    repose = [round(fall * way) for fall in (steepest, rooted) for way in (1.0, math.sqrt(2.0))]
    slopes = *repose, round(rise), round(steepest * _NEAR)
    shadow = math.tan(math.radians(_SHADOW_ANGLE)) * cell_size / thickness
    wall = round(math.tan(math.radians(_WALL_ANGLE)) * cell_size / thickness)
    has_walls = any(np.abs(np.diff(rock, axis=axis)).max(initial=0) > wall for axis in (0, 1))
    numbers = [*slopes, round(shadow), round(steepest * _LIFTED), *shares, wall if has_walls else 0]
    return Law(*numbers)


def _passed_in_step(cell_size: float, process: Sand) -> float:
    """Return how much sand passes over a metre in a step, in m²: what is lifted, times the way until it settles."""
    lifted = _LIFTED * math.tan(math.radians(process.repose_angle)) * cell_size
    return lifted * _HOP * cell_size / _ON_SAND


def _seasons_of(cell_size: float, thickness: float, process: Sand) -> _Seasons | None:
    """Return how plants live on cells of some size; None where they stay as they are."""
    if process.plant_growth == 0.0:
        return None
    step = _passed_in_step(cell_size, process) / process.drift
    # A year, or a step where that is longer.
    steps = max(round(1.0 / step), 1)
    years = steps * step
    slabs = years * _PLANT_CELL / cell_size / thickness
    burial, exposure = (max(round(rate * slabs), 1) for rate in (process.burial, process.exposure))
    return _Seasons(steps, SandPlants(burial, exposure, round(255.0 * process.plant_growth * years)))


def _stays_of(shape: tuple[int, int], cell_size: float, process: Sand) -> list[_Stay]:
    """Return how many steps pass on which grids, the coarsest first."""
    wanted = process.years * process.drift / _passed_in_step(cell_size, process)
    stays: list[_Stay] = []
    grids = shapes_from_coarse(shape)
    for number, grid in enumerate(reversed(grids)):
        most = _MOST_STEPS if process.plant_growth or number + 1 == len(grids) else _STEPS_ON_GRID
        factor = ((max(grid) - 1) / max(max(shape) - 1, 1)) ** 2 if number else 1.0
        steps = min(math.ceil(wanted * factor), most)
        stays.append(_Stay(grid, steps))
        wanted -= steps / factor
        if wanted <= 0.0:
            break
    return [stay for stay in reversed(stays) if stay.steps]


def _blow(land: _Land, process: Sand, salt: np.uint32) -> Steps[Array]:
    """Let the wind blow, first on coarse grids; return the slabs on the cells of the land."""
    shape, winds = land.slabs.shape, _winds_of(process.winds)
    stays = _stays_of(shape, land.terrain.cell_size, process)
    total = int(land.slabs.sum(dtype=np.int64))
    if not (winds and stays and total):
        return land.slabs
    work = sum(stay.steps * math.prod(stay.shape) for stay in stays)
    begin, depth, slabs = 0.0, land.slabs * np.float32(land.thickness), land.slabs
    for number, stay in enumerate(stays):
        cell_size = land.terrain.cell_size * (max(shape) - 1) / max(max(stay.shape) - 1, 1)
        thickness = _thickness_of(cell_size, process.repose_angle)
        slabs = slabs if stay.shape == depth.shape else _sampled(depth, stay.shape, thickness, total, shape)
        ground = _ground_of(land, slabs, thickness)
        law = _law_of(cell_size, thickness, process, ground.rock)
        end = begin + stay.steps * math.prod(stay.shape) / work
        seasons = _seasons_of(cell_size, thickness, process)
        blowing = _follow(ground, law, winds, stay.steps, chain_hashes(int(salt), number), seasons)
        ground, in_full = yield from watched(within(blowing, begin, end))
        slabs = _at_rest(ground, law)
        if seasons:
            land = land._replace(plants=1.0 - ground.bare * np.float32(1.0 / 255.0))
        if stay.shape == shape:
            slabs = _at_rest(_evened(ground._replace(sand=slabs), law), law)
        begin, depth = end, slabs * np.float32(thickness)
        if not in_full:
            break
    return slabs if depth.shape == shape else _sampled(depth, shape, land.thickness, total, shape)


def _sampled(depth: Field, grid: tuple[int, int], thickness: float, total: int, finest: tuple[int, int]) -> Array:
    """Return the depth of sand on another grid in slabs; on the finest there are as many as there were."""
    wanted = np.maximum(_on_grid(depth, grid), 0.0).astype(np.float64)
    sums = np.cumsum(wanted.ravel())
    count = total if grid == finest else round(sums[-1] / thickness)
    if sums[-1] <= 0.0:
        return np.zeros(grid, np.int32)
    # Rounding the sum up to each cell, not the cell itself, keeps the whole.
    reached = np.floor(sums * (count / sums[-1]) + 0.5).astype(np.int64)
    reached[-1] = count
    return np.diff(np.minimum(reached, count), prepend=0).astype(np.int32).reshape(grid)


def _on_grid(field: Field, grid: tuple[int, int]) -> Field:
    """Return a field on a coarser or finer grid."""
    coarser = grid[0] < field.shape[0] or grid[1] < field.shape[1]
    return coarsen(field, grid) if coarser else refine(field, grid)


def _ground_of(land: _Land, slabs: Array, thickness: float) -> BlownGround:
    """Return the state of a land on the grid of its slabs, without any sand in the air."""
    shape = slabs.shape
    rock = coarsen(land.terrain.bedrock, shape).astype(np.float64)
    rock = np.clip((rock - rock.min()) / thickness, 0.0, _MOST_ROCK).astype(np.int32)
    plants = np.zeros(shape, np.float32) if land.plants is None else _on_grid(land.plants, shape)
    bare = np.rint(255.0 * (1.0 - np.clip(plants, 0.0, 1.0))).astype(np.uint8)
    return BlownGround(rock, slabs.copy(), np.zeros_like(slabs), bare, np.zeros(shape, np.uint8), np.zeros_like(slabs))


def _follow(
    ground: BlownGround, law: Law, winds: list[_Wind], steps: int, seed: np.uint32, seasons: _Seasons | None
) -> Steps[BlownGround]:
    """Let the wind blow on one grid; return the state."""
    before = ground.sand.copy()
    arrived, heights = np.zeros_like(ground.flying), np.zeros(max(ground.sand.shape), np.int32)
    unstable = np.zeros(ground.sand.shape[0], np.int32)
    blown = [0.0] * len(winds)
    distances = 2.0 ** np.arange(1, _FARTHEST_WALL + 1)[:, np.newaxis]
    shares = [wind.share / sum(wind.share for wind in winds) for wind in winds]
    which = 0
    for step in range(steps):
        if step % _SEASON == 0:
            # The wind that is most behind its share.
            which = max(range(len(winds)), key=lambda n: shares[n] * (step + 1) - blown[n])
        blown[which] += 1
        salt = chain_hashes(int(seed), step)
        turn, stretch, *rest = (float(unit_float(hash_place(k, -3, salt))) for k in range(4))
        bearing = math.radians(winds[which].bearing + _GUSTS * (turn - 0.5))
        north, east = -cos(bearing), -sin(bearing)
        _cast_shadow(ground, law, (north, east), turn, heights)
        # Hops of one length would leave ripples of that length.
        length = _HOP * (0.5 + stretch)
        row, column = (math.floor(length * part + draw) for part, draw in zip((north, east), rest))
        ways = np.rint(distances * (north, east)).astype(np.int64)
        gust = Gust(row, column, round(_NEAR * north), round(_NEAR * east), ways, salt)
        lift(ground, law, gust)
        carry(ground, arrived, law, gust)
        ground, arrived = ground._replace(flying=arrived), ground.flying
        loosen(ground, law, unstable)
        slide_down(ground)
        if seasons and (step + 1) % seasons.steps == 0:
            grow_on_sand(ground, before, seasons.growth, salt)
        if (yield (step + 1) / steps):
            break
    return ground


def _cast_shadow(ground: BlownGround, law: Law, wind: tuple[float, float], offset: float, heights: Array) -> None:
    """Find the cells in the shadow of a wind, which blows by so much north and east."""
    north, east = wind
    by_row = abs(north) > abs(east)
    along, across = (north, east) if by_row else (east, north)
    layers = [layer if by_row else layer.T for layer in (ground.rock, ground.sand, ground.sheltered)]
    lines = layers[0].shape[0]
    # Rays begin so far before the border that crests there have their shadow.
    before = min(max(lines // 8, 32), lines)
    shifts = np.floor(np.arange(-before, lines) * (across / abs(along)) + offset).astype(np.int64)
    # A ray goes 1 / |along| cells from line to line.
    drop = law.shadow / abs(along)
    shelter(*layers, shifts, heights, along > 0.0, round(drop))


def _at_rest(ground: BlownGround, law: Law) -> Array:
    """Let flying sand fall, and what is too steep slide; return the slabs."""
    sand = ground.sand + ground.flying
    # Without wind nothing creeps.
    ground = ground._replace(sand=sand, sheltered=np.ones_like(ground.sheltered))
    unstable = np.zeros(sand.shape[0], np.int32)
    for _ in range(_REST_ROUNDS):
        loosen(ground, law, unstable)
        if not unstable.any():
            break
        slide_down(ground)
    return sand


def _evened(ground: BlownGround, law: Law) -> BlownGround:
    """Return sand in whole slabs whose windward sides were evened out, and brinks along level lines."""
    rock, sand = ground.rock.astype(np.int64) * _PARTS, ground.sand.astype(np.int64) * _PARTS
    gentle, after = np.zeros(sand.shape, np.bool_), np.empty_like(sand)
    find_gentle(rock + sand, ground.bare, round(_GENTLE * law.steepest * _PARTS), gentle)
    for _ in range(EVEN_ROUNDS):
        even_out(rock, sand, gentle, after)
        sand, after = after, sand
    ways = np.empty((*sand.shape, 4), np.uint8)
    find_level_ways(rock + sand, ground.bare, ways)
    for _ in range(ALONG_ROUNDS):
        even_along(rock, sand, ways, after)
        sand, after = after, sand
    # Rounding the sum up to each cell, not the cell itself, keeps the whole.
    reached = (np.cumsum(sand.ravel()) + _PARTS // 2) // _PARTS
    slabs = np.diff(reached, prepend=0).astype(np.int32).reshape(sand.shape)
    return ground._replace(sand=slabs, flying=np.zeros_like(ground.flying))


SAND = Process(
    Sand,
    blow_sand,
    exchanged=("uplifted",),
    seeded=True,
    factors=(Factor("plants", 0.0, 1.0),),
    land_class="dunes",
    layers=28,
)

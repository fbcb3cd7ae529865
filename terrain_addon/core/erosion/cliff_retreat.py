"""Cliff retreat: hard beds over weak ones make mesas, benches and buttes.

Rivers cut quickly through weak beds and are held up for long by hard ones.  Meanwhile weak rock wears back from the
river, slides to its talus angle, and so undermines the hard bed above it, whose wall breaks off and follows.  So each
hard bed ends in a wall above a slope of talus, and that slope in a bench on the hard bed below, as wide as the walls
retreat while a hard bed holds the river up.  Upper walls are farther from the river than lower ones.  Where walls meet
from two sides, a mesa becomes a butte, and then is gone.

    x = rate · years + t / tan(talus angle)

is how far a wall stands from the edge of the hard bed below, with t the thickness of the weak bed between them, however
long ago the river was there; see `rock_walls` for the ground between, and for why walls are two cells wide or more.

Beds are random in thickness.  Rates of retreat on the Colorado Plateau are 0.5 to 6.7 mm a year (Schmidt 1989).

>>> from terrain_addon.core.foundation.progress import run
>>> canyon = np.full((3, 26), 160.0, np.float32)
>>> canyon[:, 0] = 20.0
>>> beds = CliffRetreat(hard_bed=50.0, weak_bed=50.0, bed_variation=0.0, altitude=0.0, rate=1.0, years=1e5, debris=0.0)
>>> eroded = run(retreat(Terrain(canyon, np.zeros_like(canyon), 10.0), beds.replace(unevenness=0.0)))
>>> print(eroded.terrain.surface[1, ::5].round(1))
[ 20.   92.7 101.  103.2 134.7 160. ]

References
----------
D. J. Ward, M. M. Berlin and R. S. Anderson (2011), "Sediment dynamics below retreating cliffs", Earth Surface Processes
and Landforms 36, 1023-1043, doi:10.1002/esp.2129: weak rock sets the pace, walls follow, talus lies between them.

D. J. Ward (2019), "Dip, layer spacing, and incision rate controls on the formation of strike valleys, cuestas, and
cliffbands in heterogeneous stratigraphy", Lithosphere 11, 697-707, doi:10.1130/L1056.1: benches are as wide as walls
retreat while a river cuts from one hard bed to the next.

K.-H. Schmidt (1989), "The significance of scarp retreat for Cenozoic landform evolution on the Colorado Plateau,
U.S.A.", Earth Surface Processes and Landforms 14, 93-105, doi:10.1002/esp.3290140202: rates.

R. C. Glade, R. S. Anderson and G. E. Tucker (2017), "Block-controlled hillslope form and persistence of topography in
rocky landscapes", Geology 45, 311-314, doi:10.1130/G38665.1: blocks of the wall that lie on the slope below.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from ..foundation.compilation import Array
from ..foundation.hashing import Purpose, derive_seed, hash_place, unit_float
from ..foundation.parameters import parameter, same_as
from ..foundation.progress import Steps, within
from ..foundation.terrain import Terrain
from .erosion_factors import slope_factor
from .hoodoos import LEAST_CELLS, Columns, HardBeds, stand_hoodoos
from .layers import heights_of, just_below, with_surface
from .mass_balance import Eroded, MassBalance
from .process import Process, ProcessParameters
from .rock import uneven_rock
from .rock_walls import WallProfile, cut_back
from .stabilisation import settle
from .strata import Strata, lay_beds

# A bench rises by this slope, so that water leaves it; and at least by so many metres, so that heights rise with ways.
_BENCH_SLOPE, _LEAST_RISE = 0.02, 1e-3
# A wall is broken by ledges: so many faces, apart by this share of the height of the wall.
_FACES, _LEDGE = 3, 0.07
# No bed is thicker or thinner than the usual one by more than this share.
_MOST_VARIATION = 0.9
# Ground that is steeper than talus by this angle in degrees is a wall.
_WALL_MARGIN = 8.0
_METRES = 1e-3  # a millimetre in metres


@dataclass(frozen=True)
class CliffRetreat(ProcessParameters):
    """Hard beds break off above weak ones: flat-topped mesas, walls, benches, and slopes of talus."""

    hard_bed: float = parameter(
        80.0, "Thickness of hard beds, which stand as walls", unit="m", limits=(1.0, 1e4), soft=(10.0, 300.0)
    )
    weak_bed: float = parameter(
        90.0, "Thickness of weak beds, which lie as slopes", unit="m", limits=(1.0, 1e4), soft=(10.0, 300.0)
    )
    rate: float = parameter(
        1.0,
        "How fast walls retreat: dry lands 0.5, wet ones 5",
        unit="mm/yr",
        limits=(0.0, 100.0),
        soft=(0.0, 7.0),
    )
    years: float = parameter(
        150_000.0,
        "How long walls retreat: with *Rate*, how wide benches become",
        unit="yr",
        limits=(0.0, 1e8),
        soft=(0.0, 500_000.0),
    )
    altitude: float = parameter(
        0.0,
        "Altitude of the top of a hard bed in the middle of the land",
        unit="m",
        limits=(-1e4, 1e4),
        soft=(-1000.0, 4000.0),
    )
    talus_angle: float = parameter(
        34.0, "Slope of weak beds and of debris", unit="°", limits=(5.0, 60.0), soft=(28.0, 40.0)
    )
    wall_angle: float = parameter(82.0, "Slope of the faces of walls", unit="°", limits=(60.0, 89.0), advanced=True)
    debris: float = parameter(
        0.3,
        "Share of the fallen rock that still lies at the feet of the walls; the rest has left the land",
        limits=(0.0, 1.0),
    )
    unevenness: float = parameter(
        0.3, "How much faster walls retreat in some places than in others, which bends them", limits=(0.0, 1.0)
    )
    hoodoos: float = parameter(
        0.0,
        "Share of the places near walls where a piece of the hard bed still covers a column of weak rock",
        limits=(0.0, 1.0),
    )
    hoodoo_width: float = parameter(
        4.0, "Usual width of such columns", unit="m", limits=(0.1, 1000.0), soft=(1.0, 30.0), advanced=True
    )
    bed_variation: float = parameter(
        0.4, "How much beds differ in thickness", limits=(0.0, _MOST_VARIATION), advanced=True
    )
    dip: float = same_as(Strata, "dip", default=0.0, limits=(0.0, 30.0), soft=(0.0, 10.0))
    dip_direction: float = same_as(Strata, "dip_direction")
    folds: float = same_as(Strata, "folds", default=0.0, soft=(0.0, 200.0))
    fold_wavelength: float = same_as(Strata, "fold_wavelength", default=5000.0, soft=(1000.0, 20000.0))

    def acting_at(self, altitude: float) -> Self:
        """Return walls that leave columns on any cells.

        Parameters
        ----------
        altitude : float
            Metres.

        Returns
        -------
        Self
        """
        return self.replace(hoodoo_width=1000.0)


def retreat(terrain: Terrain, process: CliffRetreat, *, seed: int = 0) -> Steps[Eroded]:
    """Let walls of hard rock retreat over weak rock.

    Parameters
    ----------
    terrain : Terrain
        The land as rivers have cut it.
    process : CliffRetreat
        Beds, rate and time.
    seed : int
        0 to 2³¹ − 1; chooses the thickness of beds and where walls retreat faster.

    Yields
    ------
    float
        Share done.  Asked to finish early, it returns debris that has not yet come to rest.

    Returns
    -------
    Eroded
        The highest land that is nowhere above the old one and nowhere steeper than the profile of `profile_of`, with
        the debris of walls at their feet.  What is neither rock nor debris has left.  The mass balance counts the
        heights in float64, before they are stored.
    """
    height = heights_of(terrain)
    before = float(height.sum())
    yield 0.0
    level = lay_beds(terrain.grid, _strata_of(process), seed).astype(np.float64) + process.altitude
    above = height - level
    profile = profile_of(process, seed, float(above.min()), float(above.max()))
    span = min(terrain.surface.shape) * terrain.cell_size
    slowness = uneven_rock(terrain.grid, span, process.unevenness, seed)
    cut_back(above, slowness, terrain.cell_size, profile)
    walls = _is_wall(above + level, terrain.cell_size, process)
    notices = _leave_hoodoos(height - level, above, terrain.cell_size, process, profile, seed)
    worn = np.maximum(height - (above + level), 0.0)
    debris = process.debris * worn * walls
    lowered = with_surface(terrain, height - worn)
    yield 0.3
    area = terrain.cell_size**2
    left = float((worn - debris).sum()) * area
    height += debris - worn
    del level, above, walls, slowness, worn, debris  # or they would stay in memory while the debris settles
    rock = just_below(lowered.bedrock.astype(np.float64))
    yield from within(settle(height, rock, terrain.cell_size, process.talus_angle), 0.3, 1.0)
    after = with_surface(Terrain(rock, lowered.sediment, terrain.cell_size), height)
    return Eroded(after, MassBalance(before * area, float(height.sum()) * area, left=left), notices)


def _leave_hoodoos(
    found: Array, above: Array, cell_size: float, process: CliffRetreat, profile: WallProfile, seed: int
) -> tuple[str, ...]:
    """Raise the land to the columns that caps have protected, in place; return why there are none."""
    if process.hoodoos == 0.0:
        return ()
    widest = process.hoodoo_width / LEAST_CELLS
    if cell_size > widest:
        return (f"no hoodoos: they are {process.hoodoo_width:g} m wide, which needs cells of at most {widest:.2g} m",)
    beds = hard_beds_of(process, seed, float(found.min()), float(found.max()))
    columns = Columns(process.hoodoos, process.hoodoo_width, process.wall_angle, derive_seed(seed, Purpose.HOODOOS))
    stand_hoodoos(found, above, cell_size, columns, beds, profile)
    return ()


def hard_beds_of(process: CliffRetreat, seed: int, lowest: float, highest: float) -> HardBeds:
    """Return the hard beds between two heights, and one below and above.

    Parameters
    ----------
    process : CliffRetreat
        Thickness of beds.
    seed : int
        0 to 2³¹ − 1.
    lowest, highest : float
        Metres above `altitude`.

    Returns
    -------
    HardBeds
    """
    below, above = _beds(process, seed, -1, -lowest), _beds(process, seed, 0, highest)
    top = -sum(sum(pair) for pair in below)
    bottoms, tops = [top - process.hard_bed], [top]
    for pair in (*reversed(below), *above):
        top += sum(pair)
        bottoms.append(top - pair.hard)
        tops.append(top)
    return HardBeds(np.array(bottoms), np.array(tops))


def profile_of(process: CliffRetreat, seed: int, lowest: float, highest: float) -> WallProfile:
    """Return the profile of slopes over all beds between two heights.

    Parameters
    ----------
    process : CliffRetreat
        Beds, rate and time.
    seed : int
        0 to 2³¹ − 1.
    lowest, highest : float
        Metres above `altitude`.

    Returns
    -------
    WallProfile
        From below `lowest` to above `highest`.  From the top of a hard bed up: a bench, weak rock at the talus angle,
        and the faces and ledges of the next wall.
    """
    below, above = _beds(process, seed, -1, -lowest), _beds(process, seed, 0, highest)
    bench = process.rate * _METRES * process.years
    height = -sum(sum(pair) for pair in below)
    corners = [_Corner(height, 0.0, False)]
    for pair in (*reversed(below), *above):
        _add_pair(corners, pair, bench, process)
    heights, ways, uneven = zip(*corners)
    return WallProfile(np.array(heights), np.array(ways), np.array(uneven[1:]))


class _Pair(NamedTuple):
    """Thickness of a weak bed and of the hard bed on it, in metres."""

    weak: float
    hard: float


class _Corner(NamedTuple):
    """A corner of the profile, and whether it ends a bench."""

    height: float
    way: float
    ends_bench: bool


def _beds(process: CliffRetreat, seed: int, first: int, far: float) -> list[_Pair]:
    """Return pairs of beds from a number on, upwards from 0 or downwards from −1, until they reach far enough."""
    beds, step = derive_seed(seed, Purpose.BEDS), 1 if first >= 0 else -1
    pairs: list[_Pair] = []
    reached, number = 0.0, first
    while reached <= far or not pairs:
        more, less = (
            1.0 + process.bed_variation * (2.0 * float(unit_float(hash_place(number, which, beds))) - 1.0)
            for which in (1, 2)
        )
        pairs.append(_Pair(process.weak_bed * more, process.hard_bed * less))
        reached += sum(pairs[-1])
        number += step
    return pairs


def _add_pair(corners: list[_Corner], pair: _Pair, bench: float, process: CliffRetreat) -> None:
    """Add a bench, a slope of weak rock, and the faces and ledges of a wall."""
    talus, wall = (math.tan(math.radians(angle)) for angle in (process.talus_angle, process.wall_angle))
    rise = min(max(_BENCH_SLOPE * bench, _LEAST_RISE), 0.25 * pair.weak)
    slope, face = pair.weak - rise, pair.hard / _FACES
    ledge = _LEDGE * pair.hard
    step = _BENCH_SLOPE * ledge
    parts = [(rise, bench + rise / talus, True), (slope, slope / talus, False), (face, face / wall, False)]
    parts += [(step, ledge, False), (face - step, (face - step) / wall, False)] * (_FACES - 1)
    for height, way, ends_bench in parts:
        last = corners[-1]
        corners.append(_Corner(last.height + height, last.way + way, ends_bench))


def _is_wall(surface: Array, cell_size: float, process: CliffRetreat) -> Array:
    """Return where ground is clearly steeper than talus."""
    return slope_factor(surface, cell_size) > math.sin(math.radians(process.talus_angle + _WALL_MARGIN))


def _strata_of(process: CliffRetreat) -> Strata:
    return Strata(
        dip=process.dip,
        dip_direction=process.dip_direction,
        folds=process.folds,
        fold_wavelength=process.fold_wavelength,
    )


CLIFF_RETREAT = Process(
    CliffRetreat,
    retreat,
    exchanged=("left",),
    seeded=True,
    slides=True,
    land_class="mesa",
    layers=22,
)

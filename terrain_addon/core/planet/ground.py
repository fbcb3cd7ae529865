"""Ground of a planet before craters: continents and sea floor, ranges, and hills.

References
----------
Cortial, Y., Peytavie, A., Galin, E. & Guérin, E. (2019). Procedural tectonic planets. Computer Graphics Forum 38(2),
1–11. doi:10.1111/cgf.13614
Musgrave, F. K., Kolb, C. E. & Mace, R. S. (1989). The synthesis and rendering of eroded fractal terrains. Computer
Graphics (SIGGRAPH) 23(3), 41–50. doi:10.1145/74333.74337
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.easing import ease
from ..foundation.hashing import Purpose
from ..foundation.parameters import ParameterSet, parameter
from .cube_sphere import face_directions, solid_angles
from .plates import (
    OLDEST_FLOOR,
    RIDGE_DEPTH,
    SINKING,
    PlateMotion,
    Plates,
    plate_border,
    plate_motion,
)
from .point_noise import (
    STRETCH,
    NoiseWork,
    SpaceOctaves,
    fractal_sum,
    new_noise_work,
    ridged_sum,
    space_octaves,
    stretches,
    take_stretch,
)

# Samples along an edge of the coarse planet on which the share of continents is counted.
_COUNTING = 17
_WARP_OCTAVES, _WARP_GAIN = 5, 0.55
# How much the buoyancy of plates says about where continents are, beside noise.
_BUOYANCY = 0.16
# How far apart the three noises that bend are.
_APART = (11.5, 17.25, 23.75)
# Ranges and their crests at most, as a multiple of the height of ranges.
_TALLEST_RANGES = 1.75
# Share of a step between two plateaus over which the scarp rises, and how much of the slope the plateaus keep.
_SCARP, _TILT = 0.22, 0.15
# The edge of continents is steep: on a small planet its height counts so many times more than that of hills.
_STEEP = 2.0
# How far the ground rises and sinks at most, as a share of the radius: as on a lumpy asteroid.
_MOST_RELIEF = 0.42


@dataclass(frozen=True)
class Continents(ParameterSet):
    """Continents of thick crust, which stand high, and sea floor of thin crust, which lies low."""

    enabled: bool = parameter(True, "Whether there are continents and sea floor; otherwise the ground is level")
    cover: float = parameter(
        0.34,
        "Share of the planet that is continent, with its shelves and low ground: half to three quarters of it is above "
        "altitude 0",
        limits=(0.01, 0.99),
    )
    size: float = parameter(75.0, "Size of the largest shapes", unit="°", limits=(5.0, 360.0), soft=(20.0, 150.0))
    detail: float = parameter(
        0.6, "How strong smaller shapes are: bays and islands", limits=(0.0, 0.9), soft=(0.3, 0.7)
    )
    bending: float = parameter(
        12.0, "How far coasts and borders of plates are bent", unit="°", limits=(0.0, 60.0), soft=(0.0, 20.0)
    )
    steepness: float = parameter(
        9.0, "How steep the edge of the continents is", limits=(1.0, 50.0), soft=(3.0, 20.0), advanced=True
    )
    altitude: float = parameter(
        750.0, "Altitude of the middle of continents", unit="m", limits=(-10000.0, 10000.0), soft=(0.0, 2000.0)
    )
    sea_floor: float = parameter(
        -4200.0,
        "Altitude of the sea floor where there are no plates",
        unit="m",
        limits=(-20000.0, 10000.0),
        soft=(-6000.0, 0.0),
    )


@dataclass(frozen=True)
class PlanetHills(ParameterSet):
    """Hills and mountains on all of the ground."""

    height: float = parameter(
        3000.0, "How high hills rise above valleys", unit="m", limits=(0.0, 1e6), soft=(0.0, 5000.0)
    )
    wavelength: float = parameter(
        20.0, "Distance between the largest hills", unit="°", limits=(0.5, 360.0), soft=(2.0, 120.0)
    )
    octaves: int = parameter(12, "How many sizes of hills there are, each half of the one before", limits=(1, 20))
    gain: float = parameter(0.56, "Ratio of the heights of two sizes that follow one another", limits=(0.0, 1.0))
    ridges: float = parameter(
        0.65, "How much of the hills are crests: 0 is round hills, 1 is sharp mountains", limits=(0.0, 1.0)
    )
    plateaus: float = parameter(
        0.0, "How much land is level in steps, with scarps between them: 0 is slopes, 1 is plateaus", limits=(0.0, 1.0)
    )
    step: float = parameter(
        1000.0,
        "How much higher each plateau is than the one below",
        unit="m",
        limits=(10.0, 20000.0),
        soft=(200.0, 3000.0),
        advanced=True,
    )
    sea_floor: float = parameter(
        0.25, "How high hills on the sea floor are, as a share of those on continents", limits=(0.0, 1.0)
    )


class GroundPlan(NamedTuple):
    """All numbers that the ground is made from.

    Attributes
    ----------
    turn : ndarray of float64, shape (3, 3)
        Turns a direction on the planet into the space of the noise.
    warp : SpaceOctaves
        Bends coasts and borders of plates.
    bending : float
        How far, on the unit sphere.
    continents : SpaceOctaves
        Shapes of the continents.
    shore : float
        Value of the shapes at the edge of the continents.
    steepness, altitude, sea_floor : float
        As in `Continents`; with plates the sea floor is not used.
    has_continents, has_plates : bool
        Whether there are any.
    hills : SpaceOctaves
        Hills and ranges.
    hill_height, ridges, plateaus, step, sea_floor_hills : float
        As in `PlanetHills`.
    motion : PlateMotion
        The plates.
    range_height, trench_depth, rift_depth : float
        As in `Plates`.
    share : float
        Share of all these heights that fits a small planet; 1 on large ones.
    """

    turn: Array
    warp: SpaceOctaves
    bending: float
    continents: SpaceOctaves
    shore: float
    steepness: float
    altitude: float
    sea_floor: float
    has_continents: bool
    has_plates: bool
    hills: SpaceOctaves
    hill_height: float
    ridges: float
    plateaus: float
    step: float
    sea_floor_hills: float
    motion: PlateMotion
    range_height: float
    trench_depth: float
    rift_depth: float
    share: float


class GroundSets(NamedTuple):
    """The parameter sets that the ground is made from."""

    continents: Continents
    plates: Plates
    hills: PlanetHills

    @property
    def amplitude(self) -> float:
        """Metres by which the ground rises and sinks around the middle of its heights; steep edges count more."""
        high, low, step = self.hills.height, 0.0, 0.0
        if self.continents.enabled:
            high += self.continents.altitude
            low = self.continents.sea_floor
        if self.plates.enabled:
            high += _TALLEST_RANGES * self.plates.range_height
            if self.continents.enabled:
                low = -RIDGE_DEPTH - SINKING * math.sqrt(OLDEST_FLOOR) - self.plates.trench_depth
        if self.continents.enabled:
            step = abs(self.continents.altitude - low)
        return 0.5 * (max(high, low) - min(low, high) + _STEEP * step)


def plan_ground(sets: GroundSets, turn: npt.NDArray[np.float64], radius: float, seed: int, finest: float) -> GroundPlan:
    """Return the numbers that the ground is made from.

    Parameters
    ----------
    sets : GroundSets
        What kind of ground.
    turn : ndarray of float64, shape (3, 3)
        Turns a direction on the planet into the space of the noise.
    radius : float
        Of the planet in metres.
    seed : int
        Seed of the recipe.
    finest : float
        Octaves with a shorter wavelength, in degrees, are left out.

    Returns
    -------
    GroundPlan
    """
    continents, plates, hills = sets
    warp, shapes, octaves = _octaves_of(sets, seed, finest)
    ground = GroundPlan(
        turn=turn,
        warp=warp,
        bending=math.radians(continents.bending) * 2.0,
        continents=shapes,
        shore=0.0,
        steepness=continents.steepness,
        altitude=continents.altitude,
        sea_floor=continents.sea_floor,
        has_continents=continents.enabled,
        has_plates=plates.enabled,
        hills=octaves,
        hill_height=hills.height,
        ridges=hills.ridges,
        plateaus=hills.plateaus,
        step=hills.step,
        sea_floor_hills=hills.sea_floor,
        motion=plate_motion(plates, radius, seed),
        range_height=plates.range_height,
        trench_depth=plates.trench_depth,
        rift_depth=plates.rift_depth,
        share=share_that_fits(sets.amplitude, radius),
    )
    return ground._replace(shore=_shore(ground, continents.cover)) if continents.enabled else ground


def share_that_fits(amplitude: float, radius: float) -> float:
    """Return the share of heights that a planet has room for: those of large planets would tear a small one apart.

    Parameters
    ----------
    amplitude : float
        Metres, 0 or more, from `GroundSets.amplitude`.
    radius : float
        Of the planet in metres.

    Returns
    -------
    float
        1 where all fits.
    """
    return min(_MOST_RELIEF * radius / amplitude, 1.0) if amplitude > 0.0 else 1.0


def refine_ground(ground: GroundPlan, sets: GroundSets, seed: int, finest: float) -> GroundPlan:
    """Return the same ground with finer octaves of noise; coasts and hills stay where they are.

    Parameters
    ----------
    ground : GroundPlan
        From `plan_ground`.
    sets : GroundSets
        From which it was made.
    seed : int
        Seed of the recipe.
    finest : float
        Octaves with a shorter wavelength, in degrees, are left out.

    Returns
    -------
    GroundPlan
    """
    warp, shapes, hills = _octaves_of(sets, seed, finest)
    return ground._replace(warp=warp, continents=shapes, hills=hills)


def _octaves_of(sets: GroundSets, seed: int, finest: float) -> tuple[SpaceOctaves, SpaceOctaves, SpaceOctaves]:
    """The noises of a `GroundPlan`: warp, continents and hills."""
    continents, _, hills = sets
    return (
        space_octaves(0.6 * continents.size, _WARP_OCTAVES, _WARP_GAIN, seed, Purpose.PLANET_WARP, finest),
        space_octaves(continents.size, 12, continents.detail, seed, Purpose.CONTINENTS, finest),
        space_octaves(hills.wavelength, hills.octaves, hills.gain, seed, Purpose.PLANET_HILLS, finest),
    )


def _shore(ground: GroundPlan, cover: float) -> float:
    """The value of the continents' shapes that this share of the planet exceeds, counted on a coarse planet."""
    directions = face_directions(_COUNTING).reshape(-1, 3)
    shapes = np.empty(len(directions), np.float64)
    _draw_shapes(ground._replace(turn=np.eye(3)), directions, shapes)
    order = np.argsort(-shapes, kind="stable")
    counted = np.cumsum(solid_angles(_COUNTING).ravel()[order])
    return float(shapes[order[np.searchsorted(counted, cover * counted[-1])]])


def raise_ground(ground: GroundPlan, directions: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the altitude of the ground in each direction; it depends on nothing but the direction.

    Parameters
    ----------
    ground : GroundPlan
        From `plan_ground`.
    directions : ndarray of float64, shape (…, 3)
        Unit vectors.

    Returns
    -------
    ndarray of float64, shape (…)
        Metres above the sphere.
    """
    places = np.ascontiguousarray(directions).reshape(-1, 3)
    heights = np.empty(len(places), np.float64)
    _raise_all(ground, places, heights)
    return heights.reshape(directions.shape[:-1])


def raise_ranges(ground: GroundPlan, directions: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """Return how far plates that collide raise the ground in each direction, whatever noise makes of it.

    Parameters
    ----------
    ground : GroundPlan
        From `plan_ground`.
    directions : ndarray of float64, shape (…, 3)
        Unit vectors.

    Returns
    -------
    ndarray of float32, shape (…)
        Metres, 0 or more.
    """
    places = np.ascontiguousarray(directions).reshape(-1, 3)
    ranges = np.zeros(len(places), np.float32)
    if ground.has_plates:
        _raise_ranges(ground, places, ranges)
    return ranges.reshape(directions.shape[:-1])


class _GroundWork(NamedTuple):
    """Working memory for a stretch of points: float64 of shape (3, STRETCH) and (STRETCH,)."""

    noise: NoiseWork
    points: Array  # as they are
    probes: Array
    bent: Array  # moved, so that coasts and borders are not smooth
    shapes: Array  # of the continents
    hills: Array
    crests: Array
    weights: Array  # shape (plates,)


@kernel
def _new_work(plates: int) -> _GroundWork:
    return _GroundWork(
        new_noise_work(),
        np.empty((3, STRETCH)),
        np.empty((3, STRETCH)),
        np.empty((3, STRETCH)),
        np.empty(STRETCH),
        np.empty(STRETCH),
        np.empty(STRETCH),
        np.empty(plates),
    )


@kernel
def _bend(warp: SpaceOctaves, bending: float, work: _GroundWork) -> None:
    """Move points by noise."""
    points, probes, bent, moved = work.points, work.probes, work.bent, work.hills
    for axis in range(3):
        # Three places of one noise, far apart, are as good as three noises.
        probes[:] = points
        probes[axis] += _APART[axis]
        fractal_sum(warp, probes, work.noise, moved)
        for k in range(STRETCH):
            bent[axis, k] = points[axis, k] + bending * moved[k]


@parallel_kernel
def _draw_shapes(part: Part, ground: GroundPlan, places: Array, shapes: Array) -> None:
    work = _new_work(len(ground.motion.centres))
    bent = work.bent
    for stretch in portion(part, stretches(len(places))):
        count = take_stretch(places, stretch, ground.turn, work.points)
        _bend(ground.warp, ground.bending, work)
        fractal_sum(ground.continents, bent, work.noise, work.shapes)
        for k in range(count):
            buoyancy = 0.0
            if ground.has_plates:
                buoyancy = plate_border(ground.motion, bent[0, k], bent[1, k], bent[2, k], work.weights).buoyancy
            shapes[stretch * STRETCH + k] = work.shapes[k] + _BUOYANCY * buoyancy


@parallel_kernel
def _raise_ranges(part: Part, ground: GroundPlan, places: Array, ranges: Array) -> None:
    work = _new_work(len(ground.motion.centres))
    bent = work.bent
    for stretch in portion(part, stretches(len(places))):
        count = take_stretch(places, stretch, ground.turn, work.points)
        _bend(ground.warp, ground.bending, work)
        for k in range(count):
            rise = plate_border(ground.motion, bent[0, k], bent[1, k], bent[2, k], work.weights).rise
            ranges[stretch * STRETCH + k] = ground.share * ground.range_height * rise


@parallel_kernel
def _raise_all(part: Part, ground: GroundPlan, places: Array, heights: Array) -> None:
    """Write the altitude of the ground in each direction."""
    work = _new_work(len(ground.motion.centres))
    for stretch in portion(part, stretches(len(places))):
        count = take_stretch(places, stretch, ground.turn, work.points)
        _bend(ground.warp, ground.bending, work)
        if ground.has_continents:
            fractal_sum(ground.continents, work.bent, work.noise, work.shapes)
        fractal_sum(ground.hills, work.points, work.noise, work.hills)
        ridged_sum(ground.hills, work.bent, work.noise, work.crests)
        _put_together(ground, work, heights[stretch * STRETCH : stretch * STRETCH + count])


@kernel
def _put_together(ground: GroundPlan, work: _GroundWork, heights: Array) -> None:
    """Write the altitude of the ground at a stretch of points from what noise is there."""
    motion, bent = ground.motion, work.bent
    for k in range(heights.size):
        floor, rise, trench, rift, buoyancy = ground.sea_floor, 0.0, 0.0, 0.0, 0.0
        if ground.has_plates:
            floor, rise, trench, rift, buoyancy = plate_border(motion, bent[0, k], bent[1, k], bent[2, k], work.weights)
        crust, inland = 1.0, 0.0
        if ground.has_continents:
            inside = ground.steepness * (work.shapes[k] + _BUOYANCY * buoyancy - ground.shore)
            # The edge of thick crust is the slope of the continent; the coast lies on its upper half.
            t = min(max(0.5 + inside, 0.0), 1.0)
            crust = ease(t)
            inland = min(max(inside / (0.4 * ground.steepness), 0.0), 1.0)
        round_hills, crests = 0.5 + work.hills[k], work.crests[k]
        hills = (1.0 - ground.ridges) * round_hills + ground.ridges * 1.6 * crests * round_hills
        land, tall = 0.0, 1.0
        if ground.has_continents:
            land = ground.altitude * (0.2 + 0.8 * inland)
            # Hills are low near the coast, so that plains are there.
            tall = (0.25 + 0.75 * inland) * crust + ground.sea_floor_hills * (1.0 - crust)
        height = floor * (1.0 - crust) + land * crust + ground.hill_height * hills * tall
        ranges = rise * (0.25 + 1.5 * crests) * (0.35 + 0.65 * crust)
        height += ground.range_height * ranges
        if ground.plateaus > 0.0:
            height += ground.plateaus * crust * (_stepped(height, ground.step) - height)
        height -= ground.trench_depth * trench * (1.0 - crust)
        heights[k] = ground.share * (height - ground.rift_depth * rift * crust)


@kernel
def _stepped(height: float, step: float) -> float:
    """The height of land where hard beds make plateaus: nearly level, with a scarp up to the next."""
    beds = height / step
    below = math.floor(beds)
    rest = beds - below
    t = min(max((rest - 0.5) / _SCARP + 0.5, 0.0), 1.0)
    return step * (below + _TILT * rest + (1.0 - _TILT) * t * t * (3.0 - 2.0 * t))

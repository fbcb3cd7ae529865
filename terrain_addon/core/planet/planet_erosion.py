"""Erosion of a planet: land rises where plates collide and where it is high, and rivers cut it down to the sea.

The law, its solver, the plan of time and the way from coarse to fine are those of `erosion.stream_power`.  What differs
is the ground: cells of a sphere, without a border.  Water ends in the sea.  On a planet without one it ends in the
lowest place.

References
----------
Cordonnier, G., Braun, J., Cani, M.-P., Benes, B., Galin, E., Peytavie, A. & Guérin, E. (2016). Large scale terrain
generation from tectonic uplift and fluvial erosion. Computer Graphics Forum 35(2), 165–175. doi:10.1111/cgf.12820
Cortial, Y., Peytavie, A., Galin, E. & Guérin, E. (2019). Procedural tectonic planets. Computer Graphics Forum 38(2),
1–11. doi:10.1111/cgf.13614
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..erosion.ages import FINAL_STEPS, plan_ages
from ..erosion.mass_balance import MassBalance
from ..erosion.river_incision import Conditions, Heights, RiverIncision, take_sediment
from ..erosion.stream_power import StreamPower, erodibility_of
from ..foundation.compilation import Array, Part, parallel_kernel, portion
from ..foundation.elementary import exp_of
from ..foundation.hashing import Purpose, derive_seed, hash_place, mix, unit_float
from ..foundation.levels import threads_for
from ..foundation.parameters import ParameterSet, parameter, same_as
from ..foundation.progress import Steps
from ..foundation.terrain import Field, Grid
from .cube_sphere import face_directions
from .point_noise import draw_noise, space_octaves, turned
from .sphere_levels import double, halve
from .sphere_links import Sphere
from .sphere_slopes import SphereCreep, slide

# Lengths as shares of the radius: the width of rounded crests, the hills that the uplift leaves out.
_CREST_WIDTH = 0.004
_UPLIFT_BLUR = 1.0 / 50.0
# The wavelength of uneven rock in degrees, and how much its hardness varies.
_ROCK_WAVELENGTH, _ROCK_VARIATION = 7.0, 4.0
# Slope of the plains in place of lakes, as a multiple of the height of the land over the radius.
_PLAIN_SLOPE = 0.03
# Detail of the relief falls to 1/e of its height where this share of the height of the land has changed.
_DETAIL_DECAY = 0.1
# Share of the usual perturbation of flow in the final steps.
_FINAL_PERTURBATION = np.float32(0.5)
# Places are told apart to this share of the radius.
_FINEST_PLACE = 2.0**-24


@dataclass(frozen=True)
class PlanetErosion(ParameterSet):
    """Rivers, creep and slides, while the land rises."""

    enabled: bool = parameter(
        True, "Whether rivers have cut the land; heights from a file stay as they are, and rivers only follow them"
    )
    strength: float = same_as(
        StreamPower,
        "strength",
        description="How strongly rivers cut while the land rises: above 1 deep valleys and plains, below 1 high "
        "massifs",
    )
    age: float = same_as(
        StreamPower,
        "age",
        default=0.5,
        description="Age of the land: 0.1 has gorges along the coasts, 1 mature mountains, 4 old hills",
    )
    rockiness: float = same_as(
        StreamPower,
        "rockiness",
        default=0.6,
        description="How rocky the land is: 0 has soft crests, 1 sharp crests of uneven rock",
    )
    uplift: float = parameter(
        1.3,
        "How far the land rises over time, as a multiple of its altitude and of the ranges that plates raise",
        limits=(0.0, 100.0),
        soft=(0.0, 3.0),
    )
    talus_angle: float = parameter(
        35.0,
        "Steepest slope on which ground stays; from sample to sample only small planets are that steep",
        unit="°",
        limits=(1.0, 89.0),
        soft=(25.0, 45.0),
        advanced=True,
    )
    drainage_exponent: float = same_as(StreamPower, "drainage_exponent")
    slope_exponent: float = same_as(StreamPower, "slope_exponent")

    @property
    def law(self) -> StreamPower:
        """The same parameters, as those of a landscape."""
        return StreamPower(
            strength=self.strength,
            age=self.age,
            rockiness=self.rockiness,
            uplift=self.uplift,
            drainage_exponent=self.drainage_exponent,
            slope_exponent=self.slope_exponent,
        )


class YoungPlanet(NamedTuple):
    """A planet before its erosion.

    Attributes
    ----------
    surface : ndarray of float32, shape (6, resolution, resolution)
        Metres above the sphere.
    spheres : sequence of Sphere
        From `spheres_from_coarse`.
    radius : float
        Metres.
    sea_level : float
        Metres; −inf if there is no sea.
    turn : ndarray of float64, shape (3, 3)
        Turns a direction on the planet into the space of the noise.
    seed : int
        Seed of the recipe.
    """

    surface: Field
    spheres: Sequence[Sphere]
    radius: float
    sea_level: float
    turn: npt.NDArray[np.float64]
    seed: int


class Causes(NamedTuple):
    """What shapes the land, on the faces of the coarsest sphere.

    Attributes
    ----------
    ranges : ndarray of float32, shape (6, coarse, coarse)
        How far plates raise the land here, in metres.
    rain : ndarray of float32, shape (6, coarse, coarse), or None
        In any unit, 0 or more; None if the same falls everywhere.
    """

    ranges: Field
    rain: Field | None


class ErodedPlanet(NamedTuple):
    """What erosion leaves.

    Attributes
    ----------
    surface, sediment : ndarray of float32, shape (6, resolution, resolution)
        Metres above the sphere, and of loose ground.
    balance : MassBalance
        Volumes of rock and sediment.  What rivers carry into the sea has left.
    """

    surface: Field
    sediment: Field
    balance: MassBalance


def erode_planet(young: YoungPlanet, erosion: PlanetErosion, causes: Causes) -> Steps[ErodedPlanet]:
    """Let the land of a planet rise while rivers cut it.

    Parameters
    ----------
    young : YoungPlanet
        The planet at age 0.
    erosion : PlanetErosion
        How much erosion.
    causes : Causes
        What raises the land, and where rain falls.

    Yields
    ------
    float
        Share done.  Asked to finish early, it returns the land at the age that it has reached, with the detail of the
        relief.

    Returns
    -------
    ErodedPlanet
        Ground below the sea neither rises nor is cut.  Lakes keep what they can hold of what rivers bring.

    Raises
    ------
    ValueError
        If a map has another shape than the coarsest sphere, or rain is below 0.

    Notes
    -----
    ∂h/∂t = U − K Aᵐ Sⁿ, with K as in `erosion.stream_power`: W is the radius, and H the height of the land.

    Cells at edges and corners of the cube are 0.84 and 0.88 times as wide as in the middle of a face, and the law takes
    less from land with smaller cells; `river_incision.mesh_evening` sets this right.  A cone of 0.6 rad without uplift
    loses the same volume at a centre, an edge and a corner to 1.1 %, 0.8 % and 1.3 % with 33², 65² and 129².
    """
    early: bool | None = yield 0.0
    setting = _Setting(young, erosion, causes)
    volume = float((setting.reliefs[-1] * setting.areas).sum())
    if erosion.age == 0.0 or setting.height == 0.0:
        return ErodedPlanet(young.surface, np.zeros_like(young.surface), MassBalance(volume, volume))
    plan = plan_ages(len(setting.spheres), erosion.age)
    work = [len(ages) * sphere.shape[1] for ages, sphere in zip(plan, setting.spheres)]
    done = 0
    level = _Level(setting, 0, None)
    state = _State(0.0, setting.reliefs[0].astype(np.float64), np.zeros_like(setting.reliefs[0]))
    for number, ages in enumerate(plan):
        if number > 0:
            coarser, level = level, _Level(setting, number, level)
            state = level.refine(state, coarser, volume)
        for place, age in enumerate(ages):
            early = early or (yield done / sum(work))
            if early:
                break
            with threads_for(level.sphere.shape[1]):
                level.step(state, age, final=number == len(plan) - 1 and place >= len(ages) - FINAL_STEPS)
            done += work[number] // len(ages)
    after = float((state.height * setting.areas).sum())
    cells = setting.spheres[-1].cells
    surface, sediment = cells.on_faces(state.height.astype(np.float32)), cells.on_faces(state.sediment)
    return ErodedPlanet(surface, sediment, MassBalance(volume, after, state.risen, state.left))


class _Setting:
    """The planet at age 0 and all that acts on it, the same for all spheres."""

    def __init__(self, young: YoungPlanet, erosion: PlanetErosion, causes: Causes) -> None:
        self.young, self.erosion, self.law = young, erosion, erosion.law
        self.spheres = young.spheres
        self.areas = self.spheres[-1].mesh.area
        self.reliefs = [self.spheres[-1].cells.of(young.surface)]
        for fine, coarse in zip(self.spheres[:0:-1], self.spheres[-2::-1]):
            self.reliefs.insert(0, halve(self.reliefs[0], fine, coarse))
        relief = self.reliefs[0]
        self.base = max(float(relief.min()), young.sea_level)
        self.height = max(float(relief.max()) - self.base, 0.0)
        self.rise = self._rise(relief, _checked(causes.ranges, "ranges", self.spheres[0]))
        rain = None if causes.rain is None else _checked(causes.rain, "rain", self.spheres[0])
        self.rain = None if rain is None else _relative(rain, self.spheres[0].mesh.area)

    def _rise(self, relief: Field, ranges: Field) -> Field:
        """How far each place rises, in metres: as far as it is high on the whole, and with its ranges."""
        broad = relief.astype(np.float64)
        SphereCreep(self.spheres[0]).step(broad, 0.5 * (_UPLIFT_BLUR * self.young.radius) ** 2)
        rise = np.maximum(broad - self.base, 0.0) + np.float32(0.3) * ranges
        rise[relief <= self.young.sea_level] = 0.0
        return (self.law.uplift * rise).astype(np.float32)


def _checked(values: Field, name: str, sphere: Sphere) -> Field:
    """Return a map as cells, if it fits the sphere."""
    shape = (6, sphere.resolution, sphere.resolution)
    if values.shape != shape:
        raise ValueError(f"{name} has shape {values.shape}, but the coarsest sphere {shape}")
    if not float(values.min()) >= 0.0:
        raise ValueError(f"{name} = {float(values.min())!r} is below 0")
    return sphere.cells.of(values)


def _relative(rain: Field, area: Array) -> Field | None:
    """Rain as a multiple of its mean; None where none falls at all."""
    mean = float((rain[0] * area).sum() / area.sum())
    return (rain / np.float32(mean)) if mean > 0.0 else None


@dataclass
class _State:
    """A planet at an age: metres of ground and sediment, and the volumes in m³ that rose and left since age 0."""

    age: float
    height: Heights
    sediment: Field
    risen: float = 0.0
    left: float = 0.0


class _Level:
    """The setting on one of the spheres."""

    def __init__(self, setting: _Setting, number: int, coarser: "_Level | None") -> None:
        self.setting, self.relief, sphere = setting, setting.reliefs[number], setting.spheres[number]
        self.sphere, self.mesh = sphere, sphere.mesh
        law, young = setting.law, setting.young
        if coarser is None:
            self.rise, self.rain = setting.rise, setting.rain
        else:
            self.rise = self._refined(coarser.rise, coarser)
            self.rain = None if coarser.rain is None else self._refined(coarser.rain, coarser)
        self.directions = face_directions(sphere.resolution).reshape(-1, 3)[sphere.cells.first]
        octaves = space_octaves(_ROCK_WAVELENGTH, 4, 0.5, young.seed, Purpose.ROCK, 180.0 / (sphere.resolution - 1))
        hardness = exp_of(
            np.float32(_ROCK_VARIATION * law.rockiness) * draw_noise(octaves, young.turn, self.directions)
        )
        self._erodibility = np.float32(erodibility_of(law, setting.height, young.radius))
        self._hardness = hardness.reshape(sphere.shape)
        grid = Grid(*sphere.shape, 1.0)
        self._incision = RiverIncision(
            grid, law.drainage_exponent, law.slope_exponent, self.rain, young.sea_level, self.mesh
        )
        self._creep = SphereCreep(sphere)
        self._shift, self._flow_surface = np.empty(sphere.shape, np.float32), np.empty(sphere.shape, np.float32)
        seed = derive_seed(young.seed, Purpose.FLOW_PERTURBATION, number)
        _draw_shifts(self.directions, young.turn, seed, self._shift[0])

    def step(self, state: _State, age: float, *, final: bool) -> None:
        """Bring a state of this sphere to an age, in place; the final steps perturb flow less and do not creep."""
        setting, law = self.setting, self.setting.law
        time = age - state.age
        share = math.exp(-state.age) - math.exp(-age)
        amount = np.float32(law.flow_perturbation) * (_FINAL_PERTURBATION if final else np.float32(1.0))
        sea_level = setting.young.sea_level
        _perturb_flow(state.height[0], self.mesh.links.cells, sea_level, self._shift[0], amount, self._flow_surface[0])
        conditions = Conditions(
            self.rise,
            self._erodibility,
            lambda: self._hardness,
            plain_slope=_PLAIN_SLOPE * setting.height / setting.young.radius,
            uplift_factor=np.float32(share / time),
        )
        risen, left = self._incision.step(state.height, state.sediment, time, conditions, self._flow_surface)
        state.risen += risen
        state.left += left
        state.age = age
        moved = self._incision.work
        moved[...] = state.height
        slide(state.height, self.mesh, setting.erosion.talus_angle)
        softness = 2.0 * (1.0 - law.rockiness) ** 2 * (1.0 + age)
        if not final and softness > 0.0:
            self._creep.step(state.height, softness * time * (_CREST_WIDTH * setting.young.radius) ** 2)
        moved -= state.height
        take_sediment(state.sediment, moved, None)

    def refine(self, coarse: _State, coarser: "_Level", volume: float) -> _State:
        """Return the state of the coarser sphere on this one, with the detail of the relief.

        Detail disappears where much has changed.  No rock is higher than it can have risen.
        """
        share = np.float32(1.0 - math.exp(-coarse.age))
        rough, relief = (self._refined(one, coarser) for one in (coarse.height.astype(np.float32), coarser.relief))
        detail = np.abs(rough - (relief + self.rise * share))
        detail *= np.float32(-1.0 / (_DETAIL_DECAY * self.setting.height))
        exp_of(detail)
        detail *= self.relief - relief
        sediment = self._refined(coarse.sediment, coarser)
        height = rough.astype(np.float64) + detail
        np.minimum(height, self.relief + self.rise * share + sediment, out=height)
        after = float((height * self.mesh.area).sum())
        return _State(coarse.age, height, sediment, coarse.risen, volume + coarse.risen - after)

    def _refined(self, values: Field, coarser: "_Level") -> Field:
        return double(values, coarser.sphere, self.sphere)


@parallel_kernel
def _draw_shifts(part: Part, directions: Array, turn: Array, seed: np.uint32, shifts: Array) -> None:
    """Write a random number from −½ to ½ for each place in the space of the noise, wherever it lies on the planet."""
    per_place = 1.0 / _FINEST_PLACE
    for k in portion(part, len(directions)):
        x, y, z = turned(turn, directions[k, 0], directions[k, 1], directions[k, 2])
        i, j, n = math.floor(x * per_place + 0.5), math.floor(y * per_place + 0.5), math.floor(z * per_place + 0.5)
        bits = hash_place(np.int64(i), np.int64(j), mix(np.uint32(np.uint32(np.int64(n)) + seed)))
        shifts[k] = unit_float(bits) - np.float32(0.5)


@parallel_kernel
def _perturb_flow(
    part: Part, height: Array, links: Array, sea_level: float, shifts: Array, amount: np.float32, surface: Array
) -> None:
    """Raise or lower each cell by a random share of the drop between its neighbours."""
    for cell in portion(part, height.size):
        if height[cell] <= sea_level:
            surface[cell] = np.float32(height[cell])
            continue
        lowest = highest = height[cell]
        for k in range(0, 8, 2):
            beside = height[links[cell, k]]
            lowest, highest = min(lowest, beside), max(highest, beside)
        surface[cell] = np.float32(height[cell]) + amount * shifts[cell] * np.float32(highest - lowest)

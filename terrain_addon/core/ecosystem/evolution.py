"""How a forest lives: growth, competition, death and seeds, step by step through the years.

In each step every plant measures what its neighbours leave it, widens its crown by the logistic law times its vitality
(suitability of the place times that share), dies if it is old, starved or struck, and sheds seeds that come up where
the ground suits, light is left and no stem stands too near.  Crowns may overlap, as far as whoever is overtopped bears
it; stems keep a distance.  Every draw is a hash of the plant and the step, so the forest is the same on any
number of threads.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from ..foundation.compilation import Array, Bits, Part, kernel, parallel_kernel, portion
from ..foundation.elementary import exp, log, power
from ..foundation.hashing import Purpose, derive_seed, hash_place, unit_float
from ..foundation.parameters import ParameterSet, parameter
from ..foundation.progress import Steps
from ..foundation.sampling import interpolate
from ..foundation.terrain import Field
from .competition import SizeClasses, measure_shares, shares_of_seedlings, sort_by_size
from .density import Habitat
from .dispersal import count_seeds, rain_seeds, scatter_seeds, suitability_at
from .forest import SEEDLING, Forest
from .plants import Plants
from .species import GROWTH_LAWS, Species
from .stem_spacing import have_room

STARTS = {
    "bare": "Bare ground, on which seeds from beyond the border fall",
    "young": "All places taken at once by seedlings, as if planted",
    "grown": "A forest of all ages, as without evolution",
}

_AGE, _HUNGER, _FIRE, _WIND, _LANDSLIDE = range(1, 6)
_FOREVER = np.float32(np.inf)


@dataclass(frozen=True)
class Evolution(ParameterSet):
    """How the forest came about: years of growth, competition, death and seeds."""

    years: float = parameter(
        0.0,
        "Years that the forest grows; 0 places full-grown plants without a past",
        unit="yr",
        limits=(0.0, 2000.0),
        soft=(0.0, 300.0),
    )
    start: str = parameter("bare", "What the forest starts from", choices=STARTS)
    step: float = parameter(
        1.0, "Time between two looks at every plant", unit="yr", limits=(0.25, 25.0), soft=(1.0, 5.0), advanced=True
    )
    stored_every: float = parameter(
        5.0,
        "Time between two states that are kept; years between them are interpolated",
        unit="yr",
        limits=(0.25, 100.0),
        soft=(1.0, 20.0),
        advanced=True,
    )
    competition: float = parameter(
        1.0, "How much plants hold back neighbours that they overlap; 0 lets all grow freely", limits=(0.0, 1.0)
    )
    asymmetry: float = parameter(
        0.9,
        "Who takes the overlap of two plants: 0 both evenly, as roots do, 1 the taller, as crowns do with light",
        limits=(0.0, 1.0),
        advanced=True,
    )
    starvation: float = parameter(
        0.3,
        "Share of free growth below which a plant dies; 0 lets nothing starve",
        limits=(0.0, 1.0),
        soft=(0.0, 0.5),
        advanced=True,
    )
    memory: float = parameter(
        6.0,
        "Years over which a plant bears hunger",
        unit="yr",
        limits=(0.1, 100.0),
        soft=(1.0, 20.0),
        advanced=True,
    )
    stem_spacing: float = parameter(
        0.1,
        "Distance that seedlings keep from living stems, as a share of the larger of the two full-grown crowns' radii",
        limits=(0.0, 1.0),
        soft=(0.0, 0.5),
        advanced=True,
    )
    fire_interval: float = parameter(
        0.0,
        "Mean time between two fires at a dry place; 0 for none",
        unit="yr",
        limits=(0.0, 100000.0),
        soft=(0.0, 500.0),
        advanced=True,
    )
    windthrow_interval: float = parameter(
        0.0,
        "Mean time between two storms that fell tall trees at a place; 0 for none",
        unit="yr",
        limits=(0.0, 100000.0),
        soft=(0.0, 500.0),
        advanced=True,
    )
    landslide_interval: float = parameter(
        0.0,
        "Mean time between two landslides at a steep place; 0 for none",
        unit="yr",
        limits=(0.0, 100000.0),
        soft=(0.0, 500.0),
        advanced=True,
    )
    patch: float = parameter(
        100.0,
        "Diameter of the patch that a fire, storm or landslide clears",
        unit="m",
        limits=(5.0, 10000.0),
        soft=(20.0, 500.0),
        advanced=True,
    )


@dataclass(frozen=True)
class _Population:
    """What lives; entry i of every array belongs to plant i."""

    x: Array
    y: Array
    species: Array
    radius: Array
    birth: Array
    health: Array
    suit: Array
    record: Array
    bits: Array

    def only(self, keep: Array) -> "_Population":
        return _Population(*(getattr(self, part.name)[keep] for part in fields(self)))

    def joined(self, other: "_Population") -> "_Population":
        return _Population(*(np.concatenate([getattr(self, p.name), getattr(other, p.name)]) for p in fields(self)))


def evolve(
    start: Plants,
    lasting: Plants,
    densities: Sequence[Field],
    habitat: Habitat,
    cell_size: float,
    species: Sequence[Species],
    evolution: Evolution,
    most_plants: int,
    seed: int,
) -> Steps[Forest]:
    """Let a forest live.

    Parameters
    ----------
    start : Plants
        What is there in year 0, at its age and size.
    lasting : Plants
        What neither grows nor dies nor competes.
    densities : sequence of ndarray of float32, shape (rows, columns)
        One per species: how a place suits it, in [0, 1].
    habitat : Habitat
        Where it is dry, which fires ask for, and steep, which landslides do.
    cell_size : float
        Metres.
    species : sequence of Species
        At most 255.
    evolution : Evolution
    most_plants : int
        No more come up while there are so many.
    seed : int
        0 to 2³¹ − 1.

    Yields
    ------
    float
        Share of the years that have passed; finishing early returns the forest up to then.

    Returns
    -------
    Forest

    Raises
    ------
    ValueError
        If there are more species than 255, or not as many densities, or the land is narrower than two samples.
    """
    if len(species) > 255 or len(densities) != len(species):
        raise ValueError(f"{len(species)} species with {len(densities)} density maps; there may be 255, one map each")
    rows, columns = habitat.altitude.shape
    if min(rows, columns) < 2:
        raise ValueError(f"a land of {rows} × {columns} samples has no room for a forest; it needs 2 × 2 or more")
    life = _Life(start, densities, habitat, cell_size, species, evolution, most_plants, seed)
    steps = math.ceil(evolution.years / evolution.step - 1e-9)
    stored = 0.0
    for step in range(steps):
        if (yield step / steps):
            break
        year = min((step + 1) * evolution.step, evolution.years)
        life.pass_years(step, year)
        if year - stored >= evolution.stored_every - 1e-9:
            life.store()
            stored = year
    if life.year > stored:
        life.store()
    return life.forest(lasting)


class _Life:
    """The forest of one moment, and the records of its past."""

    def __init__(
        self,
        start: Plants,
        densities: Sequence[Field],
        habitat: Habitat,
        cell_size: float,
        species: Sequence[Species],
        evolution: Evolution,
        most_plants: int,
        seed: int,
    ) -> None:
        self.species, self.evolution, self.habitat = species, evolution, habitat
        self.most_plants, self.seed, self.year = most_plants, seed, 0.0
        rows, columns = habitat.altitude.shape
        self.width, self.depth = (columns - 1) * cell_size, (rows - 1) * cell_size
        self.per_sample = 1.0 / cell_size
        self.suitability = np.empty((len(species), rows, columns), np.uint8)
        for kind, density in enumerate(densities):
            self.suitability[kind] = np.rint(np.clip(density, 0.0, 1.0) * 255.0)
        laws = list(GROWTH_LAWS)
        self.traits = np.array(
            [
                [
                    s.radius,
                    s.height,
                    s.height_exponent,
                    s.growth_rate,
                    s.maturity,
                    s.fecundity,
                    s.dispersal_distance,
                    s.far_seeds,
                    s.shade_tolerance,
                    s.lifetime,
                    laws.index(s.growth_law),
                ]
                for s in species
            ],
            np.float64,
        ).reshape(-1, 11)
        self.population = self._newcomers(start, derive_seed(seed, Purpose.FIRST_PLANTS))
        self.records: list[_Population] = []
        self.deaths: list[tuple[Array, Array, Array]] = []
        self.states: list[tuple[float, Array, Array, Array]] = []
        self.store()

    def pass_years(self, step: int, year: float) -> None:
        """Let time pass until `year`."""
        here, span = self.population, year - self.year
        height = self._heights(here)
        sorted_plants = sort_by_size(here.x, here.y, here.radius, height, self.width, self.depth)
        tolerance = self.traits[here.species, 8].astype(np.float32)
        evolution = self.evolution
        shares = measure_shares(sorted_plants, tolerance, evolution.asymmetry, evolution.competition)
        fate, death = np.zeros(here.x.size, np.uint8), np.empty(here.x.size, np.float32)
        rates = (self.year, span, evolution.starvation, 1.0 - math.exp(-span / evolution.memory))
        _live(
            here.species,
            here.birth,
            here.suit,
            here.bits,
            shares,
            self.traits,
            rates,
            here.radius,
            here.health,
            fate,
            death,
        )
        self._strike(step, span, height, fate, death)
        self.year = year
        born = self._reproduce(step, span, sorted_plants)
        self._bury(fate, death)
        room = max(self.most_plants - self.population.x.size, 0)
        if born.x.size > room:
            born = born.only(np.arange(born.x.size) < room)
        self.population = self.population.joined(born)

    def store(self) -> None:
        """Keep the state of this moment."""
        here = self.population
        new = here.record < 0
        known = sum(part.x.size for part in self.records)
        here.record[new] = np.arange(known, known + int(new.sum()))
        self.records.append(here.only(new))
        size = np.rint(here.radius / self.traits[here.species, 0] * 65535.0).clip(1, 65535).astype(np.uint16)
        health = np.rint(here.health * np.float32(255.0)).clip(0, 255).astype(np.uint8)
        self.states.append((self.year, here.record.copy(), size, health))

    def forest(self, lasting: Plants) -> Forest:
        """Turn the records into the lives of all plants."""
        count = sum(part.x.size for part in self.records)
        first_state = np.repeat(np.arange(len(self.records)), [part.x.size for part in self.records])
        samples = np.zeros(count, np.int64)
        for _, record, _, _ in self.states:
            samples[record] += 1
        first_size = np.concatenate([[0], np.cumsum(samples)])
        sizes, healths = np.empty(int(first_size[-1]), np.uint16), np.empty(int(first_size[-1]), np.uint8)
        for state, (_, record, size, health) in enumerate(self.states):
            place = first_size[record] + state - first_state[record]
            sizes[place], healths[place] = size, health
        death, fate = np.full(count, _FOREVER, np.float32), np.zeros(count, np.uint8)
        for record, when, how in self.deaths:
            death[record], fate[record] = when, how

        def whole(name: str) -> Array:
            return np.concatenate([getattr(part, name) for part in self.records])

        return Forest(
            species=tuple(self.species),
            state_years=np.array([year for year, _, _, _ in self.states]),
            x=whole("x"),
            y=whole("y"),
            kind=whole("species").astype(np.uint8),
            birth=whole("birth"),
            death=death,
            fate=fate,
            bits=whole("bits"),
            first_state=first_state.astype(np.uint16),
            first_size=first_size,
            sizes=sizes,
            healths=healths,
            lasting=lasting,
        )

    def _heights(self, here: _Population) -> Array:
        height = np.empty(here.x.size, np.float32)
        _measure_heights(here.species, here.radius, self.traits, height)
        return height

    def _newcomers(self, start: Plants, seed: Bits) -> _Population:
        suit, bits = np.empty(len(start), np.float32), np.empty(len(start), np.uint32)
        _judge(start.x, start.y, start.species, self.suitability, self.per_sample, seed, suit, bits)
        full = self.traits[start.species, 0]
        return _Population(
            x=start.x,
            y=start.y,
            species=start.species,
            radius=np.clip(start.radius, SEEDLING * full, full).astype(np.float32),
            birth=-start.age,
            health=start.health.copy(),
            suit=suit,
            record=np.full(len(start), -1, np.int64),
            bits=bits,
        )

    def _strike(self, step: int, span: float, height: Array, fate: Array, death: Array) -> None:
        """Fires, storms and landslides."""
        evolution, here = self.evolution, self.population
        intervals = (evolution.fire_interval, evolution.windthrow_interval, evolution.landslide_interval)
        for cause, interval in zip((_FIRE, _WIND, _LANDSLIDE), intervals):
            if interval > 0.0:
                # A patch of this size comes about once in an interval on an area of its own size.
                chance = 1.0 - math.exp(-span / interval * 4.0 / math.pi)
                _clear_patches(
                    here.x,
                    here.y,
                    height,
                    here.bits,
                    self.habitat.humidity,
                    self.habitat.slope,
                    self.per_sample,
                    evolution.patch,
                    chance,
                    cause,
                    derive_seed(self.seed, Purpose.DEATHS, cause, step),
                    self.year,
                    span,
                    fate,
                    death,
                )

    def _reproduce(self, step: int, span: float, sorted_plants: SizeClasses) -> _Population:
        here = self.population
        # What has just died has shed no seeds: its health is 0.
        seeds = np.empty(here.x.size, np.int64)
        thinning = 1.0
        while True:
            count_seeds(
                here.species,
                here.radius,
                here.birth,
                here.health,
                here.bits,
                self.traits,
                self.year,
                span,
                step,
                thinning,
                seeds,
            )
            first = np.concatenate([[0], np.cumsum(seeds)])
            if first[-1] <= self.most_plants:
                break
            thinning *= 0.9 * self.most_plants / float(first[-1])
        sown = [_Sown(int(first[-1]), np.repeat(here.species, seeds))]
        scatter_seeds(
            here.x,
            here.y,
            here.species,
            here.bits,
            first,
            self.traits,
            self.suitability,
            self.per_sample,
            self.width,
            self.depth,
            step,
            *sown[0].arrays,
        )
        for kind, one in enumerate(self.species):
            expected = min(one.seed_rain * self.width * self.depth * 1e-4 * span, float(self.most_plants))
            seed = derive_seed(self.seed, Purpose.SEEDLINGS, kind, step)
            count = int(expected + unit_float.py_func(seed))
            if count and self.suitability[kind].any():
                rain = _Sown(count, np.full(count, kind, np.int32))
                rain_seeds(kind, seed, self.suitability, self.per_sample, self.width, self.depth, *rain.arrays)
                sown.append(rain)
        x, y, suit, bits = (np.concatenate(parts) for parts in zip(*(one.arrays for one in sown)))
        species = np.concatenate([one.species for one in sown])
        fell_well = suit > 0.0
        x, y, suit, bits, species = x[fell_well], y[fell_well], suit[fell_well], bits[fell_well], species[fell_well]
        radius = (SEEDLING * self.traits[species, 0]).astype(np.float32)
        height = np.empty(x.size, np.float32)
        _measure_heights(species, radius, self.traits, height)
        shares = shares_of_seedlings(
            np.stack([x, y, radius, height], axis=1),
            self.traits[species, 8].astype(np.float32),
            sorted_plants,
            self.evolution.asymmetry,
            self.evolution.competition,
        )
        born = _Population(
            x=x,
            y=y,
            species=species,
            radius=radius,
            birth=np.full(x.size, self.year, np.float32),
            health=shares,
            suit=suit,
            record=np.full(x.size, -1, np.int64),
            bits=bits,
        )
        # Where a seedling would starve it does not come up, nor at the foot of another.
        born = born.only(shares > self.evolution.starvation)
        return born.only(self._have_room(born))

    def _have_room(self, born: _Population) -> Array:
        here = self.population
        x, y, species = (np.concatenate([getattr(here, part), getattr(born, part)]) for part in ("x", "y", "species"))
        kept = (self.evolution.stem_spacing * self.traits[species, 0]).astype(np.float32)
        return have_room(x, y, kept, here.x.size, self.width, self.depth)

    def _bury(self, fate: Array, death: Array) -> None:
        dead = fate > 0
        remembered = dead & (self.population.record >= 0)
        self.deaths.append((self.population.record[remembered], death[remembered], fate[remembered]))
        self.population = self.population.only(~dead)


class _Sown:
    """Seeds of one step: where they fell, how the place suits (0: not), and a random number for each."""

    def __init__(self, count: int, species: Array) -> None:
        self.species = species
        self.arrays = tuple(np.zeros(count, kind) for kind in (np.float32, np.float32, np.float32, np.uint32))


@kernel
def death_age(bits: Bits, lifetime: float) -> float:
    """Age at which a plant dies if nothing else kills it: Weibull, shape 4; one in a hundred reaches `lifetime`."""
    luck = max(np.float64(unit_float(hash_place(7, 1, bits))), 0.01)
    return lifetime * math.sqrt(math.sqrt(-log(luck) / 4.605170186))


@parallel_kernel
def _measure_heights(part: Part, species: Array, radius: Array, traits: Array, height: Array) -> None:
    for p in portion(part, species.size):
        kind = species[p]
        height[p] = traits[kind, 1] * power(radius[p] / traits[kind, 0], traits[kind, 2])


@parallel_kernel
def _judge(
    part: Part,
    x: Array,
    y: Array,
    species: Array,
    suitability: Array,
    per_sample: float,
    seed: Bits,
    suit: Array,
    bits: Array,
) -> None:
    for p in portion(part, x.size):
        suit[p] = suitability_at(suitability, species[p], x[p] * per_sample, y[p] * per_sample)
        bits[p] = hash_place(p, species[p], seed)


@parallel_kernel
def _live(
    part: Part,
    species: Array,
    birth: Array,
    suit: Array,
    bits: Array,
    shares: Array,
    traits: Array,
    rates: tuple[float, float, float, float],
    radius: Array,
    health: Array,
    fate: Array,
    death: Array,
) -> None:
    year, span, starvation, forgetting = rates
    for p in portion(part, species.size):
        kind = species[p]
        full, rate = traits[kind, 0], traits[kind, 3] * suit[p] * shares[p] * span
        # The laws solved over the whole step, so that long steps end where short ones do.
        if traits[kind, 10] == 0.0:
            radius[p] = full / (1.0 + (full / radius[p] - 1.0) * exp(-rate))
        else:
            radius[p] = full * power(radius[p] / full, exp(-rate))
        # The increment as a share of what the plant would gain here alone is its share; health is the mean of that over
        # a memory.
        health[p] += np.float32((shares[p] - health[p]) * forgetting)
        end = birth[p] + death_age(bits[p], traits[kind, 9])
        if end < year + span:
            fate[p], death[p] = _AGE, max(end, year)
        elif health[p] < starvation:
            fate[p], death[p] = _HUNGER, year + span * unit_float(hash_place(int(year * 4.0), 2, bits[p]))
        if fate[p] > 0:
            health[p] = 0.0


@parallel_kernel
def _clear_patches(
    part: Part,
    x: Array,
    y: Array,
    height: Array,
    bits: Array,
    humidity: Array,
    slope: Array,
    per_sample: float,
    patch: float,
    chance: float,
    cause: int,
    seed: Bits,
    year: float,
    span: float,
    fate: Array,
    death: Array,
) -> None:
    for p in portion(part, x.size):
        # One event at most in each square of a lattice as wide as a patch, anywhere in it.
        column, row = int(x[p] / patch), int(y[p] / patch)
        for beside in range(9):
            i, j = row + beside // 3 - 1, column + beside % 3 - 1
            if unit_float(hash_place(j, i, seed)) >= chance:
                continue
            dx = (j + unit_float(hash_place(j, i, np.uint32(seed + np.uint32(1))))) * patch - x[p]
            dy = (i + unit_float(hash_place(j, i, np.uint32(seed + np.uint32(2))))) * patch - y[p]
            if 4.0 * (dx * dx + dy * dy) >= patch * patch:
                continue
            if cause == _FIRE:
                risk = 1.0 - interpolate(humidity, x[p] * per_sample, y[p] * per_sample)
            elif cause == _WIND:
                # Storms throw tall trees: none below 5 m, all of 30 m (Schelhaas et al. 2007 in broad outline).
                risk = (height[p] - 5.0) / 25.0
            else:
                risk = (interpolate(slope, x[p] * per_sample, y[p] * per_sample) - 20.0) / 15.0
            if fate[p] == 0 and unit_float(hash_place(j, i, np.uint32(bits[p] + seed))) < risk:
                fate[p], death[p] = cause, year + 0.5 * span

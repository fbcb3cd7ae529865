"""How a forest lives: growth, competition, death and seeds, step by step through the years.

In each step every plant measures what its neighbours leave it (`competition`) and widens its crown by that much
(`plant_growth`).  It dies if it is old, starved, struck (`disturbances`) or, where that is asked for, crushed by a
larger one (`crushing`).  It sheds seeds, which come up where the
ground suits, light is left and no stem stands too near (`recruitment`).  Crowns may overlap, as far as the plants below
bear it; stems keep a distance.  Every draw is a hash of the plant and the step, so the forest is the same on any number
of threads.

Plants grow as fast as the site suits them.  How much of it is planted (Plant Cover, groves, paint, roads) decides only
which share of the seeds comes up, so it makes plants fewer, not smaller.  Groves still change the number of plants
somewhat, because seeds fall near their parents.  On rolling hills after 100 years groves of strength 1 have 12 to 14 %
more plants from bare ground, 2 % fewer from seedlings and 31 % more from a grown forest, with 3 to 15 % less area of
crowns; after 300 years from bare ground 2 % fewer plants with 36 % less, because trees in groves shade one another.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..foundation.compilation import Array
from ..foundation.hashing import Purpose, derive_seed
from ..foundation.progress import Steps
from ..foundation.terrain import Field
from .competition import measure_shares, sort_by_size
from .crown_width import crown_shares
from .crushing import Crowns, crush, stand_free
from .density import Habitat
from .dispersal import Season, SeedBed
from .disturbances import Disturbance, strike
from .evolution_parameters import Evolution
from .flooded_ground import DRY, WaterCover
from .forest import Forest
from .forest_records import ForestRecords
from .plant_fate import Fate
from .plant_growth import Deaths, GrowthRates, grow, measure_heights
from .plants import Plants
from .population import Population, newcomers
from .recruitment import Recruitment
from .species import Species
from .traits import LINEAR, traits_of


@dataclass(frozen=True)
class Environment:
    """What a forest grows on.

    Attributes
    ----------
    densities : sequence of ndarray of float32, shape (rows, columns)
        One per species: the share of its seeds that come up at a place, in [0, 1].
    suitabilities : sequence of ndarray of float32, shape (rows, columns)
        One per species: how well a place suits it, in [0, 1], on which depends how fast it grows there.
    habitat : Habitat
        Where it is dry, which fires ask for, and where ground has moved, which landslides do.
    cell_size : float
        Metres.
    water : WaterCover
        Where water keeps plants away; nowhere if nothing is given.
    """

    densities: Sequence[Field]
    suitabilities: Sequence[Field]
    habitat: Habitat
    cell_size: float
    water: WaterCover = DRY

    @property
    def seed_bed(self) -> SeedBed:
        """The ground in the form that kernels take."""
        rows, columns = self.habitat.altitude.shape
        width, depth = (columns - 1) * self.cell_size, (rows - 1) * self.cell_size
        density, suitability = np.empty((2, len(self.densities), rows, columns), np.uint8)
        for shares, maps in ((density, self.densities), (suitability, self.suitabilities)):
            for kind, values in enumerate(maps):
                shares[kind] = np.rint(np.clip(values, 0.0, 1.0) * 255.0)
        return SeedBed(density, suitability, 1.0 / self.cell_size, width, depth)


def evolve(
    start: Plants,
    lasting: Plants,
    environment: Environment,
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
    environment : Environment
        What it grows on, 2 × 2 samples or more.
    species : sequence of Species
        At most 255.
    evolution : Evolution
        Years, and the laws of competition and death.
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
    maps = len(environment.densities)
    if len(species) > 255 or maps != len(species):
        raise ValueError(f"{len(species)} species with {maps} density maps; there may be 255, one map each")
    rows, columns = environment.habitat.altitude.shape
    if min(rows, columns) < 2:
        raise ValueError(f"a land of {rows} × {columns} samples has no room for a forest; it needs 2 × 2 or more")
    life = _Life(start, environment, species, evolution, most_plants, seed)
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
    return life.records.forest(species, lasting)


class _Life:
    """The forest of one moment, and the records of its past."""

    def __init__(
        self,
        start: Plants,
        environment: Environment,
        species: Sequence[Species],
        evolution: Evolution,
        most_plants: int,
        seed: int,
    ) -> None:
        self.evolution, self.habitat = evolution, environment.habitat
        self.most_plants, self.seed, self.year = most_plants, seed, 0.0
        self.bed = environment.seed_bed
        self.traits = traits_of(species)
        self.recruitment = Recruitment(species, self.traits, self.bed, most_plants, seed, environment.water)
        self.population = newcomers(start, self.traits, self.bed, derive_seed(seed, Purpose.FIRST_PLANTS))
        self.records = ForestRecords(self.traits.size.radius * self.traits.size.widest)
        self.store()

    def pass_years(self, step: int, year: float) -> None:
        """Let time pass until `year`."""
        here, evolution, span = self.population, self.evolution, year - self.year
        height = measure_heights(here.species, here.radius, self.traits.size)
        crowns = here.radius * self._crown_shares(here)
        sizes = sort_by_size(here.x, here.y, crowns, height, self.bed.width, self.bed.depth)
        tolerance = self.traits.shade_tolerance[here.species]
        shares = measure_shares(sizes, tolerance, evolution.asymmetry, evolution.competition)
        deaths = Deaths(np.zeros(here.x.size, np.uint8), np.empty(here.x.size, np.float32))
        forgetting, exact = 1.0 - math.exp(-span / evolution.memory), evolution.death_by_age == "exact"
        rates = GrowthRates(self.year, span, evolution.starvation, forgetting, exact)
        before = here.radius.copy()
        grow(here, shares, self.traits.growth, rates, deaths)
        self._disturb(step, span, height, deaths)
        if evolution.crushing:
            self._crush(before, shares, span, deaths)
        self.year = year
        born = self.recruitment.seedlings(here, sizes, evolution, Season(year, span, step))
        self._remove_dead(deaths)
        if evolution.crushing:
            born = self._uncovered(born)
        room = max(self.most_plants - self.population.x.size, 0)
        if born.x.size > room:
            born = born.only(np.arange(born.x.size) < room)
        self.population = self.population.joined(born)

    def store(self) -> None:
        """Keep the state of this moment."""
        self.records.store(self.year, self.population)

    def _disturb(self, step: int, span: float, height: Array, deaths: Deaths) -> None:
        """Let fires, storms and landslides strike."""
        intervals = {
            Fate.FIRE: self.evolution.fire_interval,
            Fate.WIND: self.evolution.windthrow_interval,
            Fate.LANDSLIDE: self.evolution.landslide_interval,
        }
        for cause, interval in intervals.items():
            if interval > 0.0:
                # A patch of this size comes about once in an interval on an area of its own size.
                chance = 1.0 - math.exp(-span / interval * 4.0 / math.pi)
                seed = derive_seed(self.seed, Purpose.DEATHS, int(cause), step)
                middle, depth = self.year + 0.5 * span, self.evolution.landslide_depth
                event = Disturbance(int(cause), self.evolution.patch, chance, seed, middle, depth)
                strike(self.population, height, self.habitat, self.bed.per_sample, event, deaths)

    def _crush(self, before: Array, shares: Array, span: float, deaths: Deaths) -> None:
        """Let larger plants kill those whose stems their crowns cover while they grow; `before` are the radii."""
        here, traits = self.population, self.traits.growth
        pace = traits.rate[here.species] * here.suitability * shares
        law, own = traits.law[here.species], self._crown_shares(here)
        # The other laws of growth are the same for a crown of any width.
        pace = np.where(law == LINEAR, pace * own, pace)
        crowns = Crowns(here.x, here.y, before * own, here.radius * own, law, traits.radius[here.species] * own, pace)
        crush(crowns, self.year, span, self.bed.width, self.bed.depth, deaths)
        here.health[deaths.fate > 0] = 0.0

    def _uncovered(self, born: Population) -> Population:
        """Seedlings whose stems no larger crown covers."""
        known, together = self.population.x.size, self.population.joined(born)
        crowns = together.radius * self._crown_shares(together)
        free = stand_free(together.x, together.y, crowns, known, self.bed.width, self.bed.depth)
        return born.only(free)

    def _crown_shares(self, plants: Population) -> Array:
        """How wide the crowns of some plants are, as shares of what their sizes give."""
        return crown_shares(plants.species, plants.bits, self.traits.size)

    def _remove_dead(self, deaths: Deaths) -> None:
        """Take the dead out of the population, and remember those that were stored."""
        dead = deaths.fate > 0
        remembered = dead & (self.population.record >= 0)
        self.records.note_deaths(self.population.record[remembered], deaths.year[remembered], deaths.fate[remembered])
        self.population = self.population.only(~dead)

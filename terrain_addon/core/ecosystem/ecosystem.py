"""The parameters of a plant community, and the forest that follows from them.

>>> from terrain_addon.core.foundation.progress import run
>>> flat = np.full((5, 5), 0.5, np.float32)
>>> habitat = Habitat(sediment=flat, illumination=flat, humidity=flat, slope=0.0 * flat, altitude=flat)
>>> forest = run(grow_forest(habitat, Ecosystem(species=(TREE,)), cell_size=10.0, seed=1))
>>> 50 < len(forest.plants_at(0.0)) < 120
True
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, overload

import numpy as np
import numpy.typing as npt

from ..foundation.parameters import ParameterSet, group, parameter, series
from ..foundation.progress import Steps, within
from ..foundation.sampling import sample
from ..foundation.terrain import Field, Grid, as_field
from .dart_throwing import Corner, DartThrowing, throw_darts
from .density import COMBINATIONS, Habitat, plant_density
from .evolution import Environment, evolve
from .evolution_parameters import Evolution
from .flooded_ground import WaterCover, clear_open_water, cover_of
from .forest import SEEDLING, Forest, lasting_forest
from .groves import Groves, gather_in_groves
from .plant_looks import fit_to_site
from .plants import Plants, remove_plants
from .soil_feedback import SoilFeedback
from .species import Species

TREE = Species()
BUSH = Species(
    name="bush",
    form="bush",
    height=1.6,
    radius=1.5,
    lifetime=30.0,
    growth_rate=0.5,
    maturity=5.0,
    shade_tolerance=0.6,
    dispersal_distance=10.0,
    dead_wood_years=3.0,
    sediment_response=((0.0, 0.0), (0.05, 0.4), (0.3, 1.0), (2.0, 1.0)),
    illumination_response=((0.0, 0.0), (0.3, 0.2), (0.7, 0.8), (1.0, 1.0)),
    humidity_response=((0.0, 0.2), (0.3, 0.5), (0.7, 0.5), (1.0, 0.2)),
    slope_response=((0.0, 1.0), (30.0, 1.0), (45.0, 0.0), (90.0, 0.0)),
    altitude_response=((0.0, 1.0), (1700.0, 1.0), (2300.0, 0.0), (9000.0, 0.0)),
)


# Share of the progress that placing takes where a forest grows afterwards.
_PLACING = 0.2


@dataclass(frozen=True)
class Ecosystem(ParameterSet):
    """Which plants grow, and how they share the ground."""

    combination: str = parameter(
        "product_sum",
        "How soil, light and water together decide where a plant can stand",
        choices=COMBINATIONS,
        advanced=True,
    )
    cover: float = parameter(
        1.0,
        "Share of the suitable places that have plants; less makes clearings",
        limits=(0.0, 1.0),
        label="Plant Cover",
    )
    groves: float = parameter(
        0.0,
        "How much plants of a species stand together in groves, with open ground between: 0 spreads them evenly, 1 "
        "leaves none outside of groves. Closed forest stays closed",
        limits=(0.0, 1.0),
    )
    grove_size: float = parameter(
        60.0,
        "How wide groves are; those narrower than half a cell of the land do not show, and those wider than a twelfth "
        "of the land change how many plants there are",
        unit="m",
        limits=(0.1, 1e5),
        soft=(10.0, 500.0),
    )
    throwing: DartThrowing = group(DartThrowing, "How plants are placed", label="Placing of Plants")
    evolution: Evolution = group(Evolution, "How the forest grew")
    soil: SoilFeedback = group(SoilFeedback, "What rain and plants do to the soil")
    species: tuple[Species, ...] = series((Species,), (TREE, BUSH), "Kinds of plants")


def grow_forest(
    habitat: Habitat,
    ecosystem: Ecosystem,
    cell_size: float,
    seed: int,
    exclusion: Field | None = None,
    plant_here: Field | None = None,
    corner: Corner | None = None,
) -> Steps[Forest]:
    """Make a forest: placed at once, or grown over years.

    Parameters
    ----------
    habitat : Habitat
        What each place offers.
    ecosystem : Ecosystem
        Its evolution's `years` decide: 0 places plants of all ages, more let them grow, compete and die.
    cell_size : float
        Metres.
    seed : int
        0 to 2³¹ − 1.
    exclusion : ndarray of float32, shape (rows, columns), optional
        Share of the plants that must not stand here, 0 to 1: roads, fields, houses.
    plant_here : ndarray of float32, shape (rows, columns), optional
        Suitability of at least this much, 0 to 1, for all species; exclusion and water come before it.
    corner : Corner, optional
        Where the land lies in a larger one; plants are placed alike where parts of that overlap.

    Yields
    ------
    float
        How much is done, from 0 to 1; finishing early returns the forest up to the year that is reached.

    Returns
    -------
    Forest
        ``plants_at(year)`` are its plants; without evolution there is only year 0.

    Raises
    ------
    ValueError
        If a mask is not of the shape of the habitat or holds NaN, or a species asks for a map that is not there.
    """
    water = cover_of(habitat.waters, habitat.altitude, cell_size)
    place = corner or Corner(0.0, 0.0, seed)
    rows, columns = habitat.altitude.shape
    site = _Site(Grid(rows, columns, cell_size, place.y / cell_size, place.x / cell_size), place.seed, water)
    ground = _Ground(habitat, ecosystem, exclusion, plant_here, site)
    for one in ecosystem.species:
        ground.check(one)
    densities, suitabilities = (_Maps(make, len(ecosystem.species)) for make in (ground.density, ground.suitability))
    evolution, species = ecosystem.evolution, ecosystem.species
    if evolution.years == 0.0:
        plants = yield from throw_darts(densities, cell_size, species, seed, ecosystem.throwing, water, corner)
        return lasting_forest(species, fit_to_site(plants, _at_plants(suitabilities, plants, cell_size)))

    if evolution.start == "bare":
        still = [kind for kind, one in enumerate(species) if one.lasts]
        kinds = [species[k] for k in still]
        placed = throw_darts([densities[k] for k in still], cell_size, kinds, seed, ecosystem.throwing, water, corner)
        plants = yield from within(placed, 0.0, _PLACING)
        plants = _renumbered(plants, still)
    else:
        placed = throw_darts(densities, cell_size, species, seed, ecosystem.throwing, water, corner)
        plants = yield from within(placed, 0.0, _PLACING)
    lasts = np.array([one.lasts for one in species], np.bool_)[plants.species]
    living = remove_plants(plants, ~lasts)
    if evolution.start == "young":
        living = _as_seedlings(living, species)
    elif evolution.start == "grown":
        living = _with_even_crowns(living, species)
    environment = Environment(densities, suitabilities, habitat, cell_size, water)
    most = ecosystem.throwing.most_plants
    growing = evolve(living, remove_plants(plants, lasts), environment, species, evolution, most, seed)
    return (yield from within(growing, _PLACING, 1.0))


class _Site(NamedTuple):
    """Where a forest grows: the samples of the land, the seed of its groves, and its open water."""

    grid: Grid
    seed: int
    water: WaterCover


class _Maps(Sequence[Field]):
    """A map for each species, made when it is asked for: all at once may be more than memory holds."""

    def __init__(self, make: Callable[[int], Field], count: int) -> None:
        self._make, self._count = make, count

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, kind: int) -> Field: ...
    @overload
    def __getitem__(self, kind: slice) -> Sequence[Field]: ...
    def __getitem__(self, kind: int | slice) -> Field | Sequence[Field]:
        if isinstance(kind, slice):
            return [self[k] for k in range(*kind.indices(len(self)))]
        return self._make(kind)

    def __iter__(self) -> Iterator[Field]:
        return (self[k] for k in range(len(self)))


class _Ground:
    """What each place offers to each species."""

    def __init__(
        self,
        habitat: Habitat,
        ecosystem: Ecosystem,
        exclusion: Field | None,
        plant_here: Field | None,
        site: _Site,
    ) -> None:
        self.habitat, self.ecosystem, self.site = habitat, ecosystem, site
        self.exclusion = _as_mask(exclusion, "exclusion", habitat)
        self.plant_here = _as_mask(plant_here, "plant_here", habitat)

    def density(self, kind: int) -> Field:
        """Share of the places that have plants of a species."""
        ecosystem = self.ecosystem
        density = plant_density(self.habitat, ecosystem.species[kind], ecosystem.combination)
        density *= np.float32(ecosystem.cover)
        groves = Groves(ecosystem.groves, ecosystem.grove_size)
        gather_in_groves(density, groves, self.site.grid, self.site.seed, kind)
        if self.plant_here is not None:
            np.maximum(density, self.plant_here, out=density)
        if self.exclusion is not None:
            density *= np.float32(1.0) - self.exclusion
        clear_open_water(density, ecosystem.species[kind].deepest_water, self.site.water)
        return density

    def suitability(self, kind: int) -> Field:
        """How well each place suits a species; where plants are painted, at least as well as the paint is strong.

        Cover, groves, masks and painted maps of a species make plants fewer, not smaller, so they do not count here.
        """
        species = self.ecosystem.species[kind].replace(painted_map="")
        suitability = plant_density(self.habitat, species, self.ecosystem.combination)
        if self.plant_here is not None:
            np.maximum(suitability, self.plant_here, out=suitability)
        return suitability

    def check(self, one: Species) -> None:
        """Refuse a species that asks for a map that is not there."""
        if one.painted_map and one.painted_map not in self.habitat.painted:
            there_are = ", ".join(self.habitat.painted) or "none"
            raise ValueError(
                f"{one.name} responds to a painted map {one.painted_map!r}, which the land does not have; "
                f"painted maps: {there_are}"
            )


def _at_plants(suitabilities: Sequence[Field], plants: Plants, cell_size: float) -> npt.NDArray[np.float32]:
    """How well its place suits each plant."""
    result = np.empty(len(plants), np.float32)
    for kind in range(len(suitabilities)):
        own = np.flatnonzero(plants.species == kind)
        if own.size > 0:
            result[own] = sample(suitabilities[kind], cell_size, plants.x[own], plants.y[own])
    return result


def _as_mask(values: Field | None, name: str, habitat: Habitat) -> Field | None:
    """A mask as kernels take it, after checking shape and range."""
    if values is None:
        return None
    mask = as_field(values, name)
    if mask.shape != habitat.altitude.shape:
        raise ValueError(f"{name} has shape {mask.shape} but the land {habitat.altitude.shape}")
    if mask.min() < 0.0 or mask.max() > 1.0:
        raise ValueError(f"{name} reaches from {mask.min()} to {mask.max()}, outside 0 to 1")
    return mask


def _renumbered(plants: Plants, kinds: Sequence[int]) -> Plants:
    """Plants of some of the species, as members of the whole list; `kinds` says which those are."""
    values = dict(vars(plants))
    values["species"] = np.array([*kinds, 0], np.int32)[plants.species]
    return Plants(**values)


def _with_even_crowns(plants: Plants, species: Sequence[Species]) -> Plants:
    """The same plants with the crowns that their heights give: a plant that lives draws its share of that anew."""
    full, height, variation = (
        np.array([getattr(one, name) for one in species], np.float32)[plants.species]
        for name in ("radius", "height", "radius_variation")
    )
    even = np.where(variation > 0.0, full * (plants.height / height), plants.radius)
    return replace(plants, radius=even.astype(np.float32))


def _as_seedlings(plants: Plants, species: Sequence[Species]) -> Plants:
    """The same plants as seedlings."""
    values = dict(vars(plants))
    values["age"] = np.full(len(plants), 1e-3, np.float32)
    full = np.array([one.radius for one in species], np.float32)[plants.species]
    # Sizes must differ a little, or no seedling would ever overtop another.
    lots = plants.rotation / np.float32(360.0)
    values["radius"] = full * np.float32(SEEDLING) * (np.float32(1.0) + lots)
    values["health"] = np.ones(len(plants), np.float32)
    return Plants(**values)

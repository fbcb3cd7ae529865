"""What holds for every forest that grows: each law with the case that breaks it."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial import cKDTree

from terrain_addon import core
from terrain_addon.core.building.layers import Relief
from terrain_addon.core.building.overrides import override
from terrain_addon.core.building.plan import plan_of
from terrain_addon.core.ecosystem.competition import measure_shares, overlap_of_smaller, sort_by_size
from terrain_addon.core.ecosystem.density import Habitat
from terrain_addon.core.ecosystem.dispersal import dispersal_distance
from terrain_addon.core.ecosystem.ecosystem import Ecosystem, grow_forest
from terrain_addon.core.ecosystem.evolution import Environment, evolve
from terrain_addon.core.ecosystem.evolution_parameters import Evolution
from terrain_addon.core.ecosystem.forest import SEEDLING, Forest, lasting_forest
from terrain_addon.core.ecosystem.groves import Groves, gather_in_groves
from terrain_addon.core.ecosystem.plant_fate import Condition, Fate
from terrain_addon.core.ecosystem.plant_growth import death_age
from terrain_addon.core.ecosystem.plant_looks import full_grown_radius
from terrain_addon.core.ecosystem.plants import Plants, remove_plants
from terrain_addon.core.ecosystem.soil_feedback import SoilFeedback, measure_plant_cover, work_on_soil
from terrain_addon.core.ecosystem.species import ALWAYS, Species, load_species
from terrain_addon.core.erosion.landslides import Landslides
from terrain_addon.core.erosion.mass_balance import volume_of
from terrain_addon.core.erosion.weathering import Weathering
from terrain_addon.core.flow.water import Water
from terrain_addon.core.foundation import compilation
from terrain_addon.core.foundation.progress import run
from terrain_addon.core.foundation.sampling import sample
from terrain_addon.core.foundation.terrain import Grid, Terrain
from terrain_addon.core.maps.slope import measure_gradient, measure_slope
from terrain_addon.core.relief.fractal_noise import FractalNoise

pytestmark = pytest.mark.once

CELL = 4.0
# At home everywhere, childless and as good as immortal.
PLAIN = Species(
    name="plain",
    radius=6.0,
    height=20.0,
    growth_rate=0.1,
    fecundity=0.0,
    seed_rain=0.0,
    lifetime=5000.0,
    sediment_response=ALWAYS,
    illumination_response=ALWAYS,
    humidity_response=ALWAYS,
    slope_response=ALWAYS,
    altitude_response=ALWAYS,
)


def habitat(side: int = 33, **maps: float | np.ndarray) -> Habitat:
    values = {"sediment": 1.0, "illumination": 0.5, "humidity": 0.5, "slope": 0.0, "altitude": 0.0} | maps
    return Habitat(**{name: np.full((side, side), value, np.float32) for name, value in values.items()})


def seedlings(count: int, land: float = 128.0, seed: int = 1) -> Plants:
    """Seedlings at random places, of sizes that differ a little."""
    random = np.random.default_rng(seed)
    x, y = random.uniform(0, land, (2, count)).astype(np.float32)
    zeros = np.zeros(count, np.int32)
    radius = (6.0 * SEEDLING * random.uniform(1.0, 2.0, count)).astype(np.float32)
    small = np.full(count, 1e-3, np.float32)
    return Plants(x, y, zeros, small, small, np.zeros(count, np.float32), zeros, radius)


def live(start: Plants, years: float, species: Species = PLAIN, side: int = 33, **options: float) -> Forest:
    """An even-aged stand after some years."""
    nothing = remove_plants(start, np.zeros(len(start), np.bool_))
    evolution = Evolution(years=years, stored_every=1.0, **options)
    everywhere = [np.ones((side, side), np.float32)]
    environment = Environment(everywhere, everywhere, habitat(side), CELL)
    return run(evolve(start, nothing, environment, [species], evolution, 10**6, 1))


def living(forest: Forest, year: float) -> Plants:
    plants = forest.plants_at(year)
    return remove_plants(plants, plants.condition == Condition.LIVING)


def test_overlap_is_that_of_a_lens() -> None:
    for ratio in (1.0, 0.7, 0.3, 0.05):
        for share in np.linspace(0.0, 1.0, 21):
            d = (1 + ratio) - 2 * ratio * share
            if share == 1.0 or d <= 1 - ratio:
                exact = 1.0
            else:
                a = ratio**2 * math.acos(np.clip((d * d + ratio**2 - 1) / (2 * d * ratio), -1, 1))
                b = math.acos(np.clip((d * d + 1 - ratio**2) / (2 * d), -1, 1))
                root = max((-d + ratio + 1) * (d + ratio - 1) * (d - ratio + 1) * (d + ratio + 1), 0.0)
                exact = (a + b - 0.5 * math.sqrt(root)) / (math.pi * ratio**2)
            assert overlap_of_smaller(d, ratio, 1.0) == pytest.approx(exact, abs=0.025)
            assert overlap_of_smaller(d, 1.0, ratio) == overlap_of_smaller(d, ratio, 1.0)


@pytest.mark.parametrize("asymmetry", [0.0, 0.6, 1.0])
def test_shares_are_those_of_looking_at_every_pair(asymmetry: float) -> None:
    random = np.random.default_rng(1)
    x, y = random.uniform(0, 100, (2, 400)).astype(np.float32)
    radius = (8.0 * random.uniform(0, 1, 400) ** 4 + 0.05).astype(np.float32)
    height, tolerance = (radius * random.uniform(1, 3, 400)).astype(np.float32), random.uniform(0, 1, 400)
    listed = sort_by_size(x, y, radius, height, 100.0, 100.0)
    shares = measure_shares(listed, tolerance.astype(np.float32), asymmetry, 0.9)
    expected = np.ones(400)
    for i in range(400):
        for j in range(400):
            if i != j:
                d = float(np.hypot(np.float64(x[i]) - x[j], np.float64(y[i]) - y[j]))
                smaller = min(radius[i], radius[j]) / radius[i]
                covered = overlap_of_smaller(d, float(radius[i]), float(radius[j])) * smaller**2
                taken = asymmetry * (1 - tolerance[i]) * (height[j] > height[i]) + 0.5 * (1 - asymmetry)
                expected[i] *= 1 - 0.9 * taken * covered
    assert shares == pytest.approx(expected, abs=1e-4)
    assert shares.min() < 0.5


def test_two_equal_neighbours_on_one_place_share_evenly_or_one_takes_all() -> None:
    one = np.ones(2, np.float32)
    listed = sort_by_size(one, one, one, one, 10.0, 10.0)
    assert measure_shares(listed, 0 * one, 0.0, 1.0) == pytest.approx([0.5, 0.5])
    assert sorted(measure_shares(listed, 0 * one, 1.0, 1.0)) == pytest.approx([0.0, 1.0])


@pytest.mark.parametrize("step", [1.0, 5.0])
def test_a_lonely_plant_grows_by_the_logistic_law(step: float) -> None:
    start = seedlings(1)
    forest = live(start, 100.0, step=step)
    for year in (20.0, 60.0, 100.0):
        expected = 6.0 / (1 + (6.0 / start.radius[0] - 1) * math.exp(-0.1 * year))
        assert living(forest, year).radius[0] == pytest.approx(expected, rel=1e-3)


def test_without_competition_the_pattern_stays_as_seeded() -> None:
    start = seedlings(2000)
    places = {*zip(start.x, start.y)}
    free, crowded = (living(live(start, 80.0, competition=strength), 80.0) for strength in (0.0, 1.0))
    assert {*zip(free.x, free.y)} == places
    assert len({*zip(crowded.x, crowded.y)}) < 0.5 * len(places)


def test_without_death_the_number_is_constant() -> None:
    start = seedlings(500)
    immortal = live(start, 80.0, starvation=0.0)
    assert [len(living(immortal, year)) for year in (0.0, 40.0, 80.0)] == [500] * 3
    # Each way to die brings the number down.
    assert len(living(live(start, 80.0), 80.0)) < 300
    for change in ({"fire_interval": 50.0}, {"windthrow_interval": 20.0}):
        assert len(living(live(start, 80.0, starvation=0.0, patch=30.0, **change), 80.0)) < 450
    assert len(living(live(start, 80.0, PLAIN.replace(lifetime=80.0), starvation=0.0), 80.0)) == 0


@pytest.mark.parametrize("asymmetry", [0.0, 0.9])
def test_an_even_aged_stand_thins_itself(asymmetry: float) -> None:
    start = seedlings(25_000, 256.0)

    def slope(species: Species = PLAIN, **options: float) -> float:
        forest = live(start, 90.0, species, 65, asymmetry=asymmetry, **options)
        stands = [living(forest, float(year)) for year in range(91)]
        number = np.array([len(stand) for stand in stands])
        size = np.array([stand.radius.mean() for stand in stands])
        # The canopy is closed when crowns together are as large as the ground, and the stand has come to the line when
        # half of it has died; it leaves the line where crowns approach their full size.
        closed = (number * np.pi * size**2 > 256.0**2) & (number < 0.5 * len(start)) & (size < 0.6 * PLAIN.radius)
        assert closed.sum() > 5
        return float(np.polyfit(np.log(size[closed]), np.log(number[closed]), 1)[0])

    # N ∝ R⁻²: crowns fill the ground (Yoda et al. 1963, in terms of the radius).
    assert -2.2 <= slope() <= -1.5
    # Plants that die of age, and not of one another, follow another line for every lifetime.
    assert not -2.2 <= slope(PLAIN.replace(lifetime=52.0), competition=0.0) <= -1.5


def near_pairs(x: np.ndarray, y: np.ndarray, reach: float) -> int:
    return len(cKDTree(np.stack([x, y], axis=1)).query_pairs(reach))


def test_a_clumped_pattern_becomes_regular() -> None:
    random = np.random.default_rng(2)
    start = seedlings(4000, 256.0)
    clumps = random.uniform(0, 256, (100, 2))[random.integers(0, 100, 4000)]
    places = np.clip(clumps + random.normal(0, 6.0, (4000, 2)), 0, 255.9).astype(np.float32)
    start = Plants(**{**vars(start), "x": places[:, 0].copy(), "y": places[:, 1].copy()})
    forest = live(start, 90.0, side=65)

    def rank(plants: Plants, reach: float) -> int:
        """How many of 199 random patterns of as many plants have fewer close pairs."""
        by_chance = [near_pairs(*random.uniform(0, 256, (2, len(plants))), reach) for _ in range(199)]
        return int(np.sum(np.array(by_chance) < near_pairs(plants.x, plants.y, reach)))

    assert rank(living(forest, 0.0), 3.0) == 199
    assert rank(living(forest, 90.0), 3.0) == 0
    # Without competition the clumps are still there.
    assert rank(living(live(start, 90.0, side=65, competition=0.0), 90.0), 3.0) == 199


def test_survivors_give_the_response_curve_back() -> None:
    side = 129
    water = np.tile(np.linspace(0, 1, side, dtype=np.float32), (side, 1))
    curve = ((0.0, 0.0), (0.4, 1.0), (0.6, 1.0), (1.0, 0.0))
    one = PLAIN.replace(
        radius=2.0, humidity_response=curve, illumination_response=((0, 0), (0, 0), (1, 0), (1, 0)), lifetime=60.0,
        fecundity=0.5, seed_rain=20.0, maturity=5.0, growth_rate=0.4, far_seeds=0.1,
    )  # fmt: skip
    other = one.replace(humidity_response=((0.0, 1.0), (0.4, 0.0), (0.6, 0.0), (1.0, 1.0)))
    expected = np.interp((np.arange(16) + 0.5) / 16, *np.array(curve).T)
    found = []
    for species in (one, other):
        ecosystem = Ecosystem(species=(species,), evolution=Evolution(years=80.0, step=2.0))
        forest = run(grow_forest(habitat(side, humidity=water), ecosystem, CELL, 1))
        counts = np.histogram(living(forest, 80.0).x, bins=16, range=(0, (side - 1) * CELL))[0]
        found.append(float(np.corrcoef(counts, expected)[0, 1]))
    assert found[0] > 0.9
    assert found[1] < 0.5


SPECIES = (load_species("birch"), load_species("beech"), load_species("fern"), load_species("rock"))


def grown(seed: int = 1, years: float = 60.0, **options: float | str) -> Forest:
    evolution = Evolution(years=years, fire_interval=200.0, windthrow_interval=100.0, **options)
    return run(grow_forest(habitat(humidity=0.6), Ecosystem(species=SPECIES, evolution=evolution), CELL, seed))


def test_same_seed_same_forest_on_any_number_of_threads() -> None:
    before = compilation.thread_count()
    forests = []
    try:
        for threads in (1, 2):
            compilation.set_thread_count(threads)
            forests.append(grown())
    finally:
        compilation.set_thread_count(before)
    for name in ("x", "y", "kind", "birth", "death", "fate", "bits", "sizes", "healths"):
        assert getattr(forests[0], name).tobytes() == getattr(forests[1], name).tobytes()
    assert forests[0].x.size > 500
    assert grown(seed=2).x.tobytes() != forests[0].x.tobytes()


def test_birch_comes_first_and_beech_stays() -> None:
    species = tuple(load_species(name) for name in ("birch", "beech"))
    evolution = Evolution(years=220.0, step=2.0)
    place = habitat(65, sediment=1.2, illumination=0.6, altitude=500.0)
    forest = run(grow_forest(place, Ecosystem(species=species, evolution=evolution), CELL, 1))

    def canopy(year: float) -> np.ndarray:
        plants = living(forest, year)
        return np.array([np.sum(plants.radius[plants.species == kind] ** 2, dtype=np.float64) for kind in (0, 1)])

    early, late = canopy(60.0), canopy(220.0)
    assert early[0] > 2.0 * early[1]
    assert late[1] > 2.0 * late[0]


def test_years_between_states_lie_between_them() -> None:
    forest = grown()
    assert forest.state_years == pytest.approx(np.arange(0.0, 61.0, 5.0))
    before, between, after = (forest.plants_at(year) for year in (40.0, 42.5, 45.0))
    sizes = [dict(zip(zip(p.x, p.y), p.radius)) for p in (before, between, after)]
    common = sizes[0].keys() & sizes[1].keys() & sizes[2].keys()
    assert len(common) > 100
    for place in common:
        assert sizes[1][place] == pytest.approx(0.5 * (sizes[0][place] + sizes[2][place]), rel=1e-4)
    for plants in (before, between, after):
        for name in ("age", "height", "radius"):
            assert getattr(plants, name).min() > 0.0
        assert plants.health.min() >= 0.0 and plants.health.max() <= 1.0
        assert ((plants.health == 0.0) == (plants.condition > 0)).all()
        assert plants.x.min() >= 0.0 and plants.x.max() <= 128.0
        assert (plants.species == 3).sum() == len(forest.lasting) > 0
    with pytest.raises(ValueError, match=r"year = 61.0 is outside 0 to 60, the years that this forest has grown"):
        forest.plants_at(61.0)


def test_dead_wood_stands_or_lies_for_its_years_and_vanishes() -> None:
    start = seedlings(300)
    mortal = PLAIN.replace(lifetime=30.0, dead_wood_years=10.0)
    forest = live(start, 60.0, mortal, starvation=0.0)
    ages = [death_age(int(bits), 30.0) for bits in forest.bits]
    assert forest.death == pytest.approx(ages, abs=0.01)
    assert np.mean(np.array(ages) > 29.9) < 0.05
    for year in (10.0, 25.0, 45.0):
        standing = int((forest.plants_at(year).condition == Condition.STANDING_DEAD).sum())
        assert standing == int(((forest.death <= year) & (year < forest.death + 10.0)).sum())
    assert len(forest.plants_at(60.0)) == 0
    thrown = live(start, 60.0, PLAIN.replace(dead_wood_years=500.0), windthrow_interval=20.0, starvation=0.0)
    lying = thrown.plants_at(60.0).condition == Condition.LYING_DEAD
    assert lying.sum() == (thrown.fate == Fate.WIND).sum() > 10
    # Wind leaves small plants alone.
    assert thrown.plants_at(60.0).height[lying].min() > 5.0


def test_half_of_the_seeds_fall_within_the_dispersal_distance() -> None:
    share = np.linspace(0.0, 0.999, 1000)
    distance = np.array([dispersal_distance(20.0, s) for s in share])
    # 2Dt with shape 1 (Clark et al. 1999): F = 1 − 1 / (1 + r²/u).
    assert distance[500] == pytest.approx(20.0, rel=0.01)
    assert 1 - 1 / (1 + distance**2 / 400.0) == pytest.approx(share, abs=1e-9)


def test_forest_can_be_finished_early() -> None:
    evolution = Evolution(years=60.0, start="young")
    steps = grow_forest(habitat(), Ecosystem(species=(PLAIN,), evolution=evolution), CELL, 1)
    share = next(steps)
    with pytest.raises(StopIteration) as end:
        while True:
            share = steps.send(True if share > 0.5 else None)
    assert 15.0 < end.value.value.years < 30.0


def test_masks_forbid_and_demand() -> None:
    forbidden, wanted = (np.zeros((33, 33), np.float32) for _ in range(2))
    forbidden[:, :9], wanted[:, 24:] = 1.0, 1.0
    hostile = PLAIN.replace(altitude_response=((0.0, 0.3), (0.0, 0.3), (1.0, 0.3), (1.0, 0.3)), radius=2.0)
    for years in (0.0, 20.0):
        evolution = Evolution(years=years, start="young")
        ecosystem = Ecosystem(species=(hostile,), evolution=evolution)
        forest = run(grow_forest(habitat(), ecosystem, CELL, 1, forbidden, wanted))
        plants = forest.plants_at(years)
        counts = np.histogram(plants.x, bins=4, range=(0, 128))[0]
        assert counts[0] == 0 and counts[3] > 1.5 * counts[1] > 0
    with pytest.raises(ValueError, match=r"exclusion has shape \(2, 2\) but the land \(33, 33\)"):
        next(grow_forest(habitat(), ecosystem, CELL, 1, np.zeros((2, 2), np.float32)))
    with pytest.raises(ValueError, match=r"plant_here reaches from 0.0 to 2.0, outside 0 to 1"):
        next(grow_forest(habitat(), ecosystem, CELL, 1, plant_here=2 * wanted))


def test_plants_are_smaller_where_the_place_suits_them_less() -> None:
    """Forests end in small trees; that fewer are wanted makes none of them smaller."""
    falling = PLAIN.replace(radius=2.0, altitude_response=((0.0, 0.1), (0.0, 0.1), (1.0, 1.0), (1.0, 1.0)))
    east = np.tile(np.linspace(0.0, 1.0, 33, dtype=np.float32), (33, 1))
    place = habitat(altitude=east)
    few, wanted = np.full((33, 33), 0.4, np.float32), np.ones((33, 33), np.float32)

    def sizes(cover: float = 1.0, **masks: np.ndarray) -> tuple[Plants, np.ndarray]:
        plants = run(grow_forest(place, Ecosystem(species=(falling,), cover=cover), CELL, 1, **masks)).plants_at(0.0)
        # From west to east, over 128 m, suitability rises from 0.1 to 1.
        suits = 1.0 if "plant_here" in masks else 0.1 + 0.9 * plants.x / 128.0
        return plants, plants.height / falling.height / (0.4 + 0.6 * suits)

    def of_age(plants: Plants) -> np.ndarray:
        return (1.0 - np.exp(-3.0 * (0.1 + 0.9 * plants.age / falling.lifetime))) / (1.0 - np.exp(-3.0))

    for options in ({}, {"cover": 0.5}, {"exclusion": few}, {"plant_here": wanted}):
        plants, height = sizes(**options)
        assert len(plants) > 200
        np.testing.assert_allclose(height, of_age(plants), rtol=1e-4)
        np.testing.assert_allclose(plants.radius / falling.radius, plants.height / falling.height, rtol=1e-5)
        np.testing.assert_allclose(full_grown_radius(plants, [falling]), falling.radius, rtol=1e-5)


@pytest.mark.parametrize("years", [0.0, 60.0])
def test_groves_move_plants_together_and_hardly_change_their_number(years: float) -> None:
    """The index of Clark and Evans (1954, doi:10.2307/1931034) is 1 by chance, and less the more plants stand together.

    It is taken of the fourth neighbours, as Thompson (1956) does: nearer ones keep a distance of their own.
    """
    thin = PLAIN.replace(
        radius=3.0, seed_rain=20.0, altitude_response=((0.0, 0.15), (0.0, 0.15), (1.0, 0.15), (1.0, 0.15))
    )
    ecosystem = Ecosystem(species=(thin,), evolution=Evolution(years=years))
    ground = habitat(side=129)

    def stand(groves: float) -> Plants:
        return living(run(grow_forest(ground, ecosystem.replace(groves=groves, grove_size=40.0), CELL, 1)), years)

    def togetherness(plants: Plants) -> float:
        places = np.stack((plants.x, plants.y), axis=1)
        apart = cKDTree(places).query(places, k=5)[0][:, 4]
        return float(apart.mean() / (1.094 / math.sqrt(len(plants) / (128 * CELL) ** 2)))

    even, some, most = (stand(groves) for groves in (0.0, 0.5, 1.0))
    assert togetherness(most) < 0.8 * togetherness(even) and togetherness(most) < togetherness(some)
    assert 0.7 < len(most) / len(even) < 1.3 and 0.7 < len(some) / len(even) < 1.3


def test_cover_groves_and_paint_make_growing_plants_fewer_and_not_smaller() -> None:
    """How fast plants grow is up to the site alone: here 0.6 times as fast as on the best."""
    fair = PLAIN.replace(altitude_response=((0.0, 0.6), (0.0, 0.6), (1.0, 0.6), (1.0, 0.6)), radius=2.0)
    painted = fair.replace(painted_map="few", painted_response=((0.0, 0.0), (0.0, 0.0), (1.0, 1.0), (1.0, 1.0)))
    few = np.full((33, 33), 0.3, np.float32)
    years = 60.0
    slowed = math.exp(-0.6 * fair.growth_rate * years)
    least, most = (2.0 / (1.0 + (1.0 / size - 1.0) * slowed) for size in (SEEDLING, 2.0 * SEEDLING))
    counts = []
    for species, exclusion, options in (
        (fair, None, {}),
        (fair, None, {"cover": 0.3}),
        (fair, None, {"groves": 1.0, "grove_size": 15.0}),
        (fair, few, {}),
        (painted, None, {}),
    ):
        evolution = Evolution(years=years, start="young", competition=0.0)
        ecosystem = Ecosystem(species=(species,), evolution=evolution, **options)
        ground = replace(habitat(), painted={"few": few})
        plants = living(run(grow_forest(ground, ecosystem, CELL, 1, exclusion)), years)
        assert least - 1e-3 < plants.radius.min() and plants.radius.max() < most + 1e-3
        assert plants.radius.max() - plants.radius.min() > 0.5 * (most - least)
        counts.append(len(plants))
    assert counts[1] < 0.5 * counts[0] and counts[4] < 0.5 * counts[0] and 100 < counts[3] < counts[0]


def test_a_forest_from_seed_has_nearly_as_many_plants_in_groves() -> None:
    """Plants that reproduce: groves must not be better ground than what lies between them."""
    thin = PLAIN.replace(
        radius=3.0,
        fecundity=0.3,
        maturity=10.0,
        seed_rain=5.0,
        dispersal_distance=30.0,
        altitude_response=((0.0, 0.4), (0.0, 0.4), (1.0, 0.4), (1.0, 0.4)),
    )
    ecosystem = Ecosystem(species=(thin,), evolution=Evolution(years=100.0, step=5.0))

    def stand(groves: float) -> Plants:
        grown = ecosystem.replace(groves=groves, grove_size=40.0)
        return living(run(grow_forest(habitat(side=129), grown, CELL, 1)), 100.0)

    even, together = stand(0.0), stand(1.0)
    assert len(even) > 1000 and 0.75 < len(together) / len(even) < 1.25
    assert 0.75 < (together.radius**2).sum() / (even.radius**2).sum() < 1.25


@pytest.mark.parametrize(
    ("groves", "size", "warns"),
    [
        (1.0, 62.0, True),
        (1.0, 60.0, False),
        (0.5, 124.0, True),
        (0.5, 120.0, False),
        (0.05, 600.0, False),
        (0.0, 60.0, False),
    ],
)
def test_groves_that_are_wide_beside_the_land_are_told(groves: float, size: float, warns: bool) -> None:
    recipe = core.Recipe(width=600.0, depth=900.0, resolution=17, erosion=())
    recipe = recipe.replace(ecosystem=recipe.ecosystem.replace(groves=groves, grove_size=size))
    # As many groves fit as on a square of 735 m, of which 12 side by side suffice.
    least = "Grove Size 61 m or less" if groves == 1.0 else "Grove Size 122 m or less"
    told = [one for one in plan_of(recipe, {}).warnings if "on a land of 600 × 900 m" in one and least in one]
    assert len(told) == warns
    assert not plan_of(recipe.replace(ecosystem=recipe.ecosystem.replace(species=())), {}).warnings


def test_groves_leave_closed_forest_bare_ground_and_paint() -> None:
    grid = Grid(129, 129, CELL)
    for share in (0.0, 1.0):
        density = np.full(grid.shape, share, np.float32)
        gather_in_groves(density, Groves(1.0, 40.0), grid, seed=1, kind=0)
        assert (density == share).all()
    nowhere = PLAIN.replace(altitude_response=((0, 0.1), (0, 0.1), (1, 0.1), (1, 0.1)))
    painted = np.ones((33, 33), np.float32)
    plants = [
        run(grow_forest(habitat(), Ecosystem(species=(nowhere,), groves=groves), CELL, 1, plant_here=painted))
        for groves in (0.0, 1.0)
    ]
    np.testing.assert_array_equal(plants[0].plants_at(0.0).x, plants[1].plants_at(0.0).x)


@pytest.mark.parametrize("cell", [2.0, 10.0, 40.0, 70.0])
def test_groves_keep_the_mean_density_on_grids_of_any_fineness(cell: float) -> None:
    grid = Grid(600, 600, cell)
    for share in (0.1, 0.4, 0.9):
        means = []
        for seed in range(6):
            density = np.full(grid.shape, share, np.float32)
            gather_in_groves(density, Groves(1.0, 60.0), grid, seed, kind=1)
            means.append(density.mean())
            assert density.min() < share < density.max()
        # Noise is not quite normal, and a small land has few groves.
        assert np.mean(means) == pytest.approx(share, rel=0.1)


def test_groves_lie_at_the_same_places_in_any_window_and_differ_between_species() -> None:
    grid, thin = Grid(257, 257, CELL), np.full((257, 257), 0.3, np.float32)
    whole, other, part = thin.copy(), thin.copy(), thin[:64, :50].copy()
    gather_in_groves(whole, Groves(0.8, 50.0), grid, seed=3, kind=0)
    gather_in_groves(other, Groves(0.8, 50.0), grid, seed=3, kind=1)
    gather_in_groves(part, Groves(0.8, 50.0), grid.window(100, 120, 64, 50), seed=3, kind=0)
    np.testing.assert_array_equal(part, whole[100:164, 120:170])
    assert abs(np.corrcoef(whole.ravel(), other.ravel())[0, 1]) < 0.3


def test_nothing_grows_where_nothing_suits() -> None:
    nowhere = PLAIN.replace(altitude_response=((0, 0), (0, 0), (1, 0), (1, 0)), fecundity=5.0, seed_rain=100.0)
    for years in (0.0, 30.0):
        ecosystem = Ecosystem(species=(nowhere,), evolution=Evolution(years=years))
        assert len(run(grow_forest(habitat(), ecosystem, CELL, 1)).plants_at(years)) == 0
    assert len(run(grow_forest(habitat(), Ecosystem(species=()), CELL, 1)).plants_at(0.0)) == 0


def test_no_more_plants_than_allowed() -> None:
    weed = PLAIN.replace(radius=0.3, seed_rain=10_000.0, fecundity=50.0, maturity=1.0)
    ecosystem = Ecosystem(species=(weed,), evolution=Evolution(years=10.0))
    ecosystem = ecosystem.replace(throwing=ecosystem.throwing.replace(most_plants=2000))
    forest = run(grow_forest(habitat(), ecosystem, CELL, 1))
    assert 1000 < len(living(forest, 10.0)) <= 2000


def test_a_million_years_are_refused() -> None:
    with pytest.raises(ValueError, match=r"years = 1000000.0 yr is outside 0.0 to 2000.0 yr"):
        Evolution(years=1e6)


def wild(**options: float) -> Forest:
    """Two species, none of which bears shade, that came up by themselves."""
    common = {"fecundity": 0.5, "seed_rain": 30.0, "maturity": 5.0, "shade_tolerance": 0.0, "lifetime": 200.0}
    species = (PLAIN.replace(**common), PLAIN.replace(name="low", radius=2.0, height=4.0, **common))
    evolution = Evolution(years=60.0, step=2.0, **options)
    return run(grow_forest(habitat(), Ecosystem(species=species, evolution=evolution), CELL, 1))


def stems_too_near(forest: Forest, spacing: float) -> int:
    """Number of pairs of living plants nearer than a share of the larger full radius."""
    plants = living(forest, 60.0)
    full = np.array([one.radius for one in forest.species])[plants.species]
    places = np.stack([plants.x, plants.y], axis=1).astype(np.float64)
    pairs = cKDTree(places).query_pairs(spacing * full.max(), output_type="ndarray")
    distance = np.linalg.norm(places[pairs[:, 0]] - places[pairs[:, 1]], axis=1)
    return int((distance < spacing * full[pairs].max(axis=1) * (1 - 1e-5)).sum())


def overtopped(plants: Plants) -> np.ndarray:
    """Share of each crown that the worst of its taller neighbours covers, by dots strewn over it."""
    places = np.stack([plants.x, plants.y], axis=1).astype(np.float64)
    dots = np.random.default_rng(1).uniform(-1, 1, (400, 2))
    dots = dots[np.hypot(*dots.T) < 1.0]
    tree, worst = cKDTree(places), []
    for p in range(len(plants)):
        near = [q for q in tree.query_ball_point(places[p], 12.0) if plants.height[q] > plants.height[p]]
        crown = places[p] + plants.radius[p] * dots
        covered = [np.mean(np.hypot(*(crown - places[q]).T) < plants.radius[q]) for q in near]
        worst.append(max(covered, default=0.0))
    return np.array(worst)


def left_in_the_shade(forest: Forest) -> tuple[int, float]:
    """How many plants were overtopped by more than 0.85 in year 40, and the share of them that lives in year 60."""
    before, after = (living(forest, year) for year in (40.0, 60.0))
    shaded = overtopped(before) > 0.85
    alive = {*zip(after.x, after.y)}
    return int(shaded.sum()), float(np.mean([place in alive for place in zip(before.x[shaded], before.y[shaded])]))


def test_stems_keep_apart_and_crowns_overlap_only_as_far_as_plants_bear() -> None:
    usual = wild()
    assert len(living(usual, 60.0)) > 200
    assert stems_too_near(usual, 0.1) == 0
    assert stems_too_near(wild(stem_spacing=0.4), 0.4) == 0
    assert stems_too_near(wild(stem_spacing=0.0), 0.1) > 0
    # A taller neighbour takes 0.95 of the overlap (asymmetry 0.9).  Under 0.85 of its crown a plant has less than 0.2
    # for itself, and below a mean of 0.3 over its memory of 6 years it starves: within 13 years, unless light returns.
    many, alive = left_in_the_shade(usual)
    assert many > 30 and alive < 0.1
    many, alive = left_in_the_shade(wild(starvation=0.0))
    assert many > 30 and alive > 0.9


def test_cover_is_the_area_of_crowns() -> None:
    tree = one_tree()
    cover = measure_plant_cover(tree, [PLAIN], (33, 33), CELL)
    assert -np.log1p(-cover.astype(np.float64)).sum() * CELL**2 == pytest.approx(math.pi * 100.0, rel=1e-4)
    assert cover[16, 16] == pytest.approx(1 - math.exp(-1), abs=0.05) and cover[0, 0] == 0.0
    dead = Plants(**{**vars(tree), "condition": np.full(1, Condition.STANDING_DEAD, np.int32)})
    assert not measure_plant_cover(dead, [PLAIN], (33, 33), CELL).any()
    assert not measure_plant_cover(tree, [PLAIN.replace(form="dead_wood")], (33, 33), CELL).any()


def one_tree() -> Plants:
    """A crown of 10 m in the middle of the land."""
    middle, ten = np.full(1, 64, np.float32), np.full(1, 10, np.float32)
    return Plants(**{**vars(seedlings(1)), "x": middle, "y": middle, "radius": ten})


@pytest.mark.parametrize("soil", [0.05, 3.0])
def test_roots_hold_the_ground_and_litter_makes_more(soil: float) -> None:
    column = np.arange(33, dtype=np.float32)
    rising = Terrain(np.tile(0.5 * CELL * column, (33, 1)), np.full((33, 33), soil, np.float32), CELL)
    forest = lasting_forest([PLAIN], one_tree())
    gradient = measure_gradient(rising.surface, CELL)

    def after(**options: float) -> Terrain:
        feedback = SoilFeedback(enabled=True, **{"years": 200.0, "litter": 0.0, "wash": 0.001} | options)
        worked = work_on_soil(rising, gradient, forest, feedback)
        balance = worked.balance
        assert worked.terrain.bedrock.tobytes() == rising.bedrock.tobytes()
        assert balance.after == pytest.approx(volume_of(worked.terrain)) and abs(balance.error) < 1e-6 * balance.before
        return worked.terrain

    # Bare ground loses what rain carries, but no more than there is; under the crown less is lost.
    bare = after(root_strength=1.0)
    assert bare.sediment[3, 3] == pytest.approx(max(soil - 200 * 0.001 * 0.5, 0.0), abs=1e-6)
    assert bare.sediment[16, 16] > bare.sediment[3, 3]
    assert np.ptp(after(root_strength=0.0).sediment) < 1e-6
    made = after(wash=0.0, litter=0.001)
    cover = measure_plant_cover(one_tree(), [PLAIN], (33, 33), CELL)
    assert made.sediment - rising.sediment == pytest.approx(0.2 * cover, abs=1e-6)
    assert after(years=0.0).sediment.tobytes() == rising.sediment.tobytes()


def test_roots_lower_the_erodibility_that_streams_meet() -> None:
    column = np.arange(33, dtype=np.float32)
    rising = Terrain(np.tile(0.5 * CELL * column, (33, 1)), np.full((33, 33), 5.0, np.float32), CELL)
    gradient, drainage = measure_gradient(rising.surface, CELL), np.tile(1e4 * (column + 1), (33, 1)).T.copy()
    nobody = lasting_forest([PLAIN], remove_plants(one_tree(), np.zeros(1, np.bool_)))

    def lost(forest: Forest, **options: float) -> np.ndarray:
        feedback = SoilFeedback(enabled=True, **{"years": 500.0, "litter": 0.0, "wash": 0.0} | options)
        worked = work_on_soil(rising, gradient, forest, feedback, drainage)
        assert abs(worked.balance.error) < 1e-6 * worked.balance.before
        assert worked.balance.left == pytest.approx(volume_of(rising) - volume_of(worked.terrain), rel=1e-3)
        return rising.sediment - worked.terrain.sediment

    bare, held = lost(nobody), lost(lasting_forest([PLAIN], one_tree()))
    # K A^½ S, with 0.001 m a year for 1 km² and 45°.
    assert bare == pytest.approx(500 * 0.001 * np.sqrt(drainage / 1e6) * 0.5, abs=1e-5)
    cover = measure_plant_cover(one_tree(), [PLAIN], (33, 33), CELL)
    assert held == pytest.approx(bare * (1 - 0.95 * cover), abs=1e-5) and cover.max() > 0.5
    loose = lost(lasting_forest([PLAIN], one_tree()), root_strength=0.0)
    assert loose.tobytes() == bare.tobytes()


def test_a_forest_keeps_the_soil_that_bare_ground_of_the_same_slope_loses() -> None:
    below = ((0.0, 1.0), (250.0, 1.0), (250.0, 0.0), (1000.0, 0.0))
    trees = PLAIN.replace(radius=3.0, altitude_response=below)
    usual = core.Recipe(
        width=640.0, depth=640.0, resolution=65,
        relief=Relief.of(FractalNoise(wavelength=400.0, height=200.0, base_altitude=150.0)),
        erosion=(Weathering(soil_depth=4.0, talus_angle=80.0),),
        ecosystem=Ecosystem(species=(trees,), evolution=Evolution(years=100.0, step=5.0, start="young")),
    )  # fmt: skip
    before = core.build(usual)

    def lost(**options: float) -> np.ndarray:
        soil = SoilFeedback(enabled=True, years=300.0, litter=0.0, **options)
        after = core.build(usual.replace(ecosystem=usual.ecosystem.replace(soil=soil)))
        return before.terrain.sediment - after.terrain.sediment

    steep = np.digitize(before.maps["slope"], [6.0, 12.0])
    assert before.waters is not None
    dry = before.waters.water_depth == 0.0
    forest = dry & (before.terrain.surface < 240.0)
    bare = dry & (before.terrain.surface > 260.0)
    kept, loose = lost(stream_wash=0.0), lost(stream_wash=0.0, root_strength=0.0)
    for slope in range(3):
        under, beside = ((steep == slope) & place for place in (forest, bare))
        assert min(under.sum(), beside.sum()) > 20
        assert kept[under].mean() < 0.6 * kept[beside].mean()
        assert loose[under].mean() == pytest.approx(loose[beside].mean(), rel=0.25)
    # Where water gathers more is lost, and roots keep that, too.
    streams, free = lost(), lost(root_strength=0.0)
    assert streams.sum() > 1.01 * kept.sum() and streams[forest].sum() < 0.6 * free[forest].sum()


def test_soil_under_plants_is_a_stage_of_its_own_and_off_it_changes_nothing() -> None:
    grown = Evolution(years=30.0, start="young")
    usual = core.Recipe(width=320.0, depth=320.0, resolution=33, ecosystem=Ecosystem(evolution=grown))

    def with_soil(**options: float | bool) -> core.Landscape:
        feedback = SoilFeedback(**options)
        return core.build(usual.replace(ecosystem=usual.ecosystem.replace(soil=feedback)))

    plain, off, on = core.build(usual), with_soil(wash=0.05), with_soil(enabled=True)
    idle = with_soil(enabled=True, years=0.0)
    for same in (off, idle):
        assert same.terrain.sediment.tobytes() == plain.terrain.sediment.tobytes()
        assert all(same.maps[name].tobytes() == values.tobytes() for name, values in plain.maps.items())
        assert same.plants.x.tobytes() == plain.plants.x.tobytes()
    assert on.plants.x.tobytes() == plain.plants.x.tobytes() and len(on.plants) > 10
    assert on.terrain.bedrock.tobytes() == plain.terrain.bedrock.tobytes()
    balance = on.balances["erosion: soil under plants"]
    assert balance.left > balance.uplifted > 0.0 and abs(balance.error) < 1e-6 * abs(balance.before)
    # Maps show the land as it is afterwards.
    assert on.maps["slope"].tobytes() == measure_slope(on.terrain.surface, on.terrain.cell_size).tobytes()
    assert on.maps["slope"].tobytes() != plain.maps["slope"].tobytes()


# --- options of evolution ---------------------------------------------------------------------------------------------

LINEAR = PLAIN.replace(growth_law="linear", widening=0.07)
STEPS = (1.0, 2.5, 25.0)


@pytest.mark.parametrize("step", STEPS)
def test_a_plant_of_linear_growth_widens_by_the_same_length_each_year(step: float) -> None:
    start = seedlings(40)
    forest = live(start, 100.0, LINEAR, step=step, competition=0.0)
    for year in (20.0, 37.5, 100.0):
        plants = living(forest, year)
        # It goes on beyond the full radius of 6 m.  A size is stored in 65535 steps of the widest crown.
        assert plants.radius == pytest.approx(start.radius + 0.07 * year, abs=0.004)
        assert plants.height == pytest.approx(20.0 * (plants.radius / 6.0) ** 0.75, rel=1e-4)
    # Neighbours hold it back as they do with every law.
    assert living(live(start, 100.0, LINEAR, step=step), 100.0).radius.min() < 6.0


def test_without_a_number_linear_growth_ends_at_the_full_radius_with_the_lifetime() -> None:
    forest = live(seedlings(5), 60.0, PLAIN.replace(growth_law="linear", lifetime=50.0), competition=0.0)
    start, after = (living(forest, year).radius for year in (0.0, 10.0))
    assert after[: len(start)] - start[: len(after)] == pytest.approx(10.0 * 6.0 / 50.0, abs=1e-3)


@pytest.mark.parametrize("step", STEPS)
def test_death_by_age_is_exact_where_that_is_asked_for(step: float) -> None:
    start = seedlings(200)
    mortal = LINEAR.replace(lifetime=50.0)
    forest = live(start, 75.0, mortal, step=step, competition=0.0, death_by_age="exact")
    # r / ε > a, and r = r₀ + ε t.
    assert forest.death == pytest.approx(50.0 - forest_start(forest, start) / 0.07, abs=1e-3)
    assert (forest.fate == Fate.AGE).all()
    # By other laws a plant is as old as the years since it came up.
    forest = live(start, 75.0, PLAIN.replace(lifetime=50.0), step=step, competition=0.0, death_by_age="exact")
    assert forest.death == pytest.approx(50.0, abs=0.01)
    drawn = live(start, 75.0, mortal, step=step, competition=0.0)
    assert np.mean(drawn.death < 45.0) > 0.5


def forest_start(forest: Forest, start: Plants) -> np.ndarray:
    """Radius in year 0 of each life."""
    radius = dict(zip(zip(start.x, start.y), start.radius))
    return np.array([radius[place] for place in zip(forest.x, forest.y)])


def covered_stems(plants: Plants, slack: float = 1e-3) -> int:
    """How many plants stand under the crown of a larger one."""
    places = np.stack([plants.x, plants.y], axis=1).astype(np.float64)
    pairs = cKDTree(places).query_pairs(float(plants.radius.max()), output_type="ndarray")
    distance = np.linalg.norm(places[pairs[:, 0]] - places[pairs[:, 1]], axis=1)
    return int((distance < plants.radius[pairs].max(axis=1) - slack).sum())


@pytest.mark.parametrize("start", ["bare", "young", "grown"])
@pytest.mark.parametrize("law", ["logistic", "linear"])
def test_each_growing_plant_keeps_a_crown_of_its_own_width(start: str, law: str) -> None:
    """A forest of any age has slender and broad trees, as planted ones are."""
    even = PLAIN.replace(radius=3.0, seed_rain=30.0, growth_law=law, widening=0.05)
    evolution = Evolution(years=60.0, step=2.0, start=start)

    def grow(variation: float) -> Forest:
        species = (even.replace(radius_variation=variation),)
        return run(grow_forest(habitat(65), Ecosystem(species=species, evolution=evolution), CELL, 1))

    def widths(forest: Forest, year: float) -> dict[tuple[float, float], float]:
        """Of each plant the width of its crown, as a share of what its height gives."""
        plants = living(forest, year)
        usual = even.radius * (plants.height / even.height) ** (1.0 / even.height_exponent)
        return dict(zip(zip(plants.x.tolist(), plants.y.tolist()), plants.radius / usual))

    varied = grow(0.5)
    young, old = widths(varied, 40.0), widths(varied, 60.0)
    assert np.quantile([*old.values()], [0.1, 0.5, 0.9]) == pytest.approx([0.55, 0.75, 0.95], abs=0.04)
    assert min(old.values()) >= 0.5 - 1e-4 and max(old.values()) <= 1.0 + 1e-4
    stayed = young.keys() & old.keys()
    assert len(stayed) > 300
    assert [young[place] for place in stayed] == pytest.approx([old[place] for place in stayed], rel=1e-3)
    np.testing.assert_allclose([*widths(grow(0.0), 60.0).values()], 1.0, rtol=1e-4)
    # The width of its crown says hardly anything about how tall a plant is.
    heights = living(varied, 60.0).height
    assert abs(np.corrcoef([*old.values()], heights)[0, 1]) < 0.2


@pytest.mark.parametrize("species", [LINEAR, PLAIN, PLAIN.replace(growth_law="gompertz")], ids=lambda s: s.growth_law)
def test_crushing_leaves_no_stem_under_a_larger_crown(species: Species) -> None:
    start = seedlings(3000)
    options = {"competition": 0.0, "crushing": True}
    forests = [live(start, 75.0, species, step=step, **options) for step in STEPS]
    for forest in forests:
        for year in (25.0, 50.0, 75.0):
            assert covered_stems(living(forest, year)) == 0
        dead = forest.fate > 0
        assert (forest.fate[dead] == Fate.CRUSHING).all() and 0.5 < dead.mean() < 1.0
    # Long steps kill the same plants at the same time.
    for other in forests[1:]:
        assert other.death == pytest.approx(forests[0].death, abs=1e-2)
    # What is crushed leaves no dead wood, and without crushing crowns cover most stems.
    assert (forests[0].plants_at(75.0).condition == Condition.LIVING).all()
    assert covered_stems(living(live(start, 75.0, species, competition=0.0), 75.0)) > 3000


@pytest.mark.parametrize("species", [LINEAR, PLAIN], ids=lambda s: s.growth_law)
def test_crowns_of_many_widths_crush_too(species: Species) -> None:
    start, varied = seedlings(3000), species.replace(radius_variation=0.5)
    forests = [live(start, 75.0, varied, step=step, competition=0.0, crushing=True) for step in (1.0, 25.0)]
    left = living(forests[0], 75.0)
    assert covered_stems(left) == 0 and len(left) > 100
    # Broad ones crush slender ones: of all crowns the mean is 0.75 of what heights give.
    widths = left.radius / (varied.radius * (left.height / varied.height) ** (1.0 / varied.height_exponent))
    assert widths.mean() > 0.8
    assert forests[1].death == pytest.approx(forests[0].death, abs=1e-2)
    assert covered_stems(living(live(start, 75.0, varied, competition=0.0), 75.0)) > 1000


def test_crushing_is_the_published_rule_followed_year_by_year() -> None:
    start = seedlings(400, 64.0)
    forest = live(start, 60.0, LINEAR, competition=0.0, crushing=True)
    places, radius = np.stack([start.x, start.y], axis=1).astype(np.float64), start.radius.astype(np.float64)
    distance = np.linalg.norm(places[:, None] - places[None], axis=2)
    alive = np.ones(400, np.bool_)
    for _ in range(60 * 64):
        radius += 0.07 / 64
        # r₁ > d and r₁ > r₂: the second dies.
        larger = alive & (radius[:, None] < radius[None])
        alive &= ~(larger & (radius[None] > distance)).any(axis=1)
    left = {*zip(living(forest, 60.0).x, living(forest, 60.0).y)}
    expected = {*zip(start.x[alive], start.y[alive])}
    # Within one of these small steps the plain rule kills all at once.
    assert len(left ^ expected) <= 2 < 20 < len(left) < 200


def test_no_stem_is_covered_in_a_forest_that_comes_up_by_itself() -> None:
    # Years between stored states are interpolated, so states are asked for.
    forest = wild(crushing=True, stem_spacing=0.0, stored_every=10.0)
    for year in (20.0, 40.0, 60.0):
        assert covered_stems(living(forest, year)) == 0
    assert len(living(forest, 60.0)) > 100
    assert covered_stems(living(wild(stem_spacing=0.0), 60.0)) > 100


def pair_correlation(one: np.ndarray, other: np.ndarray, near: float, far: float, side: float) -> float:
    """How many more pairs of two kinds stand from `near` to `far` apart than by chance; the land repeats itself."""
    trees = [cKDTree(places % side, boxsize=side) for places in (one, other)]
    counts = np.diff(trees[0].count_neighbors(trees[1], [near, far]))[0]
    return float(counts / (len(one) * len(other) * math.pi * (far**2 - near**2) / side**2))


@pytest.mark.parametrize("step", [1.0, 5.0])
def test_a_species_thickens_around_its_own_kind_and_no_other(step: float) -> None:
    # Seeds fall evenly, so that only thickening can make clumps.
    two = PLAIN.replace(name="two", radius=1.0, seed_rain=6.0, maturity=5.0)
    one = two.replace(name="one", seed_rain=0.2, thickening=30.0, thickening_distance=12.0)
    evolution = Evolution(years=40.0, step=step, competition=0.0, starvation=0.0)

    def places(first: Species) -> list[np.ndarray]:
        ecosystem = Ecosystem(species=(first, two), evolution=evolution)
        plants = living(run(grow_forest(habitat(129), ecosystem, CELL, 1)), 40.0)
        return [np.stack([plants.x, plants.y], axis=1)[plants.species == kind] for kind in (0, 1)]

    own, other = places(one)
    side = 128 * CELL
    assert len(own) > 400 and len(other) > 5000
    assert pair_correlation(own, own, 0.5, 6.0, side) > 2.0
    assert pair_correlation(own, own, 30.0, 60.0, side) < 1.2
    assert pair_correlation(own, other, 0.5, 6.0, side) == pytest.approx(1.0, abs=0.1)
    assert pair_correlation(other, other, 0.5, 6.0, side) == pytest.approx(1.0, abs=0.1)
    even, _ = places(one.replace(thickening=0.0, seed_rain=6.0))
    assert pair_correlation(even, even, 0.5, 6.0, side) == pytest.approx(1.0, abs=0.1)


def test_long_steps_thicken_as_much_as_short_ones() -> None:
    one = PLAIN.replace(radius=1.0, seed_rain=0.7, maturity=5.0, thickening=8.0, thickening_distance=12.0)

    def count(step: float) -> float:
        evolution = Evolution(years=60.0, step=step, competition=0.0, starvation=0.0, stem_spacing=0.0)
        ecosystem = Ecosystem(species=(one,), evolution=evolution)
        stands = [run(grow_forest(habitat(129), ecosystem, CELL, seed)).plants_at(60.0) for seed in range(6)]
        return float(np.mean([len(stand) for stand in stands]))

    # Each mean is known to 1 %.
    assert count(5.0) == pytest.approx(count(1.0), rel=0.05)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("ecosystem.evolution.death_by_age", "exact"),
        ("ecosystem.evolution.crushing", "true"),
        ("ecosystem.species[0].growth_law", "linear"),
        ("ecosystem.species[0].thickening", "8"),
    ],
)
def test_options_of_evolution_change_a_landscape_and_are_written_in_its_recipe(path: str, value: str) -> None:
    grown = Evolution(years=60.0, step=2.0, start="young")
    usual = core.Recipe(width=320.0, depth=320.0, resolution=33, ecosystem=Ecosystem(evolution=grown))
    changed = override(usual, [f"{path}={value}"])
    assert core.Recipe.loads(changed.dumps()) == changed != usual
    cache = core.Cache()
    before, after = (core.build(recipe, cache=cache).plants for recipe in (usual, changed))
    assert before.radius.tobytes() != after.radius.tobytes() and len(after) > 20


# --- landslides -------------------------------------------------------------------------------------------------------


def test_landslides_take_plants_where_ground_moved_and_nowhere_else() -> None:
    start = seedlings(4000)
    nothing = remove_plants(start, np.zeros(len(start), np.bool_))
    path = np.zeros((33, 33), np.float32)
    path[:, 8:12], path[:, 20:24] = 2.0, 0.5

    def victims(moved: np.ndarray | None, **options: float) -> np.ndarray:
        place = replace(habitat(slope=40.0), moved_ground=moved)
        everywhere = [np.ones((33, 33), np.float32)]
        environment = Environment(everywhere, everywhere, place, CELL)
        evolution = Evolution(years=50.0, starvation=0.0, landslide_interval=100.0, patch=6.0, **options)
        forest = run(evolve(start, nothing, environment, [PLAIN], evolution, 10**6, 1))
        return forest.x[forest.fate == Fate.LANDSLIDE]

    assert victims(None).size == victims(0.0 * path).size == 0
    taken = victims(path) / CELL
    deep, shallow = ((taken > first - 1) & (taken < last + 1) for first, last in ((8, 11), (20, 23)))
    assert (deep | shallow).all()
    assert deep.sum() > 200 and 0.3 < shallow.sum() / deep.sum() < 0.8
    # With another depth the shallow slide takes every plant, too.
    assert ((victims(path, landslide_depth=0.5) / CELL > 19).sum()) > 1.2 * shallow.sum()


def test_landslides_of_a_recipe_follow_its_slides() -> None:
    wall = core.Recipe(
        width=400.0, depth=400.0, resolution=65,
        relief=Relief.of(FractalNoise(wavelength=300.0, height=250.0, base_altitude=100.0)),
        erosion=(Weathering(soil_depth=3.0, talus_angle=80.0), Landslides(critical_angle=45.0)),
        water=Water(rivers=False, lakes=False),
        ecosystem=Ecosystem(
            species=(PLAIN.replace(radius=2.0),),
            evolution=Evolution(years=60.0, step=2.0, start="young", landslide_interval=30.0, starvation=0.0),
        ),
    )  # fmt: skip
    after = core.build(wall)
    before = core.build(wall.replace(erosion=wall.erosion[:1]))
    moved = np.abs(after.terrain.surface - before.terrain.surface)
    taken = after.forest.fate == Fate.LANDSLIDE
    still = moved < 0.01
    depth = sample(np.where(still, np.float32(0.0), moved), wall.cell_size, after.forest.x, after.forest.y)
    assert 0.05 < still.mean() < 0.95 and (depth == 0.0).mean() > 0.05
    assert taken.sum() > 50 and depth[taken].min() > 0.0
    assert after.warnings == () and "Landslides take no plants" in before.warnings[0]
    # Steep ground alone is not enough.
    assert not (before.forest.fate == Fate.LANDSLIDE).any() and (before.maps["slope"] > 35.0).mean() > 0.05
    # The forest is made anew when a slide changes, even one that later slides hide.
    other = wall.replace(erosion=(wall.erosion[0], Landslides(critical_angle=44.0)))
    assert plan_of(other, {}).keys["forest"] != plan_of(wall, {}).keys["forest"]
    assert "relief" not in next(s for s in plan_of(wall, {}).stages if s.name == "forest").needs

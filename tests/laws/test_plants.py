"""What holds for every stand of plants: distances, density, determinism."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import cKDTree

from terrain_addon.core.ecosystem.dart_throwing import DartThrowing, throw_darts
from terrain_addon.core.ecosystem.density import COMBINATIONS, Habitat, plant_density
from terrain_addon.core.ecosystem.plants import VARIANTS, Plants
from terrain_addon.core.ecosystem.species import ALWAYS, Species
from terrain_addon.core.progress import run

TREE = Species(name="tree", radius=6.0, height=20.0, lifetime=100.0)
BUSH = Species(name="bush", radius=2.5, height=2.0, lifetime=20.0)
HERB = Species(name="herb", radius=0.9, height=0.5, lifetime=2.0)


def full(value: float = 1.0, side: int = 33) -> np.ndarray:
    return np.full((side, side), value, np.float32)


def stand(
    species: list[Species], densities: list[np.ndarray], seed: int = 1, rule: str = "larger", patience: int = 300
) -> Plants:
    return run(throw_darts(densities, 4.0, species, seed, DartThrowing(spacing_rule=rule, patience=patience)))


@settings(max_examples=25)
@given(st.integers(0, 2**31 - 1), st.sampled_from(["larger", "sum"]), st.floats(0.1, 1.0))
def test_no_pair_is_nearer_than_allowed(seed: int, rule: str, cover: float) -> None:
    species = [BUSH, TREE, HERB]
    plants = stand(species, [full(cover)] * 3, seed, rule)
    places = np.stack([plants.x, plants.y], axis=1).astype(np.float64)
    radii = np.array([s.radius for s in species])
    for a in range(3):
        for b in range(a, 3):
            allowed = max(radii[a], radii[b]) if rule == "larger" else radii[a] + radii[b]
            tree_a, tree_b = (cKDTree(places[plants.species == k]) for k in (a, b))
            pairs = tree_a.query_ball_tree(tree_b, allowed * (1 - 1e-6))
            close = sum(len(p) for p in pairs) - (tree_a.n if a == b else 0)
            assert close == 0
    assert plants.x.min() >= 0.0 and plants.x.max() <= 128.0
    assert plants.y.min() >= 0.0 and plants.y.max() <= 128.0


def test_full_density_is_nearly_saturated() -> None:
    plants = stand([BUSH], [full()], patience=5000)
    tree = cKDTree(np.stack([plants.x, plants.y], axis=1))
    probes = np.random.default_rng(1).uniform(2, 126, (20000, 2))
    room = tree.query(probes)[0] >= 2.5
    assert room.mean() < 0.002
    # Random sequential packing of discs tends to a cover of 0.547 (Feder 1980), slowly: the last gaps are small.
    covered = len(plants) * np.pi * (2.5 / 2) ** 2 / 130.5**2
    assert 0.48 < covered < 0.547


def test_density_is_followed_however_long_one_throws() -> None:
    west_to_east = np.tile(np.linspace(0, 1, 33, dtype=np.float32), (33, 1))
    few = stand([HERB], [west_to_east], patience=300)
    many = stand([HERB], [west_to_east], patience=20000)
    for plants in (few, many):
        counts = np.histogram(plants.x, bins=8, range=(0, 128))[0].astype(float)
        assert np.corrcoef(counts, np.arange(8))[0, 1] > 0.97
        assert counts[0] < 0.25 * counts[-1]
    assert len(many) < 1.4 * len(few)


def test_nothing_grows_where_density_is_zero() -> None:
    density = full()
    density[:, :17] = 0.0
    plants = stand([HERB], [density])
    assert plants.x.min() > 16 * 4.0 - 1e-3
    assert len(stand([HERB, TREE], [full(0.0), full(0.0)])) == 0


def test_same_seed_same_forest_and_another_seed_another() -> None:
    a, b, c = (stand([TREE, BUSH], [full(0.7)] * 2, seed) for seed in (5, 5, 6))
    assert a.x.tobytes() == b.x.tobytes() and a.age.tobytes() == b.age.tobytes()
    assert a.x.tobytes()[:100] != c.x.tobytes()[:100]


def test_plants_are_dressed_within_what_their_species_allow() -> None:
    plants = stand([TREE, BUSH], [full()] * 2)
    for kind, species in enumerate((TREE, BUSH)):
        mine = plants.species == kind
        assert plants.age[mine].min() > 0.0 and plants.age[mine].max() <= species.lifetime
        assert plants.height[mine].min() > 0.0 and plants.height[mine].max() <= species.height * (1 + 1e-6)
        order = np.argsort(plants.age[mine])
        assert (np.diff(plants.height[mine][order]) >= 0).all()
    assert plants.rotation.min() >= 0.0 and plants.rotation.max() < 360.0
    assert set(np.unique(plants.variant)) == set(range(VARIANTS))


def test_a_radius_larger_than_the_land_leaves_one_plant() -> None:
    assert len(stand([Species(radius=1000.0)], [full()])) == 1


def test_planting_ends_at_the_number_allowed_whatever_the_land_could_hold() -> None:
    tiny = Species(radius=0.1)
    plants = run(throw_darts([full(), full()], 1e5, [tiny, TREE], 1, DartThrowing(most_plants=1000)))
    assert len(plants) == 1000 and set(plants.species) == {1}


def test_bad_calls_are_refused() -> None:
    with pytest.raises(ValueError, match="spacing_rule = 'none' is none of: larger, sum"):
        stand([TREE], [full()], rule="none")
    with pytest.raises(ValueError, match="1 species need as many density maps, not 2"):
        stand([TREE], [full(), full()])


def habitat(**values: float) -> Habitat:
    maps = {"sediment": 1.0, "illumination": 0.5, "humidity": 0.5, "slope": 0.0, "altitude": 0.0} | values
    return Habitat(**{name: np.full((2, 2), value, np.float32) for name, value in maps.items()})


LINE = ((0.0, 0.0), (0.5, 0.5), (1.0, 1.0), (1.0, 1.0))
PLAIN = Species(
    sediment_response=LINE,
    illumination_response=LINE,
    humidity_response=LINE,
    slope_response=ALWAYS,
    altitude_response=ALWAYS,
)


@given(*[st.floats(0.0, 1.0)] * 3)
def test_density_is_the_published_formula(soil: float, light: float, water: float) -> None:
    place = habitat(sediment=soil, illumination=light, humidity=water)
    expected = {
        "product_sum": min(1.0, soil * (light + water)),
        "mean": (soil + light + water) / 3,
        "sum": min(1.0, soil + light + water),
        "min": min(soil, light, water),
    }
    assert set(expected) == set(COMBINATIONS)
    for combination, value in expected.items():
        assert plant_density(place, PLAIN, combination)[0, 0] == pytest.approx(value, abs=1e-6)


def test_light_and_water_make_up_for_one_another_but_nothing_for_soil() -> None:
    assert plant_density(habitat(illumination=1.0, humidity=0.0), PLAIN)[0, 0] == 1.0
    assert plant_density(habitat(illumination=0.0, humidity=1.0), PLAIN)[0, 0] == 1.0
    assert plant_density(habitat(sediment=0.0, illumination=1.0, humidity=1.0), PLAIN)[0, 0] == 0.0


@pytest.mark.parametrize(("slope", "expected"), [(0, 1), (25, 1), (32.5, 0.5), (40, 0), (89, 0)])
def test_curves_are_straight_between_points_and_level_beyond(slope: float, expected: float) -> None:
    place = habitat(slope=slope, illumination=1.0, humidity=1.0)
    species = Species(slope_response=((0, 1), (25, 1), (40, 0), (90, 0)))
    assert plant_density(place, species)[0, 0] == pytest.approx(expected, abs=1e-6)


def test_a_curve_may_have_a_step() -> None:
    step = Species(slope_response=((0.0, 1.0), (30.0, 1.0), (30.0, 0.0), (90.0, 0.0)))
    at = {s: plant_density(habitat(slope=s, illumination=1.0, humidity=1.0), step)[0, 0] for s in (29.0, 30.0, 31.0)}
    assert (at[29.0], at[30.0], at[31.0]) == (1.0, 0.0, 0.0)


def test_unknown_combination_is_refused() -> None:
    with pytest.raises(ValueError, match="combination = 'max' is none of: product_sum, mean, sum, min"):
        plant_density(habitat(), PLAIN, "max")

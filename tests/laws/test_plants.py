"""What holds for every stand of plants: distances, density, determinism."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import cKDTree

from terrain_addon.core.ecosystem import dart_throwing
from terrain_addon.core.ecosystem.covered_parts import cover
from terrain_addon.core.ecosystem.dart_throwing import Corner, DartThrowing, throw_darts
from terrain_addon.core.ecosystem.density import COMBINATIONS, Habitat, plant_density
from terrain_addon.core.ecosystem.plants import VARIANTS, Plants, add_plants, clear_path, remove_plants
from terrain_addon.core.ecosystem.species import ALWAYS, Species
from terrain_addon.core.foundation import compilation
from terrain_addon.core.foundation.progress import run

pytestmark = pytest.mark.once

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


def room_left(plants: Plants, radius: float) -> float:
    """Share of random places where one more plant would fit."""
    tree = cKDTree(np.stack([plants.x, plants.y], axis=1))
    probes = np.random.default_rng(1).uniform(0, 128, (200_000, 2))
    return float((tree.query(probes)[0] >= radius).mean())


def test_full_density_is_saturated() -> None:
    plants = stand([BUSH], [full()])
    assert room_left(plants, BUSH.radius) < 2e-5
    # Random sequential packing of discs covers 0.547 of the plane (Feder 1980), and no order of darts far from that.
    covered = len(plants) * np.pi * (2.5 / 2) ** 2 / 130.5**2
    assert 0.53 < covered < 0.57
    # The probe finds room where there is some: one plant in fifty taken away.
    assert room_left(remove_plants(plants, np.arange(len(plants)) % 50 > 0), BUSH.radius) > 1e-3


def test_a_land_of_many_tiles_fills_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    species, densities = [TREE, HERB], [full(0.3), full()]
    few = stand(species, densities)
    monkeypatch.setattr(dart_throwing, "MOST_MAPS", 0)
    many = stand(species, densities)
    assert len(many) == pytest.approx(len(few), rel=1e-3)
    trees, herbs = (np.stack([many.x, many.y], axis=1)[many.species == kind] for kind in (0, 1))
    assert cKDTree(herbs).query(herbs, k=2)[0][:, 1].min() >= HERB.radius * (1 - 1e-6)
    probes = np.random.default_rng(1).uniform(0, 128, (200_000, 2))
    free = (cKDTree(trees).query(probes)[0] >= TREE.radius) & (cKDTree(herbs).query(probes)[0] >= HERB.radius)
    assert free.mean() < 2e-5
    # But for rounding, they are the same plants.
    assert (cKDTree(herbs).query(np.stack([few.x, few.y], axis=1)[few.species == 1])[0] < 1e-3).mean() > 0.9


@given(st.floats(-12, 44, width=32), st.floats(-12, 44, width=32), st.floats(0.75, 12, width=32))
def test_a_part_of_a_tile_is_covered_if_a_plant_covers_it_wholly(x: float, y: float, reach: float) -> None:
    covered = np.zeros((128, 2), np.uint64)
    cover(np.float32(x), np.float32(y), np.float32(reach), covered, np.empty((2, 128), np.int32))
    bits = np.unpackbits(covered.astype("<u8").view(np.uint8), axis=1, bitorder="little").astype(bool)
    west = np.arange(128) / 4
    # To the farthest corner of each part.
    dx, dy = (np.maximum(np.abs(place - west), np.abs(place - west - 0.25)) for place in (x, y))
    distance = np.hypot(dx, dy[:, None])
    assert (distance[bits] <= reach * (1 + 1e-5)).all()
    assert (distance[~bits] >= reach * (1 - 1e-4)).all()


def test_many_small_plants_find_all_the_room_that_a_few_large_leave() -> None:
    oak, grass = Species(name="oak", radius=6.0), Species(name="grass", radius=0.4, undergrowth=False)
    plants = stand([grass, oak], [full(), full(0.3)])
    oaks, tufts = (remove_plants(plants, plants.species == kind) for kind in (1, 0))
    places = [np.stack([p.x, p.y], axis=1).astype(np.float64) for p in (oaks, tufts)]
    assert cKDTree(places[0]).query(places[1])[0].min() >= 6.0
    probes = np.random.default_rng(1).uniform(0, 128, (100_000, 2))
    free = (cKDTree(places[0]).query(probes)[0] >= 6.0) & (cKDTree(places[1]).query(probes)[0] >= 0.4)
    assert free.mean() < 1e-4


def test_undergrowth_stands_under_others_but_not_on_their_stems() -> None:
    oak, fern = Species(name="oak", radius=6.0), Species(name="fern", radius=0.8, undergrowth=True)
    plants = stand([fern, oak], [full(), full(0.3)])
    oaks, ferns = (remove_plants(plants, plants.species == kind) for kind in (1, 0))
    distance = cKDTree(np.stack([oaks.x, oaks.y], axis=1)).query(np.stack([ferns.x, ferns.y], axis=1))[0]
    assert 0.8 <= distance.min() < 1.0


@pytest.mark.parametrize("rule", ["larger", "sum"])
def test_plants_that_need_different_room_keep_it(rule: str) -> None:
    varied = BUSH.replace(radius_variation=0.5)
    plants = stand([varied], [full()], rule=rule)
    room = plants.radius / (plants.height / varied.height)
    assert room.min() < 0.55 * 2.5 and room.max() <= 2.5 * (1 + 1e-5)
    places = np.stack([plants.x, plants.y], axis=1).astype(np.float64)
    pairs = cKDTree(places).query_pairs(5.0, output_type="ndarray")
    distance = np.linalg.norm(places[pairs[:, 0]] - places[pairs[:, 1]], axis=1)
    one, other = room[pairs[:, 0]], room[pairs[:, 1]]
    kept = np.maximum(one, other) if rule == "larger" else one + other
    assert (distance >= kept * (1 - 1e-5)).all()
    assert distance.min() < 0.8 * (2.5 if rule == "larger" else 5.0)


def test_no_pattern_follows_the_tiles_that_are_filled_at_once() -> None:
    # A tile is 32 cells of radius / √2.
    plants = stand([Species(radius=0.25)], [full()])
    for place in (plants.x, plants.y):
        phase = np.histogram((place / (32 * 0.9999 * 0.25 / np.sqrt(2))) % 1.0, bins=16, range=(0, 1))[0]
        expected = np.histogram(
            (np.random.default_rng(1).uniform(0, 128, 10**6) / (32 * 0.9999 * 0.25 / np.sqrt(2))) % 1.0,
            bins=16,
            range=(0, 1),
        )[0]
        assert np.abs(phase / expected * 10**6 / len(plants) - 1.0).max() < 0.02


def test_same_forest_on_one_and_two_threads() -> None:
    before = compilation.thread_count()
    forests = []
    try:
        for threads in (1, 2):
            compilation.set_thread_count(threads)
            forests.append(stand([TREE, BUSH, HERB], [full(0.4), full(0.5), full()]))
    finally:
        compilation.set_thread_count(before)
    for name in ("x", "y", "species", "age", "height", "radius", "rotation", "variant"):
        assert getattr(forests[0], name).tobytes() == getattr(forests[1], name).tobytes()


def test_what_changes_in_one_corner_leaves_the_far_one_alone() -> None:
    density = full()
    density[:4, :4] = 0.0
    before, after = stand([HERB], [full()]), stand([HERB], [density])
    far = [remove_plants(p, (p.x > 64) & (p.y > 64)) for p in (before, after)]
    assert len(before) != len(after)
    assert {*zip(far[0].x, far[0].y, far[0].rotation)} == {*zip(far[1].x, far[1].y, far[1].rotation)}


def test_parts_of_a_larger_land_have_the_same_plants_where_they_overlap() -> None:
    # Two squares of 800 m, of which 400 m overlap, far from the origin and not in line with any tile.
    corners = [Corner(5003.0, 7001.0, seed=3), Corner(5403.0, 7001.0, seed=3)]
    kinds, densities = [TREE, BUSH], [full(0.4, 201), full(1.0, 201)]
    bushes = []
    for corner in corners:
        plants = run(throw_darts(densities, 4.0, kinds, 9, DartThrowing(), corner=corner))
        places = np.stack([plants.x, plants.y], axis=1).astype(np.float64)[plants.species == 1]
        assert cKDTree(places).query(places, k=2)[0][:, 1].min() >= BUSH.radius
        bushes.append(places + np.array([corner.x, corner.y]))
    shared = bushes[0][(bushes[0][:, 0] > 5420.0) & (bushes[0][:, 0] < 5780.0)]
    assert len(shared) > 1000
    # Only plants in the last gaps depend on what grows far away.
    assert np.mean(cKDTree(bushes[1]).query(shared)[0] < 1e-3) > 0.75


def test_a_road_is_cleared_and_plants_come_and_go() -> None:
    plants = stand([HERB], [full()])
    road = [(0.0, 10.0), (60.0, 10.0), (60.0, 128.0)]
    left = clear_path(plants, road, 8.0)
    on_road = ((np.abs(plants.y - 10) <= 4) & (plants.x <= 60)) | ((np.abs(plants.x - 60) <= 4) & (plants.y >= 10))
    bend = (np.hypot(plants.x - 60, plants.y - 10) <= 4) & ~on_road
    assert len(left) == len(plants) - int(on_road.sum()) - int(bend.sum())
    assert len(add_plants(left, remove_plants(plants, on_road | bend))) == len(plants)
    with pytest.raises(ValueError, match=r"keep has shape \(3,\) of bool, not"):
        remove_plants(plants, np.ones(3, np.bool_))
    with pytest.raises(ValueError, match="is not two or more corners"):
        clear_path(plants, [(0.0, 0.0)], 5.0)
    with pytest.raises(ValueError, match=r"width = -1.0 m is not a finite length"):
        clear_path(plants, road, -1.0)


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
    # Where trees stand as densely as they can, no bush finds room.
    plants = stand([TREE, BUSH], [full(0.3), full()])
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
    assert 900 < len(plants) <= 1000 and (plants.species == 1).mean() > 0.9
    # They cover all of the land thinly, rather than a corner of it.
    assert plants.x.min() < 0.1 * 3.2e6 and plants.x.max() > 0.9 * 3.2e6


def test_bad_calls_are_refused() -> None:
    with pytest.raises(ValueError, match="spacing_rule = 'none' is none of: larger, sum"):
        stand([TREE], [full()], rule="none")
    with pytest.raises(ValueError, match="1 species need as many density maps, not 2"):
        stand([TREE], [full(), full()])
    broken = full()
    broken[3, 3] = np.nan
    with pytest.raises(ValueError, match="the density of tree is NaN in 1 cells"):
        stand([TREE], [broken])


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


def test_water_and_painted_maps_multiply() -> None:
    shore = ((0.0, 1.0), (5.0, 1.0), (15.0, 0.0), (100.0, 0.0))
    reed = PLAIN.replace(water_response=shore, painted_map="marsh", painted_response=LINE)
    place = habitat(illumination=1.0, humidity=1.0)
    metres = np.array([[0.0, 10.0], [20.0, 5.0]], np.float32)
    wet = Habitat(**{**vars(place), "water_distance": metres, "painted": {"marsh": np.full((2, 2), 0.5, np.float32)}})
    assert plant_density(wet, reed) == pytest.approx(np.array([[0.5, 0.25], [0.0, 0.5]]))
    # A land without water is far from it everywhere.
    dry = Habitat(**{**vars(wet), "water_distance": None})
    assert not plant_density(dry, reed).any()
    with pytest.raises(ValueError, match="tree responds to a painted map 'marsh', which the land does not have"):
        plant_density(place, reed)


def test_a_broken_map_is_refused() -> None:
    with pytest.raises(ValueError, match="slope holds 4 values that are NaN"):
        habitat(slope=np.nan)
    with pytest.raises(ValueError, match=r"map 'a' has shape \(3, 3\) but sediment \(2, 2\)"):
        Habitat(**{**vars(habitat()), "painted": {"a": np.zeros((3, 3), np.float32)}})


def test_curves_out_of_order_are_refused() -> None:
    with pytest.raises(ValueError, match=r"slope_response = .* is out of order"):
        Species(slope_response=((0.0, 1.0), (30.0, 1.0), (20.0, 0.0), (90.0, 0.0)))


def test_unknown_combination_is_refused() -> None:
    with pytest.raises(ValueError, match="combination = 'max' is none of: product_sum, mean, sum, min"):
        plant_density(habitat(), PLAIN, "max")

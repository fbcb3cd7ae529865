"""Planets: no pole, no seam, nothing that depends on how the sphere is cut, and models that do what they say."""

import hashlib
import math
from dataclasses import replace

import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.core.foundation import compilation
from terrain_addon.core.foundation.hashing import Purpose
from terrain_addon.core.planet.biomes import Biome, classify_biomes
from terrain_addon.core.planet.climate import PlanetClimate, make_climate
from terrain_addon.core.planet.crater_rays import crater_light
from terrain_addon.core.planet.craters import (
    Craters,
    crater_depth,
    crater_diameters,
    dig_craters,
    plan_craters,
    rim_height,
)
from terrain_addon.core.planet.cube_sphere import (
    CUBE_FACES,
    CUBE_RIMS,
    face_directions,
    first_of_shared,
    sample_faces,
    solid_angles,
)
from terrain_addon.core.planet.ground import Continents, PlanetHills
from terrain_addon.core.planet.normals import planet_normals, planet_slope
from terrain_addon.core.planet.planet_erosion import PlanetErosion
from terrain_addon.core.planet.planet_recipe import PLANET_PRESETS
from terrain_addon.core.planet.plates import OLDEST_FLOOR, PlateMotion, Plates, plate_border, plate_motion
from terrain_addon.core.planet.point_noise import draw_noise, octave_at, space_octaves
from terrain_addon.core.planet.rims import rim_samples
from terrain_addon.core.planet.winds import wind_at

pytestmark = pytest.mark.once

QUARTER_TURNS = {"turn_x": 0, "turn_y": 1, "turn_z": 2}


def small(name: str = "temperate", **changes: object) -> core.PlanetRecipe:
    return core.PlanetRecipe.preset(name, **({"seed": 3, "resolution": 33} | changes))


def places_of(directions: np.ndarray) -> dict[bytes, list[int]]:
    """Samples by the bytes of their directions."""
    found: dict[bytes, list[int]] = {}
    for number, place in enumerate(directions.reshape(-1, 3)):
        found.setdefault(place.tobytes(), []).append(number)
    return found


# --- the grid ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("resolution", [3, 65, 129])
def test_cells_cover_the_sphere_once(resolution: int) -> None:
    radius = 6.371e6
    planet = small(resolution=resolution, radius=radius)
    areas = core.build_planet(planet).cell_areas if resolution == 65 else solid_angles(resolution) * radius**2
    assert areas.sum() == pytest.approx(4.0 * math.pi * radius**2, rel=1e-12)
    assert (areas > 0.0).all()


def test_cells_are_as_large_as_the_metric_says() -> None:
    # √g = (1 + X²)(1 + Y²) / ρ³ at the sample; the error falls with the square of the spacing.
    errors = []
    for resolution in (33, 65, 129):
        step = 0.5 * math.pi / (resolution - 1)
        t = np.tan((np.arange(resolution) - (resolution - 1) / 2) * step)
        x, y = t[np.newaxis, 1:-1], t[1:-1, np.newaxis]
        metric = (1.0 + x * x) * (1.0 + y * y) / (1.0 + x * x + y * y) ** 1.5 * step**2
        errors.append(np.abs(solid_angles(resolution)[2, 1:-1, 1:-1] / metric - 1.0).max())
    assert errors[0] < 2e-3
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.1)


def test_faces_share_their_edges_and_corners() -> None:
    resolution = 17
    directions = face_directions(resolution)
    groups = places_of(directions)
    assert len(groups) == 6 * (resolution - 1) ** 2 + 2
    counts = np.bincount([len(group) for group in groups.values()])
    assert counts[2:].tolist() == [12 * (resolution - 2), 8]
    first = first_of_shared(resolution).ravel()
    assert all((first[group] == min(group)).all() for group in groups.values())
    assert np.allclose((directions**2).sum(axis=-1), 1.0, atol=1e-15)


def test_rims_are_glued_where_they_meet() -> None:
    directions = face_directions(9)
    assert len(CUBE_RIMS) == 24
    for rim in CUBE_RIMS:
        mine = directions[rim.tile][rim_samples(rim.side, 9)]
        theirs = directions[rim.other_tile][rim_samples(rim.other_side, 9)]
        assert mine.tobytes() == theirs[:: -1 if rim.is_reversed else 1].tobytes()


def test_a_finer_planet_has_the_samples_of_a_coarser_one() -> None:
    assert face_directions(33)[:, ::2, ::2].tobytes() == face_directions(17).tobytes()


def test_a_map_is_found_again_in_every_direction() -> None:
    directions = face_directions(65)
    height = directions[..., 2].astype(np.float32)
    places = np.random.default_rng(1).normal(size=(4000, 3))
    places /= np.linalg.norm(places, axis=1)[:, np.newaxis]
    assert sample_faces(height, directions).tobytes() == height.tobytes()
    assert np.abs(sample_faces(height, places) - places[:, 2]).max() < 3e-4
    assert (sample_faces(np.full_like(height, 7.25), places) == 7.25).all()


# --- the whole planet -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", core.planet_preset_names())
def test_maps_have_no_seam(name: str) -> None:
    planet = core.build_planet(small(name))
    groups = [np.array(group) for group in places_of(planet.directions).values() if len(group) > 1]
    for values in (planet.surface, planet.biomes, *planet.maps.values()):
        assert np.isfinite(values).all() and values.shape == (6, 33, 33)
        flat = values.ravel()
        assert all((flat[group] == flat[group[0]]).all() for group in groups)
    assert planet.surface.dtype == np.float32 and np.ptp(planet.surface) > 0.0


@pytest.mark.parametrize("name", ["temperate", "moon"])
@pytest.mark.parametrize("turn", QUARTER_TURNS)
def test_a_quarter_turn_of_the_ground_turns_the_land_byte_for_byte(name: str, turn: str) -> None:
    axis = QUARTER_TURNS[turn]
    one, two = (axis + 1) % 3, (axis + 2) % 3
    recipe = small(name)
    recipe = replace(recipe, erosion=replace(recipe.erosion, enabled=False))
    before, after = core.build_planet(recipe), core.build_planet(replace(recipe, **{turn: 90.0}))
    moved = before.directions.copy()
    moved[..., one], moved[..., two] = 0.0 - before.directions[..., two], before.directions[..., one]
    groups = places_of(after.directions)
    found = after.surface.ravel()[[groups[(place + 0.0).tobytes()][0] for place in moved.reshape(-1, 3)]]
    assert found.tobytes() == before.surface.tobytes()
    assert before.surface.tobytes() != after.surface.tobytes()


def test_noise_does_not_know_the_axes() -> None:
    # Lattices that all lay along the axes would make squares: noise would change less along an axis than across.
    octaves = space_octaves(20.0, 6, 0.5, 1, Purpose.CONTINENTS)
    near = np.random.default_rng(1).uniform(-1.0, 1.0, (20000, 3))
    here = draw_noise(octaves, np.eye(3), near).astype(np.float64)
    steps = {"axis": (0.02, 0.0, 0.0), "diagonal": (0.02 / math.sqrt(2.0), 0.02 / math.sqrt(2.0), 0.0)}
    change = {
        name: np.square(draw_noise(octaves, np.eye(3), near + step) - here).mean() for name, step in steps.items()
    }
    assert change["axis"] / change["diagonal"] == pytest.approx(1.0, abs=0.12)


def test_noise_at_one_point_is_that_of_many() -> None:
    octaves = space_octaves(20.0, 5, 0.6, 3, Purpose.PLANET_HILLS)
    places = np.random.default_rng(4).normal(size=(300, 3))
    many = draw_noise(octaves, np.eye(3), places)
    one = [sum(octaves.weights[k] * octave_at(octaves, k, *place) for k in range(5)) for place in places]
    np.testing.assert_allclose(one, many, atol=1e-6)


def test_threads_do_not_matter() -> None:
    before, digests = compilation.thread_count(), set()
    try:
        for threads in (1, compilation.processors()):
            compilation.set_thread_count(threads)
            planet = core.build_planet(small("desert"))
            values = (planet.surface, planet.biomes, *planet.maps.values())
            digests.add(hashlib.sha256(b"".join(one.tobytes() for one in values)).hexdigest())
    finally:
        compilation.set_thread_count(before)
    assert len(digests) == 1


def test_each_seed_is_another_planet() -> None:
    one, two = (core.build_planet(small(seed=seed)).surface for seed in (1, 2))
    assert np.corrcoef(one.ravel(), two.ravel())[0, 1] < 0.5


# --- relief -----------------------------------------------------------------------------------------------------------


def test_heights_have_two_humps() -> None:
    planet = core.build_planet(small(resolution=65))
    share, edges = np.histogram(planet.surface, bins=np.arange(-8000.0, 5001.0, 500.0), weights=planet.cell_areas)
    share /= share.sum()
    middle = 0.5 * (edges[1:] + edges[:-1])
    sea, land = share[middle < -3000.0].max(), share[(middle > -1000.0) & (middle < 2500.0)].max()
    between = share[(middle > -3000.0) & (middle < -1000.0)].min()
    assert sea > 2.0 * between and land > 1.5 * between


@pytest.mark.parametrize("cover", [0.2, 0.7])
def test_continents_cover_what_the_recipe_says(cover: float) -> None:
    flat = small(hills=PlanetHills(height=0.0), plates=Plates(enabled=False), continents=Continents(cover=cover))
    planet = core.build_planet(flat)
    edge = 0.5 * (flat.continents.sea_floor + 0.2 * flat.continents.altitude)
    assert planet.cell_areas[planet.surface > edge].sum() / planet.cell_areas.sum() == pytest.approx(cover, abs=0.02)


def two_plates(speed: float, radius: float = 6.371e6) -> PlateMotion:
    """Two halves of a planet that meet on the meridian of 90° and turn about the poles; they part if speed > 0."""
    motion = plate_motion(Plates(count=2), radius, 1)
    centres = np.array([(1.0, 0.0, 0.0), (-1.0, 0.0, 0.0)])
    across = np.zeros((2, 2, 3))
    across[0, 1], across[1, 0] = centres
    # Along the meridian of 90° east, plate 0 moves to +x, and plate 1 to −x.
    parting = np.zeros((2, 2, 3))
    parting[0, 1] = parting[1, 0] = (0.0, speed, 0.0)
    return motion._replace(centres=centres, buoyancy=np.array([0.5, -0.5]), across=across, parting=parting)


def test_sea_floor_sinks_with_the_root_of_its_age() -> None:
    speed = 60000.0  # m per million years
    motion = two_plates(speed)
    for degrees in (2.0, 6.0, 12.0):
        angle = math.radians(degrees)
        border = plate_border(motion, math.sin(angle), math.cos(angle), 0.0, np.empty(2))
        # Each plate leaves the ridge at half the speed at which the two part.
        age = math.sin(angle) * motion.radius / (0.5 * speed * math.cos(angle))
        assert age < OLDEST_FLOOR
        assert border.floor == pytest.approx(-2500.0 - 350.0 * math.sqrt(age), rel=1e-9)  # Parsons & Sclater (1977)
    assert plate_border(motion, 0.0, -1.0, 0.0, np.empty(2)).floor == pytest.approx(-2500.0 - 350.0 * math.sqrt(70.0))


def test_plates_that_collide_raise_ranges_and_those_that_part_leave_rifts() -> None:
    motion = two_plates(50000.0)
    parts, collides = (plate_border(motion, 0.0, y, 0.0, np.empty(2)) for y in (1.0, -1.0))
    assert parts.rise == parts.trench == 0.0 and parts.rift > 0.5
    assert collides.rift == 0.0 and collides.rise > 0.5
    # The heavier plate dives: the trench is on its side, the range on the other.
    angle = math.radians(3.0)
    light, heavy = (
        plate_border(motion, side * math.sin(angle), -math.cos(angle), 0.0, np.empty(2)) for side in (1, -1)
    )
    assert heavy.trench > 0.3 and light.trench == 0.0
    assert light.rise > heavy.rise
    assert plate_border(motion, 1.0, 0.0, 0.0, np.empty(2)).rise == 0.0


def test_plates_leave_no_step_in_the_ground() -> None:
    motion = plate_motion(Plates(count=20), 6.371e6, 7)
    work = np.empty(20)

    def largest_steps(count: int) -> np.ndarray:
        turn = np.linspace(0.0, 2.0 * math.pi, count)
        along = np.stack((np.cos(turn) * 0.8, np.sin(turn) * 0.8, np.full_like(turn, 0.6)), axis=1)
        borders = np.array([plate_border(motion, *place, work) for place in along.tolist()])
        assert np.ptp(borders[:, 0]) > 500.0 and borders[:, 1].max() > 0.2
        return np.abs(np.diff(borders, axis=0)).max(axis=0)

    # A step would stay as large; the floor beside a ridge falls with the root of the distance.
    coarse, fine = largest_steps(5001), largest_steps(80001)
    assert (coarse[1:] / fine[1:] > 12.0).all() and coarse[0] / fine[0] > 3.0


@pytest.mark.parametrize("resolution", [17, 65])
def test_level_ground_has_no_slope_anywhere(resolution: int) -> None:
    directions = face_directions(resolution)
    level = np.full(directions.shape[:3], 100.0, np.float32)
    assert planet_slope(planet_normals(level, directions, 6.371e6), directions).max() < 1e-4
    # Ground that rises to the pole by as much everywhere is as steep everywhere.
    radius, rise = 1000.0, 0.1
    rising = (radius * rise * np.arcsin(np.clip(directions[..., 2], -1.0, 1.0))).astype(np.float32)
    slope = planet_slope(planet_normals(rising, directions, radius), directions)
    expected = np.degrees(np.arctan(rise * radius / (radius + rising)))
    away = np.abs(directions[..., 2]) < 0.9
    assert np.abs(slope / expected - 1.0)[away].max() < (0.03 if resolution == 17 else 0.003)


# --- craters ----------------------------------------------------------------------------------------------------------

MOON = 1.7374e6


def dug(craters: Craters, directions: np.ndarray, seed: int = 1, ground: float = 0.0) -> np.ndarray:
    field = plan_craters(craters, MOON, seed)
    heights = np.full(directions.shape[:-1], ground)
    dig_craters(field, np.eye(3), np.full(craters.count, ground), directions, heights)
    return heights


def profile_of_one(diameter: float, ground: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Heights by distance in radii, along one line from the centre of a single crater."""
    craters = Craters(enabled=True, count=1, smallest=diameter, largest=diameter, age=0.0)
    centre = plan_craters(craters, MOON, 1).centres[0]
    aside = np.cross(centre, (0.3, 0.9, -0.2))
    aside /= np.linalg.norm(aside)
    r = np.linspace(0.0, 5.0, 2001)
    angle = 2.0 * np.arcsin(0.25 * r * diameter / MOON)[:, np.newaxis]
    return r, dug(craters, np.cos(angle) * centre + np.sin(angle) * aside, ground=ground)


def test_there_are_four_times_as_many_craters_of_half_the_size() -> None:
    diameters = crater_diameters(Craters(count=20000, smallest=1000.0, largest=200000.0), 5)
    counts = [(diameters > size).sum() for size in (1500.0, 3000.0, 6000.0, 12000.0)]
    slope = np.polyfit(np.log([1500.0, 3000.0, 6000.0, 12000.0]), np.log(counts), 1)[0]
    assert slope == pytest.approx(-2.0, abs=0.06)
    assert diameters.min() >= 1000.0 and diameters.max() <= 200000.0


@pytest.mark.parametrize("kilometres", [1.0, 5.0, 14.0])
def test_simple_craters_are_as_deep_as_pike_measured(kilometres: float) -> None:
    _, heights = profile_of_one(1000.0 * kilometres, ground=-300.0)
    assert heights.max() - heights.min() == pytest.approx(196.0 * kilometres**1.01, rel=0.01)
    assert heights.max() + 300.0 == pytest.approx(36.0 * kilometres**1.014, rel=0.02)
    assert heights[-1] == -300.0
    assert crater_depth(20000.0) == pytest.approx(1044.0 * 20.0**0.301)
    assert rim_height(20000.0) == pytest.approx(236.0 * 20.0**0.399)


def test_ejecta_thin_with_the_third_power_of_the_distance() -> None:
    r, heights = profile_of_one(8000.0)
    two, half = heights[np.searchsorted(r, 2.0)], heights[np.searchsorted(r, 1.5)]
    assert half / two == pytest.approx(1.5**-3 / 2.0**-3, rel=0.08)
    assert heights[np.searchsorted(r, 3.0)] / rim_height(8000.0) == pytest.approx(3.0**-3, rel=0.08)
    assert heights[np.searchsorted(r, 4.0) :].max() == 0.0


def test_a_crater_of_a_built_planet_has_the_shape_of_the_law() -> None:
    recipe = core.PlanetRecipe.preset("moon", seed=3, resolution=129, radius=60e3)
    recipe = recipe.replace(
        continents=recipe.continents.replace(enabled=False),
        hills=recipe.hills.replace(height=0.0),
        craters=Craters(enabled=True, count=1, smallest=14e3, largest=14e3, age=0.0),
    )
    centre = recipe.turn.T @ plan_craters(recipe.craters, recipe.radius, recipe.seed).centres[0]
    planet = core.build_planet(recipe)
    away = np.linalg.norm(planet.directions - centre, axis=-1) * recipe.radius / 7e3
    level = planet.surface[away > 4.5].mean()
    assert np.ptp(planet.surface) == pytest.approx(crater_depth(14e3), rel=0.03)
    assert planet.surface.max() - level == pytest.approx(rim_height(14e3), rel=0.1)
    near, far = (planet.surface[np.abs(away - r) < 0.08].mean() - level for r in (1.5, 2.5))
    assert math.log(far / near) / math.log(2.5 / 1.5) == pytest.approx(-3.0, abs=0.35)


def test_young_craters_are_bright_and_the_largest_of_them_have_rays() -> None:
    craters = Craters(enabled=True, count=400, smallest=20e3, largest=300e3)
    field = plan_craters(craters, MOON, 4)
    rims = np.stack(
        [one + 0.99 * size * np.cross(one, (0.1, 0.2, 0.97)) for one, size in zip(field.centres, field.radii)]
    )
    light = crater_light(craters, MOON, 4, np.eye(3), rims)
    assert light.min() >= 0.0 and light.max() <= 1.0
    assert light[350:].mean() > 2.0 * light[:200].mean()
    # Around the largest young one there are pale and dark places side by side, six radii away.
    largest = 380 + int(np.argmax(field.radii[380:]))
    centre = field.centres[largest]
    east = np.cross(centre, (0.3, 0.9, -0.2))
    east /= np.linalg.norm(east)
    turns = np.linspace(0.0, 2.0 * math.pi, 400)[:, np.newaxis]
    ring = centre + 6.0 * field.radii[largest] * (np.cos(turns) * east + np.sin(turns) * np.cross(centre, east))
    around = crater_light(craters, MOON, 4, np.eye(3), ring / np.linalg.norm(ring, axis=1, keepdims=True))
    assert around.max() > 0.2 and (around < 0.02).mean() > 0.3


def test_simple_craters_pass_into_complex_ones_without_a_step() -> None:
    sizes = np.linspace(14000.0, 21000.0, 701)
    for law in (crater_depth, rim_height):
        heights = np.array([law(float(size)) for size in sizes])
        assert np.abs(np.diff(heights)).max() < 0.003 * heights.max()


def mean_of(planet: core.Planet) -> float:
    return float((planet.surface * planet.cell_areas).sum() / planet.cell_areas.sum())


@pytest.mark.parametrize("name", ["asteroid", "moon"])
def test_the_radius_leads_to_the_mean_ground_where_there_is_no_sea(name: str) -> None:
    planet = core.build_planet(small(name, resolution=65))
    assert abs(mean_of(planet)) < 0.01 * np.ptp(planet.surface)


def test_impacts_move_ground_but_make_none() -> None:
    planets = [
        core.build_planet(
            small(
                plates=Plates(enabled=False),
                erosion=PlanetErosion(enabled=False),
                craters=Craters(enabled=count > 0, count=max(count, 1), smallest=300000.0, largest=900000.0),
            )
        )
        for count in (0, 1000)
    ]
    assert mean_of(planets[1]) == pytest.approx(mean_of(planets[0]), abs=20.0)


@pytest.mark.parametrize(("name", "steepest"), [("moon", 76.0), ("asteroid", 55.0)])
def test_impacts_do_not_tear_a_small_world(name: str, steepest: float) -> None:
    # Large craters on lumpy ground once stood among cliffs: a hundredth of the moon was steeper than 82°.
    slope = core.build_planet(small(name, resolution=129, radius=500.0)).maps["slope"]
    assert np.percentile(slope, 99.0) < steepest


def test_craters_are_smaller_on_a_small_planet() -> None:
    planet = core.build_planet(small("moon", radius=5000.0))
    assert np.isfinite(planet.surface).all() and np.abs(planet.surface).max() < 5000.0
    radii = plan_craters(planet.recipe.craters, 5000.0, 3).radii
    assert radii.max() <= 0.6 and radii.max() > 10.0 * radii.min()


@pytest.mark.parametrize("name", core.planet_preset_names())
def test_every_planet_can_be_as_small_as_an_asteroid(name: str) -> None:
    planet = core.build_planet(small(name, radius=500.0, resolution=17))
    share = planet.surface / 500.0
    assert np.ptp(share) > 0.1 and share.min() > -0.7 and share.max() < 1.0
    shown = 1.0 + share * planet.recipe.exaggeration
    assert 1.0 <= planet.recipe.exaggeration <= planet.recipe.look.exaggeration and shown.min() > 0.2


def test_small_planets_have_the_land_of_large_ones() -> None:
    flat = PlanetErosion(enabled=False)
    large, tiny = (core.build_planet(small("ice", radius=radius, erosion=flat)).surface for radius in (6e6, 600.0))
    # Their sea floor is younger, so it has sunk less.
    assert np.corrcoef(large.ravel(), tiny.ravel())[0, 1] > 0.95


def test_a_later_crater_buries_what_was_there() -> None:
    # Large old craters, and one young small one in the middle of the last: its floor lies below the old floor.
    craters = Craters(enabled=True, count=2, smallest=40000.0, largest=40000.0, age=0.0)
    field = plan_craters(craters, MOON, 1)
    same = np.array([field.centres[0], field.centres[0]])
    alone = plan_craters(craters.replace(count=1), MOON, 1)
    angle = np.linspace(0.0, 0.9 * field.radii[0], 200)[:, np.newaxis]
    aside = np.cross(same[0], (0.3, 0.9, -0.2))
    places = np.cos(angle) * same[0] + np.sin(angle) * aside / np.linalg.norm(aside)
    once, twice = np.zeros(200), np.zeros(200)
    dig_craters(alone, np.eye(3), np.zeros(1), places, once)
    twins = field._replace(
        centres=same, begins=alone.begins * 2, members=np.repeat([[0, 1]], alone.begins[-1], 0).ravel()
    )
    dig_craters(twins, np.eye(3), np.zeros(2), places, twice)
    # The second floor is level with the first one's ground: the same bowl again, from the floor of the first.
    assert np.allclose(twice, once + once[0], atol=1e-6)


# --- climate ----------------------------------------------------------------------------------------------------------


def test_temperature_follows_latitude_and_altitude() -> None:
    climate = PlanetClimate(variation=0.0, temperature=27.0, difference=46.0, lapse_rate=6.5)
    directions = face_directions(17)
    surface = np.where(directions[..., 0] > 0.0, 2000.0, -3000.0).astype(np.float32)
    maps = make_climate(climate, surface, 0.0, np.eye(3), 1)
    expected = 27.0 - 46.0 * directions[..., 2] ** 2 - 0.0065 * np.maximum(surface, 0.0)
    assert np.allclose(maps.temperature, expected, atol=1e-4)
    assert (maps.warmest >= maps.temperature).all()


def test_no_ground_of_a_planet_is_colder_than_space() -> None:
    high = np.full((6, 17, 17), 50_000.0, np.float32)
    for climate in (PlanetClimate(lapse_rate=30.0), PlanetClimate(temperature=-250.0, difference=300.0)):
        maps = make_climate(climate, high, 0.0, np.eye(3), 1)
        assert maps.temperature.min() == np.float32(-270.42) and maps.warmest.min() >= np.float32(-270.42)


def test_winds_blow_as_on_earth() -> None:
    east = {degrees: wind_at(math.radians(degrees))[0] for degrees in (-75, -45, -15, 0, 15, 45, 75)}
    assert all(east[d] < -0.3 for d in (-75, -15, 0, 15, 75)) and all(east[d] > 0.3 for d in (-45, 45))
    north = {degrees: wind_at(math.radians(degrees))[1] for degrees in (-45, -15, 15, 45)}
    # Trade winds blow to the equator, westerlies to the poles, on both halves.
    assert north[15] < 0.0 < north[45] and north[-15] > 0.0 > north[-45]


@pytest.mark.parametrize("degrees", [15.0, 45.0])
def test_rain_falls_before_a_range_and_not_behind_it(degrees: float) -> None:
    directions = face_directions(129)
    longitude = np.degrees(np.arctan2(directions[..., 1], directions[..., 0]))
    is_land = np.abs(longitude) < 40.0
    surface = np.where(is_land, 200.0, -4000.0)
    surface += np.where(is_land, 3500.0 * np.exp(-((longitude / 4.0) ** 2)), 0.0)
    rain = make_climate(PlanetClimate(variation=0.0), surface.astype(np.float32), 0.0, np.eye(3), 1).rain
    latitude = math.radians(degrees)
    # Air comes from the east in the trades, from the west in the westerlies.
    wet, dry = (3.0, -12.0) if degrees < 30.0 else (-3.0, 12.0)
    seen = []
    for turn in (math.radians(wet), math.radians(dry)):
        place = (math.cos(latitude) * math.cos(turn), math.cos(latitude) * math.sin(turn), math.sin(latitude))
        seen.append(float(sample_faces(rain, np.array([place]))[0]))
    assert seen[0] > 2.0 * seen[1]


def test_deserts_lie_near_30_degrees_and_rain_at_the_equator() -> None:
    surface = np.full((6, 65, 65), -4000.0, np.float32)
    rain = make_climate(PlanetClimate(variation=0.0), surface, 0.0, np.eye(3), 1).rain

    def at(degrees: float) -> float:
        angle = math.radians(degrees)
        return float(sample_faces(rain, np.array([(math.cos(angle), 0.0, math.sin(angle))]))[0])

    assert at(0.0) > 2.0 * at(28.0) and at(58.0) > 1.5 * at(28.0)


def test_biomes_follow_temperature_and_rain() -> None:
    cases = {
        (26.0, 100.0): Biome.DESERT,
        (9.0, 22.0): Biome.DESERT,
        (9.0, 200.0): Biome.TEMPERATE_GRASSLAND,
        (2.0, 20.0): Biome.DESERT,
        (-3.0, 20.0): Biome.DESERT,
        (26.0, 700.0): Biome.SAVANNA,
        (26.0, 3000.0): Biome.RAINFOREST,
        (11.0, 1200.0): Biome.TEMPERATE_FOREST,
        (11.0, 2500.0): Biome.TEMPERATE_RAINFOREST,
        (1.0, 600.0): Biome.TAIGA,
        (-8.0, 300.0): Biome.TUNDRA,
        (-25.0, 300.0): Biome.ICE,
    }
    temperature, rain = (np.array(one, np.float32) for one in zip(*cases))
    land = np.zeros_like(rain)
    biomes, ice = classify_biomes(temperature, temperature + 12.0, rain, land, has_water=True)
    assert biomes.tolist() == list(cases.values())
    assert (ice > 0.5).tolist() == [biome is Biome.ICE for biome in cases.values()]
    sea, _ = classify_biomes(temperature, temperature + 12.0, rain, land + 10.0, has_water=True)
    assert set(sea.tolist()) == {Biome.SEA, Biome.SEA_ICE}
    assert not classify_biomes(temperature, temperature, rain, land, has_water=False)[1].any()


def test_poles_of_a_temperate_planet_are_white_and_its_equator_is_not() -> None:
    planet = core.build_planet(small(resolution=65))
    polar, equatorial = np.abs(planet.directions[..., 2]) > 0.98, np.abs(planet.directions[..., 2]) < 0.3
    is_low = planet.surface < 3000.0
    assert planet.maps["ice"][polar].min() > 0.5
    assert planet.maps["ice"][equatorial & is_low].max() < 0.5
    assert {Biome.SEA, Biome.ICE, Biome.SEA_ICE} <= set(planet.biomes.ravel().tolist())


# --- recipes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", core.planet_preset_names())
def test_recipes_are_the_same_after_json(name: str) -> None:
    text = (PLANET_PRESETS / f"{name}.json").read_text(encoding="utf-8")
    recipe = core.PlanetRecipe.loads(text)
    assert recipe.dumps() == text
    assert recipe == core.PlanetRecipe.preset(name)


def test_planets_that_cannot_be_are_refused_in_a_sentence() -> None:
    for change, words in (
        ({"radius": 0.0}, "radius = 0.0 m is outside 100.0 to 100000000.0 m"),
        ({"radius": 1e9}, "outside 100.0 to"),
        ({"resolution": 256}, "the nearest is 257"),
        ({"resolution": 300}, "the nearest is 257"),
        ({"resolution": 500}, "the nearest is 513"),
        ({"seed": -1}, "outside 0 to"),
        ({"raduis": 1e6}, "did you mean radius"),
    ):
        with pytest.raises(ValueError, match=words):
            core.PlanetRecipe().replace(**change)
    with pytest.raises(ValueError, match="above the whole planet, whose highest place is at"):
        core.build_planet(small(sea_level=50000.0))
    for text in ("{}", core.Recipe().dumps(), "no", '{"kind": "planet", "schema": 2}'):
        with pytest.raises(ValueError, match=r"recipe|schema"):
            core.PlanetRecipe.loads(text)
    with pytest.raises(ValueError, match="there is no planet 'pluto'; there are: archipelago"):
        core.PlanetRecipe.preset("pluto")


def test_faces_are_named_by_where_they_lie() -> None:
    middle = face_directions(3)[:, 1, 1]
    assert [tuple(place) for place in middle.tolist()] == [tuple(map(float, face.axis)) for face in CUBE_FACES.values()]

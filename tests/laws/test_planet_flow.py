"""Water and erosion on planets: the same laws as on a plane, at every place of the sphere."""

import math
from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.core.ecosystem.species import species_presets
from terrain_addon.core.erosion.river_incision import Conditions, RiverIncision, mesh_evening
from terrain_addon.core.flow.filling import raise_to_level
from terrain_addon.core.flow.routing import Router
from terrain_addon.core.foundation import compilation
from terrain_addon.core.foundation.progress import run
from terrain_addon.core.foundation.terrain import Grid
from terrain_addon.core.planet.climate import ClimateMaps
from terrain_addon.core.planet.cube_sphere import face_directions, solid_angles
from terrain_addon.core.planet.planet import build_planet_steps
from terrain_addon.core.planet.planet_erosion import Causes, PlanetErosion, YoungPlanet, erode_planet
from terrain_addon.core.planet.planet_waters import find_waters
from terrain_addon.core.planet.sphere_levels import double, halve, spheres_from_coarse
from terrain_addon.core.planet.sphere_links import Sphere, make_sphere
from terrain_addon.core.planet.sphere_slopes import SphereCreep, slide
from terrain_addon.core.planet.young_hollows import dig_hollows, draw_hollows

pytestmark = pytest.mark.once

RADIUS = 6.371e6
# A face centre, a place on an edge of the cube, and a corner, where grids of a sphere differ most.
SPOTS = {"centre": (1.0, 0.0, 0.0), "edge": (1.0, 1.0, 0.0), "corner": (1.0, 1.0, 1.0)}


@cache
def sphere(resolution: int = 33) -> Sphere:
    return make_sphere(resolution, RADIUS)


@cache
def eroded(name: str = "temperate", resolution: int = 33, turn: str = "", **changes: object) -> core.Planet:
    """A small planet without air, so that nothing depends on where its poles are."""
    recipe = core.PlanetRecipe.preset(name, seed=3, resolution=resolution, **changes)
    recipe = replace(recipe, climate=replace(recipe.climate, enabled=False))
    return core.build_planet(replace(recipe, **{turn: 90.0}) if turn else recipe)


def angles_from(spot: str, places: np.ndarray) -> np.ndarray:
    middle = np.array(SPOTS[spot]) / np.linalg.norm(SPOTS[spot])
    return np.arccos(np.clip(places @ middle / np.linalg.norm(places, axis=-1), -1.0, 1.0))


def erode(surface: np.ndarray, erosion: PlanetErosion, sea_level: float, seed: int = 3):  # type: ignore[no-untyped-def]
    spheres = spheres_from_coarse(surface.shape[1], RADIUS)
    coarse = np.zeros((6, spheres[0].resolution, spheres[0].resolution), np.float32)
    return run(
        erode_planet(YoungPlanet(surface, spheres, RADIUS, sea_level, np.eye(3), seed), erosion, Causes(coarse, None))
    )


# --- the mesh ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("resolution", [3, 17, 33])
def test_neighbours_are_neighbours_of_one_another_at_the_distances_of_the_sphere(resolution: int) -> None:
    mesh = sphere(resolution).mesh
    links, back = mesh.links
    own = np.arange(len(links))[:, np.newaxis]
    is_there = links != own
    assert np.bincount(is_there.sum(axis=1))[6:].tolist() == [8, 0, len(links) - 8]
    assert (links[links, back] == own)[is_there].all()
    chords = np.linalg.norm(mesh.places[:, np.newaxis] - mesh.places[links], axis=2)
    arcs = 2.0 * RADIUS * np.arcsin(chords / (2.0 * RADIUS))
    assert (arcs * mesh.nearness)[is_there] == pytest.approx(1.0, abs=1e-6)
    assert mesh.area.sum() == pytest.approx(4.0 * math.pi * RADIUS**2, rel=1e-12)


def test_level_ground_stays_level_under_everything() -> None:
    coarse, fine = (make_sphere(resolution, RADIUS) for resolution in (17, 33))
    level = np.full(fine.shape, 123.456, np.float32)
    assert (halve(level, fine, coarse) == level[0, 0]).all()
    assert (double(np.full(coarse.shape, 123.456, np.float32), coarse, fine) == level[0, 0]).all()
    height = level.astype(np.float64)
    SphereCreep(fine).step(height, 1e12)
    slide(height, fine.mesh, 20.0)
    assert (height == level).all()
    surface = np.full((6, 33, 33), 123.456, np.float32)
    for sea_level in (-math.inf, 100.0, 200.0):
        assert (erode(surface, PlanetErosion(), sea_level).surface == surface).all()


def test_a_sea_below_all_ground_is_none() -> None:
    cells = make_sphere(33, RADIUS).cells
    rough = 300.0 * np.random.default_rng(4).standard_normal((6, 33, 33)).astype(np.float32)
    surface = cells.on_faces(cells.of(rough))
    without, lowest = erode(surface, PlanetErosion(), -math.inf).surface, float(surface.min())
    assert (erode(surface, PlanetErosion(), lowest - 20_000.0).surface == without).all()
    # Steps of erosion may bring the lowest ground down to such a sea, or bring all ground out of it.
    for sea_level in (lowest - 1.0, lowest, lowest + 1.0):
        assert np.abs(erode(surface, PlanetErosion(), sea_level).surface).max() < 2.0 * np.abs(surface).max()


# --- hillslopes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("degree", [1, 2])
def test_creep_smooths_waves_around_the_planet_as_fast_as_the_equation_says(degree: int) -> None:
    # Spherical harmonics decay as exp(−l (l + 1) D t / r²).
    mesh = sphere().mesh
    x, y, z = (mesh.places / RADIUS).T
    wave = 0.3 * x + 0.5 * y - z if degree == 1 else x * y + 0.5 * z * x
    height = 1000.0 * wave[np.newaxis]
    spread = 0.1 * RADIUS**2 / (degree * (degree + 1))
    creep = SphereCreep(sphere())
    for _ in range(10):
        creep.step(height, spread / 10)
    assert np.abs(height[0] - 1000.0 * math.exp(-0.1) * wave).max() < 10.0
    assert abs((height[0] * mesh.area).sum()) < 1e-9 * np.abs(height[0] * mesh.area).sum()


@pytest.mark.parametrize("spot", SPOTS)
def test_piles_slide_to_their_talus_angle_and_keep_their_volume(spot: str) -> None:
    small = make_sphere(33, 1000.0)
    pile = (600.0 * np.maximum(1.0 - angles_from(spot, small.mesh.places) / 0.5, 0.0))[np.newaxis]
    before = (pile[0] * small.mesh.area).sum()
    rounds = next(number for number in range(100) if slide(pile, small.mesh, 30.0))
    assert rounds > 1
    drop = np.abs(pile[0][:, np.newaxis] - pile[0][small.mesh.links.cells]) * small.mesh.nearness
    assert math.tan(math.radians(29.0)) < drop.max() < math.tan(math.radians(30.1))
    assert (pile[0] * small.mesh.area).sum() == pytest.approx(before, rel=1e-12)
    assert pile.min() >= 0.0


# --- rivers -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("m", "n"), [(0.45, 1.0), (0.7, 1.5)])
def test_steady_slopes_follow_drainage_area_over_the_whole_sphere(m: float, n: float) -> None:
    ball, uplift, erodibility = sphere(17), 1e-3, 1e-5
    mesh = ball.mesh
    height = np.random.default_rng(1).random(ball.shape) * 100.0
    height[0, np.linalg.norm(mesh.places - mesh.places[40], axis=1) < 0.3 * RADIUS] = -1.0
    solver = RiverIncision(Grid(*ball.shape, 1.0), m, n, None, 0.0, mesh)
    everywhere = np.ones(ball.shape, np.float32)
    conditions = Conditions(np.float32(uplift) * everywhere, np.float32(erodibility), lambda: everywhere)
    for _ in range(150):
        risen, left = solver.step(height, np.zeros(ball.shape, np.float32), 1e7, conditions)
    assert left == pytest.approx(risen, rel=1e-6)
    router, cells = solver.router, np.arange(mesh.area.size)
    receivers = router.receivers()
    area = mesh.area.copy()
    for cell in router.order[::-1]:
        if receivers[cell] != cell:
            area[receivers[cell]] += area[cell]
    area += mesh_evening(mesh)
    moving = receivers != cells
    near = mesh.nearness[cells[moving], router.directions[moving]]
    slope = (height[0] - height[0][receivers])[moving] * near
    assert (slope**n * area[moving] ** m * erodibility / uplift) == pytest.approx(1.0, rel=0.02)


def test_every_river_ends_in_the_sea_and_grows_on_its_way_over_edges() -> None:
    planet = eroded()
    ball = sphere()
    ground = ball.cells.of(planet.surface)
    router = Router(ball.shape, ball.mesh)
    router.route(ground, planet.sea_level)
    receivers, area = router.receivers(), ball.cells.of(planet.maps["drainage_area"])[0]
    moving = receivers != np.arange(receivers.size)
    assert (ground[0][~moving] <= planet.sea_level).all() and moving.any()
    assert (area[receivers[moving]] > area[moving]).all()
    assert area[~moving].sum() == pytest.approx(4.0 * math.pi * RADIUS**2, rel=1e-5)
    # Some of them cross an edge of the cube: two steps on, they are on another face.
    faces = np.zeros((len(receivers), 6), bool)
    faces[ball.cells.number.reshape(6, -1), np.arange(6)[:, np.newaxis]] = True
    two_on = receivers[receivers]
    crosses = ~(faces & faces[two_on]).any(axis=1)
    assert area[crosses].size and (area[crosses] > 2.0 * ball.mesh.area[crosses]).any()
    for _ in range(receivers.size):
        receivers = receivers[receivers]
        if (receivers[receivers] == receivers).all():
            break
    assert (ground[0][receivers] <= planet.sea_level).all()


def test_without_a_sea_all_water_meets_in_the_lowest_place() -> None:
    ball = sphere()
    ground = np.random.default_rng(2).random(ball.shape).astype(np.float32)
    router = Router(ball.shape, ball.mesh)
    router.route(ground, float(ground.min()))
    receivers = router.receivers()
    assert np.flatnonzero(receivers == np.arange(receivers.size)).tolist() == [int(ground.argmin())]
    planet = eroded("desert")
    assert planet.maps["drainage_area"].max() == pytest.approx(4.0 * math.pi * planet.recipe.radius**2, rel=1e-5)


@pytest.mark.parametrize("spot", SPOTS)
def test_a_hollow_fills_to_the_lowest_place_of_its_rim(spot: str) -> None:
    angles = angles_from(spot, face_directions(33))
    surface = np.where(angles < 0.2, 500.0, 1000.0).astype(np.float32)
    surface[angles > 0.45] = -100.0
    wet = ClimateMaps(np.full_like(surface, 10.0), np.full_like(surface, 10.0), np.full_like(surface, 3000.0))
    depth = find_waters(surface, sphere(), 0.0, wet).lake_depth
    assert (depth == np.where(angles < 0.2, np.float32(500.0), np.float32(0.0))).all()
    dry = wet._replace(rain=np.full_like(surface, 20.0))
    assert not find_waters(surface, sphere(), 0.0, dry).lake_depth.any()
    ground = sphere().cells.of(surface)
    router = Router(sphere().shape, sphere().mesh)
    router.route(ground, 0.0)
    assert raise_to_level(ground, router.basins).max() == 1000.0


def test_as_much_evaporates_from_a_closed_lake_as_flows_into_it() -> None:
    angles = angles_from("corner", face_directions(33))
    surface = np.where(angles < 0.5, 100.0 + 2000.0 * angles, 1600.0 - 1000.0 * angles).astype(np.float32)
    surface[angles > 1.6] = -100.0
    area = solid_angles(33) * RADIUS**2
    inside = angles < 0.5
    shares = []
    for rain in (0.6, 0.8, 1.1):
        same = np.full_like(surface, 25.0)
        found = find_waters(surface, sphere(), 0.0, ClimateMaps(same, same, np.full_like(surface, 1000.0 * rain)))
        wet = found.lake_depth > 0.0
        # 1.4 m a year evaporate at 25 °C, and Pike (1964) says how much of the rain runs off.
        runs = rain - rain / math.sqrt(1.0 + (rain / 1.4) ** 2)
        comes = runs * (area[inside].sum() - area[wet].sum()) + rain * area[wet].sum()
        assert 0.7 * comes < 1.4 * area[wet].sum() <= 1.1 * comes
        assert np.ptp((surface + found.lake_depth)[wet]) < 0.01
        shares.append(area[wet].sum() / area[inside].sum())
        # What evaporates does not run on to the sea.
        outside = (angles > 0.6) & (angles < 0.8)
        assert found.river[outside].max() < 0.1 * runs * area[inside].sum() / 3.2e7
    assert shares == sorted(shares) and shares[2] > 4.0 * shares[0]


def test_a_desert_has_hardly_any_lakes() -> None:
    planet = core.build_planet(core.PlanetRecipe.preset("desert", seed=2, resolution=65))
    wet = planet.maps["lake_depth"] > 0.0
    assert planet.cell_areas[wet].sum() < 0.002 * planet.cell_areas.sum()


# --- young hollows ----------------------------------------------------------------------------------------------------


@cache
def living(seed: int) -> core.Planet:
    return core.build_planet(core.PlanetRecipe.preset("temperate", seed=seed, resolution=129))


def lakes_of(planet: core.Planet, lowest: float = 0.0, highest: float = 90.0) -> float:
    """Share of the land between two latitudes that lakes cover."""
    latitude = np.degrees(np.arcsin(np.abs(planet.directions[..., 2])))
    area = np.where((latitude >= lowest) & (latitude < highest), planet.cell_areas, 0.0)
    wet, land = planet.maps["lake_depth"] > 0.0, planet.surface > planet.sea_level
    return float(area[wet].sum() / area[land].sum())


def test_lakes_cover_about_as_much_land_as_on_earth_and_most_where_ice_lay() -> None:
    # On Earth 2 to 3 %, and a third to a half of that as lakes so large that samples of 80 km show them.
    shares = [lakes_of(living(seed)) for seed in (1, 3)]
    assert all(0.005 < share < 0.04 for share in shares) and np.mean(shares) > 0.01
    assert sum(lakes_of(living(seed), 50.0) for seed in (1, 3)) > 2.0 * sum(
        lakes_of(living(seed), 0.0, 30.0) for seed in (1, 3)
    )


def test_a_hot_planet_was_never_under_ice() -> None:
    recipe = living(3).recipe
    hot = core.build_planet(recipe.replace(climate=recipe.climate.replace(temperature=60.0, rain=500.0)))
    assert lakes_of(hot, 50.0) < 0.5 * lakes_of(living(3), 50.0)


def test_hollows_leave_coasts_and_level_ground_alone() -> None:
    planet = living(3)
    recipe = planet.recipe
    filled = core.build_planet(recipe.replace(hollows=recipe.hollows.replace(amount=0.0)))
    assert ((planet.surface > 0.0) == (filled.surface > 0.0)).all()
    dug = filled.surface - planet.surface
    assert dug.min() == 0.0 and 200.0 < dug.max() <= recipe.hollows.depth
    assert planet.maps["sediment"].min() >= 0.0
    cells = sphere(129).cells
    assert (cells.on_faces(cells.of(dug)) == dug).all()
    weak, level = draw_hollows(33, np.eye(3), 3), np.full((6, 33, 33), 123.456, np.float32)
    for sea_level in (-math.inf, 100.0, 200.0):
        assert not dig_hollows(level, weak, recipe.hollows, recipe.climate, sea_level).any()


# --- erosion ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "resolution"), [("temperate", 33), ("temperate", 129), ("desert", 33)])
def test_the_mass_balance_closes_over_the_sphere(name: str, resolution: int) -> None:
    recipe = core.PlanetRecipe.preset(name, seed=3, resolution=resolution)
    young = core.build_planet(replace(recipe, erosion=replace(recipe.erosion, enabled=False)))
    old = erode(young.surface, PlanetErosion(talus_angle=1.0), young.sea_level)
    relief = float(np.ptp(young.surface)) * 4.0 * math.pi * RADIUS**2
    assert abs(old.balance.error) < 1e-12 * relief
    assert old.balance.left > 1e-5 * relief and old.balance.uplifted > old.balance.left * 0.1
    area = spheres_from_coarse(resolution, RADIUS)[-1]
    assert (area.cells.of(old.surface) * area.mesh.area).sum() == pytest.approx(old.balance.after, abs=1e-9 * relief)
    assert old.sediment.min() >= 0.0 and np.isfinite(old.surface).all()


@pytest.mark.parametrize(("turn", "resolution"), [("turn_x", 33), ("turn_y", 33), ("turn_z", 33), ("turn_y", 129)])
def test_a_quarter_turn_of_the_ground_turns_the_eroded_land(turn: str, resolution: int) -> None:
    axis = {"turn_x": 0, "turn_y": 1, "turn_z": 2}[turn]
    before, after = eroded(resolution=resolution), eroded(resolution=resolution, turn=turn)
    moved = before.directions.copy()
    one, two = (axis + 1) % 3, (axis + 2) % 3
    moved[..., one], moved[..., two] = 0.0 - before.directions[..., two], before.directions[..., one]
    places = {place.tobytes(): number for number, place in enumerate(after.directions.reshape(-1, 3))}
    found = after.surface.ravel()[[places[(place + 0.0).tobytes()] for place in moved.reshape(-1, 3)]]
    assert np.abs(found - before.surface.ravel()).max() < 1e-4 * np.ptp(before.surface)


@pytest.mark.parametrize("resolution", [33, 65])
def test_a_cone_erodes_alike_at_a_centre_an_edge_and_a_corner(resolution: int) -> None:
    # Rivers choose their ways at random, so each place is tried with some seeds.
    lost = []
    for spot in SPOTS:
        angles = angles_from(spot, face_directions(resolution))
        surface = (3000.0 * (1.0 - angles / 0.6)).clip(-500.0).astype(np.float32)
        balances = [erode(surface, PlanetErosion(rockiness=0.0, uplift=0.0), 0.0, seed).balance for seed in range(4)]
        lost.append(sum(balance.left for balance in balances))
    assert max(lost) / min(lost) < 1.02


def test_maps_of_an_eroded_planet_have_no_seam() -> None:
    planet = core.build_planet(core.PlanetRecipe.preset("temperate", seed=3, resolution=33))
    cells = sphere().cells
    for name in ("drainage_area", "river", "lake_depth", "sediment"):
        values = planet.maps[name]
        assert values.dtype == np.float32 and (cells.on_faces(cells.of(values)) == values).all()
    is_land = planet.surface > 0.0
    assert planet.maps["river"][is_land].max() > 100.0 and not planet.maps["river"][~is_land].any()


def test_edges_of_the_cube_cannot_be_seen_in_the_land() -> None:
    # A seam would show as ground that bends more for the size of its cells, or water that gathers less, than some
    # samples away.  Some planets, because each differs by chance.
    ball = sphere(65)
    links, bonds, width = ball.mesh.links.cells, ball.bonds, np.sqrt(ball.mesh.area)
    row, column = np.divmod(ball.cells.first % 65**2, 65)
    inside = np.minimum(np.minimum(row, 64 - row), np.minimum(column, 64 - column))
    at_edges, near = inside <= 1, (inside >= 3) & (inside <= 10)
    bends, gathered = [], []
    for seed in range(1, 5):
        recipe = core.PlanetRecipe.preset("desert", seed=seed, resolution=65, radius=RADIUS)
        planet = core.build_planet(replace(recipe, climate=replace(recipe.climate, enabled=False)))
        height = ball.cells.of(planet.surface)[0].astype(np.float64)
        bends.append((bonds * (height[links] - height[:, np.newaxis])).sum(axis=1) / bonds.sum(axis=1) / width)
        gathered.append(np.log(ball.cells.of(planet.maps["drainage_area"])[0] / ball.mesh.area))
    bend, water = np.array(bends), np.array(gathered)
    assert abs(bend[:, at_edges].mean()) < 0.1 * bend.std()
    assert np.abs(bend[:, at_edges]).mean() == pytest.approx(np.abs(bend[:, near]).mean(), rel=0.1)
    assert water[:, at_edges].mean() == pytest.approx(water[:, near].mean(), rel=0.1)


def test_threads_do_not_matter() -> None:
    before = compilation.thread_count()
    recipe = core.PlanetRecipe.preset("archipelago", seed=5, resolution=129)
    try:
        digests = set()
        for threads in (1, 2):
            compilation.set_thread_count(threads)
            planet = core.build_planet(recipe)
            digests.add((planet.surface.tobytes(), *(values.tobytes() for values in planet.maps.values())))
    finally:
        compilation.set_thread_count(before)
    assert len(digests) == 1


def test_erosion_can_be_cancelled_at_every_step() -> None:
    recipe = core.PlanetRecipe.preset("temperate", seed=3, resolution=17)
    seen: list[core.Progress] = []
    core.build_planet(recipe, report=seen.append)
    steps = [progress for progress in seen if progress.stage == "erosion"]
    assert len(steps) > 20 and all(a.fraction <= b.fraction for a, b in pairwise(seen))

    taken = 0

    def stop(progress: core.Progress) -> None:
        nonlocal taken
        taken += progress.stage == "erosion"
        if taken == 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        core.build_planet(recipe, report=stop)
    assert taken == 10


def test_erosion_that_finishes_early_leaves_a_younger_planet() -> None:
    recipe = core.PlanetRecipe.preset("temperate", seed=3, resolution=33)
    steps, finish, eroded = build_planet_steps(recipe), None, 0
    with pytest.raises(StopIteration) as end:
        while True:
            eroded += steps.send(finish).stage == "erosion"
            finish = eroded > 20
    young, old, raw = (
        end.value.value,
        core.build_planet(recipe),
        core.build_planet(replace(recipe, erosion=replace(recipe.erosion, enabled=False))),
    )
    assert old.is_whole and not young.is_whole
    changes = [float(np.abs(planet.surface - raw.surface).mean()) for planet in (young, old)]
    assert 0.0 < changes[0] < 0.9 * changes[1]


def test_bad_input_is_refused_in_one_sentence() -> None:
    recipe = core.PlanetRecipe.preset("temperate", resolution=17)
    with pytest.raises(ValueError, match=r"strength.*-1.*0.*100"):
        replace(recipe.erosion, strength=-1.0)
    with pytest.raises(ValueError, match=r"talus_angle.*90.*89"):
        replace(recipe.erosion, talus_angle=90.0)
    spheres = spheres_from_coarse(17, RADIUS)
    young = YoungPlanet(np.zeros((6, 17, 17), np.float32), spheres, RADIUS, 0.0, np.eye(3), 1)
    none = np.zeros((6, 17, 17), np.float32)
    with pytest.raises(ValueError, match=r"rain = -2.0 is below 0"):
        run(erode_planet(young, PlanetErosion(), Causes(none, none - 2.0)))
    with pytest.raises(ValueError, match=r"ranges has shape \(6, 9, 9\)"):
        run(erode_planet(young, PlanetErosion(), Causes(none[:, ::2, ::2], None)))


# --- plants -----------------------------------------------------------------------------------------------------------


def test_plants_grow_where_their_climate_is() -> None:
    planet = core.build_planet(core.PlanetRecipe.preset("temperate", seed=3, resolution=65))
    trees, temperature, rain = planet.cover["spruce"], planet.maps["temperature"], planet.maps["rain"]
    assert trees.shape == planet.surface.shape and trees.min() >= 0.0 and 0.3 < trees.max() <= 1.0
    assert not trees[(planet.maps["sea_depth"] > 0.0) | (planet.maps["ice"] == 1.0) | (temperature < -5.0)].any()
    on_land = planet.surface > 0.0
    cool, cold, dry = (on_land & here for here in (temperature < 8.0, temperature < 0.0, rain < 150.0))
    assert trees[cool & (temperature > 3.0) & (rain > 500.0)].mean() > 0.3 > 3.0 * trees[cold].mean()
    assert not dry.any() or trees[dry].mean() < 0.1
    # Species of banks have the small part of wet land that lies beside streams; deserts have no streams.
    wet = on_land & (temperature > 10.0) & (rain > 1200.0)
    for name in ("alder", "reed"):
        assert 0.001 < planet.cover[name][wet].mean() < 0.1 and not (planet.cover[name][dry] > 0.001).any()
    tropical = planet.cover["tropical_tree"]
    assert tropical[on_land & (temperature > 22.0) & (rain > 2000.0)].mean() > 0.3
    assert not tropical[temperature < 15.0].any()
    assert sorted(planet.cover) == list(species_presets()) and "tulip" not in planet.cover
    assert not eroded("temperate").cover["spruce"].any()

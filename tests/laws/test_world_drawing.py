"""Worlds that somebody directs: inflows, masks, drawn features, and processes that look at whole catchments."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.core.building.landscape import build
from terrain_addon.core.building.recipe import Recipe
from terrain_addon.core.direction.lines import inside, lies_within, measure_nearness, values_at
from terrain_addon.core.direction.pads import outline_of
from terrain_addon.core.erosion.deposition import Deposition, deposit_load
from terrain_addon.core.erosion.thermal_erosion import ThermalErosion
from terrain_addon.core.flow.drainage import catchments
from terrain_addon.core.flow.inflows import Inflow, inlets_of
from terrain_addon.core.flow.routing import Router, route_flow
from terrain_addon.core.flow.water import find_water
from terrain_addon.core.foundation.progress import run
from terrain_addon.core.foundation.terrain import Terrain
from terrain_addon.core.maps.masks import HeightMask
from terrain_addon.core.meshing.cell_diagonals import altitude_on_mesh
from terrain_addon.core.meshing.pad_mesh import built_ground
from terrain_addon.core.meshing.road_mesh import build_road_mesh
from terrain_addon.core.tiling.blocks import Block
from terrain_addon.worlds import build_world
from terrain_addon.worlds.built_works import ground_in, read_built
from terrain_addon.worlds.drawing_phases import Works, read_works
from terrain_addon.worlds.engine_packages import write_world_package
from terrain_addon.worlds.phases import workshop_of
from terrain_addon.worlds.store import Store
from terrain_addon.worlds.survey_phases import buried, thinned
from terrain_addon.worlds.tiles import load_arrays
from terrain_addon.worlds.workshop import Workshop
from terrain_addon.worlds.world import Phase, Scale
from tests.mountains import mountains

zarr = pytest.importorskip("zarr", reason="worlds need zarr and dask, which the newest Blender's environment has")

pytestmark = pytest.mark.once

SCALE, SIZE, WIDTH = Scale(side=32, coarse_cells=64), 128, 1200.0
CELL = WIDTH / SIZE
INFLOWS = (Inflow(x=600.0, y=0.0, drainage_area=5e6), Inflow(x=300.0, y=700.0, drainage_area=1e6))
KEPT = HeightMask(upper=1760.0, softness=20.0)


def alps(**changes: Any) -> Recipe:
    recipe = mountains(width=WIDTH, depth=WIDTH, **changes)
    species = recipe.ecosystem.species[0].replace(altitude_response=tuple((2000.0 * step, 1.0) for step in range(4)))
    water = recipe.water.replace(river_source=0.02, smallest_lake=0.0, shallowest_lake=0.0)
    return recipe.replace(ecosystem=recipe.ecosystem.replace(species=(species,), cover=0.3), water=water)


def fed_and_masked() -> Recipe:
    """Rivers from beyond the land, masks on two processes, and deposition between them."""
    recipe = alps()
    rivers = recipe.erosion[0].replace(mask=KEPT)
    slides = ThermalErosion(passes=1, mask=HeightMask(lower=1600.0, upper=1720.0, softness=5.0))
    return recipe.replace(
        erosion=(rivers, Deposition(supply=1.0, mask=KEPT), slides),
        water=recipe.water.replace(inflows=INFLOWS),
        ecosystem=recipe.ecosystem.replace(species=()),
    )


def drawn() -> Recipe:
    """A feature of each kind that acts on the finest level."""
    features = (
        core.River(points=((100.0, 1100.0), (600.0, 560.0), (1180.0, 40.0)), width=15.0, inflow=5.0),
        core.Lake(points=((160.0, 160.0, 1700.0), (400.0, 180.0), (280.0, 380.0)), depth=10.0, width=60.0),
        core.Ridge(points=((800.0, 960.0, 1900.0), (1000.0, 700.0, 1900.0)), width=100.0),
        core.Pad(points=((800.0, 420.0), (920.0, 420.0), (920.0, 520.0), (800.0, 520.0)), clearing=5.0),
        core.Road(
            points=((60.0, 600.0), (300.0, 760.0)),
            least_radius=20.0,
            steepest_grade=20.0,
            longest_bridge=200.0,
            longest_tunnel=400.0,
        ),
    )
    return alps(features=features)


def make(folder: Path, tile: int, recipe: Recipe) -> dict[str, Any]:
    """Make a world; return its arrays, and the places of its plants in an order of their own."""
    build_world(recipe, size=SIZE, tile=tile, store=folder, scale=SCALE)
    group = zarr.open(folder, mode="r")
    arrays = {name: group[name][:] for name in ("surface", "bedrock", "sediment", "drainage", "water_depth", "flow")}
    plants = [dict(np.load(file)) for file in (folder / "plants").glob("*.npz")]
    places = np.concatenate([np.stack([part["x"], part["y"]]) for part in plants], axis=1)
    return arrays | {"plants": places[:, np.lexsort(places)]}


def make_twice(folder: Path, recipe: Recipe) -> dict[str, Any]:
    """Make a world of one tile and one of sixteen, whose bytes must be equal."""
    one, many = (make(folder / str(tile), tile, recipe) for tile in (SIZE, 32))
    assert [name for name in one if one[name].tobytes() != many[name].tobytes()] == []
    return one


@pytest.fixture(scope="module")
def fed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("fed")
    return folder / str(SIZE), make_twice(folder, fed_and_masked())


@pytest.fixture(scope="module")
def directed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Workshop, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("directed")
    arrays = make_twice(folder, drawn())
    return workshop_of(str(folder / str(SIZE)), (folder / str(SIZE) / "world.json").read_text()), arrays


# --- inflows and masks ------------------------------------------------------------------------------------------------


def test_rivers_from_beyond_the_land_run_as_in_one_piece(fed: tuple[Path, dict[str, Any]]) -> None:
    world = fed[1]
    router = Router(world["surface"].shape, inlets=inlets_of(INFLOWS, world["surface"].shape, CELL))
    router.route(world["surface"], -np.inf)
    np.testing.assert_array_equal(router.directions.reshape(world["flow"].shape), world["flow"])
    whole = find_water(world["surface"], CELL, fed_and_masked().water)
    # Their areas are rounded to whole cells.
    assert np.abs(whole.drainage_area - world["drainage"]).max() <= len(INFLOWS) * 0.5 * CELL**2 + 1.0
    assert world["drainage"].max() > INFLOWS[0].drainage_area


def test_where_a_mask_keeps_rivers_off_the_land_is_the_relief_to_the_last_byte(
    fed: tuple[Path, dict[str, Any]],
) -> None:
    relief = build(alps(resolution=SIZE + 1).replace(erosion=()), extent="terrain").terrain.surface
    high = relief > KEPT.upper + KEPT.softness + 60.0
    assert 0.1 < high.mean() < 0.9
    assert fed[1]["surface"][high].tobytes() == relief[high].tobytes()
    low = relief < KEPT.upper - 30.0
    assert np.abs(fed[1]["surface"] - relief)[low].mean() > 2.0


def test_a_drawn_lake_that_crosses_the_border_stays_full(tmp_path: Path) -> None:
    outline = ((-200.0, 300.0), (300.0, 300.0), (300.0, 700.0), (-200.0, 700.0))
    recipe = alps(features=(core.Lake(points=outline, depth=15.0, width=60.0),))
    world = make_twice(tmp_path, recipe.replace(ecosystem=recipe.ecosystem.replace(species=())))
    shop = workshop_of(str(tmp_path / str(SIZE)), (tmp_path / str(SIZE) / "world.json").read_text())
    level = shop.drawing.levels(world["surface"].shape, CELL)
    assert level is not None and np.isfinite(level[:, 0]).sum() > 30
    off = (world["surface"] + world["water_depth"] - level)[np.isfinite(level)]
    assert np.abs(off).max() < 0.5


# --- processes that look at whole catchments --------------------------------------------------------------------------


def test_deposits_are_those_of_the_land_in_one_piece_as_nearly_as_said(tmp_path: Path) -> None:
    recipe = Recipe.preset("mesa_and_canyon")
    law = Deposition(supply=1.5)
    recipe = recipe.replace(erosion=(recipe.erosion[0], law), ecosystem=recipe.ecosystem.replace(species=()))
    make(tmp_path / "world", SIZE, recipe)
    states = zarr.open_group(tmp_path / "world", mode="r", use_consolidated=False)["work/states/1"]
    before = Terrain(
        (states["2/height"][:] - states["2/sediment"][:]).astype(np.float32), states["2/sediment"][:], 6000.0 / SIZE
    )
    after = Terrain(states["3/bedrock"][:], states["3/sediment"][:], before.cell_size)
    whole = run(deposit_load(before, law)).terrain
    laid, expected = after.surface - before.surface, whole.surface - before.surface
    assert np.abs(laid - expected).mean() < 0.5 * np.abs(expected).mean()
    # In catchments of a hundredth of the land and more.
    routes = route_flow(before.surface, before.cell_size)
    _, catchment = np.unique(catchments(routes), return_inverse=True)
    large = np.bincount(catchment.ravel()) > 0.01 * catchment.size
    sums = [
        np.bincount(catchment.ravel(), (one.sediment - before.sediment).ravel().astype(np.float64))[large]
        for one in (after, whole)
    ]
    assert np.abs(sums[0] - sums[1]).sum() < 0.25 * np.abs(sums[1]).sum()
    # What the survey loses or wins, the world does.
    found = load_arrays(tmp_path / "world/work/answers/1.3.survey/whole.npz")
    change = json.loads((tmp_path / "world/balances.json").read_text())[-1]["change"]
    moved = np.abs(found["change"]).sum() * (6000.0 / 64) ** 2
    assert change == pytest.approx(laid.sum(dtype=np.float64) * before.cell_size**2, abs=1e-6 * moved)
    assert abs(change - found["change"].sum(dtype=np.float64) * (6000.0 / 64) ** 2) < 0.03 * moved


def test_a_survey_keeps_volumes_and_layers_bury_what_is_small() -> None:
    rng = np.random.default_rng(3)
    fine = np.zeros((41, 41))
    fine[8:33, 8:33] = rng.random((25, 25))
    places = np.arange(4, 37, 4)
    assert thinned(fine, places, places, 4).sum() * 16.0 == pytest.approx(fine.sum(), rel=1e-12)
    detail = np.array([-0.1, 0.1, -20.0, 20.0], np.float32)
    for thickness in (0.0, 2.0):
        seen = buried(detail, np.full(4, thickness, np.float32))
        assert (thickness + seen >= detail).all()
        assert seen.sum() == pytest.approx(0.0, abs=1e-6)
    assert np.abs(seen[:2]).max() < 1e-6 and np.abs(seen[2:]).min() > 17.0


def test_a_fixed_border_keeps_its_heights(tmp_path: Path) -> None:
    recipe = alps(fixed_border=True)
    recipe = recipe.replace(erosion=recipe.erosion[:1], ecosystem=recipe.ecosystem.replace(species=()))
    surface = make_twice(tmp_path, recipe)["surface"]
    relief = build(recipe.replace(erosion=(), resolution=SIZE + 1), extent="terrain").terrain.surface
    for turns in range(4):
        now, before = np.rot90(surface, turns), np.rot90(relief, turns)
        assert now[0].tobytes() == before[0].tobytes()
        # The land goes over to it without a step.
        assert np.abs(now[1] - now[0]).mean() < 2.0 * np.abs(before[1] - before[0]).mean()
    assert np.abs(surface - relief)[40:-40, 40:-40].mean() > 5.0


def test_a_damaged_survey_is_named_and_made_anew(tmp_path: Path) -> None:
    recipe = alps().replace(erosion=(Deposition(supply=1.0),))
    recipe = recipe.replace(ecosystem=recipe.ecosystem.replace(species=()))
    surface = make_twice(tmp_path, recipe)["surface"]
    survey, chunk = "work/answers/1.1.survey/whole.npz", "work/states/1/1/sediment/c/1/2"
    for name in (survey, chunk):
        data = bytearray((tmp_path / "32" / name).read_bytes())
        data[len(data) // 2] ^= 255
        (tmp_path / "32" / name).write_bytes(data)
    named: list[str] = []
    build_world(recipe, size=SIZE, tile=32, store=tmp_path / "32", scale=SCALE, resume=True, notice=named.append)
    assert len(named) == 2 and survey in named[0] and "chunk 1/2" in named[1]
    assert zarr.open(tmp_path / "32", mode="r")["surface"][:].tobytes() == surface.tobytes()


# --- what is drawn ----------------------------------------------------------------------------------------------------


def test_drawn_rivers_fall_all_the_way_and_water_follows_them(directed: tuple[Workshop, dict[str, Any]]) -> None:
    shop, world = directed
    courses = shop.courses(1)
    for begin, end in zip(courses.first, courses.first[1:]):
        assert np.diff(world["surface"].ravel()[courses.cell[begin:end]]).max() < 0.0
    # It brings 5 km² into a land of 1.4 km².
    river = np.pad(world["drainage"] > 4.9e6, 1)
    near = np.max([river[i : i + SIZE + 1, j : j + SIZE + 1] for i in range(3) for j in range(3)], axis=0)
    main = courses.cell[: courses.first[1]]
    assert main.size > SIZE and near.ravel()[main].mean() >= 0.99


def test_a_drawn_lake_has_its_level(directed: tuple[Workshop, dict[str, Any]]) -> None:
    shop, world = directed
    lake = shop.drawing.lakes[0]
    wet = inside(lake.outline, world["surface"].shape, CELL)
    level = (world["surface"] + world["water_depth"])[wet & (world["water_depth"] > 0.0)]
    assert (world["water_depth"][wet] > 0.0).mean() > 0.97
    assert np.abs(level - lake.level).max() < 0.5


def test_no_plain_of_sediment_grows_in_a_drawn_lake(directed: tuple[Workshop, dict[str, Any]]) -> None:
    shop, _ = directed
    outline = shop.drawing.lakes[0].outline
    for step in (1, 2):
        folder = shop.store.folder / "work" / "answers" / Phase("ground", 1, step).key
        tiles = [load_arrays(file) for file in folder.glob("[0-9]*.npz")]
        ends = np.concatenate([one[name] for one in tiles for name in one if name.endswith("cell")])
        basins = np.concatenate([one[name] for one in tiles for name in one if name.endswith("basin")])
        in_lake = lies_within(outline, *np.divmod(ends, SIZE + 1), CELL)
        # What flows into it leaves the land as its level is kept: it would be a plain that rises over its shore.
        assert in_lake.any() and (basins[in_lake] == 0).all() and (basins[~in_lake] > 0).any()


def test_a_drawn_crest_has_its_height(directed: tuple[Workshop, dict[str, Any]]) -> None:
    _, world = directed
    along = np.linspace(0.1, 0.9, 30)
    row, column = (np.rint((a + along * (b - a)) / CELL).astype(int) for a, b in ((960.0, 700.0), (800.0, 1000.0)))
    off = world["surface"][row, column] - 1900.0
    # Detail that is finer than the level in memory stays on it.
    assert abs(off.mean()) < 0.02 * np.ptp(world["surface"])
    assert np.abs(off).mean() < 0.05 * np.ptp(world["surface"])


def test_a_pad_is_level_and_a_road_keeps_its_grade(directed: tuple[Workshop, dict[str, Any]]) -> None:
    shop, world = directed
    surface, works = world["surface"], works_of(shop)
    ground = inside(outline_of(shop.drawing.pads[0]), surface.shape, CELL)
    assert np.ptp(surface[ground]) < 0.01
    (road,) = works.roads
    assert road.steepest <= 0.2 + 1e-9
    near = measure_nearness(road.line, surface.shape, CELL, 0.5 * road.road.width)
    along = values_at(road.line.along, near.place)
    there = near.place >= 0.0
    for one in (*road.bridges, *road.tunnels):
        there &= (along < one.begin) | (along > one.end)
    off = surface[there] - values_at(road.line.height, near.place)[there]
    assert there.sum() > 10 and np.abs(off + 0.5).max() < 0.01


def test_nothing_grows_on_pads_and_roads(directed: tuple[Workshop, dict[str, Any]]) -> None:
    shop, world = directed
    x, y = world["plants"]
    assert x.size > 500
    beside = np.hypot(np.maximum(np.abs(x - 860.0) - 60.0, 0.0), np.maximum(np.abs(y - 470.0) - 50.0, 0.0))
    assert beside.min() > 5.0
    line = works_of(shop).roads[0].line
    away = np.sqrt(((x[:, np.newaxis] - line.x) ** 2 + (y[:, np.newaxis] - line.y) ** 2).min(axis=1))
    assert away.min() > 0.5 * shop.drawing.roads[0].width


def test_packages_and_the_folder_have_the_roads_and_pads(
    directed: tuple[Workshop, dict[str, Any]], tmp_path: Path
) -> None:
    shop, world = directed
    course = works_of(shop).roads[0]
    package = write_world_package(shop.store.folder, tmp_path / "package", "generic")
    told = json.loads((tmp_path / "package" / package.manifest["road_records"]).read_text())
    kept = json.loads((shop.store.folder / "roads.json").read_text())
    (road,), (pad,) = told["roads"], told["pads"]
    assert kept["pads"] == [pad] and kept["roads"][0]["summary"] == road["summary"]
    assert kept["roads"][0]["points_m"] == road["points_m"] and kept["roads"][0]["bridges_m"] == road["bridges_m"]
    np.testing.assert_allclose(road["points_m"]["x"], course.line.x - 0.5 * WIDTH, atol=1e-3)
    np.testing.assert_allclose(road["profile_m"]["road"], course.line.height, atol=1e-3)
    assert road["cut_m3"] + road["fill_m3"] > 100.0 and pad["cut_m3"] + pad["fill_m3"] > 100.0
    built = read_built(shop.store.folder, shop.world)
    ground = ground_in(shop.world, Store(shop.store.folder).read, False)
    mesh = build_road_mesh(ground, built.roads, built.pads)
    land = Terrain(world["bedrock"], world["sediment"], CELL)
    turned = np.zeros((land.grid.rows - 1, land.grid.columns - 1), bool)

    def shown(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return altitude_on_mesh(land.surface, CELL, x.astype(np.float32), y.astype(np.float32), turned)

    whole = build_road_mesh(built_ground(land)._replace(shown=shown), built.roads, built.pads)
    # A world rounds places from the corner of a window, this land from its own: one step of float32 apart at most.
    np.testing.assert_array_max_ulp(mesh.positions, whole.positions, maxulp=1)

    def in_memory(name: str, block: Block) -> np.ndarray:
        rows = slice(block.first_row, block.first_row + block.rows)
        return world[name][rows, block.first_column : block.first_column + block.columns]

    same = build_road_mesh(ground_in(shop.world, in_memory, False), built.roads, built.pads)
    np.testing.assert_array_equal(mesh.positions, same.positions)
    slab = mesh.positions[np.abs(mesh.positions[:, 2] - pad["level_m"] - 0.15) < 1e-3]
    np.testing.assert_allclose(slab[:, :2].min(axis=0) + 0.5 * WIDTH, (800.0, 420.0), atol=1e-3)
    assert (tmp_path / "package" / package.manifest["roads"]).stat().st_size > 10_000
    (shop.store.folder / "roads.json").rename(shop.store.folder / "away.json")
    with pytest.raises(ValueError, match=r"roads\.json is damaged"):
        write_world_package(shop.store.folder, tmp_path / "other", "generic")
    (shop.store.folder / "away.json").rename(shop.store.folder / "roads.json")


def works_of(shop: Workshop) -> Works:
    step = shop.world.step_of("works")
    assert step is not None
    folder = shop.store.folder / "work" / "answers" / Phase("survey", 1, step).key
    return read_works(load_arrays(folder / "whole.npz"), shop.drawing, CELL)

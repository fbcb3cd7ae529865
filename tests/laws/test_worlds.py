"""Worlds: the same bytes for any tiling, number of workers, order and crash, and the laws of flow across rims."""

import errno
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import tomllib
import types
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.command_line import main
from terrain_addon.core.building.landscape import build
from terrain_addon.core.building.measuring import Measured
from terrain_addon.core.building.recipe import Recipe
from terrain_addon.core.ecosystem.dart_throwing import Corner, DartThrowing, throw_darts
from terrain_addon.core.ecosystem.plant_looks import full_grown_radius
from terrain_addon.core.ecosystem.species import ALWAYS, Species
from terrain_addon.core.erosion.droplets import Droplets, erode_by_droplets
from terrain_addon.core.erosion.hillslope import HillslopeDiffusion, reach_of_creep
from terrain_addon.core.erosion.hydraulic_erosion import HydraulicErosion
from terrain_addon.core.erosion.landslides import Landslides
from terrain_addon.core.erosion.river_beds import RiverBeds, cut_river_beds
from terrain_addon.core.erosion.thermal_erosion import ThermalErosion
from terrain_addon.core.erosion.weathering import Weathering, weather_rock
from terrain_addon.core.flow.directions import OUTLET
from terrain_addon.core.flow.drainage import drainage_area
from terrain_addon.core.flow.routing import routes_along
from terrain_addon.core.flow.water import Water, find_water
from terrain_addon.core.foundation.creep import Creep
from terrain_addon.core.foundation.neighbours import flat_steps
from terrain_addon.core.foundation.progress import run
from terrain_addon.core.foundation.terrain import Terrain
from terrain_addon.core.maps.catalogue import MAPS
from terrain_addon.core.maps.masks import HeightMask
from terrain_addon.core.tiling.blocks import Block, Blocks
from terrain_addon.worlds import SchedulerGone, WorldProgress, build_world, command, rebuild_tile
from terrain_addon.worlds.building import open_world
from terrain_addon.worlds.clients import map_ahead, open_client
from terrain_addon.worlds.command import ShownProgress
from terrain_addon.worlds.erosion_phases import without_stairs
from terrain_addon.worlds.graphs import solve_graph
from terrain_addon.worlds.libraries import PINNED, LibraryMissing, load_library
from terrain_addon.worlds.phases import create_arrays, work_on_tile, work_on_waiting_tile, workshop_of
from terrain_addon.worlds.plain_store import PlainStore
from terrain_addon.worlds.plant_rims import Rims, halo_of, keep_apart
from terrain_addon.worlds.repairing import Repairer
from terrain_addon.worlds.rivers import world_rivers
from terrain_addon.worlds.tiles import summary_file
from terrain_addon.worlds.world import Phase, Scale, World
from tests.mountains import mountains

zarr = pytest.importorskip("zarr", reason="worlds need zarr and dask, which the newest Blender's environment has")
distributed = pytest.importorskip("distributed", reason="worlds need dask.distributed")

pytestmark = pytest.mark.once

DOCS = Path(__file__).resolve().parents[2] / "docs" / "worlds.md"
EVERYWHERE = {
    f"{name}_response": ALWAYS for name in ("sediment", "illumination", "humidity", "slope", "altitude", "water")
}
SCALE, SIZE = Scale(side=32, coarse_cells=64), 128


def small_alps(**changes: Any) -> Recipe:
    """The Alps with one kind of tree, on so little land that few trees stand on it."""
    recipe = mountains(width=1200.0, depth=1200.0, **changes)
    species = recipe.ecosystem.species[0].replace(altitude_response=tuple((2000.0 * step, 1.0) for step in range(4)))
    water = recipe.water.replace(river_source=0.02, smallest_lake=0.0, shallowest_lake=0.0)
    return recipe.replace(ecosystem=recipe.ecosystem.replace(species=(species,), cover=0.3), water=water)


def make(folder: Path, tile: int, recipe: Recipe | None = None, **options: Any) -> Path:
    return build_world(recipe or small_alps(), size=SIZE, tile=tile, store=folder, scale=SCALE, **options)


def contents(folder: Path) -> dict[str, Any]:
    """All arrays of a world, and its plants in an order of their own."""
    group = zarr.open(folder, mode="r")
    arrays = {f"maps/{name}": group["maps"][name][:] for name in group["maps"].array_keys()}
    arrays |= {name: group[name][:] for name in ("surface", "bedrock", "sediment", "drainage", "water_depth", "flow")}
    plants = [dict(np.load(file)) for file in sorted((folder / "plants").glob("*.npz"))]
    joined = {name: np.concatenate([part[name] for part in plants]) for name in plants[0]}
    order = np.lexsort((joined["x"], joined["y"]))
    return arrays | {f"plants/{name}": values[order] for name, values in joined.items()}


def assert_same(folder: Path, expected: dict[str, Any]) -> None:
    found = contents(folder)
    assert found.keys() == expected.keys()
    assert [name for name in expected if found[name].tobytes() != expected[name].tobytes()] == []


@pytest.fixture(scope="module")
def one_tile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("worlds") / "one", SIZE)


@pytest.fixture(scope="module")
def whole(one_tile: Path) -> dict[str, Any]:
    return contents(one_tile)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    options = {"threads_per_worker": 1, "dashboard_address": None, "silence_logs": 50}
    with distributed.LocalCluster(n_workers=2, **options) as started:
        yield started


# --- the same bytes ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def four_tiles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A world of which each phase went through the tiles in an order of its own."""
    folder = tmp_path_factory.mktemp("worlds") / "four"
    with pytest.raises(KeyboardInterrupt):
        make(folder, 64, report=stop_after_coarse)
    make_in_any_order(folder)
    return folder


def stop_after_coarse(progress: WorldProgress) -> None:
    if progress.fraction > 0.021:
        raise KeyboardInterrupt


def make_in_any_order(folder: Path, phases: int | None = None) -> None:
    """Go through phases after the level in memory, and through the tiles of each in an order of its own."""
    described = (folder / "world.json").read_text()
    shop = workshop_of(str(folder), described)
    for number, phase in enumerate(shop.world.phases[:phases]):
        create_arrays(shop.world, shop.store, phase)
        for tile in np.random.default_rng(number).permutation(shop.world.tile_count(phase.level)):
            work_on_tile(str(folder), described, phase, int(tile))
        solve_graph(shop, phase)


def test_four_tiles_in_any_order_make_the_same_world_as_one(four_tiles: Path, whole: dict[str, Any]) -> None:
    assert_same(four_tiles, whole)


@pytest.mark.soak
def test_sixty_four_tiles_in_any_order_make_the_same_step_of_erosion_as_one(tmp_path: Path) -> None:
    states = []
    for tile in (256, 32):
        folder = tmp_path / str(tile)
        with pytest.raises(KeyboardInterrupt):
            build_world(small_alps(), size=256, tile=tile, store=folder, scale=Scale(32, 128), report=stop_after_coarse)
        make_in_any_order(folder, phases=7)  # to the end of the first step
        group = zarr.open_group(folder, mode="r", use_consolidated=False)["work/states/1/1"]
        states.append({name: group[name][:].tobytes() for name in ("height", "sediment")})
        assert_creep_is_that_of_one_piece(folder)
    assert open_world(tmp_path / "32").tile_count(1) == 64
    assert states[0] == states[1]


def assert_creep_is_that_of_one_piece(folder: Path) -> None:
    """In the first step, whose own arrays are still there."""
    world, shop = open_world(folder), workshop_of(str(folder), (folder / "world.json").read_text())
    group = zarr.open_group(folder, mode="r", use_consolidated=False)["work"]
    crept, before = group["states/1/1/height"][:], group["scratch/1/1/rough"][:]
    spread = shop.rivers.creep(*shop.step(1, 1), world.land(1).cell_size)
    assert 5 < reach_of_creep(spread, 1) < 64
    whole = before.copy()
    Creep(whole.shape).step(whole, spread)
    assert np.abs(whole - before).mean() > 0.01
    assert np.abs(crept - whole).max() < 1e-9 * np.ptp(whole)
    # As in memory, nothing creeps at the very end.
    assert "creep" not in world.step_phases(1, 2)


@pytest.mark.soak
def test_far_creep_reads_no_block_that_has_crept_already(tmp_path: Path) -> None:
    # Creep reaches farther than a block, so what the last block of a row reads is as wide as what its tile holds.
    recipe = Recipe.preset("plains")
    river = recipe.erosion[0].replace(age=3.0)
    recipe = recipe.replace(erosion=(river,), ecosystem=recipe.ecosystem.replace(species=()))
    surfaces = [zarr.open(make(tmp_path / str(side), side, recipe), mode="r")["surface"][:] for side in (32, 64)]
    np.testing.assert_array_equal(*surfaces)


def test_one_worker_makes_the_same_world(tmp_path: Path, whole: dict[str, Any]) -> None:
    options = {"threads_per_worker": 1, "dashboard_address": None, "silence_logs": 50, "processes": False}
    with distributed.LocalCluster(n_workers=1, **options) as started, distributed.Client(started) as client:
        make(tmp_path / "world", 64, client=client)
    assert_same(tmp_path / "world", whole)


def test_sixteen_tiles_on_two_workers_one_of_which_is_lost(tmp_path: Path, whole: dict[str, Any], cluster: Any) -> None:
    lost = []

    def lose_one(progress: WorldProgress) -> None:
        if progress.fraction > 0.4 and not lost:
            pids = [worker["pid"] for worker in client.run(lambda: {"pid": os.getpid()}).values()]
            lost.append(pids[0])
            os.kill(pids[0], signal.SIGKILL)

    with distributed.Client(cluster) as client:
        make(tmp_path / "world", 32, client=client, report=lose_one)
    assert lost
    assert_same(tmp_path / "world", whole)


def test_workers_lost_just_after_they_told_of_a_tile_do_not_stop_the_world(
    tmp_path: Path, whole: dict[str, Any], cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Dask then forgets that the tile was finished, between two questions about it.
    lost, ask = [], distributed.Future.exception

    def lose_all(future: Any) -> BaseException | None:
        error: BaseException | None = ask(future)
        if not lost:
            lost.extend(worker["pid"] for worker in client.run(lambda: {"pid": os.getpid()}).values())
            for pid in lost:
                os.kill(pid, signal.SIGKILL)
            until = time.monotonic() + 60.0
            while future.status == "finished" and time.monotonic() < until:
                time.sleep(0.01)
            assert future.status != "finished"
        return error

    monkeypatch.setattr(distributed.Future, "exception", lose_all)
    with distributed.Client(cluster) as client:
        make(tmp_path / "world", 64, client=client)
    assert lost
    assert_same(tmp_path / "world", whole)


def test_a_tile_that_a_lost_worker_had_done_is_not_done_again(four_tiles: Path) -> None:
    # What it read belongs to later phases by now, which write over it.
    world = open_world(four_tiles)
    phase, described = world.phases[-1], (four_tiles / "world.json").read_text()
    before = {path: path.stat().st_mtime_ns for path in four_tiles.rglob("*") if path.is_file()}
    work_on_waiting_tile(str(four_tiles), described, phase, 0)
    assert {path: path.stat().st_mtime_ns for path in four_tiles.rglob("*") if path.is_file()} == before
    summary_file(four_tiles, phase, 0).unlink()
    work_on_waiting_tile(str(four_tiles), described, phase, 0)
    assert summary_file(four_tiles, phase, 0).is_file()


KILLED = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
import test_worlds
def say(progress):
    print(progress.fraction, flush=True)
test_worlds.make(Path(sys.argv[1]), 64, report=say)
"""


def test_a_killed_world_goes_on_and_corrupt_chunks_are_named_and_made_anew(
    tmp_path: Path, whole: dict[str, Any]
) -> None:
    folder = tmp_path / "world"
    script = [sys.executable, "-c", KILLED, str(folder), str(Path(__file__).parent)]
    root = Path(__file__).resolve().parents[2]
    with subprocess.Popen(script, stdout=subprocess.PIPE, text=True, cwd=root) as process:
        for line in process.stdout or ():
            if float(line) > 0.6:
                process.kill()
                break
    corrupt = [folder / "work/states/1/1/height/c/1/2", folder / "work/states/1/0/sediment/c/0/0"]
    for chunk in corrupt:
        flip_a_byte(chunk)
    told = folder / "work/summaries/1.1.fill/2.npz"
    told.write_bytes(told.read_bytes()[:200])
    named: list[str] = []
    make(folder, 64, resume=True, notice=named.append)
    assert sorted(named) == [
        f"{told} is corrupt; it is made anew",
        "chunk 0/0 of work/states/1/0/sediment is corrupt; its tile is made anew",
        "chunk 1/2 of work/states/1/1/height is corrupt; its tile is made anew",
    ]
    assert_same(folder, whole)


@pytest.mark.soak
def test_a_world_stopped_in_the_first_tile_of_any_phase_goes_on(
    tmp_path: Path, whole: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Then the arrays of the phase are there, but not one of their chunks.
    folder, stops, work = tmp_path / "world", set[str](), Repairer.work

    def stop_once(self: Repairer, phase: Phase, number: int) -> None:
        if phase.name not in stops:
            stops.add(phase.name)
            raise KeyboardInterrupt
        work(self, phase, number)

    monkeypatch.setattr(Repairer, "work", stop_once)
    named: list[str] = []
    for go_on in range(40):
        try:
            make(folder, SIZE, resume=go_on > 0, notice=named.append)
            break
        except KeyboardInterrupt:
            continue
    assert len(stops) == go_on > 10
    assert named == []
    assert_same(folder, whole)


def test_chunks_of_a_finished_world_are_repaired(tmp_path: Path, four_tiles: Path, whole: dict[str, Any]) -> None:
    folder = tmp_path / "world"
    shutil.copytree(four_tiles, folder)
    flip_a_byte(folder / "work/coarse/sediment/c/1/0")
    flip_a_byte(folder / "surface/c/2/1")
    (folder / "maps/slope/c/3/3").unlink()
    named: list[str] = []
    make(folder, 64, resume=True, notice=named.append)
    assert [sentence.split(" is ")[0] for sentence in named] == [
        "chunk 1/0 of work/coarse/sediment",
        "chunk 2/1 of surface",
        "chunk 3/3 of maps/slope",
    ]
    assert_same(folder, whole)


def test_two_chunks_of_one_tile_are_both_named(tmp_path: Path, four_tiles: Path, whole: dict[str, Any]) -> None:
    folder = tmp_path / "world"
    shutil.copytree(four_tiles, folder)
    for chunk in ("surface/c/2/1", "maps/sky_view/c/3/0"):
        flip_a_byte(folder / chunk)
    named: list[str] = []
    make(folder, 64, resume=True, notice=named.append)
    assert [one.split(" is ")[0] for one in named] == ["chunk 2/1 of surface", "chunk 3/0 of maps/sky_view"]
    assert_same(folder, whole)


def test_damaged_files_between_tiles_and_graphs_are_named_and_made_anew(
    tmp_path: Path, four_tiles: Path, whole: dict[str, Any]
) -> None:
    folder = tmp_path / "world"
    shutil.copytree(four_tiles, folder)
    of_graphs = ["work/answers/1.0.route/0.npz", "work/answers/1.2.ground/2.npz", "work/answers/1.2.solve/whole.npz"]
    of_tiles = ["work/summaries/1.1.carve/3.npz", "work/summaries/1.0.surface/1.npz", "work/final/plants/1.npz"]
    finished = ["plants/1_1.npz", "tiles/0_1.json", "maps/slope/zarr.json", "work/states/1/2/height/zarr.json"]
    told = {name: (folder / name).read_bytes() for name in (*of_graphs, *of_tiles, *finished)}
    for name in (*of_graphs, *of_tiles):
        flip_a_byte(folder / name)
    for name in finished:
        (folder / name).unlink()
    named: list[str] = []
    make(folder, 64, resume=True, notice=named.append)
    assert {sentence.removeprefix(f"{folder}/").split(" is corrupt")[0] for sentence in named} == told.keys()
    assert len(named) == len(told)
    assert_same(folder, whole)
    assert (folder / "tiles/0_1.json").read_bytes() == told["tiles/0_1.json"]
    # Whatever is left is what was there before, so the next damage can be mended too.
    make(folder, 64, resume=True, notice=named.append)
    assert len(named) == len(told)


def test_changed_values_in_json_are_named_and_mended(tmp_path: Path, four_tiles: Path, whole: dict[str, Any]) -> None:
    folder = tmp_path / "world"
    shutil.copytree(four_tiles, folder)
    make(folder, 64, resume=True)  # writes mass balances and the list of arrays
    changes = {
        "world.json": ('"tile": 64', '"tile": 32'),
        "balances.json": ('"step": 2', '"step": 3'),
        "tiles/1_0.json": ('"rows": 65', '"rows": 64'),
        "zarr.json": ('"float32"', '"float64"'),
        "maps/zarr.json": ('"group"', '"troop"'),
        "surface/zarr.json": ("129", "128"),
        "work/states/1/1/height/zarr.json": ('"crc32c"', '"crc64c"'),
        "work/coarse/relief/zarr.json": ('"float32"', '"float64"'),
    }
    told = {name: (folder / name).read_bytes() for name in changes}
    for name, (before, after) in changes.items():
        text = told[name].decode()
        assert before in text
        (folder / name).write_text(text.replace(before, after, 1))
    named: list[str] = []
    make(folder, 64, resume=True, notice=named.append)
    assert sorted(sentence.removeprefix(f"{folder}/") for sentence in named) == sorted(
        f"{name} is corrupt; it is made anew" for name in changes
    )
    assert {name: json.loads((folder / name).read_bytes()) for name in changes} == {
        name: json.loads(content) for name, content in told.items()
    }
    assert_same(folder, whole)
    # Without the description of the world, another recipe is refused all the same.
    (folder / "world.json").write_text("{")
    with pytest.raises(ValueError, match=r"is damaged .* and the folder holds another world"):
        make(folder, 64, small_alps(seed=8), resume=True)


def flip_a_byte(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0x40
    file.write_bytes(content)


def test_a_tile_made_again_alone_equals_that_of_the_whole(
    tmp_path: Path, four_tiles: Path, whole: dict[str, Any]
) -> None:
    folder = tmp_path / "world"
    shutil.copytree(four_tiles, folder)
    record = (folder / "tiles" / "1_0.json").read_text()
    for path in ("surface", "drainage", "maps/slope", "maps/illumination"):
        (folder / path / "c" / "3" / "1").unlink()
    (folder / "plants" / "1_0.npz").unlink()
    rebuild_tile(folder, 1, 0)
    assert (folder / "tiles" / "1_0.json").read_text() == record
    assert_same(folder, whole)


def test_a_world_that_fits_into_memory_is_the_landscape_itself(tmp_path: Path) -> None:
    recipe = small_alps()
    folder = build_world(recipe, size=64, tile=64, store=tmp_path / "world", scale=SCALE)
    land, group = build(recipe.replace(resolution=65)), zarr.open(folder, mode="r")
    assert land.waters is not None and land.plants is not None
    fields = {"surface": land.terrain.surface, "sediment": land.terrain.sediment, "bedrock": land.terrain.bedrock}
    fields |= {"drainage": land.waters.drainage_area, "water_depth": land.waters.water_depth}
    fields |= {f"maps/{name}": values for name, values in land.maps.items() if name not in fields}
    assert [name for name, values in fields.items() if group[name][:].tobytes() != values.tobytes()] == []
    assert np.load(folder / "plants" / "0_0.npz")["x"].tobytes() == land.plants.x.tobytes()
    # Water flows along it as drainage says, so that other programs get its rivers too.
    drained = drainage_area(routes_along(group["flow"][:], land.terrain.cell_size))
    assert drained.astype(np.float32).tobytes() == land.waters.drainage_area.tobytes()
    assert len(list(world_rivers(folder))) > 3


# --- laws -------------------------------------------------------------------------------------------------------------


def test_core_offers_worlds_beside_landscapes_and_planets() -> None:
    assert core.build_world is build_world
    with pytest.raises(AttributeError, match="no attribute 'build_moon'"):
        core.build_moon  # noqa: B018


def test_water_is_that_of_the_whole_surface(whole: dict[str, Any]) -> None:
    waters = find_water(whole["surface"], 1200.0 / SIZE, small_alps().water)
    np.testing.assert_array_equal(whole["drainage"], waters.drainage_area)
    np.testing.assert_array_equal(whole["water_depth"], waters.water_depth)
    assert len(waters.lakes) > 0


def test_rivers_cross_rims_without_a_sign(whole: dict[str, Any]) -> None:
    flow, area = whole["flow"].ravel(), whole["drainage"].ravel()
    inside = np.flatnonzero(flow < OUTLET)
    below = inside + flat_steps(SIZE + 1)[flow[inside]]
    assert (area[below] > area[inside]).all()
    # A river is as steep where it crosses a rim as just before and after.
    length = np.where(flow[inside] % 2, np.sqrt(2.0), 1.0)
    slope = np.full(flow.size, np.nan)
    slope[inside] = (whole["surface"].ravel()[inside] - whole["surface"].ravel()[below]) / length
    after = np.full(flow.size, np.nan)
    after[inside] = slope[below]
    rows, columns = np.divmod(inside, SIZE + 1), np.divmod(below, SIZE + 1)
    crosses = np.zeros(flow.size, np.bool_)
    crosses[inside] = (rows[0] // 32 != columns[0] // 32) | (rows[1] // 32 != columns[1] // 32)
    bend_of_bed = np.where(area > 10.0 * (1200.0 / SIZE) ** 2, slope - after, np.nan)
    at_rims, elsewhere = (bend_of_bed[where & np.isfinite(bend_of_bed)] for where in (crosses, ~crosses))
    assert abs(at_rims.mean() - elsewhere.mean()) < 4.0 * elsewhere.std() / np.sqrt(at_rims.size)
    # Channels are cut as deep on rims as elsewhere: curvature of river cells, beside that of rivers within blocks.
    row, column = np.divmod(np.arange(area.size), SIZE + 1)
    river = (area > 20.0 * (1200.0 / SIZE) ** 2) & (flow < OUTLET)
    on_rim = river & (np.isin(row % 32, (0, 31)) | np.isin(column % 32, (0, 31)))
    bend = whole["maps/curvature"].ravel()
    spread = bend[river].std() / np.sqrt(on_rim.sum())
    assert abs(bend[on_rim].mean() - bend[river & ~on_rim].mean()) < 4.0 * spread


@pytest.mark.filterwarnings("error")
def test_the_folder_opens_as_a_group_of_arrays(one_tile: Path) -> None:
    group = zarr.open(one_tile)
    assert {"surface", "bedrock", "sediment", "drainage", "water_depth", "flow"} <= set(group.array_keys())
    assert {"slope", "illumination", "humidity"} <= set(group["maps"].array_keys())
    for name, array in group.arrays():
        assert array.shape == (SIZE + 1, SIZE + 1), name
        assert "crc32c" in str(array.metadata.codecs).lower()
    record = json.loads((one_tile / "tiles" / "0_0.json").read_text())
    assert set(record["sha256"]) >= {"surface", "maps/slope", "plants"}


def test_mass_balances_close(one_tile: Path) -> None:
    balances = json.loads((one_tile / "balances.json").read_text())
    assert [(balance["level"], balance["step"]) for balance in balances] == [(1, 1), (1, 2), (1, 3), (1, 4)]
    for balance in balances[:2]:
        assert balance["uplifted"] > 0.0 and balance["left"] > 0.0
        assert abs(balance["error"]) < 1e-9 * balance["before"]
    # Between two steps nothing comes or goes.
    assert balances[1]["before"] == pytest.approx(balances[0]["after"], rel=1e-12)


@pytest.mark.parametrize(
    "masks", [{"hardness": HeightMask(lower=-1000.0)}, {"rain": HeightMask(lower=-2000.0, upper=-1000.0)}]
)
def test_hard_rock_and_drought_slow_rivers_on_finer_levels_too(
    tmp_path: Path, one_tile: Path, masks: dict[str, HeightMask]
) -> None:
    usual = json.loads((one_tile / "balances.json").read_text())[0]
    recipe = small_alps()
    bare = recipe.ecosystem.replace(cover=0.0)
    rivers = recipe.erosion[0].replace(**masks)
    make(tmp_path / "world", SIZE, recipe.replace(erosion=(rivers,), ecosystem=bare))
    slowed = json.loads((tmp_path / "world" / "balances.json").read_text())[0]
    # The land is higher and steeper, so that rivers without the mask would take more than twice as much from it.
    assert slowed["left"] / slowed["before"] < 0.9 * usual["left"] / usual["before"]


def test_plants_keep_apart_across_rims(whole: dict[str, Any]) -> None:
    from scipy.spatial import KDTree

    places = np.column_stack((whole["plants/x"], whole["plants/y"]))
    assert len(places) > 300 and places.max() <= 1200.0
    nearest = KDTree(places).query(places, k=2)[0][:, 1]
    block = (places // (1200.0 / 4.0)).astype(int)
    assert len(np.unique(block, axis=0)) > 8
    # Young trees keep the room that they need later.
    (species,) = small_alps().ecosystem.species
    assert nearest.min() >= species.radius * (1.0 - species.radius_variation)


def test_rims_of_blocks_do_not_show_in_a_dense_wood() -> None:
    from scipy.spatial import KDTree

    side, cell, down = 240, 0.5, 12
    length, radii = side * cell, (5.0, 2.0)
    kinds = [Species(name=str(radius), radius=radius) for radius in radii]
    halo = halo_of(kinds, cell, False)
    density = [np.full((side + 1 + 2 * halo,) * 2, share, np.float32) for share in (0.5, 1.0)]
    grown = []
    for number in range(down * down):
        row, column = divmod(number, down)
        corner = Corner(length * (column + 3) - halo * cell, length * (row + 3) - halo * cell, seed=7)
        plants = run(throw_darts(density, cell, kinds, number, DartThrowing(), corner=corner))
        x, y = (values.astype(np.float64) - halo * cell for values in (plants.x, plants.y))
        own = {"x": x + length * column, "y": y + length * row, "species": plants.species}
        own |= {"room": full_grown_radius(plants, kinds), "block": np.full(len(plants), number, np.int32)}
        here = (np.minimum(x, y) >= 0.0) & (np.maximum(x, y) < length)
        grown.append({name: values[here] for name, values in own.items()})
    samples = side * down + 1
    rims = Rims(Blocks(samples, samples, side), cell, False, np.zeros((samples, samples), np.float32), 0, 0)
    kept = []
    for number, own in enumerate(grown):
        row, column = divmod(number, down)
        around = [n for n in range(down * down) if max(abs(n // down - row), abs(n % down - column)) == 1]
        kept.append(keep_apart(own, [grown[n] for n in around], kinds, rims))
    x, y, room = (np.concatenate([one[name] for one in kept]) for name in ("x", "y", "room"))
    # Each tile found the same as those around it: with them, plants keep their room.
    pairs = KDTree(np.column_stack((x, y))).query_pairs(max(radii), output_type="ndarray")
    apart = np.hypot(*(values[pairs[:, 0]] - values[pairs[:, 1]] for values in (x, y)))
    assert (apart >= np.maximum(room[pairs[:, 0]], room[pairs[:, 1]]) * (1.0 - 1e-6)).all()
    to_rim = np.minimum(*(np.minimum(place % length, length - place % length) for place in (x, y)))
    middle, half = 0.5 * down * length, (0.5 * down - 0.2) * length
    inside = (np.abs(x - middle) < half) & (np.abs(y - middle) < half)
    # What docs/worlds.md says: along rims plants stand as densely as elsewhere.
    for radius in radii:
        chosen = to_rim[inside & (np.abs(room - radius) < 0.01)]
        beside, ground = np.count_nonzero(chosen < 5.0), _share_of_strip(length, 5.0, down)
        share = beside / ground / ((chosen.size - beside) / (1.0 - ground))
        assert 0.97 < share < 1.03


def test_rims_of_blocks_do_not_show_in_a_forest_that_grew(tmp_path: Path) -> None:
    """Crowns may overlap there as elsewhere, and only stems keep apart; rocks keep the room of what is placed."""
    from scipy.spatial import KDTree

    length = 160.0
    tree = Species(radius=4.0, seed_rain=20.0, fecundity=1.0, **EVERYWHERE)
    kinds = (
        tree.replace(radius_variation=0.3),
        tree.replace(name="low", radius=2.0, undergrowth=True, shade_tolerance=0.8),
        tree.replace(name="rock", form="rock", radius=3.0, seed_rain=0.0, fecundity=0.0),
    )
    recipe = Recipe.preset("rolling_hills", width=4 * length, depth=4 * length)
    evolution = recipe.ecosystem.evolution.replace(years=50.0, step=5.0, stem_spacing=0.15)
    recipe = recipe.replace(
        erosion=(),
        water=Water(rivers=False, lakes=False),
        ecosystem=recipe.ecosystem.replace(species=kinds, groves=0.0, cover=1.0, evolution=evolution),
    )
    for tile in (64, 128):
        make(tmp_path / str(tile), tile, recipe)
    assert_same(tmp_path / "64", contents(tmp_path / "128"))
    plants = {name[7:]: values for name, values in contents(tmp_path / "64").items() if name.startswith("plants/")}
    places = np.column_stack((plants["x"], plants["y"]))
    radius = np.array([one.radius for one in kinds])[plants["species"]]
    lives, rock = (plants["species"] < 2) & (plants["condition"] == 0), plants["species"] == 2
    for chosen, share in ((lives, evolution.stem_spacing), (rock, 1.0)):
        pairs = KDTree(places[chosen]).query_pairs(share * radius[chosen].max(), output_type="ndarray")
        apart = np.hypot(*(places[chosen][pairs[:, 0]] - places[chosen][pairs[:, 1]]).T)
        assert (apart >= share * radius[chosen][pairs].max(axis=1) * (1.0 - 1e-5)).all()
    assert rock.sum() > 1000
    to_rim = np.minimum(places % length, length - places % length)[lives]
    inner = ((places[lives] > 0.5 * length) & (places[lives] < 3.5 * length)).all(axis=1)
    beside = np.count_nonzero(to_rim[inner].min(axis=1) < 5.0)
    assert beside > 3000
    assert beside / inner.sum() / (1.0 - (1.0 - 10.0 / length) ** 2) == pytest.approx(1.0, abs=0.06)
    # Crowns of one block reach over stems of the next.
    crown, block = plants["radius"][lives], (places[lives] // length).astype(int)
    pairs = KDTree(places[lives]).query_pairs(4.0, output_type="ndarray")
    across = (block[pairs[:, 0]] != block[pairs[:, 1]]).any(axis=1)
    apart = np.hypot(*(places[lives][pairs[:, 0]] - places[lives][pairs[:, 1]]).T)
    covers = apart < crown[pairs].max(axis=1)
    assert 0.3 < covers[across].mean() / covers[~across].mean() < 2.0


@pytest.mark.parametrize("years", [0.0, 20.0])
def test_most_plants_counts_for_each_block(tmp_path: Path, years: float) -> None:
    """As its description says; a limit for a whole world would leave large ones without forests."""
    length, most, recipe = 1200.0 / 4.0, 100, small_alps()
    ecosystem = recipe.ecosystem.replace(
        species=(Species(radius=3.0, seed_rain=50.0, **EVERYWHERE),),
        throwing=recipe.ecosystem.throwing.replace(most_plants=most),
        evolution=recipe.ecosystem.evolution.replace(years=years, start="young", step=5.0),
    )
    made = contents(make(tmp_path / "world", 128, recipe.replace(erosion=(), ecosystem=ecosystem)))
    places = np.column_stack((made["plants/x"], made["plants/y"]))[made["plants/condition"] == 0]
    counts = np.unique((places // length).clip(0, 3), axis=0, return_counts=True)[1]
    assert 0.4 * most < counts.max() <= most < len(places)


def _share_of_strip(side: float, strip: float, blocks: int) -> float:
    """Share of the ground that lies near a rim, but for a fifth of a block along the border of the land."""
    at = (np.arange(0.2 * side, (blocks - 0.2) * side, 0.1) + 0.05) % side
    far = np.minimum(at, side - at) >= strip
    return float(1.0 - far.mean() ** 2)


def land_after_rivers(folder: Path, steps: int = 2) -> Terrain:
    """The finest level of a world after its last step of river incision."""
    states = zarr.open_group(folder, mode="r", use_consolidated=False)[f"work/states/1/{steps}"]
    height, sediment = states["height"][:], states["sediment"][:]
    return Terrain((height - sediment).astype(np.float32), sediment, 1200.0 / SIZE)


def test_weathering_river_beds_and_slopes_are_those_of_the_whole_land(one_tile: Path, whole: dict[str, Any]) -> None:
    recipe = small_alps()
    weathering = next(process for process in recipe.erosion if isinstance(process, Weathering))
    weathered = weather_rock(land_after_rivers(one_tile), weathering)
    waters = find_water(weathered.surface, weathered.cell_size, recipe.water)
    beds = next(process for process in recipe.erosion if isinstance(process, RiverBeds))
    cut = run(cut_river_beds(weathered, beds, waters=waters)).terrain
    assert np.count_nonzero(cut.surface < weathered.surface) > 500
    assert cut.bedrock.tobytes() == whole["bedrock"].tobytes()
    assert cut.sediment.tobytes() == whole["sediment"].tobytes()
    for name in ("slope", "curvature"):
        assert MAPS[name].measure(cut).tobytes() == whole[f"maps/{name}"].tobytes()
    balances = json.loads((one_tile / "balances.json").read_text())[2:]
    assert [balance["process"] for balance in balances] == ["weathering", "river_beds"]
    assert abs(balances[0]["change"]) < 1e-7 * balances[0]["before"]
    area = weathered.cell_size**2
    taken = float(weathered.surface.astype(np.float64).sum() - cut.surface.astype(np.float64).sum()) * area
    assert balances[1]["change"] == pytest.approx(-taken, rel=1e-3)


@pytest.mark.parametrize("breach", [0.0, 1.0])
def test_lakes_dam_the_same_beds_beyond_rims(tmp_path: Path, breach: float) -> None:
    # Deep beds, which lakes in the next blocks dam.
    beds = RiverBeds(depth=30.0, breach=breach)
    recipe = small_alps()
    soil = recipe.ecosystem.soil.replace(enabled=False)
    recipe = recipe.replace(erosion=(beds,), ecosystem=recipe.ecosystem.replace(cover=0.0, soil=soil))
    make(tmp_path / "world", 64, recipe)
    land = build(recipe.replace(resolution=SIZE + 1, erosion=()), extent="terrain").terrain
    waters = find_water(land.surface, land.cell_size, recipe.water)
    assert (waters.water_depth.ravel()[waters.rivers.cell] > beds.breach).sum() > 50
    cut = run(cut_river_beds(land, beds, waters=waters)).terrain
    assert zarr.open(tmp_path / "world", mode="r")["surface"][:].tobytes() == cut.surface.tobytes()


def every_process() -> Recipe:
    """A recipe with each process that acts on pieces of the finest level, with a mask, maps and soil under plants."""
    recipe = small_alps()
    soil = recipe.ecosystem.soil.replace(enabled=True)
    erosion = (
        recipe.erosion[0],
        Droplets(density=1.0, lifetime=2, radius=1),
        ThermalErosion(passes=1),
        HydraulicErosion(passes=2),
        Landslides(critical_angle=40.0, hardness=HeightMask(lower=1800.0)),
        HillslopeDiffusion(years=500.0),
        RiverBeds(breach=1.0),
    )
    return recipe.replace(erosion=erosion, ecosystem=recipe.ecosystem.replace(soil=soil, cover=0.05))


def test_all_processes_act_on_pieces_of_the_finest_level(tmp_path: Path) -> None:
    recipe, folders = every_process(), [tmp_path / "32", tmp_path / "128"]
    for folder in folders:
        make(folder, int(folder.name), recipe)
    assert_same(folders[0], contents(folders[1]))
    # Drops fall as on the land in one piece.
    drops = next(process for process in recipe.erosion if isinstance(process, Droplets))
    fallen = run(erode_by_droplets(land_after_rivers(folders[0]), drops, seed=recipe.seed)).terrain
    states = zarr.open_group(folders[0], mode="r", use_consolidated=False)["work/states/1"]
    assert states["3/bedrock"][:].tobytes() == fallen.bedrock.tobytes()
    # So are the beds, and rivers breach the same dams.
    before, after = (Terrain(states[f"{n}/bedrock"][:], states[f"{n}/sediment"][:], fallen.cell_size) for n in (7, 8))
    waters = find_water(before.surface, before.cell_size, recipe.water)
    cut = run(cut_river_beds(before, recipe.erosion[-1], waters=waters)).terrain
    assert after.bedrock.tobytes() == cut.bedrock.tobytes() and after.sediment.tobytes() == cut.sediment.tobytes()
    usual = run(cut_river_beds(before, RiverBeds(), waters=waters)).terrain
    assert (usual.surface - cut.surface).max() > 0.3
    # Every process does something.
    balances = json.loads((folders[0] / "balances.json").read_text())[2:]
    surfaces = [states[f"{step}/bedrock"][:] + states[f"{step}/sediment"][:] for step in range(3, 9)]
    assert len(balances) == len(surfaces)
    for one, other in pairwise(surfaces):
        assert np.abs(one - other).max() > 0.05
    # What is lost or won where pieces meet is little beside what is moved.
    slid = np.abs(surfaces[3] - surfaces[2]).sum() * (1200.0 / SIZE) ** 2
    assert abs(balances[3]["change"]) < 1e-3 * slid


def test_a_world_without_rivers_begins_as_the_relief_itself(tmp_path: Path) -> None:
    recipe = small_alps()
    recipe = recipe.replace(erosion=(), ecosystem=recipe.ecosystem.replace(cover=0.0))
    make(tmp_path / "world", 64, recipe)
    relief = build(recipe.replace(resolution=SIZE + 1), extent="terrain").terrain.surface
    assert zarr.open(tmp_path / "world", mode="r")["surface"][:].tobytes() == relief.tobytes()


def test_a_step_that_is_over_is_made_again(tmp_path: Path, four_tiles: Path, whole: dict[str, Any]) -> None:
    folder = tmp_path / "world"
    shutil.copytree(four_tiles, folder)
    flip_a_byte(folder / "work/states/1/4/bedrock/c/1/3")
    (folder / "work/states/1/3/sediment/c/2/2").unlink()
    named: list[str] = []
    make(folder, 64, resume=True, notice=named.append)
    assert sorted(sentence.split(" is ")[0] for sentence in named) == [
        "chunk 1/3 of work/states/1/4/bedrock",
        "chunk 2/2 of work/states/1/3/sediment",
    ]
    assert not (folder / "work/scratch/1/4").exists()
    assert_same(folder, whole)
    states = zarr.open_group(folder, mode="r", use_consolidated=False)["work/states/1/4"]
    assert states["bedrock"][:].tobytes() == whole["bedrock"].tobytes()


# Mean difference from the map of the finest level; docs/worlds.md states the same numbers.
REFINED = {"illumination": 0.08, "sky_view": 0.1, "humidity": 0.15, "wet_ground": 0.1, "water_distance": 15.0}


def test_maps_that_look_far_are_as_near_as_said(whole: dict[str, Any]) -> None:
    terrain = Terrain(whole["bedrock"], whole["sediment"], 1200.0 / SIZE)
    measured = Measured(terrain, small_alps(resolution=SIZE + 1), None)
    for name, bound in REFINED.items():
        assert np.abs(measured(name) - whole[f"maps/{name}"]).mean() < bound, name


def test_finer_levels_do_not_keep_the_stairs_of_the_coarser_grid() -> None:
    row, column = np.mgrid[0:40, 0:40]
    slope = 3.0 * row + 2.0 * column
    # Across a bed that runs down the grid in stairs, cells are high and low in turns.
    stairs = slope + 5.0 * (-1.0) ** (row + column)
    np.testing.assert_allclose(without_stairs(stairs), slope[2:-2, 2:-2], rtol=0.0, atol=1e-9)
    peak = np.zeros((40, 40))
    peak[20, 20] = 100.0
    found = without_stairs(peak)
    assert found.sum() == pytest.approx(100.0, rel=1e-12)
    assert np.abs(found - found.T).max() == 0.0 and found.max() == pytest.approx(100.0 * (3.0 / 8.0) ** 2)


def test_hillsides_are_as_steep_and_rough_as_those_in_memory(tmp_path: Path) -> None:
    recipe = mountains(resolution=513)
    recipe = recipe.replace(erosion=recipe.erosion[:1], ecosystem=recipe.ecosystem.replace(species=()))
    folder = build_world(recipe, size=512, tile=256, store=tmp_path / "world", scale=Scale(side=256, coarse_cells=256))
    cell = recipe.grid.cell_size
    slope, rough = {}, {}
    for name, height in (
        ("world", zarr.open(folder, mode="r")["surface"][:]),
        ("memory", build(recipe, extent="terrain").terrain.surface),
    ):
        slope[name] = float(np.hypot(*np.gradient(height.astype(np.float64), cell)).mean())
        beside = height[8:, 4:-4] + height[:-8, 4:-4] + height[4:-4, 8:] + height[4:-4, :-8]
        rough[name] = float(np.sqrt(np.mean((beside / 4.0 - height[4:-4, 4:-4]) ** 2)))
    assert 0.9 < slope["world"] / slope["memory"] < 1.1
    assert 0.6 < rough["world"] / rough["memory"] < 1.5


def test_rain_does_not_rise_and_the_land_has_the_detail_of_its_size(whole: dict[str, Any]) -> None:
    surface = whole["surface"]
    coarse = build(small_alps(resolution=65), extent="terrain").terrain.surface
    assert np.abs(surface[::2, ::2] - coarse).mean() < 0.05 * np.ptp(coarse)
    # Between the samples of the level in memory there is more than a smooth surface.
    middle = 0.5 * (surface[:-2:2, ::2] + surface[2::2, ::2])
    assert np.abs(surface[1::2, ::2] - middle).mean() > 0.1


@pytest.mark.parametrize("preset", [pytest.param("islands", marks=pytest.mark.soak), "dunes"])
def test_other_presets_become_worlds(tmp_path: Path, preset: str) -> None:
    recipe = Recipe.preset(preset)
    recipe = recipe.replace(ecosystem=recipe.ecosystem.replace(cover=0.0))
    for tile in (64, 128):
        make(tmp_path / str(tile), tile, recipe)
    assert_same(tmp_path / "64", contents(tmp_path / "128"))


# --- bad input --------------------------------------------------------------------------------------------------------


def test_wrong_numbers_are_refused(tmp_path: Path) -> None:
    for numbers, words in (
        ({"size": 128, "tile": 40}, "tile = 40 cells is not a whole number of blocks of 32 cells"),
        ({"size": 129, "tile": 32}, "size = 129 cells is not a number of at most 64 doubled some times; take 128"),
        ({"size": 8, "tile": 32}, "size = 8 cells is outside 16 to"),
    ):
        with pytest.raises(ValueError, match=words):
            build_world(small_alps(), store=tmp_path / "world", scale=SCALE, **numbers)
    assert not (tmp_path / "world").exists()


def test_a_folder_with_something_else_is_refused(tmp_path: Path, one_tile: Path) -> None:
    for recipe, resume, words in (
        (small_alps(seed=8), True, r"holds another world \(recipe\.seed is 3, not 8\)"),
        (small_alps(), False, "holds this world already; continue it with --resume"),
    ):
        with pytest.raises(ValueError, match=words):
            make(one_tile, SIZE, recipe, resume=resume)
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    (damaged / "world.json").write_text("{")
    with pytest.raises(ValueError, match=r"world\.json is damaged"):
        make(damaged, SIZE)
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(ValueError, match="is not empty and holds no world"):
        make(tmp_path, SIZE)
    with pytest.raises(ValueError, match="there is no world"):
        open_world(tmp_path)


def test_a_disk_that_is_too_small_is_refused_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(2e9, 1e9, 1e9))
    with pytest.raises(ValueError, match=r"takes about \d+\.\d GB while it is built, and 1.0 GB are free"):
        build_world(small_alps(), size=16384, tile=2048, store=tmp_path / "world")
    assert not (tmp_path / "world").exists()


def test_a_mask_that_follows_a_map_is_refused() -> None:
    layered = small_alps()
    masked = json.loads(layered.dumps())
    masked["relief"]["layers"][0]["mask"] = {"model": "map_mask", "map": "slope"}
    with pytest.raises(ValueError, match="follows the map 'slope' of the land beneath it"):
        World(Recipe.loads(json.dumps(masked)), SIZE, 32, SCALE)


def test_a_scheduler_that_is_gone_is_said(tmp_path: Path) -> None:
    options = {"threads_per_worker": 1, "dashboard_address": None, "silence_logs": 50, "processes": False}
    with distributed.LocalCluster(n_workers=1, **options) as started, distributed.Client(started) as client:

        def close(progress: WorldProgress) -> None:
            if progress.fraction > 0.1:
                started.close()

        with pytest.raises(SchedulerGone, match="does not answer; start one again and continue with --resume"):
            make(tmp_path / "world", 64, client=client, report=close)


def test_the_command_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for options, words in (
        ([], "name the folder of the world with --out"),
        (["--out", str(tmp_path / "w"), "--memory", "much"], "memory = 'much' is no amount such as 4GB"),
        (["--out", "w", "--size", "512", "--tile", "128", "--memory", "1MB"], "tile = 128 cells is not a whole number"),
        (["--out", str(tmp_path / "w"), "--memory", "100MB"], "a tile of 2048 cells needs about 1.1 GB, and each wo"),
        (["--out", str(tmp_path / "w"), "--memory", "10MB"], "each worker may take 10 MB; allow 1.1 GB or more, or"),
        (["--out", "w", "--tile", "512", "--memory", "10MB"], "each worker may take 10 MB; allow 442 MB or more\n"),
        (["--out", str(tmp_path / "w"), "--contour-spacing", "20"], "= 20 m counts for --to contours only"),
        (["--out", str(tmp_path / "w"), "--workers", "0"], "workers = 0 is outside 1 to 1024"),
        (["--out", str(tmp_path / "w"), "--to", "geotiff"], "there is no world to write for geotiff; make it first"),
        (["--out", str(tmp_path / "w"), "--tile", "1000"], "tile = 1000 cells is not a whole number of blocks"),
        (["--look", "a.png", "--window", "0", "0", "9", "9"], "--window shows a part of a finished world"),
        (["--out", "w", "--window", "0", "0", "9", "9"], "--window says what a picture shows; name the picture"),
        (["--look", "a.jpg"], "a.jpg: the picture is a PNG file; give it a name that ends in .png"),
        (["--out", "w", "--scheduler", "rubbish"], "no scheduler of Dask answers at 'rubbish'"),
        (["--out", "w", "--seed", "3..5"], "a world has 1 seed, but --seed asks for 3"),
        (["--out", str(DOCS)], "is a file; a world needs a folder of its own"),
    ):
        assert main(["world", "alpine", *options]) == 1
        assert words in capsys.readouterr().err


def test_a_mistyped_folder_begins_no_world(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for option in (["--resume"], ["--look", str(tmp_path / "x.png")]):
        assert main(["world", "--out", str(tmp_path / "nowhere"), *option]) == 1
        assert "there is no world; name a recipe to make one there" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_going_on_needs_no_more_than_the_folder(one_tile: Path, tmp_path: Path) -> None:
    asked: list[dict[str, Any]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(command, "build_world", lambda recipe, **options: asked.append({"recipe": recipe} | options))
        assert main(["world", "--out", str(one_tile), "--resume"]) == 0
    world = open_world(one_tile)
    # Also with a scale that only the API sets.
    assert [[one[name] for name in ("recipe", "size", "tile", "scale")] for one in asked] == [
        [world.recipe, SIZE, SIZE, SCALE]
    ]


def test_a_missing_library_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zarr", None)
    with pytest.raises(LibraryMissing, match=r"worlds need zarr: run `\S+ -m pip install numpy==.* dask==.*zarr=="):
        load_library("zarr")
    # Reading asks for no more than what is missing, by the name that pip knows.
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(LibraryMissing, match=r"run `\S+ -m pip install zstandard==[\d.]+` and start again"):
        load_library("zstandard")


def test_the_docs_install_all_that_worlds_need() -> None:
    line = next(one for one in DOCS.read_text(encoding="utf-8").splitlines() if "pip install" in one)
    assert line == f"python -m pip install {' '.join(PINNED)}"
    groups = tomllib.loads((DOCS.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    known = {pin for names in groups.values() for pin in names if isinstance(pin, str)}
    assert known.issuperset(PINNED)
    assert {"numpy", "numba", "zstandard", "zarr", "dask", "distributed"} <= {pin.split("==")[0] for pin in PINNED}


def test_python_without_zstandard_reads_worlds(one_tile: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packer = pytest.importorskip("zstandard", reason="the fake of Python 3.14's module needs it").ZstdDecompressor()
    expected = zarr.open(one_tile, mode="r")["surface"][:]
    monkeypatch.setitem(sys.modules, "compression", types.ModuleType("compression"))
    fake = types.SimpleNamespace(decompress=packer.decompress)
    monkeypatch.setitem(sys.modules, "compression.zstd", fake)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    np.testing.assert_array_equal(PlainStore(one_tile).read("surface", Block(0, 0, *expected.shape)), expected)


def test_rivers_are_seen_as_wide_as_they_are_in_a_look(tmp_path: Path, one_tile: Path) -> None:
    from PIL import Image

    assert main(["world", "--out", str(one_tile), "--look", str(tmp_path / "look.png")]) == 0
    seen = np.asarray(Image.open(tmp_path / "look.png").convert("RGB"))[::-1]
    is_water = (seen == (60, 110, 190)).all(axis=2)
    world = zarr.open(one_tile, mode="r")
    recipe, cell = open_world(one_tile).recipe, open_world(one_tile).land(1).cell_size
    area = world["drainage"][:] / 1e6
    rivers = area >= recipe.water.river_source
    assert rivers.sum() > 200 and is_water[rivers].all()
    # Where no river and no lake is near, the land is dry.
    widest = int(recipe.water.river_width * np.sqrt(area.max()) / cell) + 1
    wet = np.pad(rivers | (world["water_depth"][:] > 0.0), widest)
    near = np.lib.stride_tricks.sliding_window_view(wet, (2 * widest + 1, 2 * widest + 1)).any(axis=(2, 3))
    assert not is_water[~near].any() and (~near).sum() > 1000


def test_a_look_takes_no_world(tmp_path: Path, one_tile: Path) -> None:
    from PIL import Image

    file = tmp_path / "look.png"
    assert main(["world", "--out", str(one_tile), "--look", str(file)]) == 0
    whole = Image.open(file)
    assert whole.size == (SIZE + 1, SIZE + 1)
    window = ["world", "--out", str(one_tile), "--look", str(tmp_path / "window.png"), "--window"]
    assert main([*window, "40", "10", "30", "50"]) == 0
    # Row 0 is south in the world and north in a picture.
    part = whole.crop((10, SIZE + 1 - 70, 60, SIZE + 1 - 40))
    np.testing.assert_array_equal(np.asarray(Image.open(tmp_path / "window.png")), np.asarray(part))


@pytest.mark.parametrize(
    ("window", "words"),
    [
        ("100 10 30 50", "covers rows 100 to 129 and columns 10 to 59, outside 0 to 128 and 0 to 128"),
        ("-5 0 10 10", "covers rows -5 to 4 and columns 0 to 9, outside 0 to 128 and 0 to 128"),
        ("0 0 0 10", "the window has 0 × 10 samples; it needs at least 2 × 2"),
        ("9 9 10 -3", "the window has 10 × -3 samples; it needs at least 2 × 2"),
    ],
)
def test_a_window_outside_the_world_is_refused(
    one_tile: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], window: str, words: str
) -> None:
    asked = ["world", "--out", str(one_tile), "--look", str(tmp_path / "part.png"), "--window", *window.split()]
    assert main(asked) == 1
    assert words in capsys.readouterr().err


@pytest.mark.parametrize("window", ["0 0 1 1", "-5 0 10 10", "9999 0 10 10"])
def test_a_window_is_refused_before_its_world_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, window: str
) -> None:
    monkeypatch.setattr(command, "build_world", lambda *_, **__: pytest.fail("a world is made"))
    asked = ["world", "alpine", "--size", "512", "--tile", "512", "--out", str(tmp_path / "w"), "--window"]
    assert main([*asked, *window.split(), "--look", str(tmp_path / "part.png")]) == 1
    assert capsys.readouterr().err.startswith("landscape: the window ")
    assert not list(tmp_path.iterdir())


def test_the_world_of_another_recipe_is_not_shown(
    one_tile: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "x.png"
    for asked in (["fjords"], ["--set", "seed=3"]):
        assert main(["world", *asked, "--out", str(one_tile), "--look", str(picture)]) == 1
        assert "holds a world of another recipe; leave the recipe out" in capsys.readouterr().err
    assert not picture.exists()


def test_the_command_writes_lines_to_a_pipe_and_json_where_asked(
    one_tile: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "recipe.json").write_text(small_alps().dumps(), encoding="utf-8")
    small = ["world", str(tmp_path / "recipe.json"), "--size", "32", "--tile", "512", "--out"]
    assert main([*small, str(tmp_path / "told")]) == 0
    told = capsys.readouterr()
    stages = [line[22:].strip() for line in told.err.splitlines()]
    assert len(stages) > 3 and len(set(stages)) == len(stages)
    assert all(stage.startswith("level in memory: ") for stage in stages[:-1]) and stages[-1] == "finished"
    shares = [float(line[:6].strip().rstrip("%")) for line in told.err.splitlines()]
    assert shares == sorted(shares) and shares[-1] == 100.0
    assert str(tmp_path / "told") in told.out
    assert main([*small, str(tmp_path / "json"), "--json", "--look", str(tmp_path / "a.png")]) == 0
    told = capsys.readouterr()
    made, shown = map(json.loads, told.out.splitlines())
    assert made["folder"] == str(tmp_path / "json") and made["seconds"] > 0.0
    assert shown == {"picture": str(tmp_path / "a.png")} and told.err == ""


def test_the_terminal_shows_whole_names_of_stages(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("COLUMNS", "120")
    name = "level in memory: a stage whose name is longer than others"
    ShownProgress()(WorldProgress(name, 0.5, 3723.0))
    assert name in terminal.getvalue() and "1:02:03 left" in terminal.getvalue()


def test_a_full_disk_says_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("terrain_addon.worlds.building.write_record", full)
    with pytest.raises(ValueError, match="no space is left on the disk; make room and continue with --resume"):
        build_world(small_alps(), size=32, tile=32, store=tmp_path / "world", scale=SCALE)


def test_workers_that_do_not_start_are_said_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_: Any) -> None:
        raise RuntimeError("Nanny failed to start.") from RuntimeError("Nanny failed\nto start")

    monkeypatch.setattr(distributed, "LocalCluster", fail)
    words = r"^2 workers of Dask did not start \(Nanny failed to start\); take fewer"
    with pytest.raises(ValueError, match=words), open_client(2, None, None, 2048):
        pass


def test_what_fails_inside_is_not_blamed_on_the_scheduler(cluster: Any) -> None:
    with pytest.raises(OSError, match="disk"), open_client(None, cluster.scheduler_address, None, 2048):
        raise OSError("disk")


def test_workers_are_done_before_a_fault_is_told(cluster: Any, tmp_path: Path) -> None:
    """Otherwise they write into a folder while it is removed, and a part of the files stays."""
    with distributed.Client(cluster) as client, pytest.raises(ZeroDivisionError):
        list(map_ahead(client, partial(write_slowly, tmp_path), range(4)))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["1", "2", "3"]


def write_slowly(folder: Path, number: int) -> None:
    1 / number
    time.sleep(0.1 * number)
    (folder / str(number)).touch()


def test_only_tiles_that_there_are_can_be_made_again(one_tile: Path, tmp_path: Path) -> None:
    small = build_world(small_alps(), size=32, tile=32, store=tmp_path / "world", scale=SCALE)
    for folder, row, words in (
        (one_tile, "0", "tile = '0', 0 is not two whole numbers"),
        (one_tile, 5, "tile 5, 0 is outside 0 to 0 and 0 to 0"),
        (small, 0, "fits into memory; it has no tiles"),
    ):
        with pytest.raises(ValueError, match=words):
            rebuild_tile(folder, row, 0)  # type: ignore[arg-type]

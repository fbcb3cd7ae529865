"""A world in Blender: the whole with few vertices, and tiles at full detail in their places, without zarr."""

import shutil
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.blender.data.attributes import read_positions
from terrain_addon.core.foundation.progress import run
from terrain_addon.worlds.building import open_world
from terrain_addon.worlds.pieces import coarse_landscape, landscape_in, tile_window
from terrain_addon.worlds.plain_store import PlainStore
from tests.mountains import mountains
from tests.small_world import CELL, SIZE, TILE, WIDTH

zarr = pytest.importorskip("zarr", reason="worlds are made with zarr, which the newest Blender's environment has")

pytestmark = pytest.mark.once


@pytest.fixture
def arrays(small_world: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The arrays of the world; Blender itself does without zarr from here on."""
    arrays = zarr.open(small_world, mode="r")
    found = {name: arrays[name][:] for name in ("surface", "water_depth")} | {"slope": arrays["maps"]["slope"][:]}
    for name in [name for name in sys.modules if name.split(".")[0] == "zarr"]:
        monkeypatch.setitem(sys.modules, name, None)
    return found


def vertices(item: bpy.types.Object) -> np.ndarray:
    """Places of the vertices of a grid in the world, in metres from its south-west corner."""
    bpy.context.view_layer.update()
    places = read_positions(item.data) + np.array(item.matrix_world.translation, np.float32)
    return places + np.array([WIDTH / 2, WIDTH / 2, 0.0], np.float32)


def test_tiles_lie_in_their_places_in_the_whole(blender: None, small_world: Path, arrays: Any) -> None:
    assert bpy.ops.landscape.open_world(directory=str(small_world), tiles="0_1, 1_1", resolution=33) == {"FINISHED"}
    surface = arrays["surface"]
    items = bpy.data.collections["small world"].objects
    for name, row, column in (("small world 0_1", 0, 1), ("small world 1_1", 1, 1)):
        places = vertices(items[name]).reshape(TILE + 1, TILE + 1, 3)
        expected = surface[row * TILE : row * TILE + TILE + 1, column * TILE : column * TILE + TILE + 1]
        np.testing.assert_allclose(places[..., 2], expected, atol=1e-4)
        np.testing.assert_allclose(places[0, :, 0], CELL * (column * TILE + np.arange(TILE + 1)), atol=1e-3)
        np.testing.assert_allclose(places[:, 0, 1], CELL * (row * TILE + np.arange(TILE + 1)), atol=1e-3)
        slope = items[name].data.attributes["slope"].data
        assert slope[5].value == pytest.approx(arrays["slope"][row * TILE, column * TILE + 5])
        assert len(items[f"{name} Plants"].data.vertices) > 20
        assert items[f"{name} Water"].data.polygons
    # Each plant stands on the ground of its own tile.
    plants = vertices(items["small world 1_1 Plants"])
    assert plants[:, :2].min() >= TILE * CELL and plants[:, :2].max() <= WIDTH
    whole = vertices(items["small world"]).reshape(33, 33, 3)
    # Where a river runs between samples that lie higher, the ground makes way for it.
    above = surface[::4, : TILE + 1 : 4] - whole[:, :17, 2]
    assert above.min() > -1e-4 and np.count_nonzero(above > 1e-4) < 0.3 * above.size
    assert (whole[:, :17, 2] > surface.min() - 1e-4).all()
    # Under tiles, and where two of them meet, it lies so deep that it is not seen.
    assert (whole[:, 17:, 2] < surface[::4, TILE + 4 :: 4] - 10.0).all()
    materials = {
        slot.material
        for item in ("small world", "small world 0_1", "small world 1_1")
        for slot in items[item].material_slots
    }
    assert len(materials) == 1


def test_no_gap_opens_between_a_tile_and_the_whole(blender: None, small_world: Path, arrays: Any) -> None:
    assert bpy.ops.landscape.open_world(directory=str(small_world), tiles="0_0 0_1", resolution=33) == {"FINISHED"}
    surface = arrays["surface"]
    rim = vertices(bpy.data.objects["small world 0_0 Rim"])
    # In the north only: the world ends in the west and south, and in the east is the other tile.
    upper, lower = rim.reshape(2, TILE + 1, 3)
    np.testing.assert_allclose(upper[:, 1], CELL * TILE, atol=1e-3)
    np.testing.assert_allclose(upper[:, 2], surface[TILE, : TILE + 1], atol=1e-4)
    edge, whole = np.arange(TILE + 1), vertices(bpy.data.objects["small world"]).reshape(33, 33, 3)
    np.testing.assert_allclose(lower[:, 2], np.interp(edge, edge[::4], whole[16, :17, 2]), atol=1e-3)
    # Both have the same heights where no river runs.
    assert np.count_nonzero(np.abs(whole[16, :17, 2] - surface[TILE, : TILE + 1 : 4]) < 1e-4) > 8
    assert len(bpy.data.objects["small world 0_0 Rim"].data.polygons) == TILE


def test_water_of_the_whole_makes_room_for_that_of_tiles(blender: None, small_world: Path, arrays: Any) -> None:
    wet = arrays["water_depth"] > 0.0
    tiles = [(row, column) for row in range(2) for column in range(2)]
    row, column = max(tiles, key=lambda at: wet[at[0] * TILE :, at[1] * TILE :][:TILE, :TILE].sum())
    found = {}
    for name, shown in (("small world Water", ""), ("small world.001 Water", f"{row}_{column}")):
        assert bpy.ops.landscape.open_world(directory=str(small_world), tiles=shown, resolution=33) == {"FINISHED"}
        mesh = bpy.data.objects[name].data
        places = read_positions(mesh)[:, :2] / np.float32(TILE * CELL) + 1.0
        middles = np.array([places[list(face.vertices)].mean(axis=0) for face in mesh.polygons]).reshape(-1, 2)
        inside = (np.floor(middles) == (column, row)).all(axis=1)
        found[shown] = inside.sum(), len(inside)
    (all_in_tile, everywhere), (none, elsewhere) = found.values()
    assert all_in_tile > 0 and none == 0
    assert elsewhere == everywhere - all_in_tile


def test_the_whole_has_the_rivers_of_the_world(blender: None, small_world: Path, arrays: Any) -> None:
    world, read = open_world(small_world), PlainStore(small_world).read
    tiled = [landscape_in(world, read, tile_window(world, *divmod(number, 2))) for number in range(4)]
    fine = np.concatenate([world_places(land, divmod(number, 2)) for number, land in enumerate(tiled)])
    land = coarse_landscape(world, read, 4)
    assert land.waters is not None
    rivers = land.waters.rivers
    assert len(rivers) > 5 and rivers.width.max() == max(one.waters.rivers.width.max() for one in tiled if one.waters)
    # Each lies within two cells of the whole of a river of the tiles, on the ground and never rises.
    far = np.abs(rivers.points[:, None, :2] - fine).max(axis=2).min(axis=1)
    assert far.max() < 2.0 * 4.0 * CELL
    for first, end in pairwise(rivers.first):
        assert (np.diff(rivers.points[first:end, 2]) <= 1e-4).all()
    on_land = land.waters.water_depth.flat[rivers.cell] == 0.0
    high = rivers.points[on_land, 2] - land.terrain.surface.flat[rivers.cell[on_land]]
    assert np.median(high) < 0.01
    assert bpy.ops.landscape.open_world(directory=str(small_world), tiles="", resolution=33) == {"FINISHED"}
    water = bpy.data.objects["small world Water"].data
    assert len(water.vertices) > 2 * len(rivers.cell)


def world_places(land: Any, tile: tuple[int, int]) -> np.ndarray:
    """Points of the rivers of a tile, in metres from the south-west corner of the world."""
    return land.waters.rivers.points[:, :2] + np.float32(TILE * CELL) * np.array([tile[1], tile[0]], np.float32)


def test_the_whole_has_roads_and_pads_on_its_coarse_ground(blender: None, tmp_path: Path) -> None:
    from terrain_addon.worlds import build_world
    from terrain_addon.worlds.world import Scale

    outline = ((800.0, 420.0, 1800.0), (980.0, 420.0, 1800.0), (980.0, 600.0, 1800.0), (800.0, 600.0, 1800.0))
    features = (
        core.Pad(points=outline),
        core.Road(points=((60.0, 600.0), (300.0, 760.0)), least_radius=20.0, steepest_grade=20.0),
    )
    recipe = mountains(width=WIDTH, depth=WIDTH, features=features)
    recipe = recipe.replace(ecosystem=recipe.ecosystem.replace(species=()))
    build_world(recipe, size=SIZE, tile=SIZE, store=tmp_path / "town", scale=Scale(side=32, coarse_cells=64))
    assert bpy.ops.landscape.open_world(directory=str(tmp_path / "town"), tiles="", resolution=33) == {"FINISHED"}
    items = bpy.data.collections["town"].objects
    roads, whole = vertices(items["town Roads"]), vertices(items["town"]).reshape(33, 33, 3)
    assert len(roads) > 200
    slab = roads[np.abs(roads[:, 2] - 1800.15) < 1e-3]
    np.testing.assert_allclose(
        (slab[:, :2].min(axis=0), slab[:, :2].max(axis=0)), (outline[0][:2], outline[2][:2]), atol=1e-3
    )
    row, column = np.meshgrid(*(np.arange(33) * 37.5,) * 2, indexing="ij")
    on_pad = (column > 800.0) & (column < 980.0) & (row > 420.0) & (row < 600.0)
    assert on_pad.sum() >= 16
    np.testing.assert_allclose(whole[on_pad][:, 2], 1800.0, atol=0.01)


def test_a_world_is_no_landscape_with_settings_and_can_be_undone(blender: None, small_world: Path, arrays: Any) -> None:
    bpy.ops.ed.undo_push(message="before")
    assert bpy.ops.landscape.open_world(directory=str(small_world), tiles="", resolution=17) == {"FINISHED"}
    (whole,) = [item for item in bpy.data.objects if item.name == "small world"]
    assert len(whole.data.vertices) == 17 * 17
    assert bpy.context.view_layer.objects.active == whole
    assert not bpy.ops.landscape.update.poll()
    bpy.ops.ed.undo_push(message="opened")
    bpy.ops.ed.undo()
    assert not bpy.data.objects and "small world" not in bpy.data.collections


@pytest.mark.parametrize(
    ("tiles", "words"),
    [("2_0", "Tile 2, 0 is outside 0 to 1 and 0 to 1"), ("north", "Tiles = 'north' is no row and column such as 3_12")],
)
def test_tiles_that_do_not_exist_are_refused(
    blender: None, small_world: Path, arrays: Any, tiles: str, words: str
) -> None:
    with pytest.raises(RuntimeError, match=words):
        bpy.ops.landscape.open_world(directory=str(small_world), tiles=tiles)
    assert not bpy.data.objects


def test_what_is_no_world_or_is_damaged_is_said(blender: None, small_world: Path, arrays: Any, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="there is no world"):
        bpy.ops.landscape.open_world(directory=str(tmp_path))
    damaged = shutil.copytree(small_world, tmp_path / "world", ignore=shutil.ignore_patterns("work"))
    chunk = damaged / "bedrock" / "c" / "0" / "1"
    content = bytearray(chunk.read_bytes())
    content[len(content) // 2] ^= 0x40
    chunk.write_bytes(content)
    with pytest.raises(RuntimeError, match="Chunk 0/1 of bedrock is corrupt"):
        bpy.ops.landscape.open_world(directory=str(damaged), tiles="")
    shutil.rmtree(damaged / "bedrock")
    with pytest.raises(RuntimeError, match="bedrock is missing; the world is not finished"):
        bpy.ops.landscape.open_world(directory=str(damaged), tiles="")
    assert not bpy.data.objects


def test_the_file_browser_says_how_worlds_are_made(blender: None) -> None:
    from terrain_addon.blender.operators.worlds import HOW_TO_MAKE_WORLDS
    from terrain_addon.worlds.libraries import PINNED

    shown = " ".join(HOW_TO_MAKE_WORLDS)
    assert all(pin in shown for pin in PINNED) and "terrain_addon world" in shown


def test_what_is_opened_is_told_in_english(blender: None, small_world: Path, arrays: Any) -> None:
    from terrain_addon.blender.session.world_opening import open_world_task

    task = open_world_task(bpy.context, small_world, "", 17, with_scenery=False)
    assert "every 8th sample in" in task.show(run(task.steps))

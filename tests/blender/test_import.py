"""Import of elevation models into Blender: at their true size, in part, and with a reason if it fails."""

import threading
from pathlib import Path

import bpy
import numpy as np
import pytest

from terrain_addon.blender.data.mesh_heights import heights_of_mesh
from terrain_addon.blender.data.properties import read_recipe
from terrain_addon.blender.look.map_view import maps_on
from terrain_addon.blender.session import elevation_previews
from terrain_addon.blender.ui import main_panel
from terrain_addon.core.building.landscape import build
from terrain_addon.files.elevation import READERS, preview_elevation, read_elevation
from terrain_addon.files.inputs import read_inputs
from tests.blender.recording_layout import drawn
from tests.files.tiff_writer import PLACE, geo_keys, make_tiff

# The same on every Blender: `build.py test --blender 4.2` runs it there.
pytestmark = pytest.mark.once

DATA = Path(__file__).parents[1] / "files" / "data"
UTM = DATA / "utm_int16_strips.tif"


def imported(path: Path, **options: object) -> bpy.types.Object:
    assert bpy.ops.landscape.import_elevation(filepath=str(path), stage=False, **options) == {"FINISHED"}
    return bpy.context.object


def vertices(land: bpy.types.Object) -> np.ndarray:
    places = np.empty(3 * len(land.data.vertices), np.float32)
    land.data.vertices.foreach_get("co", places)
    return places.reshape(-1, 3)


def test_every_sample_becomes_a_vertex_at_its_place_in_metres(blender: None) -> None:
    land = imported(UTM)
    elevation = read_elevation(UTM)
    rows, columns = elevation.heights.shape
    places = vertices(land)
    assert np.array_equal(places[:, 2].reshape(rows, columns), elevation.heights)
    assert land.dimensions[:2] == pytest.approx(((columns - 1) * 30.0, (rows - 1) * 30.0), rel=1e-6)
    assert land.name == UTM.stem


@pytest.mark.parametrize("name", ["geographic_int16.tif", "web_mercator_int16.tif", "utm.asc", "utm_esri.bil"])
def test_files_of_all_kinds_come_at_their_true_size(blender: None, name: str) -> None:
    preview = preview_elevation(DATA / name)
    land = imported(DATA / name)
    assert land.dimensions[0] == pytest.approx(preview.width, abs=preview.cell_size)
    assert land.dimensions[1] == pytest.approx(preview.depth, abs=preview.cell_size)


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1)])
def test_a_file_of_one_row_or_column_is_told(blender: None, tmp_path: Path, shape: tuple[int, int]) -> None:
    (tmp_path / "line.tif").write_bytes(make_tiff(np.full(shape, 7, "i2"), tags=PLACE | geo_keys(model=1)))
    with pytest.raises(RuntimeError, match=f"The part has {shape[1]} × {shape[0]} samples; land needs 2 × 2 or more"):
        imported(tmp_path / "line.tif")


def test_a_part_on_fewer_vertices(blender: None) -> None:
    land = imported(UTM, west=20.0, east=80.0, south=50.0, north=100.0, resolution=23)
    whole = read_elevation(UTM)
    rows, columns = whole.heights.shape
    west, east, south = round(0.2 * (columns - 1)), round(0.8 * (columns - 1)), round(0.5 * (rows - 1))
    part = whole.heights[south:, west : east + 1]
    assert land.dimensions[0] == pytest.approx((east - west) * 30.0, rel=1e-6)
    heights = vertices(land)[:, 2].reshape(-1, 23)
    assert heights.shape[1] == 23
    # Two cells of the file to one of the mesh: the south-west of the part is that of the land, averaged.
    assert np.abs(heights[: len(part[::2]), :] - part[::2, ::2]).mean() < 10.0
    assert np.abs(heights[: len(part[::2]), ::-1] - part[::2, ::2]).mean() > 20.0


def test_the_recipe_alone_makes_the_same_land(blender: None) -> None:
    land = imported(UTM, west=10.0, north=70.0, exaggeration=2.0, resolution=40)
    recipe = read_recipe(land)
    again = build(type(recipe).loads(recipe.dumps()), inputs=read_inputs(recipe), extent="terrain")
    assert np.array_equal(vertices(land)[:, 2], again.terrain.surface.ravel())


def test_a_picture_is_as_wide_and_high_as_the_user_says(blender: None) -> None:
    land = imported(DATA / "land_u16.png", width=740.0, lowest=100.0, highest=300.0)
    assert land.dimensions[0] == pytest.approx(740.0)
    shades = preview_elevation(DATA / "land_u16.png")
    heights = vertices(land)[:, 2]
    assert heights.min() == pytest.approx(100.0 + 200.0 * shades.lowest, abs=1e-3)
    assert heights.max() == pytest.approx(100.0 + 200.0 * shades.highest, abs=1e-3)


def test_a_chosen_width_keeps_heights_and_proportions(blender: None) -> None:
    land = imported(UTM, size="CHOSEN", width=1000.0)
    elevation = read_elevation(UTM)
    rows, columns = elevation.heights.shape
    assert land.dimensions[:2] == pytest.approx((1000.0, 1000.0 * (rows - 1) / (columns - 1)), rel=1e-6)
    np.testing.assert_allclose(vertices(land)[:, 2].reshape(rows, columns), elevation.heights, atol=1e-3)


def test_a_large_file_gets_no_more_vertices_than_asked_for(blender: None, tmp_path: Path) -> None:
    np.savez(tmp_path / "large.npz", elevation=np.zeros((1500, 3000), np.float32), cell_size=10.0)
    recipe = read_recipe(imported(tmp_path / "large.npz"))
    assert recipe.grid.shape == (513, 1025)
    assert recipe.width == 29990.0


def test_an_imported_land_erodes_and_is_planted(blender: None) -> None:
    land = imported(UTM)
    before = vertices(land)[:, 2]
    land.landscape.recipe.erosion.add().model = "stream_power"
    assert bpy.ops.landscape.update() == {"FINISHED"}
    assert not np.array_equal(vertices(land)[:, 2], before)
    assert bpy.ops.landscape.scatter_plants() == {"FINISHED"}
    assert len(land.landscape.plants.data.vertices) > 0


def test_stream_power_that_is_added_to_an_imported_land_keeps_it(blender: None) -> None:
    land = imported(UTM)
    before = vertices(land)[:, 2]
    assert bpy.ops.landscape.list_add(series="erosion", model="stream_power") == {"FINISHED"}
    assert bpy.ops.landscape.update() == {"FINISHED"}
    change = vertices(land)[:, 2] - before
    assert 0.0 < np.sqrt((change**2).mean()) < 0.02 * np.ptp(before)


@pytest.mark.parametrize(
    ("name", "options", "sentence"),
    [
        ("nowhere.tif", {}, "nowhere.tif: No such file"),
        ("utm_int16_strips.tif", {"west": 60.0, "east": 40.0}, "West = 60 % is not below east = 40 %"),
        ("utm_int16_strips.tif", {"west": 50.0, "east": 50.1}, r"The part has \d × 90 samples"),
        ("utm_float32_lowest_hole.tif", {"fill_holes": False}, "200 of its 6750 samples are missing"),
        ("land_float_piz.exr", {}, "compressed as PIZ"),
        ("README.md", {}, "the ending '.md' is none of"),
        ("land_u16.png", {"lowest": 9.0, "highest": 3.0}, "two rising heights"),
    ],
)
def test_what_cannot_be_imported_is_reported_and_adds_nothing(
    blender: None, name: str, options: dict[str, object], sentence: str
) -> None:
    with pytest.raises(RuntimeError, match=sentence):
        imported(DATA / name, **options)
    assert list(bpy.data.objects) == []


def test_dropped_files_of_every_ending_find_the_operator(blender: None) -> None:
    (handler,) = [h for h in bpy.types.FileHandler.__subclasses__() if h.__name__ == "LANDSCAPE_FH_elevation"]
    assert handler.bl_import_operator == bpy.ops.landscape.import_elevation.idname_py()
    assert set(handler.bl_file_extensions.split(";")) == set(READERS)


def test_a_file_keeps_its_own_width_whatever_was_chosen_for_another(blender: None) -> None:
    """From a script, and after an import with a chosen width."""
    imported(DATA / "land_u16.png", width=740.0)
    imported(UTM, size="CHOSEN", width=1000.0)
    assert bpy.ops.landscape.import_elevation("EXEC_DEFAULT", filepath=str(UTM), stage=False) == {"FINISHED"}
    assert bpy.context.object.dimensions[0] == pytest.approx(preview_elevation(UTM).width, rel=1e-6)


def test_an_imported_land_has_maps_and_water_and_says_what_comes_next(blender: None) -> None:
    land = imported(UTM)
    assert {"slope", "drainage", "humidity"} <= set(maps_on(land))
    assert land.landscape.water is not None
    assert "Next: switch on a process under Erosion" in " ".join(drawn(main_panel.VIEW3D_PT_landscape).texts)
    land.landscape.recipe.erosion.add().model = "weathering"
    assert "Next:" not in " ".join(drawn(main_panel.VIEW3D_PT_landscape).texts)


def ground_below_the_camera(land: bpy.types.Object) -> float:
    """Metres from the camera down to the land."""
    camera = bpy.context.scene.camera
    places = vertices(land)
    nearest = np.hypot(places[:, 0] - camera.location.x, places[:, 1] - camera.location.y).argmin()
    return float(camera.location.z - places[nearest, 2])


@pytest.mark.parametrize("exaggeration", [0.2, 3.0])
def test_the_camera_aims_again_after_the_ground_has_moved(blender: None, exaggeration: float) -> None:
    """As after erosion: the ground is hundreds of metres lower, or above the camera."""
    bpy.ops.landscape.import_elevation(filepath=str(UTM))
    land = bpy.context.object
    before = ground_below_the_camera(land)
    land.landscape.recipe.relief.layers[0].source.elevation_model.exaggeration = exaggeration
    assert bpy.ops.landscape.update() == {"FINISHED"}
    assert 0.0 < ground_below_the_camera(land) < max(3.0 * before, 150.0)


def test_a_camera_that_users_moved_stays(blender: None) -> None:
    bpy.ops.landscape.import_elevation(filepath=str(UTM))
    land, camera = bpy.context.object, bpy.context.scene.camera
    camera.location.x += 5.0
    before = tuple(camera.location)
    land.landscape.recipe.relief.layers[0].source.elevation_model.exaggeration = 3.0
    bpy.ops.landscape.update()
    assert tuple(camera.location) == before


def test_a_mesh_that_becomes_a_land_keeps_its_shape(blender: None) -> None:
    """It is eroded when users ask for it."""
    bpy.ops.mesh.primitive_cone_add(vertices=64, radius1=100.0, depth=80.0, location=(0.0, 0.0, 40.0))
    assert bpy.ops.landscape.generate_from_mesh(resolution=65) == {"FINISHED"}
    heights = vertices(bpy.context.object)[:, 2]
    assert heights.max() == pytest.approx(80.0, abs=1.0) and heights.min() == pytest.approx(0.0, abs=1.0)


def test_a_mesh_that_is_much_deeper_than_wide_keeps_its_size(blender: None) -> None:
    bpy.ops.mesh.primitive_plane_add(size=1.0)
    bpy.context.object.scale = (100.0, 1000.0, 1.0)
    bpy.ops.object.transform_apply()
    heights = heights_of_mesh(bpy.context.object)
    assert heights is not None and heights.cell_size is not None
    rows, columns = heights.heights.shape
    assert (columns - 1) * heights.cell_size == pytest.approx(100.0, abs=1.0)
    assert (rows - 1) * heights.cell_size == pytest.approx(1000.0, abs=1.0)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_preview_that_fails_by_a_bug_says_so(blender: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def preview(path: str) -> str:
        raise KeyError(path)

    monkeypatch.setattr(elevation_previews, "preview_elevation", preview)
    elevation_previews.known_preview(str(UTM))
    for thread in [one for one in threading.enumerate() if one.name == "preview"]:
        thread.join()
    assert "bug of the extension" in str(elevation_previews.known_preview(str(UTM)))
    elevation_previews.stop_reading()


def test_a_file_that_vanishes_while_the_panel_is_drawn_has_no_preview(blender: None, tmp_path: Path) -> None:
    class Vanishing(Path):
        """A file that is gone when it is looked at a second time."""

        def is_file(self, **_: bool) -> bool:
            return True

    gone = Vanishing(tmp_path / "gone.asc")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(elevation_previews, "Path", Vanishing)
        assert elevation_previews.known_preview(str(gone)) == "Choose a file with heights"


def test_a_file_that_is_chosen_while_a_slower_one_is_read_is_shown(
    blender: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, quick = DATA / "utm.asc", UTM
    is_chosen = threading.Event()

    def preview(path: str) -> str:
        if path == str(slow):
            is_chosen.wait(5.0)
        return Path(path).name

    monkeypatch.setattr(elevation_previews, "preview_elevation", preview)
    for file in (slow, quick):
        elevation_previews.known_preview(str(file))
    is_chosen.set()
    for thread in [one for one in threading.enumerate() if one.name == "preview"]:
        thread.join()
    assert elevation_previews.known_preview(str(quick)) == quick.name
    elevation_previews.stop_reading()

"""Export from Blender: glTF by its ending, other meshes by Blender itself, packages for game engines."""

import json
import os
import sys
from pathlib import Path

import bpy
import numpy as np
import pytest
from PIL import Image

from terrain_addon.blender.land import exporting, textures
from terrain_addon.blender.ui import output_panel
from terrain_addon.files.engines.package import ENGINES
from tests.blender.recording_layout import drawn


@pytest.mark.parametrize(("ending", "files"), [(".glb", {".glb"}), (".gltf", {".gltf", ".bin"})])
def test_the_ending_chooses_the_format(land: bpy.types.Object, tmp_path: Path, ending: str, files: set[str]) -> None:
    assert bpy.ops.landscape.export(filepath=str(tmp_path / f"land{ending}")) == {"FINISHED"}
    assert {p.suffix for p in tmp_path.iterdir()} == files  # tests/files/test_gltf.py imports them


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems have no folder like this")
@pytest.mark.parametrize("operator", ["export", "export_package", "bake_textures"])
def test_a_folder_that_cannot_be_written_is_refused_before_the_land_is_built(
    land: bpy.types.Object, monkeypatch: pytest.MonkeyPatch, operator: str
) -> None:
    monkeypatch.setattr(exporting, "landscape_steps", None)
    monkeypatch.setattr(textures, "landscape_steps", None)
    place = {"filepath": "/proc/new/land.glb"} if operator == "export" else {"directory": "/proc/new"}
    with pytest.raises(RuntimeError, match="annot write /proc/new"):
        getattr(bpy.ops.landscape, operator)(**place)


@pytest.mark.parametrize("kind", ["obj", "stl", "ply"])
def test_other_meshes_come_from_blender_itself(land: bpy.types.Object, tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"land.{kind}"
    with pytest.raises(RuntimeError, match=f"{kind.upper()} files come from .* bpy.ops.wm.{kind}_export"):
        bpy.ops.landscape.export(filepath=str(path))
    assert list(tmp_path.iterdir()) == []
    for found in bpy.data.objects:
        found.select_set(found == land)
    options = {"export_selected_objects": True, "apply_modifiers": False}
    assert getattr(bpy.ops.wm, f"{kind}_export")(filepath=str(path), **options) == {"FINISHED"}
    heights = np.array([v.co.z for v in land.data.vertices])
    bpy.ops.wm.read_factory_settings(use_empty=True)
    getattr(bpy.ops.wm, f"{kind}_import")(filepath=str(path))
    (found,) = bpy.data.objects
    reached = np.array([(found.matrix_world @ v.co).z for v in found.data.vertices])
    assert len(reached) == 65 * 65
    assert np.abs(np.sort(reached) - np.sort(heights)).max() < 1e-3


def test_a_folder_is_no_file(land: bpy.types.Object, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="it is a folder; add the name of a file"):
        bpy.ops.landscape.export(filepath=str(tmp_path))
    assert not tmp_path.with_suffix(".glb").exists()


def test_usd_comes_back_into_blender_with_its_plants(land: bpy.types.Object, tmp_path: Path) -> None:
    path = tmp_path / "land.usda"
    assert bpy.ops.landscape.export(filepath=str(path)) == {"FINISHED"}
    heights = np.array([v.co.z for v in land.data.vertices])
    plants = next(line for line in path.read_text(encoding="utf-8").splitlines() if "int[] protoIndices" in line)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    assert bpy.ops.wm.usd_import(filepath=str(path)) == {"FINISHED"}
    found = bpy.data.objects["Land"]
    reached = np.array([(found.matrix_world @ v.co).z for v in found.data.vertices])
    assert np.abs(np.sort(reached) - np.sort(heights)).max() < 1e-3
    stands, single = set(), set()
    for one in bpy.context.evaluated_depsgraph_get().object_instances:
        if one.is_instance:
            stands.add(tuple(one.matrix_world.translation))
        elif one.object.type == "MESH":
            single.add(one.object.name)
    assert len(stands) == plants.count(",") + 1
    # What plants are made of is not an object in the middle of the land as well.
    assert not any("foliage" in name or "bark" in name for name in single)


# What is written does not depend on Blender, so one engine tells for the older ones.
_FIRST, *_OTHERS = sorted(ENGINES)


@pytest.mark.parametrize("engine", [_FIRST, *(pytest.param(one, marks=pytest.mark.once) for one in _OTHERS)])
def test_package(land: bpy.types.Object, tmp_path: Path, engine: str) -> None:
    assert bpy.ops.landscape.export_package(directory=str(tmp_path / "package"), engine=engine) == {"FINISHED"}
    manifest = json.loads((tmp_path / "package" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["engine"] == engine
    heights = np.array([v.co.z for v in land.data.vertices])
    assert manifest["height"]["lowest_m"] == pytest.approx(heights.min(), abs=3.0)
    assert manifest["height"]["highest_m"] == pytest.approx(heights.max(), abs=3.0)


def test_a_size_that_the_engine_does_not_take(land: bpy.types.Object, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="no size that Unreal takes"):
        bpy.ops.landscape.export_package(directory=str(tmp_path / "package"), engine="unreal", resolution=512)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.once
def test_the_cells_of_plants_have_the_size_that_was_asked_for(land: bpy.types.Object, tmp_path: Path) -> None:
    groups = []
    for cell in (50.0, 1000.0):
        assert bpy.ops.landscape.export_package(directory=str(tmp_path), engine="godot", cell=cell) == {"FINISHED"}
        manifest = json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))
        groups.append(sum((tmp_path / tile["files"]["plant_groups"]).stat().st_size for tile in manifest["tiles"]))
    assert groups[0] > 4 * groups[1]


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_a_disk_that_fills_up_leaves_the_old_package_whole(land: bpy.types.Object, tmp_path: Path) -> None:
    resource = pytest.importorskip("resource", reason="a limit on file sizes stands in for a full disk")
    package = tmp_path / "package"
    assert bpy.ops.landscape.export_package(directory=str(package), engine="godot") == {"FINISHED"}
    before = contents(tmp_path)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8_000, limits[1]))
    try:
        with pytest.raises(RuntimeError, match=r"Cannot write .*: File too large"):
            bpy.ops.landscape.export_package(directory=str(package), engine="godot")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("file.txt", "there is a file of that name"),
        ("file.txt/package", "is not a folder"),
        ("others", "it holds other things"),
        ("x" * 300, "too long"),
    ],
)
def test_a_package_that_can_not_be_written_changes_nothing(
    land: bpy.types.Object, tmp_path: Path, place: str, reason: str
) -> None:
    (tmp_path / "file.txt").write_text("keep")
    (tmp_path / "others").mkdir()
    (tmp_path / "others" / "mine.txt").write_text("keep")
    before = contents(tmp_path)
    with pytest.raises(RuntimeError, match=reason):
        bpy.ops.landscape.export_package(directory=str(tmp_path / place), engine="godot")
    assert contents(tmp_path) == before


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_write_protected_package_stays(land: bpy.types.Object, tmp_path: Path) -> None:
    package = tmp_path / "package"
    assert bpy.ops.landscape.export_package(directory=str(package), engine="godot") == {"FINISHED"}
    before = contents(tmp_path)
    package.chmod(0o555)
    with pytest.raises(RuntimeError, match="write-protected"):
        bpy.ops.landscape.export_package(directory=str(package), engine="godot")
    assert contents(tmp_path) == before


def test_what_files_do_not_hold_is_said_before_the_export(land: bpy.types.Object, tmp_path: Path) -> None:
    panel = output_panel.VIEW3D_PT_landscape_output
    assert "stay in Blender" not in " ".join(drawn(panel).texts)
    models = bpy.data.collections.new("My Pines")
    models.objects.link(bpy.data.objects.new("Pine", bpy.data.meshes.new("Pine")))
    species = land.landscape.recipe.ecosystem.species[0]
    species.collection = models.name
    land.landscape_grounds.rock.colour = bpy.data.images.new("Stone", 8, 8)
    moving = bpy.data.images.new("Waves", 8, 8)
    land.landscape_grounds.sand.colour = moving
    moving.source = "MOVIE"
    said = " ".join(drawn(panel).texts)
    assert f"chosen for {species.name.replace('_', ' ')} stay in Blender" in said
    assert "movies on sand stay in Blender" in said and "rock" not in said


def test_packages_and_bakes_have_the_images_of_the_user(land: bpy.types.Object, tmp_path: Path) -> None:
    levels = np.random.default_rng(1).integers(0, 256, (8, 12, 3), np.uint8)
    Image.fromarray(levels).save(tmp_path / "stone.png")
    rock = land.landscape_grounds.rock
    rock.colour = rock.normal = bpy.data.images.load(str(tmp_path / "stone.png"))
    rock.size = 3.5
    folder = tmp_path / "package"
    assert bpy.ops.landscape.export_package(directory=str(folder), engine="godot", ground="512") == {"FINISHED"}
    for kind in ("colour", "normal"):
        assert np.array_equal(np.asarray(Image.open(folder / "textures" / f"ground_rock_{kind}.png")), levels)
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["layers"][0]["ground"]["side_m"] == 3.5
    # A colour of one image, which is that of the whole land.
    flat = bpy.data.images.new("Flat", 4, 4)
    flat.pixels.foreach_set([0.8, 0.4, 0.2, 1.0] * 16)
    for name in ("soil", "grass", "forest_floor", "scree", "rock", "sand", "snow"):
        getattr(land.landscape_grounds, name).colour = flat
    bpy.ops.landscape.bake_textures(directory=str(tmp_path), maps={"colour"})
    seen = np.asarray(Image.open(tmp_path / f"{land.name}_colour.png"))
    assert (np.median(seen, axis=(0, 1)) == (204, 102, 51)).all()


def test_an_image_that_is_lost_is_said_before_anything_is_written(land: bpy.types.Object, tmp_path: Path) -> None:
    Image.new("RGB", (4, 4)).save(tmp_path / "gone.png")
    land.landscape_grounds.rock.colour = bpy.data.images.load(str(tmp_path / "gone.png"))
    (tmp_path / "gone.png").unlink()
    land.landscape_grounds.rock.colour.reload()
    with pytest.raises(RuntimeError, match=r"image gone.png cannot be read"):
        bpy.ops.landscape.export_package(directory=str(tmp_path / "package"), engine="godot")
    assert not (tmp_path / "package").exists()

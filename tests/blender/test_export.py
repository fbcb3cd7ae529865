"""Export from Blender: meshes by their ending, packages for game engines."""

import json
from pathlib import Path

import bpy
import numpy as np
import pytest

from terrain_addon.files.engines.package import ENGINES


@pytest.mark.parametrize("ending", [".glb", ".obj", ".stl", ".ply"])
def test_the_ending_chooses_the_format(land: bpy.types.Object, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"land{ending}"
    assert bpy.ops.landscape.export(filepath=str(path)) == {"FINISHED"}
    heights = np.array([v.co.z for v in land.data.vertices])
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if ending == ".glb":
        return  # tests/files/test_gltf.py imports those
    getattr(bpy.ops.wm, f"{ending[1:]}_import")(filepath=str(path))
    (found,) = bpy.data.objects
    reached = np.array([(found.matrix_world @ v.co).z for v in found.data.vertices])
    assert len(reached) == 65 * 65
    assert np.abs(np.sort(reached) - np.sort(heights)).max() < 1e-3


@pytest.mark.parametrize("engine", ENGINES)
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

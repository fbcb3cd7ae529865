"""OBJ, STL and PLY read back by plain parsers and by Blender's own importers."""

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from terrain_addon.files.gltf import LandMesh
from terrain_addon.files.meshes import FORMATS, write_land

ROWS, COLUMNS = 9, 13


def some_land(**changes: Any) -> LandMesh:
    heights = (np.random.default_rng(6).normal(size=(ROWS, COLUMNS)) * 100).astype(np.float32)
    colour = np.random.default_rng(7).random((ROWS, COLUMNS, 3)).astype(np.float32)
    return LandMesh(**({"heights": heights, "cell_size": 10.0, "colour": colour} | changes))


def places(land: LandMesh) -> np.ndarray:
    y, x = np.mgrid[0:ROWS, 0:COLUMNS] * 10.0
    return np.stack((x - 60.0, y - 40.0, land.heights), axis=-1).reshape(-1, 3)


def written(folder: Path, ending: str, land: LandMesh) -> Path:
    write_land(folder / f"land{ending}", land)
    return folder / f"land{ending}"


def test_obj(tmp_path: Path) -> None:
    land = some_land()
    lines: dict[str, list[list[str]]] = {}
    for line in written(tmp_path, ".obj", land).read_text().splitlines():
        lines.setdefault(line.split()[0], []).append(line.split()[1:])
    vertices = np.array(lines["v"], float)
    assert np.abs(vertices[:, [0, 2, 1]] * (1, -1, 1) - places(land)).max() < 5.1e-5
    assert np.array(lines["vt"], float)[[0, -1]].tolist() == [[0.0, 0.0], [1.0, 1.0]]
    normals = np.array(lines["vn"], float)
    assert np.abs(np.linalg.norm(normals, axis=1) - 1.0).max() < 2e-4
    assert (normals[:, 1] > 0.0).all()
    faces = np.array([[corner.split("/") for corner in face] for face in lines["f"]], int) - 1
    assert (faces == faces[:, :, :1]).all()
    corners = vertices[faces[:, :, 0]]
    upward = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, 1] / 2
    assert upward.min() > 49.9
    assert upward.sum() == pytest.approx(120.0 * 80.0)


@pytest.mark.parametrize("number", [0.0, -0.0, 0.00004, -0.00006, 1.5, -9.99996, 8848.86, -10935.0, 123456.7])
def test_numbers_in_obj(tmp_path: Path, number: float) -> None:
    land = LandMesh(np.full((2, 2), number, np.float32), 1.0)
    (text, *_) = (
        line.split()[2] for line in written(tmp_path, ".obj", land).read_text().splitlines() if line[0] == "v"
    )
    assert text == f"{round(float(np.float32(number)), 4) + 0.0:.4f}"


def test_stl(tmp_path: Path) -> None:
    land = some_land()
    data = written(tmp_path, ".stl", land).read_bytes()
    assert not data.startswith(b"solid")  # which would make it text
    (count,) = struct.unpack_from("<I", data, 80)
    assert len(data) == 84 + 50 * count and count == 2 * 8 * 12
    facets = np.array(list(struct.iter_unpack("<12fH", data[84:])))[:, :12].reshape(-1, 4, 3)
    upward = np.cross(facets[:, 2] - facets[:, 1], facets[:, 3] - facets[:, 1])
    assert np.abs(upward / np.linalg.norm(upward, axis=1, keepdims=True) - facets[:, 0]).max() < 1e-4
    assert upward[:, 2].sum() / 2 == pytest.approx(120.0 * 80.0)
    assert {tuple(p) for p in facets[:, 1:].reshape(-1, 3).tolist()} == {tuple(p) for p in places(land).tolist()}


IMPORTERS = {".obj": "obj_import", ".stl": "stl_import", ".ply": "ply_import"}


@pytest.mark.parametrize("ending", IMPORTERS)
def test_blender_gets_the_land_back(tmp_path: Path, ending: str) -> None:
    bpy = pytest.importorskip("bpy")
    land = some_land()
    path = written(tmp_path, ending, land)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    getattr(bpy.ops.wm, IMPORTERS[ending])(filepath=str(path))
    (found,) = bpy.data.objects
    vertices = np.array([found.matrix_world @ v.co for v in found.data.vertices])
    expected = places(land)
    assert len(vertices) == len(expected)
    nearest = np.abs(vertices[:, None] - expected[None]).sum(axis=2).argmin(axis=1)
    assert sorted(nearest.tolist()) == list(range(len(expected)))
    assert np.abs(vertices - expected[nearest]).max() < 2e-4
    up = found.matrix_world.to_3x3()
    assert min((up @ polygon.normal).z for polygon in found.data.polygons) > 0.0
    assert len(found.data.polygons) == 2 * 8 * 12
    if ending == ".ply":
        stored = np.array([value.color[:3] for value in found.data.color_attributes[0].data])
        assert land.colour is not None
        assert np.abs(stored - land.colour.reshape(-1, 3)[nearest]).max() < 0.01


@pytest.mark.parametrize("ending", FORMATS)
def test_steps_and_repeated_bytes(tmp_path: Path, ending: str) -> None:
    def content(step: int = 1) -> bytes:
        mesh = written(tmp_path, ending, some_land(step=step))
        return b"".join(path.read_bytes() for path in sorted(tmp_path.glob(f"{mesh.stem}.*")))

    whole = content()
    assert content() == whole
    assert len(content(step=4)) < 0.4 * len(whole)


def test_other_endings(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"cannot write .*land.fbx: a mesh ends in .*.glb, .gltf, .obj, .stl, .ply"):
        write_land(tmp_path / "land.fbx", some_land())
    assert list(tmp_path.iterdir()) == []

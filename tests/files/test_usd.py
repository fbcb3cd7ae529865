"""USD files, opened by Pixar's own library."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from terrain_addon.command_line import main
from terrain_addon.core.meshing.cell_diagonals import turned_cells
from terrain_addon.files.landscape_glb import export_landscape
from tests.files.engine_land import f_land, ground, ground_of_triangles
from tests.files.pypi import installed

pytestmark = pytest.mark.once

READ = """
import json, sys
from pxr import Usd, UsdGeom, UsdShade, UsdValidation
stage = Usd.Stage.Open(sys.argv[1])
said = {"up": UsdGeom.GetStageUpAxis(stage), "metres": UsdGeom.GetStageMetersPerUnit(stage)}
said["root"] = str(stage.GetDefaultPrim().GetPath())
context = UsdValidation.ValidationContext(UsdValidation.ValidationRegistry().GetOrLoadAllValidators())
said["errors"] = [error.GetMessage() for error in context.Validate(stage)]
said["meshes"], said["pictures"] = {}, []
for prim in stage.Traverse():
    if prim.IsA(UsdGeom.Mesh):
        mesh, bound = UsdGeom.Mesh(prim), UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()[0]
        points = mesh.GetPointsAttr().Get()
        said["meshes"][str(prim.GetPath())] = {
            "points": [list(map(float, point)) for point in points],
            "triangles": len(mesh.GetFaceVertexCountsAttr().Get()),
            "corners": list(mesh.GetFaceVertexIndicesAttr().Get()[:3]),
            "material": str(bound.GetPath()) if bound else None,
            "extent": [list(map(float, corner)) for corner in mesh.GetExtentAttr().Get()],
            "counted": [list(map(float, corner)) for corner in UsdGeom.PointBased.ComputeExtent(points)],
        }
    if prim.GetTypeName() == "Shader" and prim.GetAttribute("inputs:file"):
        said["pictures"].append(prim.GetAttribute("inputs:file").Get().resolvedPath)
plants = UsdGeom.PointInstancer(stage.GetPrimAtPath("/Landscape/Plants"))
if plants:
    said["plants"] = [[list(map(float, row)) for row in one] for one in plants.ComputeInstanceTransformsAtTime(0, 0)]
    said["prototypes"] = [str(path) for path in plants.GetPrototypesRel().GetTargets()]
    said["indices"] = list(plants.GetProtoIndicesAttr().Get())
    said["extent"] = [list(map(float, corner)) for corner in plants.GetExtentAttr().Get()]
    said["counted"] = [list(map(float, corner)) for corner in plants.ComputeExtentAtTime(0, 0)]
print(json.dumps(said))
"""


def read(path: Path) -> dict[str, Any]:
    """What Pixar's library finds in a file."""
    environment = os.environ | {"PYTHONPATH": str(installed("usd-core", "26.11"))}
    command = [sys.executable, "-c", READ, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True, env=environment)
    said: dict[str, Any] = json.loads(done.stdout)
    return said


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A land with a letter F, its sea and its plants."""
    path = tmp_path_factory.mktemp("usd") / "land.usda"
    export_landscape(path, f_land(65, 65, 200))
    return read(path) | {"path": path}


def test_the_stage_is_in_metres_and_valid(found: dict[str, Any]) -> None:
    assert (found["up"], found["metres"], found["root"]) == ("Z", 1.0, "/Landscape")
    assert found["errors"] == []
    assert found["pictures"] and all(Path(picture).is_file() for picture in found["pictures"])
    assert all(mesh["material"] for mesh in found["meshes"].values())


def test_the_land_has_its_heights(found: dict[str, Any]) -> None:
    land, mesh = f_land(65, 65, 0), found["meshes"]["/Landscape/Land"]
    points = np.array(mesh["points"])
    assert len(points) == 65 * 65 and mesh["triangles"] == 2 * 64 * 64
    assert np.abs(points[:, 2] - ground(land, points[:, 0] + 160.0, points[:, 1] + 160.0)).max() < 1e-3
    a, b, c = points[mesh["corners"]]
    assert np.cross(b - a, c - a)[2] > 0.0, "it is seen from above"
    for one in found["meshes"].values():
        assert np.allclose(one["extent"], one["counted"], atol=1e-3)
    assert np.allclose(np.array(found["meshes"]["/Landscape/Sea"]["points"])[:, 2], 305.0)


def test_every_plant_stands_where_it_grows(found: dict[str, Any]) -> None:
    land = f_land(65, 65, 200)
    plants = land.plants
    assert plants is not None and len(found["plants"]) == 200
    matrices = np.array(found["plants"])  # rows are axes here, the last one is the place
    assert np.allclose(matrices[:, 3, 0] + 160.0, plants.x, atol=1e-3)
    assert np.allclose(matrices[:, 3, 1] + 160.0, plants.y, atol=1e-3)
    altitude = ground_of_triangles(land, plants.x, plants.y, turned_cells(land.terrain.surface))
    assert np.allclose(matrices[:, 3, 2], altitude, atol=1e-2)
    turn = np.degrees(np.arctan2(matrices[:, 0, 1], matrices[:, 0, 0]))
    # Turns have 16 bits.
    assert np.abs((turn - plants.rotation + 180.0) % 360.0 - 180.0).max() < 0.1
    grown = np.array([species.height for species in land.recipe.ecosystem.species])[plants.species]
    size = np.linalg.norm(matrices[:, 2, :3], axis=1)
    assert np.allclose(size, plants.height / grown, rtol=1e-3)
    # A prototype is as high as its species, and each plant has that of its own.
    for prototype, path in enumerate(found["prototypes"]):
        mine = np.array(found["indices"]) == prototype
        tops = [np.array(m["points"])[:, 2].max() for name, m in found["meshes"].items() if name.startswith(path + "/")]
        assert np.allclose(max(tops), grown[mine], rtol=0.05)
        assert len({(s, v) for s, v in zip(plants.species[mine], plants.variant[mine])}) <= 1
    low, high = np.array(found["extent"])
    assert (low >= np.array(found["counted"][0]) - 0.5).all() and (high <= np.array(found["counted"][1]) + 0.5).all()
    assert (low <= matrices[:, 3, :3].min(axis=0)).all() and high[2] > matrices[:, 3, 2].max() + 1.0


def test_plants_in_rivers_are_left_out(tmp_path: Path) -> None:
    counts = []
    for changes in ({}, {"waters": None}):
        export_landscape(tmp_path / "land.usda", f_land(257, 257, 3000, **changes))
        text = (tmp_path / "land.usda").read_text(encoding="utf-8")
        (line,) = re.findall(r"int\[\] protoIndices = \[(.*)\]", text)
        counts.append(line.count(",") + 1)
        export_landscape(tmp_path / "land.glb", f_land(257, 257, 3000, **changes))
        data = (tmp_path / "land.glb").read_bytes()
        document = json.loads(data[20 : 20 + int.from_bytes(data[12:16], "little")])
        groups = [node["extensions"]["EXT_mesh_gpu_instancing"] for node in document["nodes"] if "extensions" in node]
        stand = [document["accessors"][group["attributes"]["TRANSLATION"]]["count"] for group in groups]
        assert sum(stand) == counts[-1]
    assert 2900 < counts[0] < counts[1] == 3000


def test_the_command_writes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = ["export", "plains", "--set", "resolution=33", "--set", "ecosystem.cover=0", "--engine", "usda"]
    assert main([*small, "--out", str(tmp_path)]) == 0
    said = read(tmp_path / "landscape.usda")
    assert said["errors"] == [] and "/Landscape/Land" in said["meshes"]
    with pytest.raises(ValueError, match=r"USD is written as text; let the name end in \.usda"):
        export_landscape(tmp_path / "land.usdc", f_land(33, 33, 0))

"""Roads in files: where they are in each engine, and the splines that its script makes of them."""

import dataclasses
import json
import struct
import sys
import types
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.command_line import main
from terrain_addon.core.building.layers import Relief
from terrain_addon.core.building.recipe import Recipe
from terrain_addon.core.foundation.terrain import Terrain
from terrain_addon.core.relief.fractal_noise import FractalNoise
from terrain_addon.files.engines.package import ENGINES, PackageOptions, write_package
from terrain_addon.files.landscape_glb import export_landscape
from tests.png_reader import read_png

pytestmark = pytest.mark.once

ROAD = core.Road(name="Pass", points=((60.0, 60.0), (580.0, 460.0)), longest_bridge=1e4, longest_tunnel=1e4)
PAD = core.Pad(name="Yard", surface="concrete", points=((400.0, 100.0), (460.0, 100.0), (460.0, 160.0)))
RECIPE = Recipe(
    width=640.0,
    depth=640.0,
    resolution=65,
    relief=Relief.of(FractalNoise(wavelength=500.0, height=60.0)),
    erosion=(),
    features=(ROAD, PAD),
)


@cache
def land() -> core.Landscape:
    return core.build(RECIPE, extent="maps")


def glb(path: Path) -> dict[str, Any]:
    """The JSON of a GLB file."""
    data = path.read_bytes()
    (length,) = struct.unpack_from("<I", data, 12)
    content: dict[str, Any] = json.loads(data[20 : 20 + length])
    return content


def away_from(points: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Metres to the nearest of the pieces between points."""
    nearest = np.full(x.shape, np.inf)
    for (x0, y0), (x1, y1) in pairwise(points):
        share = ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / ((x1 - x0) ** 2 + (y1 - y0) ** 2)
        share = np.clip(share, 0.0, 1.0)
        nearest = np.minimum(nearest, np.hypot(x - x0 - share * (x1 - x0), y - y0 - share * (y1 - y0)))
    return nearest


@pytest.mark.parametrize("engine", ["unity", "unreal", "godot"])
def test_nothing_is_strewn_on_roads_and_pads(tmp_path: Path, engine: str) -> None:
    bare = land().terrain
    soil = np.ones_like(bare.surface)
    green = dataclasses.replace(land(), terrain=Terrain(bare.surface - soil, soil, bare.cell_size))
    package = write_package(tmp_path / "package", green, engine, PackageOptions(ground=0))
    course = land().roads[0]
    assert not course.tunnels
    for name in ("tufts", "ferns", "stones"):
        density = read_png(package.folder / package.manifest["tiles"][0]["files"][f"density_{name}"])[::-1]
        side = len(density)
        y, x = (np.mgrid[0:side, 0:side] + 0.5) / side
        if engine == "unreal":  # whose samples are the middles of texels, and lie on the border
            samples = package.manifest["tile"]["columns"]
            y, x = (y * samples - 0.5) / (samples - 1), (x * samples - 0.5) / (samples - 1)
        y, x = 640.0 * y, 640.0 * x
        road = away_from(np.stack((course.line.x, course.line.y), axis=1), x, y) - 0.5 * ROAD.width
        pad = away_from(np.array([*PAD.points, PAD.points[0]]), x, y)
        is_kept_clear = (road < ROAD.clearing) | (pad < PAD.clearing)
        assert is_kept_clear.sum() > 100 and not density[is_kept_clear].any()
        # A texel is no wider than a road, and beside the road they are as before.
        assert 640.0 / side < 2.0
    beside = (road > ROAD.clearing + 2.0) & (road < ROAD.clearing + 12.0)
    tufts = read_png(package.folder / package.manifest["tiles"][0]["files"]["density_tufts"])[::-1]
    assert (tufts[beside] > 0).mean() > 0.3


@pytest.mark.parametrize("engine", ENGINES)
def test_a_package_has_the_mesh_the_line_and_the_volumes(tmp_path: Path, engine: str) -> None:
    package = write_package(tmp_path / "package", land(), engine)
    records = json.loads((package.folder / package.manifest["road_records"]).read_text(encoding="utf-8"))
    (road,), (pad,) = records["roads"], records["pads"]
    course = land().roads[0]
    assert road["name"] == "Pass" and pad["name"] == "Yard"
    assert pad["surface"] == "concrete" and len(pad["points_m"]["x"]) == len(PAD.points)
    assert road["cut_m3"] == course.cut > 0.0 and pad["level_m"] == land().pads[0].level
    # From the middle of the land: its corner is 320 m to the south-west.
    begin, end = ([road["points_m"][axis][at] for axis in ("x", "y")] for at in (0, -1))
    assert begin == [-260.0, -260.0] and end == [260.0, 140.0]
    assert len(road["profile_m"]["chainage"]) == len(road["points_m"]["z"]) == course.line.x.size
    content = glb(package.folder / package.manifest["roads"])
    (mesh,) = content["meshes"]
    bounds = [content["accessors"][one["attributes"]["POSITION"]] for one in mesh["primitives"]]
    west, south = min(one["min"][0] for one in bounds), max(one["max"][2] for one in bounds)
    assert -272.0 < west < -255.0 and 255.0 < south < 272.0
    assert {"Asphalt", "Markings", "Gravel", "Concrete"} <= {one["name"] for one in content["materials"]}


def test_a_land_without_roads_has_no_such_files(tmp_path: Path) -> None:
    bare = core.build(RECIPE.replace(features=()), extent="maps")
    package = write_package(tmp_path / "package", bare, "generic")
    assert "roads" not in package.manifest and not (package.folder / "roads").exists()


def test_a_whole_landscape_as_glb_has_its_roads(tmp_path: Path) -> None:
    export_landscape(tmp_path / "land.glb", land())
    names = [node.get("name") for node in glb(tmp_path / "land.glb")["nodes"]]
    assert "Roads" in names and "Land" in names


def test_the_command_writes_what_is_known_of_roads(tmp_path: Path) -> None:
    (tmp_path / "recipe.json").write_text(RECIPE.dumps(), encoding="utf-8")
    assert main(["build", str(tmp_path / "recipe.json"), "--out", str(tmp_path)]) == 0
    records = json.loads((tmp_path / "roads.json").read_text(encoding="utf-8"))
    assert records["origin"] == "middle of the land" and max(records["south_west_m"]) < 0.0
    assert "km long" in records["roads"][0]["summary"]


def test_unreal_s_script_makes_a_spline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = write_package(tmp_path / "package", land(), "unreal")
    splines: list[tuple[str, list[Any]]] = []
    monkeypatch.setitem(sys.modules, "unreal", editor(splines))
    script: dict[str, Any] = {"__name__": "import_unreal", "__file__": str(package.folder / "import_unreal.py")}
    exec((package.folder / "import_unreal.py").read_text(encoding="utf-8"), script)
    records = json.loads((package.folder / package.manifest["road_records"]).read_text(encoding="utf-8"))
    script["add_spline"](records["roads"][0], "pass")
    ((label, points),) = splines
    line = land().roads[0].line
    assert label == "Road Pass"
    expected = np.column_stack((line.x - 320.0, 320.0 - line.y, line.height)) * 100.0
    assert np.abs(np.array(points) - expected).max() < 0.2


def editor(splines: list[tuple[str, list[Any]]]) -> types.ModuleType:
    """As much of the editor's Python as a spline takes; it keeps what it is told."""

    class Actor:
        def set_actor_label(self, label: str) -> None:
            self.label = label

        def set_folder_path(self, _: str) -> None: ...
        def set_editor_property(self, name: str, value: Any) -> None: ...

    actor = Actor()
    spline = types.SimpleNamespace(
        set_spline_points=lambda points, space, update: splines.append((actor.label, points)),
    )
    subobjects = types.SimpleNamespace(
        k2_gather_subobject_data_for_instance=lambda owner: ["root"],
        add_new_subobject=lambda given: ("handle", types.SimpleNamespace(is_empty=lambda: True)),
    )
    module = types.ModuleType("unreal")
    module.__dict__.update(
        Vector=lambda *xyz: xyz,
        Actor=Actor,
        SplineComponent=object,
        SplineCoordinateSpace=types.SimpleNamespace(WORLD=0),
        EditorActorSubsystem=None,
        SubobjectDataSubsystem=None,
        AddNewSubobjectParams=lambda **named: named,
        SubobjectDataBlueprintFunctionLibrary=types.SimpleNamespace(
            get_data=lambda handle: handle, get_associated_object=lambda data: spline
        ),
        get_editor_subsystem=lambda _: types.SimpleNamespace(spawn_actor_from_class=lambda cls, place: actor),
        get_engine_subsystem=lambda _: subobjects,
    )
    return module

"""The script for Unity, compiled and run twice with mono against a stub that writes down what it is asked, in order."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from terrain_addon.files.engines.package import write_package
from tests.files.engine_land import f_land

pytestmark = pytest.mark.once

STUB = Path(__file__).parent / "data" / "UnityStub.cs"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package with 30 plants, and a program that builds it, lets an artist work on it, and builds it again."""
    if not (shutil.which("mcs") and shutil.which("mono")):
        pytest.skip("there is no mono, which compiles and runs the script for Unity")
    folder = tmp_path_factory.mktemp("unity")
    package = write_package(folder / "level", f_land(65, 65, 30), "unity")
    script = package.folder / "Editor" / "LandscapePackage.cs"
    made = folder / "build.exe"
    command = ["mcs", "-langversion:7", "-warnaserror", "-nowarn:0649,0108", f"-out:{made}", str(script), str(STUB)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return made


def said(program: Path, pipeline: str) -> list[str]:
    """What the program writes down."""
    command = ["mono", str(program), "-landscape", str(program.parent / "level"), pipeline]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=program.parent)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


def test_weights_are_painted_on_an_asset_and_the_scene_is_saved(program: Path) -> None:
    lines = said(program, "Standard")
    first = lines[: lines.index("AGAIN")]
    assert "SetAlphamaps lost" not in lines
    assert first.index("CreateAsset TerrainData Assets/Landscapes/level/Terrain_0_0.asset") < first.index(
        "SetAlphamaps kept"
    )
    assert first[0] == "NewScene" and first[-2:] == ["SaveAssets", "SaveScene Assets/Landscapes/level/level.unity"]


def test_building_again_keeps_guids_and_what_an_artist_made(program: Path) -> None:
    lines = said(program, "URP")
    again = lines[lines.index("AGAIN") :]
    assert not [line for line in again if line.startswith("CreateAsset")]
    for kept in ("same assets True", "same objects True", "house True", "layers 9 weights True"):
        assert kept in lines
    assert "trees 30 then 31" in lines and "edited 0.77" in lines


@pytest.mark.parametrize(
    ("pipeline", "smoothness", "both_sides", "blend"),
    [
        ("Standard", "_Glossiness=0.95", None, "_Mode=3 .*_SrcBlend=1 "),
        ("URP", "_Smoothness=0.95", "_Cull=0", "_SrcBlend=5 _SURFACE_TYPE_TRANSPARENT=on _Surface=1"),
        (
            "HDRP",
            "_Smoothness=0.95",
            "_DOUBLESIDED_ON=on _DoubleSidedEnable=1",
            "_SURFACE_TYPE_TRANSPARENT=on _SurfaceType=1",
        ),
    ],
)
def test_materials_keep_sides_opacity_roughness_and_shades(
    program: Path, pipeline: str, smoothness: str, both_sides: str | None, blend: str
) -> None:
    lines = said(program, pipeline)
    materials = dict(re.match(r"material (.*?): (.*)", line).groups() for line in lines if line.startswith("material "))
    foliage, water, bark = materials["tree foliage"], materials["Water"], materials["tree bark"]
    for value in blend.split(" _S") if pipeline != "Standard" else [blend]:
        assert re.search(value, water), water
    assert smoothness in water and "=0.8" in water and "queue=3000" in water and "queue=0" in foliage
    assert "shades.asset" in foliage and "shades.asset" in bark and "shades.asset" not in water
    meshes = [line.split() for line in lines if line.startswith("mesh 00_tree_0_lod2")]
    (vertices, uvs, triangles) = (
        int(meshes[0][meshes[0].index(word) + 1]) for word in ("vertices", "uvs", "triangles")
    )
    assert vertices == uvs
    if both_sides is None:  # Standard draws one side: the other one is in the mesh
        doubled = triangles
        single = [line.split() for line in said(program, "URP") if line.startswith("mesh 00_tree_0_lod2")]
        assert doubled > int(single[0][single[0].index("triangles") + 1])
    else:
        assert both_sides in foliage and both_sides not in bark

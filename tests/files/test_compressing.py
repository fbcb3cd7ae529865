"""Smaller GLB files: by a stand-in that is asked in place of gltfpack, and by the real one where npm can fetch it."""

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from terrain_addon.command_line import main
from terrain_addon.files.compressing import TOOL, compress
from terrain_addon.files.landscape_glb import export_landscape
from tests.files.engine_land import f_land
from tests.files.npm import installed
from tests.files.test_engines_validator import VERSION, issues

pytestmark = pytest.mark.once

SMALL = ["export", "plains", "--set", "resolution=33", "--set", "ecosystem.cover=0"]


def stand_in(folder: Path, monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """Put a program in place of gltfpack on the path; it has its arguments in `given`."""
    folder.mkdir()
    program = folder / TOOL
    text = [f"#!{sys.executable}", "import sys, shutil", "given = sys.argv[1:]", *lines]
    program.write_text("\n".join(text) + "\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def test_without_the_program_nothing_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main([*SMALL, "--compress", "--out", str(tmp_path / "out")]) == 1
    said = capsys.readouterr().err
    assert "compressing needs gltfpack, which is not on the path" in said and "npm install -g gltfpack" in said
    assert not (tmp_path / "out").exists()
    for engine in ("gltf", "godot"):
        assert main([*SMALL, "--compress", "--engine", engine, "--out", str(tmp_path / "out")]) == 1
        assert "--compress: only --engine glb has it" in capsys.readouterr().err


def test_the_program_is_given_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "programs"
    said = "shutil.copy(given[1], given[3]); open(given[3], 'ab').write(repr(given).encode())"
    stand_in(folder, monkeypatch, said)
    assert main([*SMALL, "--compress", "--out", str(tmp_path / "out")]) == 0
    data = (tmp_path / "out" / "landscape.glb").read_bytes()
    assert data.startswith(b"glTF") and data.endswith(b"'-km', '-mi', '-vpf', '-cc']")


def test_a_program_that_fails_leaves_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(tmp_path / "programs", monkeypatch, "open(given[3], 'w').write('half')", "sys.exit('no room on the disk')")
    path = tmp_path / "land.glb"
    export_landscape(path, f_land(plants=5))
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"gltfpack could not compress land\.glb: no room on the disk"):
        compress(path, Path(str(shutil.which(TOOL))))
    assert path.read_bytes() == before and {file.name for file in tmp_path.iterdir()} == {"programs", "land.glb"}


def document_of(path: Path) -> dict[str, Any]:
    data = path.read_bytes()
    document: dict[str, Any] = json.loads(data[20 : 20 + int.from_bytes(data[12:16], "little")])
    return document


def plant_triangles(document: dict[str, Any]) -> int:
    """Triangles of all plants: materials become meshes of their own, so nodes cannot be counted."""
    count = 0
    for node in document["nodes"]:
        places = node.get("extensions", {}).get("EXT_mesh_gpu_instancing")
        if places is not None:
            stands = document["accessors"][places["attributes"]["TRANSLATION"]]["count"]
            for part in document["meshes"][node["mesh"]]["primitives"]:
                count += stands * document["accessors"][part["indices"]]["count"] // 3
    return count


def test_the_real_program_keeps_all_plants_and_makes_a_valid_file(tmp_path: Path) -> None:
    program = installed("gltfpack", "1.3.0") / "node_modules" / "gltfpack" / "cli.js"
    path = tmp_path / "land.glb"
    export_landscape(path, f_land(129, 129, 500))
    before, size = document_of(path), path.stat().st_size
    compress(path, program)
    after = document_of(path)
    assert path.stat().st_size < 0.7 * size
    assert {"EXT_meshopt_compression", "KHR_mesh_quantization"} <= set(after["extensionsRequired"])
    assert plant_triangles(after) == pytest.approx(
        plant_triangles(before), rel=0.01
    )  # it leaves out triangles without an area
    names = [{material["name"] for material in document["materials"]} for document in (before, after)]
    assert names[0] == names[1]
    (found,) = issues(installed("gltf-validator", VERSION), [path]).values()
    assert not [issue for issue in found if issue[0] == 0]

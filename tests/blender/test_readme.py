"""What README shows works as it stands there."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
AS_INSTALLED = "import bpy, terrain_addon\nbpy.ops.wm.read_factory_settings(use_empty=True)\nterrain_addon.register()\n"
LEAVE = "\nimport os, sys\nsys.stdout.flush()\nos._exit(0)\n"


def run(code: str, folder: Path) -> str:
    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    return ran.stdout


@pytest.mark.once
def test_script_without_blender(tmp_path: Path) -> None:
    said = run(BLOCKS[0], tmp_path).split()
    assert float(said[0]) > 1000.0 and 0.0 < float(said[1]) < 90.0 and int(said[2]) > 3 and int(said[3]) > 1000
    written = {p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*.*") if p.is_file()}
    assert {"out/alpine_height.png", "out/alpine_normal.exr", "out/alpine.glb", "out/alpine.json"} <= written


@pytest.mark.once
def test_script_inside_blender(tmp_path: Path) -> None:
    code = BLOCKS[1].replace("/tmp", tmp_path.as_posix())
    assert "/tmp/textures" in BLOCKS[1]
    said = run(AS_INSTALLED + code + LEAVE, tmp_path)
    assert "Land made: 513 × 513 vertices" in said and "Exported" in said
    assert (tmp_path / "land.glb").stat().st_size > 1e6
    assert (tmp_path / "textures" / "Rolling_Hills_height.png").is_file()

"""The extension in a real Blender with a window, used with a real mouse."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
# Where screenshots stay to be looked at.
LEFTOVERS = ROOT / ".ci" / "leftovers"
TOOL = Path(os.environ.get("TERRAIN_WINDOW_TOOL") or ROOT.parent / "shared" / "tools" / "blender-window")

pytestmark = [
    pytest.mark.once,
    pytest.mark.skipif(not TOOL.is_file(), reason=f"{TOOL}, which opens a window, is not there (TERRAIN_WINDOW_TOOL)"),
    pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can open the window"),
]


def test_generate_button_makes_a_landscape_that_is_seen(local_zip: Path) -> None:
    LEFTOVERS.mkdir(parents=True, exist_ok=True)
    for old in (*LEFTOVERS.glob("*.png"), *LEFTOVERS.glob("*.txt"), *LEFTOVERS.glob("*.json")):
        old.unlink()
    script = Path(__file__).with_name("generate_by_mouse.py")
    # The bpy module, which other tests import, points OCIO at colour files of its own.
    environment = {name: value for name, value in os.environ.items() if name != "OCIO"}
    ran = subprocess.run(
        [str(TOOL), str(script), str(LEFTOVERS), "--zip", str(local_zip), "--seconds", "240"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
    )
    said = "".join(f.read_text() for f in (LEFTOVERS / "log.txt", LEFTOVERS / "blender.txt") if f.is_file())
    assert ran.returncode == 0, ran.stderr + said

    result = json.loads((LEFTOVERS / "result.json").read_text())
    assert result["new"]
    assert result["vertices"] == result["resolution"] ** 2

    before, after = (
        np.asarray(Image.open(LEFTOVERS / f"{name}.png").convert("RGB").crop(result["view"]), dtype=np.int16)
        for name in ("before", "after")
    )
    changed = np.abs(after - before).max(axis=2) > 16
    assert changed.mean() > 0.25, f"only {changed.mean():.0%} of the 3D view look different; see {LEFTOVERS}"

"""Two hundred random steps of work on lands, with undo at any moment; a hundred generations in the same memory."""

import os
import subprocess
from pathlib import Path

import pytest

import build
from tests.gui.window_tool import TOOL, run_in_window

ROOT = Path(__file__).resolve().parents[2]
SEEDS = range(1, 11)
STEPS = 200


def run(blender: str, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a script of tests/ in a Blender of its own; memory that is freed is overwritten, so that errors show."""
    return subprocess.run(
        [build.environment(blender), str(ROOT / "tests" / script), *arguments],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT), "MALLOC_PERTURB_": "165"},
        capture_output=True,
        text=True,
        timeout=3600,
    )


@pytest.mark.parametrize("blender", list(build.BLENDERS))
@pytest.mark.parametrize("seed", SEEDS)
def test_two_hundred_random_steps(blender: str, seed: int) -> None:
    ran = run(blender, "blender/sessions.py", str(seed), str(STEPS))
    assert ran.returncode == 0, f"exit status {ran.returncode}\n{ran.stdout[-3000:]}\n{ran.stderr[-3000:]}"
    assert ran.stdout.rstrip().endswith("END")


@pytest.mark.parametrize("blender", list(build.BLENDERS))
def test_a_hundred_generations_leave_nothing_behind(blender: str) -> None:
    ran = run(blender, "soak/generations.py")
    assert ran.returncode == 0, f"{ran.stdout[-3000:]}\n{ran.stderr[-3000:]}"


@pytest.mark.skipif(not TOOL.is_file(), reason=f"{TOOL}, which opens a window, is not there (TERRAIN_WINDOW_TOOL)")
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_two_hundred_random_steps_in_a_window(
    seed: int, local_zip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERRAIN_RANDOM_WORK", f"{seed} {STEPS}")
    seen = run_in_window("random_work", local_zip, tmp_path, tmp_path, "960x640", seconds=3000)
    assert (seen["strangers"], seen["untrue"], seen["errors"]) == ([], [], [])

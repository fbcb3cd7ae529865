"""Kernels: compiled on first use, cached where one may write, several at once, broken numba survived."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.core.foundation import compilation

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.once

BUILD = """
import sys
from terrain_addon.core.foundation import compilation
if len(sys.argv) > 1:
    compilation.set_cache_folder(sys.argv[1])
from terrain_addon.core.foundation.terrain import Grid
from terrain_addon.core.relief.midpoint_displacement import MidpointDisplacement, displace_midpoints
try:
    print(displace_midpoints(Grid(9, 9, 1.0), MidpointDisplacement(), 3).tobytes().hex()[:64])
except compilation.CompilerMissing as error:
    print(error)
"""


def build_elsewhere(*arguments: str, path: str = "") -> str:
    """What a new Python prints when it makes a small relief."""
    ran = subprocess.run(
        [sys.executable, "-c", BUILD, *arguments],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(p for p in (path, str(ROOT)) if p)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    return ran.stdout.strip()


def test_importing_core_does_not_load_numba() -> None:
    code = "import sys; from terrain_addon import core; core.Recipe.preset('alpine'); print('numba' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    assert ran.stdout.strip() == "False"


def test_broken_numba_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "numba.py").write_text("raise ImportError('llvmlite is of another version')")
    said = build_elsewhere(path=str(tmp_path))
    assert said.startswith("numba cannot be loaded (llvmlite is of another version); reinstall the extension")


def test_kernels_are_kept_in_the_folder_given(tmp_path: Path) -> None:
    first = build_elsewhere(str(tmp_path))
    kept = sorted(p.name for p in tmp_path.rglob("*.nbi"))
    assert len(kept) >= 2
    assert build_elsewhere(str(tmp_path)) == first
    assert sorted(p.name for p in tmp_path.rglob("*.nbi")) == kept


def test_a_cache_folder_that_can_not_be_written_costs_only_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert build_elsewhere(str(tmp_path / "file" / "folder")) == build_elsewhere(str(tmp_path / "good"))


@pytest.mark.parametrize("content", [b"", b"garbage", b"\x80\x04"])
def test_a_corrupt_cache_costs_only_time(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "theirs.txt").write_text("a file of the user")
    first = build_elsewhere(str(tmp_path))
    for kept in [*tmp_path.rglob("*.nbi"), *tmp_path.rglob("*.nbc")]:
        kept.write_bytes(content)
    assert build_elsewhere(str(tmp_path)) == first
    assert (tmp_path / "theirs.txt").read_text() == "a file of the user"


def test_two_threads_may_build_at_once() -> None:
    recipes = [core.Recipe(resolution=129, seed=seed) for seed in (1, 2)]
    expected = [core.build(recipe, extent="maps") for recipe in recipes]
    results: list[core.Landscape] = []

    def work(recipe: core.Recipe) -> None:
        for _ in range(5):
            results.append(core.build(recipe, extent="maps"))

    threads = [threading.Thread(target=work, args=(recipe,)) for recipe in recipes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 10
    for land in results:
        same = expected[land.recipe.seed - 1]
        np.testing.assert_array_equal(land.terrain.surface, same.terrain.surface)


def test_number_of_threads_is_checked() -> None:
    with pytest.raises(ValueError, match="threads = 0 is outside 1 to"):
        compilation.set_thread_count(0)

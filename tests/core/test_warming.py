"""Kernels that other processes compile are found by the one that needs them, whatever the package is called there."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from terrain_addon import core
from terrain_addon.core.building import warming
from terrain_addon.core.building.planet_warming import PlanetWarming
from terrain_addon.core.foundation.compilation import cache_root, set_cache_folder

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parents[2]

# As Blender imports an extension: inside packages that are no files.
FIRST_LAND = """
import importlib, json, sys, types
for name, path in (("outer", []), ("outer.inner", [sys.argv[1]])):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = path
core = importlib.import_module("outer.inner.terrain_addon.core")
warming = importlib.import_module("outer.inner.terrain_addon.core.building.warming")
core.foundation.compilation.set_cache_folder(sys.argv[2])
recipe, extent = core.Recipe(erosion=()), sys.argv[4]
recipe = recipe.replace(winter=recipe.winter.replace(enabled=True))
if sys.argv[3] == "warm":
    progress = list(warming.Warming(recipe).wait(recipe, extent))
    assert progress and progress == sorted(progress) and progress[-1] <= 1.0
compiled = []
import numba.core.event
class Listener(numba.core.event.Listener):
    def on_start(self, event): compiled.append(event.data["dispatcher"].py_func.__name__)
    def on_end(self, event): pass
numba.core.event.register("numba:compile", Listener())
land = core.build(recipe.replace(resolution=129), extent=extent)
of = lambda name: importlib.import_module("outer.inner.terrain_addon.core." + name)
terrain = land.terrain
of("foundation.sampling").vertex_positions(terrain.surface, terrain.cell_size)
if extent != "terrain":
    of("meshing.water_mesh").make_water_mesh(terrain, land.waters)
    of("maps.realism").check_realism(terrain.surface, terrain.cell_size, "fjords")
    cells = of("meshing.cell_diagonals")
    turned = cells.turned_cells(terrain.surface)
    cells.altitude_on_mesh(terrain.surface, terrain.cell_size, land.plants.x, land.plants.y, turned)
print(json.dumps(compiled))
"""


def said(code: str, *arguments: str) -> Any:
    """What a new Python prints as JSON."""
    ran = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    return json.loads(ran.stdout)


def test_a_warmed_land_compiles_nothing_more(tmp_path: Path) -> None:
    # Where nothing has been compiled yet, what this compiles serves all other tests.
    usual = cache_root()
    warm = tmp_path / "warm" if any(usual.rglob("*.kernel")) else usual.parent
    assert said(FIRST_LAND, str(ROOT), str(warm), "warm", "plants") == []
    assert "_sum_rows" in said(FIRST_LAND, str(ROOT), str(tmp_path / "cold"), "cold", "terrain")


@pytest.fixture
def usual_cache() -> Iterator[None]:
    """The folder for kernels is the usual one again afterwards."""
    before = cache_root().parent
    yield
    set_cache_folder(before)


def test_recipes_of_one_kind_share_their_kernels(
    usual_cache: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_cache_folder(tmp_path)
    recipe = core.Recipe.preset("alpine")
    work = warming.Warming(recipe)
    assert work.serves(recipe.replace(seed=99, resolution=257, width=900.0))
    assert not work.serves(core.Recipe.preset("dunes"))
    assert not work.serves(recipe.replace(erosion=()))


def test_where_nothing_can_be_kept_or_started_nobody_waits(
    usual_cache: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = core.Recipe.preset("alpine")
    (tmp_path / "file").write_text("in the way")
    set_cache_folder(tmp_path / "file" / "folder")
    assert warming.Warming(recipe).is_warm(recipe, "plants")
    set_cache_folder(tmp_path)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no" / "python"))
    assert len(list(warming.Warming(recipe).wait(recipe, "plants"))) < 20
    assert len(list(PlanetWarming().wait(close=True))) < 20


def test_planets_are_compiled_after_landscapes_and_stop_when_they_are_told(
    usual_cache: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_cache_folder(tmp_path)
    busy = SimpleNamespace(is_busy=True)
    work = PlanetWarming(busy)
    time.sleep(0.3)
    assert not work.is_warm(close=False) and not work._processes
    waiting = work.wait(close=False)
    assert next(waiting) < 0.1
    for _ in range(1000):
        # Ground and water are compiled side by side.
        if len(processes := list(work._processes)) == 2:
            break
        time.sleep(0.01)
    work.stop()
    assert [process.wait(30.0) != 0 for process in processes] == [True, True]
    assert list(waiting) == [] and not any(tmp_path.rglob("planets-*"))


def test_processes_end_when_they_are_told(usual_cache: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_cache_folder(tmp_path)
    recipe = core.Recipe.preset("alpine")
    work = warming.Warming(recipe)
    assert not work.is_warm(recipe, "terrain")
    assert work.is_warm(core.Recipe(erosion=()), "terrain") and not work.is_warm(recipe.replace(seed=9), "terrain")
    for _ in range(1000):
        if processes := list(work._processes):
            break
        time.sleep(0.01)
    assert processes and all(process.poll() is None for process in processes)
    work.stop()
    assert all(process.wait(30) != 0 for process in processes)
    assert work.is_warm(recipe, "plants") and any(tmp_path.iterdir())


@pytest.mark.skipif(not Path("/proc/self/stat").is_file(), reason="only Linux says what other processes do")
def test_processes_end_with_the_program_that_started_them(tmp_path: Path) -> None:
    code = (
        "import os, sys, time; from terrain_addon import core; from terrain_addon.core.building import warming\n"
        "from terrain_addon.core.foundation.compilation import set_cache_folder\n"
        "set_cache_folder(sys.argv[1]); work = warming.Warming(core.Recipe.preset('alpine'))\n"
        "while not any(name.endswith('.kernel') for _, _, files in os.walk(sys.argv[1]) for name in files):\n"
        "    time.sleep(0.01)\n"
        # One that is stopped cannot look for itself whether its parent is still there; nor can one that compiles.
        "left = [process.pid for process in work._processes]; [os.kill(number, 19) for number in left]\n"
        "print(*left, flush=True); os.kill(os.getpid(), 9)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    left = [Path(f"/proc/{number}/stat") for number in ran.stdout.split()]
    assert ran.returncode == -9 and left
    end = time.monotonic() + 20.0
    while any(is_running(one) for one in left) and time.monotonic() < end:
        time.sleep(0.05)
    assert not any(is_running(one) for one in left)


def is_running(stat: Path) -> bool:
    """Whether the process of a file of the system works; one that nobody has waited for is still listed as Z."""
    try:
        return stat.read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False

"""Kernels that other processes compile are found by the one that needs them, whatever the package is called there."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from terrain_addon import core
from terrain_addon.core import compilation, warming

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parents[2]

# As Blender imports an extension: inside packages that are no files.
FIRST_RELIEF = """
import importlib, json, sys, types
for name, path in (("outer", []), ("outer.inner", [sys.argv[1]])):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = path
core = importlib.import_module("outer.inner.terrain_addon.core")
warming = importlib.import_module("outer.inner.terrain_addon.core.warming")
core.compilation.set_cache_folder(sys.argv[2])
recipe = core.Recipe(erosion=())
if sys.argv[3] == "warm":
    progress = list(warming.Warming(recipe, ["relief"]).wait("relief"))
    assert progress and progress == sorted(progress)
compiled = []
import numba.core.event
class Listener(numba.core.event.Listener):
    def on_start(self, event): compiled.append(event.data["dispatcher"].py_func.__name__)
    def on_end(self, event): pass
numba.core.event.register("numba:compile", Listener())
core.build(recipe.replace(resolution=129), extent="terrain")
print(json.dumps(compiled))
"""


def compiled_by_first_relief(cache: Path, way: str) -> list[str]:
    ran = subprocess.run(
        [sys.executable, "-c", FIRST_RELIEF, str(ROOT), str(cache), way],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    names = json.loads(ran.stdout)
    assert isinstance(names, list)
    return names


def test_a_warmed_relief_compiles_nothing_more(tmp_path: Path) -> None:
    assert compiled_by_first_relief(tmp_path / "warm", "warm") == []
    assert "_sum_rows" in compiled_by_first_relief(tmp_path / "cold", "cold")


def test_recipes_of_one_kind_share_their_kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compilation, "_cache_folder", tmp_path)
    recipe = core.Recipe.preset("alpine")
    work = warming.Warming(recipe)
    assert work.serves(recipe.replace(seed=99, resolution=257, width=900.0))
    assert not work.serves(core.Recipe.preset("dunes"))
    assert not work.serves(recipe.replace(erosion=()))


def test_where_nothing_can_be_kept_or_started_nobody_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = core.Recipe.preset("alpine")
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setattr(compilation, "_cache_folder", tmp_path / "file" / "folder")
    assert warming.Warming(recipe).is_warm(*warming.PARTS)
    monkeypatch.setattr(compilation, "_cache_folder", tmp_path)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no" / "python"))
    assert warming.Warming(recipe).is_warm(*warming.PARTS)


def test_processes_end_when_they_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compilation, "_cache_folder", tmp_path)
    work = warming.Warming(core.Recipe.preset("alpine"))
    assert not work.is_warm("relief")
    processes = [process for process, _ in work._running.values()]
    assert processes and all(process.poll() is None for process in processes)
    work.stop()
    assert all(process.poll() is not None for process in processes)
    assert work.is_warm(*warming.PARTS) and any(tmp_path.iterdir())

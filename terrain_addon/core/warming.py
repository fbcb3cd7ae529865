"""Compiling the kernels of a recipe ahead of its first build, in processes of their own.

numba compiles one kernel at a time and keeps Python to itself meanwhile: a window would stutter, and a second processor
idle.  So each part of the way from recipe to plants is walked once, at a small size and on a stand-in for what the
parts before would have made, by a process that leaves its kernels in the cache folder.
"""

import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .atlas import CHARTS
from .compilation import cache_root, digest_of, processors, set_cache_folder, writable
from .progress import run
from .recipe import Recipe
from .relief.elevation import Elevation
from .relief.layers import inputs_of
from .stages import EROSION, Stage, stages_of
from .terrain import Terrain

PARTS = ("relief", "erosion", "later erosion", "maps", "plants")
"""Parts of a landscape, in the order in which they are shown."""

_READ_BY = {
    "relief": ("relief",),
    "erosion": ("erosion", "water"),
    "later erosion": ("erosion", "water"),
    "maps": ("illumination", "extra_maps", "water"),
    "plants": ("ecosystem",),
}

_RESOLUTION = 65  # the least at which every kernel of a large land has work
_POLL = 0.05  # seconds
_PATIENCE = 300.0  # seconds after which a process is given up

# Runs in a process that knows neither Blender nor how this package was imported, but must find the kernels' modules
# under the same names.
_START = """
import importlib, json, sys, types
task = json.loads(sys.stdin.read())
sys.path[:] = task["path"]
package, folder = task["package"], task["folder"]
above = package.split(".")[:-1]
for depth in range(1, len(above) + 1):
    parent = types.ModuleType(".".join(above[:depth]))
    parent.__path__ = [folder] if depth == len(above) else []
    sys.modules[parent.__name__] = parent
if not above:
    sys.path.insert(0, folder)
importlib.import_module(package + ".core.warming").compile_part(**task["call"])
"""


class Warming:
    """Processes that compile the kernels of one recipe.

    Parameters
    ----------
    recipe : Recipe
        Any resolution.
    parts : sequence of str
        Of `PARTS`, the most urgent first.
    """

    def __init__(self, recipe: Recipe, parts: Sequence[str] = PARTS) -> None:
        self._recipe = recipe
        self._marks = {part: mark for part, mark in _marks_of(recipe).items() if part in parts}
        self._waiting = [part for part, mark in self._marks.items() if not mark.exists()]
        self._kernels_before = _kernel_count()
        self._running: dict[str, tuple[subprocess.Popen[bytes], float]] = {}

    def serves(self, recipe: Recipe) -> bool:
        """Whether another recipe has the same kernels."""
        marks = _marks_of(recipe)
        return all(marks.get(part) == mark for part, mark in self._marks.items())

    def is_warm(self, *parts: str) -> bool:
        """Whether there is nothing left to wait for: the kernels of these parts are there, or cannot be had."""
        self._look_after()
        return not any(part in self._waiting or part in self._running for part in parts)

    def wait(self, *parts: str) -> Generator[int, None, None]:
        """Go on until the kernels of some parts are there; yields how many were compiled since the start."""
        while not self.is_warm(*parts):
            yield _kernel_count() - self._kernels_before
            time.sleep(_POLL)

    def stop(self) -> None:
        """End all processes."""
        self._waiting.clear()
        for process, _ in self._running.values():
            process.kill()
            process.wait()
        self._running.clear()

    def _look_after(self) -> None:
        """Note what has ended, and start what there is a processor for."""
        for part, (process, started) in list(self._running.items()):
            if time.monotonic() - started > _PATIENCE:
                process.kill()
            if process.poll() is not None:
                del self._running[part]
        while self._waiting and len(self._running) < processors():
            part = self._waiting.pop(0)
            try:
                self._running[part] = (self._start(part), time.monotonic())
            except OSError:  # no Python to be run: kernels are compiled when they are called
                self._waiting.clear()

    def _start(self, part: str) -> subprocess.Popen[bytes]:
        package = __package__.rpartition(".")[0]
        task = {
            "package": package,
            "folder": str(Path(__file__).resolve().parents[2]),
            "path": sys.path,
            "call": {
                "part": part,
                "recipe": self._recipe.to_json(),
                "cache": str(cache_root()),
                "mark": str(self._marks[part]),
            },
        }
        quietly = getattr(subprocess, "CREATE_NO_WINDOW", 0) | getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0)
        process = subprocess.Popen(
            [sys.executable, "-I", "-c", _START],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            creationflags=quietly,
        )
        if process.stdin is not None:
            process.stdin.write(json.dumps(task).encode())
            process.stdin.close()
        return process


def compile_part(part: str, recipe: dict[str, Any], cache: str, mark: str) -> None:
    """Compile what one part of a landscape needs, and leave a mark that it is done.

    Parameters
    ----------
    part : str
        Of `PARTS`.
    recipe : dict
        As JSON.
    cache : str
        The folder for `set_cache_folder`.
    mark : str
        File to make at the end.
    """
    if hasattr(os, "nice"):
        os.nice(5)
    set_cache_folder(cache)
    small = Recipe.from_json(recipe).replace(resolution=_RESOLUTION)
    shape = small.grid.shape
    hills = _hills(shape, small.grid.cell_size, small.water.sea_level)
    stages = stages_of(small, {key: Elevation(hills.surface, hills.cell_size) for key in inputs_of(small.relief)})
    results: dict[str, Any] = {stage.name: hills for stage in stages if stage.name not in CHARTS}
    results |= {name: np.full(shape, np.float32(0.5)) for name in CHARTS}
    for stage in stages:
        if _part_of(stage) == part:
            results[stage.name] = run(stage.compute(results))
    Path(mark).touch()


def _marks_of(recipe: Recipe) -> dict[str, Path]:
    """Return the files that say that a part's kernels are there; none where kernels cannot be kept."""
    folder = writable(cache_root() / f"ready-{digest_of(__name__)}")
    return {part: folder / f"{part.replace(' ', '-')}-{_kind_of(recipe, part)}" for part in PARTS} if folder else {}


def _part_of(stage: Stage) -> str:
    if stage.name in CHARTS:
        return "maps"
    if "forest" in (stage.name, *stage.needs):
        return "plants"
    process = stage.name.removeprefix("history of ").partition(":")[0]
    if process.startswith(EROSION):
        return "erosion" if process == f"{EROSION} 1" else "later erosion"
    return "relief"


def _hills(shape: tuple[int, int], cell_size: float, sea_level: float) -> Terrain:
    """Return land with slopes, pits of all sizes, a plain, a coast and soil: work for every kernel."""
    row, column = np.mgrid[: shape[0], : shape[1]]
    waves = np.sin(row * 0.31) * np.cos(column * 0.23) + 0.3 * np.sin(row * 1.7 + column * 1.3) + 0.7
    waves += np.random.default_rng(1).random(shape)
    waves[10:20, 10:20] = waves[10:20, 10:20].min()
    soil = np.full(shape, np.float32(1.0))
    return Terrain((sea_level + 5.0 * cell_size * waves).astype(np.float32), soil, cell_size)


def _kernel_count() -> int:
    return sum(1 for _ in cache_root().rglob("*.nbi"))


def _kind_of(recipe: Recipe, part: str) -> str:
    """Return a text that is equal for recipes whose part uses the same kernels: numbers count as being there or not."""
    whole = recipe.to_json()
    content = json.dumps([_without_values(whole[name]) for name in _READ_BY[part]])
    return hashlib.sha256(content.encode()).hexdigest()[:12]


def _without_values(data: Any) -> Any:
    if isinstance(data, dict):
        return {name: _without_values(value) for name, value in data.items()}
    if isinstance(data, list):
        return [_without_values(value) for value in data]
    return data != 0 if isinstance(data, int | float) else data

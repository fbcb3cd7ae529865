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
import threading
import time
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np

from ..flow.water import find_water
from ..foundation.compilation import cache_root, digest_of, processors, set_cache_folder, writable
from ..foundation.progress import Steps, run
from ..foundation.sampling import sample, vertex_positions
from ..foundation.stored_field import StoredField
from ..foundation.terrain import Terrain
from ..maps.realism import check_realism
from ..meshing.water_mesh import make_water_mesh
from .atlas import CHARTS
from .landscape import Extent
from .layers import inputs_of
from .recipe import Recipe
from .stages import EROSION, HISTORY, Stage, stages_of

PARTS = {"relief": 20, "erosion": 26, "later erosion": 12, "maps": 23, "plants": 27}
"""Parts of a landscape in the order in which they are shown, and how many kernels each has, more or less."""

_LAST_PART: dict[Extent, str] = {"terrain": "later erosion", "maps": "maps", "plants": "plants"}

_READ_BY = {
    "relief": ("relief",),
    "erosion": ("erosion", "water"),
    "later erosion": ("erosion", "water"),
    "maps": ("illumination", "extra_maps", "water"),
    "plants": ("ecosystem",),
}

_RESOLUTION = 65  # the least at which every kernel of a large land has work
_POLL = 0.1  # seconds
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
importlib.import_module(package + ".core.building.warming").compile_part(**task["call"])
"""


class Warming:
    """Processes that compile the kernels of one recipe, as many at once as there are processors.

    Parameters
    ----------
    recipe : Recipe
        Any resolution.
    """

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._marks = _marks_of(recipe)
        self._missing = [part for part, mark in self._marks.items() if not mark.exists()]
        self._unready = set(self._missing)
        self._waiting = deque(self._missing)
        self._kernels_before = _kernel_count()
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()  # so that no process is started that `stop` would miss
        for _ in range(min(processors(), len(self._unready))):
            threading.Thread(target=self._work, name="warming", daemon=True).start()

    def serves(self, recipe: Recipe) -> bool:
        """Whether another recipe has the same kernels."""
        return _marks_of(recipe) == self._marks

    def is_warm(self, recipe: Recipe, extent: Extent) -> bool:
        """Whether there is nothing to wait for: the kernels are there, cannot be had, or are of another kind."""
        return not self._unready or self._unready.isdisjoint(self._shared_with(recipe, extent))

    def wait(self, recipe: Recipe, extent: Extent) -> Steps[None]:
        """Go on until all kernels of a landscape are there that are being compiled here.

        Parameters
        ----------
        recipe : Recipe
        extent : {'terrain', 'maps', 'plants'}
            How far it is to be built.
        """
        usual = sum(PARTS[part] for part in self._shared_with(recipe, extent) if part in self._missing)
        while not self.is_warm(recipe, extent):
            kernels = min(_kernel_count() - self._kernels_before, usual)
            yield kernels / usual
            time.sleep(_POLL)

    def stop(self) -> None:
        """End all processes."""
        with self._lock:
            self._waiting.clear()
            self._unready.clear()
            for process in self._processes:
                process.kill()

    def _shared_with(self, recipe: Recipe, extent: Extent) -> list[str]:
        """Parts up to an extent whose kernels a recipe has in common with the one that is compiled for."""
        marks, names = _marks_of(recipe), list(PARTS)
        return [p for p in names[: names.index(_LAST_PART[extent]) + 1] if p in marks and marks[p] == self._marks[p]]

    def _work(self) -> None:
        while self._waiting:
            try:
                part = self._waiting.popleft()
                self._compile(part)
            except IndexError:  # another thread was faster
                return
            except OSError:  # no Python to be run: kernels are compiled when they are called
                self.stop()
            self._unready.discard(part)

    def _compile(self, part: str) -> None:
        task = {
            "package": __package__.rpartition(".core.")[0],
            "folder": str(Path(__file__).resolve().parents[3]),
            "path": sys.path,
            "call": {
                "part": part,
                "recipe": self._recipe.to_json(),
                "cache": str(cache_root().parent),
                "mark": str(self._marks[part]),
            },
        }
        quietly = getattr(subprocess, "CREATE_NO_WINDOW", 0) | getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0)
        with self._lock:
            if part not in self._unready:
                return
            process = subprocess.Popen(
                [sys.executable, "-I", "-c", _START],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                creationflags=quietly,
            )
            self._processes.add(process)
        try:
            process.communicate(json.dumps(task).encode(), _PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        finally:
            with self._lock:
                self._processes.discard(process)


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
    stages = stages_of(small, {key: StoredField(hills.surface, hills.cell_size) for key in inputs_of(small.relief)})
    results: dict[str, Any] = {stage.name: hills for stage in stages if stage.name not in CHARTS}
    results |= {name: np.full(shape, np.float32(0.5)) for name in CHARTS}
    for stage in stages:
        if _part_of(stage) == part:
            results[stage.name] = run(stage.compute(results))
    _draw(part, hills, small)
    Path(mark).touch()


def _draw(part: str, land: Terrain, recipe: Recipe) -> None:
    """Do what is done to a part when it is shown."""
    if part == "relief":
        vertex_positions(land.surface, land.cell_size)
        sample(land.surface, land.cell_size, [0.0], [0.0])
    elif part == "maps":
        make_water_mesh(land, find_water(land.surface, land.cell_size, recipe.water))
        check_realism(land.surface, land.cell_size)


def _marks_of(recipe: Recipe) -> dict[str, Path]:
    """Return the files that say that a part's kernels are there; none where kernels cannot be kept."""
    folder = writable(cache_root() / f"ready-{digest_of(__name__)}")
    return {part: folder / f"{part.replace(' ', '-')}-{_kind_of(recipe, part)}" for part in PARTS} if folder else {}


def _part_of(stage: Stage) -> str:
    if stage.name in CHARTS:
        return "maps"
    if "forest" in (stage.name, *stage.needs):
        return "plants"
    process = stage.name.removeprefix(HISTORY).partition(":")[0]
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

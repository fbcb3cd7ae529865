"""Compiling the kernels of a recipe ahead of its first build, in processes of their own.

numba compiles one kernel at a time and keeps Python to itself meanwhile: a window would stutter, and a second processor
idle.  So a process walks each section of a plan once, at a small size and on a stand-in for what the sections before
would have made, and leaves its kernels in the cache folder.
"""

import contextlib
import hashlib
import json
import os
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..flow.water import find_water
from ..foundation.compilation import cache_root, digest_of, processors, set_cache_folder, writable
from ..foundation.kernel_files import KERNEL_ENDING
from ..foundation.progress import Steps, run
from ..foundation.sampling import vertex_positions
from ..foundation.stored_field import StoredField
from ..foundation.terrain import Terrain
from ..maps.realism import check_realism
from ..meshing.cell_diagonals import altitude_on_mesh, turned_cells
from ..meshing.water_mesh import make_water_mesh
from .layers import inputs_of
from .measuring import values_of
from .plan import (
    MAPS_SECTION,
    PLANTS_SECTION,
    RELIEF_SECTION,
    SECTIONS,
    Extent,
    Section,
    plan_of,
    section_of,
    sections_up_to,
)
from .recipe import Recipe
from .stage import StageKind

_RESOLUTION = 65  # the least at which every kernel of a large land has work
_POLL = 0.1  # seconds
_PATIENCE = 300.0  # seconds after which a process is given up
_READY = "ready-"  # how names of folders of marks begin

# Runs in a process that knows neither Blender nor how this package was imported, but must find the kernels' modules
# under the same names.  It ends when the program that started it does, however that ends.  Linux sees to that at once
# (PR_SET_PDEATHSIG with SIGKILL, even if only the thread ends that started it).  Elsewhere the system gives it another
# parent, which it notices between two kernels.  (Windows does not, so there it ends when its work is done.)
_START = """
import ctypes, importlib, json, os, sys, threading, time, types
task = json.loads(sys.stdin.read())
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, 9)
def end_with_parent():
    while os.getppid() == task["parent"]:
        time.sleep(0.5)
    os._exit(1)
threading.Thread(target=end_with_parent, daemon=True).start()
sys.path[:] = task["path"]
package, folder = task["package"], task["folder"]
above = package.split(".")[:-1]
for depth in range(1, len(above) + 1):
    parent = types.ModuleType(".".join(above[:depth]))
    parent.__path__ = [folder] if depth == len(above) else []
    sys.modules[parent.__name__] = parent
if not above:
    sys.path.insert(0, folder)
getattr(importlib.import_module(package + task["module"]), task["function"])(**task["call"])
"""


def start_compiler(compile_all: Callable[..., None], **call: Any) -> subprocess.Popen[bytes]:
    """Start a process that compiles kernels, quietly and with low priority, and ends when this program does.

    Parameters
    ----------
    compile_all : callable
        A function of a module of this package.
    **call
        Its arguments, as JSON can hold them.

    Returns
    -------
    Popen
        It has all it needs.  The thread that calls this must stay until it has ended: `wait_for` waits.

    Raises
    ------
    OSError
        If no process can be started.
    """
    package = __package__.rpartition(".core.")[0]
    task = {
        "parent": os.getpid(),
        "package": package,
        "module": compile_all.__module__.removeprefix(package),
        "function": compile_all.__name__,
        "folder": str(Path(__file__).resolve().parents[3]),
        "path": sys.path,
        "call": call,
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
        with contextlib.suppress(BrokenPipeError), process.stdin:  # it may have ended already
            process.stdin.write(json.dumps(task).encode())
        process.stdin = None
    return process


def wait_for(process: subprocess.Popen[bytes]) -> None:
    """Wait until a process has ended; give it up after five minutes.

    Parameters
    ----------
    process : Popen
        From `start_compiler`.
    """
    try:
        process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def mark_folder(module: str) -> Path | None:
    """Return the folder of files that say which kernels are there; None where kernels cannot be kept.

    Parameters
    ----------
    module : str
        Name of the module that needs them, whose source code counts.

    Returns
    -------
    Path or None
    """
    # Kernels belong to one name of the package; see `kernel_files`.
    package = hashlib.sha256(__name__.encode()).hexdigest()[:8]
    return writable(cache_root() / f"{_READY}{digest_of(module)}-{package}")


def remove_marks() -> None:
    """Remove the files that say which kernels are there, so that kernels that are removed are compiled again.

    Raises
    ------
    OSError
        If one cannot be removed.
    """
    for mark in cache_root().glob(f"{_READY}*/*"):
        mark.unlink(missing_ok=True)


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
        self._missing = [section for section, mark in self._marks.items() if not mark.exists()]
        self._unready = set(self._missing)
        self._waiting = deque(self._missing)
        self._kernels_before = _kernel_count()
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()  # so that no process is started that `stop` would miss
        for _ in range(min(processors(), len(self._unready))):
            threading.Thread(target=self._work, name="warming", daemon=True).start()

    def serves(self, recipe: Recipe) -> bool:
        """Return whether another recipe has the same kernels.

        Parameters
        ----------
        recipe : Recipe
            Any resolution.

        Returns
        -------
        bool
            True also where kernels cannot be kept.
        """
        return _marks_of(recipe) == self._marks

    def is_warm(self, recipe: Recipe, extent: Extent) -> bool:
        """Return whether there is nothing to wait for: the kernels are there, cannot be had, or are of another kind.

        Parameters
        ----------
        recipe : Recipe
            What is to be built.
        extent : {'terrain', 'maps', 'plants'}
            How far it is to be built.

        Returns
        -------
        bool
            False while a process compiles what it needs.
        """
        return not self._unready or self._unready.isdisjoint(self._shared_with(recipe, extent))

    def wait(self, recipe: Recipe, extent: Extent) -> Steps[None]:
        """Wait until all kernels of a landscape are there that are being compiled here.

        Parameters
        ----------
        recipe : Recipe
            What is to be built.
        extent : {'terrain', 'maps', 'plants'}
            How far it is to be built.

        Yields
        ------
        float
            The share that is done, 0 to 1.
        """
        usual = sum(section.kernels for section in self._shared_with(recipe, extent) if section in self._missing)
        while not self.is_warm(recipe, extent):
            kernels = min(_kernel_count() - self._kernels_before, usual)
            yield kernels / usual
            time.sleep(_POLL)

    @property
    def is_busy(self) -> bool:
        """Whether kernels are being compiled."""
        return bool(self._unready)

    def stop(self) -> None:
        """End all processes."""
        with self._lock:
            self._waiting.clear()
            self._unready.clear()
            for process in self._processes:
                process.kill()

    def _shared_with(self, recipe: Recipe, extent: Extent) -> list[Section]:
        """Sections up to an extent whose kernels a recipe has in common with the one that is compiled for."""
        marks = _marks_of(recipe)
        return [one for one in sections_up_to(extent) if one in marks and marks[one] == self._marks[one]]

    def _work(self) -> None:
        """Compile sections until none is waiting, in a thread."""
        while self._waiting:
            try:
                section = self._waiting.popleft()
                self._compile(section)
            except IndexError:  # another thread was faster
                return
            except OSError:  # no Python to be run: kernels are compiled when they are called
                self.stop()
            self._unready.discard(section)

    def _compile(self, section: Section) -> None:
        """Compile one section in a process, and wait for it."""
        with self._lock:
            if section not in self._unready:
                return
            process = start_compiler(
                compile_section,
                section=section.name,
                recipe=self._recipe.to_json(),
                cache=str(cache_root().parent),
                mark=str(self._marks[section]),
            )
            self._processes.add(process)
        try:
            wait_for(process)
        finally:
            with self._lock:
                self._processes.discard(process)


def compile_section(section: str, recipe: dict[str, Any], cache: str, mark: str) -> None:
    """Compile what one section of a landscape needs, and leave a mark that it is done.

    Parameters
    ----------
    section : str
        Name of one of `plan.SECTIONS`.
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
    small = small.replace(erosion=tuple(one.acting_at(small.water.sea_level) for one in small.erosion))
    shape = small.grid.shape
    hills = _hills(shape, small.grid.cell_size, small.water.sea_level)
    plan = plan_of(small, {key: StoredField(hills.surface, hills.cell_size) for key in inputs_of(small.relief)})
    flat = np.full(shape, np.float32(0.5))
    results: dict[str, Any] = {s.name: flat if s.kind is StageKind.MEASUREMENT else hills for s in plan.stages}
    if section == PLANTS_SECTION.name:
        results["waters"] = find_water(hills.surface, hills.cell_size, small.water)
    for stage in plan.stages:
        if section_of(stage).name == section or stage.kind is StageKind.DRAWN:
            results[stage.name] = values_of(run(stage.compute(results)))
    _draw(section, hills, small)
    Path(mark).touch()


def _draw(section: str, land: Terrain, recipe: Recipe) -> None:
    """Do what is done to a section when it is shown."""
    if section == RELIEF_SECTION.name:
        vertex_positions(land.surface, land.cell_size)
        corner = np.zeros(1, np.float32)
        altitude_on_mesh(land.surface, land.cell_size, corner, corner, turned_cells(land.surface))
    elif section == MAPS_SECTION.name:
        make_water_mesh(land, find_water(land.surface, land.cell_size, recipe.water))
        check_realism(land.surface, land.cell_size, "fjords")  # measures all that any class needs


def _marks_of(recipe: Recipe) -> dict[Section, Path]:
    """The files that say that a section's kernels are there; none where kernels cannot be kept."""
    folder = mark_folder(__name__)
    if folder is None:
        return {}
    return {one: folder / f"{one.name.replace(' ', '-')}-{_kernels_of(recipe, one)}" for one in SECTIONS}


def _hills(shape: tuple[int, int], cell_size: float, sea_level: float) -> Terrain:
    """Return land with slopes, pits of all sizes, a plain, a coast and soil: work for every kernel."""
    row, column = np.mgrid[: shape[0], : shape[1]]
    waves = np.sin(row * 0.31) * np.cos(column * 0.23) + 0.3 * np.sin(row * 1.7 + column * 1.3) + 0.7
    waves += np.random.default_rng(1).random(shape)
    waves[10:20, 10:20] = waves[10:20, 10:20].min()
    soil = np.full(shape, np.float32(1.0))
    return Terrain((sea_level + 5.0 * cell_size * waves).astype(np.float32), soil, cell_size)


def _kernel_count() -> int:
    return sum(1 for _ in cache_root().rglob(f"*{KERNEL_ENDING}"))


def _kernels_of(recipe: Recipe, section: Section) -> str:
    """A text that is equal for recipes whose section uses the same kernels: numbers count as being there or not."""
    whole = recipe.to_json()
    content = json.dumps([_without_values(whole[name]) for name in section.reads])
    return hashlib.sha256(content.encode()).hexdigest()[:12]


def _without_values(data: Any) -> Any:
    if isinstance(data, dict):
        return {name: _without_values(value) for name, value in data.items()}
    if isinstance(data, list):
        return [_without_values(value) for value in data]
    return data != 0 if isinstance(data, int | float) else data

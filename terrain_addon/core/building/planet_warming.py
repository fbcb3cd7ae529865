"""Compiling the kernels of planets ahead of the first one, in processes of their own; see `warming`.

Ground, and what water and weather do to it, are compiled side by side; the ground close by follows, which nobody sees
before there is a planet.
"""

import os
import subprocess
import threading
import time
from pathlib import Path
from typing import Literal

import numpy as np

from ..foundation.cache import Cache
from ..foundation.compilation import cache_root, set_cache_folder
from ..foundation.progress import Steps
from ..foundation.stages import keys_of
from ..planet.close_ground import ground_at
from ..planet.cube_sphere import face_directions
from ..planet.dunes import find_sand, lay_sand
from ..planet.near_mesh import mesh_near
from ..planet.near_plants import plants_near
from ..planet.planet import build_planet
from ..planet.planet_colour import land_and_sea_colour
from ..planet.planet_mesh import atlas, planet_residual
from ..planet.planet_recipe import PlanetRecipe
from ..planet.planet_relief import Altitudes, planet_relief
from ..planet.planet_stages import planet_stages
from ..planet.standing import viewer_at, where_to_stand
from .warming import Warming, mark_folder, start_compiler, wait_for

KernelPart = Literal["ground", "water", "close"]
"""The ground before erosion; all else that a planet needs to be seen from space; and what it needs from close by."""

_RESOLUTION = 129  # the least at which a planet goes from a coarse sphere to a fine one
_POLL = 0.1  # seconds
_USUAL = 15.0  # seconds that it takes on an ordinary machine, for the progress
_FIRST: tuple[KernelPart, ...] = ("ground", "water")
_LAST: KernelPart = "close"


class PlanetWarming:
    """Processes that compile the kernels of all planets.

    Parameters
    ----------
    after : Warming, optional
        Begins when this one is done, or when somebody waits.
    """

    def __init__(self, after: Warming | None = None) -> None:
        folder = mark_folder(__name__)
        marks = {} if folder is None else {part: folder / f"planets-{part}" for part in (*_FIRST, _LAST)}
        self._marks = {part: mark for part, mark in marks.items() if not mark.exists()}
        self._unready: set[KernelPart] = set(self._marks)
        self._after, self._is_wanted = after, threading.Event()
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()  # so that no process is started that `stop` would miss
        if self._unready:
            threading.Thread(target=self._work, name="warming planets", daemon=True).start()

    def is_warm(self, *, close: bool) -> bool:
        """Return whether there is nothing to wait for: the kernels are there, or cannot be had.

        Parameters
        ----------
        close : bool
            Whether the planet is to be seen from close by.

        Returns
        -------
        bool
        """
        return not self._unready if close else self._unready.isdisjoint(_FIRST)

    def wait(self, *, close: bool) -> Steps[None]:
        """Wait until the kernels are there.

        Parameters
        ----------
        close : bool
            Whether the planet is to be seen from close by.

        Yields
        ------
        float
            About the share that is done, 0 to 1.
        """
        self._is_wanted.set()
        started = time.monotonic()
        while not self.is_warm(close=close):
            yield min((time.monotonic() - started) / _USUAL, 0.99)
            time.sleep(_POLL)

    def stop(self) -> None:
        """End all processes."""
        with self._lock:
            self._unready.clear()
            for process in self._processes:
                process.kill()
        self._is_wanted.set()

    def _work(self) -> None:
        """Compile, in a thread."""
        while self._after is not None and self._after.is_busy and not self._is_wanted.wait(_POLL):
            pass
        first = [threading.Thread(target=self._compile, args=(part,), daemon=True) for part in _FIRST]
        for thread in first:
            thread.start()
        for thread in first:
            thread.join()
        self._compile(_LAST)

    def _compile(self, part: KernelPart) -> None:
        """Compile one part in a process, and wait for it."""
        try:
            with self._lock:
                if part not in self._unready:
                    return
                process = start_compiler(
                    compile_planets, part=part, cache=str(cache_root().parent), mark=str(self._marks[part])
                )
                self._processes.add(process)
            wait_for(process)
            with self._lock:
                self._processes.discard(process)
        except OSError:  # no Python to be run: kernels are compiled when they are called
            pass
        self._unready.discard(part)


def compile_planets(part: KernelPart, cache: str, mark: str) -> None:
    """Compile what planets need, and leave a mark that it is done.

    Parameters
    ----------
    part : KernelPart
        Which kernels.
    cache : str
        The folder for `set_cache_folder`.
    mark : str
        File to make at the end.
    """
    if hasattr(os, "nice"):
        os.nice(5)
    set_cache_folder(cache)
    if part == "ground":
        for preset in ("temperate", "moon"):
            planet_relief(PlanetRecipe.preset(preset, resolution=_RESOLUTION), face_directions(17))
    elif part == "water":
        # On plain hills, so that nobody waits for the noise that the other process compiles.
        recipe, known = PlanetRecipe.preset("temperate", resolution=_RESOLUTION), Cache()
        known.put(keys_of(planet_stages(recipe))["ground"], _hills())
        planet = build_planet(recipe, cache=known)
        land_and_sea_colour(planet, 1.0)
        atlas(planet_residual(planet.surface, _RESOLUTION // 2 + 1))
        desert, level = PlanetRecipe.preset("desert", resolution=17), np.zeros((6, 17, 17), np.float32)
        sand = find_sand(desert.dunes, level, desert.level_of_sea, desert.turn, desert.seed)
        lay_sand(level, sand, desert.level_of_sea, desert.dune_field)
    else:
        planet = build_planet(PlanetRecipe.preset("temperate", resolution=_RESOLUTION))
        viewer = viewer_at(planet, where_to_stand(planet, np.array((1.0, 0.0, 0.0))))
        ground_at(planet, mesh_near(_RESOLUTION, 33, viewer))
        plants_near(planet, viewer)
        land_and_sea_colour(build_planet(PlanetRecipe.preset("moon", resolution=17)), 1.0)
    Path(mark).touch()


def _hills() -> Altitudes:
    """Return ground with continents, hollows and a sea: work for every kernel."""
    x, y, z = np.moveaxis(face_directions(_RESOLUTION), -1, 0)
    hollow = (7.0 * z + 3.0 * x) % 1.0
    return np.asarray(3000.0 * x * (1.0 - y) + 700.0 * hollow * (1.0 - hollow) - 300.0)

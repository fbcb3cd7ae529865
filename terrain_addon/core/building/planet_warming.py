"""Compiling the kernels of planets ahead of the first one, in a process of its own; see `warming`."""

import os
import subprocess
import threading
import time
from pathlib import Path

import numpy as np

from ..foundation.compilation import cache_root, set_cache_folder
from ..foundation.progress import Steps
from ..planet.close_ground import ground_at
from ..planet.near_mesh import mesh_near
from ..planet.near_plants import plants_near
from ..planet.planet import build_planet
from ..planet.planet_colour import planet_colour
from ..planet.planet_mesh import atlas, planet_residual
from ..planet.planet_recipe import PlanetRecipe
from ..planet.standing import viewer_at, where_to_stand
from .warming import Warming, mark_folder, start_compiler, wait_for

_RESOLUTION = 129  # the least at which a planet goes from a coarse sphere to a fine one
_POLL = 0.1  # seconds
_USUAL = 40.0  # seconds that it takes on an ordinary machine, for the progress


class PlanetWarming:
    """A process that compiles the kernels of all planets.

    Parameters
    ----------
    after : Warming, optional
        Begins when this one is done, or when somebody waits.
    """

    def __init__(self, after: Warming | None = None) -> None:
        folder = mark_folder(__name__)
        self._mark = None if folder is None else folder / "planets"
        self._after, self._is_wanted = after, threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()  # so that no process is started that `stop` would miss
        self._is_ready = self._mark is None or self._mark.exists()
        if not self._is_ready:
            threading.Thread(target=self._work, name="warming planets", daemon=True).start()

    @property
    def is_warm(self) -> bool:
        """Whether there is nothing to wait for: the kernels are there, or cannot be had."""
        return self._is_ready

    def wait(self) -> Steps[None]:
        """Wait until the kernels are there.

        Yields
        ------
        float
            About the share that is done, 0 to 1.
        """
        self._is_wanted.set()
        started = time.monotonic()
        while not self._is_ready:
            yield min((time.monotonic() - started) / _USUAL, 0.99)
            time.sleep(_POLL)

    def stop(self) -> None:
        """End the process."""
        with self._lock:
            self._is_ready = True
            if self._process is not None:
                self._process.kill()
        self._is_wanted.set()

    def _work(self) -> None:
        """Compile, in a thread."""
        while self._after is not None and self._after.is_busy and not self._is_wanted.wait(_POLL):
            pass
        try:
            with self._lock:
                if self._is_ready:
                    return
                self._process = start_compiler(compile_planets, cache=str(cache_root().parent), mark=str(self._mark))
            wait_for(self._process)
        except OSError:  # no Python to be run: kernels are compiled when they are called
            pass
        self._is_ready = True


def compile_planets(cache: str, mark: str) -> None:
    """Compile what planets need, and leave a mark that it is done.

    Parameters
    ----------
    cache : str
        The folder for `set_cache_folder`.
    mark : str
        File to make at the end.
    """
    if hasattr(os, "nice"):
        os.nice(5)
    set_cache_folder(cache)
    planet = build_planet(PlanetRecipe.preset("temperate", resolution=_RESOLUTION))
    planet_colour(planet)
    atlas(planet_residual(planet.surface, _RESOLUTION // 2 + 1))
    viewer = viewer_at(planet, where_to_stand(planet, np.array((1.0, 0.0, 0.0))))
    ground_at(planet, mesh_near(_RESOLUTION, 33, viewer))
    plants_near(planet, viewer)
    build_planet(PlanetRecipe.preset("moon", resolution=17))
    Path(mark).touch()

"""Worlds: land larger than memory, made tile by tile on many processes; needs dask and zarr (see `libraries`).

What is exact: the relief, basins, drainage, lakes, and river incision with n = 1 are those of the whole land, joined by
graphs (`core.tiling`).  What is made in memory only and refined: deposition, poured water, and maps that look far.  See
docs/worlds.md.
"""

from .building import build_world, open_world, rebuild_tile
from .exports import export_world
from .libraries import LibraryMissing
from .rivers import RiverLine, world_rivers
from .running import SchedulerGone, WorldProgress
from .world import Scale, World

__all__ = [
    "LibraryMissing",
    "RiverLine",
    "Scale",
    "SchedulerGone",
    "World",
    "WorldProgress",
    "build_world",
    "export_world",
    "open_world",
    "rebuild_tile",
    "world_rivers",
]

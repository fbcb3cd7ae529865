"""Packages for any program: plain images and GLB."""

from typing import Any

import numpy as np

from ..exr import write_exr
from ..png import write_png
from .engine import Engine, Files, write_grey_layers
from .tiled_land import FULL_SCALE, Tile, TiledLand


def _write_heights(files: Files, land: TiledLand, tile: Tile) -> None:
    """Write levels and metres."""
    write_png(files.add("height", "heights/height.png"), land.levels(tile)[::-1])
    heights = np.ascontiguousarray(tile.heights[::-1])
    write_exr(files.add("height_metres", "heights/height.exr"), {"Y": heights})


def _placement(land: TiledLand) -> dict[str, Any]:
    """Return how a level becomes metres."""
    return {"metres_per_level": (land.highest - land.lowest) / FULL_SCALE, "offset_m": land.lowest}


GENERIC = Engine(
    name="generic",
    title="any program",
    summary="Heights as 16-bit PNG and as EXR in metres, one grey image per layer, meshes and plants as GLB",
    axes="GLB files: (x, z, -y) m, Y up, right-handed",
    height_file="grey PNG of 16 bits, and EXR of 32-bit floats in metres",
    steps="Open the GLB files with anything that reads glTF 2.0; plants need EXT_mesh_gpu_instancing. "
    "The meshes land_lod0 have all samples; the meshes collision have fewer and can lie metres beside the land.",
    write_heights=_write_heights,
    write_layers=write_grey_layers,
    placement=_placement,
)

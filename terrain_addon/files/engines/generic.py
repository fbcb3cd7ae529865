"""Packages for any program: plain images and GLB."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..exr import write_exr
from ..png import write_png
from .engine import Engine, Files, write_grey_layers
from .sheet import FULL_SCALE, Sheet, Tile


class Generic(Engine):
    """Heights as 16-bit PNG and as EXR in metres, one grey image per layer, meshes and plants as GLB."""

    title = "generic"
    axes = "GLB files: (x, z, -y) m, Y up, right-handed"
    height_file = "grey PNG of 16 bits, and EXR of 32-bit floats in metres"
    steps = "Open the GLB files with anything that reads glTF 2.0; plants need EXT_mesh_gpu_instancing."

    def write_heights(self, files: Files, sheet: Sheet, tile: Tile) -> None:
        """Write levels and metres."""
        write_png(files.new("height", "heights/height.png"), sheet.levels(tile)[::-1])
        heights = np.ascontiguousarray(sheet.heights[tile.rows, tile.columns][::-1])
        write_exr(files.new("height_metres", "heights/height.exr"), {"Y": heights})

    def write_layers(self, files: Files, weights: npt.NDArray[np.uint8]) -> None:
        """Write grey images."""
        write_grey_layers(files, weights)

    def placement(self, sheet: Sheet) -> dict[str, Any]:
        """Return how a level becomes metres."""
        return {"metres_per_level": (sheet.highest - sheet.lowest) / FULL_SCALE, "offset_m": sheet.lowest}

"""Packages for Unreal: heightmaps and weightmaps for Landscape, meshes, instances, and a script for the editor.

A place (x, y, z) of the land in metres is (100 x, −100 y, 100 z) in centimetres there, which mirrors it: turns that are
counter-clockwise seen from above have the opposite sign.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..png import write_png
from .engine import Engine, Files, Stand, write_grey_layers, write_numbers
from .sheet import FULL_SCALE, Sheet, Tile

_CENTIMETRES = 100.0
_MIDDLE = 32768  # the level that stands for the height of the landscape actor
_LEVELS_PER_SCALE = 128  # levels to a centimetre at a scale of 1


class Unreal(Engine):
    """16-bit PNG of the sizes that Landscape takes, one grey image per layer, instances for foliage."""

    title = "Unreal"
    sizes = (127, 253, 505, 1009, 2017, 4033, 8129)
    square = True
    green = "down"
    chunk = 512
    axes = "(100 x, -100 y, 100 z) cm, Z up, left-handed"
    height_file = "grey PNG of 16 bits"
    steps = "In the editor choose Tools > Execute Python Script and open import_unreal.py."
    scripts = {"import_unreal.py": "import_unreal.py"}  # noqa: RUF012

    def write_heights(self, files: Files, sheet: Sheet, tile: Tile) -> None:
        """Write levels, the northernmost row first."""
        write_png(files.new("height", "heights/height.png"), sheet.levels(tile)[::-1])

    def write_layers(self, files: Files, weights: npt.NDArray[np.uint8]) -> None:
        """Write weightmaps."""
        write_grey_layers(files, weights)

    def write_plants(self, files: Files, sheet: Sheet, tile: Tile, stand: Stand) -> None:
        """Write x, y, z in centimetres, yaw in degrees and scale of each plant as float32, group by group."""
        vegetation, order = stand.vegetation, stand.order
        plants = vegetation.plants
        instances = np.empty((len(plants), 5), np.float32)
        instances[:, 0] = (plants.x.astype(np.float64) - sheet.width / 2) * _CENTIMETRES
        instances[:, 1] = (sheet.depth / 2 - plants.y.astype(np.float64)) * _CENTIMETRES
        instances[:, 2] = vegetation.altitude * np.float32(_CENTIMETRES)
        instances[:, 3] = -plants.rotation
        instances[:, 4] = plants.height
        write_numbers(files.new("instances", "plants/instances.bin"), instances[order])

    def placement(self, sheet: Sheet) -> dict[str, Any]:
        """Return location and scale of the landscape actor: the engine shows (level − 32768) / 128 · scale."""
        east, north = sheet.spacing
        height_range = sheet.highest - sheet.lowest
        middle = sheet.lowest + height_range * _MIDDLE / FULL_SCALE
        scale_z = height_range * _CENTIMETRES * _LEVELS_PER_SCALE / FULL_SCALE
        return {
            "landscape_location": [
                float(sheet.x[0]) * _CENTIMETRES,
                -float(sheet.y[-1]) * _CENTIMETRES,
                middle * _CENTIMETRES,
            ],
            "landscape_scale": [_CENTIMETRES * east, _CENTIMETRES * north, scale_z],
        }

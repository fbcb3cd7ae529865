"""Packages for Godot 4: EXR and raw heights, a control map for Terrain3D, MultiMesh buffers, and scripts for the scene.

A place (x, y, z) of the land is (x, z, −y), a quarter turn about x, so turns keep their sense.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..exr import write_exr
from ..plant_instances import rotations_about_up
from .engine import Engine, Files, Stand, write_colour_layers, write_numbers
from .sheet import FULL_SCALE, Sheet, Tile

# Bits of a control map of Terrain3D.
_BASE, _OVERLAY, _BLEND = 27, 22, 14


class Godot(Engine):
    """Heights of 2ⁿ + 1 samples, four layers in each image, instances as MultiMesh."""

    title = "Godot"
    sizes = tuple(2**n + 1 for n in range(6, 13))
    axes = "(x, z, -y) m, Y up, right-handed"
    height_file = "EXR of 32-bit floats in metres, and uint16 without a header"
    steps = "Put this folder into the project and run: godot --headless --path PROJECT --script res://FOLDER/import_godot.gd"
    scripts = {"import_godot.gd": "import_godot.gd", "build_landscape.gd": "build_landscape.gd"}  # noqa: RUF012

    def write_heights(self, files: Files, sheet: Sheet, tile: Tile) -> None:
        """Write metres and levels, the northernmost row first."""
        heights = np.ascontiguousarray(sheet.heights[tile.rows, tile.columns][::-1])
        write_exr(files.new("height", "heights/height.exr"), {"Y": heights})
        write_numbers(files.new("height_levels", "heights/height.r16"), sheet.levels(tile)[::-1])

    def write_layers(self, files: Files, weights: npt.NDArray[np.uint8]) -> None:
        """Write weights, and for Terrain3D the two that weigh most."""
        write_colour_layers(files, weights)
        control = np.ascontiguousarray(control_map(weights)[::-1]).view(np.float32)
        write_exr(files.new("control", "layers/control.exr"), {"R": control})

    def write_plants(self, files: Files, sheet: Sheet, tile: Tile, stand: Stand) -> None:
        """Write a matrix of 3 × 4 float32 for each plant, group by group, as MultiMesh.buffer takes them."""
        vegetation, order = stand.vegetation, stand.order
        plants = vegetation.plants
        quaternion = rotations_about_up(plants.rotation).astype(np.float64)
        cosine = 1.0 - 2.0 * quaternion[:, 1] ** 2
        sine = 2.0 * quaternion[:, 1] * quaternion[:, 3]
        matrices = np.zeros((len(plants), 3, 4), np.float32)
        matrices[:, 0, 0] = matrices[:, 2, 2] = plants.height * cosine
        matrices[:, 0, 2] = plants.height * sine
        matrices[:, 2, 0] = -plants.height * sine
        matrices[:, 1, 1] = plants.height
        matrices[:, 0, 3] = plants.x.astype(np.float64) - sheet.width / 2
        matrices[:, 1, 3] = vegetation.altitude
        matrices[:, 2, 3] = sheet.depth / 2 - plants.y.astype(np.float64)
        write_numbers(files.new("instances", "plants/instances.bin"), matrices[order])

    def placement(self, sheet: Sheet) -> dict[str, Any]:
        """Return what Terrain3D's importer asks for beside a raw heightmap."""
        width, depth = sheet.tile_size
        return {
            "r16_range": [sheet.lowest, sheet.highest],
            "r16_metres_per_level": (sheet.highest - sheet.lowest) / FULL_SCALE,
            "vertex_spacing": list(sheet.spacing),
            "north_west_corners": [
                {
                    "row": tile.row,
                    "column": tile.column,
                    "position": [
                        float(sheet.x[0]) + tile.column * width,
                        0.0,
                        -float(sheet.y[0]) - (tile.row + 1) * depth,
                    ],
                }
                for tile in sheet.tiles()
            ],
        }


def control_map(weights: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint32]:
    """Return Terrain3D's control map: base and overlay are the two layers that weigh most, blended by their weights.

    Parameters
    ----------
    weights : ndarray of uint8, shape (rows, columns, layers)
        2 to 32 layers.

    Returns
    -------
    ndarray of uint32, shape (rows, columns)
        Bit fields.
    """
    # The weight, and for equal weights the lower layer, decide.
    layers = weights.shape[2]
    rank = weights.astype(np.uint16) * np.uint16(layers) + np.arange(layers - 1, -1, -1, dtype=np.uint16)
    base = rank.argmax(axis=2)
    strongest = np.take_along_axis(rank, base[..., None], 2)
    np.put_along_axis(rank, base[..., None], 0, 2)
    overlay = rank.argmax(axis=2)
    first = (strongest[..., 0] // layers).astype(np.uint32)
    second = (np.take_along_axis(rank, overlay[..., None], 2)[..., 0] // layers).astype(np.uint32)
    blend = (510 * second + first + second) // (2 * (first + second))
    return (
        (base.astype(np.uint32) << np.uint32(_BASE))
        | (overlay.astype(np.uint32) << np.uint32(_OVERLAY))
        | (blend.astype(np.uint32) << np.uint32(_BLEND))
    )

"""Packages for Unity: raw heights, alphamaps, tree instances, and an editor script that builds the terrains.

A place (x, y, z) of the land is (x, z, y) in Unity, which mirrors it: turns that are counter-clockwise seen from above
have the opposite sign there.  Terrain, plants and meshes all go that way; a mesh that came through Unity's own import
of FBX or glTF would stand half a turn off.
"""

import json
from typing import Any

import numpy as np
import numpy.typing as npt

from .engine import Engine, Files, Stand, write_colour_layers, write_numbers
from .sheet import Sheet, Tile


class Unity(Engine):
    """Terrain of 2ⁿ + 1 samples, read from the south; four layers in each alphamap; trees of the terrain."""

    title = "Unity"
    sizes = tuple(2**n + 1 for n in range(5, 13))
    square = True
    weights_in_cells = True
    axes = "(x, z, y) m, Y up, left-handed"
    height_file = "uint16 without a header"
    height_origin = "south"
    steps = "Put this folder into Assets and choose Tools > Landscape > Build from Package."
    scripts = {"LandscapePackage.cs": "Editor/LandscapePackage.cs"}  # noqa: RUF012

    def suffix(self, sheet: Sheet, tile: Tile) -> str:
        """Return column from the west and row from the south, as X and Z."""
        return f"_{tile.column}_{tile.row}"

    def write_heights(self, files: Files, sheet: Sheet, tile: Tile) -> None:
        """Write levels, the southernmost row first."""
        write_numbers(files.new("height", "heights/height.raw"), sheet.levels(tile))

    def write_layers(self, files: Files, weights: npt.NDArray[np.uint8]) -> None:
        """Write alphamaps."""
        write_colour_layers(files, weights)

    def write_plants(self, files: Files, sheet: Sheet, tile: Tile, stand: Stand) -> None:
        """Write what TreeInstance takes, as one list for each of its fields."""
        vegetation = stand.vegetation
        plants = vegetation.plants
        width, depth = sheet.tile_size
        variants = np.array([len(model.meshes) for model in vegetation.models])
        first_prototype = np.cumsum(variants) - variants
        turn = np.radians(-plants.rotation.astype(np.float64)) % (2.0 * np.pi)
        lists = {
            "x": _decimals(plants.x.astype(np.float64) / width - tile.column),
            "y": _decimals((vegetation.altitude.astype(np.float64) - sheet.lowest) / (sheet.highest - sheet.lowest)),
            "z": _decimals(plants.y.astype(np.float64) / depth - tile.row),
            "prototype": (first_prototype[plants.species] + plants.variant).tolist(),
            "scale": _decimals(plants.height, 4),
            "rotation": _decimals(turn, 5),
        }
        path = files.new("trees", "plants/trees.json")
        path.write_text(json.dumps(lists, separators=(",", ":"), allow_nan=False), encoding="utf-8")

    def placement(self, sheet: Sheet) -> dict[str, Any]:
        """Return size and corners of the terrains."""
        width, depth = sheet.tile_size
        return {
            "terrain_size": [width, sheet.highest - sheet.lowest, depth],
            "heightmap_resolution": sheet.tile_shape[0],
            "alphamap_resolution": sheet.tile_shape[0] - 1,
            "terrain_positions": [
                {
                    "row": tile.row,
                    "column": tile.column,
                    "position": [
                        float(sheet.x[0]) + tile.column * width,
                        sheet.lowest,
                        float(sheet.y[0]) + tile.row * depth,
                    ],
                }
                for tile in sheet.tiles()
            ],
        }


def _decimals(values: npt.NDArray[Any], decimals: int = 8) -> list[float]:
    """Return numbers that JSON shows with few digits."""
    rounded: list[float] = np.round(values.astype(np.float64), decimals).tolist()
    return rounded

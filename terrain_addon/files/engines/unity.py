"""Packages for Unity: raw heights, alphamaps, tree instances, and an editor script that builds the terrains.

A point (x, y, z) of the land is (x, z, y) in Unity.  This mirrors the land, so turns that are counter-clockwise seen
from above change their sign.  Terrain, plants and meshes are all converted in this way.  A mesh that is imported by
Unity's own importer of FBX or glTF would be rotated by half a turn.

References
----------
Unity documentation: TerrainData, TreeInstance, "Working with Heightmaps".
"""

import json
from typing import Any

import numpy as np
import numpy.typing as npt

from .engine import Engine, Files, TilePlants, write_colour_layers, write_numbers
from .tiled_land import Tile, TiledLand


def _suffix(land: TiledLand, tile: Tile) -> str:
    """Return the column from the west and the row from the south, Unity's X and Z."""
    return f"_{tile.column}_{tile.row}"


def _write_heights(files: Files, land: TiledLand, tile: Tile) -> None:
    """Write levels, row 0 south."""
    write_numbers(files.add("height", "heights/height.raw"), land.levels(tile))


def _write_plants(files: Files, land: TiledLand, tile: Tile, tile_plants: TilePlants) -> None:
    """Write one list for each field of TreeInstance."""
    vegetation = tile_plants.vegetation
    plants = vegetation.plants
    width, depth = land.tile_size
    variants = np.array([len(model.meshes) for model in vegetation.models])
    first_prototype = np.cumsum(variants) - variants
    turn = np.radians(-plants.rotation.astype(np.float64)) % (2.0 * np.pi)
    lists = {
        "x": _decimals(plants.x.astype(np.float64) / width - tile.column),
        "y": _decimals((vegetation.altitude.astype(np.float64) - land.lowest) / (land.highest - land.lowest)),
        "z": _decimals(plants.y.astype(np.float64) / depth - tile.row),
        "prototype": (first_prototype[plants.species] + plants.variant).tolist(),
        "scale": _decimals(vegetation.scale, 5),
        "rotation": _decimals(turn, 5),
    }
    path = files.add("trees", "plants/trees.json")
    path.write_text(json.dumps(lists, separators=(",", ":"), allow_nan=False), encoding="utf-8")


def _placement(land: TiledLand) -> dict[str, Any]:
    """Return size and corners of the terrains."""
    width, depth = land.tile_size
    return {
        "terrain_size": [width, land.highest - land.lowest, depth],
        "heightmap_resolution": land.tile_shape[0],
        "alphamap_resolution": land.tile_shape[0] - 1,
        "terrain_positions": [
            {
                "row": row,
                "column": column,
                "position": [float(land.x[0]) + column * width, land.lowest, float(land.y[0]) + row * depth],
            }
            for row, column in land.places()
        ],
    }


def _decimals(values: npt.NDArray[Any], decimals: int = 8) -> list[float]:
    """Return rounded numbers, which are short in JSON."""
    rounded: list[float] = np.round(values.astype(np.float64), decimals).tolist()
    return rounded


UNITY = Engine(
    name="unity",
    title="Unity",
    summary="Terrain of 2ⁿ + 1 samples, row 0 south; four layers in each alphamap; trees of the terrain",
    axes="(x, z, y) m, Y up, left-handed",
    height_file="uint16 without a header",
    steps="Put this folder into Assets and choose Tools > Landscape > LEVEL_NAME > Build from Package.",
    write_heights=_write_heights,
    write_layers=write_colour_layers,
    placement=_placement,
    write_plants=_write_plants,
    tile_suffix=_suffix,
    sizes=tuple(2**n + 1 for n in range(5, 13)),
    square=True,
    weights_in_cells=True,
    channels=("metal", "occlusion", "height", "smoothness"),
    far="both",
    details=(1,),
    height_origin="south",
    scripts={
        "LandscapePackage.cs": "Editor/LandscapePackage.cs",
        "LandscapePlants.shader": "Shaders/LandscapePlants.shader",
        "LandscapeFarPlants.shader": "Shaders/LandscapeFarPlants.shader",
        "LandscapeNormals.hlsl": "Shaders/LandscapeNormals.hlsl",
        "LandscapeViews.hlsl": "Shaders/LandscapeViews.hlsl",
        "LandscapeWind.hlsl": "Shaders/LandscapeWind.hlsl",
    },
)

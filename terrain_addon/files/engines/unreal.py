"""Packages for Unreal: heightmaps and weightmaps for Landscape, meshes, instances, and a script for the editor.

A point (x, y, z) of the land in metres is (100 x, −100 y, 100 z) in centimetres.  This mirrors the land, so turns that
are counter-clockwise seen from above change their sign.

References
----------
Unreal Engine documentation: "Landscape Technical Guide", "Importing and Exporting Landscape Heightmaps".
"""

from typing import Any

import numpy as np

from ..png import write_png
from .engine import Engine, Files, TilePlants, write_grey_layers, write_groups, write_numbers
from .tiled_land import FULL_SCALE, Tile, TiledLand

_CENTIMETRES = 100.0
_MIDDLE = 32768  # the level at the height of the landscape actor
_LEVELS_PER_SCALE = 128  # levels in a centimetre at a scale of 1


def _write_heights(files: Files, land: TiledLand, tile: Tile) -> None:
    """Write levels, row 0 north."""
    write_png(files.add("height", "heights/height.png"), land.levels(tile)[::-1])


def _write_plants(files: Files, land: TiledLand, tile: Tile, tile_plants: TilePlants) -> None:
    """Write x, y, z in centimetres, yaw in degrees and scale of each plant as float32, group by group."""
    vegetation, order = tile_plants.vegetation, tile_plants.order
    plants = vegetation.plants
    instances = np.empty((len(plants), 5), np.float32)
    instances[:, 0] = (plants.x.astype(np.float64) - land.width / 2) * _CENTIMETRES
    instances[:, 1] = (land.depth / 2 - plants.y.astype(np.float64)) * _CENTIMETRES
    instances[:, 2] = vegetation.altitude * np.float32(_CENTIMETRES)
    instances[:, 3] = -plants.rotation
    instances[:, 4] = vegetation.scale
    write_numbers(files.add("instances", "plants/instances.bin"), instances[order])
    write_groups(files, tile_plants)


def _placement(land: TiledLand) -> dict[str, Any]:
    """Return locations and scale of landscape actors: the engine shows (level − 32768) / 128 · scale."""
    east, north = land.spacing
    width, depth = land.tile_size
    height_range = land.highest - land.lowest
    middle = land.lowest + height_range * _MIDDLE / FULL_SCALE
    scale_z = height_range * _CENTIMETRES * _LEVELS_PER_SCALE / FULL_SCALE
    return {
        "landscape_location": [
            float(land.x[0]) * _CENTIMETRES,
            -float(land.y[-1]) * _CENTIMETRES,
            middle * _CENTIMETRES,
        ],
        "landscape_locations": [
            {
                "row": row,
                "column": column,
                "location": [
                    (float(land.x[0]) + column * width) * _CENTIMETRES,
                    (0.0 - float(land.y[0]) - (row + 1) * depth) * _CENTIMETRES,
                    middle * _CENTIMETRES,
                ],
            }
            for row, column in land.places()
        ],
        "landscape_scale": [_CENTIMETRES * east, _CENTIMETRES * north, scale_z],
    }


UNREAL = Engine(
    name="unreal",
    title="Unreal",
    summary="16-bit PNG of the sizes that Landscape accepts, one grey image per layer, instances for foliage",
    axes="(100 x, -100 y, 100 z) cm, Z up, left-handed",
    height_file="grey PNG of 16 bits",
    steps="In Unreal 5.1 or later turn on the plugins Python Editor Script Plugin and Editor Scripting Utilities, then "
    "choose Tools > Execute Python Script and open import_unreal.py.",
    write_heights=_write_heights,
    write_layers=write_grey_layers,
    placement=_placement,
    write_plants=_write_plants,
    sizes=(127, 253, 505, 1009, 2017, 4033, 8129),
    square=True,
    # Landscape divides each cell from its first sample to the one beyond it, and rows begin in the north (source of
    # Unreal Engine, FLandscapeIndexBuffer).
    turns_cells=True,
    green="down",
    chunk=512,
    far="views",
    details=(1,),
    blends_densities=True,
    scripts={
        "import_unreal.py": "import_unreal.py",
        "unreal_materials.py": "unreal_materials.py",
        "far_plants_place.hlsl": "shaders/far_plants_place.hlsl",
        "far_plants_colour.hlsl": "shaders/far_plants_colour.hlsl",
    },
)

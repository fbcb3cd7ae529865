"""Packages for Godot 4: EXR and raw heights, a control map for Terrain3D, MultiMesh buffers, and scripts for the scene.

A point (x, y, z) of the land is (x, z, −y).  This is a quarter turn about x, so turns keep their sense.

References
----------
Godot 4 documentation: MultiMesh.
Terrain3D documentation: "Importing & Exporting Data", "Control Map Format".
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from ...core.ecosystem.crown_cover import hidden_by_crowns
from ..exr import write_exr
from ..plant_instances import PlantModel, Vegetation, rotations_about_up
from ..png import write_png
from .engine import Engine, Files, TilePlants, Weights, write_colour_layers, write_groups, write_numbers
from .tiled_land import FULL_SCALE, Tile, TiledLand

# Metres at which each level of detail of plants ends but the last one, which ends at this many heights of a plant.
# Half the diagonal of a group's box is added: a plant at the far side of it is that much nearer to the camera.
_LEVEL_ENDS = (10.0, 40.0)
_SEEN_HEIGHTS = 36.0
_FADE = 8.0  # metres beyond the end of the last but one level over which a plant goes over into the last one

_PLANT_CELL = 48.0  # metres; with 64 m a walker in a dense forest has more than 3 million triangles in sight

_CANOPY_CELL = 16.0  # metres in which crowns are counted; smaller ones would show single trees as squares

# First bits of the fields of a control map of Terrain3D.
_BASE, _OVERLAY, _BLEND = 27, 22, 14


def _write_heights(files: Files, land: TiledLand, tile: Tile) -> None:
    """Write metres and levels, row 0 north."""
    heights = np.ascontiguousarray(tile.heights[::-1])
    write_exr(files.add("height", "heights/height.exr"), {"Y": heights})
    write_numbers(files.add("height_levels", "heights/height.r16"), land.levels(tile)[::-1])


def _write_layers(files: Files, weights: Weights) -> None:
    """Write all weights, and for Terrain3D the two strongest layers."""
    write_colour_layers(files, weights)
    control = np.ascontiguousarray(control_map(weights)[::-1]).view(np.float32)
    write_exr(files.add("control", "layers/control.exr"), {"R": control})


def _write_plants(files: Files, land: TiledLand, tile: Tile, tile_plants: TilePlants) -> None:
    """Write a matrix of 3 × 4 float32 for each plant, group by group, the format of MultiMesh.buffer."""
    vegetation, order = tile_plants.vegetation, tile_plants.order
    plants = vegetation.plants
    quaternion = rotations_about_up(plants.rotation).astype(np.float64)
    cosine = 1.0 - 2.0 * quaternion[:, 1] ** 2
    sine = 2.0 * quaternion[:, 1] * quaternion[:, 3]
    scale = vegetation.scale
    matrices = np.zeros((len(plants), 3, 4), np.float32)
    matrices[:, 0, 0] = matrices[:, 2, 2] = scale * cosine
    matrices[:, 0, 2] = scale * sine
    matrices[:, 2, 0] = -scale * sine
    matrices[:, 1, 1] = scale
    matrices[:, 0, 3] = plants.x.astype(np.float64) - land.width / 2
    matrices[:, 1, 3] = vegetation.altitude
    matrices[:, 2, 3] = land.depth / 2 - plants.y.astype(np.float64)
    write_numbers(files.add("instances", "plants/instances.bin"), matrices[order])
    write_groups(files, tile_plants)
    write_numbers(files.add("plant_boxes", "plants/boxes.bin"), _boxes(matrices[order, :, 3], tile_plants))
    write_png(files.add("canopy", "textures/canopy.png"), _canopy(land, tile, vegetation)[::-1])


def _canopy(land: TiledLand, tile: Tile, vegetation: Vegetation) -> npt.NDArray[np.uint8]:
    """Return which share of the ground crowns hide that stand as chance puts them, row 0 south, 255 for all of it."""
    plants, (width, depth) = vegetation.plants, land.tile_size
    columns, rows = (max(round(length / _CANOPY_CELL), 1) for length in (width, depth))
    x = (plants.x.astype(np.float64) - tile.column * width) / width * columns
    y = (plants.y.astype(np.float64) - tile.row * depth) / depth * rows
    root_area = math.sqrt(width * depth / (rows * columns))
    hidden = hidden_by_crowns(x, y, plants.height.astype(np.float64) / root_area, (rows, columns))
    return np.rint(255.0 * hidden).astype(np.uint8)


def _boxes(feet: npt.NDArray[np.float32], tile_plants: TilePlants) -> npt.NDArray[np.float32]:
    """Return for each group the lower and the upper corner of its box, and to how many metres it is seen."""
    vegetation, order = tile_plants.vegetation, tile_plants.order
    models, heights = vegetation.models, vegetation.plants.height[order].astype(np.float32)
    widths = np.array([_width(model) for model in models], np.float32)[vegetation.plants.species[order]] * heights
    aside = np.stack((widths, np.zeros_like(widths), widths), axis=1)
    top = np.stack((0 * heights, heights, 0 * heights), axis=1)
    boxes = np.empty((len(tile_plants.groups), 7), np.float32)
    for number, group in enumerate(tile_plants.groups):
        part = slice(group.first, group.end)
        boxes[number, :3] = (feet[part] - aside[part]).min(axis=0)
        boxes[number, 3:6] = (feet[part] + aside[part] + top[part]).max(axis=0)
        boxes[number, 6] = max(_SEEN_HEIGHTS * heights[part].max(), 1.5 * _LEVEL_ENDS[-1])
    return boxes


def _width(model: PlantModel) -> float:
    """Return how far the meshes of a model reach from their stems, in their heights."""
    return max(float(np.abs(mesh.vertices[:, :2]).max()) for levels in model.meshes for mesh in levels)


def _placement(land: TiledLand) -> dict[str, Any]:
    """Return what the importer of Terrain3D asks for with a raw heightmap."""
    width, depth = land.tile_size
    return {
        "r16_range": [land.lowest, land.highest],
        "r16_metres_per_level": (land.highest - land.lowest) / FULL_SCALE,
        "vertex_spacing": list(land.spacing),
        "plant_level_ends_m": list(_LEVEL_ENDS),
        "plant_fade_m": _FADE,
        "north_west_corners": [
            {
                "row": row,
                "column": column,
                "position": [float(land.x[0]) + column * width, 0.0, -float(land.y[0]) - (row + 1) * depth],
            }
            for row, column in land.places()
        ],
    }


def control_map(weights: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint32]:
    """Return the control map of Terrain3D: the two strongest layers, blended by their weights.

    Parameters
    ----------
    weights : ndarray of uint8, shape (rows, columns, layers)
        2 to 32 layers.

    Returns
    -------
    ndarray of uint32, shape (rows, columns)
        Base in bits 27 to 31, overlay in bits 22 to 26, blend in bits 14 to 21.

    References
    ----------
    Terrain3D documentation, "Control Map Format".

    Examples
    --------
    >>> control = control_map(np.array([[[0, 200, 55]]], np.uint8))
    >>> int(control[0, 0]) >> 27, int(control[0, 0]) >> 22 & 31, int(control[0, 0]) >> 14 & 255
    (1, 2, 55)
    """
    # The largest weight comes first; of equal weights the lower layer.
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


GODOT = Engine(
    name="godot",
    title="Godot",
    summary="Heights of 2ⁿ + 1 samples, four layers in each image, instances as MultiMesh",
    axes="(x, z, -y) m, Y up, right-handed",
    height_file="EXR of 32-bit floats in metres, and uint16 without a header",
    steps="Put this folder into the project and run: "
    "godot --headless --path PROJECT --script res://FOLDER/import_godot.gd, then add FOLDER/landscape.scn to a scene.",
    write_heights=_write_heights,
    write_layers=_write_layers,
    placement=_placement,
    write_plants=_write_plants,
    sizes=tuple(2**n + 1 for n in range(6, 13)),
    plant_cell=_PLANT_CELL,
    far="views",
    details=(1, 2),
    unread=("heights", "layers", "textures", "meshes", "species", "plants", "roads", "details"),
    scripts={
        name: name
        for name in (
            "import_godot.gd",
            "build_landscape.gd",
            "plants.gd",
            "walker.gd",
            "details.gd",
            "ground.gd",
            "stream.gd",
            "navigation.gd",
            "import_terrain3d.gd",
            "import_hterrain.gd",
            "details.gdshader",
            "plants.gdshader",
            "far_plants.gdshader",
            "land.gdshader",
            "sky.gdshader",
        )
    },
)

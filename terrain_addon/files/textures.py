"""The textures of a landscape, and a note that says what their values mean."""

import json
import os
from pathlib import Path

import numpy as np

from ..core.landscape import Landscape
from ..core.maps.slope import surface_normals
from .exr import write_exr
from .heightmaps import height_to_uint16, normal_map
from .png import write_png
from .writing import atomic_write


def write_textures(
    folder: str | os.PathLike[str], name: str, landscape: Landscape, green: str = "up"
) -> dict[str, Path]:
    """Write height and normal textures; row 0 of every image is north.

    ====================  ==========================================================================
    File                  Content
    ====================  ==========================================================================
    ``NAME_height.png``   16-bit grey, the lowest point 0 and the highest 65535
    ``NAME_height.exr``   32-bit float, metres
    ``NAME_normal.png``   16-bit RGB tangent-space normals
    ``NAME_normal.exr``   32-bit float, unit vectors (east, north, up)
    ``NAME_height.json``  altitudes of black and white, size, cell size, seed
    ====================  ==========================================================================

    Parameters
    ----------
    folder : path
        Made if it is missing.
    name : str
        How the files' names begin.
    landscape : Landscape
        Its surface is written.
    green : str
        A key of `heightmaps.GREEN`: ``up`` for OpenGL, ``down`` for DirectX.

    Returns
    -------
    dict of str to Path
        ``height``, ``height_exact``, ``normal``, ``normal_exact`` and ``note``.

    Raises
    ------
    ValueError
        If a file cannot be written or `green` is unknown.
    """
    terrain = landscape.terrain
    normals = surface_normals(terrain.surface, terrain.cell_size)
    colours = normal_map(normals, green=green, bits=16)
    levels, lowest, highest = height_to_uint16(terrain.surface)
    note = {
        "rows": terrain.grid.rows,
        "columns": terrain.grid.columns,
        "cell_size_m": terrain.cell_size,
        "width_m": terrain.grid.width,
        "depth_m": terrain.grid.depth,
        "altitude_of_0_m": lowest,
        "altitude_of_65535_m": highest,
        "first_row": "north",
        "normal_green": green,
        "seed": landscape.recipe.seed,
    }
    paths = {
        "height": Path(folder, f"{name}_height.png"),
        "height_exact": Path(folder, f"{name}_height.exr"),
        "normal": Path(folder, f"{name}_normal.png"),
        "normal_exact": Path(folder, f"{name}_normal.exr"),
        "note": Path(folder, f"{name}_height.json"),
    }
    write_png(paths["height"], levels)
    write_exr(paths["height_exact"], {"Y": np.ascontiguousarray(terrain.surface[::-1])})
    write_png(paths["normal"], colours)
    write_exr(paths["normal_exact"], {c: np.ascontiguousarray(normals[::-1, :, k]) for k, c in enumerate("RGB")})
    with atomic_write(paths["note"]) as file:
        file.write((json.dumps(note, indent=2) + "\n").encode())
    return paths

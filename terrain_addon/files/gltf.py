"""A whole landscape as glTF: the land as a mesh, plants as GPU instances.

Written from arrays, because Blender's exporter makes one node per instance and drops their attributes.

Sources: glTF 2.0 Specification, Khronos Group, 2021; vendor extension EXT_mesh_gpu_instancing.

glTF has y up: a point (x, y, z) of Blender is (x, z, −y) in the file.  That is a quarter turn about x, so that the
winding of triangles, the sense of rotations and the handedness stay as they are.  The origin lies in the middle of the
land, at altitude 0.
"""

import os
from dataclasses import dataclass

import numpy as np

from ..core.foundation.terrain import Field, Grid, as_field
from .glb_document import VERTICES, GlbDocument
from .grid_mesh import Floats, check_unit_range, colour_levels, every_sample, grid_triangles, smooth_normals, stack
from .plant_instances import INSTANCING, Vegetation, add_instances


@dataclass(frozen=True)
class LandMesh:
    """The land as a mesh.

    Parameters
    ----------
    heights : ndarray of float32, shape (rows, columns)
        Metres; at least 2 × 2; row 0 is south.
    cell_size : float
        Metres between neighbouring samples.
    colour : ndarray of float32, shape (rows, columns, 3), or None
        Linear colour of every sample, 0 to 1; grey where None.
    step : int
        Every how many samples there is a vertex, from the south-west corner on.  The last row and column always have
        vertices too, so that the land keeps its size; where `step` does not divide rows − 1, the last strip of cells is
        narrower than the others.

    Raises
    ------
    ValueError
        If an array has another shape or values out of range, or `cell_size` or `step` is out of range.
    """

    heights: Field
    cell_size: float
    colour: Floats | None = None
    step: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "heights", as_field(self.heights, "heights"))
        rows, columns = self.grid.shape
        if rows < 2 or columns < 2:
            raise ValueError(f"heights have shape {self.heights.shape}; a mesh needs at least 2 × 2 samples")
        if self.step < 1:
            raise ValueError(f"step = {self.step} is below 1")
        if self.colour is not None:
            if self.colour.shape != (rows, columns, 3):
                raise ValueError(f"colour has shape {self.colour.shape}, not the {(rows, columns, 3)} of the heights")
            check_unit_range(self.colour, "colour")

    @property
    def grid(self) -> Grid:
        """Where the samples lie."""
        rows, columns = self.heights.shape
        return Grid(rows, columns, self.cell_size)


def write_landscape_glb(path: str | os.PathLike[str], land: LandMesh, vegetation: Vegetation | None = None) -> None:
    """Write a landscape as glTF 2.0; the same input gives the same bytes.

    The file holds a node ``Land`` with one mesh (positions, smooth normals, texture coordinates with u to the east and
    v to the south, so that the first row of a texture lies in the north, and vertex colours) and, where there are
    plants, a node ``Plants`` whose children are instanced meshes: TRANSLATION, ROTATION, SCALE, and for scripts
    ``_SPECIES`` (index into the models) and ``_AGE`` (years).  Within a cell plants keep their order.

    Parameters
    ----------
    path : path
        Where to write; see `atomic_write`.  Ends in .glb for one file, in .gltf for two.
    land : LandMesh
        The ground.
    vegetation : Vegetation or None
        What grows on it.  Without plants the file needs no extension.

    Raises
    ------
    ValueError
        If the file would be larger than the 4 GiB that GLB allows, or cannot be written.
    """
    document = GlbDocument()
    nodes = [document.add_node({"name": "Land", "mesh": _add_land(document, land)})]
    if vegetation is not None and len(vegetation.plants) > 0:
        nodes.append(add_instances(document, vegetation, (land.grid.width / 2, land.grid.depth / 2)))
    document.write(path, nodes, [INSTANCING] if len(nodes) > 1 else [])


def _add_land(document: GlbDocument, land: LandMesh) -> int:
    grid = land.grid
    rows, columns = every_sample(grid.rows, land.step), every_sample(grid.columns, land.step)
    heights = land.heights[np.ix_(rows, columns)]
    # float64 until the end: far from the corner float32 would move vertices by visible amounts.
    x = (columns * grid.cell_size - grid.width / 2).astype(np.float32)
    y = (rows * grid.cell_size - grid.depth / 2).astype(np.float32)
    positions = stack(x[None, :], heights, -y[:, None]).reshape(-1, 3)
    to_the_south = (1.0 - rows / (grid.rows - 1))[:, None]
    attributes = {
        "POSITION": document.add(positions, VERTICES, bounds=True),
        "NORMAL": document.add(smooth_normals(x, y, heights).reshape(-1, 3), VERTICES),
        "TEXCOORD_0": document.add(stack(columns[None, :] / (grid.columns - 1), to_the_south).reshape(-1, 2), VERTICES),
    }
    if land.colour is not None:
        colour = land.colour[np.ix_(rows, columns)].reshape(-1, 3)
        attributes["COLOR_0"] = document.add(colour_levels(colour), VERTICES)
    grey = 0.5 if land.colour is None else 1.0
    primitive = {
        "attributes": attributes,
        "indices": document.add_triangles(grid_triangles(len(rows), len(columns)), len(positions)),
        "material": document.add_material("Land", (grey, grey, grey)),
    }
    return document.add_mesh({"name": "Land", "primitives": [primitive]})

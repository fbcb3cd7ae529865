"""A whole landscape as glTF: the land as a mesh, plants as GPU instances.

It is written from arrays, because Blender's exporter makes one node per instance and drops the attributes of instances.

In glTF y is up: a point (x, y, z) of Blender is (x, z, −y) in the file.  This is a quarter turn about x, so the order
of the corners of triangles, the sense of rotations and the handedness do not change.  The origin is the middle of the
land at altitude 0.

References
----------
glTF 2.0 Specification, Khronos Group (2021).
EXT_mesh_gpu_instancing, vendor extension for glTF 2.0, Khronos Group.
"""

import os
from dataclasses import dataclass

import numpy as np

from ..core.foundation.terrain import Field, Grid, as_field
from ..core.meshing.cell_diagonals import turned_cells
from ..core.meshing.road_mesh import RoadMesh
from ..core.meshing.water_mesh import WaterMesh
from .glb_document import VERTICES, GlbDocument
from .grid_mesh import Floats, check_unit_range, colour_levels, every_nth_sample, grid_triangles, smooth_normals, stack
from .plant_instances import INSTANCING, Vegetation, add_instances
from .roads import add_roads
from .water import add_water


@dataclass(frozen=True)
class LandMesh:
    """The land as a grid of vertices.

    Parameters
    ----------
    heights : ndarray of float32, shape (rows, columns)
        Metres; at least 2 × 2; row 0 is south.
    cell_size : float
        Metres between neighbouring samples.
    colour : ndarray of float32, shape (rows, columns, 3), or None
        Linear colour of every sample, 0 to 1; None for grey.
    step : int
        Distance between vertices in samples, counted from the south-west corner, 1 or more.  The last row and column
        always have vertices, so the land keeps its size; if `step` does not divide rows − 1, the last row of cells is
        narrower than the others.

    Raises
    ------
    ValueError
        If an array has a wrong shape or values out of range, or `cell_size` or `step` is out of range.
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
        """Rows, columns and cell size of the samples."""
        rows, columns = self.heights.shape
        return Grid(rows, columns, self.cell_size)


def write_landscape_glb(
    path: str | os.PathLike[str],
    land: LandMesh,
    vegetation: Vegetation | None = None,
    roads: RoadMesh | None = None,
    water: WaterMesh | None = None,
    lod: int = 0,
) -> None:
    """Write a landscape as glTF 2.0; the same input gives the same bytes.

    The file has a node ``Land`` with one mesh: positions, smooth normals, vertex colours, and texture coordinates with
    u to the east and v to the south, so the first row of a texture is north.  If there are plants, it also has a node
    ``Plants`` whose children are instanced meshes with TRANSLATION, ROTATION, SCALE, and for scripts ``_SPECIES``
    (index of the model) and ``_AGE`` (years).  Within a cell plants keep their order.

    Parameters
    ----------
    path : str or PathLike
        Where to write; see `atomic_write`.  One file if it ends in .glb, two if it ends in .gltf.
    land : LandMesh
        The ground.
    vegetation : Vegetation or None
        The plants.  Without plants the file needs no extension.
    roads : RoadMesh or None
        The roads, which get a node ``Roads``.
    water : WaterMesh or None
        The water, which gets nodes ``Sea``, ``Lakes`` and ``Rivers``.
    lod : int
        Level of detail of the plants, 0 is the finest.

    Raises
    ------
    ValueError
        If the file would be larger than the 4 GiB that GLB allows, or cannot be written.

    References
    ----------
    glTF 2.0 Specification, Khronos Group (2021).
    EXT_mesh_gpu_instancing, vendor extension for glTF 2.0, Khronos Group.
    """
    document = GlbDocument()
    nodes = [document.add_node({"name": "Land", "mesh": _add_land(document, land)})]
    if vegetation is not None and len(vegetation.plants) > 0:
        nodes.append(add_instances(document, vegetation, (land.grid.width / 2, land.grid.depth / 2), lod))
    extensions = [INSTANCING] if len(nodes) > 1 else []
    if roads is not None and len(roads) > 0:
        nodes.append(add_roads(document, roads))
    if water is not None and len(water) > 0:
        nodes += add_water(document, water)
    document.write(path, nodes, extensions)


def _add_land(document: GlbDocument, land: LandMesh) -> int:
    """Add the land; return its mesh."""
    grid = land.grid
    rows, columns = every_nth_sample(grid.rows, land.step), every_nth_sample(grid.columns, land.step)
    heights = land.heights[np.ix_(rows, columns)]
    # float64 until the end: far from the corner float32 would move vertices visibly.
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
        "indices": document.add_triangles(
            grid_triangles(len(rows), len(columns), turned_cells(heights)), len(positions)
        ),
        "material": document.add_material("Land", (grey, grey, grey)),
    }
    return document.add_mesh({"name": "Land", "primitives": [primitive]})

"""Water in a GLB file: the sea, lakes and rivers as meshes, with the banks of rivers on the land."""

from dataclasses import replace

import numpy as np

from ..core.meshing.water_mesh import LAKE, RIVER, SEA, WaterMesh
from .glb_document import VERTICES, GlbDocument
from .grid_mesh import stack

WATER_NAMES = {SEA: "Sea", LAKE: "Lakes", RIVER: "Rivers"}
"""Names of meshes."""

WATER_COLOUR = (0.02, 0.06, 0.07)
"""Linear."""


def add_water(document: GlbDocument, water: WaterMesh) -> list[int]:
    """Add water as nodes named ``Sea``, ``Lakes`` and ``Rivers``, as far as there are any.

    Texture coordinates are metres, along and across a river; ``_DEPTH`` is the depth of the water in metres.

    Parameters
    ----------
    document : GlbDocument
        The file.
    water : WaterMesh
        At least one triangle.

    Returns
    -------
    list of int
        The nodes.
    """
    material = document.add_material("Water", WATER_COLOUR, opacity=0.8, roughness=0.05, double_sided=True)
    nodes = []
    kinds = water.kind[water.triangles[:, 0]]
    for kind, name in WATER_NAMES.items():
        triangles = water.triangles[kinds == kind]
        if triangles.size == 0:
            continue
        is_used = np.zeros(len(water.positions), bool)
        is_used[triangles] = True
        used = np.flatnonzero(is_used)
        indices = (np.cumsum(is_used) - 1)[triangles]
        x, y, z = water.positions[used].T
        up = np.zeros((len(used), 3), np.float32)
        up[:, 1] = 1.0
        attributes = {
            "POSITION": document.add(stack(x, z, -y), VERTICES, bounds=True),
            "NORMAL": document.add(up, VERTICES),
            "TEXCOORD_0": document.add(np.ascontiguousarray(water.flow[used], np.float32), VERTICES),
            "_DEPTH": document.add(np.ascontiguousarray(water.depth[used], np.float32), VERTICES),
        }
        primitive = {
            "attributes": attributes,
            "indices": document.add_triangles(indices, len(used)),
            "material": material,
        }
        mesh = document.add_mesh({"name": name, "primitives": [primitive]})
        nodes.append(document.add_node({"name": name, "mesh": mesh}))
    return nodes


def water_within(water: WaterMesh, west: float, south: float, size: tuple[float, float]) -> WaterMesh | None:
    """Return the triangles of water whose middles lie in a rectangle.

    Parameters
    ----------
    water : WaterMesh
        Of the whole land.
    west, south : float
        Metres east and north of the middle of the land.
    size : tuple of float
        Metres from west to east and from south to north.

    Returns
    -------
    WaterMesh or None
        With all vertices; None if there are no triangles.
    """
    middles = water.positions[water.triangles, :2].astype(np.float64).mean(axis=1)
    column, row = (middles[:, axis] - start for axis, start in enumerate((west, south)))
    # A middle on the border belongs to the eastern or northern rectangle.
    inside = (column >= 0.0) & (column < size[0]) & (row >= 0.0) & (row < size[1])
    return replace(water, triangles=water.triangles[inside]) if inside.any() else None


def sea_around(width: float, depth: float, sea_level: float, reach: float) -> WaterMesh:
    """Return the sea beyond the borders of a land.

    Parameters
    ----------
    width, depth : float
        Metres of the land from west to east and from south to north.
    sea_level : float
        Its altitude in metres.
    reach : float
        Metres to which the sea goes on beyond each border.

    Returns
    -------
    WaterMesh
        Eight rectangles around the land.

    Examples
    --------
    >>> len(sea_around(1000.0, 500.0, 0.0, 4000.0))
    16
    """
    across = np.array([-width / 2 - reach, -width / 2, width / 2, width / 2 + reach], np.float32)
    along = np.array([-depth / 2 - reach, -depth / 2, depth / 2, depth / 2 + reach], np.float32)
    positions = np.full((16, 3), sea_level, np.float32)
    positions[:, 0], positions[:, 1] = np.tile(across, 4), np.repeat(along, 4)
    corners = [4 * row + column for row in range(3) for column in range(3) if (row, column) != (1, 1)]
    triangles = [(i, i + 1, i + 5) for i in corners] + [(i, i + 5, i + 4) for i in corners]
    return WaterMesh(
        positions,
        np.array(triangles, np.int32),
        np.full(16, SEA, np.int32),
        np.full(16, reach, np.float32),
        positions[:, :2].copy(),
        np.zeros(16, np.float32),
    )

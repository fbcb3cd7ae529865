"""Water in a GLB file: the sea, lakes and rivers as meshes, with the banks of rivers on the land."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..core.foundation.terrain import Field
from ..core.meshing.water_mesh import LAKE, RIVER, SEA, WaterMesh
from .glb_document import VERTICES, GlbDocument
from .grid_mesh import stack

WATER_NAMES = {SEA: "Sea", LAKE: "Lakes", RIVER: "Rivers"}
"""Names of meshes."""

WATER_COLOUR = (0.02, 0.06, 0.07)
"""Linear."""

_ALLOWED = 0.1  # metres that an edge of a river may stand above the land
_PLACES = 17  # along an edge, at which it is compared with the land

_Numbers = npt.NDArray[np.float64]


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


class ShownGround(NamedTuple):
    """Land that water is compared with.

    Attributes
    ----------
    heights : ndarray of float32, shape (rows, columns)
        Metres; row 0 is south.
    size : tuple of float
        Metres from west to east and from south to north.
    is_certain : bool
        Whether its cells are divided from south-west to north-east; otherwise by either of their diagonals.
    """

    heights: Field
    size: tuple[float, float]
    is_certain: bool = True


def sink_banks(water: WaterMesh, ground: ShownGround) -> WaterMesh:
    """Return water whose rivers have no edge that hangs over a hollow of their banks.

    An edge joins two points that lie on the land; where the land dips between them, both sink until it does not stand
    more than 0.1 m above it at the places that are compared.

    Parameters
    ----------
    water : WaterMesh
        Around the middle of the land.
    ground : ShownGround
        The land as it will be shown.

    Returns
    -------
    WaterMesh
    """
    edges = _outer_edges(water.triangles[water.kind[water.triangles[:, 0]] == RIVER])
    if len(edges) == 0:
        return water
    share = np.linspace(0.0, 1.0, _PLACES)[:, None, None]
    ends = water.positions[edges].astype(np.float64)
    places = ends[:, 0] * (1.0 - share) + ends[:, 1] * share
    above = (places[..., 2] - _height(ground, places[..., 0], places[..., 1])).max(axis=0)
    sinking = np.zeros(len(water.positions))
    np.maximum.at(sinking, edges, np.maximum(above - _ALLOWED, 0.0)[:, None])
    positions = water.positions.copy()
    positions[:, 2] -= sinking.astype(positions.dtype)
    return replace(water, positions=positions)


def _outer_edges(triangles: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Return the edges of a single triangle, shape (edges, 2)."""
    edges = np.sort(np.concatenate([triangles[:, pair] for pair in ([0, 1], [1, 2], [2, 0])]), axis=1)
    unique, counts = np.unique(edges, axis=0, return_counts=True)
    outer: npt.NDArray[np.int32] = unique[counts == 1]
    return outer


def _height(ground: ShownGround, x: _Numbers, y: _Numbers) -> _Numbers:
    """Return the height of the land as two triangles a cell, of either way to divide it the lower one."""
    surface = ground.heights
    cells = surface.shape[0] - 1, surface.shape[1] - 1
    row, column = (
        (place / size + 0.5) * count for place, size, count in zip((y, x), ground.size[::-1], cells, strict=True)
    )
    r = np.clip(row.astype(np.int64), 0, cells[0] - 1)
    c = np.clip(column.astype(np.int64), 0, cells[1] - 1)
    up, right = row - r, column - c
    south_west, north_east = surface[r, c].astype(np.float64), surface[r + 1, c + 1].astype(np.float64)
    south_east, north_west = surface[r, c + 1].astype(np.float64), surface[r + 1, c].astype(np.float64)
    below = south_west + right * (south_east - south_west) + up * (north_east - south_east)
    beyond = south_west + up * (north_west - south_west) + right * (north_east - north_west)
    heights: _Numbers = np.where(right >= up, below, beyond)
    if ground.is_certain:
        return heights
    near = south_west + right * (south_east - south_west) + up * (north_west - south_west)
    far = north_east + (1.0 - right) * (north_west - north_east) + (1.0 - up) * (south_east - north_east)
    lower: _Numbers = np.minimum(heights, np.where(right + up <= 1.0, near, far))
    return lower

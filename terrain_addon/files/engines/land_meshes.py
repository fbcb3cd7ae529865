"""GLB files of the land, tile by tile, and of the water."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ...core.meshing.water_mesh import WaterMesh
from ..glb_document import VERTICES, GlbDocument
from ..grid_mesh import Floats, every_nth_sample, grid_triangles, stack
from ..water import add_water
from .tiled_land import Tile, TiledLand


def write_land_tile(
    path: Path, land: TiledLand, tile: Tile, *, step: int, chunk: int, skirt: float, texture: str, turns_cells: bool
) -> None:
    """Write a tile of the land as square pieces; each is a mesh in a node ``Land ROW COLUMN``.

    Each piece has a skirt, a strip that hangs down from its border and hides cracks between pieces of different detail.

    Parameters
    ----------
    path : Path
        The file.
    land : TiledLand
        The whole land.
    tile : Tile
        One of its tiles.
    step : int
        Distance between vertices in samples, 1 or more.
    chunk : int
        Cells of the land along each side of a piece.
    skirt : float
        Height of the skirt in metres.
    texture : str
        Path of the tile's colours, relative to the file.
    turns_cells : bool
        As in `Engine`.
    """
    document = GlbDocument()
    material = document.add_material("Land", (1.0, 1.0, 1.0), texture=texture)
    shapes: dict[tuple[int, int], int] = {}
    nodes = []
    rows, columns = land.tile_shape
    for first_row in range(0, rows - 1, chunk):
        for first_column in range(0, columns - 1, chunk):
            row = first_row + every_nth_sample(min(chunk, rows - 1 - first_row) + 1, step)
            column = first_column + every_nth_sample(min(chunk, columns - 1 - first_column) + 1, step)
            shape = (len(row), len(column))
            if shape not in shapes:
                triangles = _triangles_with_skirt(*shape, turns_cells)
                shapes[shape] = document.add_triangles(triangles, int(triangles.max()) + 1)
            attributes = _piece(document, land, tile, row, column, skirt)
            primitive = {"attributes": attributes, "indices": shapes[shape], "material": material}
            name = f"Land {first_row // chunk} {first_column // chunk}"
            mesh = document.add_mesh({"name": name, "primitives": [primitive]})
            nodes.append(document.add_node({"name": name, "mesh": mesh}))
    document.write(path, nodes, [])


def write_collision(path: Path, land: TiledLand, tile: Tile, *, step: int, turns_cells: bool) -> None:
    """Write a tile of the land as one plain mesh for collisions.

    Parameters
    ----------
    path : Path
        The file.
    land : TiledLand
        The whole land.
    tile : Tile
        One of its tiles.
    step : int
        Distance between vertices in samples, 1 or more; the borders always have vertices.
    turns_cells : bool
        As in `Engine`.
    """
    rows, columns = land.tile_shape
    row, column = every_nth_sample(rows, step), every_nth_sample(columns, step)
    document = GlbDocument()
    positions = _positions(tile, row, column).reshape(-1, 3)
    primitive = {
        "attributes": {"POSITION": document.add(positions, VERTICES, bounds=True)},
        "indices": document.add_triangles(_triangles(len(row), len(column), turns_cells), len(positions)),
    }
    mesh = document.add_mesh({"name": "Collision", "primitives": [primitive]})
    document.write(path, [document.add_node({"name": "Collision", "mesh": mesh})], [])


def write_water(path: Path, water: WaterMesh) -> None:
    """Write the water as meshes named ``Sea``, ``Lakes`` and ``Rivers``, as far as there are any.

    Parameters
    ----------
    path : Path
        The file.
    water : WaterMesh
        At least one triangle.
    """
    document = GlbDocument()
    document.write(path, add_water(document, water), [])


def _piece(
    document: GlbDocument,
    land: TiledLand,
    tile: Tile,
    row: npt.NDArray[np.int64],
    column: npt.NDArray[np.int64],
    skirt: float,
) -> dict[str, Any]:
    """Add the vertices of a piece, those of the skirt last; return its attributes."""
    positions = _positions(tile, row, column)
    east, north, up = np.moveaxis(tile.normals[np.ix_(row, column)], -1, 0)
    normals = stack(east, up, -north)
    # A texture has a texel for each sample; the sample is the middle of the texel.  Its first row is north.
    rows, columns = land.tile_shape
    u, v = (column + 0.5) / columns, 1.0 - (row + 0.5) / rows
    places = np.rint(stack(u[None, :], v[:, None]) * np.float32(65535.0)).astype(np.uint16)
    around = _border(len(row), len(column))
    lower_edge = positions[around]
    lower_edge[:, 1] -= np.float32(skirt)
    return {
        "POSITION": document.add(np.concatenate((positions.reshape(-1, 3), lower_edge)), VERTICES, bounds=True),
        "NORMAL": document.add(np.concatenate((normals.reshape(-1, 3), normals[around])), VERTICES),
        "TEXCOORD_0": document.add(np.concatenate((places.reshape(-1, 2), places[around])), VERTICES),
    }


def _positions(tile: Tile, row: npt.NDArray[np.int64], column: npt.NDArray[np.int64]) -> Floats:
    x, y = tile.x[column].astype(np.float32), tile.y[row].astype(np.float32)
    return stack(x[None, :], tile.heights[np.ix_(row, column)], -y[:, None])


def _border(rows: int, columns: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return rows and columns of the samples on the border of a grid, counter-clockwise from the south-west corner."""
    east, north = np.arange(columns), np.arange(rows)
    row = np.concatenate((0 * east[:-1], north[:-1], 0 * east[:-1] + rows - 1, north[:0:-1]))
    column = np.concatenate((east[:-1], 0 * north[:-1] + columns - 1, east[:0:-1], 0 * north[:-1]))
    return row, column


def _triangles(rows: int, columns: int, turns_cells: bool) -> npt.NDArray[np.uint32]:
    """Return the triangles of a grid whose cells are all divided in the same way."""
    return grid_triangles(rows, columns, np.full((rows - 1, columns - 1), turns_cells))


def _triangles_with_skirt(rows: int, columns: int, turns_cells: bool) -> npt.NDArray[np.uint32]:
    """Return the triangles of a grid, and of its skirt, which faces outwards."""
    row, column = _border(rows, columns)
    top = (row * columns + column).astype(np.uint32)
    bottom = (rows * columns + np.arange(len(top))).astype(np.uint32)
    next_top, next_bottom = np.roll(top, -1), np.roll(bottom, -1)
    skirt = np.stack((bottom, next_bottom, top, top, next_bottom, next_top), axis=-1).reshape(-1, 3)
    return np.concatenate((_triangles(rows, columns, turns_cells), skirt))

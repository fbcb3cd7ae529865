"""A world as Blender objects: the whole with few samples, and some of its tiles at full detail in their places.

They are no landscapes that settings could change: a world is made by the command ``world``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

import bpy
import numpy as np
import numpy.typing as npt

from ...core.building.landscape import Landscape
from ...core.foundation.terrain import Field
from ...core.meshing.water_mesh import WaterMesh
from ...core.tiling.blocks import Block
from ..data.attributes import set_attribute
from .drawings import Drawing
from .land_objects import add_landscape


@dataclass(frozen=True)
class TileRim:
    """What closes the gap between a tile and the whole: upright strips from the tile's edge to that of the whole.

    Attributes
    ----------
    positions : ndarray of float32, shape (2 · places, 3)
        In the metres of the tile's object: edges of the tile, then of the whole below or above them.
    quads : ndarray of int32, shape (quads, 4)
    maps : mapping of str to ndarray of float32, shape (2 · places,)
        Those of the tile.
    """

    positions: npt.NDArray[np.float32]
    quads: npt.NDArray[np.int32]
    maps: Mapping[str, npt.NDArray[np.float32]]


@dataclass(frozen=True)
class WorldPiece:
    """A piece of a world, ready to be shown.

    Attributes
    ----------
    name : str
        Of its object.
    place : tuple of float
        Its middle, in metres east and north of the middle of the world.
    drawing : Drawing
    rim : TileRim or None
        None for the whole, and for a tile with tiles on all sides.
    """

    name: str
    place: tuple[float, float]
    drawing: Drawing
    rim: TileRim | None = None


def add_world_pieces(collection: bpy.types.Collection, pieces: list[WorldPiece]) -> list[bpy.types.Object]:
    """Add pieces of a world to a collection, all with the same material.

    Parameters
    ----------
    collection : Collection
    pieces : list of WorldPiece

    Returns
    -------
    list of Object
        In the order of the pieces.
    """
    added: list[bpy.types.Object] = []
    for piece in pieces:
        land = add_landscape(collection, piece.drawing.landscape, piece.name, piece.drawing)
        land.landscape.is_landscape = False
        land.location = (*piece.place, 0.0)
        if added:
            own = land.data.materials[0]
            land.data.materials[0] = added[0].data.materials[0]
            bpy.data.materials.remove(own)
        if piece.rim is not None:
            _add_rim(collection, land, piece.rim)
        added.append(land)
    return added


class Room:
    """Where tiles lie in the whole, which is sunk there so that it is seen beside them only.

    Samples of the whole on the rims of tiles stay: there both have the same heights.

    Parameters
    ----------
    whole : Landscape
        Every n-th sample.
    every : int
        The distance n.
    tiles : list of Block
        Where each lies in the world.
    """

    def __init__(self, whole: Landscape, every: int, tiles: list[Block]) -> None:
        self._whole, self._every = whole, every
        rows, columns = whole.terrain.grid.shape
        self._covered = np.zeros((rows - 1, columns - 1), np.bool_)
        for tile in tiles:
            self._covered[self._cells_of(tile)] = True
        # Beyond the border nothing is seen either.
        self._beside = np.pad(self._covered, 1, constant_values=True)
        self._deepest = 0.0

    def make(self, tile: Block, land: Landscape) -> TileRim | None:
        """Take note of a tile; return the strips between its edges and those of the whole."""
        every, surface = self._every, land.terrain.surface
        rows, columns = self._cells_of(tile)
        whole = self._whole.terrain.surface[rows.start : rows.stop + 1, columns.start : columns.stop + 1]
        between = _between(whole, every)
        self._deepest = max(self._deepest, float((between - surface).max()))
        cells = np.arange(surface.size, dtype=np.int64).reshape(surface.shape)
        sides = (
            (cells[0], self._beside[rows.start, columns.start + 1]),
            (cells[-1], self._beside[rows.stop + 1, columns.start + 1]),
            (cells[:, 0], self._beside[rows.start + 1, columns.start]),
            (cells[:, -1], self._beside[rows.start + 1, columns.stop + 1]),
        )
        edges = [side for side, has_none in sides if not has_none]
        return _rim(edges, between, land) if edges else None

    def sink(self, drawing: Drawing) -> Drawing:
        """Return the drawing of the whole, sunk under its tiles, and without water there."""
        inside = self._beside[:-1, :-1] & self._beside[1:, :-1] & self._beside[:-1, 1:] & self._beside[1:, 1:]
        # As deep as it would stand out, and a cell more, so that it falls away from the rim steeply.
        depth = np.float32(self._deepest + self._whole.terrain.cell_size)
        positions, water = drawing.positions, drawing.water
        if positions is not None:
            positions = positions.copy()
            positions[:, 2] -= np.where(inside.ravel(), depth, np.float32(0.0))
        return replace(drawing, positions=positions, water=None if water is None else self._dry(water))

    def _cells_of(self, tile: Block) -> tuple[slice, slice]:
        row, column = tile.first_row // self._every, tile.first_column // self._every
        down, across = (tile.rows - 1) // self._every, (tile.columns - 1) // self._every
        return slice(row, row + down), slice(column, column + across)

    def _dry(self, water: WaterMesh) -> WaterMesh:
        """Leave out the water of tiles."""
        place = water.positions[water.triangles, :2].mean(axis=1) / np.float32(self._whole.terrain.cell_size)
        rows, columns = self._covered.shape
        # The open sea beyond the border stays.
        row = np.clip(np.floor(place[:, 1] + 0.5 * rows).astype(np.int64), -1, rows)
        column = np.clip(np.floor(place[:, 0] + 0.5 * columns).astype(np.int64), -1, columns)
        covered = np.pad(self._covered, 1)[row + 1, column + 1]
        return replace(water, triangles=water.triangles[~covered])


def _between(samples: Field, every: int) -> Field:
    """Put n − 1 values between samples along rows and columns, on straight lines."""
    share = (np.arange(every, dtype=np.float32) / np.float32(every))[:, np.newaxis]
    for _ in range(2):
        steps = samples[:-1, np.newaxis] * (1 - share) + samples[1:, np.newaxis] * share
        samples = np.concatenate((steps.reshape(-1, samples.shape[1]), samples[-1:])).T
    return samples


def _rim(edges: list[npt.NDArray[np.int64]], whole: Field, land: Landscape) -> TileRim:
    """Return strips along edges of a tile, given as numbers of its samples."""
    terrain = land.terrain
    rows, columns = terrain.grid.shape
    cells = np.concatenate(edges)
    x = (cells % columns - 0.5 * (columns - 1)) * terrain.cell_size
    y = (cells // columns - 0.5 * (rows - 1)) * terrain.cell_size
    heights = (terrain.surface.ravel()[cells], whole.ravel()[cells])
    positions = np.concatenate([np.column_stack((x, y, z)) for z in heights]).astype(np.float32)
    starts = np.cumsum([0, *(edge.size for edge in edges)])
    first = np.concatenate([np.arange(start, end - 1) for start, end in pairwise(starts)])
    quads = np.column_stack((first, first + 1, first + 1 + cells.size, first + cells.size)).astype(np.int32)
    maps = {name: np.tile(values.ravel()[cells], 2) for name, values in land.maps.items()}
    return TileRim(positions, quads, maps | {"sediment": np.tile(terrain.sediment.ravel()[cells], 2)})


def _add_rim(collection: bpy.types.Collection, land: bpy.types.Object, rim: TileRim) -> None:
    """Add the rim of a tile as an object of its own, with the material of the tile."""
    name = f"{land.name} Rim"
    mesh = bpy.data.meshes.new(name)
    count = len(rim.quads)
    mesh.vertices.add(len(rim.positions))
    mesh.attributes["position"].data.foreach_set("vector", rim.positions.ravel())
    mesh.loops.add(4 * count)
    mesh.loops.foreach_set("vertex_index", rim.quads.ravel())
    mesh.polygons.add(count)
    mesh.polygons.foreach_set("loop_start", np.arange(0, 4 * count, 4, dtype=np.int32))
    mesh.update(calc_edges=True)
    for attribute, values in rim.maps.items():
        set_attribute(mesh, attribute, values)
    mesh.materials.append(land.data.materials[0])
    item = bpy.data.objects.new(name, mesh)
    item.parent = land
    collection.objects.link(item)

"""A world as Blender objects: the whole with few samples, and some of its tiles at full detail in their places.

They are no landscapes that settings could change: a world is made by the command ``world``.
"""

from dataclasses import dataclass, replace

import bpy
import numpy as np
import numpy.typing as npt

from ...core.meshing.water_mesh import WaterMesh
from ...core.tiling.blocks import Block
from .drawings import Drawing
from .land_objects import add_landscape


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
    """

    name: str
    place: tuple[float, float]
    drawing: Drawing


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
        added.append(land)
    return added


def make_room(whole: Drawing, tiles: list[tuple[Block, npt.NDArray[np.float32]]], every: int) -> Drawing:
    """Sink the whole under its tiles, so that it is seen beside them only.

    Samples of the whole on the rim of a tile stay: there both have the same heights.

    Parameters
    ----------
    whole : Drawing
        Of every n-th sample.
    tiles : list of (Block, ndarray of float32)
        Where each lies in the world, and its surface in metres.
    every : int
        The distance n.

    Returns
    -------
    Drawing
        The whole without water where the tiles are.
    """
    terrain, water = whole.landscape.terrain, whole.water
    surface = terrain.surface.copy()
    for tile, heights in tiles:
        row, column = tile.first_row // every, tile.first_column // every
        part = surface[row : row + tile.rows // every + 1, column : column + tile.columns // every + 1]
        # As deep as it would stand out, and a cell more, so that it falls away from the rim steeply.
        part[1:-1, 1:-1] -= max(float((_between(part, every) - heights).max()), 0.0) + terrain.cell_size
        if water is not None:
            water = _without(water, tile, every, terrain.cell_size, surface.shape)
    positions = None
    if whole.positions is not None:
        positions = whole.positions.copy()
        positions[:, 2] = surface.ravel()
    return replace(whole, positions=positions, water=water)


def _between(samples: npt.NDArray[np.float32], every: int) -> npt.NDArray[np.float32]:
    """Put n − 1 values between samples along rows and columns, on straight lines."""
    share = (np.arange(every, dtype=np.float32) / np.float32(every))[:, np.newaxis]
    for _ in range(2):
        steps = samples[:-1, np.newaxis] * (1 - share) + samples[1:, np.newaxis] * share
        samples = np.concatenate((steps.reshape(-1, samples.shape[1]), samples[-1:])).T
    return samples


def _without(water: WaterMesh, tile: Block, every: int, cell_size: float, shape: tuple[int, int]) -> WaterMesh:
    """Leave out the water of a tile."""
    place = water.positions[water.triangles, :2].mean(axis=1) / np.float32(cell_size)
    column, row = place[:, 0] + 0.5 * (shape[1] - 1), place[:, 1] + 0.5 * (shape[0] - 1)
    south, west = tile.first_row / every, tile.first_column / every
    north, east = south + (tile.rows - 1) / every, west + (tile.columns - 1) / every
    inside = (row > south) & (row < north) & (column > west) & (column < east)
    return replace(water, triangles=water.triangles[~inside])

"""A copy of a land with fewer triangles."""

from collections.abc import Generator
from dataclasses import dataclass

import bpy

from ...core.foundation.progress import Progress
from ...core.foundation.terrain import Field
from ...core.meshing.triangulation import Triangulation, triangulate
from ..data.properties import read_recipe
from ..data.reduced_meshes import add_reduced_mesh
from .lookup import LandReference
from .textures import mesh_heights_of


@dataclass(frozen=True)
class ReducedLand:
    """The triangles of a reduced land.

    Attributes
    ----------
    heights : ndarray of float32, shape (rows, columns)
        Of the full land, in metres.
    cell_size : float
        Metres between them.
    chunk : int or None
        Cells along the side of a piece; None for one piece.
    triangulation : Triangulation
    """

    heights: Field
    cell_size: float
    chunk: int | None
    triangulation: Triangulation


def reduction_steps(
    land: bpy.types.Object, tolerance: float, chunk: int
) -> Generator[Progress, bool | None, ReducedLand]:
    """Return the steps that triangulate the mesh of a land.

    Parameters
    ----------
    land : Object
    tolerance : float
        Largest difference in height, in metres.
    chunk : int
        Cells along the side of a piece, rounded up to a power of two; 0 for one piece.

    Raises
    ------
    ValueError
        If the mesh is not the grid of the recipe.
    """
    grid = read_recipe(land).grid
    side = 1 << (chunk - 1).bit_length() if chunk > 0 else None
    return _triangulate(mesh_heights_of(land, grid), grid.cell_size, tolerance, side)


def show_reduced(reference: LandReference, reduced: ReducedLand) -> str:
    """Add a reduced land to the scene, as children of the land, and return the sentence to report.

    Raises
    ------
    ValueError
        If the land was deleted or cannot be changed.
    """
    land = reference.land()
    whole, chunk, heights = reduced.triangulation, reduced.chunk, reduced.heights
    pieces = [(0, 0, whole)] if chunk is None else list(whole.chunks(chunk))
    for row, column, piece in pieces:
        place = f" {row} {column}" if chunk is not None else ""
        add_reduced_mesh(land, f"{reference.name} Reduced{place}", heights, reduced.cell_size, piece)
    full = 2 * (heights.shape[0] - 1) * (heights.shape[1] - 1)
    share = 100.0 * len(whole.triangles) / full
    in_pieces = "" if chunk is None else f" in {len(pieces)} pieces"
    return f"Added {len(whole.triangles):,} triangles{in_pieces}, {share:.1f} % of the full mesh"


def _triangulate(
    heights: Field, cell_size: float, tolerance: float, chunk: int | None
) -> Generator[Progress, bool | None, ReducedLand]:
    yield Progress("triangles", 0.0)
    return ReducedLand(heights, cell_size, chunk, triangulate(heights, tolerance, chunk))

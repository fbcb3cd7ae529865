"""The heights of a land while somebody strokes it with a brush."""

import math

import bpy
import numpy as np
from mathutils import Vector

from ...core.erosion.brush import Dab, apply_dab
from ...core.foundation.sampling import sample, vertex_positions
from ...core.foundation.terrain import Field
from ..data.attributes import set_positions
from ..data.mesh_heights import grid_shape, heights_of_grid

_APART = 0.25  # distance between two dabs, as a share of the radius


class Canvas:
    """The heights of a land while a stroke changes them.

    Raises
    ------
    ValueError
        If its mesh is no grid.
    """

    def __init__(self, land: bpy.types.Object) -> None:
        shape = grid_shape(land.data) if land.type == "MESH" else None
        if shape is None:
            raise ValueError(f"{land.name} is no longer a grid of rows and columns")
        self.surface: Field = heights_of_grid(land.data, shape)
        self.cell_size = land.landscape.recipe.width / (shape[1] - 1)
        self.dabs = 0
        self._corner = Vector((0.5 * (shape[1] - 1) * self.cell_size, 0.5 * (shape[0] - 1) * self.cell_size, 0.0))
        self._last: Vector | None = None

    def stroke_to(self, place: Vector, radius: float, strength: float, brush: str) -> None:
        """Touch the land at a place of its own space, and evenly on the way from the place before."""
        place = Vector((place[0], place[1], 0.0))
        begin = place if self._last is None else self._last
        count = math.floor((place - begin).length / (_APART * radius))
        if self._last is not None and count == 0:
            return
        for number in range(1, count + 1) if self._last is not None else (0,):
            at = begin + (place - begin) * (number / max(count, 1)) + self._corner
            window = apply_dab(self.surface, self.cell_size, Dab(at.x, at.y, radius, strength), brush, self.dabs)
            self.dabs += min(one.stop - one.start for one in window) > 0
        self._last = place

    def show(self, land: bpy.types.Object) -> None:
        """Move the vertices of the land."""
        set_positions(land.data, vertex_positions(self.surface, self.cell_size))
        land.data.update()

    def under(self, start: Vector, ahead: Vector) -> Vector | None:
        """Return where a ray first meets the land, within half a cell; None if it does not."""
        rows, columns = self.surface.shape
        lengths = np.arange(0.0, self._farthest(start), 0.5 * self.cell_size)
        x, y, z = (start[k] + self._corner[k] + ahead[k] * lengths for k in range(3))
        here = (x >= 0) & (x <= (columns - 1) * self.cell_size) & (y >= 0) & (y <= (rows - 1) * self.cell_size)
        lengths, x, y, z = lengths[here], x[here], y[here], z[here]
        below = np.flatnonzero(z <= sample(self.surface, self.cell_size, x, y)) if x.size else x
        return start + ahead * float(lengths[below[0]]) if below.size else None

    def height_at(self, place: Vector) -> float:
        """Return the height of the land at a place, or at its border where the place lies outside."""
        rows, columns = self.surface.shape
        east, north = ((place + self._corner)[k] / self.cell_size for k in (0, 1))
        row, column = min(max(round(north), 0), rows - 1), min(max(round(east), 0), columns - 1)
        return float(self.surface[row, column])

    def _farthest(self, start: Vector) -> float:
        """Metres after which no ray from a place can meet the land."""
        rise = max(abs(float(self.surface.max()) - start.z), abs(float(self.surface.min()) - start.z))
        return float(start.xy.length + self._corner.length + rise)

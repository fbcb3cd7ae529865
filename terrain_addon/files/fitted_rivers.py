"""Rivers on the land that an engine shows, whose cells may be wider than they are.

Where the land dips between two points of a bank, the water would hang in the air; where it rises, it would hide a
narrow stream.  So banks sink to the land, and narrow streams are laid on it.
"""

from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..core.foundation.terrain import Field
from ..core.meshing.cut_water import DEPTH, EXACT, cut_triangles, vertex_values, with_pieces
from ..core.meshing.water_mesh import RIVER, WaterMesh

_ALLOWED = 0.1  # metres that an edge of a river may stand above the land
_PLACES = 17  # along an edge, at which it is compared with the land
_FILM = 0.08  # metres above the land at which a narrow stream is laid on it
_BANK = 0.05  # metres of depth; where a wide river is not deeper, its banks rise out of it

# Columns of the values of a vertex while triangles are cut: height, and 1 in a wide river after all others.
_HEIGHT, _IN_WIDE = 2, -1

_Numbers = npt.NDArray[np.float64]
_Triangles = npt.NDArray[np.int64]


class ShownGround(NamedTuple):
    """Land that water is compared with.

    Our packages for engines divide its cells from south-west to north-east, and so does Unity where it makes meshes of
    its terrains [1]_.

    Attributes
    ----------
    heights : ndarray of float32, shape (rows, columns)
        Metres; row 0 is south.
    size : tuple of float
        Metres from west to east and from south to north.
    middle : tuple of float
        Metres to the east and north of where water is measured from.
    turned : ndarray of bool, shape (rows − 1, columns − 1), or None
        Cells that are divided from south-east to north-west, from `turned_cells`; None for none.

    References
    ----------
    .. [1] Unity Technologies, package com.unity.render-pipelines.core, `UnifiedRayTracing/Common/TerrainToMesh.cs`.
    """

    heights: Field
    size: tuple[float, float]
    middle: tuple[float, float] = (0.0, 0.0)
    turned: npt.NDArray[np.bool_] | None = None


def fit_rivers(water: WaterMesh, ground: ShownGround) -> WaterMesh:
    """Return water whose rivers neither hang over the land that an engine shows nor hide below it.

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
    return lay_streams(sink_banks(water, ground), ground)


def lay_streams(water: WaterMesh, ground: ShownGround) -> WaterMesh:
    """Return water whose streams lie on the land wherever they would be below it.

    Streams narrower than two cells do so everywhere.  Out of a wider river its banks may rise, but no land where it is
    deep.  Rivers are cut where the triangles of the land meet, so that they follow it, and lie 0.08 m above it.

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
    rows, columns = ground.heights.shape
    cell = min(ground.size[0] / (columns - 1), ground.size[1] / (rows - 1))
    is_river = water.kind[water.triangles[:, 0]] == RIVER
    rivers = water.triangles[is_river].astype(np.int64)
    is_wide = np.abs(water.flow[:, 1])[rivers].max(axis=1, initial=0.0) >= cell
    if len(rivers) == 0:
        return water
    in_wide = np.zeros(len(water.positions))
    in_wide[rivers[is_wide]] = 1.0
    values = np.column_stack((vertex_values(water), in_wide))
    values, pieces = _cut(ground, values, rivers)
    land = _height(ground, values[:, 0], values[:, 1])
    lies_on = np.zeros(len(values), bool)
    lies_on[pieces] = True
    lies_on &= (values[:, _IN_WIDE] < 1.0 - EXACT) | (values[:, DEPTH] > _BANK)
    values[lies_on, _HEIGHT] = np.maximum(values[lies_on, _HEIGHT], land[lies_on] + _FILM)
    # Between the points that are compared before, banks can still stand higher.
    banks = np.unique(_outer_edges(pieces))
    values[banks, _HEIGHT] = np.minimum(values[banks, _HEIGHT], land[banks] + _ALLOWED)
    return with_pieces(water, ~is_river, values, pieces)


def _cut(ground: ShownGround, values: _Numbers, triangles: _Triangles) -> tuple[_Numbers, _Triangles]:
    """Cut triangles along borders and diagonals of all cells; return the values of all vertices, and the pieces."""
    other_diagonal = [] if ground.turned is None else [(1.0, 1.0)]

    def places(rows: float, columns: float, x: _Numbers, y: _Numbers) -> _Numbers:
        row, column = _in_cells(ground, x, y)
        return rows * row + columns * column

    lines = [(1.0, 0.0), (0.0, 1.0), (1.0, -1.0), *other_diagonal]
    return cut_triangles(values, triangles, [partial(places, rows, columns) for rows, columns in lines])


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


def _outer_edges(triangles: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the edges of a single triangle, shape (edges, 2)."""
    edges = np.sort(np.concatenate([triangles[:, pair] for pair in ([0, 1], [1, 2], [2, 0])]), axis=1)
    unique, counts = np.unique(edges, axis=0, return_counts=True)
    outer: npt.NDArray[Any] = unique[counts == 1]
    return outer


def _height(ground: ShownGround, x: _Numbers, y: _Numbers) -> _Numbers:
    """Return the height of the land as two triangles a cell."""
    surface = ground.heights
    row, column = _in_cells(ground, x, y)
    r = np.clip(row.astype(np.int64), 0, surface.shape[0] - 2)
    c = np.clip(column.astype(np.int64), 0, surface.shape[1] - 2)
    up, right = row - r, column - c
    south_west, north_east = surface[r, c].astype(np.float64), surface[r + 1, c + 1].astype(np.float64)
    south_east, north_west = surface[r, c + 1].astype(np.float64), surface[r + 1, c].astype(np.float64)
    below = south_west + right * (south_east - south_west) + up * (north_east - south_east)
    beyond = south_west + up * (north_west - south_west) + right * (north_east - north_west)
    heights: _Numbers = np.where(right >= up, below, beyond)
    if ground.turned is not None:
        below = south_west + right * (south_east - south_west) + up * (north_west - south_west)
        beyond = north_east + (1.0 - right) * (north_west - north_east) + (1.0 - up) * (south_east - north_east)
        heights = np.where(ground.turned[r, c], np.where(right + up <= 1.0, below, beyond), heights)
    return heights


def _in_cells(ground: ShownGround, x: _Numbers, y: _Numbers) -> tuple[_Numbers, _Numbers]:
    """Return rows and columns of places, with fractions."""
    rows, columns = ground.heights.shape
    (width, depth), (east, north) = ground.size, ground.middle
    return ((y - north) / depth + 0.5) * (rows - 1), ((x - east) / width + 0.5) * (columns - 1)

"""Triangles of water that are cut: rivers at the borders of a land, and in files at those of its triangles."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from .water_mesh import RIVER, WaterMesh

EXACT = 1e-6
"""Points that are nearer to a line lie on it, as a share of the distance between two lines."""

PLACE, FLOW, DEPTH, FALL = slice(0, 3), slice(3, 5), 5, 6
"""Columns of what `vertex_values` returns."""

_Numbers = npt.NDArray[np.float64]
_Triangles = npt.NDArray[np.int64]


def water_on_land(water: WaterMesh, size: tuple[float, float]) -> WaterMesh:
    """Return water without what runs on beyond the borders of a land, where it would hang in the air.

    Parameters
    ----------
    water : WaterMesh
        Of the whole land or a part of it.
    size : tuple of float
        Metres of the land from west to east and from south to north.

    Returns
    -------
    WaterMesh
        Rivers are cut at the borders; only vertices of triangles are left.

    Examples
    --------
    >>> positions = np.array([[0, 0, 5], [9, 0, 5], [0, 9, 5]], np.float32)
    >>> kind, depth = np.full(3, RIVER, np.int32), np.ones(3, np.float32)
    >>> river = WaterMesh(positions, np.array([[0, 1, 2]], np.int32), kind, depth, positions[:, :2], depth)
    >>> water_on_land(river, (6.0, 20.0)).positions[:, 0].max().item()
    3.0
    """
    places = [partial(_across, axis=axis, length=length) for axis, length in enumerate(size)]
    corners = water.positions[water.triangles].astype(np.float64)
    crosses = np.zeros(len(water), bool)
    for axis, length in enumerate(size):
        away = np.abs(corners[:, :, axis])
        crosses |= (away.min(axis=1, initial=np.inf) < 0.5 * length) & (away.max(axis=1, initial=0.0) > 0.5 * length)
    crosses &= water.kind[water.triangles[:, 0]] == RIVER
    values, pieces = cut_triangles(vertex_values(water), water.triangles[crosses].astype(np.int64), places)
    cut = with_pieces(water, ~crosses, values, pieces)
    middle = cut.positions[cut.triangles, :2].astype(np.float64).mean(axis=1)
    # As a part of the land takes them: a middle on the border belongs to what lies east or north of it.
    inside = ((middle >= np.multiply(-0.5, size)) & (middle < np.multiply(0.5, size))).all(axis=1)
    used, triangles = np.unique(cut.triangles[inside], return_inverse=True)
    return WaterMesh(
        cut.positions[used],
        triangles.reshape(-1, 3).astype(cut.triangles.dtype),
        cut.kind[used],
        cut.depth[used],
        cut.flow[used],
        cut.fall[used],
    )


def _across(x: _Numbers, y: _Numbers, *, axis: int, length: float) -> _Numbers:
    """Places from one border to the other, as 0 to 1."""
    return (x, y)[axis] / length + 0.5


def vertex_values(water: WaterMesh) -> _Numbers:
    """Return all that triangles take over when they are cut.

    Parameters
    ----------
    water : WaterMesh
        The triangles.

    Returns
    -------
    ndarray of float64, shape (vertices, 7)
        In the columns `PLACE`, `FLOW`, `DEPTH` and `FALL`.
    """
    return np.column_stack((water.positions, water.flow, water.depth, water.fall)).astype(np.float64)


def with_pieces(water: WaterMesh, kept: npt.NDArray[np.bool_], values: _Numbers, pieces: _Triangles) -> WaterMesh:
    """Return water with triangles of rivers cut.

    Parameters
    ----------
    water : WaterMesh
        Before.
    kept : ndarray of bool, shape (triangles,)
        Triangles that were not cut.
    values : ndarray of float64, shape (vertices, 7 or more)
        Of the old vertices and then of the new ones, as from `cut_triangles`.
    pieces : ndarray of int64, shape (pieces, 3)
        What the other triangles became.

    Returns
    -------
    WaterMesh
    """
    single = values.astype(np.float32)
    new = np.full(len(values) - len(water.kind), RIVER, water.kind.dtype)
    return WaterMesh(
        np.ascontiguousarray(single[:, PLACE]),
        np.concatenate((water.triangles[kept], pieces)).astype(water.triangles.dtype),
        np.concatenate((water.kind, new)),
        np.ascontiguousarray(single[:, DEPTH]),
        np.ascontiguousarray(single[:, FLOW]),
        np.ascontiguousarray(single[:, FALL]),
    )


def cut_triangles(
    values: _Numbers, triangles: _Triangles, places: Sequence[Callable[[_Numbers, _Numbers], _Numbers]]
) -> tuple[_Numbers, _Triangles]:
    """Cut triangles along lines, so that triangles that share an edge share the new points on it.

    Parameters
    ----------
    values : ndarray of float64, shape (vertices, numbers)
        What is known of each vertex: x and y, and what else changes evenly between vertices.
    triangles : ndarray of int64, shape (triangles, 3)
        Which vertices they have.
    places : sequence of callable
        Each takes x and y, and returns a number that changes evenly; lines are where it is a whole number.

    Returns
    -------
    values : ndarray of float64, shape (more vertices, numbers)
        The old vertices and then the new ones.
    triangles : ndarray of int64, shape (pieces, 3)
        Their vertices.
    """
    count = len(values)
    for place in places:
        while True:
            corners = place(values[:, 0], values[:, 1])[triangles]
            low, high = corners.min(axis=1, initial=np.inf), corners.max(axis=1, initial=-np.inf)
            # Lines in their order, so that triangles that share an edge cut it at the same points.
            line = np.floor(low + EXACT) + 1.0
            is_cut = line < high - EXACT
            if not is_cut.any():
                break
            values, pieces = _halved(values, triangles[is_cut], corners[is_cut] - line[is_cut, None])
            triangles = np.concatenate((triangles[~is_cut], pieces))
    new, numbers = np.unique(values[count:], axis=0, return_inverse=True)
    numbers = np.concatenate((np.arange(count), count + numbers.ravel()))
    return np.concatenate((values[:count], new)), numbers[triangles]


def _halved(values: _Numbers, triangles: _Triangles, away: _Numbers) -> tuple[_Numbers, _Triangles]:
    """Cut each triangle along a line; `away` are the distances of its corners, positive on one side of the line."""
    side = np.sign(np.where(np.abs(away) < EXACT, 0.0, away))
    on_line = (side == 0.0).any(axis=1)
    # First comes the corner that is alone on its side, or on the line.
    alone = np.where(
        on_line, np.argmin(np.abs(side), axis=1), np.argmax(side * side.sum(axis=1)[:, None] < 0.0, axis=1)
    )
    turned = (alone[:, None] + np.arange(3)) % 3
    triangles, away = np.take_along_axis(triangles, turned, 1), np.take_along_axis(away, turned, 1)
    a, b, c = triangles.T
    first, second, third = away.T
    starts = np.concatenate((b[on_line], a[~on_line], a[~on_line]))
    ends = np.concatenate((c[on_line], b[~on_line], c[~on_line]))
    from_start = np.concatenate((second[on_line], first[~on_line], first[~on_line]))
    from_end = np.concatenate((third[on_line], second[~on_line], third[~on_line]))
    # The same edge gives the same point, from whichever end it is cut.
    before, after = values[starts, :2], values[ends, :2]
    turn = (before[:, 0] > after[:, 0]) | ((before[:, 0] == after[:, 0]) & (before[:, 1] > after[:, 1]))
    starts, ends = np.where(turn, ends, starts), np.where(turn, starts, ends)
    from_start, from_end = np.where(turn, from_end, from_start), np.where(turn, from_start, from_end)
    share = (from_start / (from_start - from_end))[:, None]
    points = len(values) + np.arange(len(starts))
    values = np.concatenate((values, values[starts] * (1.0 - share) + values[ends] * share))
    whole = int(on_line.sum())
    middle, left, right = np.split(points, [whole, whole + len(a) - whole])
    a_on, b_on, c_on = triangles[on_line].T
    a_off, b_off, c_off = triangles[~on_line].T
    pieces = np.concatenate(
        (
            np.column_stack((a_on, b_on, middle)),
            np.column_stack((a_on, middle, c_on)),
            np.column_stack((a_off, left, right)),
            np.column_stack((left, b_off, c_off)),
            np.column_stack((left, c_off, right)),
        )
    )
    return values, pieces

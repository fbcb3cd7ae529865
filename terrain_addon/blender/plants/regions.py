"""Regions of a land, seen from above: around a point, within an object's bounds, along a road."""

import bpy
import numpy as np
import numpy.typing as npt
from mathutils import Matrix, Vector

from ...core.ecosystem.plants import distance_to_path
from ..data.attributes import read_positions

Places = npt.NDArray[np.float32]
"""Places as float32 (places, 2 or 3) in metres."""

_LEAST, _MOST = 0.001, 2e6  # metres; the largest land is 1,000 km wide


class Disc:
    """All places within a distance of a point; metres in the world.

    Raises
    ------
    ValueError
        If the point is not made of numbers, or the distance is out of range.
    """

    def __init__(self, middle: Vector, radius: float) -> None:
        if not np.isfinite(np.array(middle)).all():
            raise ValueError(f"the 3D cursor is at {tuple(middle)!r}, which is no place; set it in the sidebar")
        _check_length("radius", radius)
        self.middle, self.radius = middle, radius

    def distance(self, places: Places) -> Places:
        """Return how far outside the region each place lies, below 0 inside."""
        return np.hypot(places[:, 0] - self.middle.x, places[:, 1] - self.middle.y) - np.float32(self.radius)


class Box:
    """All places above or below the bounds of an object."""

    def __init__(self, item: bpy.types.Object) -> None:
        self.low, self.high = bounds_of(item)

    def distance(self, places: Places) -> Places:
        """Return how far outside the region each place lies, below 0 inside."""
        return np.maximum(self.low - places[:, :2], places[:, :2] - self.high).max(axis=1)


class Strip:
    """All places within half a width of the lines of a curve.

    Raises
    ------
    ValueError
        If the object is not a curve or has no lines, or the width is out of range.
    """

    def __init__(self, curve: bpy.types.Object, width: float) -> None:
        _check_length("width", width)
        if curve.type != "CURVE":
            raise ValueError(f"{curve.name} is a {curve.type.lower()}; a road follows a curve")
        self.paths, self.half = _lines_of(curve), 0.5 * width
        if not self.paths:
            raise ValueError(f"the curve {curve.name} has no lines")

    def distance(self, places: Places) -> Places:
        """Return how far outside the region each place lies, below 0 inside."""
        x, y = (np.ascontiguousarray(places[:, k], np.float32) for k in (0, 1))
        return np.minimum.reduce([distance_to_path(x, y, path) for path in self.paths]) - np.float32(self.half)


Region = Disc | Box | Strip


def _check_length(name: str, metres: float) -> None:
    if not _LEAST <= metres <= _MOST:
        raise ValueError(f"{name} = {metres:g} m is outside {_LEAST:g} to {_MOST:,.0f} m")


def bounds_of(item: bpy.types.Object) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the south-west and the north-east corner (x, y) of an object in the world."""
    corners = np.array([item.matrix_world @ Vector(corner) for corner in item.bound_box])[:, :2]
    return corners.min(axis=0), corners.max(axis=0)


def world_places(item: bpy.types.Object) -> Places:
    """Return where the vertices of an object are in the world."""
    return moved(read_positions(item.data), item.matrix_world)


def moved(places: npt.NDArray[np.floating], matrix: Matrix) -> Places:
    """Return places (x, y, z) moved by a matrix."""
    turn = np.array(matrix.to_3x3(), np.float64)
    return (places @ turn.T + np.array(matrix.translation)).astype(np.float32)


def _lines_of(curve: bpy.types.Object) -> list[list[tuple[float, float]]]:
    """Return the corners of each spline of a curve in the world, without its bevel and extrusion."""
    thin = curve.copy()
    thin.data = curve.data.copy()
    thin.data.bevel_depth = thin.data.extrude = thin.data.offset = 0.0
    thin.data.bevel_object = None
    thin.data.fill_mode = "FULL" if thin.data.dimensions == "3D" else "NONE"
    try:
        mesh = thin.to_mesh()
        places = [curve.matrix_world @ vertex.co for vertex in mesh.vertices]
        edges = [tuple(edge.vertices) for edge in mesh.edges]
        thin.to_mesh_clear()
    finally:
        data = thin.data
        bpy.data.objects.remove(thin)
        bpy.data.curves.remove(data)
    lines: list[list[int]] = []
    for a, b in edges:
        if lines and lines[-1][-1] == a:
            lines[-1].append(b)
        elif lines and lines[-1][0] == b:
            lines[-1].insert(0, a)
        else:
            lines.append([a, b])
    return [[(places[v].x, places[v].y) for v in line] for line in lines]

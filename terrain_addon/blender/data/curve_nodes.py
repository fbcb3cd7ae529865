"""Curves of a recipe as curves that users can drag.

Blender can show a draggable curve only where it has one of its own, such as in a *Float Curve* node.  So a hidden group
of nodes has such a node for each curve parameter, and the one that a panel shows has the points of the property.  What
users drag is read back.  The horizontal axis of the node, 0 to 1, stands for a window of values in which the curve
changes; beyond it the curve is level.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import bpy

from ...core.building.recipe import Recipe
from ...core.foundation.parameters import CURVE_SIZE, Parameter, ParameterSet, parameters_of
from .properties import group_name

CURVE_TREE = ".Landscape Curves"

# What a node remembers: which property it shows, its numbers then, and its own points then, and the window.
_SOURCE, _NUMBERS, _SHOWN, _WINDOW = "source", "numbers", "shown", "window"
# How much of the changing part of a curve is seen before and behind it.
_BEFORE, _BEHIND = 0.25, 0.5
_SMALLEST_SPAN = 1e-6

CurveOfNode = list[tuple[float, float]]


def make_curve_nodes() -> None:
    """Make the hidden group of nodes, unless the file has it already."""
    if curve_nodes() is not None:
        return
    tree = bpy.data.node_groups.new(CURVE_TREE, "ShaderNodeTree")
    tree.use_fake_user = True
    for name in sorted(_names_of_curves(Recipe)):
        node = tree.nodes.new("ShaderNodeFloatCurve")
        node.name = name


def curve_nodes() -> bpy.types.NodeTree | None:
    """Return the hidden group of nodes; None if this file has none."""
    ours = (tree for tree in bpy.data.node_groups if tree.name.startswith(CURVE_TREE) and tree.library is None)
    return next(ours, None)


def node_of_curve(group: Any, parameter: Parameter) -> bpy.types.Node | None:
    """Return the node that shows a curve of a property group; None if there is none."""
    tree = curve_nodes()
    return None if tree is None else tree.nodes.get(f"{group.bl_rna.identifier}.{parameter.name}")


def window_of_node(node: bpy.types.Node) -> tuple[float, float]:
    """Return the values at the left and right end of what a node shows."""
    low, high = node.get(_WINDOW, (0.0, 1.0))
    return low, high


def is_in_step(node: bpy.types.Node, group: Any, parameter: Parameter) -> bool:
    """Return whether a node shows a curve as it is in the property."""
    return _shows(node, group, parameter) and _points_of(node) == _pairs(node[_SHOWN])


def bring_in_step(node: bpy.types.Node, group: Any, parameter: Parameter) -> bool:
    """Let a node show a curve; if users dragged the node's points since it did, change the property.

    Parameters
    ----------
    node : Node
        From `node_of_curve`.
    group : PropertyGroup
        Holds the curve.
    parameter : Parameter
        Declares it.

    Returns
    -------
    bool
        Whether the property was changed.
    """
    if not _shows(node, group, parameter):
        _load(node, group, parameter)
        return False
    if _points_of(node) == _pairs(node[_SHOWN]):
        return False
    low, high = window_of_node(node)
    points = [(low + x * (high - low), y) for x, y in with_size(_points_of(node), CURVE_SIZE)]
    setattr(group, parameter.name, [number for point in points for number in point])
    _remember(node, group, parameter)
    return True


def with_size(points: CurveOfNode, size: int) -> CurveOfNode:
    """Return a curve of straight lines with a number of points: those that matter least go, and new ones lie on it.

    Parameters
    ----------
    points : list of (x, y)
        From left to right, two or more.
    size : int
        Two or more.

    Returns
    -------
    list of (x, y)

    Examples
    --------
    >>> with_size([(0.0, 0.0), (1.0, 1.0)], 3)
    [(0.0, 0.0), (0.5, 0.5), (1.0, 1.0)]
    >>> with_size([(0.0, 0.0), (0.4, 0.4), (0.5, 0.9), (1.0, 1.0)], 3)
    [(0.0, 0.0), (0.5, 0.9), (1.0, 1.0)]
    """
    points = list(points)
    while len(points) > size:
        areas = [_area(*points[k - 1 : k + 2]) for k in range(1, len(points) - 1)]
        del points[1 + areas.index(min(areas))]
    while len(points) < size:
        widths = [right[0] - left[0] for left, right in pairwise(points)]
        place = widths.index(max(widths))
        (x0, y0), (x1, y1) = points[place : place + 2]
        points.insert(place + 1, (0.5 * (x0 + x1), 0.5 * (y0 + y1)))
    return points


def curve_window(points: CurveOfNode, limits: tuple[float, float] | None) -> tuple[float, float]:
    """Return the range of x in which a curve is worth seeing: where it changes, and something before and behind it.

    Parameters
    ----------
    points : list of (x, y)
        From left to right.
    limits : (float, float) or None
        Beyond which x makes no sense.

    Returns
    -------
    (float, float)

    Examples
    --------
    >>> curve_window([(0.0, 1.0), (1400.0, 1.0), (2000.0, 0.0), (9000.0, 0.0)], (-12000.0, 12000.0))
    (1250.0, 2300.0)
    """
    changing = [pair for pair in pairwise(points) if pair[0][1] != pair[1][1]] or [(points[0], points[-1])]
    begin, end = changing[0][0][0], changing[-1][1][0]
    span = max(end - begin, _SMALLEST_SPAN)
    low, high = limits or (begin - span, end + span)
    return max(begin - _BEFORE * span, min(low, begin)), min(end + _BEHIND * span, max(high, end))


def _names_of_curves(cls: type[ParameterSet]) -> set[str]:
    """The names of the nodes for all curves in a parameter set and what is in it."""
    names = set()
    for parameter in parameters_of(cls):
        if parameter.kind == "curve":
            names.add(f"{group_name(cls)}.{parameter.name}")
        for member in parameter.members:
            names |= _names_of_curves(member)
    return names


def _shows(node: bpy.types.Node, group: Any, parameter: Parameter) -> bool:
    """Whether a node was given a curve as it is now."""
    return node.get(_SOURCE) == _source_of(group) and list(node[_NUMBERS]) == list(getattr(group, parameter.name))


def _source_of(group: Any) -> str:
    return f"{group.id_data.session_uid} {group.path_from_id()}"


def _load(node: bpy.types.Node, group: Any, parameter: Parameter) -> None:
    """Give a node the points of a curve."""
    numbers = list(getattr(group, parameter.name))
    points = list(zip(numbers[0::2], numbers[1::2]))
    low, high = curve_window(points, parameter.limits)
    shown = _within(points, low, high)
    mapping = node.mapping
    curve = mapping.curves[0]
    mapping.use_clip = True
    mapping.clip_min_x, mapping.clip_min_y, mapping.clip_max_x, mapping.clip_max_y = 0.0, 0.0, 1.0, 1.0
    while len(curve.points) > len(shown):
        curve.points.remove(curve.points[1])
    while len(curve.points) < len(shown):
        curve.points.new(0.5, 0.5)
    for point, (x, y) in zip(curve.points, shown):
        point.location = ((x - low) / (high - low), y)
        point.handle_type = "VECTOR"
    mapping.update()
    mapping.reset_view()
    node[_WINDOW] = (low, high)
    _remember(node, group, parameter)


def _remember(node: bpy.types.Node, group: Any, parameter: Parameter) -> None:
    """Store what a node shows."""
    node[_SOURCE] = _source_of(group)
    node[_NUMBERS] = list(getattr(group, parameter.name))
    node[_SHOWN] = [number for point in _points_of(node) for number in point]


def _within(points: CurveOfNode, low: float, high: float) -> CurveOfNode:
    """The same curve with all points in a window; it is level where points lie outside."""
    inside = [point for point in points if low <= point[0] <= high]
    before = sum(x < low for x, _ in points)
    behind = len(points) - len(inside) - before
    first, last = (inside[0], inside[-1]) if inside else (points[0], points[-1])
    left = [(low + (first[0] - low) * k / before, first[1]) for k in range(before)]
    right = [(high - (high - last[0]) * k / behind, last[1]) for k in reversed(range(behind))]
    return left + inside + right


def _points_of(node: bpy.types.Node) -> CurveOfNode:
    return [(point.location.x, point.location.y) for point in node.mapping.curves[0].points]


def _pairs(numbers: Sequence[float]) -> CurveOfNode:
    numbers = list(numbers)
    return list(zip(numbers[0::2], numbers[1::2]))


def _area(left: tuple[float, float], middle: tuple[float, float], right: tuple[float, float]) -> float:
    """The area between a curve with a point and without it, doubled."""
    across, up = right[0] - left[0], right[1] - left[1]
    return abs((middle[0] - left[0]) * up - (middle[1] - left[1]) * across)

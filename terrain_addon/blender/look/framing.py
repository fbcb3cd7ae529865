"""Framing an object in the part of a 3D view that no sidebar covers."""

from collections.abc import Sequence
from typing import NamedTuple

import bpy
from mathutils import Vector

_MARGIN = 1.08  # how much farther away than the object just fits
_THIN = 2  # pixels of a region that is hidden


class VisiblePart(NamedTuple):
    """The part of a view that nothing covers, in pixels of its region: its edges, and the size of the region."""

    left: float
    right: float
    bottom: float
    top: float
    width: float
    height: float


def look_through_camera(area: bpy.types.Area | None) -> None:
    """Let a 3D view show what the camera of the scene sees; nothing happens for another area, or in background mode."""
    if area is not None and area.type == "VIEW_3D":
        area.spaces.active.region_3d.view_perspective = "CAMERA"


def looks_through_camera(area: bpy.types.Area | None) -> bool:
    """Return whether a 3D view shows what the camera sees; scripts, which have no 3D view, always look through it."""
    return area is None or area.type != "VIEW_3D" or area.spaces.active.region_3d.view_perspective == "CAMERA"


def frame_object(area: bpy.types.Area, thing: bpy.types.Object) -> None:
    """Let a 3D view show a whole object in the middle of the part that no sidebar covers; its direction stays.

    Parameters
    ----------
    area : Area
        A 3D view.
    thing : Object
    """
    view = area.spaces.active.region_3d
    part = visible_part(area)
    if part.width < _THIN or part.height < _THIN:
        return
    if view.view_perspective == "CAMERA":
        view.view_perspective = "PERSP"
        view.update()
    # Half the width and height of the picture, for each metre of distance.
    near = 1.0 if view.is_perspective else view.view_distance
    half = (1.0 / (view.window_matrix[0][0] * near), 1.0 / (view.window_matrix[1][1] * near))
    shares = ((part.right - part.left) / part.width, (part.top - part.bottom) / part.height)
    corners = [thing.matrix_world @ Vector(corner) for corner in thing.bound_box]
    middle = sum(corners, Vector()) / len(corners)
    turn = view.view_rotation.inverted()
    seen = [turn @ (corner - middle) for corner in corners]
    tangents = half[0] * shares[0], half[1] * shares[1]
    distance = _MARGIN * distance_to_fit(seen, tangents, is_perspective=view.is_perspective)
    aside = distance * half[0] * ((part.left + part.right) / part.width - 1.0)
    above = distance * half[1] * ((part.bottom + part.top) / part.height - 1.0)
    view.view_distance = distance
    view.view_location = middle - view.view_rotation @ Vector((aside, above, 0.0))


def distance_to_fit(points: Sequence[Vector], tangents: tuple[float, float], *, is_perspective: bool) -> float:
    """Return the least distance from which all points are in the picture.

    Parameters
    ----------
    points : sequence of Vector
        To the right, upwards and towards the viewer, in metres from the middle of the picture.
    tangents : tuple of float
        Half the width and height of the picture in metres, for each metre of distance.
    is_perspective : bool
        Whether what is nearer looks larger.
    """
    along, across = tangents
    needed = [
        max(abs(point.x) / along, abs(point.y) / across) + (point.z if is_perspective else 0.0) for point in points
    ]
    return max(*needed, 1e-3)


def visible_part(area: bpy.types.Area) -> VisiblePart:
    """Return the part of a 3D view that no sidebar, toolbar or header covers."""
    main = next(region for region in area.regions if region.type == "WINDOW")
    left, right, bottom, top = 0.0, float(main.width), 0.0, float(main.height)
    for region in area.regions:
        x, y = region.x - main.x, region.y - main.y
        inside = x < main.width and x + region.width > 0 and y < main.height and y + region.height > 0
        if not inside or min(region.width, region.height) < _THIN:
            continue
        if region.type in ("UI", "TOOLS"):
            if 2 * x + region.width > main.width:
                right = min(right, float(x))
            else:
                left = max(left, float(x + region.width))
        elif region.type in ("HEADER", "TOOL_HEADER"):
            if 2 * y + region.height > main.height:
                top = min(top, float(y))
            else:
                bottom = max(bottom, float(y + region.height))
    is_open = right - left > _THIN and top - bottom > _THIN
    whole = (0.0, float(main.width), 0.0, float(main.height))
    edges = (left, right, bottom, top) if is_open else whole
    return VisiblePart(*edges, float(main.width), float(main.height))

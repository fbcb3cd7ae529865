"""A 3D view in which somebody draws on a land: rays under the mouse, and lines over the picture."""

from collections.abc import Iterable, Sequence
from typing import Any

import bpy
import gpu
import numpy as np
from bpy_extras import view3d_utils
from gpu_extras.batch import batch_for_shader
from mathutils import Vector

_LINE = (1.0, 0.55, 0.1, 1.0)  # orange, which stands out from ground and water
_LINE_WIDTH = 3.0  # pixels


class LandView:
    """Base of what is drawn over a view while a modal operator runs.

    Attributes
    ----------
    land : str
        Name of the object: an undo would make any reference to it invalid.
    view : Region
    camera : RegionView3D
    """

    def __init__(self, land: bpy.types.Object, view: bpy.types.Region, camera: bpy.types.RegionView3D) -> None:
        self.land, self.view, self.camera = land.name, view, camera
        self._drawing: Any = bpy.types.SpaceView3D.draw_handler_add(self._draw, (), "WINDOW", "POST_PIXEL")

    def remove(self) -> None:
        """Take what is drawn off the view."""
        if self._drawing is not None:
            bpy.types.SpaceView3D.draw_handler_remove(self._drawing, "WINDOW")
            self._drawing = None
            self.view.tag_redraw()

    def is_over(self, event: bpy.types.Event) -> bool:
        """Return whether the mouse is over the view, and not over a sidebar or toolbar that lies on it."""
        x, y, view = event.mouse_x, event.mouse_y, self.view
        others = (one for one in bpy.context.area.regions if one.type != "WINDOW" and min(one.width, one.height) > 1)
        return _holds(view, x, y) and not any(_holds(one, x, y) for one in others)

    def on_view(self, event: bpy.types.Event) -> tuple[int, int]:
        """Return the pixel of the view under the mouse."""
        return event.mouse_x - self.view.x, event.mouse_y - self.view.y

    def ray(self, event: bpy.types.Event) -> tuple[Vector, Vector]:
        """Return begin and direction, of length 1, of the ray under the mouse, in the space of the land."""
        mouse = self.on_view(event)
        start = view3d_utils.region_2d_to_origin_3d(self.view, self.camera, mouse)
        ahead = view3d_utils.region_2d_to_vector_3d(self.view, self.camera, mouse)
        inverse = bpy.data.objects[self.land].matrix_world.inverted_safe()
        return inverse @ start, (inverse.to_3x3() @ ahead).normalized()

    def pixels(self, land: bpy.types.Object, places: Iterable[Vector]) -> list[tuple[float, float]]:
        """Return the pixels of places in the space of the land, without those behind the camera."""
        found = [view3d_utils.location_3d_to_region_2d(self.view, self.camera, land.matrix_world @ p) for p in places]
        return [(pixel.x, pixel.y) for pixel in found if pixel is not None]

    def corners(self, land: bpy.types.Object) -> Sequence[tuple[float, float]]:
        """Return the pixels of the line to draw."""
        raise NotImplementedError

    def _draw(self) -> None:
        land = bpy.data.objects.get(self.land)
        if land is None or bpy.context.region != self.view:
            return
        line = self.corners(land)
        if len(line) > 1:
            shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
            shader.uniform_float("viewportSize", (self.view.width, self.view.height))
            shader.uniform_float("lineWidth", _LINE_WIDTH)
            shader.uniform_float("color", _LINE)
            places = np.pad(np.array(line, np.float32), ((0, 0), (0, 1)))
            batch_for_shader(shader, "LINE_STRIP", {"pos": places}).draw(shader)


def _holds(region: bpy.types.Region, x: int, y: int) -> bool:
    return region.x <= x < region.x + region.width and region.y <= y < region.y + region.height

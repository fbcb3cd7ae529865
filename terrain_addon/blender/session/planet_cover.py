"""What 3D views show of a new planet until Blender has compiled its materials: a ball in its colours.

Blender draws what has no compiled material white and opaque, air and clouds too: for seconds there would be a white
ball.  The ball is drawn over it, and changes nothing in the file.
"""

import time
from typing import Any

import bpy
import gpu
import numpy as np
from gpu_extras.batch import batch_for_shader
from mathutils import Vector

from ..data.planet_data import PlanetBall

_TICK = 0.1  # seconds
_LONGEST = 180.0  # seconds, on a machine that draws with its processor
_CALM = 0.4  # seconds without compiling after which all is done
_DRAWS = 2  # of a view, after which Blender compiles if it has to, or has drawn what it compiled
_ABOVE = 1.004  # radius as a share of that of the air
_LIGHT, _SHADE, _SHINE = (-0.45, 0.55, 0.7), 0.25, 0.85  # from the upper left of the view


class _Cover:
    """The ball over one planet."""

    def __init__(self, planet: bpy.types.Object, ball: PlanetBall, radius: float) -> None:
        # An undo would make any reference to the object invalid.
        self._planet, self._ball, self._radius = planet.name, ball, radius * _ABOVE
        self._batch: Any = None
        self._draws, self._begun, self._compiled = 0, time.monotonic(), 0.0
        self._drawing: Any = bpy.types.SpaceView3D.draw_handler_add(self._draw, (), "WINDOW", "POST_VIEW")

    def is_over(self) -> bool:
        """Whether it is needed no more."""
        now = time.monotonic()
        if bpy.app.is_job_running("SHADER_COMPILATION"):
            # What was drawn so far lacks materials.
            self._compiled, self._draws = now, 0
        has_drawn = self._draws >= _DRAWS or not _views()
        is_gone = self._planet not in bpy.data.objects or now - self._begun > _LONGEST
        return is_gone or (has_drawn and now - self._compiled > _CALM)

    def remove(self) -> None:
        """Take it off the views."""
        bpy.types.SpaceView3D.draw_handler_remove(self._drawing, "WINDOW")

    def _draw(self) -> None:
        """Draw the ball over the planet, in the 3D view that Blender draws just now."""
        planet, space = bpy.data.objects.get(self._planet), bpy.context.space_data
        if planet is None or not _compiles(space) or not planet.visible_in_viewport_get(space):
            return
        self._draws += 1
        shader = gpu.shader.from_builtin("SMOOTH_COLOR")
        if self._batch is None:
            light = planet.matrix_world.to_3x3().inverted_safe() @ (
                bpy.context.region_data.view_rotation @ Vector(_LIGHT)
            )
            self._batch = _lit(shader, self._ball, self._radius, np.array(light.normalized(), np.float32))
        gpu.state.face_culling_set("BACK")
        gpu.state.depth_test_set("NONE")
        with gpu.matrix.push_pop():
            gpu.matrix.multiply_matrix(planet.matrix_world)
            self._batch.draw(shader)
        gpu.state.face_culling_set("NONE")


_covers: list[_Cover] = []


def cover_planet(planet: bpy.types.Object, ball: PlanetBall, radius: float) -> None:
    """Show a ball instead of a new planet in all views that have to compile its materials; without a window, nothing.

    Parameters
    ----------
    planet : Object
    ball : PlanetBall
        Its colours.
    radius : float
        Of all that is drawn of the planet, in the planet's own space.
    """
    if not bpy.app.background and _views():
        _covers.append(_Cover(planet, ball, radius))
        if not bpy.app.timers.is_registered(_look):
            bpy.app.timers.register(_look, first_interval=_TICK)


def remove_covers() -> None:
    """Take all balls off the views."""
    if bpy.app.timers.is_registered(_look):
        bpy.app.timers.unregister(_look)
    while _covers:
        _covers.pop().remove()


def _look() -> float | None:
    """Remove the balls that are needed no more, and let the views draw."""
    for cover in [one for one in _covers if one.is_over()]:
        _covers.remove(cover)
        cover.remove()
    for area in _views():
        area.tag_redraw()
    return _TICK if _covers else None


def _views() -> list[bpy.types.Area]:
    """The 3D views that have to compile materials."""
    areas = (area for window in bpy.context.window_manager.windows for area in window.screen.areas)
    return [area for area in areas if area.type == "VIEW_3D" and _compiles(area.spaces.active)]


def _compiles(space: bpy.types.SpaceView3D) -> bool:
    """Whether a view shows materials with EEVEE."""
    kind = space.shading.type
    return kind == "MATERIAL" or (kind == "RENDERED" and "EEVEE" in bpy.context.scene.render.engine)


def _lit(shader: gpu.types.GPUShader, ball: PlanetBall, radius: float, light: np.ndarray[Any, Any]) -> Any:
    """The ball as what the graphics card draws."""
    brightness = _SHADE + _SHINE * np.maximum(ball.directions @ light, np.float32(0.0))
    colours = np.ones((len(ball.directions), 4), np.float32)
    colours[:, :3] = np.minimum(ball.colours * brightness[:, np.newaxis], np.float32(1.0))
    return batch_for_shader(
        shader, "TRIS", {"pos": ball.directions * np.float32(radius), "color": colours}, indices=ball.triangles
    )

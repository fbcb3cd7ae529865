"""The brush that erodes, fills and smooths the land where somebody strokes it."""

import math

import bpy
from mathutils import Vector

from ...core.erosion.brush import BRUSHES
from ..land.canvas import Canvas
from ..land.lookup import why_no_settings
from ..land.recipes import keep_strokes
from ..look.placement import check_extent
from ..session.jobs import FAILURES
from .base import InstantOperator, can_run, refuse, require_land
from .features import LandscapePoint
from .land_view import LandView
from .painting import leave_mode

_CORNERS = 48  # of the circle around the mouse
_LARGER = 1.2  # by how much [ and ] change the radius
_KEYS = {"ONE": "erode", "TWO": "fill", "THREE": "smooth"}
_HELP = "Drag to {}  ·  1 Erode  ·  2 Fill  ·  3 Smooth  ·  [ smaller  ·  ] larger ({:.0f} m)  ·  Enter or Esc: done"


class LANDSCAPE_OT_erosion_brush(InstantOperator):
    """Drag to erode, fill or smooth the land; it becomes a layer, and erosion and drawn forms are switched off"""

    bl_idname = "landscape.erosion_brush"
    bl_label = "Erosion Brush"

    brush: bpy.props.EnumProperty(
        name="Brush",
        description="What a stroke does",
        items=[(key, key.capitalize(), text) for key, text in BRUSHES.items()],
    )
    radius: bpy.props.FloatProperty(
        name="Radius", description="Radius of the brush", unit="LENGTH", default=150.0, min=0.01, max=1e5, soft_max=2000
    )
    strength: bpy.props.FloatProperty(
        name="Strength", description="Share of the effect in the middle of the brush", default=0.5, min=0.0, max=1.0
    )
    stroke: bpy.props.CollectionProperty(
        type=LandscapePoint,
        name="Stroke",
        description="Points in metres from the middle of the land",
        options={"HIDDEN", "SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether a land is active whose settings can be changed."""
        return can_run(cls, why_no_settings(context))

    def perform(self, context: bpy.types.Context) -> str:
        """Stroke the land along the given points."""
        land = require_land(context)
        leave_mode(context)
        canvas = Canvas(land)
        for point in self.stroke:
            canvas.stroke_to(point.location, self.radius, self.strength, self.brush)
        if not canvas.dabs:
            raise ValueError("the stroke has no point on the land")
        canvas.show(land)
        kept = keep_strokes(land)
        return kept.loss or f"Kept the strokes as layer {kept.layer}"

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Wait for strokes."""
        view = next((one for one in context.area.regions if one.type == "WINDOW"), None) if context.area else None
        if view is None or context.area.type != "VIEW_3D":
            self.report({"ERROR"}, "Use the brush in a 3D view")
            return {"CANCELLED"}
        try:
            leave_mode(context)
            land = require_land(context)
            check_extent(land)
            Canvas(land)
        except FAILURES as error:
            return refuse(self, error)
        self._circle = _Circle(land, view, context.area.spaces.active.region_3d)
        self._canvas: Canvas | None = None
        self._loss = ""
        context.window_manager.modal_handler_add(self)
        self._tell(context)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Stroke while the mouse is held; each stroke is a step of undo, and an undo ends the brush."""
        land = bpy.data.objects.get(self._circle.land)
        if land is None or event.type in ("ESC", "RET", "NUMPAD_ENTER", "RIGHTMOUSE"):
            return self._leave(context, land)
        if (event.ctrl or event.oskey) and event.type == "Z":  # ⌘Z on macOS
            return self._leave(context, land) | {"PASS_THROUGH"}
        if event.type == "LEFTMOUSE" and event.value == "PRESS" and self._circle.is_over(event):
            self._canvas = Canvas(land)
            self._stroke(land, event)
            return {"RUNNING_MODAL"}
        if event.type == "LEFTMOUSE" and event.value == "RELEASE" and self._canvas is not None:
            self._end_stroke(land)
            self._tell(context)
            return {"RUNNING_MODAL"}
        if event.type == "MOUSEMOVE":
            self._stroke(land, event)
            return {"PASS_THROUGH"} if self._canvas is None else {"RUNNING_MODAL"}
        if event.value == "PRESS" and (event.type in _KEYS or event.type.endswith("_BRACKET")):
            self.brush = _KEYS.get(event.type, self.brush)
            self.radius *= {"LEFT_BRACKET": 1.0 / _LARGER, "RIGHT_BRACKET": _LARGER}.get(event.type, 1.0)
            self._tell(context)
            self._circle.view.tag_redraw()
            return {"RUNNING_MODAL"}
        return {"PASS_THROUGH"}

    def cancel(self, context: bpy.types.Context) -> None:
        """Stop when Blender ends the operator, for example because another file is opened."""
        self._circle.remove()

    def _stroke(self, land: bpy.types.Object, event: bpy.types.Event) -> None:
        """Move the circle to the mouse, and the brush too while it touches the land."""
        canvas = self._canvas or self._circle.canvas_of(land)
        place = canvas.under(*self._circle.ray(event))
        self._circle.move(place, self.radius, canvas)
        if place is not None and self._canvas is not None:
            self._canvas.stroke_to(place, self.radius, self.strength, self.brush)
            self._canvas.show(land)

    def _end_stroke(self, land: bpy.types.Object) -> None:
        """Keep what the stroke made as a layer, with a step of undo."""
        canvas, self._canvas = self._canvas, None
        self._circle.forget_canvas()
        if canvas is not None and canvas.dabs:
            # Once more: what the stroke before made may have been shown meanwhile.
            canvas.show(land)
            self._loss = keep_strokes(land).loss
            if self._loss:
                self.report({"INFO"}, self._loss)
            bpy.ops.ed.undo_push(message=self.bl_label)

    def _tell(self, context: bpy.types.Context) -> None:
        # Blender shows what a running operator reports only when it ends.
        context.workspace.status_text_set(brush_status(self.brush, self.radius, self._loss))

    def _leave(self, context: bpy.types.Context, land: bpy.types.Object | None) -> set[str]:
        """End the brush; each stroke has its own step of undo, so there is nothing left to remember."""
        if land is not None:
            self._end_stroke(land)
        self._circle.remove()
        context.workspace.status_text_set(None)
        return {"CANCELLED"}


def brush_status(brush: str, radius: float, loss: str = "") -> str:
    """Return what the status bar says while the brush is in use.

    Parameters
    ----------
    brush : str
        What a stroke does.
    radius : float
        Metres.
    loss : str
        What the first stroke has switched off.
    """
    return "    ".join(part for part in (loss, _HELP.format(brush, radius)) if part)


class _Circle(LandView):
    """The circle around the mouse that shows how far the brush reaches."""

    def __init__(self, land: bpy.types.Object, view: bpy.types.Region, camera: bpy.types.RegionView3D) -> None:
        super().__init__(land, view, camera)
        self._places: list[Vector] = []
        self._resting: Canvas | None = None

    def canvas_of(self, land: bpy.types.Object) -> Canvas:
        """Return the heights between two strokes."""
        if self._resting is None:
            self._resting = Canvas(land)
        return self._resting

    def forget_canvas(self) -> None:
        """Read the heights again, because a stroke has changed them."""
        self._resting = None

    def move(self, place: Vector | None, radius: float, canvas: Canvas) -> None:
        """Lay the circle on the land around a place; take it away where there is none."""
        turns = [2.0 * math.pi * number / _CORNERS for number in range(_CORNERS + 1)]
        around = [] if place is None else [Vector((math.cos(t), math.sin(t), 0.0)) * radius + place for t in turns]
        self._places = [Vector((p.x, p.y, canvas.height_at(p))) for p in around]
        self.view.tag_redraw()

    def corners(self, land: bpy.types.Object) -> list[tuple[float, float]]:
        """Return the pixels of the circle."""
        return self.pixels(land, self._places)


CLASSES = (LANDSCAPE_OT_erosion_brush,)

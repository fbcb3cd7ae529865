"""Operators that draw features on a land, make objects of the user features, and select and remove them."""

import bpy
from mathutils import Vector

from ...core.direction.checks import left_out
from ...core.direction.features import DRAWN_FEATURES, Pad, Road, Summit
from ..data.properties import read_features
from ..data.sentences import WarningText
from ..data.view_layer import select_alone
from ..land.features import (
    add_feature,
    draw_stored_features,
    drawn_features,
    gather_features,
    refused_features,
    remove_feature,
    use_as_feature,
)
from ..land.lookup import land_of_feature, why_no_settings
from ..land.road_objects import ensure_roads
from ..look.placement import check_extent
from ..session.jobs import FAILURES
from .base import InstantOperator, can_run, refuse, require_land
from .land_view import LandView

FEATURES_BY_NAME = {cls.model(): cls for cls in DRAWN_FEATURES}
"""The kinds of features, by their names in recipes."""

_HELP = "Click: add a point    Enter or double click: done    Backspace: take back the last point    Esc: cancel"
_OUTSIDE = "This point is outside the land."

_KIND = bpy.props.EnumProperty(
    name="Kind",
    description="What is drawn",
    items=[(name, name.capitalize(), (cls.__doc__ or "").rstrip(".")) for name, cls in FEATURES_BY_NAME.items()],
)


class LandscapePoint(bpy.types.PropertyGroup):
    """A point of a line that is drawn."""

    location: bpy.props.FloatVectorProperty(
        name="Location", description="Place in metres from the middle of the land", subtype="XYZ"
    )


class _FeatureOperator(InstantOperator):
    """Base of operators on the features of the active land."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether a land is active whose settings can be changed."""
        return can_run(cls, why_no_settings(context) or ("" if context.mode == "OBJECT" else "Go to object mode first"))

    def perform(self, context: bpy.types.Context) -> str:
        """Find the land, work on its features, and let it follow; tell what it leaves out."""
        land = require_land(context)
        sentence = self.perform_on(context, land)
        gather_features(land)
        if any(isinstance(one, Road | Pad) for one in read_features(land)):
            ensure_roads(land)
        land.update_tag()
        refused = [one.removeprefix(left_out("")) for one in refused_features(land)] if sentence else []
        if not refused:
            return sentence
        return WarningText(f"{sentence.partition('; ')[0]}; left out of the land: {'; '.join(refused)}")

    def perform_on(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Do the work; see `InstantOperator.perform`."""
        raise NotImplementedError


class LANDSCAPE_OT_draw_feature(_FeatureOperator):
    """Click points on the land; Enter or a double click ends the line"""

    bl_idname = "landscape.draw_feature"
    bl_label = "Draw on Land"

    kind: _KIND
    path: bpy.props.CollectionProperty(
        type=LandscapePoint,
        name="Path",
        description="Points in metres from the middle of the land",
        options={"HIDDEN", "SKIP_SAVE"},
    )

    @classmethod
    def description(cls, context: bpy.types.Context, properties: bpy.types.OperatorProperties) -> str:
        """Return what is drawn and how, for the tooltip."""
        about = (FEATURES_BY_NAME[properties.kind].__doc__ or "").strip()
        return f"{about}\nClick points on the land; Enter or a double click ends the line"

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Wait for clicks on the land."""
        view = next((one for one in context.area.regions if one.type == "WINDOW"), None) if context.area else None
        if view is None or context.area.type != "VIEW_3D":
            self.report({"ERROR"}, "Draw in a 3D view")
            return {"CANCELLED"}
        try:
            land = require_land(context)
            check_extent(land)
        except FAILURES as error:
            return refuse(self, error)
        self._line = _Line(land, view, context.area.spaces.active.region_3d)
        context.window_manager.modal_handler_add(self)
        context.window.cursor_modal_set("CROSSHAIR")
        context.workspace.status_text_set(_HELP)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Add points where users click; what turns and moves the view is passed on."""
        line = self._line
        if event.type == "ESC" and event.value == "PRESS":
            return self._leave(context, {"CANCELLED"})
        if event.type in ("RET", "NUMPAD_ENTER", "SPACE", "RIGHTMOUSE") and event.value == "PRESS":
            return self._end(context)
        if event.type == "LEFTMOUSE" and line.is_over(event):
            if event.value == "DOUBLE_CLICK":
                return self._end(context)
            if event.value == "PRESS":
                is_on_land = line.add(event)
                # Blender shows what a running operator reports only when it ends.
                context.workspace.status_text_set(_HELP if is_on_land else f"{_OUTSIDE}    {_HELP}")
                if is_on_land and issubclass(FEATURES_BY_NAME[self.kind], Summit):
                    return self._end(context)
            return {"RUNNING_MODAL"}
        if event.type == "BACK_SPACE" and event.value == "PRESS":
            line.take_back()
            return {"RUNNING_MODAL"}
        if event.type == "MOUSEMOVE":
            line.follow(event)
        return {"PASS_THROUGH"}

    def cancel(self, context: bpy.types.Context) -> None:
        """Stop when Blender ends the operator, for example because another file is opened."""
        self._leave(context, {"CANCELLED"})

    def perform_on(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Add the feature with the points of the path."""
        check_extent(land)
        feature = FEATURES_BY_NAME[self.kind]()
        new = add_feature(land, feature, [tuple(point.location) for point in self.path])
        select_alone(new)
        return f"Drew {new[-1].name}; move its points in Edit Mode, and the land follows"

    def _end(self, context: bpy.types.Context) -> set[str]:
        """Add what was drawn, if it has points enough."""
        self.path.clear()
        for place in self._line.places:
            self.path.add().location = place
        self._leave(context, set())
        return self.execute(context)

    def _leave(self, context: bpy.types.Context, result: set[str]) -> set[str]:
        self._line.remove()
        if context.window is not None:
            context.window.cursor_modal_restore()
            context.workspace.status_text_set(None)
        return result


class _Line(LandView):
    """The line that is being drawn, shown over the 3D view."""

    def __init__(self, land: bpy.types.Object, view: bpy.types.Region, camera: bpy.types.RegionView3D) -> None:
        super().__init__(land, view, camera)
        self.places: list[Vector] = []
        self._mouse: tuple[int, int] | None = None

    def add(self, event: bpy.types.Event) -> bool:
        """Add the point of the land under the mouse; return whether there is one."""
        place = self._under(event)
        if place is not None:
            self.places.append(place)
            self.view.tag_redraw()
        return place is not None

    def take_back(self) -> None:
        """Remove the last point."""
        del self.places[-1:]
        self.view.tag_redraw()

    def follow(self, event: bpy.types.Event) -> None:
        """Draw the line up to the mouse."""
        self._mouse = self.on_view(event)
        self.view.tag_redraw()

    def _under(self, event: bpy.types.Event) -> Vector | None:
        """The place on the land under the mouse, in the space of the land."""
        start, ahead = self.ray(event)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        found, place, _, _ = bpy.data.objects[self.land].evaluated_get(depsgraph).ray_cast(start, ahead)
        return place.copy() if found else None

    def corners(self, land: bpy.types.Object) -> list[tuple[float, float]]:
        """Return the pixels of the line."""
        return [*self.pixels(land, self.places), *([self._mouse] if self._mouse else [])]


class LANDSCAPE_OT_use_as_feature(_FeatureOperator):
    """Make the selected curves, empties and meshes features of the land; they stay where they are"""

    bl_idname = "landscape.use_as_feature"
    bl_label = "Use Selected"

    kind: _KIND

    @classmethod
    def description(cls, context: bpy.types.Context, properties: bpy.types.OperatorProperties) -> str:
        """Return what becomes of the selected objects, for the tooltip."""
        about = (FEATURES_BY_NAME[properties.kind].__doc__ or "").strip()
        return f"{about}\nThe selected curves, empties and outlines of meshes become features of the land"

    def perform_on(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Make them features."""
        chosen = [one for one in context.selected_objects if one.type in ("CURVE", "EMPTY", "MESH")]
        chosen = [one for one in chosen if (one != land and one.parent != land) or one in drawn_features(land)]
        if not chosen:
            raise ValueError("select curves, empties or meshes besides the land")
        added = []
        for one in chosen:
            before = _before(one, land, self.kind)
            use_as_feature(one, land, FEATURES_BY_NAME[self.kind]())
            added.append(f"{one.name}{before}")
        return f"Added {', '.join(added)}"


def _before(drawn: bpy.types.Object, land: bpy.types.Object, kind: str) -> str:
    """What an object was until it becomes a feature of a land, to be written after its name; empty if the same."""
    other, was = land_of_feature(drawn), drawn.landscape_feature.feature.model
    if other is None or (other == land and was == kind):
        return ""
    changed = "" if was == kind else f" a {was}"
    return f" (no longer{changed}{'' if other == land else f' on {other.name}'})"


class LANDSCAPE_OT_draw_stored(_FeatureOperator):
    """Make curves for the features that came with a recipe, so that they can be edited"""

    bl_idname = "landscape.draw_stored"
    bl_label = "Show as Curves"

    def perform_on(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Make the curves."""
        return f"Made {len(draw_stored_features(land))} objects"


class _OneFeatureOperator(_FeatureOperator):
    """Base of operators on one feature of the active land."""

    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    name: bpy.props.StringProperty(name="Name", description="Name of the feature", options={"HIDDEN"})


class LANDSCAPE_OT_remove_feature(_OneFeatureOperator):
    """Remove this feature from the land. What was drawn is deleted; objects of your own stay in the file"""

    bl_idname = "landscape.remove_feature"
    bl_label = "Remove Feature"

    def perform_on(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Remove it; the land becomes active, so that its panels stay."""
        names, stays = remove_feature(land, self.name)
        select_alone([land])
        return f"Removed {' and '.join(names)}{'; the object stays in the file' if stays else ''}"


class LANDSCAPE_OT_select_feature(_OneFeatureOperator):
    """Select this feature, and show its settings"""

    bl_idname = "landscape.select_feature"
    bl_label = "Select Feature"

    def perform_on(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Make its object active and the only one that is selected."""
        drawn = next((one for one in drawn_features(land) if one.name == self.name), None)
        if drawn is None:
            raise ValueError(f"{land.name} has no object called {self.name!r}")
        if drawn.name not in context.view_layer.objects:
            raise ValueError(f"{drawn.name} is in no collection that is shown; show its collection in the outliner")
        select_alone([drawn])
        return ""


CLASSES = (
    LandscapePoint,
    LANDSCAPE_OT_draw_feature,
    LANDSCAPE_OT_use_as_feature,
    LANDSCAPE_OT_draw_stored,
    LANDSCAPE_OT_remove_feature,
    LANDSCAPE_OT_select_feature,
)

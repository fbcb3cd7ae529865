"""The operators that light a land and aim the camera at it."""

import bpy

from ...core.foundation.error_text import error_sentence
from ..data.sentences import panel_sentence
from ..land.far_ground import FarGround
from ..land.far_land import far_land_steps, hide_the_border, remove_far_land, show_far_land
from ..land.lookup import LandReference
from ..look.camera import is_users_own, view_of
from ..look.framing import look_through_camera, looks_through_camera
from ..look.scenery import set_scenery, survey_of
from ..look.views import VIEWS, next_view
from ..session.jobs import FAILURES, Task, discard_jobs_of
from .base import InstantLandOperator, LandOperator

_NEXT = "next"


class LANDSCAPE_OT_add_scenery(InstantLandOperator):
    """Add the sun, sky and camera that the scene lacks; what came with a land and was not moved is placed anew"""

    bl_idname = "landscape.add_scenery"
    bl_label = "Place Sun and Camera"

    def perform_on(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Look for the best view of the land, and place camera and sun for it."""
        set_scenery(context.scene, land)
        return ""


class LANDSCAPE_OT_next_view(InstantLandOperator):
    """Move the camera to its next place and turn the sun to suit, except what you moved; the overview adds far land"""

    bl_idname = "landscape.next_view"
    bl_label = "Camera"

    view: bpy.props.EnumProperty(
        name="View",
        description="What the camera shows",
        items=[
            (_NEXT, "Next", "The view after the one that the camera shows"),
            *((name, name.replace("_", "-").capitalize(), kind.shows) for name, kind in VIEWS.items()),
        ],
        options={"SKIP_SAVE"},
    )

    def perform_on(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Look for the best view of one kind, and place camera and sun for it."""
        scene = context.scene
        if is_users_own(scene.camera):
            raise ValueError(
                f"{scene.camera.name} is your own camera or was moved by you, so it stays; "
                "to see other views, delete it and press Camera again"
            )
        name = self._next_of(context) if self.view == _NEXT else self.view
        set_scenery(scene, land, survey_of(scene, land, name))
        # The overview is the one view that shows the border from all sides.
        lacking = _without_far_land(land, scene) if name == "overview" else ""
        look_through_camera(context.area)
        return f"View: {name.replace('_', '-')}. {VIEWS[name].shows}{lacking}"

    def _next_of(self, context: bpy.types.Context) -> str:
        """The view after the one that the 3D view shows; the one of the camera itself if nobody looks through it."""
        before = view_of(context.scene.camera)
        return next_view(before) if before not in VIEWS or looks_through_camera(context.area) else before


def _without_far_land(land: bpy.types.Object, scene: bpy.types.Scene) -> str:
    """Hide the border of a land, or say why it stays, as the end of a text: the camera has its new place already."""
    try:
        hide_the_border(land, scene)
    except FAILURES as error:
        return f", without far land. {panel_sentence(error_sentence(error))}"
    return ""


class LANDSCAPE_OT_add_far_land(LandOperator):
    """Show coarse land beyond the border, so that no view ends at a cut edge; it is removed when the ground changes"""

    bl_idname = "landscape.add_far_land"
    bl_label = "Far Land"

    def prepare_for(self, land: bpy.types.Object) -> Task:
        """Return the task that makes the ground around a land."""
        reference = LandReference.of(land)

        def show(ground: FarGround) -> str:
            return show_far_land(reference, ground)

        return Task("Far Land", far_land_steps(land), show, land.session_uid)


class LANDSCAPE_OT_remove_far_land(InstantLandOperator):
    """Show nothing beyond the border again"""

    bl_idname = "landscape.remove_far_land"
    bl_label = "Remove Far Land"

    def perform_on(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Remove the object and its mesh."""
        if land.landscape.far_land is None:
            raise ValueError("this land has no far land")
        discard_jobs_of(land.session_uid)
        remove_far_land(land)
        return f"Removed the far land of {land.name}"


CLASSES = (
    LANDSCAPE_OT_add_scenery,
    LANDSCAPE_OT_next_view,
    LANDSCAPE_OT_add_far_land,
    LANDSCAPE_OT_remove_far_land,
)

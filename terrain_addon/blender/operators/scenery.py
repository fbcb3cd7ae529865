"""The operator that lights a land and aims the camera at it."""

import bpy

from ..look.scenery import set_scenery
from .base import InstantLandOperator


class LANDSCAPE_OT_add_scenery(InstantLandOperator):
    """Add the sun, sky and camera that the scene lacks; those of ours that you have not moved are placed again"""

    bl_idname = "landscape.add_scenery"
    bl_label = "Place Sun and Camera"

    def perform_on(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Look for the best view of the land, and place camera and sun for it."""
        set_scenery(context.scene, land)
        return ""


CLASSES = (LANDSCAPE_OT_add_scenery,)

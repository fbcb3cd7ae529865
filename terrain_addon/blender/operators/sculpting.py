"""Operators that turn surfaces of the user into land: a sculpted land, any mesh."""

import bpy

from ..land.importing import recipe_of_mesh
from ..land.lookup import why_no_settings
from ..land.recipes import keep_sculpted_surface
from ..session.jobs import Task
from ..session.making import NewLand, new_land_task
from .base import InstantLandOperator, TaskOperator, can_run


class LANDSCAPE_OT_keep_sculpt(InstantLandOperator):
    """Add the sculpted surface of the land to its relief as a layer; erosion and drawn forms are switched off"""

    bl_idname = "landscape.keep_sculpt"
    bl_label = "Keep Sculpted Surface"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether a land is active, also while it is being sculpted."""
        return can_run(cls, why_no_settings(context))

    def perform(self, context: bpy.types.Context) -> str:
        """Leave the mode for sculpting, because the land cannot change in it; then keep the surface."""
        if context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        return super().perform(context)

    def perform_on(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Store the surface and add the layer."""
        kept = keep_sculpted_surface(land)
        return kept.loss or f"Kept the surface as layer {kept.layer}"


class LANDSCAPE_OT_generate_from_mesh(TaskOperator):
    """Make a landscape with the heights and the size of the active mesh; it can be eroded, watered and planted"""

    bl_idname = "landscape.generate_from_mesh"
    bl_label = "New Landscape from Mesh"

    resolution: bpy.props.IntProperty(
        name="Resolution", description="Vertices from west to east", default=513, min=2, max=8193, soft_max=2049
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether the active object is a mesh in object mode."""
        active = context.active_object
        is_mesh = active is not None and active.type == "MESH" and context.mode == "OBJECT"
        return can_run(cls, "" if is_mesh else "Select a mesh in object mode first")

    def prepare(self, context: bpy.types.Context) -> Task:
        """Read the heights and return the task that builds a land with them."""
        mesh = context.active_object
        return new_land_task(context, NewLand(f"{mesh.name} Landscape", recipe_of_mesh(mesh, self.resolution)))


CLASSES = (LANDSCAPE_OT_keep_sculpt, LANDSCAPE_OT_generate_from_mesh)

"""Operators that make a landscape of what the user has: a sculpted land, any mesh."""

import time
from functools import partial

import bpy
from bpy.app.translations import pgettext_rpt as rpt_

from ...core.building.layers import Layer, Relief
from ...core.building.plant_stages import ATTRIBUTE
from ...core.building.recipe import Recipe
from ...core.relief.stored_heights import StoredHeights
from ..data.mesh_heights import heights_of_mesh
from ..data.properties import read_recipe, write_recipe
from ..land.building import landscape_steps
from ..land.inputs import MESH
from ..land.sculpting import keep_surface
from ..session.jobs import Task
from .base import LandscapeOperator, active_land, why_not
from .generate import show_new


class LANDSCAPE_OT_keep_sculpt(bpy.types.Operator):
    """Make the land as it was sculpted a layer of its relief; erosion is switched off, and can be switched on again"""

    bl_idname = "landscape.keep_sculpt"
    bl_label = "Keep Sculpted Surface"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether there is a landscape that can be changed."""
        reason = why_not(context)
        if reason:
            cls.poll_message_set(reason)
        return not reason

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Store the surface, and add the layer."""
        land = active_land(context)
        if land is None:
            return {"CANCELLED"}
        try:
            recipe = read_recipe(land)
            name = keep_surface(land)
        except ValueError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        layer = Layer(name=name.capitalize(), source=StoredHeights(key=ATTRIBUTE + name), blend="replace")
        relief = recipe.relief.replace(layers=(*recipe.relief.layers, layer))
        erosion = tuple(process.replace(enabled=False) for process in recipe.erosion)
        write_recipe(land, recipe.replace(relief=relief, erosion=erosion))
        land.update_tag()
        self.report({"INFO"}, rpt_("Kept the surface as layer {name}").format(name=layer.name))
        return {"FINISHED"}


class LANDSCAPE_OT_generate_from_mesh(LandscapeOperator):
    """Make a landscape that has the heights of the active mesh, at its size, to erode, water and plant it"""

    bl_idname = "landscape.generate_from_mesh"
    bl_label = "New Landscape from Mesh"

    resolution: bpy.props.IntProperty(
        name="Resolution", description="Vertices from west to east", default=513, min=2, max=8193, soft_max=2049
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether a mesh is active that is no landscape."""
        active = context.active_object
        if active is None or active.type != "MESH" or context.mode != "OBJECT":
            cls.poll_message_set("Select a mesh in object mode first")
            return False
        return True

    def prepare(self, context: bpy.types.Context) -> Task:
        """Read the heights, then build a landscape on them."""
        mesh = context.active_object
        heights = heights_of_mesh(mesh)
        if heights is None or heights.cell_size is None:
            raise ValueError(rpt_("{name} has no surface to look down on").format(name=mesh.name))
        rows, columns = heights.heights.shape
        layer = Layer(name=mesh.name, source=StoredHeights(key=MESH + mesh.name))
        recipe = Recipe(
            width=(columns - 1) * heights.cell_size,
            depth=(rows - 1) * heights.cell_size,
            resolution=self.resolution,
            relief=Relief(layers=(layer,)),
        )
        title = f"{mesh.name} Landscape"
        return Task(title, landscape_steps(recipe), partial(show_new, context, title, True, time.perf_counter()))


CLASSES = (LANDSCAPE_OT_keep_sculpt, LANDSCAPE_OT_generate_from_mesh)

"""Operators that plant and clear."""

from functools import partial

import bpy

from ...core.landscape import Landscape
from .. import live
from ..building import landscape_steps
from ..jobs import Task
from ..land_objects import clear_plants, set_plants
from ..properties import read_recipe
from .base import LandOperator, active_land, still_there


class LANDSCAPE_OT_scatter_plants(LandOperator):
    """Plant the species of this landscape where soil, light and water suit them"""

    bl_idname = "landscape.scatter_plants"
    bl_label = "Scatter Plants"

    def prepare_for(self, land: bpy.types.Object) -> Task:
        """Place plants, then show them."""
        steps = landscape_steps(read_recipe(land), "plants", land)
        return Task("Plants", steps, partial(_show, land.session_uid, land.name))


class LANDSCAPE_OT_clear_plants(LandOperator):
    """Remove all plants of this landscape"""

    bl_idname = "landscape.clear_plants"
    bl_label = "Clear Plants"

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Remove the object that carries the plants."""
        land = active_land(context)
        if land is None or land.landscape.plants is None:
            self.report({"ERROR"}, "This landscape has no plants")
            return {"CANCELLED"}
        clear_plants(land)
        self.report({"INFO"}, "Cleared the plants")
        return {"FINISHED"}

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Nothing to wait for."""
        return self.execute(context)


def _show(uid: int, name: str, landscape: Landscape) -> str:
    land = still_there(uid, name)
    if not landscape.plants:
        raise ValueError("nowhere on this land suits any of its species; change their response curves or the cover")
    set_plants(land, landscape)
    live.is_current(land, landscape)
    return f"Planted {len(landscape.plants)}"


CLASSES = (LANDSCAPE_OT_scatter_plants, LANDSCAPE_OT_clear_plants)

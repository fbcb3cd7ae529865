"""Operators that plant and clear."""

import bpy

from ..jobs import build_landscape
from ..land_objects import clear_plants, set_plants
from ..properties import read_recipe
from .base import LandOperator, active_land


class LANDSCAPE_OT_scatter_plants(LandOperator, bpy.types.Operator):
    """Plant the species of this landscape where soil, light and water suit them"""

    bl_idname = "landscape.scatter_plants"
    bl_label = "Scatter Plants"

    def perform(self, context: bpy.types.Context) -> str:
        """Place plants and show them."""
        land = active_land(context)
        landscape = build_landscape(read_recipe(land))
        if len(landscape.plants) == 0:
            raise ValueError("nowhere on this land suits any of its species; change their response curves or the cover")
        set_plants(land, landscape)
        return f"Planted {len(landscape.plants)}"


class LANDSCAPE_OT_clear_plants(LandOperator, bpy.types.Operator):
    """Remove all plants of this landscape"""

    bl_idname = "landscape.clear_plants"
    bl_label = "Clear Plants"

    def perform(self, context: bpy.types.Context) -> str:
        """Remove the object that carries the plants."""
        land = active_land(context)
        if land.landscape.plants is None:
            raise ValueError("this landscape has no plants")
        clear_plants(land)
        return "Cleared the plants"


CLASSES = (LANDSCAPE_OT_scatter_plants, LANDSCAPE_OT_clear_plants)

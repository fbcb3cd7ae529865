"""Operators that plant and clear."""

import bpy

from ..jobs import build_landscape
from ..land_objects import clear_plants, set_plants
from ..properties import read_recipe
from .base import LandOperator


class LANDSCAPE_OT_scatter_plants(LandOperator):
    """Plant the species of this landscape where soil, light and water suit them"""

    bl_idname = "landscape.scatter_plants"
    bl_label = "Scatter Plants"

    def work_on(self, land: bpy.types.Object) -> str:
        """Place plants and show them."""
        landscape = build_landscape(read_recipe(land))
        if not landscape.plants:
            raise ValueError("nowhere on this land suits any of its species; change their response curves or the cover")
        set_plants(land, landscape)
        return f"Planted {len(landscape.plants)}"


class LANDSCAPE_OT_clear_plants(LandOperator):
    """Remove all plants of this landscape"""

    bl_idname = "landscape.clear_plants"
    bl_label = "Clear Plants"

    def work_on(self, land: bpy.types.Object) -> str:
        """Remove the object that carries the plants."""
        if land.landscape.plants is None:
            raise ValueError("this landscape has no plants")
        clear_plants(land)
        return "Cleared the plants"


CLASSES = (LANDSCAPE_OT_scatter_plants, LANDSCAPE_OT_clear_plants)

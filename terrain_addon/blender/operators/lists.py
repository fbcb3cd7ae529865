"""Operators on the lists of a recipe: layers of the relief, processes of erosion, species."""

from typing import Any

import bpy

from ...core.building.given_land import fit_to_land
from ..data import recipe_lists
from ..data.curve_nodes import make_curve_nodes
from ..data.properties import read_recipe, series_of, write_recipe
from .base import InstantLandOperator, InstantOperator


class _ListOperator(InstantLandOperator):
    """Base: `series` is the path of the list in the recipe, such as relief.layers."""

    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    series: bpy.props.StringProperty(name="List", description="Path of the list in the recipe", options={"HIDDEN"})

    def perform_on(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Change the list, and let the land follow."""
        recipe_lists.check_series(self.series)
        items, owner, index_name = series_of(land.landscape.recipe, self.series)
        index = min(max(getattr(owner, index_name), 0), max(len(items) - 1, 0))
        setattr(owner, index_name, self.change(items, index))
        # Changes by Python do not reach the dependency graph.
        land.update_tag()
        return ""

    def change(self, items: Any, index: int) -> int:
        """Change the list; return the index of the item that is active afterwards."""
        raise NotImplementedError


class LANDSCAPE_OT_list_add(_ListOperator):
    """Add an item with default settings at the end of the list"""

    bl_idname = "landscape.list_add"
    bl_label = "Add"

    model: bpy.props.StringProperty(name="Model", description="Kind of item", options={"HIDDEN"})

    def change(self, items: Any, index: int) -> int:
        """Add an item of the chosen kind."""
        recipe_lists.check_model(self.series, self.model)
        return recipe_lists.add_item(items, self.model)

    def perform_on(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Add an item; a process of erosion begins with settings that suit the land."""
        done = super().perform_on(context, land)
        if self.series == "erosion":
            recipe = read_recipe(land)
            *others, added = recipe.erosion
            fitting = fit_to_land(added, recipe.relief)
            if fitting != added:
                write_recipe(land, recipe.replace(erosion=(*others, fitting)))
        return done


class LANDSCAPE_OT_list_duplicate(_ListOperator):
    """Add a copy of the active item after it"""

    bl_idname = "landscape.list_duplicate"
    bl_label = "Duplicate"

    def change(self, items: Any, index: int) -> int:
        """Copy the active item."""
        return recipe_lists.duplicate_item(items, index)


class LANDSCAPE_OT_list_remove(_ListOperator):
    """Remove the active item"""

    bl_idname = "landscape.list_remove"
    bl_label = "Remove"

    def change(self, items: Any, index: int) -> int:
        """Remove the active item."""
        return recipe_lists.remove_item(items, index)


class LANDSCAPE_OT_list_move(_ListOperator):
    """Move the active item up or down; items higher in the list work first"""

    bl_idname = "landscape.list_move"
    bl_label = "Move"

    step: bpy.props.IntProperty(name="Step", description="−1 is up, 1 is down", default=1, min=-1, max=1)

    def change(self, items: Any, index: int) -> int:
        """Move the active item."""
        return recipe_lists.move_item(items, index, self.step)


class LANDSCAPE_OT_show_curves(InstantOperator):
    """Show the curves of settings, to be dragged; a land that was appended from another file has none at first"""

    bl_idname = "landscape.show_curves"
    bl_label = "Show Curves"

    def perform(self, context: bpy.types.Context) -> str:
        """Make the nodes that hold the curves."""
        make_curve_nodes()
        return ""


CLASSES = (
    LANDSCAPE_OT_list_add,
    LANDSCAPE_OT_list_duplicate,
    LANDSCAPE_OT_list_remove,
    LANDSCAPE_OT_list_move,
    LANDSCAPE_OT_show_curves,
)

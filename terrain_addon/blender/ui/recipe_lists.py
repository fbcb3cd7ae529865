"""How the lists of a recipe are drawn: layers of relief, processes of erosion, species."""

from typing import Any

import bpy

from ...core.foundation.parameters import Parameter, menu_name
from ..data import pictures
from ..data.properties import series_of
from ..data.recipe_lists import SERIES
from ..session.land_states import problems_of
from .parameter_drawing import Advanced, draw_one_of


class LANDSCAPE_UL_items(bpy.types.UIList):
    """Items of a list in the recipe: a switch where they have one, and a name"""

    def draw_item(
        self,
        context: bpy.types.Context,
        layout: bpy.types.UILayout,
        data: Any,
        item: Any,
        icon: int,
        active_data: Any,
        active_property: str,
    ) -> None:
        """Show one item."""
        chosen = getattr(item, item.model) if "model" in item.bl_rna.properties else item
        row = layout.row(align=True)
        row.use_property_split = False
        if "enabled" in chosen.bl_rna.properties:
            row.prop(chosen, "enabled", text="")
            row.active = chosen.enabled
        if "model" in item.bl_rna.properties:
            row.label(text=item.bl_rna.properties["model"].enum_items[item.model].name)
            return
        if "form" in item.bl_rna.properties:
            pictures.fill_plants()
            # A species keeps its name in small letters, because attributes and meshes have it too.
            row.label(text=menu_name(item.name), icon_value=pictures.plant_icon(item.form), translate=False)
        else:
            row.prop(item, "name", text="", emboss=False)
        if any(f"{item.name!r}" in sentence for sentence in problems_of(item.id_data)):
            row.label(text="", icon="ERROR")


def draw_list(layout: bpy.types.UILayout, recipe: Any, path: str, advanced: Advanced) -> None:
    """Show a list of the recipe with its buttons, and below it the settings of the active item.

    Parameters
    ----------
    layout : UILayout
    recipe : PropertyGroup
        The recipe of a land.
    path : str
        One of `data.recipe_lists.SERIES`, such as ``relief.layers``.
    advanced : Advanced
        Collects the advanced settings of the active item.
    """
    items, owner, index_name = series_of(recipe, path)
    declared = SERIES[path]
    row = layout.row()
    # One item has nowhere to move, and needs no more rows than buttons.
    can_move, rows = len(items) > 1, 3 if len(items) < 2 else 4
    row.template_list("LANDSCAPE_UL_items", path, owner, declared.name, owner, index_name, rows=rows)
    buttons = row.column(align=True)
    if len(declared.members) > 1:
        buttons.menu(_menu_name(path), text="", icon="ADD")
    else:
        buttons.operator("landscape.list_add", text="", icon="ADD").series = path
    buttons.operator("landscape.list_remove", text="", icon="REMOVE").series = path
    buttons.operator("landscape.list_duplicate", text="", icon="DUPLICATE").series = path
    for step, icon in ((-1, "TRIA_UP"), (1, "TRIA_DOWN")) if can_move else ():
        move = buttons.operator("landscape.list_move", text="", icon=icon)
        move.series, move.step = path, step
    index = getattr(owner, index_name)
    if 0 <= index < len(items):
        draw_one_of(layout.column(align=True), items[index], declared, path, advanced, with_menu=False)


def _menu_name(path: str) -> str:
    return f"LANDSCAPE_MT_add_to_{path.replace('.', '_')}"


def _add_menu(path: str, declared: Parameter) -> type[bpy.types.Menu]:
    """Return the menu of models that can be added to a list."""

    def draw(menu: bpy.types.Menu, context: bpy.types.Context) -> None:
        for member in declared.members:
            add = menu.layout.operator("landscape.list_add", text=member.title())
            add.series, add.model = path, member.model()

    name = _menu_name(path)
    return type(name, (bpy.types.Menu,), {"bl_label": "Add", "bl_idname": name, "draw": draw})


CLASSES = (
    LANDSCAPE_UL_items,
    *(_add_menu(path, declared) for path, declared in SERIES.items() if len(declared.members) > 1),
)

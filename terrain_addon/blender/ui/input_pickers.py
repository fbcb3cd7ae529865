"""How things are chosen that a recipe names: masks and heights of the land, collections, attributes.

A name without anything behind it is shown in red, with a sentence that says what is missing.
"""

from collections.abc import Callable
from typing import Any

import bpy

from ...core.building.recipe import Appearance
from ...core.ecosystem.species import Species
from ...core.maps.masks import PaintedMask
from ...core.relief.stored_heights import StoredHeights
from ..data.properties import group_name
from ..land.inputs import GROUP, offered_heights, offered_masks, offered_paint, why_no_input
from .readable_text import draw_sentence


def _pick_mask(layout: bpy.types.UILayout, group: Any) -> None:
    """Show which painted mask is used, and the button that paints it."""
    _pick_key(layout, group, "MASK", offered_masks(group.id_data))
    if not group.key or group.key.startswith(GROUP):
        layout.operator("landscape.paint_mask", icon="BRUSH_DATA").path = group.path_from_id()


def _pick_heights(layout: bpy.types.UILayout, group: Any) -> None:
    """Show which stored heights are used."""
    _pick_key(layout, group, "HEIGHTS", offered_heights(group.id_data))


def _pick_key(layout: bpy.types.UILayout, group: Any, kind: str, offered: dict[str, str]) -> None:
    """Show the choice of an input by the name that users gave it."""
    missing = why_no_input(group.key, group.id_data)
    row = layout.row(align=True)
    row.alert = missing != ""
    name = offered.get(group.key, group.key.partition(":")[2] or "Choose")
    icon = "GROUP_VERTEX" if group.key.startswith(GROUP) else "MESH_DATA"
    choice = row.operator_menu_enum("landscape.choose_input", "key", text=name, icon=icon)
    choice.kind, choice.path = kind, group.path_from_id()
    if missing:
        _explain(layout, missing)


def _pick_collection(layout: bpy.types.UILayout, group: Any) -> None:
    """Show which collection a species takes its models from."""
    is_missing = group.collection != "" and group.collection not in bpy.data.collections
    row = layout.row()
    row.alert = is_missing
    row.prop_search(group, "collection", bpy.data, "collections")
    if is_missing:
        _explain(layout, f"There is no collection called {group.collection!r}; the built-in models are used")


def _draw_size(layout: bpy.types.UILayout, group: Any) -> None:
    """Show how high and how wide a species is, in one row."""
    row = layout.row(align=True)
    row.prop(group, "height", text="Height, Radius")
    row.prop(group, "radius", text="")


def _draw_season(layout: bpy.types.UILayout, group: Any) -> None:
    """Show the season, greyed out while the day of the winter is taken instead."""
    row = layout.row()
    row.enabled = not group.id_data.landscape.recipe.winter.enabled
    # With its unit the name would be cut off in a sidebar of usual width.
    row.prop(group, "season", text="Season")


def _draw_nothing(layout: bpy.types.UILayout, group: Any) -> None:
    """Show nothing: another parameter shows this one beside it."""


def _pick_paint(layout: bpy.types.UILayout, group: Any) -> None:
    """Show which vertex group or attribute a species responds to, and the button that paints it."""
    is_missing = group.painted_map not in offered_paint(group.id_data)
    row = layout.row(align=True)
    row.alert = is_missing
    icon = "GROUP_VERTEX" if group.painted_map else "NONE"
    choice = row.operator_menu_enum("landscape.choose_input", "key", text=group.painted_map or "Not Painted", icon=icon)
    choice.kind, choice.path = "SPECIES", group.path_from_id()
    row.operator("landscape.paint_species", text="", icon="BRUSH_DATA")
    if is_missing:
        _explain(layout, f"This land has no vertex group or attribute called {group.painted_map!r}")


def _explain(layout: bpy.types.UILayout, sentence: str) -> None:
    """Show in red what is missing."""
    column = layout.column()
    column.alert = True
    draw_sentence(column, bpy.context, sentence, "ERROR")


PICKERS: dict[tuple[str, str], Callable[[bpy.types.UILayout, Any], None]] = {
    (group_name(PaintedMask), "key"): _pick_mask,
    (group_name(StoredHeights), "key"): _pick_heights,
    (group_name(Appearance), "season"): _draw_season,
    (group_name(Species), "collection"): _pick_collection,
    (group_name(Species), "height"): _draw_size,
    (group_name(Species), "radius"): _draw_nothing,
    (group_name(Species), "painted_map"): _pick_paint,
}
"""Functions that draw a parameter in another way than its kind asks for, by its property group and name."""

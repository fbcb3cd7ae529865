"""Operators that choose what a mask or a layer takes from the land, and open the brush for a mask."""

from typing import Any

import bpy

from ...core.maps.masks import PaintedMask
from ..data.properties import group_name
from ..data.vertex_weights import fill_group
from ..land.inputs import GROUP, offered_heights, offered_masks
from ..land.lookup import active_land, why_settings_are_locked
from .base import InstantOperator, can_run, require_land

_OFFERS = {"MASK": offered_masks, "HEIGHTS": offered_heights}
_NOTHING = [("", "Nothing is painted on this land", "", "INFO", 0)]

# Blender needs the texts of a menu for as long as it is open.
_items: list[tuple[str, str, str, str, int]] = []


def _offered(operator: Any, context: bpy.types.Context | None) -> list[tuple[str, str, str, str, int]]:
    """Return what there is to choose from on the active land, as items of a menu."""
    land = active_land(context) if context is not None else None
    if land is None or land.type != "MESH":
        return _NOTHING
    _items[:] = [
        (key, name, f"Use {key}", "GROUP_VERTEX" if key.startswith(GROUP) else "MESH_DATA", number)
        for number, (key, name) in enumerate(_OFFERS[operator.kind](land).items())
    ]
    return _items or _NOTHING


class _InputOperator(InstantOperator):
    """Base of operators on a mask or layer of the active land, in any mode."""

    path: bpy.props.StringProperty(
        name="Path", description="Where the settings are that name the input, from the land on", options={"HIDDEN"}
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether a land is active whose settings can be changed."""
        land = active_land(context)
        return can_run(cls, "Select a landscape first" if land is None else why_settings_are_locked(land))

    def settings(self, land: bpy.types.Object) -> Any:
        """Return the settings that name the input.

        Raises
        ------
        ValueError
            If the land has none at this path.
        """
        try:
            found = land.path_resolve(self.path)
        except ValueError:
            found = None
        if "key" not in getattr(getattr(found, "bl_rna", None), "properties", ()):
            raise ValueError(f"path = {self.path!r} leads to no mask or stored heights of {land.name}")
        return found


class LANDSCAPE_OT_choose_input(_InputOperator):
    """Choose a vertex group or an attribute of this land, or another mesh"""

    bl_idname = "landscape.choose_input"
    bl_label = "Choose Input"

    kind: bpy.props.EnumProperty(
        name="Kind",
        description="What the input is for",
        items=[("MASK", "Mask", "What was painted"), ("HEIGHTS", "Heights", "What was sculpted, or another mesh")],
        options={"HIDDEN"},
    )
    key: bpy.props.EnumProperty(name="Input", description="What is used", items=_offered)

    def perform(self, context: bpy.types.Context) -> str:
        """Write the key of the input to the settings."""
        land = require_land(context)
        self.settings(land).key = self.key
        land.update_tag()
        return ""


class LANDSCAPE_OT_paint_mask(_InputOperator):
    """Paint where this mask acts: opens Weight Paint with the right vertex group, which is made if it is missing"""

    bl_idname = "landscape.paint_mask"
    bl_label = "Paint Mask"

    def perform(self, context: bpy.types.Context) -> str:
        """Make the vertex group active, and open Weight Paint."""
        land = require_land(context)
        settings = self.settings(land)
        if settings.bl_rna.identifier != group_name(PaintedMask):
            raise ValueError(f"path = {self.path!r} leads to no painted mask of {land.name}")
        name = settings.key.removeprefix(GROUP) or "Mask"
        if context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        group = land.vertex_groups.get(name)
        if group is None:
            group = land.vertex_groups.new(name=name)
            fill_group(land, group)
        land.vertex_groups.active_index = group.index
        settings.key = GROUP + group.name
        context.view_layer.objects.active = land
        bpy.ops.object.mode_set(mode="WEIGHT_PAINT")
        land.update_tag()
        return f"Paint the mask {group.name}: it acts fully where the land is red, and not where it is blue"


CLASSES = (LANDSCAPE_OT_choose_input, LANDSCAPE_OT_paint_mask)

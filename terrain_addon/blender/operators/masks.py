"""Operators that choose what a mask, a layer or a species takes from the land, and open the brush for a mask."""

from typing import Any

import bpy

from ...core.ecosystem.species import Species
from ...core.maps.masks import PaintedMask
from ...core.relief.stored_heights import StoredHeights
from ..data.properties import group_name
from ..land.inputs import GROUP, offered_heights, offered_masks, offered_paint
from ..land.lookup import active_land, why_no_settings
from ..land.painting import painted_group
from .base import InstantOperator, can_run, require_land
from .painting import leave_mode, open_brush

_OFFERS = {"MASK": offered_masks, "HEIGHTS": offered_heights, "SPECIES": offered_paint}
# Settings that name an input, and the property that holds its key or name.
_MEMBERS = {group_name(PaintedMask): "key", group_name(StoredHeights): "key", group_name(Species): "painted_map"}
_NOTHING = [("", "Nothing is painted on this land", "", "INFO", 0)]

# Blender needs the texts of a menu for as long as it is open.
_items: list[tuple[str, str, str, str, int]] = []


def _offered(operator: Any, context: bpy.types.Context | None) -> list[tuple[str, str, str, str, int]]:
    """Return what there is to choose from on the active land, as items of a menu."""
    land = active_land(context) if context is not None else None
    if land is None or land.type != "MESH":
        return _NOTHING
    _items[:] = [
        (key, name, f"Use {key or 'nothing'}", _icon(land, key), number)
        for number, (key, name) in enumerate(_OFFERS[operator.kind](land).items())
    ]
    return _items or _NOTHING


def _icon(land: bpy.types.Object, key: str) -> str:
    is_group = key.startswith(GROUP) or key in land.vertex_groups
    return "GROUP_VERTEX" if is_group else "MESH_DATA" if key else "X"


class _InputOperator(InstantOperator):
    """Base of operators on a mask or layer of the active land, in any mode."""

    path: bpy.props.StringProperty(
        name="Path", description="Where the settings are that name the input, from the land on", options={"HIDDEN"}
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether a land is active whose settings can be changed."""
        return can_run(cls, why_no_settings(context))

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
        if getattr(getattr(found, "bl_rna", None), "identifier", "") not in _MEMBERS:
            raise ValueError(f"path = {self.path!r} leads to no mask or stored heights of {land.name}")
        return found


class LANDSCAPE_OT_choose_input(_InputOperator):
    """Choose a vertex group or an attribute of this land, or another mesh"""

    bl_idname = "landscape.choose_input"
    bl_label = "Choose Input"

    kind: bpy.props.EnumProperty(
        name="Kind",
        description="What the input is for",
        items=[
            ("MASK", "Mask", "What was painted"),
            ("HEIGHTS", "Heights", "What was sculpted, or another mesh"),
            ("SPECIES", "Species", "What was painted for a species"),
        ],
        options={"HIDDEN"},
    )
    key: bpy.props.EnumProperty(name="Input", description="What is used", items=_offered)

    def perform(self, context: bpy.types.Context) -> str:
        """Write the key of the input to the settings."""
        land = require_land(context)
        settings = self.settings(land)
        setattr(settings, _MEMBERS[settings.bl_rna.identifier], self.key)
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
        leave_mode(context)
        group = painted_group(land, settings.key or GROUP + "Mask", 0.0)
        settings.key = GROUP + group.name
        open_brush(context, land, 1.0)
        return f"Paint the mask {group.name}: it acts fully where the land is red, and not where it is blue"


CLASSES = (LANDSCAPE_OT_choose_input, LANDSCAPE_OT_paint_mask)

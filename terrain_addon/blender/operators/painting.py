"""Operators that open a brush for what is painted on a land, change its weight, and forget what was painted."""

import bpy

from .. import compat
from ..land.lookup import why_no_settings
from ..land.painting import (
    PURPOSES,
    begin_painting,
    begin_painting_species,
    forget_painting,
    painted_names,
    what_is_painted,
)
from .base import InstantLandOperator, InstantOperator, can_run, require_land


def leave_mode(context: bpy.types.Context) -> None:
    """Go to object mode, from whatever mode the active object is in."""
    if context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")


def open_brush(context: bpy.types.Context, land: bpy.types.Object, weight: float) -> None:
    """Open Weight Paint on the active vertex group of a land, with a brush of this weight."""
    leave_mode(context)
    context.view_layer.objects.active = land
    land.select_set(True)
    bpy.ops.object.mode_set(mode="WEIGHT_PAINT")
    # Blender can show weight 0 in black; we speak of blue.
    context.tool_settings.vertex_group_user = "NONE"
    _set_weight(context, weight)
    land.update_tag()


def _set_weight(context: bpy.types.Context, weight: float) -> None:
    settings = compat.brush_settings(context)
    settings.use_unified_weight, settings.weight = True, weight


class _BrushOperator(InstantOperator):
    """Base of operators that open a brush on the active land, in any mode."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether a land is active whose settings can be changed."""
        return can_run(cls, why_no_settings(context))

    def perform(self, context: bpy.types.Context) -> str:
        """Leave the mode, in which vertex groups cannot be made; then open the brush."""
        land = require_land(context)
        leave_mode(context)
        group = self.prepare(land)
        purpose = what_is_painted(land)
        open_brush(context, land, 1.0 - purpose.begin if purpose is not None else 1.0)
        return f"Painting {group.name}; the land follows each stroke"

    def prepare(self, land: bpy.types.Object) -> bpy.types.VertexGroup:
        """Return the vertex group to paint, made and connected where it is missing."""
        raise NotImplementedError


class LANDSCAPE_OT_paint(_BrushOperator):
    """Paint where something acts: opens Weight Paint; vertex group and settings are connected for you"""

    bl_idname = "landscape.paint"
    bl_label = "Paint on Land"

    purpose: bpy.props.EnumProperty(
        name="What",
        description="What is painted",
        items=[(key, one.label, f"Red: {one.red}. Blue: {one.blue}") for key, one in PURPOSES.items()],
    )

    @classmethod
    def description(cls, context: bpy.types.Context, properties: bpy.types.OperatorProperties) -> str:
        """Return what a stroke of the brush does, for the tooltip."""
        purpose = PURPOSES[properties.purpose]
        return f"Open a brush. Red: {purpose.red}. Blue: {purpose.blue}. The land follows each stroke"

    def prepare(self, land: bpy.types.Object) -> bpy.types.VertexGroup:
        """Connect the vertex group of the purpose."""
        return begin_painting(land, PURPOSES[self.purpose])


class LANDSCAPE_OT_paint_species(_BrushOperator):
    """Open Weight Paint for the active species: at first all land is red; the species does not grow where it is blue"""

    bl_idname = "landscape.paint_species"
    bl_label = "Paint Species"

    def prepare(self, land: bpy.types.Object) -> bpy.types.VertexGroup:
        """Connect the vertex group of the species."""
        ecosystem = land.landscape.recipe.ecosystem
        if not 0 <= ecosystem.species_index < len(ecosystem.species):
            raise ValueError("choose a species in the list first")
        return begin_painting_species(land, ecosystem.species[ecosystem.species_index])


class LANDSCAPE_OT_set_brush(InstantOperator):
    """Choose whether the brush adds or takes away"""

    bl_idname = "landscape.set_brush"
    bl_label = "Set Brush"
    bl_options = {"INTERNAL"}

    weight: bpy.props.FloatProperty(name="Weight", description="Weight that the brush paints", min=0.0, max=1.0)

    def perform(self, context: bpy.types.Context) -> str:
        """Set the weight of all brushes."""
        _set_weight(context, self.weight)
        return ""


class LANDSCAPE_OT_forget_paint(InstantLandOperator):
    """Remove what was painted; the land is as it was before"""

    bl_idname = "landscape.forget_paint"
    bl_label = "Forget Paint"

    purpose: bpy.props.EnumProperty(
        name="What",
        description="What was painted",
        items=[(key, one.label, f"Red: {one.red}. Blue: {one.blue}") for key, one in PURPOSES.items()],
    )

    def perform_on(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Disconnect the vertex group and remove it."""
        purpose = PURPOSES[self.purpose]
        if not painted_names(land, purpose):
            raise ValueError(f"nothing is painted for {purpose.label.lower()}")
        forget_painting(land, purpose)
        land.update_tag()
        return f"Forgot what was painted for {purpose.label.lower()}"


CLASSES = (LANDSCAPE_OT_paint, LANDSCAPE_OT_paint_species, LANDSCAPE_OT_set_brush, LANDSCAPE_OT_forget_paint)

"""The panel for what is drawn on the land: rivers, ridges, lakes, roads, and the settings of each."""

import bpy

from ...core.foundation.parameters import parameters_of
from ..data.pictures import profile_icon
from ..land.features import drawn_features, stored_only
from ..land.lookup import land_of_feature, mode_name
from ..land.road_objects import profile_of_road, sentence_of_road
from ..operators.features import FEATURES_BY_NAME
from .land_panel import LandPanel
from .parameter_drawing import PLAIN_KINDS, Advanced, draw_parameter
from .readable_text import draw_sentence

_ICONS = {
    "river": "MOD_FLUIDSIM",
    "ridge": "RNDCURVE",
    "valley": "TRIA_DOWN",
    "cliff": "LINCURVE",
    "lake": "MESH_CIRCLE",
    "shore": "MOD_OCEAN",
    "summit": "EMPTY_SINGLE_ARROW",
    "road": "CURVE_PATH",
    "pad": "MESH_PLANE",
}
_PROFILE_SCALE = 8.0  # heights of a button
_SHOWN_ABOVE = ("name", "enabled", "points")


class VIEW3D_PT_landscape_features(LandPanel):
    """Rivers, ridges, lakes and roads that are drawn on the land, which erosion obeys"""

    bl_label = "Draw"
    part = "ground"

    def draw_land(self, context: bpy.types.Context, layout: bpy.types.UILayout, land: bpy.types.Object) -> None:
        """Show the buttons, what is drawn, and the settings of the active feature."""
        grid = layout.grid_flow(columns=3, even_columns=True, align=True)
        for kind in FEATURES_BY_NAME:
            draw = grid.operator("landscape.draw_feature", text=kind.capitalize(), icon=_ICONS[kind], translate=False)
            draw.kind = kind
        if context.mode != "OBJECT":
            draw_sentence(layout, context, f"{_way_out(context.active_object)}, then draw", "INFO")
        layout.operator_menu_enum("landscape.use_as_feature", "kind", text="Use Selected Objects as", icon="CURVE_DATA")
        column = layout.column(align=True)
        for drawn in drawn_features(land):
            _draw_row(column, drawn, is_active=drawn == context.active_object)
        stored = stored_only(land)
        for name in stored:
            row = column.row(align=True)
            row.label(text=name or "Without a name", icon="FILE", translate=False)
            row.operator("landscape.remove_feature", text="", icon="X").name = name
        if stored:
            layout.operator("landscape.draw_stored", icon="CURVE_DATA")
        active = context.active_object
        if active is not None and land_of_feature(active) == land:
            _draw_road(layout, context, land, active.name)
            _draw_settings(layout.column(align=True), active)


def _way_out(active: bpy.types.Object) -> str:
    """How users get back to object mode, in which the buttons work."""
    key = "Press Tab to leave" if active.mode == "EDIT" else "Leave"
    return f"{key} {mode_name(active)}"


def _draw_row(layout: bpy.types.UILayout, drawn: bpy.types.Object, *, is_active: bool) -> None:
    """Show a feature: whether it takes part, its name, and the button that removes it."""
    holder = drawn.landscape_feature.feature
    row = layout.row(align=True)
    row.use_property_split = False
    row.prop(getattr(holder, holder.model), "enabled", text="")
    select = row.operator(
        "landscape.select_feature", text=drawn.name, icon=_ICONS[holder.model], depress=is_active, translate=False
    )
    select.name = drawn.name
    row.operator("landscape.remove_feature", text="", icon="X").name = drawn.name


def _draw_settings(layout: bpy.types.UILayout, drawn: bpy.types.Object) -> None:
    """Show the settings of a feature."""
    settings = drawn.landscape_feature
    holder = settings.feature
    layout.prop(drawn, "name")
    layout.prop(holder, "model", text="Kind")
    group, advanced = getattr(holder, holder.model), Advanced()
    declared = [p for p in parameters_of(FEATURES_BY_NAME[holder.model]) if p.name not in _SHOWN_ABOVE]
    for parameter in declared:
        if parameter.kind in PLAIN_KINDS and not parameter.advanced:
            draw_parameter(layout, group, parameter, "feature", advanced)
    layout.prop(settings, "takes_heights")
    advanced.add(group, [p for p in declared if p.advanced], "feature")
    advanced.draw(layout, "feature")


def _draw_road(layout: bpy.types.UILayout, context: bpy.types.Context, land: bpy.types.Object, name: str) -> None:
    """Show what is known of a road, and fold it from the side."""
    sentence, profile = sentence_of_road(land, name), profile_of_road(land, name)
    if sentence:
        draw_sentence(layout, context, sentence, "INFO")
    if profile is None:
        return
    header, body = layout.panel("landscape.profile", default_closed=True)
    header.label(text=f"Profile, {profile.lowest:.0f} to {profile.highest:.0f} m", translate=False)
    if body is not None:
        body.template_icon(profile_icon(profile), scale=_PROFILE_SCALE)


CLASSES = (VIEW3D_PT_landscape_features,)

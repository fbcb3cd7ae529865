"""What the sub-panels of the tab *Landscape* have in common."""

import bpy

from ..land.lookup import active_land, why_settings_are_locked
from ..session.land_states import is_stale


class LandPanel(bpy.types.Panel):
    """Base of the panels that are shown only while a land is active."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Landscape"
    bl_parent_id = "VIEW3D_PT_landscape"
    bl_options = {"DEFAULT_CLOSED"}

    # Part of the land that the panel is about.  A sign in the header tells users when that part is out of date.
    part = ""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether a land is active."""
        return active_land(context) is not None

    def draw_header_preset(self, context: bpy.types.Context) -> None:
        """Mark what is out of date; in the header, so that no slider moves while users drag it."""
        land = active_land(context)
        if self.part and land is not None and is_stale(land, self.part):
            self.layout.label(text="", icon="TIME")

    def draw(self, context: bpy.types.Context) -> None:
        """Show a part of the active land, greyed out if it cannot be changed."""
        land = active_land(context)
        if land is not None:
            layout = self.layout.column()
            layout.use_property_split = True
            layout.use_property_decorate = True
            layout.enabled = why_settings_are_locked(land) == ""
            self.draw_land(context, layout, land)

    def draw_land(self, context: bpy.types.Context, layout: bpy.types.UILayout, land: bpy.types.Object) -> None:
        """Show a part of a land."""
        raise NotImplementedError

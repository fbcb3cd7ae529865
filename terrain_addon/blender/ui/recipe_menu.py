"""The menu of presets and recipe files, beside the name of the land."""

import bpy

from ...core.building.recipe import preset_names
from ..data.own_presets import own_presets, title


class LANDSCAPE_MT_recipes(bpy.types.Menu):
    """Presets and recipe files"""

    bl_label = "Recipe"

    def draw(self, context: bpy.types.Context) -> None:
        """Show what can be done with recipes."""
        layout = self.layout
        for name in preset_names():
            layout.operator("landscape.apply_preset", text=title(name)).name = name
        own = own_presets()
        if own:
            layout.separator()
        for name in own:
            row = layout.row(align=True)
            row.operator("landscape.apply_preset", text=name, icon="USER", translate=False).name = name
            row.operator("landscape.remove_preset", text="", icon="X").name = name
        layout.separator()
        layout.operator("landscape.save_preset", icon="ADD")
        layout.operator("landscape.load_recipe", icon="IMPORT")
        layout.operator("landscape.save_recipe", icon="EXPORT")
        layout.operator("landscape.copy_recipe_as_python", icon="COPYDOWN")
        layout.operator("landscape.reset_recipe", icon="LOOP_BACK")


def register() -> None:
    """Register the menu."""
    bpy.utils.register_class(LANDSCAPE_MT_recipes)


def unregister() -> None:
    """Unregister the menu."""
    bpy.utils.unregister_class(LANDSCAPE_MT_recipes)

"""The keys of the extension: Esc in a 3D view stops what is being computed."""

import bpy

from ..operators.generate import LANDSCAPE_OT_cancel

_added: list[tuple[bpy.types.KeyMap, bpy.types.KeyMapItem]] = []


def register() -> None:
    """Add the keys; without a window there is no map of keys."""
    keys = bpy.context.window_manager.keyconfigs.addon
    if keys is not None:
        # This map counts in all parts of a 3D view, also in the sidebar.
        view = keys.keymaps.new(name="3D View Generic", space_type="VIEW_3D")
        _added.append((view, view.keymap_items.new(LANDSCAPE_OT_cancel.bl_idname, "ESC", "PRESS")))


def unregister() -> None:
    """Remove the keys."""
    for view, item in _added:
        view.keymap_items.remove(item)
    _added.clear()

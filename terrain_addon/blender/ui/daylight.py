"""What the panel of material and light shows of sun, sky and haze."""

import bpy

from ..land.far_land import has_far_land
from ..look.atmosphere import HAZE_GROUP
from ..look.nodes import SHADER_TREE, find_group
from ..look.sun import sun_of
from ..look.world import has_our_sky
from .readable_text import draw_sentence


def draw_daylight(layout: bpy.types.UILayout, context: bpy.types.Context, land: bpy.types.Object) -> None:
    """Show direction and haze, or the button that adds what is missing."""
    scene = context.scene
    if sun_of(scene) is None:
        draw_sentence(layout, context, "The scene has no sun", "INFO")
    else:
        # The time of day is one of the main sliders, right above.
        layout.prop(scene.landscape_daylight, "direction")
        if not has_our_sky(scene):
            draw_sentence(layout, context, "The world is your own, so the sky does not follow the sun", "INFO")
    haze = find_group(HAZE_GROUP, SHADER_TREE)
    if haze is not None and "Amount" in haze.nodes:
        layout.prop(haze.nodes["Amount"].outputs[0], "default_value", text="Haze")
    row = layout.row(align=True)
    row.operator("landscape.add_scenery", text="Sun", icon="LIGHT_SUN")
    row.operator("landscape.next_view", icon="OUTLINER_OB_CAMERA")
    row.operator("landscape.add_far_land", icon="WORLD")
    if has_far_land(land):
        row.operator("landscape.remove_far_land", text="", icon="X")

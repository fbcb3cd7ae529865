"""Plants are hidden while somebody paints on their land, because they would cover the colours, and shown after."""

import bpy

_PAINT_MODES = ("WEIGHT_PAINT", "VERTEX_PAINT")
# Custom property of plants that were hidden by this.
_HIDDEN = "landscape_hidden_by_brush"


def follow_mode(land: bpy.types.Object) -> None:
    """Hide the plants of a land when painting begins, and show them when it has ended.

    Who shows them while painting sees them until the end.

    Parameters
    ----------
    land : Object
    """
    plants = land.landscape.plants
    if plants is None or not plants.is_editable:
        return
    is_painted = land.mode in _PAINT_MODES
    if is_painted and _HIDDEN not in plants and not plants.hide_viewport:
        plants.hide_viewport = plants[_HIDDEN] = True
    elif not is_painted and _HIDDEN in plants:
        plants.hide_viewport = False
        del plants[_HIDDEN]

"""How sentences, numbers and names are written in the panels."""

import textwrap

import bpy

from ..data.sentences import panel_sentence

_USUAL_WIDTH = 280  # pixels of a sidebar
_LETTER_WIDTH = 6.5  # pixels, on average, at Blender's usual text size
_MARGIN = 6.0  # letters, for the icon and the borders of the sidebar
_SHORTEST_LINE = 12  # letters


def draw_sentence(layout: bpy.types.UILayout, context: bpy.types.Context, text: str, icon: str) -> None:
    """Show a sentence on as many lines as it needs in the sidebar; the icon stands before the first line."""
    pixels = context.region.width if context.region is not None else _USUAL_WIDTH
    width = pixels / (_LETTER_WIDTH * (context.preferences.system.ui_scale or 1.0)) - _MARGIN
    column = layout.column(align=True)
    column.scale_y = 0.8
    for line in textwrap.wrap(panel_sentence(text), max(round(width), _SHORTEST_LINE)):
        column.label(text=line, icon=icon)
        icon = "BLANK1"


def readable_number(value: float) -> str:
    """Write a number with three digits, a large one as a whole number with separators."""
    return f"{value:,.0f}" if abs(value) >= 1000.0 else f"{value:.3g}"


def readable_volume(cubic_metres: float) -> str:
    """Write a volume in a unit that suits its size: cubic metres of a landscape have too many digits."""
    if abs(cubic_metres) >= 1e9:
        return f"{cubic_metres / 1e9:.3g} km³"
    if abs(cubic_metres) >= 1e6:
        return f"{cubic_metres / 1e6:.3g} million m³"
    return f"{cubic_metres:,.0f} m³"


def readable_name(name: str) -> str:
    """Write the name of a map as users read it: ``wet_ground`` is "Wet ground"."""
    return name.replace("_", " ").capitalize()

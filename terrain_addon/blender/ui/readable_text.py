"""How sentences, numbers and names are written in the panels."""

import textwrap
from collections.abc import Sequence

import bpy

from ..data.sentences import panel_sentence

_USUAL_WIDTH = 280  # pixels of a sidebar
_LETTER_WIDTH = 6.5  # pixels, on average, at Blender's usual text size
_MARGIN = 8.5  # letters, for the icon, the borders of the sidebar and its tabs
_SHORTEST_LINE = 12  # letters
# Longer problems are folded, so that they do not push what is below them out of the window.
_MOST_LINES, _LINES_ABOVE_FOLD = 6, 2


def draw_sentence(layout: bpy.types.UILayout, context: bpy.types.Context, text: str, icon: str) -> None:
    """Show a sentence on as many lines as it needs in the sidebar; the icon stands before the first line."""
    _draw_lines(layout, _lines_of(context, text), icon)


def draw_problems(layout: bpy.types.UILayout, context: bpy.types.Context, sentences: Sequence[str]) -> None:
    """Show problems; of many or long ones the first lines, and all of them in a part that is closed at first."""
    found = [_lines_of(context, sentence) for sentence in sentences]
    if sum(map(len, found)) > _MOST_LINES:
        first = found[0][:_LINES_ABOVE_FOLD]
        _draw_lines(layout, [*first[:-1], f"{first[-1]}…" if len(found[0]) > len(first) else first[-1]], "ERROR")
        header, layout = layout.panel("landscape.problems", default_closed=True)
        header.label(text=f"All {len(found)} Warnings" if len(found) > 1 else "Whole Warning")
    if layout is not None:
        for lines in found:
            _draw_lines(layout, lines, "ERROR")


def letters_across(context: bpy.types.Context) -> int:
    """Return how many letters fit into a line of the sidebar, beside an icon."""
    pixels = context.region.width if context.region is not None else _USUAL_WIDTH
    width = pixels / (_LETTER_WIDTH * (context.preferences.system.ui_scale or 1.0)) - _MARGIN
    return max(round(width), _SHORTEST_LINE)


def _lines_of(context: bpy.types.Context, text: str) -> list[str]:
    """The lines of a sentence as the sidebar is wide enough for them."""
    return textwrap.wrap(panel_sentence(text), letters_across(context))


def _draw_lines(layout: bpy.types.UILayout, lines: Sequence[str], icon: str) -> None:
    """Show the lines of a sentence close to one another."""
    column = layout.column(align=True)
    column.scale_y = 0.8
    for line in lines:
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

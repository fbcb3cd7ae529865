"""The panel that compares a land with real land."""

import math

import bpy

from ...core.maps.realism import RealismNumber
from ..land.judging import is_judgement_stale, judgements
from .land_panel import LandPanel
from .readable_text import draw_sentence


class VIEW3D_PT_landscape_realism(LandPanel):
    """How much the land is like real land"""

    bl_label = "Realism"
    part = "ground"

    def draw_land(self, context: bpy.types.Context, layout: bpy.types.UILayout, land: bpy.types.Object) -> None:
        """Show the button and the last result: each number beside the range of real land."""
        layout.operator_menu_enum("landscape.check_realism", "land_class", text="Check as", icon="VIEWZOOM")
        judgement = judgements.get(land.session_uid)
        if judgement is None:
            return
        realism = judgement.realism
        stale = is_judgement_stale(land, judgement)
        result = f"{realism.score} of {len(realism.numbers)}"
        if stale:
            result += ", before the last change"
        layout.label(text=result, icon="TIME" if stale else "CHECKMARK")
        table = layout.column(align=True)
        table.active = not stale
        for number in realism.numbers:
            _draw_number(table, number)
        for sentence in realism.too_perfect:
            draw_sentence(layout, context, f"Too perfect: {sentence}", "INFO")


def _draw_number(layout: bpy.types.UILayout, number: RealismNumber) -> None:
    """Show a number of the realism check, and its range in real land."""
    row = layout.row()
    row.label(
        text=number.name.capitalize(), icon="DOT" if number.exempt else ("CHECKMARK" if number.passed else "ERROR")
    )
    value = row.row()
    value.alignment = "RIGHT"
    measured = "–" if math.isnan(number.value) else f"{number.value:.2f}"
    value.label(text=f"{measured} {number.unit} ({_range_of(number)})")


def _range_of(number: RealismNumber) -> str:
    """Write the range of real land, which may have only one end."""
    if math.isinf(number.low):
        return f"< {number.high:g}"
    return f"> {number.low:g}" if math.isinf(number.high) else f"{number.low:g} – {number.high:g}"


CLASSES = (VIEW3D_PT_landscape_realism,)

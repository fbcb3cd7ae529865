"""What the panel of maps shows of a comparison with real land."""

import bpy

from ...core.maps.realism import RealismNumber
from ..land.judging import is_judgement_stale, judgements
from .readable_text import draw_sentence


def draw_realism(layout: bpy.types.UILayout, context: bpy.types.Context, land: bpy.types.Object) -> None:
    """Show the button, the last result as a sentence, and folded each number beside the range of real land."""
    layout.operator_menu_enum("landscape.check_realism", "land_class", text="Check as", icon="VIEWZOOM")
    judgement = judgements.get(land.session_uid)
    if judgement is None:
        return
    realism = judgement.realism
    stale = is_judgement_stale(land, judgement)
    draw_sentence(layout, context, realism.plain_sentence, "TIME" if stale else "CHECKMARK")
    for sign in realism.too_perfect:
        draw_sentence(layout, context, f"Too perfect: {sign.rpartition(': ')[2]}.", "INFO")
    if stale:
        draw_sentence(layout, context, "(Checked before your last change.)", "BLANK1")
    header, body = layout.panel("landscape.realism_numbers", default_closed=True)
    header.label(text="Numbers")
    if body is not None:
        table = body.column(align=True)
        table.active = not stale
        for number in realism.numbers:
            _draw_number(table, number)
        for sign in realism.too_perfect:
            draw_sentence(table, context, sign, "INFO")


def _draw_number(layout: bpy.types.UILayout, number: RealismNumber) -> None:
    """Show a number of the realism check, and its range in real land."""
    row = layout.row()
    row.label(text=number.name.capitalize(), icon="CHECKMARK" if number.passed else "ERROR")
    value = row.row()
    value.alignment = "RIGHT"
    value.label(text=f"{number.shown} {number.unit} ({number.range})".replace("  ", " "))

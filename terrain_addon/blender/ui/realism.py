"""What the panel of maps shows of a comparison with real land."""

import math

import bpy

from ...core.maps.realism import Realism, RealismNumber
from ..land.judging import is_judgement_stale, judgements
from .readable_text import draw_sentence

_REAL_LAND = 6  # of the eight numbers: as many as any real land passes


def draw_realism(layout: bpy.types.UILayout, context: bpy.types.Context, land: bpy.types.Object) -> None:
    """Show the button, the last result as a sentence, and folded each number beside the range of real land."""
    layout.operator_menu_enum("landscape.check_realism", "land_class", text="Check as", icon="VIEWZOOM")
    judgement = judgements.get(land.session_uid)
    if judgement is None:
        return
    realism = judgement.realism
    stale = is_judgement_stale(land, judgement)
    sentence = _sentence_of(realism)
    if stale:
        sentence += ", before the last change"
    draw_sentence(layout, context, sentence, "TIME" if stale else "CHECKMARK")
    for sign in realism.too_perfect:
        draw_sentence(layout, context, f"Too perfect: {sign}", "INFO")
    header, body = layout.panel("landscape.realism_numbers", default_closed=True)
    header.label(text="Numbers")
    if body is not None:
        table = body.column(align=True)
        table.active = not stale
        for number in realism.numbers:
            _draw_number(table, number)


def _sentence_of(realism: Realism) -> str:
    """Say how real a land looks, with the mark."""
    mark = f"{realism.score} of {len(realism.numbers)}"
    if realism.score >= len(realism.numbers) - 1:
        return f"{mark}: hard to tell from real land"
    if realism.score >= _REAL_LAND:
        return f"{mark}: like real land"
    worst = next((number.name for number in realism.numbers if not number.passed), "")
    return f"{mark}: unlike real land, first of all its {worst}"


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

"""A drawing that compares recipes: each of the eight numbers of the realism check, beside measured land."""

import math
from collections.abc import Iterator, Sequence
from html import escape
from itertools import chain

from ..core.building.comparing import Compared
from ..core.maps.realism import RealismNumber

# Sizes in pixels: of a panel, of the space around its diagram, and of a line of text.
_PANEL_WIDTH, _TOP, _LEFT, _RIGHT, _BOTTOM, _ROW = 460, 44, 160, 24, 26, 22
_PANELS_A_LINE = 2
_DIGITS = 4
_LEGEND = "Green: measured land, with its median. Red: does not pass. Dots: lands of a recipe, with their median."
_COLOURS = ("#1f6f8b", "#b5562b", "#3c7a3a", "#7b4a9e", "#8a6d1d", "#a8324a", "#3b5ba5", "#5f6b6d")


def draw_comparison(recipes: Sequence[Compared]) -> str:
    """Draw how real the lands of recipes are.

    A panel shows one number: a band for the range of measured land, a line for its median, a tinted side where land
    does not pass, and for each recipe a dot for every land and a stroke for their median.

    Parameters
    ----------
    recipes : sequence of Compared
        One or more.

    Returns
    -------
    str
        An SVG drawing.
    """
    numbers = list({number.name: number for one in recipes for number in one.lands[0].numbers}.values())
    panel_height = _TOP + _ROW * len(recipes) + _BOTTOM
    lines = -(-len(numbers) // _PANELS_A_LINE)
    width, height = _PANELS_A_LINE * _PANEL_WIDTH, lines * panel_height + _ROW
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for place, number in enumerate(numbers):
        line, column = divmod(place, _PANELS_A_LINE)
        parts.append(f'<g transform="translate({column * _PANEL_WIDTH} {line * panel_height})">')
        parts += _panel(number, recipes)
        parts.append("</g>")
    parts.append(f'<text x="16" y="{height - 8}" fill="#555">{_LEGEND}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _panel(number: RealismNumber, recipes: Sequence[Compared]) -> Iterator[str]:
    """Yield the parts of the panel of one number."""
    values = [
        [found.value for land in one.lands for found in land.numbers if found.name == number.name] for one in recipes
    ]
    marks = number.low, number.high, *number.real
    known = [value for value in chain(marks, *values) if math.isfinite(value)]
    margin = 0.06 * (max(known) - min(known)) or 1.0
    low, high = min(known) - margin, max(known) + margin
    bottom = _TOP + _ROW * len(recipes)
    across = _PANEL_WIDTH - _LEFT - _RIGHT

    def x(value: float) -> float:
        return round(_LEFT + across * (min(max(value, low), high) - low) / (high - low), 1)

    unit = f", {number.unit}" if number.unit else ""
    yield f'<text x="{_LEFT}" y="24" font-weight="bold">{escape(number.name + unit)}</text>'
    for begin, end in ((low, number.low), (number.high, high)):
        if math.isfinite(begin) and math.isfinite(end):
            yield _band(x(begin), x(end), bottom, "#f6e3e0")
    if math.isfinite(number.real.lowest) and math.isfinite(number.real.highest):
        yield _band(x(number.real.lowest), x(number.real.highest), bottom, "#dcebd9")
    if math.isfinite(number.real.median):
        yield _stroke(x(number.real.median), _TOP, bottom, "#5b8a57", 2)
    yield f'<line x1="{_LEFT}" x2="{_PANEL_WIDTH - _RIGHT}" y1="{bottom}" y2="{bottom}" stroke="#888"/>'
    for tick in _ticks(low, high):
        yield _stroke(x(tick), bottom, bottom + 4, "#888", 1)
        yield f'<text x="{x(tick)}" y="{bottom + 17}" text-anchor="middle" fill="#555">{tick:.{_DIGITS}g}</text>'
    for row, (one, found) in enumerate(zip(recipes, values)):
        yield from _row(one.name, [x(value) for value in found if math.isfinite(value)], row)


def _row(name: str, places: Sequence[float], row: int) -> Iterator[str]:
    """Yield the name of a recipe, a dot for each of its lands, and a stroke for their median."""
    colour, middle = _COLOURS[row % len(_COLOURS)], _TOP + _ROW * row + _ROW // 2
    yield f'<text x="{_LEFT - 8}" y="{middle + 4}" text-anchor="end" fill="{colour}">{escape(name)}</text>'
    if not places:
        yield f'<text x="{_LEFT + 4}" y="{middle + 4}" fill="#888">none of its numbers, or too level</text>'
        return
    for place in places:
        yield f'<circle cx="{place}" cy="{middle}" r="3.5" fill="{colour}" fill-opacity="0.55"/>'
    half = sorted(places)[len(places) // 2], sorted(places)[(len(places) - 1) // 2]
    yield _stroke(round(sum(half) / 2.0, 1), middle - 8, middle + 8, colour, 2)


def _band(left: float, right: float, bottom: float, colour: str) -> str:
    width = round(max(right - left, 0.0), 1)
    return f'<rect x="{left}" y="{_TOP}" width="{width}" height="{bottom - _TOP}" fill="{colour}"/>'


def _stroke(x: float, top: float, bottom: float, colour: str, width: int) -> str:
    return f'<line x1="{x}" x2="{x}" y1="{top}" y2="{bottom}" stroke="{colour}" stroke-width="{width}"/>'


def _ticks(low: float, high: float) -> list[float]:
    """Return up to six round numbers between two."""
    step = 10.0 ** math.floor(math.log10(high - low))
    step *= next(share for share in (0.1, 0.2, 0.5, 1.0, 2.0) if (high - low) / (step * share) <= 6.0)
    return [step * count for count in range(math.ceil(low / step), math.floor(high / step) + 1)]

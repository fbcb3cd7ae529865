"""The tables of numbers and of classes of land for the page about realism, from their declaration."""

import math
from pathlib import Path

from terrain_addon.core.maps.land_classes import CLASSES, MEANINGS, Criterion

_MARK, _END = "<!-- {} -->\n", "<!-- end of {} -->\n"


def write_class_table(page: Path) -> None:
    """Write the tables into a page, between their marks."""
    text = page.read_text(encoding="utf-8")
    page.write_text(with_class_table(text), encoding="utf-8")


def with_class_table(text: str) -> str:
    """Return a page with the tables as they are now."""
    for name, table in (("numbers", number_table()), ("classes", class_table())):
        head, _, rest = text.partition(_MARK.format(name))
        text = head + _MARK.format(name) + table + _END.format(name) + rest.partition(_END.format(name))[2]
    return text


def number_table() -> str:
    """Return Markdown: a row for each number, with what it says."""
    return (
        "\n".join(["| number | what it says |", "|---|---|", *(f"| {n} | {m} |" for n, m in MEANINGS.items())]) + "\n"
    )


def class_table() -> str:
    """Return Markdown: a row for each number of each class."""
    lines = ["| class | number | passes | source |", "|---|---|---|---|"]
    for name, one in CLASSES.items():
        lines += [f"| {name} | {number.name} | {_range(number)} | {number.source} |" for number in one.criteria]
    return "\n".join(lines) + "\n"


def _range(number: Criterion) -> str:
    if math.isinf(number.low):
        text = f"below {number.high:g}"
    else:
        text = f"above {number.low:g}" if math.isinf(number.high) else f"{number.low:g} to {number.high:g}"
    return f"{text} {number.unit}".rstrip()

"""The table of classes of land for the page about realism, from their declaration."""

import math
from pathlib import Path

from terrain_addon.core.maps.land_classes import CLASSES, Criterion

_BEGIN, _END = "<!-- classes -->\n", "<!-- end of classes -->\n"


def write_class_table(page: Path) -> None:
    """Write the table into a page, between its marks."""
    text = page.read_text(encoding="utf-8")
    page.write_text(with_class_table(text), encoding="utf-8")


def with_class_table(text: str) -> str:
    """Return a page with the table as it is now."""
    head, _, rest = text.partition(_BEGIN)
    return head + _BEGIN + class_table() + _END + rest.partition(_END)[2]


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

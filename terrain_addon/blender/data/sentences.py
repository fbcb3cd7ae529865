"""Sentences of core in the words of the panels."""

import re

from ...core.foundation.parameters import menu_name

# How core begins a sentence about a parameter: `climate.lapse_rate = 20.0 …`.
_PARAMETER = re.compile(r"^([a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*) = ")
_WHOLE = re.compile(r"(?<=\d)\.0(?![\d.])")


class WarningText(str):
    """A sentence that is reported as a warning."""


def counted(count: int, thing: str) -> str:
    """Write how many things there are.

    Parameters
    ----------
    count : int
        How many.
    thing : str
        Its name for one; more of them get an s.

    Returns
    -------
    str
        Such as ``1 plant`` or ``43,262 plants``.
    """
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {thing}s"


def panel_sentence(text: str) -> str:
    """Write a sentence as users read it: parameters have the names that the panels show, and whole numbers no point.

    Parameters
    ----------
    text : str
        Such as ``sea_level = 20000.0 m is above …``.

    Returns
    -------
    str
        Such as ``Sea Level = 20000 m is above …``.
    """
    found = _PARAMETER.match(text)
    if found is None:
        return text[:1].upper() + text[1:]
    name = ": ".join(menu_name(part) for part in found[1].split("."))
    return f"{name} = {_WHOLE.sub('', text[found.end() :])}"

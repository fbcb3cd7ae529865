"""The page of all parameters: what they do, their ranges, and where they sit in the panel."""

import re

from terrain_addon.blender.ui.manual import parameter_sets
from terrain_addon.core import PlanetRecipe, Recipe
from terrain_addon.core.foundation.parameters import Parameter, ParameterSet, parameters_of
from terrain_addon.core.maps.catalogue import MAPS

# Sub-panel, and what is folded in it, by the name of a member of a recipe.
PANELS = {
    "relief": "**Relief**",
    "erosion": "**Erosion**",
    "features": "**Draw**",
    "water": "**Water**",
    "climate": "**Water**, folded *Climate*",
    "glaciers": "**Water**, folded *Glaciers*",
    "winter": "**Water**, folded *Winter*",
    "illumination": "**Realism and Maps**",
    "low_sun": "**Realism and Maps**, folded *More Maps*",
    "extra_maps": "**Realism and Maps**, folded *More Maps*",
    "ecosystem": "**Plants**",
    "appearance": "**Light and Material**",
}
_NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?")


def parameter_table() -> str:
    """Return a Markdown table for every parameter set that a landscape or planet can hold, and one of all maps."""
    lines = ["# Parameters", "", "Made from the declarations in `terrain_addon/core` by `python build.py docs`."]
    lines += ["What is marked *Advanced* is folded in its panel. Numbers are in the units of JSON and scripts."]
    places = _places()
    for cls in parameter_sets():
        lines += ["", f"## {cls.model()}", "", (cls.__doc__ or "").splitlines()[0]]
        lines += [f"In the panel: {places[cls]}.", ""]
        lines += ["| parameter | default | range | what it does |", "|---|---|---|---|"]
        lines += [f"| `{p.name}` | {_default(p)} | {_range(p)} | {_does(p)} |" for p in parameters_of(cls)]
    lines += ["", "## Maps", "", "Each is a mask, a texture, and colours in the viewport.", ""]
    lines += ["| map | unit | part of a landscape | what it shows |", "|---|---|---|---|"]
    made = {m.name: f"where `{m.switch}` is on" if m.switch else m.kept.value for m in MAPS.values()}
    lines += [f"| `{m.name}` | {m.unit} | {made[m.name]} | {m.description} |" for m in MAPS.values()]
    return "\n".join(lines) + "\n"


def _places() -> dict[type[ParameterSet], str]:
    """Return in which panel each parameter set sits."""
    places: dict[type[ParameterSet], str] = {Recipe: "**Landscape**", PlanetRecipe: "**Planet**"}
    waiting = [
        (member, PANELS[one.name]) for one in parameters_of(Recipe) for member in one.members if member not in places
    ]
    waiting += [(member, "**Planet**") for one in parameters_of(PlanetRecipe) for member in one.members]
    while waiting:
        cls, place = waiting.pop(0)
        if cls not in places:
            places[cls] = place
            waiting += [(member, place) for one in parameters_of(cls) for member in one.members]
    return places


def _default(parameter: Parameter) -> str:
    if parameter.kind in ("group", "variant"):
        return _link(parameter.members[0])
    if parameter.kind == "series":
        return ", ".join(_link(type(one)) for one in parameter.default)
    if parameter.kind == "curve":
        return " ".join(f"({x:g}, {y:g})" for x, y in parameter.default)
    if parameter.kind == "points":
        return "none"
    if isinstance(parameter.default, bool):
        return str(parameter.default).lower()
    return _plain(f"{parameter.default} {parameter.unit}".rstrip())


def _range(parameter: Parameter) -> str:
    if parameter.members:
        return ", ".join(map(_link, parameter.members))
    if parameter.choices:
        return ", ".join(parameter.choices)
    return _plain(parameter.range) if parameter.limits else ""


def _does(parameter: Parameter) -> str:
    return f"{parameter.description} (*Advanced*)" if parameter.advanced else parameter.description


def _link(cls: type[ParameterSet]) -> str:
    return f"[{cls.model()}](#{cls.model()})"


def _plain(text: str) -> str:
    """Write each number without the zeros that say nothing, in groups of three digits."""
    return _NUMBER.sub(lambda number: f"{float(number[0]):,.10g}", text)

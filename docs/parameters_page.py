"""The page of all parameters: what they do, their ranges, and where they sit in the panel."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from terrain_addon.blender.ui.main_panel import SIZE_LABELS
from terrain_addon.blender.ui.manual import parameter_sets
from terrain_addon.core import PlanetRecipe, Recipe
from terrain_addon.core.building.recipe import ExtraMaps
from terrain_addon.core.foundation.parameters import Named, Parameter, ParameterSet, parameters_of
from terrain_addon.core.maps.catalogue import MAPS
from terrain_addon.core.maps.masks import MASKS

DOCS = Path(__file__).resolve().parent

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
# When to use what a parameter set describes; not for those that every land or planet has.
WHEN = {
    "stream_power": "first, on nearly every land that is not measured: it makes valleys, rivers and ridges",
    "thermal_erosion": "for high, bare mountains, after *Stream Power*: crests break and scree lies below them",
    "hydraulic_erosion": "to soften a land that *Stream Power* has cut, or for the layered model of the literature",
    "deposition": "for flat valley floors and fans at the foot of mountains",
    "droplets": "on fine lands seen close up: gullies are a few cells wide, which is too wide on coarse lands",
    "hillslope_diffusion": "for old, soft hills, and against sharp crests",
    "landslides": "where slopes are steeper than their rock can stand",
    "cliff_retreat": "for mesas, canyons and walls above slopes of debris",
    "stabilisation": "last, if loose ground lies on slopes that are too steep for it",
    "weathering": "on nearly every land with plants, because they need its soil",
    "river_beds": "if rivers are seen close up, or go to a game engine",
    "sand": "for dunes; on flat ground, with the wind that you want",
    "glaciation": "for troughs, cirques, lakes and fjords, after *Stream Power*",
    "wandering_rivers": "for large rivers on plains and wide valley floors",
    "river": "if a river has to run here",
    "ridge": "if a crest has to stand here",
    "valley": "if a valley has to lie here, with or without water",
    "cliff": "if the land has to break off here",
    "lake": "if a lake has to lie here",
    "shore": "if the sea has to end here",
    "summit": "if a mountain has to stand here",
    "road": "to join two or more places",
    "pad": "for level ground, on which a building can stand",
    "climate": "if wet and dry sides of a mountain must differ, or plants have to follow rain and warmth",
    "glaciers": "for the ice of today on high mountains",
    "winter": "for a picture of one day with snow",
    "low_sun": "for a texture of the shadows at one time of day",
    "extra_maps": "if a mask or a texture needs one of them",
    "planet_elevation": "for a real planet, or one from another program",
    "craters": "on worlds without air",
    "planet_dunes": "on deserts; not on planets with forests",
    "planet_hollows": "for lakes",
    "shaping": "for terraces, plateaus or a land that falls to its border; erosion comes later and wears them",
    "everywhere": "if something acts on the whole land",
    "noise_mask": "for random patches, such as clearings",
    "height_mask": "to limit something to high or to low ground",
    "slope_mask": "to limit something to steep or to gentle ground",
    "map_mask": "to let something follow wetness, light, distance from water or another map",
    "painted_mask": "to paint with a brush where something acts",
    "rain_mask": "to let something follow the rain of the climate",
    "strata": "for bands, walls and benches in rock",
    "inflow": "if a large river comes from beyond the land",
    "evolution": "for a forest that looks grown: groups, gaps, ages",
    "soil_feedback": "for bare slopes that lose their soil while forests keep it",
    "fractal_noise": "for nearly every land: hills, mountains, plains",
    "multifractal_noise": "for mountains above smooth lowland, without erosion",
    "slope_damped_noise": "for a land that looks worn at once, without erosion",
    "double_ridged_noise": "for long crests, and for the layered model of the literature",
    "cellular_noise": "for plates, cracks, pits, and mountains of an alien world",
    "white_noise": "as a weak layer that roughens smooth ground",
    "midpoint_displacement": "for the classic fractal land, and to compare with literature",
    "volcano": "for one cone with a crater",
    "elevation_model": "for measured land",
    "stored_heights": "for heights of a mesh or of Sculpt Mode; *New Landscape from Mesh* sets it",
    "salted_perlin": "to repeat a published picture",
    "zoomed_perlin": "to repeat a published picture",
    "sliding_perlin": "to repeat a published picture",
    "random_angle_perlin": "to repeat a published picture",
    "layer": "to add one more shape to the land, such as a volcano on hills",
    "placement": "if measured or stored heights have to cover a part of the land only",
    "crop": "if a part of a file is enough",
    "water": "to drown valleys, or to have more and wider rivers",
    "illumination": "if plants and snow have to follow the sun of another latitude or season",
    "appearance": "for other stone, another season, or snow that begins at another altitude",
    "ecosystem": "to choose what grows, and how densely",
    "species": "for a plant of your own, or to say where one grows",
    "dart_throwing": "if plants stand too near to one another, or there are too many",
    "wind_rose": "for other shapes of dunes",
    "ice_climate": "for glaciers of dry or of wet mountains",
    "continents": "for more or less land, and other coasts",
    "plates": "for mountain ranges, trenches and rifts",
    "planet_hills": "for the shape of all ground: round hills, sharp mountains, plateaus",
    "planet_erosion": "for valleys and rivers; not on worlds that never had water",
    "planet_climate": "for a warmer, colder, wetter or drier planet, or one without air",
    "planet_look": "for other colours, clouds and air",
}
_NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?")


def parameter_table() -> str:
    """Return a Markdown table for every parameter set that a landscape or planet can hold, and one of all maps."""
    lines = [
        "# Parameters",
        "",
        "Each value has the name that the panel shows, and below it the name in recipes, scripts and the command line.",
        "Values marked *Advanced* are in that part of their panel. Numbers have the units of recipes and scripts.",
        "`python build.py docs parameters` makes this page from the code in `terrain_addon/core`.",
    ]
    for cls in parameter_sets():
        lines += ["", f"## {cls.model()}", "", (cls.__doc__ or "").splitlines()[0], use_of(cls)]
        if (DOCS / "models" / f"{cls.model()}.md").is_file():
            lines += ["", f"Equations, laws and sources: [{cls.model()}](models/{cls.model()}.md)."]
        lines += ["", *parameter_rows(cls)]
    lines += ["", "## Maps", "", "Each map can be a mask, a texture, or colours on the land in the 3D view.", ""]
    lines += ["| map | unit | part of a landscape | what it shows |", "|---|---|---|---|"]
    made = {m.name: f"where `{m.switch}` is on" if m.switch else m.kept.value for m in MAPS.values()}
    lines += [f"| `{m.name}` | {m.unit} | {made[m.name]} | {m.description} |" for m in MAPS.values()]
    return "\n".join(lines) + "\n"


def use_of(cls: type[ParameterSet]) -> str:
    """Return where a parameter set sits in the panel, and when to use what it describes."""
    when = f"\n\nUse it {WHEN[cls.model()]}." if cls.model() in WHEN else ""
    return f"In the panel: {_places()[cls]}.{when}"


def parameter_rows(cls: type[ParameterSet], page: str = "") -> list[str]:
    """Return the table of a parameter set; links in it lead to headings of a page, by default the one that it is on."""
    lines = ["| parameter | what it does | default | range |", "|---|---|---|---|"]
    labels = SIZE_LABELS if cls is Recipe else {}
    # All of it lies in one fold, which the heading names.
    is_folded = cls is ExtraMaps
    rows = (
        (_names(p, labels, is_folded), p.description, _default(p, page), _range(p, page)) for p in parameters_of(cls)
    )
    return lines + [f"| {' | '.join(row)} |" for row in rows]


@cache
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


def _default(parameter: Parameter, page: str) -> str:
    if parameter.kind in ("group", "variant"):
        return _link(parameter.members[0], page)
    if parameter.kind == "series":
        return ", ".join(_link(type(one), page) for one in parameter.default)
    if parameter.kind == "curve":
        return " ".join(f"({x:g}, {y:g})" for x, y in parameter.default)
    if parameter.kind == "points":
        return "none"
    if isinstance(parameter.default, bool):
        return str(parameter.default).lower()
    return _plain(f"{parameter.default} {parameter.unit}".rstrip())


def _range(parameter: Parameter, page: str) -> str:
    if parameter.members == tuple(MASKS):
        return f"[any mask]({page}#{parameter.members[0].model()})"
    if parameter.members:
        return ", ".join(_link(one, page) for one in parameter.members)
    if parameter.choices:
        return ", ".join(_choice(value, text) for value, text in parameter.choices.items())
    return _plain(parameter.range) if parameter.limits else ""


def _choice(value: str, text: str) -> str:
    return f"{value} (*{text.name}*)" if isinstance(text, Named) else value


def _names(parameter: Parameter, labels: Mapping[str, str], already_folded: bool) -> str:
    folded = ", *Advanced*" if parameter.advanced and not already_folded else ""
    return f"{labels.get(parameter.name, parameter.label)}{folded}<br>`{parameter.name}`"


def _link(cls: type[ParameterSet], page: str) -> str:
    return f"[{cls.model()}]({page}#{cls.model()})"


def _plain(text: str) -> str:
    """Write each number without the zeros that say nothing, in groups of three digits."""
    return _NUMBER.sub(lambda found: _number(float(found[0])), text)


def _number(value: float) -> str:
    """Return a number without an exponent, as long as it is not huge."""
    text = f"{value:,.10g}"
    return f"{value:.10f}".rstrip("0") if "e-" in text else text

"""The main slider of each room, together below the name of the land: nothing has to be opened for a first look.

A slider that would change nothing is grey, and the line below it says why.
"""

from typing import Any, NamedTuple

import bpy

from ...core.foundation.parameters import parameters_of
from ...core.maps.masks import Everywhere
from ..data.recipe_lists import SERIES
from ..land.land_objects import extent_of
from ..look.sun import sun_of
from .parameter_drawing import draw_plain

_HEIGHT = "height"


class _Slider(NamedTuple):
    """A property, what it is called here, and why it would change nothing.

    An empty text stands for the name that the property brings, and an empty reason for a slider that changes the land.
    """

    group: Any
    name: str
    text: str = ""
    idle: str = ""


def draw_main_sliders(layout: bpy.types.UILayout, context: bpy.types.Context, land: bpy.types.Object) -> None:
    """Show one slider each for relief, erosion, water, plants, snow and sun.

    Parameters
    ----------
    layout : UILayout
    context : Context
    land : Object
        The active land.
    """
    recipe = land.landscape.recipe
    column = layout.column(align=True)
    for slider in (
        _relief_slider(recipe),
        _erosion_slider(recipe),
        _water_slider(recipe),
        _Slider(recipe.ecosystem, "cover", idle=_why_no_plants(land)),
        _Slider(recipe.appearance, "snow_line", idle="Winter lays the snow" if recipe.winter.enabled else ""),
    ):
        if slider is not None:
            _draw_slider(column, context, slider)
    if sun_of(context.scene) is not None:
        draw_plain(column, context.scene.landscape_daylight, "time", context=context)


def _draw_slider(layout: bpy.types.UILayout, context: bpy.types.Context, slider: _Slider) -> None:
    """Show a slider, grey with the reason where it would change nothing."""
    row = layout.column(align=True)
    row.enabled = not slider.idle
    draw_plain(row, slider.group, slider.name, text=slider.text, context=context)
    if slider.idle:
        layout.label(text=slider.idle, icon="INFO")


def _relief_slider(recipe: Any) -> _Slider | None:
    """How high the active layer is."""
    layers, index = recipe.relief.layers, recipe.relief.layers_index
    layer = _active(layers, index)
    if layer is None:
        return None
    source = getattr(layer.source, layer.source.model)
    if _HEIGHT not in source.bl_rna.properties:
        return None
    above = next((one for one in layers[index + 1 :] if _covers(one)), None)
    idle = f"{above.name} covers {layer.name}" if above is not None else ""
    return _Slider(source, _HEIGHT, "Relief Height", idle if layer.enabled else f"{layer.name} is off")


def _covers(layer: Any) -> bool:
    """Whether nothing of the layers beneath a layer shows."""
    takes_part = layer.enabled and layer.opacity == 1.0
    return takes_part and layer.blend == "replace" and layer.mask.model == Everywhere.model()


def _why_no_plants(land: bpy.types.Object) -> str:
    """Why nothing grows on a land; empty where plants may grow."""
    if not land.landscape.recipe.ecosystem.species:
        return "There are no species"
    return "" if extent_of(land) == "plants" else "Nothing is planted"


def _erosion_slider(recipe: Any) -> _Slider | None:
    """What the active process names first, with the name of the process: each has another one that counts most."""
    process = _active(recipe.erosion, recipe.erosion_index)
    if process is None:
        return None
    cls = next(member for member in SERIES["erosion"].members if member.model() == process.model)
    first = next((p for p in parameters_of(cls) if p.kind == "float" and not p.advanced), None)
    if first is None:
        return None
    settings, name = getattr(process, process.model), cls.title()
    text = f"{name}: {settings.bl_rna.properties[first.name].name}"
    return _Slider(settings, first.name, text, "" if settings.enabled else f"{name} is off")


def _water_slider(recipe: Any) -> _Slider:
    """Where the sea ends or, without a sea, where rivers begin."""
    if recipe.water.sea:
        return _Slider(recipe.water, "sea_level")
    return _Slider(recipe.water, "river_source")


def _active(items: Any, index: int) -> Any:
    """The active item of a list; None if there is none."""
    return items[index] if 0 <= index < len(items) else None

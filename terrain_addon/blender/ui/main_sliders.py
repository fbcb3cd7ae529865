"""The main slider of each room, together below the name of the land: nothing has to be opened for a first look."""

from typing import Any, NamedTuple

import bpy

from ...core.foundation.parameters import parameters_of
from ..data.recipe_lists import SERIES
from ..look.sun import sun_of
from .parameter_drawing import draw_plain

_HEIGHT = "height"


class _Slider(NamedTuple):
    """A property, and what it is called here; empty for the name that it brings."""

    group: Any
    name: str
    text: str = ""


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
        _Slider(recipe.ecosystem, "cover"),
        _Slider(recipe.appearance, "snow_line"),
    ):
        if slider is not None:
            draw_plain(column, slider.group, slider.name, text=slider.text, context=context)
    if sun_of(context.scene) is not None:
        draw_plain(column, context.scene.landscape_daylight, "time", context=context)


def _relief_slider(recipe: Any) -> _Slider | None:
    """How high the active layer is."""
    layer = _active(recipe.relief.layers, recipe.relief.layers_index)
    if layer is None:
        return None
    source = getattr(layer.source, layer.source.model)
    return _Slider(source, _HEIGHT, "Relief Height") if _HEIGHT in source.bl_rna.properties else None


def _erosion_slider(recipe: Any) -> _Slider | None:
    """What the active process names first, with the name of the process: each has another one that counts most."""
    process = _active(recipe.erosion, recipe.erosion_index)
    if process is None:
        return None
    cls = next(member for member in SERIES["erosion"].members if member.model() == process.model)
    first = next((p for p in parameters_of(cls) if p.kind == "float" and not p.advanced), None)
    if first is None:
        return None
    group = getattr(process, process.model)
    return _Slider(group, first.name, f"{cls.title()}: {group.bl_rna.properties[first.name].name}")


def _water_slider(recipe: Any) -> _Slider:
    """Where the sea ends or, without a sea, where rivers begin."""
    if recipe.water.sea:
        return _Slider(recipe.water, "sea_level")
    return _Slider(recipe.water, "river_source")


def _active(items: Any, index: int) -> Any:
    """The active item of a list; None if there is none."""
    return items[index] if 0 <= index < len(items) else None

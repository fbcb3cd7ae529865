"""The list of all planets to choose from, with their pictures."""

from pathlib import Path

import bpy

from ...core.planet.planet_recipe import PLANET_PRESETS, PRESETS_OF_PLANETS, planet_preset_names
from . import pictures
from .own_presets import title


def register() -> None:
    """Add the property of the window manager that remembers the chosen planet."""
    items = [
        (name, title(name), PRESETS_OF_PLANETS[name], pictures.preset_icon(_picture_of(name)), number)
        for number, name in enumerate(planet_preset_names())
    ]
    bpy.types.WindowManager.landscape_planet_preset = bpy.props.EnumProperty(
        name="Planet", description="Kind of planet that New Planet makes", items=items, default="temperate"
    )


def unregister() -> None:
    """Remove that property."""
    del bpy.types.WindowManager.landscape_planet_preset


def _picture_of(name: str) -> Path:
    return PLANET_PRESETS / "thumbnails" / f"{name}.png"

"""*Online Manual* in the menu of a right click: it opens the page of the manual that comes with the extension.

A checkout has no such manual; there the source of the same page opens.
"""

from pathlib import Path

import bpy

from ...core.building.recipe import Recipe
from ...core.foundation.parameters import ParameterSet, parameters_of
from ...core.planet.planet_recipe import PlanetRecipe
from ..data.properties import group_name
from ..operators import CLASSES

_PACKAGE = Path(__file__).resolve().parents[2]
BUILT, SOURCES = _PACKAGE / "manual", _PACKAGE.parent / "docs"
"""Folders of the pages, and of what they are made from."""
_OPERATORS, _PARAMETERS = "operators", "parameters"


def manual_map() -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return what Blender asks for: where the pages are, and the page of each operator and property.

    Returns
    -------
    address : str
        Of the folder, with a slash at its end.
    pages : tuple of (str, str)
        Pattern of the name that Blender gives to an operator or property, in small letters, and page with heading.
        The first that fits counts.
    """
    folder, ending = (BUILT, "html") if BUILT.is_dir() else (SOURCES, "md")
    operators = [
        (f"bpy.ops.{cls.bl_idname}", f"{_OPERATORS}.{ending}#{cls.bl_idname.partition('.')[2]}")
        for cls in CLASSES
        if issubclass(cls, bpy.types.Operator)
    ]
    parameters = [
        (f"bpy.types.{group_name(cls)}.*".lower(), f"{_PARAMETERS}.{ending}#{cls.model()}") for cls in parameter_sets()
    ]
    others = [
        ("bpy.types.landscapepreferences*", f"preferences.{ending}"),
        ("bpy.types.windowmanager.landscape*", f"{_OPERATORS}.{ending}"),
        ("bpy.types.*.landscape*", f"{_PARAMETERS}.{ending}"),
        ("bpy.types.landscape*", f"{_PARAMETERS}.{ending}"),
    ]
    return folder.as_uri() + "/", (*operators, *parameters, *others)


def parameter_sets() -> tuple[type[ParameterSet], ...]:
    """Return every parameter set that a landscape or planet can hold.

    Returns
    -------
    tuple of type
        Each once.
    """
    found: dict[type[ParameterSet], None] = {}
    waiting: list[type[ParameterSet]] = [Recipe, PlanetRecipe]
    while waiting:
        cls = waiting.pop(0)
        if cls not in found:
            found[cls] = None
            waiting += [member for one in parameters_of(cls) for member in one.members]
    return tuple(found)


def register() -> None:
    """Make the manual known to Blender."""
    bpy.utils.register_manual_map(manual_map)


def unregister() -> None:
    """Let Blender forget the manual."""
    bpy.utils.unregister_manual_map(manual_map)

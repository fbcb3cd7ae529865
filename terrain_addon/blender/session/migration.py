"""Recipes in files that another version of the extension saved.

Blender stores properties by name and choices by number, and both may differ between versions.  So each land also stores
its recipe as JSON, which `Recipe.loads` reads from any version.
"""

import bpy

from ...core.building.recipe import Recipe
from ..data.properties import read_recipe, write_recipe


def register() -> None:
    """Store recipes when a file is saved, and read them when a file is opened."""
    bpy.app.handlers.save_pre.append(store_recipes)
    bpy.app.handlers.load_post.append(_read_recipes)


def unregister() -> None:
    """Remove the handlers."""
    bpy.app.handlers.load_post.remove(_read_recipes)
    bpy.app.handlers.save_pre.remove(store_recipes)


@bpy.app.handlers.persistent  # type: ignore[untyped-decorator]
def store_recipes(*_: object) -> None:
    """Store the recipe of each land of this file as JSON."""
    for land in _own_lands():
        try:
            land.landscape.saved_recipe = read_recipe(land).dumps()
        except ValueError:
            # The values do not fit together, so they are no recipe; the properties still store them.
            land.landscape.saved_recipe = ""


@bpy.app.handlers.persistent  # type: ignore[untyped-decorator]
def _read_recipes(*_: object) -> None:
    for land in _own_lands():
        if land.landscape.saved_recipe:
            try:
                _read_recipe(land, Recipe.loads(land.landscape.saved_recipe))
            except ValueError as error:
                print(f"{land.name} was saved by another version of the extension: {error}")


def _read_recipe(land: bpy.types.Object, saved: Recipe) -> None:
    """Give a land its saved recipe, if its properties say something else."""
    try:
        is_same = read_recipe(land) == saved
    except ValueError:
        is_same = False
    if not is_same:
        write_recipe(land, saved)


def _own_lands() -> list[bpy.types.Object]:
    """The lands that belong to this file, also deleted ones."""
    return [
        land
        for land in bpy.data.objects
        if land.landscape.is_landscape and land.is_editable and land.override_library is None
    ]

"""Recipes in files that another version of the extension saved.

Blender stores properties by name and choices by number, and both may differ between versions.  So each land also stores
its recipe as JSON, which `Recipe.loads` reads from any version.
"""

import bpy

from ...core.building.recipe import Recipe, is_older
from ...core.building.renames import RENAMED
from .. import compat
from ..data.properties import read_recipe, saved_recipe_of, write_recipe


def register() -> None:
    """Store recipes when a file is saved, and read them when a file is opened."""
    bpy.app.handlers.save_pre.append(store_recipes)
    bpy.app.handlers.load_post.append(_read_recipes)
    bpy.app.handlers.depsgraph_update_post.append(_read_older_recipes)


def unregister() -> None:
    """Remove the handlers."""
    bpy.app.handlers.depsgraph_update_post.remove(_read_older_recipes)
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
        try:
            if saved_recipe_of(land):
                _read_recipe(land)
        # Anybody can write anything into a file.  One land that cannot be read must not stop the others.
        except (ValueError, TypeError, ArithmeticError, AttributeError, RuntimeError) as error:
            print(f"the saved recipe of {land.name} cannot be read: {error}")
            land.landscape.saved_recipe = ""


@bpy.app.handlers.persistent  # type: ignore[untyped-decorator]
def _read_older_recipes(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Read recipes of lands that were appended from a file of an older version."""
    for update in depsgraph.updates:
        if isinstance(update.id, bpy.types.Object) and is_older(saved_recipe_of(update.id.original)):
            land = update.id.original
            if _is_own(land):
                _read_recipe(land)


def _read_recipe(land: bpy.types.Object) -> None:
    """Give a land its saved recipe, and its keyframes and drivers the present names of parameters."""
    older = is_older(saved_recipe_of(land))
    try:
        saved = Recipe.loads(saved_recipe_of(land))
    except ValueError as error:
        print(f"{land.name} was saved by another version of the extension: {error}")
        land.landscape.saved_recipe = ""
        return
    if older:
        _rename_curves(land)
    if older or not _has_recipe(land, saved):
        write_recipe(land, saved)


def _has_recipe(land: bpy.types.Object, recipe: Recipe) -> bool:
    try:
        return read_recipe(land) == recipe
    except ValueError:
        return False


def _rename_curves(land: bpy.types.Object) -> None:
    """Let keyframes and drivers follow parameters to their new names."""
    if land.animation_data is None:
        return
    for curve in (*compat.keyframe_curves(land.animation_data), *land.animation_data.drivers):
        for model, names in RENAMED.items():
            for old, new in names.items():
                if curve.data_path.endswith(f".{model}.{old}"):
                    curve.data_path = curve.data_path.removesuffix(old) + new


def _own_lands() -> list[bpy.types.Object]:
    """The lands that belong to this file, also deleted ones."""
    return [land for land in bpy.data.objects if _is_own(land)]


def _is_own(land: bpy.types.Object) -> bool:
    return land.landscape.is_landscape and land.is_editable and land.override_library is None

"""The mark on a mesh that says which recipe the mesh shows.

The mark is a custom property of the mesh, so it stays true through undo, files and copies.
"""

import hashlib

import bpy

from ...core.building.recipe import Appearance, ExtraMaps, Recipe
from ...core.ecosystem.ecosystem import Ecosystem

# Custom property of a mesh: the mark of the recipe that it shows, after _PREVIEW if it shows a preview only.
_SHOWN = "landscape_shown"
_PREVIEW = "quick look at "


def recipe_mark(recipe: Recipe, painted: str = "") -> str:
    """Return the mark of a mesh that shows a recipe in full.

    Parameters
    ----------
    recipe : Recipe
    painted : str
        Digest of what was painted on the land, from `inputs.painted_digest`.
    """
    return hashlib.sha256((recipe.dumps() + painted).encode()).hexdigest()


def ground_recipe(recipe: Recipe) -> Recipe:
    """Return a recipe with defaults for all settings that do not change the ground."""
    return recipe.replace(ecosystem=Ecosystem(), appearance=Appearance(), extra_maps=ExtraMaps())


def preview_mark(mark: str) -> str:
    """Return the mark of a mesh that shows a preview of the recipe with this mark."""
    return _PREVIEW + mark


def shown_mark(land: bpy.types.Object) -> str:
    """Return the mark on the mesh of a land; empty if it has none."""
    return "" if land.data is None else str(land.data.get(_SHOWN, ""))


def set_shown_mark(land: bpy.types.Object, mark: str) -> None:
    """Write a mark on the mesh of a land."""
    land.data[_SHOWN] = mark

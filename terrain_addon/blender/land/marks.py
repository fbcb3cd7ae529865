"""The marks on the meshes of a land that say which recipe they show.

A mark is a custom property of a mesh, so it stays true through undo, files and copies.  The meshes of the land, of its
water, roads and plants have one each: an undo may bring one of them back and leave the others as they are.
"""

import hashlib

import bpy

from ...core.building.recipe import Recipe

# Custom property of a mesh: the mark of the recipe that it shows, after _PREVIEW if it shows a preview only.
_SHOWN = "landscape_shown"
_PREVIEW = "quick look at "
_DISAGREEING = "parts of several landscapes"
# Custom property of a land's mesh: key of the terrain that it shows.
_GROUND = "landscape_ground"


def recipe_mark(recipe: Recipe, painted: str = "") -> str:
    """Return the mark of a mesh that shows a recipe in full.

    Parameters
    ----------
    recipe : Recipe
    painted : str
        Digest of what was painted on the land, from `inputs.painted_digest`.
    """
    return hashlib.sha256((recipe.dumps() + painted).encode()).hexdigest()


def preview_mark(mark: str) -> str:
    """Return the mark of a mesh that shows a preview of the recipe with this mark."""
    return _PREVIEW + mark


def is_preview_mark(mark: str) -> bool:
    """Return whether a mesh with this mark shows a preview."""
    return mark.startswith(_PREVIEW)


def mark_of(mesh: bpy.types.ID | None) -> str:
    """Return the mark on a mesh; empty if it has none, or if there is no mesh."""
    return "" if mesh is None else str(mesh.get(_SHOWN, ""))


def set_mark(mesh: bpy.types.ID, mark: str) -> None:
    """Write a mark on a mesh."""
    mesh[_SHOWN] = mark


def shown_mark(land: bpy.types.Object) -> str:
    """Return the mark of what a land shows; empty if it has none, and a mark of no recipe if its parts do not agree."""
    ground, *parts = marks_of(land)
    agree = ground == "" or is_preview_mark(ground) or all(mark in ("", ground) for mark in parts)
    return ground if agree else _DISAGREEING


def set_shown_mark(land: bpy.types.Object, mark: str) -> None:
    """Write the mark of a recipe on the meshes of a land, which show it in full."""
    for mesh in _meshes_of(land):
        if mesh is not None and mesh.is_editable:
            set_mark(mesh, mark)


def set_preview_mark(mesh: bpy.types.Mesh, mark: str) -> None:
    """Write on a mesh of a land that it shows a preview of the recipe with this mark."""
    set_mark(mesh, preview_mark(mark))


def marks_of(land: bpy.types.Object) -> tuple[str, ...]:
    """Return the marks on the meshes of a land, its water, roads, plants and snow; empty for what has none."""
    return tuple(map(mark_of, _meshes_of(land)))


def ground_mark(land: bpy.types.Object) -> str:
    """Return the key of the terrain that the mesh of a land shows; empty if that is not known."""
    return "" if land.data is None else str(land.data.get(_GROUND, ""))


def set_ground_mark(land: bpy.types.Object, key: str) -> None:
    """Write the key of a terrain on the mesh of a land; see `Landscape.terrain_key`."""
    land.data[_GROUND] = key


def _meshes_of(land: bpy.types.Object) -> tuple[bpy.types.ID | None, ...]:
    """The meshes of a land, its water, roads, glaciers, plants and snow; None for what is not there."""
    shown = land.landscape
    parts = (shown.water, shown.roads, shown.glaciers, shown.plants, shown.snow)
    return (land.data, *(part.data if part is not None else None for part in parts))

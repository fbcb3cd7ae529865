"""What can be made of a landscape before it is there: its materials and the shapes of its plants.

Each piece is made in a moment and found again when it is wanted, so that the window is never kept waiting for them all.
"""

import time
from collections.abc import Callable
from functools import partial

import bpy

from ..core.ecosystem.plant_meshes import LEVELS
from ..core.ecosystem.plants import VARIANTS
from ..core.recipe import Recipe
from .geometry_nodes import scatter_tree
from .materials import ground_group, water_material
from .plant_assets import DEAD_FORMS, plant_mesh

_MOMENT = 0.03  # seconds
# In an order in which each may use what comes after it.
_KINDS = ("meshes", "materials", "node_groups")


class Preparation:
    """Pieces to make one after the other, in Blender's main thread."""

    def __init__(self, pieces: list[Callable[[], object]]) -> None:
        self._pieces = pieces
        self._made: set[int] = set()

    def step(self) -> bool:
        """Make pieces for a moment, one at least; return whether there was one."""
        if not self._pieces:
            return False
        before, deadline = _everything(), time.monotonic() + _MOMENT
        while self._pieces and time.monotonic() < deadline:
            self._pieces.pop(0)()
        self._made |= _everything() - before
        return True

    def undo(self) -> None:
        """Remove what was made, unless something uses it by now."""
        self._pieces.clear()
        for kind in _KINDS:
            collection = getattr(bpy.data, kind)
            for item in [item for item in collection if item.session_uid in self._made and item.users == 0]:
                collection.remove(item)
        self._made.clear()


def prepare_land() -> Preparation:
    """Return what any land wants."""
    return Preparation([ground_group])


def prepare_parts(recipe: Recipe) -> Preparation:
    """Return what water and plants of a recipe want."""
    species = recipe.ecosystem.species
    if not species:
        return Preparation([water_material])
    forms = dict.fromkeys([*(one.form for one in species if not one.collection), *DEAD_FORMS])
    shapes = [
        partial(plant_mesh, form, variant, level)
        for form in forms
        for variant in range(VARIANTS)
        for level in range(LEVELS)
    ]
    return Preparation([water_material, scatter_tree, *shapes])


def _everything() -> set[int]:
    return {item.session_uid for kind in _KINDS for item in getattr(bpy.data, kind)}

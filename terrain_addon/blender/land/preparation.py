"""Data that can be made before a landscape is built: its materials and the meshes of its plants.

It is made in small pieces, so that the window never waits long.  Whatever needs a piece later finds it by name.
"""

import time
from collections.abc import Generator
from typing import TypeAlias

import bpy

from ...core.building.recipe import Recipe
from ...core.ecosystem.plant_form import DEAD_FORMS
from ...core.ecosystem.plants import VARIANTS
from ...core.meshing.plant_meshes import LEVELS
from ..look.ground_material import ground_group_steps
from ..look.water_material import water_material
from ..plants.near_ground import near_ground_steps
from ..plants.plant_assets import plant_mesh
from ..plants.scatter_tree import scatter_tree_steps

Pieces: TypeAlias = Generator[None, bool | None, None]

_SLICE = 0.03  # seconds
# On a window that is slow to draw, pieces are made for longer: for this share of the time since the last pieces.
_SLICE_SHARE = 0.5
_LONGEST_SLICE = 0.25  # seconds
# Ordered so that each kind may use the kinds after it.
_KINDS = ("meshes", "materials", "node_groups")


class Preparation:
    """Makes pieces one after the other, in Blender's main thread.

    Parameters
    ----------
    pieces : generator
        Makes one piece at each step.
    """

    def __init__(self, pieces: Pieces) -> None:
        self._pieces = pieces
        self._made: set[int] = set()
        self._left = time.monotonic()

    def step(self) -> bool:
        """Make pieces for a short time, at least one; return whether there may be more."""
        now = time.monotonic()
        time_slice = min(max(_SLICE, _SLICE_SHARE * (now - self._left)), _LONGEST_SLICE)
        before, deadline = _everything(), now + time_slice
        if not self._made <= before:
            # An undo removed pieces that the next one may need.
            self._pieces.close()
        is_done = False
        while not is_done and time.monotonic() < deadline:
            is_done = next(self._pieces, self) is self
        self._made |= _everything() - before
        self._left = time.monotonic()
        return not is_done

    def undo(self) -> None:
        """Remove the pieces that nothing uses."""
        self._pieces.close()
        for kind in _KINDS:
            collection = getattr(bpy.data, kind)
            for item in [item for item in collection if item.session_uid in self._made and item.users == 0]:
                collection.remove(item)
        self._made.clear()


def no_pieces() -> Pieces:
    """Return no pieces."""
    yield from ()


def land_pieces() -> Pieces:
    """Return the pieces that every land needs."""
    yield from ground_group_steps()


def attachment_pieces(recipe: Recipe) -> Pieces:
    """Return the pieces that the water and plants of a recipe need."""
    water_material()
    yield
    species = recipe.ecosystem.species
    if not species:
        return
    yield from scatter_tree_steps()
    yield from near_ground_steps()
    for form in dict.fromkeys([*(one.form for one in species if not one.collection), *DEAD_FORMS]):
        for variant in range(VARIANTS):
            for level in range(LEVELS):
                plant_mesh(form, variant, level)
                yield


def _everything() -> set[int]:
    """Session uids of all data of the kinds that pieces are."""
    return {item.session_uid for kind in _KINDS for item in getattr(bpy.data, kind)}

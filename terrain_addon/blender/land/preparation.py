"""What can be made of a landscape before it is there: its materials and the shapes of its plants.

Each piece is made in a moment and found again when it is wanted, so that the window is never kept waiting for them all.
"""

import time
from collections.abc import Generator
from typing import TypeAlias

import bpy

from ...core.building.recipe import Recipe
from ...core.ecosystem.plant_form import DEAD_FORMS
from ...core.ecosystem.plants import VARIANTS
from ...core.meshing.plant_meshes import LEVELS
from ..look.materials import ground_group_steps, water_material
from ..plants.geometry_nodes import scatter_tree_steps
from ..plants.plant_assets import plant_mesh

Pieces: TypeAlias = Generator[None, bool | None, None]

_MOMENT = 0.03  # seconds
# A window that is slow to draw is not to be drawn for each piece: a moment takes up to this share of the time that the
# window takes from one to the next.
_MOMENT_SHARE = 0.5
_LONGEST_MOMENT = 0.25  # seconds
# In an order in which each may use what comes after it.
_KINDS = ("meshes", "materials", "node_groups")


class Preparation:
    """Pieces to make one after the other, in Blender's main thread.

    Parameters
    ----------
    pieces : generator
        Makes one whenever it is asked for the next.
    """

    def __init__(self, pieces: Pieces) -> None:
        self._pieces = pieces
        self._made: set[int] = set()
        self._left = time.monotonic()

    def step(self) -> bool:
        """Make pieces for a moment, one at least; return whether there was one."""
        now = time.monotonic()
        moment = min(max(_MOMENT, _MOMENT_SHARE * (now - self._left)), _LONGEST_MOMENT)
        before, deadline = _everything(), now + moment
        if not self._made <= before:
            # An undo took away what the next piece may belong to.
            self._pieces.close()
        is_done = False
        while not is_done and time.monotonic() < deadline:
            is_done = next(self._pieces, self) is self
        self._made |= _everything() - before
        self._left = time.monotonic()
        return not is_done

    def undo(self) -> None:
        """Remove what was made, unless something uses it by now."""
        self._pieces.close()
        for kind in _KINDS:
            collection = getattr(bpy.data, kind)
            for item in [item for item in collection if item.session_uid in self._made and item.users == 0]:
                collection.remove(item)
        self._made.clear()


def nothing() -> Pieces:
    """Return no pieces."""
    yield from ()


def land_pieces() -> Pieces:
    """Return what any land wants."""
    yield from ground_group_steps()


def part_pieces(recipe: Recipe) -> Pieces:
    """Return what water and plants of a recipe want."""
    water_material()
    yield
    species = recipe.ecosystem.species
    if not species:
        return
    yield from scatter_tree_steps()
    for form in dict.fromkeys([*(one.form for one in species if not one.collection), *DEAD_FORMS]):
        for variant in range(VARIANTS):
            for level in range(LEVELS):
                plant_mesh(form, variant, level)
                yield


def _everything() -> set[int]:
    return {item.session_uid for kind in _KINDS for item in getattr(bpy.data, kind)}

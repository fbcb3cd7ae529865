"""What the realism check found about lands, kept beside them for the panel."""

from dataclasses import dataclass

import bpy

from ...core.building.judging import land_class_of
from ...core.building.landscape import Landscape
from ...core.building.recipe import Recipe
from ...core.maps.realism import LandClass, Realism

_FEWEST, _MOST = 32, 1100  # samples on a side of a land that is judged whenever it was made anew


@dataclass(frozen=True)
class Judgement:
    """What a check found, as which kind of land, and what the land showed then: see `live.shown_mark`."""

    realism: Realism
    land_class: LandClass
    mark: str


judgements: dict[int, Judgement] = {}
"""The last one of each land, by its session uid."""


def judged_as(land: bpy.types.Object, recipe: Recipe) -> LandClass | None:
    """Return which kind of land a land is judged as without being asked; None where that is not known.

    It is what it was last judged as, or else what follows from its recipe.
    """
    if land.session_uid in judgements:
        return judgements[land.session_uid].land_class
    return land_class_of(recipe)


def is_soon_judged(landscape: Landscape) -> bool:
    """Return whether a land is large enough to be judged, and not so large that it takes long."""
    shape = landscape.terrain.surface.shape
    return min(shape) >= _FEWEST and max(shape) <= _MOST

"""What the realism check found about lands, kept beside them for the panel."""

from dataclasses import dataclass

import bpy

from ..core.landscape import Landscape
from ..core.maps.realism import LandClass, Realism, check_realism
from ..core.recipe import Recipe

_FEWEST, _MOST = 32, 1100  # samples on a side of a land that is judged whenever it was made anew
_CUT_BY_RIVERS = ("stream_power",)


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

    It is what it was last judged as, or else mountains where rivers have cut the valleys.
    """
    if land.session_uid in judgements:
        return judgements[land.session_uid].land_class
    by_rivers = any(process.enabled and process.model() in _CUT_BY_RIVERS for process in recipe.erosion)
    return "mountains" if by_rivers else None


def judge(landscape: Landscape, land_class: LandClass | None) -> Realism | None:
    """Return how real a land is, None where that is not known or would take long."""
    surface = landscape.terrain.surface
    if land_class is None or min(surface.shape) < _FEWEST or max(surface.shape) > _MOST:
        return None
    recipe = landscape.recipe
    return check_realism(surface, recipe.cell_size, land_class, sea_level=recipe.water.sea_surface)

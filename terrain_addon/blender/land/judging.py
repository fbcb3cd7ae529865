"""Results of the realism check, kept for the panel."""

from collections.abc import Generator
from dataclasses import dataclass

import bpy

from ...core.building.judging import judge, land_class_of
from ...core.building.landscape import Landscape
from ...core.building.recipe import Recipe
from ...core.foundation.progress import Progress
from ...core.maps.land_classes import LandClass
from ...core.maps.realism import Realism
from ..data.properties import read_recipe
from .building import landscape_steps
from .marks import ground_mark

_FEWEST, _MOST = 32, 1100  # samples on a side of a land that is judged after each update


@dataclass(frozen=True)
class Judgement:
    """What a realism check found, the kind of land it assumed, and the key of the terrain that it measured."""

    realism: Realism
    land_class: LandClass
    terrain_key: str


judgements: dict[int, Judgement] = {}
"""The last judgement of each land, by its session uid."""


def judged_as(land: bpy.types.Object, recipe: Recipe) -> LandClass | None:
    """Return the kind of land to judge a land as if the user names none: that of the last check, or of its recipe.

    None if neither is known.
    """
    if land.session_uid in judgements:
        return judgements[land.session_uid].land_class
    return land_class_of(recipe)


def is_quickly_judged(landscape: Landscape) -> bool:
    """Return whether a landscape is large enough to be judged, and small enough to be judged in a short time."""
    shape = landscape.terrain.surface.shape
    return min(shape) >= _FEWEST and max(shape) <= _MOST


def judging_steps(
    land: bpy.types.Object, land_class: LandClass
) -> Generator[Progress, bool | None, tuple[Landscape, Realism]]:
    """Return the steps that build a land, from the cache where possible, and measure how realistic it is."""
    return _judge(landscape_steps(read_recipe(land), "terrain", land), land_class)


def keep_judgement(uid: int, landscape: Landscape, realism: Realism, land_class: LandClass) -> None:
    """Keep the judgement of the land with this session uid."""
    judgements[uid] = Judgement(realism, land_class, landscape.terrain_key)


def forget_judgements() -> None:
    """Forget all judgements, before another file is opened."""
    judgements.clear()


def is_judgement_stale(land: bpy.types.Object, judgement: Judgement) -> bool:
    """Return whether the land shows another terrain than the one that was judged; other changes do not count."""
    return ground_mark(land) not in ("", judgement.terrain_key)


def _judge(
    building: Generator[Progress, bool | None, Landscape], land_class: LandClass
) -> Generator[Progress, bool | None, tuple[Landscape, Realism]]:
    landscape = yield from building
    yield Progress("measuring the land", 0.5)
    return landscape, judge(landscape, land_class)

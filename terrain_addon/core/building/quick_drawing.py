"""A quick look at a land while somebody moves what is drawn on it.

Erosion takes most of the time, so it follows on a coarse grid.  The land that was shown in full stays, and changes by
what the drawing changes there.  While points move, erosion is only sketched; once they pause it is looked at more
carefully, and when they rest, `build` makes the land that obeys.  Roads and pads do not change erosion, so they are
laid on the very land that they will have, and the way of a road bends with its stops until it is searched again.
"""

from collections.abc import Generator, Sequence
from typing import NamedTuple

import numpy as np

from ..direction.drawing import (
    DrawnFeatures,
    beds_of,
    draw_on_land,
    find_drawing,
    with_buildings,
    with_heights,
)
from ..direction.features import Feature
from ..direction.pads import LaidPad, lay_pad
from ..direction.road_course import RoadCourse
from ..direction.road_earthworks import lay_road
from ..direction.roads import bend_road, sketch_road
from ..flow.filling import fill_depressions
from ..foundation.cache import Cache
from ..foundation.levels import coarsen, refine
from ..foundation.progress import Progress
from ..foundation.stages import Work, keys_of, stage_steps
from ..foundation.terrain import Field, Terrain
from .drawing_stages import OVERVIEW_RESOLUTION, built_features, check_drawing, directing_features, features_of
from .landscape import Landscape, build_steps
from .layers import Inputs
from .measuring import RELIEF
from .recipe import Recipe
from .relief_stages import relief_stages
from .stage import land_of

QUICK_RESOLUTION = 513
"""Most samples along the width of a quick look."""

# Most samples along the width of the land on which the change by a drawing is found: sketched, or as a preview.
_SKETCH_RESOLUTION, _CAREFUL_RESOLUTION = 129, OVERVIEW_RESOLUTION


def quick_steps(
    recipe: Recipe,
    *,
    before: Sequence[Feature],
    inputs: Inputs,
    cache: Cache,
    roads: Sequence[RoadCourse] = (),
    careful: bool = False,
) -> Generator[Progress, bool | None, Landscape]:
    """Make a land that shows its drawing before erosion follows it in full.

    Parameters
    ----------
    recipe : Recipe
        With features; its resolution is lowered to `QUICK_RESOLUTION`.
    before : sequence of Feature
        Those of the land that was shown in full; everything else is as in the recipe.
    inputs : mapping of str to StoredField
        As for `build`.
    cache : Cache
        Keeps the land that was shown, and the one without a drawing, from one look to the next.
    roads : sequence of RoadCourse
        Roads that were built before: those of features that have not changed keep their way.
    careful : bool
        Whether to look closer, which takes some times as long.

    Yields
    ------
    Progress
        Before each step.

    Returns
    -------
    Landscape
        Its terrain, roads and pads.

    Raises
    ------
    ValueError
        If a feature cannot be.
    """
    check_drawing(recipe)
    known = directing_features(recipe.replace(features=tuple(before)))
    wanted = directing_features(recipe)
    if not any(process.enabled for process in recipe.erosion):
        known = wanted
    shown, drawn = recipe.replace(features=known), recipe.replace(features=wanted)
    land = yield from build_steps(shown, inputs=inputs, cache=cache, extent="terrain")
    recipe = recipe.replace(resolution=min(recipe.resolution, QUICK_RESOLUTION))
    before_it, drawing = _shown(land, recipe, cache), DrawnFeatures()
    terrain = before_it.terrain
    if wanted != known:
        change = yield from _changed(shown, drawn, inputs, cache, careful=careful)
        drawing = yield from _drawing(drawn, inputs, cache)
        terrain = with_heights(terrain, _changed_by(before_it, change, recipe.water.sea_surface))
        terrain = draw_on_land(terrain, drawing, drains=careful)
    drawing = with_buildings(drawing, built_features(recipe))
    terrain, pads, built = _with_buildings(terrain, drawing, roads)
    return Landscape(recipe, terrain, {}, None, warnings=land.warnings, roads=built, pads=pads)


def _changed(
    known: Recipe, wanted: Recipe, inputs: Inputs, cache: Cache, *, careful: bool
) -> Generator[Progress, bool | None, Field]:
    """How a drawing changes the land that erosion makes, on a coarse grid."""
    cells = _CAREFUL_RESOLUTION if careful else _SKETCH_RESOLUTION
    surfaces = []
    for recipe in (known, wanted):
        coarse = recipe.replace(resolution=min(recipe.resolution, cells))
        steps = build_steps(
            coarse, inputs=inputs, cache=cache, extent="terrain", passes=recipe is wanted, sketched=not careful
        )
        surfaces.append((yield from steps).terrain.surface)
    change = surfaces[1] - surfaces[0]
    if careful:
        return change
    # Small valleys of a sketch are at other places than those of the land.
    rows, columns = ((count + 1) // 2 for count in change.shape)
    return coarsen(change, (rows, columns))


class _Shown(NamedTuple):
    """The land that was shown in full, at the resolution of a quick look, and how deep its hollows are in metres."""

    terrain: Terrain
    hollows: Field


def _shown(land: Landscape, recipe: Recipe, cache: Cache) -> _Shown:
    """The land that was shown; it stays the same from one look to the next."""
    shape, sea_level = recipe.grid.shape, recipe.water.sea_surface
    key = f"quick look at {land.terrain_key} {shape} {sea_level}"
    found: dict[str, _Shown] = cache.find([key])
    if key not in found:
        terrain = _coarser(land.terrain, shape)
        surface = terrain.surface
        found[key] = _Shown(terrain, fill_depressions(surface, sea_level) - surface)
        cache.put(key, found[key])
    return found[key]


def _changed_by(shown: _Shown, change: Field, sea_level: float | None) -> Field:
    """A surface after a coarse change, without the hollows that this makes: erosion would have filled them."""
    changed = shown.terrain.surface + refine(change, shown.terrain.surface.shape)
    hollows = fill_depressions(changed, sea_level) - changed
    hollows -= shown.hollows
    return changed + np.maximum(hollows, np.float32(0.0))


def _drawing(recipe: Recipe, inputs: Inputs, cache: Cache) -> Generator[Progress, bool | None, DrawnFeatures]:
    """The drawing of a recipe, which is the same for every resolution."""
    overview = recipe.replace(resolution=min(recipe.resolution, OVERVIEW_RESOLUTION))
    stages, grid = relief_stages(overview, inputs), overview.grid
    work = Work(stages, keys_of(stages), [RELIEF], grid.rows * grid.columns)
    relief = land_of((yield from stage_steps(work, cache)).results[RELIEF])
    return find_drawing(features_of(recipe), relief.surface, relief.cell_size, recipe.water.sea_surface)


def _coarser(terrain: Terrain, shape: tuple[int, int]) -> Terrain:
    """A land on a grid of at most as many samples."""
    if terrain.surface.shape == shape:
        return terrain
    cell_size = terrain.cell_size * (terrain.surface.shape[1] - 1) / (shape[1] - 1)
    return Terrain(coarsen(terrain.bedrock, shape), coarsen(terrain.sediment, shape), cell_size)


def _with_buildings(
    terrain: Terrain, drawing: DrawnFeatures, roads: Sequence[RoadCourse]
) -> tuple[Terrain, tuple[LaidPad, ...], tuple[RoadCourse, ...]]:
    """A land with its pads, and its roads as far as they can be found quickly."""
    if not (drawing.pads or drawing.roads):
        return terrain, (), ()
    surface, cell_size, pads, built = terrain.surface, terrain.cell_size, [], []
    beds = beds_of(drawing, surface.shape, cell_size)
    for pad in drawing.pads:
        surface, laid = lay_pad(surface, pad, cell_size, beds)
        pads.append(laid)
    for road in drawing.roads:
        known = next((course for course in roads if course.road == road), None)
        moved = next((course for course in roads if course.road.name == road.name), None)
        course = known or (moved and bend_road(surface, cell_size, road, moved))
        course = course or sketch_road(surface, cell_size, road)
        if course is not None:
            surface, course = lay_road(surface, road, course, cell_size, beds)
            built.append(course)
    return with_heights(terrain, surface), tuple(pads), tuple(built)

"""A quick look at a land while somebody moves what is drawn on it.

Erosion takes most of the time, so it does not follow.  The land that was shown in full stays, and changes by what the
drawing changes on the land that erosion makes without any; both stay the same while points move.  When they rest,
`build` makes the land that obeys.  Roads and pads do not change erosion, so they are laid on the very land that they
will have, and the way of a road bends with its stops until it is searched again.
"""

from collections.abc import Generator, Sequence

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
from ..direction.roads import bend_road, lay_road, sketch_road
from ..erosion.levels import coarsen, refine
from ..foundation.cache import Cache
from ..foundation.progress import Progress, mapped
from ..foundation.terrain import Field, Terrain
from .drawing_stages import built_features, check_drawing, directing_features
from .landscape import Landscape, build_steps
from .layers import Inputs
from .measuring import RELIEF
from .recipe import Recipe
from .relief_stages import relief_stages
from .stage import land_of

QUICK_RESOLUTION = 513
"""Most samples along the width of a quick look."""

# Most samples along the width of the land on which the change by a drawing is found.
_CHANGE_RESOLUTION = 257


def quick_steps(
    recipe: Recipe,
    *,
    before: Sequence[Feature],
    inputs: Inputs,
    cache: Cache,
    roads: Sequence[RoadCourse] = (),
) -> Generator[Progress, bool | None, Landscape]:
    """Make a land that shows its drawing before erosion follows it.

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
    land = yield from build_steps(recipe.replace(features=known), inputs=inputs, cache=cache, extent="terrain")
    recipe = recipe.replace(resolution=min(recipe.resolution, QUICK_RESOLUTION))
    terrain, drawing = _coarser(land.terrain, recipe.grid.shape), DrawnFeatures()
    if wanted != known:
        bare = yield from _bare(recipe, inputs, cache)
        drawing = bare.find(wanted)
        change = bare.formed(drawing) - bare.formed(bare.find(known))
        terrain = with_heights(terrain, terrain.surface + refine(change, terrain.surface.shape))
        terrain = draw_on_land(terrain, drawing)
    drawing = with_buildings(drawing, built_features(recipe))
    terrain, pads, built = _with_buildings(terrain, drawing, roads)
    return Landscape(recipe, terrain, {}, None, warnings=land.warnings, roads=built, pads=pads)


class _Bare:
    """A land on which nothing is drawn, before and after erosion."""

    def __init__(self, relief: Terrain, terrain: Terrain, sea_level: float | None) -> None:
        self._relief, self._terrain, self._sea_level = relief, terrain, sea_level

    def find(self, features: Sequence[Feature]) -> DrawnFeatures:
        """The drawing of features."""
        return find_drawing(features, self._relief.surface, self._relief.cell_size, self._sea_level)

    def formed(self, drawing: DrawnFeatures) -> Field:
        """The surface with all of a drawing but its rivers: the valley that one has cut stays where it leaves it."""
        return draw_on_land(self._terrain, drawing._replace(rivers=())).surface


def _bare(recipe: Recipe, inputs: Inputs, cache: Cache) -> Generator[Progress, bool | None, _Bare]:
    """Make the land of a recipe without its features."""
    coarse = recipe.replace(resolution=min(recipe.resolution, _CHANGE_RESOLUTION), features=())
    land = yield from build_steps(coarse, inputs=inputs, cache=cache, extent="terrain")
    made: dict[str, object] = {}
    for stage in relief_stages(coarse, inputs):
        made[stage.name] = yield from mapped(stage.compute(made), lambda share: Progress("drawing", share))
    return _Bare(land_of(made[RELIEF]), land.terrain, recipe.water.sea_surface)


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

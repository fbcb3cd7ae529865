"""A quick look at a land while somebody moves what is drawn on it.

Erosion takes most of the time, so it does not follow: the drawing is laid on the land that erosion makes without it,
which stays the same while points move.  When they rest, `build` makes the land that obeys.
"""

from collections.abc import Generator, Sequence

from ..direction.drawing import DrawnFeatures, beds_of, draw_on_land, draw_on_relief, find_drawing, with_heights
from ..direction.features import Road
from ..direction.pads import lay_pad
from ..direction.road_course import RoadCourse
from ..direction.roads import find_road, lay_road
from ..foundation.cache import Cache
from ..foundation.progress import Progress, mapped
from ..foundation.terrain import Field, Terrain
from .drawing_stages import check_drawing, features_of
from .landscape import Landscape, build_steps
from .layers import Inputs
from .measuring import RELIEF
from .recipe import Recipe
from .relief_stages import relief_stages
from .stage import land_of

QUICK_RESOLUTION = 257
"""Most samples along the width of a quick look."""

# Nodes along the longer side of the grid on which the way of a road is searched.
_NODES = 65


def quick_steps(
    recipe: Recipe, *, inputs: Inputs, cache: Cache, roads: Sequence[RoadCourse] = ()
) -> Generator[Progress, bool | None, Landscape]:
    """Make a land whose drawing is laid on what erosion makes without it.

    Parameters
    ----------
    recipe : Recipe
        With features; its resolution is lowered to `QUICK_RESOLUTION`.
    inputs : mapping of str to StoredField
        As for `build`.
    cache : Cache
        Keeps the land without the drawing from one look to the next.
    roads : sequence of RoadCourse
        Roads that were built before: those of features that have not changed keep their way.

    Yields
    ------
    Progress
        Before each step.

    Returns
    -------
    Landscape
        Its terrain and roads.

    Raises
    ------
    ValueError
        If a feature cannot be.
    """
    check_drawing(recipe)
    recipe = recipe.replace(resolution=min(recipe.resolution, QUICK_RESOLUTION))
    bare = recipe.replace(features=())
    land = yield from build_steps(bare, inputs=inputs, cache=cache, extent="terrain")
    made: dict[str, object] = {}
    for stage in relief_stages(bare, inputs):
        made[stage.name] = yield from mapped(stage.compute(made), lambda share: Progress("drawing", share))
    relief, terrain = land_of(made[RELIEF]), land.terrain
    drawing = find_drawing(features_of(recipe), relief.surface, relief.cell_size, recipe.water.sea_surface)
    terrain = draw_on_land(draw_on_relief(terrain, drawing), drawing)
    terrain, built = _with_roads(terrain, drawing, roads)
    return Landscape(recipe, terrain, {}, None, warnings=land.warnings, roads=built)


def _with_roads(
    terrain: Terrain, drawing: DrawnFeatures, roads: Sequence[RoadCourse]
) -> tuple[Terrain, tuple[RoadCourse, ...]]:
    """A land with its pads, and its roads as far as they can be found quickly."""
    surface, cell_size, built = terrain.surface, terrain.cell_size, []
    beds = beds_of(drawing, surface.shape, cell_size)
    for pad in drawing.pads:
        surface, _ = lay_pad(surface, pad, cell_size, beds)
    for road in drawing.roads:
        known = next((course for course in roads if course.road == road), None)
        course = known or _roughly(surface, cell_size, road)
        if course is not None:
            surface, course = lay_road(surface, road, course, cell_size, beds)
            built.append(course)
    return with_heights(terrain, surface), tuple(built)


def _roughly(surface: Field, cell_size: float, road: Road) -> RoadCourse | None:
    """The way of a road on a coarse grid; None where it has none there."""
    try:
        return find_road(surface, cell_size, road, most_nodes=_NODES)
    except ValueError:  # A finer grid may have a way, and says why if it has none.
        return None

"""The stages of what is drawn: the relief follows it before erosion, and the land once more after erosion."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..direction.checks import check_features
from ..direction.drawing import (
    NOTHING_DRAWN,
    DrawnFeatures,
    WetGround,
    beds_of,
    build_on_land,
    clear_ground,
    draw_on_land,
    draw_on_relief,
    find_drawing,
    with_buildings,
)
from ..direction.features import Feature, Lake, Pad, River, Road
from ..direction.fixed_border import keep_border
from ..direction.out_of_place import tell_gorge, tell_lake
from ..direction.pads import LaidPad
from ..direction.road_course import RoadCourse, road_warnings
from ..direction.road_meetings import meeting_warnings
from ..flow.inflows import Inflow
from ..flow.water import Waters, find_water
from ..foundation.progress import Steps
from ..foundation.stages import Results, Stage
from ..foundation.terrain import Field, Terrain
from ..maps.climate import RAIN_MAP, rain_share
from ..maps.water import WATERS
from .layers import Inputs
from .measuring import RELIEF, Measured, reads_of, values_of
from .recipe import Recipe
from .relief_stages import relief_stages
from .stage import StageKind, land_of

DRAWN = "features"
"""Name of the stage that makes the terrain before erosion where something is drawn on it."""

FINISHED = "features after erosion"
"""Name of the stage that makes the finished terrain where something is drawn on it."""

BUILT = "roads and pads"
"""Name of the stage that makes the finished terrain where roads or pads are built on it."""

FIXED_BORDER = "border as before erosion"
"""Name of the stage that gives the border of an eroded land its heights again."""

OVERVIEW_RESOLUTION = 257
"""Samples along the width of an overview."""
_KM2 = 1e6
# Fewest cells across an overview.
_OVERVIEW_CELLS_ACROSS = 32


@dataclass(frozen=True)
class Drawn:
    """A terrain that follows a drawing.

    Attributes
    ----------
    terrain : Terrain
        The land.
    drawing : DrawnFeatures
        The same for all resolutions.
    pads : tuple of LaidPad
        Level ground, on the finished land.
    roads : tuple of RoadCourse
        Roads, on the finished land.
    """

    terrain: Terrain
    drawing: DrawnFeatures
    pads: tuple[LaidPad, ...] = ()
    roads: tuple[RoadCourse, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """What could not be made as it was drawn, as sentences."""
        return (*self.drawing.warnings, *warnings_of_roads(self.roads))


def warnings_of_roads(roads: Sequence[RoadCourse]) -> tuple[str, ...]:
    """Return what is told of roads.

    Parameters
    ----------
    roads : sequence of RoadCourse
        As they were built, in the order of the drawing.

    Returns
    -------
    tuple of str
        Sentences about each road, then about those that meet.
    """
    return (*road_warnings(roads), *meeting_warnings(roads))


def features_of(recipe: Recipe) -> tuple[Feature, ...]:
    """Return the features of a recipe that take part: those that are on and have points.

    Parameters
    ----------
    recipe : Recipe
        Whose list is asked.

    Returns
    -------
    tuple of Feature
        In the order of the list.
    """
    return tuple(one for one in recipe.features if one.enabled and one.points)


def directing_features(recipe: Recipe) -> tuple[Feature, ...]:
    """Return the features that erosion obeys: all that take part but roads and pads, which need the finished ground.

    Parameters
    ----------
    recipe : Recipe
        Whose list is asked.

    Returns
    -------
    tuple of Feature
        In the order of the list.
    """
    return tuple(one for one in features_of(recipe) if not isinstance(one, Pad | Road))


def built_features(recipe: Recipe) -> tuple[Feature, ...]:
    """Return the roads and pads of a recipe that take part.

    Parameters
    ----------
    recipe : Recipe
        Whose list is asked.

    Returns
    -------
    tuple of Feature
        In the order of the list.
    """
    return tuple(one for one in features_of(recipe) if isinstance(one, Pad | Road))


def with_inflows(recipe: Recipe) -> Recipe:
    """Return a recipe in which drawn rivers bring the water that they drain outside.

    Parameters
    ----------
    recipe : Recipe
        Of a land.

    Returns
    -------
    Recipe
        With an inflow at the first point of each river that has one; the same recipe if none has.
    """
    drawn = tuple(
        Inflow(
            x=min(max(one.points[0][0], 0.0), recipe.width),
            y=min(max(one.points[0][1], 0.0), recipe.depth),
            drainage_area=one.inflow * _KM2,
        )
        for one in features_of(recipe)
        if isinstance(one, River) and one.inflow > 0.0
    )
    if not drawn:
        return recipe
    return recipe.replace(water=recipe.water.replace(inflows=(*recipe.water.inflows, *drawn)))


def has_overview(recipe: Recipe) -> bool:
    """Return whether a land is finer than an overview, and not too narrow for one.

    Parameters
    ----------
    recipe : Recipe
        Of the land.

    Returns
    -------
    bool
    """
    across = (OVERVIEW_RESOLUTION - 1) * min(recipe.depth / recipe.width, 1.0)
    return recipe.resolution > OVERVIEW_RESOLUTION and across >= _OVERVIEW_CELLS_ACROSS


def check_drawing(recipe: Recipe) -> None:
    """Refuse features that cannot be.

    Parameters
    ----------
    recipe : Recipe
        Whose list is checked.

    Raises
    ------
    ValueError
        With one sentence that says what to change.
    """
    check_features(recipe.features, recipe.width, recipe.depth)


def drawing_stages(recipe: Recipe, inputs: Inputs) -> list[Stage]:
    """Return the stage in which the relief takes what is drawn, without roads and pads.

    Parameters
    ----------
    recipe : Recipe
        What to make.
    inputs : mapping of str to StoredField
        What comes from outside, by key.

    Returns
    -------
    list of Stage
        Empty if nothing is drawn that erosion obeys.

    Raises
    ------
    ValueError
        If a feature cannot be.
    """
    check_drawing(recipe)
    features = directing_features(recipe)
    if not features:
        return []

    def draw(results: Results) -> Steps[Drawn]:
        terrain = land_of(results[RELIEF])
        drawing = yield from follow_drawing(recipe.replace(features=features), terrain, inputs)
        return Drawn(draw_on_relief(terrain, drawing), drawing)

    reads = [_reads_of(features), recipe.water.sea_surface]
    return [Stage(StageKind.DRAWN, DRAWN, (RELIEF,), reads, draw)]


def follow_drawing(recipe: Recipe, relief: Terrain, inputs: Inputs) -> Steps[DrawnFeatures]:
    """Find the drawing of a recipe: heights that are not drawn, and ways of rivers, on the relief of a preview.

    Parameters
    ----------
    recipe : Recipe
        With features.
    relief : Terrain
        The land before erosion, at the resolution of the recipe.
    inputs : mapping of str to StoredField
        As for `core.build`.

    Yields
    ------
    float
        Share done.

    Returns
    -------
    DrawnFeatures
        The same for every resolution that has an overview.
    """
    overview = relief
    if has_overview(recipe):
        made: dict[str, object] = {}
        for stage in relief_stages(recipe.replace(resolution=OVERVIEW_RESOLUTION), inputs):
            made[stage.name] = yield from stage.compute(made)
        overview = land_of(made[RELIEF])
    yield 0.5
    return find_drawing(features_of(recipe), overview.surface, overview.cell_size, recipe.water.sea_surface)


def last_drawn(results: Results) -> Drawn | None:
    """Return what the last stage made that draws or builds on the finished land.

    Parameters
    ----------
    results : mapping of str to object
        What the stages of a landscape have made.

    Returns
    -------
    Drawn or None
        None if nothing is drawn.
    """
    found: Drawn | None = results.get(BUILT, results.get(FINISHED))
    return found


def cleared_ground(result: Any) -> Field | None:
    """Return how far each place is from the ground that pads and roads keep free of plants.

    Parameters
    ----------
    result : Terrain, Eroded or Drawn
        What the stage made that made the land.

    Returns
    -------
    ndarray of float32, shape (rows, columns), or None
        Metres, 0 and below where nothing grows; None without pads and roads.
    """
    if not isinstance(result, Drawn) or not (result.pads or result.roads):
        return None
    terrain = result.terrain
    return clear_ground(result.drawing, result.roads, terrain.surface.shape, terrain.cell_size)


def border_stages(recipe: Recipe, land: str) -> list[Stage]:
    """Return the stage in which the border of the eroded land gets back the heights that it had.

    Parameters
    ----------
    recipe : Recipe
        What to make.
    land : str
        Name of the stage that makes the land after erosion.

    Returns
    -------
    list of Stage
        Empty if the border is not fixed, or nothing has eroded.
    """
    before = DRAWN if directing_features(recipe) else RELIEF
    if not recipe.fixed_border or land == before:
        return []

    def keep(results: Results) -> Steps[Terrain]:
        yield 0.0
        return keep_border(land_of(results[land]), land_of(results[before]).surface)

    return [Stage(StageKind.DRAWN, FIXED_BORDER, (before, land), None, keep)]


def finished_stages(recipe: Recipe, land: str) -> list[Stage]:
    """Return the stages in which the land after erosion takes what is drawn, and roads and pads are built on it.

    Parameters
    ----------
    recipe : Recipe
        What to make.
    land : str
        Name of the stage that makes the land before.

    Returns
    -------
    list of Stage
        Empty if nothing is drawn.  Nothing before the last one depends on roads and pads.
    """
    stages = []
    if directing_features(recipe):

        def draw(results: Results) -> Steps[Drawn]:
            yield 0.0
            drawing, eroded = results[DRAWN].drawing, land_of(results[land])
            finished = draw_on_land(eroded, drawing)
            told = _out_of_place(directing_features(recipe), drawing, eroded, finished)
            return Drawn(finished, drawing._replace(warnings=(*drawing.warnings, *told)))

        stages.append(Stage(StageKind.DRAWN, FINISHED, (land, DRAWN), [], draw))
    if built_features(recipe):
        stages.append(_building_stage(recipe, stages[-1].name if stages else land))
    return stages


def _out_of_place(
    features: Sequence[Feature], drawing: DrawnFeatures, eroded: Terrain, finished: Terrain
) -> tuple[str, ...]:
    """A sentence for each lake and river that the land around it does not fit after erosion."""
    lakes = [one for one in features if isinstance(one, Lake)]
    about_lakes = (tell_lake(*pair, eroded.surface, eroded.cell_size) for pair in zip(lakes, drawing.lakes))
    rivers = (one for one in features if isinstance(one, River))
    about_rivers = (tell_gorge(one, finished.surface, finished.cell_size) for one in rivers)
    return tuple(sentence for told in (*about_lakes, *about_rivers) for sentence in told)


def _building_stage(recipe: Recipe, land: str) -> Stage:
    """The stage in which roads and pads are built on the land of another one."""
    features = built_features(recipe)

    def build(results: Results) -> Steps[Drawn]:
        yield 0.0
        terrain = land_of(results[land])
        drawing = with_buildings(results[FINISHED].drawing if land == FINISHED else NOTHING_DRAWN, features)
        waters = Measured(terrain, recipe, None)(WATERS.name)
        rivers = beds_of(drawing, terrain.surface.shape, terrain.cell_size)
        rivers.ravel()[waters.rivers.cell] = True
        lakes = drawing.water_at_border(terrain.surface, terrain.cell_size)
        wet = WetGround(rivers, rivers | lakes | (waters.water_depth > 0.0))
        terrain, pads, roads = yield from build_on_land(terrain, drawing, wet)
        return Drawn(terrain, drawing, pads, roads)

    # Water decides where pads and roads are.
    return Stage(StageKind.DRAWN, BUILT, (land,), [_reads_of(features), reads_of(WATERS.name, recipe)], build)


def _reads_of(features: Sequence[Feature]) -> list[object]:
    """What of features shapes the land: all but their names."""
    return [one.replace(name="").to_json() | {"model": one.model()} for one in features]


def with_drawn_rivers(recipe: Recipe, stages: list[Stage], land: str) -> list[Stage]:
    """Return stages whose water shows drawn rivers along their whole length.

    Parameters
    ----------
    recipe : Recipe
        What to make.
    stages : list of Stage
        The measurements of the land.
    land : str
        Name of the stage that makes the finished land.

    Returns
    -------
    list of Stage
        The same if no river is drawn.
    """
    if not any(isinstance(one, River | Lake) for one in features_of(recipe)):
        return stages

    def flow(results: Results) -> Steps[Waters]:
        yield 0.0
        terrain = land_of(results[land])
        streams = results[DRAWN].drawing.streams(terrain.surface.shape, terrain.cell_size)
        rain = rain_share(values_of(results[RAIN_MAP.name])) if recipe.climate.enabled else None
        return find_water(terrain.surface, terrain.cell_size, recipe.water, rain, streams)

    return [replace(one, needs=(*one.needs, DRAWN), compute=flow) if one.name == WATERS.name else one for one in stages]

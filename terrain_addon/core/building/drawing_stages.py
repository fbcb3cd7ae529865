"""The stages of what is drawn: the relief follows it before erosion, and the land once more after erosion."""

from dataclasses import dataclass

from ..direction.checks import check_features
from ..direction.drawing import Drawing, draw_on_land, draw_on_relief, find_drawing
from ..direction.features import Feature
from ..foundation.progress import Steps
from ..foundation.terrain import Terrain
from .layers import Inputs
from .measuring import RELIEF
from .recipe import Recipe
from .relief_stages import relief_stages
from .stage import Results, Stage, StageKind, land_of

DRAWN = "features"
"""Name of the stage that makes the terrain before erosion where something is drawn on it."""

OVERVIEW_RESOLUTION = 257
"""Samples along the width of an overview."""
# Fewest cells across an overview.
_OVERVIEW_CELLS_ACROSS = 32


@dataclass(frozen=True)
class Drawn:
    """A terrain that follows a drawing.

    Attributes
    ----------
    terrain : Terrain
        The land.
    drawing : Drawing
        The same for all resolutions.
    """

    terrain: Terrain
    drawing: Drawing


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


def drawing_stages(recipe: Recipe, inputs: Inputs) -> list[Stage]:
    """Return the stage in which the relief takes what is drawn.

    Parameters
    ----------
    recipe : Recipe
        What to make.
    inputs : mapping of str to StoredField
        What comes from outside, by key.

    Returns
    -------
    list of Stage
        Empty if nothing is drawn.

    Raises
    ------
    ValueError
        If a feature cannot be.
    """
    features = features_of(recipe)
    if not features:
        return []
    check_features(features, recipe.width, recipe.depth)

    def draw(results: Results) -> Steps[Drawn]:
        terrain = overview = land_of(results[RELIEF])
        if has_overview(recipe):
            made: dict[str, object] = {}
            for stage in relief_stages(recipe.replace(resolution=OVERVIEW_RESOLUTION), inputs):
                made[stage.name] = yield from stage.compute(made)
            overview = land_of(made[RELIEF])
        yield 0.5
        drawing = find_drawing(features, overview.surface, overview.cell_size, recipe.water.sea_surface)
        return Drawn(draw_on_relief(terrain, drawing), drawing)

    reads = [[one.replace(name="").to_json() | {"model": one.model()} for one in features], recipe.water.sea_surface]
    return [Stage(StageKind.DRAWN, DRAWN, (RELIEF,), reads, draw)]


def finished_stages(recipe: Recipe, land: str) -> list[Stage]:
    """Return the stage in which the land after erosion takes what is drawn.

    Parameters
    ----------
    recipe : Recipe
        What to make.
    land : str
        Name of the stage that makes the land before.

    Returns
    -------
    list of Stage
        Empty if nothing is drawn.
    """
    if not features_of(recipe):
        return []

    def draw(results: Results) -> Steps[Drawn]:
        yield 0.0
        drawing = results[DRAWN].drawing
        return Drawn(draw_on_land(land_of(results[land]), drawing), drawing)

    return [Stage(StageKind.DRAWN, "features after erosion", (land, DRAWN), [], draw)]

"""A drawing: all features of a land with their heights, ready to be laid on grids of any resolution."""

from collections.abc import Sequence
from typing import NamedTuple

from ..foundation.terrain import Field, Terrain
from .courses import DrawnRiver
from .features import Feature, River
from .rivers import cut_beds, cut_valleys, find_rivers


class Drawing(NamedTuple):
    """All features of a land with their heights.

    Parameters
    ----------
    rivers : tuple of DrawnRiver
        Courses that rivers keep, each after the one in which it ends.
    """

    rivers: tuple[DrawnRiver, ...] = ()


NOTHING_DRAWN = Drawing()


def find_drawing(
    features: Sequence[Feature], surface: Field, cell_size: float, sea_level: float | None = None
) -> Drawing:
    """Return a drawing: heights and ways on that are not drawn follow from the land.

    Parameters
    ----------
    features : sequence of Feature
        Those that are on and have points.
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres of the land before erosion, on the grid of a preview.
    cell_size : float
        Metres.
    sea_level : float, optional
        Metres.

    Returns
    -------
    Drawing
        The same for every resolution of the land.
    """
    rivers = [feature for feature in features if isinstance(feature, River)]
    return Drawing(find_rivers(rivers, surface, cell_size, sea_level))


def draw_on_relief(terrain: Terrain, drawing: Drawing) -> Terrain:
    """Return a land before erosion that follows a drawing.

    Parameters
    ----------
    terrain : Terrain
        The relief.
    drawing : Drawing
        From `find_drawing`.

    Returns
    -------
    Terrain
        With the same sediment.
    """
    surface = cut_valleys(terrain.surface, drawing.rivers, terrain.cell_size)
    return Terrain(surface - terrain.sediment, terrain.sediment, terrain.cell_size)


def draw_on_land(terrain: Terrain, drawing: Drawing) -> Terrain:
    """Return a land after erosion that follows a drawing exactly.

    Parameters
    ----------
    terrain : Terrain
        After all processes.
    drawing : Drawing
        From `find_drawing`.

    Returns
    -------
    Terrain
        What is cut takes sediment first; what is filled up is bedrock.
    """
    return cut_beds(terrain, drawing.rivers)

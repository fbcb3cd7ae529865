"""A drawing: all features of a land with their heights, ready to be laid on grids of any resolution."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..foundation.terrain import Field, Terrain
from .courses import Courses, DrawnRiver, courses_on, extend_river
from .features import Cliff, Feature, Lake, River
from .forms import Form, find_forms, fixed_heights, take_heights
from .lakes import FixedLake, Step, fill_lakes, find_lake, find_step, lake_cells, raise_steps
from .lines import Line, inside
from .rivers import cut_beds, cut_valleys, find_rivers, spacing_on

# The stream that leaves a drawn lake.
_OUTLET_WIDTH, _OUTLET_DEPTH, _OUTLET_POINTS = 2.0, 0.0, 3


class Drawing(NamedTuple):
    """All features of a land with their heights.

    Parameters
    ----------
    rivers : tuple of DrawnRiver
        Courses that rivers keep, each after the one in which it ends; among them the outlets of lakes.
    forms : tuple of Form
        Lines of fixed heights.
    lakes : tuple of FixedLake
        Fixed levels.
    steps : tuple of Step
        Cliffs.
    relief : float
        Height of the land in metres.
    """

    rivers: tuple[DrawnRiver, ...] = ()
    forms: tuple[Form, ...] = ()
    lakes: tuple[FixedLake, ...] = ()
    steps: tuple[Step, ...] = ()
    relief: float = 0.0

    def courses(self, shape: tuple[int, int], cell_size: float) -> Courses:
        """Return the courses of all rivers on a grid, without what lies in drawn lakes.

        Parameters
        ----------
        shape : tuple of int
            (rows, columns).
        cell_size : float
            Metres.

        Returns
        -------
        Courses
        """
        return courses_on(self.rivers, shape, cell_size, self.levels(shape, cell_size))

    def levels(self, shape: tuple[int, int], cell_size: float) -> Field | None:
        """Return the level of the drawn lake that covers each cell.

        Parameters
        ----------
        shape : tuple of int
            (rows, columns).
        cell_size : float
            Metres.

        Returns
        -------
        ndarray of float32, shape (rows, columns), or None
            Metres, NaN where there is none; None if no lake is drawn.
        """
        return lake_cells(self.lakes, shape, cell_size) if self.lakes else None


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
    spacing = spacing_on(surface.shape, cell_size)
    lakes = tuple(find_lake(one, surface, cell_size, spacing) for one in features if isinstance(one, Lake))
    shores = [lake.outline for lake in lakes]
    rivers = find_rivers([one for one in features if isinstance(one, River)], surface, cell_size, sea_level, shores)
    for lake in sorted(lakes, key=lambda lake: (lake.level, lake.outlet)):
        known = [*(river.line for river in rivers), *(other for other in shores if other is not lake.outline)]
        begin = Line(*(np.array([value]) for value in (*lake.outlet, lake.level)))
        basin = inside(lake.outline, surface.shape, cell_size)
        outlet = extend_river(begin, known, [lake.outline], surface, cell_size, sea_level, basin)
        outlet.height[:_OUTLET_POINTS] = lake.level
        rivers += (DrawnRiver(outlet, 1, _OUTLET_WIDTH, _OUTLET_DEPTH, 0.0, 0.0),)
    return Drawing(
        rivers,
        find_forms(features, surface, cell_size, spacing),
        lakes,
        tuple(find_step(one, spacing) for one in features if isinstance(one, Cliff)),
        float(surface.max()) - float(surface.min()),
    )


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
    courses = drawing.courses(terrain.surface.shape, terrain.cell_size)
    surface = _shaped(terrain, drawing, courses)
    surface = cut_valleys(surface, drawing.rivers, courses, terrain.cell_size)
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
    courses = drawing.courses(terrain.surface.shape, terrain.cell_size)
    surface = cut_beds(_shaped(terrain, drawing, courses), drawing.rivers, courses, terrain.cell_size)
    return with_surface(terrain, surface)


def with_surface(terrain: Terrain, surface: Field) -> Terrain:
    """Return a land with another surface.

    Parameters
    ----------
    terrain : Terrain
        The land.
    surface : ndarray of float32, shape (rows, columns)
        Metres.

    Returns
    -------
    Terrain
        Where it is lower, sediment is taken first; where it is higher, rock is put under the sediment.
    """
    change = surface - terrain.surface
    sediment = np.maximum(terrain.sediment + np.minimum(change, np.float32(0.0)), np.float32(0.0))
    bedrock = np.where(change == 0.0, terrain.bedrock, surface - sediment)
    return Terrain(bedrock, sediment, terrain.cell_size)


def _shaped(terrain: Terrain, drawing: Drawing, courses: Courses) -> Field:
    """The surface with forms, steps and basins of lakes."""
    surface, cell_size = terrain.surface, terrain.cell_size
    fixed = fixed_heights(drawing.forms, surface.shape, cell_size, courses)
    surface = take_heights(surface, fixed, courses, cell_size, drawing.relief)
    return fill_lakes(raise_steps(surface, drawing.steps, cell_size), drawing.lakes, cell_size)

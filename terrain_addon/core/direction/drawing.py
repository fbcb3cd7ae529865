"""A drawing: all features of a land with their heights, ready to be laid on grids of any resolution."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..flow.inflows import border_cells
from ..flow.rivers import DrawnStreams
from ..foundation.progress import Steps, within
from ..foundation.sampling import sample
from ..foundation.terrain import Field, Terrain
from .checks import left_out
from .courses import DrawnCourses, DrawnRiver, courses_on, extend_river
from .features import Cliff, Feature, Lake, Pad, River, Road, title_of
from .forms import Form, find_forms, fixed_heights, take_heights
from .lakes import FixedLake, fill_lakes, find_lake, lake_cells
from .lines import DrawnLine, inside, lies_within, measure_from, measure_nearness, values_at
from .pads import LaidPad, cut_through, lay_pad, outline_of
from .rivers import OUTLET_POINTS, cut_beds, cut_drawn_valleys, find_rivers, is_under_lakes, spacing_on
from .road_course import RoadCourse, is_within
from .road_earthworks import lay_road
from .roads import find_road, meet_roads
from .steps import HeldStep, Step, find_step, hold_of, raise_steps

# The stream that leaves a drawn lake.
_OUTLET_WIDTH, _OUTLET_DEPTH = 2.0, 0.0
# Cells beside a lake in which nothing runs but its outlet from where it leaves.
_SHORE_CELLS = 3.0
# Share of the width of a bed that its water covers at least.
_FILLED = 0.5
# A river without heights that ends so far above its source, as a share of the relief, is drawn uphill.
_UPHILL = 0.1


class DrawnFeatures(NamedTuple):
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
    pads : tuple of Pad
        Level ground.
    roads : tuple of Road
        Stops of roads.
    relief : float
        Height of the land in metres.
    warnings : tuple of str
        A sentence for each river that is drawn uphill, or has nothing left beside lakes.
    border : Form or None
        The border of the land, if it keeps its heights.
    """

    rivers: tuple[DrawnRiver, ...] = ()
    forms: tuple[Form, ...] = ()
    lakes: tuple[FixedLake, ...] = ()
    steps: tuple[Step, ...] = ()
    pads: tuple[Pad, ...] = ()
    roads: tuple[Road, ...] = ()
    relief: float = 0.0
    warnings: tuple[str, ...] = ()
    border: Form | None = None

    @property
    def lines(self) -> tuple[Form, ...]:
        """All lines of fixed heights, with the border if it is one."""
        return self.forms if self.border is None else (*self.forms, self.border)

    def courses(self, shape: tuple[int, int], cell_size: float) -> DrawnCourses:
        """Return the courses of all rivers on a grid, without what lies in drawn lakes.

        Parameters
        ----------
        shape : tuple of int
            (rows, columns).
        cell_size : float
            Metres.

        Returns
        -------
        DrawnCourses
        """
        return courses_on(self.rivers, shape, cell_size, [lake.outline for lake in self.lakes])

    def streams(self, shape: tuple[int, int], cell_size: float) -> DrawnStreams:
        """Return the cells of all rivers and lakes on a grid, with the least width of the water of rivers.

        Parameters
        ----------
        shape : tuple of int
            (rows, columns).
        cell_size : float
            Metres.

        Returns
        -------
        DrawnStreams
            The water fills half of a bed, or more where much drains to it.
        """
        courses = self.courses(shape, cell_size)
        widths = np.array([_FILLED * river.width for river in self.rivers], np.float32)
        levels = self.levels(shape, cell_size)
        lakes = np.empty(0, np.int64) if levels is None else np.flatnonzero(~np.isnan(levels))
        return DrawnStreams(courses.cell, np.repeat(widths, np.diff(courses.first)), lakes)

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

    def lakes_on_border(self, shape: tuple[int, int], cell_size: float) -> npt.NDArray[np.int64]:
        """Return the cells of the border that lie in drawn lakes.

        Parameters
        ----------
        shape : tuple of int
            (rows, columns).
        cell_size : float
            Metres.

        Returns
        -------
        ndarray of int64, shape (cells,)
            Flat indices.
        """
        border = border_cells(shape)
        row, column = np.divmod(border, shape[1])
        wet = np.zeros(border.size, bool)
        for lake in self.lakes:
            wet |= lies_within(lake.outline, row, column, cell_size)
        return border[wet]

    def water_at_border(self, surface: Field, cell_size: float) -> npt.NDArray[np.bool_]:
        """Return where drawn lakes stand, if one of them goes on beyond the border: usual hollows run dry there.

        Parameters
        ----------
        surface : ndarray of float32, shape (rows, columns)
            Heights in metres of the finished land.
        cell_size : float
            Metres.

        Returns
        -------
        ndarray of bool, shape (rows, columns)
        """
        if not self.lakes_on_border(surface.shape, cell_size).size:
            return np.zeros(surface.shape, bool)
        return surface < lake_cells(self.lakes, surface.shape, cell_size)

    def held_steps(self, shape: tuple[int, int], cell_size: float) -> tuple[HeldStep, ...]:
        """Return what holds each cliff on a grid while the land erodes.

        Parameters
        ----------
        shape : tuple of int
            (rows, columns).
        cell_size : float
            Metres.

        Returns
        -------
        tuple of HeldStep
        """
        return tuple(hold_of(step, shape, cell_size) for step in self.steps)


NOTHING_DRAWN = DrawnFeatures()


def find_drawing(
    features: Sequence[Feature], surface: Field, cell_size: float, sea_level: float | None = None
) -> DrawnFeatures:
    """Return a drawing; heights that are not drawn, and ways of rivers beyond their last points, follow from the land.

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
    DrawnFeatures
        The same for every resolution of the land.
    """
    spacing = spacing_on(surface.shape, cell_size)
    lakes = tuple(find_lake(one, surface, cell_size, spacing) for one in features if isinstance(one, Lake))
    shores = [lake.outline for lake in lakes]
    rivers = find_rivers([one for one in features if isinstance(one, River)], surface, cell_size, sea_level, lakes)
    left = {river.leaves for river in rivers}
    without_river = [lake for number, lake in enumerate(lakes) if number not in left]
    for lake in sorted(without_river, key=lambda lake: (lake.level, lake.outlet)):
        known = [*(river.line for river in rivers), *(other for other in shores if other is not lake.outline)]
        begin = DrawnLine(*(np.array([value]) for value in (*lake.outlet, lake.level)))
        for basin in (_lake_with_shore(lake, surface.shape, cell_size), inside(lake.outline, surface.shape, cell_size)):
            outlet = extend_river(begin, known, [lake.outline], surface, cell_size, sea_level, basin)
            if outlet.x.size > 1:
                break
        outlet.height[:OUTLET_POINTS] = lake.level
        rivers += (DrawnRiver(outlet, 1, _OUTLET_WIDTH, _OUTLET_DEPTH, 0.0, 0.0),)
    drawing = DrawnFeatures(
        rivers,
        find_forms(features, surface, cell_size, spacing),
        lakes,
        tuple(find_step(one, spacing) for one in features if isinstance(one, Cliff)),
        relief=float(surface.max()) - float(surface.min()),
        warnings=tuple(
            sentence
            for one in features
            if isinstance(one, River)
            for sentence in _river_warnings(one, lakes, surface, cell_size)
        ),
    )
    return with_buildings(drawing, features)


def _lake_with_shore(lake: FixedLake, shape: tuple[int, int], cell_size: float) -> npt.NDArray[np.bool_]:
    """The cells of a lake and of its shore, which its outlet does not follow but leaves at once."""
    reach = _SHORE_CELLS * cell_size
    row, column = np.indices(shape, sparse=True)
    x, y = lake.outlet
    beyond = (column * cell_size - x) ** 2 + (row * cell_size - y) ** 2 > (reach + cell_size) ** 2
    shore = measure_nearness(lake.outline, shape, cell_size, reach).distance < np.inf
    return inside(lake.outline, shape, cell_size) | (shore & beyond)


def with_buildings(drawing: DrawnFeatures, features: Sequence[Feature]) -> DrawnFeatures:
    """Return a drawing with the roads and pads among some features.

    Parameters
    ----------
    drawing : DrawnFeatures
        What erosion obeys.
    features : sequence of Feature
        Those that are on and have points.

    Returns
    -------
    DrawnFeatures
    """
    return drawing._replace(
        pads=tuple(one for one in features if isinstance(one, Pad)),
        roads=tuple(one for one in features if isinstance(one, Road)),
    )


def _river_warnings(river: River, lakes: Sequence[FixedLake], surface: Field, cell_size: float) -> tuple[str, ...]:
    """What could not be made of a river as it was drawn."""
    if not is_under_lakes(river, surface.shape, cell_size, lakes):
        return _uphill(river, surface, cell_size)
    sentence = f"{title_of(river)} begins and ends in the water of a drawn lake; draw its last point beyond the shore"
    return (left_out(sentence),)


def _uphill(river: River, surface: Field, cell_size: float) -> tuple[str, ...]:
    """A sentence if a river without heights ends far above its source."""
    ends = np.array([river.points[0][:2], river.points[-1][:2]])
    rows, columns = surface.shape
    x, y = np.clip(ends[:, 0], 0.0, (columns - 1) * cell_size), np.clip(ends[:, 1], 0.0, (rows - 1) * cell_size)
    source, mouth = (float(height) for height in sample(surface, cell_size, x, y))
    if any(len(point) > 2 for point in river.points) or mouth - source <= _UPHILL * float(np.ptp(surface)):
        return ()
    return (
        f"{title_of(river)} is drawn uphill: before erosion its last point lies {mouth - source:.0f} m above its "
        "first, so its bed is cut that deep; to avoid that, reverse the order of its points",
    )


def draw_on_relief(terrain: Terrain, drawing: DrawnFeatures) -> Terrain:
    """Return a land before erosion that follows a drawing.

    Parameters
    ----------
    terrain : Terrain
        The relief.
    drawing : DrawnFeatures
        From `find_drawing`.

    Returns
    -------
    Terrain
        With the same sediment.
    """
    courses = drawing.courses(terrain.surface.shape, terrain.cell_size)
    surface = _shaped(terrain, drawing, courses)
    surface = cut_drawn_valleys(surface, drawing.rivers, courses, terrain.cell_size)
    return Terrain(surface - terrain.sediment, terrain.sediment, terrain.cell_size)


def draw_on_land(terrain: Terrain, drawing: DrawnFeatures, *, drains: bool = True) -> Terrain:
    """Return a land after erosion that follows a drawing exactly.

    Parameters
    ----------
    terrain : Terrain
        After all processes.
    drawing : DrawnFeatures
        From `find_drawing`.
    drains : bool
        Whether streams cut through what was raised in their way, which takes as long as all else.

    Returns
    -------
    Terrain
        What is cut takes sediment first; what is filled up is bedrock.
    """
    courses = drawing.courses(terrain.surface.shape, terrain.cell_size)
    surface = _shaped(terrain, drawing, courses, cut=drains)
    surface = cut_beds(surface, drawing.rivers, courses, terrain.cell_size)
    return with_heights(terrain, surface)


def shape_forms(terrain: Terrain, drawing: DrawnFeatures) -> Field:
    """Return the surface of a land with forms and cliffs; streams cut through them, but no bed or lake is made.

    Parameters
    ----------
    terrain : Terrain
        After all processes.
    drawing : DrawnFeatures
        From `find_drawing`.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres.
    """
    courses = drawing.courses(terrain.surface.shape, terrain.cell_size)
    return _shaped(terrain, drawing._replace(lakes=()), courses, cut=True)


class WetGround(NamedTuple):
    """Where water is on a land.

    Parameters
    ----------
    rivers : ndarray of bool, shape (rows, columns)
        Cells in which rivers run.
    all : ndarray of bool, shape (rows, columns)
        Those, and cells under standing water.
    """

    rivers: npt.NDArray[np.bool_]
    all: npt.NDArray[np.bool_]


def beds_of(drawing: DrawnFeatures, shape: tuple[int, int], cell_size: float) -> npt.NDArray[np.bool_]:
    """Return the cells of the beds of drawn rivers, which nothing may fill up.

    Parameters
    ----------
    drawing : DrawnFeatures
        From `find_drawing`.
    shape : tuple of int
        (rows, columns).
    cell_size : float
        Metres.

    Returns
    -------
    ndarray of bool, shape (rows, columns)
        As wide as the beds, and at least the cells of the courses.
    """
    beds = np.zeros(shape, bool)
    beds.ravel()[drawing.courses(shape, cell_size).cell] = True
    for river in drawing.rivers:
        beds |= measure_nearness(river.line, shape, cell_size, 0.5 * river.width).distance < np.inf
    return beds


def build_on_land(
    terrain: Terrain, drawing: DrawnFeatures, wet: WetGround
) -> Steps[tuple[Terrain, tuple[LaidPad, ...], tuple[RoadCourse, ...]]]:
    """Build level ground and roads on a land.

    Parameters
    ----------
    terrain : Terrain
        The finished land.
    drawing : DrawnFeatures
        From `find_drawing`.
    wet : WetGround
        Roads cross it on bridges.  Pads fill standing water up and leave rivers their beds, so that none is dammed.

    Yields
    ------
    float
        Share done.

    Returns
    -------
    terrain : Terrain
        Cut and filled.
    pads : tuple of LaidPad
        In their order.
    roads : tuple of RoadCourse
        In their order.

    Raises
    ------
    ValueError
        If a road needs a bridge or tunnel that is longer than allowed.
    """
    surface, cell_size = terrain.surface, terrain.cell_size
    pads: list[LaidPad] = []
    roads: list[RoadCourse] = []
    for pad in drawing.pads:
        surface, laid = lay_pad(surface, pad, cell_size, wet.rivers)
        pads.append(laid)
    count = len(drawing.roads)
    for number, road in enumerate(drawing.roads):
        course = yield from within(find_road(surface, cell_size, road, wet.all), number / count, (number + 1) / count)
        course = meet_roads(course, roads, surface, cell_size, wet.all)
        surface, course = lay_road(surface, road, course, cell_size, wet.all)
        roads.append(course)
    return with_heights(terrain, surface), tuple(pads), tuple(roads)


def clear_ground(
    drawing: DrawnFeatures, roads: Sequence[RoadCourse], shape: tuple[int, int], cell_size: float
) -> Field:
    """Return how far each place is from the ground that pads and roads keep free of plants.

    Parameters
    ----------
    drawing : DrawnFeatures
        With pads, and the widths of roads.
    roads : sequence of RoadCourse
        The roads as they were built, in the order of the drawing.
    shape : tuple of int
        (rows, columns).
    cell_size : float
        Metres.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres, 0 and below where nothing grows, at most two cells; above tunnels plants grow.
    """
    most = np.float32(2.0 * cell_size)
    away = np.full(shape, most)
    for pad in drawing.pads:
        points = np.array([(*point[:2], 0.0) for point in (*pad.points, pad.points[0])])
        outline = DrawnLine(*(np.ascontiguousarray(points[:, k]) for k in range(3)))
        distance = measure_nearness(outline, shape, cell_size, pad.clearing + float(most)).distance
        distance[inside(outline, shape, cell_size)] = 0.0
        np.minimum(away, distance - np.float32(pad.clearing), out=away)
    for road, course in zip(drawing.roads, roads):
        free = 0.5 * road.width + road.clearing
        near = measure_nearness(course.line, shape, cell_size, free + float(most))
        along = values_at(course.line.along, near.place)
        near.distance[is_within(course.tunnels, along)] = np.inf
        np.minimum(away, near.distance - np.float32(free), out=away)
    return away


def stands_free(
    pads: Sequence[Pad], roads: Sequence[RoadCourse], x: Field, y: Field, spare: float = 0.0
) -> npt.NDArray[np.bool_]:
    """Return which places no pad and no road takes: exactly, where the grid of `clear_ground` is coarse.

    Parameters
    ----------
    pads : sequence of Pad
        As they were drawn.
    roads : sequence of RoadCourse
        As they were built.
    x, y : ndarray of float32, shape (places,)
        Metres.
    spare : float
        Metres more that they take on all sides.

    Returns
    -------
    ndarray of bool, shape (places,)
        Above tunnels all places are free.
    """
    free = np.ones(x.size, bool)
    for pad in pads:
        outline = outline_of(pad)
        near = measure_from(x, y, outline, pad.clearing + spare)
        free &= ~(near.place >= 0.0) & ~lies_within(outline, y, x, 1.0)
    for course in roads:
        near = measure_from(x, y, course.line, 0.5 * course.road.width + course.road.clearing + spare)
        taken = np.flatnonzero(near.place >= 0.0)
        free[taken] &= is_within(course.tunnels, values_at(course.line.along, near.place[taken]))
    return free


def with_heights(terrain: Terrain, surface: Field) -> Terrain:
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


def _shaped(terrain: Terrain, drawing: DrawnFeatures, courses: DrawnCourses, *, cut: bool = False) -> Field:
    """The surface with forms, steps and basins of lakes; with streams that cut through forms, or as it comes."""
    surface, cell_size = terrain.surface, terrain.cell_size
    fixed = fixed_heights(drawing.forms, surface.shape, cell_size, courses)
    surface = take_heights(surface, fixed, courses, cell_size, drawing.relief)
    surface = raise_steps(surface, drawing.steps, cell_size)
    if cut and (drawing.forms or drawing.steps):
        crests = [form for form in drawing.forms if not form.is_floor]
        held = np.zeros(surface.shape, bool)
        held.ravel()[fixed_heights(crests, surface.shape, cell_size, courses).cell] = True
        surface = cut_through(terrain.surface, surface, cell_size, held)
    return fill_lakes(surface, drawing.lakes, cell_size)

"""Rivers of a planet on a plane that touches it: their valleys, and where they enter a square.

Lines of rivers lead from sample to sample of the planet.

References
----------
Liang, Y.-D. & Barsky, B. A. (1984). A new concept and method for line clipping. ACM Transactions on Graphics 3(1),
1–22. doi:10.1145/357332.357333
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.easing import ease
from ..foundation.terrain import Field
from .cube_sphere import nearest_samples
from .local_plane import Place, plane_places
from .planet import Planet


class PlaneSquare(NamedTuple):
    """A square on a plane.

    Attributes
    ----------
    place : Place
        Where the plane touches the planet.
    west, south : float
        Its borders, in metres from the place.
    size : float
        Length of a side in metres.
    """

    place: Place
    west: float
    south: float
    size: float


class RiverSteps(NamedTuple):
    """Steps of rivers from sample to sample of a planet.

    Attributes
    ----------
    begins, ends : ndarray of float64, shape (steps, 2)
        Metres to the east and north of the place.
    floors : ndarray of float64, shape (steps, 2)
        Altitude in metres at which the river begins and ends the step; it never rises on its way.
    areas : ndarray of float64, shape (steps,)
        m² that the river drains where the step begins.
    """

    begins: npt.NDArray[np.float64]
    ends: npt.NDArray[np.float64]
    floors: npt.NDArray[np.float64]
    areas: npt.NDArray[np.float64]


class EntryValley(NamedTuple):
    """The cross-section of valleys.

    Attributes
    ----------
    width : float
        From the river to where the valley ends, in metres, above 0.
    depth : float
        How far below the river of the planet its floor lies, in metres.
    lowest : float
        Altitude below which no valley is cut, in metres; minus infinity for none.
    """

    width: float
    depth: float
    lowest: float


class Entry(NamedTuple):
    """Where a river enters a square.

    Attributes
    ----------
    x, y : float
        Metres from the western and the southern border.
    drainage_area : float
        m² that it drains outside.
    """

    x: float
    y: float
    drainage_area: float


def river_steps(planet: Planet, square: PlaneSquare, around: float) -> RiverSteps:
    """Return the steps of rivers of a planet that cross a square, or pass near it.

    Parameters
    ----------
    planet : Planet
        From `build_planet`.
    square : PlaneSquare
        Which square.
    around : float
        How near, in metres.

    Returns
    -------
    RiverSteps
        Of no steps where no river is near.
    """
    none = np.zeros((0, 2))
    steps = [RiverSteps(none, none, none, np.zeros(0))]
    rivers = planet.rivers
    if not rivers:
        return steps[0]
    centre = np.array((square.west, square.south)) + 0.5 * square.size
    reach = 0.5 * square.size + around
    # All rivers at once; what leads from the end of one to the beginning of the next is no step.
    places = plane_places(square.place, planet.recipe.radius, np.concatenate([one.directions for one in rivers]))
    low, high = np.minimum(places[:-1], places[1:]) - centre, np.maximum(places[:-1], places[1:]) - centre
    is_near = np.asarray(((low <= reach) & (high >= -reach)).all(axis=1))
    lasts = np.cumsum([len(one.directions) for one in rivers]) - 1
    is_near[lasts[:-1]] = False
    found = np.flatnonzero(is_near)
    for number in np.unique(np.searchsorted(lasts, found)).tolist():
        directions = rivers[number].directions
        first = int(lasts[number]) + 1 - len(directions)
        near = found[(found >= first) & (found <= lasts[number])]
        samples = nearest_samples(directions, planet.recipe.resolution)
        floor = np.minimum.accumulate(planet.surface.ravel()[samples].astype(np.float64))
        area = planet.maps["drainage_area"].ravel()[samples].astype(np.float64)
        floors = np.stack((floor[near - first], floor[near + 1 - first]), axis=1)
        steps.append(RiverSteps(places[near], places[near + 1], floors, area[near - first]))
    return RiverSteps(*(np.concatenate(parts) for parts in zip(*steps)))


def entries_of(steps: RiverSteps, square: PlaneSquare) -> list[Entry]:
    """Return where rivers come into a square from outside.

    Parameters
    ----------
    steps : RiverSteps
        From `river_steps`.
    square : PlaneSquare
        Which square.

    Returns
    -------
    list of Entry
        A river drains what the sample of the planet before the border drains.

    References
    ----------
    Liang & Barsky (1984), doi:10.1145/357332.357333: which part of a line lies in a square.
    """
    begin = steps.begins - np.array((square.west, square.south))
    way = steps.ends - steps.begins
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = (0.0 - begin) / way, (square.size - begin) / way
    is_between = (begin >= 0.0) & (begin <= square.size)
    # A step along a border line is inside for all of its way, or for none.
    first = np.where(way == 0.0, np.where(is_between, -np.inf, np.inf), np.minimum(low, high)).max(axis=1)
    last = np.where(way == 0.0, np.where(is_between, np.inf, -np.inf), np.maximum(low, high)).min(axis=1)
    enters = np.flatnonzero((first > 0.0) & (first <= 1.0) & (first < last))
    points = np.clip(begin[enters] + first[enters, np.newaxis] * way[enters], 0.0, square.size)
    return [Entry(x, y, area) for (x, y), area in zip(points.tolist(), steps.areas[enters].tolist())]


def cut_valleys(
    steps: RiverSteps,
    valley: EntryValley,
    east: npt.NDArray[np.float64],
    north: npt.NDArray[np.float64],
    heights: Field,
) -> None:
    """Cut the valleys of rivers into a land; a place changes by the rivers near it alone.

    Parameters
    ----------
    steps : RiverSteps
        From `river_steps`, with all that pass within twice the width of a valley.
    valley : EntryValley
        Their cross-section: a parabola.
    east, north : ndarray of float64, shape (columns,) and (rows,)
        Metres from the place of the plane.
    heights : ndarray of float32, shape (rows, columns)
        Metres; lowered.
    """
    _cut_all(steps, valley, east, north, heights)


@kernel
def _nearest_share(steps: RiverSteps, k: int, x: float, y: float) -> float:
    """Share of a step after which it is nearest to a place."""
    along_x, along_y = steps.ends[k, 0] - steps.begins[k, 0], steps.ends[k, 1] - steps.begins[k, 1]
    length = along_x * along_x + along_y * along_y
    if length == 0.0:
        return 0.0
    share = ((x - steps.begins[k, 0]) * along_x + (y - steps.begins[k, 1]) * along_y) / length
    return min(max(share, 0.0), 1.0)


@parallel_kernel
def _cut_all(part: Part, steps: RiverSteps, valley: EntryValley, east: Array, north: Array, heights: Array) -> None:
    """Lower each place to the deepest of the valleys that reach it."""
    for row in portion(part, len(north)):
        for column in range(len(east)):
            x, y = east[column], north[row]
            before = float(heights[row, column])
            height = before
            for k in range(len(steps.areas)):
                share = _nearest_share(steps, k, x, y)
                away_x = x - (steps.begins[k, 0] + share * (steps.ends[k, 0] - steps.begins[k, 0]))
                away_y = y - (steps.begins[k, 1] + share * (steps.ends[k, 1] - steps.begins[k, 1]))
                t = math.sqrt(away_x * away_x + away_y * away_y) / valley.width
                if t >= 2.0:
                    continue
                floor = steps.floors[k, 0] + share * (steps.floors[k, 1] - steps.floors[k, 0]) - valley.depth
                ground = max(floor, valley.lowest) + 2.0 * valley.depth * t * t
                # From the width of the valley on, its sides turn into the land around.
                rest = min(max(2.0 - t, 0.0), 1.0)
                height = min(height, before - max(before - ground, 0.0) * ease(rest))
            heights[row, column] = height

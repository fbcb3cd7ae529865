"""Roads and pads as triangles: roadway with crossfall and markings, shoulders, bridges on piers, mouths of tunnels.

>>> from ..direction.roads import find_road
>>> from ..foundation.progress import run
>>> level = Terrain(np.zeros((33, 33), np.float32), np.zeros((33, 33), np.float32), 10.0)
>>> course = run(find_road(level.surface, 10.0, Road(points=((40.0, 160.0), (280.0, 160.0)))))
>>> mesh = make_road_mesh(level, (course,))
>>> round(float(np.ptp(mesh.positions[:, 0]))), [list(ROAD_PARTS)[part] for part in sorted(set(mesh.part.tolist()))]
(240, ['asphalt', 'gravel', 'markings', 'verge'])
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..direction.features import Road
from ..direction.lines import smooth_line
from ..direction.pads import LaidPad
from ..direction.road_course import RoadCourse, Structure, is_within
from ..direction.road_earthworks import FORMATION_DEPTH, half_formation
from ..foundation.terrain import Terrain
from .pad_mesh import BuiltGround, built_ground, make_slab

ROAD_PARTS = {
    "asphalt": (0.046, 0.046, 0.046),
    "gravel": (0.20, 0.18, 0.15),
    "markings": (0.54, 0.54, 0.51),
    "concrete": (0.27, 0.26, 0.24),
    "verge": (0.085, 0.085, 0.035),
    "darkness": (0.002, 0.002, 0.002),
}
"""What a road is made of, with its mean colour, linear; the part of a triangle is a place in this list."""

_ASPHALT, _GRAVEL, _MARKING, _CONCRETE, _VERGE, _DARKNESS = range(len(ROAD_PARTS))

_Vectors = npt.NDArray[np.float64]

# Metres between two sections, which is the length of a dash; every third piece of the middle line is one.
_STEP, _DASHES = 4.0, 3
_LINE, _TO_EDGE = 0.15, 0.25  # width of markings, and of the asphalt beside them
_NARROWEST_WITH_LINES = 4.0
_SHOULDER_FALL, _VERGE_FALL, _VERGE_DEPTH = 0.05, 1.0 / 1.5, 1.5
# A bend of this radius and sharper tilts in full, by so many times the crossfall.
_TILTED_RADIUS, _TILT = 60.0, 1.6
_SMOOTHED_BENDS = 12
# Where land would come up through a road: metres by which the road lies above it in the end; half the sections over
# which it rises to that; places between two sections, and metres between two across the road, that are compared.
_OVER_LAND, _LIFTED, _PLACES_ALONG, _ACROSS = 0.05, 8, 4, 0.5
# Bridges: thickness of the deck, height and width of its walls, distance between piers, least height of a pier.
_DECK, _WALL, _WALL_WIDTH, _BAY, _LEAST_PIER = 1.1, 0.9, 0.3, 25.0, 1.5
_PIER_LENGTH, _PIER_WIDTH, _INTO_GROUND = 1.2, 0.7, 3.0
# Mouths of tunnels: height of the opening and of its walls, thickness, points of the arch.
_CLEARANCE, _UPRIGHT, _MOUTH, _ARCH = 5.5, 3.0, 1.5, 12
_FACE_ABOVE, _FACE_BESIDE = 2.0, 5.0


@dataclass(frozen=True)
class RoadMesh:
    """Triangles that show the roads of a land.

    Attributes
    ----------
    positions : ndarray of float32, shape (vertices, 3)
        x east and y north of the middle of the land, z altitude, in metres.
    normals : ndarray of float32, shape (vertices, 3)
        Of length 1; vertices are shared only along a road, so that its edges are sharp.
    texture : ndarray of float32, shape (vertices, 2)
        Metres along the road, and to the left of its middle.
    triangles : ndarray of int32, shape (triangles, 3)
        Counter-clockwise seen from outside.
    part : ndarray of int32, shape (triangles,)
        Place in `ROAD_PARTS`.
    """

    positions: npt.NDArray[np.float32]
    normals: npt.NDArray[np.float32]
    texture: npt.NDArray[np.float32]
    triangles: npt.NDArray[np.int32]
    part: npt.NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.triangles)


class _Strip(NamedTuple):
    """A band of quadrilaterals between two lines of points, which faces whoever sees `left` on the left.

    Parameters
    ----------
    left, right : ndarray of float64, shape (points, 3)
        Metres from the south-west corner.
    along : ndarray of float64, shape (points,)
        Metres along the road.
    across : tuple of float
        Metres to the left of its middle, of the two lines.
    part : ndarray of int32, shape (points − 1,)
        What it is made of.
    """

    left: _Vectors
    right: _Vectors
    along: npt.NDArray[np.float64]
    across: tuple[float, float]
    part: npt.NDArray[np.int32]


class _Axis(NamedTuple):
    """The middle of a road in sections.

    Parameters
    ----------
    middle, left : ndarray of float64, shape (sections, 3)
        Place, and the level direction to the left.
    along : ndarray of float64, shape (sections,)
        Metres.
    bend : ndarray of float64, shape (sections,)
        How much of the full tilt it has: 1 in a sharp bend to the left, −1 to the right.
    lift : ndarray of float64, shape (sections,)
        Metres by which it lies above its profile.
    """

    middle: _Vectors
    left: _Vectors
    along: npt.NDArray[np.float64]
    bend: npt.NDArray[np.float64]
    lift: npt.NDArray[np.float64]

    def cut(self, begin: int, end: int) -> "_Axis":
        """The sections from `begin` to before `end`."""
        return _Axis(*(part[begin:end] for part in self))

    def nearest(self, along: float) -> int:
        """The section nearest to a place."""
        return int(np.abs(self.along - along).argmin())

    def line(self, across: float, above: float, crossfall: float) -> _Vectors:
        """The points so far to the left, by the crossfall and the tilt of the roadway, and so far above it."""
        straight, tilted = -crossfall * abs(across), -_TILT * crossfall * across
        height = above + (1.0 - np.abs(self.bend)) * straight + self.bend * tilted
        points = self.middle + across * self.left
        points[:, 2] += height
        return points


class _Piece(NamedTuple):
    """Triangles with vertices of their own; see `RoadMesh`."""

    positions: _Vectors
    texture: _Vectors
    triangles: npt.NDArray[np.int32]
    part: npt.NDArray[np.int32]


def make_road_mesh(terrain: Terrain, roads: Sequence[RoadCourse], pads: Sequence[LaidPad] = ()) -> RoadMesh:
    """Return the roads and pads of a land as triangles.

    Parameters
    ----------
    terrain : Terrain
        The land with its roads and pads, at least 2 × 2.
    roads : sequence of RoadCourse
        From `build`.
    pads : sequence of LaidPad
        From `build`; those without a surface are left out.

    Returns
    -------
    RoadMesh
        Empty if there are none.  A roadway falls from its middle to both edges and tilts inwards in bends; a bridge has
        a deck with walls, abutments and piers; a tunnel is open only as far as one sees into its mouths.  Where
        triangles of the land would come up through a road, it is lifted over them.  A pad is a slab with a wall of
        concrete.
    """
    return build_road_mesh(built_ground(terrain), roads, pads)


def build_road_mesh(ground: BuiltGround, roads: Sequence[RoadCourse], pads: Sequence[LaidPad] = ()) -> RoadMesh:
    """Return the roads and pads of a land that need not be in memory as triangles.

    Parameters
    ----------
    ground : BuiltGround
        The land with its roads and pads.
    roads, pads : sequence
        As for `make_road_mesh`.

    Returns
    -------
    RoadMesh
        As from `make_road_mesh`.
    """
    pieces = [_piece_of(strip) for course in roads for strip in _strips_of(ground, course)]
    pieces += [piece for laid in pads if laid.pad.surface != "none" for piece in _pieces_of_pad(ground, laid)]
    if not pieces:
        nothing = np.empty((0, 3), np.float32)
        return RoadMesh(nothing, nothing, nothing[:, :2], nothing.astype(np.int32), np.empty(0, np.int32))
    return _joined(pieces, ground)


def _strips_of(ground: BuiltGround, course: RoadCourse) -> list[_Strip]:
    """All strips of a road."""
    away = 1.5 * ground.shown_cell
    # The ground rises before a tunnel begins, by as much as a cell.
    mouths = [Structure(one.begin - away, one.end + away) for one in course.tunnels]
    axis = _lifted(_axis_of(course), ground, course.road, mouths)
    hidden = is_within([Structure(one.begin + _MOUTH, one.end - _MOUTH) for one in mouths], axis.along)
    on_bridge = is_within([Structure(one.begin - 1e-6, one.end + 1e-6) for one in course.bridges], axis.along)
    strips: list[_Strip] = []
    for begin, end in _runs(~hidden):
        strips += _roadway(axis.cut(begin, end), course.road, on_bridge[begin:end])
    for bridge in course.bridges:
        strips += _bridge(ground, axis.cut(axis.nearest(bridge.begin), axis.nearest(bridge.end) + 1), course.road)
    for tunnel in mouths:
        begin, end = axis.nearest(tunnel.begin), axis.nearest(tunnel.end)
        strips += _mouth(axis, begin, -1.0, course.road, ground.shown_cell)
        strips += _mouth(axis, end, 1.0, course.road, ground.shown_cell)
    return strips


def _axis_of(course: RoadCourse) -> _Axis:
    """A road in sections close to one another."""
    points = np.column_stack((course.line.x, course.line.y, course.line.height))
    line = smooth_line(tuple(map(tuple, points.tolist())), _STEP)
    along = line.along
    dx, dy = np.gradient(line.x, along), np.gradient(line.y, along)
    length = np.maximum(np.sqrt(dx * dx + dy * dy), 1e-9)
    left = np.column_stack((-dy / length, dx / length, np.zeros_like(dx)))
    bend = (dx * np.gradient(dy, along) - dy * np.gradient(dx, along)) / length**3
    bend = np.clip(bend * _TILTED_RADIUS, -1.0, 1.0)
    for _ in range(_SMOOTHED_BENDS):
        bend[1:-1] = 0.25 * (bend[:-2] + 2.0 * bend[1:-1] + bend[2:])
    return _Axis(np.column_stack((line.x, line.y, line.height)), left, along, bend, np.zeros_like(along))


def _lifted(axis: _Axis, ground: BuiltGround, road: Road, mouths: Sequence[Structure]) -> _Axis:
    """A road that rises smoothly where the land as it is shown would come up through it, except into tunnels."""
    half, fall = 0.5 * road.width, 0.01 * road.crossfall
    outer = half + road.shoulder
    acrosses = np.linspace(-outer, outer, math.ceil(2.0 * outer / _ACROSS) + 1)
    lines = [axis.line(across, -_SHOULDER_FALL * max(abs(across) - half, 0.0), fall) for across in acrosses]
    x, y, z = np.moveaxis(_between(np.stack(lines, axis=1)), -1, 0)
    along = _between(axis.along[:, None])
    is_land = (x >= 0.0) & (x <= ground.grid.width) & (y >= 0.0) & (y <= ground.grid.depth)
    counts = is_land & ~is_within(mouths, along)
    above = np.zeros(x.shape)
    above[counts] = ground.shown(x[counts], y[counts]) + _OVER_LAND - z[counts]
    # A section rises to what the pieces on both sides of it need.
    of_pieces = above.max(axis=(0, 2), initial=0.0)
    lift = _smooth_cover(np.maximum(np.append(of_pieces, 0.0), np.append(0.0, of_pieces)))
    middle = axis.middle.copy()
    middle[:, 2] += lift
    return axis._replace(middle=middle, lift=lift)


def _smooth_cover(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Values that are nowhere lower and go up and down smoothly: the means of the highest ones around."""
    wide = np.pad(values, 2 * _LIFTED, mode="edge")
    highest = np.lib.stride_tricks.sliding_window_view(wide, 2 * _LIFTED + 1).max(axis=1)
    away = np.arange(-_LIFTED, _LIFTED + 1) / (_LIFTED + 1)
    weights = (1.0 - away * away) ** 2
    means = np.zeros(values.size)
    for number, weight in enumerate(weights / weights.sum()):
        means += weight * highest[number : number + values.size]
    return means


def _between(values: _Vectors) -> _Vectors:
    """Values of sections at places from each to the next one, shape (places, sections − 1, …)."""
    share = np.linspace(0.0, 1.0, _PLACES_ALONG + 1).reshape(-1, *np.ones(values.ndim, int))
    return np.asarray(values[:-1] * (1.0 - share) + values[1:] * share)


def _runs(where: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Begin and end of each run of two sections or more."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], where, [False])).astype(np.int8)))
    return [(int(a), int(b)) for a, b in zip(edges[0::2], edges[1::2]) if b - a >= 2]


def _roadway(axis: _Axis, road: Road, on_bridge: npt.NDArray[np.bool_]) -> list[_Strip]:
    """Roadway, markings, shoulders, and the verges down to the ground, which bridges do not have."""
    half, fall = 0.5 * road.width, 0.01 * road.crossfall
    pieces = axis.along.size - 1
    edges = [(half, -half, np.full(pieces, _GRAVEL if road.surface == "gravel" else _ASPHALT, np.int32))]
    if road.surface == "asphalt" and road.markings and road.width >= _NARROWEST_WITH_LINES:
        edges = _lanes(half, pieces)
    # The middle is the highest, so a strip that crosses it is two.
    edges = [part for edge in edges for part in _halved(*edge)]
    strips = [_along(axis, (a, 0.0), (b, 0.0), part, fall) for a, b, part in edges]
    outer, drop = half + road.shoulder, -_SHOULDER_FALL * road.shoulder
    gravel = np.full(pieces, _GRAVEL, np.int32)
    if road.shoulder > 0.0:
        strips.append(_along(axis, (outer, drop), (half, 0.0), gravel, fall))
        strips.append(_along(axis, (-half, 0.0), (-outer, drop), gravel, fall))
    foot, down = outer + _VERGE_DEPTH / _VERGE_FALL, drop - _VERGE_DEPTH
    for begin, end in _runs(~on_bridge):
        part, kind = axis.cut(begin, end), np.full(end - begin - 1, _VERGE, np.int32)
        left = _along(part, (foot, down), (outer, drop), kind, fall)
        right = _along(part, (-outer, drop), (-foot, down), kind, fall)
        # Where the road is lifted, its verges still reach into the ground.
        left.left[:, 2] -= part.lift
        right.right[:, 2] -= part.lift
        strips += [left, right]
    return strips


def _lanes(half: float, pieces: int) -> list[tuple[float, float, npt.NDArray[np.int32]]]:
    """Asphalt between lines at both edges, and a line of dashes in the middle."""
    asphalt, line = np.full(pieces, _ASPHALT, np.int32), np.full(pieces, _MARKING, np.int32)
    dashes = np.where(np.arange(pieces) % _DASHES == 0, _MARKING, _ASPHALT).astype(np.int32)
    outer, inner, middle = half - _TO_EDGE, half - _TO_EDGE - _LINE, 0.5 * _LINE
    places = (half, outer, inner, middle, -middle, -inner, -outer, -half)
    kinds = (asphalt, line, asphalt, dashes, asphalt, line, asphalt)
    return [(a, b, kind) for a, b, kind in zip(places, places[1:], kinds)]


def _halved(left: float, right: float, part: npt.NDArray[np.int32]) -> list[tuple[float, float, npt.NDArray[np.int32]]]:
    return [(left, 0.0, part), (0.0, right, part)] if left > 0.0 > right else [(left, right, part)]


def _along(
    axis: _Axis, left: tuple[float, float], right: tuple[float, float], part: npt.NDArray[np.int32], crossfall: float
) -> _Strip:
    """A strip between two lines, each so far to the left and so high above the roadway."""
    one, other = (axis.line(across, lift, crossfall) for across, lift in (left, right))
    return _Strip(one, other, axis.along, (left[0], right[0]), part)


def _bridge(ground: BuiltGround, axis: _Axis, road: Road) -> list[_Strip]:
    """Deck with walls, piers and abutments."""
    if axis.along.size < 2:
        return []
    inner, fall = 0.5 * road.width + road.shoulder, 0.01 * road.crossfall
    outer, drop = inner + _WALL_WIDTH, -_SHOULDER_FALL * road.shoulder
    concrete = np.full(axis.along.size - 1, _CONCRETE, np.int32)
    right = [(-inner, drop), (-inner, _WALL), (-outer, _WALL), (-outer, -_DECK)]
    sections = pairwise([*right, (outer, -_DECK), (outer, _WALL), (inner, _WALL), (inner, drop)])
    strips = [_along(axis, a, b, concrete, fall) for a, b in sections]
    total = float(axis.along[-1] - axis.along[0])
    bays = max(round(total / _BAY), 1)
    for number in range(bays + 1):
        at = axis.nearest(float(axis.along[0]) + total * number / bays)
        is_end = number in (0, bays)
        place, left = axis.middle[at], axis.left[at]
        below = _height_below(ground, place)
        if not is_end and place[2] - _DECK - below < _LEAST_PIER:
            continue
        half = outer if is_end else _PIER_WIDTH * 0.5 * road.width
        strips += _box(place, left, half, 0.5 * _PIER_LENGTH, (below - _INTO_GROUND, float(place[2]) - 0.5 * _DECK))
    return strips


def _height_below(ground: BuiltGround, place: _Vectors) -> float:
    """Height of the land below a place."""
    x, y = np.clip(place[:1], 0.0, ground.grid.width), np.clip(place[1:2], 0.0, ground.grid.depth)
    return float(ground.heights(x, y)[0])


def _box(place: _Vectors, left: _Vectors, across: float, ahead: float, heights: tuple[float, float]) -> list[_Strip]:
    """The four sides of a pillar below a place, of half these lengths."""
    forward = np.array([left[1], -left[0], 0.0])
    corners = [(1, -1), (-1, -1), (-1, 1), (1, 1), (1, -1)]
    strips = []
    for one, other in pairwise(corners):
        feet = [place + a * across * left + b * ahead * forward for a, b in (one, other)]
        width = float(np.sqrt(((feet[1] - feet[0]) ** 2).sum()))
        low, high = (np.array([[foot[0], foot[1], height] for foot in feet]) for height in heights)
        along = np.array([0.0, width])
        strips.append(_Strip(high, low, along, (heights[1], heights[0]), np.full(1, _CONCRETE, np.int32)))
    return strips


def _mouth(axis: _Axis, at: int, outward: float, road: Road, cell_size: float) -> list[_Strip]:
    """The face of a tunnel around an arch, the way in, and the darkness behind it."""
    half = 0.5 * road.width + road.shoulder + 0.5
    turns = [math.pi * number / _ARCH for number in range(_ARCH + 1)]
    cosine, sine = np.array([math.cos(turn) for turn in turns]), np.array([math.sin(turn) for turn in turns])
    x = np.concatenate(([half], half * cosine, [-half]))
    z = np.concatenate(([-FORMATION_DEPTH], _UPRIGHT + (_CLEARANCE - _UPRIGHT) * sine, [-FORMATION_DEPTH]))
    wide = half_formation(road, cell_size) + _FACE_BESIDE
    top = _CLEARANCE + _FACE_ABOVE
    # The outline of the face, a point for each of the arch.
    outer_x = np.clip(x * wide / half * 1.5, -wide, wide)
    outer_z = np.where(np.abs(np.concatenate(([9.0], cosine, [9.0]))) > 1.0, -FORMATION_DEPTH, top)
    # Seen from outside, the left of the road's direction is on the right where the face looks backwards.
    side = axis.left[at] * outward
    ahead = np.array([axis.left[at][1], -axis.left[at][0], 0.0]) * outward

    def placed(x: npt.NDArray[np.float64], z: npt.NDArray[np.float64], depth: float) -> _Vectors:
        return np.asarray(axis.middle[at] + x[:, None] * side - depth * ahead + z[:, None] * np.array([0.0, 0.0, 1.0]))

    along = np.arange(x.size, dtype=np.float64)
    concrete = np.full(x.size - 1, _CONCRETE, np.int32)
    face, back = placed(x, z, 0.0), placed(x, z, _MOUTH)
    outline, behind = placed(outer_x, outer_z, 0.0), placed(outer_x, outer_z, 2.0 * _MOUTH)
    middle = placed(np.zeros(x.size), np.full(x.size, -FORMATION_DEPTH), _MOUTH)
    return [
        _Strip(face, outline, along, (0.0, 1.0), concrete),
        _Strip(back, face, along, (0.0, _MOUTH), concrete),
        _Strip(outline, behind, along, (0.0, _MOUTH), concrete),
        _Strip(middle, back, along, (0.0, 1.0), np.full(x.size - 1, _DARKNESS, np.int32)),
    ]


def _piece_of(strip: _Strip) -> _Piece:
    """The triangles of a strip."""
    count = strip.along.size
    a = np.arange(count - 1, dtype=np.int32)
    b = a + np.int32(count)
    return _Piece(
        np.concatenate((strip.left, strip.right)),
        np.concatenate([np.column_stack((strip.along, np.full(count, across))) for across in strip.across]),
        np.stack((a, b, b + 1, a, b + 1, a + 1), axis=-1).reshape(-1, 3),
        np.repeat(strip.part, 2),
    )


def _pieces_of_pad(ground: BuiltGround, laid: LaidPad) -> list[_Piece]:
    """The top of a pad, whose texture is metres east and north, and its wall."""
    slab = make_slab(ground, laid)
    part = list(ROAD_PARTS).index(laid.pad.surface)
    top = _Piece(slab.top, slab.top[:, :2], slab.triangles, np.full(len(slab.triangles), part, np.int32))
    upper, lower = (np.concatenate((line, line[:1])) for line in (slab.top, slab.foot))
    pairs = zip(pairwise(upper), pairwise(lower))
    # Each side is a piece of its own, so that the corners are sharp.
    return [top, *(_wall_between(np.stack(above), np.stack(below)) for above, below in pairs)]


def _wall_between(above: _Vectors, below: _Vectors) -> _Piece:
    """An upright wall of concrete, which faces whoever sees it run from left to right."""
    along = np.array([0.0, float(np.sqrt(((above[1] - above[0]) ** 2).sum()))])
    height = float(above[0, 2] - below[0, 2])
    return _piece_of(_Strip(above, below, along, (height, 0.0), np.full(1, _CONCRETE, np.int32)))


def _joined(pieces: Sequence[_Piece], ground: BuiltGround) -> RoadMesh:
    """One mesh of all pieces, centred on the middle of the land."""
    first = np.cumsum([0, *(len(piece.positions) for piece in pieces)])
    places = np.concatenate([piece.positions for piece in pieces])
    corners = np.concatenate([piece.triangles + begin for piece, begin in zip(pieces, first)]).astype(np.int32)
    centre = 0.5 * np.array([ground.grid.width, ground.grid.depth, 0.0])
    return RoadMesh(
        (places - centre).astype(np.float32),
        _normals(places, corners),
        np.concatenate([piece.texture for piece in pieces]).astype(np.float32),
        corners,
        np.concatenate([piece.part for piece in pieces]).astype(np.int32),
    )


def _normals(places: _Vectors, triangles: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
    """Normals of vertices: those of their triangles, by area."""
    a, b, c = (places[triangles[:, k]] for k in range(3))
    facing = np.cross(b - a, c - a)
    sums = np.zeros_like(places)
    for k in range(3):
        np.add.at(sums, triangles[:, k], facing)
    length = np.sqrt((sums * sums).sum(axis=1, keepdims=True))
    return np.where(length > 0.0, sums / np.maximum(length, 1e-30), (0.0, 0.0, 1.0)).astype(np.float32)

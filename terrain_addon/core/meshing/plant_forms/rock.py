"""Boulders: blocks between joints, with corners broken off, flat faces and narrow worn edges."""

import math
from itertools import combinations, pairwise
from typing import NamedTuple

from .growth import ROCK, Growth, Vector, add, blend, cross, dot, unit

# Half the size of a block along its three joint sets, and how many of its corners and edges have broken off, by
# variant: blocky, a slab, a splinter.
_SIZES = ((0.80, 0.70, 0.66), (0.92, 0.74, 0.46), (0.58, 0.66, 0.95))
_BREAKS = (6, 5, 3)
_CHIPS = 8  # smaller pieces that the finest level has lost
_TRIES = 60  # to break something off without leaving a sliver
_SHARPEST = -0.6  # cosine between the normals of two faces that meet
_SQUARE = 0.22  # how far joints are from being at right angles
_WORN = (0.03, 0.055)  # width that an edge has lost on each side, by level of detail
_BURIED = 0.28


class _Plane(NamedTuple):
    """A face of a block: its normal, and its distance from the middle."""

    normal: Vector
    distance: float


_Corner = tuple[int, int, int]
"""A corner of a block: the numbers of the three planes that meet there."""


class _Shell(NamedTuple):
    """Places of vertices, their normals, and triangles."""

    places: list[Vector]
    normals: list[Vector]
    triangles: list[_Corner]


def grow_rock(plant: Growth, variant: int, level: int) -> None:
    """Form a boulder, a quarter of it below the ground.

    Parameters
    ----------
    plant : Growth
        Takes the vertices and triangles.
    variant : int
        0 blocky, 1 a slab, 2 a splinter.
    level : int
        Level of detail: 0 many faces, 1 few faces, 2 few faces with sharp edges.
    """
    planes = _block(plant, variant)
    planes = _broken(plant, planes, _Break(_BREAKS[variant], (0.62, 0.85), 0.16))
    if level == 0:
        planes = _broken(plant, planes, _Break(_CHIPS, (0.88, 0.97), 0.06))
    shell = _flat_faces(planes) if level == 2 else _worn_block(planes, _WORN[level])
    top, bottom = max(place[2] for place in shell.places), min(place[2] for place in shell.places)
    lift = -bottom - _BURIED * (top - bottom)
    for place, normal in zip(shell.places, shell.normals, strict=True):
        raised = (place[0], place[1], place[2] + lift)
        plant.vertex(raised, normal, 0.55 + 0.3 * unit(normal)[2] + 0.3 * min(raised[2], 0.3))
    for a, b, c in shell.triangles:
        plant.triangle(a, b, c, ROCK)


class _Break(NamedTuple):
    """What breaks off: how many pieces, how far out (shares of the way to the surface), and the shortest edge left."""

    pieces: int
    reach: tuple[float, float]
    shortest: float


def _block(plant: Growth, variant: int) -> list[_Plane]:
    """Return the faces of a block between three sets of joints."""
    sets = [
        unit((1.0, plant.between(-_SQUARE, _SQUARE), plant.between(-_SQUARE, _SQUARE))),
        unit((plant.between(-_SQUARE, _SQUARE), 1.0, plant.between(-_SQUARE, _SQUARE))),
        unit((plant.between(-_SQUARE, _SQUARE), plant.between(-_SQUARE, _SQUARE), 1.0)),
    ]
    planes = []
    for normal, size in zip(sets, _SIZES[variant], strict=True):
        for side in (1.0, -1.0):
            # Faces of a joint are not quite parallel.
            away = unit(add((side * normal[0], side * normal[1], side * normal[2]), plant.direction(), 0.15))
            planes.append(_Plane(away, size * plant.between(0.85, 1.1)))
    return planes


def _broken(plant: Growth, planes: list[_Plane], lost: _Break) -> list[_Plane]:
    """Return the faces of a block that has lost pieces."""
    wanted = len(planes) + lost.pieces
    for _ in range(_TRIES):
        if len(planes) == wanted:
            break
        away = plant.direction()
        surface = max(dot(away, place) for place in _corners_of(planes).values())
        smaller = [*planes, _Plane(away, surface * plant.between(*lost.reach))]
        if _is_sound(smaller, lost.shortest):
            planes = smaller
    return planes


def _is_sound(planes: list[_Plane], shortest: float) -> bool:
    """Return whether all planes are faces of the block, and no edge is short or as sharp as a knife."""
    corners = _corners_of(planes)
    if {plane for corner in corners for plane in corner} != set(range(len(planes))):
        return False
    for here, there in combinations(corners, 2):
        faces = set(here) & set(there)
        if len(faces) == 2:
            one, other = (planes[k].normal for k in faces)
            if math.dist(corners[here], corners[there]) < shortest or dot(one, other) < _SHARPEST:
                return False
    return True


def _corners_of(planes: list[_Plane]) -> dict[_Corner, Vector]:
    """Return the places where three planes meet that no other plane cuts off."""
    corners = {}
    for a, b, c in combinations(range(len(planes)), 3):
        over = cross(planes[b].normal, planes[c].normal)
        volume = dot(planes[a].normal, over)
        if abs(volume) < 1e-3:
            continue
        place = (0.0, 0.0, 0.0)
        for plane, axis in (
            (planes[a], over),
            (planes[b], cross(planes[c].normal, planes[a].normal)),
            (planes[c], cross(planes[a].normal, planes[b].normal)),
        ):
            place = add(place, axis, plane.distance / volume)
        others = (plane for k, plane in enumerate(planes) if k not in (a, b, c))
        if all(dot(plane.normal, place) < plane.distance for plane in others):
            corners[a, b, c] = place
    return corners


def _rings(planes: list[_Plane], corners: dict[_Corner, Vector]) -> list[list[_Corner]]:
    """Return the corners of each face, counter-clockwise seen from outside."""
    rings = []
    for k, plane in enumerate(planes):
        mine = [corner for corner in corners if k in corner]
        middle = _middle([corners[corner] for corner in mine])
        along = unit(add(corners[mine[0]], middle, -1.0))
        aside = cross(plane.normal, along)
        turns = {}
        for corner in mine:
            way = add(corners[corner], middle, -1.0)
            turns[corner] = math.atan2(dot(way, aside), dot(way, along))
        rings.append(sorted(mine, key=turns.__getitem__))
    return rings


def _flat_faces(planes: list[_Plane]) -> _Shell:
    """Return the block itself, shaded as one body."""
    corners = _corners_of(planes)
    number = {corner: k for k, corner in enumerate(corners)}
    normals = [_middle([planes[k].normal for k in corner]) for corner in corners]
    faces = ([number[corner] for corner in ring] for ring in _rings(planes, corners))
    triangles = [(face[0], b, c) for face in faces for b, c in pairwise(face[1:])]
    return _Shell(list(corners.values()), normals, triangles)


def _worn_block(planes: list[_Plane], width: float) -> _Shell:
    """Return the block with a strip along each edge and a triangle at each corner, so that its faces shade flat."""
    corners = _corners_of(planes)
    places: list[Vector] = []
    normals: list[Vector] = []
    triangles: list[_Corner] = []
    number: dict[tuple[_Corner, int], int] = {}
    rings = _rings(planes, corners)
    for k, ring in enumerate(rings):
        middle = _middle([corners[corner] for corner in ring])
        for corner in ring:
            number[corner, k] = len(places)
            worn = min(width / max(math.dist(corners[corner], middle), 1e-6), 0.3)
            places.append(blend(corners[corner], middle, worn))
            normals.append(planes[k].normal)
        face = [number[corner, k] for corner in ring]
        triangles += [(face[0], b, c) for b, c in pairwise(face[1:])]
        for here, after in zip(ring, [*ring[1:], ring[0]], strict=True):
            (other,) = (set(here) & set(after)) - {k}
            if k > other:  # both are there now
                # Seen from outside, the other face goes along this edge the other way.
                a, b, c, d = (number[after, k], number[here, k], number[here, other], number[after, other])
                triangles += [(a, b, c), (a, c, d)]
    for corner, place in corners.items():
        a, b, c = (number[corner, k] for k in corner)
        faces_out = dot(_front(places[a], places[b], places[c]), place) > 0.0
        triangles.append((a, b, c) if faces_out else (a, c, b))
    return _Shell(places, normals, triangles)


def _middle(places: list[Vector]) -> Vector:
    """Return the mean of places."""
    total = (0.0, 0.0, 0.0)
    for place in places:
        total = add(total, place, 1.0 / len(places))
    return total


def _front(a: Vector, b: Vector, c: Vector) -> Vector:
    """Return the vector out of the front of a triangle, twice as long as its area."""
    return cross(add(b, a, -1.0), add(c, a, -1.0))

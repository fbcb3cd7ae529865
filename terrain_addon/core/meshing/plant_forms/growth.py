"""A plant while it grows: vertices and triangles in plain Python numbers, whose arithmetic every numpy shares."""

import math
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random
from typing import TypeAlias

Vector: TypeAlias = tuple[float, float, float]

BARK, FOLIAGE, ROCK = range(3)
"""What a triangle is made of, in the order of plant_meshes.PARTS."""

UP: Vector = (0.0, 0.0, 1.0)
ORIGIN: Vector = (0.0, 0.0, 0.0)
GOLDEN_ANGLE = math.pi * (3.0 - math.sqrt(5.0))
ROOT_DEPTH = 0.03


def add(a: Vector, b: Vector, scale: float = 1.0) -> Vector:
    """Return a + scale · b.

    Parameters
    ----------
    a, b : Vector
        x, y and z.
    scale : float
        Factor of b.

    Returns
    -------
    Vector
    """
    return (a[0] + scale * b[0], a[1] + scale * b[1], a[2] + scale * b[2])


def cross(a: Vector, b: Vector) -> Vector:
    """Return the cross product.

    Parameters
    ----------
    a, b : Vector
        x, y and z.

    Returns
    -------
    Vector
    """
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def dot(a: Vector, b: Vector) -> float:
    """Return the scalar product.

    Parameters
    ----------
    a, b : Vector
        x, y and z.

    Returns
    -------
    float
    """
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def unit(a: Vector) -> Vector:
    """Return a vector of length 1 in the same direction.

    Parameters
    ----------
    a : Vector
        Not (0, 0, 0).

    Returns
    -------
    Vector
    """
    length = math.sqrt(dot(a, a))
    return (a[0] / length, a[1] / length, a[2] / length)


def blend(a: Vector, b: Vector, share: float) -> Vector:
    """Return a place on the way from a to b.

    Parameters
    ----------
    a, b : Vector
        Places.
    share : float
        Share of the way, 0 at a, 1 at b.

    Returns
    -------
    Vector
    """
    return add(a, add(b, a, -1.0), share)


def gap_between(a: Vector, b: Vector) -> float:
    """Return how far two places are apart.

    Parameters
    ----------
    a, b : Vector
        Places.

    Returns
    -------
    float
    """
    way = add(a, b, -1.0)
    return math.sqrt(dot(way, way))


def above_ground(a: Vector) -> Vector:
    """Return a place, lifted to the ground if it is below.

    Parameters
    ----------
    a : Vector
        A place; the ground is at z = 0.

    Returns
    -------
    Vector
    """
    return (a[0], a[1], max(a[2], 0.0))


def around_axis(angle: float, radius: float = 1.0, z: float = 0.0) -> Vector:
    """Return a place around the vertical axis.

    Parameters
    ----------
    angle : float
        Radians, counter-clockwise from east.
    radius : float
        Distance from the axis.
    z : float
        Height.

    Returns
    -------
    Vector
    """
    return (radius * math.cos(angle), radius * math.sin(angle), z)


@dataclass
class Growth:
    """Vertices and triangles so far, and the random numbers of this plant.

    `phase` is given to all vertices that follow: set it for each branch, and wind moves branch by branch.
    """

    random: Random
    phase: float = 0.0
    vertices: list[Vector] = field(default_factory=list)
    normals: list[Vector] = field(default_factory=list)
    tint: list[float] = field(default_factory=list)
    leaf: list[Vector] = field(default_factory=list)
    wind: list[tuple[float, float]] = field(default_factory=list)
    triangles: list[tuple[int, int, int]] = field(default_factory=list)
    part: list[int] = field(default_factory=list)

    def between(self, low: float, high: float) -> float:
        """Return a random number; all are equally likely.

        Parameters
        ----------
        low, high : float
            From `low` to below `high`.

        Returns
        -------
        float
        """
        return low + (high - low) * self.random.random()

    def direction(self) -> Vector:
        """Return a random unit vector; all directions are equally likely."""
        z = self.between(-1.0, 1.0)
        return around_axis(self.between(0.0, math.tau), math.sqrt(1.0 - z * z), z)

    def vertex(self, place: Vector, normal: Vector, tint: float, flutter: float = 0.0, leaf: Vector = ORIGIN) -> int:
        """Add a vertex; see PlantMesh for what tint, flutter and leaf mean.

        Parameters
        ----------
        place : Vector
            Where it is.
        normal : Vector
            Normal to shade with, of any length but 0.
        tint : float
            Brightness; what is outside 0 to 1 is cut off.
        flutter : float
            How the wind shakes it, 0 to 1.
        leaf : Vector
            Place on a twig, along and beside it, and the length of the twig, as shares of the plant's height.

        Returns
        -------
        int
            Its number.
        """
        self.vertices.append(place)
        self.normals.append(unit(normal))
        self.tint.append(min(max(tint, 0.0), 1.0))
        self.wind.append((self.phase, flutter))
        self.leaf.append(leaf)
        return len(self.vertices) - 1

    def triangle(self, a: int, b: int, c: int, part: int) -> None:
        """Add a triangle, turned so that its front is on the side of the normals of its vertices.

        Parameters
        ----------
        a, b, c : int
            Numbers of its vertices.
        part : int
            BARK, FOLIAGE or ROCK.
        """
        corner = self.vertices[a]
        front = cross(add(self.vertices[b], corner, -1.0), add(self.vertices[c], corner, -1.0))
        shading = add(add(self.normals[a], self.normals[b]), self.normals[c])
        self.triangles.append((a, b, c) if dot(front, shading) > 0.0 else (a, c, b))
        self.part.append(part)


def grow_stem(
    plant: Growth, places: list[Vector], radii: list[float], sides: int, tints: tuple[float, float], gnarl: float = 0.15
) -> None:
    """Add a tapering tube of bark that ends in a point.

    Parameters
    ----------
    plant : Growth
        Takes the vertices and triangles.
    places : list of Vector
        Where it leads through, two places or more.
    radii : list of float
        Radius at each place but the last.
    sides : int
        Corners of its cross-section, 3 or more.
    tints : tuple of float
        Brightness at the first and at the last place.
    gnarl : float
        How uneven it is, as a share of the radius.
    """
    turn = plant.between(0.0, math.tau)
    along = unit(add(places[-1], places[0], -1.0))
    across = unit(cross(along, (0.28, 0.96, 0.0) if abs(along[1]) < 0.9 else (1.0, 0.0, 0.0)))
    beside = cross(along, across)
    rings = []
    for number, (place, radius) in enumerate(zip(places[:-1], radii, strict=True)):
        tint = tints[0] + (tints[1] - tints[0]) * number / (len(places) - 1)
        ring = []
        for side in range(sides):
            angle = turn + math.tau * side / sides
            out = add(add(ORIGIN, across, math.cos(angle)), beside, math.sin(angle))
            ring.append(plant.vertex(add(place, out, radius * plant.between(1.0 - gnarl, 1.0 + gnarl)), out, tint))
        rings.append(ring)
    for low, high in pairwise(rings):
        for side in range(sides):
            after = (side + 1) % sides
            plant.triangle(low[side], low[after], high[after], BARK)
            plant.triangle(low[side], high[after], high[side], BARK)
    tip = plant.vertex(places[-1], along, tints[1])
    for side in range(sides):
        plant.triangle(rings[-1][side], rings[-1][(side + 1) % sides], tip, BARK)

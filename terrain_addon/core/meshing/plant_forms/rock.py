"""Boulders: a ball cut by planes, as joints cut rock, with rounded edges."""

import math

from .growth import ROCK, Growth, Vector, add, around_axis, dot, unit

_SUBDIVISIONS = (3, 2, 0)
_PLANES = (13, 9, 17)
_SQUASH = (0.8, 0.62, 1.0)
_BURIED = 0.28
_WEAR = 14.0


def grow_rock(plant: Growth, variant: int, level: int) -> None:
    """Form a boulder, a quarter of it below the ground.

    Parameters
    ----------
    plant : Growth
        Takes the vertices and triangles.
    variant : int
        0 blocky, 1 flat, 2 round.
    level : int
        Level of detail: 0 the finest, 2 the coarsest.
    """
    planes = [(plant.direction(), plant.between(0.62, 1.0)) for _ in range(_PLANES[variant])]
    bumps = [(plant.direction(), plant.between(4.0, 15.0), plant.between(0.0, math.tau)) for _ in range(9)]
    corners, triangles = _ball(_SUBDIVISIONS[level])
    squash = _SQUASH[variant]

    def surface(direction: Vector) -> Vector:
        # A soft minimum of the distances at which the planes cut this direction.
        inverse = 1.0
        for normal, distance in planes:
            inverse += max(dot(direction, normal) / distance, 0.0) ** _WEAR
        radius = inverse ** (-1.0 / _WEAR)
        for axis, frequency, phase in bumps:
            radius += 0.16 / frequency * math.sin(frequency * dot(direction, axis) + phase)
        return (direction[0] * radius, 0.85 * direction[1] * radius, squash * direction[2] * radius)

    places = [surface(corner) for corner in corners]
    top, bottom = max(p[2] for p in places), min(p[2] for p in places)
    lift = -bottom - _BURIED * (top - bottom)
    normals = [(0.0, 0.0, 0.0)] * len(places)
    for a, b, c in triangles:
        face = _front(places[a], places[b], places[c])
        for corner in (a, b, c):
            normals[corner] = add(normals[corner], face)
    for place, normal in zip(places, normals, strict=True):
        raised = (place[0], place[1], place[2] + lift)
        light = 0.55 + 0.3 * unit(normal)[2] + 0.3 * min(raised[2], 0.3) + plant.between(-0.06, 0.06)
        plant.vertex(raised, normal, light)
    for a, b, c in triangles:
        plant.triangle(a, b, c, ROCK)


def _front(a: Vector, b: Vector, c: Vector) -> Vector:
    """Return the vector out of the front of a triangle, twice as long as its area."""
    u, v = add(b, a, -1.0), add(c, a, -1.0)
    return (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])


def _ball(subdivisions: int) -> tuple[list[Vector], list[tuple[int, int, int]]]:
    """Return an icosahedron whose triangles are each cut into four, again and again."""
    low = math.sqrt(0.2)
    corners: list[Vector] = [(0.0, 0.0, 1.0)]
    corners += [around_axis(math.tau * k / 5.0, 2.0 * low, low) for k in range(5)]
    corners += [around_axis(math.tau * (k + 0.5) / 5.0, 2.0 * low, -low) for k in range(5)]
    corners.append((0.0, 0.0, -1.0))
    triangles: list[tuple[int, int, int]] = []
    for k in range(5):
        after = (k + 1) % 5
        triangles += [
            (0, 1 + k, 1 + after),
            (1 + k, 6 + k, 1 + after),
            (1 + after, 6 + k, 6 + after),
            (11, 6 + after, 6 + k),
        ]
    for _ in range(subdivisions):
        halves: dict[tuple[int, int], int] = {}

        def half(a: int, b: int, halves: dict[tuple[int, int], int] = halves) -> int:
            key = (min(a, b), max(a, b))
            if key not in halves:
                corners.append(unit(add(corners[a], corners[b])))
                halves[key] = len(corners) - 1
            return halves[key]

        finer = []
        for a, b, c in triangles:
            ab, bc, ca = half(a, b), half(b, c), half(c, a)
            finer += [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
        triangles = finer
    return corners, triangles

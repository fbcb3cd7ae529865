"""Ferns, grass and reeds: fronds and blades that arch outwards from one root."""

import math
from itertools import pairwise

from .growth import BARK, FOLIAGE, GOLDEN_ANGLE, UP, Growth, Vector, above_ground, add, around_axis, unit


def grow_fern(plant: Growth, variant: int, level: int) -> None:
    """Grow a rosette of fronds, each with rows of leaflets that taper to a point.

    Parameters
    ----------
    plant : Growth
        Takes the vertices and triangles.
    variant : int
        0 usual, 1 taller, 2 broader with more fronds.
    level : int
        Level of detail: 0 the finest, 2 the coarsest.
    """
    fronds = ((15, 14, 9), (11, 11, 8), (18, 16, 10))[variant][level]
    length, rise = ((1.1, 1.5), (1.25, 2.0), (1.0, 1.1))[variant]
    leaflets = (40, 9, 2)[level]
    for number in range(fronds):
        plant.phase = plant.between(0.0, 1.0)
        _grow_frond(
            plant,
            number * GOLDEN_ANGLE + plant.between(-0.25, 0.25),
            length * plant.between(0.75, 1.05),
            rise * plant.between(0.7, 1.3),
            leaflets,
        )


def _grow_frond(plant: Growth, azimuth: float, length: float, rise: float, leaflets: int) -> None:
    """Add a frond: a rib that rises and bends over, with leaflets on both sides."""
    out, side = around_axis(azimuth), around_axis(azimuth + 0.5 * math.pi)
    bright = plant.between(-0.1, 0.1)

    def rib_at(s: float) -> Vector:
        # Up first, then over and down.
        return add(
            add(around_axis(azimuth, 0.02), out, length * 0.8 * s**1.25),
            UP,
            length * (rise * s - 1.15 * rise * s * s * 0.72),
        )

    stops = [0.12 + 0.88 * k / leaflets for k in range(leaflets + 1)]
    for before, after in pairwise(stops):
        middle = 0.5 * (before + after)
        along = unit(add(rib_at(after), rib_at(before), -1.0))
        # Broadest at a third of its length.
        reach = 0.2 * length * math.sin(math.pi * middle**0.62) ** 0.8 + 0.01
        for hand in (-1.0, 1.0):
            normal = add(UP, side, 0.35 * hand)
            normal = add(normal, out, 0.3)
            tint = 0.25 + 0.4 * middle + bright
            low = plant.vertex(above_ground(rib_at(before)), normal, tint, middle)
            high = plant.vertex(above_ground(rib_at(after)), normal, tint, middle)
            place = add(add(rib_at(middle), side, hand * reach), along, 0.35 * reach)
            tip = plant.vertex(above_ground(add(place, UP, -0.18 * reach)), normal, tint + 0.25, 1.0)
            plant.triangle(low, high, tip, FOLIAGE)
    stem = [plant.vertex(rib_at(0.0), out, 0.1), plant.vertex(above_ground(rib_at(0.25)), out, 0.2)]
    stem.append(plant.vertex(add(rib_at(0.0), side, 0.02), out, 0.1))
    plant.triangle(stem[0], stem[1], stem[2], FOLIAGE)


def grow_grass(plant: Growth, variant: int, level: int) -> None:
    """Grow a tuft of blades.

    Parameters
    ----------
    plant : Growth
        Takes the vertices and triangles.
    variant : int
        0 upright, 1 arching, 2 sparse.
    level : int
        Level of detail: 0 the finest, 2 the coarsest.
    """
    blades = ((190, 44, 12), (170, 40, 12), (110, 30, 10))[variant][level]
    spread, arch = ((0.28, 0.35), (0.32, 0.75), (0.42, 0.5))[variant]
    broad = (0.02, 0.042, 0.13)[level]
    for number in range(blades):
        plant.phase = plant.between(0.0, 1.0)
        azimuth = number * GOLDEN_ANGLE
        root = around_axis(azimuth + plant.between(-0.5, 0.5), spread * math.sqrt((number + 0.5) / blades) * 0.6)
        _grow_blade(
            plant,
            root,
            azimuth + plant.between(-0.9, 0.9),
            plant.between(0.55, 1.0),
            arch * plant.between(0.3, 1.2),
            broad * plant.between(0.7, 1.2),
            (4, 2, 1)[level],
        )


def grow_reed(plant: Growth, variant: int, level: int) -> None:
    """Grow a stand of stalks with long leaves, and brown plumes on top.

    Parameters
    ----------
    plant : Growth
        Takes the vertices and triangles.
    variant : int
        0 usual, 1 dense, 2 sparse.
    level : int
        Level of detail: 0 the finest, 2 the coarsest.
    """
    stalks = ((26, 11, 4), (34, 13, 5), (18, 9, 4))[variant][level]
    leaves = (5, 3, 2)[level]
    for number in range(stalks):
        plant.phase = plant.between(0.0, 1.0)
        azimuth = number * GOLDEN_ANGLE
        root = around_axis(azimuth, 0.2 * math.sqrt((number + 0.5) / stalks) * plant.between(0.7, 1.2))
        height, lean = plant.between(0.72, 0.98), plant.between(0.02, 0.1)
        broad = (0.008, 0.014, 0.024)[level]
        _grow_blade(plant, root, azimuth, height, lean, broad, (3, 2, 1)[level])
        for leaf in range(leaves):
            start = 0.12 + 0.6 * (leaf + plant.between(0.0, 0.8)) / leaves
            place = add(add(root, around_axis(azimuth), lean * start * start), UP, start * height)
            _grow_blade(
                plant,
                place,
                azimuth + 2.6 * leaf + plant.between(-0.6, 0.6),
                plant.between(0.24, 0.4),
                plant.between(0.45, 1.0),
                2.2 * broad,
                (3, 2, 1)[level],
            )
        _grow_plume(plant, add(add(root, around_axis(azimuth), lean), UP, height), azimuth, (7, 3, 1)[level])


def _grow_blade(
    plant: Growth, root: Vector, azimuth: float, height: float, arch: float, width: float, segments: int
) -> None:
    """Add a blade: a strip that narrows to a point and bends over under its weight."""
    out = around_axis(azimuth)
    side = around_axis(azimuth + 0.5 * math.pi + plant.between(-0.6, 0.6))
    bright = plant.between(-0.12, 0.12)
    normal = add(add(UP, out, 0.5), side, plant.between(-0.2, 0.2))

    def at(s: float) -> Vector:
        return above_ground(add(add(root, out, arch * height * s * s), UP, height * (s - 0.35 * arch * s * s * s)))

    edges = []
    for k in range(segments):
        s = k / segments
        half = 0.5 * width * (1.0 - 0.75 * s)
        tint = 0.15 + 0.6 * s + bright
        edges.append([plant.vertex(add(at(s), side, hand * half), normal, tint, s) for hand in (-1.0, 1.0)])
    for low, high in pairwise(edges):
        plant.triangle(low[0], low[1], high[1], FOLIAGE)
        plant.triangle(low[0], high[1], high[0], FOLIAGE)
    tip = plant.vertex(at(1.0), normal, 0.8 + bright, 1.0)
    plant.triangle(edges[-1][0], edges[-1][1], tip, FOLIAGE)


def _grow_plume(plant: Growth, foot: Vector, azimuth: float, feathers: int) -> None:
    """Add the seeds on top of a stalk, hanging to one side."""
    foot = add(foot, UP, -0.03)
    for number in range(feathers):
        rise = 0.13 * (number + 1.0) / feathers
        angle = azimuth + plant.between(-0.9, 0.9)
        out = around_axis(angle)
        normal = add(add(around_axis(angle + 0.5 * math.pi), out, 0.6), UP, 0.4)
        low = plant.vertex(add(foot, UP, 0.35 * rise), normal, 0.5, 0.5)
        high = plant.vertex(add(add(foot, UP, rise), out, 0.016), normal, 0.8, 1.0)
        tip = plant.vertex(add(add(foot, UP, 0.5 * rise), out, 0.032), normal, 0.9, 1.0)
        plant.triangle(low, high, tip, BARK)

"""Palms: a slender bowed stem without branches, and a tuft of long fronds on top."""

import math
from itertools import pairwise

from .growth import (
    BARK,
    FOLIAGE,
    GOLDEN_ANGLE,
    ROOT_DEPTH,
    UP,
    Growth,
    Vector,
    above_ground,
    add,
    around_axis,
    cross,
    grow_stem,
    unit,
)
from .habit import PlantShape

_FRONDS = (26, 20, 12)
_LEAFLETS = (34, 6, 1)
_SIDES = (9, 5, 3)
_RINGS = (12, 5, 1)
# A young palm is a tuft on the ground: height of its stem and length of its fronds, by age.
_STEMS = (0.30, 0.72, 0.82)
_LENGTHS = (0.55, 0.30, 0.22)
# How far the stem bows aside, by variant.
_BOWS = (0.05, 0.13, 0.22)


def grow_palm(plant: Growth, shape: PlantShape) -> None:
    """Grow a palm.

    Parameters
    ----------
    plant : Growth
        Takes the vertices and triangles.
    shape : PlantShape
        Which of its meshes; the stem of variant 0 is nearly upright, those of 1 and 2 bow more.
    """
    top, bow = _STEMS[shape.age], _BOWS[shape.variant]
    aside = plant.between(0.0, math.tau)

    def stem_at(z: float) -> Vector:
        return around_axis(aside, bow * max(z, 0.0) ** 1.6, z)

    rings = _RINGS[shape.level]
    heights = [-ROOT_DEPTH] + [top * (k / rings) for k in range(1, rings + 1)]
    thick = (0.03, 0.013, 0.0115)[shape.age]
    # Each leaf that fell left a ring.
    radii = [thick * (1.55, 1.06, 0.94)[0 if k == 0 else 1 + k % 2] for k in range(rings)]
    grow_stem(plant, [stem_at(z) for z in heights], radii, _SIDES[shape.level], (0.4, 0.7), 0.06)
    crown = stem_at(top - 0.01)
    if shape.level == 0 and shape.age > 0:
        for number in range(5):
            nut = add(crown, around_axis(1.3 * number, 0.018, -0.015))
            grow_stem(plant, [nut, add(nut, UP, -0.022)], [0.009], 4, (0.3, 0.4))
    for number in range(_FRONDS[shape.level]):
        share = (number + 0.5) / _FRONDS[shape.level]
        # Old fronds hang, young ones stand.
        rise = math.radians(78.0 - 120.0 * share ** (0.9 if shape.age else 1.6)) + plant.between(-0.15, 0.15)
        length = _LENGTHS[shape.age] * plant.between(0.85, 1.1)
        _grow_frond(plant, crown, number * GOLDEN_ANGLE + plant.between(-0.2, 0.2), rise, length, shape.level)


def _grow_frond(plant: Growth, crown: Vector, azimuth: float, rise: float, length: float, level: int) -> None:
    """Add a frond: a rib that bows under its weight, with leaflets that hang on both sides."""
    plant.phase = plant.between(0.0, 1.0)
    out, side = around_axis(azimuth), around_axis(azimuth + 0.5 * math.pi)
    bright = plant.between(-0.08, 0.1)

    def rib_at(s: float) -> Vector:
        place = add(crown, out, length * math.cos(rise) * s + 0.25 * length * s * (1.0 - math.cos(rise)))
        return above_ground(add(place, UP, length * (math.sin(rise) * s - 0.55 * s * s)))

    leaflets = _LEAFLETS[level]
    stops = [0.1 + 0.9 * k / leaflets for k in range(leaflets + 1)]
    for before, after in pairwise(stops):
        middle = 0.5 * (before + after)
        along = unit(add(rib_at(after), rib_at(before), -1.0))
        reach = 0.3 * length * math.sin(math.pi * min(0.12 + 0.85 * middle, 0.97)) ** 0.6
        for hand in (-1.0, 1.0):
            normal = add(unit(cross(along, side)), UP, 0.4)
            normal = add(normal if normal[2] > 0.0 else add(normal, UP, -2.0 * normal[2]), side, 0.3 * hand)
            tint = 0.25 + 0.45 * middle + bright
            # Leaflets leave gaps, but not those of the coarse levels, which stand for many.
            end = before + (after - before) * (0.8 if level == 0 else 1.0)
            low = plant.vertex(rib_at(before), normal, tint, middle)
            high = plant.vertex(rib_at(end), normal, tint, middle)
            place = add(add(rib_at(middle), side, hand * reach), along, 0.55 * reach)
            hang = (0.55 if level == 0 else 0.35) * plant.between(0.7, 1.2)
            tip = plant.vertex(above_ground(add(place, UP, -hang * reach)), normal, tint + 0.2, 1.0)
            plant.triangle(low, high, tip, FOLIAGE)
    if level == 0:
        rib = [plant.vertex(rib_at(0.0), UP, 0.4), plant.vertex(rib_at(0.5), UP, 0.5)]
        rib.append(plant.vertex(add(rib_at(0.0), side, 0.012), UP, 0.4))
        plant.triangle(rib[0], rib[1], rib[2], BARK)

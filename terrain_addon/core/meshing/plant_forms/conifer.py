"""Conifers: a straight stem, and branches with twigs on both sides, closer and shorter towards the top."""

import math
from dataclasses import dataclass
from itertools import pairwise

from .growth import (
    FOLIAGE,
    GOLDEN_ANGLE,
    ROOT_DEPTH,
    UP,
    Growth,
    Vector,
    above_ground,
    add,
    around_axis,
    grow_stem,
    unit,
)


@dataclass(frozen=True)
class _Conifer:
    """What tells one conifer from another; lengths as shares of the plant's height."""

    crown_base: float
    radius: float
    fullness: float  # exponent of the outline: below 1 bulges, above 1 is hollow
    droop: float  # slope of the lowest branches, downwards
    ragged: float  # how much neighbouring branches differ in length
    bend: float  # sideways sway of the stem


@dataclass(frozen=True)
class _Detail:
    """How finely a conifer is drawn: fewer branches are broader, so that the crown stays as dense."""

    branches: int
    twigs: int  # pairs of them on a branch
    width: float  # of a branch over its length
    sides: int  # of the stem


_CONIFERS = (
    _Conifer(crown_base=0.06, radius=0.20, fullness=0.8, droop=0.30, ragged=0.15, bend=0.0),
    _Conifer(crown_base=0.10, radius=0.155, fullness=0.7, droop=0.55, ragged=0.22, bend=0.01),
    _Conifer(crown_base=0.17, radius=0.21, fullness=0.62, droop=0.18, ragged=0.3, bend=0.02),
)
_DETAILS = (_Detail(286, 5, 0.30, 7), _Detail(128, 2, 0.42, 4), _Detail(26, 1, 1.1, 3))


def grow_conifer(plant: Growth, variant: int, level: int) -> None:
    """Grow a conifer.

    Parameters
    ----------
    plant : Growth
        Takes the vertices and triangles.
    variant : int
        0 a spruce, 1 a slender one, 2 an open one.
    level : int
        Level of detail: 0 the finest, 2 the coarsest.
    """
    shape, detail = _CONIFERS[variant], _DETAILS[level]
    lean = plant.between(0.0, math.tau)

    def stem_at(z: float) -> Vector:
        return around_axis(lean, shape.bend * math.sin(3.0 * max(z, 0.0)), z)

    heights, radii = [-ROOT_DEPTH, 0.025, 0.3, 0.65, 0.96], [0.027, 0.019, 0.014, 0.007]
    if level == 2:
        heights, radii = [-ROOT_DEPTH, 0.9], [0.02]
    grow_stem(plant, [stem_at(z) for z in heights], radii, detail.sides, (0.25, 0.45))
    for number in range(detail.branches):
        # Branches stand closer towards the top, where they are shorter.
        share = (number + plant.between(0.0, 0.9)) / detail.branches
        share = 1.0 - (1.0 - share) ** 1.3
        z = shape.crown_base + (0.955 - shape.crown_base) * share
        # The lowest branches, starved of light, are shorter than the widest ones above them.
        outline = (1.0 - share) ** shape.fullness * min(1.0, 0.75 + 3.0 * share)
        length = 0.025 + shape.radius * outline * (1.0 + shape.ragged * plant.between(-1.0, 0.6))
        slope = -shape.droop + (shape.droop + 0.7) * share**1.5 + plant.between(-0.12, 0.12)
        azimuth = number * GOLDEN_ANGLE + plant.between(-0.3, 0.3)
        _grow_branch(plant, detail, stem_at(z), azimuth, length, slope, share)
    for number in range(2):
        _grow_branch(plant, detail, stem_at(0.94), 1.6 * number, 0.075, 9.0, 1.0)


def _grow_branch(
    plant: Growth, detail: _Detail, root: Vector, azimuth: float, length: float, slope: float, share: float
) -> None:
    """Add a branch: pairs of swept-back twigs along a rib, which hang like a roof so that it shows from the side."""
    plant.phase = plant.between(0.0, 1.0)
    out = around_axis(azimuth)
    side = around_axis(azimuth + 0.5 * math.pi)
    steep = math.sqrt(1.0 + slope * slope)
    bright = plant.between(-0.1, 0.1)

    def rib_at(s: float) -> Vector:
        # Branches sag under their own weight and turn up again at the tip.
        sag = (0.25 * max(s - 0.6, 0.0) - 0.3 * math.sin(2.5 * s)) * (1.0 - share)
        return add(add(root, out, length * s / steep), UP, length * (s * slope / steep + sag))

    def needle(place: Vector, s: float, sideways: float) -> int:
        # Between the crown's outward direction and up, and spread to either side like a round body.
        normal = add(add(unit(add(out, UP, 0.6)), side, 0.55 * sideways), UP, 0.1)
        tint = 0.08 + 0.66 * s + 0.12 * abs(sideways) + 0.1 * share + bright
        return plant.vertex(above_ground(place), normal, tint, s)

    twigs = detail.twigs
    stops = [0.08 + 0.92 * (k / twigs) ** 0.9 for k in range(twigs + 1)]
    rib = [needle(rib_at(s), s, 0.0) for s in stops]
    width = length * detail.width * plant.between(0.9, 1.1) + 0.3 * detail.width * 0.08
    for number, (before, after) in enumerate(pairwise(stops)):
        # Broadest a third of the way out.
        middle = 0.5 * (before + after)
        spread = math.sin(math.pi * min(0.25 + 0.75 * middle, 0.92)) ** 0.7
        for hand in (-1.0, 1.0):
            reach = width * spread * plant.between(0.75, 1.25)
            tip = min(before + 1.3 * (after - before) + plant.between(0.0, 0.08), 1.05)
            place = add(rib_at(tip), side, hand * reach)
            place = add(place, UP, -reach * plant.between(0.5, 1.1))
            plant.triangle(rib[number], rib[number + 1], needle(place, min(tip + 0.1, 1.0), hand), FOLIAGE)

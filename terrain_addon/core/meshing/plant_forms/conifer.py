"""Conifers: a straight stem, and branches with twigs on both sides, closer and shorter towards the top."""

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

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
from .habit import ByAge, PlantShape


@dataclass(frozen=True)
class Needles:
    """What tells one conifer from another; lengths as shares of the plant's height unless they say metres.

    Attributes
    ----------
    base : tuple of float
        Height at which the crown begins, by age.
    radius : tuple of float
        Of the crown, by age.
    fullness : float
        Exponent of the outline: below 1 bulges, above 1 is hollow.
    droop : float
        Slope of the lowest branches, downwards.
    ragged : tuple of float
        How much branches, tiers of them and sides of the crown differ in length, by age.
    hang : float
        How far twigs hang down from their branch, as a multiple of how far they reach aside.
    tiers : float
        How far branches gather in tiers, 0 not at all to 1.
    bend : float
        Sideways sway of the stem.
    shoot : float
        Length of a shoot with its needles, in metres.
    """

    base: ByAge
    radius: ByAge
    fullness: float
    droop: float
    ragged: ByAge
    hang: float = 0.8
    tiers: float = 0.0
    bend: float = 0.01
    shoot: float = 0.12


FIR = Needles(
    base=(0.03, 0.06, 0.2),
    radius=(0.27, 0.225, 0.2),
    fullness=0.8,
    droop=0.25,
    ragged=(0.1, 0.22, 0.34),
    tiers=0.5,
)
SPRUCE = Needles(
    base=(0.02, 0.07, 0.13),
    radius=(0.24, 0.165, 0.15),
    fullness=0.86,
    droop=0.62,
    ragged=(0.1, 0.22, 0.34),
    hang=1.25,
    tiers=0.75,
)


@dataclass(frozen=True)
class _Detail:
    """How finely a conifer is drawn: fewer branches are broader, so that the crown stays as dense."""

    branches: int
    twigs: int  # pairs of them on a branch
    width: float  # of a branch over its length
    sides: int  # of the stem


class _Tier(NamedTuple):
    """How branches of one height differ from a regular crown: their length, and the side that is longer and higher."""

    reach: float
    side: float


class _Branch(NamedTuple):
    """Where a branch begins and leads, its length, its slope and how high in the crown it is, 0 to 1."""

    root: Vector
    azimuth: float
    length: float
    slope: float
    share: float


# Tiers of branches, by age.
_TIERS = (9, 15, 20)
# Slope of a tier around the stem, as a share of the height between two; neighbouring tiers lean to different sides.
_TIER_SLOPE = 0.45
# Width of the crown of each variant.
_SPREADS = (1.0, 0.8, 1.16)
_DETAILS = (_Detail(286, 5, 0.35, 7), _Detail(128, 2, 0.55, 4), _Detail(70, 1, 0.8, 3))


def grow_conifer(plant: Growth, needles: Needles, shape: PlantShape) -> None:
    """Grow a conifer.

    Parameters
    ----------
    plant : Growth
        Takes the vertices and triangles.
    needles : Needles
        How it is built.
    shape : PlantShape
        Which of its meshes; variant 0 is usual, 1 slender, 2 broad.
    """
    detail = _DETAILS[shape.level]
    base, radius = needles.base[shape.age], needles.radius[shape.age] * _SPREADS[shape.variant]
    ragged, tiers = needles.ragged[shape.age], _TIERS[shape.age]
    lean = plant.between(0.0, math.tau)
    # Old branches break, some years are bad, and neighbours take the light: few crowns are round.
    grown = [_Tier(1.0 + ragged * plant.between(-1.1, 0.9), plant.between(0.0, math.tau)) for _ in range(tiers)]

    def stem_at(z: float) -> Vector:
        return around_axis(lean, needles.bend * math.sin(3.0 * max(z, 0.0)), z)

    heights, radii = [-ROOT_DEPTH, 0.025, 0.3, 0.65, 0.96], [0.023, 0.016, 0.012, 0.006]
    if shape.level == 2:
        heights, radii = [-ROOT_DEPTH, 0.9], [0.018]
    grow_stem(plant, [stem_at(z) for z in heights], radii, detail.sides, (0.25, 0.45))
    for number in range(detail.branches):
        # Branches stand closer towards the top, where they are shorter.
        share = (number + plant.between(0.0, 0.9)) / detail.branches
        share = 1.0 - (1.0 - share) ** 1.3
        tier = grown[math.floor(share * tiers)]
        middle = (math.floor(share * tiers) + 0.5) / tiers
        share += needles.tiers * (middle - share)
        azimuth = number * GOLDEN_ANGLE + plant.between(-0.3, 0.3)
        longer = math.cos(azimuth - tier.side)
        z = base + (0.955 - base) * min(share + _TIER_SLOPE * needles.tiers * longer * (1.0 - share) / tiers, 1.0)
        # The lowest branches, starved of light, are shorter than the widest ones above them.
        outline = (1.0 - share) ** needles.fullness * min(1.0, 0.75 + 3.0 * share)
        uneven = tier.reach * (1.0 + 0.6 * ragged * longer) * (1.0 + ragged * plant.between(-0.9, 0.9))
        length = 0.025 + radius * outline * uneven
        slope = -needles.droop + (needles.droop + 0.7) * share**1.5 + plant.between(-0.12, 0.12)
        _grow_branch(plant, needles, detail, _Branch(stem_at(z), azimuth, length, slope, share))
    for number in range(2):
        _grow_branch(plant, needles, detail, _Branch(stem_at(0.94), 1.6 * number, 0.075, 9.0, 1.0))


def _grow_branch(plant: Growth, needles: Needles, detail: _Detail, branch: _Branch) -> None:
    """Add a branch: pairs of swept-back twigs along a rib, which hang like a roof so that it shows from the side."""
    root, azimuth, length, slope, share = branch
    plant.phase = plant.between(0.0, 1.0)
    out = around_axis(azimuth)
    side = around_axis(azimuth + 0.5 * math.pi)
    steep = math.sqrt(1.0 + slope * slope)
    bright = plant.between(-0.1, 0.1)

    def rib_at(s: float) -> Vector:
        # Branches sag under their own weight and turn up again at the tip.
        sag = (0.25 * max(s - 0.6, 0.0) - 0.3 * math.sin(2.5 * s)) * (1.0 - share)
        return add(add(root, out, length * s / steep), UP, length * (s * slope / steep + sag))

    def needle(place: Vector, s: float, sideways: float, reach: float = 0.0) -> int:
        # Between the crown's outward direction and up, and spread to either side like a round body.
        normal = add(add(unit(add(out, UP, 0.6)), side, 0.55 * sideways), UP, 0.1)
        tint = 0.08 + 0.66 * s + 0.12 * abs(sideways) + 0.1 * share + bright
        return plant.vertex(above_ground(place), normal, tint, s, (s * length, reach, 0.0))

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
            place = add(place, UP, -reach * needles.hang * plant.between(0.6, 1.3))
            plant.triangle(
                rib[number], rib[number + 1], needle(place, min(tip + 0.1, 1.0), hand, hand * reach), FOLIAGE
            )

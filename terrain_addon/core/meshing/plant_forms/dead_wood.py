"""Dead trees that still stand, and logs that lie: bark alone, with broken branches."""

import math

from .growth import GOLDEN_ANGLE, UP, Growth, Vector, add, around_axis, blend, grow_stem

_BRANCHES = (26, 13, 5)
_TWIGS = (4, 1, 0)
_TRUNK_SIDES = (9, 6, 4)
_TRUNK_RINGS = (10, 5, 2)
_BRANCH_SIDES = (5, 3, 3)

# How much of the tree has broken off at the top, and how long its branches still are, by variant.
_SNAGS = ((0.0, 0.26), (0.25, 0.2), (0.0, 0.36))


def grow_dead_tree(plant: Growth, variant: int, level: int) -> None:
    """Grow a bare tree.

    Parameters
    ----------
    plant : Growth
        Takes the vertices and triangles.
    variant : int
        0 whole, 1 without its top, 2 with wide limbs.
    level : int
        Level of detail: 0 the finest, 2 the coarsest.
    """
    broken, longest = _SNAGS[variant]
    top = 1.0 - broken
    lean, wave = plant.between(0.0, math.tau), plant.between(0.0, math.tau)

    def trunk_at(z: float) -> Vector:
        sway = 0.03 * z * z + 0.008 * math.sin(9.0 * z + wave)
        return around_axis(lean, sway, z)

    def radius_at(z: float) -> float:
        flare = 0.022 * max(1.0 - z / 0.08, 0.0) ** 2
        return 0.006 + 0.026 * (1.0 - z) + flare

    rings = _TRUNK_RINGS[level]
    heights = [-0.04 + (top - 0.02 + 0.04) * (k / rings) ** 1.3 for k in range(rings)]
    grow_stem(
        plant,
        [*(trunk_at(z) for z in heights), trunk_at(top)],
        [radius_at(max(z, 0.0)) for z in heights],
        _TRUNK_SIDES[level],
        (0.3, 0.75),
        0.2,
    )
    for number in range(_BRANCHES[level]):
        share = (number + plant.between(0.2, 0.8)) / _BRANCHES[level]
        z = 0.22 + (top - 0.26) * share
        plant.phase = plant.between(0.0, 1.0)
        azimuth = number * GOLDEN_ANGLE + plant.between(-0.4, 0.4)
        # Many have broken off short.
        length = longest * (1.05 - share) * plant.between(0.25, 1.0)
        rise = 0.25 + 0.9 * share + plant.between(-0.2, 0.3)
        _grow_limb(plant, trunk_at(z), azimuth, length, rise, 0.42 * radius_at(z), level)


def _grow_limb(
    plant: Growth, root: Vector, azimuth: float, length: float, rise: float, radius: float, level: int
) -> None:
    """Add a dead branch that bends once, with twigs."""
    out = around_axis(azimuth)
    steep = math.sqrt(1.0 + rise * rise)
    tip = add(add(root, out, length / steep), UP, length * rise / steep)
    kink = add(blend(root, tip, plant.between(0.4, 0.6)), UP, -0.12 * length)
    kink = add(kink, around_axis(azimuth + 1.57, plant.between(-0.12, 0.12) * length))
    places, radii = [root, kink, tip], [radius, 0.6 * radius]
    if level == 2:
        places, radii = [root, tip], [radius]
    grow_stem(plant, places, radii, _BRANCH_SIDES[level], (0.5, 0.9), 0.2)
    for _ in range(_TWIGS[level]):
        share = plant.between(0.35, 0.95)
        start = blend(root, kink, 2.0 * share) if share < 0.5 else blend(kink, tip, 2.0 * share - 1.0)
        end = add(start, around_axis(azimuth + plant.between(-1.2, 1.2)), length * plant.between(0.15, 0.4))
        end = add(end, UP, length * plant.between(-0.05, 0.3))
        grow_stem(plant, [start, end], [0.4 * radius], 3, (0.6, 0.9), 0.2)


def grow_log(plant: Growth, variant: int, level: int) -> None:
    """Lay down a trunk from west to east, 1 m long, with stubs of its branches.

    Parameters
    ----------
    plant : Growth
        Takes the vertices and triangles.
    variant : int
        0 to 2, of different thickness.
    level : int
        Level of detail: 0 the finest, 2 the coarsest.
    """
    thick = (0.034, 0.026, 0.042)[variant]
    rings = (12, 6, 2)[level]
    bow = plant.between(0.01, 0.03)

    def trunk_at(s: float) -> Vector:
        return (s - 0.5, bow * math.sin(math.pi * s), 0.6 * thick * (1.0 - 0.35 * s))

    # It ends torn, not in a point: the last ring is nearly as thick as the one before.
    shares = [k / rings for k in range(rings)] + [0.995]
    radii = [0.02 * thick, *(thick * (1.0 - 0.45 * s) for s in shares[1:])]
    shares[1] = 0.004
    radii[1] = thick
    grow_stem(plant, [*(trunk_at(s) for s in shares), trunk_at(1.0)], radii, (10, 7, 4)[level], (0.35, 0.75), 0.12)
    for number in range((9, 5, 2)[level]):
        share = 0.3 + 0.65 * (number + plant.between(0.0, 0.9)) / (9, 5, 2)[level]
        root = trunk_at(share)
        out = (0.45, math.cos(number * GOLDEN_ANGLE), abs(math.sin(number * GOLDEN_ANGLE)))
        tip = add(root, out, plant.between(0.05, 0.16) * (1.2 - share) + 0.5 * thick)
        grow_stem(plant, [root, tip], [0.3 * thick], (5, 3, 3)[level], (0.5, 0.9), 0.2)

"""Trees with limbs: a stem, branches in a crown of some outline, and twigs with leaves around the branches.

A twig is one kite of two triangles.  In full detail `PlantMesh.leaf` tells where on its twig a vertex lies, measured in
leaves, so that a material can cut single leaves of their true size out of it.  Coarser levels draw some of the same
twigs, larger, so that a crown covers as much of the sky from afar (Cook et al. 2007).
"""

import math
from collections.abc import Callable
from typing import NamedTuple

from .growth import (
    FOLIAGE,
    GOLDEN_ANGLE,
    ROOT_DEPTH,
    UP,
    Growth,
    Vector,
    add,
    around_axis,
    blend,
    cross,
    dot,
    grow_stem,
    unit,
)
from .habit import Habit, PlantShape, outline_radius


class _Detail(NamedTuple):
    """How finely a tree is drawn."""

    twigs: int
    size: float  # of a twig, as a multiple of that in full detail
    sides: int  # of the stem
    limb_sides: int
    bends: int  # of a limb
    shoots: int  # branches of a limb


_DETAILS = (_Detail(1070, 1.0, 9, 4, 2, 2), _Detail(215, 1.85, 5, 3, 1, 0), _Detail(150, 2.6, 3, 0, 0, 0))
# Height above ground of the lowest leaves.
_LOWEST_LEAF = 0.055
# Share of the twigs that stand inside the crown.
_INNER = 0.2
_MOST_TWIGS = _DETAILS[0].twigs
# Width of the crown of each variant.
_SPREADS = (1.0, 0.84, 1.14)


class _Limb(NamedTuple):
    """A branch of the stem: where it begins, where it leads, how far, and how it bends."""

    root: Vector
    way: Vector
    length: float
    curve: float
    aside: Vector
    wave: float
    phase: float
    radius: float

    def at(self, share: float) -> Vector:
        """Return the place at a share of its length."""
        place = add(self.root, self.way, self.length * share)
        place = add(place, UP, self.curve * self.length * share * share)
        bend = math.sin(math.tau * (0.75 * share + self.wave)) - math.sin(math.tau * self.wave)
        return add(place, self.aside, bend * self.length)

    def heading(self) -> Vector:
        """Return the direction of its end."""
        return unit(add(self.at(1.0), self.at(0.7), -1.0))


class _Crown(NamedTuple):
    """The body that all leaves fill together: its middle, its radius and half its height."""

    centre: Vector
    radius: float
    half: float

    def depth(self, away: Vector) -> float:
        """Return 0 in the middle of the crown and 1 at its border, for a place as seen from the middle."""
        flat = (away[0] * away[0] + away[1] * away[1]) / (self.radius * self.radius)
        return min(math.sqrt(flat + (away[2] / self.half) ** 2), 1.1)


class _Twig(NamedTuple):
    """A place for leaves."""

    place: Vector
    along: Vector
    normal: Vector
    light: float
    phase: float
    size: float
    turn: float


def grow_tree(plant: Growth, habit: Habit, shape: PlantShape) -> None:
    """Grow a tree.

    Parameters
    ----------
    plant : Growth
        Takes the vertices and triangles.
    habit : Habit
        How it is built.
    shape : PlantShape
        Which of its meshes.
    """
    detail = _DETAILS[shape.level]
    base, fork = habit.base[shape.age], habit.fork[shape.age]
    lean, sway = plant.between(0.0, math.tau), plant.between(0.3, 1.0) * habit.crook * 0.16

    def stem_at(z: float) -> Vector:
        return around_axis(lean, sway * math.sin(4.4 * max(z, 0.0)), z)

    thick = habit.stem * (1.0, 1.0, 1.25)[shape.age]

    def stem_radius(z: float) -> float:
        return thick * max(1.0 - 0.9 * z / (fork + 0.12), 0.1)

    limbs = _limbs(plant, habit, shape, stem_at, stem_radius)
    crown = _Crown(
        (0.0, 0.0, 0.5 * (base + 1.0)), habit.radius[shape.age] * _SPREADS[shape.variant], 0.5 * (1.0 - base)
    )
    twigs = _twigs(plant, habit, limbs, crown)
    # All that follows differs between levels of detail; what came before is the same for all.
    heights = [-ROOT_DEPTH, 0.025, 0.25 * fork, 0.6 * fork, fork]
    radii = [thick * habit.roots, thick * 1.1, stem_radius(0.25 * fork), stem_radius(0.6 * fork)]
    if shape.level == 2:
        heights, radii = [-ROOT_DEPTH, fork], [thick * 1.15]
    grow_stem(plant, [stem_at(z) for z in heights], radii, detail.sides, (0.35, 0.62), 0.1)
    if shape.level < 2:
        for limb in limbs[:: 1 + 2 * shape.level]:
            _grow_limb(plant, habit, limb, detail)
    if shape.level == 0:
        for number in range(habit.stubs):
            z = base * (0.35 + 0.6 * (number + plant.between(0.0, 0.8)) / habit.stubs)
            tip = add(stem_at(z), around_axis(number * GOLDEN_ANGLE, plant.between(0.02, 0.06), 0.006))
            grow_stem(plant, [stem_at(z), tip], [0.16 * thick], 3, (0.4, 0.5))
    # The twigs come in random order, so that the first of them are a fair sample.
    for twig in twigs[: detail.twigs]:
        _grow_twig(plant, habit, twig, detail)


def _limbs(
    plant: Growth,
    habit: Habit,
    shape: PlantShape,
    stem_at: Callable[[float], Vector],
    stem_radius: Callable[[float], float],
) -> list[_Limb]:
    """Return the first branches, from the lowest to the highest."""
    base, fork = habit.base[shape.age], habit.fork[shape.age]
    # Limbs of a crown without a leader begin below it and rise into it.
    lowest = base if fork > 0.8 else min(base, 0.62 * fork)
    widest = habit.radius[shape.age] * _SPREADS[shape.variant]
    limbs = []
    for number in range(habit.limbs):
        share = (number + plant.between(0.1, 0.9)) / habit.limbs
        z = lowest + (fork - lowest) * share
        angle = habit.angles[0] + (habit.angles[1] - habit.angles[0]) * share**1.2 + plant.between(-8.0, 8.0)
        sine, cosine = math.sin(math.radians(angle)), math.cos(math.radians(angle))
        # Formula for the length of the first branches in §4.3 of Weber & Penn (1995), kept inside the crown.
        length = widest * outline_radius(habit.outline, 1.0 - 0.94 * share) / max(sine, 0.3)
        rise = cosine + habit.curve
        if rise > 0.0:
            length = min(length, (1.0 - 0.6 * habit.leaves.puff - z) / rise)
        length = max(length * plant.between(0.82, 1.08), 0.04)
        azimuth = number * GOLDEN_ANGLE + plant.between(-0.35, 0.35)
        aside = around_axis(azimuth + 0.5 * math.pi, 0.5 * habit.crook, 0.5 * habit.crook * plant.between(-0.6, 0.6))
        radius = stem_radius(z) * habit.limb * plant.between(0.85, 1.1)
        wave, phase = plant.between(0.0, 1.0), plant.between(0.0, 1.0)
        limbs.append(
            _Limb(stem_at(z), around_axis(azimuth, sine, cosine), length, habit.curve, aside, wave, phase, radius)
        )
    return limbs


def _twigs(plant: Growth, habit: Habit, limbs: list[_Limb], crown: _Crown) -> list[_Twig]:
    """Return the places of all twigs in random order, most of them where the crown ends."""
    leaves = habit.leaves
    reach = [limb.length + leaves.puff for limb in limbs]
    total, chosen = sum(reach), []
    for limb, length in zip(limbs, reach, strict=True):
        chosen += [limb] * max(round(_MOST_TWIGS * length / total), 1)
    plant.random.shuffle(chosen)
    twigs = []
    for limb in chosen:
        share = (0.3 + 0.66 * leaves.gather) + plant.between(0.0, 1.0) ** 0.8 * (0.72 - 0.66 * leaves.gather)
        outward = plant.direction()
        # Most leaves stand on the lit side of their branch and near the end of their shoot.
        if outward[2] < -0.25 and leaves.hang < 0.5:
            outward = (outward[0], outward[1], -0.6 * outward[2])
        depth = plant.between(0.0, 1.0) ** 0.55
        puff = leaves.puff * (0.55 + 0.45 * min(share, 1.0)) * min(1.0, 0.35 + 3.0 * limb.length)
        place = add(limb.at(share), (outward[0], outward[1], outward[2] * leaves.flat), puff * depth)
        if leaves.hang > 0.5:
            place = add(place, UP, -plant.between(0.0, 1.6) * leaves.twig)
        place = (place[0], place[1], max(place[2], 0.06))
        away = add(place, crown.centre, -1.0)
        deep = crown.depth(away)
        away = unit(away) if dot(away, away) > 1e-6 else UP
        normal = unit(add(add(blend(away, outward, 0.35), UP, 0.25), plant.direction(), 0.12))
        along = add(blend(outward, limb.heading(), 0.4), plant.direction(), 0.35)
        along = unit(add(along, UP, -1.6 * leaves.hang))
        light = 0.26 * depth + 0.22 * outward[2] + 0.16 * away[2] + 0.42 * deep + plant.between(-0.06, 0.1)
        # The last twigs are short, so that the crown ends in small leaves.
        size = leaves.twig * plant.between(0.78, 1.22) * (1.2 - 0.45 * depth)
        if plant.between(0.0, 1.0) < _INNER:
            # Broad dark twigs inside hide the sky behind.
            place, light, size = blend(place, limb.at(0.6 * share), 0.8), 0.3 * light, 1.6 * size
        twigs.append(_Twig(place, along, normal, light, limb.phase, size, plant.between(0.0, math.tau)))
    return twigs


def _grow_limb(plant: Growth, habit: Habit, limb: _Limb, detail: _Detail) -> None:
    """Add a branch, and in full detail its shoots."""
    plant.phase = limb.phase
    stops = [k / (detail.bends + 1) for k in range(detail.bends + 2)]
    radii = [limb.radius * (1.0 - 0.78 * s) for s in stops[:-1]]
    grow_stem(plant, [limb.at(s) for s in stops], radii, detail.limb_sides, (0.5, 0.6), 0.1)
    for number in range(detail.shoots):
        start = limb.at(0.5 + 0.3 * number)
        side = cross(limb.way, UP)
        side = unit(side) if dot(side, side) > 1e-6 else (1.0, 0.0, 0.0)
        turn = add(blend(limb.heading(), side if number % 2 else (-side[0], -side[1], -side[2]), 0.5), UP, 0.25)
        end = add(start, turn, 1.3 * habit.leaves.puff)
        grow_stem(plant, [start, end], [0.38 * limb.radius], 3, (0.55, 0.62), 0.1)


def _grow_twig(plant: Growth, habit: Habit, twig: _Twig, detail: _Detail) -> None:
    """Add a twig with its leaves: a kite, folded along its rib; in the coarsest level a triangle."""
    plant.phase = twig.phase
    size = (twig.size if detail.limb_sides else habit.leaves.twig) * detail.size
    # Any direction across the twig, the same in all levels.
    across = cross(twig.along, (math.cos(twig.turn), math.sin(twig.turn), 0.35))
    across = unit(add(across, unit(cross(twig.normal, twig.along)), 0.7)) if dot(across, across) > 1e-9 else UP
    slender = habit.leaves.slender * (1.0 if detail.bends > 1 else 1.25)
    width = slender * size
    half = (0.35 if detail.limb_sides else 0.5) * size
    root_at = _clear_of_ground(add(twig.place, twig.along, -half))
    tip_at = _clear_of_ground(add(root_at, twig.along, size))
    waist = add(root_at, twig.along, 0.48 * size)
    front = cross(twig.along, across)
    front = front if dot(front, twig.normal) > 0.0 else (-front[0], -front[1], -front[2])
    # Leaning a little to its own front, so that a twig seen from its edge has one.
    normal = unit(add(twig.normal, front, 0.35))
    waist = add(waist, front, 0.16 * width)
    root = plant.vertex(root_at, normal, twig.light - 0.12, 0.35, (0.0, 0.0, size))
    left = plant.vertex(_clear_of_ground(add(waist, across, width)), normal, twig.light + 0.04, 0.75)
    plant.leaf[left] = (0.48 * size, width, size)
    if detail.limb_sides == 0:
        right = plant.vertex(_clear_of_ground(add(waist, across, -width)), normal, twig.light + 0.04, 1.0)
        plant.triangle(root, left, right, FOLIAGE)
        return
    tip = plant.vertex(tip_at, normal, twig.light + 0.12, 1.0, (size, 0.0, size))
    right = plant.vertex(_clear_of_ground(add(waist, across, -width)), normal, twig.light + 0.04, 0.75)
    plant.leaf[right] = (0.48 * size, -width, size)
    plant.triangle(root, left, tip, FOLIAGE)
    plant.triangle(root, tip, right, FOLIAGE)


def _clear_of_ground(place: Vector) -> Vector:
    """Return a place where leaves may be: none lies on the ground."""
    return (place[0], place[1], max(place[2], _LOWEST_LEAF))

"""Bushes: a crown of overlapping bodies of leaves, dark inside, on several stems.

References
----------
Mitchell, D. P. (1991).  Spectrally optimal sampling for distribution ray tracing.  Computer Graphics (SIGGRAPH) 25(4),
157-164.  doi:10.1145/127719.122736
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

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
    blend,
    cross,
    dot,
    gap_between,
    grow_stem,
    unit,
)

BUSH_LEAF, BUSH_SLENDER = 0.045, 0.35
"""Length of a leaf in metres, and half the width of a kite that is cut into leaves, over its length."""

_WAIST = 0.48  # of a kite, as a share of its length


@dataclass(frozen=True)
class _Puff:
    """One of the overlapping bodies of leaves that make up a crown: an ellipsoid, flattened by `squash`."""

    centre: Vector
    radius: float
    squash: float = 0.85

    def surface(self, direction: Vector, scale: float = 1.0) -> Vector:
        """Return the place in a direction from the centre; `scale` 1 is on the surface."""
        flat = (direction[0], direction[1], direction[2] * self.squash)
        return add(self.centre, flat, self.radius * scale)

    def depth(self, place: Vector) -> float:
        """Return 0 at the centre, 1 on the surface, more outside."""
        x, y, z = add(place, self.centre, -1.0)
        return math.sqrt(x * x + y * y + (z / self.squash) ** 2) / self.radius


@dataclass(frozen=True)
class _Crown:
    """What tells one leafy plant from another; lengths as shares of the plant's height, before it is scaled to 1."""

    middle: float  # height of the crown's middle above ground
    spread: float  # distance of the puffs from the middle
    puffs: int
    puff_radius: float
    tall: float  # height of the crown over its width
    leaf: float  # length of a leaf in full detail


@dataclass(frozen=True)
class _Detail:
    """How finely a crown is drawn.  Fewer leaves are larger, so that the crown stays as dense (Cook et al. 2007)."""

    sprigs: int
    leaves: int  # on a sprig
    whole: bool  # a leaf is two triangles along its rib, or one
    size: float  # of a leaf, as a multiple of that in full detail
    core: int  # dark triangles inside a puff
    limbs: int
    sides: int


_BUSHES = (
    _Crown(middle=0.40, spread=0.32, puffs=5, puff_radius=0.36, tall=0.75, leaf=0.105),
    _Crown(middle=0.45, spread=0.25, puffs=5, puff_radius=0.30, tall=1.2, leaf=0.094),
    _Crown(middle=0.34, spread=0.40, puffs=6, puff_radius=0.34, tall=0.5, leaf=0.105),
)
_BUSH_DETAILS = (
    _Detail(440, 3, True, 0.78, 10, 6, 4),
    _Detail(160, 3, False, 1.66, 5, 3, 3),
    _Detail(53, 1, False, 5.0, 0, 0, 3),
)


def grow_bush(plant: Growth, variant: int, level: int) -> None:
    """Grow a bush.

    Parameters
    ----------
    plant : Growth
        Takes the vertices and triangles.
    variant : int
        0 a dome, 1 upright, 2 spreading.
    level : int
        Level of detail: 0 the finest, 2 the coarsest.
    """
    crown, detail = _BUSHES[variant], _BUSH_DETAILS[level]
    puffs = _place_puffs(plant, crown)
    for puff in puffs[: detail.limbs]:
        foot = around_axis(plant.between(0.0, math.tau), plant.between(0.02, 0.07), -ROOT_DEPTH)
        bow = add(blend(foot, puff.centre, 0.45), UP, -0.04)
        grow_stem(plant, [foot, bow, puff.centre], [0.022, 0.015], detail.sides, (0.3, 0.3))
    if level == 2:
        grow_stem(plant, [(0.0, 0.0, -ROOT_DEPTH), puffs[0].centre], [0.03], 3, (0.3, 0.3))
    _grow_leaves(plant, crown, detail, puffs)


def _place_puffs(plant: Growth, crown: _Crown) -> list[_Puff]:
    """Return the bodies of leaves: one on top, the others spiralling down around the middle."""
    middle = (0.0, 0.0, crown.middle)
    puffs = [_Puff(add(middle, UP, 0.75 * crown.spread * crown.tall), crown.puff_radius)]
    for number in range(1, crown.puffs):
        z = 0.6 - 1.25 * (number - 0.5) / (crown.puffs - 1) + plant.between(-0.1, 0.1)
        out = crown.spread * math.sqrt(1.0 - z * z) * plant.between(0.85, 1.15)
        centre = around_axis(number * GOLDEN_ANGLE + plant.between(-0.35, 0.35), out, z * crown.spread * crown.tall)
        puffs.append(_Puff(add(middle, centre), crown.puff_radius * plant.between(0.82, 1.15)))
    return puffs


def _grow_leaves(plant: Growth, crown: _Crown, detail: _Detail, puffs: list[_Puff]) -> None:
    """Cover the outside of the puffs with leaves, and fill each with a dark core that hides the sky behind."""
    middle = (0.0, 0.0, crown.middle - 0.15 * crown.spread)
    for puff in puffs:
        _grow_core(plant, puff, detail.core)
    grown = _Neighbourhood(math.sqrt(4.0 / detail.sprigs) * crown.spread)
    for _ in range(detail.sprigs):
        # Of three places the emptiest, which spreads the leaves evenly (best candidate: Mitchell 1991).
        place, outward, puff = max(
            (_find_leaf_place(plant, puffs) for _ in range(3)), key=lambda found: grown.room(found[0])
        )
        grown.add(place)
        normal = unit(add(blend(outward, unit(add(place, middle, -1.0)), 0.35), UP, 0.12))
        # Light fades towards the middle of the crown, and of each of its bodies.
        x, y, z = add(place, middle, -1.0)
        depth = math.sqrt(x * x + y * y + (z / crown.tall) ** 2) / (crown.spread + crown.puff_radius)
        light = 0.5 * (puff.depth(place) - 0.78) / 0.26 + 0.5 * (depth - 0.8)
        _grow_sprig(plant, detail, crown.leaf * detail.size, place, outward, normal, light)


class _Neighbourhood:
    """Places in boxes, so that only near ones are looked at."""

    def __init__(self, reach: float) -> None:
        self.reach = reach
        self.boxes: dict[tuple[int, int, int], list[Vector]] = {}

    def add(self, place: Vector) -> None:
        """Remember a place."""
        for box in self._around(place):
            self.boxes.setdefault(box, []).append(place)

    def room(self, place: Vector) -> float:
        """Return the distance to the nearest place, at most `reach`."""
        near = self.boxes.get(self._box(place), ())
        return min((gap_between(place, other) for other in near), default=self.reach)

    def _box(self, place: Vector) -> tuple[int, int, int]:
        return (int(place[0] // self.reach), int(place[1] // self.reach), int(place[2] // self.reach))

    def _around(self, place: Vector) -> Iterator[tuple[int, int, int]]:
        x, y, z = self._box(place)
        return ((x + i, y + j, z + k) for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1))


def _find_leaf_place(plant: Growth, puffs: list[_Puff]) -> tuple[Vector, Vector, _Puff]:
    """Return a random place near the surface of the puffs, its direction from the middle of its puff, and the puff."""
    while True:
        puff = puffs[int(plant.between(0.0, len(puffs)))]
        outward = plant.direction()
        place = puff.surface(outward, plant.between(0.78, 1.04))
        # Few leaves grow on the shaded underside, and none where another puff covers this one.
        lit = outward[2] > plant.between(-1.3, -0.2)
        if lit and place[2] > 0.08 and all(other is puff or other.depth(place) > 0.86 for other in puffs):
            return place, outward, puff


def _grow_sprig(
    plant: Growth, detail: _Detail, size: float, place: Vector, outward: Vector, normal: Vector, light: float
) -> None:
    """Add kites of leaves that fan out from one root.

    `PlantMesh.leaf` tells where on its kite a vertex lies; a longer kite has longer leaves.
    """
    plant.phase = plant.between(0.0, 1.0)
    size *= plant.between(0.8, 1.2)
    facing = unit(add(normal, plant.direction(), 0.9 if detail.leaves > 1 else 0.5))
    along = unit(add(add(unit(cross(facing, plant.direction())), UP, -0.3), outward, 0.35))
    along = unit(add(along, facing, -dot(along, facing)))
    side = cross(facing, along)
    tint = 0.15 + light + 0.2 * outward[2] + plant.between(-0.1, 0.12)
    shading = add(normal, facing, 0.3)
    root = plant.vertex(above_ground(add(place, along, -0.5 * size)), shading, tint - 0.15, 0.3, (0.0, 0.0, size))

    def reach(angle: float, length: float, lift: float) -> Vector:
        flat = add(add(plant.vertices[root], along, length * math.cos(angle)), side, length * math.sin(angle))
        return above_ground(add(flat, facing, lift))

    for fan in range(detail.leaves):
        angle = 0.95 * (fan - 0.5 * (detail.leaves - 1)) + plant.between(-0.25, 0.25)
        length = size * plant.between(0.75, 1.1)
        lift = plant.between(-0.2, 0.25) * size
        tip = plant.vertex(reach(angle, length, lift), shading, tint + 0.2, 1.0, (size, 0.0, size))
        broad = 0.63 if detail.leaves > 1 else 0.75
        hand = math.copysign(broad, plant.between(-1.0, 1.0))
        fold = 0.12 * size if detail.whole else 0.0
        waist = (_WAIST * size, math.copysign(BUSH_SLENDER, hand) * size, size)
        edge = plant.vertex(reach(angle + hand, 0.6 * length, 0.5 * lift + fold), shading, tint + 0.08, 0.7, waist)
        plant.triangle(root, tip, edge, FOLIAGE)
        if detail.whole:
            waist = (_WAIST * size, -waist[1], size)
            edge = plant.vertex(reach(angle - hand, 0.6 * length, 0.5 * lift + fold), shading, tint + 0.08, 0.7, waist)
            plant.triangle(root, tip, edge, FOLIAGE)


def _grow_core(plant: Growth, puff: _Puff, triangles: int) -> None:
    """Add broad dark triangles inside a puff, jagged so that they look like leaves in the shade."""
    plant.phase = plant.between(0.0, 1.0)
    for number in range(triangles):
        z = 1.0 - (2.0 * number + 1.0) / triangles
        outward = around_axis(number * GOLDEN_ANGLE, math.sqrt(1.0 - z * z), z)
        facing = unit(add(outward, plant.direction(), 0.35))
        across = unit(cross(facing, plant.direction()))
        beside = cross(facing, across)
        middle = puff.surface(outward, plant.between(0.4, 0.62))
        tint = plant.between(0.0, 0.08)
        corners = []
        for corner in range(3):
            angle = math.tau * corner / 3.0
            reach = puff.radius * plant.between(0.3, 0.55)
            place = add(add(middle, across, reach * math.cos(angle)), beside, reach * math.sin(angle))
            # All corners lie on the rib of a kite, where there is wood, so that nothing is cut out.
            corners.append(plant.vertex(above_ground(place), outward, tint, 0.0, (0.5, 0.0, 1.0)))
        plant.triangle(corners[0], corners[1], corners[2], FOLIAGE)

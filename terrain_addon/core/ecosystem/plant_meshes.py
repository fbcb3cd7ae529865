"""Default plant meshes, one for every form and variant: bark and leaves as plain triangles, without textures.

A plant is drawn as a forest needs it: real leaves would be too many, so every leaf here stands for a sprig of them.
Leaves are shaded by the crown rather than by themselves: their normals point away from its middle, which makes a few
hundred flat triangles catch light as one soft round body, and `tint` darkens what lies deep inside.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random

import numpy as np
import numpy.typing as npt

from .plants import VARIANTS
from .species import FORMS

PARTS = ("bark", "foliage")
"""What a triangle is made of; `PlantMesh.part` counts in this order."""


@dataclass(frozen=True)
class PlantMesh:
    """A plant exactly 1 m high, standing on z = 0 at the origin; scale it by the height of the plant.

    Leaves are single-sided triangles that face away from the crown: draw them without culling of back faces.

    Attributes
    ----------
    vertices : ndarray of float32, shape (vertices, 3)
        Places in metres, x east, y north, z up. Stems reach 0.03 to 0.06 m below ground, to stay rooted on slopes.
    normals : ndarray of float32, shape (vertices, 3)
        Unit normals to shade with. They differ from those of the triangles, but lie on the same side.
    triangles : ndarray of int32, shape (triangles, 3)
        Vertices of each triangle, counter-clockwise seen from its front.
    part : ndarray of int32, shape (triangles,)
        Index into PARTS.
    tint : ndarray of float32, shape (vertices,)
        Brightness, 0 to 1: dark deep inside the crown and at the foot of the stem, light at the tips of leaves.
    """

    vertices: npt.NDArray[np.float32]
    normals: npt.NDArray[np.float32]
    triangles: npt.NDArray[np.int32]
    part: npt.NDArray[np.int32]
    tint: npt.NDArray[np.float32]


def make_plant_mesh(form: str, variant: int) -> PlantMesh:
    """Return the mesh of a plant form; the same arguments give the same bytes everywhere.

    Parameters
    ----------
    form : str
        A key of species.FORMS.
    variant : int
        Which of the form's meshes, 0 to plants.VARIANTS - 1.

    Returns
    -------
    PlantMesh
        1 m high; at most 1200 triangles for a tree and 500 for a bush.

    Raises
    ------
    ValueError
        If there is no such form or variant.
    """
    if form not in _GROW:
        raise ValueError(f"form is {form!r}, but must be one of {', '.join(FORMS)}")
    if variant not in range(VARIANTS):
        raise ValueError(f"variant is {variant!r}, but must be a whole number from 0 to {VARIANTS - 1}")
    plant = _Growth(Random(len(FORMS) * int(variant) + list(FORMS).index(form)))
    _GROW[form](plant, int(variant))
    return plant.finish()


_Vector = tuple[float, float, float]
_UP: _Vector = (0.0, 0.0, 1.0)
_GOLDEN_ANGLE = math.pi * (3.0 - math.sqrt(5.0))
_ROOT_DEPTH = 0.03
_CORE_TRIANGLES = 13


def _add(a: _Vector, b: _Vector, scale: float = 1.0) -> _Vector:
    return (a[0] + scale * b[0], a[1] + scale * b[1], a[2] + scale * b[2])


def _cross(a: _Vector, b: _Vector) -> _Vector:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def _dot(a: _Vector, b: _Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _unit(a: _Vector) -> _Vector:
    length = math.sqrt(_dot(a, a))
    return (a[0] / length, a[1] / length, a[2] / length)


def _mix(a: _Vector, b: _Vector, share: float) -> _Vector:
    """Return the place `share` of the way from a to b."""
    return _add(a, _add(b, a, -1.0), share)


def _distance(a: _Vector, b: _Vector) -> float:
    way = _add(a, b, -1.0)
    return math.sqrt(_dot(way, way))


def _above_ground(a: _Vector) -> _Vector:
    return (a[0], a[1], max(a[2], 0.0))


def _compass(angle: float, radius: float = 1.0, z: float = 0.0) -> _Vector:
    return (radius * math.cos(angle), radius * math.sin(angle), z)


@dataclass
class _Growth:
    """A plant while it grows: plain lists in Python floats, whose arithmetic is the same with every numpy."""

    random: Random
    vertices: list[_Vector] = field(default_factory=list)
    normals: list[_Vector] = field(default_factory=list)
    tint: list[float] = field(default_factory=list)
    triangles: list[tuple[int, int, int]] = field(default_factory=list)
    part: list[int] = field(default_factory=list)

    def between(self, low: float, high: float) -> float:
        return low + (high - low) * self.random.random()

    def direction(self) -> _Vector:
        """Return a unit vector, all directions alike."""
        z = self.between(-1.0, 1.0)
        return _compass(self.between(0.0, math.tau), math.sqrt(1.0 - z * z), z)

    def vertex(self, place: _Vector, normal: _Vector, tint: float) -> int:
        self.vertices.append(place)
        self.normals.append(_unit(normal))
        self.tint.append(min(max(tint, 0.0), 1.0))
        return len(self.vertices) - 1

    def triangle(self, a: int, b: int, c: int, part: str) -> None:
        """Add a triangle, turned so that its front is on the side of its vertices' normals."""
        corner = self.vertices[a]
        front = _cross(_add(self.vertices[b], corner, -1.0), _add(self.vertices[c], corner, -1.0))
        shading = _add(_add(self.normals[a], self.normals[b]), self.normals[c])
        self.triangles.append((a, b, c) if _dot(front, shading) > 0.0 else (a, c, b))
        self.part.append(PARTS.index(part))

    def finish(self) -> PlantMesh:
        """Scale the plant to 1 m and round it, so that the last bit of a sine cannot show."""
        top = max(place[2] for place in self.vertices)
        # Adding 0 turns -0 into 0.
        vertices = [[round(number / top, 6) + 0.0 for number in place] for place in self.vertices]
        normals = [[round(number, 6) + 0.0 for number in normal] for normal in self.normals]
        return PlantMesh(
            vertices=np.array(vertices, dtype=np.float32),
            normals=np.array(normals, dtype=np.float32),
            triangles=np.array(self.triangles, dtype=np.int32),
            part=np.array(self.part, dtype=np.int32),
            tint=np.array([round(tint, 4) for tint in self.tint], dtype=np.float32),
        )


def _grow_stem(
    plant: _Growth, places: list[_Vector], radii: list[float], sides: int, tints: tuple[float, float]
) -> None:
    """Add a tapering tube of bark through the places, which ends in a point."""
    turn = plant.between(0.0, math.tau)
    along = _unit(_add(places[-1], places[0], -1.0))
    across = _unit(_cross(along, (0.28, 0.96, 0.0)))
    beside = _cross(along, across)
    rings = []
    for number, (place, radius) in enumerate(zip(places[:-1], radii, strict=True)):
        tint = tints[0] + (tints[1] - tints[0]) * number / (len(places) - 1)
        ring = []
        for side in range(sides):
            angle = turn + math.tau * side / sides
            out = _add(_add((0.0, 0.0, 0.0), across, math.cos(angle)), beside, math.sin(angle))
            ring.append(plant.vertex(_add(place, out, radius * plant.between(0.85, 1.15)), out, tint))
        rings.append(ring)
    for low, high in pairwise(rings):
        for side in range(sides):
            after = (side + 1) % sides
            plant.triangle(low[side], low[after], high[after], "bark")
            plant.triangle(low[side], high[after], high[side], "bark")
    tip = plant.vertex(places[-1], along, tints[1])
    for side in range(sides):
        plant.triangle(rings[-1][side], rings[-1][(side + 1) % sides], tip, "bark")


@dataclass(frozen=True)
class _Conifer:
    """What tells one conifer from another; lengths as shares of the plant's height."""

    crown_base: float
    radius: float
    branches: int
    fullness: float  # exponent of the outline: below 1 bulges, above 1 is hollow
    droop: float  # slope of the lowest branches, downwards
    ragged: float  # how much neighbouring branches differ in length
    bend: float  # sideways sway of the stem


_CONIFERS = (
    _Conifer(crown_base=0.06, radius=0.21, branches=138, fullness=0.8, droop=0.30, ragged=0.15, bend=0.0),
    _Conifer(crown_base=0.10, radius=0.16, branches=138, fullness=0.7, droop=0.55, ragged=0.22, bend=0.01),
    _Conifer(crown_base=0.17, radius=0.22, branches=138, fullness=0.62, droop=0.18, ragged=0.3, bend=0.02),
)


def _grow_conifer(plant: _Growth, variant: int) -> None:
    shape = _CONIFERS[variant]
    lean = plant.between(0.0, math.tau)

    def stem_at(z: float) -> _Vector:
        return _compass(lean, shape.bend * math.sin(3.0 * max(z, 0.0)), z)

    levels = [-_ROOT_DEPTH, 0.025, 0.3, 0.65, 0.96]
    _grow_stem(plant, [stem_at(z) for z in levels], [0.027, 0.019, 0.014, 0.007], 6, (0.25, 0.45))
    for number in range(shape.branches):
        # Branches stand closer towards the top, where they are shorter.
        share = (number + plant.between(0.0, 0.9)) / shape.branches
        share = 1.0 - (1.0 - share) ** 1.3
        z = shape.crown_base + (0.955 - shape.crown_base) * share
        # The lowest branches, starved of light, are shorter than the widest ones above them.
        outline = (1.0 - share) ** shape.fullness * min(1.0, 0.75 + 3.0 * share)
        length = 0.025 + shape.radius * outline * (1.0 + shape.ragged * plant.between(-1.0, 0.6))
        slope = -shape.droop + (shape.droop + 0.7) * share**1.5 + plant.between(-0.12, 0.12)
        azimuth = number * _GOLDEN_ANGLE + plant.between(-0.3, 0.3)
        _grow_needle_branch(plant, stem_at(z), azimuth, length, slope, share)
    for number in range(2):
        _grow_needle_branch(plant, stem_at(0.94), 1.6 * number, 0.075, 9.0, 1.0)


def _grow_needle_branch(
    plant: _Growth, root: _Vector, azimuth: float, length: float, slope: float, share: float
) -> None:
    """Add a feathered branch: pairs of swept-back twigs along a rib, roofed so that it shows from the side."""
    out = _compass(azimuth)
    side = _compass(azimuth + 0.5 * math.pi)
    steep = math.sqrt(1.0 + slope * slope)
    bright = plant.between(-0.1, 0.1)

    def rib_at(s: float) -> _Vector:
        # Branches sag under their own weight and turn up again at the tip.
        sag = (0.25 * max(s - 0.6, 0.0) - 0.3 * math.sin(2.5 * s)) * (1.0 - share)
        return _add(_add(root, out, length * s / steep), _UP, length * (s * slope / steep + sag))

    def needle(place: _Vector, s: float, sideways: float) -> int:
        # Between the crown's outward direction and up, and spread to either side like a round body.
        normal = _add(_add(_unit(_add(out, _UP, 0.6)), side, 0.55 * sideways), _UP, 0.1)
        return plant.vertex(_above_ground(place), normal, 0.08 + 0.66 * s + 0.12 * abs(sideways) + 0.1 * share + bright)

    stops = (0.08, 0.33, 0.57, 0.79, 1.0)
    rib = [needle(rib_at(s), s, 0.0) for s in stops]
    width = length * plant.between(0.4, 0.5) + 0.012
    for number, spread in enumerate((0.75, 1.0, 0.8, 0.45)):
        s = stops[number]
        for hand in (-1.0, 1.0):
            reach = width * spread * plant.between(0.75, 1.25)
            place = _add(rib_at(s + plant.between(0.26, 0.42)), side, hand * reach)
            place = _add(place, _UP, -reach * plant.between(0.5, 1.1))
            plant.triangle(rib[number], rib[number + 1], needle(place, min(s + 0.3, 1.0), hand), "foliage")


@dataclass(frozen=True)
class _Puff:
    """One of the overlapping bodies of leaves that make up a crown: an ellipsoid, flattened by `squash`."""

    centre: _Vector
    radius: float
    squash: float = 0.85

    def surface(self, direction: _Vector, scale: float = 1.0) -> _Vector:
        flat = (direction[0], direction[1], direction[2] * self.squash)
        return _add(self.centre, flat, self.radius * scale)

    def depth(self, place: _Vector) -> float:
        """Return 0 at the centre, 1 on the surface, more outside."""
        x, y, z = _add(place, self.centre, -1.0)
        return math.sqrt(x * x + y * y + (z / self.squash) ** 2) / self.radius


@dataclass(frozen=True)
class _Crown:
    """What tells one leafy plant from another; lengths as shares of the plant's height, before it is scaled to 1."""

    middle: float  # height of the crown's middle above ground
    spread: float  # distance of the puffs from the middle
    puffs: int
    puff_radius: float
    tall: float  # height of the crown over its width
    leaf: float  # length of a leaf
    leaves: int


_BROADLEAVES = (
    _Crown(middle=0.58, spread=0.21, puffs=9, puff_radius=0.165, tall=1.05, leaf=0.082, leaves=318),
    _Crown(middle=0.58, spread=0.14, puffs=9, puff_radius=0.145, tall=2.1, leaf=0.076, leaves=318),
    _Crown(middle=0.60, spread=0.27, puffs=9, puff_radius=0.17, tall=0.7, leaf=0.086, leaves=318),
)
_BUSHES = (
    _Crown(middle=0.40, spread=0.32, puffs=5, puff_radius=0.36, tall=0.75, leaf=0.18, leaves=128),
    _Crown(middle=0.45, spread=0.25, puffs=5, puff_radius=0.30, tall=1.2, leaf=0.16, leaves=128),
    _Crown(middle=0.34, spread=0.40, puffs=6, puff_radius=0.34, tall=0.5, leaf=0.18, leaves=119),
)


def _grow_broadleaf(plant: _Growth, variant: int) -> None:
    crown = _BROADLEAVES[variant]
    puffs = _place_puffs(plant, crown)
    fork = (plant.between(-0.02, 0.02), plant.between(-0.02, 0.02), 0.42 * crown.middle)
    bole = [(0.0, 0.0, -_ROOT_DEPTH), (0.0, 0.0, 0.03), _mix((0.0, 0.0, 0.0), fork, 0.6)]
    bole += [fork, _mix(fork, (0.0, 0.0, crown.middle), 0.8)]
    _grow_stem(plant, bole, [0.042, 0.029, 0.024, 0.021], 7, (0.3, 0.35))
    for puff in puffs[1:7]:
        start = _add(fork, _UP, plant.between(-0.05, 0.05))
        bow = _add(_mix(start, puff.centre, 0.5), _compass(plant.between(0.0, math.tau), 0.02, -0.02))
        _grow_stem(plant, [start, bow, puff.centre], [0.014, 0.009], 3, (0.35, 0.3))
    _grow_leaves(plant, crown, puffs)


def _grow_bush(plant: _Growth, variant: int) -> None:
    crown = _BUSHES[variant]
    puffs = _place_puffs(plant, crown)
    for puff in puffs:
        foot = _compass(plant.between(0.0, math.tau), plant.between(0.02, 0.07), -_ROOT_DEPTH)
        bow = _add(_mix(foot, puff.centre, 0.45), _UP, -0.04)
        _grow_stem(plant, [foot, bow, puff.centre], [0.022, 0.015], 3, (0.3, 0.3))
    _grow_leaves(plant, crown, puffs)


def _place_puffs(plant: _Growth, crown: _Crown) -> list[_Puff]:
    """Return the bodies of leaves: one on top, the others spiralling down around the middle."""
    middle = (0.0, 0.0, crown.middle)
    puffs = [_Puff(_add(middle, _UP, 0.75 * crown.spread * crown.tall), crown.puff_radius)]
    for number in range(1, crown.puffs):
        z = 0.6 - 1.25 * (number - 0.5) / (crown.puffs - 1) + plant.between(-0.1, 0.1)
        out = crown.spread * math.sqrt(1.0 - z * z) * plant.between(0.85, 1.15)
        centre = _compass(number * _GOLDEN_ANGLE + plant.between(-0.35, 0.35), out, z * crown.spread * crown.tall)
        puffs.append(_Puff(_add(middle, centre), crown.puff_radius * plant.between(0.82, 1.15)))
    return puffs


def _grow_leaves(plant: _Growth, crown: _Crown, puffs: list[_Puff]) -> None:
    """Cover the outside of the puffs with leaves, and fill each with a dark core that hides the sky behind."""
    middle = (0.0, 0.0, crown.middle - 0.15 * crown.spread)
    for puff in puffs:
        _grow_core(plant, puff)
    grown: list[_Vector] = []
    while len(grown) < crown.leaves:
        # Of three places the emptiest, which spreads the leaves evenly (D. P. Mitchell, 1991).
        place, outward, puff = max(
            (_find_leaf_place(plant, puffs) for _ in range(3)),
            key=lambda found: min((_distance(found[0], other) for other in grown), default=0.0),
        )
        grown.append(place)
        normal = _unit(_add(_mix(outward, _unit(_add(place, middle, -1.0)), 0.35), _UP, 0.12))
        _grow_leaf(plant, crown, place, outward, normal, puff.depth(place))


def _find_leaf_place(plant: _Growth, puffs: list[_Puff]) -> tuple[_Vector, _Vector, _Puff]:
    """Return a random place near the surface of the puffs, its direction from the middle of its puff, and the puff."""
    while True:
        puff = puffs[int(plant.between(0.0, len(puffs)))]
        outward = plant.direction()
        place = puff.surface(outward, plant.between(0.78, 1.04))
        # Few leaves grow on the shaded underside, and none where another puff covers this one.
        lit = outward[2] > plant.between(-1.3, -0.2)
        if lit and place[2] > 0.08 and all(other is puff or other.depth(place) > 0.86 for other in puffs):
            return place, outward, puff


def _grow_leaf(plant: _Growth, crown: _Crown, place: _Vector, outward: _Vector, normal: _Vector, depth: float) -> None:
    """Add a sprig: three pointed leaves fanned out from one root."""
    size = crown.leaf * plant.between(0.8, 1.2)
    facing = _unit(_add(normal, plant.direction(), 0.9))
    along = _unit(_add(_add(_unit(_cross(facing, plant.direction())), _UP, -0.3), outward, 0.35))
    along = _unit(_add(along, facing, -_dot(along, facing)))
    side = _cross(facing, along)
    tint = 0.1 + 0.5 * (depth - 0.78) / 0.26 + 0.2 * outward[2] + plant.between(-0.1, 0.12)
    shading = _add(normal, facing, 0.3)
    root = plant.vertex(_above_ground(_add(place, along, -0.5 * size)), shading, tint - 0.25)

    def reach(angle: float, length: float, lift: float) -> _Vector:
        flat = _add(_add(plant.vertices[root], along, length * math.cos(angle)), side, length * math.sin(angle))
        return _above_ground(_add(flat, facing, lift))

    for fan in (-0.85, 0.0, 0.85):
        angle = fan + plant.between(-0.25, 0.25)
        length = size * plant.between(0.75, 1.1) * (1.0 if fan == 0.0 else 0.85)
        hand = math.copysign(0.52, plant.between(-1.0, 1.0))
        tip = plant.vertex(reach(angle, length, plant.between(-0.2, 0.25) * size), shading, tint + 0.25)
        edge = plant.vertex(reach(angle + hand, 0.62 * length, 0.0), shading, tint + 0.08)
        plant.triangle(root, tip, edge, "foliage")


def _grow_core(plant: _Growth, puff: _Puff) -> None:
    """Add broad dark triangles inside a puff, jagged so that they pass for leaves in the shade."""
    for number in range(_CORE_TRIANGLES):
        z = 1.0 - (2.0 * number + 1.0) / _CORE_TRIANGLES
        outward = _compass(number * _GOLDEN_ANGLE, math.sqrt(1.0 - z * z), z)
        facing = _unit(_add(outward, plant.direction(), 0.35))
        across = _unit(_cross(facing, plant.direction()))
        beside = _cross(facing, across)
        middle = puff.surface(outward, plant.between(0.4, 0.62))
        tint = plant.between(0.0, 0.08)
        corners = []
        for corner in range(3):
            angle = math.tau * corner / 3.0
            reach = puff.radius * plant.between(0.3, 0.55)
            place = _add(_add(middle, across, reach * math.cos(angle)), beside, reach * math.sin(angle))
            corners.append(plant.vertex(_above_ground(place), outward, tint))
        plant.triangle(corners[0], corners[1], corners[2], "foliage")


_GROW: dict[str, Callable[[_Growth, int], None]] = {
    "conifer": _grow_conifer,
    "broadleaf": _grow_broadleaf,
    "bush": _grow_bush,
}

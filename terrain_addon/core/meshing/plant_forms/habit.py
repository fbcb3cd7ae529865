"""Habits of trees: the few numbers by which an eye tells a spruce from a pine and a birch from an oak.

The parameters are those of Weber & Penn (1995), who describe a tree by the outline of its crown and by the angles and
lengths of its branches; their names for them stand behind each.  The numbers are typical of trees that had room to
grow, set by hand.

References
----------
Weber, J. & Penn, J. (1995).  Creation and rendering of realistic trees.  SIGGRAPH '95, 119-128.
doi:10.1145/218380.218427
"""

import math
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple


class Age(IntEnum):
    """How far a plant has grown towards the height of its species."""

    SAPLING = 0
    GROWN = 1
    OLD = 2


AGE_STARTS = (0.0, 0.4, 0.92)
"""Share of the height of its species from which on a plant has each age."""

ByAge = tuple[float, float, float]


class PlantShape(NamedTuple):
    """Which of the meshes of a form is drawn.

    Parameters
    ----------
    age : Age
        How far it has grown.
    variant : int
        Which of its shapes.
    level : int
        Level of detail, 0 the finest.
    """

    age: Age
    variant: int
    level: int


class Outline(IntEnum):
    """Outlines of crowns (Shape)."""

    SPHERICAL = 0
    HEMISPHERICAL = 1
    FLAME = 2


def outline_radius(outline: Outline, share: float) -> float:
    """Return how wide a crown is, as a share of its widest place (ShapeRatio, table 2 of Weber & Penn 1995).

    Parameters
    ----------
    outline : Outline
        Which.
    share : float
        0 at the top of the crown, 1 at its base.

    Returns
    -------
    float
        0 to 1.

    Examples
    --------
    >>> outline_radius(Outline.HEMISPHERICAL, 1.0), outline_radius(Outline.SPHERICAL, 0.5)
    (1.0, 1.0)
    """
    if outline == Outline.SPHERICAL:
        return 0.2 + 0.8 * math.sin(math.pi * share)
    if outline == Outline.HEMISPHERICAL:
        return 0.2 + 0.8 * math.sin(0.5 * math.pi * share)
    return share / 0.7 if share <= 0.7 else (1.0 - share) / 0.3


@dataclass(frozen=True)
class Leaves:
    """What hangs on the twigs of a tree.

    Attributes
    ----------
    length : float
        Of a leaf, or of a shoot with its needles, in metres.
    width : float
        Of a leaf over its length.
    twig : float
        Length of a twig with leaves, as a share of the height of the tree.
    slender : float
        Width of such a twig over its length.
    hang : float
        How far twigs hang, 0 along their branch, 1 straight down (nCurve of the last branches).
    gather : float
        0 where leaves stand all along the branches, 1 where they gather at the tips.
    puff : float
        Radius of the body of leaves around a branch, as a share of the height of the tree.
    flat : float
        Height of such a body over its width.
    """

    length: float
    width: float
    twig: float = 0.06
    slender: float = 0.36
    hang: float = 0.25
    gather: float = 0.3
    puff: float = 0.12
    flat: float = 0.85


@dataclass(frozen=True)
class Habit:
    """How a tree with limbs is built; lengths are shares of its height unless they say metres.

    Attributes
    ----------
    height : float
        Of an old tree, in metres (Scale).
    outline : Outline
        Of the crown (Shape).
    base : tuple of float
        Height at which the crown begins, by age (BaseSize).
    radius : tuple of float
        Of the crown at its widest, by age (Length of the first branches).
    fork : tuple of float
        Height up to which the stem goes through, by age; 1 for a tree of strong apical dominance.
    limbs : int
        Number of first branches (Branches).
    angles : tuple of float
        Between the stem and its lowest and highest branch, degrees from straight up (DownAngle and its variation).
    curve : float
        How far branches turn up, or below 0 down, as a share of their length (Curve).
    crook : float
        How far branches bend aside, as a share of their length (CurveV).
    stem : float
        Radius of the stem at breast height (Ratio).
    limb : float
        Radius of a branch over that of the stem where it begins (RatioPower).
    leaves : Leaves
        On its twigs.
    stubs : int
        Dead branches below the crown.
    roots : float
        How far the stem spreads at its foot, as a multiple of its radius (Flare).
    """

    height: float
    outline: Outline
    base: ByAge
    radius: ByAge
    fork: ByAge
    limbs: int
    angles: tuple[float, float]
    leaves: Leaves
    curve: float = 0.1
    crook: float = 0.06
    stem: float = 0.014
    limb: float = 0.45
    stubs: int = 0
    roots: float = 1.5


PINE = Habit(
    height=28.0,
    outline=Outline.HEMISPHERICAL,
    base=(0.12, 0.52, 0.60),
    radius=(0.24, 0.17, 0.24),
    fork=(0.96, 0.93, 0.86),
    limbs=19,
    angles=(86.0, 38.0),
    leaves=Leaves(0.16, 0.30, twig=0.062, slender=0.34, hang=-0.25, gather=0.72, puff=0.075, flat=0.5),
    curve=0.16,
    crook=0.16,
    stem=0.0125,
    limb=0.34,
    stubs=7,
    roots=1.25,
)
BEECH = Habit(
    height=33.0,
    outline=Outline.SPHERICAL,
    base=(0.10, 0.15, 0.20),
    radius=(0.25, 0.27, 0.31),
    fork=(0.85, 0.66, 0.58),
    limbs=24,
    angles=(72.0, 12.0),
    leaves=Leaves(0.09, 0.56, twig=0.080, slender=0.4, hang=0.12, gather=0.15, puff=0.145, flat=0.7),
    curve=0.05,
    crook=0.05,
    stem=0.0145,
    limb=0.42,
    roots=1.7,
)
BIRCH = Habit(
    height=22.0,
    outline=Outline.FLAME,
    base=(0.10, 0.20, 0.28),
    radius=(0.17, 0.19, 0.24),
    fork=(0.98, 0.95, 0.88),
    limbs=28,
    angles=(58.0, 20.0),
    leaves=Leaves(0.055, 0.72, twig=0.070, slender=0.24, hang=0.85, gather=0.45, puff=0.058, flat=1.1),
    curve=-0.16,
    crook=0.05,
    stem=0.0095,
    limb=0.30,
    roots=1.35,
)
OAK = Habit(
    height=28.0,
    outline=Outline.HEMISPHERICAL,
    base=(0.12, 0.17, 0.17),
    radius=(0.26, 0.34, 0.43),
    fork=(0.8, 0.42, 0.36),
    limbs=18,
    angles=(86.0, 20.0),
    leaves=Leaves(0.11, 0.52, twig=0.086, slender=0.44, hang=0.05, gather=0.3, puff=0.15, flat=0.72),
    curve=0.14,
    crook=0.22,
    stem=0.024,
    limb=0.56,
    roots=1.7,
)
LIME = Habit(
    height=26.0,
    outline=Outline.SPHERICAL,
    base=(0.12, 0.22, 0.26),
    radius=(0.25, 0.29, 0.34),
    fork=(0.88, 0.66, 0.56),
    limbs=20,
    angles=(70.0, 12.0),
    leaves=Leaves(0.10, 0.7, twig=0.078, slender=0.42, hang=0.2, gather=0.3, puff=0.135, flat=0.85),
    stem=0.017,
)
RAINFOREST_TREE = Habit(
    height=35.0,
    outline=Outline.HEMISPHERICAL,
    base=(0.25, 0.52, 0.60),
    radius=(0.20, 0.27, 0.37),
    fork=(0.9, 0.72, 0.68),
    limbs=18,
    angles=(82.0, 24.0),
    leaves=Leaves(0.17, 0.42, twig=0.080, slender=0.42, hang=0.2, gather=0.6, puff=0.105, flat=0.55),
    curve=0.16,
    crook=0.12,
    stem=0.015,
    limb=0.46,
    roots=3.0,
)

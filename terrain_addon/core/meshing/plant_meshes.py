"""Default plant meshes, one for every form, variant and level of detail: plain triangles without textures.

A plant is drawn as a forest needs it: real leaves would be too many, so every leaf here stands for many, or is a twig
out of which a material cuts single ones.  The crown gives leaves their shading: their normals point away from its
middle, so that flat triangles catch light as one soft round body, and `tint` darkens what lies deep inside.  Coarser
levels have fewer and larger leaves, so that a crown covers as much of the sky from afar (Cook et al. 2007).  The meshes
are free for any use (CC0).

>>> tree = make_plant_mesh("conifer", variant=0, level=2)
>>> float(tree.vertices[:, 2].max()), len(tree.triangles) <= MOST_TRIANGLES[2]
(1.0, True)

References
----------
Cook, R. L., Halstead, J., Planck, M. & Ryu, D. (2007).  Stochastic simplification of aggregate detail.  ACM
Transactions on Graphics 26(3), article 79.  doi:10.1145/1276377.1276476
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..ecosystem.plant_form import FORM_OF, PlantForm
from ..ecosystem.plants import VARIANTS
from .plant_forms.bush import BUSH_LEAF, BUSH_SLENDER, grow_bush
from .plant_forms.conifer import FIR, SPRUCE, Needles, grow_conifer
from .plant_forms.dead_wood import grow_dead_tree, grow_log
from .plant_forms.growth import Growth
from .plant_forms.habit import AGE_STARTS, BEECH, BIRCH, LIME, OAK, PINE, RAINFOREST_TREE, Age, Habit, PlantShape
from .plant_forms.herbs import grow_fern, grow_grass, grow_reed
from .plant_forms.palm import grow_palm
from .plant_forms.rock import grow_rock
from .plant_forms.tree import grow_tree

PARTS = ("bark", "foliage", "rock")
"""What a triangle is made of; `PlantMesh.part` counts in this order."""

LEVELS = 3
"""Number of levels of detail."""

MOST_TRIANGLES = (3000, 600, 170)
"""Triangles that no mesh exceeds, by level of detail."""

Colour = tuple[float, float, float]


@dataclass(frozen=True)
class PlantMesh:
    """A plant exactly 1 m high, standing on z = 0 at the origin; scale it by the height of the plant.

    Leaves are single-sided triangles that face away from the crown: draw them without culling of back faces.

    Attributes
    ----------
    vertices : ndarray of float32, shape (vertices, 3)
        Places in metres, x east, y north, z up.  Stems reach 0.02 to 0.06 m below ground, to stay rooted on slopes, and
        boulders deeper.
    normals : ndarray of float32, shape (vertices, 3)
        Unit normals to shade with. They differ from those of the triangles, but lie on the same side.
    triangles : ndarray of int32, shape (triangles, 3)
        Vertices of each triangle, counter-clockwise seen from its front.
    part : ndarray of int32, shape (triangles,)
        Index into PARTS.
    tint : ndarray of float32, shape (vertices,)
        Brightness, 0 to 1: dark deep inside the crown and at the foot of the stem, light at the tips of leaves.
    wind : ndarray of float32, shape (vertices, 3)
        How wind moves it, each 0 to 1: phase (alike for all vertices of a branch, another for each branch), sway of the
        whole plant (0 at the ground, 1 at the top, as the square of height between) and flutter of the branch (0 at its
        root, 1 at the tips of leaves). 0 where nothing is given.
    leaf : ndarray of float32, shape (vertices, 3)
        Place on a twig, along it from its root and beside it, and the length of a twig that is a kite, all in metres of
        the mesh.  A material cuts single leaves out of the twigs with it.  0 where nothing is given.
    """

    vertices: npt.NDArray[np.float32]
    normals: npt.NDArray[np.float32]
    triangles: npt.NDArray[np.int32]
    part: npt.NDArray[np.int32]
    tint: npt.NDArray[np.float32]
    wind: npt.NDArray[np.float32] = None  # type: ignore[assignment]
    leaf: npt.NDArray[np.float32] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        for name, columns in (("wind", 3), ("leaf", 3)):
            if getattr(self, name) is None:
                object.__setattr__(self, name, np.zeros((len(self.vertices), columns), np.float32))


class Looks(NamedTuple):
    """What materials need to know of a form.

    Parameters
    ----------
    bark, foliage, rock : tuple of float
        Colours of the parts in full light: linear RGB, 0 to 1.
    leaf_fall : float
        Share of the leaves that autumn turns and winter takes, 0 for an evergreen, to 1.
    leaf : float
        Length of a leaf, or of a shoot with its needles, in metres; 0 where the leaves of the mesh have their true
        shape.
    leaf_width : float
        Width of a leaf over its length.
    twig_width : float
        Half the width of a kite of leaves over its length; 0 where twigs are triangles.
    autumn : tuple of float
        Colour of its leaves in autumn.
    furrows : float
        Depth of the furrows of the bark, 0 smooth to 1; below 0 the bark has dark bands around the stem.
    """

    bark: Colour = (0.090, 0.068, 0.048)
    foliage: Colour = (0.0, 0.0, 0.0)
    rock: Colour = (0.0, 0.0, 0.0)
    leaf_fall: float = 0.0
    leaf: float = 0.0
    leaf_width: float = 0.5
    twig_width: float = 0.0
    autumn: Colour = (0.300, 0.140, 0.020)
    furrows: float = 0.7


@dataclass(frozen=True)
class _Form:
    """How a form grows, what it looks like, and whether its ages have shapes of their own."""

    grow: Callable[[Growth, PlantShape], None]
    looks: Looks
    has_ages: bool = False


def _ageless(grow: Callable[[Growth, int, int], None], **looks: Any) -> _Form:
    """Return a form that looks the same at every age."""
    return _Form(lambda plant, shape: grow(plant, shape.variant, shape.level), Looks(**looks))


def _tree(habit: Habit, **looks: Any) -> _Form:
    """Return a tree with limbs."""
    hanging = habit.leaves
    look = Looks(**looks)._replace(leaf=hanging.length, leaf_width=hanging.width, twig_width=hanging.slender)
    return _Form(lambda plant, shape: grow_tree(plant, habit, shape), look, has_ages=True)


def _conifer(needles: Needles, **looks: Any) -> _Form:
    """Return a tree with branches of needles around its stem."""
    look = Looks(leaf=needles.shoot, leaf_width=0.3, **looks)
    return _Form(lambda plant, shape: grow_conifer(plant, needles, shape), look, has_ages=True)


_FORMS: dict[str, _Form] = {
    PlantForm.CONIFER: _conifer(FIR, foliage=(0.050, 0.100, 0.040)),
    PlantForm.BROADLEAF: _tree(LIME, foliage=(0.090, 0.138, 0.044), leaf_fall=1.0),
    PlantForm.BUSH: _ageless(
        grow_bush,
        foliage=(0.104, 0.130, 0.048),
        leaf_fall=0.6,
        leaf=BUSH_LEAF,
        leaf_width=0.6,
        twig_width=BUSH_SLENDER,
    ),
    PlantForm.FERN: _ageless(grow_fern, foliage=(0.120, 0.210, 0.040), leaf_fall=1.0),
    PlantForm.GRASS: _ageless(grow_grass, foliage=(0.165, 0.190, 0.050), leaf_fall=0.7),
    PlantForm.REED: _ageless(grow_reed, bark=(0.180, 0.120, 0.075), foliage=(0.150, 0.180, 0.055), leaf_fall=0.8),
    PlantForm.DEAD_TREE: _ageless(grow_dead_tree, bark=(0.200, 0.175, 0.150)),
    PlantForm.DEAD_WOOD: _ageless(grow_log, bark=(0.165, 0.135, 0.105)),
    PlantForm.ROCK: _ageless(grow_rock, rock=(0.220, 0.205, 0.185)),
    PlantForm.SPRUCE: _conifer(SPRUCE, bark=(0.100, 0.072, 0.056), foliage=(0.040, 0.082, 0.030)),
    PlantForm.PINE: _tree(PINE, bark=(0.205, 0.115, 0.075), foliage=(0.072, 0.118, 0.056)),
    PlantForm.BEECH: _tree(
        BEECH,
        bark=(0.250, 0.245, 0.230),
        foliage=(0.084, 0.146, 0.036),
        leaf_fall=1.0,
        autumn=(0.300, 0.110, 0.018),
        furrows=0.0,
    ),
    PlantForm.BIRCH: _tree(
        BIRCH,
        bark=(0.620, 0.600, 0.560),
        foliage=(0.146, 0.206, 0.056),
        leaf_fall=1.0,
        autumn=(0.440, 0.270, 0.022),
        furrows=-1.0,
    ),
    PlantForm.OAK: _tree(
        OAK,
        bark=(0.105, 0.085, 0.066),
        foliage=(0.088, 0.140, 0.030),
        leaf_fall=1.0,
        autumn=(0.200, 0.090, 0.024),
        furrows=1.0,
    ),
    PlantForm.RAINFOREST_TREE: _tree(
        RAINFOREST_TREE, bark=(0.260, 0.225, 0.185), foliage=(0.050, 0.104, 0.028), furrows=0.15
    ),
    PlantForm.PALM: _Form(
        grow_palm, Looks(bark=(0.230, 0.190, 0.150), foliage=(0.110, 0.165, 0.040), furrows=0.2), has_ages=True
    ),
}

FORMS = tuple(FORM_OF)
"""Forms that there are meshes of."""


AGED_VARIANTS = VARIANTS * len(Age)
"""Number of meshes of a form whose ages have shapes of their own; those of grown plants come first."""

_AGES_IN_ORDER = (Age.GROWN, Age.SAPLING, Age.OLD)


def aged_variants(variant: npt.NDArray[np.int32], share: npt.NDArray[np.float32]) -> npt.NDArray[np.int32]:
    """Return which of its form's AGED_VARIANTS shows each plant.

    Parameters
    ----------
    variant : ndarray of int32, shape (plants,)
        Any of the numbers that this function returns: only the shape counts, not the age.
    share : ndarray of float32, shape (plants,)
        Height of each plant as a share of the height of its species.

    Returns
    -------
    ndarray of int32, shape (plants,)
        0 to AGED_VARIANTS - 1; see `variant_and_age`.
    """
    sapling, old = (share < np.float32(AGE_STARTS[1])), (share >= np.float32(AGE_STARTS[2]))
    order = sapling * np.int32(_AGES_IN_ORDER.index(Age.SAPLING)) + old * np.int32(_AGES_IN_ORDER.index(Age.OLD))
    return variant % np.int32(VARIANTS) + np.int32(VARIANTS) * order


def variant_and_age(number: int) -> tuple[int, Age]:
    """Return variant and age of one of the AGED_VARIANTS of a form.

    Parameters
    ----------
    number : int
        0 to AGED_VARIANTS - 1.

    Returns
    -------
    tuple of int and Age

    Examples
    --------
    >>> variant_and_age(1), variant_and_age(7)
    ((1, <Age.GROWN: 1>), (1, <Age.OLD: 2>))
    """
    order, variant = divmod(number, VARIANTS)
    return variant, _AGES_IN_ORDER[order]


def make_plant_mesh(form: str, variant: int, level: int = 0, age: Age = Age.GROWN) -> PlantMesh:
    """Return the mesh of a plant form; the same arguments give the same bytes everywhere.

    Parameters
    ----------
    form : str
        One of FORMS.
    variant : int
        Which of the form's meshes, 0 to plants.VARIANTS - 1.
    level : int
        Level of detail, 0 to LEVELS - 1: 0 for a plant 5 m away, the last for one that is a few pixels tall.
    age : Age
        How far it has grown; forms without `has_ages` look the same at every age.

    Returns
    -------
    PlantMesh
        1 m high, a log 1 m long from west to east; at most ``MOST_TRIANGLES[level]`` triangles.  Arrays are read-only.

    Raises
    ------
    ValueError
        If there is no such form, variant, level or age.
    """
    _check_form(form)
    if variant not in range(VARIANTS):
        raise ValueError(f"variant is {variant!r}, but must be a whole number from 0 to {VARIANTS - 1}")
    if level not in range(LEVELS):
        raise ValueError(f"level is {level!r}, but must be a whole number from 0 to {LEVELS - 1}")
    if age not in tuple(Age):
        raise ValueError(f"age is {age!r}, but must be a whole number from 0 to {len(Age) - 1}")
    return _grow(form, PlantShape(Age(age) if has_ages(form) else Age.GROWN, int(variant), int(level)))


def part_colours(form: str) -> tuple[Colour, Colour, Colour]:
    """Return the colours of the parts of a form in full light.

    Parameters
    ----------
    form : str
        One of FORMS.

    Returns
    -------
    tuple of three colours
        Linear RGB, 0 to 1, in the order of PARTS.

    Raises
    ------
    ValueError
        If there is no such form.
    """
    _check_form(form)
    return looks_of(form)[:3]


def looks_of(form: str) -> Looks:
    """Return what materials need to know of a form.

    Parameters
    ----------
    form : str
        One of FORMS.

    Returns
    -------
    Looks

    Raises
    ------
    ValueError
        If there is no such form.
    """
    _check_form(form)
    return _FORMS[form].looks


def has_ages(form: str) -> bool:
    """Return whether saplings and old plants of a form have shapes of their own.

    Parameters
    ----------
    form : str
        One of FORMS.

    Returns
    -------
    bool

    Raises
    ------
    ValueError
        If there is no such form.
    """
    _check_form(form)
    return _FORMS[form].has_ages


@cache
def _grow(form: str, shape: PlantShape) -> PlantMesh:
    """Make a mesh once; it is kept."""
    # All levels begin with the same random numbers, so that they agree in what is drawn first: the shape as a whole.
    younger_or_older = "" if shape.age is Age.GROWN else f" {shape.age.name}"
    plant = Growth(Random(f"{form} {shape.variant}{younger_or_older}"))
    _FORMS[form].grow(plant, shape)
    mesh = _finish(plant, form)
    for array in vars(mesh).values():
        array.setflags(write=False)
    return mesh


def _check_form(form: str) -> None:
    """Refuse what is no form."""
    if form not in _FORMS:
        raise ValueError(f"form is {form!r}, but must be one of {', '.join(FORMS)}")


def _finish(plant: Growth, form: str) -> PlantMesh:
    """Scale the plant to 1 m and round it, so that the last bit of a sine cannot show."""
    places = np.array(plant.vertices, np.float64)
    top = np.ptp(places[:, 0]) if form == PlantForm.DEAD_WOOD else places[:, 2].max()
    places = _rounded(places / top, 6)
    phase, flutter = np.array(plant.wind, np.float64).T
    move = 0.0 if FORM_OF[form].lies else 1.0
    wind = move * np.stack((phase, np.maximum(places[:, 2], 0.0) ** 2, np.minimum(flutter, 1.0)), axis=1)
    return PlantMesh(
        vertices=places.astype(np.float32),
        normals=_rounded(np.array(plant.normals, np.float64), 6).astype(np.float32),
        triangles=np.array(plant.triangles, dtype=np.int32),
        part=np.array(plant.part, dtype=np.int32),
        tint=_rounded(np.array(plant.tint, np.float64), 4).astype(np.float32),
        wind=_rounded(wind, 4).astype(np.float32),
        leaf=_rounded(np.array(plant.leaf, np.float64) / top, 6).astype(np.float32),
    )


def _rounded(values: npt.NDArray[np.float64], digits: int) -> npt.NDArray[np.float64]:
    """Round to some digits after the point."""
    # Adding 0 turns -0 into 0.
    return np.rint(values * 10.0**digits) / 10.0**digits + 0.0

"""Pictures of leaves for programs that cannot cut them out of twigs: colour, cover and normals, one for each form.

They show what Blender's material draws: leaves in rows on both sides of a twig, each a lens between two parabolas.
Twigs that are kites get a card each, with a whole twig on it; there is a card of few large leaves and one of many small
ones.  Branches with needles share one picture that repeats along the branch and is mirrored at its rib.

>>> from .plant_meshes import make_plant_mesh
>>> tree = make_plant_mesh("oak", variant=0)
>>> places = leaf_places(tree, "oak", level=0, height=20.0)
>>> places.shape == (len(tree.vertices), 2), draw_leaves("fern") is None
(True, True)
"""

import math
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.hashing import hash_place, unit_float
from .plant_meshes import PARTS, Looks, PlantMesh, looks_of

LEAF_SIZES = (1.0, 2.5, 0.0)
"""How many times as long as real ones leaves are in each level of detail; 0 where twigs are not cut into leaves."""

LEAF_SINES = math.sin(math.radians(48.0)), math.cos(math.radians(48.0))
"""Sine and cosine of the angle between a twig and its leaves."""

NEEDLE_WIDTH = 0.35
"""Leaves narrower than this, over their length, are shoots with needles, whose edges are notched."""

TWIG_COLOUR = (0.115, 0.094, 0.078)
"""Linear colour of shoots without leaves, and of a crown in winter seen from afar."""

Texels = npt.NDArray[np.float32]

LEAF_PICTURE = 1024
"""Texels along the side of a picture of leaves."""

_SAMPLES = 3  # along the side of a texel
_LEAVES_ALONG = (12.0, 24.0)  # leaves along the twig of each card
_NEEDLE_ROWS = 24  # after so many rows a picture of needles repeats


class PlantPicture(NamedTuple):
    """A picture of a surface of plants; row 0 is its upper border.

    Attributes
    ----------
    colour : ndarray of float32, shape (rows, columns, 3)
        Linear, 0 to 1; between leaves it goes on, so that smaller copies have no dark seams.
    cover : ndarray of float32, shape (rows, columns)
        Share of a texel that is covered, 0 to 1.
    normal : ndarray of float32, shape (rows, columns, 3)
        Unit normals: to the right, up, and out of the picture.
    """

    colour: Texels
    cover: Texels
    normal: Texels


class _Shape(NamedTuple):
    """Leaves as the kernel draws them."""

    width: np.float32  # of a leaf over its length
    slender: np.float32  # half the width of a kite over its length; 0 for needles
    along: np.float32  # leaves from the left border to the right one
    seed: np.uint32


@cache
def draw_leaves(form: str, texels: int = LEAF_PICTURE) -> PlantPicture | None:
    """Draw the leaves of a form; the same form gives the same picture everywhere.

    Parameters
    ----------
    form : str
        One of `plant_meshes.FORMS`.
    texels : int
        Along the side, an even number.

    Returns
    -------
    PlantPicture or None
        Read-only; None if the leaves of the mesh have their true shape.

    Raises
    ------
    ValueError
        If there is no such form.
    """
    looks = looks_of(form)
    if looks.leaf <= 0.0:
        return None
    width = np.float32(looks.leaf_width)
    drawn = np.zeros((texels, texels, 7), np.float32)
    colours = np.array([looks.foliage, TWIG_COLOUR], np.float32)
    if looks.twig_width > 0.0:
        each = texels // len(_LEAVES_ALONG)
        for card, along in enumerate(_LEAVES_ALONG):
            shape = _Shape(width, np.float32(looks.twig_width), np.float32(along), np.uint32(card))
            _draw(shape, colours, drawn[card * each : (card + 1) * each])
    else:
        _draw(_Shape(width, np.float32(0.0), np.float32(_repeat(looks)), np.uint32(9)), colours, drawn)
    return finish_picture(drawn)


def leaf_places(mesh: PlantMesh, form: str, level: int, height: float) -> npt.NDArray[np.float32]:
    """Return where on the picture of its form each vertex of a mesh lies.

    Parameters
    ----------
    mesh : PlantMesh
        Of that form.
    form : str
        One of `plant_meshes.FORMS`.
    level : int
        Its level of detail.
    height : float
        Metres of the plant: the higher it is, the more leaves a twig has.

    Returns
    -------
    ndarray of float32, shape (vertices, 2)
        To the right from the left border and down from the upper one, in sides of the picture; 0 where nothing is cut.

    Raises
    ------
    ValueError
        If there is no such form.
    """
    looks = looks_of(form)
    places = np.zeros((len(mesh.vertices), 2), np.float32)
    size = LEAF_SIZES[level] * looks.leaf
    leaves = mesh.triangles[mesh.part == PARTS.index("foliage")]
    if size <= 0.0 or leaves.size == 0:
        return places
    along, beside, twig = mesh.leaf.astype(np.float64).T
    if looks.twig_width <= 0.0:
        scale = height / (size * _repeat(looks))
        places[:, 0], places[:, 1] = along * scale, np.abs(beside) * scale
        return places
    used = np.unique(leaves)
    on_twig = used[twig[used] > 0.0]
    length = twig[on_twig]
    few, many = _LEAVES_ALONG
    card = (length * height / size > math.sqrt(few * many)).astype(np.int64)
    # All kites of a mesh have the same shape: the waist reaches the upper and the lower border of the card.
    waist = (np.abs(beside[on_twig]) / length).max()
    across = 0.5 - 0.5 * beside[on_twig] / (length * waist)
    places[on_twig, 0] = along[on_twig] / length
    places[on_twig, 1] = (card + np.clip(across, 0.0, 1.0)) / len(_LEAVES_ALONG)
    return places


def finish_picture(drawn: Texels) -> PlantPicture:
    """Return a picture from what was added up in its texels.

    Parameters
    ----------
    drawn : ndarray of float32, shape (rows, columns, 7)
        Colour times cover, normal times cover, and cover.

    Returns
    -------
    PlantPicture
        Read-only.
    """
    cover = np.minimum(drawn[..., 6], np.float32(1.0))
    filled = spread_covered(drawn)
    normal = filled[..., 3:6]
    normal[..., 2] = np.maximum(normal[..., 2], np.float32(1e-3))
    normal /= np.sqrt((normal * normal).sum(axis=2, keepdims=True))
    picture = PlantPicture(filled[..., :3].copy(), cover, normal.copy())
    for array in picture:
        array.setflags(write=False)
    return picture


def halved(drawn: Texels) -> Texels:
    """Return the sums of two by two texels.

    Parameters
    ----------
    drawn : ndarray of float32, shape (rows, columns, channels)
        Even numbers of rows and columns.

    Returns
    -------
    ndarray of float32, shape (rows / 2, columns / 2, channels)
    """
    rows, columns, channels = drawn.shape
    sums = np.empty((rows // 2, columns // 2, channels), np.float32)
    _halve(drawn, sums)
    return sums


def spread_covered(drawn: Texels) -> Texels:
    """Return what was added up in texels over their cover; where there is none, the mean around, from near to far.

    Parameters
    ----------
    drawn : ndarray of float32, shape (rows, columns, channels + 1)
        Values times cover; the last channel is the cover.

    Returns
    -------
    ndarray of float32, shape (rows, columns, channels)
    """
    values, sums = drawn.shape[2] - 1, [drawn]
    while min(sums[-1].shape[:2]) > 1 and not any(side % 2 for side in sums[-1].shape[:2]):
        sums.append(halved(sums[-1]))
    found = np.zeros((*sums[-1].shape[:2], values), np.float32)
    for level in reversed(sums):
        coarse, found = found, np.empty((*level.shape[:2], values), np.float32)
        _fill(level, coarse, found)
    return found


def _repeat(looks: Looks) -> float:
    """Return after how many leaves a picture of needles repeats."""
    return _NEEDLE_ROWS * looks.leaf_width / LEAF_SINES[0]


@parallel_kernel
def _halve(part: Part, drawn: Array, sums: Array) -> None:
    """Write the sums of two by two texels."""
    rows, columns, channels = sums.shape
    for i in portion(part, rows):
        for j in range(columns):
            for k in range(channels):
                upper = drawn[2 * i, 2 * j, k] + drawn[2 * i, 2 * j + 1, k]
                sums[i, j, k] = upper + drawn[2 * i + 1, 2 * j, k] + drawn[2 * i + 1, 2 * j + 1, k]


@parallel_kernel
def _fill(part: Part, level: Array, coarse: Array, found: Array) -> None:
    """Write what is seen in each texel, or as far as it is not covered what the coarser picture has there."""
    rows, columns, channels = found.shape
    times = rows // len(coarse)
    for i in portion(part, rows):
        for j in range(columns):
            cover = level[i, j, channels]
            share = min(cover, np.float32(1.0))
            over = share / max(cover, np.float32(1e-6))
            for k in range(channels):
                beyond = coarse[i // times, j // times, k]
                found[i, j, k] = level[i, j, k] * over + beyond * (np.float32(1.0) - share)


@kernel
def _random(number: int, cell: int, hand: int, seed: np.uint32) -> np.float32:
    """Return a random number, 0 to 1, of a leaf."""
    return unit_float(hash_place(number, 2 * cell + hand, seed))


@parallel_kernel
def _draw(part: Part, shape: _Shape, colours: Array, drawn: Array) -> None:
    """Add up colour, normal and cover of the samples in each texel."""
    rows, columns, _ = drawn.shape
    sine, cosine = np.float32(LEAF_SINES[0]), np.float32(LEAF_SINES[1])
    width, slender = shape.width, shape.slender
    is_kite = slender > np.float32(0.0)
    half_height = slender * shape.along if is_kite else shape.along
    share = np.float32(1.0 / (_SAMPLES * _SAMPLES))
    for i in portion(part, rows):
        for j in range(columns):
            for sample in range(_SAMPLES * _SAMPLES):
                across_texel = (np.float32(sample // _SAMPLES) + np.float32(0.5)) / np.float32(_SAMPLES)
                along_texel = (np.float32(sample % _SAMPLES) + np.float32(0.5)) / np.float32(_SAMPLES)
                along = (np.float32(j) + along_texel) / np.float32(columns) * shape.along
                down = (np.float32(i) + across_texel) / np.float32(rows)
                side = half_height * (np.float32(1.0) - np.float32(2.0) * down) if is_kite else half_height * down
                beside, hand = abs(side), int(side > np.float32(0.0))
                up = np.float32(1.0) if is_kite and hand == 1 else np.float32(-1.0)
                row = (beside * cosine - along * sine) / width
                number = math.floor(row)
                # Needles repeat: a row has the same shoots wherever it starts from the rib.
                name = number if is_kite else number % _NEEDLE_ROWS
                out = along * cosine + beside * sine if is_kite else beside / sine
                start = _random(name, 0, hand, shape.seed + np.uint32(17))
                cell = math.floor(out + start)
                random = _random(name, cell, hand, shape.seed)
                within = out + start - np.float32(cell)
                tip = np.float32(2.0) * within - np.float32(1.0)
                half = (np.float32(1.0) - tip * tip) * (np.float32(0.4) + np.float32(0.1) * random)
                off = row - np.float32(number) - np.float32(0.5)
                if width < np.float32(NEEDLE_WIDTH):
                    saw = np.float32(26.0) * out + np.float32(3.0) * abs(off)
                    saw = abs(saw - np.float32(2.0) * np.float32(math.floor(saw * np.float32(0.5))) - np.float32(1.0))
                    half *= np.float32(0.35) + np.float32(0.95) * saw
                stands = True
                if is_kite:
                    middle_out = np.float32(cell) + np.float32(0.5) - start
                    middle_across = (np.float32(number) + np.float32(0.5)) * width
                    stands = _is_on_kite(shape, middle_out, middle_across, random)
                is_leaf = stands and abs(off) < half
                shoot = row / np.float32(3.0)
                shoot = abs(shoot - np.float32(math.floor(shoot)) - np.float32(0.5)) * np.float32(3.0) * width
                is_wood = not is_leaf and min(shoot, beside) < np.float32(0.055)
                if is_kite and is_wood:
                    is_wood = _is_on_kite(shape, out, row * width, np.float32(0.4))
                if not (is_leaf or is_wood):
                    continue
                kind, light = 1, np.float32(1.0)
                tilt_along, tilt_up = np.float32(0.0), np.float32(0.0)
                if is_leaf:
                    kind, light = 0, np.float32(0.75) + np.float32(0.7) * random
                    if abs(off) < np.float32(0.05):
                        light *= np.float32(1.25)
                    light *= np.float32(0.88) + np.float32(0.24) * within
                    # A leaf is folded along its rib, and turned a little.
                    fold = np.float32(0.45) if off > np.float32(0.0) else np.float32(-0.45)
                    turn = np.float32(0.9) * (_random(name, cell, hand, shape.seed + np.uint32(31)) - np.float32(0.5))
                    tilt_along = turn * cosine - fold * sine
                    tilt_up = up * (turn * sine + fold * cosine)
                length = np.float32(1.0) / np.float32(
                    math.sqrt(np.float32(1.0) + tilt_along * tilt_along + tilt_up * tilt_up)
                )
                for channel in range(3):
                    drawn[i, j, channel] += share * min(colours[kind, channel] * light, np.float32(1.0))
                drawn[i, j, 3] += share * tilt_along * length
                drawn[i, j, 4] += share * tilt_up * length
                drawn[i, j, 5] += share * length
                drawn[i, j, 6] += share


@kernel
def _is_on_kite(shape: _Shape, out: np.float32, across: np.float32, random: np.float32) -> bool:
    """Tell whether a place, along and across its row of leaves, is inside its kite, which has an uneven border."""
    sine, cosine = np.float32(LEAF_SINES[0]), np.float32(LEAF_SINES[1])
    along = out * cosine - across * sine
    beside = out * sine + across * cosine
    reach = min(np.float32(2.0) * along, np.float32(1.9) * (shape.along - along))
    return bool(beside < reach * shape.slender * (np.float32(0.52) + np.float32(0.5) * random))

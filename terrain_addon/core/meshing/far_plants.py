"""Far plants: a few upright cards and a level one, with pictures of the plant from four sides and from above.

The pictures are drawn here from the meshes, without light: colour, cover and normals.  Each card is seen from one side
only, and another one stands back to back with it, so that every normal faces the eye; a card that is lit by the normals
of its picture looks like the plant in any sun.

>>> from .plant_meshes import make_plant_mesh
>>> cards = far_cards([make_plant_mesh("spruce", variant) for variant in range(3)])
>>> [len(mesh.triangles) for mesh, places in cards], cards[0][1].shape
([10, 10, 10], (20, 2))

References
----------
Décoret, X., Durand, F., Sillion, F. X. & Dorsey, J. (2003). Billboard clouds for extreme model simplification. ACM
Transactions on Graphics 22(3), 689-696. doi:10.1145/882262.882326
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from .leaf_pictures import PlantPicture, Texels, finish_picture, halved
from .plant_meshes import Colour, PlantMesh

_Floats = npt.NDArray[np.float32]

FAR_PICTURE = 1024
"""Texels along the side of a picture of far plants."""

_SAMPLES = 2  # along the side of a texel, as `halved` adds them up
_MARGIN = 2  # texels around each view
_CUT = np.float32(0.5)  # what is covered less than this is seen through
_WIDE = 0.9  # of the radius of a crown
# Share of the height of a plant by which a card stands before its axis, so that programs that draw both sides of all
# triangles show the one that faces the eye.
_APART = 0.004
_VIEWS = 5  # from the east, north, west, south, and above


class Looker(NamedTuple):
    """A mesh as it is drawn.

    Attributes
    ----------
    mesh : PlantMesh
    places : ndarray of float32, shape (vertices, 2)
        Places of its vertices on `leaves`.
    colours : tuple of Colour
        Linear colours of its parts.
    leaves : PlantPicture or None
        What its foliage is cut by; None if leaves have their true shape.
    foliage : int
        Which of its parts is foliage.
    """

    mesh: PlantMesh
    places: _Floats
    colours: tuple[Colour, ...]
    leaves: PlantPicture | None
    foliage: int


class Frame(NamedTuple):
    """What a view shows: the directions to its right, up and to the eye, and its lower left and upper right corner."""

    right: tuple[float, float, float]
    up: tuple[float, float, float]
    eye: tuple[float, float, float]
    low: tuple[float, float]
    high: tuple[float, float]


def far_cards(meshes: Sequence[PlantMesh]) -> list[tuple[PlantMesh, _Floats]]:
    """Return the cards of the variants of a plant, and where their vertices lie on the picture of `draw_far`.

    Parameters
    ----------
    meshes : sequence of PlantMesh
        Of the variants.

    Returns
    -------
    list of PlantMesh and ndarray of float32, shape (vertices, 2)
        Places to the right from the left border and down from the upper one, in sides of the picture.
    """
    return [_cards_of(mesh, row, len(meshes)) for row, mesh in enumerate(meshes)]


def draw_far(plants: Sequence[Looker], texels: int = FAR_PICTURE) -> PlantPicture:
    """Draw the variants of a plant from four sides and from above; the same plants give the same picture everywhere.

    Parameters
    ----------
    plants : sequence of Looker
        One variant after the other; each gets a row of the picture.
    texels : int
        Along the side, at least 32 for each plant.

    Returns
    -------
    PlantPicture
        Read-only.
    """
    drawn = np.zeros((texels, texels, 7), np.float32)
    for row, plant in enumerate(plants):
        for view, frame in enumerate(_frames(plant.mesh)):
            top, left, rows, columns = _cell(row, view, len(plants), texels)
            drawn[top : top + rows, left : left + columns] = draw_view(plant, frame, (rows, columns))[
                ..., (0, 1, 2, 3, 4, 5, 7)
            ]
    return finish_picture(drawn)


def _frames(mesh: PlantMesh) -> list[Frame]:
    """Return what each view shows."""
    reach = float(np.abs(mesh.vertices[:, :2]).max())
    base, top = min(float(mesh.vertices[:, 2].min()), 0.0), float(mesh.vertices[:, 2].max())
    frames = []
    for east, north in ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)):
        side = Frame((-north, east, 0.0), (0.0, 0.0, 1.0), (east, north, 0.0), (-reach, base), (reach, top))
        frames.append(side)
    above = Frame((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (-reach, -reach), (reach, reach))
    return [*frames, above]


def _cell(row: int, view: int, rows: int, texels: int) -> tuple[int, int, int, int]:
    """Return top, left, height and width in texels of a view, without its margin."""
    height, width = texels // rows, texels // _VIEWS
    return row * height + _MARGIN, view * width + _MARGIN, height - 2 * _MARGIN, width - 2 * _MARGIN


def _cards_of(mesh: PlantMesh, row: int, rows: int) -> tuple[PlantMesh, _Floats]:
    """Return the cards of one variant."""
    corners: list[list[float]] = []
    normals, places, triangles = [], [], []
    # The level card lies where the crown is widest, so that its border does not stick out.
    aside = mesh.vertices[:, 0] ** 2 + mesh.vertices[:, 1] ** 2
    level = float(np.median(mesh.vertices[aside >= _WIDE**2 * aside.max(), 2]))
    for view, frame in enumerate(_frames(mesh)):
        top, left, height, width = _cell(row, view, rows, FAR_PICTURE)
        lift = level if view == _VIEWS - 1 else 0.0
        first = len(corners)
        for x, y in ((0, 0), (1, 0), (1, 1), (0, 1)):
            a, b = (frame.low[0], frame.high[0])[x], (frame.low[1], frame.high[1])[y]
            corners.append([a * r + b * u + _APART * e for r, u, e in zip(frame.right, frame.up, frame.eye)])
            corners[-1][2] += lift
            normals.append(frame.eye)
            places.append(((left + x * width) / FAR_PICTURE, (top + (1 - y) * height) / FAR_PICTURE))
        triangles += [(first, first + 1, first + 2), (first, first + 2, first + 3)]
    vertices = np.array(corners, np.float32)
    sway = np.zeros_like(vertices)
    if mesh.wind.any():
        sway[:, 1] = np.maximum(vertices[:, 2], np.float32(0.0)) ** 2
    cards = PlantMesh(
        vertices,
        np.array(normals, np.float32),
        np.array(triangles, np.int32),
        np.zeros(len(triangles), np.int32),
        np.ones(len(vertices), np.float32),
        sway,
    )
    return cards, np.array(places, np.float32)


def draw_view(plant: Looker, frame: Frame, shape: tuple[int, int]) -> Texels:
    """Draw a plant from one side, without light.

    Parameters
    ----------
    plant : Looker
    frame : Frame
    shape : tuple of int
        Rows and columns of texels.

    Returns
    -------
    ndarray of float32, shape (rows, columns, 8)
        Linear colour, normal in the axes of the frame, and how far it lies towards the eye, each times the cover; and
        the cover, 0 to 1.
    """
    rows, columns = (_SAMPLES * side for side in shape)
    mesh = plant.mesh
    axes = np.array([frame.right, frame.up, frame.eye], np.float32)
    seen = _turned(mesh.vertices, axes)
    low, high = np.array(frame.low, np.float32), np.array(frame.high, np.float32)
    seen[:, 0] = (seen[:, 0] - low[0]) * np.float32(columns) / (high[0] - low[0])
    seen[:, 1] = (high[1] - seen[:, 1]) * np.float32(rows) / (high[1] - low[1])
    surface = np.concatenate((_turned(mesh.normals, axes), mesh.tint[:, None], plant.places), axis=1)
    nearest = np.full((rows, columns), -np.inf, np.float32)
    samples = np.zeros((rows, columns, 8), np.float32)
    leaves = plant.leaves
    texels = np.zeros((1, 1, 4), np.float32)
    if leaves is not None:
        texels = np.concatenate((leaves.colour, leaves.cover[..., None]), axis=2)
    colours = np.array(plant.colours, np.float32)
    cut = plant.foliage if leaves is not None else -1
    _draw(_Drawn(seen, surface, mesh.triangles, mesh.part), colours, texels, cut, nearest, samples)
    samples[..., 6] = np.where(samples[..., 7] > 0.0, nearest, np.float32(0.0))
    return halved(samples) / np.float32(_SAMPLES * _SAMPLES)


def _turned(vectors: _Floats, axes: _Floats) -> _Floats:
    """Return vectors along other axes; written out, because libraries of matrices round as they like."""
    x, y, z = vectors.T
    return np.stack([x * axis[0] + y * axis[1] + z * axis[2] for axis in axes], axis=1).astype(np.float32)


class _Drawn(NamedTuple):
    """A mesh in a view: places in samples and nearness, normals with tint and places on its picture, triangles."""

    seen: Array
    surface: Array
    triangles: Array
    part: Array


@parallel_kernel
def _draw(part: Part, drawn: _Drawn, colours: Array, texels: Array, cut: int, nearest: Array, samples: Array) -> None:
    """Fill the samples of some rows with what is nearest to the eye."""
    rows, columns = nearest.shape
    first, last = rows, -1
    for row in portion(part, rows):
        first, last = min(first, row), max(last, row)
    one, zero, half = np.float32(1.0), np.float32(0.0), np.float32(0.5)
    for number in range(len(drawn.triangles)):
        a, b, c = drawn.triangles[number, 0], drawn.triangles[number, 1], drawn.triangles[number, 2]
        ax, ay, bx, by = drawn.seen[a, 0], drawn.seen[a, 1], drawn.seen[b, 0], drawn.seen[b, 1]
        cx, cy = drawn.seen[c, 0], drawn.seen[c, 1]
        area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        if abs(area) < np.float32(1e-9):
            continue
        kind = drawn.part[number]
        top = max(first, math.floor(min(ay, by, cy) - half))
        bottom = min(last, math.ceil(max(ay, by, cy)))
        left = max(0, math.floor(min(ax, bx, cx) - half))
        right = min(columns - 1, math.ceil(max(ax, bx, cx)))
        for i in range(top, bottom + 1):
            y = np.float32(i) + half
            for j in range(left, right + 1):
                x = np.float32(j) + half
                v = ((x - ax) * (cy - ay) - (y - ay) * (cx - ax)) / area
                w = ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / area
                u = one - v - w
                if u < zero or v < zero or w < zero:
                    continue
                near = u * drawn.seen[a, 2] + v * drawn.seen[b, 2] + w * drawn.seen[c, 2]
                if near <= nearest[i, j]:
                    continue
                red, green, blue = colours[kind, 0], colours[kind, 1], colours[kind, 2]
                if kind == cut:
                    row = _texel(u, v, w, drawn.surface[a, 5], drawn.surface[b, 5], drawn.surface[c, 5], len(texels))
                    column = _texel(
                        u, v, w, drawn.surface[a, 4], drawn.surface[b, 4], drawn.surface[c, 4], texels.shape[1]
                    )
                    if texels[row, column, 3] < _CUT:
                        continue
                    red, green, blue = texels[row, column, 0], texels[row, column, 1], texels[row, column, 2]
                nearest[i, j] = near
                _set_sample(drawn, (a, b, c), (u, v, w), (red, green, blue), samples[i, j])


@kernel
def _texel(u: np.float32, v: np.float32, w: np.float32, a: np.float32, b: np.float32, c: np.float32, side: int) -> int:
    """Return the row or column of the texel at a place of a triangle; pictures repeat."""
    place = u * a + v * b + w * c
    place -= np.float32(math.floor(place))
    return min(int(place * np.float32(side)), side - 1)


@kernel
def _set_sample(
    drawn: _Drawn,
    corners: tuple[int, int, int],
    shares: tuple[np.float32, np.float32, np.float32],
    colour: tuple[np.float32, np.float32, np.float32],
    sample: Array,
) -> None:
    """Write colour times tint, the normal that faces the eye, and a cover of 1."""
    tint, x, y, z = np.float32(0.0), np.float32(0.0), np.float32(0.0), np.float32(0.0)
    for corner in range(3):
        vertex, share = drawn.surface[corners[corner]], shares[corner]
        x, y, z, tint = x + share * vertex[0], y + share * vertex[1], z + share * vertex[2], tint + share * vertex[3]
    # What is seen from behind is lit from behind: its normal turns to the eye.
    z = abs(z)
    length = np.float32(math.sqrt(max(x * x + y * y + z * z, np.float32(1e-12))))
    for channel in range(3):
        sample[channel] = colour[channel] * tint
    sample[3], sample[4], sample[5] = x / length, y / length, z / length
    sample[7] = np.float32(1.0)

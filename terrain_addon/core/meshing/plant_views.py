"""Plants seen from all sides above the ground: views on a grid of directions, between which a shader blends.

A picture holds the views of all variants of a plant, one variant below the other.  Each view shows the plant from a
direction of the upper half of an octahedron that is unfolded to a square, from as far as parallel rays come.  A shader
draws one quad for each plant, takes the three views around the direction of the eye, and moves what they show by its
depth to where the eye sees it.

>>> [tuple(round(float(axis), 3) for axis in view_direction(column, 0)) for column in (0, 5)]
[(-1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]

References
----------
Cigolle, Z. H., Donow, S., Evangelakos, D., Mara, M., McGuire, M. & Meyer, Q. (2014). A survey of efficient
representations for independent unit vectors. Journal of Computer Graphics Techniques 3(2), 1-30.
Brucks, R. (2018). Octahedral impostors. https://shaderbits.com/blog/octahedral-impostors
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .far_plants import Frame, Looker, draw_view
from .leaf_pictures import Texels, spread_covered
from .plant_meshes import PlantMesh

_Floats = npt.NDArray[np.float32]

VIEWS_ALONG = 6
"""Views along the side of the grid of directions."""

VIEW_SHAPE = (168, 112)
"""Rows and columns of texels of a view."""

VIEW_MARGIN = 3
"""Texels around each view."""

_INSET = 0.25  # of the place of a variant on the picture, where the corners of its quad lie


class PlantRoom(NamedTuple):
    """The upright cylinder in which all variants of a plant stand, in heights of the plant.

    Attributes
    ----------
    reach : float
        Its radius.
    base, top : float
        Its lower and upper end.
    """

    reach: float
    base: float
    top: float


class Views(NamedTuple):
    """The pictures of all views.

    Attributes
    ----------
    colour : ndarray of float32, shape (rows, columns, 3)
        Linear, 0 to 1.
    cover : ndarray of float32, shape (rows, columns)
        Share of a texel that is covered, 0 to 1.
    normal : ndarray of float32, shape (rows, columns, 3)
        To the east, north and up, of length 1 or, between normals that differ, shorter.
    depth : ndarray of float32, shape (rows, columns)
        How far a plant reaches from the middle of its cylinder towards the eye, −1 to 1 in radii of the sphere around
        it.
    room : PlantRoom
        That cylinder.
    """

    colour: Texels
    cover: Texels
    normal: Texels
    depth: Texels
    room: PlantRoom


def view_direction(column: int, row: int) -> tuple[float, float, float]:
    """Return from where a view looks: a unit vector to the east, north and up.

    Parameters
    ----------
    column, row : int
        Place on the grid, 0 to `VIEWS_ALONG` − 1.

    Returns
    -------
    tuple of float
        Its last number is not below 0.
    """
    u, v = (2.0 * place / (VIEWS_ALONG - 1) - 1.0 for place in (column, row))
    east, north = (u + v) / 2.0, (u - v) / 2.0
    up = 1.0 - abs(east) - abs(north)
    length = math.sqrt(east * east + north * north + up * up)
    return east / length, north / length, up / length


def room_of(meshes: Sequence[PlantMesh]) -> PlantRoom:
    """Return the cylinder around all variants of a plant.

    Parameters
    ----------
    meshes : sequence of PlantMesh
        Of the variants.

    Returns
    -------
    PlantRoom
    """
    reach = max(float(np.sqrt((mesh.vertices[:, :2].astype(np.float64) ** 2).sum(axis=1)).max()) for mesh in meshes)
    base = min(0.0, *(float(mesh.vertices[:, 2].min()) for mesh in meshes))
    return PlantRoom(reach, base, max(float(mesh.vertices[:, 2].max()) for mesh in meshes))


def draw_views(plants: Sequence[Looker]) -> Views:
    """Draw the variants of a plant from all directions; the same plants give the same pictures everywhere.

    Parameters
    ----------
    plants : sequence of Looker
        One variant after the other, from the top of the picture; each gets a square of views.

    Returns
    -------
    Views
    """
    room = room_of([plant.mesh for plant in plants])
    rows, columns = VIEW_SHAPE
    drawn = np.zeros((len(plants) * VIEWS_ALONG * rows, VIEWS_ALONG * columns, 8), np.float32)
    inner = rows - 2 * VIEW_MARGIN, columns - 2 * VIEW_MARGIN
    for variant, plant in enumerate(plants):
        for row in range(VIEWS_ALONG):
            for column in range(VIEWS_ALONG):
                frame = _frame(room, view_direction(column, row))
                top, left = (variant * VIEWS_ALONG + row) * rows + VIEW_MARGIN, column * columns + VIEW_MARGIN
                view = draw_view(plant, frame, inner)
                _measure_from_middle(view, frame, room)
                drawn[top : top + inner[0], left : left + inner[1]] = view
    filled = spread_covered(drawn)
    sphere = np.float32(math.sqrt(room.reach**2 + 0.25 * (room.top - room.base) ** 2))
    depth = np.clip(filled[..., 6] / sphere, np.float32(-1.0), np.float32(1.0))
    return Views(filled[..., :3], np.minimum(drawn[..., 7], np.float32(1.0)), filled[..., 3:6], depth, room)


def view_quad(room: PlantRoom, variant: int, variants: int, sways: bool) -> tuple[PlantMesh, _Floats]:
    """Return the quad of a variant: its corners have the box of the plant, and a shader moves them before the eye.

    Parameters
    ----------
    room : PlantRoom
        The cylinder around all variants.
    variant, variants : int
        Which of how many.
    sways : bool
        Whether wind moves it.

    Returns
    -------
    PlantMesh
        Of two triangles.
    ndarray of float32, shape (4, 2)
        Places on the picture, well within the square of the variant; a shader reads from them which variant and which
        corner it has.
    """
    reach, base, top = room
    corners = [(-reach, -reach, base), (reach, -reach, base), (reach, reach, top), (-reach, reach, top)]
    vertices = np.array(corners, np.float32)
    places = [
        (_INSET + (1 - 2 * _INSET) * x, (variant + 1 - _INSET - (1 - 2 * _INSET) * y) / variants)
        for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))
    ]
    wind = np.zeros_like(vertices)
    if sways:
        wind[:, 1] = np.maximum(vertices[:, 2], np.float32(0.0)) ** 2
    quad = PlantMesh(
        vertices,
        np.tile(np.array([0.0, 0.0, 1.0], np.float32), (4, 1)),
        np.array([(0, 1, 2), (0, 2, 3)], np.int32),
        np.zeros(2, np.int32),
        np.ones(4, np.float32),
        wind,
    )
    return quad, np.array(places, np.float32)


def _frame(room: PlantRoom, eye: tuple[float, float, float]) -> Frame:
    """Return what a view from a direction shows: the whole cylinder, measured from its middle."""
    east, north, up = eye
    level = math.sqrt(east * east + north * north)
    right = (-north / level, east / level, 0.0) if level > 1e-6 else (1.0, 0.0, 0.0)
    upward = (-up * right[1], up * right[0], level) if level > 1e-6 else (0.0, 1.0, 0.0)
    half = level * 0.5 * (room.top - room.base) + up * room.reach
    middle = level * 0.5 * (room.top + room.base)
    return Frame(right, upward, eye, (-room.reach, middle - half), (room.reach, middle + half))


def _measure_from_middle(view: Texels, frame: Frame, room: PlantRoom) -> None:
    """Turn the normals of a view into east, north and up, and measure its depth from the middle of the cylinder."""
    normal = view[..., 3:6].copy()
    for axis in range(3):
        view[..., 3 + axis] = (
            normal[..., 0] * np.float32(frame.right[axis])
            + normal[..., 1] * np.float32(frame.up[axis])
            + normal[..., 2] * np.float32(frame.eye[axis])
        )
    view[..., 6] -= view[..., 7] * np.float32(0.5 * (room.top + room.base) * frame.eye[2])

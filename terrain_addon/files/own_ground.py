"""Images that users have for layers of ground cover: their mean colour, and textures of them with what they lack."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..core.foundation.terrain import Field
from ..core.maps.colour import linear_of_srgb
from .glb_document import LinearColour
from .grid_mesh import srgb_levels
from .ground_pictures import GroundPicture, normals_of, open_sky
from .heightmaps import normal_map

Levels = npt.NDArray[np.uint8]


class OwnGround(NamedTuple):
    """Images of a user for one layer of ground cover, each of its own size; row 0 is the upper border.

    Attributes
    ----------
    side : float
        Length of ground in metres that an image shows from side to side, above 0.
    relief : float
        Height in metres from 0 to 1 of `height`.
    colour : ndarray of uint8, shape (rows, columns, 3), or None
        sRGB.
    normal : ndarray of uint8, shape (rows, columns, 3), or None
        Tangent space, green up.
    roughness : ndarray of float32, shape (rows, columns), or None
        0 to 1.
    height : ndarray of float32, shape (rows, columns), or None
        0 for low to 1 for high.
    """

    side: float
    relief: float
    colour: Levels | None = None
    normal: Levels | None = None
    roughness: Field | None = None
    height: Field | None = None


OwnGrounds = Mapping[str, OwnGround]
"""Images of users by the names of `ground_cover.LAYERS`."""


class GroundTexture(NamedTuple):
    """A layer of ground cover as textures hold it; row 0 is the upper border.

    Attributes
    ----------
    colour, normal : ndarray of uint8, shape (rows, columns, 3)
        sRGB, and tangent space with green up; each may have a size of its own.
    height, roughness, occlusion : ndarray of float32, shape (rows, columns)
        0 to 1, of one size.
    """

    colour: Levels
    normal: Levels
    height: Field
    roughness: Field
    occlusion: Field


def mean_colours(own: OwnGrounds) -> dict[str, LinearColour]:
    """Return the mean colours of images: what their layers look like from afar.

    Parameters
    ----------
    own : mapping of str to OwnGround

    Returns
    -------
    dict of str to tuple of float
        Linear RGB, for the layers that have an image of their colour.
    """
    return {name: _mean_colour(ground.colour) for name, ground in own.items() if ground.colour is not None}


def texture_of(picture: GroundPicture) -> GroundTexture:
    """Return a picture of ours as a texture.

    Parameters
    ----------
    picture : GroundPicture

    Returns
    -------
    GroundTexture
    """
    # A normal map has its first row in the north, the picture has it at its upper border.
    normal = normal_map(picture.normal[::-1]).astype(np.uint8)
    return GroundTexture(srgb_levels(picture.colour), normal, picture.height, picture.roughness, picture.occlusion)


def own_texture(own: OwnGround, picture: GroundPicture) -> GroundTexture:
    """Return the images of a user as a texture; what they lack comes from a picture of ours.

    Parameters
    ----------
    own : OwnGround
    picture : GroundPicture
        Of the same layer.

    Returns
    -------
    GroundTexture
        Colour and normals have the bytes of the user's images.  Without normals those of the user's heights are taken.
        Height, roughness and occlusion have the size of the largest of them.
    """
    ours = texture_of(picture)
    normal, occlusion = own.normal, ours.occlusion
    if own.height is not None:
        metres = own.height * np.float32(own.relief)
        occlusion = open_sky(metres, own.side)
        if normal is None:
            normal = normal_map(normals_of(metres, own.side)[::-1]).astype(np.uint8)
    numbers = [
        ours.height if own.height is None else own.height,
        ours.roughness if own.roughness is None else own.roughness,
        occlusion,
    ]
    shape = max(one.shape[0] for one in numbers), max(one.shape[1] for one in numbers)
    height, roughness, occlusion = (at_size(one, shape) for one in numbers)
    return GroundTexture(
        ours.colour if own.colour is None else own.colour,
        ours.normal if normal is None else normal,
        height,
        roughness,
        occlusion,
    )


def at_size(field: Field, shape: tuple[int, int]) -> Field:
    """Return numbers that repeat at another size, bilinearly between the middles of texels.

    Parameters
    ----------
    field : ndarray of float32, shape (rows, columns)
    shape : tuple of int
        Rows and columns of the result, not fewer than there are.

    Returns
    -------
    ndarray of float32, of that shape
        The field itself if it has that shape.
    """
    for axis, count in enumerate(shape):
        here = field.shape[axis]
        if count != here:
            place = (np.arange(count) + 0.5) * (here / count) - 0.5
            first = np.floor(place).astype(np.int64)
            share = (place - first).astype(np.float32).reshape((-1, 1) if axis == 0 else (1, -1))
            low, high = field.take(first % here, axis), field.take((first + 1) % here, axis)
            field = low + share * (high - low)
    return field


def _mean_colour(levels: Levels) -> LinearColour:
    """The mean of the light that an image reflects, linear RGB."""
    linear = linear_of_srgb(np.arange(256) / 255.0)
    red, green, blue = (
        float(np.bincount(levels[..., k].ravel(), minlength=256) @ linear / levels[..., k].size) for k in range(3)
    )
    return red, green, blue

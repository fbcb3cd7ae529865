"""The user's own images of the ground as files have them."""

from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from ...files.glb_document import LinearColour
from ...files.grid_mesh import srgb_levels
from ...files.own_ground import OwnGround, mean_colours
from ..data.ground_images import GROUNDS, image_kinds

_STILL = ("FILE", "GENERATED", "TILED")
_LIGHTNESS = (0.2126, 0.7152, 0.0722)  # shares of red, green and blue in the brightness of linear light, ITU-R BT.709


def moving_images(grounds: Any) -> list[str]:
    """Return the names of the grounds whose images are movies or the like, which files cannot hold.

    Parameters
    ----------
    grounds : LandscapeGrounds
        The property of a land.
    """
    images = {name: [getattr(getattr(grounds, name), kind) for kind in image_kinds()] for name in GROUNDS}
    return [name for name, chosen in images.items() if any(one is not None and not _is_still(one) for one in chosen)]


def own_grounds(land: bpy.types.Object) -> dict[str, OwnGround]:
    """Return the images that a user chose for the ground, by the names of the layers.

    Parameters
    ----------
    land : Object

    Raises
    ------
    ValueError
        If an image cannot be read.
    """
    grounds, found = land.landscape_grounds, {}
    for name in GROUNDS:
        chosen = getattr(grounds, name)
        images = {kind: getattr(chosen, kind) for kind in image_kinds()}
        levels = {kind: _levels(image, kind) for kind, image in images.items() if _is_still(image)}
        if levels:
            found[name] = OwnGround(chosen.size, chosen.relief, **levels)
    return found


def own_colours(land: bpy.types.Object) -> dict[str, LinearColour]:
    """Return the mean colours of the images that a user chose for the ground, by the names of the layers.

    Parameters
    ----------
    land : Object

    Raises
    ------
    ValueError
        If an image cannot be read.
    """
    return mean_colours(own_grounds(land))


def _is_still(image: bpy.types.Image | None) -> bool:
    return image is not None and image.source in _STILL


def _levels(image: bpy.types.Image, kind: str) -> npt.NDArray[Any]:
    """An image as `OwnGround` takes it; row 0 is the upper border."""
    pixels = _pixels(image)
    if kind == "colour":
        return srgb_levels(pixels) if _is_linear(image) else _bytes(pixels)
    if image.is_float and not image.colorspace_settings.is_data:
        # Blender took numbers for colours in sRGB, and turned them into linear light.
        pixels = srgb_levels(pixels).astype(np.float32) / np.float32(255.0)
    return _bytes(pixels) if kind == "normal" else pixels @ np.array(_LIGHTNESS, np.float32)


def _is_linear(image: bpy.types.Image) -> bool:
    """Whether the numbers of a colour image stand for linear light."""
    return bool(image.is_float or image.colorspace_settings.is_data)


def _bytes(pixels: npt.NDArray[np.float32]) -> npt.NDArray[np.uint8]:
    return np.rint(pixels * np.float32(255.0)).astype(np.uint8)


def _pixels(image: bpy.types.Image) -> npt.NDArray[np.float32]:
    """Red, green and blue of an image, 0 to 1, of shape (rows, columns, 3)."""
    columns, rows = image.size
    if columns == 0 or rows == 0:
        raise ValueError(f"the image {image.name} cannot be read from {image.filepath!r}; choose its file again")
    values = np.empty(rows * columns * image.channels, np.float32)
    image.pixels.foreach_get(values)
    upright = values.reshape(rows, columns, image.channels)[::-1]
    colours = upright[:, :, :3] if image.channels >= 3 else np.repeat(upright[:, :, :1], 3, axis=2)
    return np.ascontiguousarray(np.clip(colours, np.float32(0.0), np.float32(1.0)))

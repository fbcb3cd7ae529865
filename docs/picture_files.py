"""Reads and writes the pictures of this folder; pixels are rows of RGBA from the bottom up, as Blender keeps them."""

from pathlib import Path

import bpy
import numpy as np
from numpy.typing import NDArray

FOLDER = Path(__file__).resolve().parent


def pixels_of(file: Path) -> NDArray[np.float32]:
    """Read a picture."""
    image = bpy.data.images.load(str(file))
    pixels = np.empty((image.size[1], image.size[0], 4), np.float32)
    image.pixels.foreach_get(pixels.ravel())
    bpy.data.images.remove(image)
    return pixels


def save_picture(name: str, pixels: NDArray[np.float32], quality: int = 85) -> None:
    """Write a picture of this folder as JPEG."""
    image = bpy.data.images.new(name, pixels.shape[1], pixels.shape[0])
    image.pixels.foreach_set(np.ascontiguousarray(pixels).ravel())
    image.file_format = "JPEG"
    image.save(filepath=str(FOLDER / f"{name}.jpg"), quality=quality)

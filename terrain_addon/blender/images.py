"""Texture files as Blender images."""

from pathlib import Path

import bpy


def load_texture(path: Path) -> bpy.types.Image:
    """Load an image of data, not of colour; one that is already there is read again."""
    image = bpy.data.images.load(str(path), check_existing=True)
    image.reload()
    # Set by hand, because the colour space that files are given differs between versions.
    image.colorspace_settings.name = "Non-Color"
    return image

"""Texture files as Blender images."""

from pathlib import Path

import bpy


def load_texture(path: Path, *, is_colour: bool = False) -> bpy.types.Image:
    """Load an image of data, or of colours in sRGB; one that is already there is read again."""
    image = bpy.data.images.load(str(path), check_existing=True)
    image.reload()
    _set_up(image, is_colour)
    return image


def pack_texture(path: Path, *, is_colour: bool = False) -> bpy.types.Image:
    """Take a texture file into the .blend, byte for byte; an image of its name that was packed before gives way."""
    before = bpy.data.images.get((path.name, None))
    image = bpy.data.images.load(str(path), check_existing=False)
    _set_up(image, is_colour)
    image.pack()
    # The file may go now; this is where unpacking would put it.
    image.filepath = f"//textures/{path.name}"
    if before is not None and before.packed_file is not None:
        before.user_remap(image)
        bpy.data.images.remove(before)
    image.name = path.name
    return image


def _set_up(image: bpy.types.Image, is_colour: bool) -> None:
    # Set by hand, because the colour space that files are given differs between versions.
    image.colorspace_settings.name = "sRGB" if is_colour else "Non-Color"
    # 16-bit levels do not fit into the half floats that EEVEE would keep otherwise.
    image.use_half_precision = False

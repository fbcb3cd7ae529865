"""Texture files as Blender images."""

from pathlib import Path

import bpy


def load_texture(path: Path, *, is_colour: bool = False) -> bpy.types.Image:
    """Load a texture file as an image; an image of that file which is already there is read again.

    Parameters
    ----------
    path : Path
    is_colour : bool
        Whether it holds colours in sRGB; otherwise it holds data.
    """
    image = bpy.data.images.load(str(path), check_existing=True)
    image.reload()
    _set_up(image, is_colour)
    return image


def pack_texture(path: Path, *, is_colour: bool = False, replaces: bool = True) -> bpy.types.Image:
    """Store a texture file in the .blend, byte for byte.

    Parameters
    ----------
    path : Path
    is_colour : bool
        Whether it holds colours in sRGB; otherwise it holds data.
    replaces : bool
        Whether it replaces a packed image of its name.
    """
    before = bpy.data.images.get((path.name, None))
    image = bpy.data.images.load(str(path), check_existing=False)
    _set_up(image, is_colour)
    image.pack()
    # The file may be deleted now; unpacking would write it here.
    image.filepath = f"//textures/{path.name}"
    if replaces and before is not None and before.packed_file is not None:
        before.user_remap(image)
        bpy.data.images.remove(before)
    image.name = path.name
    return image


def read_packed(image: bpy.types.Image) -> None:
    """Let Blender read an image again from what is packed, and not from a file that may lie at its path."""
    image.buffers_free()
    image.gl_free()
    image.update_tag()


def _set_up(image: bpy.types.Image, is_colour: bool) -> None:
    """Set colour space and precision of an image."""
    # Blender's own choice of colour space differs between versions.
    image.colorspace_settings.name = "sRGB" if is_colour else "Non-Color"
    # Otherwise EEVEE keeps half floats, which cannot hold all 16-bit levels.
    image.use_half_precision = False

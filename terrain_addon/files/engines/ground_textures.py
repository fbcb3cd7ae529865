"""Textures of the ground in packages: for each layer colour, normals, and a picture of other numbers."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ...core.maps.colour import palette_on
from ...core.maps.ground_cover import LAYERS
from ..glb_document import LinearColour
from ..grid_mesh import srgb_levels
from ..ground_pictures import GroundPicture, draw_ground, ground_side
from ..heightmaps import normal_map
from ..png import png_bytes
from .engine import Files

GROUND_SIZES = (0, 512, 1024, 2048)
"""Texels along the side of textures of the ground that can be asked for; 0 for none."""


def write_ground(root: Path, stone: str, texels: int, channels: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """Write the textures of all layers.

    Parameters
    ----------
    root : Path
        The folder of the package.
    stone : str
        A key of `colour.STONES`.
    texels : int
        One of `GROUND_SIZES`.
    channels : tuple of str
        What the channels of a packed texture hold: some of ``occlusion``, ``roughness``, ``smoothness``, ``height`` and
        ``metal``.

    Returns
    -------
    dict
        Files and side in metres of each layer, for the manifest; empty without textures.
    """
    if texels == 0:
        return {}
    palette, found = palette_on(stone), {}
    for layer in LAYERS:
        files = Files(root)
        for kind, picture in _pictures(layer, palette[layer], texels, channels).items():
            files.add(kind, f"textures/ground_{layer}_{kind}.png").write_bytes(picture)
        found[layer] = files.names | {"side_m": ground_side(layer)}
    return found


@cache
def _pictures(layer: str, colour: LinearColour, texels: int, channels: tuple[str, ...]) -> dict[str, bytes]:
    """Return the textures of a layer as PNG."""
    ground = draw_ground(layer, colour, texels)
    packed = np.stack([_channel(ground, name) for name in channels], axis=2)
    return {
        "colour": png_bytes(srgb_levels(ground.colour)),
        # A normal map has its first row in the north, the picture has it at its upper border.
        "normal": png_bytes(normal_map(ground.normal[::-1])),
        "packed": png_bytes(np.rint(packed * np.float32(255.0)).astype(np.uint8)),
    }


def _channel(ground: GroundPicture, name: str) -> Any:
    """Return one channel of a packed texture, 0 to 1."""
    if name == "smoothness":
        return np.float32(1.0) - ground.roughness
    return np.zeros_like(ground.height) if name == "metal" else getattr(ground, name)

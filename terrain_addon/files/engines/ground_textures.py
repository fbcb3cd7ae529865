"""Textures of the ground in packages: for each layer colour, normals, and a picture of other numbers."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ...core.foundation.progress import Steps
from ...core.maps.colour import palette_on
from ...core.maps.ground_cover import LAYERS
from ..glb_document import LinearColour
from ..ground_pictures import draw_ground, ground_side
from ..own_ground import GroundTexture, OwnGrounds, own_texture, texture_of
from ..png import png_bytes
from .engine import Engine, Files

GROUND_SIZES = (0, 512, 1024, 2048)
"""Texels along the side of textures of the ground that can be asked for; 0 for none."""


def write_ground(
    root: Path, stone: str, texels: int, engine: Engine, own: OwnGrounds
) -> Steps[dict[str, dict[str, Any]]]:
    """Write the textures of all layers.

    Parameters
    ----------
    root : Path
        The folder of the package.
    stone : str
        A key of `colour.STONES`.
    texels : int
        One of `GROUND_SIZES`; images of users keep their own size.
    engine : Engine
        Says where the green of normals points, and what the channels of a packed texture hold: some of ``occlusion``,
        ``roughness``, ``smoothness``, ``height`` and ``metal``.
    own : mapping of str to OwnGround
        Images of the user for some layers.

    Yields
    ------
    float
        The share that is done, 0 to 1.

    Returns
    -------
    dict
        Files and side in metres of each layer, for the manifest; empty without textures.
    """
    if texels == 0:
        return {}
    palette, found = palette_on(stone), {}
    for number, layer in enumerate(LAYERS):
        yield number / len(LAYERS)
        files = Files(root)
        if layer in own:
            ours = draw_ground(layer, palette[layer], texels)
            pictures = _encoded(own_texture(own[layer], ours), engine.channels, engine.green)
        else:
            pictures = _pictures(layer, palette[layer], texels, engine.channels, engine.green)
        for kind, picture in pictures.items():
            files.add(kind, f"textures/ground_{layer}_{kind}.png").write_bytes(picture)
        side = own[layer].side if layer in own else ground_side(layer)
        found[layer] = files.names | {"side_m": side}
    return found


@cache
def _pictures(layer: str, colour: LinearColour, texels: int, channels: tuple[str, ...], green: str) -> dict[str, bytes]:
    """Return our textures of a layer as PNG."""
    return _encoded(texture_of(draw_ground(layer, colour, texels)), channels, green)


def _encoded(ground: GroundTexture, channels: tuple[str, ...], green: str) -> dict[str, bytes]:
    """Return the textures of a layer as PNG."""
    normal = ground.normal
    if green == "down":
        normal = normal.copy()
        normal[..., 1] = 255 - normal[..., 1]
    packed = np.stack([_channel(ground, name) for name in channels], axis=2)
    return {
        "colour": png_bytes(ground.colour),
        "normal": png_bytes(normal),
        "packed": png_bytes(np.rint(packed * np.float32(255.0)).astype(np.uint8)),
    }


def _channel(ground: GroundTexture, name: str) -> Any:
    """Return one channel of a packed texture, 0 to 1."""
    if name == "smoothness":
        return np.float32(1.0) - ground.roughness
    return np.zeros_like(ground.height) if name == "metal" else getattr(ground, name)

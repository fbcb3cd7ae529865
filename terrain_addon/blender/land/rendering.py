"""A picture of a landscape in a scene of its own, for scripts and the command line."""

from pathlib import Path

import bpy

from ...core.building.landscape import Landscape
from ..look.render_settings import render_settings
from ..look.scenery import set_scenery
from ..plants.frame_inputs import cull_to_frame
from ..plants.near_ground import near_ground_carrier
from .far_land import hide_the_border
from .land_objects import add_landscape


def render_landscape(
    landscape: Landscape,
    picture: Path,
    *,
    engine: str = "CYCLES",
    size: tuple[int, int] = (1280, 720),
    samples: int = 24,
    blend: Path | None = None,
) -> bpy.types.Object:
    """Show a landscape in an empty file, light it, and render it.

    The open file is closed without saving, as by *New File*.  The extension must be registered.

    Parameters
    ----------
    landscape : Landscape
    picture : Path
        PNG to write; its folder is made if it is missing.
    engine : str
        One of render_settings.RENDER_ENGINES.
    size : tuple of int
        Width and height in pixels.
    samples : int
        Samples per pixel.
    blend : Path, optional
        Where to save the scene.

    Returns
    -------
    Object
        The land.

    Raises
    ------
    ValueError
        If a setting is out of range, or a file cannot be written.
    """
    # Not read_factory_settings, because that disables all extensions, also this one.
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    scene = bpy.context.scene
    render_settings(scene, engine, size, samples)
    land = add_landscape(scene.collection, landscape)
    set_scenery(scene, land)
    hide_the_border(land, scene)
    picture.parent.mkdir(parents=True, exist_ok=True)
    try:
        if blend is not None:
            bpy.ops.wm.save_as_mainfile(filepath=str(blend.absolute()), compress=True)
        leave_out_unseen(land, scene)
        scene.render.filepath = str(picture.absolute())
        scene.render.image_settings.file_format = "PNG"
        bpy.ops.render.render(write_still=True)
    except RuntimeError as error:
        # Blender's own operators raise a RuntimeError if they cannot save a file.
        raise ValueError(str(error)) from None
    return land


def leave_out_unseen(land: bpy.types.Object, scene: bpy.types.Scene) -> None:
    """Leave out plants and crags beside the picture: Blender takes ten seconds to hand a million plants to Cycles.

    Parameters
    ----------
    land : Object
    scene : Scene
        With a camera.
    """
    carrier = near_ground_carrier(land)
    for modifier in () if carrier is None else carrier.modifiers:
        if modifier.type == "NODES":
            cull_to_frame(modifier, scene)

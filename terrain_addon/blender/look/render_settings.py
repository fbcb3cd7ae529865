"""Settings to render a land in reasonable time."""

import bpy

from .. import compat

RENDER_ENGINES = ("CYCLES", "EEVEE", "WORKBENCH")
"""Names of the render engines, the same in every version of Blender."""

_FILTER = 1.0  # pixels


def render_settings(
    scene: bpy.types.Scene, engine: str = "CYCLES", size: tuple[int, int] = (1280, 720), samples: int = 20
) -> None:
    """Set a scene up to render a landscape in reasonable time.

    Parameters
    ----------
    scene : Scene
    engine : str
        One of RENDER_ENGINES.
    size : tuple of int
        Width and height of the picture in pixels, each 4 to 65536.
    samples : int
        Samples per pixel, at least 1.

    Raises
    ------
    ValueError
        If one of them is out of its range.
    """
    if engine not in RENDER_ENGINES:
        raise ValueError(f"engine = {engine!r} is none of: {', '.join(RENDER_ENGINES)}")
    if not all(4 <= length <= 65536 for length in size):
        raise ValueError(f"size = {size[0]} × {size[1]} pixels is outside 4 to 65536 pixels")
    if samples < 1:
        raise ValueError(f"samples = {samples!r} is below 1")
    render = scene.render
    render.engine = {"CYCLES": "CYCLES", "EEVEE": compat.EEVEE, "WORKBENCH": "BLENDER_WORKBENCH"}[engine]
    render.resolution_x, render.resolution_y = size
    render.resolution_percentage = 100
    if engine == "CYCLES":
        _set_cycles(scene, samples)
    elif engine == "EEVEE":
        scene.eevee.taa_render_samples = samples


def aspect_of(scene: bpy.types.Scene) -> float:
    """Return the width of a scene's pictures over their height."""
    render = scene.render
    return (render.resolution_x * render.pixel_aspect_x) / (render.resolution_y * render.pixel_aspect_y)


def _set_cycles(scene: bpy.types.Scene, samples: int) -> None:
    """Set Cycles up for outdoor light."""
    cycles = scene.cycles
    cycles.samples = samples
    cycles.use_adaptive_sampling = True
    cycles.adaptive_threshold = 0.03
    cycles.use_denoising = _choose_denoiser(cycles)
    # Far crowns are smaller than a pixel, so their colours and normals are as noisy as the light.  To remove that first
    # would draw trees out into stripes and make rock as smooth as clay.
    cycles.denoising_prefilter = "NONE"
    # The filter of Blender's startup file makes rock and leaves soft.
    scene.render.filter_size = cycles.filter_width = _FILTER
    # Outdoors nearly all light comes from sun and sky: more bounces cost much and show little.
    cycles.max_bounces, cycles.diffuse_bounces, cycles.glossy_bounces, cycles.transmission_bounces = 2, 1, 1, 1
    # Bare crowns are many twigs with nothing between them.
    cycles.transparent_max_bounces = 32
    cycles.caustics_reflective = cycles.caustics_refractive = False


def _choose_denoiser(cycles: bpy.types.PropertyGroup) -> bool:
    """Choose a denoiser that needs no graphics card; return whether this Blender has it."""
    try:
        cycles.denoiser = "OPENIMAGEDENOISE"
    except TypeError:
        return False
    return True

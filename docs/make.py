"""Makes what in this folder is made: a picture of every preset, small ones for the panel, and the table of parameters.

``python build.py docs`` runs it in Blender as a module.
"""

import os
import sys
from pathlib import Path

import bpy
import numpy as np

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))

import terrain_addon
from terrain_addon.blender.building import build_landscape
from terrain_addon.blender.land_objects import add_landscape
from terrain_addon.blender.scenery import render_settings, set_stage
from terrain_addon.core import Recipe, preset_names
from terrain_addon.core.parameters import Parameter, ParameterSet, parameters_of
from terrain_addon.core.recipe import PRESET_FOLDER
from terrain_addon.core.relief.fractal_noise import FractalNoise
from terrain_addon.core.relief.midpoint_displacement import MidpointDisplacement, displace_midpoints
from terrain_addon.core.relief.noise_sources import SOURCES
from terrain_addon.core.terrain import Grid
from terrain_addon.files.png import write_png

SIZE, SAMPLES = (960, 540), 16
THUMBNAIL = 112  # pixels; with fewer shades, the files stay small
SHADES = 32
TILE = 150  # pixels of each basis


def picture(preset: str) -> None:
    """Render a preset as it comes."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    render_settings(scene, "CYCLES", SIZE, SAMPLES)
    set_stage(scene, add_landscape(scene.collection, build_landscape(Recipe.preset(preset))))
    scene.render.image_settings.file_format = "JPEG"
    scene.render.image_settings.quality = 85
    scene.render.filepath = str(FOLDER / f"{preset}.jpg")
    bpy.ops.render.render(write_still=True)


def thumbnail(preset: str) -> None:
    """Make the small picture for the panel: the middle of the large one."""
    image = bpy.data.images.load(str(FOLDER / f"{preset}.jpg"))
    width, height = image.size
    image.scale(round(THUMBNAIL * width / height), THUMBNAIL)
    pixels = np.empty(4 * image.size[0] * THUMBNAIL, np.float32)
    image.pixels.foreach_get(pixels)
    start = (image.size[0] - THUMBNAIL) // 2
    middle = pixels.reshape(THUMBNAIL, -1, 4)[::-1, start : start + THUMBNAIL, :3]
    shades = np.rint(middle * (SHADES - 1)) * (255.0 / (SHADES - 1))
    folder = PRESET_FOLDER / "thumbnails"
    folder.mkdir(exist_ok=True)
    write_png(folder / f"{preset}.png", shades.astype(np.uint8))
    bpy.data.images.remove(image)


def bases() -> None:
    """Make one picture of every source of relief that needs no file, seen from above in shades of height."""
    grid = Grid(TILE, TILE, 8.0)
    tiles = []
    for source, make in SOURCES.items():
        options = [{"character": c} for c in _choices(source, "character")] or [{}]
        if source is FractalNoise:
            options += [{"basis": basis} for basis in _choices(source, "basis")[1:]]
        for option in options:
            tiles.append(make(grid, source(wavelength=400.0, **option), 3))
    for algorithm in _choices(MidpointDisplacement, "algorithm"):
        tiles.append(displace_midpoints(grid, MidpointDisplacement(wavelength=1200.0, algorithm=algorithm), 3))
    across = 6
    sheet = np.zeros((TILE * -(-len(tiles) // across), TILE * across), np.uint8)
    for number, heights in enumerate(tiles):
        low, high = heights.min(), heights.max()
        row, column = divmod(number, across)
        place = sheet[row * TILE : (row + 1) * TILE, column * TILE : (column + 1) * TILE]
        place[:] = np.rint((heights[::-1] - low) / max(high - low, 1e-6) * (SHADES - 1)) * (255 // (SHADES - 1))
    write_png(FOLDER / "bases.png", sheet)


def _choices(source: type[ParameterSet], name: str) -> list[str]:
    return [choice for p in parameters_of(source) if p.name == name for choice in p.choices]


def parameter_table() -> str:
    """Return a Markdown table for every parameter set that a recipe can hold."""
    lines = ["# Parameters", "", "Made from the declarations in `terrain_addon/core` by `python build.py docs`."]
    waiting: list[type[ParameterSet]] = [Recipe]
    done: set[type[ParameterSet]] = set()
    while waiting:
        cls = waiting.pop(0)
        if cls in done:
            continue
        done.add(cls)
        declared = parameters_of(cls)
        lines += ["", f"## {cls.model()}", "", (cls.__doc__ or "").splitlines()[0], ""]
        lines += ["| parameter | default | range | what it does |", "|---|---|---|---|"]
        lines += [f"| `{p.name}` | {_default(p)} | {_range(p)} | {p.description} |" for p in declared]
        waiting += [member for p in declared for member in p.members]
    return "\n".join(lines) + "\n"


def _default(parameter: Parameter) -> str:
    if parameter.kind in ("group", "variant"):
        return f"[{parameter.members[0].model()}](#{parameter.members[0].model()})"
    if parameter.kind == "series":
        return ", ".join(f"[{v.model()}](#{v.model()})" for v in parameter.default)
    if parameter.kind == "curve":
        return " ".join(f"({x:g}, {y:g})" for x, y in parameter.default)
    return f"{parameter.default} {parameter.unit}".rstrip()


def _range(parameter: Parameter) -> str:
    if parameter.members:
        return ", ".join(m.model() for m in parameter.members)
    if parameter.choices:
        return ", ".join(parameter.choices)
    return parameter.range if parameter.limits else ""


if __name__ == "__main__":
    terrain_addon.register()
    (FOLDER / "parameters.md").write_text(parameter_table(), encoding="utf-8")
    bases()
    for name in preset_names():
        picture(name)
        thumbnail(name)
        print(f"docs/{name}.jpg", flush=True)
    sys.stdout.flush()
    os._exit(0)  # Some versions of Blender as a module hang or crash at Python's own ending.

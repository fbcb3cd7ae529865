"""Makes a landscape and everything that comes from it: picture, .blend, textures, export.

``python -m terrain_addon.blender.demo --out DIR [--recipe FILE]`` makes the default landscape, or the one of a recipe,
and a real land in ``DIR/real``.  It runs in Blender as a Python module.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import bpy

from ..core.building.recipe import Recipe, load_recipe
from ..files.baking import bake
from ..files.landscape_glb import export_landscape
from ..files.writing import atomic_write
from .data.properties import read_recipe
from .land.building import build_landscape, warm
from .land.far_land import hide_the_border
from .land.land_objects import add_landscape
from .land.rendering import leave_out_unseen
from .look.render_settings import render_settings
from .look.scenery import set_scenery
from .registration import register


class Picture(NamedTuple):
    """How a picture is rendered.

    Attributes
    ----------
    size : tuple of int
        Width and height in pixels.
    samples : int
        Samples per pixel.
    """

    size: tuple[int, int]
    samples: int


LARGE = Picture((1120, 630), 9)
SMALL = Picture((800, 450), 9)


def make_demo(recipe: Recipe, folder: Path, say: Callable[[str], None], picture: Picture = LARGE) -> None:
    """Write a render, a .blend, the recipe, textures and an export of one landscape into a folder.

    Parameters
    ----------
    recipe : Recipe
        Of the landscape.
    folder : Path
        It is made if it is missing.
    say : callable
        Called with a sentence before each step.
    picture : Picture
        How it is rendered.

    Raises
    ------
    ValueError
        If the recipe's inputs cannot be read or a file cannot be written.
    """
    with atomic_write(folder / "recipe.json") as file:
        file.write(recipe.dumps().encode())
    say("building")
    landscape = build_landscape(recipe)
    say(f"{len(landscape.plants or ())} plants; showing")
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    scene = bpy.context.scene
    render_settings(scene, "CYCLES", picture.size, picture.samples)
    land = add_landscape(scene.collection, landscape)
    set_scenery(scene, land)
    hide_the_border(land, scene)
    say("textures and export")
    bake(folder, "landscape", landscape)
    export_landscape(folder / "landscape.glb", landscape, step=2)
    say("saving")
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "landscape.blend"), compress=True)
    if read_recipe(land) != recipe:
        raise ValueError("the recipe on the landscape object differs from the one that it was made from")
    say("rendering")
    leave_out_unseen(land, scene)
    scene.render.filepath = str(folder / "landscape.png")
    scene.render.image_settings.file_format = "PNG"
    bpy.ops.render.render(write_still=True)


def main(arguments: list[str]) -> int:
    """Run the demo from the command line; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("demo"), help="folder to fill")
    parser.add_argument("--recipe", type=Path, help="recipe to make instead of the default")
    options = parser.parse_args(arguments)
    out = options.out.absolute()
    started = time.perf_counter()

    def say(what: str) -> None:
        print(f"  {time.perf_counter() - started:6.1f} s  {what}", flush=True)

    register()
    try:
        recipe = load_recipe(options.recipe) if options.recipe else Recipe.preset("alpine")
        # Several processes compile at once, where there are several processors.
        warm(recipe)
        for title, made, folder, picture in (
            ("landscape", recipe, out, LARGE),
            ("real land", Recipe.preset("big_tujunga"), out / "real", SMALL),
        ):
            say(f"{title} → {folder}")
            make_demo(made, folder, say, picture)
    except OSError as error:
        print(f"The demo stopped: {error.filename}: {error.strerror}", file=sys.stderr)
        return 1
    except (ValueError, RuntimeError) as error:
        # Blender's own operators raise RuntimeError when a file cannot be saved.
        print(f"The demo stopped: {error}", file=sys.stderr)
        return 1
    say("done")
    return 0


if __name__ == "__main__":
    status = main(sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    # While Python shuts down, some versions of Blender as a module crash or hang; this skips it.
    os._exit(status)

"""Short films: a slider that is dragged, a glacier that grows, dunes that travel, and a forest through its years."""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import bpy
import numpy as np
from lands import bare, lifted, species_of
from PIL import Image

from terrain_addon.blender.land.building import build_landscape
from terrain_addon.blender.land.land_objects import add_landscape
from terrain_addon.blender.look.render_settings import render_settings
from terrain_addon.blender.look.scenery import set_scenery
from terrain_addon.core import Recipe
from terrain_addon.core.erosion.sand import Sand

SIZE, SAMPLES, FRAMES = (480, 270), 12, 16
PER_FRAME, AT_THE_END = 130, 1500  # milliseconds that a frame stays, and that the last one does
QUALITY = 62


class Film(NamedTuple):
    """What changes on a land from frame to frame, and for which of these lands the camera stands well."""

    recipes: Callable[[], Iterator[Recipe]]
    seen_in: int = -1


def make_films(folder: Path, *names: str) -> None:
    """Render films and write them as animated WebP.

    Parameters
    ----------
    folder : Path
        Where they go, each as NAME.webp.
    *names : str
        Of FILMS; without, all.
    """
    for name in names or FILMS:
        frames = list(_frames(FILMS[name]))
        frames[0].save(
            folder / f"{name}.webp",
            save_all=True,
            append_images=frames[1:],
            duration=[PER_FRAME] * (len(frames) - 1) + [AT_THE_END],
            loop=0,
            quality=QUALITY,
            method=6,
        )


def _frames(film: Film) -> Iterator[Image.Image]:
    """Render each recipe; camera and sun stand still."""
    recipes = list(film.recipes())
    seen_from, lens, light = _scene_of(recipes[film.seen_in])
    for recipe in recipes:
        _scene_of(recipe)
        scene = bpy.context.scene
        scene.camera.matrix_world, scene.camera.data.lens = seen_from, lens
        next(o for o in scene.objects if o.type == "LIGHT").matrix_world = light
        with tempfile.TemporaryDirectory() as folder:
            scene.render.filepath = str(Path(folder) / "frame.png")
            bpy.ops.render.render(write_still=True)
            with Image.open(scene.render.filepath) as image:
                yield image.convert("RGB")


def _scene_of(recipe: Recipe) -> tuple[object, float, object]:
    """Show a land in an empty scene; return where the camera stands, its lens, and where the sun does."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    render_settings(scene, "CYCLES", SIZE, SAMPLES)
    set_scenery(scene, add_landscape(scene.collection, build_landscape(recipe)))
    bpy.context.view_layer.update()
    sun = next(o for o in scene.objects if o.type == "LIGHT")
    return scene.camera.matrix_world.copy(), scene.camera.data.lens, sun.matrix_world.copy()


def _dragged_slider() -> Iterator[Recipe]:
    """Rivers cut into a young land, as strongly as the slider says."""
    land = bare(Recipe.preset("alpine", resolution=385))
    rivers, *later = land.erosion
    for strength in np.linspace(0.7, 1.4, FRAMES) * rivers.strength:
        yield land.replace(erosion=(rivers.replace(strength=float(strength)), *later))


def _growing_glacier() -> Iterator[Recipe]:
    """The equilibrium line comes down, and ice fills the valleys."""
    land = bare(Recipe.preset("alpine", resolution=385))
    for altitude in np.linspace(2700.0, 1500.0, FRAMES):
        yield land.replace(glaciers=land.glaciers.replace(enabled=True, equilibrium_line_altitude=float(altitude)))


def _travelling_dunes() -> Iterator[Recipe]:
    """The wind drives the dunes of a desert."""
    land = bare(Recipe.preset("dunes", resolution=385))
    (sand,) = (one for one in land.erosion if isinstance(one, Sand))
    for years in np.linspace(0.85, 1.0, FRAMES) * sand.years:
        moved = sand.replace(years=float(years))
        yield land.replace(erosion=tuple(moved if one is sand else one for one in land.erosion))


def _growing_forest() -> Iterator[Recipe]:
    """Beech and birch come first; spruce outgrows them."""
    hills = lifted(Recipe.preset("rolling_hills", seed=2, width=900.0, depth=900.0, resolution=257), 800.0)
    pioneers = species_of("spruce", "beech", "birch", "juniper")
    for years in np.geomspace(3.0, 150.0, FRAMES):
        evolution = hills.ecosystem.evolution.replace(years=float(years))
        yield hills.replace(ecosystem=hills.ecosystem.replace(species=pioneers, evolution=evolution))


FILMS = {
    "dragged_slider": Film(_dragged_slider, 0),
    "growing_glacier": Film(_growing_glacier),
    "travelling_dunes": Film(_travelling_dunes),
    "growing_forest": Film(_growing_forest),
}
"""By name."""

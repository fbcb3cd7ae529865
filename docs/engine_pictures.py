"""The pictures of docs/engines.md: the preset alpine in Blender beside a real Godot, and a walk in Godot.

They need Godot 4.6 with its editor (`TERRAIN_GODOT`, or `godot` on the path) and a screen or ``xvfb-run``.
"""

import math
import sys
import tempfile
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix
from picture_files import pixels_of, save_picture

from terrain_addon.blender.land.building import build_landscape
from terrain_addon.blender.land.land_objects import add_landscape
from terrain_addon.blender.look.render_settings import render_settings
from terrain_addon.blender.look.scenery import set_scenery
from terrain_addon.blender.look.sun import set_bearing, sun_of
from terrain_addon.core import Recipe
from terrain_addon.files.engines.package import write_package

FOLDER = Path(__file__).resolve().parent

RESOLUTION, SIZE, SAMPLES = 513, (480, 270), 10
VALLEY = (-1850.0, 3300.0, 1281.0, 65.0, 75.0)  # x, y, z in metres; turn about x, and vertical field of view in degrees
STEPS, FRAME, ACROSS = 10, (240, 135), 5
RENDERER, QUALITY = "forward_plus", 82


def make_engine_pictures() -> None:
    """Make the pictures; without Godot the old ones stay."""
    # Only here, because the other parts of the documentation need no tests.
    sys.path.insert(0, str(FOLDER.parent))
    from tests.files.godot_window import drawn, godot_command, imported, screen_command

    if not godot_command() or screen_command() is None:
        print("there is no Godot that draws: the pictures of engines stay as they are")
        return
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    render_settings(scene, "CYCLES", SIZE, SAMPLES)
    landscape = build_landscape(Recipe.preset("alpine", resolution=RESOLUTION))
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        package = write_package(project / "level", landscape, "godot")
        imported(project, "level")
        set_scenery(scene, add_landscape(scene.collection, landscape))
        set_bearing(sun_of(scene), math.radians(package.manifest["daylight"]["sun_bearing_deg"]))
        camera = scene.camera
        camera.data.sensor_fit = "VERTICAL"
        camera.data.angle_y = 2.0 * math.atan(math.tan(0.5 * camera.data.angle_x) * SIZE[1] / SIZE[0])
        ours, views = [], []
        for number in range(2):
            if number == 1:
                *place, turn, wide = VALLEY
                camera.data.angle_y = math.radians(wide)
                camera.matrix_world = Matrix.Translation(place) @ Matrix.Rotation(math.radians(turn), 4, "X")
            bpy.context.view_layer.update()
            scene.render.filepath = str(project / "blender.png")
            bpy.ops.render.render(write_still=True)
            ours.append(pixels_of(Path(scene.render.filepath)))
            views.append(_view_of(camera))
        told: dict[str, Any] = {"scene": "res://level/preview.scn", "out": str(project / "views"), "views": views}
        drawn(project, told, SIZE, RENDERER)
        theirs = [pixels_of(file) for file in sorted((project / "views").glob("*.png"))]
        pairs = [np.concatenate(pair, axis=1) for pair in zip(ours, theirs)]
        save_picture("engines_godot", np.concatenate(pairs[::-1]), QUALITY)
        told = {"scene": "res://level/preview.scn", "out": str(project / "walk"), "steps": STEPS}
        for number, said in enumerate(drawn(project, told, FRAME, RENDERER)):
            print(f"frame {number}: {said}", flush=True)
        frames = [pixels_of(file) for file in sorted((project / "walk").glob("*.png"))]
        rows = [np.concatenate(frames[k : k + ACROSS], axis=1) for k in range(0, STEPS, ACROSS)]
        save_picture("engines_walk", np.concatenate(rows[::-1]), QUALITY)


def _view_of(camera: bpy.types.Object) -> list[float]:
    """Return a camera as `godot_draw.gd` takes it, with its altitude in place of the height above the ground."""
    east, north, up = camera.matrix_world.translation
    ahead = camera.matrix_world.to_3x3() @ Matrix.Identity(3).col[2] * -1.0
    left = math.degrees(math.atan2(-ahead.x, ahead.y))
    return [east, up, -north, left, math.degrees(math.asin(ahead.z)), math.degrees(camera.data.angle_y), 1.0]

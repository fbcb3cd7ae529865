"""Render one picture of each of some seeds of a preset, and keep the recipes; run by blender -b -P many_seeds.py."""

import sys
from pathlib import Path

import bpy

arguments = sys.argv[sys.argv.index("--") + 1 :]
out, count = Path(arguments[0]), int(arguments[1])
resolution = int(arguments[2]) if len(arguments) > 2 else 513
out.mkdir(parents=True, exist_ok=True)

scene = bpy.context.scene
scene.render.engine = "CYCLES"
scene.cycles.samples = 16
scene.render.resolution_x, scene.render.resolution_y = 960, 540
scene.render.resolution_percentage = 100 if resolution > 200 else 10

for seed in range(1, count + 1):
    bpy.ops.landscape.generate(preset="alpine", seed=seed, resolution=resolution)
    land = bpy.context.active_object
    bpy.ops.landscape.save_recipe(filepath=str(out / f"alpine_{seed}.json"))
    scene.render.filepath = str(out / f"alpine_{seed}.png")
    bpy.ops.render.render(write_still=True)
    bpy.data.objects.remove(land)

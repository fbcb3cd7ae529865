"""Write a level for a game engine from a recipe with a drawn river and a road; blender -b -P level.py -- OUT ENGINE."""

import sys
from pathlib import Path

import bpy

out, engine = sys.argv[sys.argv.index("--") + 1 :][:2]
recipe = Path(__file__).with_name("valley_with_road.json")

bpy.ops.landscape.generate_from_recipe(filepath=str(recipe))
bpy.ops.landscape.export_package(directory=out, engine=engine, ground="1024")
print(f"Open {out} in {engine}; its README says how.")

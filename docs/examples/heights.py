"""Make a landscape without Blender, print some numbers, and write its heights as a 16-bit picture and as an array."""

import sys
from pathlib import Path

import numpy as np

from terrain_addon import core
from terrain_addon.files.baking import bake

out = Path(sys.argv[1])
out.mkdir(parents=True, exist_ok=True)

recipe = core.Recipe.preset("rolling_hills", seed=7, resolution=257)
land = core.build(recipe)
heights = land.terrain.surface
print(f"{heights.min():.0f} to {heights.max():.0f} m, mean slope {land.maps['slope'].mean():.0f}°")
print(f"{len(land.waters.rivers)} rivers, {len(land.plants)} plants")

np.save(out / "heights.npy", heights)
bake(str(out), "rolling_hills", land)

"""Same recipe, same bytes: any number of threads, compiled or not, and on every Blender."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.core import compilation
from terrain_addon.core.relief.fractal_noise import FractalNoise, make_fractal_noise
from terrain_addon.core.relief.midpoint_displacement import MidpointDisplacement
from terrain_addon.core.terrain import Grid

ROOT = Path(__file__).resolve().parents[2]

PRINT_DIGEST = """
import runpy, sys
from terrain_addon import core
here = runpy.run_path(sys.argv[1])
print(here["digest_of"](core.build(here["RECIPES"][sys.argv[2]])))
"""

# The same on 4.2, 4.5 and 5.2, whose numpy differ; a change here is a change of every user's land.
RECIPES = {
    "noise": core.Recipe(seed=11, resolution=129, relief=FractalNoise(attenuation=1.7)),
    "midpoint": core.Recipe(seed=11, resolution=129, relief=MidpointDisplacement()),
}
DIGESTS = {
    "noise": "0c0064d6aa293d1203937c54e3c18d80b3c8366222ce98722d80458b2f5334fc",
    "midpoint": "16981b9fdd8aa9f78cfead71ec8aa02b48001a9f8c95217dc2f40e0807106426",
}


def digest_of(landscape: core.Landscape) -> str:
    digest = hashlib.sha256()
    plants = landscape.plants
    assert plants is not None
    arrays = [landscape.terrain.bedrock, landscape.terrain.sediment, *landscape.maps.values()]
    arrays += [plants.x, plants.y, plants.species, plants.age, plants.height, plants.rotation, plants.variant]
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


@pytest.mark.parametrize("name", RECIPES)
def test_threads_do_not_matter(name: str) -> None:
    before = compilation.thread_count()
    try:
        digests = set()
        for threads in (1, 2):
            compilation.set_thread_count(threads)
            digests.add(digest_of(core.build(RECIPES[name])))
    finally:
        compilation.set_thread_count(before)
    assert digests == {DIGESTS[name]}


def test_processors_do_not_matter() -> None:
    run = [sys.executable, "-c", PRINT_DIGEST, __file__, "noise"]
    environment = os.environ | {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", "PYTHONPATH": str(ROOT)}
    result = subprocess.run(run, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert result.stdout.strip() == DIGESTS["noise"], result.stderr[-2000:]


def test_compiled_equals_interpreted() -> None:
    from terrain_addon.core.relief import fractal_noise

    grid, noise = Grid(9, 11, 30.0), FractalNoise(wavelength=150.0, octaves=2)
    compiled = make_fractal_noise(grid, noise, 3)
    kernels = {name: value for name, value in vars(fractal_noise).items() if isinstance(value, compilation.Kernel)}
    try:
        for name, kernel in kernels.items():
            setattr(fractal_noise, name, kernel.py_func)
        with np.errstate(over="ignore"):
            interpreted = make_fractal_noise(grid, noise, 3)
    finally:
        for name, kernel in kernels.items():
            setattr(fractal_noise, name, kernel)
    np.testing.assert_array_equal(interpreted, compiled)

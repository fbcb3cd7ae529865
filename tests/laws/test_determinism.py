"""Same recipe, same bytes: any number of threads, any processor, and every Blender."""

import hashlib

import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.core.building.layers import Relief
from terrain_addon.core.climate.climate import Climate
from terrain_addon.core.foundation import compilation
from terrain_addon.core.foundation.terrain import Grid
from terrain_addon.core.relief.cells import CellularNoise
from terrain_addon.core.relief.fractal_noise import FractalNoise
from terrain_addon.core.relief.midpoint_displacement import MidpointDisplacement
from terrain_addon.core.relief.multifractal_noise import MultifractalNoise
from terrain_addon.core.relief.slope_damped_noise import SlopeDampedNoise
from terrain_addon.core.relief.sources import SOURCES
from terrain_addon.core.snow.winter import Winter

# The same on 4.2, 4.5 and 5.2, whose numpy differ; a change here is a change of every user's land.
RECIPES = {
    "noise": core.Recipe(seed=11, resolution=129, relief=Relief.of(FractalNoise(attenuation=1.7))),
    "midpoint": core.Recipe(seed=11, resolution=129, relief=Relief.of(MidpointDisplacement())),
    "climate": core.Recipe(seed=11, resolution=129, erosion=(), climate=Climate(enabled=True, wind_direction=231.0)),
    "winter": core.Recipe(seed=11, resolution=129, winter=Winter(enabled=True, day_of_year=120, wind_direction=231.0)),
}
DIGESTS = {
    "winter": "28850ba595b0e3c9053279293f8add80dc2f72f93d4ac4b841cd6688620c3181",
    "climate": "95466701804b78b6c2dbcb2a91520c4f1e621800020de455c3429c02d6bbf2c8",
    "noise": "352ee59cad1077d92cae5b2fd2c0e0eccd670cb4882305adf8f074fad2653eb3",
    "midpoint": "a78e9ffdd68dac435f4ba1928ff75d721dadbd7184c6e13116a0cc78e6651d02",
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


# Reliefs by themselves, so that what changes later in the chain does not hide what changes here.
LANDS = {
    "fractal": FractalNoise(wavelength=900.0, attenuation=1.7),
    "moving": FractalNoise(wavelength=900.0, speed=0.3, drift_east=11.0),
    "ridged": MultifractalNoise(wavelength=900.0),
    "warped": SlopeDampedNoise(wavelength=900.0, warp=150.0),
    "simplex": FractalNoise(wavelength=900.0, basis="simplex"),
    "cellular": CellularNoise(wavelength=300.0, octaves=2),
}
LAND_DIGESTS = {
    "fractal": "7ce4cdbc0d47a654",
    "moving": "ab9a18636707f7cb",
    "ridged": "b54f04a4f04c6610",
    "warped": "88f271e71356b82d",
    "simplex": "3f8f6845baef1cb0",
    "cellular": "d0108bbbc4d53be8",
}


def land_digests() -> dict[str, str]:
    grid = Grid(120, 270, 11.0, 3.0, -40.0)
    made = {name: SOURCES[type(land)].make(grid, land, 11, 2.5) for name, land in LANDS.items()}
    return {name: hashlib.sha256(heights.tobytes()).hexdigest()[:16] for name, heights in made.items()}


def test_reliefs_are_the_same_everywhere() -> None:
    assert land_digests() == LAND_DIGESTS

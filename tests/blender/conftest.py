"""A real Blender with the add-on registered and an empty scene."""

from collections.abc import Iterator

import bpy
import pytest

import terrain_addon
from terrain_addon import core
from terrain_addon.core.erosion.weathering import Weathering
from terrain_addon.core.relief.fractal_noise import FractalNoise
from terrain_addon.core.relief.layers import Relief


@pytest.fixture
def blender() -> Iterator[None]:
    """An empty scene with the add-on at work in it."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    terrain_addon.register()
    yield
    terrain_addon.unregister()


@pytest.fixture
def recipe() -> core.Recipe:
    """A landscape of some thousand plants."""
    return core.Recipe.preset(
        "alpine",
        seed=3,
        resolution=65,
        width=640.0,
        depth=640.0,
        relief=Relief.of(
            FractalNoise(wavelength=2800.0, height=3000.0, base_altitude=200.0, attenuation=1.5, gain=0.42)
        ),
        erosion=(Weathering(),),
    )


@pytest.fixture
def land(blender: None, recipe: core.Recipe) -> bpy.types.Object:
    """That landscape, active and selected."""
    from terrain_addon.blender.building import build_landscape
    from terrain_addon.blender.land_objects import add_landscape

    land = add_landscape(bpy.context.collection, build_landscape(recipe), "Alpine")
    land.select_set(True)
    bpy.context.view_layer.objects.active = land
    return land

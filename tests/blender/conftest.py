"""A real Blender with the add-on registered and an empty scene."""

from collections.abc import Iterator

import bpy
import pytest

import terrain_addon


@pytest.fixture
def blender() -> Iterator[None]:
    """An empty scene with the add-on at work in it."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    terrain_addon.register()
    yield
    terrain_addon.unregister()


@pytest.fixture
def land(blender: None) -> bpy.types.Object:
    """A small landscape made by the operator, active and selected."""
    assert bpy.ops.landscape.generate(preset="alpine", seed=3, resolution=65) == {"FINISHED"}
    return bpy.context.active_object

"""Glaciers of a land as an object: it appears with the ice, empties without it, and goes with the land."""

import bpy
import numpy as np
import pytest

from terrain_addon.blender.data.attributes import SNOW_COVER, read_floats, read_positions
from terrain_addon.blender.land.building import build_landscape
from terrain_addon.blender.land.land_objects import add_landscape
from terrain_addon.blender.look.ice_material import ICE_MATERIAL
from terrain_addon.blender.ui import terrain_panels
from terrain_addon.core.ice.glaciers import Glaciers
from tests.blender.recording_layout import drawn
from tests.mountains import mountains

# The same on every Blender: `build.py test --blender 4.2` runs it there.
pytestmark = pytest.mark.once

ALPS = mountains(resolution=65)


def add(line: float | None) -> bpy.types.Object:
    """A land whose ice begins at an altitude; without one it has none."""
    ice = Glaciers() if line is None else Glaciers(enabled=True, equilibrium_line_altitude=line)
    return add_landscape(bpy.context.scene.collection, build_landscape(ALPS.replace(glaciers=ice), extent="maps"))


def test_a_land_with_ice_has_an_object_for_it(blender: None) -> None:
    highest = max(vertex.co.z for vertex in add(None).data.vertices)
    assert add(None).landscape.glaciers is None
    land = add(highest - 400.0)
    ice = land.landscape.glaciers
    assert ice.parent == land and len(ice.data.polygons) > 0
    assert ice.data.materials[0].name == ICE_MATERIAL
    assert {"firn", "ice_strain", "ice_debris"} <= set(ice.data.attributes.keys())
    # Rock lies beside the ice, and not on the summits above it.
    moraine = -read_floats(land.data, SNOW_COVER)
    assert 0.1 < moraine.mean() < 0.8
    assert moraine[np.argmax(read_positions(land.data)[:, 2])] == 0.0
    bpy.context.view_layer.objects.active = land
    land.landscape.recipe.glaciers.enabled = False
    assert bpy.ops.landscape.update() == {"FINISHED"}
    assert len(ice.data.polygons) == 0
    assert not read_floats(land.data, SNOW_COVER).any()


def test_the_panel_of_water_holds_the_glaciers(land: bpy.types.Object) -> None:
    texts = drawn(terrain_panels.VIEW3D_PT_landscape_water).texts
    assert "Glaciers" in texts
    assert any(text.startswith("Equilibrium Line") for text in texts)

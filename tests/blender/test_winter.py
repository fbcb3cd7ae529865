"""The winter in Blender: its switch in the panel, the snow as an object, and the ground that shows where it lies."""

import math

import bpy
import numpy as np
import pytest

from terrain_addon.blender.data.attributes import DEPTH_OF_SNOW, SNOW_COVER, read_floats, read_positions
from terrain_addon.blender.look.map_view import maps_on
from terrain_addon.blender.ui import material_panel, terrain_panels
from terrain_addon.core.meshing.snow_mesh import drawn_snow_depth
from terrain_addon.core.snow.winter import SAID_BY_CLIMATE
from tests.blender.recording_layout import drawn

# The same on every Blender: `build.py test --blender 4.2` runs it there.
pytestmark = pytest.mark.once


def update(land: bpy.types.Object, **winter: float | bool) -> None:
    for name, value in winter.items():
        setattr(land.landscape.recipe.winter, name, value)
    assert bpy.ops.landscape.update() == {"FINISHED"}


def test_the_panel_of_water_holds_the_winter(land: bpy.types.Object) -> None:
    texts = drawn(terrain_panels.VIEW3D_PT_landscape_water).texts
    shown = {"Winter", "Day of Year", "Snowfall", "Valley in Winter (°C)", "Wind Drift", "Avalanches"}
    assert shown <= set(texts) and texts.count("Winter") == 1
    # What the climate says has no slider here.
    land.landscape.recipe.climate.enabled = True
    texts = drawn(terrain_panels.VIEW3D_PT_landscape_water).texts
    assert "Valley in Winter (°C)" not in texts and "Snowfall" in texts and len(SAID_BY_CLIMATE) == 4


def test_the_season_is_greyed_out_while_the_winter_says_the_day(land: bpy.types.Object) -> None:
    def can_be_changed() -> bool:
        calls = drawn(material_panel.VIEW3D_PT_landscape_material).calls
        (place,) = (n for n, (name, given) in enumerate(calls) if name == "prop" and given["property"] == "season")
        name, given = calls[place - 1]
        return name == "set enabled" and bool(given["value"])

    assert can_be_changed()
    land.landscape.recipe.winter.enabled = True
    assert not can_be_changed()


def test_snow_lies_on_the_land_and_melts(land: bpy.types.Object) -> None:
    assert land.landscape.snow is None and SNOW_COVER not in land.data.attributes
    update(land, enabled=True, day_of_year=40)
    snow = land.landscape.snow
    assert snow.parent == land and snow.name == f"{land.name} Snow" and snow.users_collection
    assert "snow_depth" in maps_on(land) and snow.data.materials[0].name == "Landscape Snow"
    depth = read_floats(land.data, "snow_depth")
    drawn = drawn_snow_depth(depth.reshape(math.isqrt(len(depth)), -1))
    np.testing.assert_allclose(read_floats(land.data, SNOW_COVER), drawn.ravel() + 1.0, rtol=1e-6)
    # Where snow is, its surface is that much above the ground.
    ground = {(round(x, 2), round(y, 2)): z for x, y, z in read_positions(land.data).tolist()}
    deep = read_floats(snow.data, DEPTH_OF_SNOW)
    above = np.array([z - ground[round(x, 2), round(y, 2)] for x, y, z in read_positions(snow.data).tolist()])
    assert deep.max() > 0.3
    np.testing.assert_allclose(above[deep > 0.1], deep[deep > 0.1], atol=1e-3)
    # No ground looks through: the triangles of the snow lie on those of the land.
    assert triangles_from_above(snow.data) <= triangles_from_above(land.data)
    # In summer it is gone, and the object waits for the next winter.
    update(land, day_of_year=235)
    assert (
        land.landscape.snow == snow
        and len(snow.data.vertices) == 0
        and (read_floats(land.data, SNOW_COVER) == 1.0).all()
    )
    update(land, day_of_year=40)
    assert len(snow.data.vertices) == len(deep)
    # Without a winter, the snow line says where the ground is white.
    update(land, enabled=False)
    assert len(snow.data.vertices) == 0 and (read_floats(land.data, SNOW_COVER) == 0.0).all()


def test_the_day_of_the_winter_is_the_season_of_leaves(land: bpy.types.Object) -> None:
    ground = next(
        node for node in land.data.materials[0].node_tree.nodes if node.type == "GROUP" and "Season" in node.inputs
    )
    before = ground.inputs["Season"].default_value
    update(land, enabled=True, day_of_year=32)
    assert abs(ground.inputs["Season"].default_value - 32 * 12.0 / 365.0) < 1e-5
    update(land, enabled=False)
    assert ground.inputs["Season"].default_value == before


def triangles_from_above(mesh: bpy.types.Mesh) -> set[frozenset[tuple[float, float]]]:
    """The triangles that Blender draws, as the places of their corners."""
    places = [(round(x, 2), round(y, 2)) for x, y, _ in read_positions(mesh).tolist()]
    mesh.calc_loop_triangles()
    return {frozenset(places[corner] for corner in one.vertices) for one in mesh.loop_triangles}

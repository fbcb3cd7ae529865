"""What is placed in the view, and what the view shows while somebody paints."""

from types import SimpleNamespace

import bpy
import pytest
from mathutils import Matrix, Vector

from terrain_addon.blender.data.properties import read_recipe
from terrain_addon.blender.land.recipes import give_recipe
from terrain_addon.blender.session.paint_view import follow_mode
from terrain_addon.blender.ui.centre_handle import (
    LANDSCAPE_GGT_layer_centre,
    centre_on_land,
    centred_source,
    move_centre,
)
from terrain_addon.blender.ui.width_handle import TRAVEL, pixel_at, set_share_of_width, share_of_width
from terrain_addon.core.building.layers import Relief
from terrain_addon.core.relief.volcano import Volcano

# The same on every Blender: `build.py test --blender 4.2` runs it there.
pytestmark = pytest.mark.once


def test_the_handle_of_a_volcano_is_at_its_vent_and_moves_it(land: bpy.types.Object) -> None:
    assert centred_source(land) is None and not LANDSCAPE_GGT_layer_centre.poll(bpy.context)
    volcano = Volcano(east=400.0, north=100.0, radius=200.0, crater_radius=10.0, height=90.0)
    give_recipe(land, read_recipe(land).replace(relief=Relief.of(volcano), erosion=(), origin_east=0.0))
    bpy.ops.landscape.update()
    assert LANDSCAPE_GGT_layer_centre.poll(bpy.context)
    assert tuple(centre_on_land(land))[:2] == pytest.approx((80.0, -220.0))  # from the middle of 640 m
    move_centre(land, Vector((-100.0, 50.0, 7.0)))
    bpy.ops.landscape.update()
    moved = read_recipe(land).relief.layers[0].source
    assert (moved.east, moved.north) == pytest.approx((220.0, 370.0))
    # The ground below the handle is the crater: the rim around it is higher.
    assert centre_on_land(land).z < max(corner[2] for corner in land.bound_box) - 20.0


def test_plants_are_hidden_while_somebody_paints(land: bpy.types.Object) -> None:
    plants = land.landscape.plants

    def change_mode(mode: str) -> bool:
        bpy.ops.object.mode_set(mode=mode)
        follow_mode(land)
        return bool(plants.hide_viewport)

    assert change_mode("WEIGHT_PAINT")
    plants.hide_viewport = False  # somebody wants to see them
    follow_mode(land)
    assert not plants.hide_viewport
    assert not change_mode("OBJECT")
    assert change_mode("WEIGHT_PAINT") and not plants.hide_render
    assert not change_mode("OBJECT")
    plants.hide_viewport = True  # hidden by the user before: it stays
    assert change_mode("WEIGHT_PAINT") and change_mode("OBJECT")


def test_the_handle_of_a_width_is_fine_and_stays_within_the_slider(land: bpy.types.Object) -> None:
    path = [{"name": "", "location": (east, 0.0, 0.0)} for east in (-100.0, 100.0)]
    bpy.ops.landscape.draw_feature(kind="river", path=path)
    river = bpy.context.view_layer.objects.active
    settings = river.landscape_feature.feature.river
    settings.width = 12.0
    begin = share_of_width(river)
    for pixels, least, most in ((50.0, 18.0, 25.0), (4000.0, 99.9, 100.1), (-4000.0, 0.99, 1.01), (0.0, 11.9, 12.1)):
        set_share_of_width(river, begin + pixels / TRAVEL)
        assert least < settings.width < most
    # A slider that begins at 0 has a handle, too.
    river.landscape_feature.feature.model = "road"
    set_share_of_width(river, 0.5)
    assert share_of_width(river) == pytest.approx(0.5)


def test_the_handle_of_a_width_travels_as_far_on_the_screen_from_near_and_from_afar() -> None:
    window = Matrix(((2.0, 0.0, 0.0, 0.0), (0.0, 3.0, 0.0, 0.0), (0.0, 0.0, -1.0, -0.2), (0.0, 0.0, -1.0, 0.0)))
    region = SimpleNamespace(width=1000)
    for away in (100.0, 5000.0):
        view = SimpleNamespace(window_matrix=window, perspective_matrix=window @ Matrix.Translation((0, 0, -away)))
        # The picture is away / 2.0 · 2 metres wide.
        assert pixel_at(Vector((0.0, 0.0, 0.0)), region, view) == pytest.approx(away / 1000.0)

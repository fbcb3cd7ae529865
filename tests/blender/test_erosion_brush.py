"""The erosion brush on a land: strokes change it at once, stay when it is made again, and can be undone."""

from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from mathutils import Vector

from terrain_addon.blender.data.mesh_heights import grid_shape, heights_of_grid
from terrain_addon.blender.data.properties import read_recipe
from terrain_addon.blender.land.canvas import Canvas
from terrain_addon.blender.operators.erosion_brush import LANDSCAPE_OT_erosion_brush, brush_status
from tests.blender.plain_operator import plain

# The same on every Blender: `build.py test --blender 4.2` runs it there.
pytestmark = pytest.mark.once

ALONG = [(-200.0, 0.0, 0.0), (0.0, 40.0, 0.0), (200.0, 0.0, 0.0)]


def heights(land: bpy.types.Object) -> np.ndarray:
    shape = grid_shape(land.data)
    assert shape is not None
    return heights_of_grid(land.data, shape)


def stroke(brush: str) -> set[str]:
    path = [{"name": "", "location": place} for place in ALONG]
    return bpy.ops.landscape.erosion_brush(brush=brush, radius=80.0, strength=1.0, stroke=path)


def test_a_stroke_changes_the_land_where_it_goes_and_stays(land: bpy.types.Object) -> None:
    before = heights(land)
    assert stroke("smooth") == {"FINISHED"}
    after = heights(land)
    changed = np.abs(after - before)
    assert changed[32, 12:52].max() > 1.0
    # 640 m in 64 cells: 15 cells from the stroke is beyond the radius.
    assert (changed[:20] == 0.0).all() and (changed[48:] == 0.0).all()
    bpy.ops.landscape.update()
    np.testing.assert_allclose(heights(land), after, atol=1e-3)


@pytest.mark.parametrize("key", ["ctrl", "oskey"])
def test_the_keys_of_an_undo_end_the_brush(blender: None, key: str) -> None:
    bpy.data.objects.new("Land", None)
    brush = SimpleNamespace(_circle=SimpleNamespace(land="Land"), _leave=lambda context, land: {"FINISHED"})
    event = SimpleNamespace(**{"type": "Z", "value": "PRESS", "ctrl": False, "oskey": False, key: True})
    assert LANDSCAPE_OT_erosion_brush.modal(brush, bpy.context, event) == {"FINISHED", "PASS_THROUGH"}


def test_the_status_line_names_each_key_with_what_it_does() -> None:
    said = brush_status("fill", 150.0, "Stream Power is off")
    for part in (
        "Stream Power is off",
        "Drag to fill",
        "1 Erode",
        "2 Fill",
        "3 Smooth",
        "[ smaller",
        "] larger (150 m)",
    ):
        assert part in said


def test_strokes_share_a_layer_until_something_else_acts(land: bpy.types.Object) -> None:
    layers = len(read_recipe(land).relief.layers)
    stroke("erode")
    first = heights(land)
    stroke("fill")
    second = heights(land)
    recipe = read_recipe(land)
    assert len(recipe.relief.layers) == layers + 1 and recipe.relief.layers[-1].name.startswith("Sculpted")
    assert (second != first).any()
    bpy.ops.landscape.update()
    np.testing.assert_allclose(heights(land), second, atol=1e-3)
    process = land.landscape.recipe.erosion.add()
    process.model = "thermal_erosion"
    bpy.ops.landscape.update()
    stroke("fill")
    recipe = read_recipe(land)
    assert len(recipe.relief.layers) == layers + 2


def test_what_was_drawn_does_not_act_twice(land: bpy.types.Object) -> None:
    far = {"ridge": [(-250.0, 200.0, 0.0), (250.0, 250.0, 0.0)], "pad": [(0.0, -200.0, 0.0), (90.0, -200.0, 0.0)]}
    far["pad"] += [(90.0, -250.0, 0.0), (0.0, -250.0, 0.0)]
    land.landscape.recipe.ecosystem.cover = 0.0  # plants take time, and nothing here
    before = heights(land)
    for kind, places in far.items():
        bpy.ops.landscape.draw_feature(kind=kind, path=[{"name": "", "location": place} for place in places])
        bpy.context.view_layer.objects.active = land
    bpy.ops.landscape.update()
    drawn = heights(land)
    assert (drawn - before)[52].max() > 100.0
    for _ in range(2):
        assert stroke("smooth") == {"FINISHED"}
        stroked = heights(land)
        bpy.ops.landscape.update()
        np.testing.assert_allclose(heights(land), stroked, atol=1e-3)
    np.testing.assert_allclose(heights(land)[48:], drawn[48:], atol=1e-3)
    assert {one.name: one.enabled for one in read_recipe(land).features} == {"Ridge": False, "Pad": True}
    # Drawn and stroked after that: the next stroke keeps it as well.
    bpy.data.objects["Ridge"].landscape_feature.feature.ridge.enabled = True
    bpy.ops.landscape.update()
    higher = heights(land)
    stroke("smooth")
    bpy.ops.landscape.update()
    assert (higher - drawn)[52].max() > 100.0 and np.abs(heights(land) - higher)[48:].max() < 1e-3


def test_a_stroke_can_be_undone(land: bpy.types.Object) -> None:
    bpy.ops.ed.undo_push(message="Land")
    before = heights(land)
    stroke("smooth")
    bpy.ops.ed.undo_push(message="Stroke")
    bpy.ops.ed.undo()
    found = bpy.data.objects["Alpine"]
    np.testing.assert_array_equal(heights(found), before)
    assert not any(layer.name.startswith("Sculpted") for layer in read_recipe(found).relief.layers)


def test_a_stroke_without_points_is_refused(land: bpy.types.Object) -> None:
    with pytest.raises(RuntimeError, match="stroke has no point on the land"):
        bpy.ops.landscape.erosion_brush(brush="fill")


def test_a_ray_meets_the_land_below_the_mouse(land: bpy.types.Object) -> None:
    canvas = Canvas(land)
    place = canvas.under(Vector((50.0, -80.0, 9000.0)), Vector((0.0, 0.0, -1.0)))
    assert place is not None and place.z == pytest.approx(canvas.height_at(place), abs=0.5 * canvas.cell_size + 12.0)
    aside = canvas.under(Vector((-5000.0, 0.0, 9000.0)), Vector((0.0, 0.0, -1.0)))
    assert aside is None


def test_the_first_stroke_says_what_it_switches_off_and_where_it_is(
    land: bpy.types.Object, capfd: pytest.CaptureFixture[str]
) -> None:
    land.landscape.recipe.ecosystem.cover = 0.0
    for model in ("stream_power", "river_beds"):
        land.landscape.recipe.erosion.add().model = model
    bpy.ops.landscape.draw_feature(kind="river", path=[{"name": "", "location": place} for place in ALONG])
    bpy.context.view_layer.objects.active = land
    assert stroke("smooth") == {"FINISHED"}
    said = "are off until you switch them on again: Stream Power, River Beds (panel Erosion), River (panel Draw)"
    assert said in capfd.readouterr().out
    # Weathering, which stays on, is not among them, and the second stroke switches nothing off.
    assert stroke("smooth") == {"FINISHED"}
    assert "Kept the strokes as layer Sculpted 1" in capfd.readouterr().out


def test_the_status_bar_says_it_while_the_brush_is_held(land: bpy.types.Object) -> None:
    land.landscape.recipe.ecosystem.cover = 0.0
    land.landscape.recipe.erosion.add().model = "stream_power"
    canvas, reported, shown = Canvas(land), [], []
    canvas.stroke_to(Vector(ALONG[0]), 80.0, 1.0, "smooth")
    canvas.stroke_to(Vector(ALONG[1]), 80.0, 1.0, "smooth")
    brush = plain(
        LANDSCAPE_OT_erosion_brush,
        _canvas=canvas,
        _loss="",
        _circle=SimpleNamespace(land=land.name, forget_canvas=lambda: None),
        brush="smooth",
        radius=80.0,
        report=lambda kinds, text: reported.append(text),
    )
    context = SimpleNamespace(workspace=SimpleNamespace(status_text_set=shown.append))
    release = SimpleNamespace(type="LEFTMOUSE", value="RELEASE", ctrl=False, oskey=False)
    assert brush.modal(context, release) == {"RUNNING_MODAL"}
    assert len(reported) == 1 and "Stream Power (panel Erosion)" in reported[0]
    assert shown[0].startswith(reported[0]) and "Drag to smooth" in shown[0]

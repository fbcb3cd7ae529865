"""Masks that users paint: chosen by name, painted with a brush, followed at once, kept, and never silently wrong."""

import time

import bpy
import numpy as np
import pytest

from terrain_addon.blender import compat
from terrain_addon.blender.data.attributes import read_positions, set_attribute
from terrain_addon.blender.data.mesh_heights import heights_of_grid
from terrain_addon.blender.data.vertex_weights import group_weights
from terrain_addon.blender.land.sculpting import note_hands
from terrain_addon.blender.plants import plant_masks
from terrain_addon.blender.session import following
from terrain_addon.blender.session.following import follow_all, notice_change, notice_paint
from terrain_addon.blender.session.land_states import status_of
from terrain_addon.blender.ui import main_panel, plants_panel, terrain_panels
from tests.blender.recording_layout import Layout, drawn

# The same on every Blender: `build.py test --blender 4.2` runs it there.
pytestmark = pytest.mark.once

SIDE = 65
WEST = [row * SIDE + column for row in range(SIDE) for column in range(SIDE // 2)]
EAST = [row * SIDE + column for row in range(SIDE) for column in range(SIDE // 2, SIDE)]


@pytest.fixture
def hill(land: bpy.types.Object) -> bpy.types.PropertyGroup:
    """A layer of 500 m that acts where something is painted."""
    relief = land.landscape.recipe.relief
    layer = relief.layers.add()
    layer.name, layer.blend = "Hill", "add"
    layer.source.fractal_noise.base_altitude, layer.source.fractal_noise.height = 500.0, 0.0
    layer.mask.model = "painted_mask"
    relief.layers_index = len(relief.layers) - 1
    bpy.ops.landscape.update()
    return layer


def path(layer: bpy.types.PropertyGroup) -> str:
    return str(layer.mask.painted_mask.path_from_id())


def heights(land: bpy.types.Object) -> np.ndarray:
    return heights_of_grid(land.data, (SIDE, SIDE)).copy()


def settle() -> None:
    """Call the timer until nothing is left to do, as Blender does in a window."""
    deadline = time.monotonic() + 60.0
    while follow_all() is not None:
        assert time.monotonic() < deadline
        time.sleep(0.005)


def relief_panel() -> Layout:
    return drawn(terrain_panels.VIEW3D_PT_landscape_relief)


def said(layout: Layout) -> str:
    return " ".join(layout.texts)


def test_the_button_opens_weight_paint_with_the_right_group(land: bpy.types.Object, hill: bpy.types.Object) -> None:
    assert bpy.ops.landscape.paint_mask(path=path(hill)) == {"FINISHED"}
    assert land.mode == "WEIGHT_PAINT"
    assert land.vertex_groups.active.name == "Mask"
    assert hill.mask.painted_mask.key == "group:Mask"
    # Again, for another group: none is made twice.
    hill.mask.painted_mask.key = "group:Meadow"
    bpy.ops.landscape.paint_mask(path=path(hill))
    bpy.ops.landscape.paint_mask(path=path(hill))
    assert [group.name for group in land.vertex_groups] == ["Mask", "Meadow"]
    assert land.vertex_groups.active.name == "Meadow"


def test_the_land_follows_the_brush_in_weight_paint(land: bpy.types.Object, hill: bpy.types.Object) -> None:
    bpy.ops.landscape.paint_mask(path=path(hill))
    notice_change(land)
    settle()
    before = heights(land)
    land.vertex_groups["Mask"].add(WEST, 1.0, "REPLACE")
    notice_paint(land)  # the handler does this after a stroke
    settle()
    rise = heights(land) - before
    assert rise[:, :31].min() > 400.0 and np.abs(rise[:, 33:]).max() < 1.0
    assert status_of(land) == ""


def test_a_renamed_group_that_is_painted_again_changes_the_land(land: bpy.types.Object, hill: bpy.types.Object) -> None:
    """As users do it without the button: Weight Paint makes a group called Group, and they rename it."""
    before = heights(land)
    notice_change(land)
    group = land.vertex_groups.new(name="Group")
    group.add(WEST, 1.0, "REPLACE")
    notice_paint(land)
    settle()
    group.name = "Mask"
    notice_paint(land)
    settle()
    assert (heights(land) - before)[:, :31].min() > 400.0


def test_without_live_a_stroke_leaves_the_land_out_of_date(land: bpy.types.Object, hill: bpy.types.Object) -> None:
    bpy.ops.landscape.paint_mask(path=path(hill))
    bpy.ops.object.mode_set(mode="OBJECT")
    notice_change(land)
    settle()
    bpy.context.window_manager.landscape_live = False
    land.vertex_groups["Mask"].add(WEST, 1.0, "REPLACE")
    notice_paint(land)
    settle()
    assert status_of(land) == "Out of date"
    bpy.ops.landscape.update()
    assert status_of(land) == ""


def test_nothing_is_computed_after_a_change_that_is_no_painting(
    land: bpy.types.Object, hill: bpy.types.Object, monkeypatch: pytest.MonkeyPatch
) -> None:
    bpy.ops.landscape.paint_mask(path=path(hill))
    land.vertex_groups["Mask"].add(WEST, 0.5, "REPLACE")
    notice_paint(land)
    settle()
    built: list[str] = []
    for task in ("full_task", "preview_task"):
        monkeypatch.setattr(following, task, lambda *_: built.append("again"))
    notice_paint(land)
    settle()
    assert built == []


def test_painted_weights_survive_another_resolution(land: bpy.types.Object, hill: bpy.types.Object) -> None:
    group = land.vertex_groups.new(name="Mask")
    group.add(WEST, 0.5, "REPLACE")
    land.landscape.recipe.resolution = 129
    bpy.ops.landscape.update()
    weights = group_weights(land, "Mask")
    assert weights is not None and len(weights) == 129 * 129
    fine = weights.reshape(129, 129)
    np.testing.assert_allclose(fine[:, :62], 0.5, atol=0.005)
    assert fine[:, 66:].max() == 0.0
    assert status_of(land) == ""


def test_the_panel_shows_the_name_and_not_the_key(land: bpy.types.Object, hill: bpy.types.Object) -> None:
    land.vertex_groups.new(name="Mask")
    texts = relief_panel().texts
    assert "Mask" in texts and not any("group:" in text for text in texts)


def test_a_mask_without_a_group_is_red_and_says_so(land: bpy.types.Object, hill: bpy.types.Object) -> None:
    layout = relief_panel()
    assert "This land has no vertex group called 'Mask'" in said(layout)
    assert ("set alert", {"value": True}) in layout.calls
    land.vertex_groups.new(name="Mask")
    layout = relief_panel()
    assert "no vertex group" not in said(layout) and ("set alert", {"value": True}) not in layout.calls


def test_groups_and_attributes_can_be_chosen(land: bpy.types.Object, hill: bpy.types.Object) -> None:
    land.vertex_groups.new(name="Meadow")
    land.data.attributes.new("Wetness", "FLOAT", "POINT")
    for key in ("group:Meadow", "attribute:Wetness"):
        assert bpy.ops.landscape.choose_input(path=path(hill), kind="MASK", key=key) == {"FINISHED"}
        assert hill.mask.painted_mask.key == key
    with pytest.raises(TypeError, match="slope"):
        bpy.ops.landscape.choose_input(path=path(hill), kind="MASK", key="attribute:slope")


def test_heights_of_other_meshes_can_be_chosen(land: bpy.types.Object, hill: bpy.types.Object) -> None:
    bpy.ops.mesh.primitive_cone_add()
    bpy.context.view_layer.objects.active = land
    hill.source.model = "stored_heights"
    source = str(hill.source.stored_heights.path_from_id())
    assert "Nothing is chosen here yet" in said(relief_panel())
    bpy.ops.landscape.choose_input(path=source, kind="HEIGHTS", key="mesh:Cone")
    assert "Cone" in relief_panel().texts


def test_a_wrong_path_is_refused(land: bpy.types.Object, hill: bpy.types.Object) -> None:
    with pytest.raises(RuntimeError, match="Path = 'nowhere' leads to no mask"):
        bpy.ops.landscape.paint_mask(path="nowhere")


def test_a_collection_that_is_not_there_is_red_and_says_so(land: bpy.types.Object) -> None:
    species = land.landscape.recipe.ecosystem.species[0]
    species.collection = "My Treees"
    layout = drawn(plants_panel.VIEW3D_PT_landscape_plants)
    assert "There is no collection called 'My Treees'" in said(layout)
    bpy.data.collections.new("My Treees")
    assert "There is no collection" not in said(drawn(plants_panel.VIEW3D_PT_landscape_plants))


@pytest.mark.parametrize("mode", ["SCULPT", "WEIGHT_PAINT", "EDIT"])
def test_a_surface_can_be_kept_while_it_is_sculpted(land: bpy.types.Object, mode: str) -> None:
    places = np.empty(3 * SIDE * SIDE, np.float32)
    attribute = land.data.attributes["position"].data
    attribute.foreach_get("vector", places)
    places[2::3] += 77.0
    attribute.foreach_set("vector", places)
    bpy.ops.object.mode_set(mode=mode)
    assert bpy.ops.landscape.keep_sculpt.poll()
    assert bpy.ops.landscape.keep_sculpt() == {"FINISHED"}
    assert land.mode == "OBJECT"
    bpy.ops.landscape.update()
    np.testing.assert_allclose(heights(land).ravel(), places[2::3], atol=1e-3)


def test_the_button_for_a_sculpted_surface_is_greyed_out_until_there_is_one(land: bpy.types.Object) -> None:
    def looks_ready() -> bool:
        calls = drawn(terrain_panels.VIEW3D_PT_landscape_relief).calls
        place = next(n for n, (_, given) in enumerate(calls) if given.get("operator") == "landscape.keep_sculpt")
        return bool(calls[place - 1][1]["value"])

    assert not looks_ready()
    bpy.ops.object.mode_set(mode="SCULPT")
    note_hands(land)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert looks_ready()
    land.landscape.recipe.seed += 1
    bpy.ops.landscape.update()
    assert not looks_ready()


def with_rain(land: bpy.types.Object) -> bpy.types.PropertyGroup:
    """The settings of stream power at the end of the erosion of a land."""
    process = land.landscape.recipe.erosion.add()
    process.model = "stream_power"
    bpy.ops.landscape.update()
    return process.stream_power


@pytest.mark.parametrize(
    "purpose, slot, begin", [("RAIN", "rain", 1.0), ("HARDNESS", "hardness", 0.0), ("EROSION", "mask", 1.0)]
)
def test_paint_buttons_connect_and_change_nothing_before_the_first_stroke(
    land: bpy.types.Object, purpose: str, slot: str, begin: float
) -> None:
    process = with_rain(land)
    before = heights(land)
    assert bpy.ops.landscape.paint(purpose=purpose) == {"FINISHED"}
    mask, group = getattr(process, slot), land.vertex_groups.active
    assert land.mode == "WEIGHT_PAINT"
    assert (mask.model, mask.painted_mask.key) == ("painted_mask", f"group:{group.name}")
    assert group_weights(land, group.name).min() == group_weights(land, group.name).max() == begin
    assert compat.brush_settings(bpy.context).weight == 1.0 - begin
    notice_change(land)
    settle()
    np.testing.assert_allclose(heights(land), before, atol=0.01)
    group.add(WEST, 1.0 - begin, "REPLACE")
    notice_paint(land)
    settle()
    assert np.abs(heights(land) - before)[:, :30].max() > 1.0
    assert bpy.ops.object.mode_set(mode="OBJECT") == {"FINISHED"}
    bpy.ops.landscape.forget_paint(purpose=purpose)
    bpy.ops.landscape.update()
    assert mask.model == "everywhere" and len(land.vertex_groups) == 0
    np.testing.assert_array_equal(heights(land), before)


def test_a_layer_is_painted_away(land: bpy.types.Object, hill: bpy.types.PropertyGroup) -> None:
    hill.mask.model = "everywhere"
    bpy.ops.landscape.update()
    before = heights(land)
    bpy.ops.landscape.paint(purpose="LAYER")
    land.vertex_groups.active.add(WEST, 0.0, "REPLACE")
    notice_change(land)
    notice_paint(land)
    settle()
    sunk = before - heights(land)
    assert sunk[:, :31].min() > 400.0 and np.abs(sunk[:, 33:]).max() < 1.0


def test_no_plants_takes_over_what_was_cleared_at_the_cursor(land: bpy.types.Object) -> None:
    bpy.context.scene.cursor.location = (0.0, 0.0, 0.0)
    bpy.ops.landscape.remove_plants(radius=100.0)
    assert bpy.ops.landscape.paint(purpose="NO_PLANTS") == {"FINISHED"}
    weights = group_weights(land, "No Plants").reshape(SIDE, SIDE)
    assert weights[32, 32] == 1.0 and weights[0, 0] == 0.0
    # Erased with the brush, plants come back: nothing else keeps them away.
    land.vertex_groups["No Plants"].add(range(SIDE * SIDE), 0.0, "REPLACE")
    bpy.ops.object.mode_set(mode="OBJECT")
    assert plant_masks.plant_masks(land) == (None, None)


def test_a_species_grows_where_it_is_painted(land: bpy.types.Object) -> None:
    species = land.landscape.recipe.ecosystem.species
    while len(species) > 1:
        species.remove(len(species) - 1)
    land.landscape.recipe.ecosystem.species_index = 0
    bpy.ops.landscape.update()
    before = read_positions(land.landscape.plants.data)
    assert bpy.ops.landscape.paint_species() == {"FINISHED"}
    name = species[0].painted_map
    assert land.vertex_groups.active.name == name == species[0].name
    # To open the brush takes no plant away; its strokes do.
    assert compat.brush_settings(bpy.context).weight == 0.0
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.landscape.update()
    np.testing.assert_array_equal(read_positions(land.landscape.plants.data), before)
    land.vertex_groups.active.add(EAST, 0.0, "REPLACE")
    bpy.ops.landscape.update()
    places = read_positions(land.landscape.plants.data)
    assert len(places) > 10 and places[:, 0].max() < 20.0
    assert name in drawn(plants_panel.VIEW3D_PT_landscape_plants).texts


def test_a_painted_attribute_becomes_a_vertex_group(land: bpy.types.Object, hill: bpy.types.PropertyGroup) -> None:
    values = np.linspace(0.0, 1.0, SIDE * SIDE, dtype=np.float32)
    set_attribute(land.data, "Meadow", values)
    hill.mask.painted_mask.key = "attribute:Meadow"
    bpy.ops.landscape.paint_mask(path=path(hill))
    assert hill.mask.painted_mask.key == "group:Meadow" and "Meadow" not in land.data.attributes
    np.testing.assert_allclose(group_weights(land, "Meadow"), values, atol=0.003)


def test_the_brush_says_what_its_colours_mean(land: bpy.types.Object) -> None:
    bpy.ops.landscape.paint(purpose="NO_PLANTS")
    text = said(drawn(main_panel.VIEW3D_PT_landscape))
    assert "Painting No Plants" in text and "Red: no plant stands here" in text and "Done" in text


def test_rain_without_a_process_that_follows_it_is_refused(land: bpy.types.Object) -> None:
    with pytest.raises(RuntimeError, match="No process of erosion that is on follows rain"):
        bpy.ops.landscape.paint(purpose="RAIN")
    assert len(land.vertex_groups) == 0 and land.mode == "OBJECT"


def test_a_painted_attribute_is_not_looked_at_in_edit_mode_and_counts_after_it(
    land: bpy.types.Object, hill: bpy.types.PropertyGroup
) -> None:
    set_attribute(land.data, "Massif", np.zeros(SIDE * SIDE, np.float32))
    hill.mask.painted_mask.key = "attribute:Massif"
    bpy.ops.landscape.update()
    before = heights(land)
    set_attribute(land.data, "Massif", np.ones(SIDE * SIDE, np.float32))
    bpy.ops.object.mode_set(mode="EDIT")
    notice_change(land)
    notice_paint(land)
    settle()
    bpy.ops.object.mode_set(mode="OBJECT")
    notice_paint(land)
    settle()
    np.testing.assert_allclose(heights(land) - before, 500.0, atol=1.0)

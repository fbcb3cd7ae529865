"""What viewports show of more plants than they can draw, and what the panel says of it."""

from typing import Any

import blf
import bpy
import numpy as np
import pytest

from terrain_addon.blender import compat
from terrain_addon.blender.look.plant_materials import CROWN_SHARE
from terrain_addon.blender.plants import viewport_clumps
from terrain_addon.blender.plants.scatter_inputs import SHARE_INPUT
from terrain_addon.blender.plants.scatter_modifier import scatter_modifier
from terrain_addon.blender.ui import plants_panel
from tests.blender.recording_layout import drawn

# The same on every Blender: `build.py test --blender 4.2` runs it there.
pytestmark = pytest.mark.once


def show_share(land: bpy.types.Object, share: float) -> None:
    compat.set_modifier_input(scatter_modifier(land.landscape.plants), SHARE_INPUT, share)


def seen(land: bpy.types.Object) -> tuple[int, np.ndarray, np.ndarray]:
    """How many models of plants the viewport shows; and the places and radii of its points."""
    plants, models = land.landscape.plants, 0
    places, radii = np.empty((0, 3), np.float32), np.empty(0, np.float32)
    for one in bpy.context.evaluated_depsgraph_get().object_instances:
        if one.is_instance and one.parent.original == plants:
            models += one.object.type == "MESH"
            if one.object.type == "POINTCLOUD":
                values = one.object.data.attributes
                places = np.empty((len(values["position"].data), 3), np.float32)
                radii = np.empty(len(places), np.float32)
                values["position"].data.foreach_get("vector", places.ravel())
                values["radius"].data.foreach_get("value", radii)
    return models, places, radii * np.float32(CROWN_SHARE)


def crowns(land: bpy.types.Object) -> np.ndarray:
    values = np.empty(len(land.landscape.plants.data.vertices), np.float32)
    land.landscape.plants.data.attributes["radius"].data.foreach_get("value", values)
    return values


def test_plants_that_are_not_shown_as_models_are_points(land: bpy.types.Object) -> None:
    count = len(land.landscape.plants.data.vertices)
    show_share(land, 25.0)
    models, places, radii = seen(land)
    assert 0.2 * count < models < 0.3 * count
    assert models + len(places) == count
    # They stand on the ground and not at altitude 0.
    assert np.ptp(places[:, 2]) > 50.0
    # Each has the radius of the crown that stands there; it is stored divided by a share and multiplied again here.
    stands = np.empty((count, 3), np.float32)
    land.landscape.plants.data.vertices.foreach_get("co", stands.ravel())
    radius_at = dict(zip(map(bytes, stands[:, :2]), crowns(land).tolist(), strict=True))
    expected = [radius_at[bytes(place)] for place in places[:, :2]]
    np.testing.assert_allclose(radii, expected, rtol=1e-6)


def test_few_points_cover_the_area_of_many_crowns(land: bpy.types.Object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(viewport_clumps, "MOST_CLUMPS", 500)
    for group in [g for g in bpy.data.node_groups if g.name == "Landscape Plants"]:
        bpy.data.node_groups.remove(group)
    bpy.ops.landscape.scatter_plants()
    show_share(land, 10.0)
    _, places, radii = seen(land)
    assert 430 < len(places) < 570
    whole = 0.9 * float((crowns(land) ** 2).sum())
    assert float((radii**2).sum()) == pytest.approx(whole, rel=0.15)


def test_all_plants_leave_no_points(land: bpy.types.Object) -> None:
    show_share(land, 100.0)
    models, places, _ = seen(land)
    assert models == len(land.landscape.plants.data.vertices) and len(places) == 0


def test_the_panel_says_how_many_plants_the_viewport_shows(land: bpy.types.Object) -> None:
    count = len(land.landscape.plants.data.vertices)
    show_share(land, 25.0)
    layout = drawn(plants_panel.VIEW3D_PT_landscape_plants)
    assert f"{round(0.25 * count):,} of {count:,} shown" in layout.texts
    # The tooltip says the rest.
    socket = scatter_modifier(land.landscape.plants).node_group.interface.items_tree[SHARE_INPUT]
    assert "a render shows all" in socket.description
    share = compat.shown_input(scatter_modifier(land.landscape.plants), SHARE_INPUT)[1]
    sliders = [given for name, given in layout.calls if name == "prop" and given["property"] == share]
    assert len(sliders) == 1 and sliders[0]["slider"] and sliders[0]["text"] == "Shown in View"
    assert socket.subtype == "PERCENTAGE"
    show_share(land, 100.0)
    layout = drawn(plants_panel.VIEW3D_PT_landscape_plants)
    assert f"All {count:,} plants shown" in layout.texts


@pytest.mark.once
def test_the_number_of_plants_fits_beside_its_slider(land: bpy.types.Object) -> None:
    blf.size(0, 11)  # of the theme
    land.landscape.plants.data.vertices.add(1_490_000)
    for share in (2.0, 66.0, 100.0):
        show_share(land, share)
        text = next(t for t in drawn(plants_panel.VIEW3D_PT_landscape_plants).texts if "shown" in t)
        # In a sidebar as it comes Blender 5.2 cut a text of 157 pixels off after 134.
        assert "M" in text and blf.dimensions(0, text)[0] <= 140.0, text


def test_a_stale_count_has_no_check_mark(land: bpy.types.Object, monkeypatch: pytest.MonkeyPatch) -> None:
    def icon() -> Any:
        calls = drawn(plants_panel.VIEW3D_PT_landscape_plants).calls
        return next(given["icon"] for name, given in calls if name == "label" and "shown" in given["text"])

    assert icon() == "CHECKMARK"
    monkeypatch.setattr(plants_panel, "is_stale", lambda land, what: what == "plants")
    assert icon() == "TIME"


def test_a_land_without_plants_says_so(land: bpy.types.Object, monkeypatch: pytest.MonkeyPatch) -> None:
    def said() -> str:
        return " ".join(drawn(plants_panel.VIEW3D_PT_landscape_plants).texts)

    land.landscape.plants.data.clear_geometry()
    assert "No plant of these species stands here. It may be too high" in said()
    monkeypatch.setattr(plants_panel, "is_stale", lambda land, what: what == "plants")
    assert "No plant of these species stood here before the last change" in said()


@pytest.mark.parametrize("operator", ["export", "export_package", "import_elevation", "bake_textures"])
def test_the_button_of_the_file_browser_is_not_cut_off(blender: None, operator: str) -> None:
    """It has room for about 18 letters."""
    assert len(getattr(bpy.ops.landscape, operator).get_rna_type().name) <= 18


@pytest.mark.once
def test_a_biome_with_very_many_plants_does_not_fill_the_viewport(land: bpy.types.Object) -> None:
    show_share(land, 100.0)
    plants = land.landscape.plants
    before = len(plants.data.vertices)
    bpy.ops.landscape.apply_biome(biome="savanna")
    bpy.ops.landscape.update()
    after = len(plants.data.vertices)
    share = compat.modifier_input(scatter_modifier(plants), SHARE_INPUT)
    assert after > 100_000 > 4 * before and 0.01 * share * after <= 25_000 + 1
    # Where few are left all are shown again, unless somebody has chosen how many.
    for cover, chosen in ((0.02, None), (0.0, 60.0)):
        if chosen is not None:
            show_share(land, chosen)
        land.landscape.recipe.ecosystem.cover = cover
        bpy.ops.landscape.update()
        assert (len(plants.data.vertices) > 100) == (cover > 0.0) and len(plants.data.vertices) < 25_000
        assert compat.modifier_input(scatter_modifier(plants), SHARE_INPUT) == (chosen or 100.0)


def test_the_panel_offers_to_cull_what_eevee_would_render(
    land: bpy.types.Object, monkeypatch: pytest.MonkeyPatch
) -> None:
    def offers() -> bool:
        calls = drawn(plants_panel.VIEW3D_PT_landscape_plants).calls
        return any(name == "operator" and given["operator"] == "landscape.cull_plants" for name, given in calls)

    scene = bpy.context.scene
    scene.render.engine = compat.EEVEE
    assert not offers()  # few plants need little memory
    monkeypatch.setattr(plants_panel, "EEVEE_MANY", 1)
    assert offers()
    scene.render.engine = "CYCLES"
    assert not offers()
    scene.render.engine = compat.EEVEE
    if scene.camera is None:
        scene.camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    bpy.ops.landscape.cull_plants()
    assert not offers()

"""Where users find and pick things: menus, dropped files, names to choose from."""

from pathlib import Path
from typing import Any

import bpy
import pytest

from terrain_addon import core
from terrain_addon.blender.data.properties import read_recipe
from terrain_addon.blender.operators import plants, recipes
from terrain_addon.blender.ui import main_panel, panels
from tests.blender.recording_layout import Around, Layout, drawn

# The same on every Blender: `build.py test --blender 4.2` runs it there.
pytestmark = pytest.mark.once

RIVER = core.River(name="Inn", points=((20.0, 320.0), (620.0, 320.0)))


def entries(menu: str) -> list[str]:
    """The operators that our entries in one of Blender's menus start."""
    layout = Layout()
    for name, draw in panels.MENU_ENTRIES:
        if name == menu:
            draw(type("Menu", (), {"layout": layout}), bpy.context)
    return [given["operator"] for name, given in layout.calls if "operator" in given]


def test_exporters_and_importers_are_in_the_menu_file(land: bpy.types.Object) -> None:
    exporters = ["landscape.export", "landscape.export_package", "landscape.export_planet"]
    assert entries("TOPBAR_MT_file_export") == exporters
    assert "landscape.generate_from_recipe" in entries("TOPBAR_MT_file_import")


def test_meshes_can_be_planted_from_the_menu_object_and_the_sidebar(blender: None) -> None:
    assert entries("VIEW3D_MT_object") == []
    bpy.ops.mesh.primitive_plane_add()
    assert entries("VIEW3D_MT_object") == ["landscape.plant_on_mesh"]
    seen = [given.get("operator") for _, given in drawn(main_panel.VIEW3D_PT_landscape).calls]
    assert "landscape.plant_on_mesh" in seen and "landscape.generate_from_mesh" in seen


def test_names_are_offered(land: bpy.types.Object) -> None:
    land.vertex_groups.new(name="Meadow")
    assert plants.offered_densities(None, bpy.context, "")[0] == "Meadow"
    assert "slope" in plants.offered_densities(None, bpy.context, "")
    named = [species.name for species in read_recipe(land).ecosystem.species]
    assert plants.offered_species(None, bpy.context, "") == named


def handler_of(context: Any) -> list[str]:
    found = (recipes.LANDSCAPE_FH_recipe_of_land, recipes.LANDSCAPE_FH_recipe_of_new_land)
    return [one.bl_import_operator for one in found if one.poll_drop(context)]


def test_a_dropped_recipe_goes_to_the_active_land_or_makes_one(land: bpy.types.Object) -> None:
    view = Around(area=type("Area", (), {"type": "VIEW_3D"}))
    assert handler_of(view) == ["landscape.load_recipe"]
    # Another mesh is active, not a camera or a lamp, which leave the land in the panel.
    bpy.ops.object.camera_add()
    assert handler_of(view) == ["landscape.load_recipe"]
    bpy.ops.mesh.primitive_plane_add()
    assert handler_of(view) == ["landscape.generate_from_recipe"]
    assert handler_of(Around(area=type("Area", (), {"type": "OUTLINER"}))) == []


def test_a_recipe_makes_a_land_with_its_features(land: bpy.types.Object, tmp_path: Path) -> None:
    path = tmp_path / "inn_valley.json"
    path.write_text(read_recipe(land).replace(features=(RIVER,), resolution=33).dumps())
    # As a drop does: the operator is invoked with the file.
    assert bpy.ops.landscape.generate_from_recipe("INVOKE_DEFAULT", filepath=str(path)) == {"FINISHED"}
    new = bpy.data.objects["Inn Valley"]
    assert len(new.data.vertices) == 33**2
    assert [one.name for one in read_recipe(new).features] == ["Inn"] and bpy.data.objects["Inn"].parent == new


def test_a_dropped_recipe_that_is_none_is_refused(land: bpy.types.Object, tmp_path: Path) -> None:
    path = tmp_path / "recipe.json"
    path.write_text("[]")
    before = read_recipe(land)
    with pytest.raises(RuntimeError, match=r"recipe\.json"):
        bpy.ops.landscape.load_recipe("INVOKE_DEFAULT", filepath=str(path))
    assert read_recipe(land) == before

"""Files that earlier versions really wrote open, keep what was set, and build; see tests/data/old_files."""

import json
import re
from pathlib import Path

import bpy
import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.blender import compat
from terrain_addon.blender.data.attributes import read_positions
from terrain_addon.blender.data.properties import read_recipe
from terrain_addon.blender.session.following import notice_change
from terrain_addon.blender.session.land_states import problems_of, status_of
from tests.blender.test_data_life import settle

OLD_FILES = Path(__file__).resolve().parents[1] / "data" / "old_files"
SCHEMAS = (1, 2, 3, 4)


def recipe_of(schema: int) -> core.Recipe:
    """The recipe that the version with this schema wrote as JSON beside its file."""
    return core.Recipe.loads((OLD_FILES / f"schema_{schema}.json").read_text(encoding="utf-8"))


def opened(schema: int) -> bpy.types.Object:
    """The landscape in the file of this schema."""
    bpy.ops.wm.open_mainfile(filepath=str(OLD_FILES / f"schema_{schema}.blend"))
    return bpy.data.objects["Alpine"]


@pytest.mark.once
@pytest.mark.parametrize("schema", SCHEMAS)
def test_old_recipes_keep_what_they_say_and_build(schema: int) -> None:
    recipe = recipe_of(schema)
    assert (recipe.seed, recipe.width, recipe.resolution, recipe.appearance.snow_line) == (7, 90.0, 33, 1234.0)
    assert [species.name for species in recipe.ecosystem.species] == ["juniper"]
    land = core.build(recipe)
    assert np.isfinite(land.terrain.surface).all() and len(land.plants) > 0


@pytest.mark.parametrize("schema", SCHEMAS)
def test_old_files_open_and_follow_their_sliders(blender: None, schema: int) -> None:
    land = opened(schema)
    # Schema 1 stored no JSON: properties of Blender keep the names that have not changed since.
    kept = read_recipe(land)
    assert (kept.seed, kept.width, kept.resolution, kept.appearance.snow_line) == (7, 90.0, 33, 1234.0)
    assert [species.name for species in kept.ecosystem.species] == ["juniper"]
    if schema > 1:
        assert kept == recipe_of(schema)
    assert len(compat.keyframe_curves(land.animation_data)) == 1
    settle()
    land.landscape.recipe.seed = 8
    notice_change(land)
    settle()
    assert problems_of(land) == () and status_of(land) == ""
    fine = core.build(read_recipe(land), extent="terrain").terrain.surface
    np.testing.assert_array_equal([v.co.z for v in land.data.vertices], fine.ravel())


@pytest.mark.once
def test_recipes_of_a_newer_version_are_refused_politely() -> None:
    newer = json.loads((OLD_FILES / "schema_4.json").read_text(encoding="utf-8")) | {"schema": 5}
    with pytest.raises(ValueError, match="schema = 5 is none of the versions that this extension reads, 1 to 4"):
        core.Recipe.loads(json.dumps(newer))


def test_the_tutorial_opens_and_its_steps_can_be_done(blender: None) -> None:
    path = Path(__file__).resolve().parents[2] / "docs" / "examples" / "tutorial.blend"
    bpy.ops.wm.open_mainfile(filepath=str(path))
    land = bpy.context.view_layer.objects.active
    assert land.name == "Tutorial" and status_of(land) == "" and problems_of(land) == ()
    before = read_positions(land.data)
    # The brook is a curve whose points can be moved.
    point = bpy.data.objects["Brook"].data.splines[0].points[1]
    point.co.x += 400.0
    assert bpy.ops.landscape.update() == {"FINISHED"}
    assert np.abs(read_positions(land.data) - before).max() > 1.0
    assert bpy.ops.landscape.scatter_plants() == {"FINISHED"}
    assert bpy.ops.landscape.next_view(view="valley") == {"FINISHED"}
    # What the text calls by name is there.
    said = set(re.findall(r'"([^"]+)"', bpy.data.texts["Steps"].as_string()))
    types = [getattr(bpy.types, name) for name in dir(bpy.types) if "landscape" in name.lower()]
    labels = {getattr(one, "bl_label", "") for one in types}
    others = {"Landscape", "Features", "Brook", "Plant", "Road", "First landscape in five minutes", "Paint No Plants"}
    assert said - labels - others == {"Strength", "Plant Cover", "Time of Day", "Resolution"}

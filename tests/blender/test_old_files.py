"""Files that earlier versions really wrote open, keep what was set, and build; see tests/data/old_files."""

import json
from pathlib import Path

import bpy
import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.blender import compat
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

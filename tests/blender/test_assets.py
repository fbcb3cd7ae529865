"""Own assets: a library for the asset browser, and biomes that are put on any land."""

from pathlib import Path

import bpy
import pytest

from terrain_addon.blender.data import preferences
from terrain_addon.blender.data.properties import read_recipe
from terrain_addon.blender.land import asset_library
from terrain_addon.core.ecosystem.plant_form import PlantForm


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the library goes, instead of the folder of the user."""
    monkeypatch.setattr(asset_library, "asset_folder", lambda: str(tmp_path))
    return tmp_path


def libraries() -> list[str]:
    return [one.path for one in bpy.context.preferences.filepaths.asset_libraries if "Landscape" in one.name]


def test_the_library_holds_plants_and_materials_and_leaves_the_file_as_it_was(
    land: bpy.types.Object, folder: Path
) -> None:
    before = {block.session_uid for block in (*bpy.data.objects, *bpy.data.meshes, *bpy.data.materials)}
    assert bpy.ops.landscape.make_asset_library() == {"FINISHED"}
    assert bpy.ops.landscape.make_asset_library() == {"FINISHED"}  # again replaces it
    blocks = (*bpy.data.objects, *bpy.data.meshes, *bpy.data.materials)
    assert {block.session_uid for block in blocks} == before and not any(block.asset_data for block in blocks)
    assert len(libraries()) == 1 and Path(libraries()[0]) == folder
    catalogs = (folder / "blender_assets.cats.txt").read_text(encoding="utf-8")
    path = next(folder.glob("*.blend"))
    with bpy.data.libraries.load(str(path), assets_only=True) as (found, wanted):
        assert {"Conifer 1_LOD0", "Rock 1_LOD0"} <= set(found.objects) and "Conifer 1_LOD1" not in found.objects
        assert {"Landscape Ground", "Plant Bark"} <= set(found.materials)
        assert set(found.collections) == {form.words.capitalize() for form in PlantForm}
        assert list(found.node_groups) == ["Landscape Ground"]
        wanted.collections = ["Conifer"]
    conifer = wanted.collections[0]
    assert conifer.asset_data.catalog_id in catalogs and conifer.preview.image_size[0] > 0
    # A species takes it as it is, with its levels of detail.
    land.landscape.recipe.ecosystem.species[0].collection = conifer.name
    bpy.ops.landscape.scatter_plants()
    assert any(plant.get("landscape_own") == "Conifer 1_LOD0" for plant in bpy.data.objects)
    bpy.context.preferences.filepaths.asset_libraries.remove(
        next(one for one in bpy.context.preferences.filepaths.asset_libraries if one.path == libraries()[0])
    )


def test_files_of_the_extension_lie_outside_its_code() -> None:
    code = Path(preferences.__file__).parents[2]
    assert code not in Path(preferences.asset_folder()).parents


def test_a_biome_changes_the_species_and_nothing_else(land: bpy.types.Object) -> None:
    before = read_recipe(land)
    assert bpy.ops.landscape.apply_biome(biome="boreal") == {"FINISHED"}
    after = read_recipe(land)
    names = [one.name for one in after.ecosystem.species]
    assert "downy_birch" in names and after.replace(ecosystem=before.ecosystem) == before
    assert after.ecosystem.evolution == before.ecosystem.evolution
    bpy.ops.landscape.update()
    assert len(land.landscape.plants.data.vertices) > 100

"""Own assets: a library for the asset browser, and biomes that are put on any land."""

from pathlib import Path

import bpy
import pytest

from terrain_addon.blender.data import preferences
from terrain_addon.blender.data.properties import read_recipe
from terrain_addon.blender.land import asset_library
from terrain_addon.blender.look.ground_material import ground_node
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


@pytest.mark.once
def test_a_biome_changes_the_species_and_nothing_else(land: bpy.types.Object) -> None:
    before = read_recipe(land)
    assert bpy.ops.landscape.apply_biome(biome="boreal") == {"FINISHED"}
    after = read_recipe(land)
    names = [one.name for one in after.ecosystem.species]
    assert "downy_birch" in names and after.replace(ecosystem=before.ecosystem) == before
    assert after.ecosystem.evolution == before.ecosystem.evolution
    bpy.ops.landscape.update()
    assert len(land.landscape.plants.data.vertices) > 100


def pixel(name: str, *colour: float) -> bpy.types.Image:
    """An image of one colour."""
    image = bpy.data.images.new(name, 2, 2, float_buffer=True)
    image.pixels.foreach_set([*colour, 1.0] * 4)
    return image


def test_images_of_a_ground_are_in_the_material_and_leave_it_again(land: bpy.types.Object, tmp_path: Path) -> None:
    material = land.data.materials[0]
    ground = ground_node(material)
    assert ground is not None
    surface = next(node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")

    def came_from(socket: bpy.types.NodeSocket) -> str:
        return str(socket.links[0].from_node.bl_idname) if socket.links else ""

    rock, count = land.landscape_grounds.rock, len(material.node_tree.nodes)
    rock.colour, rock.roughness = pixel("Red", 1.0, 0.0, 0.0), pixel("Rough", 0.5, 0.5, 0.5)
    rock.normal, drawn = pixel("Normal", 0.5, 0.5, 1.0), pixel("Height", 0.5, 0.5, 0.5)
    drawn.save(filepath=str(tmp_path / "height.png"))
    rock.height = bpy.data.images.load(str(tmp_path / "height.png"))
    for _ in range(2):
        assert bpy.ops.landscape.use_ground_images() == {"FINISHED"}
        textures = [node for node in material.node_tree.nodes if node.type == "TEX_IMAGE"]
        assert {node.image for node in textures} == {rock.colour, rock.roughness, rock.normal, rock.height}
        # Colours twice: far away they are mixed with themselves, larger and turned.
        images = [node.image for node in textures]
        assert len(images) == 5 and images.count(rock.colour) == 2
    assert came_from(ground.inputs["Rock"]) == "ShaderNodeMix" and not ground.inputs["Grass"].links
    assert came_from(surface.inputs["Normal"]) == "ShaderNodeBump" and rock.height.colorspace_settings.is_data
    assert not rock.normal.colorspace_settings.is_data and rock.normal.pixels[2] == 1.0  # nothing painted is lost
    assert came_from(surface.inputs["Roughness"]) == "ShaderNodeMix"
    rock.colour = rock.roughness = rock.normal = rock.height = None
    bpy.ops.landscape.use_ground_images()
    assert len(material.node_tree.nodes) == count and not ground.inputs["Rock"].links
    assert came_from(surface.inputs["Normal"]) == came_from(surface.inputs["Roughness"]) == "ShaderNodeGroup"


def test_a_material_of_somebody_else_is_refused(land: bpy.types.Object) -> None:
    land.data.materials[0] = bpy.data.materials.new("Mine")
    with pytest.raises(RuntimeError, match="material Mine has no node group Landscape Ground"):
        bpy.ops.landscape.use_ground_images()

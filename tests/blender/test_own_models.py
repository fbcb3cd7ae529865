"""Plain models of the user go into files as they are."""

import json
import struct
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from PIL import Image

from terrain_addon.blender.land.own_plant_models import own_models
from tests.blender.recording_layout import drawn

pytestmark = pytest.mark.once


def material(name: str, image: bpy.types.Image | None = None) -> bpy.types.Material:
    """A Principled BSDF, brown or with an image that cuts leaves out."""
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    tree = made.node_tree
    shader = next(node for node in tree.nodes if node.type == "BSDF_PRINCIPLED")
    shader.inputs["Base Color"].default_value = (0.2, 0.1, 0.05, 1.0)
    if image is not None:
        picture = tree.nodes.new("ShaderNodeTexImage")
        picture.image = image
        tree.links.new(picture.outputs["Color"], shader.inputs["Base Color"])
        tree.links.new(picture.outputs["Alpha"], shader.inputs["Alpha"])
    return made


@pytest.fixture
def pine(land: bpy.types.Object) -> bpy.types.Object:
    """A trunk and a card of needles, 4 m high, which the first species looks like."""
    image = bpy.data.images.new("Needles", 4, 2, alpha=True)
    image.pixels.foreach_set(np.linspace(0.0, 1.0, 32, dtype=np.float32))
    mesh = bpy.data.meshes.new("Pine")
    points = [(-0.1, 0, 0), (0.1, 0, 0), (0, 0, 2), (-1, 0, 1), (1, 0, 1), (1, 0, 4), (-1, 0, 4)]
    mesh.from_pydata(points, [], [(0, 1, 2), (3, 4, 5, 6)])
    uv = mesh.uv_layers.new(do_init=False)
    for corner, place in zip(range(3, 7), ((0, 0), (1, 0), (1, 1), (0, 1))):
        uv.data[corner].uv = place
    mesh.materials.append(material("Bark"))
    mesh.materials.append(material("Needles", image))
    mesh.polygons[1].material_index = 1
    tree = bpy.data.objects.new("Pine", mesh)
    models = bpy.data.collections.new("My Pines")
    models.objects.link(tree)
    land.landscape.recipe.ecosystem.species[0].collection = models.name
    return tree


def json_of(path: Path) -> dict[str, Any]:
    data = path.read_bytes()
    (length,) = struct.unpack_from("<I", data, 12)
    content: dict[str, Any] = json.loads(data[20 : 20 + length])
    return content


def test_a_plain_tree_goes_into_a_file_with_its_picture(
    land: bpy.types.Object, pine: bpy.types.Object, tmp_path: Path
) -> None:
    name = land.landscape.recipe.ecosystem.species[0].name
    assert bpy.ops.landscape.export(filepath=str(tmp_path / "land.glb")) == {"FINISHED"}
    content = json_of(tmp_path / "land.glb")
    mesh = next(one for one in content["meshes"] if one["name"].startswith(f"{name} "))
    counts = [content["accessors"][one["attributes"]["POSITION"]]["count"] for one in mesh["primitives"]]
    assert sorted(counts) == [3, 4]
    leaves = next(one for one in content["materials"] if one["name"] == f"{name} foliage")
    assert leaves["alphaMode"] == "MASK" and leaves["doubleSided"]
    height = land.landscape.recipe.ecosystem.species[0].height
    tops = [content["accessors"][one["attributes"]["POSITION"]]["max"][1] for one in mesh["primitives"]]
    assert max(tops) == pytest.approx(height, rel=1e-4)


def test_a_plain_tree_goes_into_a_package(land: bpy.types.Object, pine: bpy.types.Object, tmp_path: Path) -> None:
    assert bpy.ops.landscape.export_package(directory=str(tmp_path / "level"), engine="godot") == {"FINISHED"}
    manifest = json.loads((tmp_path / "level" / "manifest.json").read_text())
    species = manifest["species"][0]
    picture = Image.open(tmp_path / "level" / species["skins"]["foliage"]["colour"])
    pixels = np.array(picture)
    assert pixels.shape == (2, 4, 4)
    # Blender's first row is the lowest.
    assert pixels[1, 0].tolist() == [round(255 * share / 31) for share in range(4)]
    assert species["colours"]["bark"] == pytest.approx([0.2, 0.1, 0.05])


def test_an_own_model_stands_as_it_does_in_blender(land: bpy.types.Object, pine: bpy.types.Object) -> None:
    pine.rotation_euler.z = np.pi / 2
    bpy.context.scene.collection.objects.link(pine)
    bpy.context.view_layer.update()
    (model,) = own_models(land).values()
    mesh = model.meshes[0][0]
    assert np.ptp(mesh.vertices, axis=0) == pytest.approx([0.0, 0.5, 1.0], abs=1e-5)
    assert np.abs(mesh.normals[:, 0]) == pytest.approx(1.0, abs=1e-3)
    corner = np.flatnonzero((model.places[0][0] == (1.0, 0.0)).all(axis=1))
    assert mesh.vertices[corner[0]] == pytest.approx([0.0, 0.25, 1.0], abs=1e-5)


def test_a_model_that_files_cannot_hold_is_said(land: bpy.types.Object, pine: bpy.types.Object) -> None:
    from terrain_addon.blender.ui.output_panel import VIEW3D_PT_landscape_output

    assert "stay in Blender" not in " ".join(drawn(VIEW3D_PT_landscape_output).texts)
    pine.modifiers.new("Wave", "WAVE")
    assert "stay in Blender" in " ".join(drawn(VIEW3D_PT_landscape_output).texts)
    assert not own_models(land)

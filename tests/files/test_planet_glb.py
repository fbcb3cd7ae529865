"""Planets as GLB: where their vertices are, which way they face, and what carries their slopes."""

import io
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from terrain_addon import core
from terrain_addon.command_line import main
from terrain_addon.core.planet.cube_sphere import CUBE_FACES
from terrain_addon.files.planet_glb import write_planet_glb
from terrain_addon.files.planet_package import write_planet_package

pytestmark = pytest.mark.once

_KINDS = {5126: np.float32, 5125: np.uint32, 5123: np.uint16}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}


class Glb:
    """A GLB file, read again."""

    def __init__(self, path: Path) -> None:
        data = path.read_bytes()
        length = struct.unpack("<I", data[12:16])[0]
        self.json: dict[str, Any] = json.loads(data[20 : 20 + length])
        self.binary = data[28 + length :]

    def array(self, index: int) -> np.ndarray:
        accessor = self.json["accessors"][index]
        start = self.json["bufferViews"][accessor["bufferView"]]["byteOffset"]
        width = _WIDTHS[accessor["type"]]
        values = np.frombuffer(self.binary, _KINDS[accessor["componentType"]], accessor["count"] * width, start)
        return values.reshape(-1, width) if width > 1 else values

    def primitive(self, node: str) -> dict[str, Any]:
        mesh = next(one["mesh"] for one in self.json["nodes"] if one["name"] == node)
        return self.json["meshes"][mesh]["primitives"][0]

    def picture(self, texture: int) -> np.ndarray:
        view = self.json["bufferViews"][self.json["images"][self.json["textures"][texture]["source"]]["bufferView"]]
        begin = view["byteOffset"]
        return np.array(Image.open(io.BytesIO(self.binary[begin : begin + view["byteLength"]])))


@pytest.fixture(scope="module")
def planet() -> core.Planet:
    return core.build_planet(core.PlanetRecipe.preset("temperate", seed=3, resolution=33))


@pytest.fixture(scope="module")
def glb(planet: core.Planet, tmp_path_factory: pytest.TempPathFactory) -> Glb:
    path = tmp_path_factory.mktemp("glb") / "planet.glb"
    write_planet_glb(path, planet, 100.0)
    return Glb(path)


def shown(planet: core.Planet, face: int) -> np.ndarray:
    """Where the samples of a face must be, with y up."""
    heights = np.maximum(planet.surface[face], 0.0).astype(np.float64) * planet.recipe.look.exaggeration
    places = planet.directions[face] * (100.0 * (1.0 + heights / planet.recipe.radius))[..., np.newaxis]
    return np.stack((places[..., 0], places[..., 2], -places[..., 1]), axis=-1)


def test_vertices_are_where_the_ground_is_and_north_is_up(glb: Glb, planet: core.Planet) -> None:
    for number, name in enumerate(CUBE_FACES):
        places = glb.array(glb.primitive(name)["attributes"]["POSITION"])
        assert np.allclose(places[: 33 * 33].reshape(33, 33, 3), shown(planet, number), atol=1e-4)
        coarse = glb.array(glb.primitive(f"{name}_LOD1")["attributes"]["POSITION"])
        assert np.allclose(coarse[: 17 * 17].reshape(17, 17, 3), shown(planet, number)[::2, ::2], atol=1e-4)
    assert glb.array(glb.primitive("north")["attributes"]["POSITION"])[:, 1].min() > 50.0


@pytest.mark.parametrize("node", ["x_plus", "south", "y_minus_LOD2"])
def test_triangles_face_outwards_and_skirts_hang_below(glb: Glb, node: str) -> None:
    primitive = glb.primitive(node)
    places = glb.array(primitive["attributes"]["POSITION"]).astype(np.float64)
    triangles = glb.array(primitive["indices"]).reshape(-1, 3)
    a, b, c = (places[triangles[:, corner]] for corner in range(3))
    outwards = (np.cross(b - a, c - a) * (a + b + c)).sum(axis=-1)
    side = round(len(places) ** 0.5) - 2
    ground = side**2
    is_skirt = (triangles >= ground).any(axis=1)
    assert (outwards[~is_skirt] > 0.0).all() and is_skirt.sum() == 8 * (side - 1)
    # A skirt is seen from beside the face: it faces away from the middle of the face.
    middle = places[:ground].mean(axis=0)
    aside = (np.cross(b - a, c - a) * (a - middle)).sum(axis=-1)
    assert (aside[is_skirt] > 0.0).all()
    far = np.linalg.norm(places, axis=1)
    assert far[ground:].max() < far[:ground].max() and far[ground:].min() > 50.0


def test_slopes_are_in_the_normal_maps_alone(glb: Glb, planet: core.Planet) -> None:
    primitive = glb.primitive("y_plus")
    normal, tangent = (glb.array(primitive["attributes"][name]) for name in ("NORMAL", "TANGENT"))
    outwards = planet.directions[1].reshape(-1, 3)
    assert np.allclose(normal[: 33 * 33], np.stack((outwards[:, 0], outwards[:, 2], -outwards[:, 1]), -1), atol=1e-6)
    assert np.allclose((normal * tangent[:, :3]).sum(axis=1), 0.0, atol=1e-6) and (tangent[:, 3] == 1.0).all()
    # A vertex of the finest level and the middle of its pixel: their slope is that of the ground.
    uv = glb.array(primitive["attributes"]["TEXCOORD_0"])[: 33 * 33]
    column, row = np.floor(uv * 33.0).astype(int).T
    assert np.allclose(uv * 33.0 - (np.stack((column, row), -1) + 0.5), 0.0, atol=1e-4)
    material = glb.json["materials"][primitive["material"]]
    packed = glb.picture(material["normalTexture"]["index"])[row, column].reshape(33, 33, 3) / 127.5 - 1.0
    ground = shown(planet, 1)
    east = ground[1:-1, 2:] - ground[1:-1, :-2]
    rise = (east * normal[: 33 * 33].reshape(33, 33, 3)[1:-1, 1:-1]).sum(axis=-1)
    assert np.corrcoef(rise.ravel(), -packed[1:-1, 1:-1, 0].ravel())[0, 1] > 0.8


def test_coarser_levels_are_named_and_not_in_the_scene(glb: Glb) -> None:
    nodes = glb.json["nodes"]
    (root,) = glb.json["scenes"][0]["nodes"]
    faces = [nodes[number] for number in nodes[root]["children"]]
    assert [one["name"] for one in faces] == list(CUBE_FACES)
    for one in faces:
        levels = one["extensions"]["MSFT_lod"]["ids"]
        assert [nodes[number]["name"] for number in levels] == [f"{one['name']}_LOD{n}" for n in (1, 2)]
        assert len(one["extras"]["MSFT_screencoverage"]) == len(levels) + 1
    assert glb.json["extensionsUsed"] == ["MSFT_lod"] and "extensionsRequired" not in glb.json


def test_the_command_writes_a_package(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["planet", "asteroid", "--resolution", "9", "--width", "32", "--out", str(tmp_path)]
    assert main([*arguments, "--shown-radius", "2"]) == 0
    first = (tmp_path / "planet.glb").read_bytes()
    assert (tmp_path / "splat_1.png").exists() and (tmp_path / "planet.json").exists()
    far = np.linalg.norm(Glb(tmp_path / "planet.glb").array(0), axis=1)
    assert 1.0 < far.max() < 4.0
    assert main([*arguments, "--shown-radius", "2"]) == 0
    assert (tmp_path / "planet.glb").read_bytes() == first
    assert main([*arguments, "--shown-radius", "0"]) == 1
    assert "--shown-radius = 0 m" in capsys.readouterr().err


def test_a_width_that_cannot_be_leaves_nothing(planet: core.Planet, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="even number of pixels"):
        write_planet_package(tmp_path / "none", planet, 31)
    assert not (tmp_path / "none").exists()


def test_mountains_are_as_high_in_the_file_as_it_says(planet: core.Planet, glb: Glb, tmp_path: Path) -> None:
    look = planet.recipe.look.exaggeration
    write_planet_package(tmp_path, planet, 16, exaggeration=1.0)
    true = Glb(tmp_path / "planet.glb")
    noted = json.loads((tmp_path / "maps.json").read_text(encoding="utf-8"))
    assert noted["exaggeration"] == 1.0
    # What rises above the sea, as a share of the radius.
    highest = []
    for file, factor, radius in ((glb, look, 100.0), (true, 1.0, planet.recipe.radius)):
        root = next(one for one in file.json["nodes"] if one["name"] == "Planet")
        assert root["extras"] == {"radius": radius, "exaggeration": factor}
        far = [file.array(file.primitive(face)["attributes"]["POSITION"]) for face in CUBE_FACES]
        highest.append(max(float(np.linalg.norm(one.astype(np.float64), axis=1).max()) for one in far) / radius - 1.0)
    assert highest[1] == pytest.approx(float(planet.surface.max()) / planet.recipe.radius, rel=0.01)
    assert highest[0] == pytest.approx(look * highest[1], rel=0.01) and look > 1.0
    with pytest.raises(ValueError, match=r"exaggeration = -1\.0 is outside 0"):
        write_planet_package(tmp_path, planet, 16, exaggeration=-1.0)

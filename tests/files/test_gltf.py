"""GLB read back from its bytes alone, on asymmetric land, and by Blender's own importer."""

import dataclasses
import json
import math
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from terrain_addon.core.ecosystem.plants import Plants
from terrain_addon.core.meshing.plant_meshes import PlantMesh, make_plant_mesh
from terrain_addon.files.glb_document import Skin
from terrain_addon.files.gltf import LandMesh, write_landscape_glb
from terrain_addon.files.plant_instances import PlantModel, Vegetation

EXTENSION = "EXT_mesh_gpu_instancing"
COMPONENTS = {5126: "<f4", 5125: "<u4", 5123: "<u2"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}


class Glb:
    """A GLB file, taken apart and checked by the letter of glTF 2.0."""

    def __init__(self, path: Path) -> None:
        data = path.read_bytes()
        magic, version, length = struct.unpack_from("<4sII", data)
        assert (magic, version, length) == (b"glTF", 2, len(data))
        text_length, text_kind = struct.unpack_from("<I4s", data, 12)
        assert text_kind == b"JSON"
        assert text_length % 4 == 0
        self.json = json.loads(data[20 : 20 + text_length])
        binary_length, binary_kind = struct.unpack_from("<I4s", data, 20 + text_length)
        assert binary_kind == b"BIN\0"
        assert binary_length % 4 == 0
        self.binary = data[28 + text_length :]
        assert len(self.binary) == binary_length == self.json["buffers"][0]["byteLength"]
        self.check_views()

    def check_views(self) -> None:
        end = 0
        for view in self.json["bufferViews"]:
            assert view["byteOffset"] == end  # nothing between but padding, nothing twice
            end = -(-(end + view["byteLength"]) // 4) * 4
        assert end == len(self.binary)
        users = self.json["accessors"] + [image for image in self.json.get("images", []) if "bufferView" in image]
        assert sorted(one["bufferView"] for one in users) == list(range(len(self.json["bufferViews"])))

    def array(self, accessor: int) -> np.ndarray:
        found = self.json["accessors"][accessor]
        view = self.json["bufferViews"][found["bufferView"]]
        part = self.binary[view["byteOffset"] : view["byteOffset"] + view["byteLength"]]
        values = np.frombuffer(part, COMPONENTS[found["componentType"]]).reshape(found["count"], WIDTHS[found["type"]])
        if "min" in found:
            assert values.min(axis=0).tolist() == found["min"]
            assert values.max(axis=0).tolist() == found["max"]
        assert found.get("normalized", False) == (found["componentType"] == 5123 and found["type"] != "SCALAR")
        return values

    def mesh(self, name: str) -> list[dict[str, np.ndarray]]:
        (mesh,) = (m for m in self.json["meshes"] if m["name"] == name)
        primitives = []
        for primitive in mesh["primitives"]:
            targets = [self.json["bufferViews"][a["bufferView"]].get("target") for a in self.json["accessors"]]
            assert targets[primitive["indices"]] == 34963
            assert {targets[a] for a in primitive["attributes"].values()} == {34962}
            assert "min" in self.json["accessors"][primitive["attributes"]["POSITION"]]
            arrays = {key: self.array(index) for key, index in primitive["attributes"].items()}
            assert len({len(values) for values in arrays.values()}) == 1
            arrays["triangles"] = self.array(primitive["indices"]).reshape(-1, 3)
            assert arrays["triangles"].max() < len(arrays["POSITION"])
            arrays["material"] = self.json["materials"][primitive["material"]]
            primitives.append(arrays)
        return primitives

    def groups(self) -> list[tuple[dict[str, Any], dict[str, np.ndarray]]]:
        """Nodes with instances, with their attributes."""
        (plants,) = (n for n in self.json["nodes"] if n["name"] == "Plants")
        found = []
        for child in plants["children"]:
            node = self.json["nodes"][child]
            attributes = node["extensions"][EXTENSION]["attributes"]
            assert not any("target" in self.json["bufferViews"][a] for a in attributes.values())
            arrays = {key: self.array(index) for key, index in attributes.items()}
            assert len({len(values) for values in arrays.values()}) == 1
            found.append((node, arrays))
        return found


def written(folder: Path, land: LandMesh, vegetation: Vegetation | None = None) -> Glb:
    write_landscape_glb(folder / "land.glb", land, vegetation)
    return Glb(folder / "land.glb")


def peak_in_the_north_east(rows: int = 9, columns: int = 13) -> np.ndarray:
    heights = np.zeros((rows, columns), np.float32)
    heights[-2, -3] = 50.0
    return heights


def face_normals(positions: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    a, b, c = (positions[triangles[:, i]].astype(np.float64) for i in range(3))
    return np.cross(b - a, c - a)


# --- the land ---------------------------------------------------------------------------------------------------------


def test_where_the_peak_stands(tmp_path: Path) -> None:
    (land,) = written(tmp_path, LandMesh(peak_in_the_north_east(), 10.0)).mesh("Land")
    top = int(land["POSITION"][:, 1].argmax())
    # 12 columns of 10 m: ±60 m; 8 rows: ±40 m.  The peak is two columns from the east, one row from the north.
    assert land["POSITION"][top].tolist() == [40.0, 50.0, -30.0]
    assert land["POSITION"].min(axis=0).tolist() == [-60.0, 0.0, -40.0]
    assert land["POSITION"].max(axis=0).tolist() == [60.0, 50.0, 40.0]
    # A texture whose first row is north has its texel for the peak right of the middle and near the top.
    assert land["TEXCOORD_0"][top] == pytest.approx([10 / 12, 1 / 8])


def test_vertices_are_samples(tmp_path: Path) -> None:
    heights = np.random.default_rng(0).normal(size=(5, 7)).astype(np.float32)
    (land,) = written(tmp_path, LandMesh(heights, 2.0)).mesh("Land")
    assert np.array_equal(land["POSITION"][:, 1].reshape(5, 7), heights)
    assert land["POSITION"][:, 0].reshape(5, 7)[3].tolist() == [-6.0, -4.0, -2.0, 0.0, 2.0, 4.0, 6.0]
    assert land["POSITION"][:, 2].reshape(5, 7)[:, 3].tolist() == [4.0, 2.0, 0.0, -2.0, -4.0]


def test_triangles_face_up_and_cover_the_land_once(tmp_path: Path) -> None:
    heights = np.random.default_rng(1).normal(size=(6, 9)).astype(np.float32)
    (land,) = written(tmp_path, LandMesh(heights, 3.0)).mesh("Land")
    assert land["triangles"].shape == (2 * 5 * 8, 3)
    upward = face_normals(land["POSITION"], land["triangles"])[:, 1]
    assert (upward > 0.0).all()
    assert upward.sum() / 2 == pytest.approx(15.0 * 24.0)
    assert np.allclose(upward / 2, 4.5)


@pytest.mark.parametrize(("east", "north"), [(0.0, 0.0), (0.5, 0.0), (0.0, 0.5), (-1.25, 0.75)])
@pytest.mark.parametrize("step", [1, 4])
def test_normals_of_a_plane(tmp_path: Path, east: float, north: float, step: int) -> None:
    y, x = np.mgrid[0:8, 0:11] * 2.0
    (land,) = written(tmp_path, LandMesh((east * x + north * y).astype(np.float32), 2.0, step=step)).mesh("Land")
    # In Blender (−east, −north, 1), in glTF (−east, 1, north).
    expected = np.array([-east, 1.0, north]) / math.sqrt(1.0 + east * east + north * north)
    assert np.allclose(land["NORMAL"], expected, atol=1e-6)
    faces = face_normals(land["POSITION"], land["triangles"])
    assert np.allclose(faces / np.linalg.norm(faces, axis=1, keepdims=True), expected, atol=1e-5)


def test_normals_are_unit_on_rough_land(tmp_path: Path) -> None:
    heights = np.random.default_rng(2).normal(scale=300.0, size=(40, 30)).astype(np.float32)
    (land,) = written(tmp_path, LandMesh(heights, 1.0)).mesh("Land")
    assert np.abs(np.linalg.norm(land["NORMAL"].astype(np.float64), axis=1) - 1.0).max() < 1e-6


@pytest.mark.parametrize(
    ("step", "rows", "columns"),
    [(1, 9, 13), (2, 5, 7), (4, 3, 4), (5, 3, 4), (12, 2, 2), (100, 2, 2)],
)
def test_steps_keep_the_size_of_the_land(tmp_path: Path, step: int, rows: int, columns: int) -> None:
    heights = np.random.default_rng(3).normal(size=(9, 13)).astype(np.float32)
    (land,) = written(tmp_path, LandMesh(heights, 10.0, step=step)).mesh("Land")
    assert land["POSITION"].shape == (rows * columns, 3)
    assert land["POSITION"][:, [0, 2]].min(axis=0).tolist() == [-60.0, -40.0]
    assert land["POSITION"][:, [0, 2]].max(axis=0).tolist() == [60.0, 40.0]
    assert land["TEXCOORD_0"].min() == 0.0
    assert land["TEXCOORD_0"].max() == 1.0
    assert land["POSITION"][[0, -1], 1].tolist() == [heights[0, 0], heights[-1, -1]]
    # Every vertex is a sample of the land.
    columns_of = np.rint(land["POSITION"][:, 0] / 10.0 + 6.0).astype(int)
    rows_of = np.rint(4.0 - land["POSITION"][:, 2] / 10.0).astype(int)
    assert np.array_equal(heights[rows_of, columns_of], land["POSITION"][:, 1])


def test_colours(tmp_path: Path) -> None:
    colour = np.zeros((9, 13, 3), np.float32)
    colour[-2, -3] = [1.0, 0.5, 0.2]
    (land,) = written(tmp_path, LandMesh(peak_in_the_north_east(), 10.0, colour)).mesh("Land")
    assert land["COLOR_0"].dtype == np.uint16
    assert land["COLOR_0"][land["POSITION"][:, 1].argmax()].tolist() == [65535, 32768, 13107, 65535]
    assert land["COLOR_0"][:, :3].any(axis=1).sum() == 1
    assert land["material"]["pbrMetallicRoughness"]["baseColorFactor"] == [1.0, 1.0, 1.0, 1.0]
    (bare,) = written(tmp_path, LandMesh(peak_in_the_north_east(), 10.0)).mesh("Land")
    assert "COLOR_0" not in bare


def test_land_alone_needs_no_extension(tmp_path: Path) -> None:
    glb = written(tmp_path, LandMesh(peak_in_the_north_east(), 10.0), vegetation([]))
    assert "extensionsUsed" not in glb.json
    assert [n["name"] for n in glb.json["nodes"]] == ["Land"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"heights": np.zeros((1, 5), np.float32)}, "at least 2 × 2"),
        ({"heights": np.full((2, 2), np.nan, np.float32)}, "NaN"),
        ({"cell_size": 0.0}, "cell_size"),
        ({"step": 0}, "step = 0"),
        ({"colour": np.zeros((3, 3, 3), np.float32)}, "colour has shape"),
        ({"colour": np.full((9, 13, 3), 1.5, np.float32)}, "colour runs from 1.5 to 1.5"),
        ({"colour": np.full((9, 13, 3), np.nan, np.float32)}, "colour runs from nan"),
    ],
)
def test_land_that_cannot_be(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        LandMesh(**({"heights": peak_in_the_north_east(), "cell_size": 10.0} | changes))


# --- plants -----------------------------------------------------------------------------------------------------------


def flag() -> PlantMesh:
    """A pole of two triangles with a leaf that points east: nothing about it is symmetric."""
    vertices = [[0, 0, 0], [0.1, 0, 0], [0.1, 0, 1], [0, 0, 1], [0.1, 0, 0.5], [0.6, 0, 0.7], [0.1, 0, 0.9]]
    return PlantMesh(
        vertices=np.array(vertices, np.float32),
        normals=np.tile(np.array([0.0, -1.0, 0.0], np.float32), (7, 1)),
        triangles=np.array([[0, 1, 2], [0, 2, 3], [4, 5, 6]], np.int32),
        part=np.array([0, 0, 1], np.int32),
        tint=np.array([0, 0.2, 0.4, 0.6, 0.8, 1.0, 0.5], np.float32),
    )


def leaf() -> PlantMesh:
    """Foliage without bark."""
    whole = flag()
    return dataclasses.replace(whole, triangles=whole.triangles[2:], part=whole.part[2:])


MODELS = (
    PlantModel("pine", ((flag(),), (flag(),)), ((0.2, 0.1, 0.05), (0.05, 0.3, 0.1))),
    PlantModel("Gebüsch", ((leaf(),),), ((0.0, 0.0, 0.0), (0.2, 0.4, 0.1))),
)


def vegetation(stand: Any, models: tuple[PlantModel, ...] = MODELS, **options: Any) -> Vegetation:
    """Plants from rows of x, y, altitude, species, age, height, rotation, variant."""
    table = np.array(stand, np.float64).reshape(-1, 8)
    x, y, altitude, species, age, height, rotation, variant = table.T
    floats = (np.float32, np.float32, np.int32, np.float32, np.float32, np.float32, np.int32)
    columns = (x, y, species, age, height, rotation, variant)
    plants = Plants(*(column.astype(kind) for column, kind in zip(columns, floats)))
    return Vegetation(plants, altitude.astype(np.float32), models, **options)


def turned(quaternion: np.ndarray, vector: list[float]) -> np.ndarray:
    """A vector turned by a quaternion (x, y, z, w)."""
    axis, w = quaternion[:3].astype(np.float64), float(quaternion[3])
    v = np.array(vector)
    return v + 2.0 * np.cross(axis, np.cross(axis, v) + w * v)


LAND = LandMesh(peak_in_the_north_east(), 10.0)


def test_a_plant_on_the_peak(tmp_path: Path) -> None:
    # The peak is 100 m east and 70 m north of the south-west corner.
    glb = written(tmp_path, LAND, vegetation([(100.0, 70.0, 50.0, 0, 42.5, 12.0, 90.0, 1)]))
    assert glb.json["extensionsUsed"] == glb.json["extensionsRequired"] == [EXTENSION]
    ((node, plant),) = glb.groups()
    (land,) = glb.mesh("Land")
    assert plant["TRANSLATION"].tolist() == [land["POSITION"][land["POSITION"][:, 1].argmax()].tolist()]
    assert plant["SCALE"].tolist() == [[12.0, 12.0, 12.0]]
    assert plant["_SPECIES"].tolist() == [[0.0]]
    assert plant["_AGE"].tolist() == [[42.5]]
    assert glb.json["meshes"][node["mesh"]]["name"] == "pine 1"
    # A quarter turn counter-clockwise takes east (+x) to north (−z in glTF).
    assert turned(plant["ROTATION"][0], [1.0, 0.0, 0.0]) == pytest.approx([0.0, 0.0, -1.0], abs=1e-6)


def test_rotations(tmp_path: Path) -> None:
    degrees = [0.0, 1e-3, 17.0, 45.0, 90.0, 123.456, 180.0, 270.0, 359.9, 360.0, 725.0, -30.0]
    glb = written(tmp_path, LAND, vegetation([(1.0, 1.0, 0.0, 0, 1, 1, angle, 0) for angle in degrees]))
    ((_, plants),) = glb.groups()
    assert np.abs(np.linalg.norm(plants["ROTATION"].astype(np.float64), axis=1) - 1.0).max() < 1e-7
    for quaternion, angle in zip(plants["ROTATION"], degrees):
        turn = math.radians(float(np.float32(angle)))
        # Counter-clockwise from above: in Blender (cos, sin, 0), in glTF (cos, 0, −sin).
        assert turned(quaternion, [1.0, 0.0, 0.0]) == pytest.approx([math.cos(turn), 0.0, -math.sin(turn)], abs=3e-7)


def test_quaternions_are_the_nearest_floats(tmp_path: Path) -> None:
    degrees = np.random.default_rng(4).uniform(0.0, 360.0, 2000).astype(np.float32)
    glb = written(tmp_path, LAND, vegetation([(1.0, 1.0, 0.0, 0, 1, 1, angle, 0) for angle in degrees]))
    ((_, plants),) = glb.groups()
    exact = [[0.0, math.sin(math.radians(d) / 2), 0.0, math.cos(math.radians(d) / 2)] for d in degrees.tolist()]
    assert np.mean(plants["ROTATION"] == np.array(exact, np.float32)) > 0.999
    assert np.abs(plants["ROTATION"] - np.array(exact)).max() < 4e-8


def test_the_mesh_of_a_plant(tmp_path: Path) -> None:
    stand = [(1.0, 1.0, 0.0, 0, 1, 1, 0, 0), (1.0, 1.0, 0.0, 1, 1, 1, 0, 0)]
    glb = written(tmp_path, LAND, vegetation(stand))
    bark, foliage = glb.mesh("pine 0")
    assert bark["POSITION"].tolist() == np.array([[0, 0, 0], [0.1, 0, 0], [0.1, 1, 0], [0, 1, 0]], np.float32).tolist()
    assert bark["triangles"].tolist() == [[0, 1, 2], [0, 2, 3]]
    assert bark["COLOR_0"].tolist() == [[v, v, v, 65535] for v in (0, 13107, 26214, 39321)]
    assert foliage["triangles"].tolist() == [[0, 1, 2]]
    assert foliage["COLOR_0"].tolist() == [[v, v, v, 65535] for v in (52428, 65535, 32768)]
    for part in (bark, foliage):
        # The flag faces south: −y in Blender, +z in glTF; its triangles do too.
        assert np.array_equal(part["NORMAL"], np.tile([0.0, 0.0, 1.0], (len(part["NORMAL"]), 1)))
        assert (face_normals(part["POSITION"], part["triangles"])[:, 2] > 0.0).all()
    assert bark["material"]["pbrMetallicRoughness"]["baseColorFactor"] == [0.2, 0.1, 0.05, 1.0]
    assert (bark["material"]["doubleSided"], foliage["material"]["doubleSided"]) == (False, True)
    assert {m["pbrMetallicRoughness"]["metallicFactor"] for m in glb.json["materials"]} == {0.0}
    (only,) = glb.mesh("Gebüsch 0")
    assert only["material"]["name"] == "Gebüsch foliage"


def test_leaves_are_cut_by_a_picture_and_sway(tmp_path: Path) -> None:
    mesh = flag()
    wind = np.stack((np.full(7, 0.25), mesh.vertices[:, 2] ** 2, mesh.vertices[:, 0]), axis=1).astype(np.float32)
    # The picture goes to the right to the east, and upwards to the sky.
    places = np.stack((mesh.vertices[:, 0], 1.0 - mesh.vertices[:, 2]), axis=1)
    skin = Skin("leaves", b"colour", b"normal", cutoff=0.3)
    model = PlantModel(
        "oak",
        ((dataclasses.replace(mesh, wind=wind),),),
        ((0.2, 0.1, 0.05), (0.05, 0.3, 0.1)),
        skins=(None, skin),
        places=((places,),),
    )
    glb = written(tmp_path, LAND, vegetation([(1.0, 1.0, 0.0, 0, 1, 1, 0, 0)], (model,)))
    bark, foliage = glb.mesh("oak 0")
    assert "TANGENT" not in bark and "alphaMode" not in bark["material"]
    assert foliage["TANGENT"].tolist() == [[1.0, 0.0, 0.0, 1.0]] * 3  # with the normal +z the third direction is +y
    assert np.allclose(foliage["TEXCOORD_0"], places[4:])
    for part, used in ((bark, slice(0, 4)), (foliage, slice(4, 7))):
        assert np.allclose(part["TEXCOORD_1"] / 65535.0, wind[used, :2], atol=1e-5)
        assert np.allclose(part["TEXCOORD_2"][:, 0] / 65535.0, wind[used, 2], atol=1e-5)
    material = foliage["material"]
    assert (material["alphaMode"], material["alphaCutoff"], material["doubleSided"]) == ("MASK", 0.3, True)
    views = [glb.json["bufferViews"][image["bufferView"]] for image in glb.json["images"]]
    assert [view["byteLength"] for view in views] == [6, 6]


def forest(count: int = 3000) -> Vegetation:
    random = np.random.default_rng(5)
    species = random.integers(0, 2, count)
    stand = np.stack(
        [
            random.uniform(0.0, 120.0, count),
            random.uniform(0.0, 80.0, count),
            random.uniform(0.0, 50.0, count),
            species,
            np.arange(count),  # the age tells plants apart
            random.uniform(1.0, 30.0, count),
            random.uniform(0.0, 360.0, count),
            np.where(species == 0, random.integers(0, 2, count), 0),
        ],
        axis=1,
    )
    return vegetation(stand, cell=25.0)


def test_every_plant_is_there_once_in_its_cell(tmp_path: Path) -> None:
    stand = forest()
    plants = stand.plants
    seen = []
    for node, group in written(tmp_path, LAND, stand).groups():
        index = group["_AGE"][:, 0].astype(int)
        seen.append(index)
        assert (np.diff(index) > 0).all()  # the order within a cell is the order of the plants
        assert len({*zip(plants.species[index], plants.variant[index])}) == 1
        cells = {(int(x // 25), int(y // 25)) for x, y in zip(plants.x[index].tolist(), plants.y[index].tolist())}
        assert len(cells) == 1
        name = f"{MODELS[plants.species[index[0]]].name} {plants.variant[index[0]]} cell {{0[0]}} {{0[1]}}"
        assert node["name"] == name.format(cells.pop())
        assert np.array_equal(group["_SPECIES"][:, 0], plants.species[index])
        expected = np.stack((plants.x[index] - 60.0, stand.altitude[index], 40.0 - plants.y[index]), axis=1)
        assert np.array_equal(group["TRANSLATION"], expected)
        assert np.array_equal(group["SCALE"], np.repeat(plants.height[index][:, None], 3, axis=1))
    assert sorted(np.concatenate(seen).tolist()) == list(range(3000))
    assert len(seen) == 3 * 5 * 4  # species and variants, columns and rows of cells


def test_the_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    write_landscape_glb(tmp_path / "a.glb", LAND, forest())
    write_landscape_glb(tmp_path / "b.glb", LandMesh(np.asfortranarray(LAND.heights), 10.0), forest())
    assert (tmp_path / "a.glb").read_bytes() == (tmp_path / "b.glb").read_bytes()


def test_our_own_plants_keep_their_triangles(tmp_path: Path) -> None:
    meshes = tuple(make_plant_mesh("conifer", variant) for variant in range(3))
    fir = PlantModel("fir", tuple((mesh,) for mesh in meshes), ((0.2, 0.1, 0.1), (0.1, 0.2, 0.1)))
    stand = vegetation([(1.0, 1.0, 0.0, 0, 1, 1, 0, variant) for variant in range(3)], (fir,))
    glb = written(tmp_path, LAND, stand)
    for variant, mesh in enumerate(meshes):
        for part, primitive in enumerate(glb.mesh(f"fir {variant}")):
            corners = mesh.vertices[mesh.triangles[mesh.part == part]]
            stored = primitive["POSITION"][primitive["triangles"]]
            assert np.array_equal(stored, np.stack((corners[..., 0], corners[..., 2], -corners[..., 1]), axis=-1))


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ((1, 1, 0, 2, 1, 1, 0, 0), "species 2, but 2 models"),
        ((1, 1, 0, -1, 1, 1, 0, 0), "species -1"),
        ((1, 1, 0, 1, 1, 1, 0, 1), "Gebüsch have variants 1 to 1, but there are 1 meshes"),
        ((1, 1, 0, 0, 1, 1, 0, -1), "variants -1 to 0"),
        ((math.nan, 1, 0, 0, 1, 1, 0, 0), "x of plants holds NaN"),
        ((1, 1, math.inf, 0, 1, 1, 0, 0), "altitude of plants holds NaN"),
        ((1, 1, 0, 0, 1, 1, math.nan, 0), "rotation of plants holds NaN"),
    ],
)
def test_plants_that_cannot_be(row: tuple[float, ...], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        vegetation([(1, 1, 0, 0, 1, 1, 0, 0), row])


def test_models_and_cells_that_cannot_be() -> None:
    for cell in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(ValueError, match="cell = "):
            vegetation([], cell=cell)
    with pytest.raises(ValueError, match="altitude has shape"):
        dataclasses.replace(vegetation([(1, 1, 0, 0, 1, 1, 0, 0)]), altitude=np.zeros(2, np.float32))
    with pytest.raises(ValueError, match="outside 0 to 1"):
        PlantModel("pine", ((flag(),),), ((0.0, 0.0, 1.5), (0.0, 0.0, 0.0)))
    with pytest.raises(ValueError, match="2 parts, but 1 colours"):
        PlantModel("pine", ((flag(),),), ((0.0, 0.0, 0.0),))
    with pytest.raises(ValueError, match="no meshes"):
        PlantModel("pine", (), ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)))


# --- Blender ----------------------------------------------------------------------------------------------------------


def imported(path: Path) -> Any:
    """Bring a GLB into an empty Blender through its own importer."""
    bpy = pytest.importorskip("bpy")
    import addon_utils

    bpy.ops.wm.read_factory_settings(use_empty=True)
    addon_utils.enable("io_scene_gltf2")
    bpy.ops.import_scene.gltf(filepath=str(path))
    return bpy


def test_blender_gets_the_land_back(tmp_path: Path) -> None:
    heights = (np.random.default_rng(6).normal(size=(9, 13)) * 100).astype(np.float32)
    colour = np.random.default_rng(7).random((9, 13, 3)).astype(np.float32)
    write_landscape_glb(tmp_path / "land.glb", LandMesh(heights, 10.0, colour))
    bpy = imported(tmp_path / "land.glb")
    land = bpy.data.objects["Land"]
    found = np.array([land.matrix_world @ v.co for v in land.data.vertices])
    y, x = np.mgrid[0:9, 0:13] * 10.0
    expected = np.stack((x - 60.0, y - 40.0, heights), axis=-1).reshape(-1, 3)
    assert np.allclose(found, expected, atol=1e-4)
    assert len(land.data.polygons) == 2 * 8 * 12
    assert min(polygon.normal.z for polygon in land.data.polygons) > 0.0
    stored = np.array([value.color[:3] for value in land.data.color_attributes[0].data])
    corners = [loop.vertex_index for loop in land.data.loops]
    per_sample = colour.reshape(-1, 3)
    # Rounded to bytes twice: linear ones in the file, sRGB ones in Blender, which are 0.009 apart near white.
    assert np.abs(stored - (per_sample[corners] if len(stored) == len(corners) else per_sample)).max() < 7e-3


def test_blender_gets_the_plants_back(tmp_path: Path) -> None:
    stand = [
        (100.0, 70.0, 50.0, 0, 42.5, 12.0, 90.0, 1),
        (10.0, 20.0, 5.0, 0, 1.0, 2.0, 30.0, 0),
        (110.0, 5.0, 7.0, 1, 3.0, 4.0, 200.0, 0),
    ]
    write_landscape_glb(tmp_path / "land.glb", LAND, vegetation(stand))
    bpy = imported(tmp_path / "land.glb")
    # The importer makes one object per instance; those without a parent that is placed stand at the origin.
    placed = [
        o for o in bpy.data.objects if o.type == "MESH" and o.name != "Land" and o.matrix_world.translation.length
    ]
    found = sorted((tuple(o.matrix_world.translation), o.matrix_world) for o in placed)
    assert len(found) == 3
    for (x, y, altitude, _, _, height, rotation, _), (place, matrix) in zip(sorted(stand), found):
        assert place == pytest.approx((x - 60.0, y - 40.0, altitude), abs=1e-4)
        turn = math.radians(rotation)
        assert tuple(matrix.to_3x3() @ type(matrix.translation)((1.0, 0.0, 0.0))) == pytest.approx(
            (height * math.cos(turn), height * math.sin(turn), 0.0), abs=1e-4
        )
        assert tuple(matrix.to_scale()) == pytest.approx((height, height, height), abs=1e-4)


def test_in_two_files_it_is_the_same(tmp_path: Path) -> None:
    one = written(tmp_path, LandMesh(peak_in_the_north_east(), 10.0))
    write_landscape_glb(tmp_path / "my land.gltf", LandMesh(peak_in_the_north_east(), 10.0))
    two = json.loads((tmp_path / "my land.gltf").read_text(encoding="utf-8"))
    assert two.pop("buffers") == [{**one.json.pop("buffers")[0], "uri": "my%20land.bin"}]
    assert two == one.json
    assert (tmp_path / "my land.bin").read_bytes() == one.binary
    assert len(list(tmp_path.iterdir())) == 3


def test_a_fault_in_the_second_file_leaves_both_old_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_landscape_glb(tmp_path / "land.gltf", LandMesh(peak_in_the_north_east(), 10.0))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def full(*_: object, **__: object) -> bytes:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("json.dumps", full)
    with pytest.raises(ValueError, match=r"cannot write .*: No space left on device"):
        write_landscape_glb(tmp_path / "land.gltf", LandMesh(2.0 * peak_in_the_north_east(), 10.0))
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before

"""A landscape in three.js: another loader that knows EXT_mesh_gpu_instancing finds what was written."""

import json
import subprocess
from typing import Any

import numpy as np
import pytest

from terrain_addon.core.building.landscape import Landscape
from terrain_addon.core.meshing.cell_diagonals import turned_cells
from terrain_addon.files.landscape_glb import export_landscape
from tests.files.engine_land import f_land, ground_of_triangles
from tests.files.npm import installed

pytestmark = pytest.mark.once

VERSION = "0.181.0"
LOAD = """
import { readFileSync } from "node:fs";
import * as THREE from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";
const data = readFileSync(process.argv[2]);
const loader = new GLTFLoader();
// Outside of a browser nothing reads pictures.
loader.register(parser => {
    parser.loadTextureImage = async () => new THREE.Texture();
    return { name: "no pictures" };
});
const gltf = await loader.parseAsync(data.buffer.slice(data.byteOffset, data.byteOffset + data.length), "");
const meshes = [], instances = [];
gltf.scene.updateMatrixWorld(true);
gltf.scene.traverse(object => {
    if (object.isInstancedMesh) {
        for (let i = 0; i < object.count; i++) {
            const matrix = new THREE.Matrix4();
            object.getMatrixAt(i, matrix);
            matrix.premultiply(object.matrixWorld);
            const p = new THREE.Vector3(), q = new THREE.Quaternion(), s = new THREE.Vector3();
            matrix.decompose(p, q, s);
            instances.push([object.name, ...p, ...q, ...s]);
        }
    } else if (object.isMesh) {
        const box = new THREE.Box3().setFromObject(object);
        meshes.push([object.name, object.geometry.attributes.position.count, ...box.min, ...box.max]);
    }
});
console.log(JSON.stringify({ meshes, instances }));
"""


@pytest.fixture(scope="module")
def landscape() -> Landscape:
    return f_land()


@pytest.fixture(scope="module")
def loaded(landscape: Landscape, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What three.js has made of the landscape."""
    folder = installed("three", VERSION)
    path = tmp_path_factory.mktemp("three") / "land.glb"
    export_landscape(path, landscape)
    script = folder / "load.mjs"
    script.write_text(LOAD)
    done = subprocess.run(["node", str(script), str(path)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_land_is_one_mesh_of_its_size(landscape: Landscape, loaded: dict[str, Any]) -> None:
    ((name, count, *box),) = [mesh for mesh in loaded["meshes"] if mesh[0] != "Sea"]
    surface = landscape.terrain.surface
    assert (name, count) == ("Land", surface.size)
    half = landscape.terrain.grid.width / 2
    assert box == pytest.approx([-half, surface.min(), -half, half, surface.max(), half], rel=1e-6)


def test_every_plant_is_an_instance_at_its_place(landscape: Landscape, loaded: dict[str, Any]) -> None:
    plants = landscape.plants
    assert plants is not None
    # Each model has several parts, which are meshes of their own.
    places = np.array([instance[1:4:2] for instance in loaded["instances"]])
    assert len(np.unique(places, axis=0)) == len(plants)
    half = landscape.terrain.grid.width / 2
    grown = [species.height for species in landscape.recipe.ecosystem.species]
    surface = landscape.terrain.surface
    heights = ground_of_triangles(landscape, plants.x, plants.y, turned_cells(surface))
    for i in range(0, len(plants), len(plants) // 10):
        distance = np.hypot(*(places - (plants.x[i] - half, half - plants.y[i])).T)
        assert distance.min() < 1e-3
        _, _, y, _, qx, qy, qz, qw, *scale = loaded["instances"][int(distance.argmin())]
        assert y == pytest.approx(heights[i], abs=1e-2)
        assert scale == pytest.approx([plants.height[i] / grown[plants.species[i]]] * 3, rel=1e-5)
        assert (qx, qz) == pytest.approx((0.0, 0.0), abs=1e-6)
        turn = np.degrees(2.0 * np.arctan2(qy, qw)) - plants.rotation[i]
        assert (turn + 180.0) % 360.0 - 180.0 == pytest.approx(0.0, abs=1e-2)

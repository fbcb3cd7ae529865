"""All glTF files of packages, and whole landscapes, before the Khronos glTF validator."""

import json
import subprocess
from pathlib import Path

import pytest

from terrain_addon import core
from terrain_addon.files.engines.package import ENGINES, PackageOptions, write_package
from terrain_addon.files.landscape_glb import export_landscape
from terrain_addon.files.planet_glb import write_planet_glb
from tests.files.engine_land import f_land
from tests.files.npm import installed

pytestmark = pytest.mark.once

VERSION = "2.0.0-dev.3.10"
CHECK = """
const [folder, ...files] = process.argv.slice(1);
const validator = require(folder + "/node_modules/gltf-validator");
const fs = require("fs"), path = require("path");
const read = file => new Uint8Array(fs.readFileSync(file));
const check = file => validator.validateBytes(read(file), {
    maxIssues: 0,
    externalResourceFunction: async uri => read(path.join(path.dirname(file), decodeURIComponent(uri))),
});
Promise.all(files.map(check)).then(reports => console.log(JSON.stringify(reports.map(r => r.issues.messages))));
"""


@pytest.fixture(scope="module")
def validator() -> Path:
    """The folder that the validator is installed in."""
    return installed("gltf-validator", VERSION)


def issues(validator: Path, files: list[Path]) -> dict[str, list[tuple[int, str]]]:
    """Severity (0 is an error, 1 a warning) and code of what the validator has to say, by file."""
    command = ["node", "-e", CHECK, str(validator), *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return {f.name: [(m["severity"], m["code"]) for m in found] for f, found in zip(files, json.loads(done.stdout))}


@pytest.mark.parametrize("engine", ENGINES)
def test_no_errors_and_no_warnings(validator: Path, tmp_path: Path, engine: str) -> None:
    package = write_package(tmp_path / "package", f_land(129, 129, 100), engine, PackageOptions(tiles=2))
    files = sorted(package.folder.rglob("*.glb"))
    assert len(files) > 4 * 5 + 6
    found = issues(validator, files)
    assert {name: [i for i in said if i[0] <= 1] for name, said in found.items()} == {name: [] for name in found}
    # What is left are notes: no engine's texture has a power of two of texels, and the extension is not known to it.
    notes = {"IMAGE_NPOT_DIMENSIONS", "URI_GLB", "UNSUPPORTED_EXTENSION", "UNUSED_OBJECT"}
    assert {code for said in found.values() for _, code in said} <= notes


@pytest.mark.parametrize("name", ["land.glb", "Höhen und Täler.gltf"])
def test_a_whole_landscape_in_one_file_or_two(validator: Path, tmp_path: Path, name: str) -> None:
    export_landscape(tmp_path / name, f_land())
    (found,) = issues(validator, [tmp_path / name]).values()
    assert [issue for issue in found if issue[0] <= 1] == []
    for arrays in tmp_path.glob("*.bin"):
        arrays.write_bytes(arrays.read_bytes()[:-4])
        assert "BUFFER_BYTE_LENGTH_MISMATCH" in [code for _, code in issues(validator, [tmp_path / name])[name]]


def test_the_validator_can_say_no(validator: Path, tmp_path: Path) -> None:
    package = write_package(tmp_path / "package", f_land(), "generic")
    water = package.folder / package.manifest["water"][0]
    data = bytearray(water.read_bytes())
    place = data.index(b'"count":') + len(b'"count":')
    data[place : place + 1] = b"9"
    water.write_bytes(data)
    assert any(severity == 0 for severity, _ in issues(validator, [water])[water.name])


def test_a_planet_with_levels_and_pictures(validator: Path, tmp_path: Path) -> None:
    planet = core.build_planet(core.PlanetRecipe.preset("temperate", resolution=33))
    write_planet_glb(tmp_path / "planet.glb", planet)
    (found,) = issues(validator, [tmp_path / "planet.glb"]).values()
    assert [issue for issue in found if issue[0] <= 1] == []
    assert {code for _, code in found} <= {"IMAGE_NPOT_DIMENSIONS", "UNSUPPORTED_EXTENSION", "UNUSED_OBJECT"}

"""All GLB files of a package before the Khronos glTF validator."""

import json
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from terrain_addon.files.engines.package import ENGINES, PackageOptions, write_package
from tests.files.engine_land import f_land

pytestmark = pytest.mark.once

VERSION = "2.0.0-dev.3.10"
CACHE = Path(__file__).resolve().parents[2] / ".environments" / f"gltf-validator-{VERSION}"
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
    """The folder that the validator is installed in, which is done once."""
    if not (shutil.which("node") and shutil.which("npm")):
        pytest.skip("node and npm are not installed; the glTF validator needs them")
    if not CACHE.exists():
        CACHE.parent.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE.parent) as part:
            npm = ["npm", "install", "--no-save", "--ignore-scripts", "--prefix", part, f"gltf-validator@{VERSION}"]
            done = subprocess.run(npm, capture_output=True, text=True, timeout=300)
            if done.returncode:
                pytest.skip(f"npm could not fetch the glTF validator: {done.stderr.strip().splitlines()[-1:]}")
            shutil.copytree(part, CACHE, dirs_exist_ok=True)
    return CACHE


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


def test_the_validator_can_say_no(validator: Path, tmp_path: Path) -> None:
    package = write_package(tmp_path / "package", f_land(), "generic")
    water = package.folder / package.manifest["water"][0]
    data = bytearray(water.read_bytes())
    place = data.index(b'"count":') + len(b'"count":')
    data[place : place + 1] = b"9"
    water.write_bytes(data)
    assert any(severity == 0 for severity, _ in issues(validator, [water])[water.name])

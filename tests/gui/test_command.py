"""`blender --command landscape …` in a real Blender binary, with the extension installed from its zip."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
# A whole system with a Blender in it, which the tool that opens windows has set up.
SYSTEM = Path(os.environ.get("BLENDER_WINDOW_ROOT") or "/var/tmp/blender-window")
SMALL = ["--set", "resolution=65", "--set", "width=640", "--set", "depth=640"]

fcntl = pytest.importorskip("fcntl", reason="only Linux has the system that this runs in")

pytestmark = [
    pytest.mark.once,
    pytest.mark.skipif(not (SYSTEM / "usr/bin/blender").is_file(), reason=f"there is no Blender in {SYSTEM}"),
    pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can enter that system"),
]


class Blender:
    """A Blender with nothing but the extension, and a folder that it sees as its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.inside = f"/{folder.relative_to(SYSTEM)}"

    def run(self, *arguments: str) -> str:
        """What a Blender command prints."""
        settings = f"BLENDER_USER_RESOURCES={self.inside}/user HOME={self.inside} XDG_RUNTIME_DIR={self.inside}"
        command = f"cd {self.inside} && {settings} blender --command {shlex.join(arguments)}"
        # The bpy module, which other tests import, points OCIO at colour files of its own.
        environment = {name: value for name, value in os.environ.items() if name != "OCIO"}
        ran = subprocess.run(
            ["chroot", str(SYSTEM), "sh", "-c", command], env=environment, capture_output=True, text=True, timeout=500
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    def landscape(self, *arguments: str) -> dict[str, object]:
        """What `landscape …` says as JSON."""
        said = self.run("landscape", *arguments, "--json")
        return json.loads(next(line for line in said.splitlines() if line.startswith("{")))


@pytest.fixture(scope="module")
def blender(local_zip: Path) -> Iterator[Blender]:
    # The user's folder stays, because it holds compiled kernels, which take longer than all the rest.
    folder = SYSTEM / "stage" / "landscape_command"
    (folder / "user").mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # because another run of the tests would install over this one
        shutil.copy(local_zip, folder / "extension.zip")
        blender = Blender(folder)
        blender.run("extension", "install-file", "-r", "user_default", "--enable", "extension.zip")
        yield blender
        shutil.rmtree(folder / "built", ignore_errors=True)


def test_info(blender: Blender) -> None:
    facts = blender.landscape("info", "alpine", *SMALL)
    assert (facts["rows"], facts["columns"], facts["cell_size"]) == (65, 65, 10.0)


@pytest.fixture(scope="module")
def built(blender: Blender, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The folders that Blender's program and plain Python have filled from the same recipe."""
    here = tmp_path_factory.mktemp("plain")
    blender.landscape("build", "alpine", *SMALL, "--out", "built")
    plain = [sys.executable, "-m", "terrain_addon", "build", "alpine", *SMALL, "--out", str(here)]
    subprocess.run(plain, cwd=ROOT, check=True, capture_output=True, timeout=280)
    return blender.folder / "built", here


def test_the_same_land_and_plants_as_without_the_program(built: tuple[Path, Path]) -> None:
    inside, outside = built
    assert (inside / "recipe.json").read_bytes() == (outside / "recipe.json").read_bytes()
    with np.load(inside / "landscape.npz") as ours, np.load(outside / "landscape.npz") as theirs:
        differing = {name for name in theirs if ours[name].tobytes() != theirs[name].tobytes()}
    assert not differing


def test_maps_a_package_and_a_picture(blender: Blender) -> None:
    blender.landscape("bake", "alpine", *SMALL, "--out", "built/baked")
    assert {path.suffix for path in (blender.folder / "built/baked").iterdir()} >= {".png", ".exr"}
    blender.landscape("export", "alpine", *SMALL, "--engine", "godot", "--out", "built/exported")
    manifest = json.loads((blender.folder / "built/exported/alpine_godot/manifest.json").read_text(encoding="utf-8"))
    assert manifest["engine"] == "godot"
    size = ["--picture-width", "160", "--picture-height", "90", "--samples", "1"]
    blender.landscape("render", "alpine", *SMALL, *size, "--out", "built/rendered")
    with Image.open(blender.folder / "built/rendered/landscape.png") as picture:
        assert picture.size == (160, 90)
        assert len(picture.convert("RGB").getcolors(160 * 90) or ()) > 500
    # Once more: rendering has left the extension and its packages where they were.
    assert blender.landscape("info", "alpine", *SMALL)["rows"] == 65

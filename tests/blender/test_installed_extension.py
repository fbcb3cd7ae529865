"""The extension as a user gets it: a zip, installed by Blender."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("bpy")


@pytest.fixture(scope="module")
def report(local_zip: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What happened in a Blender which knew nothing of us before."""
    resources = tmp_path_factory.mktemp("blender")
    ran = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("use_installed_extension.py")), str(local_zip)],
        # Not in the project's folder, so that the package can come from nowhere but the zip.
        cwd=resources,
        env=os.environ | {"BLENDER_USER_RESOURCES": str(resources)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    found: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return found


def test_it_is_enabled_and_can_be_disabled(report: dict[str, Any]) -> None:
    assert report["enabled"]
    assert report["disabled"]


def test_it_makes_a_landscape(report: dict[str, Any]) -> None:
    assert report["vertices"] == 65**2


def test_the_compiler_is_the_one_that_came_along(report: dict[str, Any]) -> None:
    assert report["compiler"] == report["wheels"]


def test_it_writes_nothing_into_its_own_folder(report: dict[str, Any]) -> None:
    assert "blender_manifest.toml" in report["installed"]
    assert report["changed"] == []

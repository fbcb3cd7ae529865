"""Registering is quick and leaves nothing behind."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("bpy")

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    """What was in Blender before, while, and after the add-on was registered."""
    ran = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("registration_report.py"))],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    found: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return found


def test_everything_is_gone_after_registering_twenty_times(report: dict[str, Any]) -> None:
    left = {kind: sorted(set(names) - set(report["before"][kind])) for kind, names in report["after"].items()}
    assert left == {kind: [] for kind in left}


def test_nothing_of_blender_itself_is_gone(report: dict[str, Any]) -> None:
    missing = {kind: sorted(set(names) - set(report["after"][kind])) for kind, names in report["before"].items()}
    assert missing == {kind: [] for kind in missing}


def test_the_report_sees_what_is_registered(report: dict[str, Any]) -> None:
    new = {kind: set(names) - set(report["before"][kind]) for kind, names in report["registered"].items()}
    assert "landscape.generate" in new["operators"]
    assert "LANDSCAPE_OT_generate" in new["classes"]
    assert "Object.landscape" in new["properties"]


def test_registering_does_not_load_the_compiler(report: dict[str, Any]) -> None:
    assert report["loaded"] == []

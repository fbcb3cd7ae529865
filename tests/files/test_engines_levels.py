"""Packages as levels: what they are called, what they replace, and what a walker in them would see."""

import dataclasses
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from terrain_addon.command_line import main
from terrain_addon.core.relief.elevation_model import ElevationModel
from terrain_addon.files.engines.package import PackageOptions, write_package
from tests.files.engine_land import f_land

pytestmark = pytest.mark.once

SMALL = ["export", "plains", "--set", "resolution=33", "--set", "ecosystem.cover=0", "--json"]


def exported(out: Path, capsys: pytest.CaptureFixture[str], *options: str) -> list[dict[str, Any]]:
    """The reports of the command line."""
    main([*SMALL, "--out", str(out), *options])
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


# --- names ------------------------------------------------------------------------------------------------------------


def test_packages_are_named_after_their_recipe(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (report,) = exported(tmp_path, capsys, "--engine", "unreal", "--tiles", "2", "--resolution", "127", "--lods", "1")
    assert report["package"] == "plains_unreal" and report["tiles"] == [2, 2]
    assert report["samples_of_a_tile"] == [127, 127] and report["resampled_from"] == [33, 33]
    manifest = json.loads((tmp_path / "plains_unreal" / "manifest.json").read_text())
    assert manifest["name"] == "plains" and len(manifest["tiles"]) == 4
    assert "land_lod0" in manifest["tiles"][0]["files"] and "land_lod1" not in manifest["tiles"][0]["files"]
    (report,) = exported(tmp_path, capsys, "--engine", "generic", "--name", "heath")
    assert report["package"] == "heath_generic" and "resampled_from" not in report
    assert (tmp_path / "plains_unreal" / "manifest.json").is_file()
    # In a batch each land has a name of its own: engines put the assets of equal names into one folder.
    reports = exported(tmp_path / "many", capsys, "--engine", "generic", "--seed", "3..4")
    assert [report["package"] for report in reports] == ["plains_3_generic", "plains_4_generic"]


def test_options_that_a_format_lacks_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SMALL, "--out", str(tmp_path), "--engine", "glb", "--tiles", "2"]) == 1
    assert "--tiles: only packages have it" in capsys.readouterr().err
    assert main([*SMALL, "--out", str(tmp_path), "--engine", "unity", "--name", "a/b"]) == 1
    assert "name = 'a/b' is not made of" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_package_replaces_only_its_own(tmp_path: Path) -> None:
    folder, land = tmp_path / "level", f_land(33, 33, 0)
    write_package(folder, land, "generic", PackageOptions(name="heath"))
    before = (folder / "manifest.json").read_bytes()
    for engine, name in (("unity", "heath"), ("generic", "moor")):
        with pytest.raises(ValueError, match="it holds the package heath for generic, not"):
            write_package(folder, land, engine, PackageOptions(name=name))
    assert (folder / "manifest.json").read_bytes() == before
    write_package(folder, f_land(33, 33, 5), "generic", PackageOptions(name="heath"))
    assert (folder / "manifest.json").read_bytes() != before


def test_nothing_tells_where_a_package_was_made(tmp_path: Path) -> None:
    land = f_land(33, 33, 0)
    for path in ("/home/somebody/secret/alps.tif", "C:\\Users\\Somebody\\secret\\alps.tif"):
        recipe = land.recipe.replace(elevation=ElevationModel(path=path))
        package = write_package(tmp_path / "level", dataclasses.replace(land, recipe=recipe), "generic")
        assert package.manifest["recipe"]["elevation"]["path"] == "alps.tif"
        assert "secret" not in (package.folder / "manifest.json").read_text()

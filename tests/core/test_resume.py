"""``--resume`` skips a landscape only if all that was asked for is there, made from the same recipe and files."""

import json
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from terrain_addon.command_line import main

pytestmark = pytest.mark.once

SMALL = ["--set", "resolution=33", "--set", "ecosystem.cover=0", "--set", "width=300", "--set", "depth=300"]


class Folder:
    """A folder of landscapes, and the command line that writes to it."""

    def __init__(self, out: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.out = out
        self.capsys = capsys

    def run(self, command: str, *more: str, recipe: str = "rolling_hills") -> list[dict[str, object]]:
        arguments = [command, recipe, *SMALL, *more, "--out", str(self.out), "--json", "--resume"]
        main(arguments)
        return [json.loads(line) for line in self.capsys.readouterr().out.splitlines()]

    def skips(self, command: str, *more: str, recipe: str = "rolling_hills") -> bool:
        (report,) = self.run(command, *more, recipe=recipe)
        assert "error" not in report, report
        return bool(report.get("skipped", False))


@pytest.fixture
def folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Folder:
    return Folder(tmp_path / "lands", capsys)


def test_what_is_complete_is_skipped(folder: Folder) -> None:
    assert not folder.skips("bake", "--maps", "height")
    assert folder.skips("bake", "--maps", "height")


def test_another_command_is_not_skipped_and_both_are_complete_then(folder: Folder) -> None:
    assert not folder.skips("build")
    assert not folder.skips("bake", "--maps", "height")
    assert (folder.out / "landscape_height.png").is_file()
    assert folder.skips("build") and folder.skips("bake", "--maps", "height")
    assert not folder.skips("export", "--engine", "generic")
    assert folder.skips("export", "--engine", "generic")
    assert not folder.skips("export", "--engine", "glb")


def test_other_maps_are_baked(folder: Folder) -> None:
    assert not folder.skips("bake", "--maps", "height")
    assert not folder.skips("bake", "--maps", "height", "slope")
    assert (folder.out / "landscape_slope.png").is_file()
    assert folder.skips("bake", "--maps", "slope", "height")


DAMAGES: dict[str, Callable[[Path], object]] = {
    "deleted": Path.unlink,
    "emptied": lambda path: path.write_bytes(b""),
    "changed": lambda path: path.write_bytes(path.read_bytes()[:-1] + b"?"),
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", ["landscape.npz", "recipe.json", "landscape_record.json"])
def test_damaged_files_are_made_again(folder: Folder, name: str, damage: str) -> None:
    assert not folder.skips("build")
    (folder.out / name).touch()
    before = {path.name: path.read_bytes() for path in folder.out.iterdir()}
    DAMAGES[damage](folder.out / name)
    assert not folder.skips("build")
    assert {path.name: path.read_bytes() for path in folder.out.iterdir()} == before
    assert folder.skips("build")


@pytest.mark.parametrize(
    "content", [b"\xff\xfe", b"[]", b"null", b'{"format_version": 1, "runs": [{}, 3]}', b"[" * 100_000]
)
def test_a_damaged_record_or_recipe_means_again(folder: Folder, content: bytes) -> None:
    assert not folder.skips("build")
    for name in ("recipe.json", "landscape_record.json"):
        (folder.out / name).write_bytes(content)
    assert not folder.skips("build")
    assert folder.skips("build")


def test_another_recipe_is_another_land(folder: Folder) -> None:
    assert not folder.skips("build")
    assert not folder.skips("build", "--set", "relief.wavelength=801")
    assert folder.skips("build", "--set", "relief.wavelength=801")
    assert not folder.skips("build")


def test_a_changed_elevation_file_is_read_again(folder: Folder, tmp_path: Path) -> None:
    path = tmp_path / "peak.npy"
    given = ["--set", f"relief.path={path}"]
    np.save(path, np.add.outer(np.arange(40.0), np.arange(40.0)).astype(np.float32))
    assert not folder.skips("build", *given, recipe="big_tujunga")
    assert folder.skips("build", *given, recipe="big_tujunga")
    before = (folder.out / "landscape.npz").read_bytes()
    np.save(path, np.add.outer(np.arange(40.0), 3 * np.arange(40.0)).astype(np.float32))
    assert not folder.skips("build", *given, recipe="big_tujunga")
    assert (folder.out / "landscape.npz").read_bytes() != before


def test_only_the_land_that_is_not_complete_is_made(folder: Folder) -> None:
    assert [bool(line.get("skipped")) for line in folder.run("build", "--seed", "3..5")] == [False] * 3
    (folder.out / "seed_4" / "landscape.npz").unlink()
    started = time.perf_counter()
    assert [bool(line.get("skipped")) for line in folder.run("build", "--seed", "3..5")] == [True, False, True]
    assert time.perf_counter() - started < 20.0

"""The zips are complete, reproducible and accepted by Blender's own checker."""

import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import build

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parents[2]


def test_zip_is_the_same_each_time(local_zip: Path, tmp_path: Path) -> None:
    again = build.make_zip(build.local_package(), tmp_path, sys.executable)
    assert again.name == local_zip.name
    assert again.read_bytes() == local_zip.read_bytes()


def test_zip_holds_the_package_its_manual_and_nothing_else(local_zip: Path) -> None:
    with zipfile.ZipFile(local_zip) as archive:
        names = set(archive.namelist())
    package = ROOT / "terrain_addon"
    files = {f.relative_to(package).as_posix() for f in package.rglob("*") if f.is_file() and f.suffix != ".pyc"}
    sources = {name for name in files if not name.startswith("core/relief/oracle/")}
    assert sources < files
    assert {n for n in names if not n.startswith(("wheels/", "licenses/", "manual/"))} == sources | {
        "blender_manifest.toml",
        "LICENSE",
    }


def test_zip_for_this_machine_brings_compilers_for_every_python(local_zip: Path) -> None:
    with zipfile.ZipFile(local_zip) as archive:
        manifest = tomllib.loads(archive.read("blender_manifest.toml").decode())
        wheels = {f"./{name}" for name in archive.namelist() if name.startswith("wheels/")}
    assert set(manifest["wheels"]) == wheels
    tags = {(name.split("/")[-1].split("-")[0], name.split("-")[2]) for name in wheels}
    assert {(package, tag) for package in ("numba", "llvmlite") for tag in ("cp311", "cp313", "cp314")} <= tags


def test_blender_accepts_the_zip(local_zip: Path) -> None:
    pytest.importorskip("bpy")
    build.validate(local_zip, sys.executable)


def test_blender_s_refusal_is_a_failure(local_zip: Path, tmp_path: Path) -> None:
    pytest.importorskip("bpy")
    broken = tmp_path / "broken.zip"
    with zipfile.ZipFile(local_zip) as source, zipfile.ZipFile(broken, "w") as target:
        text = source.read("blender_manifest.toml").decode().replace('"4.2.0"', '"4.2"')
        target.writestr("blender_manifest.toml", text)
        target.writestr("__init__.py", source.read("__init__.py"))
    with pytest.raises(build.Failure, match="blender_version_min"):
        build.validate(broken, sys.executable)


@pytest.mark.parametrize("package", build.PACKAGES, ids=lambda package: package.label)
def test_manifest_of_each_zip_names_its_platform_and_versions(package: build.Package) -> None:
    wheel = Path("numba-0-cp311-cp311-any.whl")
    text = (ROOT / "blender_manifest.toml").read_text(encoding="utf-8")
    completed = tomllib.loads(build.manifest(text, package, [wheel]))
    added = {
        "platforms": [package.platform],
        "blender_version_min": package.blender_min,
        "wheels": ["./wheels/numba-0-cp311-cp311-any.whl"],
    }
    assert completed == tomllib.loads(text) | added


def test_there_is_one_zip_for_each_platform() -> None:
    assert [package.platform for package in build.PACKAGES] == list(build.WHEEL_PLATFORMS)
    assert {package.pythons for package in build.PACKAGES} == {("3.11", "3.13"), ("3.13",)}
    arm = next(package for package in build.PACKAGES if package.platform == "windows-arm64")
    assert arm.blender_min == "5.1.0"


def test_the_checksum_of_every_wheel_of_a_release_is_pinned() -> None:
    pinned = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["wheels"]["sha256"]
    for package in build.PACKAGES:
        for python in package.pythons:
            tag = f"-cp{python.replace('.', '')}-"
            found = [name for name in pinned if tag in name and build.WHEEL_PLATFORMS[package.platform] in name]
            assert sorted(name.split("-")[0] for name in found) == ["llvmlite", "numba"], (package.label, python)
    versions = {"-".join(name.split("-")[:2]) for name in pinned}
    assert versions == {pin.replace("==", "-") for pin in build.requirements_of("kernels")}


def test_a_wheel_with_another_checksum_is_refused(tmp_path: Path) -> None:
    wheel = tmp_path / "numba-0.68.1-cp313-cp313-win_amd64.whl"
    wheel.write_bytes(b"something else")
    with pytest.raises(build.Failure, match=r"numba-0\.68\.1.* has the checksum .* and pyproject\.toml pins"):
        build.checked_wheel(wheel)


def test_the_zip_brings_the_licences_of_what_is_in_it(local_zip: Path) -> None:
    with zipfile.ZipFile(local_zip) as archive:
        texts = {name: archive.read(name).decode() for name in archive.namelist() if name.startswith("licenses/")}
    assert "Anaconda" in texts["licenses/numba/LICENSE"]
    assert "LLVM" in texts["licenses/llvmlite/LICENSE.thirdparty"]


def test_notes_of_a_release_come_from_the_changelog() -> None:
    log = "# Changelog\n\n## Unreleased\n\n- new\n\n## 0.2.0 (2026-12-01)\n\n- old\n"
    assert build.release_notes(log, "0.2.0") == "# 0.2.0\n\n- old\n"
    assert build.release_notes(log, "0.3.0") == "# 0.3.0\n\n- new\n"
    with pytest.raises(build.Failure, match=r"says nothing of version 0\.3\.0"):
        build.release_notes("# Changelog\n", "0.3.0")
    assert "website" in build.checklist("0.3.0", None) and "website" not in build.checklist("0.3.0", "https://a.b")


def test_an_interrupted_installation_does_not_look_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made, installed = [], []

    def interrupted(interpreter: str, arguments: list[str]) -> None:
        raise KeyboardInterrupt

    def make_environment(python: str, folder: Path) -> None:
        made.append(folder)
        (folder / "bin").mkdir(parents=True, exist_ok=True)
        (folder / "bin" / "python").touch()

    monkeypatch.setattr(build, "ENVIRONMENTS", tmp_path)
    monkeypatch.setattr(build, "find_python", lambda version: sys.executable)
    monkeypatch.setattr(build, "make_environment", make_environment)
    monkeypatch.setattr(build, "pip", interrupted)
    with pytest.raises(KeyboardInterrupt):
        build.environment("5.2")
    monkeypatch.setattr(build, "pip", lambda interpreter, arguments: installed.append(arguments))
    build.environment("5.2")
    build.environment("5.2")
    assert len(made) == 2
    assert len(installed) == 1
    build.environment("5.2", "test")
    assert len(made) == 2
    assert any(argument.startswith("pytest==") for argument in installed[1])
    assert not any(argument.startswith("bpy==") for argument in installed[1])


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("NewConnectionError: Failed to establish a new connection\nERROR: No matching distribution found", "network"),
        ("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", "disk is full"),
        ("ERROR: No matching distribution found for bpy==5.2.3", "does not exist for this system"),
        ("something nobody foresaw", "something nobody foresaw"),
    ],
)
def test_failures_of_pip_are_explained(said: str, reason: str) -> None:
    assert reason in build.explain(said.splitlines(keepends=True))


def test_everything_that_is_installed_is_pinned() -> None:
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    pins = [pin for group in groups for pin in build.requirements_of(group)]
    assert [pin for pin in pins if "==" not in pin] == []

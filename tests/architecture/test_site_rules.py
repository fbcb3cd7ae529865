"""What reviewers of the extensions site look at.

References
----------
Blender developer documentation, "Extensions: Add-on Development Guidelines" and "Moderation: Review"; Blender manual,
"Extensions: Getting Started" (fields of the manifest) and "Add-ons" (files of the user, online access).
"""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "terrain_addon"
MANIFEST: dict[str, Any] = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
SOURCES = sorted(PACKAGE.rglob("*.py"))
LONGEST_LINE = 64
NETWORK = re.compile(r"(socket|ssl|http|urllib\.(?!parse)|urllib3|requests|ftplib|smtplib|asyncio|xmlrpc)\b")
# Worlds are made outside Blender, by workers of Dask that speak with each other.
WORLDS = "terrain_addon/worlds/"

pytestmark = pytest.mark.once


def trees() -> Iterator[tuple[str, ast.AST]]:
    """The syntax of each module of the package, with its name."""
    for file in SOURCES:
        if "scripts" not in file.relative_to(PACKAGE).parts:
            yield file.relative_to(ROOT).as_posix(), ast.parse(file.read_text(encoding="utf-8"))


def test_sentences_of_the_manifest_are_short_and_end_without_a_point() -> None:
    for line in (MANIFEST["tagline"], *MANIFEST["permissions"].values()):
        assert 0 < len(line) <= LONGEST_LINE and line[-1].isalnum(), line
        assert line[0].isupper(), line


def test_the_name_and_the_id_say_what_it_is_and_nothing_else() -> None:
    for word in ("blender", "addon", "add-on", "extension", "plugin"):
        assert word not in MANIFEST["name"].lower() and word not in MANIFEST["id"], word
    assert re.fullmatch(r"[a-z][a-z0-9_]+", MANIFEST["id"])


def test_what_it_asks_for_is_what_it_uses() -> None:
    used = "\n".join(file.read_text(encoding="utf-8") for file in SOURCES)
    assert ("clipboard" in MANIFEST["permissions"]) == (".clipboard =" in used)
    assert "network" not in MANIFEST["permissions"]
    assert MANIFEST["license"] == ["SPDX:GPL-3.0-or-later"]


def test_nothing_reaches_for_the_network() -> None:
    found = set()
    for name, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                modules = [node.module or ""]
            else:
                continue
            found |= {(name, module) for module in modules if NETWORK.match(module) and not name.startswith(WORLDS)}
    assert found == set()


def test_no_text_is_run_as_code() -> None:
    for name, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in ("eval", "exec", "compile"), f"{name}:{node.lineno}"


def test_modules_of_other_extensions_and_paths_of_python_stay_as_they_are() -> None:
    for name, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and name != "terrain_addon/__main__.py":
                # Installed as an extension, the package has another name.
                assert (node.module or "").split(".")[0] != "terrain_addon" or node.level, f"{name}:{node.lineno}"
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                assert called not in ("sys.path.append", "sys.path.insert", "os.system"), f"{name}:{node.lineno}"
        assert "bl_info" not in {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}, name


def test_only_text_pictures_and_arrays_are_packed() -> None:
    endings = {file.suffix for file in PACKAGE.rglob("*") if file.is_file() and "__pycache__" not in file.parts}
    shaders = {".gdshader", ".shader", ".hlsl"}
    assert endings <= {".py", ".json", ".npz", ".png", ".md", ".cs", ".gd"} | shaders

"""What may use what, and what belongs where."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "terrain_addon"
WITHOUT_BLENDER = ("core", "files")
BLENDER_MODULES = {"bpy", "bmesh", "mathutils", "gpu", "bl_ext"}
# What the mathematical libraries of systems and processors do not agree on to the last bit.
DISPUTED = {"exp", "expm1", "log", "log1p", "log2", "log10", "pow", "power", "sin", "cos", "tan", "tanh", "hypot"}
DISPUTED |= {"asin", "acos", "atan", "atan2", "arcsin", "arccos", "arctan", "arctan2"}
# Tables in float64 that are rounded to float32, and figures that no land depends on.
SMALL_TABLES = {"core/relief/lattice.py", "core/maps/sky.py", "core/maps/sun.py"}
SMALL_TABLES |= {"core/maps/realism.py", "core/building/warming.py"}
SAYS_NOTHING = {"utils", "util", "utilities", "helpers", "helper", "manager", "managers", "misc", "common"}


def sources(*folders: str) -> list[Path]:
    """All Python files under these folders of the package, or of the whole package."""
    return [f for folder in folders or ("",) for f in sorted((PACKAGE / folder).rglob("*.py"))]


def name_of(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


@pytest.mark.once
def test_import_contracts() -> None:
    pytest.importorskip("importlinter", reason="import-linter is not installed; `python build.py test` brings it")
    checked = subprocess.run(
        [
            sys.executable,
            "-c",
            "from importlinter.cli import lint_imports_command; lint_imports_command()",
            "--no-cache",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "5 kept, 0 broken" in checked.stdout


@pytest.mark.parametrize("file", sources(*WITHOUT_BLENDER), ids=name_of)
def test_core_and_files_do_not_name_blender_s_modules(file: Path) -> None:
    # Also what import-linter cannot see: importlib.import_module("bpy") and the like.
    named = [
        f"line {node.lineno}"
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if (isinstance(node, ast.Name) and node.id in BLENDER_MODULES)
        or (isinstance(node, ast.Constant) and node.value in BLENDER_MODULES)
        or (isinstance(node, ast.Import) and {a.name.split(".")[0] for a in node.names} & BLENDER_MODULES)
        or (isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in BLENDER_MODULES)
    ]
    assert not named


def disputed(code: ast.Module) -> list[int]:
    """Lines on which a kernel calls the mathematical library, or anything has numpy call it."""
    functions = [node for node in ast.walk(code) if isinstance(node, ast.FunctionDef)]
    kernels = [f for f in functions if any("kernel" in ast.unparse(name) for name in f.decorator_list)]
    within = {id(node) for f in kernels for node in ast.walk(f)}
    lines = []
    for node in ast.walk(code):
        if isinstance(node, ast.Attribute) and node.attr in DISPUTED and isinstance(node.value, ast.Name):
            wrong = node.value.id == "np" or (node.value.id == "math" and id(node) in within)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and id(node) in within:
            wrong = not (isinstance(node.right, ast.Constant) and isinstance(node.right.value, int))
        else:
            wrong = False
        lines += [node.lineno] if wrong else []
    return lines


@pytest.mark.once
def test_kernels_know_what_they_are_made_from() -> None:
    # Compiled kernels are kept by the source of all modules that theirs names; `from . import module` names none.
    without_name = re.compile(r"^\s*from \.+ import", re.MULTILINE)
    assert without_name.search("def f():\n    from . import flow\n")
    assert not [name_of(file) for file in sources("core") if without_name.search(file.read_text(encoding="utf-8"))]


@pytest.mark.once
def test_lands_do_not_depend_on_mathematical_libraries() -> None:
    wrong = "@kernel\ndef cut(x):\n    y = math.exp(x)\n    return x**0.5 + x**2\n\n\nz = np.exp(y) + math.exp(1.0)\n"
    assert sorted(disputed(ast.parse(wrong))) == [3, 4, 7]
    found = {
        name_of(file): lines
        for file in sources("core")
        if file.relative_to(PACKAGE).as_posix() not in SMALL_TABLES
        and (lines := disputed(ast.parse(file.read_text(encoding="utf-8"))))
    }
    assert not found


def test_blender_s_version_is_asked_for_in_compat_only() -> None:
    asking = {name_of(file) for file in sources() if _asks_for_version(file)}
    assert asking <= {"terrain_addon/blender/compat.py"}


def _asks_for_version(file: Path) -> bool:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    attributes = {
        n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute) and ast.unparse(n.value).endswith("app")
    }
    imported = {
        a.name for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module == "bpy.app" for a in n.names
    }
    return any(name.startswith("version") for name in attributes | imported)


def test_imports_inside_the_package_are_relative() -> None:
    # Installed, the package is called bl_ext.<repository>.terrain_addon.
    absolute = [
        f"{name_of(file)}:{node.lineno}"
        for file in sources()
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if (
            isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").split(".")[0] == "terrain_addon"
        )
        or (isinstance(node, ast.Import) and any(a.name.split(".")[0] == "terrain_addon" for a in node.names))
    ]
    assert absolute == []


def test_annotations_are_not_postponed() -> None:
    # Blender's properties and the declarations of parameters are read from annotations.  Scripts for engines run there,
    # in older Pythons.
    postponing = [
        name_of(file)
        for file in sources()
        if file.parent.name != "scripts"
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module == "__future__"
    ]
    assert postponing == []


def test_file_names_say_what_is_inside() -> None:
    folders = ("terrain_addon", "tests", "benchmarks")
    files = [f for folder in folders for f in (ROOT / folder).rglob("*") if f.suffix == ".py" or f.is_dir()]
    assert [name_of(f) for f in files if SAYS_NOTHING & set(f.stem.lower().split("_"))] == []


def test_the_version_number_stands_in_one_place() -> None:
    version = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))["version"]
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" not in pyproject["project"]
    assert [name_of(f) for f in sources() if f'"{version}"' in f.read_text(encoding="utf-8")] == []

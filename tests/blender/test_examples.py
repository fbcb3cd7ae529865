"""The examples of the docs: each recipe builds, and each script does what it says."""

import json
import re
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

from terrain_addon import core
from terrain_addon.core.building.recipe import load_recipe

pytestmark = pytest.mark.once

DOCS = Path(__file__).resolve().parents[2] / "docs"
EXAMPLES = DOCS / "examples"
RECIPES = sorted(EXAMPLES.glob("*.json"))
SCRIPTS = {
    f"{page.stem} {number}": code
    for page in sorted(DOCS.glob("*.md"))
    for number, code in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL))
    if code.startswith("from terrain_addon import core")
}


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_a_recipe_of_the_examples_builds_without_a_warning(path: Path) -> None:
    land = core.build(load_recipe(path).replace(resolution=129))
    assert not land.warnings


@pytest.mark.parametrize("code", SCRIPTS.values(), ids=SCRIPTS)
def test_a_script_of_the_pages_runs(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On coarse land with few plants."""
    build = core.build

    def build_coarsely(recipe: core.Recipe, **options: Any) -> core.Landscape:
        coarse = recipe.replace(resolution=33, ecosystem=recipe.ecosystem.replace(cover=0.01))
        return build(coarse, **options)

    monkeypatch.setattr(core, "build", build_coarsely)
    exec(code, {})


def test_the_page_of_examples_names_every_file() -> None:
    page = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    named = {path.name for path in EXAMPLES.iterdir() if f"`{path.name}`" in page}
    assert named == {path.name for path in EXAMPLES.iterdir()} - {"README.md"}


def test_heights_are_written_without_blender(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the command that the page names."""
    (module,) = re.findall(r"`python -m (\S+) OUT`", (EXAMPLES / "README.md").read_text(encoding="utf-8"))
    monkeypatch.setattr(sys, "argv", [module, str(tmp_path)])
    runpy.run_module(module, run_name="__main__")
    assert (tmp_path / "heights.npy").stat().st_size > 257 * 257 * 4
    assert list(tmp_path.glob("*.png"))


def test_seeds_are_rendered(blender: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a land without plants, which renders faster than the mountains of the script."""
    script = tmp_path / "many_seeds.py"
    script.write_text((EXAMPLES / "many_seeds.py").read_text().replace("alpine", "dunes"))
    out = tmp_path / "out"
    monkeypatch.setattr(sys, "argv", ["blender", "--", str(out), "1", "65"])
    runpy.run_path(str(script))
    assert sorted(path.name for path in out.iterdir()) == ["dunes_1.json", "dunes_1.png"]
    assert json.loads((out / "dunes_1.json").read_text())["seed"] == 1


def test_a_level_is_written(blender: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Coarser than the script has it: its recipe is made smaller on its way."""
    small = tmp_path / "examples"
    small.mkdir()
    recipe = json.loads((EXAMPLES / "valley_with_road.json").read_text()) | {"resolution": 129}
    (small / "valley_with_road.json").write_text(json.dumps(recipe))
    (small / "level.py").write_text((EXAMPLES / "level.py").read_text().replace('"1024"', '"0"'))
    monkeypatch.setattr(sys, "argv", ["blender", "--", str(tmp_path / "out"), "godot"])
    runpy.run_path(str(small / "level.py"))
    assert (tmp_path / "out" / "roads.json").is_file() or list((tmp_path / "out").rglob("roads.json"))

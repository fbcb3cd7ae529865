"""What docs/ says of the parameters is what they are."""

import runpy
from pathlib import Path

import pytest

pytest.importorskip("bpy", reason="docs/make.py also renders")
pytestmark = pytest.mark.once

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_table_of_parameters_is_current() -> None:
    table = runpy.run_path(str(DOCS / "make.py"))["parameter_table"]()
    assert (DOCS / "parameters.md").read_text(encoding="utf-8") == table, "run `python build.py docs`"


@pytest.mark.parametrize("folder", ["core", "blender"])
def test_picture_of_the_house_is_current(folder: str) -> None:
    drawn = runpy.run_path(str(DOCS / "house.py"))["draw"](f"terrain_addon/{folder}")
    assert (DOCS / f"house_{folder}.svg").read_text(encoding="utf-8") == drawn, "run `python build.py docs house`"


def test_pictures_are_small_and_there_is_one_of_every_preset() -> None:
    pictures = {p.stem: p.stat().st_size for p in DOCS.glob("*.jpg")}
    presets = {p.stem for p in (DOCS.parent / "terrain_addon" / "presets").glob("*.json")}
    planets = {"planets", "planet_bump", "planet_ground", "planet_orbit", "planet_standing"}
    assert set(pictures) == presets | planets | {
        "erosion",
        "forest",
        "plants",
        "roads",
        "world",
        "looks_4_2",
        "looks_5_2",
    }
    assert max(pictures.values()) <= 300_000

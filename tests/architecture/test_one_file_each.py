"""A new source of heights, process and map each take one file and one line in a list; all else follows from there."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("bpy")
pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parents[2]

TOY_PROCESS = '''"""Ground sinks."""

from dataclasses import dataclass

from ..foundation.parameters import parameter
from ..foundation.progress import Steps
from ..foundation.terrain import Terrain
from .mass_balance import Eroded, MassBalance, volume_of
from .process import Process, ProcessParameters


@dataclass(frozen=True)
class Subsidence(ProcessParameters):
    """The whole land sinks."""

    depth: float = parameter(7.0, "How far the land sinks", unit="m", limits=(0.0, 100.0))


def sink(terrain: Terrain, process: Subsidence) -> Steps[Eroded]:
    yield 0.0
    lower = Terrain(terrain.bedrock - process.depth, terrain.sediment, terrain.cell_size)
    left = volume_of(terrain) - volume_of(lower)
    return Eroded(lower, MassBalance(volume_of(terrain), volume_of(lower), left=left))


SUBSIDENCE = Process(Subsidence, sink, exchanged=("left",))
'''
TOY_SOURCE = '''"""A ramp."""

from dataclasses import dataclass

import numpy as np

from ..foundation.terrain import Field, Grid
from .height_range import HeightRange
from .source import Source


@dataclass(frozen=True)
class Ramp(HeightRange):
    """Land that rises to the east."""


def make_ramp(grid: Grid, ramp: Ramp, seed: int, time: float = 0.0) -> Field:
    row = np.linspace(ramp.base_altitude, ramp.base_altitude + ramp.height, grid.columns, dtype=np.float32)
    return np.tile(row, (grid.rows, 1))


RAMP = Source(Ramp, make_ramp)
'''
TOY_MAP = '''"""Height above the lowest place."""

from .declaration import Kept, Map

HEIGHT_ABOVE_LOWEST = Map(
    "height_above_lowest",
    lambda terrain: terrain.surface - terrain.surface.min(),
    description="Height above the lowest place of the land",
    unit="m",
    kept=Kept.ON_REQUEST,
)
'''

# What each of those who use the package sees of the two.
SEEN = """
import runpy, sys
import bpy, numpy as np, terrain_addon
from terrain_addon import core
from terrain_addon.command_line import main
from terrain_addon.core.building.overrides import override
from terrain_addon.core.maps.masks import MapMask

recipe = core.Recipe.loads('{"schema": 4, "resolution": 33, "erosion": [{"model": "subsidence", "depth": 3.0}]}')
recipe = override(recipe, ["relief.source=ramp", "ramp.height=500"])
recipe = recipe.replace(extra_maps=recipe.extra_maps.replace(height_above_lowest=True))
assert core.Recipe.loads(recipe.dumps()) == recipe
land, flat = core.build(recipe), core.build(recipe.replace(erosion=()))
assert flat.terrain.surface[5, -1] == 500.0 and flat.terrain.surface[9, 0] == 0.0
np.testing.assert_allclose(land.terrain.surface, flat.terrain.surface - 3.0, atol=1e-3)
assert land.maps["height_above_lowest"].min() == 0.0
assert MapMask(map="height_above_lowest").maps == ("height_above_lowest",)

out = sys.argv[1]
with open(f"{out}/recipe.json", "w") as file:
    file.write(recipe.dumps())
assert main(["info", f"{out}/recipe.json", "--set", "subsidence.depth=5"]) == 0
assert main(["bake", f"{out}/recipe.json", "--maps", "height_above_lowest", "--out", out]) == 0

table = runpy.run_path("docs/make.py", run_name="docs")["parameter_table"]()
for word in ("## ramp", "## subsidence", "How far the land sinks", "`height_above_lowest`"):
    assert word in table, word

terrain_addon.register()
from terrain_addon.blender.data.properties import read_recipe, write_recipe
from terrain_addon.blender.land.land_objects import add_landscape
from terrain_addon.blender.look.map_view import maps_on

shown = add_landscape(bpy.context.scene.collection, land)
assert read_recipe(shown) == recipe and "height_above_lowest" in maps_on(shown)
write_recipe(shown, recipe.replace(erosion=()))
bpy.context.view_layer.objects.active = shown
assert bpy.ops.landscape.list_add(series="erosion", model="subsidence") == {"FINISHED"}
added = read_recipe(shown).erosion[-1]
assert added.model() == "subsidence" and added.depth == 7.0
sys.stdout.flush()
import os
os._exit(0)
"""


def listed(file: Path, module: str, name: str) -> None:
    """Add the one line: a name to the list of a registry, with its import."""
    text = file.read_text(encoding="utf-8")
    text = text.replace("\nfrom .", f"\nfrom .{module} import {name}\nfrom .", 1)
    text = text.replace("_LISTED = (\n", f"_LISTED = (\n    {name},\n")
    file.write_text(text, encoding="utf-8")


def test_a_source_a_process_and_a_map_show_up_everywhere(tmp_path: Path) -> None:
    for part in ("terrain_addon", "docs"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__", "*.jpg", "*.png"))
    core = tmp_path / "terrain_addon" / "core"
    (core / "erosion" / "subsidence.py").write_text(TOY_PROCESS, encoding="utf-8")
    listed(core / "erosion" / "processes.py", "subsidence", "SUBSIDENCE")
    (core / "relief" / "ramp.py").write_text(TOY_SOURCE, encoding="utf-8")
    listed(core / "relief" / "sources.py", "ramp", "RAMP")
    (core / "maps" / "height_above_lowest.py").write_text(TOY_MAP, encoding="utf-8")
    listed(core / "maps" / "catalogue.py", "height_above_lowest", "HEIGHT_ABOVE_LOWEST")
    out = tmp_path / "out"
    out.mkdir()
    ran = subprocess.run(
        [sys.executable, "-c", SEEN, str(out)],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path), "BLENDER_USER_RESOURCES": str(tmp_path / "user")},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-3000:]
    assert list(out.rglob("*height_above_lowest.png"))

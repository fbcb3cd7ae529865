"""The same bytes on any number of threads, on old processors, in every Blender; by script, command line and panel."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import build
from terrain_addon.core.foundation.compilation import processors
from tests.laws import every_output

ROOT = Path(__file__).resolve().parents[2]
_WITHOUT_512 = "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR"
PROCESSORS = {
    "this one": {},
    "the first of its kind": {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""},
    "without AVX-512": {
        "NUMBA_CPU_NAME": "haswell",
        "NUMBA_CPU_FEATURES": "",
        "NPY_DISABLE_CPU_FEATURES": _WITHOUT_512,
    },
    "without what numpy chooses": {"NPY_DISABLE_CPU_FEATURES": f"SSE42 AVX2 FMA3 {_WITHOUT_512}"},
}
RUNS = [*((count, "this one") for count in (1, 2, 3, 4, 8, 16)), *((2, name) for name in list(PROCESSORS)[1:])]


@pytest.mark.parametrize("blender", list(build.BLENDERS))
@pytest.mark.parametrize(("threads", "processor"), RUNS)
def test_outputs_are_as_stored(blender: str, threads: int, processor: str) -> None:
    if threads > processors():
        pytest.skip(f"{threads} threads need as many processors, and there are {processors()}")
    ran = subprocess.run(
        [build.environment(blender), "tests/laws/every_output.py", "--threads", str(threads)],
        cwd=ROOT,
        env=os.environ | PROCESSORS[processor],
        capture_output=True,
        text=True,
        timeout=1800,
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    now, before = json.loads(ran.stdout), every_output.stored()
    assert [(name, key) for name in before for key in before[name] if now[name].get(key) != before[name][key]] == []


@pytest.mark.parametrize("name", every_output.names())
def test_the_command_line_makes_what_a_script_makes(name: str, tmp_path: Path) -> None:
    recipe = every_output.RECIPES / f"{name}.json"
    command = [sys.executable, "-m", "terrain_addon", "build", str(recipe), "--out", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=600)
    arrays = np.load(tmp_path / "landscape.npz")
    before = every_output.stored()[name]
    for key, value in before.items():
        if key.startswith("map "):
            assert every_output.digest(arrays[key.removeprefix("map ")]) == value, key


@pytest.mark.parametrize("name", every_output.names())
def test_the_panel_makes_what_a_script_makes(name: str, tmp_path: Path) -> None:
    code = (
        "import bpy, sys, numpy as np, terrain_addon; terrain_addon.register()\n"
        "bpy.ops.landscape.generate_from_recipe(filepath=sys.argv[1])\n"
        "mesh = bpy.context.object.data\n"
        "places = np.empty(3 * len(mesh.vertices), np.float32)\n"
        "mesh.attributes['position'].data.foreach_get('vector', places)\n"
        "np.save(sys.argv[2], places.reshape(-1, 3)[:, 2])\n"
    )
    file = tmp_path / "heights.npy"
    recipe = str(every_output.RECIPES / f"{name}.json")
    ran = subprocess.run([sys.executable, "-c", code, recipe, str(file)], cwd=ROOT, capture_output=True, timeout=600)
    assert file.is_file(), ran.stderr.decode()[-2000:]
    from terrain_addon import core
    from terrain_addon.core.building.recipe import load_recipe
    from terrain_addon.files.inputs import read_inputs

    wanted = load_recipe(Path(recipe))
    land = core.build(wanted, inputs=read_inputs(wanted), extent="terrain")
    np.testing.assert_array_equal(np.load(file), land.terrain.surface.ravel())

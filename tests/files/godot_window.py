"""A real Godot 4 with its editor, which draws: its command is `TERRAIN_GODOT`, or `godot` or `godot4` on the path.

Where there is no screen it draws on that of `xvfb-run`, if there is one; without a graphics card Mesa's llvmpipe does.
"""

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

DRAW = Path(__file__).parent / "data" / "godot_draw.gd"
RENDERERS = ("gl_compatibility", "forward_plus")
_KNOWN = ("V-Sync", "leaked", "Pages in use", "still in use at exit", "RID allocations")


def godot_command() -> list[str]:
    """The command of Godot; empty where there is none."""
    named = shlex.split(os.environ.get("TERRAIN_GODOT", ""))
    return named or [path for path in map(shutil.which, ("godot", "godot4")) if path][:1]


def screen_command() -> list[str] | None:
    """What is put before a command that opens a window; None where there is no screen."""
    if os.environ.get("DISPLAY"):
        return []
    return ["xvfb-run", "-a", "-s", "-screen 0 1280x720x24"] if shutil.which("xvfb-run") else None


def run_godot(command: Sequence[str], project: Path, *arguments: str) -> str:
    """What Godot prints; fails with what it calls an error."""
    whole = [*command, "--path", str(project), "--audio-driver", "Dummy", *arguments]
    done = subprocess.run(whole, capture_output=True, text=True, timeout=900)
    lines = (done.stdout + done.stderr).splitlines()
    errors = [line for line in lines if "ERROR" in line or "Parse Error" in line]
    errors = [line for line in errors if not any(known in line for known in _KNOWN)]
    assert not errors and done.returncode == 0, "\n".join(errors + lines[-20:])
    return done.stdout


def imported(project: Path, folder: str, *options: str) -> None:
    """Build the scene of the package in a folder of a project, as docs/engines.md says."""
    if not (project / "project.godot").is_file():
        (project / "project.godot").write_text("config_version=5\n")
    script = f"res://{folder}/import_godot.gd"
    run_godot(godot_command(), project, "--headless", "--script", script, *(["--", *options] if options else []))


def drawn(project: Path, told: dict[str, Any], size: tuple[int, int], renderer: str) -> list[dict[str, Any]]:
    """Draw pictures as `godot_draw.gd` says; return what it says of each."""
    shutil.copyfile(DRAW, project / "draw.gd")
    (project / "draw.json").write_text(json.dumps(told))
    Path(told["out"]).mkdir(exist_ok=True)
    options = ["--rendering-method", renderer, "--resolution", f"{size[0]}x{size[1]}", "--script", "res://draw.gd"]
    text = run_godot([*(screen_command() or []), *godot_command()], project, *options)
    (line,) = [line for line in text.splitlines() if line.startswith("SAID ")]
    found: list[dict[str, Any]] = json.loads(line[5:])
    return found

"""Run a script in a real Blender with a window, and read what it saw."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
TOOL = Path(os.environ.get("TERRAIN_WINDOW_TOOL") or ROOT.parent / "shared" / "tools" / "blender-window")


def run_in_window(
    script: str, package: Path, folder: Path, leftovers: Path, size: str, seconds: int = 800
) -> dict[str, Any]:
    """Run a script of this folder after hands.py in a window with the zip installed.

    Parameters
    ----------
    script : str
        Name of the script, without its ending.
    package : Path
        The zip of the extension.
    folder : Path
        Where the joined script is written.
    leftovers : Path
        Where screenshots, the log and what the script saw stay.
    size : str
        Of the window in pixels, such as 1600x1000.
    seconds : int
        After which the window is closed, whatever the script does.

    Returns
    -------
    dict
        What the script saw, and under `errors` what the log calls an error.

    Raises
    ------
    RuntimeError
        If the script failed; the message has the log.
    """
    joined = folder / f"{script}.py"
    here = Path(__file__).parent
    joined.write_text("\n\n".join((here / part).read_text() for part in ("hands.py", f"{script}.py")))
    # The bpy module, which other tests import, points OCIO at colour files of its own.
    environment = {key: value for key, value in os.environ.items() if key != "OCIO"}
    ran = subprocess.run(
        [str(TOOL), str(joined), str(leftovers), "--zip", str(package), "--seconds", str(seconds), "--size", size],
        env=environment,
        capture_output=True,
        text=True,
        timeout=seconds + 200,
    )
    said = "".join(f.read_text() for f in (leftovers / "log.txt", leftovers / "blender.txt") if f.is_file())
    if ran.returncode or "Traceback" in said:
        raise RuntimeError(ran.stderr + said)
    seen: dict[str, Any] = json.loads((leftovers / "result.json").read_text())
    seen["errors"] = [line for line in said.splitlines() if "| ERROR" in line]
    return seen

"""What an artist waits for, measured in a real Blender with a window.

``python build.py bench window`` needs blender-window, the tool that opens a window, under ``../shared/tools`` or where
TERRAIN_WINDOW_TOOL says; without it there is nothing to measure.  The window draws without a graphics card.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import build

TOOL = Path(os.environ.get("TERRAIN_WINDOW_TOOL") or ROOT.parent / "shared" / "tools" / "blender-window")
SECONDS = 900


def measure() -> dict[str, float]:
    """Open the window, run `_in_window.py` in it, and return milliseconds by what they are about."""
    with tempfile.TemporaryDirectory() as folder:
        package = build.make_zip(build.local_package(), Path(folder), sys.executable)
        script = Path(__file__).with_name("_in_window.py")
        command = [str(TOOL), str(script), f"{folder}/out", "--zip", str(package), "--seconds", str(SECONDS)]
        # Blender as a module points OCIO at colour files of its own.
        variables = {name: value for name, value in os.environ.items() if name != "OCIO"}
        ran = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=2 * SECONDS)
        found = Path(folder, "out", "figures.json")
        if ran.returncode or not found.is_file():
            logs = (Path(folder, "out", name) for name in ("log.txt", "blender.txt"))
            sys.exit(ran.stderr + "".join(log.read_text() for log in logs if log.is_file()))
        figures: dict[str, float] = json.loads(found.read_text())
        return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if not TOOL.is_file() or not hasattr(os, "geteuid") or os.geteuid() != 0:
        print(f"Not measured: it takes {TOOL}, which opens a window, and root.")
        return
    figures = measure()
    print("| in the window | ms |\n|---|---|")
    for name, milliseconds in figures.items():
        print(f"| {name} | {milliseconds:.0f} |")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()

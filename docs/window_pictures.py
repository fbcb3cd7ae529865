"""The pictures of the window in docs/first_landscape.md and README: a real Blender, used with a real mouse."""

import sys
import tempfile
from pathlib import Path

import bpy

FOLDER = Path(__file__).resolve().parent

WINDOW = "1280x800"
NAMES = ("install_1", "install_2", "install_3", "first_drag", "first_river")
SIZE, QUALITY = (1024, 640), 70


def make_window_pictures() -> None:
    """Run the tutorial in a window, and keep its screenshots as JPEG; without a window the old ones stay."""
    # Only here, because the other parts of the documentation need neither the tests nor build.py.
    sys.path.insert(0, str(FOLDER.parent))
    import build as project
    from tests.gui.window_tool import TOOL, run_in_window

    if not TOOL.is_file():
        print(f"{TOOL}, which opens a window, is not there: the pictures of the window stay as they are")
        return
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        package = project.make_zip(project.local_package(), here, sys.executable)
        run_in_window("tutorial", package, here, here, WINDOW)
        for name in NAMES:
            image = bpy.data.images.load(str(here / f"{name}.png"))
            image.scale(*SIZE)
            image.file_format = "JPEG"
            image.save(filepath=str(FOLDER / f"{name}.jpg"), quality=QUALITY)
            bpy.data.images.remove(image)

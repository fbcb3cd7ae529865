"""The pictures of the window in docs/first_landscape.md, docs/tour.md and README: a real Blender, a real mouse."""

import sys
import tempfile
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt
from picture_files import pixels_of, save_picture

FOLDER = Path(__file__).resolve().parent

WINDOW = "1280x800"
NAMES = ("install_1", "install_2", "install_3", "first_drag", "first_river")
SIZE, QUALITY = (1024, 640), 70
# High enough for each panel; above the middle of a header, and rows by which the same headers are found again.
TALL_WINDOW, ABOVE, SAME = "1280x1400", 13, 12


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
        _make_tour(run_in_window("tour", package, here, here, TALL_WINDOW), here)


def _make_tour(seen: dict[str, Any], folder: Path) -> None:
    """Cut each panel out of the sidebar."""
    left, top, width, height = seen["sidebar"]

    def sidebar_of(name: str) -> npt.NDArray[np.float32]:
        return pixels_of(folder / f"tour_{name}.png")[::-1][top : top + height, left : left + width]

    closed = sidebar_of("closed")
    first = min(seen["shown"].values())
    save_picture("tour_main", closed[: first - ABOVE][::-1])
    for name, header in seen["shown"].items():
        save_picture(f"tour_{name}", _panel(sidebar_of(name), closed, header)[::-1])


def _panel(opened: npt.NDArray[np.float32], closed: npt.NDArray[np.float32], header: int) -> npt.NDArray[np.float32]:
    """The rows of an open panel: from its header down to where what was below it goes on."""
    begin = header + ABOVE
    below = closed[begin : begin + SAME]
    apart = [float(np.abs(opened[row : row + SAME] - below).mean()) for row in range(begin + SAME, len(opened) - SAME)]
    return opened[header - ABOVE : begin + SAME + int(np.argmin(apart))]

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
# High enough for each panel; rows from the middle of a header to its top, and of its title.
TALL_WINDOW, ABOVE, TITLE = "1280x1400", 13, 8


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
    left, above, width, height = seen["sidebar"]

    def sidebar_of(name: str) -> npt.NDArray[np.float32]:
        return pixels_of(folder / f"tour_{name}.png")[::-1][above : above + height, left : left + width]

    closed = sidebar_of("closed")
    tops = {name: _top(closed, header) for name, header in seen["shown"].items()}
    save_picture("tour_main", closed[: min(tops.values())][::-1])
    for name, top in tops.items():
        save_picture(f"tour_{name}", _panel(sidebar_of(name), closed, top)[::-1])


def _top(sidebar: npt.NDArray[np.float32], header: int) -> int:
    """The first row of a header, from some place in it: its title is brighter than all else there."""
    begin = header - 2 * ABOVE
    light = sidebar[begin : header + ABOVE, :, :3].mean(axis=(1, 2))
    title = int(np.argmax(np.convolve(light, np.ones(TITLE), "valid")[TITLE:])) + TITLE
    return begin + title + TITLE // 2 - ABOVE


def _panel(opened: npt.NDArray[np.float32], closed: npt.NDArray[np.float32], top: int) -> npt.NDArray[np.float32]:
    """The rows of an open panel: from its top down to where the header below it goes on.

    Letters lie between pixels elsewhere there, so that only their shapes are alike.
    """
    begin, header = top + 2 * ABOVE, 2 * ABOVE
    below = _contrast(closed[begin : begin + header])
    alike = [
        float((_contrast(opened[row : row + header]) * below).mean()) for row in range(begin, len(opened) - header)
    ]
    return opened[top : begin + int(np.argmax(alike))]


def _contrast(pixels: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Brightness without its mean, of spread 1."""
    light = pixels[..., :3].mean(axis=2)
    return (light - light.mean()) / max(float(light.std()), 1e-6)

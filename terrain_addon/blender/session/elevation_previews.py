"""What an elevation file contains, read in a thread while the file browser is open."""

import stat
import threading
import time
from pathlib import Path

import bpy

from ...files.elevation import READERS, ElevationPreview, preview_elevation
from .jobs import FAILURES

_TICK = 0.05  # seconds between two checks whether a preview was read
_LONGEST_WAIT = 30.0  # seconds

_Key = tuple[str, int]
"""A path, and when the file was last written, in ns."""

# A file that takes long may be ready after one that was chosen later, so each has a place of its own.
_previews: dict[_Key, ElevationPreview | str] = {}
"""What was read of each file, or the reason why it has no preview."""
_threads: dict[_Key, threading.Thread] = {}
_wanted: _Key | None = None


def known_preview(path: str) -> ElevationPreview | str:
    """Return the preview of a file, or a sentence; a new file is read in a thread, then the areas are redrawn."""
    global _wanted
    file = Path(bpy.path.abspath(path))
    key = _key_of(file) if file.suffix.lower() in READERS else None
    if key is None:
        return "Choose a file with heights"
    if key in _previews:
        return _previews[key]
    _wanted = key
    if key not in _threads:
        _threads[key] = threading.Thread(target=_read, args=(key,), name="preview", daemon=True)
        _threads[key].start()
    if not bpy.app.timers.is_registered(_redraw_when_read):
        bpy.app.timers.register(_redraw_when_read)
    return "Reading the file…"


def read_preview(file: Path) -> None:
    """Read the preview of a file now, so that `known_preview` knows it; nothing happens if there is no such file."""
    key = _key_of(file)
    if key is not None:
        _read(key)


def _key_of(file: Path) -> _Key | None:
    """Return the key of a file; None if there is none."""
    try:
        found = file.stat()
    except OSError:
        return None
    return (str(file), found.st_mtime_ns) if stat.S_ISREG(found.st_mode) else None


def _read(key: _Key) -> None:
    """Read the preview of a file, in any thread."""
    found: ElevationPreview | str = "No preview because of a bug of the extension; the console shows the details"
    try:
        found = preview_elevation(key[0])
    except FAILURES as error:
        found = str(error)
    finally:
        _previews[key] = found


def stop_reading() -> None:
    """End the timer, and wait for the threads, before the add-on is disabled."""
    if bpy.app.timers.is_registered(_redraw_when_read):
        bpy.app.timers.unregister(_redraw_when_read)
    deadline = time.monotonic() + _LONGEST_WAIT
    for thread in _threads.values():
        thread.join(max(deadline - time.monotonic(), 0.0))
    _threads.clear()
    _previews.clear()


def _redraw_when_read() -> float | None:
    """Redraw all areas when a preview was read; a function for Blender's timers."""
    if _wanted not in _previews:
        return _TICK
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            area.tag_redraw()
    return None

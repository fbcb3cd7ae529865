"""What an elevation file contains, read in a thread while the file browser is open."""

import threading
from pathlib import Path

import bpy

from ...files.elevation import READERS, ElevationPreview, preview_elevation
from .jobs import FAILURES

_TICK = 0.05  # seconds between two checks whether a preview was read
_LONGEST_WAIT = 30.0  # seconds

_Key = tuple[str, int]
"""A path, and when the file was last written, in ns."""

# The file that was read last, with its preview or the reason why it has none; and the file that is being read.
_last: tuple[_Key | None, ElevationPreview | str] = (None, "")
_reading: _Key | None = None
_thread: threading.Thread | None = None


def known_preview(path: str) -> ElevationPreview | str:
    """Return the preview of a file, or a sentence; a new file is read in a thread, then the areas are redrawn."""
    global _reading, _thread
    file = Path(bpy.path.abspath(path))
    if file.suffix.lower() not in READERS or not file.is_file():
        return "Choose a file with heights"
    key = _key_of(file)
    if _last[0] == key:
        return _last[1]
    if _reading != key:
        _reading = key
        _thread = threading.Thread(target=_read, args=(key,), name="preview", daemon=True)
        _thread.start()
        if not bpy.app.timers.is_registered(_redraw_when_read):
            bpy.app.timers.register(_redraw_when_read)
    return "Reading the file…"


def read_preview(file: Path) -> None:
    """Read the preview of a file now, so that `known_preview` knows it."""
    _read(_key_of(file))


def _key_of(file: Path) -> _Key:
    return str(file), file.stat().st_mtime_ns


def _read(key: _Key) -> None:
    """Read the preview of a file, in any thread."""
    global _last
    try:
        _last = (key, preview_elevation(key[0]))
    except FAILURES as error:
        _last = (key, str(error))


def stop_reading() -> None:
    """End the timer, and wait for the thread, before the add-on is disabled."""
    global _reading, _thread
    if bpy.app.timers.is_registered(_redraw_when_read):
        bpy.app.timers.unregister(_redraw_when_read)
    if _thread is not None:
        _thread.join(_LONGEST_WAIT)
    _reading = _thread = None


def _redraw_when_read() -> float | None:
    """Redraw all areas when a preview was read; a function for Blender's timers."""
    if _last[0] != _reading:
        return _TICK
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            area.tag_redraw()
    return None

"""Small pictures for the panel: of presets, and of response curves."""

from collections.abc import Sequence

import bpy
import bpy.utils.previews
import numpy as np

from ..core.recipe import PRESET_FOLDER

_SIDE = 96  # pixels of a curve
_MOST = 256  # pictures of curves kept

_presets: bpy.utils.previews.ImagePreviewCollection | None = None
_curves: bpy.utils.previews.ImagePreviewCollection | None = None


def preset_icon(name: str) -> int:
    """Return an icon with the picture of a preset; 0, which is none, if there is no picture."""
    global _presets
    if _presets is None:
        _presets = bpy.utils.previews.new()
    path = PRESET_FOLDER / "thumbnails" / f"{name}.png"
    if name not in _presets and path.is_file():
        _presets.load(name, str(path), "IMAGE")
    return int(_presets[name].icon_id) if name in _presets else 0


def curve_icon(points: Sequence[float], low: float, high: float) -> int:
    """Return an icon that shows a curve of points (x, y, x, y, …) over [low, high]; y runs from 0 to 1."""
    global _curves
    if _curves is None:
        _curves = bpy.utils.previews.new()
    key = repr([round(float(number), 3) for number in (*points, low, high)])
    if key not in _curves:
        if len(_curves) >= _MOST:
            _curves.clear()
        picture = _curves.new(key)
        picture.image_size = (_SIDE, _SIDE)
        picture.image_pixels_float = _draw(points, low, high).ravel()
    return int(_curves[key].icon_id)


def forget() -> None:
    """Let go of all pictures."""
    global _presets, _curves
    for pictures in (_presets, _curves):
        if pictures is not None:
            bpy.utils.previews.remove(pictures)
    _presets = _curves = None


def _draw(points: Sequence[float], low: float, high: float) -> np.ndarray:
    """Pixels, bottom row first: the area under the curve, and the curve itself as a brighter line."""
    x = np.linspace(low, high, _SIDE)
    y = np.interp(x, points[0::2], points[1::2]) * (_SIDE - 3) + 1.0
    steps = np.abs(np.gradient(y))
    rows = np.arange(_SIDE)[:, None]
    pixels = np.zeros((_SIDE, _SIDE, 4), np.float32)
    pixels[:] = (0.12, 0.12, 0.12, 1.0)
    pixels[rows <= y[None, :]] = (0.20, 0.34, 0.24, 1.0)
    pixels[np.abs(rows - y[None, :]) <= np.maximum(1.5, 0.5 * steps)[None, :]] = (0.55, 0.85, 0.60, 1.0)
    return pixels

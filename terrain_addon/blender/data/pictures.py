"""Small pictures for the panel: of presets, plants and the profiles of roads."""

from pathlib import Path

import bpy
import bpy.utils.previews
import numpy as np

from ...core.meshing.plant_meshes import make_plant_mesh, part_colours
from .road_profiles import PROFILE_SIDE, RoadProfile, profile_pixels

_PLANT_SIDE = 64  # pixels
_DOTS = 15_000  # on the triangles of a plant, by which it is drawn
_PAUSE = 0.1  # seconds between the pictures of two plants
_MOST_PROFILES = 32  # pictures of roads that are kept; one of them is seen

_presets: bpy.utils.previews.ImagePreviewCollection | None = None
_plants: bpy.utils.previews.ImagePreviewCollection | None = None
_profiles: bpy.utils.previews.ImagePreviewCollection | None = None
_plants_are_filled = False  # or are being filled


def preset_icon(path: Path) -> int:
    """Return the icon of a picture of a preset; 0, which is no icon, if there is no such file."""
    global _presets
    if _presets is None:
        _presets = bpy.utils.previews.new()
    if not path.is_file():
        return 0
    # A preset that is saved again has a new picture of the same name.
    name = f"{path} {path.stat().st_mtime_ns}"
    if name not in _presets:
        _presets.load(name, str(path), "IMAGE")
    return int(_presets[name].icon_id)


def plant_icon(form: str) -> int:
    """Return the icon of a plant form as seen from the side; it is empty until `fill_plants` has drawn it."""
    global _plants
    if _plants is None:
        _plants = bpy.utils.previews.new()
    if form not in _plants:
        _plants.new(form)
    return int(_plants[form].icon_id)


def profile_icon(profile: RoadProfile) -> int:
    """Return the icon of a road that is seen from the side."""
    global _profiles
    if _profiles is None:
        _profiles = bpy.utils.previews.new()
    name = str(hash(profile))
    if name not in _profiles:
        # A road that is dragged has another profile at each move.
        if len(_profiles) >= _MOST_PROFILES:
            _profiles.clear()
        picture = _profiles.new(name)
        picture.image_size = picture.icon_size = (PROFILE_SIDE, PROFILE_SIDE)
        picture.image_pixels_float = picture.icon_pixels_float = profile_pixels(profile).ravel()
    return int(_profiles[name].icon_id)


def fill_plants() -> None:
    """Start drawing the icons of plants, one every moment; called when they are about to be seen."""
    global _plants_are_filled
    if not _plants_are_filled and not bpy.app.background:
        _plants_are_filled = True
        bpy.app.timers.register(_fill_next_plant, first_interval=_PAUSE, persistent=True)


def _fill_next_plant() -> float | None:
    """Draw one of the pictures of plants that are still empty; return in how many seconds to draw the next one."""
    for form, picture in (_plants or {}).items():
        if not any(picture.image_size):
            picture.image_size = picture.icon_size = (_PLANT_SIDE, _PLANT_SIDE)
            picture.image_pixels_float = picture.icon_pixels_float = plant_pixels(form).ravel()
            return _PAUSE
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            area.tag_redraw()
    return None


def forget_pictures() -> None:
    """Remove all pictures."""
    global _presets, _plants, _profiles, _plants_are_filled
    for pictures in (_presets, _plants, _profiles):
        if pictures is not None:
            bpy.utils.previews.remove(pictures)
    _presets = _plants = _profiles = None
    _plants_are_filled = False
    if bpy.app.timers.is_registered(_fill_next_plant):
        bpy.app.timers.unregister(_fill_next_plant)


def plant_pixels(form: str) -> np.ndarray:
    """Return pixels of the default mesh seen from the south, bottom row first: dots on its triangles, nearest last."""
    mesh = make_plant_mesh(form, 0, 1)
    random = np.random.default_rng(1)
    corners = mesh.vertices[mesh.triangles]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    chosen = random.choice(len(area), _DOTS, p=area / area.sum())
    u, v = np.sort(random.random((2, _DOTS)), axis=0)
    weights = np.stack((u, v - u, 1.0 - v), axis=1)
    dots = np.einsum("dc,dca->da", weights, corners[chosen])
    light = np.einsum("dc,dc->d", weights, mesh.tint[mesh.triangles[chosen]])
    colour = np.array(part_colours(form))[mesh.part[chosen]] * (0.4 + 2.6 * light[:, None])
    # The plant is in the middle of the picture, and its longest side fills it.
    low, high = dots.min(axis=0), dots.max(axis=0)
    scale = (_PLANT_SIDE - 5) / max(high[0] - low[0], high[2] - low[2])
    column, row = (np.rint((dots[:, k] - 0.5 * (low[k] + high[k])) * scale + 0.5 * _PLANT_SIDE) for k in (0, 2))
    order = np.argsort(-dots[:, 1], kind="stable")
    pixels = np.zeros((_PLANT_SIDE, _PLANT_SIDE, 4), np.float32)
    pixels[row[order].astype(int), column[order].astype(int), :3] = np.minimum(colour[order], 1.0) ** (1.0 / 2.2)
    pixels[row.astype(int), column.astype(int), 3] = 1.0
    return pixels

"""The set of test pictures: every preset in three views with both engines, small, and what is measured of them.

``python docs/picture_set.py PRESET FOLDER [ENGINE …]`` renders one preset.  `write_picture_table` does so in a process
each, because EEVEE keeps what it drew in memory.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import bpy
import numpy as np
import numpy.typing as npt
from mathutils import Vector
from picture_measures import Picture, clipped_share, likeness, spectrum_slope

import terrain_addon
from terrain_addon.blender.land.building import build_landscape
from terrain_addon.blender.land.land_objects import add_landscape
from terrain_addon.blender.land.rendering import leave_out_unseen
from terrain_addon.blender.look.render_settings import render_settings
from terrain_addon.blender.look.scenery import set_scenery
from terrain_addon.core import Recipe, preset_names

_SIZE, _RESOLUTION = (320, 180), 257
_SAMPLES = {"CYCLES": 12, "EEVEE": 12}
_VIEWS = ("vista", "valley", "close_up")
# What presets are named after: least share of the pixels of their vista that show water.
_WATER = {"fjords": 0.15, "islands": 0.15, "plains": 0.01}
_SLOPES, _MOST_CLIPPED, _SKY, _LIKENESS = (-3.2, -1.2), 0.01, (0.15, 0.5), 0.8
_NEAR = "close_up"  # it may show less sky
_BOTH = "vista"  # drawn by all engines: without a graphics card EEVEE takes a minute for each picture
_MARKS = Path(__file__).with_name("picture_marks.json")
"""What somebody who looked at the pictures of each preset thinks of them: a mark from 0 to 10, and what looks fake."""
_HEAD = """# The test pictures

Made by `python build.py docs picture`: every preset, {views}, {size[0]} × {size[1]} pixels, land of {resolution}²
samples, {samples} samples a pixel.  Bold is what misses its aim.

* **slope**: exponent of the power spectrum of land in Cycles; photographs have −1.9 ± 0.4, aim {low} to {high}
* **clipped**: share of black and white pixels in Cycles, aim at most 1 %
* **sky**: share of the picture, aim {sky[0]:.0%} to {sky[1]:.0%}; a close-up may show less
* **water**: share of the picture, aim at least 15 % in the vistas of fjords and islands, 1 % in that of plains
* **likeness**: structural similarity of EEVEE and Cycles in the vista, aim at least {likeness}; a dash where EEVEE did
  not render

Sources are in `docs/picture_measures.py`. Measures find what is broken, not what is beautiful. Marks at the end are by
eye: average marks of people who saw the pictures for the first time. 8 is what a good artist would show.

| preset | view | slope | clipped | sky | water | likeness |
|---|---|---|---|---|---|---|
"""


class _Seen(NamedTuple):
    """What rays through the pixels of a picture meet: bare land or water, each (rows, columns), top row first."""

    land: npt.NDArray[np.bool_]
    water: npt.NDArray[np.bool_]


def write_picture_table(file: Path) -> None:
    """Render the set, and write the table of what was measured and the marks of somebody who looked."""
    with tempfile.TemporaryDirectory() as folder:
        for preset in preset_names():
            subprocess.run([sys.executable, __file__, preset, folder], check=True)
        write_table(file, Path(folder))


def write_table(file: Path, folder: Path) -> None:
    """Write the table from what each preset has left in a folder."""
    lines = [line for preset in preset_names() for line in json.loads((folder / f"{preset}.json").read_text("utf-8"))]
    head = _HEAD.format(
        views=", ".join(_VIEWS),
        size=_SIZE,
        resolution=_RESOLUTION,
        samples=_SAMPLES["CYCLES"],
        low=_SLOPES[0],
        high=_SLOPES[1],
        sky=_SKY,
        likeness=_LIKENESS,
    )
    marks = json.loads(_MARKS.read_text("utf-8"))
    seen = [f"| {preset} | {marks[preset]['mark']} | {marks[preset]['fake']} |" for preset in preset_names()]
    table = ["", "| preset | mark, 0 to 10 | what looks fake |", "|---|---|---|", *seen]
    file.write_text(head + "\n".join([*lines, *table]) + "\n", encoding="utf-8")


def _render_preset(preset: str, folder: Path, engines: Sequence[str]) -> None:
    """Render one preset into a folder, with what was measured."""
    terrain_addon.register()
    lines = _lines_of(preset, folder, engines)
    (folder / f"{preset}.json").write_text(json.dumps(lines), encoding="utf-8")


def _lines_of(preset: str, folder: Path, engines: Sequence[str]) -> list[str]:
    """Return the lines of one preset, whose pictures go into a folder."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    render_settings(scene, "CYCLES", _SIZE, _SAMPLES["CYCLES"])
    land = add_landscape(scene.collection, build_landscape(Recipe.preset(preset, resolution=_RESOLUTION)))
    set_scenery(scene, land)
    lines = []
    for view in _VIEWS:
        bpy.context.view_layer.objects.active = land
        bpy.ops.landscape.next_view(view=view)
        # A million plants behind the camera would take most of the memory.
        leave_out_unseen(land, scene)
        pictures = {}
        for engine in engines if view == _BOTH else engines[:1]:
            render_settings(scene, engine, _SIZE, _SAMPLES[engine])
            pictures[engine] = _rendered(scene, folder / f"{preset}_{view}_{engine.lower()}.png")
        lines.append(_line(preset, view, pictures, _seen(scene, land)))
        print(lines[-1], flush=True)
    return lines


def _line(preset: str, view: str, pictures: dict[str, Picture], seen: _Seen) -> str:
    """Return a line of the table."""
    cycles = pictures["CYCLES"]
    slope, clipped = spectrum_slope(cycles, seen.land), clipped_share(cycles)
    alike = likeness(cycles, pictures["EEVEE"]) if "EEVEE" in pictures else None
    sky, water = 1.0 - float((seen.land | seen.water).mean()), float(seen.water.mean())
    least_water = _WATER.get(preset, 0.0) if view == "vista" else 0.0
    cells = [
        preset,
        view,
        "–" if np.isnan(slope) else _cell(f"{slope:.2f}", _SLOPES[0] <= slope <= _SLOPES[1]),
        _cell(f"{clipped:.1%}", clipped <= _MOST_CLIPPED),
        _cell(f"{sky:.0%}", (_SKY[0] <= sky or view == _NEAR) and sky <= _SKY[1]),
        _cell(f"{water:.0%}", water >= least_water),
        "–" if alike is None else _cell(f"{alike:.2f}", alike >= _LIKENESS),
    ]
    return f"| {' | '.join(cells)} |"


def _cell(text: str, is_good: bool) -> str:
    return text if is_good else f"**{text}**"


def _rendered(scene: bpy.types.Scene, file: Path) -> Picture:
    """Render; display colours (rows, columns, 3), top row first."""
    scene.render.image_settings.file_format = "PNG"
    scene.render.filepath = str(file)
    bpy.ops.render.render(write_still=True)
    pixels = np.empty((_SIZE[1], _SIZE[0], 4), np.float32)
    image = bpy.data.images.load(scene.render.filepath)
    image.pixels.foreach_get(pixels.ravel())
    bpy.data.images.remove(image)
    return pixels[::-1, :, :3]


def _seen(scene: bpy.types.Scene, land: bpy.types.Object) -> _Seen:
    """Return which pixels show land and water, by a ray through every fourth pixel; plants are left out."""
    camera, step = scene.camera, 4
    right_top, right_bottom, left_bottom, left_top = camera.data.view_frame(scene=scene)
    rows, columns = _SIZE[1] // step, _SIZE[0] // step
    found = np.zeros((2, rows, columns), np.bool_)
    water = land.landscape.water
    for row in range(rows):
        down = left_top.lerp(left_bottom, (row + 0.5) / rows), right_top.lerp(right_bottom, (row + 0.5) / rows)
        for column in range(columns):
            ray = camera.matrix_world.to_3x3() @ down[0].lerp(down[1], (column + 0.5) / columns)
            hits = [_distance(one, camera.matrix_world.translation, ray) for one in (land, water)]
            found[0 if hits[0] <= hits[1] else 1, row, column] = min(hits) < np.inf
    wide = found.repeat(step, axis=1).repeat(step, axis=2)
    return _Seen(wide[0], wide[1])


def _distance(thing: bpy.types.Object | None, start: Vector, ray: Vector) -> float:
    """Return how far away a ray meets an object; infinite where it does not."""
    if thing is None or not thing.data.polygons:
        return float("inf")
    back = thing.matrix_world.inverted()
    is_hit, place, _, _ = thing.ray_cast(back @ start, (back.to_3x3() @ ray).normalized())
    return float((thing.matrix_world @ place - start).length) if is_hit else float("inf")


if __name__ == "__main__":
    _render_preset(sys.argv[1], Path(sys.argv[2]), sys.argv[3:] or list(_SAMPLES))
    sys.stdout.flush()
    os._exit(0)  # Some versions of Blender as a module hang or crash at Python's own ending.

"""Operator that bakes textures."""

from collections.abc import Generator
from functools import partial
from pathlib import Path

import bpy

from ...core.landscape import Landscape
from ...core.progress import Progress
from ...files.heightmaps import GREEN
from ...files.textures import write_textures
from .. import compat
from ..building import landscape_steps
from ..images import load_texture
from ..jobs import Task
from ..properties import read_recipe
from .base import FileOperator, absolute_path


class LANDSCAPE_OT_bake_textures(FileOperator):
    """Write height and normal textures of the landscape, with exact values, and load them as images"""

    bl_idname = "landscape.bake_textures"
    bl_label = "Bake Textures"

    directory: bpy.props.StringProperty(
        name="Folder",
        description="Where the files go",
        subtype="DIR_PATH",
        default="//textures/",
        options=compat.BLEND_RELATIVE,
    )
    resolution: bpy.props.IntProperty(
        name="Resolution", description="Pixels from west to east; 0 takes the landscape's", default=0, min=0, max=8193
    )
    green: bpy.props.EnumProperty(
        name="Green of Normals",
        description="Which way the green channel points",
        items=[(k, k.title(), v) for k, v in GREEN.items()],
    )
    filter_folder: bpy.props.BoolProperty(default=True, options={"HIDDEN"})

    def prepare_for(self, land: bpy.types.Object) -> Task:
        """Build the land at the size of the textures and write them."""
        folder = absolute_path(self.directory)
        recipe = read_recipe(land)
        if self.resolution > 0:
            recipe = recipe.replace(resolution=self.resolution)
        steps = _bake(landscape_steps(recipe, "terrain", land), folder, bpy.path.clean_name(land.name), self.green)
        return Task("Textures", steps, partial(_load, folder))


def _bake(
    building: Generator[Progress, bool | None, Landscape], folder: str, name: str, green: str
) -> Generator[Progress, bool | None, tuple[Landscape, dict[str, Path]]]:
    landscape = yield from building
    yield Progress("writing", 0.8)
    return landscape, write_textures(folder, name, landscape, green)


def _load(folder: str, written: tuple[Landscape, dict[str, Path]]) -> str:
    landscape, paths = written
    for name in ("height_exact", "normal"):
        load_texture(paths[name])
    grid = landscape.terrain.grid
    return f"Baked {grid.columns} × {grid.rows} height and normal textures to {folder}"


CLASSES = (LANDSCAPE_OT_bake_textures,)

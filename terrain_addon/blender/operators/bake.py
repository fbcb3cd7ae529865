"""Operator that bakes textures."""

import bpy

from ...files.heightmaps import GREEN
from ...files.textures import write_textures
from .. import compat
from ..images import load_texture
from ..jobs import build_landscape
from ..properties import read_recipe
from .base import LandOperator, absolute_path


class LANDSCAPE_OT_bake_textures(LandOperator):
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

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Ask for a folder."""
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def work_on(self, land: bpy.types.Object) -> str:
        """Build the land at the size of the textures and write them."""
        folder = absolute_path(self.directory)
        recipe = read_recipe(land)
        if self.resolution > 0:
            recipe = recipe.replace(resolution=self.resolution)
        landscape = build_landscape(recipe, "terrain")
        paths = write_textures(folder, bpy.path.clean_name(land.name), landscape, self.green)
        for path in (paths["height_exact"], paths["normal"]):
            load_texture(path)
        grid = landscape.terrain.grid
        return f"Baked {grid.columns} × {grid.rows} height and normal textures to {folder}"


CLASSES = (LANDSCAPE_OT_bake_textures,)

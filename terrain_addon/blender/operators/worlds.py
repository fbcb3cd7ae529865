"""The operator that opens a world, land larger than memory, and its entry in File > Import."""

import textwrap
from pathlib import Path

import bpy

from ...worlds.libraries import HOW_TO_MAKE
from .. import compat
from ..session.jobs import Task
from ..session.world_opening import open_world_task
from .base import FileOperator, absolute_path

HOW_TO_MAKE_WORLDS = (
    "Blender opens worlds. To make one, give a Python of your own these libraries, in a terminal:",
    HOW_TO_MAKE,
    "Then, in the folder that holds terrain_addon:",
    "python -m terrain_addon world alpine --size 16384 --out WORLD",
)
"""What the file browser says beside the options."""
_LINE = 34  # letters beside the file browser


class LANDSCAPE_OT_open_world(FileOperator):
    """Show a world that the command "world" has made: the whole with few vertices, and some tiles at full detail"""

    bl_idname = "landscape.open_world"
    bl_label = "Open World"

    directory: bpy.props.StringProperty(
        name="Folder", description="Folder of a finished world", subtype="DIR_PATH", options=compat.BLEND_RELATIVE
    )
    tiles: bpy.props.StringProperty(
        name="Tiles",
        description="Tiles at full detail, as ROW_COLUMN from 0_0 in the south-west, with spaces between",
        default="0_0",
    )
    resolution: bpy.props.IntProperty(
        name="Resolution",
        description="About how many vertices the longer side of the whole gets: every 2nd, 4th, 8th … sample is taken",
        default=1025,
        min=2,
        max=8193,
        soft_max=2049,
    )
    stage: bpy.props.BoolProperty(
        name="Sun, Sky and Camera", description="Add the sun, sky and camera that the scene lacks", default=True
    )
    filter_folder: bpy.props.BoolProperty(default=True, options={"HIDDEN"})

    def draw(self, context: bpy.types.Context) -> None:
        """Show the options, and how worlds are made."""
        layout = self.layout
        layout.use_property_split = True
        for name in ("tiles", "resolution", "stage"):
            layout.prop(self, name)
        box = layout.box()
        for sentence in HOW_TO_MAKE_WORLDS:
            for line in textwrap.wrap(sentence, _LINE):
                box.label(text=line)

    def prepare(self, context: bpy.types.Context) -> Task:
        """Check the folder, and return the task that reads the world."""
        folder = Path(absolute_path(self.directory))
        return open_world_task(context, folder, self.tiles, self.resolution, with_scenery=self.stage)


def draw_world_import(menu: bpy.types.Menu, context: bpy.types.Context) -> None:
    """Show the entry in File > Import."""
    menu.layout.operator(LANDSCAPE_OT_open_world.bl_idname, text="Landscape World (folder)")


CLASSES = (LANDSCAPE_OT_open_world,)
"""What this file registers."""

"""Operator that exports a landscape."""

from collections.abc import Generator

import bpy

from ...core.landscape import Landscape
from ...core.progress import Progress
from ...files.landscape_glb import export_landscape
from .. import compat
from ..building import landscape_steps
from ..jobs import Task
from ..land_objects import extent_of
from ..properties import read_recipe
from .base import FileOperator, absolute_path


class LANDSCAPE_OT_export(FileOperator):
    """Write land and plants as a GLB file, plants as instances (EXT_mesh_gpu_instancing)"""

    bl_idname = "landscape.export"
    bl_label = "Export Landscape (GLB)"

    filepath: bpy.props.StringProperty(
        name="File",
        description="Where the file goes",
        subtype="FILE_PATH",
        default="//landscape.glb",
        options=compat.BLEND_RELATIVE,
    )
    step: bpy.props.IntProperty(
        name="Step", description="Every how many samples the exported land has a vertex", default=1, min=1, max=64
    )
    filter_glob: bpy.props.StringProperty(default="*.glb", options={"HIDDEN"})

    def prepare_for(self, land: bpy.types.Object) -> Task:
        """Build the landscape, from the cache as a rule, and write it."""
        path = bpy.path.ensure_ext(absolute_path(self.filepath), ".glb")
        building = landscape_steps(read_recipe(land), extent_of(land), land)
        return Task("Export", _export(building, path, self.step), lambda _: f"Exported {path}")


def _export(
    building: Generator[Progress, bool | None, Landscape], path: str, step: int
) -> Generator[Progress, bool | None, None]:
    landscape = yield from building
    yield Progress("writing", 0.8)
    export_landscape(path, landscape, step)


CLASSES = (LANDSCAPE_OT_export,)

"""Operator that exports a landscape."""

import bpy

from ...files.landscape_glb import export_landscape
from .. import compat
from ..jobs import build_landscape
from ..properties import read_recipe
from .base import LandOperator, absolute_path


class LANDSCAPE_OT_export(LandOperator):
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

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Ask for a file."""
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def work_on(self, land: bpy.types.Object) -> str:
        """Build the landscape, from the cache as a rule, and write it."""
        path = bpy.path.ensure_ext(absolute_path(self.filepath), ".glb")
        landscape = build_landscape(read_recipe(land), "plants" if land.landscape.plants else "maps")
        export_landscape(path, landscape, self.step)
        return f"Exported {path}"


CLASSES = (LANDSCAPE_OT_export,)

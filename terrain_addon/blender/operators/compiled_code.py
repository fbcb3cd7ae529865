"""Operators on the compiled code of the extension, which its preferences show."""

import bpy

from ...core.building.warming import remove_marks
from ...core.foundation.compilation import cache_root
from ...core.foundation.kernel_files import remove_kept
from ..data.sentences import counted
from ..land import building
from ..session.compiling_ahead import compile_ahead, stop_compiling_ahead
from .base import InstantOperator


class LANDSCAPE_OT_compile_now(InstantOperator):
    """Compile the code that computes landscapes and planets in the background now, so that the first land is quick"""

    bl_idname = "landscape.compile_now"
    bl_label = "Compile Now"
    bl_options = {"REGISTER"}

    def perform(self, context: bpy.types.Context) -> str:
        """Begin; processes of their own do it."""
        compile_ahead()
        return "Compiling in the background; this takes one to two minutes the first time"


class LANDSCAPE_OT_clear_compiled(InstantOperator):
    """Remove the compiled code from the disk; it is compiled again when it is needed"""

    bl_idname = "landscape.clear_compiled"
    bl_label = "Clear Compiled Code"
    bl_options = {"REGISTER"}

    def perform(self, context: bpy.types.Context) -> str:
        """Remove the files; what this session has loaded stays at work."""
        # Before the files go, so that no process leaves new ones.
        building.stop_warming()
        stop_compiling_ahead()
        remove_marks()
        count = remove_kept(cache_root())
        return f"Removed {counted(count, 'file')} of compiled code"


CLASSES = (LANDSCAPE_OT_compile_now, LANDSCAPE_OT_clear_compiled)

"""The handle in the 3D view for the width of the active feature."""

from typing import Any

import bpy
from mathutils import Matrix, Vector

from ..land.features import begin_of_feature
from ..land.lookup import land_of_feature

_COLOUR = (1.0, 0.55, 0.1)


class LANDSCAPE_GGT_feature_width(bpy.types.GizmoGroup):
    """An arrow beside the first point of a river, ridge or road; dragged, it changes the width"""

    bl_idname = "LANDSCAPE_GGT_feature_width"
    bl_label = "Width of Feature"
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"3D", "PERSISTENT"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether the active object is a feature with a width."""
        drawn = context.active_object
        return drawn is not None and land_of_feature(drawn) is not None and _settings(drawn) is not None

    def setup(self, context: bpy.types.Context) -> None:
        """Make the arrow."""
        self.arrow = self.gizmos.new("GIZMO_GT_arrow_3d")
        self.arrow.draw_style = "BOX"
        self.arrow.color, self.arrow.color_highlight = _COLOUR, (1.0, 1.0, 1.0)
        self.arrow.alpha = 0.9
        self.refresh(context)

    def refresh(self, context: bpy.types.Context) -> None:
        """Let the arrow change the width of the feature that is active now."""
        self.arrow.target_set_prop("offset", _settings(context.active_object), "width")

    def draw_prepare(self, context: bpy.types.Context) -> None:
        """Put the arrow beside the first point, across the line."""
        begin, ahead = begin_of_feature(context.active_object)
        aside = Vector((-ahead.y, ahead.x, 0.0))
        aside = aside.normalized() if aside.length > 0.0 else Vector((1.0, 0.0, 0.0))
        turn = Vector((0.0, 0.0, 1.0)).rotation_difference(aside).to_matrix().to_4x4()
        self.arrow.matrix_basis = Matrix.Translation(begin) @ turn


def _settings(drawn: bpy.types.Object) -> Any:
    """The settings of a feature, if it has a width; otherwise None."""
    holder = drawn.landscape_feature.feature
    settings = getattr(holder, holder.model)
    return settings if "width" in settings.bl_rna.properties else None


CLASSES = (LANDSCAPE_GGT_feature_width,)

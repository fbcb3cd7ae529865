"""The handle in the 3D view for the width of the active feature.

A drag changes the logarithm of the width by pixels of the view, over the range of the slider.  So the handle is as fine
for a brook as for a wide valley, from near and from afar.
"""

import math
from typing import Any

import bpy
from mathutils import Matrix, Vector

from .. import compat
from ..land.features import begin_of_feature
from ..land.lookup import land_of_feature

_COLOUR = (1.0, 0.55, 0.1)
_GAP = 20.0  # pixels from the bank to the arrow
_LEAST_SHARE = 1e-3  # of the widest, where the slider begins at 0

TRAVEL = 400.0
"""Pixels of a drag from the narrowest to the widest."""


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
        compat.remember_drags(self.arrow)
        self._travel = 1.0  # metres from the narrowest to the widest

    def _get(self) -> float:
        return self._travel * share_of_width(bpy.context.active_object)

    def _set(self, offset: float) -> None:
        set_share_of_width(bpy.context.active_object, offset / self._travel)

    def draw_prepare(self, context: bpy.types.Context) -> None:
        """Put the arrow at the bank beside the first point, across the line; a drag moves it by itself."""
        if self.arrow.is_modal:
            return
        drawn = context.active_object
        begin, ahead = begin_of_feature(drawn)
        pixel = pixel_at(begin, context.region, context.region_data)
        self._travel = TRAVEL * pixel
        aside = Vector((-ahead.y, ahead.x, 0.0))
        aside = aside.normalized() if aside.length > 0.0 else Vector((1.0, 0.0, 0.0))
        turn = Vector((0.0, 0.0, 1.0)).rotation_difference(aside).to_matrix().to_4x4()
        bank = 0.5 * _settings(drawn).width + _GAP * pixel
        # Blender asks for the value only now, and draws the arrow as far beside its place as the value says.
        self.arrow.target_set_handler("offset", get=self._get, set=self._set)
        self.arrow.matrix_basis = Matrix.Translation(begin + (bank - self._get()) * aside) @ turn


def share_of_width(drawn: bpy.types.Object) -> float:
    """Return where the width of a feature is on its slider, which here is logarithmic: 0 at its begin, 1 at its end.

    Parameters
    ----------
    drawn : Object
        A feature with a width.
    """
    settings = _settings(drawn)
    least, most = _range_of(settings)
    return math.log(max(settings.width, least) / least) / math.log(most / least)


def set_share_of_width(drawn: bpy.types.Object, share: float) -> None:
    """Set the width of a feature within the range of its slider.

    Parameters
    ----------
    drawn : Object
        A feature with a width.
    share : float
        As `share_of_width` returns it.
    """
    settings = _settings(drawn)
    least, most = _range_of(settings)
    settings.width = least * (most / least) ** min(max(share, 0.0), 1.0)
    # Changes by Python do not reach the dependency graph.
    drawn.update_tag()


def _range_of(settings: Any) -> tuple[float, float]:
    """The range of the slider, without 0, of which there is no logarithm."""
    declared = settings.bl_rna.properties["width"]
    return max(declared.soft_min, _LEAST_SHARE * declared.soft_max), declared.soft_max


def pixel_at(place: Vector, region: bpy.types.Region, view: bpy.types.RegionView3D) -> float:
    """Return how many metres a pixel of a view shows at a place.

    Parameters
    ----------
    place : Vector
        In metres of the world.
    region : Region
        The view.
    view : RegionView3D
        How it looks.
    """
    ahead = max((view.perspective_matrix @ place.to_4d()).w, 1e-3)
    return float(2.0 * ahead / (view.window_matrix[0][0] * max(region.width, 1)))


def _settings(drawn: bpy.types.Object) -> Any:
    """The settings of a feature, if it has a width; otherwise None."""
    holder = drawn.landscape_feature.feature
    settings = getattr(holder, holder.model)
    return settings if "width" in settings.bl_rna.properties else None


CLASSES = (LANDSCAPE_GGT_feature_width,)

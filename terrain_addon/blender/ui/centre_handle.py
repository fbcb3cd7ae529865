"""The handle in the 3D view for the centre of the active layer: the vent of a volcano."""

from typing import Any

import bpy
from mathutils import Vector

from ..land.lookup import active_land, why_not_editable

_EAST, _NORTH = "east", "north"
_COLOUR = (1.0, 0.55, 0.1)


class LANDSCAPE_GGT_layer_centre(bpy.types.GizmoGroup):
    """A ring at the centre of a volcano; dragged, it moves the volcano"""

    bl_idname = "LANDSCAPE_GGT_layer_centre"
    bl_label = "Centre of Layer"
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"3D", "PERSISTENT"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether the active layer of the active land has a centre."""
        land = context.active_object
        return land is not None and land == active_land(context) and centred_source(land) is not None

    def setup(self, context: bpy.types.Context) -> None:
        """Make the ring."""
        self.ring = self.gizmos.new("GIZMO_GT_move_3d")
        self.ring.draw_style = "RING_2D"
        self.ring.draw_options = {"FILL", "ALIGN_VIEW"}
        self.ring.color, self.ring.color_highlight = _COLOUR, (1.0, 1.0, 1.0)
        self.ring.alpha, self.ring.scale_basis = 0.9, 0.2
        self.ring.target_set_handler("offset", get=_get, set=_set)

    def draw_prepare(self, context: bpy.types.Context) -> None:
        """Keep the ring with the land."""
        self.ring.matrix_basis = context.active_object.matrix_world.copy()


def centred_source(land: bpy.types.Object) -> Any:
    """Return the settings of the active layer's source, if it has a centre; otherwise None.

    Parameters
    ----------
    land : Object
    """
    relief = land.landscape.recipe.relief
    if why_not_editable(land) or not 0 <= relief.layers_index < len(relief.layers):
        return None
    layer = relief.layers[relief.layers_index]
    source = getattr(layer.source, layer.source.model)
    has_centre = layer.enabled and _EAST in source.bl_rna.properties and _NORTH in source.bl_rna.properties
    is_share = has_centre and source.bl_rna.properties[_EAST].subtype != "DISTANCE"
    return source if has_centre and not is_share else None


def centre_on_land(land: bpy.types.Object) -> Vector:
    """Return where the centre of the active layer is, in the land's own coordinates, on its ground or above its foot.

    Parameters
    ----------
    land : Object
        One with a `centred_source`.
    """
    recipe, source = land.landscape.recipe, centred_source(land)
    east = source.east - recipe.origin_east - 0.5 * recipe.width
    north = source.north - recipe.origin_north - 0.5 * recipe.depth
    top = max(corner[2] for corner in land.bound_box)
    hit, place, _, _ = land.ray_cast(Vector((east, north, top + 1.0)), Vector((0.0, 0.0, -1.0)))
    return Vector((east, north, place.z if hit else top))


def move_centre(land: bpy.types.Object, place: Vector) -> None:
    """Move the centre of the active layer.

    Parameters
    ----------
    land : Object
        One with a `centred_source`.
    place : Vector
        In the land's own coordinates; its height does not count.
    """
    recipe, source = land.landscape.recipe, centred_source(land)
    source.east = place.x + recipe.origin_east + 0.5 * recipe.width
    source.north = place.y + recipe.origin_north + 0.5 * recipe.depth
    # Changes by Python do not reach the dependency graph.
    land.update_tag()


def _get() -> Vector:
    return centre_on_land(bpy.context.active_object)


def _set(place: Any) -> None:
    move_centre(bpy.context.active_object, Vector(place))


CLASSES = (LANDSCAPE_GGT_layer_centre,)

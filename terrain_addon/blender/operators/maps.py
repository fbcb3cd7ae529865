"""Operators that show maps of a landscape and images of its grounds, and check its realism."""

import bpy

from ...core.building.landscape import Landscape
from ...core.foundation.parameters import menu_name
from ...core.maps.catalogue import MAPS
from ...core.maps.realism import LAND_CLASSES, Realism
from ...core.maps.slope import SLOPE
from ..data.sentences import counted
from ..land.judging import judging_steps, keep_judgement
from ..look import map_view
from ..look.ground_images import use_images
from ..look.ground_material import land_material_of
from ..session.jobs import Task
from .base import InstantLandOperator, LandOperator


class LANDSCAPE_OT_show_map(InstantLandOperator):
    """Show a map of the land as colours in this viewport; show the same map again to hide it"""

    bl_idname = "landscape.show_map"
    bl_label = "Show Map"

    map: bpy.props.EnumProperty(
        name="Map",
        description="Map to show",
        default=SLOPE.name,  # the first one that every land has
        items=[(name, menu_name(name), text.description) for name, text in MAPS.items()],
    )

    @classmethod
    def description(cls, context: bpy.types.Context, properties: bpy.types.OperatorProperties) -> str:
        """Return what the map shows, as tooltip."""
        return MAPS[properties.map].description

    def perform_on(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Colour the land, or remove the colours, and switch the shading of the viewport."""
        shown = map_view.shown_on(land)
        hide = shown is not None and shown[0] == self.map
        map_view.hide_map(land) if hide else map_view.show_map(land, self.map)
        space = context.space_data
        if space is not None and space.type == "VIEW_3D":
            space.shading.color_type = "MATERIAL" if hide else "VERTEX"
            space.shading.type = space.shading.type if hide else "SOLID"
        return ""


class LANDSCAPE_OT_check_realism(LandOperator):
    """Measure eight numbers of this land, and compare them with measured land of the same kind"""

    bl_idname = "landscape.check_realism"
    bl_label = "Check Realism"
    bl_options = {"REGISTER"}

    land_class: bpy.props.EnumProperty(
        name="Kind of Land",
        description="Kind of measured land to compare with; each has numbers and ranges of its own",
        items=[(name, menu_name(name), text) for name, text in LAND_CLASSES.items()],
    )

    def prepare_for(self, land: bpy.types.Object) -> Task:
        """Build the land and measure it."""
        uid, land_class = land.session_uid, self.land_class

        def keep(found: tuple[Landscape, Realism]) -> str:
            landscape, realism = found
            keep_judgement(uid, landscape, realism, land_class)
            return f"Realism {realism.score} of {len(realism.numbers)} as {land_class.replace('_', ' ')}"

        return Task("Realism", judging_steps(land, land_class), keep)


class LANDSCAPE_OT_use_ground_images(InstantLandOperator):
    """Put the images chosen for each ground into the material, and remove those that are no longer chosen"""

    bl_idname = "landscape.use_ground_images"
    bl_label = "Use Images"

    def perform_on(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Change the material of the land."""
        material = land_material_of(land)
        if material is None:
            raise ValueError(f"{land.name} has no material; update it first")
        count = use_images(material, land.landscape_grounds)
        return f"The material shows {counted(count, 'image')}"


CLASSES = (LANDSCAPE_OT_show_map, LANDSCAPE_OT_check_realism, LANDSCAPE_OT_use_ground_images)

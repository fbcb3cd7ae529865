"""The operator that makes the landscape of a place on a planet."""

import bpy
import numpy as np
from mathutils import Vector

from ...core.building.planet_landscape import SMALLEST_SQUARE, Square, place_around
from ...core.planet.local_plane import Place, place_of
from ..land.planet_objects import recipe_of_planet, why_no_planet
from ..look.placement import placement_of
from ..session.jobs import Task
from ..session.planet_landscapes import landscape_here_task
from .base import FileOperator, can_run
from .planets import is_on_planet, require_planet

_TOGETHER = "Neighbours fit together at the border"


class LANDSCAPE_OT_landscape_here(FileOperator):
    """Make the landscape of a place on the planet: under the 3D cursor, in the middle of the view, or at any place"""

    bl_idname = "landscape.landscape_here"
    bl_label = "Landscape Here"

    latitude: bpy.props.FloatProperty(
        name="Latitude", description="Degrees north of the equator", default=0.0, min=-90.0, max=90.0, precision=3
    )
    longitude: bpy.props.FloatProperty(
        name="Longitude",
        description="Degrees east of the planet's own X axis; 190 is 170 to the west",
        default=0.0,
        min=-360.0,
        max=360.0,
        precision=3,
    )
    size: bpy.props.FloatProperty(
        name="Size",
        description="Length of a side of the landscape, on the planet in its real size",
        default=6000.0,
        min=SMALLEST_SQUARE,
        max=1e6,
        subtype="DISTANCE",
    )
    resolution: bpy.props.IntProperty(
        name="Resolution", description="Vertices from west to east", default=513, min=2, max=8193, soft_max=2049
    )
    east: bpy.props.IntProperty(
        name="Neighbour East",
        description=f"0 is this place, 1 is the next square to the east. {_TOGETHER}",
        default=0,
    )
    north: bpy.props.IntProperty(
        name="Neighbour North",
        description=f"0 is this place, 1 is the next square to the north. {_TOGETHER}",
        default=0,
    )
    stage: bpy.props.BoolProperty(
        name="Sun, Sky and Camera",
        description="Add the sun, sky and camera of a landscape in place of those that the planet brought",
        default=True,
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether a planet is active."""
        return can_run(cls, why_no_planet(context))

    def ask(self, context: bpy.types.Context) -> set[str]:
        """Take the place of the 3D cursor or of the view, and ask whether it is the right one."""
        place = _pointed_at(context, require_planet(context))
        if place is not None and not self.properties.is_property_set("latitude"):
            self.latitude, self.longitude = place
        return context.window_manager.invoke_props_dialog(self)

    def prepare(self, context: bpy.types.Context) -> Task:
        """Return the task that builds planet and landscape."""
        planet = require_planet(context)
        place = place_around(round(self.latitude, 4), round(self.longitude, 4))
        square = Square(place, self.size, self.resolution, self.east, self.north)
        recipe, _ = recipe_of_planet(planet)
        return landscape_here_task(context, planet, recipe, square, with_scenery=self.stage)


def _pointed_at(context: bpy.types.Context, planet: bpy.types.Object) -> Place | None:
    """The place under the 3D cursor if that is on or above the planet, else under the view; None without a view."""
    into = placement_of(planet).inverted()
    cursor: Vector = into @ context.scene.cursor.location
    if is_on_planet(planet, cursor):
        return place_of(np.array(cursor, np.float64))
    space = context.space_data
    if space is None or space.type != "VIEW_3D" or space.region_3d is None:
        return None
    return place_of(np.array(into @ space.region_3d.view_matrix.inverted().translation, np.float64))


CLASSES = (LANDSCAPE_OT_landscape_here,)

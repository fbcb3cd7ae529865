"""Operators that look at maps of a landscape and judge it."""

from collections.abc import Generator

import bpy

from ...core.building.judging import judge
from ...core.building.landscape import Landscape
from ...core.foundation.progress import Progress
from ...core.maps.catalogue import MAPS
from ...core.maps.realism import LAND_CLASSES, LandClass, Realism
from ..data.properties import read_recipe
from ..land.building import landscape_steps
from ..land.judging import Judgement, judgements
from ..look import map_view
from ..session import live
from ..session.jobs import Task
from .base import LandOperator, active_land, why_not


class LANDSCAPE_OT_show_map(bpy.types.Operator):
    """Show a map of the landscape as colours in this viewport; the same again hides it"""

    bl_idname = "landscape.show_map"
    bl_label = "Show Map"
    bl_options = {"REGISTER", "UNDO"}

    map: bpy.props.EnumProperty(
        name="Map",
        description="What to show",
        items=[(name, name.replace("_", " ").capitalize(), text.description) for name, text in MAPS.items()],
    )

    @classmethod
    def description(cls, context: bpy.types.Context, properties: bpy.types.OperatorProperties) -> str:
        """Say what the map is about."""
        return MAPS[properties.map].description

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether there is a landscape that can be coloured."""
        reason = why_not(context)
        if reason:
            cls.poll_message_set(reason)
        return not reason

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Colour the land, or take the colours away, and let the viewport show them."""
        land = active_land(context)
        shown = map_view.shown_on(land)
        hide = shown is not None and shown[0] == self.map
        try:
            map_view.hide_map(land) if hide else map_view.show_map(land, self.map)
        except ValueError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        space = context.space_data
        if space is not None and space.type == "VIEW_3D":
            space.shading.color_type = "MATERIAL" if hide else "VERTEX"
            space.shading.type = space.shading.type if hide else "SOLID"
        return {"FINISHED"}


class LANDSCAPE_OT_check_realism(LandOperator):
    """Measure eight numbers about drainage that tell real land from noise"""

    bl_idname = "landscape.check_realism"
    bl_label = "Check Realism"
    bl_options = {"REGISTER"}

    land_class: bpy.props.EnumProperty(
        name="Kind of Land",
        description="What the land wants to be; plains, dunes and glacial land need not have valleys cut by rivers",
        items=[(name, name.replace("_", " ").title(), text) for name, text in LAND_CLASSES.items()],
    )

    def prepare_for(self, land: bpy.types.Object) -> Task:
        """Build the land, from the cache as a rule, and measure it."""
        uid = land.session_uid
        land_class = self.land_class
        steps = _judge(landscape_steps(read_recipe(land), "terrain", land), land_class)

        def keep(found: tuple[Landscape, Realism]) -> str:
            landscape, realism = found
            judgements[uid] = Judgement(realism, land_class, live.mark_of(landscape.recipe))
            return f"Realism {realism.score} of {len(realism.numbers)} as {land_class.replace('_', ' ')}"

        return Task("Realism", steps, keep)


def _judge(
    building: Generator[Progress, bool | None, Landscape], land_class: LandClass
) -> Generator[Progress, bool | None, tuple[Landscape, Realism]]:
    landscape = yield from building
    yield Progress("measuring the land", 0.5)
    return landscape, judge(landscape, land_class)


CLASSES = (LANDSCAPE_OT_show_map, LANDSCAPE_OT_check_realism)

"""Operators that plant and clear."""

from functools import partial

import bpy
from bpy.app.translations import pgettext_rpt as rpt_

from ...core.building.landscape import Landscape
from ...core.ecosystem.species import load_species, species_presets
from ..data.properties import read_recipe
from ..land.building import landscape_steps
from ..land.land_objects import clear_plants
from ..plants.mesh_planting import plant_on_mesh
from ..plants.plant_editing import clear_region, plant_region
from ..plants.plant_masks import forget_edits
from ..plants.real_plants import make_real
from ..plants.regions import Box, Disc, Region, Road
from ..plants.scatter_modifier import cull_to_frame, scatter_modifier
from ..session import live
from ..session.jobs import FAILURES, Task
from .base import LandOperator, LandscapeOperator, active_land, still_there


class LANDSCAPE_OT_scatter_plants(LandOperator):
    """Plant the species of this landscape where soil, light and water suit them"""

    bl_idname = "landscape.scatter_plants"
    bl_label = "Scatter Plants"

    def prepare_for(self, land: bpy.types.Object) -> Task:
        """Place plants, then show them."""
        steps = landscape_steps(read_recipe(land), "plants", land)
        return Task("Plants", steps, partial(_show, land.session_uid, land.name))


class LANDSCAPE_OT_clear_plants(LandOperator):
    """Remove all plants of this landscape"""

    bl_idname = "landscape.clear_plants"
    bl_label = "Clear Plants"

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Remove the object that carries the plants."""
        land = active_land(context)
        if land is None or land.landscape.plants is None:
            self.report({"ERROR"}, rpt_("This landscape has no plants"))
            return {"CANCELLED"}
        clear_plants(land)
        self.report({"INFO"}, rpt_("Cleared the plants"))
        return {"FINISHED"}

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Nothing to wait for."""
        return self.execute(context)


class PlantEdit(LandOperator):
    """Base of operators that change plants at once, with a redo panel."""

    def change(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Do it and return the sentence to report.

        Raises
        ------
        ValueError
            If it cannot be done; nothing is changed then.
        """
        raise NotImplementedError

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Do it and say what happened."""
        land = active_land(context)
        try:
            if land is None:
                raise ValueError("select a landscape first")
            sentence = self.change(context, land)
        except FAILURES as error:
            return self._refuse(error)
        self.report({"INFO"}, sentence)
        return {"FINISHED"}

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Nothing to wait for."""
        return self.execute(context)


_RADIUS = bpy.props.FloatProperty(
    name="Radius",
    description="How far around the 3D cursor",
    default=20.0,
    min=0.01,
    soft_max=500.0,
    subtype="DISTANCE",
)


class LANDSCAPE_OT_remove_plants(PlantEdit):
    """Remove the plants around the 3D cursor; the place stays clear when the landscape is updated"""

    bl_idname = "landscape.remove_plants"
    bl_label = "Remove Plants at Cursor"

    radius: _RADIUS

    def change(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Clear a disc."""
        return _removed(clear_region(land, Disc(context.scene.cursor.location, self.radius)))


class LANDSCAPE_OT_add_plants(PlantEdit):
    """Plant a species around the 3D cursor, wherever there is room"""

    bl_idname = "landscape.add_plants"
    bl_label = "Add Plants at Cursor"

    radius: _RADIUS
    species: bpy.props.IntProperty(
        name="Species", description="Number of the species in the landscape's list", default=1, min=1
    )
    seed: bpy.props.IntProperty(name="Seed", description="Another seed, other places", default=0, min=0)

    def change(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Plant a disc."""
        species = read_recipe(land).ecosystem.species
        region = Disc(context.scene.cursor.location, self.radius)
        count = plant_region(land, region, species, self.species - 1, self.seed)
        return rpt_("Added {count:,} plants").format(count=count)


class LANDSCAPE_OT_clear_road(PlantEdit):
    """Keep the selected curves free of plants; the active object is the landscape"""

    bl_idname = "landscape.clear_road"
    bl_label = "Clear Road"

    width: bpy.props.FloatProperty(
        name="Width",
        description="From one verge to the other",
        default=8.0,
        min=0.01,
        soft_max=100.0,
        subtype="DISTANCE",
    )

    def change(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Clear along all selected curves."""
        roads = [Road(item, self.width) for item in context.selected_objects if item.type == "CURVE"]
        if not roads:
            raise ValueError("select the curve of a road, then the landscape")
        return _removed(sum(clear_region(land, road) for road in roads))


class LANDSCAPE_OT_forget_plant_edits(PlantEdit):
    """Forget where plants were removed and added by hand; the next update plants by the species' own taste"""

    bl_idname = "landscape.forget_plant_edits"
    bl_label = "Forget Plant Edits"

    def change(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Remove what was painted."""
        forget_edits(land)
        return "Plant edits forgotten; update the landscape to plant anew"


class LANDSCAPE_OT_make_plants_real(PlantEdit):
    """Turn some plants into ordinary objects that can be moved, edited and animated one by one"""

    bl_idname = "landscape.make_plants_real"
    bl_label = "Make Plants Real"

    region: bpy.props.EnumProperty(
        name="Where",
        description="Which plants",
        items=[
            ("CURSOR", "Around the Cursor", "Plants within a distance of the 3D cursor"),
            ("SELECTED", "Within Selected Objects", "Plants above or below the bounds of the other selected objects"),
        ],
    )
    radius: _RADIUS

    def change(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Make them real."""
        regions: list[Region] = [Disc(context.scene.cursor.location, self.radius)]
        if self.region == "SELECTED":
            ours = (land, land.landscape.plants)
            regions = [Box(item) for item in context.selected_objects if item not in ours]
            if not regions:
                raise ValueError("select objects around the plants, then the landscape")
        count = sum(len(make_real(land, region)) for region in regions)
        return rpt_("Made {count:,} plants real").format(count=count)


class LANDSCAPE_OT_cull_plants(PlantEdit):
    """Leave out plants beyond the picture of the scene's camera, as its lens is now, wherever the camera then moves"""

    bl_idname = "landscape.cull_plants"
    bl_label = "Cull to Camera"

    def change(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Tell the modifier what the camera sees."""
        plants = land.landscape.plants
        modifier = scatter_modifier(plants) if plants is not None else None
        if modifier is None:
            raise ValueError("this landscape shows no plants to leave out; plant first")
        cull_to_frame(modifier, context.scene)
        return "Plants that the camera does not see are left out"


class LANDSCAPE_OT_plant_on_mesh(LandscapeOperator):
    """Plant on the active mesh, whatever it is, as densely as one of its vertex groups or attributes says"""

    bl_idname = "landscape.plant_on_mesh"
    bl_label = "Plant on Mesh"

    species: bpy.props.EnumProperty(
        name="Species",
        description="What to plant",
        items=[(name, name.replace("_", " ").title(), "") for name in species_presets()],
        options={"ENUM_FLAG"},
        default={"birch"},
    )
    density: bpy.props.StringProperty(
        name="Density", description="Vertex group or attribute, 0 to 1, that says how dense; empty plants everywhere"
    )
    cover: bpy.props.FloatProperty(
        name="Cover", description="Share of all places that may be planted", default=1.0, min=0.0, max=1.0
    )
    seed: bpy.props.IntProperty(name="Seed", description="Another seed, other places", default=0, min=0)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether the active object is a mesh that can be planted."""
        active = context.active_object
        if active is None or active.type != "MESH" or active.mode != "OBJECT" or not active.is_editable:
            cls.poll_message_set("Select a mesh in object mode")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Plant, and say how many."""
        try:
            if not self.species:
                raise ValueError("choose a species to plant")
            species = [load_species(name) for name in sorted(self.species)]
            carrier = plant_on_mesh(context.active_object, self.density, species, self.seed, self.cover)
        except FAILURES as error:
            return self._refuse(error)
        self.report({"INFO"}, _planted(len(carrier.data.vertices)))
        return {"FINISHED"}

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Nothing to wait for."""
        return self.execute(context)


def _show(uid: int, name: str, landscape: Landscape) -> str:
    land = still_there(uid, name)
    if not landscape.plants:
        raise ValueError("nowhere on this land suits any of its species; change their response curves or the cover")
    live.show(land, landscape)
    return _planted(len(landscape.plants))


def _planted(count: int) -> str:
    return rpt_("Planted {count:,}").format(count=count)


def _removed(count: int) -> str:
    return rpt_("Removed {count:,} plants").format(count=count)


CLASSES = (
    LANDSCAPE_OT_scatter_plants,
    LANDSCAPE_OT_clear_plants,
    LANDSCAPE_OT_remove_plants,
    LANDSCAPE_OT_add_plants,
    LANDSCAPE_OT_clear_road,
    LANDSCAPE_OT_forget_plant_edits,
    LANDSCAPE_OT_make_plants_real,
    LANDSCAPE_OT_cull_plants,
    LANDSCAPE_OT_plant_on_mesh,
)

"""Operators that plant a land or a mesh, and change its plants."""

from typing import Any

import bpy

from ...core.ecosystem.species import load_species, species_presets
from ...core.foundation.parameters import menu_name
from ...core.foundation.progress import Progress, mapped
from ..data.properties import read_recipe
from ..data.sentences import counted
from ..land.land_objects import clear_plants
from ..land.lookup import LandReference, active_land
from ..land.rendering import leave_out_unseen
from ..plants.mesh_planting import plant_on_mesh
from ..plants.near_ground import near_ground_carrier
from ..plants.plant_editing import FoundPlants, add_plants_found, clear_region, find_room
from ..plants.plant_masks import forget_edits
from ..plants.real_plants import make_real
from ..plants.regions import Box, Disc, Region, Strip
from ..plants.wind_nodes import set_wind
from ..session.jobs import Task
from ..session.making import planting_task
from .base import InstantLandOperator, InstantOperator, LandOperator, can_run

_RADIUS = bpy.props.FloatProperty(
    name="Radius",
    description="Distance from the 3D cursor within which plants are changed",
    default=20.0,
    soft_min=0.01,
    soft_max=500.0,
    subtype="DISTANCE",
)


def offered_species(operator: Any, context: bpy.types.Context, text: str) -> list[str]:
    """The names of the species of the active land, to choose from."""
    land = active_land(context)
    return [] if land is None else [species.name for species in land.landscape.recipe.ecosystem.species]


def offered_densities(operator: Any, context: bpy.types.Context, text: str) -> list[str]:
    """The vertex groups and attributes of the active mesh that can be a density, to choose from."""
    mesh = context.active_object
    if mesh is None or mesh.type != "MESH":
        return []
    attributes = [one.name for one in mesh.data.attributes if one.data_type == "FLOAT" and not one.is_internal]
    return [group.name for group in mesh.vertex_groups] + attributes


class LANDSCAPE_OT_scatter_plants(LandOperator):
    """Plant the species of this landscape where soil, light and water suit them"""

    bl_idname = "landscape.scatter_plants"
    bl_label = "Scatter Plants"

    def prepare_for(self, land: bpy.types.Object) -> Task:
        """Place the plants and show them."""
        return planting_task(land)


class LANDSCAPE_OT_clear_plants(InstantLandOperator):
    """Remove all plants of this landscape"""

    bl_idname = "landscape.clear_plants"
    bl_label = "Clear Plants"

    def perform_on(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Remove the object that carries the plants."""
        if land.landscape.plants is None:
            raise ValueError("this land has no plants")
        clear_plants(land)
        return "Cleared the plants"


class LANDSCAPE_OT_remove_plants(InstantLandOperator):
    """Remove the plants around the 3D cursor; the place stays clear when the land is updated"""

    bl_idname = "landscape.remove_plants"
    bl_label = "Remove Plants at Cursor"

    radius: _RADIUS

    def perform_on(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Clear a disc."""
        return _removed(clear_region(land, Disc(context.scene.cursor.location, self.radius)))


class LANDSCAPE_OT_add_plants(LandOperator):
    """Plant a species around the 3D cursor on dry ground, where other plants leave room"""

    bl_idname = "landscape.add_plants"
    bl_label = "Add Plants at Cursor"

    radius: _RADIUS
    species: bpy.props.StringProperty(
        name="Species",
        description="Species to plant; empty is the one that is active in the list",
        search=offered_species,
    )
    seed: bpy.props.IntProperty(
        name="Seed", description="Each number gives another pattern of plants", default=0, min=0
    )

    def prepare_for(self, land: bpy.types.Object) -> Task:
        """Plant a disc."""
        ecosystem, number = read_recipe(land).ecosystem, self._number(land)
        region = Disc(bpy.context.scene.cursor.location.copy(), self.radius)
        reference = LandReference.of(land)

        def show(found: FoundPlants) -> str:
            count = add_plants_found(reference.land(), region, ecosystem.species, number, found)
            return f"Added {counted(count, 'plant')}"

        steps = mapped(find_room(land, region, ecosystem, number, self.seed), lambda share: Progress("plants", share))
        return Task("Adding plants", steps, show, reference.uid)

    def _number(self, land: bpy.types.Object) -> int:
        """The number of the species in the list, from 0."""
        ecosystem = land.landscape.recipe.ecosystem
        names = [species.name for species in ecosystem.species]
        if not self.species:
            return min(max(ecosystem.species_index, 0), max(len(names) - 1, 0))
        if self.species not in names:
            raise ValueError(f"there is no species called {self.species!r}; there are: {', '.join(names) or 'none'}")
        return names.index(self.species)


class LANDSCAPE_OT_clear_road(InstantLandOperator):
    """Remove the plants along the selected curves, and keep them clear; the active object is the land"""

    bl_idname = "landscape.clear_road"
    bl_label = "Clear Road"

    width: bpy.props.FloatProperty(
        name="Width",
        description="Width of the road that stays clear",
        default=8.0,
        soft_min=0.01,
        soft_max=100.0,
        subtype="DISTANCE",
    )

    def perform_on(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Clear along all selected curves."""
        roads = [Strip(item, self.width) for item in context.selected_objects if item.type == "CURVE"]
        if not roads:
            raise ValueError("select the curve of a road, then the land")
        return _removed(sum(clear_region(land, road) for road in roads))


class LANDSCAPE_OT_forget_plant_edits(InstantLandOperator):
    """Forget where plants were removed and added by hand; the next update plants by the rules of the species alone"""

    bl_idname = "landscape.forget_plant_edits"
    bl_label = "Forget Plant Edits"

    def perform_on(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Remove the painted attributes."""
        forget_edits(land)
        return "Plant edits forgotten; press Update Landscape to plant the land again"


class LANDSCAPE_OT_make_plants_real(InstantLandOperator):
    """Turn some plants into ordinary objects that can be moved, edited and animated one by one"""

    bl_idname = "landscape.make_plants_real"
    bl_label = "Make Plants Real"

    region: bpy.props.EnumProperty(
        name="Where",
        description="Which plants become objects",
        items=[
            ("CURSOR", "Around the Cursor", "Plants within a distance of the 3D cursor"),
            ("SELECTED", "Within Selected Objects", "Plants above or below the bounds of the other selected objects"),
        ],
    )
    radius: _RADIUS

    def perform_on(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Make them real."""
        regions: list[Region] = [Disc(context.scene.cursor.location, self.radius)]
        if self.region == "SELECTED":
            ours = (land, land.landscape.plants)
            regions = [Box(item) for item in context.selected_objects if item not in ours]
            if not regions:
                raise ValueError("select objects around the plants, then the land")
        count = sum(len(make_real(land, region)) for region in regions)
        return f"Made {counted(count, 'plant')} real"


class LANDSCAPE_OT_cull_plants(InstantLandOperator):
    """Hide plants and crags that the camera does not see, also when it moves; press again after you change its lens"""

    bl_idname = "landscape.cull_plants"
    bl_label = "Cull to Camera"

    def perform_on(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Tell the modifier what the camera sees."""
        if near_ground_carrier(land) is None:
            raise ValueError("this land has no plants and no crags to hide; press Update Landscape first")
        leave_out_unseen(land, context.scene)
        what = "Plants and crags" if land.landscape.plants is not None else "This land has no plants; crags"
        return f"{what} that the camera does not see are hidden"


class LANDSCAPE_OT_sway_plants(InstantLandOperator):
    """Let wind sway the plants in animations; the same species on other landscapes sway too"""

    bl_idname = "landscape.sway_plants"
    bl_label = "Sway in the Wind"

    wind: bpy.props.FloatProperty(
        name="Wind",
        description="Speed of the wind in metres a second; 0 makes plants stand still",
        default=5.0,
        min=0.0,
        max=40.0,
        soft_max=20.0,
    )

    def perform_on(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Move the models of the plants, or leave them still."""
        if land.landscape.plants is None:
            raise ValueError("this land has no plants")
        set_wind(land.landscape.plants, self.wind)
        return f"Plants sway in a wind of {self.wind:g} m/s" if self.wind else "Plants stand still"


class LANDSCAPE_OT_plant_on_mesh(InstantOperator):
    """Plant on the active mesh, as densely as one of its vertex groups or attributes says"""

    bl_idname = "landscape.plant_on_mesh"
    bl_label = "Plant on Mesh"
    bl_options = {"REGISTER", "UNDO", "PRESET"}

    species: bpy.props.EnumProperty(
        name="Species",
        description="Species to plant",
        items=[(name, menu_name(name), "") for name in species_presets()],
        options={"ENUM_FLAG"},
        default={"birch"},
    )
    density: bpy.props.StringProperty(
        name="Density",
        description="Vertex group or attribute with the density, 0 to 1; empty plants everywhere",
        search=offered_densities,
    )
    cover: bpy.props.FloatProperty(
        name="Cover", description="Share of the places that are planted", default=1.0, min=0.0, max=1.0
    )
    seed: bpy.props.IntProperty(
        name="Seed", description="Each number gives another pattern of plants", default=0, min=0
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether the active object is a mesh that can be planted."""
        active = context.active_object
        is_mesh = active is not None and active.type == "MESH" and active.mode == "OBJECT" and active.is_editable
        return can_run(cls, "" if is_mesh else "Select a mesh in object mode")

    def perform(self, context: bpy.types.Context) -> str:
        """Plant the mesh."""
        if not self.species:
            raise ValueError("choose a species to plant")
        species = [load_species(name) for name in sorted(self.species)]
        carrier = plant_on_mesh(context.active_object, self.density, species, self.seed, self.cover)
        return f"Planted {counted(len(carrier.data.vertices), 'plant')}"


def draw_object_menu(menu: bpy.types.Menu, context: bpy.types.Context) -> None:
    """Show the entries in the menus Object, for meshes."""
    if context.active_object is not None and context.active_object.type == "MESH":
        menu.layout.separator()
        menu.layout.operator(LANDSCAPE_OT_plant_on_mesh.bl_idname, icon="OUTLINER_OB_POINTCLOUD")


def _removed(count: int) -> str:
    return f"Removed {counted(count, 'plant')}"


CLASSES = (
    LANDSCAPE_OT_scatter_plants,
    LANDSCAPE_OT_clear_plants,
    LANDSCAPE_OT_remove_plants,
    LANDSCAPE_OT_add_plants,
    LANDSCAPE_OT_clear_road,
    LANDSCAPE_OT_forget_plant_edits,
    LANDSCAPE_OT_make_plants_real,
    LANDSCAPE_OT_cull_plants,
    LANDSCAPE_OT_sway_plants,
    LANDSCAPE_OT_plant_on_mesh,
)

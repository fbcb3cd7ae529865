"""Operators that make a planet, make it again from its settings, and place the camera."""

import random
from pathlib import Path
from typing import Any

import bpy
from mathutils import Vector

from ...core.planet.planet_recipe import PRESETS_OF_PLANETS, PlanetRecipe, planet_preset_names
from ...core.planet.whole_map import PlanetElevation
from ...files.elevation import READERS
from ...files.planet_maps import WIDEST
from ...files.writing import check_target
from .. import compat
from ..data.own_presets import title
from ..land.planet_objects import active_planet, recipe_of_planet, why_no_planet
from ..look.placement import placement_of
from ..look.space import PLANET_VIEWS
from ..session.jobs import Task
from ..session.planet_making import (
    Where,
    export_planet_task,
    new_planet_task,
    remake_planet_task,
    view_planet_task,
)
from .base import FileOperator, TaskOperator, absolute_path, can_run

_SIZE = 10.0  # radius in the scene
# A 3D cursor nearer to the middle of the planet, as a share of its radius, points at no place on it.
_INSIDE = 0.5


def planet_items() -> list[tuple[str, str, str]]:
    """Return the presets of planets as items of a menu."""
    return [(name, title(name), PRESETS_OF_PLANETS[name]) for name in planet_preset_names()]


class LANDSCAPE_OT_new_planet(TaskOperator):
    """Make a planet with ground, sea, clouds and air; add sun, stars and camera if the scene has none"""

    bl_idname = "landscape.new_planet"
    bl_label = "New Planet"
    bl_options = {"REGISTER", "UNDO", "PRESET"}

    preset: bpy.props.EnumProperty(
        name="Preset", description="Kind of planet", items=planet_items(), default="temperate"
    )
    seed: bpy.props.IntProperty(
        name="Seed",
        description="Each number makes another planet of the same kind; −1 takes the seed of the preset",
        default=-1,
        min=-1,
    )
    resolution: bpy.props.IntProperty(
        name="Resolution",
        description="Samples along an edge of each face, a power of two plus one; 0 takes that of the preset",
        default=0,
        min=0,
        max=2049,
        soft_max=1025,
    )
    size: bpy.props.FloatProperty(
        name="Radius in Scene",
        description="How large the planet is in the scene",
        default=_SIZE,
        min=0.01,
        max=1e6,
        subtype="DISTANCE",
    )
    stage: bpy.props.BoolProperty(
        name="Sun, Stars and Camera", description="Add the sun, stars and camera that the scene lacks", default=True
    )

    def prepare(self, context: bpy.types.Context) -> Task:
        """Take the preset, with another seed and resolution if they are given."""
        changes: dict[str, Any] = {}
        if self.seed >= 0:
            changes["seed"] = self.seed
        if self.resolution > 0:
            changes["resolution"] = self.resolution
        recipe = PlanetRecipe.preset(self.preset, **changes)
        name = f"{title(self.preset)} Planet" if self.preset not in ("moon", "asteroid") else title(self.preset)
        return new_planet_task(context, name, recipe, self.size, with_space=self.stage)


class _PlanetOperator(TaskOperator):
    """Base of operators that compute for the active planet."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether a planet that can be changed is active."""
        return can_run(cls, why_no_planet(context))

    def prepare(self, context: bpy.types.Context) -> Task:
        """Return the task that makes the planet again."""
        planet = require_planet(context)
        return remake_planet_task(planet, *recipe_of_planet(planet))


class LANDSCAPE_OT_update_planet(_PlanetOperator):
    """Build the planet again from the settings in the panel"""

    bl_idname = "landscape.update_planet"
    bl_label = "Update Planet"


class LANDSCAPE_OT_import_planet(FileOperator):
    """Give the planet the heights of a file that maps a whole planet; if there is no planet, make one"""

    bl_idname = "landscape.import_planet"
    bl_label = "Import Planet"

    filepath: bpy.props.StringProperty(
        name="File",
        description="File with heights of a whole planet, twice as wide as high; with one column less, samples lie on "
        "the poles and on both ends of the date line",
        subtype="FILE_PATH",
        options=compat.BLEND_RELATIVE,
    )
    filter_glob: bpy.props.StringProperty(default=";".join(f"*{ending}" for ending in READERS), options={"HIDDEN"})
    lowest: bpy.props.FloatProperty(
        name="Black", description="Altitude of black in a picture", subtype="DISTANCE", default=-8000.0
    )
    highest: bpy.props.FloatProperty(
        name="White", description="Altitude of white in a picture", subtype="DISTANCE", default=8000.0
    )
    resolution: bpy.props.IntProperty(
        name="Resolution",
        description="Samples along an edge of each face, a power of two plus one; 0 keeps that of the planet",
        default=0,
        min=0,
        max=2049,
        soft_max=1025,
    )

    def prepare(self, context: bpy.types.Context) -> Task:
        """Return the task that makes the planet again, or a new one."""
        path = self.filepath
        absolute_path(path)
        changes: dict[str, Any] = {"resolution": self.resolution} if self.resolution > 0 else {}
        changes["elevation"] = PlanetElevation(path=path, lowest=self.lowest, highest=self.highest)
        if why_no_planet(context):
            recipe = PlanetRecipe.preset("temperate", **changes)
            return new_planet_task(context, Path(path).stem, recipe, _SIZE, with_space=True)
        planet = require_planet(context)
        recipe, size = recipe_of_planet(planet)
        return remake_planet_task(planet, recipe.replace(**changes), size)


class LANDSCAPE_OT_randomise_planet(_PlanetOperator):
    """Change this planet into another one of the same kind, with a random seed"""

    bl_idname = "landscape.randomise_planet"
    bl_label = "Randomise Planet"

    def prepare(self, context: bpy.types.Context) -> Task:
        """Return the task that makes the planet again with a new seed."""
        planet = require_planet(context)
        recipe, size = recipe_of_planet(planet)
        return remake_planet_task(planet, recipe.replace(seed=random.SystemRandom().randrange(2**31)), size)


class LANDSCAPE_OT_export_planet(FileOperator, _PlanetOperator):
    """Write the planet as GLB with levels of detail, and its maps: six faces, and equirectangular"""

    bl_idname = "landscape.export_planet"
    bl_label = "Export Planet"

    directory: bpy.props.StringProperty(
        name="Folder",
        description="Folder for the files; those of an earlier export are replaced",
        subtype="DIR_PATH",
        default="//planet/",
        options=compat.BLEND_RELATIVE,
    )
    width: bpy.props.IntProperty(
        name="Width of Maps",
        description="Pixels of equirectangular maps from west to east, an even number",
        default=4096,
        min=2,
        max=WIDEST,
    )
    radius: bpy.props.FloatProperty(
        name="Radius",
        description="Radius of the planet in the GLB file; 0 for its own",
        default=0.0,
        min=0.0,
        subtype="DISTANCE",
    )
    exaggeration: bpy.props.FloatProperty(
        name="Exaggeration",
        description="How much higher mountains are in the GLB file and in normal maps than they are: 1 is true to "
        "scale, 0 takes that of the planet's look",
        default=0.0,
        min=0.0,
        max=200.0,
    )
    filter_folder: bpy.props.BoolProperty(default=True, options={"HIDDEN"})

    def prepare(self, context: bpy.types.Context) -> Task:
        """Return the task that builds the planet and writes it."""
        recipe, _ = recipe_of_planet(require_planet(context))
        if self.exaggeration > 0.0:
            recipe = recipe.replace(look=recipe.look.replace(exaggeration=self.exaggeration))
        folder = absolute_path(self.directory)
        check_target(folder, "folder")
        return export_planet_task(recipe, folder, self.width, self.radius or None)


class LANDSCAPE_OT_view_planet(TaskOperator):
    """Place the camera of the scene to look at the planet, or to stand on it"""

    bl_idname = "landscape.view_planet"
    bl_label = "View Planet"

    view: bpy.props.EnumProperty(
        name="View",
        description="From where the camera looks",
        items=[(name, title(name), text) for name, text in PLANET_VIEWS.items()],
    )

    @classmethod
    def description(cls, context: bpy.types.Context, properties: bpy.types.OperatorProperties) -> str:
        """Return what the camera will show, as tooltip."""
        return PLANET_VIEWS[properties.view]

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether a planet is active, and the scene has a camera."""
        reason = why_no_planet(context)
        return can_run(cls, reason or ("" if context.scene.camera is not None else "The scene has no camera"))

    def prepare(self, context: bpy.types.Context) -> Task:
        """Return the task that places the camera above the side of the planet that it has looked at.

        A 3D cursor on the planet is the place to stand on.
        """
        planet = require_planet(context)
        into = placement_of(planet).inverted()
        cursor = into @ context.scene.cursor.location
        is_pointed_at = self.view == "ground" and is_on_planet(planet, cursor)
        towards = cursor if is_pointed_at else into @ placement_of(context.scene.camera).translation
        return view_planet_task(context, planet, self.view, Where(towards.normalized(), is_pointed_at))


def is_on_planet(planet: bpy.types.Object, place: Vector) -> bool:
    """Return whether a place in a planet's own space is near its ground or above, so that it points at a place."""
    return bool(place.length > _INSIDE * planet.landscape_planet.size)


def require_planet(context: bpy.types.Context) -> bpy.types.Object:
    """Return the planet to work on.

    Raises
    ------
    ValueError
        If there is none.
    """
    planet = active_planet(context)
    if planet is None:
        raise ValueError("select a planet first")
    return planet


CLASSES = (
    LANDSCAPE_OT_new_planet,
    LANDSCAPE_OT_update_planet,
    LANDSCAPE_OT_import_planet,
    LANDSCAPE_OT_randomise_planet,
    LANDSCAPE_OT_export_planet,
    LANDSCAPE_OT_view_planet,
)

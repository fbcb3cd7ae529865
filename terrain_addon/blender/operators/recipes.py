"""Operators on recipes: presets of the user, files, and Python in the clipboard."""

from pathlib import Path

import bpy

from ...core.building.climate_biome import CHOICE_RESOLUTION, biome_of_climate, with_biome_of_climate
from ...core.building.landscape import Landscape
from ...core.building.recipe import PRESETS, load_recipe
from ...core.ecosystem.biome_presets import BIOMES, biome_presets
from ...files.writing import atomic_write
from .. import compat
from ..data.own_presets import choice_of, remove_preset, save_preset, title
from ..data.properties import read_recipe
from ..land.building import landscape_steps
from ..land.features import draw_stored_features
from ..land.lookup import active_land, require_object
from ..land.recipe_scripts import python_script
from ..land.recipes import give_recipe, own_preset_path, recipe_of_preset, reset_recipe
from ..session.jobs import Task
from ..session.making import NewLand, new_land_task
from .base import (
    FileOperator,
    InstantFileOperator,
    InstantLandOperator,
    InstantOperator,
    LandOperator,
    TaskOperator,
    absolute_path,
    path_to_write,
)

_RECIPE_FILE = bpy.props.StringProperty(
    name="File", description="Recipe to read", subtype="FILE_PATH", options={"SKIP_SAVE"} | compat.BLEND_RELATIVE
)


class LANDSCAPE_OT_save_preset(InstantLandOperator):
    """Save the recipe of this landscape as a preset of your own"""

    bl_idname = "landscape.save_preset"
    bl_label = "Save as Preset"

    name: bpy.props.StringProperty(name="Name", description="Name of the preset", default="My Land")
    overwrite: bpy.props.BoolProperty(
        name="Overwrite",
        description="Replace a preset of your own that has this name",
        default=False,
        options={"SKIP_SAVE"},
    )

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Ask for a name."""
        return context.window_manager.invoke_props_dialog(self)

    def perform_on(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Write the recipe to Blender's folder of presets."""
        save_preset(self.name, land, overwrite=self.overwrite)
        return f"Saved the preset {self.name}"


class LANDSCAPE_OT_remove_preset(InstantOperator):
    """Delete a preset of your own"""

    bl_idname = "landscape.remove_preset"
    bl_label = "Remove Preset"
    bl_options = {"INTERNAL"}

    name: bpy.props.StringProperty(name="Name", description="Name of the preset", options={"HIDDEN"})

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Ask for confirmation."""
        return context.window_manager.invoke_confirm(self, event)

    def perform(self, context: bpy.types.Context) -> str:
        """Delete the file."""
        remove_preset(own_preset_path(self.name))
        return f"Removed the preset {self.name}"


class LANDSCAPE_OT_apply_preset(InstantLandOperator):
    """Give this landscape the recipe of a preset; its seed stays"""

    bl_idname = "landscape.apply_preset"
    bl_label = "Apply Preset"

    name: bpy.props.StringProperty(name="Name", description="A preset of the extension or of your own")

    @classmethod
    def description(cls, context: bpy.types.Context, properties: bpy.types.OperatorProperties) -> str:
        """Return what the preset shows, as tooltip; of an own preset nothing is known."""
        shown = PRESETS.get(properties.name)
        return f"{shown}. This land takes this recipe and keeps its seed" if shown else cls.__doc__ or ""

    def perform_on(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Read the preset and give it to the land."""
        give_recipe(land, recipe_of_preset(self.name).replace(seed=land.landscape.recipe.seed))
        land.landscape.preset = choice_of(self.name)
        return f"Applied {self.name}"


class LANDSCAPE_OT_apply_biome(InstantLandOperator):
    """Replace the species of this landscape by those of another biome; everything else stays"""

    bl_idname = "landscape.apply_biome"
    bl_label = "Apply Biome"

    biome: bpy.props.EnumProperty(
        name="Biome",
        description="Climate zone whose plants will grow here",
        items=[(name, title(name), BIOMES[name]) for name in biome_presets()],
    )

    def perform_on(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Replace the species of the land."""
        give_recipe(land, read_recipe(land).with_biome(self.biome))
        land.landscape.recipe.ecosystem.species_index = 0
        return f"{land.name} has the plants of the biome {title(self.biome)}"


class LANDSCAPE_OT_apply_biome_of_climate(LandOperator):
    """Replace the species of this landscape by those of its climate, and move the snow line and the tree line to fit"""

    bl_idname = "landscape.apply_biome_of_climate"
    bl_label = "Biome by Climate"

    def prepare_for(self, land: bpy.types.Object) -> Task:
        """Build the land coarsely and look at its temperature and rain."""
        recipe, uid, named = read_recipe(land), land.session_uid, land.name
        small = recipe.replace(resolution=min(recipe.resolution, CHOICE_RESOLUTION))

        def show(landscape: Landscape) -> str:
            name = biome_of_climate(landscape)
            land = require_object(uid, named)
            give_recipe(land, with_biome_of_climate(landscape).replace(resolution=recipe.resolution))
            land.landscape.recipe.ecosystem.species_index = 0
            return f"{land.name} has the plants of the biome {title(name)}"

        return Task("Biome", landscape_steps(small, "maps", land, passes=True), show, uid)


class LANDSCAPE_OT_generate_own(TaskOperator):
    """Make a new landscape from a preset of your own"""

    bl_idname = "landscape.generate_own"
    bl_label = "New Landscape"
    # For the button in the panel only; Blender's search shows landscape.generate.
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    name: bpy.props.StringProperty(name="Name", description="A preset of your own", options={"HIDDEN"})
    stage: bpy.props.BoolProperty(
        name="Sun, Sky and Camera", description="Add the sun, sky and camera that the scene lacks", default=True
    )

    def prepare(self, context: bpy.types.Context) -> Task:
        """Read the preset and return the task that builds it."""
        recipe = load_recipe(own_preset_path(self.name))
        return new_land_task(context, NewLand(self.name, recipe, with_scenery=self.stage, preset=choice_of(self.name)))


class LANDSCAPE_OT_load_recipe(InstantFileOperator):
    """Give this landscape the recipe in a file"""

    bl_idname = "landscape.load_recipe"
    bl_label = "Load Recipe"

    filepath: _RECIPE_FILE
    filter_glob: bpy.props.StringProperty(default="*.json", options={"HIDDEN"})

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Ask for the file, unless one was dropped."""
        return self.execute(context) if self.filepath else super().invoke(context, event)

    def perform_on(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Read the file and give its recipe to the land."""
        path = Path(absolute_path(self.filepath))
        give_recipe(land, load_recipe(path))
        draw_stored_features(land)
        return f"Loaded {path.name}"


class LANDSCAPE_OT_generate_from_recipe(FileOperator):
    """Make a new landscape from a recipe in a file"""

    bl_idname = "landscape.generate_from_recipe"
    bl_label = "New Landscape from Recipe"

    filepath: _RECIPE_FILE
    filter_glob: bpy.props.StringProperty(default="*.json", options={"HIDDEN"})

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Ask for the file, unless one was dropped."""
        return self.begin(context) if self.filepath else super().invoke(context, event)

    def prepare(self, context: bpy.types.Context) -> Task:
        """Read the recipe and return the task that builds it."""
        path = Path(absolute_path(self.filepath))

        def made(land: bpy.types.Object) -> None:
            draw_stored_features(land)

        return new_land_task(context, NewLand(title(path.stem), load_recipe(path)), made)


class _DroppedRecipe(bpy.types.FileHandler):
    """Base of what happens to recipes that are dropped into a 3D view."""

    bl_file_extensions = ".json"
    needs_land = False

    @classmethod
    def poll_drop(cls, context: bpy.types.Context) -> bool:
        """Whether a file can be dropped here."""
        is_view = context.area is not None and context.area.type == "VIEW_3D"
        return is_view and (active_land(context) is not None) == cls.needs_land


class LANDSCAPE_FH_recipe_of_land(_DroppedRecipe):
    """Recipes that are dropped while a landscape is active: it gets them"""

    bl_idname = "LANDSCAPE_FH_recipe_of_land"
    bl_label = "Recipe for the Active Landscape"
    bl_import_operator = LANDSCAPE_OT_load_recipe.bl_idname
    needs_land = True


class LANDSCAPE_FH_recipe_of_new_land(_DroppedRecipe):
    """Recipes that are dropped while no landscape is active: they make one"""

    bl_idname = "LANDSCAPE_FH_recipe_of_new_land"
    bl_label = "Recipe of a New Landscape"
    bl_import_operator = LANDSCAPE_OT_generate_from_recipe.bl_idname


def draw_recipe_import(menu: bpy.types.Menu, context: bpy.types.Context) -> None:
    """Show the entry in File > Import."""
    menu.layout.operator(LANDSCAPE_OT_generate_from_recipe.bl_idname, text="Landscape Recipe (.json)")


class LANDSCAPE_OT_save_recipe(InstantFileOperator):
    """Write the recipe of this landscape to a file, for scripts, the command line and other people"""

    bl_idname = "landscape.save_recipe"
    bl_label = "Save Recipe"

    filepath: bpy.props.StringProperty(
        name="File",
        description="File that the recipe is written to",
        subtype="FILE_PATH",
        default="//recipe.json",
        options=compat.BLEND_RELATIVE,
    )
    filter_glob: bpy.props.StringProperty(default="*.json", options={"HIDDEN"})
    check_existing: bpy.props.BoolProperty(default=True, options={"HIDDEN"})

    def perform_on(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Write the file."""
        path = bpy.path.ensure_ext(path_to_write(self.filepath), ".json")
        with atomic_write(Path(path)) as file:
            file.write(read_recipe(land).dumps().encode())
        return f"Saved {path}"


class LANDSCAPE_OT_copy_recipe_as_python(InstantLandOperator):
    """Copy a Python script that makes this landscape to the clipboard"""

    bl_idname = "landscape.copy_recipe_as_python"
    bl_label = "Copy Recipe as Python"
    bl_options = {"REGISTER"}

    def perform_on(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Put the script into the clipboard."""
        if bpy.app.background:
            raise ValueError("there is no clipboard in background mode; save the recipe instead")
        context.window_manager.clipboard = python_script(read_recipe(land))
        return "Copied the recipe as Python"


class LANDSCAPE_OT_reset_recipe(InstantLandOperator):
    """Set all settings of this landscape to their defaults, except its seed, size and resolution"""

    bl_idname = "landscape.reset_recipe"
    bl_label = "Reset to Defaults"

    def perform_on(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Give the land the default recipe."""
        reset_recipe(land)
        return "Reset to the defaults"


CLASSES = (
    LANDSCAPE_OT_save_preset,
    LANDSCAPE_OT_remove_preset,
    LANDSCAPE_OT_apply_preset,
    LANDSCAPE_OT_apply_biome,
    LANDSCAPE_OT_apply_biome_of_climate,
    LANDSCAPE_OT_generate_own,
    LANDSCAPE_OT_load_recipe,
    LANDSCAPE_OT_generate_from_recipe,
    LANDSCAPE_FH_recipe_of_land,
    LANDSCAPE_FH_recipe_of_new_land,
    LANDSCAPE_OT_save_recipe,
    LANDSCAPE_OT_copy_recipe_as_python,
    LANDSCAPE_OT_reset_recipe,
)

"""Operators that keep recipes: presets of one's own, files, and Python in the clipboard."""

import time
from functools import partial
from pathlib import Path

import bpy
from bpy.app.translations import pgettext_rpt as rpt_

from ...core.building.landscape import Landscape
from ...core.building.recipe import Recipe, preset_names
from ...core.foundation.parameters import ParameterSet, parameters_of
from ...files.writing import atomic_write
from .. import compat
from ..data.own_presets import own_presets, read_preset, remove_preset, save_preset, title
from ..data.properties import read_recipe, write_recipe
from ..land.building import landscape_steps
from ..session.jobs import Task
from .base import LandscapeOperator, absolute_path, active_land, why_not
from .generate import check_place, show_new


class _RecipeOperator(bpy.types.Operator):
    """Base: `perform` works on the active landscape and returns the sentence to report."""

    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether there is a landscape that can be changed."""
        reason = why_not(context)
        if reason:
            cls.poll_message_set(reason)
        return not reason

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Run `perform`, and report what it says or why it could not."""
        try:
            sentence = self.perform(context, active_land(context))
        except (ValueError, OSError) as error:
            text = str(error)
            self.report({"ERROR"}, text[:1].upper() + text[1:])
            return {"CANCELLED"}
        self.report({"INFO"}, sentence)
        return {"FINISHED"}

    def perform(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Do the work.

        Raises
        ------
        ValueError, OSError
            If it cannot be done; nothing was changed then.
        """
        raise NotImplementedError


class LANDSCAPE_OT_save_preset(_RecipeOperator):
    """Keep the recipe of this landscape as a preset of your own"""

    bl_idname = "landscape.save_preset"
    bl_label = "Save as Preset"

    name: bpy.props.StringProperty(name="Name", description="Name of the preset", default="My Land")

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Ask for a name."""
        return context.window_manager.invoke_props_dialog(self)

    def perform(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Write the recipe to Blender's folder of presets."""
        name = bpy.path.clean_name(self.name.strip())
        if not name.strip("_"):
            raise ValueError(rpt_("name = {name!r} is not a name for a preset").format(name=self.name))
        save_preset(name, land)
        return rpt_("Saved the preset {name}").format(name=name)


class LANDSCAPE_OT_remove_preset(bpy.types.Operator):
    """Delete a preset of your own"""

    bl_idname = "landscape.remove_preset"
    bl_label = "Remove Preset"
    bl_options = {"INTERNAL"}

    name: bpy.props.StringProperty(name="Name", description="Name of the preset", options={"HIDDEN"})

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Ask first."""
        return context.window_manager.invoke_confirm(self, event)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Delete the file."""
        path = own_presets().get(self.name)
        if path is None:
            self.report({"ERROR"}, _no_such(self.name))
            return {"CANCELLED"}
        try:
            remove_preset(path)
        except OSError as error:
            self.report({"ERROR"}, rpt_("Cannot remove {path}: {reason}").format(path=path, reason=error.strerror))
            return {"CANCELLED"}
        self.report({"INFO"}, rpt_("Removed the preset {name}").format(name=self.name))
        return {"FINISHED"}


class LANDSCAPE_OT_apply_preset(_RecipeOperator):
    """Give this landscape the recipe of a preset; its seed stays"""

    bl_idname = "landscape.apply_preset"
    bl_label = "Apply Preset"

    name: bpy.props.StringProperty(name="Name", description="A preset of the extension or of your own")

    def perform(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Read the preset and give it to the land."""
        own = own_presets()
        recipe = read_preset(own[self.name]) if self.name in own else Recipe.preset(self.name)
        _give(land, recipe.replace(seed=land.landscape.recipe.seed))
        return rpt_("Applied {name}").format(name=self.name)


class LANDSCAPE_OT_generate_own(LandscapeOperator):
    """Make a new landscape from a preset of your own"""

    bl_idname = "landscape.generate_own"
    bl_label = "New Landscape"
    # For the button in the panel; the search has the other one.
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    name: bpy.props.StringProperty(name="Name", description="A preset of your own", options={"HIDDEN"})
    stage: bpy.props.BoolProperty(
        name="Sun, Sky and Camera", description="Add what the scene lacks of light, sky and camera", default=True
    )

    def prepare(self, context: bpy.types.Context) -> Task:
        """Build the preset, then add it to the scene."""
        path = own_presets().get(self.name)
        if path is None:
            raise ValueError(_no_such(self.name))
        check_place(context)
        show = partial(self._show, context, time.perf_counter())
        return Task(self.name, landscape_steps(read_preset(path), "plants"), show)

    def _show(self, context: bpy.types.Context, started: float, landscape: Landscape) -> str:
        check_place(context)
        return show_new(context, self.name, self.stage, started, landscape)


class LANDSCAPE_OT_load_recipe(_RecipeOperator):
    """Give this landscape the recipe in a file"""

    bl_idname = "landscape.load_recipe"
    bl_label = "Load Recipe"

    filepath: bpy.props.StringProperty(
        name="File", description="Recipe to read", subtype="FILE_PATH", options=compat.BLEND_RELATIVE
    )
    filter_glob: bpy.props.StringProperty(default="*.json", options={"HIDDEN"})

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Ask for a file."""
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def perform(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Read the file and give it to the land."""
        path = Path(absolute_path(self.filepath))
        _give(land, read_preset(path))
        return rpt_("Loaded {name}").format(name=path.name)


class LANDSCAPE_OT_save_recipe(_RecipeOperator):
    """Write the recipe of this landscape to a file, for scripts, the command line and colleagues"""

    bl_idname = "landscape.save_recipe"
    bl_label = "Save Recipe"

    filepath: bpy.props.StringProperty(
        name="File",
        description="Where the recipe goes",
        subtype="FILE_PATH",
        default="//recipe.json",
        options=compat.BLEND_RELATIVE,
    )
    filter_glob: bpy.props.StringProperty(default="*.json", options={"HIDDEN"})
    check_existing: bpy.props.BoolProperty(default=True, options={"HIDDEN"})

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Ask for a file."""
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def perform(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Write the file."""
        path = bpy.path.ensure_ext(absolute_path(self.filepath), ".json")
        with atomic_write(Path(path)) as file:
            file.write(read_recipe(land).dumps().encode())
        return rpt_("Saved {name}").format(name=path)


class LANDSCAPE_OT_copy_recipe_as_python(_RecipeOperator):
    """Copy a script to the clipboard that makes this landscape"""

    bl_idname = "landscape.copy_recipe_as_python"
    bl_label = "Copy Recipe as Python"
    bl_options = {"REGISTER"}

    def perform(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Put the script into the clipboard."""
        context.window_manager.clipboard = python_of(read_recipe(land))
        return rpt_("Copied the recipe as Python")


class LANDSCAPE_OT_reset_recipe(_RecipeOperator):
    """Set all settings of this landscape back to the defaults; its size and its seed stay"""

    bl_idname = "landscape.reset_recipe"
    bl_label = "Reset to Defaults"

    def perform(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Give the land the default recipe."""
        recipe = land.landscape.recipe
        _give(land, Recipe(seed=recipe.seed, width=recipe.width, depth=recipe.depth, resolution=recipe.resolution))
        return rpt_("Reset to the defaults")


def python_of(recipe: Recipe) -> str:
    """Return a script that builds a recipe; only what differs from the defaults is spelled out."""
    package = __package__.rpartition(".blender")[0]
    return (
        f"from {package} import core\n\n"
        f"recipe = core.Recipe.from_json({_literal(_differences(recipe))})\nlandscape = core.build(recipe)\n"
    )


def _differences(values: ParameterSet) -> dict[str, object]:
    mine, default = values.to_json(), type(values)().to_json()
    return {p.name: mine[p.name] for p in parameters_of(type(values)) if mine[p.name] != default[p.name]}


def _literal(data: object) -> str:
    return repr(data) if len(repr(data)) < 100 else _folded(data, 0)


def _folded(data: object, depth: int) -> str:
    """A literal over several lines, deeper parts indented."""
    inner, outer = "    " * (depth + 1), "    " * depth
    if isinstance(data, dict) and data:
        lines = [f"{inner}{key!r}: {_folded(value, depth + 1)}," for key, value in data.items()]
        return "{\n" + "\n".join(lines) + f"\n{outer}}}"
    if isinstance(data, list) and any(isinstance(item, dict) for item in data):
        return "[\n" + "\n".join(f"{inner}{_folded(item, depth + 1)}," for item in data) + f"\n{outer}]"
    return repr(data)


def _no_such(name: str) -> str:
    return rpt_("There is no preset of your own called {name!r}").format(name=name)


def _give(land: bpy.types.Object, recipe: Recipe) -> None:
    write_recipe(land, recipe)
    # Python's changes do not tell the dependency graph, by which the land learns to follow.
    land.update_tag()


class LANDSCAPE_MT_recipes(bpy.types.Menu):
    """Presets and files"""

    bl_label = "Recipe"

    def draw(self, context: bpy.types.Context) -> None:
        """Show what can be done with recipes."""
        layout = self.layout
        for name in preset_names():
            layout.operator("landscape.apply_preset", text=title(name)).name = name
        own = own_presets()
        if own:
            layout.separator()
        for name in own:
            row = layout.row(align=True)
            row.operator("landscape.apply_preset", text=name, icon="USER", translate=False).name = name
            row.operator("landscape.remove_preset", text="", icon="X").name = name
        layout.separator()
        layout.operator("landscape.save_preset", icon="ADD")
        layout.operator("landscape.load_recipe", icon="IMPORT")
        layout.operator("landscape.save_recipe", icon="EXPORT")
        layout.operator("landscape.copy_recipe_as_python", icon="COPYDOWN")
        layout.operator("landscape.reset_recipe", icon="LOOP_BACK")


CLASSES = (
    LANDSCAPE_OT_save_preset,
    LANDSCAPE_OT_remove_preset,
    LANDSCAPE_OT_apply_preset,
    LANDSCAPE_OT_generate_own,
    LANDSCAPE_OT_load_recipe,
    LANDSCAPE_OT_save_recipe,
    LANDSCAPE_OT_copy_recipe_as_python,
    LANDSCAPE_OT_reset_recipe,
    LANDSCAPE_MT_recipes,
)

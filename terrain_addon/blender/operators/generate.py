"""Operators that make a landscape and remake it from its settings."""

import random
import time
from functools import partial
from typing import Any

import bpy

from ...core.landscape import Extent, Landscape
from ...core.recipe import Recipe, preset_names
from ...core.relief.octaves import OctaveNoise, shown_octaves
from .. import live
from ..building import landscape_steps
from ..jobs import Job, Task, running
from ..land_objects import add_landscape, extent_of
from ..properties import read_recipe
from ..scenery import set_stage
from .base import LandOperator, LandscapeOperator, still_there


def preset_items() -> list[tuple[str, str, str]]:
    """Return the presets as items of a menu."""
    return [
        (name, name.replace("_", " ").title(), f"Make a landscape of the kind {name.replace('_', ' ')}")
        for name in preset_names()
    ]


class LANDSCAPE_OT_generate(LandscapeOperator):
    """Make a new landscape: land, soil, maps and plants, and where the scene has none, sun, sky and a camera"""

    bl_idname = "landscape.generate"
    bl_label = "New Landscape"

    preset: bpy.props.EnumProperty(name="Preset", description="Kind of land", items=preset_items())
    seed: bpy.props.IntProperty(
        name="Seed",
        description="Another number, another land of the same kind; −1 takes the preset's",
        default=-1,
        min=-1,
    )
    resolution: bpy.props.IntProperty(
        name="Resolution",
        description="Vertices from west to east; 0 takes the preset's",
        default=0,
        min=0,
        max=8193,
        soft_max=2049,
    )
    stage: bpy.props.BoolProperty(
        name="Sun, Sky and Camera", description="Add what the scene lacks of light, sky and camera", default=True
    )

    # In a window the land is there to be seen while its plants are still being computed.
    _is_watched = False

    def begin(self, context: bpy.types.Context) -> set[str]:
        """Make the land in a thread, and its plants after that."""
        self._is_watched = not bpy.app.background and context.window is not None
        return super().begin(context)

    def prepare(self, context: bpy.types.Context) -> Task:
        """Build the preset, then add it to the scene."""
        changes: dict[str, Any] = {}
        if self.seed >= 0:
            changes["seed"] = self.seed
        if self.resolution > 0:
            changes["resolution"] = self.resolution
        self._check_place(context)
        title = self.preset.replace("_", " ").title()
        steps = landscape_steps(Recipe.preset(self.preset, **changes), "terrain" if self._is_watched else "plants")
        return Task(title, steps, partial(self._show, context, title, time.perf_counter()))

    def _check_place(self, context: bpy.types.Context) -> None:
        if context.mode != "OBJECT":
            raise ValueError("leave edit mode first")
        if not context.collection.is_editable:
            name = context.collection.name
            raise ValueError(
                f"the active collection {name} is linked from another file; choose another in the outliner"
            )

    def _show(self, context: bpy.types.Context, title: str, started: float, landscape: Landscape) -> str:
        self._check_place(context)
        sentence = show_new(context, title, self.stage, started, landscape)
        if self._is_watched:
            bpy.ops.landscape.grow_plants("INVOKE_DEFAULT")
        return sentence


class LANDSCAPE_OT_grow_plants(LandOperator):
    """Give a new landscape its water, maps and plants"""

    bl_idname = "landscape.grow_plants"
    bl_label = "Complete Landscape"
    bl_options = {"INTERNAL", "UNDO"}

    def prepare_for(self, land: bpy.types.Object) -> Task:
        """Build the landscape with all that belongs to it, and show it."""
        recipe = read_recipe(land)
        return _remake(land, recipe, "plants" if recipe.ecosystem.species else "maps")


class LANDSCAPE_OT_update(LandOperator):
    """Make the landscape anew from the settings in the panel; what they do not touch is not computed again"""

    bl_idname = "landscape.update"
    bl_label = "Update Landscape"

    def prepare_for(self, land: bpy.types.Object) -> Task:
        """Build the recipe of a landscape and show it."""
        return _remake(land, read_recipe(land), extent_of(land))


class LANDSCAPE_OT_randomise_seed(LandOperator):
    """Another land of the same kind"""

    bl_idname = "landscape.randomise_seed"
    bl_label = "Randomise Seed"

    def prepare_for(self, land: bpy.types.Object) -> Task:
        """Build the landscape with a new seed."""
        recipe = read_recipe(land).replace(seed=random.SystemRandom().randrange(2**31))
        return _remake(land, recipe, extent_of(land))


class _JobOperator(bpy.types.Operator):
    """Base of operators on what is being computed."""

    bl_options = {"INTERNAL"}

    job: bpy.props.IntProperty(name="Job", description="Number of the job; 0 means all", default=0, options={"HIDDEN"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether anything is being computed."""
        if not running:
            cls.poll_message_set("Nothing is being computed")
        return bool(running)

    def chosen(self) -> list[Job]:
        """Return the jobs in question."""
        return [job for job in running if self.job in (0, job.number)]


class LANDSCAPE_OT_cancel(_JobOperator):
    """Stop what is being computed; the scene stays as it is"""

    bl_idname = "landscape.cancel"
    bl_label = "Cancel Landscape"

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Tell jobs to stop."""
        for job in self.chosen():
            job.cancel()
        return {"FINISHED"}


class LANDSCAPE_OT_finish_early(_JobOperator):
    """End the process at work with the land as it is now, and go on with the next"""

    bl_idname = "landscape.finish_early"
    bl_label = "Finish Early"

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Tell jobs to finish early."""
        for job in self.chosen():
            job.finish_early()
        return {"FINISHED"}


def show_new(context: bpy.types.Context, title: str, stage: bool, started: float, landscape: Landscape) -> str:
    """Add a landscape to the scene, active and in sight; `stage` adds what the scene lacks of light, sky and camera."""
    land = add_landscape(context.collection, landscape, title)
    for selected in context.selected_objects:
        selected.select_set(False)
    land.select_set(True)
    context.view_layer.objects.active = land
    if stage:
        set_stage(context.scene, land)
    _show_all_of(land, context)
    live.is_current(land, landscape)
    return _summary("Made", landscape, time.perf_counter() - started)


def _show_all_of(land: bpy.types.Object, context: bpy.types.Context) -> None:
    """Let the viewport that the operator was called from see the whole land; there is none in background mode."""
    area = context.area
    if area is not None and area.type == "VIEW_3D":
        space = area.spaces.active
        space.clip_end = max(space.clip_end, 10.0 * max(land.dimensions))
        region = next(r for r in area.regions if r.type == "WINDOW")
        with context.temp_override(area=area, region=region):
            bpy.ops.view3d.view_selected()


def _remake(land: bpy.types.Object, recipe: Recipe, extent: Extent) -> Task:
    uid, name, asked, started = land.session_uid, land.name, read_recipe(land), time.perf_counter()

    def show(landscape: Landscape) -> str:
        live.show(still_there(uid, name), landscape, asked)
        return _summary("Updated", landscape, time.perf_counter() - started)

    return Task(name, landscape_steps(recipe, extent, land), show, uid)


def _summary(verb: str, landscape: Landscape, seconds: float) -> str:
    grid = landscape.terrain.grid
    plants = f", {len(landscape.plants)} plants" if landscape.plants is not None else ""
    return f"{verb} {grid.columns} × {grid.rows} vertices{plants} in {seconds:.2f} s{_left_out(landscape)}"


def _left_out(landscape: Landscape) -> str:
    """Say which layers have octaves that are too fine for the grid."""
    said = ""
    for layer in landscape.recipe.relief.layers:
        if layer.enabled and isinstance(layer.source, OctaveNoise):
            shown = shown_octaves(landscape.terrain.grid, layer.source)
            if shown < layer.source.octaves:
                said += f"; {layer.name} shows {shown} of {layer.source.octaves} octaves, finer ones need more vertices"
    return said


CLASSES = (
    LANDSCAPE_OT_generate,
    LANDSCAPE_OT_grow_plants,
    LANDSCAPE_OT_update,
    LANDSCAPE_OT_randomise_seed,
    LANDSCAPE_OT_cancel,
    LANDSCAPE_OT_finish_early,
)

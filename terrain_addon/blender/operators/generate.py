"""Operators that make a land, make it again from its settings, and stop what is being computed."""

import random
from typing import Any

import bpy

from ...core.building.recipe import PRESETS, Recipe, preset_names
from ..data.own_presets import title
from ..data.properties import read_recipe
from ..data.vertex_weights import forget_weights
from ..session.jobs import Job, Task, long_jobs, running
from ..session.making import NewLand, remake_task, update_task
from .base import InstantOperator, LandOperator, can_run
from .growing import GrowingLandOperator


def preset_items() -> list[tuple[str, str, str]]:
    """Return the presets as items of a menu."""
    return [(name, title(name), PRESETS[name]) for name in preset_names()]


class LANDSCAPE_OT_generate(GrowingLandOperator):
    """Make a new landscape with soil, water, maps and plants; add sun, sky and camera if the scene has none"""

    bl_idname = "landscape.generate"
    bl_label = "New Landscape"
    bl_options = {"REGISTER", "UNDO", "PRESET"}

    preset: bpy.props.EnumProperty(name="Preset", description="Kind of land", items=preset_items())
    seed: bpy.props.IntProperty(
        name="Seed",
        description="Each number makes another land of the same kind; −1 takes the seed of the preset",
        default=-1,
        min=-1,
    )
    resolution: bpy.props.IntProperty(
        name="Resolution",
        description="Vertices from west to east; 0 takes the resolution of the preset",
        default=0,
        min=0,
        max=8193,
        soft_max=2049,
    )
    stage: bpy.props.BoolProperty(
        name="Sun, Sky and Camera", description="Add the sun, sky and camera that the scene lacks", default=True
    )

    def new_land(self) -> NewLand:
        """Take the preset, with another seed and resolution if they are given."""
        changes: dict[str, Any] = {}
        if self.seed >= 0:
            changes["seed"] = self.seed
        if self.resolution > 0:
            changes["resolution"] = self.resolution
        # The menu names what Apply would do to the new land.
        bpy.context.window_manager.landscape_preset = self.preset
        recipe = Recipe.preset(self.preset, **changes)
        return NewLand(title(self.preset), recipe, with_scenery=self.stage, preset=self.preset)


class LANDSCAPE_OT_update(LandOperator):
    """Build the land again from the settings in the panel; only what has changed is computed"""

    bl_idname = "landscape.update"
    bl_label = "Update Landscape"

    def prepare_for(self, land: bpy.types.Object) -> Task:
        """Build the recipe of the land and show it."""
        forget_weights()
        return update_task(land)


class LANDSCAPE_OT_randomise_seed(LandOperator):
    """Change this land into another one of the same kind, with a random seed"""

    bl_idname = "landscape.randomise_seed"
    bl_label = "Randomise Seed"

    def prepare_for(self, land: bpy.types.Object) -> Task:
        """Build the recipe of the land with a new seed."""
        return remake_task(land, read_recipe(land).replace(seed=random.SystemRandom().randrange(2**31)))


class _JobOperator(InstantOperator):
    """Base of operators on running jobs."""

    bl_options = {"INTERNAL"}

    job: bpy.props.IntProperty(
        name="Job", description="Number of the job; 0 stands for all jobs", default=0, options={"HIDDEN"}
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether anything is being computed that shows a progress bar; the key Esc has its usual meaning otherwise."""
        return can_run(cls, "" if long_jobs() else "Nothing is being computed")

    def chosen(self) -> list[Job]:
        """Return the chosen jobs."""
        return [job for job in running if self.job in (0, job.number)]


class LANDSCAPE_OT_cancel(_JobOperator):
    """Stop what is being computed; the scene stays as it is"""

    bl_idname = "landscape.cancel"
    bl_label = "Cancel Landscape"

    def perform(self, context: bpy.types.Context) -> str:
        """Ask the jobs to stop."""
        for job in self.chosen():
            job.cancel()
        return ""


class LANDSCAPE_OT_finish_early(_JobOperator):
    """End the running process with the land as it is now, and continue with the next process"""

    bl_idname = "landscape.finish_early"
    bl_label = "Finish Early"

    def perform(self, context: bpy.types.Context) -> str:
        """Ask the jobs to finish early."""
        for job in self.chosen():
            job.finish_early()
        return ""


CLASSES = (
    LANDSCAPE_OT_generate,
    LANDSCAPE_OT_update,
    LANDSCAPE_OT_randomise_seed,
    LANDSCAPE_OT_cancel,
    LANDSCAPE_OT_finish_early,
)

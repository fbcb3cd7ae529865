"""Operators that make a landscape and remake it from its settings."""

import random
import time
from typing import Any

import bpy

from ...core.landscape import Landscape
from ...core.recipe import Recipe, preset_names
from ..jobs import build_landscape
from ..land_objects import add_landscape, update_landscape
from ..properties import read_recipe
from ..scenery import set_stage
from .base import LandOperator, LandscapeOperator


def preset_items() -> list[tuple[str, str, str]]:
    """Return the presets as items of a menu."""
    return [
        (name, name.replace("_", " ").title(), f"Make a landscape of the kind {name.replace('_', ' ')}")
        for name in preset_names()
    ]


class LANDSCAPE_OT_generate(LandscapeOperator):
    """Make a new landscape: land, soil, maps and plants, and where the scene has none, sun, sky and a camera"""

    bl_idname = "landscape.generate"
    bl_label = "Generate Landscape"

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

    def perform(self, context: bpy.types.Context) -> str:
        """Build the preset and add it to the scene."""
        changes: dict[str, Any] = {}
        if self.seed >= 0:
            changes["seed"] = self.seed
        if self.resolution > 0:
            changes["resolution"] = self.resolution
        if context.mode != "OBJECT":
            raise ValueError("leave edit mode first")
        if not context.collection.is_editable:
            name = context.collection.name
            raise ValueError(
                f"the active collection {name} is linked from another file; choose another in the outliner"
            )
        started = time.perf_counter()
        landscape = build_landscape(Recipe.preset(self.preset, **changes))
        land = add_landscape(context.collection, landscape, self.preset.replace("_", " ").title())
        for selected in context.selected_objects:
            selected.select_set(False)
        land.select_set(True)
        context.view_layer.objects.active = land
        if self.stage:
            set_stage(context.scene, land)
        _show_all_of(land, context)
        return _summary("Made", landscape, time.perf_counter() - started)


class LANDSCAPE_OT_update(LandOperator):
    """Make the landscape anew from the settings in the panel; what they do not touch is not computed again"""

    bl_idname = "landscape.update"
    bl_label = "Update Landscape"

    def work_on(self, land: bpy.types.Object) -> str:
        """Build the recipe of the active landscape and show it."""
        return _remake(land)


class LANDSCAPE_OT_randomise_seed(LandOperator):
    """Another land of the same kind"""

    bl_idname = "landscape.randomise_seed"
    bl_label = "Randomise Seed"

    def work_on(self, land: bpy.types.Object) -> str:
        """Give the active landscape a new seed and make it anew."""
        recipe = read_recipe(land).replace(seed=random.SystemRandom().randrange(2**31))
        return _remake(land, recipe)


def _show_all_of(land: bpy.types.Object, context: bpy.types.Context) -> None:
    """Let the viewport that the operator was called from see the whole land; there is none in background mode."""
    area = context.area
    if area is not None and area.type == "VIEW_3D":
        space = area.spaces.active
        space.clip_end = max(space.clip_end, 10.0 * max(land.dimensions))
        region = next(r for r in area.regions if r.type == "WINDOW")
        with context.temp_override(area=area, region=region):
            bpy.ops.view3d.view_selected()


def _remake(land: bpy.types.Object, recipe: Recipe | None = None) -> str:
    started = time.perf_counter()
    had_plants = land.landscape.plants is not None
    landscape = build_landscape(recipe or read_recipe(land), "plants" if had_plants else "maps")
    update_landscape(land, landscape)
    return _summary("Updated", landscape, time.perf_counter() - started)


def _summary(verb: str, landscape: Landscape, seconds: float) -> str:
    grid = landscape.terrain.grid
    plants = f", {len(landscape.plants)} plants" if landscape.plants is not None else ""
    return f"{verb} {grid.columns} × {grid.rows} vertices{plants} in {seconds:.2f} s"


CLASSES = (LANDSCAPE_OT_generate, LANDSCAPE_OT_update, LANDSCAPE_OT_randomise_seed)

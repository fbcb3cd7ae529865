"""Operators that make a landscape and remake it from its settings."""

import random
import time
from collections.abc import Generator
from dataclasses import dataclass
from functools import partial
from typing import Any

import bpy

from ...core.building.judging import judge
from ...core.building.landscape import Landscape
from ...core.building.plan import Extent
from ...core.building.recipe import Recipe, preset_names
from ...core.foundation.progress import Progress
from ...core.maps.realism import LandClass, Realism
from ...core.relief.octaves import OctaveNoise, shown_octaves
from ..data.properties import read_recipe, write_recipe
from ..land.building import forget_cut_short, is_at_hand, is_compiled, landscape_steps, warm
from ..land.drawings import Drawing, draw, drawing_steps
from ..land.judging import Judgement, is_soon_judged, judged_as, judgements
from ..land.land_objects import add_landscape, extent_of
from ..land.preparation import Preparation, land_pieces, part_pieces
from ..look.camera import show_in_viewport_up_to
from ..look.render_settings import aspect_of
from ..look.scenery import Survey, set_scenery, survey_land
from ..plants.plant_assets import variant_counts
from ..session import live
from ..session.jobs import Job, Task, running
from .base import LandOperator, LandscapeOperator, still_there


def _title(preset: str) -> str:
    return preset.replace("_", " ").title()


def preset_items() -> list[tuple[str, str, str]]:
    """Return the presets as items of a menu."""
    return [(name, _title(name), f"Make a landscape of the kind {name.replace('_', ' ')}") for name in preset_names()]


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

    made: bpy.props.IntProperty(
        name="Made", description="Session uid of the land that it made", options={"HIDDEN", "SKIP_SAVE"}
    )
    replaces: bpy.props.IntProperty(
        name="Replaces", description="Session uid of a land to put it in place of", options={"HIDDEN", "SKIP_SAVE"}
    )

    # In a window the land is there to be seen while its plants are still being computed.
    _is_watched = False
    _is_there = False

    def begin(self, context: bpy.types.Context) -> set[str]:
        """Make the land in a thread, and its plants after that."""
        self._is_watched = not bpy.app.background and context.window is not None
        return super().begin(context)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Make it at once; if settings are adjusted after that, in a thread, to take the place of the first."""
        if not self.options.is_repeat or bpy.app.background or context.window is None:
            return super().execute(context)
        for job in tuple(running):
            if job.task.land == self.made:
                job.discard()
        settings = self.as_keywords(ignore=("made", "replaces"))
        bpy.ops.landscape.generate("INVOKE_DEFAULT", replaces=self.made, **settings)
        # Blender has undone the first one to repeat it.  Told that nothing was done, it brings it back, so that there
        # is a land until the other one comes.
        return {"CANCELLED"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Look at the job; once the land is there, it stays, whatever becomes of its plants."""
        result = super().modal(context, event)
        if not self._is_there or result not in ({"FINISHED"}, {"CANCELLED"}):
            return result
        live.end_growth(self.made)
        return {"FINISHED"}

    def cancel(self, context: bpy.types.Context) -> None:
        """Stop when Blender takes the operator away; a land that is there stays as it is."""
        live.end_growth(self.made)
        super().cancel(context)

    def preparation(self) -> Preparation:
        """Make the material while the land is on its way, then the shapes of plants while their places are."""
        return Preparation(part_pieces(self._recipe) if self._is_there else land_pieces())

    def prepare(self, context: bpy.types.Context) -> Task:
        """Build the preset, then add it to the scene."""
        changes: dict[str, Any] = {}
        if self.seed >= 0:
            changes["seed"] = self.seed
        if self.resolution > 0:
            changes["resolution"] = self.resolution
        check_place(context)
        title = _title(self.preset)
        recipe = self._recipe = Recipe.preset(self.preset, **changes)
        if not bpy.app.background:
            warm(recipe)
        at_first = recipe
        if self._is_watched and not is_compiled(recipe, "terrain"):
            # Rather than look at nothing until all kernels are there, one sees the land as it is before erosion.
            at_first = recipe.replace(erosion=())
        building = landscape_steps(at_first, "terrain" if self._is_watched else "plants")
        drawing = drawing_steps(building, variant_counts(recipe.ecosystem.species))
        steps = _examining_steps(drawing, None, aspect_of(context.scene) if self.stage else None)
        show = partial(self._show, context, title, time.perf_counter())
        return Task(title, steps, show, self.replaces)

    def _finish(self, context: bpy.types.Context) -> set[str]:
        result = super()._finish(context)
        if result == {"CANCELLED"} or self._is_there or not self._is_watched:
            return result
        # One operator to the end.  Blender has to know of the land at once, or undo could crash it.
        self._is_there = True
        live.begin_growth(self.made)
        bpy.ops.ed.undo_push(message="Begin Landscape")
        self._watch(context, self._complete(context))
        return {"RUNNING_MODAL"}

    def _complete(self, context: bpy.types.Context) -> Task:
        """Give the land its water, maps and plants, and its erosion if that is still missing."""
        land = still_there(self.made, _title(self.preset))
        recipe = self._recipe = read_recipe(land)
        extent: Extent = "plants" if recipe.ecosystem.species else "maps"
        # Camera and sun follow where erosion changes what they were placed for.
        aspect = aspect_of(context.scene) if self.stage and live.is_stale(land, "ground") else None
        return _remake(land, recipe, extent, "Completed", aspect)

    def _show(self, context: bpy.types.Context, title: str, started: float, seen: "_Seen") -> str:
        check_place(context)
        before = live.find_object(self.replaces) if self.replaces else None
        place = before.matrix_basis.copy() if before is not None else None
        if before is not None:
            _remove_with_data(before)
            # Its water and plants go now, not a moment later as those of lands that users delete.
            live.look_after()
        land = _show_new(context, title, seen)
        if place is not None:
            land.matrix_basis = place
        self.made = land.session_uid
        if seen.drawing.landscape.recipe != self._recipe:
            # Its erosion comes later.
            write_recipe(land, self._recipe)
            live.notice(land)
        return _summary("Made", seen, time.perf_counter() - started)


class LANDSCAPE_OT_update(LandOperator):
    """Make the landscape anew from the settings in the panel; what they do not touch is not computed again"""

    bl_idname = "landscape.update"
    bl_label = "Update Landscape"

    def prepare_for(self, land: bpy.types.Object) -> Task:
        """Build the recipe of a landscape and show it, in full even if it was finished early before."""
        forget_cut_short()
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


def check_place(context: bpy.types.Context) -> None:
    """Refuse to add a landscape where none can be.

    Raises
    ------
    ValueError
        If an object is being edited, or the active collection cannot be changed.
    """
    if context.mode != "OBJECT":
        raise ValueError("leave edit mode first")
    if not context.collection.is_editable:
        name = context.collection.name
        raise ValueError(f"the active collection {name} is linked from another file; choose another in the outliner")


def show_new(context: bpy.types.Context, title: str, stage: bool, started: float, landscape: Landscape) -> str:
    """Add a landscape to the scene, active and in sight; `stage` adds what the scene lacks of light, sky and camera."""
    terrain = landscape.terrain
    survey = None
    if stage:
        survey = survey_land(terrain.surface, terrain.grid.width, terrain.grid.depth, aspect_of(context.scene))
    seen = _Seen(draw(landscape), survey=survey)
    _show_new(context, title, seen)
    return _summary("Made", seen, time.perf_counter() - started)


@dataclass(frozen=True)
class _Seen:
    """A landscape ready to be shown: its arrays, how real it is, and what camera and sun want to know of it."""

    drawing: Drawing
    realism: Realism | None = None
    survey: Survey | None = None


def _examining_steps(
    drawing: Generator[Progress, bool | None, Drawing], land_class: LandClass | None, aspect: float | None
) -> Generator[Progress, bool | None, _Seen]:
    """Judge a land as one of a class, and look for the best view for pictures of an aspect; None: neither."""
    drawn = yield from drawing
    terrain, realism, survey = drawn.landscape.terrain, None, None
    if land_class is not None and is_soon_judged(drawn.landscape):
        yield Progress("realism", 1.0)
        realism = judge(drawn.landscape, land_class)
    if aspect is not None:
        yield Progress("the best view", 1.0)
        survey = survey_land(terrain.surface, terrain.grid.width, terrain.grid.depth, aspect)
    return _Seen(drawn, realism, survey)


def _remove_with_data(land: bpy.types.Object) -> None:
    """Remove a land, and its mesh and materials if nothing else uses them."""
    mesh = land.data
    materials = {slot.material for slot in land.material_slots if slot.material is not None}
    bpy.data.objects.remove(land)
    if mesh is not None and mesh.users == 0:
        bpy.data.batch_remove([mesh])
    bpy.data.batch_remove([material for material in materials if material.users == 0])


def _show_new(context: bpy.types.Context, title: str, seen: _Seen) -> bpy.types.Object:
    landscape = seen.drawing.landscape
    land = add_landscape(context.collection, landscape, title, seen.drawing)
    for selected in context.selected_objects:
        selected.select_set(False)
    land.select_set(True)
    context.view_layer.objects.active = land
    if seen.survey is not None:
        set_scenery(context.scene, land, seen.survey)
    _show_all_of(land, context)
    live.is_current(land, landscape)
    return land


def _show_all_of(land: bpy.types.Object, context: bpy.types.Context) -> None:
    """Let the viewport that the operator was called from see the whole land; there is none in background mode."""
    area = context.area
    if area is not None and area.type == "VIEW_3D":
        space = area.spaces.active
        show_in_viewport_up_to(space, 10.0 * max(land.dimensions))
        region = next(r for r in area.regions if r.type == "WINDOW")
        with context.temp_override(area=area, region=region):
            bpy.ops.view3d.view_selected()


def _remake(
    land: bpy.types.Object, recipe: Recipe, extent: Extent, verb: str = "", aspect: float | None = None
) -> Task:
    uid, name, asked, started = land.session_uid, land.name, read_recipe(land), time.perf_counter()
    land_class = judged_as(land, recipe)
    if not verb:
        erodes = any(process.enabled for process in recipe.erosion) and not is_at_hand(recipe, "terrain", land)
        verb = "Eroded" if erodes else "Updated"

    def show(seen: _Seen) -> str:
        landscape = seen.drawing.landscape
        land = still_there(uid, name)
        live.show(land, landscape, asked, seen.drawing)
        if seen.survey is not None:
            set_scenery(bpy.context.scene, land, seen.survey)
        if seen.realism is not None and land_class is not None:
            judgements[uid] = Judgement(seen.realism, land_class, live.mark_of(landscape.recipe))
        return _summary(verb, seen, time.perf_counter() - started)

    drawing = drawing_steps(landscape_steps(recipe, extent, land), variant_counts(recipe.ecosystem.species))
    return Task(name, _examining_steps(drawing, land_class, aspect), show, uid)


def _summary(verb: str, seen: _Seen, seconds: float) -> str:
    landscape = seen.drawing.landscape
    grid = landscape.terrain.grid
    plants = f" with {len(landscape.plants):,} plants" if landscape.plants else ""
    realism = f", realism {seen.realism.score}/{len(seen.realism.numbers)}" if seen.realism is not None else ""
    early = "" if landscape.is_whole else "; finished early, Update completes it"
    made = f"{verb} {grid.columns} × {grid.rows} vertices{plants} in {seconds:.1f} s{realism}"
    return f"{made}{early}{_left_out(landscape)}"


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
    LANDSCAPE_OT_update,
    LANDSCAPE_OT_randomise_seed,
    LANDSCAPE_OT_cancel,
    LANDSCAPE_OT_finish_early,
)

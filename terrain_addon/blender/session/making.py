"""Tasks that make a new land, complete it, make it again from its recipe, and plant it."""

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace

import bpy

from ...core.building.judging import judge
from ...core.building.landscape import Landscape
from ...core.building.plan import Extent
from ...core.building.recipe import Recipe
from ...core.foundation.progress import Progress, mapped
from ...core.foundation.terrain import Field
from ...core.maps.land_classes import LandClass
from ...core.maps.realism import Realism
from ...core.relief.octaves import OctaveNoise, shown_octaves
from ..data.attributes import set_attribute
from ..data.properties import read_recipe, write_recipe
from ..data.sentences import WarningText, counted
from ..data.view_layer import select_alone
from ..land.attachments import link_attachments, remove_land
from ..land.building import forget_cut_short, is_at_hand, landscape_steps
from ..land.drawings import Drawing, drawing_steps
from ..land.features import feature_faults, gather_features
from ..land.judging import is_quickly_judged, judged_as, keep_judgement
from ..land.land_objects import add_landscape, shared_extent_of
from ..land.lookup import LandReference, check_scene, find_object, land_at_same_place, lands
from ..land.startup_cube import remove_startup_cube
from ..look.camera import show_in_viewport_up_to
from ..look.framing import frame_object
from ..look.render_settings import aspect_of
from ..look.scenery import Survey, aim_again, set_scenery, survey_land
from ..plants.plant_assets import variant_counts
from .following import notice_change, show_landscape
from .jobs import Task
from .land_states import is_stale, mark_as_shown

_MOST_WARNINGS = 4  # more would not be read in one report
_DRAWN, _JUDGED = 0.9, 0.94  # shares of the progress bar at which a land is drawn, and at which it is judged


@dataclass(frozen=True)
class NewLand:
    """A land that is to be made.

    Attributes
    ----------
    name : str
        Of the object.
    recipe : Recipe
    extent : {'terrain', 'maps', 'plants'}
        How far it is built.
    with_scenery : bool
        Whether the scene gets the sun, sky and camera that it lacks.
    first : Recipe, optional
        What is shown until `complete_task` completes the land; without it the recipe.
    replaces : int
        Session uid of a land that the new one replaces; 0 for none.
    preset : str
        The choice in the list of presets that it is made from; empty for none.
    """

    name: str
    recipe: Recipe
    extent: Extent = "plants"
    with_scenery: bool = True
    first: Recipe | None = None
    replaces: int = 0
    preset: str = ""


@dataclass(frozen=True)
class ReadyLand:
    """A landscape that is ready to be shown: its arrays, its realism, and the survey for camera and sun."""

    drawing: Drawing
    realism: Realism | None = None
    survey: Survey | None = None


def new_land_task(
    context: bpy.types.Context, new: NewLand, made: Callable[[bpy.types.Object], None] | None = None
) -> Task:
    """Return the task that makes a land and adds it to the scene, active and in view.

    Parameters
    ----------
    context : Context
    new : NewLand
    made : callable, optional
        Called with the land when it is there.

    Raises
    ------
    ValueError
        If the scene cannot take a land, or the recipe cannot be built.
    """
    check_scene(context)
    started = time.perf_counter()
    variants = variant_counts(new.recipe.ecosystem.species)
    drawing = drawing_steps(landscape_steps(new.first or new.recipe, new.extent), variants)
    steps = ready_steps(drawing, None, aspect_of(context.scene) if new.with_scenery else None)

    def show(ready: ReadyLand) -> str:
        check_scene(context)
        land = _add_or_replace(context, new, ready)
        land.landscape.preset = new.preset
        if made is not None:
            made(land)
        if new.first is not None and new.first != new.recipe:
            # Erosion is still missing; the second job adds it.
            write_recipe(land, new.recipe)
            notice_change(land)
        return summary("made", ready, time.perf_counter() - started, hint=place_hint(land))

    return Task(new.name, steps, show, new.replaces)


def complete_task(context: bpy.types.Context, reference: LandReference, with_scenery: bool) -> Task:
    """Return the task that gives a new land what it still lacks: erosion, water, maps, plants.

    Raises
    ------
    ValueError
        If the land was deleted or cannot be changed.
    """
    land = reference.land()
    recipe = read_recipe(land)
    extent: Extent = "plants" if recipe.ecosystem.species else "maps"
    # Camera and sun are placed again if erosion will change the ground that they were placed for.
    aspect = aspect_of(context.scene) if with_scenery and is_stale(land, "ground") else None
    task = _remake(land, recipe, extent, "Completed", aspect, is_new=True)

    def show(ready: ReadyLand) -> str:
        land = reference.land()
        land.landscape.is_planted = extent == "plants"
        return task.show(ready)

    return replace(task, show=show)


def update_task(land: bpy.types.Object) -> Task:
    """Return the task that makes a land again from its settings, also where it was finished early before."""
    forget_cut_short()
    gather_features(land)
    return remake_task(land, read_recipe(land))


def remake_task(land: bpy.types.Object, recipe: Recipe) -> Task:
    """Return the task that makes a land again from a recipe."""
    erodes = any(process.enabled for process in recipe.erosion) and not is_at_hand(recipe, "terrain", land)
    return _remake(land, recipe, shared_extent_of(land), "eroded" if erodes else "updated")


def planting_task(land: bpy.types.Object) -> Task:
    """Return the task that plants a land.

    Raises
    ------
    ValueError
        If it has no species.
    """
    reference, recipe = LandReference.of(land), read_recipe(land)
    if not recipe.ecosystem.species:
        raise ValueError("this land has no species to plant; add one below Species, or press Biome")

    def show(landscape: Landscape) -> str:
        land = reference.land()
        if not landscape.plants:
            raise ValueError(
                "no place on this land suits any of its species; change their response curves or the cover"
            )
        link_attachments(land)
        land.landscape.is_planted = True
        show_landscape(land, landscape)
        return f"Planted {counted(len(landscape.plants), 'plant')}"

    return Task("Plants", landscape_steps(recipe, "plants", land), show)


def _remake(
    land: bpy.types.Object,
    recipe: Recipe,
    extent: Extent,
    verb: str,
    aspect: float | None = None,
    is_new: bool = False,
) -> Task:
    """The task that builds a recipe and shows it on a land; with an aspect, camera and sun are placed again."""
    reference, asked, started = LandReference.of(land), read_recipe(land), time.perf_counter()
    land_class = judged_as(land, recipe)

    def show(ready: ReadyLand) -> str:
        landscape = ready.drawing.landscape
        land = reference.land()
        link_attachments(land)
        show_landscape(land, landscape, asked, ready.drawing)
        if ready.survey is not None:
            set_scenery(bpy.context.scene, land, ready.survey)
        else:
            aim_again(bpy.context.scene, land)
        if ready.realism is not None and land_class is not None:
            keep_judgement(reference.uid, landscape, ready.realism, land_class)
        hint = place_hint(land) if is_new else ""
        return summary(verb, ready, time.perf_counter() - started, feature_faults(land), hint)

    drawing = drawing_steps(landscape_steps(recipe, extent, land), variant_counts(recipe.ecosystem.species))
    return Task(reference.name, ready_steps(drawing, land_class, aspect), show, reference.uid)


def ready_steps(
    drawing: Generator[Progress, bool | None, Drawing], land_class: LandClass | None, aspect: float | None
) -> Generator[Progress, bool | None, ReadyLand]:
    """Judge a landscape as one of a class, and find the best view for pictures with an aspect; None leaves out both."""
    drawn = yield from mapped(drawing, lambda step: replace(step, fraction=_DRAWN * step.fraction))
    terrain, realism, survey = drawn.landscape.terrain, None, None
    if land_class is not None and is_quickly_judged(drawn.landscape):
        yield Progress("measuring realism", _DRAWN)
        realism = judge(drawn.landscape, land_class)
    if aspect is not None:
        yield Progress("placing the camera", _JUDGED)
        sea_level = drawn.landscape.recipe.water.sea_surface
        survey = survey_land(terrain.surface, terrain.grid.width, terrain.grid.depth, aspect, sea_level)
    return ReadyLand(drawn, realism, survey)


def _add_or_replace(context: bpy.types.Context, new: NewLand, ready: ReadyLand) -> bpy.types.Object:
    """Add a land to the scene, at the place of the land that it replaces."""
    before = find_object(new.replaces) if new.replaces else None
    place = before.matrix_basis.copy() if before is not None else None
    if before is not None:
        remove_land(before)
    land = add_ready_land(context, new.name, ready)
    if place is not None:
        land.matrix_basis = place
    return land


def add_ready_land(
    context: bpy.types.Context,
    name: str,
    ready: ReadyLand,
    surfaces: Mapping[str, Field] | None = None,
    location: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> bpy.types.Object:
    """Add a land to the scene, active, alone selected and in view; `surfaces` are stored on it as attributes."""
    landscape = ready.drawing.landscape
    if not lands():
        remove_startup_cube(context.scene)
    land = add_landscape(context.collection, landscape, name, ready.drawing)
    land.location = location
    for attribute, surface in (surfaces or {}).items():
        set_attribute(land.data, attribute, surface)
    select_alone([land])
    if ready.survey is not None:
        set_scenery(context.scene, land, ready.survey)
    bring_into_view(land, context)
    mark_as_shown(land, landscape)
    return land


def bring_into_view(land: bpy.types.Object, context: bpy.types.Context) -> None:
    """Let the 3D view that called the operator show the whole land; in background mode there is none."""
    area = context.area
    if area is not None and area.type == "VIEW_3D":
        space = area.spaces.active
        show_in_viewport_up_to(space, 10.0 * max(land.dimensions))
        frame_object(area, land)


def summary(verb: str, ready: ReadyLand, seconds: float, faults: Sequence[str] = (), hint: str = "") -> str:
    """The sentence to report of a land that was made; what it lacks comes first, beginning with refused features.

    Parameters
    ----------
    verb : str
        What was done with the land.
    ready : ReadyLand
    seconds : float
        How long it took.
    faults : sequence of str
        Warnings besides those of the landscape.
    hint : str
        The end of the sentence.
    """
    landscape = ready.drawing.landscape
    grid = landscape.terrain.grid
    plants = f", {counted(len(landscape.plants), 'plant')}" if landscape.plants else ""
    realism = f", realism {ready.realism.score}/{len(ready.realism.numbers)}" if ready.realism is not None else ""
    early = "" if landscape.is_whole else "; it was finished early, press Update Landscape to complete it"
    made = f"Land {verb}: {grid.columns} × {grid.rows} vertices{plants}, {seconds:.1f} s{realism}"
    said = f"{made}{early}{_hidden_octaves(landscape)}{hint}"
    warnings = (*faults, *landscape.warnings)
    if not warnings:
        return said
    more = len(warnings) - _MOST_WARNINGS
    rest = (f"and {counted(more, 'warning')} more in the panel",) if more > 0 else ()
    return WarningText("; ".join((*warnings[:_MOST_WARNINGS], *rest, said)))


def place_hint(land: bpy.types.Object) -> str:
    """Say of a new land that it lies where another one lies, as the end of a text; empty where none does."""
    other = land_at_same_place(land)
    return "" if other is None else f'. It lies where "{other.name}" lies. Move or hide one of them'


def _hidden_octaves(landscape: Landscape) -> str:
    """Which layers have octaves that are too fine for the grid, as the end of a sentence."""
    text = ""
    for layer in landscape.recipe.relief.layers:
        if layer.enabled and isinstance(layer.source, OctaveNoise):
            shown = shown_octaves(landscape.terrain.grid, layer.source)
            if shown < layer.source.octaves:
                text += f"; layer {layer.name} shows {shown} of its {layer.source.octaves} octaves"
    return f"{text}; raise Resolution to see all" if text else ""

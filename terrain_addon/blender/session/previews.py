"""Previews: the new surface of a land within a frame or two, at a resolution that can be computed in that time.

The preview is laid over the mesh of the land.  Its water is as coarse or coarser; plants stay where they are on the
plane.
"""

import time
from collections.abc import Generator
from dataclasses import dataclass

import bpy

from ...core.building.drawing_stages import built_features, directing_features
from ...core.building.landscape import Landscape
from ...core.building.measuring import Measured
from ...core.building.recipe import Recipe
from ...core.foundation.progress import Progress
from ...core.maps.water import WATERS
from ...core.meshing.cut_water import water_on_land
from ...core.meshing.road_mesh import RoadMesh, make_road_mesh
from ...core.meshing.snow_mesh import NO_SNOW
from ...core.meshing.water_mesh import WaterMesh, make_water_mesh
from ..land.building import is_at_hand, landscape_steps, quick_landscape_steps
from ..land.drawings import Shown
from ..land.land_objects import show_surface
from ..land.lookup import find_object, linked_duplicates
from ..land.marks import ground_mark, marks_of, set_ground_mark, set_preview_mark
from ..land.road_objects import set_roads
from ..land.snow_objects import set_snow
from ..land.water_objects import set_water
from .jobs import Task
from .land_states import LandState, ensure_state, ground_recipe, shows_what_is_known, states

FRAME = 0.045  # seconds that a preview may take, and that the window waits for it
REST = 0.35  # seconds without a change before the whole land or planet is computed, after its preview
_COARSEST = 129  # samples from west to east
_COARSE_WATER = 257  # most samples from west to east for the water of a preview

_LandscapeSteps = Generator[Progress, bool | None, Landscape]


@dataclass(frozen=True)
class Preview:
    """The coarse surface of a land; its water, which may be coarser still, and its roads, None if they stay."""

    landscape: Landscape
    water: WaterMesh | None
    roads: RoadMesh | None = None


def gains_by_care(state: LandState, recipe: Recipe) -> bool:
    """Return whether a closer look shows more of a recipe: erosion has to obey what was moved."""
    if state.ground is None or state.careful_mark == state.wanted_mark or not _only_drawing_changed(state, recipe):
        return False
    erodes = any(process.enabled for process in recipe.erosion)
    return erodes and directing_features(state.ground) != directing_features(recipe)


def preview_task(land: bpy.types.Object, state: LandState, recipe: Recipe, *, careful: bool = False) -> Task:
    """Return the task that shows a preview of a recipe on a land; at full resolution if nothing in it is slow.

    A `careful` one of what was drawn takes longer, and comes closer to the land that will be.
    """
    mark, uid = state.wanted_mark, land.session_uid
    same_ground = state.ground == ground_recipe(recipe)
    takes_time = bool(built_features(recipe)) or any(process.enabled for process in recipe.erosion)
    slow = takes_time and not is_at_hand(recipe, "terrain", land)
    resolution = min(state.preview_resolution, recipe.resolution) if slow else recipe.resolution
    only_drawing = slow and _only_drawing_changed(state, recipe)
    started = time.monotonic()

    def show(preview: Preview) -> str:
        seconds = time.monotonic() - started
        if not only_drawing and (resolution < recipe.resolution or seconds > FRAME):
            _adapt_resolution(state, seconds, recipe)
        if careful:
            state.careful_mark = mark
        land = find_object(uid)
        if land is not None:
            _show_preview(land, preview, recipe, mark, same_ground)
        return ""

    def steps_at(resolution: int) -> _LandscapeSteps:
        return landscape_steps(recipe.replace(resolution=resolution), "terrain", land, passes=True)

    if only_drawing:
        before = state.ground.features if state.ground is not None else ()
        looking = quick_landscape_steps(recipe, land, before, state.roads, careful=careful)
        return Task("Preview", _quick_preview_steps(looking), show, uid)
    water_resolution = min(resolution, _COARSE_WATER)
    for_water = None if same_ground or water_resolution == resolution else steps_at(water_resolution)
    return Task("Preview", _preview_steps(steps_at(resolution), for_water, same_ground), show, uid)


def _only_drawing_changed(state: LandState, recipe: Recipe) -> bool:
    """Whether a recipe differs from what was last shown in full by its features alone, and has some."""
    known, wanted = state.ground, ground_recipe(recipe)
    return known is not None and bool(recipe.features) and known == wanted.replace(features=known.features)


def _adapt_resolution(state: LandState, seconds: float, recipe: Recipe) -> None:
    """Choose the resolution of the next preview from the time that this one took."""
    factor = (FRAME / max(seconds, 1e-3)) ** 0.5
    state.preview_resolution = round(min(max(state.preview_resolution * factor, _COARSEST), recipe.resolution))


def _show_preview(land: bpy.types.Object, preview: Preview, recipe: Recipe, mark: str, same_ground: bool) -> None:
    """Show a preview on a land, and mark the meshes that it changes: an undo may bring back some of them only."""
    if not same_ground:
        show_surface(land, preview.landscape.terrain.surface, recipe.grid)
    ground_before, alike = ground_mark(land), (land, *linked_duplicates(land))
    known = [one for one in alike if shows_what_is_known(one)]
    if preview.water is not None:
        for one in alike:
            # A new object has to wait for the whole landscape, which is shown with a step of undo if need be.
            if one.landscape.water is not None:
                set_water(one, preview.water)
                set_preview_mark(one.landscape.water.data, mark)
            if preview.landscape.terrain_key != ground_before and one.landscape.snow is not None:
                set_snow(one, NO_SNOW)
                set_preview_mark(one.landscape.snow.data, mark)
            if preview.roads is not None and one.landscape.roads is not None:
                set_roads(one, preview.roads, preview.landscape.roads)
                set_preview_mark(one.landscape.roads.data, mark)
    set_preview_mark(land.data, mark)
    set_ground_mark(land, preview.landscape.terrain_key)
    if not same_ground:
        for one in alike:
            ensure_state(one).shown = Shown()
    for one in known:
        states[one.session_uid].shown_marks = marks_of(one)


def _preview_steps(
    building: _LandscapeSteps, for_water: _LandscapeSteps | None, same_ground: bool
) -> Generator[Progress, bool | None, Preview]:
    """Build the surface of a preview, and a coarser one for its water where one is given."""
    landscape = yield from building
    if same_ground:
        return Preview(landscape, None)
    coarse = landscape if for_water is None else (yield from for_water)
    return Preview(landscape, _water_on(coarse))


def _quick_preview_steps(building: _LandscapeSteps) -> Generator[Progress, bool | None, Preview]:
    """Build what is drawn on a land, with its water and roads."""
    landscape = yield from building
    terrain = landscape.terrain
    return Preview(landscape, _water_on(landscape), make_road_mesh(terrain, landscape.roads, landscape.pads))


def _water_on(landscape: Landscape) -> WaterMesh:
    """Measure and draw the water of a landscape that is only terrain."""
    terrain = landscape.terrain
    waters = Measured(terrain, landscape.recipe, None)(WATERS.name)
    return water_on_land(make_water_mesh(terrain, waters), (terrain.grid.width, terrain.grid.depth))

"""Tasks that make a planet, and make it again from its settings."""

import time
from collections.abc import Generator
from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Vector

from ...core.foundation.progress import Progress, mapped
from ...core.planet.near_mesh import Viewer
from ...core.planet.planet import Planet
from ...core.planet.planet_recipe import PlanetRecipe
from ...core.planet.standing import Standing, viewer_at, where_to_orbit, where_to_stand
from ...files.planet_package import write_planet_package
from ..data.planet_data import PlanetBall, PlanetDrawing, best_direction, draw_planet, planet_ball
from ..data.properties import write_planet_recipe
from ..data.sentences import counted
from ..data.view_layer import select_alone
from ..land.building import forget_cut_short
from ..land.lookup import check_scene, lands, require_object
from ..land.planet_objects import (
    add_planet,
    outer_radius,
    planet_mark,
    planets,
    recipe_of_planet,
    remove_hidden_parts,
    show_planet,
    stand_on,
    standing_on,
)
from ..land.startup_cube import remove_startup_cube
from ..look.camera import show_in_viewport_up_to
from ..look.framing import look_through_camera
from ..look.placement import placement_of
from ..look.space import look_at_ground, look_at_planet, set_space
from .jobs import Task
from .planet_cover import cover_planet
from .planet_following import notice_planet
from .planet_reading import planet_drawing_steps, planet_steps

_Made = tuple[PlanetDrawing, tuple[float, float, float], PlanetBall]

_BUILT = 0.8  # of the whole


class Where(NamedTuple):
    """A place on a planet.

    Attributes
    ----------
    towards : Vector
        From the middle of the planet, in its own space.
    is_exact : bool
        Whether just that place is meant, or any good one around it.
    """

    towards: Vector
    is_exact: bool


def new_planet_task(
    context: bpy.types.Context, name: str, recipe: PlanetRecipe, size: float, *, with_space: bool
) -> Task:
    """Return the task that makes a planet and adds it to the scene, active and in view.

    Parameters
    ----------
    context : Context
    name : str
        Of the object.
    recipe : PlanetRecipe
    size : float
        Radius in the scene.
    with_space : bool
        Whether the scene gets the sun, stars and camera that it lacks.

    Raises
    ------
    ValueError
        If the scene cannot take a planet.
    """
    check_scene(context)
    started = time.perf_counter()

    def show(made: _Made) -> str:
        drawing, towards, ball = made
        check_scene(context)
        if not planets() and not lands():
            remove_startup_cube(context.scene)
        planet = add_planet(context.collection, drawing, name)
        select_alone([planet])
        context.view_layer.update()
        notice_planet(planet)
        if with_space:
            set_space(context.scene, planet, Vector(towards), outer_radius(planet))
        _bring_into_view(planet, context)
        cover_planet(planet, ball, outer_radius(planet))
        return _sentence("made", drawing, time.perf_counter() - started)

    return Task(name, _steps(planet_steps(recipe), size), show)


def remake_planet_task(planet: bpy.types.Object, recipe: PlanetRecipe, size: float) -> Task:
    """Return the task that makes a planet again; its settings become those of the recipe when it is shown.

    Parameters
    ----------
    planet : Object
    recipe : PlanetRecipe
    size : float
        Radius in the scene.
    """
    uid, name, started = planet.session_uid, planet.name, time.perf_counter()
    forget_cut_short()

    def show(drawing: PlanetDrawing) -> str:
        shown = require_object(uid, name)
        write_planet_recipe(shown, recipe, size)
        show_planet(shown, drawing, planet_mark(recipe, size))
        remove_hidden_parts(shown)
        notice_planet(shown)
        return _sentence("updated", drawing, time.perf_counter() - started)

    return Task(name, planet_drawing_steps(planet_steps(recipe), size, standing_on(planet)), show, uid)


def view_planet_task(context: bpy.types.Context, planet: bpy.types.Object, view: str, where: Where) -> Task:
    """Return the task that places the camera of the scene; on the ground it makes the land around the camera finer.

    Parameters
    ----------
    context : Context
        With a camera in its scene.
    planet : Object
    view : str
        A key of `PLANET_VIEWS`.
    where : Where
        Above which place, or on which.

    Raises
    ------
    ValueError
        If the settings of the planet do not fit together.
    """
    recipe, size = recipe_of_planet(planet)
    uid, name, started, is_fine = planet.session_uid, planet.name, time.perf_counter(), standing_on(planet) is not None

    def steps() -> Generator[Progress, bool | None, tuple[PlanetDrawing, Standing | None, Viewer | None] | None]:
        if view == "space" and not is_fine:
            return None
        made = yield from mapped(building, lambda step: Progress(step.stage, _BUILT * step.fraction))
        yield Progress("colours and mesh", _BUILT)
        if view == "space":
            return draw_planet(made, size), None, None
        towards = np.array(where.towards, np.float64)
        orbits = view == "orbit"
        standing = where_to_orbit(made, towards) if orbits else where_to_stand(made, towards, is_exact=where.is_exact)
        viewer = viewer_at(made, standing)
        return draw_planet(made, size, viewer=viewer), standing, viewer

    def show(made: tuple[PlanetDrawing, Standing | None, Viewer | None] | None) -> str:
        shown = require_object(uid, name)
        if made is not None:
            drawing, standing, viewer = made
            stand_on(shown, standing)
            show_planet(shown, drawing, planet_mark(recipe, size))
            notice_planet(shown)
            if viewer is not None:
                look_at_ground(context.scene, shown, viewer, size, stands=view == "ground")
                look_through_camera(context.area)
                return _sentence("drawn", drawing, time.perf_counter() - started)
        seen = (placement_of(shown).to_3x3() @ where.towards).normalized()
        look_at_planet(context.scene, shown, seen, outer_radius(shown))
        look_through_camera(context.area)
        return f"The camera sees {name} from {view}"

    building = planet_steps(recipe, close=view != "space")
    return Task(name, steps(), show, uid)


def export_planet_task(recipe: PlanetRecipe, folder: str, width: int, radius: float | None) -> Task:
    """Return the task that builds a planet and writes it; see `files.planet_package.write_planet_package`."""

    def steps() -> Generator[Progress, bool | None, int]:
        planet = yield from mapped(building, lambda step: Progress(step.stage, 0.5 * step.fraction))
        yield Progress("writing files", 0.5)
        return len(write_planet_package(folder, planet, width, radius))

    building = planet_steps(recipe)
    return Task("Planet", steps(), lambda count: f"Wrote {counted(count, 'file')} to {folder}")


def _steps(building: Generator[Progress, bool | None, Planet], size: float) -> Generator[Progress, bool | None, _Made]:
    """Build a planet, draw it, and find its best side."""
    drawing = yield from planet_drawing_steps(building, size, None)
    return drawing, best_direction(drawing.planet), planet_ball(drawing.planet)


def _bring_into_view(planet: bpy.types.Object, context: bpy.types.Context) -> None:
    """Let the viewport that called the operator show the whole planet; in background mode there is none."""
    area = context.area
    if area is not None and area.type == "VIEW_3D":
        show_in_viewport_up_to(area.spaces.active, 20.0 * max(planet.dimensions))
        region = next(r for r in area.regions if r.type == "WINDOW")
        with context.temp_override(area=area, region=region):
            bpy.ops.view3d.view_selected()


def _sentence(verb: str, drawing: PlanetDrawing, seconds: float) -> str:
    resolution, vertices = drawing.planet.recipe.resolution, len(drawing.places)
    early = "" if drawing.planet.is_whole else "; it was finished early, press Update Planet to complete it"
    return f"Planet {verb}: 6 × {resolution} × {resolution} samples, {vertices:,} vertices, {seconds:.1f} s{early}"

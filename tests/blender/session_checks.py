"""What must hold while somebody works on lands at random: between two steps of undo, and in the end."""

from collections.abc import Callable
from typing import TypeVar

import bpy
import numpy as np

from terrain_addon.blender.data.attributes import SEASON, read_positions
from terrain_addon.blender.data.properties import read_recipe
from terrain_addon.blender.land.attachments import ATTACHMENTS
from terrain_addon.blender.land.building import build_landscape
from terrain_addon.blender.land.drawings import draw
from terrain_addon.blender.land.features import drawn_features
from terrain_addon.blender.land.land_objects import extent_of
from terrain_addon.blender.land.lookup import lands
from terrain_addon.blender.session import following, undo_steps
from terrain_addon.blender.session.jobs import running
from terrain_addon.blender.session.land_states import status_of
from terrain_addon.blender.session.undo_steps import links

T = TypeVar("T")

_steps_taken: list[str] = []  # steps of undo that were made, undone or redone


def watched(work: Callable[[], T]) -> T:
    """Do what timers do, and check the rule that keeps Blender alive.

    Between two steps of undo no data-block may vanish, and none may come to use another one.
    """
    before = links()
    _steps_taken.clear()
    result = work()
    if not _steps_taken:
        after = links()
        vanished = before.keys() - after.keys()
        assert not vanished, f"{work.__name__} removed {len(vanished)} data-blocks outside an operator"
        names = {block.session_uid: block.name_full for block in bpy.data.user_map()}
        new = [f"{names[u]} uses {names[b]}" for b, users in after.items() for u in users - before.get(b, frozenset())]
        assert not new, f"{work.__name__} made links without a step of undo: {new[:5]}"
    return result


def watch_steps() -> None:
    """Note each step of undo that our own code pushes, and each that is undone or redone."""
    push = undo_steps.push_owed_step

    def push_and_note(message: str) -> bool:
        pushed = push(message)
        if pushed:
            _steps_taken.append(message)
        return pushed

    undo_steps.push_owed_step = following.push_owed_step = push_and_note
    for steps in (bpy.app.handlers.undo_post, bpy.app.handlers.redo_post):
        steps.append(_note_step)


@bpy.app.handlers.persistent
def _note_step(*_: object) -> None:
    _steps_taken.append("step")


def what_is_up() -> list[tuple[str, str, list[str]]]:
    """Name, status and jobs of all lands."""
    return [(one.name, status_of(one), [job.progress.stage for job in running]) for one in lands()]


def check_all() -> None:
    """Check that all lands show their recipes, with parts of their own, and that nothing else is left."""
    for land in lands():
        if land.library is not None and status_of(land) == "Out of date":
            continue  # as it was when its file was saved
        assert status_of(land) == "", f"{land.name} is {status_of(land)}"
        check_features(land)
        check_parts(land)
        check_far_land(land)
    parts = [part for land in lands() for part in parts_of(land)]
    strangers = [
        thing.name
        for thing in bpy.context.scene.objects
        if thing.type == "MESH" and not is_of_users(thing) and thing not in (*parts, *lands())
    ]
    assert not strangers, f"there is no land for {strangers}"


def parts_of(land: bpy.types.Object) -> list[bpy.types.Object]:
    """The objects of a land that the scene shows."""
    there = (getattr(land.landscape, name) for name in ATTACHMENTS)
    return [part for part in there if part is not None and part.users_collection]


def is_of_users(thing: bpy.types.Object) -> bool:
    """Whether an object belongs to no land: users added it, or made a plant real."""
    return thing.name.startswith("Cube") or SEASON in thing


def check_features(land: bpy.types.Object) -> None:
    """Check that the recipe of a land has what is drawn on it."""
    drawn = [one.name for one in drawn_features(land)]
    said = [feature.name for feature in read_recipe(land).features]
    # A linked land has the recipe that was stored with its file, perhaps before the last drawing was noticed.
    is_true = land.library is not None or set(drawn) <= set(said)
    assert is_true, f"{drawn} are drawn on {land.name}, whose recipe has {said}"


def check_parts(land: bpy.types.Object) -> None:
    """Check that ground, water, ice, snow, roads and plants of a land are those of its recipe."""
    shown = build_landscape(read_recipe(land), extent_of(land), land)
    assert abs(land.data.vertices[7].co.z - shown.terrain.surface.ravel()[7]) < 1e-3, f"{land.name}: old ground"
    drawing = draw(shown)
    plants = len(shown.plants) if shown.plants is not None else 0
    expected = {
        "water": len(drawing.water.positions) if drawing.water is not None else 0,
        "roads": len(drawing.roads.positions) if drawing.roads is not None else 0,
        "glaciers": len(drawing.ice.positions) if drawing.ice is not None else 0,
        "snow": len(drawing.snow.positions) if drawing.snow is not None else 0,
        "plants": plants,
    }
    parts = {name: getattr(land.landscape, name) for name in expected}
    there = {name: len(part.data.vertices) if part is not None else 0 for name, part in parts.items()}
    assert there == expected, f"{land.name} says it is up to date, with vertices {there} instead of {expected}"
    assert all(part.parent == land for part in parts_of(land)), f"a part of {land.name} belongs to another land"


def check_far_land(land: bpy.types.Object) -> None:
    """Check that what is shown beyond the border of a land meets it."""
    far = land.landscape.far_land
    if far is None or len(far.data.vertices) == 0:
        return
    ground, beyond = read_positions(land.data), read_positions(far.data)
    reach = np.abs(ground[:, :2]).max(axis=0) * (1.0 - 1e-6)
    heights = {tuple(place): height for *place, height in beyond.round(2).tolist()}
    border = ground[(np.abs(ground[:, :2]) >= reach).any(axis=1)].round(2).tolist()
    gaps = [place for *place, height in border if abs(heights.get(tuple(place), np.inf) - height) > 0.02]
    assert not gaps, f"the far land of {land.name} leaves its border at {len(gaps)} of {len(border)} vertices"

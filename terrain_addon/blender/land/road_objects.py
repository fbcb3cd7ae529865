"""The roads of a land as one object, with what its panel says of each."""

import json
from collections.abc import Sequence

import bpy
import numpy as np

from ...core.direction.road_course import RoadCourse, describe_road
from ...core.meshing.road_mesh import RoadMesh
from ..data.attributes import UV_MAP
from ..data.meshes import set_triangles
from ..data.road_profiles import RoadProfile, kept_profile
from ..look.road_materials import road_materials
from ..plants.near_ground import near_ground_carrier, tell_near_ground
from .parts import new_part

# Custom property of the mesh of roads: a sentence on each road, by the name of its feature, as JSON.
_SENTENCES = "landscape_roads"
# Another one: what is drawn of its profile.
_PROFILES = "landscape_road_profiles"


def set_roads(land: bpy.types.Object, mesh: RoadMesh, roads: Sequence[RoadCourse]) -> None:
    """Show roads on a land instead of those it showed before; without roads the mesh of the object is empty.

    The mesh is changed in place, because an exchange between two steps of undo could crash Blender.

    Parameters
    ----------
    land : Object
    mesh : RoadMesh
        From `make_road_mesh`.
    roads : sequence of RoadCourse
        Whose mesh it is.
    """
    if len(mesh) > 0:
        ensure_roads(land)
    shown = land.landscape.roads
    if shown is None:
        return
    target = shown.data
    set_triangles(target, mesh.positions, mesh.triangles)
    target.uv_layers.new(name=UV_MAP)
    target.attributes[UV_MAP].data.foreach_set("vector", mesh.texture[mesh.triangles.ravel()].ravel())
    target.polygons.foreach_set("material_index", np.ascontiguousarray(mesh.part))
    target[_SENTENCES] = json.dumps({course.road.name: describe_road(course) for course in roads})
    target[_PROFILES] = json.dumps({course.road.name: kept_profile(course)._asdict() for course in roads})


def ensure_roads(land: bpy.types.Object) -> None:
    """Give a land an object for roads and pads; for operators, so that previews show them as soon as they are drawn.

    The object has its materials at once: what a timer links later would be a step of undo of its own, and an undo to
    the state before it would end all redo.  For the same reason the ground near the camera knows it at once.
    """
    if land.landscape.roads is None:
        land.landscape.roads = new_part(land, "Roads")
    carrier = near_ground_carrier(land)
    if carrier is not None:
        tell_near_ground(carrier, land)
    materials = land.landscape.roads.data.materials
    if not any(materials):
        materials.clear()
        for material in road_materials():
            materials.append(material)


def sentence_of_road(land: bpy.types.Object, name: str) -> str:
    """Return what is known of a road that a land shows, in one sentence; empty if it shows none of this name."""
    shown = land.landscape.roads
    sentences: dict[str, str] = {} if shown is None else json.loads(shown.data.get(_SENTENCES, "{}"))
    return sentences.get(name, "")


def profile_of_road(land: bpy.types.Object, name: str) -> RoadProfile | None:
    """Return the profile of a road that a land shows; None if it shows none of this name."""
    shown = land.landscape.roads
    profiles = {} if shown is None else json.loads(shown.data.get(_PROFILES, "{}"))
    if name not in profiles:
        return None
    return RoadProfile(**{member: tuple(values) for member, values in profiles[name].items()})

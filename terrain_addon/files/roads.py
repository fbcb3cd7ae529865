"""Roads and pads in files: their meshes for glTF, and their lines, profiles and volumes as JSON."""

import json
from typing import Any

import numpy as np

from ..core.building.landscape import Landscape
from ..core.direction.lines import Numbers
from ..core.direction.pads import LaidPad
from ..core.direction.road_course import RoadCourse, describe_road
from ..core.meshing.road_mesh import ROAD_PARTS, RoadMesh
from .glb_document import VERTICES, GlbDocument
from .grid_mesh import stack

_DECIMALS = 3  # millimetres


def add_roads(document: GlbDocument, mesh: RoadMesh) -> int:
    """Add roads to a glTF file; return their node ``Roads``.

    Parameters
    ----------
    document : GlbDocument
        The file.
    mesh : RoadMesh
        At least one triangle.

    Returns
    -------
    int
        Index of the node, with one primitive for each part; texture coordinates are metres along and across a road.
    """
    primitives = []
    for number, (name, colour) in enumerate(ROAD_PARTS.items()):
        triangles = mesh.triangles[mesh.part == number]
        if len(triangles) == 0:
            continue
        used, indices = np.unique(triangles, return_inverse=True)
        x, y, z = mesh.positions[used].T
        east, north, up = mesh.normals[used].T
        attributes = {
            "POSITION": document.add(stack(x, z, -y), VERTICES, bounds=True),
            "NORMAL": document.add(stack(east, up, -north), VERTICES),
            "TEXCOORD_0": document.add(np.ascontiguousarray(mesh.texture[used]), VERTICES),
        }
        primitives.append(
            {
                "attributes": attributes,
                "indices": document.add_triangles(indices.reshape(-1, 3), len(used)),
                "material": document.add_material(name.capitalize(), colour, roughness=0.9),
            }
        )
    return document.add_node({"name": "Roads", "mesh": document.add_mesh({"name": "Roads", "primitives": primitives})})


def road_text(landscape: Landscape) -> str:
    """Return what is known of the roads and pads of a landscape, as JSON.

    Parameters
    ----------
    landscape : Landscape
        Built.

    Returns
    -------
    str
        Under ``south_west_m`` the south-west corner of the land, from which points of features are measured; under
        ``roads`` each with its line in metres x east and y north of the middle of the land and z altitude, its
        profile, bridges, tunnels and volumes; under ``pads`` each with its outline, surface, level and volumes.
    """
    grid = landscape.terrain.grid
    centre = 0.5 * grid.width, 0.5 * grid.depth
    pads = [_pad_record(laid, centre) for laid in landscape.pads]
    origin = {"origin": "middle of the land", "south_west_m": [-centre[0], -centre[1]]}
    records = {**origin, "roads": [_road_record(course, centre) for course in landscape.roads], "pads": pads}
    return json.dumps(records, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _pad_record(laid: LaidPad, centre: tuple[float, float]) -> dict[str, Any]:
    """What is known of a pad."""
    x, y = np.array([point[:2] for point in laid.pad.points], np.float64).T
    return {
        "name": laid.pad.name,
        "surface": laid.pad.surface,
        "level_m": laid.level,
        "points_m": _decimals({"x": x - centre[0], "y": y - centre[1]}),
        "cut_m3": laid.cut,
        "fill_m3": laid.fill,
    }


def _road_record(course: RoadCourse, centre: tuple[float, float]) -> dict[str, Any]:
    """What is known of a road."""
    road, line = course.road, course.line
    points = {"x": line.x - centre[0], "y": line.y - centre[1], "z": line.height}
    return {
        "name": road.name,
        "summary": describe_road(course),
        "surface": road.surface,
        "width_m": road.width,
        "length_m": course.length,
        "steepest_grade_percent": 100.0 * course.steepest,
        "least_radius_m": course.least_radius if np.isfinite(course.least_radius) else None,
        "points_m": _decimals(points),
        "profile_m": _decimals(course.profile._asdict()),
        "bridges_m": [list(one) for one in course.bridges],
        "tunnels_m": [list(one) for one in course.tunnels],
        "cut_m3": course.cut,
        "fill_m3": course.fill,
    }


def _decimals(lists: dict[str, Numbers]) -> dict[str, list[float]]:
    """Rounded numbers, which are short in JSON."""
    return {name: np.round(values, _DECIMALS).tolist() for name, values in lists.items()}

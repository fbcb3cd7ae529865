"""Roads and pads in files: their meshes for glTF, and their lines, profiles and volumes as JSON."""

import json
import math
from typing import Any, NamedTuple

import numpy as np

from ..core.building.drawing_stages import built_features
from ..core.building.recipe import Recipe
from ..core.direction.features import Pad, Road
from ..core.direction.lines import DrawnLine, Numbers
from ..core.direction.pads import LaidPad
from ..core.direction.road_course import RoadCourse, Structure, describe_road
from ..core.foundation.terrain import Grid
from ..core.meshing.road_mesh import ROAD_PARTS, RoadMesh
from .glb_document import VERTICES, GlbDocument
from .grid_mesh import stack

_DECIMALS = 3  # millimetres


class Built(NamedTuple):
    """The roads and pads of a land.

    Parameters
    ----------
    roads : tuple of RoadCourse
    pads : tuple of LaidPad
    """

    roads: tuple[RoadCourse, ...] = ()
    pads: tuple[LaidPad, ...] = ()


NOTHING_BUILT = Built()


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


def road_text(grid: Grid, built: Built) -> str:
    """Return what is known of the roads and pads of a landscape, as JSON.

    Parameters
    ----------
    grid : Grid
        Of the landscape.
    built : Built
        What stands on it.

    Returns
    -------
    str
        The records of `road_records`.
    """
    return json.dumps(road_records(grid, built), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def road_records(grid: Grid, built: Built) -> dict[str, Any]:
    """Return what is known of the roads and pads of a landscape.

    Parameters
    ----------
    grid, built
        As for `road_text`.

    Returns
    -------
    dict
        Under ``south_west_m`` the south-west corner of the land, from which points of features are measured; under
        ``roads`` each with its line in metres x east and y north of the middle of the land and z altitude, its
        profile, bridges, tunnels and volumes; under ``pads`` each with its outline, surface, level and volumes.
    """
    centre = 0.5 * grid.width, 0.5 * grid.depth
    return {
        "origin": "middle of the land",
        "south_west_m": [-centre[0], -centre[1]],
        "roads": [_road_record(course, centre) for course in built.roads],
        "pads": [_pad_record(laid, centre) for laid in built.pads],
    }


def built_from(records: dict[str, Any], recipe: Recipe) -> Built:
    """Return the roads and pads that records describe, to a millimetre.

    Parameters
    ----------
    records : dict
        From `road_records`.
    recipe : Recipe
        Of the land; its roads and pads are those of the records, in their order.

    Returns
    -------
    Built
    """
    west, south = records["south_west_m"]
    drawn = built_features(recipe)
    roads = [one for one in drawn if isinstance(one, Road)]
    pads = [one for one in drawn if isinstance(one, Pad)]
    laid = [
        LaidPad(pad, record["level_m"], record["cut_m3"], record["fill_m3"])
        for pad, record in zip(pads, records["pads"], strict=True)
    ]
    courses = [_course(road, record, west, south) for road, record in zip(roads, records["roads"], strict=True)]
    return Built(tuple(courses), tuple(laid))


def _course(road: Road, record: dict[str, Any], west: float, south: float) -> RoadCourse:
    """The course that a record describes."""
    x, y, z = (np.array(record["points_m"][name], np.float64) for name in "xyz")
    bridges, tunnels = (tuple(Structure(*one) for one in record[name]) for name in ("bridges_m", "tunnels_m"))
    return RoadCourse(
        road,
        DrawnLine(x - west, y - south, z),
        np.array(record["profile_m"]["ground"], np.float64),
        bridges,
        tunnels,
        steepest=0.01 * record["steepest_grade_percent"],
        least_radius=math.inf if record["least_radius_m"] is None else record["least_radius_m"],
        cut=record["cut_m3"],
        fill=record["fill_m3"],
    )


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

"""Roads that are seen: nothing of the land comes up through them, they carry what they should, and cars can drive."""

import math
from functools import cache

import numpy as np
import pytest

from terrain_addon.core import Pad, Road
from terrain_addon.core.direction.pads import LaidPad
from terrain_addon.core.direction.road_course import RoadCourse, describe_road
from terrain_addon.core.direction.road_earthworks import lay_road
from terrain_addon.core.direction.roads import find_road
from terrain_addon.core.foundation.progress import run
from terrain_addon.core.foundation.sampling import sample
from terrain_addon.core.foundation.terrain import Terrain
from terrain_addon.core.meshing.pad_mesh import built_ground
from terrain_addon.core.meshing.road_mesh import ROAD_PARTS, RoadMesh, build_road_mesh, make_road_mesh

pytestmark = pytest.mark.once

CELL, SIDE = 8.0, 129
PART = {name: number for number, name in enumerate(ROAD_PARTS)}


@cache
def built(surface: str = "asphalt") -> tuple[Terrain, RoadCourse, RoadMesh]:
    """A road over a gorge and through a wall, on a land that also falls sideways."""
    row, column = np.mgrid[:SIDE, :SIDE]
    heights = 80.0 + 0.25 * row + 60.0 * np.exp(-(((column - 90.0) / 4.0) ** 2))
    heights = (heights - 40.0 * np.exp(-(((column - 40.0) / 4.0) ** 2))).astype(np.float32)
    dry = np.zeros(heights.shape, bool)
    road = Road(points=((60.0, 500.0), (970.0, 520.0)), longest_bridge=1e4, longest_tunnel=1e4, surface=surface)
    land, course = lay_road(heights, road, run(find_road(heights, CELL, road, dry)), CELL, dry)
    terrain = Terrain(land, np.zeros_like(land), CELL)
    return terrain, course, make_road_mesh(terrain, (course,))


def centred(mesh: RoadMesh) -> np.ndarray:
    """Vertices from the south-west corner."""
    return mesh.positions.astype(np.float64) + np.array([0.5, 0.5, 0.0]) * (SIDE - 1) * CELL


def of_parts(mesh: RoadMesh, *names: str) -> np.ndarray:
    """The vertices of some parts."""
    return np.unique(mesh.triangles[np.isin(mesh.part, [PART[name] for name in names])])


def test_no_ground_comes_up_through_a_road() -> None:
    terrain, course, mesh = built()
    assert course.bridges and course.tunnels
    shown = of_parts(mesh, "asphalt", "markings", "gravel")
    x, y, z = centred(mesh)[shown].T
    along = mesh.texture[shown, 0]
    # At the mouth of a tunnel the road ends within the face, and the ground rises behind it.
    open_air = np.logical_and.reduce([(along < one.begin - 14.0) | (along > one.end + 14.0) for one in course.tunnels])
    over = z - sample(terrain.surface, CELL, x, y)
    assert open_air.mean() > 0.8
    assert over[open_air].min() > 0.05


def test_a_road_is_lifted_over_land_that_would_come_up() -> None:
    """A hump as a coarser mesh of the land may have it, 0.8 m higher than the road where it is highest."""
    flat = np.zeros((SIDE, SIDE), np.float32)
    road, dry = Road(points=((100.0, 400.0), (900.0, 400.0))), np.zeros(flat.shape, bool)
    land, course = lay_road(flat, road, run(find_road(flat, CELL, road, dry)), CELL, dry)
    terrain = Terrain(land, flat, CELL)
    level = float(course.line.height.max())

    def shown(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return (level + 0.8 - 0.1 * np.abs(x - 500.0) - 0.05 * np.abs(y - 403.0)).astype(np.float32)

    ground = built_ground(terrain)
    usual, mesh = (build_road_mesh(one, (course,)) for one in (ground, ground._replace(shown=shown)))
    x, y, z = points_of(mesh, "asphalt", "markings", "gravel").T
    assert (z - shown(x, y)).min() > 0.0
    x, y, z = points_of(usual, "asphalt", "markings", "gravel").T
    assert (z - shown(x, y)).min() < -0.6
    # It goes up and down smoothly, its verges stay in the ground, and nothing else changes.
    lift = mesh.positions[:, 2] - usual.positions[:, 2]
    middle = np.flatnonzero(mesh.texture[:, 1] == 0.0)
    along, order = np.unique(mesh.texture[middle, 0], return_index=True)
    assert lift.max() < 1.2 and np.abs(np.diff(lift[middle][order]) / np.diff(along)).max() < 0.04
    feet = np.abs(mesh.texture[:, 1]) == np.abs(mesh.texture[:, 1]).max()
    assert np.abs(lift[feet]).max() < 1e-6
    assert (lift[np.abs(mesh.positions[:, 0] - (500.0 - 0.5 * (SIDE - 1) * CELL)) > 90.0] == 0.0).all()


def points_of(mesh: RoadMesh, *names: str) -> np.ndarray:
    """Places all over the triangles of some parts, from the south-west corner."""
    corners = centred(mesh)[mesh.triangles[np.isin(mesh.part, [PART[name] for name in names])]]
    share = np.array([(a, b, 1.0 - a - b) for a in np.linspace(0, 1, 7) for b in np.linspace(0, 1 - a, 7)])
    return np.einsum("pk,tkd->tpd", share, corners).reshape(-1, 3)


def test_a_road_is_as_wide_as_drawn_and_falls_to_its_edges() -> None:
    terrain, course, _ = built()
    below = built_ground(terrain)._replace(shown=lambda x, y: np.full(x.size, -1e3, np.float32))
    mesh = build_road_mesh(below, (course,))
    asphalt = of_parts(mesh, "asphalt", "markings")
    along, across = mesh.texture[asphalt].T
    assert across.max() == pytest.approx(3.5) and across.min() == pytest.approx(-3.5)
    assert along.max() == pytest.approx(course.length, rel=0.01)
    places, level = centred(mesh)[asphalt], course.line.height
    at = np.interp(along, course.line.along, level)
    fall = (at - places[:, 2])[np.abs(across) > 3.4]
    # 2.5 % of 3.5 m on a straight, at most 1.6 times that up or down in a bend.
    assert np.abs(fall).max() < 0.2 and np.median(fall) == pytest.approx(0.0875, abs=0.05)


def test_triangles_face_outwards() -> None:
    _, _, mesh = built()
    assert (mesh.normals[of_parts(mesh, "asphalt", "markings", "gravel"), 2] > 0.9).all()
    assert np.allclose(np.sqrt((mesh.normals.astype(np.float64) ** 2).sum(axis=1)), 1.0, atol=1e-5)
    assert mesh.triangles.max() < len(mesh.positions) and np.isfinite(mesh.positions).all()


def test_a_bridge_stands_on_piers_and_the_gorge_stays_open() -> None:
    terrain, course, mesh = built()
    bridge = max(course.bridges, key=lambda one: one.end - one.begin)
    along = course.line.along
    middle = 0.5 * (bridge.begin + bridge.end)
    x, y = (np.interp([middle], along, values) for values in (course.line.x, course.line.y))
    level = float(np.interp(middle, along, course.line.height))
    assert level - float(sample(terrain.surface, CELL, x, y)[0]) > 15.0
    concrete = centred(mesh)[of_parts(mesh, "concrete")]
    near = np.abs(concrete[:, 0] - x[0]) < 0.5 * (bridge.end - bridge.begin) + 5.0
    lowest = concrete[near]
    feet = lowest[lowest[:, 2] < level - 10.0]
    below = feet[:, 2] < sample(terrain.surface, CELL, feet[:, 0], feet[:, 1])
    assert below.any()


def test_a_tunnel_has_two_dark_mouths_and_nothing_between() -> None:
    _, course, mesh = built()
    (tunnel,) = course.tunnels
    assert of_parts(mesh, "darkness").size > 0
    dark = centred(mesh)[of_parts(mesh, "darkness")]
    assert np.ptp(dark[:, 0]) > tunnel.end - tunnel.begin
    along = mesh.texture[of_parts(mesh, "asphalt"), 0]
    assert not ((along > tunnel.begin + 5.0) & (along < tunnel.end - 5.0)).any()


def test_gravel_has_no_markings() -> None:
    _, _, mesh = built("gravel")
    assert not np.isin([PART["markings"], PART["asphalt"]], mesh.part).any()


def test_profile_and_volumes_say_what_was_built() -> None:
    _, course, _ = built()
    profile = course.profile
    assert profile.chainage[0] == 0.0 and profile.chainage[-1] == pytest.approx(course.length)
    rise = np.abs(np.diff(profile.road)) / np.diff(profile.chainage)
    assert rise.max() <= 0.08 + 1e-9
    assert course.earthworks.cut > 0.0 and course.earthworks.fill > 0.0
    assert all(not math.isnan(value) for value in profile.ground)
    sentence = describe_road(course)
    assert f"{len(course.bridges)} bridge" in sentence and "1 tunnel, " in sentence and "m³ cut" in sentence


def test_no_road_is_an_empty_mesh() -> None:
    terrain, _, _ = built()
    assert len(make_road_mesh(terrain, ())) == 0


def star(points: int) -> tuple[tuple[float, float], ...]:
    """An outline with as many deep notches, drawn clockwise."""
    turns = np.linspace(0.0, -2.0 * math.pi, 2 * points, endpoint=False)
    away = np.where(np.arange(2 * points) % 2, 90.0, 260.0)
    return tuple(zip((500.0 + away * np.cos(turns)).tolist(), (500.0 + away * np.sin(turns)).tolist()))


@pytest.mark.parametrize("points", [3, 40])
def test_a_pad_has_a_surface_that_fills_its_outline(points: int) -> None:
    level = np.full((SIDE, SIDE), 12.0, np.float32)
    terrain = Terrain(level, np.zeros_like(level), CELL)
    pad = Pad(points=star(points), surface="asphalt")
    mesh = make_road_mesh(terrain, (), (LaidPad(pad, 12.0, 0.0, 0.0),))
    top = mesh.triangles[mesh.part == PART["asphalt"]]
    a, b, c = (centred(mesh)[top[:, k]] for k in range(3))
    areas = 0.5 * np.cross(b - a, c - a)[:, 2]
    x, y = np.array(pad.points).T
    outline = 0.5 * abs(float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum()))
    assert areas.min() >= 0.0 and float(areas.sum()) == pytest.approx(outline, rel=1e-4)
    # It stands out of the ground, and its wall looks outwards and reaches into it.
    assert np.allclose(mesh.positions[top.ravel(), 2], 12.15)
    wall = of_parts(mesh, "concrete")
    places = centred(mesh)[wall]
    assert places[:, 2].min() == pytest.approx(11.5) and places[:, 2].max() == pytest.approx(12.15)
    assert len(make_road_mesh(terrain, (), (LaidPad(pad.replace(surface="none"), 12.0, 0.0, 0.0),))) == 0


def test_the_wall_of_a_pad_faces_outwards() -> None:
    level = np.full((SIDE, SIDE), 12.0, np.float32)
    pad = Pad(points=((400.0, 400.0), (400.0, 600.0), (600.0, 600.0), (600.0, 400.0)))
    mesh = make_road_mesh(Terrain(level, np.zeros_like(level), CELL), (), (LaidPad(pad, 12.0, 0.0, 0.0),))
    wall = of_parts(mesh, "concrete")
    outwards = (centred(mesh)[wall, :2] - 500.0) * mesh.normals[wall, :2]
    assert outwards.sum(axis=1).min() > 50.0

"""The views that the button *Camera* goes through: each shows what its name says."""

import math
from pathlib import Path
from types import SimpleNamespace

import bpy
import numpy as np
import numpy.typing as npt
import pytest

from terrain_addon import core
from terrain_addon.blender.look.camera import view_of
from terrain_addon.blender.look.scenery import set_scenery
from terrain_addon.blender.look.seen_land import SENSOR_WIDTH, SeenCrowns, View
from terrain_addon.blender.look.views import VIEWS, find_view
from terrain_addon.blender.operators.scenery import LANDSCAPE_OT_next_view
from terrain_addon.blender.ui import material_panel
from tests.blender.plain_operator import plain
from tests.blender.recording_layout import drawn

# The same on every Blender: `build.py test --blender 4.2` runs it there.
pytestmark = pytest.mark.once

SIZE, ASPECT = 2000.0, 16.0 / 9.0
Y, X = np.mgrid[-1000.0:1000.0:129j, -1000.0:1000.0:129j]
# A valley that winds from the low south to the high north, between walls of 500 m.
COURSE = 250.0 * np.sin(Y / 400.0)
VALLEY = (0.12 * (Y + 1000.0) + 500.0 * np.tanh(np.abs(X - COURSE) / 350.0) ** 2).astype(np.float32)


def ground(
    x: npt.NDArray[np.float64],
    y: npt.NDArray[np.float64],
    land: npt.NDArray[np.float32] = VALLEY,
    size: float = SIZE,
) -> npt.NDArray[np.float64]:
    """The nearest height of a square land; far below where the land does not go on."""
    last = len(land) - 1
    row, column = (np.rint((place / size + 0.5) * last).astype(int) for place in (y, x))
    inside = (row >= 0) & (row <= last) & (column >= 0) & (column <= last)
    return np.where(inside, land[row.clip(0, last), column.clip(0, last)], -1e9)


def picture(view: View, land: npt.NDArray[np.float32] = VALLEY, size: float = SIZE) -> npt.NDArray[np.float64]:
    """Distance in metres at which each of 24 × 40 rays meets the ground; infinite where it meets none."""
    turn, rise = math.radians(view.heading), math.radians(view.pitch)
    ahead = np.array((math.cos(turn) * math.cos(rise), math.sin(turn) * math.cos(rise), math.sin(rise)))
    right = np.array((math.sin(turn), -math.cos(turn), 0.0))
    reach = 0.5 * SENSOR_WIDTH / view.lens
    across, up = np.meshgrid(np.linspace(-reach, reach, 40), np.linspace(1.0, -1.0, 24) * reach / ASPECT)
    rays = ahead + across[..., None] * right + up[..., None] * np.cross(right, ahead)
    way = np.geomspace(1e-3 * size, 4.0 * size, 500)[:, None, None]
    x, y, z = (start + way * rays[..., axis] for axis, start in enumerate((view.x, view.y, view.z)))
    met = z < ground(x, y, land, size)
    first = met.argmax(axis=0)
    return np.where(met.any(axis=0), way[first, 0, 0], np.inf)


def test_the_overview_shows_the_whole_land_and_little_else() -> None:
    view = find_view(VALLEY, SIZE, SIZE, name="overview")
    turn, rise = math.radians(view.heading), math.radians(view.pitch)
    ahead = np.array((math.cos(turn) * math.cos(rise), math.sin(turn) * math.cos(rise), math.sin(rise)))
    right = np.array((math.sin(turn), -math.cos(turn), 0.0))
    points = np.stack((X, Y, VALLEY), -1).reshape(-1, 3) - (view.x, view.y, view.z)
    far = points @ ahead
    across, up = points @ right / far, points @ np.cross(right, ahead) / far
    half = 0.5 * SENSOR_WIDTH / view.lens
    assert np.abs(across).max() < half and np.abs(up).max() < half / ASPECT
    # It could not come nearer: the land touches two edges that face each other.
    assert max(np.ptp(across) / half, np.ptp(up) / half * ASPECT) > 1.9
    assert np.isfinite(picture(view)).mean() > 0.4


def test_the_valley_view_flies_low_over_the_river_and_up_it() -> None:
    view = find_view(VALLEY, SIZE, SIZE, name="valley")
    aside = view.x - 250.0 * math.sin(view.y / 400.0)
    assert abs(aside) < 100.0, "it is not over the river"
    step = 0.1 * SIZE
    heading = math.degrees(math.atan2(step, 250.0 * (math.sin((view.y + step) / 400.0) - math.sin(view.y / 400.0))))
    assert abs((view.heading - heading + 180.0) % 360.0 - 180.0) < 40.0, "it does not look up the valley"
    height = view.z - float(ground(np.array(view.x), np.array(view.y)))
    assert 30.0 < height < 120.0
    # Walls on both sides, and the valley open between them.
    seen = picture(view)[8:14]
    assert np.isfinite(seen[:, [0, -1]]).all()
    assert np.isfinite(picture(view)).mean() > 0.5


def test_the_close_up_is_filled_by_a_steep_slope_nearby() -> None:
    view = find_view(VALLEY, SIZE, SIZE, name="close_up")
    seen = picture(view)
    near = seen < 0.25 * SIZE
    assert near.mean() > 0.6, "no slope fills the picture"
    assert np.isinf(seen[:3]).mean() > 0.1, "no sky is seen"
    height = view.z - float(ground(np.array(view.x), np.array(view.y)))
    assert 2.0 < height < 25.0


@pytest.mark.parametrize("away, radius", [(0.0, 4.0), (12.0, 9.0)])
def test_no_close_up_is_taken_in_a_crown_or_right_before_one(away: float, radius: float) -> None:
    open_view = find_view(VALLEY, SIZE, SIZE, name="close_up")
    turn = math.radians(open_view.heading)
    x, y = open_view.x + away * math.cos(turn), open_view.y + away * math.sin(turn)
    tree = SeenCrowns(*(np.array([value], np.float32) for value in (x, y, open_view.z + 5.0, radius)))
    view = find_view(VALLEY, SIZE, SIZE, name="close_up", crowns=tree)
    assert (view.x, view.y, view.heading) != (open_view.x, open_view.y, open_view.heading)
    low = tree._replace(top=np.array([open_view.z - 5.0], np.float32))
    assert find_view(VALLEY, SIZE, SIZE, name="close_up", crowns=low) == open_view, "it hides nothing"


@pytest.mark.parametrize("aspect", [16.0 / 9.0, 1.0, 0.5])
@pytest.mark.parametrize("depth", [1000.0, 2000.0, 4000.0])
def test_the_top_view_shows_the_whole_land_with_a_narrow_margin(aspect: float, depth: float) -> None:
    view = find_view(VALLEY, SIZE, depth, aspect, name="top")
    shown = (view.breadth, view.breadth / aspect)
    assert view.pitch == -90.0 and view.z > VALLEY.max()
    assert min(shown[0] / SIZE, shown[1] / depth) == pytest.approx(1.02)


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("heights", [np.zeros((33, 33)), np.arange(4.0).reshape(2, 2), VALLEY[::4, ::8]], ids=str)
def test_every_land_has_every_view(name: str, heights: npt.NDArray[np.float64]) -> None:
    view = find_view(heights.astype(np.float32), 1000.0, 700.0, sea_level=-5.0, name=name)
    assert view.name == name
    assert all(math.isfinite(value) for value in (view.x, view.y, view.z, view.heading, view.pitch))
    assert view.z > heights.min()


def test_a_view_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="view = 'worm' is none of: vista, overview"):
        find_view(VALLEY, SIZE, SIZE, name="worm")


def test_a_click_takes_the_next_view_and_a_script_any(land: bpy.types.Object) -> None:
    calls = drawn(material_panel.VIEW3D_PT_landscape_material).calls
    assert any(given.get("operator") == "landscape.next_view" for _, given in calls)
    places = []
    for name in (*VIEWS, "vista"):
        assert bpy.ops.landscape.next_view() == {"FINISHED"}
        camera = bpy.context.scene.camera
        places.append(tuple(camera.location))
        assert camera.data.type == ("ORTHO" if name == "top" else "PERSP")
    assert len(set(places)) == len(VIEWS) and places[0] == places[-1]
    assert bpy.ops.landscape.next_view(view="valley") == {"FINISHED"}
    assert tuple(bpy.context.scene.camera.location) == places[2]


def test_the_top_view_is_a_map_with_north_above(land: bpy.types.Object) -> None:
    bpy.ops.landscape.next_view(view="top")
    turn = bpy.context.scene.camera.matrix_basis.to_3x3()
    assert list(turn.col[0]) == pytest.approx([1.0, 0.0, 0.0], abs=1e-6)
    assert list(turn.col[1]) == pytest.approx([0.0, 1.0, 0.0], abs=1e-6)


def test_a_camera_that_the_user_moved_stays(land: bpy.types.Object) -> None:
    bpy.ops.landscape.next_view()
    camera = bpy.context.scene.camera
    camera.location.x += 10.0
    moved = camera.matrix_basis.copy()
    with pytest.raises(RuntimeError, match="Landscape Camera is your own camera or was moved by you, so it stays"):
        bpy.ops.landscape.next_view()
    assert bpy.context.scene.camera == camera and camera.matrix_basis == moved


def test_the_sun_lights_a_close_up_from_the_side(land: bpy.types.Object) -> None:
    from terrain_addon.blender.look.camera import heading_of
    from terrain_addon.blender.look.sun import bearing_of, sun_of

    bpy.ops.landscape.next_view(view="close_up")
    sun = sun_of(bpy.context.scene)
    assert sun is not None
    away = 90.0 - math.degrees(bearing_of(sun)) - heading_of(bpy.context.scene.camera)
    assert 60.0 < abs((away + 180.0) % 360.0 - 180.0) < 120.0


def test_the_vista_of_a_fjord_looks_along_the_water_between_its_walls() -> None:
    fjord = VALLEY - np.float32(180.0)
    view = find_view(fjord, SIZE, SIZE, ASPECT, sea_level=0.0)
    assert ground(np.array(view.x), np.array(view.y)) < 180.0, "the camera is not over the water"
    turn = math.radians(view.heading)
    for side in (-1.0, 1.0):
        way = np.arange(20.0, 700.0, 20.0)
        aside = turn + side * 0.5
        rise = ground(view.x + np.cos(aside) * way, view.y + np.sin(aside) * way) - 180.0
        assert rise.max() > 150.0, "no wall is at this side"
    ahead = np.arange(20.0, 400.0, 20.0)
    assert (ground(view.x + np.cos(turn) * ahead, view.y + np.sin(turn) * ahead) < 180.0).all(), "no water is ahead"


def test_the_vista_of_a_low_island_is_no_fjord() -> None:
    island = (120.0 - 0.2 * np.hypot(X, Y)).astype(np.float32)
    view = find_view(island, SIZE, SIZE, ASPECT, sea_level=0.0)
    assert view.lens >= 35.0 and view.z > 60.0


def test_the_vista_of_mountains_of_one_height_shows_more_than_one_hillside() -> None:
    measured = Path(core.__file__).parents[1] / "presets" / "elevation" / "big_tujunga.npz"
    land = np.load(measured)["elevation"].astype(np.float32)
    size = 30.0 * (len(land) - 1)
    view = find_view(land, size, size)
    seen = picture(view, land, size)
    bands = [
        ((seen >= near * size) & (seen < far * size)).mean() for near, far in ((0.0, 0.07), (0.07, 0.2), (0.2, 0.4))
    ]
    assert max(bands) < 0.5, "one hillside fills the picture"


@pytest.mark.parametrize("is_wall_in_the_north", [True, False])
def test_the_sun_does_not_stand_behind_a_wall_beside_what_one_sees(is_wall_in_the_north: bool) -> None:
    from terrain_addon.blender.look.seen_land import SeenLand, View
    from terrain_addon.blender.look.sunlight import find_sun

    # Low hills to look at, and along one side of the way there a wall that shades them.
    row, column = np.mgrid[:129, :129]
    hills = 40.0 * np.sin(row / 3.0) * np.sin(column / 3.0)
    wall = np.where(row > 80 if is_wall_in_the_north else row < 48, 1500.0, 0.0)
    land = SeenLand((hills + wall).astype(np.float32), 4000.0, 4000.0, None)
    view = View(-1900.0, 0.0, 120.0, 0.0, -5.0, 35.0)
    north = math.sin(math.radians(find_sun(land, view, 16.0 / 9.0)))
    assert north < -0.5 if is_wall_in_the_north else north > 0.5


@pytest.mark.parametrize("turn", [0.0, 70.0, 150.0])
def test_dunes_are_seen_along_their_crests_with_one_side_in_shade(turn: float) -> None:
    from terrain_addon.blender.look.seen_land import SeenLand
    from terrain_addon.blender.look.sunlight import facing_light

    # Gentle to windward, as steep as sand lies to leeward; crests wind across the wind.
    to_lee = np.array((math.cos(math.radians(turn)), math.sin(math.radians(turn))))
    along = X * to_lee[0] + Y * to_lee[1] + 60.0 * np.sin((Y * to_lee[0] - X * to_lee[1]) / 230.0)
    phase = (along / 260.0) % 1.0
    dunes = (40.0 * np.minimum(phase / 0.78, (1.0 - phase) / 0.22)).astype(np.float32)
    view = find_view(dunes, SIZE, SIZE)
    across = abs(math.cos(math.radians(view.heading - turn)))
    assert across < 0.5, "it looks across the crests"
    land = SeenLand(dunes, SIZE, SIZE, None)
    light = facing_light(land, X.ravel(), Y.ravel(), np.array(view.sun))
    assert 0.1 < (light < 0.05).mean() < 0.45, "no side lies in shade, or both do"
    crests = land.crests
    assert crests.parallel > 0.9 and abs(math.cos(math.radians(crests.heading - turn))) < 0.2


def test_hills_and_tilted_plains_have_no_parallel_crests() -> None:
    from terrain_addon.blender.look.seen_land import SeenLand

    for land in (30.0 * np.sin(X / 90.0) * np.sin(Y / 90.0), 0.2 * X + 0.1 * Y, 0.0 * X):
        assert SeenLand(land.astype(np.float32), SIZE, SIZE, None).crests.parallel == 0.0


# A plateau along the west, and beyond a plain a butte on a mesa.
MESA = (
    200.0 * np.clip((-550.0 + 80.0 * np.sin(Y / 150.0) - X) / 60.0, 0.0, 1.0)
    + 200.0 * np.clip((350.0 - np.hypot(X - 500.0, Y)) / 60.0, 0.0, 1.0)
    + 120.0 * np.clip((150.0 - np.hypot(X - 500.0, Y)) / 60.0, 0.0, 1.0)
).astype(np.float32)


def deep_share(view: View) -> float:
    """Share of a picture with ground that lies below the camera by more than half of all relief."""
    seen = picture(view, MESA)
    turn, rise = math.radians(view.heading), math.radians(view.pitch)
    ahead = np.array((math.cos(turn) * math.cos(rise), math.sin(turn) * math.cos(rise), math.sin(rise)))
    up = np.cross((math.sin(turn), -math.cos(turn), 0.0), ahead)
    reach = 0.5 * SENSOR_WIDTH / view.lens / ASPECT
    down = -(ahead[2] + np.linspace(reach, -reach, 24)[:, None] * up[2])
    return float((np.isfinite(seen) & (np.where(np.isfinite(seen), seen, 0.0) * down > 0.5 * np.ptp(MESA))).mean())


def test_the_vista_of_a_tableland_looks_down_over_its_edge(monkeypatch: pytest.MonkeyPatch) -> None:
    from terrain_addon.blender.look.seen_land import SeenLand

    assert SeenLand(MESA, SIZE, SIZE, None).tableland > 0.9
    over_edge = find_view(MESA, SIZE, SIZE)
    monkeypatch.setattr(SeenLand, "tableland", 0.0)
    anywhere = find_view(MESA, SIZE, SIZE)
    assert deep_share(over_edge) > 0.1 > deep_share(anywhere)


def test_hills_and_plains_are_no_tableland() -> None:
    from terrain_addon.blender.look.seen_land import SeenLand

    for land in (300.0 * np.sin(X / 90.0) * np.sin(Y / 90.0), 0.2 * X + 0.1 * Y, 0.0 * X):
        assert SeenLand(land.astype(np.float32), SIZE, SIZE, None).tableland == 0.0


def test_the_first_click_shows_the_first_view_and_the_next_one_goes_on(land: bpy.types.Object) -> None:
    set_scenery(bpy.context.scene, land)  # as it comes with a land
    view = SimpleNamespace(view_perspective="PERSP")
    area = SimpleNamespace(type="VIEW_3D", spaces=SimpleNamespace(active=SimpleNamespace(region_3d=view)))
    context = SimpleNamespace(scene=bpy.context.scene, area=area)
    button = plain(LANDSCAPE_OT_next_view, view="next")
    names = []
    for _ in range(3):
        button.perform_on(context, land)
        assert view.view_perspective == "CAMERA"
        names.append(view_of(bpy.context.scene.camera))
    assert names == list(VIEWS)[:3]


@pytest.mark.parametrize("setting, value", [("direction", 1.0), ("time", 15.0)])
def test_no_click_turns_a_sun_that_the_user_has_set(land: bpy.types.Object, setting: str, value: float) -> None:
    bpy.ops.landscape.next_view()
    daylight = bpy.context.scene.landscape_daylight
    setattr(daylight, setting, value)
    before = daylight.direction, daylight.time
    for _ in VIEWS:
        bpy.ops.landscape.next_view()
        assert (daylight.direction, daylight.time) == before

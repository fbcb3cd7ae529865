"""What is drawn on a land holds: rivers keep their courses and fall, ridges have their heights, lakes their levels."""

import contextlib
import json
import math
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from terrain_addon import core
from terrain_addon.command_line import main
from terrain_addon.core.building.drawing_stages import BUILT, DRAWN, FINISHED
from terrain_addon.core.building.erosion_stages import land_before
from terrain_addon.core.building.layers import Relief
from terrain_addon.core.building.plan import plan_of
from terrain_addon.core.building.recipe import load_features, load_recipe
from terrain_addon.core.direction import roads
from terrain_addon.core.direction.checks import check_features, feature_warnings, left_out
from terrain_addon.core.direction.courses import courses_on
from terrain_addon.core.direction.drawing import NOTHING_DRAWN, DrawnFeatures, draw_on_land, find_drawing
from terrain_addon.core.direction.features import DRAWN_FEATURES, Feature
from terrain_addon.core.direction.forms import fixed_heights
from terrain_addon.core.direction.lakes import find_lake
from terrain_addon.core.direction.lines import lies_within, measure_from, smooth_line
from terrain_addon.core.direction.out_of_place import tell_gorge, tell_lake
from terrain_addon.core.direction.pads import outline_of
from terrain_addon.core.direction.rivers import cut_beds, find_rivers
from terrain_addon.core.direction.road_search import search_way
from terrain_addon.core.direction.roads import find_road
from terrain_addon.core.direction.steps import hold_of
from terrain_addon.core.erosion.deposition import Deposition, deposit_load
from terrain_addon.core.erosion.process import ProcessParameters
from terrain_addon.core.erosion.river_beds import RiverBeds, cut_river_beds
from terrain_addon.core.erosion.stream_power import StreamPower
from terrain_addon.core.flow.rivers import DrawnStreams
from terrain_addon.core.flow.routing import route_flow
from terrain_addon.core.flow.water import Water, find_water
from terrain_addon.core.foundation import compilation
from terrain_addon.core.foundation.progress import run
from terrain_addon.core.foundation.sampling import sample
from terrain_addon.core.foundation.terrain import Terrain
from terrain_addon.core.maps.realism import check_realism
from terrain_addon.core.relief.fractal_noise import FractalNoise
from tests.mountains import mountains

pytestmark = pytest.mark.once

SIZE = 4000.0
LAND = core.Recipe(
    width=SIZE,
    depth=SIZE,
    resolution=65,
    relief=Relief.of(FractalNoise(wavelength=3000.0, height=1200.0, base_altitude=200.0)),
    erosion=(StreamPower(),),
)


def drawn(features: Sequence[Feature], **changes: object) -> tuple[core.Landscape, DrawnFeatures]:
    """A land and its drawing."""
    recipe, cache = LAND.replace(features=tuple(features), **changes), core.Cache()
    land = core.build(recipe, cache=cache, extent="terrain")
    keys = plan_of(recipe, {}).keys
    key = keys.get(BUILT, keys.get(FINISHED, ""))
    return land, cache.find([key])[key].drawing


def random_line(seed: int, points: int) -> list[tuple[float, float]]:
    """A line that winds over the land without crossing itself."""
    random = np.random.default_rng(seed)
    along = np.linspace(0.1, 0.9, points)
    across = 0.5 + np.cumsum(random.uniform(-0.2, 0.2, points)) * 0.5
    turn = random.uniform(0.0, 2.0 * math.pi)
    x, y = along - 0.5, np.clip(across, 0.1, 0.9) - 0.5
    places = np.column_stack((x * math.cos(turn) - y * math.sin(turn), x * math.sin(turn) + y * math.cos(turn)))
    places *= min(1.0, 0.45 / np.abs(places).max())
    return [(float(a), float(b)) for a, b in (places + 0.5) * SIZE]


def near(cells: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """The cells and their eight neighbours."""
    padded, (rows, columns) = np.pad(cells, 1), cells.shape
    return np.logical_or.reduce([padded[i : i + rows, j : j + columns] for i in range(3) for j in range(3)])


@cache
def river_case(seed: int) -> tuple[core.Landscape, DrawnFeatures]:
    eroded = seed % 2 == 0
    return drawn(
        [core.River(points=tuple(random_line(seed, 3 + seed % 5)), width=8.0)],
        seed=seed,
        erosion=(StreamPower(),) if eroded else (),
    )


@pytest.mark.parametrize("seed", range(25))
def test_water_follows_a_drawn_river_and_never_rises(seed: int) -> None:
    land, drawing = river_case(seed)
    terrain = land.terrain
    courses = drawing.courses(terrain.surface.shape, terrain.cell_size)
    assert (np.diff(terrain.surface.ravel()[courses.cell]) < 0.0).all()
    receivers = route_flow(terrain.surface, terrain.cell_size).receivers
    flow = np.zeros(terrain.surface.shape, bool)
    cell = int(courses.cell[0])
    while not flow.ravel()[cell]:
        flow.ravel()[cell] = True
        cell = int(receivers[cell])
    own = courses.cell[courses.drawn >= 0]
    assert near(flow).ravel()[own].mean() >= 0.99
    assert own.size >= 20


def test_a_river_comes_to_its_end_also_where_its_way_on_turns_back() -> None:
    """Its way on went back beside its own bed, and took the water before the end."""
    points = ((4167.0, 4643.0), (5042.0, 4114.0), (5540.0, 3534.0))
    land = core.build(mountains(seed=256, resolution=129, features=(core.River(points=points),)))
    cell, drainage = land.terrain.cell_size, land.waters.drainage_area
    line = smooth_line(points, cell)
    row, column = (np.rint(one / cell).astype(int) for one in (line.y, line.x))
    along = [drainage[r - 1 : r + 2, c - 1 : c + 2].max() for r, c in zip(row, column)]
    assert along[-1] > 0.9 * max(along)


@pytest.mark.parametrize("seed", range(25))
def test_a_drawn_ridge_has_its_height(seed: int) -> None:
    random = np.random.default_rng(seed)
    points = [(x, y, float(random.uniform(700.0, 1500.0))) for x, y in random_line(seed + 100, 3 + seed % 4)]
    ridge = core.Ridge(points=tuple(points), width=float(random.uniform(300.0, 1000.0)))
    land, drawing = drawn([ridge], seed=seed, erosion=(StreamPower(),) if seed % 2 else ())
    surface = land.terrain.surface
    shape, cell_size = surface.shape, land.terrain.cell_size
    fixed = fixed_heights(drawing.forms, shape, cell_size, drawing.courses(shape, cell_size))
    assert np.abs(surface.ravel()[fixed.cell] - fixed.height).max() <= 0.02 * float(np.ptp(surface))
    assert fixed.cell.size >= 20


@pytest.mark.parametrize("seed", range(8))
def test_land_is_at_its_left_and_water_at_its_right_of_a_shore_at_its_level(seed: int) -> None:
    random = np.random.default_rng(seed)
    level, width = float(random.uniform(300.0, 900.0)), float(random.uniform(300.0, 900.0))
    shore = core.Shore(points=tuple(random_line(seed + 200, 3 + seed % 3)), level=level, width=width)
    land, drawing = drawn([shore], seed=seed, erosion=(StreamPower(),) if seed % 2 else ())
    surface, cell_size = land.terrain.surface, land.terrain.cell_size
    fixed = fixed_heights(drawing.forms[:1], surface.shape, cell_size, drawing.courses(surface.shape, cell_size))
    assert np.abs(surface.ravel()[fixed.cell] - level).max() <= 0.02 * float(np.ptp(surface))
    line = smooth_line(shore.points, cell_size)
    east, north = np.gradient(line.x), np.gradient(line.y)
    for side in (1.0, -1.0):
        away = side * 0.25 * width / np.hypot(east, north)
        x, y = line.x - away * north, line.y + away * east
        # Not beyond the ends, and not in bends that are sharper than that.
        clear = (measure_from(x, y, line, width).distance > 0.24 * width) & (np.minimum(x, y) > 0.0)
        clear[[0, -1]] = False
        x, y = x[clear & (np.maximum(x, y) < SIZE)], y[clear & (np.maximum(x, y) < SIZE)]
        beside = side * (sample(surface, cell_size, x, y) - level)
        assert beside.mean() > 0.0 and (beside > -0.005 * float(np.ptp(surface))).mean() >= 0.95


def test_the_order_of_features_does_not_matter() -> None:
    features = [
        core.River(points=((500.0, 3500.0), (1500.0, 2500.0), (1900.0, 400.0))),
        core.Ridge(points=((2500.0, 500.0, 1300.0), (3300.0, 1800.0, 1400.0))),
        core.Lake(points=((2400.0, 2600.0), (3100.0, 2600.0), (3000.0, 3300.0), (2500.0, 3200.0))),
    ]
    one, other = (drawn(list_)[0].terrain for list_ in (features, features[::-1]))
    assert one.bedrock.tobytes() == other.bedrock.tobytes()
    assert one.sediment.tobytes() == other.sediment.tobytes()


def test_the_number_of_threads_does_not_matter() -> None:
    features = (
        core.River(points=((500.0, 3500.0), (1500.0, 2500.0), (1900.0, 400.0))),
        core.Ridge(points=((2500.0, 500.0, 1300.0), (3300.0, 1800.0, 1400.0))),
        core.Road(points=((600.0, 600.0), (3300.0, 3300.0)), longest_bridge=1e5, longest_tunnel=1e5),
    )
    before, lands = compilation.thread_count(), set()
    try:
        for threads in (1, 2):
            compilation.set_thread_count(threads)
            terrain = drawn(features)[0].terrain
            lands.add(terrain.bedrock.tobytes() + terrain.sediment.tobytes())
    finally:
        compilation.set_thread_count(before)
    assert len(lands) == 1


def test_features_come_with_recipes_and_from_files(tmp_path: Path) -> None:
    features = (core.River(points=((1.0, 2.0), (3.5, 4.0, 5.0)), width=3.0), core.Pad(points=((1, 2), (3, 4), (5, 2))))
    recipe = LAND.replace(features=features)
    assert core.Recipe.loads(recipe.dumps()) == recipe
    (tmp_path / "drawn.json").write_text(json.dumps(recipe.to_json()["features"]))
    command = ["new", "alpine", "--feature", str(tmp_path / "drawn.json"), "--set", "river.width=9"]
    assert main([*command, "--out", str(tmp_path / "recipe.json")]) == 0
    assert load_recipe(tmp_path / "recipe.json").features == (features[0].replace(width=9.0), features[1])


@pytest.mark.parametrize("text", ["not json", '[{"model": "river"', '{"model": "river", "model": "lake"}'])
def test_a_file_of_features_that_cannot_be_read_is_said_to_hold_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "drawn.json").write_text(text)
    with pytest.raises(ValueError, match=r"drawn.json: this is not a feature or a list of features: ") as caught:
        load_features(tmp_path / "drawn.json")
    columns = [int(column) for column in re.findall(r"column (\d+)", str(caught.value))]
    assert all(column <= len(text) + 1 for column in columns)


WITHOUT_MODEL = r"features\[0\] does not say what it is: add \"model\", one of: river, ridge"


def test_a_feature_without_a_model_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "drawn.json").write_text('{"points": [[1, 2], [3, 4]], "width": 12}')
    with pytest.raises(ValueError, match=WITHOUT_MODEL):
        load_features(tmp_path / "drawn.json")
    with pytest.raises(ValueError, match=WITHOUT_MODEL):
        core.Recipe.loads('{"schema": 1, "features": [{"points": [[1, 2], [3, 4]]}]}')


@pytest.mark.parametrize(
    ("kind", "other", "gets"),
    [
        (core.Lake, core.Lake, "lower of their levels"),
        (core.Pad, core.Pad, "later one in the list"),
        (core.Lake, core.Pad, "level of the pad, and is under water where"),
        (core.Pad, core.Lake, "level of the pad, and is under water where"),
    ],
)
@pytest.mark.parametrize(("away", "told"), [(0.0, True), (200.0, True), (1500.0, False)])
def test_lakes_or_pads_that_overlap_are_told(
    kind: type[Feature], other: type[Feature], gets: str, away: float, told: bool
) -> None:
    outline = ((500.0, 500.0), (1500.0, 500.0), (1500.0, 1500.0), (500.0, 1500.0))
    within = tuple((0.5 * x + 500.0 + away, 0.5 * y + 500.0) for x, y in outline)
    warnings = feature_warnings((kind(points=outline), other(name="B", points=within)), 6000.0, 6000.0)
    assert len(warnings) == told and all(gets in one and "'B' (number 2) overlaps" in one for one in warnings)


_EAST = ((500.0, 1500.0), (2500.0, 1500.0))
_OPPOSITES = [
    (core.Cliff(points=_EAST), core.Cliff(points=_EAST[::-1]), "the opposite"),
    (core.Cliff(points=_EAST), core.Cliff(points=((2500.0, 1490.0), (1600.0, 1510.0))), "the opposite"),
    (core.Shore(points=_EAST), core.Cliff(points=_EAST[::-1]), "the opposite"),
    (core.Ridge(points=_EAST), core.Valley(points=_EAST[::-1]), "the opposite"),
    (core.Valley(points=_EAST), core.Ridge(points=_EAST), "the opposite"),
    (core.Summit(points=((9.0, 9.0, 500.0),)), core.Summit(points=((10.0, 9.0, 200.0),)), "another height"),
    (core.Summit(points=((9.0, 9.0),)), core.Summit(points=((9.0, 9.0),), height=70.0), "another height"),
]
_AT_PEACE = [
    (core.Cliff(points=_EAST), core.Cliff(points=_EAST)),
    (core.Cliff(points=_EAST), core.Cliff(points=((2500.0, 1600.0), (500.0, 1600.0)))),
    (core.Cliff(points=_EAST), core.Cliff(points=((2500.0, 1000.0), (500.0, 2000.0)))),
    (core.Ridge(points=_EAST), core.Valley(points=((1500.0, 500.0), (1500.0, 2500.0)))),
    (core.Ridge(points=_EAST), core.Ridge(points=_EAST)),
    (core.Cliff(points=_EAST), core.Cliff(points=_EAST[::-1], enabled=False)),
    (core.Summit(points=((9.0, 9.0, 500.0),)), core.Summit(points=((9.0, 9.0, 500.0),), height=70.0)),
    (core.Summit(points=((9.0, 9.0),)), core.Summit(points=((900.0, 9.0),), height=70.0)),
]


@pytest.mark.parametrize(("one", "other", "asks"), _OPPOSITES)
def test_forms_that_ask_for_the_opposite_on_one_line_are_told(one: Feature, other: Feature, asks: str) -> None:
    (warning,) = feature_warnings((one, other.replace(name="Back")), 3000.0, 3000.0)
    after = f"lies on the {one.model()} (number 1) and asks for {asks}; remove one of them"
    assert warning == f"the {other.model()} 'Back' (number 2) {after}"


@pytest.mark.parametrize(("one", "other"), _AT_PEACE)
def test_forms_that_only_cross_or_agree_are_not_told(one: Feature, other: Feature) -> None:
    assert feature_warnings((one, other), 3000.0, 3000.0) == ()


def test_messages_say_what_is_wrong_and_where_it_is() -> None:
    def refusal(one: Feature) -> str:
        with pytest.raises(ValueError, match="number 1") as refused:
            check_features((one,), 3000.0, 3000.0)
        return str(refused.value)

    assert "has only one different point; it needs 2 or more" in refusal(core.River(points=((5.0, 5.0),) * 3))
    assert "has one point; it needs 2 or more" in refusal(core.River(points=((5.0, 5.0),)))
    around = refusal(core.Lake(points=((-9.0, -9.0), (-5.0, -9.0), (-5.0, -5.0))))
    assert "has no point or line on the land: its points reach from (-9, -9) to (-5, -5) m from the south-" in around
    (one,) = feature_warnings((core.Ridge(points=((5.0, 5.0), (6500.0, 5.0))),), 3000.0, 3000.0)
    assert "one of its points lies outside, 3500 m away at (6500, 5) m from the south-west corner; only" in one
    (two,) = feature_warnings((core.Ridge(points=((5.0, 5.0), (6500.0, 5.0), (6500.0, 9.0))),), 3000.0, 3000.0)
    assert "2 of its points lie outside, up to 3500 m away at (6500, 5) m" in two


def test_a_feature_that_is_off_or_without_points_changes_no_byte() -> None:
    plain = core.build(LAND, extent="terrain").terrain
    off = core.River(points=((500.0, 3500.0), (1900.0, 400.0)), enabled=False)
    same = core.build(LAND.replace(features=(off, core.Lake())), extent="terrain")
    assert plain.bedrock.tobytes() == same.terrain.bedrock.tobytes()
    assert plain.sediment.tobytes() == same.terrain.sediment.tobytes()


@pytest.mark.parametrize("water", [Water(rivers=False), Water(river_source=1e5)], ids=["off", "rare"])
def test_a_drawn_river_is_seen_as_water_all_along(water: Water) -> None:
    river = core.River(points=((2000.0, 2100.0), (1500.0, 1500.0), (1900.0, 400.0)), width=40.0)
    recipe, cache = LAND.replace(features=(river,), water=water), core.Cache()
    land = core.build(recipe, cache=cache)
    assert land.waters is not None and land.plants is not None
    key = plan_of(recipe, {}).keys[DRAWN]
    course = cache.find([key])[key].drawing.courses((65, 65), land.terrain.cell_size).cell
    rivers = land.waters.rivers
    # Water goes diagonally where a course turns at right angles.
    row, column = (np.abs(a[:, np.newaxis] - b) for a, b in zip(np.divmod(course, 65), np.divmod(rivers.cell, 65)))
    assert (np.maximum(row, column).min(axis=1) <= 1).all()
    assert len(rivers) == 1 and float(rivers.width.min()) >= 20.0
    head = rivers.points[rivers.points[:, 2].argmax()]
    assert math.hypot(head[0] - 2000.0, head[1] - 2100.0) < 2.0 * land.terrain.cell_size
    away = np.full(len(land.plants), np.inf)
    for x, y, _ in rivers.points:
        away = np.minimum(away, np.hypot(land.plants.x - x, land.plants.y - y))
    assert float(away.min()) > 10.0


def test_a_drawn_lake_holds_its_level() -> None:
    outline = ((1400.0, 1500.0, 600.0), (2600.0, 1400.0), (2700.0, 2500.0), (1500.0, 2600.0))
    recipe = LAND.replace(features=(core.Lake(points=outline),))
    land = core.build(recipe, extent="maps")
    assert land.waters is not None
    middle = land.waters.water_level[32, 32]
    assert abs(float(middle) - 600.0) < 1.0
    assert float(land.waters.water_depth[32, 32]) > 5.0


@pytest.mark.parametrize("drawn_at", [(), (400.0,)], ids=["lowest ground", "drawn level"])
@pytest.mark.parametrize("west", [-1200.0, -80.0, 40.0])
def test_a_drawn_lake_that_crosses_the_border_holds_its_level(west: float, drawn_at: tuple[float, ...]) -> None:
    outline = ((west, 1400.0, *drawn_at), (1000.0, 1400.0), (1000.0, 2600.0), (west, 2600.0))
    land, drawing = drawn((core.Lake(points=outline, depth=15.0),))
    shape, cell_size = land.terrain.surface.shape, land.terrain.cell_size
    level = drawing.levels(shape, cell_size)
    assert level is not None and np.isfinite(level[:, 0]).any()
    waters = find_water(land.terrain.surface, cell_size, Water(), None, drawing.streams(shape, cell_size))
    lake = np.isfinite(level)
    assert (waters.water_depth[lake] > 0.0).all()
    assert np.abs(waters.water_level - level)[lake].max() < 0.5


AT_BORDER = core.Lake(points=((-1200.0, 1400.0), (1000.0, 1400.0), (1000.0, 2600.0), (-1200.0, 2600.0)), depth=15.0)


def found_by(process: ProcessParameters, **changes: object) -> tuple[Terrain, DrawnFeatures, Terrain]:
    """What a process finds after stream power, the drawing, and the finished land."""
    recipe = LAND.replace(features=(AT_BORDER,), erosion=(StreamPower(), process), **changes)
    land, drawing = drawn(recipe.features, erosion=recipe.erosion, **changes)
    return run(land_before(recipe, 2, {})).terrain, drawing, land.terrain


def test_deposition_lets_no_water_leave_over_the_border_at_a_drawn_lake() -> None:
    process = Deposition(supply=1.0)
    found, drawing, land = found_by(process, seed=3)
    closed, opened = (run(deposit_load(found, process, drawing=one)).terrain for one in (drawing, NOTHING_DRAWN))
    assert draw_on_land(closed, drawing).surface.tobytes() == land.surface.tobytes()
    # The stream that leaves the lake carries on what would leave over the border, so less of its own load settles.
    way = drawing.rivers[-1].line
    cell = tuple(np.rint(np.stack((way.y, way.x)) / found.cell_size).astype(int).clip(0, 64))
    assert closed.surface[cell].mean() < opened.surface[cell].mean() - 1.0
    # A lake that lies on the land changes nothing.
    inland = drawn((AT_BORDER.replace(points=tuple((x + 2000.0, y) for x, y in AT_BORDER.points)),))[1]
    same = run(deposit_load(found, process, drawing=inland)).terrain
    assert same.surface.tobytes() == opened.surface.tobytes()


def test_beds_follow_the_water_that_a_drawn_lake_at_the_border_sends_on() -> None:
    found, drawing, land = found_by(RiverBeds(), seed=4)
    lakes = drawing.lakes_on_border(found.surface.shape, found.cell_size)
    none = np.empty(0, np.float32)
    streams = DrawnStreams(none.astype(np.int32), none, lakes)
    closed, opened = (find_water(found.surface, found.cell_size, Water(), None, one) for one in (streams, None))
    cut, other = (run(cut_river_beds(found, RiverBeds(), waters=one)).terrain for one in (closed, opened))
    assert draw_on_land(cut, drawing).surface.tobytes() == land.surface.tobytes()
    assert draw_on_land(other, drawing).surface.tobytes() != land.surface.tobytes()
    # Water leaves over no cell of the border that lies in the lake.
    assert not np.isin(closed.rivers.cell[closed.rivers.first[1:] - 1][closed.rivers.joins < 0], lakes).any()


def test_rivers_that_breach_dams_do_not_drain_a_drawn_lake() -> None:
    recipe = core.Recipe.preset("alpine", resolution=257)
    outline = ((0.35, 0.35), (0.5, 0.33), (0.52, 0.5), (0.36, 0.52))
    lake = core.Lake(points=tuple((x * recipe.width, y * recipe.width) for x, y in outline), depth=15.0)

    def land_with(breach: float) -> core.Landscape:
        erosion = (*recipe.erosion[:-1], RiverBeds(breach=breach))
        return core.build(recipe.replace(features=(lake,), erosion=erosion), extent="maps")

    usual, breached = land_with(0.0), land_with(20.0)
    assert isinstance(recipe.erosion[-1], RiverBeds) and usual.waters is not None and breached.waters is not None
    # Its outlet is cut through, and drawn again.
    assert (usual.terrain.surface - breached.terrain.surface).max() > 1.0
    assert len(usual.waters.lakes) == 1
    assert breached.waters.lakes.level.tolist() == usual.waters.lakes.level.tolist()
    assert breached.waters.lakes.area.tolist() == usual.waters.lakes.area.tolist()


def test_no_road_runs_through_the_water_of_a_drawn_lake_at_the_border() -> None:
    lake = core.Lake(points=((-1200.0, 1800.0), (1000.0, 1800.0), (1000.0, 2200.0), (-1200.0, 2200.0)), depth=15.0)
    road = core.Road(points=((400.0, 1300.0), (400.0, 2700.0)), steepest_grade=30.0, longest_bridge=1e5)
    land, drawing = drawn((lake, road))
    (course,), (fixed,) = land.roads, drawing.lakes
    over = lies_within(fixed.outline, course.line.y, course.line.x, 1.0)
    assert (course.line.height[over] > fixed.level).all()


@pytest.mark.parametrize("preset", ["mesa_and_canyon", "dunes"])
def test_a_drawn_lake_is_wet_where_other_hollows_stay_dry(preset: str) -> None:
    recipe = core.Recipe.preset(preset, resolution=65)
    near, far = 0.4 * recipe.width, 0.6 * recipe.width
    outline = ((near, near), (far, near), (far, far), (near, far))
    waters = core.build(recipe.replace(features=(core.Lake(points=outline),)), extent="maps").waters
    assert not recipe.water.lakes and waters is not None and len(waters.lakes) == 1
    assert (waters.water_depth[28:37, 28:37] > 0.0).all()
    without = core.build(recipe, extent="maps").waters
    assert without is not None and len(without.lakes) == 0


def test_a_river_that_a_lake_covers_is_told() -> None:
    lake = core.Lake(points=((1400.0, 1500.0), (2600.0, 1400.0), (2700.0, 2500.0), (1500.0, 2600.0)))
    ground = core.build(LAND.replace(erosion=()), extent="terrain").terrain

    def told(*points: tuple[float, float], lakes: tuple[Feature, ...] = (lake,)) -> tuple[str, ...]:
        river = core.River(name="Inn", points=points)
        return find_drawing((river, *lakes), ground.surface, ground.cell_size).warnings

    (sentence,) = told((1800.0, 2000.0), (2200.0, 2000.0))
    assert sentence.startswith(left_out("the river 'Inn' begins and ends in the water of a drawn lake"))
    # So it is where it only leaves a bay and comes back.
    assert len(told((2400.0, 2000.0), (3000.0, 2200.0), (2400.0, 2300.0))) == 1
    # A river that comes or goes is there, and so is one without the lake.
    assert left_out("") not in "".join(told((2000.0, 3500.0), (2000.0, 2000.0)))
    assert left_out("") not in "".join(told((2000.0, 2000.0), (2000.0, 500.0)))
    assert left_out("") not in "".join(told((1800.0, 2000.0), (2200.0, 2000.0), lakes=()))
    recipe = LAND.replace(features=(core.River(points=((1800.0, 2000.0), (2200.0, 2000.0))), lake))
    assert left_out("") in "".join(core.build(recipe, extent="terrain").warnings)


LAKE_ON_ALPINE = ((7096.0, 7095.0), (8560.0, 7095.0), (8780.0, 5700.0), (7300.0, 5550.0))


def around_lake(lake: core.Lake) -> tuple[core.Landscape, float]:
    """Alpine land with a lake, and how far its floor stands above the ground 1,300 to 1,700 m from its middle."""
    land = core.build(core.Recipe.preset("alpine", resolution=129, seed=6, features=(lake,)), extent="terrain")
    surface, cell_size = land.terrain.surface, land.terrain.cell_size
    row, column = np.indices(surface.shape)
    away = np.hypot(column * cell_size - 7930.0, row * cell_size - 6370.0)
    return land, float(surface[away < 400.0].max() - np.median(surface[(away > 1300.0) & (away < 1700.0)]))


def test_a_lake_that_erosion_leaves_far_above_the_land_is_told_with_a_level_that_mends_it() -> None:
    lake = core.Lake(name="Ammer", points=LAKE_ON_ALPINE)
    land, above = around_lake(lake)
    assert above > 500.0
    (sentence,) = land.warnings
    found = re.match(
        r"the lake 'Ammer' stands (\d+) m above the ground around it, .* give one of them (\d+) m$", sentence
    )
    assert found is not None and abs(float(found[1]) - above) < 150.0
    low = lake.replace(points=((*LAKE_ON_ALPINE[0], float(found[2])), *LAKE_ON_ALPINE[1:]))
    land, above = around_lake(low)
    assert land.warnings == () and above < 50.0


@pytest.mark.parametrize(
    ("relief", "above", "is_told"),
    [(30.0, 4.0, False), (30.0, 6.0, True), (120.0, 11.0, False), (120.0, 14.0, True), (900.0, 45.0, False)],
)
def test_a_lake_is_told_where_it_stands_a_tenth_of_the_relief_above_its_surroundings(
    relief: float, above: float, is_told: bool
) -> None:
    ground = np.full((65, 65), np.float32(100.0))
    ground[0, 0] += relief
    lake = core.Lake(points=((200.0, 200.0), (440.0, 200.0), (440.0, 440.0), (200.0, 440.0)), width=30.0)
    fixed = find_lake(lake, ground + np.float32(above), 10.0, 5.0)
    assert bool(tell_lake(lake, fixed, ground, 10.0)) == is_told


def test_a_lake_on_land_that_does_not_erode_away_is_not_told() -> None:
    points = ((1400.0, 1500.0), (2600.0, 1400.0), (2700.0, 2500.0), (1500.0, 2600.0))
    assert core.build(LAND.replace(features=(core.Lake(points=points),), erosion=()), extent="terrain").warnings == ()


def test_the_outlet_of_a_lake_leaves_its_shore_and_bends_smoothly() -> None:
    row, column = np.mgrid[:129, :129] * 10.0
    # Ground that falls to the east and south, more and less, so that a way from cell to cell has corners.
    ground = (900.0 - 0.3 * column + 0.1 * row + 30.0 * np.sin(row / 150.0) * np.cos(column / 200.0)).astype(np.float32)
    points = ((200.0, 400.0), (500.0, 350.0), (620.0, 640.0), (400.0, 900.0), (220.0, 700.0))
    drawing = find_drawing([core.Lake(points=points)], ground, 10.0)
    way, shore = drawing.rivers[-1].line, drawing.lakes[0].outline
    turns = np.diff(np.unwrap(np.arctan2(np.diff(way.y), np.diff(way.x))))
    assert way.x.size > 30 and np.degrees(np.abs(turns)).max() < 20.0
    away = np.sqrt(((way.x[:, np.newaxis] - shore.x) ** 2 + (way.y[:, np.newaxis] - shore.y) ** 2).min(axis=1))
    assert away[5:].min() > 29.0


@pytest.mark.parametrize("begin", [3600.0, 2100.0], ids=["through", "from within"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_river_goes_on_from_a_lake_through_which_it_is_drawn(seed: int, begin: float) -> None:
    lake = core.Lake(points=((1800.0, 1800.0), (2200.0, 1800.0), (2200.0, 2200.0), (1800.0, 2200.0)))
    recipe = LAND.replace(features=(core.River(points=((2000.0, begin), (2000.0, 400.0))), lake), seed=seed)
    land, drawing = drawn(recipe.features, seed=seed)
    assert [river.leaves for river in drawing.rivers] == ([-1, 0] if begin > 2200.0 else [0])
    courses = drawing.courses(land.terrain.surface.shape, land.terrain.cell_size)
    course = courses.cell[courses.first[-2] : courses.first[-1]]
    row, column = np.divmod(course, 65)
    assert abs(int(row[0]) - 28) <= 1 and np.abs(column[row > 7] - 32).max() <= 1, "from its shore along the line"
    bed = land.terrain.surface.ravel()[course]
    assert (np.diff(bed) < 0.0).all() and bed[0] < drawing.lakes[0].level + 1.0
    waters = core.build(recipe, extent="maps").waters
    assert waters is not None
    assert np.isin(course, waters.rivers.cell).mean() > 0.9


def test_a_river_that_only_passes_by_a_bay_stays_one() -> None:
    ground = np.linspace(900.0, 0.0, 65, dtype=np.float32)[:, np.newaxis] * np.ones((65, 65), np.float32)
    lake = core.Lake(points=((100.0, 280.0), (305.0, 280.0), (200.0, 320.0), (305.0, 360.0), (100.0, 360.0)))
    river = core.River(points=((300.0, 20.0), (300.0, 600.0)))
    rivers = find_drawing([river, lake], ground, 10.0).rivers
    assert len(rivers) == 2 and float(rivers[0].line.y[0]) == 20.0


@pytest.mark.parametrize("degrees", [10.0, 30.0, 40.0])
def test_the_bed_of_a_river_on_a_slope_falls_evenly(degrees: float) -> None:
    east, north, cell = math.cos(math.radians(degrees)), math.sin(math.radians(degrees)), 5.0
    row, column = np.mgrid[:129, :129] * cell
    slope = (1000.0 - 0.6 * (column * east + row * north)).astype(np.float32)
    points = ((40.0, 40.0), (40.0 + 560.0 * east, 40.0 + 560.0 * north))
    rivers = find_rivers([core.River(points=points, width=60.0)], slope, cell)
    surface = cut_beds(slope, rivers, courses_on(rivers, slope.shape, cell), cell)
    along, aside = np.arange(100.0, 450.0, cell), 2.5 * cell
    profile = sample(surface, cell, 40.0 + along * east - aside * north, 40.0 + along * north + aside * east)
    assert np.std(np.diff(profile) / cell) < 0.05


def test_a_preview_and_the_final_land_have_the_same_drawing() -> None:
    features = [
        core.River(points=((500.0, 3500.0), (2500.0, 2200.0), (3000.0, 1500.0))),
        core.Summit(points=((900.0, 900.0),)),
    ]
    drawings = [drawn(features, resolution=resolution)[1] for resolution in (257, 385)]
    assert drawings[0].rivers[0].line.x.tobytes() == drawings[1].rivers[0].line.x.tobytes()
    assert drawings[0].forms[0].line.height.tobytes() == drawings[1].forms[0].line.height.tobytes()


def test_a_land_with_a_drawn_river_looks_real() -> None:
    land, _ = drawn([core.River(points=((500.0, 3500.0), (1700.0, 2600.0), (3700.0, 600.0)))], resolution=257)
    assert check_realism(land.terrain.surface, land.terrain.cell_size).score >= 7


@pytest.mark.parametrize("form", [core.Valley, core.Cliff])
def test_streams_drain_what_a_form_would_dam(form: type[Feature]) -> None:
    land, _ = drawn([form(points=((1200.0, 3200.0), (2000.0, 2000.0), (2800.0, 800.0)))], resolution=129)
    numbers = {one.name: one.value for one in check_realism(land.terrain.surface, land.terrain.cell_size).numbers}
    assert numbers["depression volume"] < 0.55
    assert numbers["rising reaches"] < 0.12
    assert numbers["fill asymmetry"] > 0.2


def test_a_road_keeps_its_grade_and_the_land_follows_it() -> None:
    road = core.Road(points=((400.0, 400.0), (3600.0, 3500.0)), longest_bridge=1e5, longest_tunnel=1e5)
    yards = [(700.0 + 500.0 * i, 2600.0 + 250.0 * (i % 3)) for i in range(3)]
    pads = [core.Pad(points=((x, y), (x + 140.0, y + 20.0), (x + 120.0, y + 130.0), (x, y + 90.0))) for x, y in yards]
    recipe = LAND.replace(features=(road, *pads), relief=Relief.of(FractalNoise(wavelength=3000.0, height=300.0)))
    land = core.build(recipe.replace(resolution=129))
    course = land.roads[0]
    assert course.steepest <= 0.08 + 1e-9
    assert course.least_radius >= 0.9 * road.least_radius
    places = np.column_stack((course.line.x, course.line.y))
    assert np.abs(places[[0, -1]] - np.array([point[:2] for point in road.points])).max() < 1e-6
    assert land.plants is not None
    away = np.full(len(land.plants), np.inf)
    for x, y in places[::2]:
        away = np.minimum(away, np.hypot(land.plants.x - x, land.plants.y - y))
    inside_tunnels = bool(course.tunnels)
    assert inside_tunnels or (away > 3.5).all()
    for pad in pads:
        outline, x, y = outline_of(pad), land.plants.x, land.plants.y
        near = np.hypot(x - pad.points[0][0], y - pad.points[0][1]) < 400.0
        assert near.sum() > 10 and not lies_within(outline, y, x, 1.0).any()
        assert measure_from(x, y, outline, 1e9).distance.min() >= pad.clearing


def test_a_road_goes_round_a_hill() -> None:
    row, column = np.mgrid[:65, :65]
    hill = (200.0 * np.exp(-((row - 32.0) ** 2 + (column - 32.0) ** 2) / 150.0)).astype(np.float32)
    course = run(find_road(hill, 20.0, core.Road(points=((60.0, 640.0), (1220.0, 640.0)))))
    assert np.abs(course.line.y - 640.0).max() > 150.0
    assert not course.tunnels


def test_a_pad_is_level_and_cut_and_fill_are_equal() -> None:
    low, high = 2900.0, 3200.0
    land, _ = drawn([core.Pad(points=((low, low), (high, low), (high, high), (low, high)))], resolution=129)
    within = slice(math.ceil(low / land.terrain.cell_size), math.floor(high / land.terrain.cell_size))
    assert float(np.ptp(land.terrain.surface[within, within])) < 1e-3
    assert land.pads[0].cut == pytest.approx(land.pads[0].fill, rel=1e-3)


def test_a_pad_that_keeps_a_stream_open_is_balanced_too() -> None:
    recipe = LAND.replace(seed=3, resolution=129)
    corners = [(800.0, 2400.0), (1040.0, 2400.0), (1040.0, 2600.0), (800.0, 2560.0)]
    for shift in (0.0, 700.0, 1400.0):
        pad = core.Pad(points=tuple((x + shift, y - shift) for x, y in corners))
        laid = core.build(recipe.replace(features=(pad,)), extent="terrain").pads[0]
        assert laid.cut > 1e3
        assert laid.cut == pytest.approx(laid.fill, rel=0.01)


@pytest.mark.parametrize("seed", range(6))
def test_a_cliff_is_held_while_the_land_erodes(seed: int) -> None:
    cliff = core.Cliff(points=tuple(random_line(seed + 200, 3)), height=120.0, width=500.0)
    recipe, cache = LAND.replace(features=(cliff,), seed=seed), core.Cache()
    land = core.build(recipe, cache=cache, extent="terrain")
    keys = plan_of(recipe, {}).keys
    found = cache.find([keys[DRAWN], keys["erosion 1: stream power"]])
    (step,) = found[keys[DRAWN]].drawing.steps
    held = hold_of(step, land.terrain.surface.shape, land.terrain.cell_size)
    middle = held.wanted > 0.99 * 120.0
    assert middle.sum() > 10
    for terrain in (found[keys["erosion 1: stream power"]].terrain, land.terrain):
        heights = terrain.surface.ravel()
        high = (heights[held.left] - heights[held.right])[middle]
        assert float(np.median(high)) >= 0.8 * 120.0


def test_a_pad_on_a_river_does_not_dam_it() -> None:
    plain = core.build(LAND, extent="maps")
    assert plain.waters is not None
    rivers = plain.waters.rivers.cell
    cell = int(rivers[np.argmin(np.abs(rivers // 65 - 32) + np.abs(rivers % 65 - 32))])
    x, y = (place * plain.terrain.cell_size for place in (cell % 65, cell // 65))
    corners = ((x - 200.0, y - 200.0), (x + 200.0, y - 200.0), (x + 200.0, y + 200.0), (x - 200.0, y + 200.0))
    land = core.build(LAND.replace(features=(core.Pad(points=corners, level="highest"),)), extent="maps")
    assert land.pads[0].fill > 1e6
    assert land.waters is not None
    rise = land.waters.water_depth - plain.waters.water_depth
    assert float(rise.max()) < 2.0


FAULTS = {
    "would run uphill: point 2 lies 20 m above point 1; reverse": core.River(points=((0, 0, 300), (90, 90, 320))),
    "set point 1 to 310 m, point 2 to 310 m": core.River(points=((0, 0, 300), (90, 90, 320), (200, 90, 310))),
    "has no point or line on the land": core.Ridge(points=((-50, -50), (-90, 90))),
    "has only one different point; it needs 2": core.River(points=((10, 10), (10, 10))),
    "the pad \\(number 1\\) has no area: its points lie on one line": core.Pad(
        points=((10, 10), (500, 500), (900, 900))
    ),
    "covers the whole land: its outline lies all outside of it; move a part": core.Lake(
        points=((-100, -90), (9000, -90), (9000, 9100), (-100, 9100))
    ),
    "or line on the land: its points reach from \\(-900, -90\\) to \\(-500, 9100\\) m": core.Pad(
        points=((-500, -90), (-900, -90), (-900, 9100), (-500, 9100))
    ),
    "the pad \\(number 1\\) crosses itself": core.Pad(points=((0, 0), (500, 500), (500, 0), (0, 500))),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_cannot_be_is_one_sentence(fault: str) -> None:
    with pytest.raises(ValueError, match=fault) as caught:
        plan_of(LAND.replace(features=(FAULTS[fault],)), {})
    assert "\n" not in str(caught.value)


def test_the_advice_for_a_river_drawn_uphill_is_accepted() -> None:
    random = np.random.default_rng(7)
    cases = [[100.0, 90.0, 150.0, 120.0]]
    cases += [random.uniform(0.0, 900.0, random.integers(3, 12)).tolist() for _ in range(200)]
    changes = 0.0
    for heights in cases:
        points = [(100.0 * k, 50.0, float(height)) for k, height in enumerate(heights)]
        try:
            check_features([core.River(points=tuple(points))], SIZE, SIZE)
        except ValueError as error:
            if "reverse" in str(error):
                points = points[::-1]
            for place, height in re.findall(r"point (\d+) to (-?[\d.e+]+) m", str(error).partition("; ")[2]):
                x, y, _ = points[int(place) - 1]
                points[int(place) - 1] = (x, y, float(height))
                changes += 1
        check_features([core.River(points=tuple(points))], SIZE, SIZE)
    assert changes > 200


def test_the_advice_for_a_river_drawn_uphill_is_the_least() -> None:
    # 80 m in all; to lower the last two to the second would be 90 m.
    with pytest.raises(ValueError, match=r"; set point 2 to 100 m, point 3 to 100 m, point 4 to 100 m$"):
        check_features([core.River(points=((0, 0, 100), (9, 0, 90), (99, 0, 150), (200, 0, 120)))], SIZE, SIZE)


def test_rivers_that_cross_are_refused() -> None:
    rivers = (core.River(points=((0, 0), (4000, 4000))), core.River(name="B", points=((0, 4000), (4000, 0))))
    with pytest.raises(ValueError, match=r"the river 'B' .* crosses the river \(number 1\) at \(\d+, \d+\) m"):
        plan_of(LAND.replace(features=rivers), {})


def test_a_river_drawn_along_another_is_refused_in_either_direction() -> None:
    ways = ((200.0, 200.0), (1800.0, 1800.0))
    for other in (ways, ways[::-1]):
        with pytest.raises(ValueError, match=r"the river 'B' .* crosses the river \(number 1\) at \(\d+, \d+\) m"):
            check_features((core.River(points=ways), core.River(name="B", points=other)), 2000.0, 2000.0)
    check_features((core.River(points=ways), core.River(points=((200.0, 1800.0), (1010.0, 990.0)))), 2000.0, 2000.0)


def test_a_road_over_the_sea_says_how_long_its_bridge_would_be() -> None:
    sea = np.full((65, 65), np.float32(0.0))
    wet = np.zeros(sea.shape, bool)
    wet[:, 20:45] = True
    said = r"found with bridges of up to 5\d\d m, .*longest bridge now: 200 m\); allow that length, or move its points$"
    with pytest.raises(ValueError, match=said):
        run(find_road(sea, 20.0, core.Road(points=((60.0, 640.0), (1220.0, 640.0))), wet))


def test_a_road_that_needs_a_bridge_and_a_tunnel_names_both_lengths() -> None:
    land = np.zeros((65, 65), np.float32)
    wet = np.zeros(land.shape, bool)
    wet[:, 8:28] = True
    land[:, 40:56] = 400.0
    road = core.Road(points=((60.0, 640.0), (1220.0, 640.0)), longest_tunnel=50.0)
    with pytest.raises(ValueError, match=r"with bridges of .* and tunnels of .*allow those lengths, or move"):
        run(find_road(land, 20.0, road, wet))


@pytest.mark.parametrize(("longest", "searches"), [(200.0, 4), (700.0, 1)])
def test_a_road_to_another_island_is_not_searched_in_vain(
    longest: float, searches: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Where it is refused, once without limits and three times with those that are named.
    sea, asked = np.full((65, 65), np.float32(0.0)), []
    wet = np.zeros(sea.shape, bool)
    wet[:, 20:45] = True

    def search(*given: object) -> object:
        asked.append(given)
        return search_way(*given)

    monkeypatch.setattr(roads, "search_way", search)
    road = core.Road(points=((60.0, 640.0), (1220.0, 640.0)), longest_bridge=longest)
    with contextlib.suppress(roads.RefusedRoad):
        run(find_road(sea, 20.0, road, wet))
    assert len(asked) == searches


@pytest.mark.parametrize(("slope", "depth"), [(1.1, 0), (1.5, 300)])
def test_a_river_in_a_gorge_is_told_with_its_depth(slope: float, depth: int) -> None:
    away = np.abs(np.arange(129, dtype=np.float32) * 10.0 - 640.0)
    valley = (slope * away + np.zeros((129, 1), np.float32)).astype(np.float32)
    told = tell_gorge(core.River(name="Rissbach", points=((640.0, 1200.0), (640.0, 100.0))), valley, 10.0)
    assert len(told) == (depth > 0)
    assert all(f"the ground 200 m to both sides stands {depth} m above it" in sentence for sentence in told)
    # A wall on one side is no gorge.
    valley[:, 65:] = 0.0
    assert tell_gorge(core.River(points=((640.0, 1200.0), (640.0, 100.0))), valley, 10.0) == ()


def test_a_river_drawn_through_mountains_is_told_where_its_gorge_is() -> None:
    river = core.River(points=((1245.0, 6387.0), (814.0, 4282.0), (2074.0, 1476.0)))
    recipe = core.Recipe.preset("alpine", resolution=257, seed=9, features=(river,))
    (sentence,) = core.build(recipe, extent="terrain").warnings
    assert re.search(
        r"runs in a gorge: at \(1\d\d\d, 2\d\d\d\) m .* stands 3\d\d m above it; .* into a valley$", sentence
    )


def test_ten_thousand_points_are_taken() -> None:
    turn = np.linspace(0.0, 5.0, 10_000)
    points = tuple((2000.0 + 1500.0 * math.cos(a), 2000.0 + 1500.0 * math.sin(a)) for a in turn)
    land, _ = drawn([core.River(points=points)])
    assert np.isfinite(land.terrain.surface).all()
    assert FINISHED in plan_of(land.recipe, {}).keys


OUT = ((500.0, 600.0), (1200.0, 1300.0), (9000.0, 1500.0), (900.0, 2600.0))


@pytest.mark.parametrize("kind", DRAWN_FEATURES)
def test_a_point_moved_off_the_land_is_told_and_the_land_stays_valid(kind: type[Feature]) -> None:
    one = kind(name="A", points=OUT)
    if isinstance(one, core.Road):
        one = one.replace(longest_bridge=1e5, longest_tunnel=1e5, steepest_grade=40.0)
    land, _ = drawn([one])
    assert np.isfinite(land.terrain.surface).all() and float(np.ptp(land.terrain.surface)) < 5000.0
    assert [w for w in land.warnings if "'A' (number 1) leaves the land: one of its points lies outside," in w]
    for road in land.roads:
        assert road.line.x.min() >= 0.0 and road.line.x.max() <= LAND.width + 30.0

"""Roads keep what was asked of them: bends, bridges and tunnels; or they say clearly why they cannot."""

import math
import re

import numpy as np
import numpy.typing as npt
import pytest

from terrain_addon import core
from terrain_addon.core.direction.features import Road
from terrain_addon.core.direction.lines import DrawnLine
from terrain_addon.core.direction.road_course import RoadCourse, describe_road, road_warnings
from terrain_addon.core.direction.road_earthworks import lay_road
from terrain_addon.core.direction.road_meetings import find_meetings, meeting_warnings
from terrain_addon.core.direction.roads import find_road, meet_roads
from terrain_addon.core.foundation.progress import run
from terrain_addon.core.foundation.sampling import sample

pytestmark = pytest.mark.once

CELL = 20.0
FLAT = np.zeros((129, 129), np.float32)


def circle_radii(course: RoadCourse, step: float) -> npt.NDArray[np.float64]:
    """Radii of the circles through three points a step apart, measured apart from the program's own way."""
    along = course.line.along
    at = np.arange(0.0, along[-1], step)
    points = np.column_stack((np.interp(at, along, course.line.x), np.interp(at, along, course.line.y)))
    a, b = points[1:-1] - points[:-2], points[2:] - points[1:-1]
    area = np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])
    sides = np.hypot(*a.T) * np.hypot(*b.T) * np.hypot(*(a + b).T)
    radii: npt.NDArray[np.float64] = sides / np.maximum(2.0 * area, 1e-9)
    return radii


@pytest.mark.parametrize("turn", [60, 108, 150, 165, 175])
@pytest.mark.parametrize("radius", [15.0, 60.0])
def test_a_road_keeps_its_radius_also_at_stops(turn: int, radius: float) -> None:
    a = math.radians(turn)
    middle = (1300.0, 1250.0)
    end = (middle[0] + 800.0 * math.cos(a), middle[1] + 800.0 * math.sin(a))
    course = run(find_road(FLAT, CELL, Road(points=((300.0, 1250.0), middle, end), least_radius=radius)))
    assert course.least_radius >= radius
    assert circle_radii(course, max(radius / 5.0, 3.0)).min() >= 0.95 * radius
    assert np.hypot(course.line.x - middle[0], course.line.y - middle[1]).min() < 1e-6
    assert not road_warnings((course,))


def test_a_bend_that_cannot_be_wide_enough_is_told() -> None:
    near = Road(name="A", points=((300.0, 300.0), (340.0, 300.0), (300.0, 310.0)), least_radius=400.0)
    course = run(find_road(FLAT, CELL, near))
    assert course.least_radius < 400.0
    (sentence,) = road_warnings((course,))
    assert re.search(
        r"the road 'A' has a bend of \d+ m instead of 400 m at \(\d+, \d+\) m from the south-west corner; move",
        sentence,
    )
    assert f"sharpest bend {course.least_radius:.0f} m" in describe_road(course)


@pytest.mark.parametrize(("apart", "told"), [(8.0, True), (60.0, False)])
def test_a_road_that_passes_close_to_itself_is_told_and_not_buried(apart: float, told: bool) -> None:
    """Its second half runs back beside its first one, up a steep slope."""
    slope = (0.5 * CELL * np.arange(129, dtype=np.float32))[:, np.newaxis] * np.ones((1, 129), np.float32)
    road = Road(width=7.0)
    there, bend = np.arange(400.0, 1600.0, 7.0), np.linspace(-0.5 * math.pi, 0.5 * math.pi, 9)[1:-1]
    back = 0.5 * apart
    line_x = np.concatenate((there, 1600.0 + back * np.cos(bend), there[::-1]))
    line_y = np.concatenate(
        (np.full(there.size, 908.0), 908.0 + back * (1.0 + np.sin(bend)), np.full(there.size, 908.0 + apart))
    )
    ground = 0.5 * line_y
    line = DrawnLine(line_x, line_y, ground)
    course = RoadCourse(road, line, ground, (), (), 0.0, 1e9)
    assert bool([one for one in road_warnings((course,)) if "beside itself" in one]) is told
    land, _ = lay_road(slope, road, course, CELL, np.zeros(slope.shape, bool))
    buried = sample(land, CELL, line.x, line.y) - line.height
    assert float(buried[: there.size - 10].max()) < 0.0


def test_a_road_goes_round_water_that_is_too_wide_for_its_bridges() -> None:
    wet = np.zeros(FLAT.shape, bool)
    wet[:115, 55:75] = True
    course = run(find_road(FLAT, CELL, Road(points=((400.0, 400.0), (2160.0, 400.0))), wet))
    assert course.line.y.max() > 114 * CELL
    assert all(one.end - one.begin < 100.0 for one in course.bridges)


def test_a_road_crosses_a_gorge_on_one_bridge_without_tunnels() -> None:
    gorge = FLAT.copy()
    gorge[:, 60:65] = -60.0
    course = run(find_road(gorge, CELL, Road(points=((400.0, 1200.0), (2160.0, 1250.0)))))
    assert len(course.bridges) == 1 and not course.tunnels
    assert course.bridges[0].end - course.bridges[0].begin <= 200.0


def with_named_limits(road: Road, refusal: str) -> Road:
    named = re.findall(r"(bridge|tunnel)s of up to (\d+) m", refusal)
    return road.replace(**{f"longest_{name}": float(length) for name, length in named})


def test_a_refusal_names_limits_with_which_the_road_is_built() -> None:
    wall = FLAT.copy()
    wall[:, 80:120] = 300.0
    wet = np.zeros(FLAT.shape, bool)
    wet[:, 30:60] = True
    road = Road(points=((400.0, 1200.0), (2500.0, 1250.0)))
    with pytest.raises(ValueError, match=r"with bridges of .* and tunnels of") as caught:
        run(find_road(wall, CELL, road, wet))
    allowed = with_named_limits(road, str(caught.value))
    assert run(find_road(wall, CELL, allowed, wet)).tunnels
    assert "longest_" not in str(caught.value)
    assert "grade" not in str(caught.value), "none helps through a wall and over water"
    assert "in water" not in str(caught.value)


def test_a_refusal_names_a_grade_with_which_the_road_is_built() -> None:
    # Too narrow to wind up.
    ridge = 120.0 - np.abs(np.arange(129) - 64.0) * 0.25 * CELL + np.zeros((5, 1))
    road = Road(points=((200.0, 40.0), (2400.0, 40.0)), longest_tunnel=100.0)
    surface = np.maximum(ridge, 0.0).astype(np.float32)
    with pytest.raises(
        ValueError, match=r", and one with a grade of 32 % \(steepest grade now: 8 %\); allow"
    ) as caught:
        run(find_road(surface, CELL, road))
    assert "or that grade, or move its points" in str(caught.value)
    assert run(find_road(surface, CELL, road.replace(steepest_grade=32.0))).steepest > 0.08


def test_a_refusal_says_which_stops_stand_in_water() -> None:
    wet = np.zeros(FLAT.shape, bool)
    wet[:, 60:] = True
    points = ((400.0, 1200.0), (1800.0, 1250.0), (2400.0, 1200.0))
    for stops, said in ((points, "points 2 and 3 stand in water"), (points[:2], "point 2 stands in water")):
        with pytest.raises(ValueError, match=rf"or move its points: {said}$"):
            run(find_road(FLAT, CELL, Road(points=stops), wet))


def test_a_refusal_names_a_bend_that_stays_too_sharp() -> None:
    wet = np.zeros(FLAT.shape, bool)
    wet[:, 60:90] = True
    road = Road(points=((200.0, 200.0), (2300.0, 1250.0), (200.0, 2300.0)), least_radius=2000.0)
    with pytest.raises(ValueError, match=r"and a bend of \d+ m \(least radius now: 2000 m\); allow .* sharper bends"):
        run(find_road(FLAT, CELL, road, wet))


ACROSS_ALPINE = Road(points=((814.4, 3309.8), (3955.6, 4282.5), (7096.8, 2879.3)))


def longest_bridge_across_alpine(cache: core.Cache, **limits: float) -> float:
    recipe = core.Recipe.preset("alpine", resolution=257, features=(ACROSS_ALPINE.replace(**limits),))
    (course,) = core.build(recipe, cache=cache, extent="terrain").roads
    return max(one.end - one.begin for one in course.bridges)


def test_a_road_that_keeps_within_its_limits_is_not_refused() -> None:
    cache = core.Cache()
    with_longer = longest_bridge_across_alpine(cache, longest_bridge=600.0)
    assert with_longer < 200.0
    assert longest_bridge_across_alpine(cache) == with_longer


def test_a_refusal_names_the_least_of_the_limits_that_were_tried() -> None:
    cache = core.Cache()
    with pytest.raises(ValueError, match=r"with bridges of up to \d+ m, \d+ m from its first point") as caught:
        longest_bridge_across_alpine(cache, longest_tunnel=1000.0)
    assert "(longest bridge now: 200 m), and one with a grade of 32 % (steepest" in str(caught.value)
    assert str(caught.value).endswith("allow that length or that grade, or move its points")
    named = with_named_limits(ACROSS_ALPINE, str(caught.value)).longest_bridge
    with pytest.raises(ValueError, match="with bridges of"):
        longest_bridge_across_alpine(cache, longest_tunnel=1000.0, longest_bridge=400.0)
    assert 400.0 < longest_bridge_across_alpine(cache, longest_tunnel=1000.0, longest_bridge=named) <= named <= 800.0


def test_a_refusal_names_no_bridge_as_long_as_the_land() -> None:
    # The cheapest way has a bridge of 11 km and a tunnel of 528 m; ways with shorter bridges have longer tunnels.
    road = Road(points=((938.8, 9492.6), (6371.3, 2610.6)), longest_bridge=0.0, longest_tunnel=0.0)
    land = core.build(core.Recipe.preset("alpine", resolution=257), extent="terrain")
    surface, cell_size = land.terrain.surface, land.terrain.cell_size
    with pytest.raises(ValueError, match=r"with bridges of .* and tunnels of") as caught:
        run(find_road(surface, cell_size, road))
    allowed = with_named_limits(road, str(caught.value))
    course = run(find_road(surface, cell_size, allowed))
    assert allowed.longest_bridge <= 1000.0 and allowed.longest_tunnel <= 1000.0
    assert course.bridges and course.tunnels


def test_a_search_that_fails_is_seen_to_go_on_and_can_be_stopped() -> None:
    wall, shares = FLAT.copy(), []
    wall[:, 60:160] = 600.0
    with pytest.raises(ValueError, match="tunnels of"):
        run(find_road(wall, CELL, Road(points=((400.0, 1200.0), (3000.0, 1250.0)))), shares.append)
    assert len(shares) >= 4 and shares == sorted(shares) and shares[-1] < 1.0


def test_thousands_of_stops_are_refused_at_once() -> None:
    points = tuple((float(k % 100), float(k // 100)) for k in range(10_000))
    with pytest.raises(ValueError, match=r"the road 'B' \(number 1\) has 10,000 stops; at most 100 can be searched"):
        core.build(core.Recipe(resolution=9, features=(Road(name="B", points=points),)))


def slope_with_stops(rise: float, *heights: float) -> tuple[npt.NDArray[np.float32], Road]:
    """Ground that rises to the north by so much per metre, and a road across it with heights at its two stops."""
    ground = (rise * CELL * np.arange(129, dtype=np.float32))[:, np.newaxis] * np.ones((1, 129), np.float32)
    places = ((1300.0, 800.0), (1300.0, 1600.0))
    return ground, Road(name="A", points=tuple((*place, height) for place, height in zip(places, heights)))


def test_stops_whose_heights_no_road_reaches_are_refused_before_any_search() -> None:
    ground, road = slope_with_stops(0.0, 1000.0, 0.0)
    shares: list[float] = []
    with pytest.raises(ValueError, match=r"the road 'A' cannot reach the heights of its stops: ") as caught:
        run(find_road(ground, CELL, road.replace(longest_bridge=1e5, steepest_grade=4.0)), shares.append)
    assert "from point 1 to point 2 it is 800 m straight on, and their heights differ by 1,000 m" in str(caught.value)
    assert "needs more than 60 % (steepest grade now: 4 %); make their heights differ less, or" in str(caught.value)
    assert not shares


def test_stops_that_the_road_found_does_not_reach_are_refused_with_a_grade_that_suffices() -> None:
    ground, road = slope_with_stops(0.0, 0.0, 300.0)
    ground[60:] = 300.0
    road = road.replace(longest_tunnel=1e5, longest_bridge=1e5)
    with pytest.raises(ValueError, match=r"needs a grade of 37.5 % .*, allow that grade, or") as caught:
        run(find_road(ground, CELL, road))
    assert "longest" not in str(caught.value)
    assert run(find_road(ground, CELL, road.replace(steepest_grade=37.5))).line.height[-1] == pytest.approx(300.0)


def test_a_road_winds_up_to_the_heights_of_its_stops() -> None:
    ground, road = slope_with_stops(0.2, 160.0, 320.0)
    line = run(find_road(ground, CELL, road)).line
    assert line.height[[0, -1]] == pytest.approx([160.0, 320.0])
    assert float(line.along[-1]) > 1900.0


HILLSIDE = (0.3 * CELL * np.arange(129, dtype=np.float32))[:, np.newaxis] * np.ones((1, 129), np.float32)


def two_roads(first: Road, second: Road) -> tuple[RoadCourse, RoadCourse, RoadCourse]:
    """Two roads on a hillside, built one after the other, and the second as it is without the first."""
    dry = np.zeros(HILLSIDE.shape, bool)
    land, before = lay_road(HILLSIDE, first, run(find_road(HILLSIDE, CELL, first)), CELL, dry)
    alone = run(find_road(land, CELL, second))
    return before, meet_roads(alone, [before], land, CELL, dry), alone


def test_a_road_takes_the_height_of_one_that_it_crosses() -> None:
    first = Road(name="A", points=((300.0, 600.0), (2300.0, 1900.0)), steepest_grade=20.0)
    second = Road(name="B", points=((2300.0, 600.0), (300.0, 1900.0)), steepest_grade=20.0)
    before, course, alone = two_roads(first, second)
    assert find_meetings(alone, [before])
    assert max(abs(one.rise) for one in find_meetings(alone, [before])) > 0.4
    assert max(abs(one.rise) for one in find_meetings(course, [before])) < 0.1
    assert course.steepest <= 0.2 + 1e-9
    assert not meeting_warnings((before, course))


def test_roads_that_meet_at_two_heights_are_told() -> None:
    first = Road(name="A", points=((300.0, 1200.0), (1300.0, 1250.0, 375.0), (2300.0, 1200.0)))
    second = Road(name="B", points=((1300.0, 1250.0, 379.0), (300.0, 1900.0)), steepest_grade=20.0)
    before, course, _ = two_roads(first, second)
    assert course.line.height[0] == pytest.approx(379.0), "its stops keep their heights"
    (sentence,) = meeting_warnings((before, course))
    assert sentence.startswith(
        "the road 'B' meets the road 'A' at (1300, 1250) m from the south-west corner, and 4.0 m h"
    )
    assert sentence.endswith("give both a point with the same height there")


def test_a_road_may_cross_another_on_a_bridge() -> None:
    first = Road(name="A", points=((300.0, 1200.0), (2300.0, 1200.0)))
    second = Road(points=((1300.0, 900.0, 20.0), (1300.0, 1200.0, 20.0), (1300.0, 1500.0, 20.0)), longest_bridge=1e3)
    before, over = (run(find_road(FLAT, CELL, road)) for road in (first, second))
    assert over.bridges and not find_meetings(over, [before])

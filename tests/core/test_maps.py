"""Maps of surfaces whose answers are known."""

import math

import numpy as np
import pytest

from terrain_addon.core.flow.accumulation import accumulate_flow
from terrain_addon.core.maps.colour import PALETTE, land_colour
from terrain_addon.core.maps.humidity import measure_humidity
from terrain_addon.core.maps.illumination import Illumination, measure_illumination
from terrain_addon.core.maps.slope import measure_slope, surface_normals


def plane(rows: int, columns: int, cell: float, east: float, north: float) -> np.ndarray:
    row, column = np.mgrid[0:rows, 0:columns]
    return (column * cell * east + row * cell * north).astype(np.float32)


@pytest.mark.parametrize(("east", "north"), [(0.0, 0.0), (1.0, 0.0), (0.0, -0.5), (0.3, 0.4), (-2.0, 7.0)])
@pytest.mark.parametrize("shape", [(5, 7), (2, 2), (3, 2)])
def test_slope_and_normal_of_a_plane_are_exact_up_to_its_border(
    shape: tuple[int, int], east: float, north: float
) -> None:
    surface = plane(*shape, 10.0, east, north)
    expected = math.degrees(math.atan(math.hypot(east, north)))
    np.testing.assert_allclose(measure_slope(surface, 10.0), expected, atol=1e-3)
    up = 1.0 / math.sqrt(1.0 + east**2 + north**2)
    np.testing.assert_allclose(surface_normals(surface, 10.0)[1, 1], (-east * up, -north * up, up), atol=1e-5)


def test_slope_of_one_cell_and_one_row() -> None:
    assert measure_slope(np.zeros((1, 1), np.float32), 1.0)[0, 0] == 0.0
    np.testing.assert_allclose(measure_slope(plane(1, 5, 2.0, 1.0, 0.0), 2.0), 45.0, atol=1e-4)


def test_horn_by_hand() -> None:
    # 1 2 1 weights across three columns: (1·2 + 2·6 + 1·4) / 4 over two cells of 3 m.
    surface = np.array([[0, 9, 2], [0, 9, 6], [0, 9, 4]], np.float32)
    east = (2 + 2 * 6 + 4) / 4 / 6
    north = ((0 - 0) + 2 * (9 - 9) + (4 - 2)) / 4 / 6
    assert measure_slope(surface, 3.0)[1, 1] == pytest.approx(
        math.degrees(math.atan(math.hypot(east, north))), abs=1e-4
    )


def test_flow_on_two_by_two_by_hand() -> None:
    # 3 gives to 2 (drop 1), 1 (2) and 0 (3): 1/6, 2/6, 3/6.  2 gives 1 + 1/6 to 1 (drop 1) and 0 (2).  And so on.
    surface = np.array([[3, 2], [1, 0]], np.float32)
    area = accumulate_flow(surface, 1.0)
    two = 1 + 1 / 6
    one = 1 + 2 / 6 + two / 3
    np.testing.assert_allclose(area, [[1, two], [one, 4.0]], rtol=1e-12)


def test_water_on_a_plane_runs_straight_down() -> None:
    area = accumulate_flow(plane(6, 15, 5.0, 0.0, 1.0), 5.0)
    # A third goes straight on and a third to each side; far from the borders that evens out.
    np.testing.assert_allclose(area[:, 7] / 25.0, [6, 5, 4, 3, 2, 1], rtol=1e-6)


def test_humidity_tells_valley_from_ridge() -> None:
    row, column = np.mgrid[0:60, 0:61]
    surface = (np.abs(column - 30) * 5.0 + row * 1.0).astype(np.float32)
    humidity = measure_humidity(surface, measure_slope(surface, 10.0), 10.0)
    assert humidity.min() >= 0.0 and humidity.max() <= 1.0
    assert humidity[5, 30] > 0.5 > 0.25 > humidity[5, 5]


def test_flat_ground_of_any_height_has_finite_humidity() -> None:
    surface = np.full((5, 5), 1e4, np.float32)
    assert np.isfinite(measure_humidity(surface, measure_slope(surface, 1.0), 1.0)).all()


@pytest.mark.parametrize(("latitude", "sunny"), [(45.0, "south"), (-45.0, "north")])
def test_the_slope_that_faces_the_equator_is_brighter(latitude: float, sunny: str) -> None:
    light = Illumination(latitude=latitude)
    facing = {"south": plane(5, 5, 1.0, 0.0, 0.5), "north": plane(5, 5, 1.0, 0.0, -0.5)}
    values = {side: measure_illumination(surface, 1.0, light)[2, 2] for side, surface in facing.items()}
    assert max(values, key=lambda side: values[side]) == sunny


def test_illumination_of_flat_ground_is_known() -> None:
    # Mean of cos(h) over the half day is 2/π at the equator; 24 samples of the day come close to it.
    flat = np.zeros((3, 3), np.float32)
    at_equator = measure_illumination(flat, 1.0, Illumination(latitude=0.0))
    at_45 = measure_illumination(flat, 1.0, Illumination(latitude=45.0))
    np.testing.assert_allclose(at_equator, 2.0 / math.pi, rtol=5e-3)
    np.testing.assert_allclose(at_45 / at_equator, math.cos(math.radians(45.0)), rtol=1e-5)
    pole = measure_illumination(flat, 1.0, Illumination(latitude=90.0))
    assert pole.min() >= 0.0 and pole.max() <= 1.0


def test_colour_is_rock_where_bare_and_snow_where_high() -> None:
    zeros = np.zeros((1, 3), np.float32)
    surface = np.array([[0.0, 0.0, 3000.0]], np.float32)
    soil = np.array([[0.0, 2.0, 2.0]], np.float32)
    colour = land_colour(surface, soil, zeros, zeros, 2000.0)
    np.testing.assert_allclose(colour[0], [PALETTE["rock"], PALETTE["soil"], PALETTE["snow"]], atol=1e-6)

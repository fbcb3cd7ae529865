"""Midpoint displacement and diamond-square: an endless lattice whose points are displaced once each."""

import math
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from terrain_addon import core
from terrain_addon.core.building.layers import Relief
from terrain_addon.core.foundation.compilation import set_thread_count, thread_count
from terrain_addon.core.foundation.hashing import Purpose, derive_seed
from terrain_addon.core.foundation.terrain import Grid
from terrain_addon.core.relief.midpoint_displacement import (
    ALGORITHMS,
    MidpointDisplacement,
    displace_midpoints,
    midpoint_heights,
)

pytestmark = pytest.mark.once

SEEDS = st.integers(0, 2**31 - 1)
PLACES = st.integers(-1000, 1000)
ALGORITHM = st.sampled_from(sorted(ALGORITHMS))


def random_number(seed: int, level: int, row: int, column: int) -> float:
    """The random number in [−1, 1] of a place, in plain Python."""

    def mix(bits: int) -> int:
        bits &= 2**32 - 1
        bits ^= bits >> 16
        bits = bits * 0x7FEB352D & (2**32 - 1)
        bits ^= bits >> 15
        bits = bits * 0x846CA68B & (2**32 - 1)
        return bits ^ bits >> 16

    bits = mix(row + mix(column + mix(int(derive_seed(seed, Purpose.MIDPOINTS, level)))))
    return (bits - 2**32 if bits >= 2**31 else bits) / 2**31


def lattice(seed: int, hurst: float, algorithm: str) -> tuple[Callable[[int, int, int], float], Callable[[int], float]]:
    """The definition: height(level, row, column), where first displacements reach 1, and the bound of a level."""
    shrink = 2.0**-hurst
    diamonds = algorithm == "diamond_square"
    side_share = math.sqrt(shrink) if diamonds else 1.0

    @cache
    def height(level: int, row: int, column: int) -> float:
        if level == 0:
            return random_number(seed, 0, row, column)
        if row % 2 == 0 and column % 2 == 0:
            return height(level - 1, row // 2, column // 2)
        reach = shrink ** (level - 1)
        if row % 2 and column % 2:
            around = [height(level, row + i, column + j) for i in (-1, 1) for j in (-1, 1)]
        else:
            ends = [(-1, 0), (1, 0)] if row % 2 else [(0, -1), (0, 1)]
            beside = [(0, -1), (0, 1)] if row % 2 else [(-1, 0), (1, 0)]
            around = [height(level, row + i, column + j) for i, j in ends + (beside if diamonds else [])]
            reach *= side_share
        return sum(around) / len(around) + reach * random_number(seed, level, row, column)

    def bound(splits: int) -> float:
        total = 1.0
        for level in range(splits):
            centre = shrink**level
            total += max(centre, 0.5 * centre + side_share * centre) if diamonds else centre
        return total

    return height, bound


@given(
    SEEDS,
    st.integers(1, 80),
    st.integers(1, 80),
    st.floats(0.0, 2.0),
    st.floats(0.3, 40.0),
    ALGORITHM,
    st.integers(1, 24),
    PLACES,
)
def test_heights_stay_within_the_stated_range(
    seed: int, rows: int, columns: int, h: float, cell: float, algorithm: str, splits: int, place: int
) -> None:
    displacement = MidpointDisplacement(
        wavelength=100.0, height=100.0, base_altitude=-20.0, smoothness=h, algorithm=algorithm, splits=splits
    )
    heights = displace_midpoints(Grid(rows, columns, cell, place, -place), displacement, seed)
    assert heights.shape == (rows, columns) and heights.dtype == np.float32 and heights.flags.c_contiguous
    assert heights.min() >= -20.0 - 1e-3 and heights.max() <= 80.0 + 1e-3


@given(SEEDS, st.floats(0.0, 2.0), ALGORITHM, PLACES, PLACES, st.integers(1, 12), st.integers(1, 12))
@settings(max_examples=40)
def test_every_point_is_a_mean_of_earlier_ones_displaced_once(
    seed: int, h: float, algorithm: str, south: int, west: int, rows: int, columns: int
) -> None:
    displacement = MidpointDisplacement(wavelength=8.0, height=2.0, smoothness=h, algorithm=algorithm, splits=5)
    heights = displace_midpoints(Grid(rows, columns, 1.0, south, west), displacement, seed)
    height, bound = lattice(seed, displacement.smoothness, algorithm)
    expected = [[height(3, south + i, west + j) for j in range(columns)] for i in range(rows)]
    np.testing.assert_allclose(heights, 1.0 + np.array(expected) / bound(5), atol=2e-6)


@pytest.mark.parametrize("algorithm", sorted(ALGORITHMS))
@pytest.mark.parametrize("cell", [1.0, 1.3, 0.4], ids=["on the lattice", "between", "finer than all splits"])
@pytest.mark.parametrize("start", [(0.0, 0.0), (-517.0, 1e6), (12.5, -7.25)])
def test_a_window_is_the_same_as_that_part_of_the_whole(
    algorithm: str, cell: float, start: tuple[float, float]
) -> None:
    displacement = MidpointDisplacement(wavelength=64.0, algorithm=algorithm, splits=7)
    grid = Grid(70, 90, cell, *start)
    whole = displace_midpoints(grid, displacement, 3)
    for row, column, rows, columns in ((0, 0, 35, 41), (13, 22, 57, 68), (69, 89, 1, 1), (31, 0, 1, 90)):
        piece = displace_midpoints(grid.window(row, column, rows, columns), displacement, 3)
        assert piece.tobytes() == whole[row : row + rows, column : column + columns].tobytes()


@pytest.mark.parametrize("algorithm", sorted(ALGORITHMS))
def test_a_finer_grid_keeps_all_points(algorithm: str) -> None:
    displacement = MidpointDisplacement(wavelength=64.0, algorithm=algorithm)
    coarse = displace_midpoints(Grid(33, 33, 2.0, 5.0, -8.0), displacement, 4)
    fine = displace_midpoints(Grid(65, 65, 1.0, 10.0, -16.0), displacement, 4)
    np.testing.assert_array_equal(fine[::2, ::2], coarse)
    assert np.std(fine - np.repeat(np.repeat(coarse, 2, 0), 2, 1)[:-1, :-1]) > 0.0


def test_between_its_points_the_lattice_is_smooth() -> None:
    # Cells of 1.5 m over points 1 m apart: every second sample is a point, the others lie in the middle of four.
    displacement = MidpointDisplacement(wavelength=64.0, smoothness=1.0)
    points = displace_midpoints(Grid(61, 61, 1.0), displacement, 8).astype(float)
    between = displace_midpoints(Grid(41, 41, 1.5), displacement, 8)
    np.testing.assert_allclose(between[::2, ::2], points[::3, ::3], atol=1e-3)
    keys = np.array([-1.0, 9.0, 9.0, -1.0]) / 16.0
    centre = keys @ points[3:7, 3:7] @ keys
    assert between[3, 3] == pytest.approx(centre, abs=1e-3)


def test_squares_too_small_for_the_grid_make_level_land() -> None:
    displacement = MidpointDisplacement(wavelength=0.01, height=100.0, base_altitude=7.0)
    np.testing.assert_array_equal(displace_midpoints(Grid(50, 60, 120.0), displacement, 1), np.float32(57.0))


def roughness(heights: np.ndarray) -> float:
    """The exponent with which differences of height grow with distance."""
    distances = np.array([2, 4, 8, 16, 32])
    growth = [np.sqrt(np.mean((heights[:, d:] - heights[:, :-d]) ** 2)) for d in distances]
    return float(np.polyfit(np.log(distances), np.log(growth), 1)[0])


@pytest.mark.parametrize("algorithm", sorted(ALGORITHMS))
@pytest.mark.parametrize("h", [0.3, 0.5, 0.8])
def test_increments_grow_as_distance_to_the_h(algorithm: str, h: float) -> None:
    displacement = MidpointDisplacement(wavelength=512.0, smoothness=h, algorithm=algorithm)
    lands = [displace_midpoints(Grid(513, 513, 1.0), displacement, seed) for seed in range(6)]
    # Squares leave creases, which make the exponent a little low: a property of the model.
    assert h - 0.15 < np.mean([roughness(land) for land in lands]) < h + 0.05
    # The same heights in any order have no such law.
    shuffled = np.random.default_rng(1).permutation(lands[0].ravel()).reshape(lands[0].shape)
    assert abs(roughness(shuffled)) < 0.02


def test_diamond_square_has_fainter_creases() -> None:
    # Across the side of a square the slope breaks: compare the second difference on such a line with that elsewhere.
    creases = []
    for algorithm in ("midpoint", "diamond_square"):
        displacement = MidpointDisplacement(wavelength=64.0, smoothness=1.0, algorithm=algorithm, splits=6)
        heights = displace_midpoints(Grid(641, 641, 1.0), displacement, 5).astype(float)
        bends = np.mean((heights[:, 2:] - 2.0 * heights[:, 1:-1] + heights[:, :-2]) ** 2, axis=0)
        creases.append(bends[31::32].mean() / np.median(bends))
    assert creases[0] > 2.0
    assert creases[1] - 1.0 < 0.6 * (creases[0] - 1.0)


@pytest.mark.parametrize("algorithm", sorted(ALGORITHMS))
def test_one_and_two_threads_make_the_same_bytes(algorithm: str) -> None:
    threads = thread_count()
    displacement = MidpointDisplacement(wavelength=100.0, algorithm=algorithm)
    results = []
    try:
        for count in {1, threads}:
            set_thread_count(count)
            results.append([displace_midpoints(Grid(99, 97, cell), displacement, 2).tobytes() for cell in (0.7, 0.5)])
    finally:
        set_thread_count(threads)
    assert results[0] == results[-1]


# --- given corners ---


CORNERS = {"south_west": 0.3, "south_east": 0.7, "north_west": 0.45, "north_east": 0.55}


@pytest.mark.parametrize("algorithm", sorted(ALGORITHMS))
def test_a_land_has_the_corners_that_a_user_gives(algorithm: str) -> None:
    source = MidpointDisplacement(wavelength=1000.3, corners="given", algorithm=algorithm, height=2000.0, **CORNERS)
    recipe = core.Recipe(width=1000.3, depth=1000.3, resolution=129, relief=Relief.of(source), erosion=())
    land = core.build(core.Recipe.loads(recipe.dumps()), extent="terrain").terrain.surface
    np.testing.assert_allclose(land[[0, 0, -1, -1], [0, -1, 0, -1]], [600.0, 1400.0, 900.0, 1100.0], atol=1e-3)
    # Between the corners it is as rough as with random ones, and no rougher.
    free = source.replace(corners="random")
    steps = [np.std(np.diff(displace_midpoints(Grid(129, 129, 1000.3 / 128), one, 1))) for one in (source, free)]
    assert steps[0] == pytest.approx(steps[1], rel=0.1)


def test_a_square_with_given_corners_is_the_published_one() -> None:
    source = MidpointDisplacement(
        wavelength=64.0, corners="given", splits=6, smoothness=1.0, height=1000.0, base_altitude=-100.0, **CORNERS
    )
    reach = 1.0 + sum(2.0**-k for k in range(6))
    corners = tuple(1000.0 * share - 100.0 for share in CORNERS.values())
    square = midpoint_heights(65, 1.0, corners, 7, amplitude=500.0 / reach)
    np.testing.assert_allclose(displace_midpoints(Grid(65, 65, 1.0), source, 7), square, atol=1e-3)


def test_squares_beside_one_with_given_corners_go_on_from_it() -> None:
    source = MidpointDisplacement(wavelength=32.0, corners="given", **CORNERS)
    heights = displace_midpoints(Grid(97, 97, 1.0, -32.0, -32.0), source, 3)
    np.testing.assert_allclose(heights[0::64, 0::64], 1800.0 * CORNERS["north_east"], atol=0.01)
    np.testing.assert_allclose(heights[32::64, 32::64], 1800.0 * CORNERS["south_west"], atol=0.01)
    assert np.abs(np.diff(heights)).max() < 400.0


def test_extreme_corners_stay_in_the_range() -> None:
    ends = {"south_west": 0.0, "south_east": 1.0, "north_west": 1.0, "north_east": 0.0}
    for cell in (1.0, 1.7):
        source = MidpointDisplacement(wavelength=64.0, corners="given", smoothness=0.3, **ends)
        heights = displace_midpoints(Grid(65, 65, cell), source, 3)
        assert heights.min() == 0.0 and heights.max() == 1800.0


# --- a single square --------------------------------------------------------------------------------------------------


@given(SEEDS, st.floats(0.0, 16.0), ALGORITHM, PLACES, PLACES, st.tuples(*[st.floats(-9.0, 9.0)] * 6))
@settings(max_examples=30)
def test_neighbouring_squares_agree_on_their_edge(
    seed: int, h: float, algorithm: str, row: int, column: int, c: tuple[float, ...]
) -> None:
    # Six corners of two squares, side by side or one above the other.
    here = midpoint_heights(17, h, (c[0], c[1], c[2], c[3]), seed, algorithm, 3.0, (row, column))
    east = midpoint_heights(17, h, (c[1], c[4], c[3], c[5]), seed, algorithm, 3.0, (row, column + 1))
    north = midpoint_heights(17, h, (c[2], c[3], c[4], c[5]), seed, algorithm, 3.0, (row + 1, column))
    np.testing.assert_array_equal(here[:, -1], east[:, 0])
    np.testing.assert_array_equal(here[-1], north[0])
    # At another place a square has another edge.
    elsewhere = midpoint_heights(17, h, (c[1], c[4], c[3], c[5]), seed, algorithm, 3.0, (row, column))
    assert not np.array_equal(here[:, -1], elsewhere[:, 0])


@pytest.mark.parametrize("algorithm", sorted(ALGORITHMS))
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6, 33, 50, (7, 20), (1, 9)])
def test_a_square_keeps_its_corners_and_is_cut_to_any_size(algorithm: str, size: int | tuple[int, int]) -> None:
    rows, columns = (size, size) if isinstance(size, int) else size
    corners = (1.0, -2.0, 3.0, 40.0)
    heights = midpoint_heights(size, 0.8, corners, 9, algorithm)
    side = 2 ** max(max(rows, columns) - 2, 0).bit_length() + 1
    whole = midpoint_heights(side, 0.8, corners, 9, algorithm)
    assert heights.shape == (rows, columns)
    np.testing.assert_array_equal(heights, whole[:rows, :columns])
    np.testing.assert_array_equal(whole[[0, 0, -1, -1], [0, -1, 0, -1]], np.float32(corners))


@pytest.mark.parametrize("algorithm", sorted(ALGORITHMS))
def test_without_displacements_a_square_is_the_bilinear_patch_of_its_corners(algorithm: str) -> None:
    heights = midpoint_heights(33, 0.5, (1.0, 5.0, -3.0, 8.0), 1, algorithm, 0.0)
    y, x = np.mgrid[0:33, 0:33] / 32.0
    expected = (1 - y) * ((1 - x) * 1.0 + x * 5.0) + y * ((1 - x) * -3.0 + x * 8.0)
    np.testing.assert_allclose(heights, expected, atol=1e-5)


def test_first_displacements_of_a_square_reach_the_amplitude_and_shrink_by_two_to_the_minus_h() -> None:
    squares = [midpoint_heights(5, 1.5, (0.0,) * 4, seed, amplitude=2.0) for seed in range(2000)]
    centres = [abs(square[2, 2]) for square in squares]
    sides = [abs(square[0, 1] - 0.5 * (square[0, 0] + square[0, 2])) for square in squares]
    assert 1.99 < max(centres) <= 2.0
    assert 1.99 * 2.0**-1.5 < max(sides) <= 2.0 * 2.0**-1.5 + 1e-6


def test_extremes_of_h_are_gravel_and_a_smooth_sheet() -> None:
    gravel, sheet = (midpoint_heights(257, h, (0.0,) * 4, 3) for h in (0.0, 16.0))
    assert np.isfinite(gravel).all() and np.isfinite(sheet).all()
    assert np.abs(np.diff(gravel)).mean() > 50.0 * np.abs(np.diff(sheet)).mean()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"size": 0}, "size = 0 is outside 1 to 32769"),
        ({"size": (4, 40000)}, "outside 1 to 32769 points"),
        ({"hurst": -0.1}, "hurst = -0.1 is outside 0 to 16"),
        ({"hurst": math.nan}, "hurst = nan"),
        ({"corners": (1.0, 2.0, 3.0)}, "are not four heights"),
        ({"corners": (1.0, 2.0, 3.0, math.inf)}, "are not four heights"),
        ({"algorithm": "square"}, "algorithm = 'square' is none of: midpoint, diamond_square"),
        ({"amplitude": -1.0}, "amplitude = -1.0 is outside 0 to"),
    ],
)
def test_invalid_squares_are_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        midpoint_heights(**{"size": 5, "hurst": 0.5, **arguments})  # type: ignore[arg-type]


def test_squares_without_a_side_are_refused() -> None:
    with pytest.raises(ValueError, match=r"wavelength = 0.0 m is outside 0.01 to"):
        MidpointDisplacement(wavelength=0.0)

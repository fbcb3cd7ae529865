"""What holds for every noise and every surface made of it, whatever its parameters."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import cKDTree

from terrain_addon.core.foundation import compilation
from terrain_addon.core.foundation.hashing import hash_place
from terrain_addon.core.foundation.terrain import Grid
from terrain_addon.core.relief.bases import BASES
from terrain_addon.core.relief.cell_distances import FEATURES, METRICS, cellular_limit
from terrain_addon.core.relief.cells import CellularNoise, make_cellular_noise
from terrain_addon.core.relief.double_ridged_noise import DoubleRidgedNoise, make_double_ridged_noise
from terrain_addon.core.relief.fractal_noise import FractalNoise, make_fractal_noise
from terrain_addon.core.relief.height_range import fill_range
from terrain_addon.core.relief.lattice import FADES, PLANE_GRADIENTS, VectorSet
from terrain_addon.core.relief.multifractal_noise import MultifractalNoise, make_multifractal_noise, multifractal_range
from terrain_addon.core.relief.octaves import OctaveNoise, Octaves, OctaveUse, amplitude_sum, place_octaves
from terrain_addon.core.relief.oracle.cellular_noise import cellular_noise
from terrain_addon.core.relief.oracle.gradient_noise import (
    SPACE_GRADIENTS,
    gradient_noise,
    gradient_noise_3d,
    gradient_noise_slope,
)
from terrain_addon.core.relief.oracle.lattice_noise import Permutation
from terrain_addon.core.relief.oracle.moving_noise import (
    moving_cellular_noise,
    moving_gradient_noise,
    moving_simplex_noise,
    moving_value_noise,
)
from terrain_addon.core.relief.oracle.simplex_noise import simplex_noise
from terrain_addon.core.relief.oracle.value_noise import value_noise, value_noise_slope
from terrain_addon.core.relief.oracle.white_noise import white_noise
from terrain_addon.core.relief.permutation_tables import TABLE_B
from terrain_addon.core.relief.slope_damped_noise import SlopeDampedNoise, make_slope_damped_noise
from terrain_addon.core.relief.sources import SOURCES
from terrain_addon.core.relief.warping import pull_of
from terrain_addon.core.relief.white_noise import WhiteNoise, make_white_noise

pytestmark = pytest.mark.once

SEEDS = st.integers(0, 2**31 - 1)
PLACES = st.floats(-1e6, 1e6)

# One source of each kind; every option of every parameter set appears.
LANDS = [
    *(FractalNoise(basis=basis, character=character) for basis in BASES for character in ("smooth", "ridged")),
    FractalNoise(character="billow", gradients="knight_moves_8", fade="cubic", attenuation=2.5),
    FractalNoise(fade="linear", gradients="unit_8"),
    FractalNoise(gradients="axes_diagonals_8", speed=0.7),
    FractalNoise(basis="value", speed=-0.3, drift_east=5.0),
    FractalNoise(basis="simplex", speed=0.3),
    FractalNoise(basis="cellular", speed=0.3, octaves=2),
    FractalNoise(warp=60.0, warp_wavelength=90.0),
    FractalNoise(period=3),
    MultifractalNoise(),
    MultifractalNoise(character="hybrid", offset=0.7, attenuation=1.5),
    MultifractalNoise(character="hetero", offset=0.6, basis="value"),
    MultifractalNoise(basis="simplex", warp=40.0),
    SlopeDampedNoise(),
    SlopeDampedNoise(character="swiss", speed=1.0),
    SlopeDampedNoise(character="jordan", drift_north=-3.0),
    DoubleRidgedNoise(),
    DoubleRidgedNoise(warp=50.0, attenuation=2.0),
    *(CellularNoise(feature=f, metric=m) for f in FEATURES for m in METRICS),
    CellularNoise(octaves=3, upside_down=True),
    WhiteNoise(),
    WhiteNoise(wavelength=20.0, attenuation=3.0),
]
EACH_LAND = pytest.mark.parametrize("land", LANDS, ids=lambda n: f"{n.model()}-{LANDS.index(n)}")


def scaled(land: OctaveNoise | WhiteNoise) -> OctaveNoise | WhiteNoise:
    """The same source with waves short enough for small grids."""
    if isinstance(land, WhiteNoise):
        return land
    second = {"second_wavelength": 130.0} if isinstance(land, DoubleRidgedNoise) else {}
    return land.replace(wavelength=200.0, **second)


# --- noise at points --------------------------------------------------------------------------------------------------


def agreed_peak(vector_set: VectorSet, fade: str, place: tuple[float, ...]) -> float:
    """The highest value of lattice noise at a place, if all nodes around it choose their best vector."""
    steps = {"quintic": lambda t: t**3 * (t * (6 * t - 15) + 10), "cubic": lambda t: t * t * (3 - 2 * t)}
    share = [steps.get(fade, lambda t: t)(t) for t in place]
    total = 0.0
    for corner in itertools.product((0, 1), repeat=len(place)):
        weight = math.prod(s if c else 1 - s for s, c in zip(share, corner))
        offset = np.zeros(3)
        offset[: len(place)] = np.subtract(place, corner)
        total += weight * float((vector_set.vectors @ offset).max())
    return total


@pytest.mark.parametrize("fade", FADES)
@pytest.mark.parametrize(
    ("vector_set", "axes"),
    [*((s, 2) for s in PLANE_GRADIENTS.values()), *((s, 3) for s in SPACE_GRADIENTS.values())],
    ids=[*PLANE_GRADIENTS, *SPACE_GRADIENTS],
)
def test_stated_limit_of_gradient_noise_is_its_true_one(vector_set: VectorSet, axes: int, fade: str) -> None:
    places = itertools.product(np.linspace(0.0, 0.5, 41 if axes == 2 else 15), repeat=axes)
    highest = max(agreed_peak(vector_set, fade, place) for place in places)
    assert 0.995 * vector_set.limits[fade] < highest <= vector_set.limits[fade] * (1 + 1e-12)


@given(SEEDS, PLACES, PLACES, st.sampled_from(list(PLANE_GRADIENTS)), st.sampled_from(list(FADES)))
def test_noises_stay_within_their_stated_ranges(seed: int, x: float, y: float, gradients: str, fade: str) -> None:
    xs, ys = x + np.linspace(0.0, 3.0, 41), y + np.linspace(3.0, 0.0, 41)
    limit = PLANE_GRADIENTS[gradients].limits[fade]
    assert np.abs(gradient_noise(xs, ys, seed, fade=fade, gradients=gradients)).max() <= limit
    space = SPACE_GRADIENTS["cube_edges"].limits[fade]
    assert np.abs(gradient_noise_3d(xs, ys, xs - y, seed, fade=fade)).max() <= space
    z = x - y
    for noise in (value_noise(xs, ys, seed, fade=fade), moving_value_noise(xs, ys, z, seed, fade=fade)):
        assert np.abs(noise).max() <= 1.0 + 1e-15
    for noise in (simplex_noise(xs, ys, seed), moving_simplex_noise(xs, ys, z, seed)):
        assert np.abs(noise).max() <= 1.0
    white = white_noise(xs, ys, seed)
    assert white.min() >= 0.0 and white.max() < 1.0


@given(SEEDS, PLACES, PLACES)
def test_gradient_noise_is_zero_at_nodes(seed: int, x: float, y: float) -> None:
    assert abs(float(gradient_noise(math.floor(x), math.floor(y), seed))) < 1e-12
    assert abs(float(gradient_noise_3d(math.floor(x), math.floor(y), 7.0, seed))) < 1e-12


@given(SEEDS, st.integers(-100, 100), st.floats(0.01, 0.99), st.sampled_from(["gradient", "value", "simplex", "cube"]))
def test_noise_and_its_slope_are_continuous_across_cells(seed: int, node: int, y: float, kind: str) -> None:
    step = 1e-4
    x = node + step * np.arange(-2, 3)
    noise = {
        "gradient": lambda: gradient_noise(x, y, seed),
        "value": lambda: value_noise(x, y, seed),
        "simplex": lambda: simplex_noise(x, y, seed),
        "cube": lambda: gradient_noise_3d(x, y, 0.3, seed),
    }[kind]()
    slope = np.diff(noise) / step
    assert np.abs(np.diff(noise)).max() < 10 * step
    assert np.abs(np.diff(slope)).max() < 100 * step


def test_the_linear_fade_has_creases() -> None:
    """The control of the law above: with straight blending the slope jumps at the border of a cell."""
    step = 1e-4
    x = 5.0 + step * np.array([[-1], [0], [1]])
    slopes = np.diff(gradient_noise(x, np.linspace(0.2, 0.8, 50), 3, fade="linear"), axis=0) / step
    assert np.abs(np.diff(slopes, axis=0)).max() > 0.3


@given(SEEDS, st.floats(-1e3, 1e3), st.floats(-1e3, 1e3), st.sampled_from(list(FADES)), st.integers(0, 9))
def test_derivative_is_the_finite_difference(seed: int, x: float, y: float, fade: str, period: int) -> None:
    h = 1e-5
    # Away from the borders of cells, where straight blending has two slopes.
    x, y = math.floor(x) + 0.1 + 0.8 * (x % 1.0), math.floor(y) + 0.1 + 0.8 * (y % 1.0)
    for noise, slope in ((gradient_noise, gradient_noise_slope), (value_noise, value_noise_slope)):
        along_x, along_y = slope(x, y, seed, fade=fade, period=period)
        ends = noise([x + h, x - h, x, x], [y, y, y + h, y - h], seed, fade=fade, period=period)
        assert along_x == pytest.approx((ends[0] - ends[1]) / (2 * h), abs=1e-6)
        assert along_y == pytest.approx((ends[2] - ends[3]) / (2 * h), abs=1e-6)


@given(SEEDS, st.integers(1, 20), st.integers(-5, 5), st.integers(-5, 5))
def test_periods_are_exact(seed: int, period: int, i: int, j: int) -> None:
    # Multiples of 1/64 are exact numbers, so the two places are the same place.
    x, y = np.random.default_rng(seed).integers(-640, 640, (2, 30)) / 64.0
    for noise in (gradient_noise, value_noise, cellular_noise):
        there = noise(x + i * period, y + j * period, seed, period=period)
        np.testing.assert_array_equal(there, noise(x, y, seed, period=period))
    for moving in (moving_gradient_noise, moving_value_noise, moving_cellular_noise):
        there = moving(x + i * period, y + j * period, 0.375, seed, period=period)
        np.testing.assert_array_equal(there, moving(x, y, 0.375, seed, period=period))


def test_without_a_period_nothing_repeats() -> None:
    x, y = np.random.default_rng(1).uniform(0, 50, (2, 4000))
    for period in (64, 256, 65536):
        assert abs(np.corrcoef(gradient_noise(x, y, 1), gradient_noise(x + period, y, 1))[0, 1]) < 0.08


@pytest.mark.parametrize("metric", METRICS)
def test_cellular_noise_finds_the_nearest_points(metric: str) -> None:
    seed, reach = np.uint32(77), range(-8, 19)
    cells = [(i, j, hash_place(i, j, seed)) for i in reach for j in reach]
    points = [(i + (h & 0xFFFF) / 65536, j + (h >> 16) / 65536) for i, j, h in cells]
    x, y = np.random.default_rng(5).uniform(-2, 12, (2, 3000))
    order = {"euclidean": 2, "manhattan": 1, "chebyshev": np.inf}[metric]
    near = cKDTree(points).query(np.stack([x, y], axis=1), k=2, p=order)[0].T
    for feature, expected in (("f1", near[0]), ("f2", near[1]), ("f2_minus_f1", near[1] - near[0])):
        noise = cellular_noise(x, y, 77, feature=feature, metric=metric)
        np.testing.assert_allclose(noise, expected, atol=1e-12)
        assert noise.max() <= cellular_limit(feature, metric)


def test_increments_are_the_same_in_all_directions() -> None:
    """Mean squared difference over half a cell, along 16 directions, over its mean.

    Bounds: 6 %.  The control, the same noise stretched by a tenth, leaves them.
    """
    rng = np.random.default_rng(4)
    x, y = rng.uniform(-1000, 1000, (2, 60_000))
    angles = np.arange(16) * (math.pi / 16)

    def spread(noise: object) -> float:
        here = noise(x, y)
        squares = [np.mean((noise(x + 0.5 * math.cos(a), y + 0.5 * math.sin(a)) - here) ** 2) for a in angles]
        return float(np.ptp(squares) / np.mean(squares))

    assert spread(lambda x, y: gradient_noise(x, y, 1)) < 0.06
    assert spread(lambda x, y: value_noise(x, y, 1)) < 0.06
    assert spread(lambda x, y: simplex_noise(x, y, 1)) < 0.06
    assert spread(lambda x, y: gradient_noise(x, 1.1 * y, 1)) > 0.10


def test_no_two_uses_of_a_seed_see_the_same_octaves() -> None:
    """Not even the second surface of double ridged noise and its pull to the east, which once shared theirs."""
    noise = FractalNoise(wavelength=500.0, octaves=6)
    seeds = [int(s) for use in OctaveUse for s in place_octaves(Grid(2, 2, 1.0), noise, 9, 0.0, use).seeds]
    assert len(set(seeds)) == len(seeds) == 24


def test_octaves_are_decorrelated() -> None:
    """The same places within the lattices of two octaves; without a salt the two are one pattern."""
    x, y = np.random.default_rng(3).uniform(0, 100, (2, 20_000))

    def tabled(salt: int) -> np.ndarray:
        return gradient_noise(x, y, permutation=Permutation(TABLE_B, salt=salt))

    assert np.corrcoef(tabled(0), tabled(0))[0, 1] == pytest.approx(1.0)
    assert abs(np.corrcoef(tabled(32), tabled(16))[0, 1]) < 0.05
    octaves = place_octaves(Grid(2, 2, 1.0), FractalNoise(wavelength=500.0, octaves=6), 9, 0.0)
    patterns = np.corrcoef([gradient_noise(x, y, int(seed)) for seed in octaves.seeds])
    assert np.abs(patterns - np.eye(6)).max() < 0.05
    # And in the heights: what the second octave adds, against a source that begins with the second octave's wavelength.
    grid = Grid(200, 200, 5.0)
    first = make_fractal_noise(grid, FractalNoise(wavelength=100.0, octaves=1), 9)
    both = make_fractal_noise(grid, FractalNoise(wavelength=200.0, octaves=2, gain=1.0), 9)
    coarse = make_fractal_noise(grid, FractalNoise(wavelength=200.0, octaves=1), 9)
    assert abs(np.corrcoef(first.ravel(), (2.0 * both - coarse).ravel())[0, 1]) < 0.25


# --- surfaces against the definition, point by point ------------------------------------------------------------------


def octave_at(octaves: Octaves, octave: int, x: np.ndarray, y: np.ndarray, moved: tuple = (0.0, 0.0)) -> tuple:
    frequency, (east, north, z) = octaves.frequencies[octave], octaves.starts[octave]
    return x * frequency + east + moved[0], y * frequency + north + moved[1], z


def unit_noise(land: OctaveNoise, octaves: Octaves, octave: int, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """One octave in [−1, 1], from the definitions of the noises."""
    px, py, z = octave_at(octaves, octave, x, y)
    seed, period, moving = int(octaves.seeds[octave]), int(octaves.periods[octave]), land.speed != 0.0
    basis = "cellular" if isinstance(land, CellularNoise) else getattr(land, "basis", "gradient")
    fade, gradients = getattr(land, "fade", "quintic"), getattr(land, "gradients", "unit_256")
    place = (px, py, z) if moving else (px, py)
    if basis == "gradient":
        limit = PLANE_GRADIENTS[gradients].limits[fade]
        noise = moving_gradient_noise if moving else gradient_noise
        return noise(*place, seed, fade=fade, gradients=gradients, period=period) / limit
    if basis == "value":
        return (moving_value_noise if moving else value_noise)(*place, seed, fade=fade, period=period)
    if basis == "simplex":
        return (moving_simplex_noise if moving else simplex_noise)(*place, seed)
    options = {"feature": getattr(land, "feature", "f1"), "metric": getattr(land, "metric", "euclidean")}
    limit = cellular_limit(**options)
    distance = (moving_cellular_noise if moving else cellular_noise)(*place, seed, **options, period=period)
    return (2.0 * distance / limit - 1.0) * (-1.0 if getattr(land, "upside_down", False) else 1.0)


def defined(land: OctaveNoise, grid: Grid, seed: int, time: float) -> np.ndarray:
    """The heights as the equations say, in float64, without any of the fast code."""
    y, x = np.mgrid[0 : grid.rows, 0 : grid.columns] * grid.cell_size
    if land.warp > 0.0:
        east, north = pull_of(grid, land, seed, time)
        x, y = x + east, y + north
    character = getattr(land, "character", "smooth")
    if isinstance(land, DoubleRidgedNoise):
        second = land.replace(wavelength=land.second_wavelength, gain=land.second_gain)
        shares = [plain_sum(land, place_octaves(grid, land, seed, time), x, y)]
        shares.append(plain_sum(second, place_octaves(grid, second, seed, time, OctaveUse.SECOND_SURFACE), x, y))
        share = np.minimum(*shares)
    elif isinstance(land, SlopeDampedNoise):
        share = slope_damped(land, place_octaves(grid, land, seed, time), x, y, character)
    elif isinstance(land, MultifractalNoise):
        share = multifractal(land, place_octaves(grid, land, seed, time), x, y, character)
    else:
        fold = {"smooth": lambda n: 0.5 + 0.5 * n, "billow": np.abs, "ridged": lambda n: 1.0 - np.abs(n)}[character]
        octaves = place_octaves(grid, land, seed, time)
        folded = [a * fold(unit_noise(land, octaves, o, x, y)) for o, a in enumerate(octaves.amplitudes)]
        hidden = amplitude_sum(land) - octaves.amplitudes.sum()
        share = (sum(folded) + (0.5 * hidden if character == "smooth" else 0.0)) / amplitude_sum(land)
    return land.base_altitude + land.height * np.clip(share, 0.0, 1.0) ** land.attenuation


def plain_sum(land: OctaveNoise, octaves: Octaves, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    total = sum(a * unit_noise(land, octaves, o, x, y) for o, a in enumerate(octaves.amplitudes))
    return 0.5 + 0.5 * total / amplitude_sum(land)


def multifractal(land: MultifractalNoise, octaves: Octaves, x: np.ndarray, y: np.ndarray, character: str) -> np.ndarray:
    total = signal = np.zeros(x.shape)
    for o, a in enumerate(octaves.amplitudes):
        n = unit_noise(land, octaves, o, x, y)
        if character == "ridged":
            signal = (land.offset - np.abs(n)) ** 2 * (1.0 if o == 0 else np.clip(signal * land.sharpness, 0, 1))
            total = total + a * signal
        elif character == "hybrid":
            signal = a * (n + land.offset) * (1.0 if o == 0 else np.minimum(signal, 1.0))
            total = total + signal
        else:
            total = n + land.offset if o == 0 else total + a * (n + land.offset) * total
    low, high = multifractal_range(land)
    return (total - low) / (high - low)


def slope_damped(land: SlopeDampedNoise, octaves: Octaves, x: np.ndarray, y: np.ndarray, character: str) -> np.ndarray:
    total, carry, slopes = np.zeros(x.shape), np.ones(x.shape), np.zeros((2, *x.shape))
    limit = PLANE_GRADIENTS["unit_256"].limits["quintic"]
    for o, a in enumerate(octaves.amplitudes):
        ratio = octaves.frequencies[o] / octaves.frequencies[0]
        moved = {"damped": 0.0, "swiss": land.damping * ratio, "jordan": 0.35}[character] * slopes
        px, py, _ = octave_at(octaves, o, x, y, tuple(moved))
        n = gradient_noise(px, py, int(octaves.seeds[o])) / limit
        d = gradient_noise_slope(px, py, int(octaves.seeds[o])) / limit
        if character == "damped":
            slopes = slopes + d
            total = total + a * n / (1.0 + land.damping * (slopes**2).sum(axis=0))
        elif character == "swiss":
            total = total + a * carry * (1.0 - np.abs(n))
            slopes = slopes - a * carry * n * d
            carry = carry * np.clip(total, 0.0, 1.0)
        else:
            weight = a * (1.0 if o == 0 else 1.0 - land.damping / (1.0 + (slopes**2).sum(axis=0)))
            total = total + weight * n * n
            slopes = slopes + n * d
    most = amplitude_sum(land)
    return (total + most) / (2.0 * most) if character == "damped" else total / most


@pytest.mark.parametrize(
    "land",
    [n for n in LANDS if isinstance(n, OctaveNoise) and not (isinstance(n, SlopeDampedNoise) and n.speed)],
    ids=lambda n: f"{n.model()}-{LANDS.index(n)}",
)
def test_land_is_what_its_equations_say(land: OctaveNoise) -> None:
    land = scaled(land).replace(height=1000.0, octaves=min(land.octaves, 5))
    grid = Grid(37, 300, 3.0)
    for seed, time in ((1, 0.0), (2**31 - 1, 2.6)):
        heights = SOURCES[type(land)].make(grid, land, seed, time)
        # Points that are moved by slopes multiply the rounding of float32 from octave to octave.
        tolerance = 0.5 if isinstance(land, SlopeDampedNoise) else 0.02
        np.testing.assert_allclose(heights, defined(land, grid, seed, time), atol=tolerance)


@pytest.mark.parametrize("speed", [0.0, 1.0])
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("feature", ["f1", "f2"])
def test_points_beyond_the_neighbouring_cells_are_found(feature: str, metric: str, speed: float) -> None:
    """Here and there a nearest point lies two cells away; the grid has enough cells for that to happen."""
    land = CellularNoise(wavelength=7.0, feature=feature, metric=metric, speed=speed, height=1000.0)
    grid = Grid(100, 300 if speed == 0.0 else 100, 3.0)
    np.testing.assert_allclose(make_cellular_noise(grid, land, 5, 0.4), defined(land, grid, 5, 0.4), atol=0.02)


@given(
    seed=SEEDS,
    octaves=st.integers(1, 9),
    wavelength=st.floats(5.0, 900.0),
    gain=st.floats(0.0, 1.0),
    lacunarity=st.floats(1.1, 4.0),
    rows=st.integers(1, 70),
    columns=st.integers(1, 70),
)
def test_fractal_noise_is_the_sum_that_it_says(
    seed: int, octaves: int, wavelength: float, gain: float, lacunarity: float, rows: int, columns: int
) -> None:
    noise = FractalNoise(wavelength=wavelength, octaves=octaves, gain=gain, lacunarity=lacunarity, height=1000.0)
    grid = Grid(rows, columns, 7.0)
    np.testing.assert_allclose(make_fractal_noise(grid, noise, seed), defined(noise, grid, seed, 0.0), atol=0.02)


# --- surfaces: range, windows, time -----------------------------------------------------------------------------------


@EACH_LAND
@settings(max_examples=6)
@given(seed=SEEDS, base=st.floats(-500.0, 500.0), height=st.floats(0.0, 5000.0), time=st.floats(-1e4, 1e4))
def test_land_stays_within_base_and_height(
    land: OctaveNoise, seed: int, base: float, height: float, time: float
) -> None:
    land = scaled(land).replace(base_altitude=base, height=height)
    heights = SOURCES[type(land)].make(Grid(40, 40, 9.0), land, seed, time)
    slack = 1e-6 * (abs(base) + height) + 1e-30
    assert heights.dtype == np.float32 and heights.flags.c_contiguous
    assert heights.min() >= base - slack and heights.max() <= base + height + slack


@given(
    character=st.sampled_from(["ridged", "hybrid", "hetero"]),
    offset=st.floats(0.5, 2.0),
    sharpness=st.floats(0.0, 10.0),
    gain=st.floats(0.0, 1.0),
    octaves=st.integers(1, 24),
    signs=st.lists(st.floats(-1.0, 1.0), min_size=24, max_size=24),
)
def test_multifractals_cannot_leave_their_range(
    character: str, offset: float, sharpness: float, gain: float, octaves: int, signs: list[float]
) -> None:
    """Here the octaves are any numbers in [−1, 1]."""
    land = MultifractalNoise(character=character, offset=offset, sharpness=sharpness, gain=gain, octaves=octaves)
    total = signal = 0.0
    for o in range(octaves):
        a, n = land.gain**o, signs[o]
        if character == "ridged":
            signal = (land.offset - abs(n)) ** 2 * (1.0 if o == 0 else min(max(signal * land.sharpness, 0.0), 1.0))
            total += a * signal
        elif character == "hybrid":
            signal = a * (n + land.offset) * (1.0 if o == 0 else min(signal, 1.0))
            total += signal
        else:
            total = n + land.offset if o == 0 else total * (1.0 + a * (n + land.offset))
    low, high = multifractal_range(land)
    slack = 1e-9 * (1.0 + abs(low) + abs(high))
    assert math.isfinite(high) and low - slack <= total <= high + slack


@EACH_LAND
def test_a_window_is_the_same_piece_of_the_whole(land: OctaveNoise) -> None:
    land, make = scaled(land), SOURCES[type(land)].make
    for first_row, first_column in ((0.0, 0.0), (1e6 + 0.5, -1e6)):
        whole = Grid(301, 290, 5.3, first_row, first_column)
        heights = make(whole, land, 5, 0.9)
        for row, column, rows, columns in ((0, 0, 1, 1), (1, 3, 100, 97), (17, 255, 270, 35), (300, 289, 1, 1)):
            piece = make(whole.window(row, column, rows, columns), land, 5, 0.9)
            np.testing.assert_array_equal(piece, heights[row : row + rows, column : column + columns])


@EACH_LAND
def test_threads_do_not_matter(land: OctaveNoise) -> None:
    before = compilation.thread_count()
    try:
        made = []
        for threads in (1, before):
            compilation.set_thread_count(threads)
            made.append(SOURCES[type(land)].make(Grid(130, 70, 5.0), scaled(land), 5, 0.9))
    finally:
        compilation.set_thread_count(before)
    np.testing.assert_array_equal(*made)


def test_far_away_land_is_as_exact_as_near_land() -> None:
    noise, grid = FractalNoise(wavelength=200.0, height=1000.0, octaves=5), Grid(20, 20, 3.0, 1e6, -1e6)
    octaves = place_octaves(grid, noise, 4, 0.0)
    y, x = (np.mgrid[0:20, 0:20] + np.array([1e6, -1e6])[:, np.newaxis, np.newaxis]) * 3.0
    expected = 1000.0 * plain_sum(noise, octaves, x, y)
    np.testing.assert_allclose(make_fractal_noise(grid, noise, 4), expected, atol=0.02)


def test_a_finer_grid_shows_the_same_land() -> None:
    for land in (FractalNoise(wavelength=400.0, octaves=4), MultifractalNoise(wavelength=400.0, octaves=4)):
        coarse = SOURCES[type(land)].make(Grid(65, 65, 16.0), land, 5)
        fine = SOURCES[type(land)].make(Grid(129, 129, 8.0), land, 5)
        np.testing.assert_allclose(fine[::2, ::2], coarse, atol=1e-3)


@pytest.mark.parametrize("basis", ["gradient", "value", "cellular"])
@pytest.mark.parametrize("warp", [0.0, 50.0])
def test_land_with_a_period_is_a_seamless_tile(basis: str, warp: float) -> None:
    noise = FractalNoise(
        wavelength=256.0, octaves=4, period=2, basis=basis, warp=warp, warp_wavelength=128.0, height=1000.0
    )
    heights = make_fractal_noise(Grid(129, 129, 8.0), noise, 3)
    np.testing.assert_allclose(heights[64:], heights[:65], atol=0.01)
    np.testing.assert_allclose(heights[:, 64:], heights[:, :65], atol=0.01)
    endless = make_fractal_noise(Grid(129, 129, 8.0), noise.replace(period=0), 3)
    assert np.abs(endless[64:] - endless[:65]).max() > 50.0


def test_time_changes_the_land_smoothly_in_place() -> None:
    grid = Grid(60, 60, 10.0)
    for basis in BASES:
        noise = FractalNoise(wavelength=300.0, height=1000.0, speed=1.0, basis=basis, octaves=3)
        now, soon, later = (make_fractal_noise(grid, noise, 2, time) for time in (5.0, 5.001, 8.0))
        assert 0.0 < np.abs(soon - now).max() < 10.0
        assert abs(np.corrcoef(now.ravel(), later.ravel())[0, 1]) < 0.9
        still = noise.replace(speed=0.0)
        np.testing.assert_array_equal(make_fractal_noise(grid, still, 2, 5.0), make_fractal_noise(grid, still, 2, 8.0))


def test_drifting_land_slides() -> None:
    noise = FractalNoise(wavelength=300.0, height=1000.0, octaves=4, drift_east=20.0, drift_north=-10.0)
    before = make_fractal_noise(Grid(60, 60, 10.0), noise, 2, 0.0)
    after = make_fractal_noise(Grid(60, 60, 10.0), noise, 2, 5.0)
    # After five seconds the land lies ten cells further to the east and five further to the south.
    np.testing.assert_allclose(after[:55, 10:], before[5:, :50], atol=0.01)


def test_a_pull_stays_within_its_reach() -> None:
    noise = FractalNoise(warp=120.0, warp_wavelength=100.0)
    for pull in pull_of(Grid(80, 80, 5.0), noise, 3, 0.0):
        assert 20.0 < np.abs(pull).max() <= 120.0


def test_crests_appear_where_two_lands_cross() -> None:
    noise = DoubleRidgedNoise(wavelength=200.0, second_wavelength=160.0, octaves=1, height=1000.0)
    grid = Grid(200, 200, 4.0)
    bend = np.diff(make_double_ridged_noise(grid, noise, 3), n=2, axis=1)
    smooth = np.diff(make_fractal_noise(grid, FractalNoise(wavelength=200.0, octaves=1, height=1000.0), 3), n=2, axis=1)
    # Crests bend sharply, and only downwards.
    assert -bend.min() > 3.0 * -smooth.min()
    assert bend.max() < 2.0 * smooth.max()


# --- shaping of the range ---------------------------------------------------------------------------------------------


@given(st.floats(1.0, 8.0))
def test_attenuation_is_the_power_it_says(exponent: float) -> None:
    exponent = np.float32(exponent)
    line = np.linspace(0.0, 1.0, 1001, dtype=np.float32)
    exact = line.astype(np.float64) ** float(exponent)
    fill_range(line, np.float32(0.0), np.float32(1.0), exponent)
    np.testing.assert_allclose(line, exact, atol=3e-7)
    assert line[0] == 0.0 and line[-1] == 1.0 and np.all(np.diff(line) >= 0.0)


def test_waves_too_short_for_the_grid_make_level_land() -> None:
    heights = make_fractal_noise(Grid(50, 60, 120.0), FractalNoise(wavelength=0.01, height=100.0), 1)
    np.testing.assert_allclose(heights, 50.0)
    for make, land in (
        (make_multifractal_noise, MultifractalNoise(wavelength=0.01)),
        (make_slope_damped_noise, SlopeDampedNoise(wavelength=0.01)),
        (make_cellular_noise, CellularNoise(wavelength=0.01)),
    ):
        assert np.ptp(make(Grid(50, 60, 120.0), land, 1)) == 0.0


def test_white_noise_is_evenly_distributed_and_uncorrelated() -> None:
    heights = make_white_noise(Grid(300, 300, 1.0), WhiteNoise(height=1.0), 3)
    counts = np.histogram(heights, bins=20, range=(0.0, 1.0))[0]
    assert np.abs(counts - 4500).max() < 6 * math.sqrt(4500)
    assert abs(np.corrcoef(heights[:, 1:].ravel(), heights[:, :-1].ravel())[0, 1]) < 0.02
    squares = make_white_noise(Grid(30, 30, 1.0), WhiteNoise(height=1.0, wavelength=10.0), 3)
    assert len(np.unique(squares)) == 9


# --- bad input --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("x", [np.nan, np.inf, 2.0**41])
def test_noise_refuses_invalid_coordinates(x: float) -> None:
    for noise in (gradient_noise, value_noise, simplex_noise, cellular_noise, white_noise):
        with pytest.raises(ValueError, match="x holds coordinates that are not finite or not below"):
            noise([x], [0.0])


def test_noise_refuses_options_that_it_does_not_have() -> None:
    for call, message in (
        (lambda: gradient_noise(0, 0, fade="cosine"), "fade = 'cosine' is none of: quintic, cubic, linear"),
        (lambda: gradient_noise(0, 0, gradients="9"), "gradients = '9' is none of: unit_256"),
        (lambda: gradient_noise(0, 0, -1), r"seed = -1 is outside 0 to 2³² − 1"),
        (lambda: gradient_noise(0, 0, period=-3), "period = -3 cells is outside 0"),
        (lambda: gradient_noise([0, 1], [0, 1, 2]), "shapes of coordinates do not fit one another"),
        (lambda: cellular_noise(0, 0, metric="hexagonal"), "metric = 'hexagonal' is none of: euclidean"),
        (lambda: cellular_noise(0, 0, feature="f3"), "feature = 'f3' is none of: f1"),
        (lambda: Permutation([1, 2, 3]), "permutation table must hold 256 whole numbers from 0 to 255"),
    ):
        with pytest.raises(ValueError, match=message):
            call()


def test_sources_refuse_invalid_parameters() -> None:
    for call, message in (
        (lambda: FractalNoise(wavelength=0.0), "wavelength = 0.0 m is outside 0.01 to 1000000.0 m"),
        (lambda: FractalNoise(wavelength=-5.0), "wavelength = -5.0 m is outside"),
        (lambda: FractalNoise(gain=1.5), "gain = 1.5 is outside 0.0 to 1.0"),
        (lambda: FractalNoise(octaves=25), "octaves = 25 is outside 1 to 24"),
        (lambda: FractalNoise(period=2, lacunarity=2.5), "lacunarity = 2.5 must be a whole number"),
        (lambda: FractalNoise(period=2, basis="simplex"), "basis = 'simplex' cannot repeat"),
        (lambda: FractalNoise(period=2, warp=1.0, warp_wavelength=1000.0), "warp_wavelength = 1000.0 m does not fit"),
        (lambda: DoubleRidgedNoise(period=1, second_wavelength=1700.0), "second_wavelength = 1700.0 m does not fit"),
        (lambda: make_fractal_noise(Grid(2, 2, 1.0), FractalNoise(), 1, math.nan), "time = nan s is not a finite"),
        (lambda: make_white_noise(Grid(2, 2, 1.0), WhiteNoise(), 1, math.inf), "time = inf s is not a finite"),
    ):
        with pytest.raises(ValueError, match=message):
            call()

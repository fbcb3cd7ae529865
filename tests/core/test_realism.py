"""The realism check tells real land from noise."""

import math
from pathlib import Path

import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.core.building.judging import SPECIAL_FIRST, land_class_of
from terrain_addon.core.flow.drainage import drainage_area
from terrain_addon.core.flow.routing import route_flow
from terrain_addon.core.foundation.terrain import Grid
from terrain_addon.core.maps.land_classes import CLASSES, DIFFERENCES, LandClass
from terrain_addon.core.maps.realism import RealismNumber, check_realism
from terrain_addon.core.relief.fractal_noise import FractalNoise, make_fractal_noise

pytestmark = pytest.mark.once

REAL = Path(__file__).parents[2] / "terrain_addon" / "presets" / "elevation" / "big_tujunga.npz"
CROPS = Path(__file__).parents[1] / "reference" / "dem"


def real_land() -> dict[str, tuple[np.ndarray, float]]:
    """Windows of measured elevation: the San Gabriel Mountains, the Rocky Mountains, the Himalaya."""
    lands = {"big tujunga": (np.load(REAL)["elevation"].astype(np.float32), 30.0)}
    for file in sorted(CROPS.glob("*.npz")):
        data = np.load(file)
        lands[file.stem] = (data["elevation"].astype(np.float32), float(data["cell_size"]))
    return lands


LANDS = real_land()


def noise(seed: int, side: int = 300, gain: float = 0.5) -> np.ndarray:
    grid = Grid(side, side, 30.0)
    return make_fractal_noise(grid, FractalNoise(wavelength=3000.0, height=1500.0, gain=gain), seed)


def valleys(side: int = 200) -> np.ndarray:
    """Parallel V-shaped valleys that all lead south: drained without a hollow, and alike all over."""
    row, column = np.mgrid[0:side, 0:side]
    return (np.abs(column % 20 - 10) * 5.0 + row * 1.0).astype(np.float32)


def test_there_are_lands_of_three_kinds() -> None:
    assert {name.split("_")[0] for name in LANDS} == {"big tujunga", "jasper", "mandakini"}


@pytest.mark.parametrize("name", LANDS)
def test_real_land_is_real(name: str) -> None:
    surface, cell_size = LANDS[name]
    realism = check_realism(surface, cell_size)
    assert realism.score >= 6
    assert not realism.too_perfect
    # Noise of the same heights, in another order, is not.
    shuffled = np.random.default_rng(1).permutation(surface.ravel()).reshape(surface.shape)
    assert check_realism(shuffled, cell_size).score < 6
    # Mountains are neither dunes nor a plain.
    assert check_realism(surface, cell_size, "dunes").score < 6
    assert check_realism(surface, cell_size, "plains").score < 6


@pytest.mark.parametrize("name", LANDS)
def test_real_land_upside_down_is_not(name: str) -> None:
    surface, cell_size = LANDS[name]
    straight, upside_down = check_realism(surface, cell_size), check_realism(-surface, cell_size)
    assert upside_down["fill asymmetry"].value == pytest.approx(-straight["fill asymmetry"].value, abs=1e-3)
    assert upside_down.score < straight.score


@pytest.mark.parametrize("gain", [0.35, 0.5, 0.6])
@pytest.mark.parametrize("seed", range(4))
def test_noise_is_not(seed: int, gain: float) -> None:
    assert check_realism(noise(seed, gain=gain), 30.0).score < 6


def test_numbers_by_hand() -> None:
    # A tilted plain with one hollow of one cell.
    row = np.indices((60, 60))[0]
    surface = (row * 10.0 + 1000.0).astype(np.float32)
    surface[30, 30] -= 25.0
    realism = check_realism(surface, 10.0)
    relief = 590.0
    # It fills up to its lowest neighbour: from 1275 to 1290 m.
    volume = 15.0 / (3600 * relief)
    assert realism["depression volume"].value == pytest.approx(1e3 * volume, rel=1e-4)
    # Upside down there is none; each volume counts 0.2 ‰ more than it is.
    asymmetry = math.log10(2e-4 / (volume + 2e-4))
    assert realism["fill asymmetry"].value == pytest.approx(asymmetry, rel=1e-4)
    # The hollow is 15 m deep, more than 1 % of the relief: what lies above it, in the north, does not get out.
    stuck = 1.0 - realism["drained share"].value
    assert 28 / 3600 <= stuck <= 0.05
    surface[30, 30] += 12.0
    assert check_realism(surface, 10.0)["drained share"].value == 1.0


def test_drainage_density_and_position_of_parallel_valleys() -> None:
    realism = check_realism(valleys(), 10.0)
    # One channel in 20 columns, but for the uppermost cells: 200 · 10 of them, each with a length of 1.
    density = realism["drainage density"].value
    assert density == pytest.approx(10.0 / 20.0, rel=0.06)
    assert realism["channel position"].value < -1.0
    assert realism["rising reaches"].value == 0.0
    assert realism["depression volume"].value == 0.0
    # A straight valley has the same slope for any area: no law, no concavity.
    assert abs(realism["concavity"].value) < 0.05 and not realism["concavity"].passed


def test_concavity_is_that_of_the_profile() -> None:
    # One valley down the middle whose floor follows the law: slope = 0.5 · area^−0.45.
    side = 400
    rows = np.arange(side)
    area = 41.0 * (rows[::-1] + 1.0)
    floor = np.cumsum(0.5 * area**-0.45)
    column = np.abs(np.arange(41) - 20)
    surface = (floor[:, None] + 3.0 * column[None]).astype(np.float32)
    realism = check_realism(surface, 1.0)
    assert realism["concavity"].value == pytest.approx(0.45, abs=0.03)
    assert realism["slope-area fit"].value > 0.98


def test_land_that_is_too_perfect_is_told() -> None:
    (sign,) = check_realism(valleys(), 10.0).too_perfect
    assert sign.startswith("gradients vary by 0.") and "below 0.30" in sign
    # A single dome: all of it would hold water upside down, nothing as it stands.
    row, column = np.mgrid[-100:101, -100:101]
    dome = (-0.02 * (row**2 + column**2)).astype(np.float32)
    (sign,) = check_realism(dome, 10.0).too_perfect
    assert sign.startswith("fill asymmetry 2.99") and "above 2.1" in sign
    assert check_realism(dome, 10.0, "volcano").too_perfect == ()
    # Slopes that are all alike are told of any kind of land.
    assert check_realism(valleys(), 10.0, "volcano").too_perfect


def test_class_follows_from_the_recipe() -> None:
    presets = ("alpine", "dunes", "mesa_and_canyon", "volcano", "islands")
    classes = {name: land_class_of(core.Recipe.preset(name)) for name in presets}
    assert list(classes.values()) == ["mountains", "dunes", "mesa", "volcano", "islands"]
    islands = core.Recipe.preset("islands")
    assert land_class_of(islands.replace(water=islands.water.replace(sea=False))) == "mountains"
    assert land_class_of(core.Recipe(erosion=())) is None


@pytest.mark.parametrize("land_class", CLASSES)
def test_every_class_has_eight_numbers_with_a_source(land_class: LandClass) -> None:
    assert len({one.name for one in CLASSES[land_class].criteria}) == 8
    assert all(one.source and one.low < one.high for one in CLASSES[land_class].criteria)
    assert land_class in (*SPECIAL_FIRST, "badlands", "plains")
    judged = check_realism(noise(1, 100), 30.0, land_class)
    assert judged.land_class == land_class
    assert judged.sentence.startswith(f"{judged.score} of 8 as {land_class}")
    named = [number.name for number in judged.numbers if not number.passed]
    assert named and all(f"{name} " in judged.sentence for name in named)


@pytest.mark.parametrize("land_class", CLASSES)
def test_every_limit_has_plain_words(land_class: LandClass) -> None:
    for one in CLASSES[land_class].criteria:
        too_low, too_high = DIFFERENCES[one.name]
        assert bool(too_low) >= math.isfinite(one.low) and bool(too_high) >= math.isfinite(one.high), one.name
    judged = check_realism(noise(1, 100), 30.0, land_class)
    differences = [number.difference for number in judged.numbers if not number.passed]
    assert f"passes {judged.score} of 8 tests for real " in judged.plain_sentence
    assert all(differences) and judged.plain_sentence.endswith(f"Unlike real land: {', '.join(differences)}.")
    assert not any(number.difference for number in judged.numbers if number.passed)


def test_plain_words_say_nothing_of_what_passes() -> None:
    judged = check_realism(LANDS["big tujunga"][0], 30.0)
    assert judged.score == 8 and judged.plain_sentence == "This land passes 8 of 8 tests for real mountains."
    level = check_realism(np.zeros((64, 64), np.float32), 30.0)
    assert "cannot be measured" in level.plain_sentence


@pytest.mark.parametrize(
    ("value", "shown"),
    [(1.78e-8, "0.0"), (0.0, "0.0"), (0.0008, "0.0008"), (-1.284, "-1.28"), (885.4, "885"), (1110.0, "1110")],
)
def test_numbers_are_shown_without_an_exponent(value: float, shown: str) -> None:
    real = CLASSES["mountains"].criteria[0].real
    assert RealismNumber("relief", value, -math.inf, math.inf, real, "m", "").shown == shown


def test_ranges_hold_what_measured_land_shows() -> None:
    # What we measured on land of a class, as docs/realism.md tells; the data themselves are not in this repository.
    dunes = {
        "steepest slope": (30.27, 30.27),
        "repose ground": (0.0109, 0.0109),
        "oversteep ground": (0.0002, 0.0002),
        "median slope": (1.22, 1.22),
        "crest spacing": (885.0, 885.0),
        "crest height": (25.5, 25.5),
        "spacing ratio": (34.7, 34.7),
        "slope ratio": (1.259, 1.259),
    }
    plains = {
        "depression volume": (0.052, 0.454),
        "rising reaches": (0.0, 0.098),
        "drained share": (1.0, 1.0),
        "slope-area fit": (0.455, 0.870),
        "gentle ground": (0.958, 0.999),
        "relief": (59.6, 90.6),
        "median slope": (0.71, 1.42),
        "steep ground": (0.0, 0.0),
    }
    volcano = {
        "depression volume": (0.0232, 0.0232),
        "rising reaches": (0.0003, 0.0003),
        "drained share": (0.988, 0.988),
        "slope-area fit": (0.83, 0.83),
        "flank slope": (30.05, 30.05),
        "profile ratio": (2.19, 2.19),
        "cone ratio": (0.252, 0.252),
        "steep ground": (0.0065, 0.0065),
    }
    fjords = {
        "rising reaches": (0.026, 0.026),
        "drained share": (0.835, 0.835),
        "slope-area fit": (0.769, 0.769),
        "trough exponent": (1.748, 1.748),
        "hollow volume": (0.607, 0.607),
        "relief": (2673.0, 2673.0),
        "gentle ground": (0.241, 0.241),
        "steepest slope": (51.3, 51.3),
    }
    measured = {"dunes": dunes, "plains": plains, "volcano": volcano, "fjords": fjords}
    for land_class, shown in measured.items():
        limits = {one.name: one for one in CLASSES[land_class].criteria}
        assert set(limits) == set(shown), land_class
        for name, (lowest, highest) in shown.items():
            assert limits[name].low < lowest <= highest < limits[name].high, (land_class, name)
    # A range that holds anything says nothing: dunes have a steeper side, and a plain has rivers that follow a law.
    assert next(one.low for one in CLASSES["dunes"].criteria if one.name == "slope ratio") > 1.1
    assert next(one.low for one in CLASSES["plains"].criteria if one.name == "slope-area fit") > 0.25


@pytest.mark.parametrize("land_class", [name for name in CLASSES if name != "mountains"])
def test_noise_is_no_land_of_any_class(land_class: LandClass) -> None:
    assert check_realism(noise(2), 30.0, land_class).score < 6


def barchans(side: int = 256, steep: float = 0.62, gentle: float = 0.14) -> np.ndarray:
    """Crests 80 m apart across the wind, on cells of a metre: gentle against it, and as steep as sand lies behind."""
    column = np.mgrid[0:side, 0:side][1]
    turn = 80.0 * steep / (steep + gentle)
    along = column % 80
    return np.where(along < turn, gentle * along, gentle * turn - steep * (along - turn)).astype(np.float32)


def test_dunes_are_told_by_their_slip_faces() -> None:
    numbers = {one.name: one for one in check_realism(barchans(), 1.0, "dunes").numbers}
    assert numbers["crest spacing"].value == pytest.approx(80.0, rel=0.1)
    assert numbers["slope ratio"].passed and numbers["repose ground"].passed and numbers["crest height"].passed
    # The same crests with two like sides are none.
    even = {one.name: one for one in check_realism(barchans(steep=0.3, gentle=0.3), 1.0, "dunes").numbers}
    assert not even["slope ratio"].passed and not even["repose ground"].passed


@pytest.mark.parametrize("exponent", [1.0, 2.0])
def test_troughs_have_the_exponent_of_their_sides(exponent: float) -> None:
    row, column = np.mgrid[0:200, 0:201]
    valley = (0.2 * row + 900.0 * (np.abs(column - 100) / 100.0) ** exponent).astype(np.float32)
    fjord = {one.name: one.value for one in check_realism(valley, 30.0, "fjords").numbers}
    assert fjord["trough exponent"] == pytest.approx(exponent, rel=0.15)


def test_a_round_island_has_a_smooth_coast() -> None:
    row, column = np.mgrid[-150:151, -150:151]
    dome = (100.0 - np.hypot(row, column)).astype(np.float32)
    rough = dome + 0.5 * noise(3, 301) - 0.5 * float(noise(3, 301).mean())

    def dimension(surface: np.ndarray) -> float:
        numbers = check_realism(surface, 10.0, "islands", sea_level=0.0).numbers
        return next(one.value for one in numbers if one.name == "coast dimension")

    assert dimension(dome) == pytest.approx(1.0, abs=0.08)
    assert dimension(rough.astype(np.float32)) > dimension(dome) + 0.05


def test_measured_ice_and_rivers_differ_in_their_troughs() -> None:
    exponents = {
        name: next(one.value for one in check_realism(*land, "fjords").numbers if one.name == "trough exponent")
        for name, land in LANDS.items()
    }
    assert max(v for name, v in exponents.items() if "tujunga" in name) < 1.5


def test_level_land_scores_nothing() -> None:
    realism = check_realism(np.full((64, 64), 7.0, np.float32), 10.0)
    assert realism.score == 0 and all(math.isnan(number.value) for number in realism.numbers)


def test_what_can_not_be_judged_is_refused() -> None:
    with pytest.raises(ValueError, match="31 × 40 samples is too small"):
        check_realism(np.zeros((31, 40), np.float32), 1.0)
    with pytest.raises(ValueError, match="surface holds 1 values"):
        check_realism(np.where(np.eye(40) * np.arange(40) == 39, np.nan, 0.0), 1.0)
    with pytest.raises(ValueError, match="land_class = 'sea' is none of"):
        check_realism(np.zeros((40, 40), np.float32), 1.0, "sea")  # type: ignore[arg-type]


def test_only_what_is_above_the_sea_is_judged() -> None:
    land = valleys()
    sea_level = float(np.median(land))

    def values(surface: np.ndarray, sea_level: float | None) -> list[str]:
        return [str(number.value) for number in check_realism(surface, 10.0, sea_level=sea_level).numbers]

    rough_floor = np.where(land > sea_level, land, land - np.abs(noise(1)[: land.shape[0], : land.shape[1]]))
    assert values(rough_floor, sea_level) == values(land, sea_level)
    assert values(rough_floor, None) != values(land, None)
    assert check_realism(land, 10.0, sea_level=float(land.max())).score == 0
    with pytest.raises(ValueError, match="sea_level"):
        check_realism(land, 10.0, sea_level=float("nan"))


def share_in_straight_runs(surface: np.ndarray, cell_size: float) -> float:
    """Share of the channel cells, those that drain 100 cells, on straight runs of 8 steps or more."""
    routes = route_flow(surface, cell_size)
    channel = drainage_area(routes).ravel() > 100.0 * cell_size**2
    ways, receivers = routes.directions, routes.receivers
    below, above = np.zeros(surface.size, int), np.zeros(surface.size, int)
    for cell in routes.order[ways[routes.order] < 8]:
        there = receivers[cell]
        below[cell] = 1 + (below[there] if ways[there] == ways[cell] else 0)
    for cell in routes.order[::-1]:
        there = receivers[cell]
        if channel[cell] and ways[cell] < 8 and ways[there] == ways[cell]:
            above[there] = max(above[there], above[cell] + 1)
    runs = below + above
    return float((runs[channel & (ways < 8)] >= 8).mean())


@pytest.mark.parametrize("name", LANDS)
def test_measured_rivers_are_hardly_straight(name: str) -> None:
    assert share_in_straight_runs(*LANDS[name]) < 0.15


@pytest.mark.parametrize("resolution", [257, 513])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_rivers_of_rolling_hills_are_no_straighter_than_measured_ones(resolution: int, seed: int) -> None:
    recipe = core.Recipe.preset("rolling_hills", seed=seed, resolution=resolution)
    land = core.build(recipe, extent="terrain").terrain
    assert share_in_straight_runs(land.surface, recipe.cell_size) < 0.15

"""The climate of a land made tile by tile: the same bytes with any tiles, and rivers and plants follow the rain."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from terrain_addon.core.building.recipe import Recipe
from terrain_addon.core.climate.climate import Climate
from terrain_addon.core.flow.directions import OUTLET
from terrain_addon.worlds import build_world
from terrain_addon.worlds.world import Scale
from tests.mountains import mountains

zarr = pytest.importorskip("zarr", reason="worlds need zarr and dask, which the newest Blender's environment has")

pytestmark = pytest.mark.once

SIZE, WIDTH = 128, 1200.0
CELL_AREA = (WIDTH / SIZE) ** 2
# Metres a year below which no tree stands.
THIRST = 500.0
RAINY = Climate(enabled=True, rain=500.0, wet_hours=20.0, moist_layer=200.0, conversion_time=10.0, fall_time=10.0)


def alps(climate: Climate) -> Recipe:
    """The Alps with one kind of tree, which needs much rain, on little land."""
    recipe = mountains(width=WIDTH, depth=WIDTH, climate=climate)
    species = recipe.ecosystem.species[0].replace(
        altitude_response=tuple((2000.0 * step, 1.0) for step in range(4)),
        temperature_response=tuple((10.0 * step, 1.0) for step in range(4)),
        rain_response=((THIRST, 0.0), (THIRST + 50.0, 1.0), (8000.0, 1.0), (9000.0, 1.0)),
    )
    water = recipe.water.replace(river_source=0.02, smallest_lake=0.0, shallowest_lake=0.0)
    return recipe.replace(ecosystem=recipe.ecosystem.replace(species=(species,), cover=0.3), water=water)


def made(folder: Path, climate: Climate, tile: int = SIZE) -> dict[str, Any]:
    """The maps of a world, where water leaves it, and its plants in an order of their own."""
    build_world(alps(climate), size=SIZE, tile=tile, store=folder, scale=Scale(side=32, coarse_cells=64))
    group = zarr.open(folder, mode="r")
    found = {name: group["maps"][name][:] for name in group["maps"].array_keys()}
    found |= {name: group[name][:] for name in ("drainage", "flow")}
    plants = [np.load(file) for file in sorted((folder / "plants").glob("*.npz"))]
    place = {name: np.concatenate([part[name] for part in plants]) for name in ("x", "y")}
    order = np.lexsort((place["x"], place["y"]))
    return found | {name: values[order] for name, values in place.items()}


def rain_under(plants: dict[str, Any], rain: Any) -> Any:
    """The rain where plants stand."""
    row, column = (np.rint(plants[name] * SIZE / WIDTH).astype(int) for name in ("y", "x"))
    return rain[row, column]


@pytest.fixture(scope="module")
def rainy(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return made(tmp_path_factory.mktemp("worlds") / "rainy", RAINY)


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return made(tmp_path_factory.mktemp("worlds") / "without", Climate())


def test_tiles_do_not_change_a_byte(rainy: dict[str, Any], tmp_path: Path) -> None:
    four = made(tmp_path / "four", RAINY, tile=64)
    assert [name for name in rainy if rainy[name].tobytes() != four[name].tobytes()] == []


def test_rivers_follow_the_rain(rainy: dict[str, Any], without: dict[str, Any]) -> None:
    share = rainy["rain"] / rainy["rain"].mean(dtype=np.float64)
    assert share.max() > 1.2 * share.min()
    # What falls leaves the land, in multiples of the mean rain of the level in memory.
    leaves = rainy["flow"] == OUTLET
    left = rainy["drainage"][leaves].sum(dtype=np.float64)
    assert left == pytest.approx(CELL_AREA * share.size, rel=0.01)
    # On a crest there is only the rain of its own cell; without a climate, its area.
    assert rainy["drainage"].min() < 0.95 * CELL_AREA
    assert without["drainage"].min() == pytest.approx(CELL_AREA)


def test_plants_follow_the_rain(rainy: dict[str, Any], without: dict[str, Any]) -> None:
    assert rain_under(rainy, rainy["rain"]).min() > THIRST - 10.0
    assert (rain_under(without, rainy["rain"]) < THIRST - 10.0).mean() > 0.1


def test_frost_is_below_zero(tmp_path: Path) -> None:
    cold = made(tmp_path / "cold", Climate(enabled=True, warmth=-20.0))
    assert cold["temperature"].max() < 0.0

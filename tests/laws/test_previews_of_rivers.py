"""A preview shows the land that will be built: the same heights, and rivers that run in the same places."""

from functools import cache

import numpy as np
import numpy.typing as npt
import pytest

from terrain_addon.core.building.landscape import build
from terrain_addon.core.building.recipe import Recipe
from terrain_addon.core.flow.drainage import drainage_area
from terrain_addon.core.flow.routing import route_flow
from terrain_addon.core.foundation.terrain import Terrain

pytestmark = pytest.mark.once

PREVIEW, FINAL = 257, 1025
RARE = pytest.mark.soak
# Plains have deposits, rolling hills and mesas gentle ground, badlands uplift without a pattern, islands a sea.
LANDS = (
    pytest.param("alpine", 1, marks=RARE),
    ("plains", 1),
    ("rolling_hills", 8),
    pytest.param("badlands", 8, marks=RARE),
    pytest.param("mesa_and_canyon", 8, marks=RARE),
    pytest.param("islands", 2, marks=RARE),
)


@cache
def land(name: str, seed: int, resolution: int) -> Terrain:
    return build(Recipe.preset(name, seed=seed, resolution=resolution), extent="terrain").terrain


def rivers(terrain: Terrain, recipe: Recipe) -> npt.NDArray[np.bool_]:
    """Where the recipe draws rivers: enough land drains there."""
    sea = recipe.water.sea_surface
    area = drainage_area(route_flow(terrain.surface, terrain.cell_size, sea_level=sea))
    dry = np.full(terrain.surface.shape, True) if sea is None else terrain.surface > sea
    return (area >= recipe.water.river_source * 1e6) & dry


def near(cells: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """The cells and their eight neighbours."""
    padded = np.pad(cells, 1)
    rows, columns = cells.shape
    return np.logical_or.reduce([padded[i : i + rows, j : j + columns] for i in range(3) for j in range(3)])


def at_preview(cells: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """The cells of a preview in which cells of the final land lie."""
    step = (FINAL - 1) // (PREVIEW - 1)
    result = np.zeros((PREVIEW, PREVIEW), bool)
    row, column = np.nonzero(cells)
    result[(row + step // 2) // step, (column + step // 2) // step] = True
    return result


@pytest.mark.parametrize(("name", "seed"), LANDS)
def test_a_preview_has_the_heights_of_the_final_land(name: str, seed: int) -> None:
    preview, final = land(name, seed, PREVIEW).surface, land(name, seed, FINAL).surface
    step = (FINAL - 1) // (PREVIEW - 1)
    assert np.corrcoef(preview.ravel(), final[::step, ::step].ravel())[0, 1] >= 0.98


@pytest.mark.parametrize(("name", "seed"), [one for one in LANDS if "badlands" not in getattr(one, "values", one)])
def test_a_preview_has_the_rivers_of_the_final_land(name: str, seed: int) -> None:
    recipe = Recipe.preset(name, seed=seed)
    shown = rivers(land(name, seed, PREVIEW), recipe)
    built = at_preview(rivers(land(name, seed, FINAL), recipe))
    assert shown.sum() > 100
    assert near(built)[shown].mean() >= 0.7
    assert near(shown)[built].mean() >= 0.7

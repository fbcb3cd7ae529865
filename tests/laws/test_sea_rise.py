"""The sea rises after erosion: the land is what a lower sea made of it, and what lies below today's sea is drowned."""

import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.core.building.landscape import Landscape
from terrain_addon.core.building.plan import plan_of
from terrain_addon.core.building.recipe import Recipe
from terrain_addon.core.flow.water import Water
from terrain_addon.core.foundation.cache import Cache
from terrain_addon.worlds.world import World

pytestmark = pytest.mark.once

RISE = 300.0
_FJORDS = Recipe.preset("fjords", resolution=65)
COAST = _FJORDS.replace(erosion=_FJORDS.erosion[:1], water=Water(sea=True))


def coast(level: float, rise: float, cache: Cache | None = None) -> Landscape:
    """The land with a sea at a level, to which it has risen."""
    recipe = COAST.replace(water=COAST.water.replace(sea_level=level, sea_rise=rise))
    return core.build(recipe, extent="maps", cache=cache)


def test_the_land_is_that_of_the_lower_sea_and_its_valleys_are_drowned() -> None:
    low, risen, never_low = coast(-RISE, 0.0), coast(0.0, RISE), coast(0.0, 0.0)
    np.testing.assert_array_equal(risen.terrain.bedrock, low.terrain.bedrock)
    np.testing.assert_array_equal(risen.terrain.sediment, low.terrain.sediment)
    assert risen.waters is not None and low.waters is not None and never_low.waters is not None
    assert risen.waters.sea_level == 0.0
    wet = risen.terrain.surface < 0.0
    np.testing.assert_array_equal(risen.waters.water_depth[wet] > 0.0, True)
    # Rivers cut to the lower sea, so that the water is deeper; with a sea that never stood lower it is not.
    assert risen.waters.water_depth.max() > low.waters.water_depth.max() + 0.9 * RISE
    assert np.abs(never_low.terrain.surface - low.terrain.surface).max() > 20.0


def test_without_a_rise_every_stage_keeps_its_key_and_with_one_erosion_follows_the_lower_sea() -> None:
    keys = plan_of(COAST, {}).keys
    risen = plan_of(COAST.replace(water=COAST.water.replace(sea_level=RISE, sea_rise=RISE)), {}).keys
    eroded = [name for name in keys if name.startswith(("erosion", "history"))]
    assert eroded
    assert all(keys[name] == risen[name] for name in eroded)
    higher = plan_of(COAST.replace(water=COAST.water.replace(sea_level=RISE)), {}).keys
    assert any(keys[name] != higher[name] for name in eroded)
    assert keys["waters"] != risen["waters"]


def test_a_rise_is_checked() -> None:
    with pytest.raises(ValueError, match=r"sea_rise = -1.0 .* outside"):
        Water(sea_rise=-1.0)
    recipe = COAST.replace(water=COAST.water.replace(sea_rise=RISE))
    with pytest.raises(ValueError, match=r"water.sea_rise = 300.0 m, but .* take 0"):
        World(recipe, 4096, 1024)
    World(recipe.replace(water=COAST.water), 4096, 1024)

"""What holds for every process of erosion, whatever its parameters: nothing is lost, and nothing is made up."""

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from terrain_addon import core
from terrain_addon.core.building.layers import Relief
from terrain_addon.core.erosion.mass_balance import volume_of
from terrain_addon.core.erosion.processes import PROCESSES
from terrain_addon.core.erosion.weathering import Weathering
from terrain_addon.core.foundation.parameters import ParameterSet
from terrain_addon.core.foundation.stored_field import StoredField
from terrain_addon.core.relief.stored_heights import StoredHeights
from tests.laws.every_parameter import StoredFields, changes_of

pytestmark = pytest.mark.once

KEY = "mesh:Land"
# Of all that was there, rose or left: heights are float32.
TOLERANCE = 1e-6

LANDS = st.tuples(st.integers(0, 2**31), st.integers(2, 30), st.integers(2, 30), st.sampled_from([0, 3, 1000]))


def rough_land(seed: int, rows: int, columns: int, levels: int) -> StoredField:
    """Heights around sea level; with few levels they are full of flats."""
    heights = np.random.default_rng(seed).uniform(-40.0, 160.0, (rows, columns))
    heights = np.round(heights / 200.0 * levels) * 200.0 / levels if levels else heights
    return StoredField(heights.astype(np.float32))


def eroded(land: StoredField, *erosion: ParameterSet) -> core.Landscape:
    rows, columns = land.heights.shape
    recipe = core.Recipe(resolution=columns, width=10.0 * (columns - 1), depth=10.0 * (rows - 1), erosion=erosion)
    recipe = recipe.replace(relief=Relief.of(StoredHeights(key=KEY)))
    inputs = StoredFields()
    inputs[KEY] = land
    return core.build(recipe, inputs=inputs, extent="terrain")


@pytest.mark.parametrize("process", PROCESSES, ids=lambda process: process.__name__)
# Shrinking a failure would take longer than to understand it.
@settings(max_examples=5, phases=[Phase.explicit, Phase.generate])
@given(LANDS, st.integers(0, 10**6))
def test_mass_balance_closes(process: type[ParameterSet], land: tuple[int, int, int, int], choice: int) -> None:
    ways = [change.after for change in changes_of(process(), all_choices=True) if change.after.enabled]
    before = eroded(rough_land(*land), Weathering())
    after = eroded(rough_land(*land), Weathering(), ways[choice % len(ways)])
    balance = list(after.balances.values())[-1]
    exchanged = set(PROCESSES[process].exchanged)
    if not ways[choice % len(ways)].mask.is_everywhere:
        # What would have crossed the edge of the mask is kept or missing there.
        exchanged |= {"uplifted", "left"}
    size = sum(float(np.abs(part).sum(dtype=np.float64)) for part in (before.terrain.surface, after.terrain.surface))
    allowed = TOLERANCE * (size * after.terrain.cell_size**2 + abs(balance.uplifted) + abs(balance.left))
    assert abs(balance.error) <= allowed
    for term in {"uplifted", "left"} - exchanged:
        assert getattr(balance, term) == 0.0, f"{term} is not declared"
    assert abs(balance.before - volume_of(before.terrain)) <= allowed
    assert abs(balance.after - volume_of(after.terrain)) <= allowed
    assert np.isfinite(after.terrain.surface).all()
    assert after.terrain.sediment.min() >= 0.0

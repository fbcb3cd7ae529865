"""A mask of a process: within it the land is as without the mask, outside of it as without the process."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.command_line import main
from terrain_addon.core.building.layers import Relief
from terrain_addon.core.building.plan import plan_of
from terrain_addon.core.erosion.process import ProcessParameters
from terrain_addon.core.erosion.processes import PROCESSES
from terrain_addon.core.erosion.stream_power import StreamPower
from terrain_addon.core.erosion.thermal_erosion import ThermalErosion
from terrain_addon.core.erosion.weathering import Weathering
from terrain_addon.core.foundation.stored_field import StoredField
from terrain_addon.core.foundation.terrain import Terrain
from terrain_addon.core.maps.masks import HeightMask, MapMask, PaintedMask
from terrain_addon.core.relief.fractal_noise import FractalNoise

pytestmark = pytest.mark.once

SIZE, SIDE = 1600.0, 33
LAND = core.Recipe(
    width=SIZE, depth=SIZE, resolution=SIDE, relief=Relief.of(FractalNoise(wavelength=900.0, height=1500.0))
)
PAINTED = PaintedMask(key="group:Erosion")


def painted() -> dict[str, StoredField]:
    """0 in the west, 1 in the east, and a soft edge."""
    weights = np.clip((np.arange(SIDE) - 12.0) / 8.0, 0.0, 1.0).astype(np.float32)
    return {PAINTED.key: StoredField(np.repeat(weights[None], SIDE, axis=0))}


@cache
def build(*erosion: ProcessParameters) -> Terrain:
    return core.build(LAND.replace(erosion=erosion), inputs=painted(), extent="terrain").terrain


def layers(terrain: Terrain, columns: slice) -> bytes:
    """Bedrock and sediment of some columns."""
    return terrain.bedrock[:, columns].tobytes() + terrain.sediment[:, columns].tobytes()


@pytest.mark.parametrize("kind", PROCESSES, ids=lambda kind: kind.__name__)
def test_outside_its_mask_a_process_changes_no_byte(kind: type[ProcessParameters]) -> None:
    soil = Weathering()
    without, whole, masked = build(soil), build(soil, kind()), build(soil, kind(mask=PAINTED))
    outside, inside = slice(0, 13), slice(20, None)
    assert layers(masked, outside) == layers(without, outside)
    assert layers(masked, inside) == layers(whole, inside)
    # On the soft edge it is between the two.
    low = np.minimum(without.surface, whole.surface) - 1e-3
    high = np.maximum(without.surface, whole.surface) + 1e-3
    assert ((masked.surface >= low) & (masked.surface <= high)).all()


def test_the_balance_of_a_masked_process_closes() -> None:
    land = core.build(LAND.replace(erosion=(StreamPower(mask=PAINTED),)), inputs=painted(), extent="terrain")
    (balance,) = land.balances.values()
    assert abs(balance.error) <= 1e-9 * abs(balance.before)


def test_another_mask_does_not_follow_the_history_again() -> None:
    keys = [plan_of(LAND.replace(erosion=(StreamPower(mask=mask),)), {}).keys for mask in (HeightMask(), MapMask())]
    one, other = (
        {name.startswith("history"): key for name, key in found.items() if "erosion 1" in name} for found in keys
    )
    assert one[True] == other[True] and one[False] != other[False]


def test_what_was_painted_and_is_gone_keeps_no_land_from_erosion() -> None:
    thermal = ThermalErosion()
    there = core.build(LAND.replace(erosion=(thermal.replace(mask=PAINTED),)), extent="terrain").terrain
    assert layers(there, slice(None)) == layers(build(thermal), slice(None))


def test_a_mask_follows_the_land_that_the_process_finds() -> None:
    line = float(np.median(build().surface))
    upper = HeightMask(lower=line, upper=1e5, softness=0.0)
    without, masked = build(), build(ThermalErosion(mask=upper))
    low = without.surface < line
    assert (masked.surface[low] == without.surface[low]).all()
    assert (masked.surface[~low] != without.surface[~low]).any()


def test_a_mask_goes_through_json_and_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recipe = LAND.replace(erosion=(StreamPower(mask=HeightMask(lower=700.0)),))
    assert core.Recipe.loads(recipe.dumps()) == recipe
    (tmp_path / "recipe.json").write_text(recipe.dumps(), encoding="utf-8")
    assert main(["new", str(tmp_path / "recipe.json"), "--set", "stream_power.mask.lower=900"]) == 0
    made = core.Recipe.loads(capsys.readouterr().out)
    assert made.erosion[0].mask == HeightMask(lower=900.0)

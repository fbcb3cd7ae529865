"""Water as triangles, and the beds that rivers lie in."""

import numpy as np
import pytest

from terrain_addon.core import Terrain
from terrain_addon.core.erosion.river_beds import RiverBeds, cut_river_beds
from terrain_addon.core.flow.water import Water, Waters, find_water
from terrain_addon.core.foundation.progress import run
from terrain_addon.core.meshing.water_mesh import LAKE, RIVER, SEA, make_water_mesh

pytestmark = pytest.mark.once

CELL = 10.0


def valley() -> Terrain:
    """A valley that falls from north to south, with a hollow halfway."""
    row, column = np.mgrid[0:60, 0:41].astype(np.float32)
    heights = 2.0 * row + 3.0 * np.abs(column - 20.0)
    heights[28:33, 18:23] -= 14.0
    return Terrain(heights, np.full_like(heights, 0.3), CELL)


def water_of(terrain: Terrain, **changes: object) -> Waters:
    return find_water(terrain.surface, CELL, Water(river_source=0.05, smallest_lake=0.0, **changes))  # type: ignore[arg-type]


def test_faces_look_up_and_lakes_are_level() -> None:
    terrain = valley()
    waters = water_of(terrain)
    mesh = make_water_mesh(terrain, waters)
    corners = mesh.positions[mesh.triangles]
    up = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, 2]
    assert (up > 0.0).all()
    assert set(np.unique(mesh.kind)) == {LAKE, RIVER}
    lake = mesh.positions[mesh.kind == LAKE, 2]
    assert len(waters.lakes) == 1
    np.testing.assert_array_equal(lake, waters.lakes.level[0])
    # A sheet covers at least what is wet, and no more than a cell around it.
    assert mesh.depth[mesh.kind == LAKE].max() == pytest.approx(float(waters.lakes.greatest_depth[0]))


def test_ribbons_are_as_wide_as_rivers_and_fall_downstream() -> None:
    terrain = valley()
    waters = water_of(terrain, lakes=False, river_width=8.0)
    mesh = make_water_mesh(terrain, waters)
    banks = mesh.positions[mesh.kind == RIVER].reshape(-1, 2, 3)
    widths = np.linalg.norm(banks[:, 0] - banks[:, 1], axis=1)
    np.testing.assert_allclose(widths, 1.15 * waters.rivers.width, rtol=1e-3)
    longest = int(np.argmax(np.diff(waters.rivers.first)))
    course = slice(waters.rivers.first[longest], waters.rivers.first[longest + 1])
    assert (np.diff(waters.rivers.points[course, 2]) <= 0.0).all()
    assert widths[course][-2] > widths[course][0]


def test_the_sea_is_told_from_lakes_and_dry_land_has_no_water() -> None:
    terrain = valley()
    mesh = make_water_mesh(terrain, water_of(terrain, sea=True, sea_level=20.0, rivers=False))
    assert set(np.unique(mesh.kind)) == {SEA, LAKE}
    assert (mesh.positions[mesh.kind == SEA, 2] == 20.0).all()
    assert len(make_water_mesh(terrain, water_of(terrain, lakes=False, rivers=False))) == 0


def test_beds_only_lower_the_land_and_mass_is_balanced() -> None:
    terrain = valley()
    waters = water_of(terrain)
    cut = run(cut_river_beds(terrain, RiverBeds(depth=2.0), waters=waters))
    taken = terrain.surface - cut.terrain.surface
    assert taken.min() >= -1e-5 and taken.max() > 1.0
    assert (cut.terrain.sediment >= 0.0).all() and (cut.terrain.sediment <= terrain.sediment).all()
    assert (cut.terrain.bedrock <= terrain.bedrock + 1e-5).all()
    assert abs(cut.balance.error) <= 1e-9 * cut.balance.before
    assert cut.balance.left > 0.0
    # No bed under a lake, and none without a river.
    np.testing.assert_array_equal(taken[waters.water_depth > 0.0], 0.0)
    dry = run(cut_river_beds(terrain, RiverBeds(), waters=water_of(terrain, rivers=False)))
    np.testing.assert_array_equal(dry.terrain.surface, terrain.surface)


def test_beds_dam_no_water() -> None:
    terrain = valley()
    waters = water_of(terrain, lakes=False)
    cut = run(cut_river_beds(terrain, RiverBeds(depth=3.0), waters=waters))
    assert water_of(cut.terrain).lakes.volume.sum() <= water_of(terrain).lakes.volume.sum()

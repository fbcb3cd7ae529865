"""Detail below the mesh: a function of the place and the land around it that runs down slopes and keeps to rock."""

import numpy as np
import pytest

from terrain_addon.core.building.landscape import Landscape
from terrain_addon.core.building.recipe import Recipe
from terrain_addon.core.foundation.terrain import Field, Terrain
from terrain_addon.core.meshing.detail import (
    LONGEST_GULLY,
    REACH,
    Origin,
    detail_heights,
    detail_slopes,
    longest_gully,
)

pytestmark = pytest.mark.once


def hill(spacing: float, side: float = 192.0) -> Terrain:
    """A hill whose flanks steepen from level ground to a wall, with soil where it is gentle."""
    count = round(side / spacing) + 1
    y, x = np.meshgrid(*2 * (np.arange(count) * spacing,), indexing="ij")
    far = np.hypot(x - 0.4 * side, y - 0.3 * side)
    heights = (90.0 * np.cos(np.minimum(far / 60.0, np.pi)) + 0.1 * x).astype(np.float32)
    sediment = np.clip(0.02 * far - 1.0, 0.0, 1.0).astype(np.float32)
    return Terrain(heights - sediment, sediment, spacing)


def plane(rise: float, sediment: float, spacing: float = 1.0, count: int = 193) -> Terrain:
    """A slope that rises to the east by so many metres per metre."""
    x = np.broadcast_to(np.arange(count) * spacing, (count, count))
    loose = np.full((count, count), sediment, np.float32)
    return Terrain((rise * x).astype(np.float32), loose, spacing)


@pytest.fixture(scope="module")
def detail() -> Field:
    return detail_heights(hill(1.0), Origin(seed=7))


def test_a_tile_with_its_rim_has_the_bytes_of_the_whole(detail: Field) -> None:
    land, rim, first, size = hill(1.0), int(REACH), 80, 40
    low, high = first - rim, first + size + rim
    window = np.s_[low:high, low:high]
    bedrock, sediment = (np.ascontiguousarray(field[window]) for field in (land.bedrock, land.sediment))
    tile = detail_heights(Terrain(bedrock, sediment, 1.0), Origin(7, east=float(low), north=float(low)))
    middle = np.s_[first : first + size, first : first + size]
    assert np.ptp(detail[middle]) > 1.0
    np.testing.assert_array_equal(tile[rim:-rim, rim:-rim], detail[middle])


def test_finer_samples_show_the_same_detail_more_finely(detail: Field) -> None:
    fine = detail_heights(hill(0.5), Origin(7))[::2, ::2]
    assert np.corrcoef(fine.ravel(), detail.ravel())[0, 1] > 0.97
    # Stones and joints are too small for samples of a metre.
    assert np.abs(fine - detail).max() > 0.2


def test_another_seed_gives_other_detail(detail: Field) -> None:
    other = detail_heights(hill(1.0), Origin(8))
    assert abs(np.corrcoef(other.ravel(), detail.ravel())[0, 1]) < 0.4


def test_gullies_run_down_the_slope() -> None:
    # Soil two metres deep hides the rock, so that beds and joints are away.
    land = plane(rise=0.7, sediment=2.0, spacing=3.0)
    rise = detail_slopes(land, Origin(3)).reshape(193, 193, 3)
    across, down = rise[..., 1].std(), rise[..., 0].std()
    assert across > 2.0 * down > 0.0


@pytest.mark.parametrize(("cell_size", "longest"), [(40.0, 96.0), (9.8, 96.0), (2.1, 96.0), (1.0, 24.0), (0.44, 12.0)])
def test_gullies_are_no_longer_than_erosion_leaves_to_the_detail(cell_size: float, longest: float) -> None:
    assert longest_gully(cell_size) == longest
    width = 2048.0 * cell_size
    assert Recipe(width=width, depth=width, resolution=2049).origin.longest_gully == longest


def test_gullies_of_small_cells_are_as_small() -> None:
    land = plane(rise=0.7, sediment=2.0, spacing=0.44)
    large, small = (detail_heights(land, Origin(3, longest_gully=longest)) for longest in (LONGEST_GULLY, 12.0))
    # Depth goes with length.
    assert small.std() < 0.25 * large.std()


def test_bare_rock_is_stepped_by_its_beds() -> None:
    # On the same wall under soil only gullies are left, which change little down the slope.
    bare, covered = (detail_heights(plane(rise=1.5, sediment=s, spacing=0.5), Origin(3)) for s in (0.0, 2.0))
    assert np.diff(bare, axis=1).std() > 3.0 * np.diff(covered, axis=1).std()


@pytest.mark.parametrize(("rise", "sediment"), [(0.0, 0.0), (0.02, 0.0), (0.6, 20.0)])
def test_level_ground_and_deep_sand_have_none(rise: float, sediment: float) -> None:
    assert not detail_heights(plane(rise, sediment, count=65), Origin(3)).any()


def test_amount_scales_it_and_none_is_the_land_itself(detail: Field) -> None:
    recipe = Recipe(seed=7)
    for amount in (0.0, 0.5):
        asked = recipe.replace(appearance=recipe.appearance.replace(detail=amount))
        land = Landscape(asked, hill(1.0), {}, None)
        np.testing.assert_array_equal(land.detail, detail * np.float32(amount))
    assert np.abs(detail).max() < 0.15 * 96.0


def test_slopes_are_those_of_the_heights(detail: Field) -> None:
    rise = detail_slopes(hill(1.0), Origin(7)).reshape(*detail.shape, 3)
    np.testing.assert_array_equal(rise[..., 2], detail)
    ahead = 0.5 * (detail[1:-1, 2:].astype(np.float64) - detail[1:-1, :-2])
    assert np.corrcoef(ahead.ravel(), rise[1:-1, 1:-1, 0].ravel())[0, 1] > 0.9

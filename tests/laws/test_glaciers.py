"""Glaciers of today: ice lies where it snows, on the ground, as much as its mesh holds, and plants give way to it."""

import numpy as np
import numpy.typing as npt
import pytest
from scipy.ndimage import gaussian_filter

from terrain_addon import core
from terrain_addon.core import Terrain
from terrain_addon.core.building.landscape import Landscape
from terrain_addon.core.building.recipe import Recipe
from terrain_addon.core.foundation.compilation import set_thread_count, thread_count
from terrain_addon.core.foundation.sampling import sample
from terrain_addon.core.ice import glaciers
from terrain_addon.core.ice.debris import MovingIce, strew_bands
from terrain_addon.core.ice.glaciers import LEAST_ICE, GlacierFields, Glaciers, find_glaciers
from terrain_addon.core.ice.ice_climate import IceClimate
from terrain_addon.core.meshing.cell_diagonals import cell_triangles, turned_cells
from terrain_addon.core.meshing.ice_mesh import IceMesh, IceSurface, make_ice_mesh
from terrain_addon.worlds.world import World
from tests.mountains import mountains

pytestmark = pytest.mark.once

Field = npt.NDArray[np.float32]
LINE, CELL = 1200.0, 60.0
ICE = Glaciers(enabled=True, equilibrium_line_altitude=LINE)
SIDE = np.linspace(-1.0, 1.0, 161, dtype=np.float32)
MOUNTAIN = (2000.0 - 1500.0 * np.hypot(SIDE, SIDE[:, np.newaxis]) + 120.0 * np.cos(9.0 * SIDE)).astype(np.float32)


def ice_mesh(ground: Field, ice: GlacierFields) -> IceMesh:
    return make_ice_mesh(Terrain(ground, np.zeros_like(ground), CELL), IceSurface(*ice, LINE))


def volume_above(mesh: IceMesh, ground: Field) -> float:
    """Volume between the samples of a mesh and the ground; its edge may lie under a bank."""
    corners = mesh.positions[mesh.triangles].astype(np.float64)
    middle = 0.5 * CELL * (np.array(ground.shape[::-1]) - 1)
    column, row = np.rint((corners[..., :2] + middle) / CELL).astype(int).transpose(2, 0, 1)
    height = np.maximum(corners[..., 2] - ground[row, column], 0.0).mean(axis=1)
    return float(height.sum() * 0.5 * CELL**2)


def test_ice_lies_where_it_snows_and_flows_below() -> None:
    found = find_glaciers(MOUNTAIN, CELL, ICE)
    icy = found.thickness > 0.0
    assert 0.02 < icy.mean() < 0.6
    assert found.thickness[icy].min() >= LEAST_ICE
    # Snow falls above the line alone; what lies below it has flown there, and not far.
    surface = MOUNTAIN + found.thickness
    assert (surface[icy] > LINE).mean() > 0.5
    assert (surface[icy] < LINE).any() and surface[icy].min() > LINE - 600.0
    for field in (found.strain, found.debris):
        assert (field[~icy] == 0.0).all() and (field >= 0.0).all()
    assert found.debris.max() <= 1.0
    # A line that lies higher leaves less ice, and one above the land none.
    assert find_glaciers(MOUNTAIN, CELL, ICE.replace(equilibrium_line_altitude=1500.0)).thickness.sum() < (
        0.7 * found.thickness.sum()
    )
    assert not find_glaciers(MOUNTAIN, CELL, ICE.replace(equilibrium_line_altitude=2500.0)).thickness.any()


def test_ice_has_grown_until_as_much_melts_as_falls(monkeypatch: pytest.MonkeyPatch) -> None:
    weather = ICE.ice.weather(LINE)

    def gain() -> float:
        """What falls less what melts on all ice, as a share of what falls."""
        ice = find_glaciers(MOUNTAIN, CELL, ICE).thickness
        balance = np.minimum(weather.gradient * ((MOUNTAIN + ice)[ice > 0.0] - weather.line), weather.most)
        return float(balance.sum() / balance[balance > 0.0].sum())

    assert abs(gain()) < 0.1
    monkeypatch.setattr(glaciers, "MOST_STEPS", 20)
    assert gain() > 0.2


def test_ice_is_as_thick_as_its_slope_lets_it() -> None:
    ice = find_glaciers(MOUNTAIN, CELL, ICE).thickness.astype(np.float64)
    north, east = np.gradient(MOUNTAIN + ice, CELL)
    thick = ice > 40.0
    # Driving stress, ρ g H tan α: 50 to 150 kPa on most valley glaciers (Cuffey & Paterson 2010, ch. 8).
    stress = 910.0 * 9.81 * ice[thick] * np.hypot(north, east)[thick] / 1000.0
    assert 50.0 < np.median(stress) < 150.0


def test_the_mesh_holds_as_much_ice_as_the_map() -> None:
    ice = find_glaciers(MOUNTAIN, CELL, ICE)
    mapped = float(ice.thickness.sum(dtype=np.float64)) * CELL**2
    mesh = ice_mesh(MOUNTAIN, ice)
    # A sample has four to eight triangles, depending on how the cells around it are divided; six are its cell.
    corners = np.bincount(cell_triangles(turned_cells(MOUNTAIN)).ravel(), minlength=MOUNTAIN.size)
    held = float((ice.thickness.ravel().astype(np.float64) * corners).sum()) / 6.0 * CELL**2
    assert volume_above(mesh, MOUNTAIN) == pytest.approx(held, rel=1e-5)
    assert held == pytest.approx(mapped, rel=5e-4)
    thicker = ice_mesh(MOUNTAIN, ice._replace(thickness=np.where(ice.thickness > 0.0, ice.thickness + 1.0, 0.0)))
    assert volume_above(thicker, MOUNTAIN) > 1.005 * mapped
    # Its edge lies on the ground or under it, and no triangle is without ice.
    column, row = np.rint(mesh.positions[:, :2] / CELL + 80.0).astype(int).T
    height = mesh.positions[:, 2] - MOUNTAIN[row, column]
    edge = ice.thickness[row, column] == 0.0
    assert edge.any() and height[edge].max() <= 0.0
    assert (~edge)[mesh.triangles].any(axis=1).all()
    assert mesh.firn[mesh.positions[:, 2] > LINE + 50.0].min() == 1.0
    assert mesh.firn[mesh.positions[:, 2] < LINE - 50.0].max(initial=0.0) == 0.0


def test_land_without_ice_has_an_empty_mesh() -> None:
    none = np.zeros_like(MOUNTAIN)
    assert len(ice_mesh(MOUNTAIN, GlacierFields(none, none, none))) == 0


def test_ice_ends_at_the_sea() -> None:
    line = ICE.replace(equilibrium_line_altitude=700.0)
    sea = 800.0
    is_sea = np.less(MOUNTAIN, sea)
    assert find_glaciers(MOUNTAIN, CELL, line).thickness[is_sea].any()
    assert not find_glaciers(MOUNTAIN, CELL, line, sea).thickness[is_sea].any()


def strewn_over(slope: float, walls: Field, line: float, finer: float = 4.0) -> Field:
    """Rock on ice that moves 20 m a year to the south over a slope of some metres per cell; row 0 lies at 1000 m."""
    still = np.zeros_like(walls)
    surface = (1000.0 + slope * np.arange(len(walls)))[:, np.newaxis] + still
    ice = MovingIce(still, still - np.float32(20.0), surface.astype(np.float32), walls)
    rock = np.zeros([round(finer * (side - 1)) + 1 for side in walls.shape])
    strew_bands(ice, ICE.ice.weather(line), CELL, finer, rock)
    return rock


def test_moraines_carry_on_what_falls_from_walls() -> None:
    walls = np.zeros((41, 41), np.float32)
    walls[25:35, 20] = 1.0
    # Below the last wall the same length of wall passes every row, in a band as wide as the wall; and none above it.
    rock = strewn_over(1.0, walls, 2000.0)
    np.testing.assert_allclose(rock[8:92].sum(axis=1) / 4.0, 10.0, rtol=0.06)
    assert rock[4:92, :76].max() == 0.0 == rock[4:92, 85:].max()
    assert not rock[143:].any()


def test_moraines_end_with_the_land_where_its_sides_are_not_refined_alike() -> None:
    """Cells of the coarse grid of 32 × 65 samples are 1.94 and 2 samples long."""
    walls = np.zeros((17, 33), np.float32)
    walls[10, 20] = 1.0
    still = np.zeros_like(walls)
    ice = MovingIce(still, still + np.float32(20.0), still + np.float32(1000.0), walls)
    beyond = np.zeros((34, 65))
    strew_bands(ice, ICE.ice.weather(2000.0), CELL, 2.0, beyond[:32])
    assert beyond[20:32, 40].all() and not beyond[32:].any()


def test_snow_hides_rock_until_as_much_has_melted() -> None:
    walls = np.zeros((41, 41), np.float32)
    walls[30, 20] = 1.0
    # Between the line in row 20 and row 30 as much snow falls as melts between rows 10 and 20.
    rock = strewn_over(2.0, walls, 1040.0).sum(axis=1)
    assert not rock[4 * 10 + 4 :].any() and rock[: 4 * 10 - 4].all()
    # Below the line rock shows from its wall on.
    assert strewn_over(2.0, walls, 1100.0).sum(axis=1)[4 : 4 * 30 - 2].all()


def test_threads_do_not_change_a_byte() -> None:
    threads, found = thread_count(), []
    try:
        for count in {1, threads}:
            set_thread_count(count)
            found.append(find_glaciers(MOUNTAIN, CELL, ICE))
    finally:
        set_thread_count(threads)
    assert len({b"".join(field.tobytes() for field in one) for one in found}) == 1


def test_plants_give_way_and_the_land_stays() -> None:
    recipe = mountains(resolution=97)
    everywhere = tuple((1000.0 * step, 1.0) for step in range(4))
    tree = recipe.ecosystem.species[0].replace(altitude_response=everywhere, temperature_response=((0.0, 1.0),) * 4)
    recipe = recipe.replace(ecosystem=recipe.ecosystem.replace(species=(tree.replace(radius=20.0),)))
    height = core.build(recipe, extent="terrain").terrain.surface
    line = float(np.percentile(height, 70.0))
    icy, bare = (
        core.build(recipe.replace(glaciers=ICE.replace(enabled=on, equilibrium_line_altitude=line)))
        for on in (True, False)
    )
    np.testing.assert_array_equal(icy.terrain.surface, bare.terrain.surface)
    assert icy.warnings == bare.warnings
    above = ICE.replace(equilibrium_line_altitude=9000.0)
    none = core.build(recipe.replace(glaciers=above), extent="maps")
    assert none.warnings[-1].startswith("No glacier lies here: the equilibrium line, at 9000 m, is above the land")
    ice = icy.maps["ice_thickness"]
    assert "ice_thickness" not in bare.maps
    assert (ice > 0.0).mean() > 0.02

    def on_ice(land: Landscape) -> int:
        assert land.plants is not None
        return int((sample(ice, land.terrain.cell_size, land.plants.x, land.plants.y) > 0.9 * LEAST_ICE).sum())

    assert on_ice(bare) > 10
    assert on_ice(icy) == 0


def test_land_made_tile_by_tile_has_no_glaciers_yet() -> None:
    recipe = Recipe(glaciers=ICE)
    with pytest.raises(ValueError, match=r"glaciers.enabled = True, but a land made tile by tile has no glaciers"):
        World(recipe, 4096, 1024)


@pytest.mark.parametrize("side", [65, 129])
def test_ice_between_two_coasts_has_the_profile_of_vialov(side: int) -> None:
    """Where the sea takes all that comes, H^(8/3) = 2 (a / A)^(1/3) (L^(4/3) − x^(4/3)), A = 2A₀(ρg)³/5.

    Vialov, S. S. (1958). Regularities of glacial shields movement and the theory of plastic viscous flow. IAHS
    Publication 47, 266–275.
    """
    width, half, snow = 12_800.0, 5000.0, 1.5
    x = np.linspace(-0.5 * width, 0.5 * width, side)
    island = np.repeat(np.where(np.abs(x) < half, 1.0, -50.0)[None], side, axis=0).astype(np.float32)
    ice = IceClimate(sliding=0.0, fastest=10_000.0, maximum_accumulation=snow)
    process = Glaciers(enabled=True, equilibrium_line_altitude=-1000.0, ice=ice)
    found = find_glaciers(island, width / (side - 1), process, 0.0).thickness[side // 2]
    rate = ice.law.deformation
    # The coast lies between the last sample on land and the first in the sea.
    vialov = (2.0 * (snow / rate) ** (1 / 3) * np.maximum(half ** (4 / 3) - np.abs(x) ** (4 / 3), 0.0)) ** (3 / 8)
    inner = np.abs(x) < 0.8 * half
    np.testing.assert_allclose(found[inner], vialov[inner], rtol=0.04)
    assert (found[np.abs(x) >= half] == 0.0).all()


def test_ice_has_grown_until_as_much_is_lost_as_falls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short steps from there on change little, also on land where ice swings from one long step to the next."""
    ground = gaussian_filter(np.random.default_rng(1).normal(size=(97, 129)), 8.0)
    ground = ((ground - ground.min()) * (2500.0 / np.ptp(ground))).astype(np.float32)
    process = Glaciers(enabled=True, equilibrium_line_altitude=1400.0)
    volume = find_glaciers(ground, 80.0, process).thickness.sum()
    monkeypatch.setattr(glaciers, "STEADY", 0.0001)
    monkeypatch.setattr(glaciers, "MOST_STEPS", 4000)
    assert volume == pytest.approx(find_glaciers(ground, 80.0, process).thickness.sum(), rel=0.03)

"""Compiled equals interpreted, for every kernel there is: numba computes what the source says, to the last bit.

Small landscapes are built in all the ways that a recipe knows, and calls of kernels are recorded on the way: arguments
before, arguments and result after.  The same calls are then run by Python, with all kernels inside interpreted too.
"""

import ast
import contextlib
import functools
import importlib
import inspect
import math
import operator
import pkgutil
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

import terrain_addon.core
import terrain_addon.files
import terrain_addon.worlds
from terrain_addon import core
from terrain_addon.core.building.layers import Layer, Relief
from terrain_addon.core.building.plan import Extent
from terrain_addon.core.direction.checks import check_features
from terrain_addon.core.direction.roads import find_road
from terrain_addon.core.direction.spreading import spread
from terrain_addon.core.ecosystem.added_plants import add_where_clear
from terrain_addon.core.ecosystem.ecosystem import Ecosystem
from terrain_addon.core.ecosystem.plants import distance_to_path
from terrain_addon.core.ecosystem.species import Species, load_species
from terrain_addon.core.ecosystem.stem_spacing import Stems
from terrain_addon.core.erosion.cliff_retreat import CliffRetreat, retreat
from terrain_addon.core.erosion.glaciation import Glaciation, glaciate
from terrain_addon.core.erosion.river_beds import RiverBeds
from terrain_addon.core.erosion.sand import Sand, blow_sand
from terrain_addon.core.erosion.stabilisation import Stabilisation, stabilise_sediment
from terrain_addon.core.erosion.stream_power import StreamPower
from terrain_addon.core.erosion.wandering_rivers import WanderingRivers, wander_rivers
from terrain_addon.core.erosion.weathering import Weathering
from terrain_addon.core.flow.drainage import catchments, drainage_area, strahler_order
from terrain_addon.core.flow.filling import fill_depressions
from terrain_addon.core.flow.routing import Router, route_flow
from terrain_addon.core.flow.water import Water, find_water
from terrain_addon.core.foundation import compilation
from terrain_addon.core.foundation.compilation import Kernel
from terrain_addon.core.foundation.levels import coarsen
from terrain_addon.core.foundation.parameters import ParameterSet, parameters_of
from terrain_addon.core.foundation.progress import run
from terrain_addon.core.foundation.sampling import sample, vertex_positions
from terrain_addon.core.foundation.stored_field import StoredField
from terrain_addon.core.foundation.terrain import Terrain
from terrain_addon.core.ice.glaciers import Glaciers, find_glaciers
from terrain_addon.core.ice.ice_flow import IceWeather, flow, ice_law, ice_on
from terrain_addon.core.maps.colour import COLOURINGS, land_colour
from terrain_addon.core.maps.horizon import measure_horizon
from terrain_addon.core.maps.humidity import pour_humidity
from terrain_addon.core.maps.realism import check_realism
from terrain_addon.core.meshing.cell_diagonals import altitude_on_mesh, turned_cells
from terrain_addon.core.meshing.detail import Origin, detail_slopes
from terrain_addon.core.meshing.far_plants import Looker, draw_far
from terrain_addon.core.meshing.leaf_pictures import draw_leaves
from terrain_addon.core.meshing.plant_meshes import PARTS, make_plant_mesh, part_colours
from terrain_addon.core.meshing.triangulation import triangulate
from terrain_addon.core.meshing.under_water import GroundPlaces, lie_under_water
from terrain_addon.core.meshing.water_mesh import make_water_mesh
from terrain_addon.core.planet.climate import ClimateMaps
from terrain_addon.core.planet.crater_rays import crater_light
from terrain_addon.core.planet.cube_sphere import nearest_samples, sample_faces
from terrain_addon.core.planet.dunes import DuneField
from terrain_addon.core.planet.entering_rivers import EntryValley, RiverSteps, cut_valleys
from terrain_addon.core.planet.ground_layers import ground_layers
from terrain_addon.core.planet.gullies import GulliedLand, gullied_heights
from terrain_addon.core.planet.local_plane import Place, plane_directions, plane_places
from terrain_addon.core.planet.near_mesh import Viewer, mesh_near
from terrain_addon.core.planet.near_plants import plants_near
from terrain_addon.core.planet.planet_waters import find_waters
from terrain_addon.core.planet.sphere_levels import double, halve
from terrain_addon.core.planet.sphere_links import make_sphere
from terrain_addon.core.planet.sphere_slopes import slide
from terrain_addon.core.planet.whole_map import whole_map, whole_map_heights
from terrain_addon.core.relief.cells import CellularNoise
from terrain_addon.core.relief.fractal_noise import FractalNoise
from terrain_addon.core.relief.published_perlin import SaltedPerlin
from terrain_addon.core.snow.avalanches import slide_ground, slide_snow
from terrain_addon.core.tiling.block_basins import find_block_directions
from terrain_addon.core.tiling.blocks import Block, Blocks
from terrain_addon.files.baking import BAKED_MAPS, BakeOptions, bake
from terrain_addon.files.elevation import read_elevation
from terrain_addon.files.ground_pictures import broken_stones, grass_blades
from terrain_addon.files.lzw import unpack_lzw
from terrain_addon.files.png import write_png
from terrain_addon.worlds import Scale, build_world
from terrain_addon.worlds.plain_store import PlainStore
from terrain_addon.worlds.plant_rims import Rims, keep_apart
from terrain_addon.worlds.rivers import world_rivers
from tests.files.tiff_writer import lzw
from tests.laws.every_parameter import StoredFields, changes_of, small_recipe, usual
from tests.mountains import mountains

pytestmark = pytest.mark.once

RESOLUTION = 17
# Calls of one kernel that are interpreted: one for each combination of types, switches and small whole numbers.
MOST_CALLS = 16
# Of calls alike the first is taken, or a larger one as long as its arguments hold no more numbers than these.
MOST_NUMBERS = 2500
# A call with more numbers than these is not interpreted at all: it measures a noise once for all lands.
FAR_TOO_MANY = 125_000


class Call(NamedTuple):
    """What a kernel was given, and what it made of that."""

    before: tuple[Any, ...]
    after: tuple[Any, ...]
    result: Any


def all_kernels() -> dict[str, Kernel]:
    """Every kernel of core, files and worlds, by the name of its module and its own."""
    values = [value for module in modules() for value in vars(module).values()]
    return {name_of(value): value for value in values if isinstance(value, Kernel)}


def modules() -> list[ModuleType]:
    packages = (terrain_addon.core, terrain_addon.files, terrain_addon.worlds)
    names = [info.name for one in packages for info in pkgutil.walk_packages(one.__path__, f"{one.__name__}.")]
    return [importlib.import_module(name) for name in names]


@functools.cache
def name_of(kernel: Kernel) -> str:
    return f"{kernel.py_func.__module__}.{kernel.__name__}".removeprefix("terrain_addon.")


# --- landscapes that reach them all -----------------------------------------------------------------------------------


def build_all_reliefs() -> None:
    # Before other cells, because first calls are kept.
    seamless = Layer(source=usual(CellularNoise).replace(period=2))
    core.build(bare(relief=Relief(layers=(seamless,)), erosion=()), extent="terrain")
    # Layers that do not move, and that do: a moving one is noise in space instead of in the plane.
    for make in (usual, moving):
        layer = Layer(source=make(FractalNoise))
        start = bare(relief=Relief(layers=(layer,)), erosion=(), time=2.5)
        build_changes(start, "relief", "terrain", make=make)


def measure_published_maps() -> None:
    """Before recording, because they have 65,536 numbers and more; maps of fewer octaves are recorded."""
    for change in changes_of(SaltedPerlin()):
        core.build(bare(relief=Relief.of(change.after), erosion=()), extent="terrain")


def bare(**changes: Any) -> core.Recipe:
    """A recipe without plants."""
    return small_recipe(RESOLUTION, ecosystem=Ecosystem(species=()), **changes)


def moving(member: type[ParameterSet]) -> ParameterSet:
    one = usual(member)
    names = {p.name for p in parameters_of(member)}
    return one.replace(**{name: 0.5 for name in ("speed", "warp") if name in names})


def spread_a_dome_of_ice() -> None:
    """Before other ice, and on more cells: glaciations begin without ice, and only first calls of a size are kept."""
    x = np.linspace(-1.0, 1.0, RESOLUTION + 2)
    dome = np.maximum(300.0 * (1.0 - np.hypot(x[:, np.newaxis], x)), 0.0)
    flow(ice_on(np.zeros_like(dome), dome), ice_law(5.0, 1000.0, 0.0), IceWeather(0.0, 0.0, 0.0), 100.0, 1.0)


def wander_over_a_plain() -> None:
    y, x = np.mgrid[0.0:33.0, 0.0:65.0].astype(np.float32)
    heights = np.float32(0.02) * x + np.float32(0.5) * np.abs(y - 16.0 - 3.0 * np.sin(0.11 * x)).astype(np.float32)
    waters = find_water(heights, 20.0, Water(river_width=60.0, river_source=0.05))
    plain = Terrain(heights, np.zeros_like(heights), 20.0)
    run(wander_rivers(plain, WanderingRivers(smallest_river=0.1, years=202.0, mobility=0.3), waters=waters))


def blow_sand_to_a_wall() -> None:
    """Before other sand, because only first calls are kept: with rock that turns the wind, and plants that live."""
    wall, sand = np.zeros((33, 33), np.float32), np.full((33, 33), 3.0, np.float32)
    wall[10:20, 20:26] = 60.0
    plants = np.linspace(0.0, 1.0, sand.size, dtype=np.float32).reshape(sand.shape)
    run(blow_sand(Terrain(wall, sand, 4.0), Sand(supply=0.0, years=20.0, plant_growth=0.5), plants=plants))


def build_all_erosion() -> None:
    spread_a_dome_of_ice()
    blow_sand_to_a_wall()
    build_changes(bare(), "erosion", "terrain")
    coarsen(np.ones((33, 33), np.float32), (9, 9))
    valley = 40.0 * np.abs(np.arange(-8, 9, dtype=np.float32)) + np.zeros((17, 1), np.float32)
    glaciers = Glaciation(equilibrium_line_altitude=150.0, years=2000.0)
    run(glaciate(Terrain(valley, np.zeros_like(valley), 100.0), glaciers))
    find_glaciers(valley, 100.0, Glaciers(enabled=True, equilibrium_line_altitude=150.0))
    wander_over_a_plain()
    plateau = np.full((32, 24), 100.0, np.float32)
    plateau[:, :3] = 0.0
    walls = CliffRetreat(hard_bed=48.0, weak_bed=60.0, bed_variation=0.0, hoodoos=1.0, hoodoo_width=12.0)
    run(retreat(Terrain(plateau, np.zeros_like(plateau), 4.0), walls.replace(years=10_000.0)))
    sand = np.zeros((33, 33), np.float32)
    sand[8:25, 8:25] = 500.0
    run(stabilise_sediment(Terrain(np.zeros_like(sand), sand, 10.0), Stabilisation(talus_angle=20.0)))


def look_closer_at_rock() -> None:
    """A gentle slope below a steep one, so near that single stones show."""
    x = np.arange(65, dtype=np.float32)
    rock = np.maximum(0.2 * x, x - 26.0) + 0.1 * np.sin(x[:13])[:, np.newaxis]
    detail_slopes(Terrain(rock, np.full_like(rock, 0.2), 0.6), Origin(seed=3))


def build_what_is_drawn() -> None:
    recipe = bare()
    w = recipe.width
    features = (
        core.River(points=((0.1 * w, 0.9 * w), (0.5 * w, 0.6 * w), (0.7 * w, 0.5 * w)), valley_width=0.1 * w),
        core.River(points=((0.1 * w, 0.5 * w), (0.505 * w, 0.605 * w))),
        core.Ridge(points=((0.5 * w, 0.9 * w), (0.9 * w, 0.7 * w)), width=0.2 * w),
        core.Cliff(points=((0.6 * w, 0.1 * w), (0.9 * w, 0.3 * w)), width=0.1 * w),
        core.Lake(points=((0.2 * w, 0.2 * w), (0.4 * w, 0.2 * w), (0.3 * w, 0.4 * w)), width=0.1 * w),
        core.Road(points=((0.1 * w, 0.1 * w), (0.9 * w, 0.9 * w)), longest_bridge=1e5, longest_tunnel=1e5),
        core.Pad(points=((0.8 * w, 0.4 * w), (0.9 * w, 0.4 * w), (0.9 * w, 0.5 * w))),
    )
    core.build(recipe.replace(features=features), inputs=StoredFields())
    # Longer than the outlines above, so that of calls alike this one is kept.
    across = tuple(
        core.River(points=((0.1 * w, y * w), (0.4 * w, 0.5 * w), (0.9 * w, (1.0 - y) * w))) for y in (0.1, 0.9)
    )
    with pytest.raises(ValueError, match="crosses"):
        check_features(across, w, w)
    # A ravine, which only a bridge crosses, on so few cells that this search is kept.
    ravine = np.full((12, 12), np.float32(50.0))
    ravine[:, 5:8] = 0.0
    road = core.Road(points=((10.0, 50.0), (100.0, 60.0)), least_radius=0.0)
    run(find_road(ravine, 10.0, road, np.zeros(ravine.shape, bool)))
    spread(np.where(np.eye(33) > 0.0, 1.0, np.nan).astype(np.float32), np.full((33, 33), np.float32(3.0)))


def let_snow_slide_into_a_pit() -> None:
    # So small that this call is kept beside those of winters.
    slope = np.repeat(9.0 * np.arange(4.0, dtype=np.float32)[:, None], 4, axis=1)
    slope[1, 1] -= 100.0
    water = np.full(slope.shape, 2000.0)
    slide_snow(water, slide_ground(slope, water, 10.0, 35.0), np.zeros(slope.shape))


def build_all_maps() -> None:
    let_snow_slide_into_a_pit()
    for name in ("seed", "water", "illumination", "extra_maps", "climate", "winter"):
        build_changes(bare(), name, "maps")


def build_all_plants() -> None:
    build_changes(small_recipe(RESOLUTION, erosion=(Weathering(soil_depth=2.0),)), "ecosystem", "plants")


def build_changes(start: core.Recipe, name: str, extent: Extent, **options: Any) -> None:
    """Build a recipe with each of the parameters changed that lie under one of its own."""
    inputs, cache = StoredFields(), core.Cache()
    for change in changes_of(start, all_choices=True, **options):
        if change.path.split(".")[0] == name:
            core.build(change.after, inputs=inputs, cache=cache, extent=extent)


def draw_plants() -> None:
    """Pictures of leaves and of a far plant, so small that Python draws them soon."""
    leaves, low = draw_leaves("oak", 32), make_plant_mesh("oak", 0, 2)
    draw_leaves("spruce", 32)
    foliage = PARTS.index("foliage")
    places = np.random.default_rng(1).random((len(low.vertices), 2), np.float32)
    draw_far([Looker(low, places, part_colours("oak"), leaves, foliage)], 40)


def use_what_is_around_a_landscape(folder: Path) -> None:
    recipe = core.Recipe.preset("islands", seed=3, resolution=33)
    land = core.build(recipe, extent="maps")
    terrain, waters = land.terrain, land.waters
    assert waters is not None
    surface, cell_size = terrain.surface, terrain.cell_size
    make_water_mesh(terrain, waters)
    draw_plants()
    triangulate(surface, 20.0, 8)
    vertex_positions(surface, cell_size)
    places = np.linspace(0.0, 900.0, 40, dtype=np.float32)
    sample(surface, cell_size, places, places[::-1])
    altitude_on_mesh(surface, cell_size, places, places[::-1], turned_cells(surface))
    distance_to_path(places, places[::-1], [(0.0, 0.0), (900.0, 700.0)])
    check_realism(surface, cell_size, "fjords")
    bush = load_species("bush")
    there = Stems(places[:5], places[5:10], np.full(5, 30.0, np.float32))
    added = run(add_where_clear(np.ones((3, 3), np.float32), 20.0, bush, 1, there))
    pond = np.array([[0, 0, 5], [30, 0, 5], [0, 30, 5]], np.float32)
    ground = GroundPlaces(added.x, added.y, np.zeros(len(added), np.float32))
    lie_under_water(ground, pond, np.array([[0, 1, 2]], np.int32), (40.0, 40.0))
    measure_horizon(surface, cell_size, [10.0, 100.0], longest_distance=4.0 * cell_size)
    pour_humidity(surface)
    broken_stones(np.ones((32, 32), np.float32), 4.0, 1)
    grass_blades(32, 2.5, 1, per_m2=10)
    fill_depressions(surface)
    routes = route_flow(surface, cell_size)
    catchments(routes)
    strahler_order(routes, drainage_area(routes), 5.0 * cell_size**2)
    coarse = np.ascontiguousarray(surface[::4, ::4])
    mesh = Terrain(coarse, np.zeros_like(coarse), 4.0 * cell_size)
    maps = land.maps
    land_colour(surface, terrain.sediment, maps["slope"], maps["humidity"], 300.0)
    for colouring in COLOURINGS:
        shown = replace(land, recipe=recipe.replace(appearance=recipe.appearance.replace(colouring=colouring)))
        bake(folder / colouring, "land", shown, BAKED_MAPS, BakeOptions(mesh=mesh))


def measure_noise_at_points() -> None:
    """Call every public function of the relief that takes places and numbers and returns a value for each place."""
    places = np.random.default_rng(1).uniform(-20.0, 20.0, (4, 30))
    for module in modules():
        for name, function in vars(module).items():
            if not inspect.isfunction(function) or name.startswith("_") or function.__module__ != module.__name__:
                continue
            given = inspect.signature(function).parameters
            of_places = {axis: values for axis, values in zip("xyzt", places) if axis in given}
            needed = [one for one in given.values() if one.default is one.empty and one.name not in of_places]
            if ".relief." in module.__name__ and "y" in of_places and all(one.annotation is float for one in needed):
                function(**of_places, **{one.name: 3.0 for one in needed})


def read_files(folder: Path) -> None:
    pixels = np.random.default_rng(1).integers(0, 256, (9, 7)).astype(np.uint8)
    write_png(folder / "pixels.png", pixels)
    read_elevation(folder / "pixels.png")
    unpack_lzw(lzw(pixels.tobytes() * 3), 3 * pixels.size)


def build_planets() -> None:
    for name in ("temperate", "desert", "moon"):
        recipe = core.PlanetRecipe.preset(name, seed=3, resolution=5)
        planet = core.build_planet(recipe.replace(craters=recipe.craters.replace(count=200)))
    crater_light(recipe.craters.replace(count=200), 1e6, 3, np.eye(3), planet.directions.reshape(-1, 3))
    everywhere = np.ascontiguousarray(planet.directions.reshape(-1, 3))
    sand = np.linspace(0.0, 1.0, len(everywhere), dtype=np.float32)
    DuneField(60.0, 100.0, np.eye(3), 3).add(0, everywhere, sand, np.zeros(len(everywhere), np.float32))
    nearest_samples(planet.directions, 5)
    sample_faces(planet.surface, planet.directions[:, :2])
    ground_layers(planet.biomes, planet.directions[:, :2])
    plane_directions(Place(10.0, 20.0), 6e6, np.arange(3.0), np.arange(2.0))
    plane_places(Place(10.0, 20.0), 6e6, planet.directions.reshape(-1, 3)[::7])
    across = np.array([[-3.0, 1.0]]), np.array([[4.0, 2.0]]), np.array([[60.0, 50.0]])
    valley, level = EntryValley(2.0, 10.0, 45.0), np.full((8, 9), 70.0, np.float32)
    cut_valleys(RiverSteps(*across, np.ones(1)), valley, np.arange(9.0), np.arange(8.0), level)
    noise = np.random.default_rng(8)
    drawn = whole_map(StoredField(noise.random((16, 32), np.float32)), 2.0, 45.0)
    whole_map_heights(drawn, np.eye(3), planet.directions[:, :2])
    coarse, fine = make_sphere(3, 1000.0), make_sphere(5, 1000.0)
    rough = noise.random(fine.shape, np.float32)
    double(halve(rough, fine, coarse), coarse, fine)
    Router(fine.shape, fine.mesh).route(rough, 0.2)
    hollows, warm = fine.cells.on_faces(1000.0 * rough), np.full((6, 5, 5), 20.0, np.float32)
    find_waters(hollows, fine, 200.0, ClimateMaps(warm, warm, 40.0 * warm))
    slide(1000.0 * rough.astype(np.float64), fine.mesh, 20.0)
    viewer = Viewer(np.array((1.1, 0.0, 0.0)), np.array((0.0, 0.0, 1.0)), 1.0)
    mesh_near(5, 5, viewer)
    land = GulliedLand(2e3 * noise.random((6, 5, 5), np.float32), 0.0, 1e-5, np.eye(3), 7)
    gullied_heights(land, planet.directions[0, 0], np.full(5, 1.0))
    # So low above a small planet only a few hundred places for trees are in the picture.
    low = Viewer(np.array((1.0001, 0.0, 0.0)), np.array((-0.6, 0.0, 0.8)), 1.0)
    pebble = core.PlanetRecipe.preset("temperate", seed=3, resolution=5, radius=9e4)
    plants_near(core.build_planet(pebble), low)


def build_worlds(folder: Path) -> None:
    pytest.importorskip("zarr", reason="worlds need zarr and dask, which the newest Blender's environment has")
    # Level ground, first because only so many calls of a kernel are looked at.
    blocks, steps = Blocks(30, 30, 30), np.random.default_rng(2).integers(0, 3, (32, 32)).astype(np.float32)
    find_block_directions(steps, Block(0, 0, 30, 30), blocks, -1.0)
    find_block_directions(steps, Block(0, 0, 30, 30), blocks, -1.0, np.array([3, 5], np.int64))
    # Two woods that meet at a rim, all of whose plants stand too near to each other.
    random, depth = np.random.default_rng(5), np.zeros((61, 61), np.float32)
    own, other = (
        {"x": random.uniform(28.0 + 2.0 * i, 30.0 + 2.0 * i, 40), "y": random.uniform(0.0, 30.0, 40)}
        | {"room": np.full(40, 1.5), "block": np.full(40, i), "species": np.zeros(40, np.int64)}
        for i in (0, 1)
    )
    for summed in (False, True):
        keep_apart(own, [other], [Species()], Rims(Blocks(61, 61, 30), 1.0, summed, depth, 0, 0))
    water = core.Recipe().water.replace(river_source=0.02, smallest_lake=100.0, shallowest_lake=0.0)
    for number, exponent in enumerate((1.0, 1.5)):
        erosion = (StreamPower(slope_exponent=exponent), Weathering(), RiverBeds())
        recipe = mountains(width=1200.0, depth=1200.0, water=water, erosion=erosion)
        store = folder / f"world_{number}"
        build_world(recipe, size=64, tile=16, store=store, scale=Scale(side=16, coarse_cells=32))
        assert list(world_rivers(store))
    PlainStore(store).read("surface", Block(0, 0, 20, 20))


# --- recording --------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def recording() -> Iterator[dict[str, dict[Any, Call]]]:
    """Record calls of kernels, by the kernel's name and by what tells its calls apart."""
    calls: dict[str, dict[Any, Call]] = {}

    def recorded(method: Callable[..., Any]) -> Callable[..., Any]:
        def call(kernel: Kernel, *arguments: Any) -> Any:
            known = calls.setdefault(name_of(kernel), {})
            way = tuple(map(way_of, arguments))
            if way in known:
                wanted = size_of(known[way].before) < size_of(arguments) <= MOST_NUMBERS
            else:
                wanted = len(known) < MOST_CALLS and size_of(arguments) <= FAR_TOO_MANY
            if not wanted:
                return method(kernel, *arguments)
            before = copied(arguments, {})
            result = method(kernel, *arguments)
            known[way] = Call(before, copied(arguments, {}), result)
            return result

        return call

    threads = compilation.thread_count()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Kernel, "__call__", recorded(Kernel.__call__))
        patch.setattr(Kernel, "alone", recorded(Kernel.alone))
        compilation.set_thread_count(1)
        try:
            yield calls
        finally:
            compilation.set_thread_count(threads)


def way_of(argument: Any) -> Any:
    """What may send a kernel another way: the type of an argument, a switch, a sign, a small number or side."""
    if isinstance(argument, np.ndarray):
        return argument.dtype.str, argument.ndim, *(side for side in argument.shape if side <= MOST_CALLS)
    if isinstance(argument, tuple):
        return tuple(map(way_of, argument))
    if isinstance(argument, float | np.floating):
        return type(argument), argument > 0.0
    is_choice = isinstance(argument, bool) or (isinstance(argument, int) and -1 <= argument <= 8)
    return argument if is_choice else type(argument)


def arrays_in(value: Any) -> Iterator[np.ndarray]:
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, tuple):
        for one in value:
            yield from arrays_in(one)


def size_of(arguments: tuple[Any, ...]) -> int:
    return sum(array.size for array in arrays_in(arguments))


def copied(value: Any, copies: dict[Any, np.ndarray]) -> Any:
    """A copy of arguments in which an array that is there twice is one array, too."""
    if isinstance(value, np.ndarray):
        place = value.__array_interface__["data"][0], value.shape, value.strides, value.dtype.str
        if place not in copies:
            copies[place] = np.array(value)
        return copies[place]
    if isinstance(value, tuple):
        inside = [copied(one, copies) for one in value]
        return type(value)(*inside) if hasattr(value, "_fields") else tuple(inside)
    return value


# --- interpreting -----------------------------------------------------------------------------------------------------
# To numpy, a number of Python takes the type of what it meets: a float32 times 0.5 is a float32.  To numba, 0.5 is a
# float64, and so is the product; float() and math.sqrt() leave a float32 as it is; min(), max() and all returns of a
# function give the common type.


class _NumbersWithTypes(ast.NodeTransformer):
    """Puts names in place of numbers, so that each number is made once: `numbers` has them by name."""

    def __init__(self) -> None:
        self.numbers: dict[str, Any] = {}

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if type(node.value) not in (float, int):
            return node
        name = f"_number_{node.value!r}"
        self.numbers[name] = typed(node.value)
        return ast.Name(name, ast.Load())


def typed(value: Any) -> Any:
    """A number of Python as the one that numba takes it for."""
    # By a table of types, because this runs for every argument of every call.
    kind = type(value)
    make = _MAKERS.get(kind)
    if make is None:
        make = _MAKERS[kind] = _typed_fields if isinstance(value, tuple) else _as_it_is
    return make(value)


def _typed_fields(value: tuple[Any, ...]) -> tuple[Any, ...]:
    fields = [typed(one) for one in value]
    if all(map(operator.is_, fields, value)):
        return value
    return type(value)(*fields) if hasattr(value, "_fields") else tuple(fields)


def _as_it_is(value: Any) -> Any:
    return value


_MAKERS: dict[type, Callable[[Any], Any]] = {float: np.float64, int: np.int64}


def _as_float(number: Any) -> Any:
    return number if isinstance(number, np.floating) else np.float64(number)


def _least(*numbers: Any) -> Any:
    return _of_common_type(min(numbers), numbers)


def _most(*numbers: Any) -> Any:
    return _of_common_type(max(numbers), numbers)


def _of_common_type(chosen: Any, numbers: tuple[Any, ...]) -> Any:
    types = set(map(type, numbers))
    return chosen if len(types) == 1 else np.result_type(*types).type(chosen)


# Square roots of the type of what they are taken of; the rest that kernels use of it gives whole numbers.
_MATH = SimpleNamespace(**(vars(math) | {"sqrt": np.sqrt}))


@functools.cache
def interpreted(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function behind a kernel, with the types that its numbers have for numba."""
    source = ast.parse(textwrap.dedent(inspect.getsource(function)))
    ast.increment_lineno(source, function.__code__.co_firstlineno - 1)  # as in its file, for tracebacks and coverage
    (written,) = source.body
    assert isinstance(written, ast.FunctionDef)
    written.decorator_list, written.returns = [], None
    for argument in written.args.args:
        argument.annotation = None
    names = dict(function.__globals__)
    names |= {name: typed(value) for name, value in names.items() if type(value) in (float, int, tuple)}
    names |= {"float": _as_float, "min": _least, "max": _most, "math": _MATH}
    returns = [one.value for one in ast.walk(written) if isinstance(one, ast.Return)]
    gives_float64 = any(isinstance(value, ast.Constant) and type(value.value) is float for value in returns)
    with_types = _NumbersWithTypes()
    code = compile(ast.fix_missing_locations(with_types.visit(source)), inspect.getfile(function), "exec")
    names |= with_types.numbers
    exec(code, names)
    function_with_types: Callable[..., Any] = names[function.__name__]
    if gives_float64:
        return lambda *arguments: np.float64(function_with_types(*arguments))
    return function_with_types


@contextlib.contextmanager
def interpreting() -> Iterator[Counter[str]]:
    """Have kernels that are named in kernels interpreted, and count how often."""
    ran: Counter[str] = Counter()

    def call(kernel: Kernel, *arguments: Any) -> Any:
        ran[name_of(kernel)] += 1
        return interpreted(kernel.py_func)(*map(typed, arguments))

    with pytest.MonkeyPatch.context() as patch, np.errstate(all="ignore"):
        patch.setattr(Kernel, "__call__", call)
        yield ran


def inside_of_land(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of `_sweep` without the cells around the land, which hold whatever memory held before."""
    ground, lines, *others, horizon = arguments
    columns = int(lines.begins[1] - lines.begins[0])
    return ground, lines, *others, horizon.reshape(-1, columns)[1:-1, 1:-1]


# What counts of a kernel's arguments where not all of it does.
COUNTS: dict[str, Callable[[tuple[Any, ...]], tuple[Any, ...]]] = {"core.maps.horizon._sweep": inside_of_land}


def differences(kernel: Kernel, call: Call) -> Iterator[str]:
    """Run a recorded call by Python; a sentence for each array or number that is another than that of numba."""
    arguments = copied(call.before, {})
    part = ((0, 1),) if kernel.parallel else ()
    result = interpreted(kernel.py_func)(*part, *map(typed, arguments))
    counts = COUNTS.get(name_of(kernel), lambda values: values)
    pairs = zip(leaves((counts(arguments), result)), leaves((counts(call.after), call.result)), strict=True)
    for ours, theirs in pairs:
        if isinstance(theirs, range | None):
            if ours != theirs:
                yield f"{ours} instead of {theirs}"
            continue
        one, other = np.asarray(ours), np.asarray(theirs)
        differ = ~((one == other) | ((one != one) & (other != other)))
        if differ.any():
            yield f"{differ.sum()} of {one.size} numbers: {one[differ][0]!r}, numba says {other[differ][0]!r}"


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for one in value:
            yield from leaves(one)
    else:
        yield value


def test_every_kernel_is_what_its_source_says(tmp_path: Path) -> None:
    measure_published_maps()
    with recording() as calls:
        build_all_reliefs()
        look_closer_at_rock()
        build_all_erosion()
        build_what_is_drawn()
        build_all_maps()
        build_all_plants()
        use_what_is_around_a_landscape(tmp_path)
        measure_noise_at_points()
        read_files(tmp_path)
        build_planets()
        build_worlds(tmp_path)
    kernels = all_kernels()
    wrong = []
    with interpreting() as ran:
        for name, recorded in calls.items():
            ran[name] += len(recorded)
            for call in recorded.values():
                wrong += [f"{name}: {sentence}" for sentence in differences(kernels[name], call)]
    assert wrong == []
    assert sorted(kernels.keys() - ran.keys()) == [], "no landscape reaches these kernels"

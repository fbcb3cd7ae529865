"""What a tile does on the finest level once erosion is over: soil, water, maps and plants."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path

import numpy as np

from ..core.building.measuring import maps_wanted
from ..core.ecosystem.density import Habitat
from ..core.ecosystem.ecosystem import grow_forest
from ..core.erosion.weathering import weather_rock
from ..core.flow.water import Water, Waters, find_water
from ..core.foundation.compilation import Array
from ..core.foundation.hashing import Purpose, derive_seed
from ..core.foundation.progress import run
from ..core.foundation.resampling import resample
from ..core.foundation.terrain import Field, Terrain
from ..core.maps.catalogue import MAPS
from ..core.tiling.block_basins import find_block_directions, label_block, summarise_basins
from ..core.tiling.block_flow import order_block
from ..core.tiling.blocks import Block
from .coarse_level import coarse_map
from .erosion_phases import at_ends, carve_part, collect_in, state_path
from .plant_rims import keep_apart
from .tiles import ArrayPart, WorldTile, clipped, load_arrays, samples_under, save_arrays, window_under
from .world import World

LOCAL_MAPS = ("slope", "gradient", "curvature", "profile_curvature", "plan_curvature")
"""Maps that are measured on the finest level; all others are refined from the level in memory."""
_OWN_ARRAYS = ("drainage", "water_depth")
_DIRECTIONS = "work/final/directions"
RAW_PLANTS, PLANTS, TILES = "work/final/plants", "plants", "tiles"
_WEATHER_MARGIN, _MAP_MARGIN, _COARSE_MARGIN = 2, 2, 3
_KM2 = 1e6
_RIVER_DEPTH = np.float32(0.5)  # metres; enough to keep plants out of rivers
_UNLIMITED = 1e30


def finished_arrays(world: World) -> dict[str, type[np.generic]]:
    """Return the arrays of a finished world and their types."""
    maps = [f"maps/{name}" for name in maps_wanted(world.recipe) if name not in _OWN_ARRAYS]
    fields_of_land = ("surface", "bedrock", "sediment", *_OWN_ARRAYS, *maps)
    return {**dict.fromkeys(fields_of_land, np.float32), "flow": np.uint8}


def working_arrays() -> dict[str, type[np.generic]]:
    """Return the arrays that only the phases of this module use, and their types."""
    return {_DIRECTIONS: np.uint8}


def make_surface(tile: WorldTile) -> None:
    """Let rock weather, and lead the water on the finished surface."""
    world, level = tile.world, tile.phase.level
    heights, sediments = (
        tile.read(state_path(level, world.steps, name), 1 + _WEATHER_MARGIN) for name in ("height", "sediment")
    )
    for _, block in tile.blocks():
        around = clipped(block.grown(1 + _WEATHER_MARGIN), tile.land.shape)
        sediment = sediments.of(around)
        terrain = Terrain((heights.of(around) - sediment).astype(np.float32), sediment, tile.land.cell_size)
        if world.weathering is not None:
            terrain = weather_rock(terrain, world.weathering)
        for name in ("surface", "bedrock", "sediment"):
            tile.put(name, block, _part(getattr(terrain, name), around, block))
        beside = clipped(block.grown(1), tile.land.shape)
        missing = [
            (beside.first_row - block.first_row + 1, block.rows + 1 + block.first_row - beside.first_row - beside.rows),
            (
                beside.first_column - block.first_column + 1,
                block.columns + 1 + block.first_column - beside.first_column - beside.columns,
            ),
        ]
        surface = np.pad(_part(terrain.surface, around, beside), missing, mode="edge")
        directions = find_block_directions(surface, block, tile.all_blocks, tile.shop.sea_level)
        basins = label_block(directions, block, tile.all_blocks)
        tile.tell(summarise_basins(surface, directions, basins, block, tile.all_blocks))
        tile.put(_DIRECTIONS, block, directions)


def route_tile(tile: WorldTile) -> None:
    """Lead water out of depressions, collect it within each block, and measure what lakes would cover."""
    directions, surfaces = tile.read(_DIRECTIONS), tile.read("surface")
    for number, block in tile.blocks():
        here = directions.of(block)
        basins = label_block(here, block, tile.all_blocks)
        found = tile.answers("surface", number)
        basin = np.append(0, at_ends(found, "basin", basins))
        level = np.append(-np.inf, at_ends(found, "level", basins))
        depth = level[basins.labels] - surfaces.of(block).ravel()
        wet, deepest = np.zeros(basin.size, np.int64), np.zeros(basin.size)
        np.add.at(wet, basins.labels, depth > 0.0)
        np.maximum.at(deepest, basins.labels, depth)
        flow, summary = carve_part(tile, number, block, here, np.ones(here.size, np.int64), "surface")
        tile.put("flow", block, flow)
        tile.tell({**summary, "basin": basin, "wet": wet, "deepest": deepest})


def finish_tile(tile: WorldTile) -> None:
    """Write water and maps."""
    flows, directions = tile.read("flow"), tile.read(_DIRECTIONS)
    bedrocks, sediments = (tile.read(name, _MAP_MARGIN) for name in ("bedrock", "sediment"))
    cell = tile.land.cell_size
    local = [name for name in maps_wanted(tile.world.recipe) if name in LOCAL_MAPS]
    coarse = [name for name in maps_wanted(tile.world.recipe) if name not in (*LOCAL_MAPS, *_OWN_ARRAYS)]
    regions = _coarse_regions(tile, coarse)
    for number, block in tile.blocks():
        flow, each = order_block(flows.of(block)), np.ones(block.rows * block.columns, np.int64)
        amounts = collect_in(tile, number, block, flow, each, "route")
        tile.put("drainage", block, (amounts * cell**2).astype(np.float32).reshape(block.shape))
        basins = label_block(directions.of(block), block, tile.all_blocks)
        lakes = np.append(-np.inf, at_ends(tile.answers("route.lakes", number), "level", basins))
        around = clipped(block.grown(_MAP_MARGIN), tile.land.shape)
        terrain = Terrain(bedrocks.of(around), sediments.of(around), cell)
        surface = _part(terrain.surface, around, block)
        level = np.maximum(lakes[basins.labels].reshape(block.shape), tile.shop.sea_level).astype(np.float32)
        tile.put("water_depth", block, np.maximum(surface, level) - surface)
        for name in local:
            tile.put(f"maps/{name}", block, _part(MAPS[name].measure(terrain), around, block))
        for name, region in regions.items():
            tile.put(f"maps/{name}", block, _refined(tile, name, region, block))
    tile.tell({})


def grow_plants(tile: WorldTile) -> None:
    """Let plants grow on each block as if it were alone."""
    world = tile.world
    names = ("surface", "sediment", "water_depth", "drainage")
    regions = {name: tile.read(name, 1) for name in names}
    coarse = _coarse_regions(tile, ("illumination", "humidity", "water_distance"))
    grown: list[dict[str, Array]] = []
    for number, block in tile.blocks():
        # To the first samples of the next blocks, so that no strip stays bare.
        reach = clipped(Block(*block[:2], block.rows + 1, block.columns + 1), tile.land.shape)
        land = {name: region.of(reach) for name, region in regions.items()}
        land |= {name: _refined(tile, name, region, reach) for name, region in coarse.items()}
        habitat = _habitat(tile, land)
        seed = int(derive_seed(world.recipe.seed, Purpose.PLACES, *divmod(number, tile.all_blocks.across)) >> 1)
        forest = run(grow_forest(habitat, world.recipe.ecosystem, tile.land.cell_size, seed))
        plants = forest.plants_at(min(world.recipe.ecosystem.evolution.years, forest.years))
        arrays = {item.name: getattr(plants, item.name) for item in fields(plants)}
        arrays["x"] = arrays["x"].astype(np.float64) + block.first_column * tile.land.cell_size
        arrays["y"] = arrays["y"].astype(np.float64) + block.first_row * tile.land.cell_size
        grown.append({**arrays, "block": np.full(len(plants), number, np.int32)})
    together = {name: np.concatenate([one[name] for one in grown]) for name in grown[0]}
    save_arrays(_plants_file(tile, RAW_PLANTS, tile.number), together)


def join_plants(tile: WorldTile) -> None:
    """Take away plants that stand too near to one of another block, and write what identifies the finished tile."""
    down, across = tile.world.tiles(tile.phase.level)
    row, column = divmod(tile.number, across)
    around = [
        r * across + c
        for r in range(max(row - 1, 0), min(row + 2, down))
        for c in range(max(column - 1, 0), min(column + 2, across))
        if (r, c) != (row, column)
    ]
    own, *others = (load_arrays(_plants_file(tile, RAW_PLANTS, number)) for number in (tile.number, *around))
    summed = tile.world.recipe.ecosystem.throwing.spacing_rule == "sum"
    kept = keep_apart(own, others, tile.all_blocks, tile.land.cell_size, summed=summed)
    del kept["block"]
    name = f"{row}_{column}"
    save_arrays(tile.store.folder / PLANTS / f"{name}.npz", kept)
    digests = {path: digest_of_arrays(tile.read(path).values) for path in finished_arrays(tile.world)}
    write_record(tile.store.folder, (row, column), tile.span, digests, kept)


def write_record(
    folder: Path, place: tuple[int, int], span: Block, digests: dict[str, str], plants: dict[str, Array]
) -> None:
    """Write where a finished tile lies, and what identifies its arrays and plants."""
    record = {**span._asdict(), "plants": int(plants["x"].size)}
    record["sha256"] = {**digests, "plants": digest_of_arrays(*plants.values())}
    file = folder / TILES / f"{place[0]}_{place[1]}.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(record, indent=1), encoding="utf-8")


def digest_of_arrays(*arrays: Array) -> str:
    """Return the SHA-256 of the bytes of arrays."""
    digest = hashlib.sha256()
    for values in arrays:
        digest.update(np.ascontiguousarray(values).data)
    return digest.hexdigest()


def _plants_file(tile: WorldTile, folder: str, number: int) -> Path:
    return tile.store.folder / folder / f"{number}.npz"


def _part(values: Field, around: Block, block: Block) -> Field:
    row, column = block.first_row - around.first_row, block.first_column - around.first_column
    return np.ascontiguousarray(values[row : row + block.rows, column : column + block.columns])


def _refined(tile: WorldTile, name: str, region: ArrayPart, block: Block) -> Field:
    """A map of the level in memory at the samples of a block."""
    times = 2**tile.phase.level
    under = window_under(block, times, _COARSE_MARGIN, tile.world.land(0).shape)
    rows, columns = samples_under(block, under, times)
    lowest = -_UNLIMITED if MAPS[name].signed else 0.0
    return resample(region.of(under), rows, columns, 1.0, MAPS[name].limits or (lowest, _UNLIMITED))


def _coarse_regions(tile: WorldTile, names: Iterable[str]) -> dict[str, ArrayPart]:
    # One sample more, because plants look at the first samples of the next blocks.
    return {name: tile.read_coarse(coarse_map(name), 0, _COARSE_MARGIN + 1) for name in names}


def _habitat(tile: WorldTile, land: dict[str, Field]) -> Habitat:
    """What a block offers to plants; rivers count as shallow water."""
    water = tile.world.recipe.water
    depth = land["water_depth"]
    if water.rivers:
        depth = np.where(land["drainage"] >= water.river_source * _KM2, np.maximum(depth, _RIVER_DEPTH), depth)
    dry = find_water(np.zeros((2, 2), np.float32), 1.0, Water(rivers=False, lakes=False))
    waters = Waters(water.sea_surface, land["surface"] + depth, depth, land["drainage"], dry.lakes, dry.rivers)
    terrain = Terrain(land["surface"] - land["sediment"], land["sediment"], tile.land.cell_size)
    return Habitat(
        sediment=land["sediment"],
        altitude=land["surface"],
        slope=MAPS["slope"].measure(terrain),
        waters=waters,
        illumination=land["illumination"],
        humidity=land["humidity"],
        water_distance=land["water_distance"],
    )

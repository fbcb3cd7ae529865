"""What a tile does on the finest level once erosion is over: water, maps and plants."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ..core.building.measuring import maps_wanted
from ..core.building.plant_stages import habitat_maps
from ..core.ecosystem.dart_throwing import Corner
from ..core.ecosystem.density import Habitat
from ..core.ecosystem.ecosystem import Ecosystem, grow_forest
from ..core.ecosystem.plant_looks import full_grown_radius
from ..core.ecosystem.plants import Plants
from ..core.ecosystem.species import Species
from ..core.flow.water import Water, find_water, waters_at
from ..core.foundation.compilation import Array
from ..core.foundation.hashing import Purpose, derive_seed
from ..core.foundation.progress import run
from ..core.foundation.terrain import Field, Terrain
from ..core.maps.catalogue import MAPS
from ..core.maps.climate import RAIN_MAP, TEMPERATURE
from ..core.tiling.blocks import Block
from .checked_json import write_json
from .coarse_level import COARSE_SOIL, coarse_map
from .drawing_phases import free_of_works
from .leading_phases import drain_block, drained_area, lead_block, levels_in, standing_water
from .plant_rims import Rims, halo_of, keep_apart
from .shaping_phases import ground_after
from .tiles import REFINING_MARGIN, ArrayPart, WorldTile, clipped, digest_of_arrays, load_arrays, part_of, save_arrays
from .world import FINAL_PHASES, World

LOCAL_MAPS = ("slope", "gradient", "curvature", "profile_curvature", "plan_curvature")
"""Maps that are measured on the finest level; all others are refined from the level in memory."""
_CLIMATE_OF_PLANTS = (TEMPERATURE.name, RAIN_MAP.name)
_OWN_ARRAYS = ("drainage", "water_depth")
_DIRECTIONS = "work/final/directions"
RAW_PLANTS, PLANTS, TILES = "work/final/plants", "plants", "tiles"
_MAP_MARGIN = 2
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
    """Write the finished land, and lead the water downhill on it."""
    ground = ground_after(tile, tile.world.last_step, 1)
    soils = tile.read_coarse(COARSE_SOIL, 0, REFINING_MARGIN + 1) if COARSE_SOIL in tile.store else None
    for _, block in tile.blocks():
        around = clipped(block.grown(1), tile.land.shape)
        terrain = ground.of(around)
        if soils is not None:
            soil = tile.refined(soils, around, (-_UNLIMITED, _UNLIMITED))
            terrain = replace(terrain, sediment=np.maximum(terrain.sediment + soil, np.float32(0.0)))
        for name in ("surface", "bedrock", "sediment"):
            tile.put(name, block, part_of(getattr(terrain, name), around, block))
        lead_block(tile, ArrayPart(terrain.surface, around), block, _DIRECTIONS)


def route_tile(tile: WorldTile) -> None:
    """Lead water out of depressions, collect it within each block, and measure what lakes would cover."""
    directions, surfaces = tile.read(_DIRECTIONS), tile.read("surface")
    for number, block in tile.blocks():
        ground = directions.of(block), surfaces.of(block)
        tile.put("flow", block, drain_block(tile, number, block, ground, "surface"))


def finish_tile(tile: WorldTile) -> None:
    """Write water and maps."""
    flows, directions = tile.read("flow"), tile.read(_DIRECTIONS)
    bedrocks, sediments = (tile.read(name, _MAP_MARGIN) for name in ("bedrock", "sediment"))
    cell = tile.land.cell_size
    local = [name for name in maps_wanted(tile.world.recipe) if name in LOCAL_MAPS]
    coarse = [name for name in maps_wanted(tile.world.recipe) if name not in (*LOCAL_MAPS, *_OWN_ARRAYS)]
    regions = _coarse_regions(tile, coarse)
    for number, block in tile.blocks():
        tile.put("drainage", block, drained_area(tile, number, block, flows.of(block), "route"))
        around = clipped(block.grown(_MAP_MARGIN), tile.land.shape)
        terrain = Terrain(bedrocks.of(around), sediments.of(around), cell)
        surface = part_of(terrain.surface, around, block)
        lakes = levels_in(tile, number, block, directions.of(block), "route.lakes")
        tile.put("water_depth", block, standing_water(surface, lakes, tile.shop.sea_level))
        for name in local:
            tile.put(f"maps/{name}", block, part_of(MAPS[name].measure(terrain), around, block))
        for name, region in regions.items():
            tile.put(f"maps/{name}", block, _refined(tile, name, region, block))
    tile.tell({})


def grow_plants(tile: WorldTile) -> None:
    """Let plants grow on each block and a little around it, as if it were alone; those around it go."""
    world = tile.world
    names = ("surface", "sediment", "water_depth", "drainage")
    cell, ecosystem = tile.land.cell_size, world.recipe.ecosystem
    grows = ecosystem.evolution.years > 0.0
    halo = min(halo_of(ecosystem.species, cell, _summed(ecosystem), grows), tile.all_blocks.side)
    regions = {name: tile.read(name, halo) for name in names}
    climate = tuple(name for name in habitat_maps(world.recipe) if name in _CLIMATE_OF_PLANTS)
    coarse = _coarse_regions(tile, ("illumination", "humidity", "water_distance", *climate), halo)
    grown: list[dict[str, Array]] = []
    for number, block in tile.blocks():
        reach = clipped(block.grown(halo), tile.land.shape)
        land = {name: region.of(reach) for name, region in regions.items()}
        land |= {name: _refined(tile, name, region, reach) for name, region in coarse.items()}
        habitat = _habitat(tile, land)
        seed = int(derive_seed(world.recipe.seed, Purpose.PLACES, *divmod(number, tile.all_blocks.across)) >> 1)
        corner = Corner(reach.first_column * cell, reach.first_row * cell, world.recipe.seed)
        forest = run(grow_forest(habitat, ecosystem, cell, seed, corner=corner))
        plants = forest.plants_at(min(ecosystem.evolution.years, forest.years))
        arrays = {item.name: getattr(plants, item.name) for item in fields(plants)}
        arrays["x"] = arrays["x"].astype(np.float64) + corner.x
        arrays["y"] = arrays["y"].astype(np.float64) + corner.y
        arrays |= {"block": np.full(len(plants), number, np.int32), "room": _room_of(plants, ecosystem)}
        here = _stands_on(block, arrays["x"] / cell, arrays["y"] / cell)
        here &= free_of_works(tile, arrays["x"], arrays["y"])
        grown.append({name: values[here] for name, values in arrays.items()})
    together = {name: np.concatenate([one[name] for one in grown]) for name in grown[0]}
    save_arrays(_plants_file(tile, RAW_PLANTS, tile.number), together)


def join_plants(tile: WorldTile) -> None:
    """Move plants that stand too near to one of another block, and write what identifies the finished tile."""
    down, across = tile.world.tiles(tile.phase.level)
    row, column = divmod(tile.number, across)
    around = [
        r * across + c
        for r in range(max(row - 1, 0), min(row + 2, down))
        for c in range(max(column - 1, 0), min(column + 2, across))
        if (r, c) != (row, column)
    ]
    own, *others = (load_arrays(_plants_file(tile, RAW_PLANTS, number)) for number in (tile.number, *around))
    ecosystem, side = tile.world.recipe.ecosystem, tile.all_blocks.side
    depths = tile.read("water_depth", side)
    depth = _with_rivers(tile.world, depths.values, tile.read("drainage", side).values)
    if tile.world.step_of("works") is not None:
        row_of, column_of = np.divmod(np.arange(depth.size), depth.shape[1])
        east, north = column_of + depths.block.first_column, row_of + depths.block.first_row
        free = free_of_works(tile, east * tile.land.cell_size, north * tile.land.cell_size)
        depth = np.where(free.reshape(depth.shape), depth, np.float32(_UNLIMITED))
    rims = Rims(tile.all_blocks, tile.land.cell_size, _summed(ecosystem), depth, *depths.block[:2])
    kept = _join_kinds(own, others, ecosystem, rims)
    del kept["block"], kept["room"]
    save_arrays(tile.store.folder / PLANTS / f"{row}_{column}.npz", kept)
    digests = {path: digest for name in FINAL_PHASES[:3] for path, digest in tile.digests(name).items()}
    write_record(tile.store.folder, (row, column), tile.span, digests, kept)


def _room_of(plants: Plants, ecosystem: Ecosystem) -> Array:
    """How far each plant keeps others away, in metres."""
    evolution, species = ecosystem.evolution, ecosystem.species
    placed = full_grown_radius(plants, species)
    if evolution.years == 0.0:
        return placed
    lasts, radius = _is_lasting(species)[plants.species], np.array([one.radius for one in species], np.float32)
    stem = np.float32(evolution.stem_spacing) * radius[plants.species]
    return np.where(lasts, placed, np.maximum(stem, plants.radius) if evolution.crushing else stem)


def _join_kinds(
    own: dict[str, Array], others: Sequence[dict[str, Array]], ecosystem: Ecosystem, rims: Rims
) -> dict[str, Array]:
    """Return the plants of a tile: what was placed, what grew and dead wood do not ask one another for room."""
    evolution, species = ecosystem.evolution, ecosystem.species
    if evolution.years == 0.0:
        return keep_apart(own, others, species, rims)

    def chosen(kind: Callable[[dict[str, Array]], npt.NDArray[np.bool_]]) -> list[dict[str, Array]]:
        return [{name: values[kind(part)] for name, values in part.items()} for part in (own, *others)]

    lasts = _is_lasting(species)
    placed = chosen(lambda part: lasts[part["species"]])
    dead = chosen(lambda part: ~lasts[part["species"]] & (part["condition"] > 0))
    grown = chosen(lambda part: ~lasts[part["species"]] & (part["condition"] == 0))
    kept = [keep_apart(placed[0], placed[1:], species, rims), grown[0], dead[0]]
    if evolution.crushing or evolution.stem_spacing > 0.0:
        # Stems of one layer, each of which keeps its share of a radius.
        stems = rims._replace(summed=False, share=1.0 if evolution.crushing else evolution.stem_spacing)
        layer = [one.replace(undergrowth=False) for one in species]
        kept[1] = keep_apart(grown[0], grown[1:], layer, stems)
    return {name: np.concatenate([part[name] for part in kept]) for name in own}


def _is_lasting(species: Sequence[Species]) -> npt.NDArray[np.bool_]:
    return np.array([one.lasts for one in species], np.bool_)


def _summed(ecosystem: Ecosystem) -> bool:
    """Whether two plants keep the sum of their radii."""
    return ecosystem.throwing.spacing_rule == "sum"


def write_record(
    folder: Path, place: tuple[int, int], span: Block, digests: dict[str, str], plants: dict[str, Array]
) -> None:
    """Write where a finished tile lies, and what identifies its arrays and plants."""
    record = {**span._asdict(), "plants": int(plants["x"].size)}
    record["sha256"] = {**digests, "plants": digest_of_arrays(*plants.values())}
    write_json(folder / TILES / f"{place[0]}_{place[1]}.json", record)


def _stands_on(block: Block, x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Whether places, in samples of the land, lie on a block rather than on the next ones."""
    across = (x >= block.first_column) & (x < block.first_column + block.columns)
    return across & (y >= block.first_row) & (y < block.first_row + block.rows)


def _plants_file(tile: WorldTile, folder: str, number: int) -> Path:
    return tile.store.folder / folder / f"{number}.npz"


def _refined(tile: WorldTile, name: str, region: ArrayPart, block: Block) -> Field:
    """A map of the level in memory at the samples of a block."""
    lowest = -_UNLIMITED if MAPS[name].signed or name == TEMPERATURE.name else 0.0
    return tile.refined(region, block, MAPS[name].limits or (lowest, _UNLIMITED))


def _coarse_regions(tile: WorldTile, names: Iterable[str], halo: int = 0) -> dict[str, ArrayPart]:
    margin = REFINING_MARGIN + 1 + halo // 2**tile.phase.level
    return {name: tile.read_coarse(coarse_map(name), 0, margin) for name in names}


def _with_rivers(world: World, depth: Field, drainage: Field) -> Field:
    """Return the depth of standing water, and of rivers as plants see them."""
    return np.where(drainage >= world.recipe.water.river_source_area, np.maximum(depth, _RIVER_DEPTH), depth)


def _habitat(tile: WorldTile, land: dict[str, Field]) -> Habitat:
    """What a block offers to plants; rivers count as shallow water."""
    water, depth = tile.world.recipe.water, _with_rivers(tile.world, land["water_depth"], land["drainage"])
    dry = find_water(np.zeros((2, 2), np.float32), 1.0, Water(rivers=False, lakes=False))
    waters = waters_at(
        water.sea_surface, land["surface"], land["surface"] + depth, land["drainage"], dry.lakes, dry.rivers
    )
    terrain = Terrain(land["surface"] - land["sediment"], land["sediment"], tile.land.cell_size)
    return Habitat(
        sediment=land["sediment"],
        altitude=land["surface"],
        slope=MAPS["slope"].measure(terrain),
        waters=waters,
        illumination=land["illumination"],
        humidity=land["humidity"],
        water_distance=land["water_distance"],
        temperature=land.get(TEMPERATURE.name),
        rain=land.get(RAIN_MAP.name),
    )

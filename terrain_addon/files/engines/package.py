"""A whole level for a game engine as one folder.

A package holds heights, layers of ground cover, textures, meshes of the land at several levels of detail and one for
collisions, water, roads, species and plants, a manifest that explains all numbers, and a script that builds the level.
"""

import json
import math
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...core.building.landscape import Landscape
from ...core.ecosystem.plants import Plants, remove_plants
from ...core.foundation.progress import Steps, run, within
from ...core.foundation.terrain import Field, Grid
from ...core.meshing.cell_diagonals import altitude_on_mesh
from ...core.meshing.cut_water import water_on_land
from ...core.meshing.pad_mesh import built_ground
from ...core.meshing.road_mesh import build_road_mesh
from ...core.meshing.water_mesh import WaterMesh, make_water_mesh
from ..fitted_rivers import ShownGround, fit_rivers
from ..glb_document import GlbDocument
from ..heightmaps import normal_map
from ..own_ground import OwnGrounds, mean_colours
from ..plant_instances import (
    INSTANCING,
    PlantModel,
    Vegetation,
    add_instances,
    group_plants,
)
from ..plant_models import plant_models, plants_by_model
from ..png import write_png
from ..roads import Built, add_roads, road_text
from ..water import sea_around, water_within
from .details import write_densities, write_details
from .engine import SCRIPTS, Engine, Files, TilePlants, identifier, plain_name
from .folder import MANIFEST, PackageName, replace_package
from .free_ground import EngineGround, Obstacles, plants_on_banks
from .generic import GENERIC
from .godot import GODOT
from .ground_textures import GROUND_SIZES, write_ground
from .land_meshes import write_collision, write_land_tile, write_water
from .level import Level, TileContent
from .manifest import manifest_of, message_of, read_me
from .species_files import PICTURES, write_skins, write_species
from .tiled_land import Surface, Tile, TiledLand, cut_tiles, samples_along, tile_land, tiles_along
from .unity import UNITY
from .unreal import UNREAL

ENGINES: dict[str, Engine] = {engine.name: engine for engine in (UNITY, UNREAL, GODOT, GENERIC)}
"""All engines, by name."""

_MOST_TILES = 64
_MOST_LODS = 6
_ENOUGH = 0.95  # a size with this share of the land's own samples is accepted
_CELLS_ALONG_TILE = 8
_UNREAD = ".gdignore"  # tells Godot to import nothing from a folder
_SEA_BEYOND = 3.0  # diagonals of the land; haze hides 2.3
_NAMES = re.compile(r"\w[\w.-]{0,63}")  # engines name folders and assets after a level


@dataclass(frozen=True)
class PackageOptions:
    """Sizes and details of a package.

    Parameters
    ----------
    name : str or None
        Name of the level in the engine; None takes the name of the folder.
    resolution : int or None
        Samples along the longer side of a tile, 2 to 16384; None takes what fits the engine and the land.
    tiles : int or None
        Tiles along the longer side of the land, 1 to 64; None takes as few as the largest size of the engine allows.
    height_range : tuple of float or None
        Heights in metres of the lowest and highest level of 16-bit heights; None takes those of the land.  Landscapes
        that stand side by side need the same range.
    lods : int
        Levels of detail of the meshes of the land, each with half the vertices along a side, 1 to 6.
    collision_step : int
        Distance between vertices of the mesh for collisions in samples, 1 to 64.
    ground : int
        Texels along the side of textures of the ground: 512, 1024 or 2048; 0 for none.
    cell : float or None
        Side in metres of the cells into which plants are divided; None takes an eighth of a tile, and for the groups
        of an engine that shows whole cells at one level of detail what suits it.

    Raises
    ------
    ValueError
        If one of them is out of range.
    """

    name: str | None = None
    resolution: int | None = None
    tiles: int | None = None
    height_range: tuple[float, float] | None = None
    lods: int = 3
    collision_step: int = 4
    ground: int = 1024
    cell: float | None = None

    def __post_init__(self) -> None:
        for name, most in (("tiles", _MOST_TILES), ("lods", _MOST_LODS), ("collision_step", 64)):
            value = getattr(self, name)
            if value is not None and not 1 <= value <= most:
                raise ValueError(f"{name} = {value!r} is outside 1 to {most}")
        if self.ground not in GROUND_SIZES:
            raise ValueError(f"ground = {self.ground!r} is none of: {', '.join(map(str, GROUND_SIZES))} texels")
        if self.name is not None and not _NAMES.fullmatch(self.name):
            raise ValueError(f"name = {self.name!r} is not made of 1 to 64 letters, digits, '_', '-' and '.'")
        if self.resolution is not None and not 2 <= self.resolution <= 16384:
            raise ValueError(f"resolution = {self.resolution!r} is outside 2 to 16384")
        if self.cell is not None and not (math.isfinite(self.cell) and self.cell > 0.0):
            raise ValueError(f"cell = {self.cell!r} m is not a finite length above 0 m")
        if self.height_range is not None:
            low, high = self.height_range
            if not (math.isfinite(low) and math.isfinite(high) and low < high):
                raise ValueError(f"height_range = {self.height_range!r} m is not a lower and a higher height")


class OwnThings(NamedTuple):
    """What a user has in place of ours.

    Attributes
    ----------
    models : mapping of int to PlantModel
        Models of some species, by their number.
    ground : mapping of str to OwnGround
        Images of some layers of ground cover, by their name.
    """

    models: Mapping[int, PlantModel] = MappingProxyType({})
    ground: OwnGrounds = MappingProxyType({})


@dataclass(frozen=True)
class Package:
    """A package that was written.

    Parameters
    ----------
    folder : Path
        Where it is.
    manifest : dict
        The content of its ``manifest.json``.
    message : str
        What was written and how it differs from the landscape, in one sentence.
    """

    folder: Path
    manifest: dict[str, Any]
    message: str


def write_package(
    folder: str | os.PathLike[str],
    landscape: Landscape,
    engine: str,
    options: PackageOptions | None = None,
    report: Callable[[float], None] | None = None,
) -> Package:
    """Write everything from which a game engine builds a level; the same landscape gives the same bytes.

    Parameters
    ----------
    folder : str or PathLike
        A new or empty folder, or an earlier package, which is replaced; see `replace_package`.
    landscape : Landscape
        With maps; it has plants if it was built with them.
    engine : str
        A key of `ENGINES`.
    options : PackageOptions, optional
        Sizes and details.
    report : callable, optional
        Gets the share of the work that is done, 0 to 1.  An exception that it raises stops the work.

    Returns
    -------
    Package
        What was written.

    Raises
    ------
    ValueError
        If there is no such engine, the landscape has no maps or its heights are out of range, the engine does not
        accept the resolution, or the folder cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from terrain_addon import core
    >>> land = core.build(core.Recipe.preset("plains", resolution=17), extent="maps")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     package = write_package(Path(folder, "level"), land, "generic")
    ...     sorted(path.name for path in package.folder.iterdir())
    ['README.txt', 'heights', 'layers', 'manifest.json', 'meshes', 'textures']
    """
    return run(write_package_steps(folder, landscape, engine, options), report)


def write_package_steps(
    folder: str | os.PathLike[str],
    landscape: Landscape,
    engine: str,
    options: PackageOptions | None = None,
    own: OwnThings | None = None,
) -> Steps[Package]:
    """Write a package step by step; closing the generator cancels the work and leaves nothing behind.

    Parameters
    ----------
    folder : str or PathLike
        A new or empty folder, or an earlier package, which is replaced; see `replace_package`.
    landscape : Landscape
        With maps; it has plants if it was built with them.
    engine : str
        A key of `ENGINES`.
    options : PackageOptions, optional
        Sizes and details.
    own : OwnThings, optional
        What the user has instead of ours.

    Yields
    ------
    float
        The share of the work that is done, 0 to 1.

    Returns
    -------
    Package
        What was written.

    Raises
    ------
    ValueError
        If there is no such engine, the landscape has no maps or its heights are out of range, the engine does not
        accept the resolution, or the folder cannot be written.
    """
    target, options, own = _engine(engine), options or PackageOptions(), own or OwnThings()
    _check(landscape)
    tile_shape, tiles = _sizes(landscape, target, options)
    name = _name_of(folder, options)
    with replace_package(folder, PackageName(name, engine)) as root:
        land, surface = yield from within(
            tile_land(
                landscape, tile_shape, tiles, options.height_range, target.weights_in_cells, mean_colours(own.ground)
            ),
            0.0,
            0.3,
        )
        level = _level_of(landscape, land, surface, own, target)
        manifest = yield from within(_write_level(root, level, target, replace(options, name=name)), 0.3, 1.0)
    return Package(Path(folder), manifest, message_of(level, target, manifest["plant_count"], Path(folder)))


def write_level_steps(
    folder: str | os.PathLike[str], level: Level, engine: str, options: PackageOptions | None = None
) -> Steps[Package]:
    """Write a package of a land that is given tile by tile; see `write_package_steps`.

    Parameters
    ----------
    folder : str or PathLike
        As there.
    level : Level
        The land.
    engine : str
        A key of `ENGINES`.
    options : PackageOptions, optional
        Levels of detail, collisions and cells of plants; sizes are those of the level.

    Yields
    ------
    float
        The share of the work that is done, 0 to 1.

    Returns
    -------
    Package
        What was written.

    Raises
    ------
    ValueError
        If there is no such engine, or the folder cannot be written.
    """
    target, options = _engine(engine), options or PackageOptions()
    name = _name_of(folder, options)
    with replace_package(folder, PackageName(name, engine)) as root:
        manifest = yield from _write_level(root, level, target, replace(options, name=name))
    return Package(Path(folder), manifest, message_of(level, target, manifest["plant_count"], Path(folder)))


def _name_of(folder: str | os.PathLike[str], options: PackageOptions) -> str:
    """Return the name of a level."""
    return options.name or plain_name(Path(folder).name)


# --- sizes ------------------------------------------------------------------------------------------------------------


def _engine(name: str) -> Engine:
    """Return an engine; refuse a name that does not exist."""
    if name not in ENGINES:
        raise ValueError(f"there is no engine {name!r}; there are: {', '.join(ENGINES)}")
    return ENGINES[name]


def _check(landscape: Landscape) -> None:
    """Refuse a landscape that cannot be exported."""
    rows, columns = landscape.terrain.grid.shape
    if rows < 2 or columns < 2:
        raise ValueError(f"land of {rows} × {columns} samples has no surface to export; it needs 2 × 2 or more")
    if not landscape.maps:
        raise ValueError("a landscape without maps has no layers to export; build it with extent='maps' or 'plants'")


def check_resolution(engine: str, options: PackageOptions) -> None:
    """Refuse a resolution that an engine does not take, before a land is built for it.

    Parameters
    ----------
    engine : str
        A key of `ENGINES`.
    options : PackageOptions
        With the resolution; None is always taken.

    Raises
    ------
    ValueError
        If there is no such engine, or it takes other sizes.
    """
    target, resolution = _engine(engine), options.resolution
    if resolution is not None and target.sizes and resolution not in target.sizes:
        raise ValueError(
            f"resolution = {resolution} is no size that {target.title} takes: {', '.join(map(str, target.sizes))}"
        )


def _sizes(landscape: Landscape, engine: Engine, options: PackageOptions) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return rows and columns of samples in a tile, and rows and columns of tiles."""
    check_resolution(engine.name, options)
    grid = landscape.terrain.grid
    tiles = _tiles(grid, engine, options)
    own = _own_samples(grid, tiles)
    resolution = options.resolution
    if resolution is None and (not engine.sizes or (not engine.square and grid.rows != grid.columns)):
        # Add-ons of engines that need 2ⁿ + 1 samples need square tiles too; other programs get the land's own cells.
        return own, tiles
    if resolution is None:
        enough = [size for size in engine.sizes if size - 1 >= _ENOUGH * (max(own) - 1)]
        resolution = enough[0] if enough else engine.sizes[-1]
    if engine.square:
        return (resolution, resolution), tiles
    tile_sides = grid.depth / tiles[0], grid.width / tiles[1]
    shape = tuple(samples_along(side, max(tile_sides), resolution) for side in tile_sides)
    return (shape[0], shape[1]), tiles


def _tiles(grid: Grid, engine: Engine, options: PackageOptions) -> tuple[int, int]:
    """Return rows and columns of tiles: as asked, or the fewest whose own samples the engine takes."""
    longer = max(grid.depth, grid.width)
    along = range(1, _MOST_TILES + 1) if options.tiles is None else (options.tiles,)
    cuts = [(tiles_along(grid.depth, longer, count), tiles_along(grid.width, longer, count)) for count in along]
    most = engine.sizes[-1] if engine.sizes else math.inf
    return next((tiles for tiles in cuts if max(_own_samples(grid, tiles)) <= most), cuts[-1])


def _own_samples(grid: Grid, tiles: tuple[int, int]) -> tuple[int, int]:
    """Return in how many rows and columns a tile has all samples of its part of the land."""
    return math.ceil((grid.rows - 1) / tiles[0]) + 1, math.ceil((grid.columns - 1) / tiles[1]) + 1


# --- files ------------------------------------------------------------------------------------------------------------


class _Content(NamedTuple):
    """What all tiles of a package share."""

    root: Path
    land: TiledLand
    engine: Engine
    options: PackageOptions
    models: tuple[PlantModel, ...]


def _level_of(landscape: Landscape, land: TiledLand, surface: Surface, own: OwnThings, engine: Engine) -> Level:
    """Return a landscape in memory as a package takes it."""
    plants, waters = plants_by_model(landscape.plants, landscape.recipe), landscape.waters
    turned = engine.turned(surface.heights)
    ground = ShownGround(surface.heights, (land.width, land.depth), turned=turned)
    water = None
    if waters is not None:
        water = water_on_land(fit_rivers(make_water_mesh(landscape.terrain, waters), ground), ground.size)
    is_cut = land.tile_rows * land.tile_columns > 1

    def tiles() -> Iterator[TileContent]:
        for tile in cut_tiles(land, surface):
            own_water = _water_of_tile(water, land, tile) if is_cut else None
            yield TileContent(tile, _plants_of_tile(plants, land, tile), own_water)

    models = () if plants is None else plant_models(landscape.recipe, own.models)
    sea_level = None if waters is None else waters.sea_level
    level = Level(landscape.recipe, landscape.terrain.grid, sea_level, land, models, tiles, None if is_cut else water)
    level = level._replace(own_ground=own.ground)
    if not (landscape.roads or landscape.pads):
        return level
    east, north = land.spacing

    def shown(x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]) -> Field:
        places = (x / east).astype(np.float32), (y / north).astype(np.float32)
        return altitude_on_mesh(surface.heights, 1.0, *places, turned)

    below = built_ground(landscape.terrain)._replace(shown=shown, shown_cell=max(east, north))
    roads = build_road_mesh(below, landscape.roads, landscape.pads)
    return level._replace(roads=roads, built=Built(landscape.roads, landscape.pads))


def _write_level(root: Path, level: Level, engine: Engine, options: PackageOptions) -> Steps[dict[str, Any]]:
    """Write all files of a package; return its manifest."""
    content = yield from within(_write_content(root, level, engine, options), 0.0, 0.9)
    stone = level.recipe.appearance.stone
    ground = yield from within(write_ground(root, stone, options.ground, engine, level.own_ground), 0.9, 1.0)
    manifest = manifest_of(level, engine, options.name or "", ground) | content
    _write_text(root / "README.txt", read_me(engine, level.land, manifest))
    for script, place in engine.scripts.items():
        (root / place).parent.mkdir(exist_ok=True)
        filled = (SCRIPTS / script).read_bytes().replace(b"LEVEL_NAME", identifier(manifest["name"]).encode("ascii"))
        (root / place).write_bytes(filled)
    for name in engine.unread:
        if (root / name).is_dir():
            (root / name / _UNREAD).touch()
    manifest["files"] = [
        {"path": f.relative_to(root).as_posix(), "bytes": f.stat().st_size}
        for f in sorted(root.rglob("*"))
        if f.is_file()
    ]
    text = json.dumps(manifest, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False)
    _write_text(root / MANIFEST, text + "\n")
    return manifest


def _write_content(root: Path, level: Level, engine: Engine, options: PackageOptions) -> Steps[dict[str, Any]]:
    """Write all files except the manifest, scripts and README; return their part of the manifest."""
    content = _Content(root, level.land, engine, options, level.models)
    species = write_species(root, level.models, engine)
    write_skins(root, level.models, engine)
    water = _write_water(Files(root), level.water)
    if level.sea_level is not None and level.land.lowest < level.sea_level:
        diagonal = math.sqrt(level.land.width**2 + level.land.depth**2)
        around = sea_around(level.land.width, level.land.depth, level.sea_level, _SEA_BEYOND * diagonal)
        write_water(Files(root).add("sea", "meshes/sea_around.glb"), around)
        water.append("meshes/sea_around.glb")
    roads = _write_roads(Files(root), level)
    yield 0.1
    tiles: list[dict[str, Any]] = []
    plant_count, count = 0, level.land.tile_rows * level.land.tile_columns
    for number, shown in enumerate(level.tiles()):
        obstacles = Obstacles(level.built, level.water if shown.water is None else shown.water)
        ground = EngineGround(level.land, shown.tile, engine, obstacles)
        shown = shown._replace(plants=plants_on_banks(ground, shown.plants, level.recipe))
        steps = _write_tile(content, shown, ground)
        tiles.append((yield from within(steps, 0.1 + 0.9 * number / count, 0.1 + 0.9 * (number + 1) / count)))
        water += [tiles[-1]["files"]["water"]] if "water" in tiles[-1]["files"] else []
        plant_count += 0 if shown.plants is None else len(shown.plants)
    written = {"tiles": tiles, "species": species, "water": water, "plant_count": plant_count, **roads}
    return written | ({"details": write_details(root, engine.details)} if engine.details else {})


def _write_tile(content: _Content, shown: TileContent, ground: EngineGround) -> Steps[dict[str, Any]]:
    """Write the files of a tile; return its part of the manifest."""
    land, engine, options, tile = content.land, content.engine, content.options, shown.tile
    files = Files(content.root, engine.tile_suffix(land, tile))
    engine.write_heights(files, land, tile)
    yield 0.1
    engine.write_layers(files, tile.weights)
    if engine.details:
        write_densities(files, tile.weights, ground)
    yield 0.3
    normals = normal_map(tile.normals, green=engine.green)
    write_png(files.add("normal", "textures/normal.png"), normals)
    yield 0.4
    write_png(files.add("masks", "textures/masks.png"), np.ascontiguousarray(tile.masks[::-1]))
    colours = np.ascontiguousarray(tile.colour[::-1])
    write_png(files.add("colour", "textures/colour.png"), colours)
    yield 0.5
    coarsest = 2 ** (options.lods - 1)
    for level in range(options.lods):
        write_land_tile(
            files.add(f"land_lod{level}", f"meshes/land_lod{level}.glb"),
            land,
            tile,
            step=2**level,
            chunk=engine.chunk,
            skirt=coarsest * max(land.spacing),
            texture=f"../{files.names['colour']}",
            turns_cells=engine.turns_cells,
        )
        yield 0.5 + 0.3 * (level + 1) / options.lods
    write_collision(
        files.add("collision", "meshes/collision.glb"),
        land,
        tile,
        step=options.collision_step,
        turns_cells=engine.turns_cells,
    )
    yield 0.85
    _write_plants(content, shown, files)
    _write_water(files, shown.water)
    width, depth = land.tile_size
    return {
        "row": tile.row,
        "column": tile.column,
        "west_m": float(land.x[0]) + tile.column * width,
        "south_m": float(land.y[0]) + tile.row * depth,
        "files": files.names,
    }


def _write_plants(content: _Content, shown: TileContent, files: Files) -> None:
    """Write the plants of a tile."""
    land, tile, plants = content.land, shown.tile, shown.plants
    if plants is None:
        return
    engine, eighth = content.engine, max(land.tile_size) / _CELLS_ALONG_TILE
    altitude = land.altitude(tile, plants.x, plants.y, engine.turned(tile.heights))
    instanced = Vegetation(plants, altitude, content.models, content.options.cell or eighth)
    document = GlbDocument()
    node = add_instances(document, instanced, (land.width / 2, land.depth / 2), pictures=PICTURES)
    document.write(files.add("plants", "plants/plants.glb"), [node], [INSTANCING])
    if engine.write_plants is not None:
        vegetation = replace(instanced, cell=content.options.cell or engine.plant_cell or eighth)
        engine.write_plants(files, land, tile, TilePlants(vegetation, *group_plants(vegetation)))


def _water_of_tile(water: WaterMesh | None, land: TiledLand, tile: Tile) -> WaterMesh | None:
    """Return the water of a tile."""
    if water is None:
        return None
    width, depth = land.tile_size
    west, south = tile.column * width - land.width / 2, tile.row * depth - land.depth / 2
    return water_within(water, west, south, land.tile_size)


def _plants_of_tile(plants: Plants | None, land: TiledLand, tile: Tile) -> Plants | None:
    """Return the plants of a tile; a plant on a shared edge belongs to the northern or eastern tile."""
    if plants is None:
        return None
    width, depth = land.tile_size
    row = np.clip(np.floor(plants.y.astype(np.float64) / depth), 0, land.tile_rows - 1)
    column = np.clip(np.floor(plants.x.astype(np.float64) / width), 0, land.tile_columns - 1)
    here = (row == tile.row) & (column == tile.column)
    return remove_plants(plants, here) if here.any() else None


def _write_water(files: Files, water: WaterMesh | None) -> list[str]:
    """Write water if there is any; return its files for the manifest."""
    if water is None or len(water) == 0:
        return []
    write_water(files.add("water", "meshes/water.glb"), water)
    return [files.names["water"]]


def _write_roads(files: Files, level: Level) -> dict[str, str]:
    """Write roads as a mesh, and what is known of roads and pads as JSON; return the files for the manifest."""
    if not (level.built.roads or level.built.pads):
        return {}
    _write_text(files.add("road_records", "roads/roads.json"), road_text(level.grid, level.built))
    if level.roads is not None and len(level.roads) > 0:
        document = GlbDocument()
        document.write(files.add("roads", "roads/roads.glb"), [add_roads(document, level.roads)], [])
    return files.names


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")

"""A world from its recipe: begun, gone on with, and finished."""

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from numbers import Integral
from pathlib import Path
from typing import Any

from ..core.building.drawing_stages import warnings_of_roads
from ..core.building.landscape import Landscape
from ..core.building.recipe import Recipe
from ..core.flow.inflows import inlets_of
from ..core.flow.routing import Router, lowest_outlet
from ..core.flow.water import Water, Waters
from ..core.foundation.compilation import Array
from ..core.foundation.progress import Progress
from ..core.foundation.terrain import Terrain
from ..core.tiling.blocks import Block
from ..files.roads import Built
from .built_works import built_on, write_built
from .checked_json import json_bytes, read_json, write_json
from .coarse_level import COARSE, make_coarse_level, write_whole
from .finishing_phases import PLANTS, finished_arrays, write_record
from .graphs import all_balances
from .libraries import load_library
from .phases import workshop_of
from .repairing import Repairer
from .running import Report, Runner, WorldProgress
from .store import DESCRIPTION, Store, mend_groups
from .tiles import digest_of_arrays, save_arrays
from .world import FINAL_PHASES, USUAL_SCALE, Phase, Scale, World

WORLD_FILE, BALANCES_FILE = "world.json", "balances.json"
_BEGUN = f"{COARSE}/done"
"""Says that the level in memory of a world is made."""
_COARSE_SHARE = 0.02  # of the progress
# How many differences from another world a message names, and how many characters their values may have.
_MOST_DIFFERENCES, _LONGEST_VALUES = 3, 60


def build_world(
    recipe: Recipe,
    *,
    size: int,
    tile: int,
    store: str | Path,
    client: Any = None,
    report: Report | None = None,
    notice: Callable[[str], None] | None = None,
    resume: bool = False,
    scale: Scale = USUAL_SCALE,
) -> Path:
    """Make a land that may be larger than memory, tile by tile.

    The recipe is made in memory with at most `scale.coarse_cells` cells along its longer side, by `core.build`.  From
    there every level has twice as many cells along a side: the land is refined, the detail of its relief comes back,
    and rivers cut on.  Bytes are the same for every size of tiles, number of workers and order of work.

    Parameters
    ----------
    recipe : Recipe
        What to make.  Its resolution does not count; `width` and `depth` say how much land there is.
    size : int
        Cells along the longer side.
    tile : int
        Cells along a side of a tile: what one worker holds in memory at once.
    store : path
        Folder of the world; ``zarr.open(store)`` opens it.
    client : distributed.Client, optional
        Workers of Dask that see the same folder; without it, this process does all.
    report : callable, optional
        Called with a `WorldProgress` after every tile; what it raises stops the work.
    notice : callable, optional
        Called with each warning about the land as soon as it is known, and with a sentence for each chunk that was
        corrupt and is made anew.
    resume : bool
        Whether to go on with the world in the folder.
    scale : Scale
        Blocks, and the level in memory; the bytes of a world depend on it.

    Returns
    -------
    Path
        The folder.

    Raises
    ------
    ValueError
        If a number does not fit, a library is missing, the disk is too small, the folder holds another world or one
        that is not to be gone on with, or the scheduler does not answer.
    """
    world, folder = World(recipe, size, tile, scale), Path(store).absolute()
    load_library("zarr"), load_library("dask")
    described = json.dumps(world.to_json())
    tell = notice or (lambda sentence: None)
    begun = _begin(world, folder, described, resume=resume, tell=tell)
    with _said_if_full(folder):
        _make(world, folder, described, client, report, tell, begun=begun)
    return folder


@contextmanager
def _said_if_full(folder: Path) -> Iterator[None]:
    """Say how a world goes on whose disk became full."""
    try:
        yield
    except (OSError, ValueError) as error:
        if any(isinstance(one, OSError) and one.errno == errno.ENOSPC for one in (error, error.__cause__)):
            raise ValueError(f"{folder}: no space is left on the disk; make room and continue with --resume") from error
        raise


def _make(
    world: World,
    folder: Path,
    described: str,
    client: Any,
    report: Report | None,
    tell: Callable[[str], None],
    *,
    begun: bool,
) -> None:
    """Go through all that is not done yet."""
    shop = workshop_of(str(folder), described)
    repairer = Repairer(shop, described, tell)
    coarse_done, share = folder / _BEGUN, _COARSE_SHARE if world.levels else 1.0
    if not coarse_done.is_file():
        shop.store.remove(COARSE)
        land = make_coarse_level(world, shop.store, _as_world_progress(report, share))
        # Roads are built anew on the finest level.
        unsaid = warnings_of_roads(land.roads) if world.levels else ()
        _tell_each((sentence for sentence in land.warnings if sentence not in unsaid), tell)
        if not world.levels:
            _write_in_memory(world, shop.store, land)
            write_built(folder, world, Built(land.roads, land.pads), tell)
        coarse_done.parent.mkdir(parents=True, exist_ok=True)
        coarse_done.write_text(_identity(described), encoding="utf-8")
    elif begun and world.levels:
        repairer.verify()
    Runner(shop, described, client, _after_coarse(report), repairer).run()
    if world.levels:
        _write_balances(folder / BALANCES_FILE, repairer.until_read(lambda: list(all_balances(shop))), tell)
        built = repairer.until_read(lambda: built_on(shop))
        write_built(folder, world, built, tell)
        _tell_each(warnings_of_roads(built.roads), tell)
    if not shop.store.list_arrays() and begun:
        tell(f"{folder / DESCRIPTION} is corrupt; it is made anew")
    if report is not None:
        report(WorldProgress("finished", 1.0, None))


def _tell_each(sentences: Iterable[str], tell: Callable[[str], None]) -> None:
    for sentence in sentences:
        tell(sentence)


def open_world(folder: str | os.PathLike[str]) -> World:
    """Return the world that a folder holds.

    Parameters
    ----------
    folder : path
        Of a world, finished or not.

    Returns
    -------
    World

    Raises
    ------
    ValueError
        If there is none.
    """
    file = Path(folder) / WORLD_FILE
    if not file.is_file():
        raise ValueError(f"{folder}: there is no world ({WORLD_FILE} is missing)")
    try:
        return World.from_json(read_json(file))
    except (KeyError, TypeError) as error:
        raise ValueError(f"{file} does not describe a world: {error}") from error


def rebuild_tile(folder: str | Path, row: int, column: int) -> None:
    """Make the finished arrays of one tile anew, from what the folder keeps of the land beneath.

    Parameters
    ----------
    folder : path
        Of a finished world.
    row, column : int
        Which tile, from 0 in the south and west.

    Raises
    ------
    ValueError
        If there is no such tile, or the world was made in memory.
    """
    world = open_world(folder)
    down, across = world.tiles(world.levels)
    if not world.levels:
        raise ValueError(f"{folder} holds a world that fits into memory; it has no tiles that are made alone")
    if not (isinstance(row, Integral) and isinstance(column, Integral)):
        raise ValueError(f"tile = {row!r}, {column!r} is not two whole numbers")
    if not (0 <= row < down and 0 <= column < across):
        raise ValueError(f"tile {row}, {column} is outside 0 to {down - 1} and 0 to {across - 1}")
    described = json.dumps(world.to_json())
    shop = workshop_of(str(Path(folder).absolute()), described)
    repairer = Repairer(shop, described, None)
    for name in FINAL_PHASES:
        repairer.work(Phase(name, world.levels, 0), row * across + column)


def _begin(world: World, folder: Path, described: str, *, resume: bool, tell: Callable[[str], None]) -> bool:
    """Write what the world is, or check that it is the same; return whether it was there."""
    file = folder / WORLD_FILE
    if folder.is_file():
        raise ValueError(f"{folder} is a file; a world needs a folder of its own")
    if file.is_file() or (resume and (folder / _BEGUN).is_file()):
        if resume:
            _mend_description(folder, described, tell)
        there = read_json(file)
        different = list(_differences(there, json.loads(described)))
        if different:
            first = "; ".join(different[:_MOST_DIFFERENCES])
            raise ValueError(f"{folder} holds another world ({first}); choose another folder or remove it")
        if not resume:
            raise ValueError(f"{folder} holds this world already; continue it with --resume (resume=True)")
        for name in mend_groups(folder):
            tell(f"{name} is corrupt; it is made anew")
        return True
    if folder.is_dir() and any(folder.iterdir()):
        raise ValueError(f"{folder} is not empty and holds no world; choose another folder")
    _check_disk(world, folder)
    Store(folder)
    write_json(file, json.loads(described))
    return False


def _differences(there: Any, asked: Any, name: str = "") -> Iterator[str]:
    """Yield a phrase for each value in which two worlds differ."""
    if isinstance(there, dict) and isinstance(asked, dict):
        for key in sorted(there.keys() | asked.keys()):
            yield from _differences(there.get(key), asked.get(key), f"{name}.{key}" if name else key)
    elif there != asked:
        is_short = len(str(there)) + len(str(asked)) < _LONGEST_VALUES
        yield f"{name} is {there}, not {asked}" if is_short else f"{name} differs"


def _mend_description(folder: Path, described: str, tell: Callable[[str], None]) -> None:
    """Write anew what a world is, if that is damaged and the same world was begun."""
    file, begun = folder / WORLD_FILE, folder / _BEGUN
    try:
        read_json(file)
    except ValueError as damage:
        if begun.is_file() and begun.read_text(encoding="utf-8") != _identity(described):
            raise ValueError(f"{damage}, and the folder holds another world; choose another folder") from damage
        tell(f"{file} is corrupt; it is made anew")
        write_json(file, json.loads(described))


def _identity(described: str) -> str:
    return hashlib.sha256(described.encode()).hexdigest()


def _check_disk(world: World, folder: Path) -> None:
    """Refuse a world that does not fit on the disk."""
    place = folder
    while not place.is_dir():
        place = place.parent
    needed, free = world.bytes_needed(), shutil.disk_usage(place).free
    if needed > free:
        raise ValueError(
            f"a world of {world.size} cells a side takes about {needed / 1e9:.1f} GB while it is built, and "
            f"{free / 1e9:.1f} GB are free in {place}; make room or choose a smaller size"
        )


def _write_in_memory(world: World, store: Store, land: Landscape) -> None:
    """Write a world that fits into memory: the arrays of `core.build` as they are."""
    if land.waters is None or land.plants is None:
        raise ValueError("the land was built without water or plants")
    own = {
        "surface": land.terrain.surface,
        "bedrock": land.terrain.bedrock,
        "sediment": land.terrain.sediment,
        "drainage": land.waters.drainage_area,
        "water_depth": land.waters.water_depth,
        "flow": _flow_of(land.terrain, world.recipe.water, land.waters),
    }
    maps = {f"maps/{name}": values for name, values in land.maps.items()}
    arrays = {path: values for path, values in (maps | own).items() if path in finished_arrays(world)}
    for path, values in arrays.items():
        write_whole(store, path, values, world.scale.side)
    plants = {item.name: getattr(land.plants, item.name) for item in fields(land.plants)}
    save_arrays(store.folder / PLANTS / "0_0.npz", plants)
    digests = {path: digest_of_arrays(values) for path, values in arrays.items()}
    write_record(store.folder, (0, 0), Block(0, 0, *land.terrain.surface.shape), digests, plants)


def _flow_of(terrain: Terrain, water: Water, waters: Waters) -> Array:
    """Return the direction of the water in each cell, as `find_water` finds it."""
    shape = terrain.surface.shape
    router = Router(shape, inlets=inlets_of(water.inflows, shape, terrain.cell_size, waters.lake_cell))
    router.route(terrain.surface, lowest_outlet(water.sea_surface))
    return router.directions.reshape(shape)


def _write_balances(file: Path, balances: list[dict[str, Any]], tell: Callable[[str], None]) -> None:
    if file.is_file() and file.read_bytes() != json_bytes(balances):
        tell(f"{file} is corrupt; it is made anew")
    write_json(file, balances)


def _as_world_progress(report: Report | None, share: float) -> Callable[[Progress], None] | None:
    """Tell what `core.build` does as a share of the whole; several lands are built, and none goes back."""
    if report is None:
        return None
    reached = 0.0

    def tell(progress: Progress) -> None:
        nonlocal reached
        reached = max(reached, share * progress.fraction)
        report(WorldProgress(f"level in memory: {progress.stage}", reached, None))

    return tell


def _after_coarse(report: Report | None) -> Report | None:
    if report is None:
        return None
    return lambda progress: report(
        progress._replace(fraction=_COARSE_SHARE + (1.0 - _COARSE_SHARE) * progress.fraction)
    )

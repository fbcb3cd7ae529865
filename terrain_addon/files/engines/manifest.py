"""What a package says of itself: its manifest, its README, and a sentence for whoever asked for it."""

from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from ...core.maps.colour import palette_on
from ...core.maps.ground_cover import LAYERS
from ..own_ground import mean_colours
from .daylight import daylight_of
from .engine import Engine, identifier
from .folder import MANIFEST
from .level import Level
from .tiled_land import FULL_SCALE, TiledLand

PACKAGE_FORMAT = "landscape package"
PACKAGE_VERSION = 1

WALKER = {"height_m": 1.8, "radius_m": 0.5, "step_m": 0.5, "steepest_deg": 40.0}
"""Who walks on navigation meshes: its size, how high it steps, and the slope that it climbs."""


def manifest_of(level: Level, engine: Engine, name: str, ground: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the manifest without the files.

    Parameters
    ----------
    level : Level
        The land.
    engine : Engine
        For which the package is.
    name : str
        Name of the level.
    ground : dict
        What `write_ground` returns.

    Returns
    -------
    dict
        JSON.  No path of the machine where the package was made is in it.
    """
    recipe, grid, sea_level, land = level.recipe, level.grid, level.sea_level, level.land
    east, north = land.spacing
    rows, columns = land.tile_shape
    palette = palette_on(recipe.appearance.stone, mean_colours(level.own_ground))
    return {
        "format": PACKAGE_FORMAT,
        "format_version": PACKAGE_VERSION,
        "name": name,
        "engine": engine.name,
        "seed": recipe.seed,
        "recipe": _without_folders(recipe.to_json()),
        "land": {
            "width_m": land.width,
            "depth_m": land.depth,
            "rows": land.rows,
            "columns": land.columns,
            "spacing_east_m": east,
            "spacing_north_m": north,
            "resampled": (land.rows, land.columns) != grid.shape,
            "landscape_rows": grid.rows,
            "landscape_columns": grid.columns,
            "origin": "the middle of the land at altitude 0",
            "axes": engine.axes,
            "has_sea": sea_level is not None,
            "sea_level_m": sea_level,
        },
        "tile": {"rows": rows, "columns": columns, "width_m": land.tile_size[0], "depth_m": land.tile_size[1]},
        "tile_rows": land.tile_rows,
        "tile_columns": land.tile_columns,
        "height": {
            "file": engine.height_file,
            "byte_order": "little-endian, but big-endian within PNG",
            "first_row": engine.height_origin,
            "first_column": "west",
            "lowest_m": land.lowest,
            "highest_m": land.highest,
            "highest_level": FULL_SCALE,
        },
        "images": {"first_row": "north", "first_column": "west", "normal_green": engine.green},
        "layers": [
            {"name": layer, "linear_colour": list(palette[layer])} | ({"ground": ground[layer]} if ground else {})
            for layer in LAYERS
        ],
        "ground_channels": list(engine.channels),
        "mask_channels": ["flow", "deposition", "wear"],
        "daylight": daylight_of(land),
        "walker": dict(WALKER),
        "placement": engine.placement(land),
    }


def read_me(engine: Engine, land: TiledLand, manifest: dict[str, Any]) -> str:
    """Return the text of README.txt.

    Parameters
    ----------
    engine : Engine
        For which the package is.
    land : TiledLand
        The land.
    manifest : dict
        What `manifest_of` returns, and ``plant_count``.

    Returns
    -------
    str
    """
    rows, columns = land.tile_shape
    lines = (
        f"{manifest['name']}, a landscape for {engine.title}.",
        f"{land.width:g} x {land.depth:g} m, from {land.lowest:.2f} to "
        f"{land.highest:.2f} m high, {manifest['plant_count']} plants, seed {manifest['seed']}.",
        engine.steps.replace("LEVEL_NAME", identifier(manifest["name"])),
        f"Heights: {engine.height_file}; {land.tile_columns} x {land.tile_rows} tiles of {columns} x {rows} samples, "
        f"first row {engine.height_origin}; level 0 is {land.lowest!r} m, level {FULL_SCALE} is {land.highest!r} m.",
        "A point x metres east, y north and z up from the middle of the land has these coordinates here: "
        f"{engine.axes}.",
        f"{MANIFEST} says what all files and numbers mean, and holds the recipe that makes this land again.",
    )
    return "\n".join(lines) + "\n"


def message_of(level: Level, engine: Engine, count: int, folder: Path) -> str:
    """Return what was written, in one sentence.

    Parameters
    ----------
    level : Level
        The land.
    engine : Engine
        For which the package is.
    count : int
        Plants.
    folder : Path
        Of the package.

    Returns
    -------
    str
    """
    grid, land = level.grid, level.land
    rows, columns = land.tile_shape
    tiles = f"{land.tile_columns} × {land.tile_rows} tiles of " if land.tile_rows * land.tile_columns > 1 else ""
    resampled = f", resampled from {grid.columns} × {grid.rows}" if (land.rows, land.columns) != grid.shape else ""
    plants = f", {count} plants" if count else ""
    return f"Wrote a package for {engine.title} to {folder}: {tiles}{columns} × {rows} heights{resampled}{plants}"


def _without_folders(value: Any) -> Any:
    """Return JSON in which paths of this machine are names of files."""
    if isinstance(value, dict):
        return {name: _without_folders(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_without_folders(item) for item in value]
    if isinstance(value, str) and (PurePosixPath(value).is_absolute() or PureWindowsPath(value).is_absolute()):
        return PureWindowsPath(value).name  # which knows both kinds of slashes
    return value

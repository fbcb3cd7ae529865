"""Maps of a landscape as texture files with exact values, and a note that says what their numbers mean.

Every texel is a sample of the land: the outermost ones lie on its border.  Row 0 of every image is north.
"""

import json
import os
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.building.landscape import Landscape
from ..core.building.layers import Inputs
from ..core.building.measuring import Measured
from ..core.building.plan import Extent
from ..core.building.plant_stages import painted_maps
from ..core.ecosystem.density import Habitat, plant_density
from ..core.ecosystem.flooded_ground import cover_of, find_flooded_samples
from ..core.foundation.progress import Progress, run
from ..core.foundation.terrain import Field, Terrain
from ..core.maps.catalogue import MAPS
from ..core.maps.colour import RAMP_OF, OwnColours, cover_colour, ramp_colour
from ..core.maps.declaration import Map
from ..core.maps.ground_cover import LAYERS, Site, splat_weights
from ..core.maps.slope import surface_normals
from ..core.meshing.residual import FACES, residual, residual_normals
from .exr import write_exr
from .grid_mesh import Floats, srgb_levels
from .heightmaps import GREEN, height_to_uint16, normal_map
from .png import Pixels, write_png
from .writing import check_name, write_together

TEXTURES_FORMAT = "landscape textures"
TEXTURES_VERSION = 1

MESH_MAPS = frozenset({"residual", "mesh_normal"})
"""Maps that depend on the mesh that will carry them."""

_FULL_SCALE = 65535
_ROWS_AT_A_TIME = 256
_CHANNELS_OF_SPLAT = 4
_LONGEST_SPECIES = 40  # characters in the name of a file


@dataclass(frozen=True)
class BakeOptions:
    """How textures are written.

    Parameters
    ----------
    green : str
        A key of `heightmaps.GREEN`: which way the green channel of normals points.
    exact : bool
        Whether every map of numbers is written as 32-bit EXR beside its 16-bit PNG.
    mesh : Terrain or None
        The land as the mesh that will carry `residual` and `mesh_normal`, on the same ground.
    faces : str
        A key of `residual.FACES`: what the surface of that mesh is between its vertices.
    inputs : mapping of str to StoredField
        What was painted on the land, as `core.build` takes it, for species that respond to it.
    own_colours : mapping of str to tuple of float
        Colours of the user for some kinds of ground, as `palette_on` takes them.

    Raises
    ------
    ValueError
        If `green` or `faces` is unknown.
    """

    green: str = "up"
    exact: bool = True
    mesh: Terrain | None = None
    faces: str = "triangles"
    inputs: Inputs = field(default_factory=dict)
    own_colours: OwnColours = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.green not in GREEN:
            raise ValueError(f"green = {self.green!r} is none of: {', '.join(GREEN)}")
        if self.faces not in FACES:
            raise ValueError(f"faces = {self.faces!r} is none of: {', '.join(FACES)}")


@dataclass(frozen=True)
class _Texture:
    """One or two files with the same content: levels in a PNG, and the values that they stand for in an EXR."""

    key: str
    levels: Pixels
    meaning: Mapping[str, Any]
    values: Mapping[str, Field] = field(default_factory=dict)


@dataclass(frozen=True)
class BakedMap:
    """A map that can be baked.

    Attributes
    ----------
    description : str
        What it shows, as one sentence without a full stop.
    extent : {'terrain', 'maps'}
        How far a landscape has to be built for it.
    paint : callable
        From a landscape and options to the textures, one after the other.
    """

    description: str
    extent: Extent
    paint: Callable[[Landscape, BakeOptions], Iterable[_Texture]]


def bake(
    folder: str | os.PathLike[str],
    name: str,
    landscape: Landscape,
    maps: Iterable[str] = ("height", "normal"),
    options: BakeOptions | None = None,
) -> dict[str, Path]:
    """Write maps of a landscape as textures at once.

    Parameters
    ----------
    folder, name, landscape, maps, options
        As for `bake_steps`.

    Returns
    -------
    dict of str to Path
        As from `bake_steps`.

    Examples
    --------
    >>> import tempfile
    >>> from terrain_addon import core
    >>> land = core.build(core.Recipe(resolution=17, width=160.0, depth=160.0, erosion=()), extent="terrain")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     sorted(path.name for path in bake(folder, "hill", land, ["height"]).values())
    ['hill_height.exr', 'hill_height.png', 'hill_textures.json']
    """
    return run(bake_steps(folder, name, landscape, maps, options))


def bake_steps(
    folder: str | os.PathLike[str],
    name: str,
    landscape: Landscape,
    maps: Iterable[str] = ("height", "normal"),
    options: BakeOptions | None = None,
) -> Generator[Progress, bool | None, dict[str, Path]]:
    """Write maps of a landscape as textures ``NAME_MAP.png`` and ``.exr``, and ``NAME_textures.json`` about them.

    The same landscape gives the same bytes.  Files of an earlier bake are replaced once all are written; closed before
    that, or after a fault, nothing has changed.

    Parameters
    ----------
    folder : path
        Made if it is missing.
    name : str
        How the files' names begin.
    landscape : Landscape
        Built as far as `extent_for` says.
    maps : iterable of str
        Keys of `BAKED_MAPS`.
    options : BakeOptions, optional

    Yields
    ------
    Progress
        Before each map.

    Returns
    -------
    dict of str to Path
        Files by map: ``height`` the PNG, ``height_exact`` the EXR, ``splat_1``, ``density_1_spruce``; and ``note``.

    Raises
    ------
    ValueError
        If a map is unknown or lacks something, `name` cannot begin the name of a file, or a file cannot be written.
    """
    check_name(name, "land")
    chosen, options = check_maps(maps), options or BakeOptions()
    if options.mesh is None and MESH_MAPS & set(chosen):
        raise ValueError("residual and mesh_normal need the mesh that will carry them")
    note: dict[str, Any] = _note(landscape) | {"textures": {}}
    paths: dict[str, Path] = {}
    note_name = f"{name}_textures.json"
    with write_together(Path(folder), record=note_name) as part:
        for number, map_name in enumerate(chosen):
            yield Progress(map_name.replace("_", " "), number / len(chosen))
            for texture in BAKED_MAPS[map_name].paint(landscape, options):
                _write(part, name, texture, options, paths, note["textures"])
        paths["note"] = part / note_name
        text = json.dumps(note, indent=2, ensure_ascii=False, allow_nan=False)
        paths["note"].write_text(text + "\n", encoding="utf-8")
    return {key: Path(folder, path.name) for key, path in paths.items()}


def check_maps(maps: Iterable[str]) -> tuple[str, ...]:
    """Return names of maps in the order of `BAKED_MAPS`, each once.

    Parameters
    ----------
    maps : iterable of str
        Keys of `BAKED_MAPS`, in any order.

    Returns
    -------
    tuple of str
        At least one.

    Raises
    ------
    ValueError
        If there is none, or one is unknown.
    """
    wanted = set(maps)
    unknown = sorted(wanted - set(BAKED_MAPS))
    if unknown or not wanted:
        raise ValueError(f"maps = {unknown!r} must be some of: {', '.join(BAKED_MAPS)}")
    return tuple(map_name for map_name in BAKED_MAPS if map_name in wanted)


def extent_for(maps: Iterable[str]) -> Extent:
    """Return how far a landscape has to be built for some maps.

    Parameters
    ----------
    maps : iterable of str
        Keys of `BAKED_MAPS`.

    Returns
    -------
    {'terrain', 'maps'}
        The least that all of them need.

    Raises
    ------
    ValueError
        If there is none, or one is unknown.
    """
    return "maps" if any(BAKED_MAPS[name].extent == "maps" for name in check_maps(maps)) else "terrain"


# --- what the textures show -------------------------------------------------------------------------------------------


def _height(landscape: Landscape, options: BakeOptions) -> Iterator[_Texture]:
    levels, lowest, highest = height_to_uint16(landscape.terrain.surface)
    yield _Texture("height", levels, _numbers("m", lowest, highest), {"Y": landscape.terrain.surface})


def _normal(landscape: Landscape, options: BakeOptions) -> Iterator[_Texture]:
    terrain = landscape.terrain
    space = "object: red east, green north, blue up; also the tangent space of a level plane"
    yield _normals("normal", surface_normals(_detailed(landscape), terrain.cell_size), options.green, space)


def _mesh_normal(landscape: Landscape, options: BakeOptions) -> Iterator[_Texture]:
    terrain, mesh = landscape.terrain, _mesh_of(options)
    normals = residual_normals(_detailed(landscape), terrain.cell_size, mesh.surface, mesh.cell_size)
    yield _normals("mesh_normal", normals, options.green, f"tangent space of a mesh of {_size(mesh)} vertices")


def _residual(landscape: Landscape, options: BakeOptions) -> Iterator[_Texture]:
    terrain, mesh = landscape.terrain, _mesh_of(options)
    heights = residual(_detailed(landscape), terrain.cell_size, mesh.surface, mesh.cell_size, options.faces)
    meaning = {"above": f"a mesh of {_size(mesh)} vertices", "faces": options.faces}
    yield _scalar("residual", heights, "m", None, meaning)


def _detail(landscape: Landscape, options: BakeOptions) -> Iterator[_Texture]:
    yield _scalar("detail", landscape.detail, "m", None, {"above": "the height texture"})


def _measured(one: Map) -> BakedMap:
    """Paint a map over the range that it has on all lands, or over that of this land."""

    def paint(landscape: Landscape, options: BakeOptions) -> Iterator[_Texture]:
        yield _scalar(one.name, _map_of(landscape, one.name), one.unit, one.limits, logarithmic=one.logarithmic)

    # What is measured from the terrain alone is measured here; all others belong to a landscape with maps.
    return BakedMap(one.description, "maps" if one.needs or one.reads else "terrain", paint)


def _splat(landscape: Landscape, options: BakeOptions) -> Iterator[_Texture]:
    weights = _weights(landscape)
    for first in range(0, len(LAYERS), _CHANNELS_OF_SPLAT):
        layers = LAYERS[first : first + _CHANNELS_OF_SPLAT]
        meaning = {
            "channels": dict(zip("RGBA", layers)),
            "value": "level / 255, the share of the ground that a layer covers; together the layers of all splat "
            "textures are 1",
        }
        levels = np.ascontiguousarray(weights[::-1, :, first : first + _CHANNELS_OF_SPLAT])
        yield _Texture(f"splat_{first // _CHANNELS_OF_SPLAT + 1}", levels, meaning)


def _colour(landscape: Landscape, options: BakeOptions) -> Iterator[_Texture]:
    colouring, surface = landscape.recipe.appearance.colouring, landscape.terrain.surface
    levels = np.empty((*surface.shape, 3), np.uint8)
    if colouring in RAMP_OF:
        levels[:] = srgb_levels(ramp_colour(surface, RAMP_OF[colouring]))[::-1]
    else:
        north_up, stone = _weights(landscape)[::-1], landscape.recipe.appearance.stone
        for row in range(0, len(levels), _ROWS_AT_A_TIME):
            levels[row : row + _ROWS_AT_A_TIME] = srgb_levels(
                cover_colour(north_up[row : row + _ROWS_AT_A_TIME], LAYERS, stone, options.own_colours)
            )
    yield _Texture("colour", levels, {"value": "sRGB colour of the ground in full light", "colouring": colouring})


def _density(landscape: Landscape, options: BakeOptions) -> Iterator[_Texture]:
    """How suitable each place is for each species; 0 where water keeps it away."""
    terrain, ecosystem = landscape.terrain, landscape.recipe.ecosystem
    has_climate = landscape.recipe.climate.enabled
    habitat = Habitat(
        terrain.sediment,
        _map_of(landscape, "illumination"),
        _map_of(landscape, "humidity"),
        _map_of(landscape, "slope"),
        terrain.surface,
        _map_of(landscape, "water_distance"),
        painted_maps(landscape.recipe, terrain, options.inputs),
        temperature=_map_of(landscape, "temperature") if has_climate else None,
        rain=_map_of(landscape, "rain") if has_climate else None,
    )
    water = cover_of(landscape.waters, terrain.surface, terrain.cell_size)
    for number, species in enumerate(ecosystem.species, start=1):
        plain = re.sub("[^0-9A-Za-z-]+", "_", species.name)[:_LONGEST_SPECIES].strip("_")
        key = f"density_{number}_{plain or 'species'}"
        density = plant_density(habitat, species, ecosystem.combination)
        density[find_flooded_samples(species.deepest_water, water, density.shape)] = 0.0
        yield _scalar(key, density, "", (0.0, 1.0), {"species": species.name})


BAKED_MAPS: Mapping[str, BakedMap] = {
    "height": BakedMap(MAPS["altitude"].description, "terrain", _height),
    "normal": BakedMap(
        "Normals of the land in object space, which is the tangent space of a plane", "terrain", _normal
    ),
    "mesh_normal": BakedMap("Normals in the tangent space of the land's mesh", "terrain", _mesh_normal),
    "residual": BakedMap("Heights above the land's mesh, for bump and displacement", "terrain", _residual),
    "detail": BakedMap("Heights of gullies, beds of rock, joints and stones to add to the height", "terrain", _detail),
    **{name: _measured(one) for name, one in MAPS.items() if name != "altitude"},
    "splat": BakedMap(f"How much of {', '.join(LAYERS)} covers the ground, in two RGBA images", "maps", _splat),
    "colour": BakedMap("Colour of the ground, physical or a ramp as its appearance says", "maps", _colour),
    "density": BakedMap("How suitable each place is for a species, one image each", "maps", _density),
}
"""By name, in the order in which they are written."""


def _detailed(landscape: Landscape) -> Field:
    """The surface of a landscape with its detail, which is what light falls on."""
    return landscape.terrain.surface + landscape.detail


def _map_of(landscape: Landscape, name: str) -> Field:
    """A map of the landscape, measured here if it does not have it."""
    if name in landscape.maps:
        return landscape.maps[name]
    values: Field = Measured(landscape.terrain, landscape.recipe, relief=None)(name)
    return values


def _mesh_of(options: BakeOptions) -> Terrain:
    if options.mesh is None:
        raise ValueError("residual and mesh_normal need the mesh that will carry them")
    return options.mesh


def _weights(landscape: Landscape) -> npt.NDArray[np.uint8]:
    names = ("slope", "humidity", "sky_view", "water_depth", "water_distance")
    site = Site(
        landscape.terrain.surface, landscape.terrain.sediment, *(_map_of(landscape, map_name) for map_name in names)
    )
    site = replace(site, snow_depth=landscape.maps.get("snow_depth"))
    look = landscape.recipe.appearance_now
    return splat_weights(site, snow_line=look.snow_line_now, tree_line=look.tree_line, vegetation=look.vegetation)


# --- numbers as levels ------------------------------------------------------------------------------------------------


def _scalar(
    key: str,
    values: Field,
    unit: str,
    limits: tuple[float, float] | None,
    meaning: Mapping[str, Any] | None = None,
    *,
    logarithmic: bool = False,
) -> _Texture:
    """A map of numbers as 16-bit levels between two limits; without limits, between its own lowest and highest."""
    shown = np.log10(np.maximum(values, np.float32(1.0))) if logarithmic else values
    low, high = limits or (float(shown.min()), float(shown.max()))
    levels = np.zeros(values.shape, np.uint16)
    if high > low:
        north_up = shown[::-1]
        for row in range(0, len(levels), _ROWS_AT_A_TIME):
            share = (north_up[row : row + _ROWS_AT_A_TIME].astype(np.float64) - low) / (high - low)
            levels[row : row + _ROWS_AT_A_TIME] = np.rint(np.clip(share, 0.0, 1.0) * _FULL_SCALE)
    numbers = _numbers(unit, low, high, logarithmic=logarithmic)
    return _Texture(key, levels, numbers | dict(meaning or {}), {"Y": values})


def _numbers(unit: str, low: float, high: float, *, logarithmic: bool = False) -> dict[str, Any]:
    value = "low + level / 65535 · (high − low)"
    meaning = {"unit": unit, "low": low, "high": high, "value": f"10 ^ ({value})" if logarithmic else value}
    return meaning | ({"note": "low and high are decimal logarithms"} if logarithmic else {})


def _normals(key: str, normals: Floats, green: str, space: str) -> _Texture:
    meaning = {"space": space, "green": green, "value": "level / 65535 · 2 − 1 in each channel"}
    return _Texture(
        key, normal_map(normals, green=green, bits=16), meaning, {c: normals[..., k] for k, c in enumerate("RGB")}
    )


def _size(mesh: Terrain) -> str:
    return f"{mesh.grid.columns} × {mesh.grid.rows}"


# --- files ------------------------------------------------------------------------------------------------------------


def _write(
    part: Path, name: str, texture: _Texture, options: BakeOptions, paths: dict[str, Path], textures: dict[str, Any]
) -> None:
    path = part / f"{name}_{texture.key}.png"
    write_png(path, texture.levels)
    paths[texture.key] = path
    bits = 8 * texture.levels.itemsize
    entry = {"file": path.name, "bits": bits, **texture.meaning}
    if options.exact and texture.values:
        exact = path.with_suffix(".exr")
        write_exr(exact, {channel: np.ascontiguousarray(v[::-1]) for channel, v in texture.values.items()})
        paths[f"{texture.key}_exact"] = exact
        entry["exact_file"] = exact.name
    textures[texture.key] = entry


def _note(landscape: Landscape) -> dict[str, Any]:
    grid = landscape.terrain.grid
    return {
        "format": TEXTURES_FORMAT,
        "format_version": TEXTURES_VERSION,
        "columns": grid.columns,
        "rows": grid.rows,
        "cell_size_m": grid.cell_size,
        "width_m": grid.width,
        "depth_m": grid.depth,
        "first_row": "north",
        "texels": "samples of the land, the outermost on its border: texel (column, row) lies column · cell_size_m "
        "east of the western border and row · cell_size_m south of the northern one",
        "seed": landscape.recipe.seed,
    }

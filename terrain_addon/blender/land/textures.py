"""Textures of a land: baked to files, and loaded as images."""

import math
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np

from ...core.building.landscape import Landscape
from ...core.building.recipe import Recipe
from ...core.foundation.progress import Progress, mapped
from ...core.foundation.terrain import Field, Grid, Terrain
from ...files.baking import BakeOptions, bake_steps, extent_for
from ...files.writing import file_name_of
from ..data.images import load_texture, pack_texture
from ..data.mesh_heights import heights_of_grid
from ..data.properties import read_recipe
from ..look import displacement
from .building import landscape_steps
from .inputs import gather_inputs
from .lookup import LandReference
from .own_grounds import own_colours

LARGEST_TEXTURE = 8193
"""Most texels along a side."""

_BUILDING = 0.7  # share of the time that building takes; the rest is writing

LandscapeSteps = Generator[Progress, bool | None, Landscape]


@dataclass(frozen=True)
class TextureSettings:
    """What is baked, and what becomes of it.

    Attributes
    ----------
    folder : str
        Where the files go.
    maps : tuple of str
        Names of `files.baking.BAKED_MAPS`.
    resolution : int
        Texels from west to east; 0 for the resolution of the land.
    green : str
        Direction of the green channel of normal maps; one of `files.heightmaps.GREEN`.
    exact : bool
        Whether maps of numbers are also written as 32-bit EXR.
    pack : bool
        Whether images are packed into the .blend file.
    wire : bool
        Whether the material of the land uses normals and colour.
    """

    folder: str
    maps: tuple[str, ...]
    resolution: int
    green: str
    exact: bool
    pack: bool
    wire: bool


@dataclass(frozen=True)
class BakedTextures:
    """A landscape, the grid of the mesh that its textures are for, and the files by the name of their map."""

    landscape: Landscape
    mesh: Grid
    paths: dict[str, Path]


def texture_steps(land: bpy.types.Object, settings: TextureSettings) -> Generator[Progress, bool | None, BakedTextures]:
    """Return the steps that build a land at the size of its textures and write them.

    Raises
    ------
    ValueError
        If a map needs the mesh of the land, and the mesh is not the grid of its recipe.
    """
    recipe = read_recipe(land)
    mesh = recipe.grid
    terrain = None
    if {"residual", "mesh_normal"} & set(settings.maps):
        heights = mesh_heights_of(land, mesh)
        terrain = Terrain(heights, np.zeros_like(heights), mesh.cell_size)
    inputs = gather_inputs(recipe, land) if "density" in settings.maps else {}
    colours = own_colours(land) if "colour" in settings.maps else {}
    options = BakeOptions(settings.green, settings.exact, terrain, inputs=inputs, own_colours=colours)
    if settings.resolution > 0:
        recipe = at_resolution(recipe, settings.resolution)
    building = landscape_steps(recipe, extent_for(settings.maps), land)
    return _bake(building, mesh, settings, file_name_of(land.name) or "land", options)


def show_textures(reference: LandReference, settings: TextureSettings, baked: BakedTextures) -> str:
    """Load baked textures as images, use them in the material if asked for, and return the sentence to report.

    Raises
    ------
    ValueError
        If the material is to use them and the land was deleted or cannot be changed.
    """
    texture, paths = baked.landscape.terrain.grid, baked.paths
    land = reference.land() if settings.wire else None
    if land is not None:
        displacement.remove_detail(land)
    load = pack_texture if settings.pack else load_texture
    images = {}
    for key in sorted(paths.keys() - {"note"}):
        # Of two files with the same map the exact one; but 16-bit normals are as good, at half the memory.
        if not (key.endswith("normal_exact") or (f"{key}_exact" in paths and not key.endswith("normal"))):
            images[key] = load(paths[key], is_colour=key == "colour")
            # Blender does not save an image that nothing uses.
            images[key].use_fake_user = settings.pack
    if land is not None:
        if "normal" in images:
            displacement.add_normals(land, images["normal"], baked.mesh, texture)
        if "colour" in images:
            displacement.add_colour(land, images["colour"], baked.mesh, texture)
    written = ", ".join(sorted(images)).replace("_exact", "")
    return f"Baked {texture.columns} × {texture.rows} pixels to {settings.folder}: {written}"


def at_resolution(recipe: Recipe, columns: int) -> Recipe:
    """Return a recipe with this many columns, for the same ground that its own grid covers in whole cells.

    Raises
    ------
    ValueError
        If there would be fewer than 2 rows or columns, or more than LARGEST_TEXTURE.
    """
    along, up = recipe.grid.columns - 1, recipe.grid.rows - 1
    least = math.ceil(along / up) + 1
    most = min((LARGEST_TEXTURE - 1) * along // up, LARGEST_TEXTURE - 1) + 1
    if not least <= columns <= most:
        rows = round((columns - 1) * up / along) + 1
        raise ValueError(
            f"resolution = {columns} pixels from west to east makes {rows} from south to north on this land, and a "
            f"texture has 2 to {LARGEST_TEXTURE}; take {least} to {most} from west to east"
        )
    return recipe.replace(resolution=columns, depth=recipe.grid.depth)


def check_mesh(land: bpy.types.Object, grid: Grid) -> None:
    """Check that the mesh of a land is the grid of its recipe.

    Raises
    ------
    ValueError
        If it is not.
    """
    if not displacement.carries_grid(land, grid):
        size = f"{grid.columns} × {grid.rows}"
        raise ValueError(f"the mesh of {land.name} is not the {size} vertices of its settings; update it first")


def mesh_heights_of(land: bpy.types.Object, grid: Grid) -> Field:
    """Return the heights of a land's mesh in metres, float32 of shape (rows, columns); see `check_mesh`."""
    check_mesh(land, grid)
    return heights_of_grid(land.data, grid.shape)


def building_share(progress: Progress) -> Progress:
    """Return the progress of building as progress of building and writing."""
    return Progress(progress.stage, _BUILDING * progress.fraction)


def writing_share(progress: Progress) -> Progress:
    """Return the progress of writing as progress of building and writing."""
    return Progress(f"writing {progress.stage}", _BUILDING + (1.0 - _BUILDING) * progress.fraction)


def _bake(
    building: LandscapeSteps, mesh: Grid, settings: TextureSettings, name: str, options: BakeOptions
) -> Generator[Progress, bool | None, BakedTextures]:
    landscape = yield from mapped(building, building_share)
    paths = yield from mapped(bake_steps(settings.folder, name, landscape, settings.maps, options), writing_share)
    return BakedTextures(landscape, mesh, paths)

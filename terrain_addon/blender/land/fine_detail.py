"""Detail that is finer than the mesh of a land, shown by textures."""

import json
import tempfile
from collections.abc import Generator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np

from ...core.foundation.progress import Progress, mapped
from ...core.foundation.terrain import Field, Grid, Terrain
from ...files.baking import BakeOptions, bake_steps
from ...files.writing import file_name_of
from ..data.images import load_texture, pack_texture
from ..data.properties import read_recipe
from ..look import displacement
from .building import landscape_steps
from .lookup import LandReference
from .textures import LARGEST_TEXTURE, LandscapeSteps, at_resolution, building_share, check_mesh, writing_share


@dataclass(frozen=True)
class DetailSettings:
    """How fine the detail is, and how it is shown.

    Attributes
    ----------
    levels : int
        How many times the cells of the mesh are halved.
    displace : bool
        Whether renders also move the surface.
    adaptive : bool
        Whether Cycles subdivides the displaced mesh as finely as the picture needs.
    folder : str or None
        Where the textures go; None packs them into the .blend file.
    """

    levels: int
    displace: bool
    adaptive: bool
    folder: str | None


@dataclass(frozen=True)
class FineDetail:
    """Textures of a fine land for a coarser mesh.

    Attributes
    ----------
    heights : ndarray of float32, shape (rows, columns)
        The fine land at the vertices of the mesh, in metres.
    mesh : Grid
        Of the mesh.
    texture : Grid
        Of the textures.
    paths : dict of str to Path
        The files, by the name of their map.
    limits : tuple of float
        Residuals in metres that are black and white.
    scratch : ExitStack
        Removes temporary files when it is closed.
    """

    heights: Field
    mesh: Grid
    texture: Grid
    paths: dict[str, Path]
    limits: tuple[float, float]
    scratch: ExitStack


def fine_detail_steps(land: bpy.types.Object, settings: DetailSettings) -> Generator[Progress, bool | None, FineDetail]:
    """Return the steps that build the fine land and write its textures.

    Raises
    ------
    ValueError
        If the mesh is not the grid of the recipe, the material is not ours, or the textures would be too large.
    """
    recipe = read_recipe(land)
    mesh = recipe.grid
    check_mesh(land, mesh)
    if displacement.ground_of(land) is None:
        raise ValueError(f"{land.name} has no material of ours to show textures in")
    step = 2**settings.levels
    columns, rows = ((count - 1) * step + 1 for count in (mesh.columns, mesh.rows))
    if max(columns, rows) > LARGEST_TEXTURE:
        raise ValueError(
            f"{settings.levels} levels are {columns} × {rows} pixels, more than {LARGEST_TEXTURE} along a side; "
            "take fewer levels"
        )
    building = landscape_steps(at_resolution(recipe, columns), "terrain", land)
    return _write(building, mesh, settings, file_name_of(land.name) or "land")


def show_fine_detail(reference: LandReference, settings: DetailSettings, detail: FineDetail) -> str:
    """Show fine detail on a land, and return the sentence to report.

    Raises
    ------
    ValueError
        If the land was deleted, cannot be changed, or has another mesh by now.
    """
    with detail.scratch:
        land = reference.land()
        check_mesh(land, detail.mesh)
        displacement.remove_detail(land)
        load = pack_texture if settings.folder is None else load_texture
        images = {key: load(path) for key, path in detail.paths.items() if key != "note"}
        displacement.fit_mesh(land, detail.heights, detail.mesh.cell_size)
        displacement.add_normals(land, images["normal"], detail.mesh, detail.texture)
        if "residual" in images:
            scene = bpy.context.scene if settings.adaptive else None
            displacement.add_displacement(
                land, images["residual"], *detail.limits, detail.mesh, detail.texture, settings.levels, scene
            )
    return f"Added detail of {detail.texture.columns} × {detail.texture.rows} pixels to {reference.name}"


def _write(
    building: LandscapeSteps, mesh: Grid, settings: DetailSettings, name: str
) -> Generator[Progress, bool | None, FineDetail]:
    """Build the land more finely, and write what its mesh cannot carry as textures."""
    step, maps = 2**settings.levels, ("normal", "residual") if settings.displace else ("normal",)
    with ExitStack() as stack:
        landscape = yield from mapped(building, building_share)
        fine = landscape.terrain
        heights = np.ascontiguousarray(fine.surface[::step, ::step])
        coarse = Terrain(heights, np.zeros_like(heights), step * fine.cell_size)
        folder = settings.folder
        if folder is None:
            folder = stack.enter_context(tempfile.TemporaryDirectory())
        options = BakeOptions(exact=False, mesh=coarse, faces="bilinear")
        paths = yield from mapped(bake_steps(folder, name, landscape, maps, options), writing_share)
        # The files must stay until the main thread has packed them, so the stack is handed on.
        return FineDetail(heights, mesh, fine.grid, paths, _limits_of(paths), stack.pop_all())


def _limits_of(paths: dict[str, Path]) -> tuple[float, float]:
    """The residuals that are black and white, from the note beside the textures."""
    if "residual" not in paths:
        return 0.0, 0.0
    entry = json.loads(paths["note"].read_text(encoding="utf-8"))["textures"]["residual"]
    return entry["low"], entry["high"]

"""Operators that turn a landscape into textures: as files, or as detail that the mesh itself is too coarse for."""

import json
import tempfile
from collections.abc import Generator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import bpy
import numpy as np
from bpy.app.translations import pgettext_rpt as rpt_

from ...core.building.landscape import Landscape
from ...core.building.recipe import Recipe
from ...core.foundation.progress import Progress, mapped
from ...core.foundation.terrain import Field, Grid, Terrain
from ...core.meshing.triangulation import Triangulation, triangulate
from ...files.baking import BAKED_MAPS, BakeOptions, bake_steps, check_maps, extent_for
from ...files.heightmaps import GREEN
from .. import compat
from ..data.images import load_texture, pack_texture
from ..data.mesh_heights import heights_of_grid
from ..data.properties import read_recipe
from ..data.reduced_meshes import add_reduced_mesh
from ..land.building import landscape_steps
from ..land.inputs import gather_inputs
from ..look import displacement
from ..session.jobs import Task
from .base import FileOperator, LandOperator, absolute_path, still_there

_LARGEST = 8193
_BUILDING = 0.7  # share of the time that building takes, the rest is writing


class LANDSCAPE_OT_bake_textures(FileOperator, LandOperator):
    """Write maps of the landscape as textures with exact values, and load them as images"""

    bl_idname = "landscape.bake_textures"
    bl_label = "Bake Textures"

    directory: bpy.props.StringProperty(
        name="Folder",
        description="Where the files go",
        subtype="DIR_PATH",
        default="//textures/",
        options=compat.BLEND_RELATIVE,
    )
    maps: bpy.props.EnumProperty(
        name="Maps",
        description="What is written",
        items=[(k, k.replace("_", " ").capitalize(), m.description) for k, m in BAKED_MAPS.items()],
        options={"ENUM_FLAG"},
        default={"height", "normal"},
    )
    resolution: bpy.props.IntProperty(
        name="Resolution",
        description="Pixels from west to east; 0 takes the landscape's",
        default=0,
        min=0,
        max=_LARGEST,
    )
    green: bpy.props.EnumProperty(
        name="Green of Normals",
        description="Which way the green channel points",
        items=[(k, k.title(), v) for k, v in GREEN.items()],
    )
    exact: bpy.props.BoolProperty(
        name="32-Bit EXR", description="Write maps of numbers as EXR too, exact to the bit", default=True
    )
    pack: bpy.props.BoolProperty(
        name="Pack", description="Keep the images inside the .blend file as well", default=False
    )
    wire: bpy.props.BoolProperty(
        name="Use in Material",
        description="Let the material take normals and colour from the textures, if they are among the maps",
        default=False,
    )
    filter_folder: bpy.props.BoolProperty(default=True, options={"HIDDEN"})

    def prepare_for(self, land: bpy.types.Object) -> Task:
        """Build the land at the size of the textures and write them."""
        folder = absolute_path(self.directory)
        maps = check_maps(self.maps)
        recipe = read_recipe(land)
        mesh = recipe.grid
        heights = None
        if {"residual", "mesh_normal"} & set(maps):
            heights = _heights_of(land, mesh)
        inputs = gather_inputs(recipe, land) if "density" in maps else {}
        options = BakeOptions(self.green, self.exact, _as_terrain(heights, mesh), inputs=inputs)
        if self.resolution > 0:
            recipe = _on_same_ground(recipe, self.resolution)
        building = landscape_steps(recipe, extent_for(maps), land)
        steps = _bake(building, folder, bpy.path.clean_name(land.name), maps, options)
        show = partial(_show_textures, land.session_uid, land.name, folder, mesh, self.pack, self.wire)
        return Task("Textures", steps, show)


class LANDSCAPE_OT_add_fine_detail(FileOperator, LandOperator):
    """Build the land finer than its mesh, and show what the mesh cannot carry by textures"""

    bl_idname = "landscape.add_fine_detail"
    bl_label = "Add Fine Detail"

    levels: bpy.props.IntProperty(
        name="Levels",
        description="How many times the cells of the mesh are halved; each level needs four times the memory",
        default=2,
        min=1,
        max=6,
    )
    displace: bpy.props.BoolProperty(
        name="Displace",
        description="Also move the surface in renders, by as much as the mesh misses of the fine land",
        default=False,
    )
    adaptive: bpy.props.BoolProperty(
        name="Adaptive",
        description="When displacing, let Cycles divide the mesh as finely as the pixels of a render ask for; up to "
        "Blender 4.5 this switches its experimental features on",
        default=False,
    )
    pack: bpy.props.BoolProperty(
        name="Pack", description="Keep the textures inside the .blend file and not in a folder", default=True
    )
    directory: bpy.props.StringProperty(
        name="Folder",
        description="Where the textures go if they are not packed",
        subtype="DIR_PATH",
        default="//textures/",
        options=compat.BLEND_RELATIVE,
    )

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Ask for the settings; no file is to be chosen."""
        if self.asked:
            return self.begin(context)
        self._was_invoked = True
        return context.window_manager.invoke_props_dialog(self)

    def prepare_for(self, land: bpy.types.Object) -> Task:
        """Build the fine land, fit the mesh to it and write the textures."""
        folder = None if self.pack else absolute_path(self.directory)
        recipe = read_recipe(land)
        mesh = recipe.grid
        _check_grid(land, mesh)
        if displacement.ground_of(land) is None:
            raise ValueError(rpt_("{name} has no material of ours to show textures in").format(name=land.name))
        step = 2**self.levels
        columns = (mesh.columns - 1) * step + 1
        if columns > _LARGEST:
            raise ValueError(
                rpt_(
                    "{levels} levels are {columns} texels from west to east, more than {most}; take fewer levels"
                ).format(levels=self.levels, columns=columns, most=_LARGEST)
            )
        maps = ("normal", "residual") if self.displace else ("normal",)
        building = landscape_steps(_on_same_ground(recipe, columns), "terrain", land)
        steps = _add_detail(building, folder, bpy.path.clean_name(land.name), maps, step)
        show = partial(_show_detail, land.session_uid, land.name, mesh, self.levels, self.adaptive, self.pack)
        return Task("Fine Detail", steps, show)


class LANDSCAPE_OT_remove_fine_detail(LandOperator):
    """Show the land without textures again"""

    bl_idname = "landscape.remove_fine_detail"
    bl_label = "Remove Fine Detail"

    def prepare_for(self, land: bpy.types.Object) -> Task:
        """Take nodes, images and modifier away."""
        return Task("Fine Detail", _nothing(), partial(_remove_detail, land.session_uid, land.name))


class LANDSCAPE_OT_add_reduced_mesh(LandOperator):
    """Add a copy of the land with triangles only where it bends, for distant views and game engines"""

    bl_idname = "landscape.add_reduced_mesh"
    bl_label = "Add Reduced Mesh"

    tolerance: bpy.props.FloatProperty(
        name="Tolerance",
        description="Largest difference in height between the copy and the land's vertices",
        default=1.0,
        min=0.0,
        soft_max=100.0,
        subtype="DISTANCE",
    )
    chunk: bpy.props.IntProperty(
        name="Cells per Piece",
        description="Cells of the land along each side of a piece, rounded up to a power of two; 0 makes one piece",
        default=0,
        min=0,
        max=_LARGEST,
    )

    def prepare_for(self, land: bpy.types.Object) -> Task:
        """Triangulate the land as it is."""
        grid = read_recipe(land).grid
        heights = _heights_of(land, grid)
        chunk = 1 << (self.chunk - 1).bit_length() if self.chunk > 0 else None
        show = partial(_show_reduced, land.session_uid, land.name, heights, grid.cell_size, chunk)
        return Task("Reduced Mesh", _triangulate(heights, self.tolerance, chunk), show)


# --- baking -----------------------------------------------------------------------------------------------------------

_Building = Generator[Progress, bool | None, Landscape]


@dataclass(frozen=True)
class _Baked:
    landscape: Landscape
    paths: dict[str, Path]


def _bake(
    building: _Building, folder: str, name: str, maps: tuple[str, ...], options: BakeOptions
) -> Generator[Progress, bool | None, _Baked]:
    landscape = yield from mapped(building, _first_part)
    paths = yield from mapped(bake_steps(folder, name, landscape, maps, options), _second_part)
    return _Baked(landscape, paths)


def _first_part(progress: Progress) -> Progress:
    return replace(progress, fraction=_BUILDING * progress.fraction)


def _second_part(progress: Progress) -> Progress:
    return Progress(f"writing {progress.stage}", _BUILDING + (1.0 - _BUILDING) * progress.fraction)


def _show_textures(uid: int, name: str, folder: str, mesh: Grid, pack: bool, wire: bool, baked: _Baked) -> str:
    texture, paths = baked.landscape.terrain.grid, baked.paths
    land = still_there(uid, name) if wire else None
    if land is not None:
        displacement.remove_detail(land)
    take = pack_texture if pack else load_texture
    images = {}
    for key in sorted(paths.keys() - {"note"}):
        # Of two files with the same content the exact one; normals are as good in 16 bits, at half the memory.
        if not (key.endswith("normal_exact") or (f"{key}_exact" in paths and not key.endswith("normal"))):
            images[key] = take(paths[key], is_colour=key == "colour")
            # Blender does not save what nothing uses.
            images[key].use_fake_user = pack
    if land is not None:
        if "normal" in images:
            displacement.add_normals(land, images["normal"], mesh, texture)
        if "colour" in images:
            displacement.add_colour(land, images["colour"], mesh, texture)
    written = ", ".join(sorted(images)).replace("_exact", "")
    return rpt_("Baked {columns} × {rows} texels to {folder}: {maps}").format(
        columns=texture.columns, rows=texture.rows, folder=folder, maps=written
    )


def _on_same_ground(recipe: Recipe, columns: int) -> Recipe:
    """Return a recipe with as many columns, of the land that the recipe's own grid covers in whole cells."""
    return recipe.replace(resolution=columns, depth=recipe.grid.depth)


def _check_grid(land: bpy.types.Object, grid: Grid) -> None:
    if not displacement.carries_grid(land, grid):
        raise ValueError(
            rpt_("the mesh of {name} is not the {columns} × {rows} vertices of its settings; update it first").format(
                name=land.name, columns=grid.columns, rows=grid.rows
            )
        )


def _heights_of(land: bpy.types.Object, grid: Grid) -> Field:
    _check_grid(land, grid)
    return heights_of_grid(land.data, grid.shape)


def _as_terrain(heights: Field | None, grid: Grid) -> Terrain | None:
    return None if heights is None else Terrain(heights, np.zeros_like(heights), grid.cell_size)


# --- fine detail ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Detail:
    mesh: Field
    texture: Grid
    paths: dict[str, Path]
    range: tuple[float, float]
    scratch: ExitStack


def _add_detail(
    building: _Building, folder: str | None, name: str, maps: tuple[str, ...], step: int
) -> Generator[Progress, bool | None, _Detail]:
    with ExitStack() as stack:
        landscape = yield from mapped(building, _first_part)
        fine = landscape.terrain
        heights = np.ascontiguousarray(fine.surface[::step, ::step])
        mesh = Terrain(heights, np.zeros_like(heights), step * fine.cell_size)
        target = folder if folder is not None else stack.enter_context(tempfile.TemporaryDirectory())
        options = BakeOptions(exact=False, mesh=mesh, faces="bilinear")
        paths = yield from mapped(bake_steps(target, name, landscape, maps, options), _second_part)
        bounds = _range_of(paths)
        # What was written has to outlive this function, until the main thread has packed it.
        return _Detail(heights, fine.grid, paths, bounds, stack.pop_all())


def _range_of(paths: dict[str, Path]) -> tuple[float, float]:
    """Return what black and white stand for in the residual, as the note beside it says."""
    if "residual" not in paths:
        return 0.0, 0.0
    entry = json.loads(paths["note"].read_text(encoding="utf-8"))["textures"]["residual"]
    return entry["low"], entry["high"]


def _show_detail(uid: int, name: str, mesh: Grid, levels: int, adaptive: bool, pack: bool, detail: _Detail) -> str:
    with detail.scratch:
        land = still_there(uid, name)
        _check_grid(land, mesh)
        displacement.remove_detail(land)
        take = pack_texture if pack else load_texture
        images = {key: take(path) for key, path in detail.paths.items() if key != "note"}
        displacement.fit_mesh(land, detail.mesh, mesh.cell_size)
        displacement.add_normals(land, images["normal"], mesh, detail.texture)
        if "residual" in images:
            scene = bpy.context.scene if adaptive else None
            displacement.add_displacement(land, images["residual"], *detail.range, mesh, detail.texture, levels, scene)
    return rpt_("Added detail of {columns} × {rows} texels to {name}").format(
        columns=detail.texture.columns, rows=detail.texture.rows, name=name
    )


def _remove_detail(uid: int, name: str, _: None) -> str:
    displacement.remove_detail(still_there(uid, name))
    return rpt_("Removed the fine detail of {name}").format(name=name)


def _nothing() -> Generator[Progress, bool | None, None]:
    return
    yield


# --- reduced mesh -----------------------------------------------------------------------------------------------------


def _triangulate(
    heights: Field, tolerance: float, chunk: int | None
) -> Generator[Progress, bool | None, Triangulation]:
    yield Progress("triangles", 0.0)
    return triangulate(heights, tolerance, chunk)


def _show_reduced(
    uid: int, name: str, heights: Field, cell_size: float, chunk: int | None, whole: Triangulation
) -> str:
    land = still_there(uid, name)
    pieces = [(0, 0, whole)] if chunk is None else list(whole.chunks(chunk))
    for row, column, piece in pieces:
        place = f" {row} {column}" if chunk is not None else ""
        add_reduced_mesh(land, f"{name} Reduced{place}", heights, cell_size, piece)
    full = 2 * (heights.shape[0] - 1) * (heights.shape[1] - 1)
    share = 100.0 * len(whole.triangles) / full
    numbers = {"count": len(whole.triangles), "share": share, "pieces": len(pieces)}
    if chunk is None:
        return rpt_("Added {count:,} triangles, {share:.1f} % of the full mesh").format(**numbers)
    return rpt_("Added {count:,} triangles in {pieces} pieces, {share:.1f} % of the full mesh").format(**numbers)


CLASSES = (
    LANDSCAPE_OT_bake_textures,
    LANDSCAPE_OT_add_fine_detail,
    LANDSCAPE_OT_remove_fine_detail,
    LANDSCAPE_OT_add_reduced_mesh,
)

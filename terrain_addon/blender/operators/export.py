"""Operators that export a landscape: as a mesh, and as a package for a game engine."""

from collections.abc import Callable, Generator
from functools import partial
from pathlib import Path
from typing import Any

import bpy
from bpy.app.translations import pgettext_rpt as rpt_

from ...core.building.landscape import Landscape
from ...core.foundation.progress import Progress, Steps, mapped
from ...files.engines.package import ENGINES, Package, PackageOptions, write_package_steps
from ...files.landscape_glb import FORMATS, export_landscape, refuse_other_formats
from .. import compat
from ..data.properties import read_recipe
from ..land.building import landscape_steps
from ..land.land_objects import extent_of
from ..session.jobs import Task
from .base import FileOperator, LandOperator, absolute_path

_BUILT = 0.5  # share of the whole that is done once there is a landscape


class LANDSCAPE_OT_export(FileOperator, LandOperator):
    """Write the land as glTF, with its plants as instances (EXT_mesh_gpu_instancing)"""

    bl_idname = "landscape.export"
    bl_label = "Export Landscape (GLB, glTF)"

    filepath: bpy.props.StringProperty(
        name="File",
        description="Where the file goes; its ending chooses the format",
        subtype="FILE_PATH",
        default="//landscape.glb",
        options=compat.BLEND_RELATIVE,
    )
    step: bpy.props.IntProperty(
        name="Step", description="Every how many samples the exported land has a vertex", default=1, min=1, max=64
    )
    filter_glob: bpy.props.StringProperty(default=";".join(f"*{ending}" for ending in FORMATS), options={"HIDDEN"})

    def prepare_for(self, land: bpy.types.Object) -> Task:
        """Build the landscape, from the cache as a rule, and write it."""
        path = absolute_path(self.filepath)
        refuse_other_formats(path)
        if Path(path).suffix.lower() not in FORMATS:
            path = bpy.path.ensure_ext(path, ".glb")
        building = landscape_steps(read_recipe(land), extent_of(land), land)
        return Task(
            "Export",
            _built(building, partial(_export, path, step=self.step)),
            lambda _: rpt_("Exported {path}").format(path=path),
        )


class LANDSCAPE_OT_export_package(FileOperator, LandOperator):
    """Write a folder from which a game engine builds the level: heights, layers, meshes, water, plants and a script"""

    bl_idname = "landscape.export_package"
    bl_label = "Export for Game Engine"

    directory: bpy.props.StringProperty(
        name="Folder",
        description="Where the package goes: a new or empty folder, or an earlier package, which is replaced",
        subtype="DIR_PATH",
        default="//package/",
        options=compat.BLEND_RELATIVE,
    )
    engine: bpy.props.EnumProperty(
        name="Engine",
        description="What the package is for",
        items=[(name, engine.title.capitalize(), engine.summary) for name, engine in ENGINES.items()],
        default="godot",
    )
    resolution: bpy.props.IntProperty(
        name="Resolution",
        description="Heights along the longer side of a tile; 0 takes what fits the engine and the land",
        default=0,
        min=0,
        max=16384,
    )
    tiles: bpy.props.IntProperty(
        name="Tiles",
        description="Tiles along the longer side of the land; 0 takes as few as the engine allows",
        default=0,
        min=0,
        max=64,
    )
    lods: bpy.props.IntProperty(
        name="Levels of Detail",
        description="How many meshes of the land there are, each with half the vertices along a side",
        default=3,
        min=1,
        max=6,
    )
    filter_folder: bpy.props.BoolProperty(default=True, options={"HIDDEN"})

    def prepare_for(self, land: bpy.types.Object) -> Task:
        """Build the landscape, from the cache as a rule, and write the package."""
        folder = absolute_path(self.directory)
        options = PackageOptions(resolution=self.resolution or None, tiles=self.tiles or None, lods=self.lods)
        building = landscape_steps(read_recipe(land), extent_of(land), land)
        # Not read within the steps, because Blender frees an operator whose file browser closes.
        write = partial(_write_package, folder, self.engine, options)
        return Task("Package", _built(building, write), lambda package: package.message)


def _built(
    building: Generator[Progress, bool | None, Landscape], write: Callable[[Landscape], Steps[Any]]
) -> Generator[Progress, bool | None, Any]:
    """Build a landscape, then write it."""
    landscape = yield from mapped(building, lambda step: Progress(step.stage, _BUILT * step.fraction))
    return (yield from mapped(write(landscape), lambda share: Progress("writing", _BUILT + (1.0 - _BUILT) * share)))


def _export(path: str, landscape: Landscape, *, step: int) -> Steps[None]:
    yield 0.0
    export_landscape(path, landscape, step)


def _write_package(folder: str, engine: str, options: PackageOptions, landscape: Landscape) -> Steps[Package]:
    return write_package_steps(folder, landscape, engine, options)


CLASSES = (LANDSCAPE_OT_export, LANDSCAPE_OT_export_package)

"""Operators that export a landscape: as a mesh, and as a package for a game engine."""

from pathlib import Path

import bpy

from ...core.foundation.parameters import menu_name
from ...files.compressing import find_compressor
from ...files.engines.ground_textures import GROUND_SIZES
from ...files.engines.package import ENGINES, PackageOptions
from ...files.landscape_glb import MESH_FORMATS, refuse_other_formats
from ...files.writing import check_target
from .. import compat
from ..land.asset_library import LIBRARY_NAME, make_asset_library
from ..land.exporting import export_steps, package_steps, stays_in_blender
from ..session.jobs import Task
from .base import FileOperator, InstantOperator, LandOperator, absolute_path, path_to_write


class LANDSCAPE_OT_export(FileOperator, LandOperator):
    """Write the land as glTF or USD, with its plants as instances"""

    bl_idname = "landscape.export"
    bl_label = "Export Landscape"
    bl_options = {"REGISTER", "UNDO", "PRESET"}

    filepath: bpy.props.StringProperty(
        name="File",
        description="File to write; its ending selects the format",
        subtype="FILE_PATH",
        default="//landscape.glb",
        options=compat.BLEND_RELATIVE | {"SKIP_PRESET"},
    )
    step: bpy.props.IntProperty(
        name="Step",
        description="Distance between vertices of the exported land, in samples; 1 exports every sample",
        default=1,
        min=1,
        max=64,
    )
    compress: bpy.props.BoolProperty(
        name="Compress",
        description="Make a .glb file smaller with the program gltfpack, if it is installed; Godot and some other "
        "programs cannot read such files",
        default=False,
    )
    filter_glob: bpy.props.StringProperty(default=";".join(f"*{ending}" for ending in MESH_FORMATS), options={"HIDDEN"})

    def prepare_for(self, land: bpy.types.Object) -> Task:
        """Build the landscape and write it."""
        path = path_to_write(self.filepath)
        refuse_other_formats(path)
        if Path(path).suffix.lower() not in MESH_FORMATS:
            path = bpy.path.ensure_ext(path, ".glb")
        if self.compress and Path(path).suffix.lower() != ".glb":
            raise ValueError(f"cannot compress {path}: only .glb files can be compressed")
        check_target(path, "file")
        compressor = find_compressor() if self.compress else None
        report = _reported(f"Exported {path}", stays_in_blender(land))
        return Task("Export", export_steps(land, path, self.step, compressor), lambda _: report)


class LANDSCAPE_OT_export_package(FileOperator, LandOperator):
    """Write a folder for a game engine: heights, layers, meshes, water, plants and a script that builds the level"""

    bl_idname = "landscape.export_package"
    bl_label = "Export to Engine"
    bl_options = {"REGISTER", "UNDO", "PRESET"}

    directory: bpy.props.StringProperty(
        name="Folder",
        description="Folder for the package: a new or empty one, or an earlier package, which is replaced",
        subtype="DIR_PATH",
        default="//package/",
        options=compat.BLEND_RELATIVE | {"SKIP_PRESET"},
    )
    engine: bpy.props.EnumProperty(
        name="Engine",
        description="Game engine that will read the package",
        items=[(name, menu_name(engine.title), engine.summary) for name, engine in ENGINES.items()],
        default="godot",
    )
    resolution: bpy.props.IntProperty(
        name="Resolution",
        description="Samples along the longer side of a tile; 0 takes what suits the engine and the land",
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
        description="Number of meshes of the land; each has half the vertices along a side of the one before",
        default=3,
        min=1,
        max=6,
    )
    ground: bpy.props.EnumProperty(
        name="Ground",
        description="Texels along the side of textures of rock, grass and other ground, which repeat every few metres",
        items=[(str(size), f"{size} Texels" if size else "No Textures", "") for size in GROUND_SIZES],
        default="1024",
    )
    cell: bpy.props.FloatProperty(
        name="Cells",
        description="Side of the cells into which plants are divided, each shown at one level of detail; "
        "0 takes what suits the engine",
        default=0.0,
        min=0.0,
        soft_max=1000.0,
        unit="LENGTH",
    )
    filter_folder: bpy.props.BoolProperty(default=True, options={"HIDDEN"})

    def draw(self, context: bpy.types.Context) -> None:
        """Show the engine and the numbers, with what 0 means."""
        layout = self.layout
        layout.prop(self, "engine", text="")
        for name in ("resolution", "tiles", "cell"):
            column = layout.column(align=True)
            column.prop(self, name)
            if getattr(self, name) == 0:
                column.label(text="0 takes what suits best", icon="INFO")
        layout.prop(self, "lods")
        layout.prop(self, "ground")

    def prepare_for(self, land: bpy.types.Object) -> Task:
        """Build the landscape and write the package."""
        folder = absolute_path(self.directory)
        check_target(folder, "folder")
        options = PackageOptions(
            resolution=self.resolution or None,
            tiles=self.tiles or None,
            lods=self.lods,
            ground=int(self.ground),
            cell=self.cell or None,
        )
        steps = package_steps(land, folder, self.engine, options)
        lacking = stays_in_blender(land)
        return Task("Package", steps, lambda package: _reported(package.message, lacking))


def _reported(message: str, lacking: str) -> str:
    """What to report of an export: also what it does not hold."""
    return f"{message}. {lacking}" if lacking else message


class LANDSCAPE_OT_make_asset_library(InstantOperator):
    """Put plants, rocks and materials of the extension into Blender's asset browser: drag them into any scene"""

    bl_idname = "landscape.make_asset_library"
    bl_label = "Make Asset Library"

    def perform(self, context: bpy.types.Context) -> str:
        """Write the library and register it."""
        path = make_asset_library()
        return f"The asset library {LIBRARY_NAME} is in {path.parent}"


def draw_export_menu(menu: bpy.types.Menu, context: bpy.types.Context) -> None:
    """Show the entries in File > Export."""
    menu.layout.operator(LANDSCAPE_OT_export.bl_idname, text="Landscape with Plants (.glb, .gltf, .usda)")
    menu.layout.operator(LANDSCAPE_OT_export_package.bl_idname, text="Landscape for a Game Engine (folder)")
    menu.layout.operator("landscape.export_planet", text="Planet (.glb and maps)")


CLASSES = (LANDSCAPE_OT_export, LANDSCAPE_OT_export_package, LANDSCAPE_OT_make_asset_library)

"""Operators that bake textures of a land, show detail finer than its mesh, and reduce its mesh."""

from collections.abc import Iterable
from functools import partial
from typing import Any

import bpy

from ...core.foundation.parameters import menu_name
from ...files.baking import BAKED_MAPS, check_maps
from ...files.heightmaps import GREEN
from ...files.writing import check_target
from .. import compat
from ..data.properties import read_recipe
from ..land.fine_detail import DetailSettings, fine_detail_steps, show_fine_detail
from ..land.lookup import LandReference, active_land
from ..land.reduction import reduction_steps, show_reduced
from ..land.textures import LARGEST_TEXTURE, TextureSettings, at_resolution, show_textures, texture_steps
from ..look.displacement import has_detail, remove_detail
from ..session.jobs import Task, discard_jobs_of
from .base import FileOperator, InstantLandOperator, LandOperator, absolute_path

_TICK = "bake_"  # how the names of the ticks of maps begin
# A choice of several has room for 32.
_MORE_MAPS = ("snow_depth",)


def _items_of(names: Iterable[str]) -> list[tuple[str, str, str]]:
    """Return maps as the items of a choice."""
    return [(name, menu_name(name), BAKED_MAPS[name].description) for name in names]


class LANDSCAPE_OT_bake_textures(FileOperator, LandOperator):
    """Write maps of the landscape to texture files with exact values, and load them as images"""

    bl_idname = "landscape.bake_textures"
    bl_label = "Bake Textures"
    bl_options = {"REGISTER", "UNDO", "PRESET"}

    directory: bpy.props.StringProperty(
        name="Folder",
        description="Folder that the files are written to",
        subtype="DIR_PATH",
        default="//textures/",
        options=compat.BLEND_RELATIVE | {"SKIP_PRESET"},
    )
    maps: bpy.props.EnumProperty(
        name="Maps",
        description="Maps to write",
        items=_items_of(name for name in BAKED_MAPS if name not in _MORE_MAPS),
        options={"ENUM_FLAG"},
        default={"height", "normal"},
    )
    more_maps: bpy.props.EnumProperty(
        name="More Maps",
        description="Further maps to write: Blender has room for 32 in one choice",
        items=_items_of(_MORE_MAPS),
        options={"ENUM_FLAG"},
        default=set(),
    )
    resolution: bpy.props.IntProperty(
        name="Resolution",
        description="Pixels from west to east; 0 takes the resolution of the landscape",
        default=0,
        min=0,
        max=LARGEST_TEXTURE,
        options={"SKIP_SAVE"},
    )
    green: bpy.props.EnumProperty(
        name="Green of Normals",
        description="Direction of the green channel",
        items=[(k, k.title(), v) for k, v in GREEN.items()],
    )
    exact: bpy.props.BoolProperty(
        name="Exact Values (EXR)", description="Also write maps of numbers as EXR files with exact values", default=True
    )
    pack: bpy.props.BoolProperty(name="Pack", description="Also store the images in the .blend file", default=False)
    wire: bpy.props.BoolProperty(
        name="Use in the Material",
        description="Let the material of the land use the normals and the colour, if they are among the maps",
        default=False,
    )
    filter_folder: bpy.props.BoolProperty(default=True, options={"HIDDEN"})

    def ask(self, context: bpy.types.Context) -> set[str]:
        """Open the file browser with the resolution of the land."""
        land = active_land(context)
        if land is not None and self.resolution == 0:
            self.resolution = land.landscape.recipe.resolution
        return super().ask(context)

    def draw(self, context: bpy.types.Context) -> None:
        """Show the size of the textures, a tick for each map, and how they are written."""
        layout = self.layout
        column = layout.column(align=True)
        column.prop(self, "resolution")
        column.label(text=self._size(active_land(context)))
        column = layout.column(align=True)
        column.label(text="Maps")
        for name in BAKED_MAPS:
            column.prop(self, _TICK + name)
        column = layout.column(align=True)
        column.label(text="Green of Normals")
        column.prop(self, "green", text="")
        column = layout.column(align=True)
        for name in ("exact", "pack", "wire"):
            column.prop(self, name)

    def _size(self, land: bpy.types.Object | None) -> str:
        """How large the textures of a land become, in words."""
        if land is None:
            return ""
        settings = land.landscape.recipe
        try:
            recipe = read_recipe(land)
            grid = at_resolution(recipe, self.resolution or settings.resolution).grid
        except ValueError as error:
            return str(error)
        as_land = ", as the land" if grid.columns == settings.resolution else ""
        return f"{grid.columns:,} × {grid.rows:,} pixels{as_land}"

    def prepare_for(self, land: bpy.types.Object) -> Task:
        """Build the land at the size of the textures and write them."""
        settings = TextureSettings(
            folder=absolute_path(self.directory),
            maps=check_maps(self.maps | self.more_maps),
            resolution=self.resolution,
            green=self.green,
            exact=self.exact,
            pack=self.pack,
            wire=self.wire,
        )
        check_target(settings.folder, "folder")
        return Task("Textures", texture_steps(land, settings), partial(show_textures, LandReference.of(land), settings))


def _tick_of(name: str) -> Any:
    """Return the tick of a map: a switch that is on while the map is among those to bake."""

    choice = "more_maps" if name in _MORE_MAPS else "maps"

    def is_chosen(operator: Any) -> bool:
        return name in getattr(operator, choice)

    def choose(operator: Any, chosen: bool) -> None:
        others = getattr(operator, choice) - {name}
        setattr(operator, choice, others | {name} if chosen else others)

    return bpy.props.BoolProperty(
        name=menu_name(name),
        description=BAKED_MAPS[name].description,
        get=is_chosen,
        set=choose,
        options={"SKIP_SAVE"},
    )


LANDSCAPE_OT_bake_textures.__annotations__ |= {_TICK + name: _tick_of(name) for name in BAKED_MAPS}


class LANDSCAPE_OT_add_fine_detail(FileOperator, LandOperator):
    """Build the land finer than its mesh, move the vertices to it, and show what is finer by textures"""

    bl_idname = "landscape.add_fine_detail"
    bl_label = "Add Fine Detail"
    bl_options = {"REGISTER", "UNDO", "PRESET"}

    levels: bpy.props.IntProperty(
        name="Levels",
        description="How many times the cells of the mesh are halved; each level needs four times the memory",
        default=2,
        min=1,
        max=6,
    )
    displace: bpy.props.BoolProperty(
        name="Displace",
        description="Also move the surface in renders, by the difference between the fine land and the mesh",
        default=False,
    )
    adaptive: bpy.props.BoolProperty(
        name="Adaptive",
        description="With Displace, Cycles subdivides the mesh as finely as the picture needs; up to Blender 4.5 this "
        "enables the experimental features of Cycles",
        default=False,
    )
    pack: bpy.props.BoolProperty(
        name="Pack", description="Store the textures in the .blend file instead of a folder", default=True
    )
    directory: bpy.props.StringProperty(
        name="Folder",
        description="Folder for the textures if they are not packed",
        subtype="DIR_PATH",
        default="//textures/",
        options=compat.BLEND_RELATIVE,
    )

    def ask(self, context: bpy.types.Context) -> set[str]:
        """Ask for the settings; there is no file to choose."""
        return context.window_manager.invoke_props_dialog(self)

    def prepare_for(self, land: bpy.types.Object) -> Task:
        """Build the fine land and write its textures."""
        folder = None if self.pack else absolute_path(self.directory)
        settings = DetailSettings(self.levels, self.displace, self.adaptive, folder)
        show = partial(show_fine_detail, LandReference.of(land), settings)
        return Task("Fine Detail", fine_detail_steps(land, settings), show)


class LANDSCAPE_OT_remove_fine_detail(InstantLandOperator):
    """Show the land without detail textures again"""

    bl_idname = "landscape.remove_fine_detail"
    bl_label = "Remove Fine Detail"

    def perform_on(self, context: bpy.types.Context, land: bpy.types.Object) -> str:
        """Remove nodes, images and modifier."""
        if not has_detail(land):
            raise ValueError("this land has no fine detail")
        discard_jobs_of(land.session_uid)
        remove_detail(land)
        return f"Removed the fine detail of {land.name}"


class LANDSCAPE_OT_add_reduced_mesh(LandOperator):
    """Add a copy of the land with few triangles where it is flat, for distant views and game engines"""

    bl_idname = "landscape.add_reduced_mesh"
    bl_label = "Add Reduced Mesh"
    bl_options = {"REGISTER", "UNDO", "PRESET"}

    tolerance: bpy.props.FloatProperty(
        name="Tolerance",
        description="Largest difference in height between the copy and the vertices of the land",
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
        max=LARGEST_TEXTURE,
    )

    def prepare_for(self, land: bpy.types.Object) -> Task:
        """Triangulate the mesh of the land."""
        steps = reduction_steps(land, self.tolerance, self.chunk)
        return Task("Reduced Mesh", steps, partial(show_reduced, LandReference.of(land)))


CLASSES = (
    LANDSCAPE_OT_bake_textures,
    LANDSCAPE_OT_add_fine_detail,
    LANDSCAPE_OT_remove_fine_detail,
    LANDSCAPE_OT_add_reduced_mesh,
)

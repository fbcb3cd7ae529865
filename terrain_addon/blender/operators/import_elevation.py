"""The operator that imports measured elevation, its entry in File > Import, and what happens to dropped files."""

from pathlib import Path

import bpy

from ...core.building.recipe import Recipe
from ...core.relief.elevation_model import Crop, ElevationModel
from ...files.elevation import READERS, ElevationPreview, preview_elevation
from .. import compat
from ..land.importing import MOST_BY_DEFAULT, facts_of, length_text, recipe_of_elevation
from ..session.elevation_previews import known_preview, read_preview
from ..session.jobs import Task
from ..session.making import NewLand, new_land_task
from .base import FileOperator, absolute_path


class LANDSCAPE_OT_import_elevation(FileOperator):
    """Make a landscape of measured elevation in its true size; it can be eroded and planted like any other"""

    bl_idname = "landscape.import_elevation"
    bl_label = "Import Elevation"
    bl_options = {"REGISTER", "UNDO", "PRESET"}

    filepath: bpy.props.StringProperty(
        name="File",
        description="File with heights",
        subtype="FILE_PATH",
        options=compat.BLEND_RELATIVE | {"SKIP_PRESET"},
    )
    filter_glob: bpy.props.StringProperty(default=";".join(f"*{ending}" for ending in READERS), options={"HIDDEN"})
    west: bpy.props.FloatProperty(
        name="West",
        description="Western edge of the part that is used, as a share of the width",
        subtype="PERCENTAGE",
        min=0,
        max=100,
    )
    east: bpy.props.FloatProperty(
        name="East",
        description="Eastern edge of the part that is used, as a share of the width",
        subtype="PERCENTAGE",
        default=100,
        min=0,
        max=100,
    )
    south: bpy.props.FloatProperty(
        name="South",
        description="Southern edge of the part that is used, as a share of the depth",
        subtype="PERCENTAGE",
        min=0,
        max=100,
    )
    north: bpy.props.FloatProperty(
        name="North",
        description="Northern edge of the part that is used, as a share of the depth",
        subtype="PERCENTAGE",
        default=100,
        min=0,
        max=100,
    )
    resolution: bpy.props.IntProperty(
        name="Resolution",
        description=f"Vertices from west to east; 0 takes one for each sample, up to {MOST_BY_DEFAULT} along a side",
        default=0,
        min=0,
        max=8193,
        soft_max=2049,
    )
    size: bpy.props.EnumProperty(
        name="Size",
        description="How large the land becomes",
        items=[
            ("TRUE", "True", "As large as the file says, or as wide as given if the file does not say"),
            ("CHOSEN", "Chosen", "As wide as given, with the proportions of the file"),
        ],
    )
    width: bpy.props.FloatProperty(
        name="Width",
        description="Width of the land if Size is Chosen, or if the file gives none",
        subtype="DISTANCE",
        default=3000.0,
        min=1.0,
        max=1e6,
    )
    exaggeration: bpy.props.FloatProperty(
        name="Exaggeration", description="Factor on all heights; 1 keeps them true", default=1.0, min=-100.0, max=100.0
    )
    lowest: bpy.props.FloatProperty(
        name="Black", description="Altitude of black", subtype="DISTANCE", default=0.0, min=-12000.0, max=12000.0
    )
    highest: bpy.props.FloatProperty(
        name="White", description="Altitude of white", subtype="DISTANCE", default=1000.0, min=-12000.0, max=12000.0
    )
    fill_holes: bpy.props.BoolProperty(
        name="Fill Holes",
        description="Fill missing heights smoothly; if this is off, a file with missing heights is refused",
        default=True,
    )
    stage: bpy.props.BoolProperty(
        name="Sun, Sky and Camera", description="Add the sun, sky and camera that the scene lacks", default=True
    )

    def ask(self, context: bpy.types.Context) -> set[str]:
        """Open the file browser; if a file was dropped, ask how to import it."""
        dropped = Path(bpy.path.abspath(self.filepath))
        if not self.properties.is_property_set("filepath") or not dropped.is_file():
            return super().ask(context)
        read_preview(dropped)
        return context.window_manager.invoke_props_dialog(self, width=360)

    def prepare(self, context: bpy.types.Context) -> Task:
        """Read what the file contains, and return the task that builds the land."""
        path = absolute_path(self.filepath)
        recipe = self._recipe(preview_elevation(path))
        return new_land_task(context, NewLand(Path(path).stem, recipe, "maps", self.stage))

    def draw(self, context: bpy.types.Context) -> None:
        """Show what the file contains, the settings, and the size of the land that they make."""
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        preview = known_preview(self.filepath)
        if not isinstance(preview, ElevationPreview):
            _draw_lines(layout, [(preview, "INFO")])
            return
        _draw_lines(layout, facts_of(preview))
        column = layout.column(align=True)
        if preview.cell_size is not None:
            column.prop(self, "size")
        if self.size == "CHOSEN" or preview.cell_size is None:
            column.prop(self, "width")
        layout.prop(self, "resolution")
        if preview.is_picture:
            column = layout.column(align=True)
            column.prop(self, "lowest")
            column.prop(self, "highest")
        layout.prop(self, "exaggeration")
        column = layout.column(align=True, heading="Part")
        for name in ("west", "east", "south", "north"):
            column.prop(self, name, slider=True)
        if preview.missing > 0.0 or not preview.is_complete:
            layout.prop(self, "fill_holes")
        layout.prop(self, "stage")
        _draw_lines(layout, self._outlook(preview))

    def _recipe(self, preview: ElevationPreview) -> Recipe:
        """The recipe of the land that these settings make of a file."""
        model = ElevationModel(
            path=self.filepath,
            exaggeration=self.exaggeration,
            crop=Crop(west=self.west, east=self.east, south=self.south, north=self.north),
            lowest=self.lowest,
            highest=self.highest,
            fill_holes=self.fill_holes,
        )
        return recipe_of_elevation(
            preview, model, true_size=self.size == "TRUE", width=self.width, resolution=self.resolution
        )

    def _outlook(self, preview: ElevationPreview) -> list[tuple[str, str]]:
        """The land that will be made, as lines of text with icons."""
        try:
            grid = self._recipe(preview).grid
        except ValueError as error:
            return [(str(error), "ERROR")]
        return [
            (f"Makes {grid.columns:,} × {grid.rows:,} vertices", "MESH_GRID"),
            (f"{length_text(grid.width)} × {length_text(grid.depth)}", "ARROW_LEFTRIGHT"),
        ]


class LANDSCAPE_FH_elevation(bpy.types.FileHandler):
    """Files with heights that are dropped into a 3D view"""

    bl_idname = "LANDSCAPE_FH_elevation"
    bl_label = "Elevation Model"
    bl_import_operator = LANDSCAPE_OT_import_elevation.bl_idname
    bl_file_extensions = ";".join(READERS)

    @classmethod
    def poll_drop(cls, context: bpy.types.Context) -> bool:
        """Whether a file can be dropped here."""
        return context.area is not None and context.area.type == "VIEW_3D"


def draw_import_menu(menu: bpy.types.Menu, context: bpy.types.Context) -> None:
    """Show the entry in File > Import."""
    menu.layout.operator(
        LANDSCAPE_OT_import_elevation.bl_idname, text="Elevation Model (GeoTIFF, HGT, ASC, BIL, PNG, EXR, RAW, NPY)"
    )


def _draw_lines(layout: bpy.types.UILayout, lines: list[tuple[str, str]]) -> None:
    """Show lines of text with icons."""
    column = layout.column(align=True)
    for text, icon in lines:
        column.label(text=text, icon=icon)


CLASSES = (LANDSCAPE_OT_import_elevation, LANDSCAPE_FH_elevation)

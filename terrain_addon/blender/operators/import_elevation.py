"""Operator that makes a landscape of measured elevation, and the ways to it: File > Import, and dropping a file."""

import threading
import time
from functools import partial
from pathlib import Path

import bpy

from ...core.building.landscape import Landscape
from ...core.building.layers import Layer, Relief
from ...core.building.recipe import Recipe
from ...core.foundation.placement import Placement
from ...core.relief.elevation_model import Crop, ElevationModel
from ...files.elevation import READERS, ElevationPreview, preview_elevation
from .. import compat
from ..land.building import landscape_steps
from ..session.jobs import FAILURES, Task
from .base import FileOperator, absolute_path
from .generate import check_place, show_new

_TICK = 0.05  # seconds between two looks at a preview that is being read
_MOST_BY_ITSELF = 1025  # vertices along the longer side, unless the user asks for more


class LANDSCAPE_OT_import_elevation(FileOperator):
    """Make a landscape of measured elevation, at its true size; it can be eroded and planted like any other"""

    bl_idname = "landscape.import_elevation"
    bl_label = "Import StoredField Model"

    filepath: bpy.props.StringProperty(
        name="File", description="File with heights", subtype="FILE_PATH", options=compat.BLEND_RELATIVE
    )
    filter_glob: bpy.props.StringProperty(default=";".join(f"*{ending}" for ending in READERS), options={"HIDDEN"})
    west: bpy.props.FloatProperty(
        name="West", description="Western edge of what is used, as a share", subtype="PERCENTAGE", min=0, max=100
    )
    east: bpy.props.FloatProperty(
        name="East", description="Eastern edge of it", subtype="PERCENTAGE", default=100, min=0, max=100
    )
    south: bpy.props.FloatProperty(
        name="South", description="Southern edge of it", subtype="PERCENTAGE", min=0, max=100
    )
    north: bpy.props.FloatProperty(
        name="North", description="Northern edge of it", subtype="PERCENTAGE", default=100, min=0, max=100
    )
    resolution: bpy.props.IntProperty(
        name="Resolution",
        description=f"Vertices from west to east; 0 takes one for each sample, up to {_MOST_BY_ITSELF} along a side",
        default=0,
        min=0,
        max=8193,
        soft_max=2049,
    )
    size: bpy.props.EnumProperty(
        name="Size",
        description="How large the land becomes",
        items=[
            ("TRUE", "True", "As large as the file says; a file that does not say becomes as wide as given"),
            ("CHOSEN", "Chosen", "As wide as given, and as deep as goes with it"),
        ],
    )
    width: bpy.props.FloatProperty(
        name="Width",
        description="Metres from west to east, where the size is chosen or the file does not say",
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
        name="Fill Holes", description="Close missing heights smoothly; off, a file with holes is refused", default=True
    )
    stage: bpy.props.BoolProperty(
        name="Sun, Sky and Camera", description="Add what the scene lacks of light, sky and camera", default=True
    )

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Ask for a file; if one was dropped, ask how to import it."""
        dropped = Path(bpy.path.abspath(self.filepath))
        if self.asked or not self.properties.is_property_set("filepath") or not dropped.is_file():
            return super().invoke(context, event)
        self._was_invoked = True
        _look_at((str(dropped), dropped.stat().st_mtime_ns))
        return context.window_manager.invoke_props_dialog(self, width=360)

    def prepare(self, context: bpy.types.Context) -> Task:
        """Look at the file, and build the land that it holds."""
        path = absolute_path(self.filepath)
        recipe = self._recipe(preview_elevation(path))
        check_place(context)
        show = partial(_show, context, Path(path).stem, self.stage, time.perf_counter())
        return Task(Path(path).name, landscape_steps(recipe, "maps"), show)

    def draw(self, context: bpy.types.Context) -> None:
        """Show what the file holds, what to make of it, and what that will be."""
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        preview = _known(self.filepath)
        if not isinstance(preview, ElevationPreview):
            _draw_lines(layout, [(preview, "INFO")])
            return
        _draw_lines(layout, _facts(preview))
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
        """The recipe of the land that is to be made of a file."""
        crop = Crop(west=self.west, east=self.east, south=self.south, north=self.north)
        rows, columns = preview.part(crop.shares)
        if min(rows, columns) < 2:
            raise ValueError(f"the part has {columns} × {rows} samples; land needs 2 × 2 or more")
        is_true = self.size == "TRUE" and preview.cell_size is not None
        cell = preview.cell_size if is_true and preview.cell_size else self.width / (columns - 1)
        share = min(1.0, (_MOST_BY_ITSELF - 1) / (max(rows, columns) - 1))
        model = ElevationModel(
            path=self.filepath,
            exaggeration=self.exaggeration,
            placement=Placement(fit="true_size" if is_true else "stretched"),
            crop=crop,
            lowest=self.lowest,
            highest=self.highest,
            fill_holes=self.fill_holes,
        )
        return Recipe(
            width=(columns - 1) * cell,
            depth=(rows - 1) * cell,
            resolution=self.resolution or max(round((columns - 1) * share), 1) + 1,
            relief=Relief(layers=(Layer(name=Path(self.filepath).stem, source=model),)),
            erosion=(),
        )

    def _outlook(self, preview: ElevationPreview) -> list[tuple[str, str]]:
        """What will be made, as lines with icons."""
        try:
            grid = self._recipe(preview).grid
        except ValueError as error:
            return [(str(error), "ERROR")]
        return [
            (f"Makes {grid.columns:,} × {grid.rows:,} vertices", "MESH_GRID"),
            (f"{_length(grid.width)} × {_length(grid.depth)}", "ARROW_LEFTRIGHT"),
        ]


class LANDSCAPE_FH_elevation(bpy.types.FileHandler):
    """Files with heights that are dropped into a 3D view"""

    bl_idname = "LANDSCAPE_FH_elevation"
    bl_label = "StoredField Model"
    bl_import_operator = LANDSCAPE_OT_import_elevation.bl_idname
    bl_file_extensions = ";".join(READERS)

    @classmethod
    def poll_drop(cls, context: bpy.types.Context) -> bool:
        """Whether a file may be dropped here."""
        return context.area is not None and context.area.type == "VIEW_3D"


def draw_import_menu(menu: bpy.types.Menu, context: bpy.types.Context) -> None:
    """Show the entry in File > Import."""
    menu.layout.operator(
        LANDSCAPE_OT_import_elevation.bl_idname, text="StoredField Model (GeoTIFF, HGT, ASC, BIL, PNG, EXR, RAW, NPY)"
    )


def _show(context: bpy.types.Context, name: str, stage: bool, started: float, landscape: Landscape) -> str:
    check_place(context)
    return show_new(context, name, stage, started, landscape)


# --- what is known of the chosen file ---------------------------------------------------------------------------------

_Key = tuple[str, int]
"""A path, and when the file was last written, in ns."""

# The file that was looked at last, and its preview or why there is none; and the one that is being looked at.
_last: tuple[_Key | None, ElevationPreview | str] = (None, "")
_current: _Key | None = None


def _known(path: str) -> ElevationPreview | str:
    """What a file holds, or a sentence; a new file is looked at in a thread, and drawn again after that."""
    global _current
    found = Path(bpy.path.abspath(path))
    if found.suffix.lower() not in READERS or not found.is_file():
        return "Choose a file with heights"
    key = (str(found), found.stat().st_mtime_ns)
    if _last[0] == key:
        return _last[1]
    if _current != key:
        _current = key
        threading.Thread(target=_look_at, args=(key,), daemon=True).start()
        bpy.app.timers.register(partial(_redraw_when_known, key))
    return "Looking at the file…"


def _look_at(key: _Key) -> None:
    global _last
    try:
        _last = (key, preview_elevation(key[0]))
    except FAILURES as error:
        _last = (key, str(error))


def _redraw_when_known(key: _Key) -> float | None:
    if _current == key and _last[0] != key:
        return _TICK
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            area.tag_redraw()
    return None


def _facts(preview: ElevationPreview) -> list[tuple[str, str]]:
    """What a file holds, as lines with icons."""
    apart = "" if preview.cell_size is None else f", {_length(preview.cell_size)} apart"
    facts = [(f"{preview.columns:,} × {preview.rows:,} samples{apart}", "MESH_GRID")]
    if preview.width is None or preview.depth is None:
        facts.append(("The file does not say its size", "INFO"))
    else:
        facts.append((f"{_length(preview.width)} wide, {_length(preview.depth)} deep", "ARROW_LEFTRIGHT"))
    if preview.coordinates:
        facts.append((preview.coordinates, "WORLD"))
    about = "" if preview.is_complete else "about "
    if preview.is_picture:
        facts.append((f"Shades of grey, {about}{preview.lowest:.1%} to {preview.highest:.1%}", "IMAGE_DATA"))
    else:
        facts.append((f"{about.capitalize()}{preview.lowest:,.1f} m to {preview.highest:,.1f} m high", "RNDCURVE"))
    if preview.missing > 0.0:
        facts.append((f"{about.capitalize()}{preview.missing:.2%} of the heights are missing", "ERROR"))
    return facts


def _length(metres: float) -> str:
    return f"{metres / 1000.0:,.2f} km" if metres >= 1000.0 else f"{metres:.4g} m"


def _draw_lines(layout: bpy.types.UILayout, lines: list[tuple[str, str]]) -> None:
    column = layout.column(align=True)
    for text, icon in lines:
        column.label(text=text, icon=icon)


CLASSES = (LANDSCAPE_OT_import_elevation, LANDSCAPE_FH_elevation)

"""The sidebar tab *Landscape*, and the entry in the Add menu.

A panel shows properties and buttons and computes nothing.  Which properties there are follows from the parameters of
core.
"""

import math
import textwrap
from typing import Any

import bpy
from bpy.app.translations import pgettext_iface as iface_

from ...core.building.recipe import Recipe
from ...core.ecosystem.ecosystem import Ecosystem
from ...core.foundation.parameters import Parameter, ParameterSet, parameters_of
from ...core.maps.catalogue import MAPS
from ...core.maps.realism import RealismNumber
from ..data import own_presets, pictures
from ..data.properties import series_of
from ..data.recipe_lists import SERIES
from ..land.judging import judgements
from ..land.land_objects import mass_balances_of
from ..land.lookup import active_land, why_not_editable
from ..land.marks import shown_mark
from ..look import map_view
from ..operators.generate import LANDSCAPE_OT_generate
from ..operators.import_elevation import draw_import_menu
from ..session.jobs import Job, describe, running
from ..session.land_states import is_stale, job_of, problems_of, status_of

_PLAIN = ("float", "int", "bool", "text", "path", "choice")
_LONGEST_NAME = 14  # letters for which Blender leaves room in a sidebar of the usual width
_EVEN = 0.001  # share of the ground that books may be wrong by
_LETTER = 7.5  # pixels, on average, at Blender's usual size of text


class _LandPanel(bpy.types.Panel):
    """A part of the tab that is there only with a landscape."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Landscape"
    bl_parent_id = "VIEW3D_PT_landscape"
    bl_options = {"DEFAULT_CLOSED"}

    # What of the land the panel is about: a sign in its header says when that is not, or not yet, up to date.
    part = ""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether there is a landscape to show."""
        return active_land(context) is not None

    def draw_header_preset(self, context: bpy.types.Context) -> None:
        """Mark what is out of date; in the header, so that no slider moves while it is dragged."""
        land = active_land(context)
        if self.part and land is not None and is_stale(land, self.part):
            self.layout.label(text="", icon="TIME")

    def draw(self, context: bpy.types.Context) -> None:
        """Show a part of the active landscape, greyed out if it cannot be changed."""
        land = active_land(context)
        if land is not None:
            layout = self.layout.column()
            layout.use_property_split = True
            layout.use_property_decorate = False
            layout.enabled = why_not_editable(land) == ""
            self.draw_land(context, layout, land)

    def draw_land(self, context: bpy.types.Context, layout: bpy.types.UILayout, land: bpy.types.Object) -> None:
        """Show a part of a landscape."""
        raise NotImplementedError


class VIEW3D_PT_landscape(bpy.types.Panel):
    """Start a landscape, or work on the active one"""

    bl_label = "Landscape"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Landscape"

    def draw(self, context: bpy.types.Context) -> None:
        """Show what to start from, and the main settings of the active landscape."""
        layout = self.layout
        land = active_land(context)
        _draw_start(layout, context.window_manager, large=land is None)
        for job in running:
            if (land is None or job.task.land != land.session_uid) and job.is_long:
                _draw_job(layout, job)
        if land is not None:
            _draw_land(layout, context, land)


class LANDSCAPE_UL_items(bpy.types.UIList):
    """Items of a list in the recipe: a switch where they have one, and a name"""

    def draw_item(
        self,
        context: bpy.types.Context,
        layout: bpy.types.UILayout,
        data: Any,
        item: Any,
        icon: int,
        active_data: Any,
        active_property: str,
    ) -> None:
        """Show one item."""
        inner = getattr(item, item.model) if "model" in item.bl_rna.properties else item
        row = layout.row(align=True)
        row.use_property_split = False
        if "enabled" in inner.bl_rna.properties:
            row.prop(inner, "enabled", text="")
            row.active = inner.enabled
        if "model" in item.bl_rna.properties:
            row.label(text=item.bl_rna.properties["model"].enum_items[item.model].name)
            return
        if "form" in item.bl_rna.properties:
            pictures.fill_plants()
            row.label(text="", icon_value=pictures.plant_icon(item.form))
        row.prop(item, "name", text="", emboss=False)
        if any(f"{item.name!r}" in sentence for sentence in problems_of(item.id_data)):
            row.label(text="", icon="ERROR")


class VIEW3D_PT_landscape_relief(_LandPanel):
    """The shape that the land starts from"""

    bl_label = "Relief"
    bl_options = set()

    def draw_land(self, context: bpy.types.Context, layout: bpy.types.UILayout, land: bpy.types.Object) -> None:
        """Show the layers, the chosen one, and what shapes them all."""
        recipe = land.landscape.recipe
        _draw_list(layout, recipe, "relief.layers")
        layout.operator("landscape.keep_sculpt", icon="SCULPTMODE_HLT")
        _draw_set(layout, recipe.relief, _parameter(Recipe, "relief").members[0], "relief")


class VIEW3D_PT_landscape_erosion(_LandPanel):
    """Processes that work on the land, one after the other"""

    bl_label = "Erosion"
    part = "ground"

    def draw_land(self, context: bpy.types.Context, layout: bpy.types.UILayout, land: bpy.types.Object) -> None:
        """Show the processes, the books of the chosen one, and its settings."""
        recipe = land.landscape.recipe
        _draw_list(layout, recipe, "erosion")
        _draw_books(layout, land, recipe.erosion_index + 1)


class VIEW3D_PT_landscape_water(_LandPanel):
    """Sea, lakes and rivers"""

    bl_label = "Water"
    part = "ground"

    def draw_land(self, context: bpy.types.Context, layout: bpy.types.UILayout, land: bpy.types.Object) -> None:
        """Show where water stands and from where on it is a river."""
        _draw_member(layout, land.landscape.recipe, "water")


class VIEW3D_PT_landscape_maps(_LandPanel):
    """What can be measured of the land; each map is an attribute of its mesh"""

    bl_label = "Maps"
    part = "ground"

    def draw_land(self, context: bpy.types.Context, layout: bpy.types.UILayout, land: bpy.types.Object) -> None:
        """Show a button for each map, a legend of the one that is seen, and what maps depend on."""
        shown = map_view.shown_on(land) if land.type == "MESH" else None
        names = map_view.maps_on(land) if land.type == "MESH" else []
        grid = layout.grid_flow(columns=2, even_columns=True, align=True)
        for name in names:
            seen = shown is not None and shown[0] == name
            grid.operator("landscape.show_map", text=_title(name), depress=seen, translate=False).map = name
        if shown is not None:
            name, low, high = shown
            unit = MAPS[name].unit
            legend = iface_("Dark {low}, bright {high} {unit}").format(low=_amount(low), high=_amount(high), unit=unit)
            layout.label(text=legend, icon="COLOR")
        _draw_member(layout, land.landscape.recipe, "illumination")
        header, body = layout.panel("landscape.extra_maps", default_closed=True)
        header.label(text="More Maps")
        if body is not None:
            extra = land.landscape.recipe.extra_maps
            for parameter in parameters_of(_parameter(Recipe, "extra_maps").members[0]):
                body.prop(extra, parameter.name)


class VIEW3D_PT_landscape_plants(_LandPanel):
    """What grows where"""

    bl_label = "Plants"
    part = "plants"

    def draw_land(self, context: bpy.types.Context, layout: bpy.types.UILayout, land: bpy.types.Object) -> None:
        """Show the buttons, the community and the chosen species."""
        recipe = land.landscape.recipe
        row = layout.row(align=True)
        row.operator("landscape.scatter_plants", text="Plant", icon="OUTLINER_OB_POINTCLOUD")
        row.operator("landscape.clear_plants", text="Clear", icon="TRASH")
        header, body = layout.panel("landscape.plant_editing", default_closed=True)
        header.label(text="Edit by Hand")
        if body is not None:
            column = body.column(align=True)
            for name in ("add_plants", "remove_plants", "clear_road", "make_plants_real", "forget_plant_edits"):
                column.operator(f"landscape.{name}")
            column.operator("landscape.cull_plants")
        plants = land.landscape.plants
        if plants is not None and plants.type == "MESH":
            count = iface_("{count:,} plants").format(count=len(plants.data.vertices))
            layout.label(text=count, icon="CHECKMARK")
        _draw_list(layout, recipe, "ecosystem.species")
        _draw_set(layout, recipe.ecosystem, Ecosystem, "ecosystem")


class VIEW3D_PT_landscape_material(_LandPanel):
    """How the land is coloured"""

    bl_label = "Material"

    def draw_land(self, context: bpy.types.Context, layout: bpy.types.UILayout, land: bpy.types.Object) -> None:
        """Show the colours."""
        _draw_member(layout, land.landscape.recipe, "appearance")


class VIEW3D_PT_landscape_bake(_LandPanel):
    """Textures with exact values"""

    bl_label = "Bake"

    def draw_land(self, context: bpy.types.Context, layout: bpy.types.UILayout, land: bpy.types.Object) -> None:
        """Show the button."""
        layout.operator("landscape.bake_textures", icon="TEXTURE")
        row = layout.row(align=True)
        row.operator("landscape.add_fine_detail", icon="MOD_DISPLACE")
        row.operator("landscape.remove_fine_detail", text="", icon="X")
        layout.operator("landscape.add_reduced_mesh", icon="MOD_DECIM")


class VIEW3D_PT_landscape_export(_LandPanel):
    """Files for other programs and game engines"""

    bl_label = "Export"

    def draw_land(self, context: bpy.types.Context, layout: bpy.types.UILayout, land: bpy.types.Object) -> None:
        """Show the buttons."""
        layout.operator("landscape.export", text="Meshes and Plants", icon="EXPORT")
        layout.operator("landscape.export_package", text="Game Engine", icon="PACKAGE")


class VIEW3D_PT_landscape_realism(_LandPanel):
    """Whether the land could be real"""

    bl_label = "Realism"
    part = "ground"

    def draw_land(self, context: bpy.types.Context, layout: bpy.types.UILayout, land: bpy.types.Object) -> None:
        """Show the button and what it found: each number beside the range of real land."""
        layout.operator_menu_enum("landscape.check_realism", "land_class", text="Check as", icon="VIEWZOOM")
        judgement = judgements.get(land.session_uid)
        if judgement is None:
            return
        realism = judgement.realism
        stale = judgement.mark != shown_mark(land)
        sentence = iface_("{score} of {most}, before the last change") if stale else iface_("{score} of {most}")
        verdict = sentence.format(score=realism.score, most=len(realism.numbers))
        layout.label(text=verdict, icon="TIME" if stale else "CHECKMARK")
        table = layout.column(align=True)
        table.active = not stale
        for number in realism.numbers:
            _draw_number(table, number)
        for sentence in realism.too_perfect:
            _draw_text(layout, context, iface_("Too perfect: {reason}").format(reason=sentence), "INFO")


# --- parts of panels --------------------------------------------------------------------------------------------------


def _draw_start(layout: bpy.types.UILayout, window_manager: bpy.types.WindowManager, *, large: bool) -> None:
    """The picker of presets and the button that makes one: with a picture while there is nothing else to see."""
    preset = window_manager.landscape_preset
    column = layout.column(align=True)
    if large:
        column.template_icon_view(window_manager, "landscape_preset", show_labels=True, scale=7.0, scale_popup=5.0)
    column.prop(window_manager, "landscape_preset", text="")
    row = column.row(align=True)
    row.scale_y = 1.5 if large else 1.0
    own = own_presets.own_name(preset)
    if own:
        row.operator("landscape.generate_own", icon="ADD").name = own
    else:
        row.operator(LANDSCAPE_OT_generate.bl_idname, icon="ADD").preset = preset


def _draw_land(layout: bpy.types.UILayout, context: bpy.types.Context, land: bpy.types.Object) -> None:
    """The active landscape: its name, how it is, and what matters most."""
    title = layout.row(align=True)
    title.prop(land, "name", text="", icon="RNDCURVE")
    title.menu("LANDSCAPE_MT_recipes", text="", icon="PRESET")
    _draw_state(layout, context, land)
    reason = why_not_editable(land)
    if reason:
        _draw_text(layout, context, reason, "LIBRARY_DATA_DIRECT" if land.library else "ERROR")
    settings = layout.column()
    settings.enabled = reason == ""
    settings.use_property_split = True
    settings.use_property_decorate = False
    recipe = land.landscape.recipe
    row = settings.row(align=True)
    row.prop(recipe, "seed")
    row.operator("landscape.randomise_seed", text="", icon="FILE_REFRESH")
    for parameter in parameters_of(Recipe):
        if parameter.kind in _PLAIN and not parameter.advanced and parameter.name != "seed":
            _draw_one(settings, recipe, parameter, "recipe")
    _draw_advanced(settings, recipe, [p for p in parameters_of(Recipe) if p.advanced], "recipe")


def _draw_state(layout: bpy.types.UILayout, context: bpy.types.Context, land: bpy.types.Object) -> None:
    """One row, always of the same height so that no slider jumps: the job at work, or what the land shows."""
    job = job_of(land)
    if job is not None and job.is_long:
        _draw_job(layout, job)
    else:
        row = layout.row(align=True)
        state = status_of(land)
        row.label(text=state or _size(land), icon="TIME" if state else "CHECKMARK")
        buttons = row.row(align=True)
        buttons.alignment = "RIGHT"
        buttons.prop(context.window_manager, "landscape_live", text="Live", toggle=True)
        buttons.operator("landscape.update", text="", icon="FILE_REFRESH")
    for sentence in problems_of(land):
        _draw_text(layout, context, sentence, "ERROR")


def _draw_job(layout: bpy.types.UILayout, job: Job) -> None:
    """A bar, and the buttons to end it."""
    row = layout.row(align=True)
    row.progress(factor=job.progress.fraction, type="BAR", text=describe(job))
    row.operator("landscape.finish_early", text="", icon="CHECKMARK").job = job.number
    row.operator("landscape.cancel", text="", icon="X").job = job.number


def _size(land: bpy.types.Object) -> str:
    return iface_("{count:,} vertices").format(count=len(land.data.vertices)) if land.type == "MESH" else ""


def _draw_books(layout: bpy.types.UILayout, land: bpy.types.Object, number: int) -> None:
    """What a process took away and what rose, as it was counted."""
    books = mass_balances_of(land) if land.type == "MESH" else {}
    if str(number) not in books:
        return
    left, rose, unaccounted = books[str(number)]
    column = layout.column(align=True)
    column.active = not is_stale(land, "ground")
    column.label(text=iface_("{volume} left").format(volume=_volume(left)), icon="EXPORT", translate=False)
    if rose:
        column.label(
            text=iface_("{volume} rose from below").format(volume=_volume(rose)), icon="IMPORT", translate=False
        )
    said = iface_("{share} % unaccounted for").format(share=f"{100.0 * unaccounted:.1f}")
    column.label(text=said, icon="CHECKMARK" if unaccounted < _EVEN else "ERROR", translate=False)


def _volume(cubic_metres: float) -> str:
    """A volume that one can picture: cubic metres of a landscape have too many digits."""
    if abs(cubic_metres) >= 1e9:
        return f"{cubic_metres / 1e9:.3g} km³"
    if abs(cubic_metres) >= 1e6:
        return iface_("{number} million m³").format(number=f"{cubic_metres / 1e6:.3g}")
    return f"{cubic_metres:,.0f} m³"


def _draw_number(layout: bpy.types.UILayout, number: RealismNumber) -> None:
    """A number of the realism check, and what real land has."""
    row = layout.row()
    row.label(
        text=number.name.capitalize(), icon="DOT" if number.exempt else ("CHECKMARK" if number.passed else "ERROR")
    )
    value = row.row()
    value.alignment = "RIGHT"
    measured = "–" if math.isnan(number.value) else f"{number.value:.2f}"
    value.label(text=f"{measured} {number.unit} ({_range(number)})")


def _range(number: RealismNumber) -> str:
    if math.isinf(number.low):
        return f"< {number.high:g}"
    return f"> {number.low:g}" if math.isinf(number.high) else f"{number.low:g} – {number.high:g}"


def _draw_text(layout: bpy.types.UILayout, context: bpy.types.Context, text: str, icon: str) -> None:
    """A sentence, over as many lines as the width of the sidebar asks for."""
    width = context.region.width / (_LETTER * context.preferences.system.ui_scale) - 6.0
    column = layout.column(align=True)
    column.scale_y = 0.8
    for line in textwrap.wrap(text[:1].upper() + text[1:], max(round(width), 12)):
        column.label(text=line, icon=icon)
        icon = "BLANK1"


def _amount(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000.0 else f"{value:.3g}"


def _title(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _parameter(cls: type[ParameterSet], name: str) -> Parameter:
    return next(p for p in parameters_of(cls) if p.name == name)


def _draw_member(layout: bpy.types.UILayout, recipe: Any, name: str) -> None:
    """Show a parameter set of the recipe."""
    _draw_set(layout, getattr(recipe, name), _parameter(Recipe, name).members[0], name)


def _draw_list(layout: bpy.types.UILayout, recipe: Any, path: str) -> None:
    """Show a list of the recipe with its buttons, and the active item below."""
    items, owner, index_name = series_of(recipe, path)
    declared = SERIES[path]
    row = layout.row()
    row.template_list("LANDSCAPE_UL_items", path, owner, declared.name, owner, index_name, rows=5)
    buttons = row.column(align=True)
    if len(declared.members) > 1:
        buttons.menu(_ADD_MENUS[path].bl_idname, text="", icon="ADD")
    else:
        buttons.operator("landscape.list_add", text="", icon="ADD").series = path
    buttons.operator("landscape.list_remove", text="", icon="REMOVE").series = path
    buttons.operator("landscape.list_duplicate", text="", icon="DUPLICATE").series = path
    for step, icon in ((-1, "TRIA_UP"), (1, "TRIA_DOWN")):
        move = buttons.operator("landscape.list_move", text="", icon=icon)
        move.series, move.step = path, step
    index = getattr(owner, index_name)
    if 0 <= index < len(items):
        _draw_holder(layout.column(), items[index], declared, path, menu=False)


def _draw_holder(layout: bpy.types.UILayout, holder: Any, declared: Parameter, fold: str, *, menu: bool = True) -> None:
    """Show a parameter set, and before it the menu of its kinds where there are several."""
    members = {m.model(): m for m in declared.members}
    if len(members) == 1:
        _draw_set(layout, holder, declared.members[0], fold)
        return
    if menu:
        layout.prop(holder, "model", text=declared.label)
    _draw_set(layout, getattr(holder, holder.model), members[holder.model], f"{fold}.{holder.model}")


def _draw_set(layout: bpy.types.UILayout, group: Any, cls: type[ParameterSet], fold: str) -> None:
    """Show the parameters of a set: the main ones, then the others in a fold, then each set within it in its own."""
    declared = [p for p in parameters_of(cls) if p.kind != "series" and p.name not in _SHOWN_IN_LISTS]
    for parameter in declared:
        if not parameter.advanced:
            _draw_one(layout, group, parameter, fold)
    _draw_advanced(layout, group, [p for p in declared if p.advanced], fold)


def _draw_advanced(layout: bpy.types.UILayout, group: Any, declared: list[Parameter], fold: str) -> None:
    if declared:
        header, body = layout.panel(f"landscape.{fold}", default_closed=True)
        header.label(text="Advanced")
        if body is not None:
            for parameter in declared:
                _draw_one(body, group, parameter, fold)


def _draw_one(layout: bpy.types.UILayout, group: Any, parameter: Parameter, fold: str) -> None:
    if parameter.kind in _PLAIN:
        _draw_plain(layout, group, parameter.name)
    elif parameter.kind == "curve":
        _draw_curve(layout, group, parameter)
    elif parameter.kind == "variant":
        _draw_holder(layout, getattr(group, parameter.name), parameter, f"{fold}.{parameter.name}")
    elif parameter.kind == "group":
        header, body = layout.panel(f"landscape.{fold}.{parameter.name}", default_closed=True)
        header.label(text=parameter.label)
        if body is not None:
            _draw_set(body, getattr(group, parameter.name), parameter.members[0], f"{fold}.{parameter.name}")


def _draw_plain(layout: bpy.types.UILayout, group: Any, name: str) -> None:
    """A property; one whose name is long gets more room for it."""
    declared = group.bl_rna.properties[name]
    if declared.type == "BOOLEAN" or len(declared.name) <= _LONGEST_NAME:
        layout.prop(group, name)
        return
    row = layout.split(factor=0.55, align=True)
    row.use_property_split = False
    label = row.row()
    label.alignment = "RIGHT"
    label.label(text=declared.name)
    row.prop(group, name, text="")


def _draw_curve(layout: bpy.types.UILayout, group: Any, parameter: Parameter) -> None:
    """A picture of a curve, and its four points as rows of x and y."""
    unit = f" ({parameter.unit})" if parameter.unit else ""
    layout.label(text=iface_(parameter.label) + unit)
    row = layout.split(factor=0.35, align=True)
    points = getattr(group, parameter.name)
    xs = points[0::2]
    low, high = (min(xs), max(xs)) if max(xs) > min(xs) else (min(xs), min(xs) + 1.0)
    row.template_icon(pictures.curve_icon(points, low, high), scale=4.0)
    numbers = row.column(align=True)
    numbers.use_property_split = False
    for start in range(0, len(points), 2):
        pair = numbers.row(align=True)
        pair.prop(group, parameter.name, index=start, text="")
        pair.prop(group, parameter.name, index=start + 1, text="")


def _add_menu(path: str, declared: Parameter) -> type[bpy.types.Menu]:
    """The menu of kinds that can be added to a list."""

    def draw(menu: bpy.types.Menu, context: bpy.types.Context) -> None:
        for member in declared.members:
            add = menu.layout.operator("landscape.list_add", text=member.model().replace("_", " ").title())
            add.series, add.model = path, member.model()

    name = f"LANDSCAPE_MT_add_to_{path.replace('.', '_')}"
    return type(name, (bpy.types.Menu,), {"bl_label": "Add", "bl_idname": name, "draw": draw})


# Numbers and names that the list above already shows.
_SHOWN_IN_LISTS = ("enabled", "name")
_ADD_MENUS = {path: _add_menu(path, declared) for path, declared in SERIES.items() if len(declared.members) > 1}


def _draw_add_menu(menu: bpy.types.Menu, context: bpy.types.Context) -> None:
    menu.layout.operator_menu_enum(LANDSCAPE_OT_generate.bl_idname, "preset", text="Landscape", icon="RNDCURVE")
    menu.layout.operator("landscape.generate_from_mesh", icon="MESH_GRID")


CLASSES = (
    LANDSCAPE_UL_items,
    *_ADD_MENUS.values(),
    VIEW3D_PT_landscape,
    VIEW3D_PT_landscape_relief,
    VIEW3D_PT_landscape_erosion,
    VIEW3D_PT_landscape_water,
    VIEW3D_PT_landscape_maps,
    VIEW3D_PT_landscape_plants,
    VIEW3D_PT_landscape_material,
    VIEW3D_PT_landscape_bake,
    VIEW3D_PT_landscape_export,
    VIEW3D_PT_landscape_realism,
)


def register() -> None:
    """Register panels, the menu entry, and what the start panel remembers."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    own_presets.register()
    bpy.types.VIEW3D_MT_mesh_add.append(_draw_add_menu)
    bpy.types.TOPBAR_MT_file_import.append(draw_import_menu)


def unregister() -> None:
    """Take them away again."""
    bpy.types.TOPBAR_MT_file_import.remove(draw_import_menu)
    bpy.types.VIEW3D_MT_mesh_add.remove(_draw_add_menu)
    own_presets.unregister()
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
    pictures.forget()

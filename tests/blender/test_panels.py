"""Every panel can be drawn in every state; what it asks for exists in this Blender."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import blf
import bpy
import pytest

from terrain_addon import core
from terrain_addon.blender.data.own_presets import title
from terrain_addon.blender.data.properties import series_of
from terrain_addon.blender.data.recipe_lists import SERIES
from terrain_addon.blender.land.building import build_landscape
from terrain_addon.blender.land.judging import keep_judgement
from terrain_addon.blender.land.marks import set_ground_mark
from terrain_addon.blender.look import map_view
from terrain_addon.blender.look.space import PLANET_VIEWS
from terrain_addon.blender.operators import CLASSES as OPERATORS
from terrain_addon.blender.session.following import notice_change
from terrain_addon.blender.session.jobs import Job, Task
from terrain_addon.blender.session.land_states import ensure_state
from terrain_addon.blender.ui import main_panel, maps_panel, panels, plants_panel, recipe_menu
from terrain_addon.blender.ui.readable_text import draw_sentence
from terrain_addon.core.building.judging import judge
from terrain_addon.core.building.recipe import PRESETS, preset_names
from terrain_addon.core.foundation.progress import Progress
from terrain_addon.core.maps.masks import MASKS
from terrain_addon.core.planet.planet_recipe import PRESETS_OF_PLANETS, planet_preset_names
from tests.blender.recording_layout import Around, Layout, drawn

PANELS = [c for c in (*panels.CLASSES, recipe_menu.LANDSCAPE_MT_recipes) if hasattr(c, "draw")]


def draw_all(**other: Any) -> dict[str, Layout]:
    """What each panel and menu draws."""
    return {cls.__name__: drawn(cls, **other) for cls in PANELS}


def everything(land: bpy.types.Object) -> None:
    """Give the land one item of each model in every list."""
    for path, declared in SERIES.items():
        items, _, _ = series_of(land.landscape.recipe, path)
        for member in declared.members:
            item = items.add()
            if len(declared.members) > 1:
                item.model = member.model()


def test_every_list_shows_every_item(land: bpy.types.Object) -> None:
    everything(land)
    count = 0
    for path in SERIES:
        items, owner, index = series_of(land.landscape.recipe, path)
        for number, item in enumerate(items):
            setattr(owner, index, number)
            draw_all()
            cls = next(c for c in panels.CLASSES if c.__name__ == "LANDSCAPE_UL_items")
            cls.draw_item(cls, bpy.context, Layout(), owner, item, 0, owner, index)
            count += 1
    assert count >= sum(len(declared.members) for declared in SERIES.values())


def test_every_layer_shows_every_source_and_mask(land: bpy.types.Object) -> None:
    layer = land.landscape.recipe.relief.layers[0]
    for model in [item.identifier for item in layer.source.bl_rna.properties["model"].enum_items]:
        layer.source.model = model
        assert draw_all()["VIEW3D_PT_landscape_relief"].calls
    for mask in MASKS:
        layer.mask.model = mask.model()
        assert draw_all()["VIEW3D_PT_landscape_relief"].calls


def problem(land: bpy.types.Object) -> None:
    ensure_state(land).problem = "the file is not there"


def out_of_date(land: bpy.types.Object) -> None:
    ensure_state(land)
    land.landscape.recipe.seed += 1
    notice_change(land)


def without_plants(land: bpy.types.Object) -> None:
    bpy.ops.landscape.clear_plants()


def without_anything(land: bpy.types.Object) -> None:
    for path in SERIES:
        series_of(land.landscape.recipe, path)[0].clear()


def map_in_view(land: bpy.types.Object) -> None:
    map_view.show_map(land, "slope")


def judged(land: bpy.types.Object) -> None:
    landscape = build_landscape(core.Recipe(resolution=65), "terrain")
    keep_judgement(land.session_uid, landscape, judge(landscape, "mountains"), "mountains")


def no_mesh(land: bpy.types.Object) -> None:
    land.landscape.is_landscape = False
    bpy.ops.object.empty_add()
    bpy.context.object.landscape.is_landscape = True


def in_mode(name: str) -> Callable[[bpy.types.Object], None]:
    def enter(land: bpy.types.Object) -> None:
        bpy.ops.object.mode_set(mode=name)

    enter.__name__ = name.lower()
    return enter


MODES = [in_mode(name) for name in ("EDIT", "SCULPT", "WEIGHT_PAINT", "VERTEX_PAINT")]
STATES = [problem, out_of_date, without_plants, without_anything, map_in_view, judged, no_mesh, *MODES]


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__)
def test_every_panel_shows_every_state(land: bpy.types.Object, state: Callable[[bpy.types.Object], None]) -> None:
    state(land)
    seen = draw_all()
    assert seen["VIEW3D_PT_landscape"].calls and seen["VIEW3D_PT_landscape_relief"].calls


def test_panels_show_a_long_job(land: bpy.types.Object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Job, "is_long", True)
    job = Job(Task("Erosion", (Progress("cutting", share) for share in (0.5, 1.0)), lambda _: "", land.session_uid))
    try:
        assert any(name == "progress" for name, _ in draw_all()["VIEW3D_PT_landscape"].calls)
    finally:
        job.discard()


def test_a_bar_of_another_job_moves_nothing_below_it(land: bpy.types.Object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Job, "is_long", True)
    rows = {"row", "column", "label", "operator", "prop", "progress", "menu", "template_icon_view"}
    begin = "LANDSCAPE_MT_recipes"

    def above() -> int:
        """How many rows are above the name of the land; a row holds its own items."""
        calls = [(name, given) for name, given in draw_all()["VIEW3D_PT_landscape"].calls if name in rows]
        end = next(place for place, (_, given) in enumerate(calls) if begin in map(str, given.values()))
        names = [name for name, _ in calls[:end]]
        return len(names) - (3 if "progress" in names else 0)  # a bar and two buttons share one row

    before = above()
    job = Job(Task("Other", (Progress("cutting", share) for share in (0.5, 1.0)), lambda _: "", 0))
    try:
        assert above() == before
    finally:
        job.discard()


def test_panels_without_a_land(blender: None) -> None:
    seen = draw_all()
    assert seen["VIEW3D_PT_landscape"].calls
    assert not seen["VIEW3D_PT_landscape_relief"].calls


def test_the_panel_keeps_the_land_while_a_camera_is_active(land: bpy.types.Object) -> None:
    assert any(given.get("data") == land for _, given in drawn(main_panel.VIEW3D_PT_landscape).calls)
    bpy.ops.object.camera_add()
    seen = drawn(main_panel.VIEW3D_PT_landscape)
    assert any(given.get("data") == land for _, given in seen.calls)
    land.hide_set(True)
    assert any(given.get("data") == land for _, given in drawn(main_panel.VIEW3D_PT_landscape).calls)
    bpy.data.objects.remove(land)
    assert not any(given.get("operator") == "landscape.update" for _, given in draw_all()["VIEW3D_PT_landscape"].calls)


def test_realism_is_a_sentence_with_its_mark(land: bpy.types.Object) -> None:
    assert bpy.ops.landscape.check_realism(land_class="mountains") == {"FINISHED"}
    texts = drawn(maps_panel.VIEW3D_PT_landscape_maps).texts
    said = " ".join(texts)
    assert " of 8 tests for real mountains." in said
    assert "depression volume" not in said and "Depression volume" in texts


def test_another_colour_does_not_make_the_realism_check_old(land: bpy.types.Object) -> None:
    def is_old() -> bool:
        texts = drawn(maps_panel.VIEW3D_PT_landscape_maps).texts
        return any("before your last change" in text for text in texts)

    assert bpy.ops.landscape.check_realism(land_class="mountains") == {"FINISHED"}
    assert not is_old()
    land.landscape.recipe.appearance.snow_line = 1234.0
    notice_change(land)
    assert not is_old()
    bpy.ops.landscape.update()
    assert not is_old()
    set_ground_mark(land, "another terrain")
    assert is_old()


def test_sub_panels_are_closed_at_first(blender: None) -> None:
    rooms = [cls for cls in panels.CLASSES if getattr(cls, "bl_parent_id", "") == "VIEW3D_PT_landscape"]
    assert len(rooms) >= 9 and all("DEFAULT_CLOSED" in cls.bl_options for cls in rooms)


def test_each_panel_has_at_most_one_part_called_advanced(land: bpy.types.Object) -> None:
    everything(land)
    for name, seen in draw_all().items():
        assert seen.texts.count("Advanced") <= 1, name


def test_the_panel_of_plants_begins_with_the_cover_and_shows_few_numbers(
    land: bpy.types.Object, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = Layout._result

    def closed(self: Layout, name: str, given: dict[str, Any]) -> Any:
        """What a layout returns while users have opened nothing."""
        return (Layout(self.calls), None) if name == "panel" else inner(self, name, given)

    monkeypatch.setattr(Layout, "_result", closed)
    shown = [given for name, given in drawn(plants_panel.VIEW3D_PT_landscape_plants).calls if name == "prop"]
    assert shown[0]["property"] == "cover"
    assert len(shown) < 20  # numbers, names and menus; it was more than 50
    main = [given["property"] for name, given in drawn(main_panel.VIEW3D_PT_landscape).calls if name == "prop"]
    assert {"height", "river_source", "cover", "snow_line", "seed"} <= set(main)


def test_the_main_slider_of_erosion_names_its_process(land: bpy.types.Object) -> None:
    items, owner, index = series_of(land.landscape.recipe, "erosion")
    for kind, name in (("stream_power", "Stream Power: Strength"), ("sand", "Sand: Supply")):
        items[0].model = kind
        setattr(owner, index, 0)
        texts = drawn(main_panel.VIEW3D_PT_landscape).texts
        assert name in texts
    assert {"River Source (km²)", "Plant Cover"} <= set(texts)
    assert "Plant Cover" in drawn(plants_panel.VIEW3D_PT_landscape_plants).texts


def test_a_narrow_sidebar_cuts_off_no_main_text(land: bpy.types.Object) -> None:
    narrow = 190
    items, owner, index = series_of(land.landscape.recipe, "erosion")
    items[0].model = "stream_power"
    setattr(owner, index, 0)
    region = SimpleNamespace(width=narrow, type="UI")
    blf.size(0, 11)  # of the theme
    calls = drawn(main_panel.VIEW3D_PT_landscape, region=region).calls
    room = narrow - 45  # pixels without the borders of the sidebar and its tabs
    columns = [given["factor"] for name, given in calls if name == "split"]
    assert columns and len(set(columns)) == 1
    texts = [given["text"] for name, given in calls if name == "label"]
    assert "Stream Power: Strength" in texts and "Size North" in texts
    assert not [text for text in texts if blf.dimensions(0, text)[0] > room]
    # Names beside their value have less room.
    values = [given for name, given in calls if name == "prop" and given.get("text")]
    beside = [one["text"] for one in values if one["data"].bl_rna.properties[one["property"]].type != "BOOLEAN"]
    assert not [(text, blf.dimensions(0, text)[0]) for text in beside if blf.dimensions(0, text)[0] > 0.45 * room]
    assert f"{len(land.data.vertices):,}" in texts
    assert f"{len(land.data.vertices):,} vertices" in drawn(main_panel.VIEW3D_PT_landscape).texts


def test_a_sentence_has_no_line_that_a_narrow_sidebar_cuts_off(land: bpy.types.Object) -> None:
    layout, region = Layout(), SimpleNamespace(width=190, type="UI")
    sentence = "The heights are as they were given. Next: switch on a process under Erosion, or open the panel Plants"
    draw_sentence(layout, Around(region=region), sentence, "INFO")
    blf.size(0, 11)  # of the theme
    assert " ".join(layout.texts) == sentence
    assert all(blf.dimensions(0, text)[0] <= 190 - 65 for text in layout.texts)


def test_names_of_choices_are_no_code(land: bpy.types.Object) -> None:
    layer = land.landscape.recipe.relief.layers[0]
    found = {
        item.identifier: item.name
        for group, name in (
            (layer, "blend"),
            (layer.source.cellular_noise, "feature"),
            (layer.source.fractal_noise, "gradients"),
            (layer.source.midpoint_displacement, "algorithm"),
            (land.landscape.recipe.ecosystem, "combination"),
            (land.landscape.recipe.appearance, "colouring"),
        )
        for item in group.bl_rna.properties[name].enum_items
    }
    assert found["f2"] == "Second Nearest Point" and found["f2_minus_f1"] == "Difference"
    assert found["unit_256"] == "All Directions" and found["knight_moves_8"] == "Knight's Moves"
    assert found["smooth_min"] == "Smooth Lower" and found["diamond_square"] == "Diamond Square"
    assert found["product_sum"] == "Soil × (Light + Water)"
    assert found["published_ramp_in_25_steps"] == "Altitude Colours, 25 Steps"
    # Words begin with capitals, as in Blender's own menus.
    assert not [name for name in found.values() for word in name.split() if word[:1].islower() and word != "and"]


def test_presets_say_what_they_show(land: bpy.types.Object) -> None:
    for owner, name, texts in (
        (bpy.types.WindowManager, "landscape_preset", PRESETS),
        (bpy.types.WindowManager, "landscape_planet_preset", PRESETS_OF_PLANETS),
    ):
        shown = {item.identifier: item.description for item in owner.bl_rna.properties[name].enum_items}
        assert {name: shown[name] for name in texts} == texts
    assert set(PRESETS) == set(preset_names()) and set(PRESETS_OF_PLANETS) == set(planet_preset_names())
    assert title("mesa_and_canyon") == "Mesa and Canyon"


def test_buttons_with_a_choice_say_what_it_means(land: bpy.types.Object) -> None:
    operators = {cls.bl_idname: cls for cls in OPERATORS if hasattr(cls, "bl_idname")}
    for view, text in PLANET_VIEWS.items():
        properties = SimpleNamespace(view=view)
        assert operators["landscape.view_planet"].description(bpy.context, properties) == text
    describe = operators["landscape.apply_preset"].description
    assert PRESETS["dunes"] in describe(bpy.context, SimpleNamespace(name="dunes"))
    assert "recipe of a preset" in describe(bpy.context, SimpleNamespace(name="one of my own"))
    squares = bpy.ops.landscape.landscape_here.get_rna_type().properties
    assert (squares["east"].name, squares["north"].name) == ("Neighbour East", "Neighbour North")


def test_a_unit_is_named_once(land: bpy.types.Object) -> None:
    recipe = land.landscape.recipe
    assert recipe.illumination.bl_rna.properties["day_of_year"].name == "Day of Year"
    assert recipe.erosion[0].sand.bl_rna.properties["years"].name == "Years"
    assert recipe.ecosystem.species[0].bl_rna.properties["lifetime"].name == "Lifetime (yr)"


def test_different_buttons_have_different_icons(land: bpy.types.Object) -> None:
    land.landscape.recipe.climate.enabled = True
    icons = {
        given["operator"]: given["icon"]
        for cls in (main_panel.VIEW3D_PT_landscape, plants_panel.VIEW3D_PT_landscape_plants)
        for name, given in drawn(cls).calls
        if name == "operator" and "icon" in given
    }
    names = ("open_world", "apply_biome_of_climate", "randomise_seed", "update")
    assert len({icons[f"landscape.{name}"] for name in names}) == len(names)


def test_long_warnings_are_folded(land: bpy.types.Object) -> None:
    state = ensure_state(land)
    state.warnings = tuple(f"the road 'Road {number}' " + "needs a longer bridge than that " * 6 for number in range(8))
    texts = drawn(main_panel.VIEW3D_PT_landscape).texts
    above = texts[: texts.index("All 8 Warnings")]
    assert sum("bridge" in text for text in above) <= 2 and any(text.endswith("…") for text in above)
    state.warnings = ("the layer is left out",)
    assert "The layer is left out" in drawn(main_panel.VIEW3D_PT_landscape).texts


def test_there_are_nine_sub_panels() -> None:
    assert len([cls for cls in panels.CLASSES if getattr(cls, "bl_parent_id", "") == "VIEW3D_PT_landscape"]) == 9


def stream_power_off(land: bpy.types.Object) -> None:
    erosion = land.landscape.recipe.erosion
    erosion.clear()
    erosion.add().model = "stream_power"
    erosion[0].stream_power.enabled = False


def nothing_planted(land: bpy.types.Object) -> None:
    bpy.ops.landscape.clear_plants()


def no_species(land: bpy.types.Object) -> None:
    land.landscape.recipe.ecosystem.species.clear()


def layer_off(land: bpy.types.Object) -> None:
    land.landscape.recipe.relief.layers[0].enabled = False


def layer_covered(land: bpy.types.Object) -> None:
    above = land.landscape.recipe.relief.layers.add()
    above.name, above.blend = "Sculpted 1", "replace"


def winter_on(land: bpy.types.Object) -> None:
    land.landscape.recipe.winter.enabled = True


IDLE = {
    stream_power_off: ("strength", "Stream Power is off"),
    nothing_planted: ("cover", "Nothing is planted"),
    no_species: ("cover", "There are no species"),
    layer_off: ("height", "Fractal Noise is off"),
    layer_covered: ("height", "Sculpted 1 covers Fractal Noise"),
    winter_on: ("snow_line", "Winter lays the snow"),
}


@pytest.mark.parametrize("state", IDLE, ids=lambda state: state.__name__)
def test_a_main_slider_that_changes_nothing_is_grey_and_says_why(
    land: bpy.types.Object, state: Callable[[bpy.types.Object], None]
) -> None:
    name, reason = IDLE[state]

    def is_grey() -> bool:
        calls = drawn(main_panel.VIEW3D_PT_landscape).calls
        number = next(n for n, (call, given) in enumerate(calls) if call == "prop" and given["property"] == name)
        enabled = next(given["value"] for call, given in calls[number::-1] if call == "set enabled")
        # A long name stands above its value or has room of its own.
        after = next((given for call, given in calls[number + 1 :] if call in ("label", "prop")), {})
        assert (after == {"text": reason, "icon": "INFO"}) == (enabled is False)
        return enabled is False

    if name in ("cover", "height", "snow_line"):
        assert not is_grey()
    state(land)
    assert is_grey()


def test_a_land_that_waits_for_the_end_of_edit_mode_says_so(
    land: bpy.types.Object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Job, "is_long", True)

    def steps() -> Any:
        yield Progress("erosion 4: river beds", 0.5)

    bpy.ops.object.mode_set(mode="EDIT")
    job = Job(Task("Alpine", steps(), str, land.session_uid))
    job.wait(10.0)
    seen = drawn(main_panel.VIEW3D_PT_landscape)
    assert "Ready. Leave Edit Mode to see the new land" in seen.texts
    assert [given["factor"] for name, given in seen.calls if name == "progress"] == [1.0]
    bpy.ops.object.mode_set(mode="OBJECT")
    assert "Ready. Leave Edit Mode to see the new land" not in drawn(main_panel.VIEW3D_PT_landscape).texts
    job.discard()

"""Presets of the user, recipe files, and the lists of a recipe."""

from collections.abc import Iterator
from pathlib import Path

import bpy
import pytest

from terrain_addon import core
from terrain_addon.blender.data import own_presets as presets
from terrain_addon.blender.data.own_presets import own_presets
from terrain_addon.blender.data.properties import read_recipe
from terrain_addon.blender.land.recipe_scripts import python_script
from terrain_addon.blender.land.recipes import recipe_of_preset
from tests.png_reader import read_png

# The same on every Blender: `build.py test --blender 4.2` runs it there.
pytestmark = pytest.mark.once


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Presets of the user go into a folder that is gone afterwards."""
    monkeypatch.setenv("BLENDER_USER_SCRIPTS", str(tmp_path / "scripts"))
    (tmp_path / "scripts").mkdir()
    yield


def layer_names(land: bpy.types.Object) -> list[str]:
    return [layer.name for layer in land.landscape.recipe.relief.layers]


def refuses(call: object, sentence: str) -> None:
    with pytest.raises(RuntimeError) as caught:
        call()  # type: ignore[operator]
    assert sentence in str(caught.value) and "Traceback" not in str(caught.value)


def test_a_saved_preset_brings_the_recipe_to_another_land(land: bpy.types.Object) -> None:
    land.landscape.recipe.relief.layers[0].name = "Überberg"
    mine = read_recipe(land)
    assert bpy.ops.landscape.save_preset(name="Mein Land") == {"FINISHED"}
    (name,) = own_presets()
    bpy.ops.landscape.reset_recipe()
    land.landscape.recipe.seed = 77
    assert bpy.ops.landscape.apply_preset(name=name) == {"FINISHED"}
    assert read_recipe(land) == mine.replace(seed=77)
    assert bpy.ops.landscape.remove_preset(name=name) == {"FINISHED"}
    assert own_presets() == {}
    refuses(lambda: bpy.ops.landscape.remove_preset(name=name), "no preset of your own")


def test_names_keep_the_letters_of_all_languages(land: bpy.types.Object) -> None:
    for seed, name in enumerate(("Täler", "Töler", "高山", "a/b: c?")):
        land.landscape.recipe.seed = seed
        bpy.ops.landscape.save_preset(name=name)
    assert sorted(own_presets()) == ["Täler", "Töler", "a_b__c_", "高山"]
    for seed, name in enumerate(("Täler", "Töler", "高山", "a/b: c?")):
        assert recipe_of_preset(name).seed == seed
        assert bpy.ops.landscape.apply_preset(name=name) == {"FINISHED"}
        assert bpy.ops.landscape.remove_preset(name=name) == {"FINISHED"}
    assert own_presets() == {}


def test_no_preset_is_replaced_unless_asked_for(land: bpy.types.Object) -> None:
    bpy.ops.landscape.save_preset(name="Höhe")
    land.landscape.recipe.seed = 88
    refuses(lambda: bpy.ops.landscape.save_preset(name="Höhe"), "'Höhe'; choose another name, or turn on Overwrite")
    assert recipe_of_preset("Höhe").seed != 88
    bpy.ops.landscape.save_preset(name="Höhe", overwrite=True)
    assert recipe_of_preset("Höhe").seed == 88
    for name in ("islands", "Rolling Hills"):
        refuses(lambda name=name: bpy.ops.landscape.save_preset(name=name, overwrite=True), "a preset of the extension")


def choices() -> dict[str, bpy.types.EnumPropertyItem]:
    return {item.identifier: item for item in bpy.types.WindowManager.bl_rna.properties["landscape_preset"].enum_items}


def test_the_picker_shows_own_presets_with_a_picture(land: bpy.types.Object, tmp_path: Path) -> None:
    manager = bpy.context.window_manager
    assert [presets.own_name(choice) for choice in choices()] == [""] * len(core.preset_names())
    manager.landscape_preset = "islands"
    mine = read_recipe(land)
    bpy.ops.landscape.save_preset(name="mine")
    for path in (tmp_path / "scripts").rglob("mine.*"):
        path.rename(path.with_stem("islands"))  # As earlier versions allowed.
    presets.refresh_presets()
    assert manager.landscape_preset == "islands"
    (choice,) = [choice for choice in choices() if presets.own_name(choice)]
    picture = next((tmp_path / "scripts").rglob("*.png"))
    seen = read_png(picture)
    assert seen.shape == (112, 112, 3) and seen.std() > 5.0 and choices()[choice].icon != "NONE"
    manager.landscape_preset = choice
    assert bpy.ops.landscape.generate_own(name=presets.own_name(manager.landscape_preset)) == {"FINISHED"}
    assert bpy.context.active_object != land and read_recipe(bpy.context.active_object) == mine
    bpy.ops.landscape.remove_preset(name="islands")
    assert list(choices()) == list(core.preset_names()) and manager.landscape_preset == core.preset_names()[0]
    assert not picture.exists()
    refuses(lambda: bpy.ops.landscape.generate_own(name="islands"), "no preset of your own")


def test_a_mesh_that_is_no_grid_has_no_picture(land: bpy.types.Object, tmp_path: Path) -> None:
    land.data.clear_geometry()
    bpy.ops.landscape.save_preset(name="Bare")
    assert not list(tmp_path.rglob("*.png"))
    assert [choices()[choice].icon for choice in choices() if presets.own_name(choice)] == ["USER"]


def test_presets_of_the_extension_can_be_applied(land: bpy.types.Object) -> None:
    bpy.ops.landscape.apply_preset(name="rolling_hills")
    assert read_recipe(land) == core.Recipe.preset("rolling_hills", seed=3)
    refuses(lambda: bpy.ops.landscape.apply_preset(name="nowhere"), "There is no preset 'nowhere'")


def test_an_empty_name_is_refused(land: bpy.types.Object) -> None:
    refuses(lambda: bpy.ops.landscape.save_preset(name="  "), "needs a letter or a digit")


def test_recipe_files(land: bpy.types.Object, tmp_path: Path) -> None:
    mine = read_recipe(land)
    path = tmp_path / "ä" / "recipe"
    path.parent.mkdir()
    bpy.ops.landscape.save_recipe(filepath=str(path))
    assert core.Recipe.loads(path.with_suffix(".json").read_text(encoding="utf-8")) == mine
    bpy.ops.landscape.reset_recipe()
    bpy.ops.landscape.load_recipe(filepath=str(path.with_suffix(".json")))
    assert read_recipe(land) == mine


def test_a_folder_is_no_recipe_file(land: bpy.types.Object, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    for name in ("mine", "mine/", "new/"):
        refuses(lambda name=name: bpy.ops.landscape.save_recipe(filepath=f"{tmp_path}/{name}"), "it is a folder; add")
    assert not list(tmp_path.rglob("*.json"))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"{", "is not a recipe"),
        (b"\xff\xfe", "cannot read"),
        (b"[]", "must be an object"),
        (b'{"schema": 99}', "99"),
        (b'{"schema": 2, "seed": -5}', "seed"),
    ],
)
def test_files_that_are_no_recipes_change_nothing(
    land: bpy.types.Object, tmp_path: Path, content: bytes, sentence: str
) -> None:
    before = read_recipe(land)
    path = tmp_path / "broken.json"
    path.write_bytes(content)
    with pytest.raises(RuntimeError) as caught:
        bpy.ops.landscape.load_recipe(filepath=str(path))
    assert "broken.json" in str(caught.value) and sentence.lower() in str(caught.value).lower()
    assert read_recipe(land) == before


def test_reset_keeps_size_and_seed(land: bpy.types.Object, recipe: core.Recipe) -> None:
    bpy.ops.landscape.reset_recipe()
    assert read_recipe(land) == core.Recipe(seed=recipe.seed, resolution=65, width=640.0, depth=640.0)


def test_the_python_script_of_a_recipe_makes_it_again(recipe: core.Recipe) -> None:
    changed = recipe.replace(erosion=())
    for one in (changed, recipe, core.Recipe()):
        names: dict[str, object] = {}
        script = python_script(one).rpartition("landscape = ")[0]
        exec(script, names)
        assert names["recipe"] == one


def test_list_operators(land: bpy.types.Object) -> None:
    series = "relief.layers"
    relief = land.landscape.recipe.relief
    count, first = len(relief.layers), relief.layers[0].name
    bpy.ops.landscape.list_duplicate(series=series)
    assert layer_names(land)[:2] == [first, f"{first} 2"] and relief.layers_index == 1
    assert relief.layers[0].variation != relief.layers[1].variation
    bpy.ops.landscape.list_move(series=series, step=-1)
    assert layer_names(land)[:2] == [f"{first} 2", first] and relief.layers_index == 0
    bpy.ops.landscape.list_move(series=series, step=-1)
    assert relief.layers_index == 0
    bpy.ops.landscape.list_add(series=series)
    assert len(relief.layers) == count + 2 and relief.layers_index == count + 1
    for _ in range(count + 3):
        bpy.ops.landscape.list_remove(series=series)
    assert len(relief.layers) == 0 and relief.layers_index == 0
    bpy.ops.landscape.list_duplicate(series=series)
    bpy.ops.landscape.list_move(series=series)
    assert len(relief.layers) == 0
    refuses(lambda: bpy.ops.landscape.list_add(series="nothing"), "There is no list 'nothing'")


def test_a_process_of_the_chosen_kind_is_added(land: bpy.types.Object) -> None:
    bpy.ops.landscape.list_add(series="erosion", model="weathering")
    assert land.landscape.recipe.erosion[-1].model == "weathering"
    refuses(lambda: bpy.ops.landscape.list_add(series="erosion", model="magic"), "magic")


def test_duplicated_item_is_a_deep_copy(land: bpy.types.Object) -> None:
    species = land.landscape.recipe.ecosystem.species
    species[0].slope_response[2] = 12.5
    bpy.ops.landscape.list_duplicate(series="ecosystem.species")
    assert list(species[1].slope_response) == list(species[0].slope_response)
    species[1].slope_response[2] = 20.0
    assert species[0].slope_response[2] == 12.5


def test_the_picker_shows_the_own_preset_of_an_opened_land(land: bpy.types.Object, tmp_path: Path) -> None:
    bpy.ops.landscape.save_preset(name="Mein_Land")
    bpy.ops.landscape.apply_preset(name="Mein_Land")
    bpy.context.window_manager.landscape_preset = "islands"
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "land.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "land.blend"))
    assert presets.own_name(bpy.context.window_manager.landscape_preset) == "Mein_Land"
    # A preset that is gone is not shown.
    bpy.ops.landscape.remove_preset(name="Mein_Land")
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "land.blend"))
    assert bpy.context.window_manager.landscape_preset == core.preset_names()[0]

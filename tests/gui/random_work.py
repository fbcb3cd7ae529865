"""Somebody works on lands at random, with undo and redo at any moment; put behind hands.py."""

import os
import random

# Seed of what happens, and how many steps of it.
SEED, COUNT = map(int, os.environ.get("TERRAIN_RANDOM_WORK", "1 40").split())
SMALL = 65  # vertices from west to east
PRESETS = ("alpine", "rolling_hills", "islands")


def steps() -> Iterator[float]:
    area().spaces.active.show_region_ui = True
    yield 1.0
    region("UI").active_panel_category = "Landscape"
    yield from work(random.Random(SEED))
    shot("random_work")
    keep_result()


def work(chance: random.Random) -> Iterator[float]:
    """Take some steps, with pauses in which the timers may or may not finish; then wait, and look at what is there."""
    yield from new_land(chance)
    for number in range(COUNT):
        step = chance.choice(STEPS) if lands() else new_land
        log(f"step {number}: {step.__name__}")
        yield from step(chance)
        yield chance.choice((0.0, 0.05, 0.3, 1.0))
    bpy.context.window_manager.landscape_live = True
    for one in lands():
        notice(one)
    yield 0.5
    yield from until(lambda: not jobs() and not any(status(one) for one in lands()))
    result.update(lands=len(lands()), strangers=strangers(), untrue=untrue())


def lands() -> list[bpy.types.Object]:
    return [o for o in bpy.data.objects if o.landscape.is_landscape and o.users_collection]


def strangers() -> list[str]:
    """Names of visible meshes that belong to no land."""
    names = module("land.attachments").ATTACHMENTS
    ours = [part for one in lands() for part in (one, *(getattr(one.landscape, name) for name in names))]
    there = [o for o in bpy.context.scene.objects if o.type == "MESH" and not o.name.startswith("Cube")]
    return [o.name for o in there if o not in ours]


def untrue() -> list[str]:
    """Names of lands that have other plants than their recipes say."""
    return [one.name for one in lands() if plants_on(one) != plants_of(one)]


def plants_on(one: bpy.types.Object) -> int:
    plants = one.landscape.plants
    return len(plants.data.vertices) if plants is not None else 0


def plants_of(one: bpy.types.Object) -> int:
    recipe = module("data.properties").read_recipe(one)
    extent = module("land.land_objects").extent_of(one)
    plants = module("land.building").build_landscape(recipe, extent, one).plants
    return len(plants) if plants is not None else 0


def chosen(chance: random.Random) -> bpy.types.Object:
    """The active land, or another one, which is active from then on."""
    one = bpy.context.view_layer.objects.active
    if one is None or one not in lands():
        one = choose(chance.choice(lands()))
    return one


def choose(one: bpy.types.Object) -> bpy.types.Object:
    call("object.select_all", action="DESELECT")
    one.select_set(True)
    bpy.context.view_layer.objects.active = one
    return one


def change(chance: random.Random, name: str, alter: Callable[[Any], None]) -> Iterator[float]:
    """Change the settings of a land as a slider does: some values while the mouse is down, then a step of undo."""
    one = chosen(chance)
    for _ in range(chance.randint(1, 4)):
        alter(one.landscape.recipe)
        one.update_tag()
        yield 0.05
    call("ed.undo_push", message=name)


def operate(chance: random.Random, name: str, **settings: Any) -> Iterator[float]:
    """Call an operator as a button does; some refuse."""
    chosen(chance)
    try:
        call(name, "EXEC_DEFAULT", True, **settings)
    except RuntimeError as refused:
        log(f"refused: {refused}")
    yield 0.0


# --- steps ------------------------------------------------------------------------------------------------------------


def new_land(chance: random.Random) -> Iterator[float]:
    if len(lands()) > 2:
        return
    making = module("session.making")
    recipe = making.Recipe.preset(chance.choice(PRESETS), seed=chance.randint(1, 2), resolution=SMALL)
    few = recipe.replace(ecosystem=recipe.ecosystem.replace(cover=FEW))
    with bpy.context.temp_override(window=window(), area=area(), region=region("WINDOW")):
        making.new_land_task(bpy.context, making.NewLand("Land", few)).run()
    call("ed.undo_push", message="New Landscape")
    yield 0.0


def move_a_slider(chance: random.Random) -> Iterator[float]:
    def alter(recipe: Any) -> None:
        source = recipe.relief.layers[0].source
        getattr(source, source.model).height *= chance.uniform(0.8, 1.25)

    yield from change(chance, "Height", alter)


def change_the_year(chance: random.Random) -> Iterator[float]:
    yield from change(
        chance, "Years", lambda recipe: setattr(recipe.ecosystem.evolution, "years", chance.choice((0.0, 20.0, 60.0)))
    )


def change_the_season(chance: random.Random) -> Iterator[float]:
    yield from change(chance, "Season", lambda recipe: setattr(recipe.appearance, "season", chance.uniform(0.0, 12.0)))


def change_colours(chance: random.Random) -> Iterator[float]:
    yield from change(
        chance, "Snow Line", lambda recipe: setattr(recipe.appearance, "snow_line", chance.uniform(500.0, 3000.0))
    )


def change_the_sea(chance: random.Random) -> Iterator[float]:
    yield from change(chance, "Sea", lambda recipe: setattr(recipe.water, "sea_level", chance.choice((0.0, 300.0))))


def change_the_resolution(chance: random.Random) -> Iterator[float]:
    yield from change(chance, "Resolution", lambda recipe: setattr(recipe, "resolution", chance.choice((SMALL, 49))))


def switch_a_map(chance: random.Random) -> Iterator[float]:
    def alter(recipe: Any) -> None:
        names = [p.identifier for p in recipe.extra_maps.bl_rna.properties if p.type == "BOOLEAN"]
        name = chance.choice(names)
        setattr(recipe.extra_maps, name, not getattr(recipe.extra_maps, name))

    yield from change(chance, "Map", alter)


def show_a_map(chance: random.Random) -> Iterator[float]:
    yield from operate(chance, "landscape.show_map", map=chance.choice(("slope", "humidity")))


def clear_plants(chance: random.Random) -> Iterator[float]:
    yield from operate(chance, "landscape.clear_plants")


def scatter_plants(chance: random.Random) -> Iterator[float]:
    yield from operate(chance, "landscape.scatter_plants")


def add_a_species(chance: random.Random) -> Iterator[float]:
    yield from operate(chance, "landscape.list_duplicate", series="ecosystem.species")


def duplicate(chance: random.Random) -> Iterator[float]:
    if len(lands()) < 3:
        choose(chosen(chance))
        yield from operate(chance, "object.duplicate", linked=chance.random() < 0.5)


def delete(chance: random.Random) -> Iterator[float]:
    if len(lands()) > 1 or chance.random() < 0.3:
        choose(chosen(chance))
        yield from operate(chance, "object.delete")


def select_another(chance: random.Random) -> Iterator[float]:
    choose(chance.choice(lands()))
    yield 0.0


def undo(chance: random.Random) -> Iterator[float]:
    if bpy.ops.ed.undo.poll():
        call("ed.undo")
    yield 0.0


def redo(chance: random.Random) -> Iterator[float]:
    if bpy.ops.ed.redo.poll():
        call("ed.redo")
    yield 0.0


STEPS = (
    *(move_a_slider, move_a_slider, change_the_year, change_the_year, undo, undo, undo, redo, redo),
    *(change_the_season, change_colours, change_the_sea, change_the_resolution, switch_a_map, show_a_map),
    *(clear_plants, scatter_plants, add_a_species, duplicate, delete, select_another, new_land),
)

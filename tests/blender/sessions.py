"""Runs in a Blender of its own: somebody works on lands at random, with undo and redo, while timers work too.

Usage: ``python sessions.py SEED STEPS``; 0 steps undo what has crashed Blender before.  Prints each step before it is
taken, so that a crash shows where it was.
Blender as a module has no timers and no handlers of a window, so this script calls what they call.
"""

import faulthandler
import os
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path

import bpy

import terrain_addon
from terrain_addon.blender.land.features import drawn_features
from terrain_addon.blender.land.lookup import lands
from terrain_addon.blender.session.following import follow_all, notice_all
from terrain_addon.blender.session.making import NewLand, new_land_task
from terrain_addon.core.building.recipe import Recipe
from tests.blender.session_checks import check_all, watch_steps, watched, what_is_up
from tests.blender.session_sliders import RESOLUTIONS, Sliders, choose, seen_lands

PATIENCE = 120.0  # seconds
COVER = 0.02
TIMERS = ("rest", "rest", "some ticks", "no tick")
PRESETS = ("alpine", "rolling_hills", "islands", "fjords")  # with rivers, lakes, a sea and a risen sea
RECIPES: tuple[tuple[str, dict[str, str]], ...] = (
    ("apply_preset", {"name": "volcano"}),
    ("apply_preset", {"name": "dunes"}),
    ("apply_preset", {"name": "fjords"}),
    ("apply_biome", {"biome": "savanna"}),
    ("apply_biome_of_climate", {}),
    ("randomise_seed", {}),
    ("reset_recipe", {}),
)


class Session(Sliders):
    """One person at work.

    Parameters
    ----------
    seed : int
        Of everything that is chosen at random.
    """

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.folder = Path(tempfile.mkdtemp())
        self.steps: list[Callable[[], str | None]] = [
            *self.switches,
            *(self.undo, self.undo, self.undo, self.redo, self.redo),
            *(self.clear_plants, self.scatter_plants, self.show_a_map, self.update, self.add_a_cube),
            *(self.duplicate, self.duplicate_linked, self.delete, self.new_land, self.select_another),
            *(self.add_a_species, self.remove_a_species, self.remove_some_plants, self.change_a_preset),
            *(self.draw_a_feature, self.draw_a_feature, self.draw_a_road, self.remove_a_feature),
            *(self.move_a_feature, self.move_a_feature, self.edit_plants, self.clear_along_a_road),
            *(self.show_far_land, self.show_far_land, self.remove_far_land, self.change_the_scenery),
            *(self.switch_live, self.reopen, self.change_elsewhere, self.change_elsewhere),
            *(self.rename, self.add_a_process, self.remove_a_process, self.bake, self.cancel, self.edit_the_mesh),
            *(self.append_a_land, self.link_a_land, self.change_scene),
        ]

    def run(self, count: int) -> None:
        self.add_land()
        for number in range(count):
            step = self.random.choice(self.steps) if lands() else self.random.choice((self.undo, self.add_land))
            timer = self.random.choice(TIMERS)
            print(f"{number} {step.__name__}, {timer}", flush=True)
            if self.take(step):
                bpy.ops.ed.undo_push(message=step.__name__)
            bpy.context.view_layer.update()
            self.let_timers_work(timer)
        bpy.context.window_manager.landscape_live = True
        self.let_timers_work("rest")
        check_all()

    def undo_live_updates(self) -> None:
        """Clear the plants, move a slider twice, and undo both."""
        self.add_land()
        self.let_timers_work("rest")
        self.operate("clear_plants")
        bpy.ops.ed.undo_push(message="Clear Plants")
        self.let_timers_work("rest")
        for _ in range(2):
            bpy.ops.ed.undo_push(message=self.move_a_slider())
            self.let_timers_work("rest")
        for _ in range(2):
            bpy.ops.ed.undo()
            self.let_timers_work("rest")
        check_all()

    def undo_parts_of_a_copy(self) -> None:
        """Undo to a step in which a copy is as it is in the next one, after the timer gave it water and plants."""
        choose(lands()[0])
        bpy.ops.object.duplicate()
        for _ in range(3):
            bpy.ops.ed.undo_push(message="Duplicate")
        self.let_timers_work("rest")
        bpy.ops.ed.undo()
        self.let_timers_work("rest")
        check_all()

    def take(self, step: Callable[[], str | None]) -> bool:
        """Take a step; return whether Blender makes it a step of undo."""
        try:
            return step() is not None
        except RuntimeError as refused:  # an operator whose poll or check says no
            assert "Traceback" not in str(refused), f"{step.__name__} failed: {refused}"
            print(f"  refused: {str(refused).strip()}", flush=True)
            return False

    def let_timers_work(self, how: str) -> None:
        """Do what handlers and timers do after a step."""
        if how == "no tick":
            return
        watched(notice_all)
        if how == "some ticks":
            for _ in range(self.random.randint(1, 6)):
                watched(follow_all)
                time.sleep(0.01)
        else:
            deadline = time.monotonic() + PATIENCE
            while watched(follow_all) is not None:
                assert time.monotonic() < deadline, f"the timer never rests: {what_is_up()}"
                time.sleep(0.005)
        # Drawing evaluates what the timer changed.
        bpy.context.view_layer.update()

    # --- steps ---------------------------------------------------------------------------------------------------

    def add_land(self) -> None:
        preset, seed = self.random.choice(PRESETS), self.random.randint(1, 2)
        recipe = Recipe.preset(preset, seed=seed, resolution=RESOLUTIONS[0])
        # Few plants, because forests take most of the time.
        few = recipe.replace(ecosystem=recipe.ecosystem.replace(cover=COVER))
        new_land_task(bpy.context, NewLand(preset.title(), few)).run()
        bpy.ops.ed.undo_push(message="New Landscape")
        notice_all()

    def new_land(self) -> None:
        if len(lands()) < 3:
            self.add_land()

    def show_a_map(self) -> str | None:
        return self.operate("show_map", map=self.random.choice(("slope", "humidity")))

    def clear_plants(self) -> str | None:
        return self.operate("clear_plants")

    def scatter_plants(self) -> str | None:
        return self.operate("scatter_plants")

    def remove_some_plants(self) -> str | None:
        return self.operate("remove_plants", radius=self.random.uniform(20.0, 200.0))

    def update(self) -> str | None:
        return self.operate("update")

    def operate(self, name: str, /, **settings: object) -> str | None:
        if self.settings() is None:
            return None
        return name if getattr(bpy.ops.landscape, name)(**settings) == {"FINISHED"} else None

    def add_a_species(self) -> str | None:
        return self.operate("list_duplicate", series="ecosystem.species")

    def remove_a_species(self) -> str | None:
        settings = self.settings()
        if settings is None or len(settings.ecosystem.species) < 2:
            return None
        return self.operate("list_remove", series="ecosystem.species")

    def draw_a_feature(self) -> str | None:
        path = [{"name": "", "location": [self.random.uniform(-900.0, 900.0) for _ in range(3)]} for _ in range(3)]
        kinds = ("river", "ridge", "valley", "cliff", "lake", "shore", "summit")
        done = self.operate("draw_feature", kind=self.random.choice(kinds), path=path)
        self.select_another()
        return done

    def draw_a_road(self) -> str | None:
        """Draw a road, or the outline of a pad."""
        kind, reach = self.random.choice((("road", 900.0), ("pad", 200.0)))
        path = [{"name": "", "location": [self.random.uniform(-reach, reach) for _ in range(3)]} for _ in range(3)]
        done = self.operate("draw_feature", kind=kind, path=path)
        self.select_another()
        return done

    def show_far_land(self) -> str | None:
        return self.operate("add_far_land")

    def remove_far_land(self) -> str | None:
        if self.settings() is None or bpy.context.view_layer.objects.active.landscape.far_land is None:
            return None
        return self.operate("remove_far_land")

    def change_the_scenery(self) -> str | None:
        name = self.random.choice(("add_scenery", "next_view", "cull_plants", "sway_plants"))
        return self.operate(name)

    def change_a_preset(self) -> str | None:
        """Give a land another recipe: that of a preset, other plants, another seed, or what it began with."""
        name, settings = self.random.choice(RECIPES)
        done = self.operate(name, **settings)
        land = bpy.context.view_layer.objects.active
        if done is not None and land is not None:
            land.landscape.recipe.resolution, land.landscape.recipe.ecosystem.cover = RESOLUTIONS[0], COVER
        return done

    def edit_plants(self) -> str | None:
        """Plant around the cursor, make some plants real, or forget all that."""
        bpy.context.scene.cursor.location = [
            self.random.uniform(-600.0, 600.0),
            self.random.uniform(-600.0, 600.0),
            0.0,
        ]
        name = self.random.choice(("add_plants", "make_plants_real", "forget_plant_edits"))
        return self.operate(name, **({} if name == "forget_plant_edits" else {"radius": 60.0}))

    def clear_along_a_road(self) -> str | None:
        """Clear plants along a curve that is selected beside the land."""
        curves = [one for one in bpy.context.view_layer.objects if one.type == "CURVE"]
        if self.settings() is None or not curves:
            return None
        self.random.choice(curves).select_set(True)
        return self.operate("clear_road")

    def a_feature(self) -> bpy.types.Object | None:
        """A curve or empty that is drawn on a land."""
        drawn = [one for land in lands() for one in drawn_features(land)]
        return self.random.choice(drawn) if drawn else None

    def move_a_feature(self) -> str | None:
        drawn = self.a_feature()
        if drawn is None:
            return None
        for _ in range(self.random.randint(1, 3)):
            drawn.location.x += self.random.uniform(-200.0, 200.0)
            watched(notice_all)
            watched(follow_all)
        return "Move"

    def remove_a_feature(self) -> str | None:
        drawn = self.a_feature()
        if drawn is None:
            return None
        choose(drawn)
        bpy.ops.object.delete()
        self.select_another()
        return "Delete Feature"

    def duplicate(self) -> str | None:
        return self._duplicate(linked=False)

    def duplicate_linked(self) -> str | None:
        return self._duplicate(linked=True)

    def _duplicate(self, *, linked: bool) -> str | None:
        if self.settings() is None or len(lands()) > 2:
            return None
        choose(bpy.context.view_layer.objects.active)
        bpy.ops.object.duplicate(linked=linked)
        return "Duplicate"

    def delete(self) -> str | None:
        if self.settings() is None or (len(lands()) == 1 and self.random.random() < 0.7):
            return None
        choose(bpy.context.view_layer.objects.active)
        bpy.ops.object.delete()
        return "Delete"

    def select_another(self) -> None:
        """Select a land; sometimes without a step of undo, as a click that is undone with the next step."""
        if seen_lands():
            choose(self.random.choice(seen_lands()))

    def change_elsewhere(self) -> str:
        """Change what is no land: for Blender's undo, all lands are in two steps the same."""
        bpy.context.scene.frame_end += 1
        return "End Frame"

    def add_a_cube(self) -> str:
        bpy.ops.mesh.primitive_cube_add()
        return "Add Cube"

    def switch_live(self) -> None:
        manager = bpy.context.window_manager
        manager.landscape_live = self.random.random() < 0.7

    def rename(self) -> str | None:
        if self.settings() is None:
            return None
        land = bpy.context.view_layer.objects.active
        for thing in (land, land.data, land.landscape.water, land.landscape.plants):
            if thing is not None and thing.is_editable and self.random.random() < 0.5:
                thing.name = self.random.choice(("Landscape", "Plants", "Ω " * 20, "a.001", "Land/Übung"))
        return "Rename"

    def add_a_process(self) -> str | None:
        settings = self.settings()
        if settings is None or len(settings.erosion) > 2:
            return None
        return self.operate("list_add", series="erosion")

    def remove_a_process(self) -> str | None:
        settings = self.settings()
        if settings is None or len(settings.erosion) < 2:
            return None
        return self.operate("list_remove", series="erosion")

    def bake(self) -> str | None:
        return self.operate("bake_textures", directory=str(self.folder / "textures"), maps={"normal"}, wire=True)

    def cancel(self) -> str | None:
        return self.operate("cancel")

    def edit_the_mesh(self) -> str | None:
        """Go into edit mode and back, with whatever timers do in between."""
        if self.settings() is None:
            return None
        choose(bpy.context.view_layer.objects.active)
        bpy.ops.object.mode_set(mode="EDIT")
        self.let_timers_work("some ticks")
        bpy.ops.object.mode_set(mode="OBJECT")
        return "Toggle Edit Mode"

    def append_a_land(self) -> str | None:
        return self._fetch_a_land(link=False)

    def link_a_land(self) -> str | None:
        return self._fetch_a_land(link=True)

    def _fetch_a_land(self, *, link: bool) -> str | None:
        """Take the lands of a file that was saved before, into the scene."""
        path = self.folder / "session.blend"
        if not path.is_file() or len(lands()) > 2:
            return None
        if bpy.data.filepath == str(path):  # Blender takes nothing from the file that is open.
            return None
        with bpy.data.libraries.load(str(path), link=link) as (there, wanted):
            wanted.objects = there.objects
        for thing in wanted.objects:
            if thing.landscape.is_landscape:
                bpy.context.scene.collection.objects.link(thing)
        return "Link" if link else "Append"

    def change_scene(self) -> str | None:
        """Make a scene, or go to another one."""
        window = bpy.context.window
        if window is None:
            return None
        if len(bpy.data.scenes) < 3:
            bpy.ops.scene.new(type=self.random.choice(("NEW", "LINK_COPY")))
        else:
            window.scene = self.random.choice(list(bpy.data.scenes))
        return "Scene"

    def undo(self) -> None:
        self._go("undo")

    def redo(self) -> None:
        self._go("redo")

    def _go(self, way: str) -> None:
        """Press a key up to three times; timers work in between."""
        for _ in range(self.random.randint(1, 3)):
            if getattr(bpy.ops.ed, way).poll():
                getattr(bpy.ops.ed, way)()
                self.let_timers_work(self.random.choice(TIMERS))

    def reopen(self) -> None:
        if self.random.random() < 0.3:
            path = str(self.folder / "session.blend")
            bpy.ops.wm.save_as_mainfile(filepath=path)
            bpy.ops.wm.open_mainfile(filepath=path)
        else:
            bpy.ops.wm.save_as_mainfile(filepath=str(self.folder / "session.blend"), copy=True)


def main() -> None:
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    faulthandler.enable()
    bpy.ops.wm.read_factory_settings(use_empty=True)
    terrain_addon.register()
    watch_steps()
    bpy.ops.ed.undo_push(message="Original")
    session = Session(seed)
    if count:
        session.run(count)
    else:
        session.undo_live_updates()
        session.undo_parts_of_a_copy()
    print("END", flush=True)


if __name__ == "__main__":
    status = 1
    try:
        main()
        status = 0
    finally:
        if status:
            traceback.print_exc()
        sys.stderr.flush()
        os._exit(status)  # as in tests/conftest.py

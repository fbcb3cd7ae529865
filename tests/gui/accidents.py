"""What may happen while something is computed, and what is done in odd ways; comes after hands.py."""


def lands() -> list[bpy.types.Object]:
    return [o for o in bpy.data.objects if o.landscape.is_landscape]


def is_still() -> bool:
    return not live().jobs.running and not any(live().state_of(one) for one in lands())


def at_rest() -> Iterator[float]:
    """Wait until nothing more happens."""
    yield from until(is_still)
    yield 1.0
    yield from until(is_still)


def begin_long_update() -> Iterator[float]:
    """Start a job on the active land that takes a while."""
    bpy.context.window_manager.landscape_live = False
    land().landscape.recipe.seed += 1
    land().landscape.recipe.resolution = 769
    call("landscape.update", "INVOKE_DEFAULT")
    yield from until(lambda: bool(live().jobs.running) and live().jobs.running[0].progress.fraction > 0.0)
    yield 0.3


def steps() -> Iterator[float]:
    area().spaces.active.show_region_ui = True
    yield 1.0
    region("UI").active_panel_category = "Landscape"
    yield from adjust_what_was_made()
    yield from undo_during_a_job()
    yield from delete_during_a_job()
    yield from render_in_the_window()
    yield from two_windows_at_once()
    yield from open_a_file_during_a_job()
    keep_result()


def adjust_what_was_made() -> Iterator[float]:
    """Another seed in the panel Adjust Last Operation."""
    call("landscape.generate", "INVOKE_DEFAULT", preset="rolling_hills", seed=1, resolution=RESOLUTION)
    yield from until(lambda: bool(lands()))
    yield from at_rest()
    # What completes the land comes after it, but is nothing that the panel adjusts.
    made = next(o for o in reversed(bpy.context.window_manager.operators) if "REGISTER" in o.bl_options)
    result["adjustable"] = made.bl_idname
    made.properties.seed = 2
    started = time.monotonic()
    call("ed.undo_redo")
    result["seconds_to_adjust"] = time.monotonic() - started
    result["lands_while_adjusting"] = len(lands())
    yield from until(lambda: [one.landscape.recipe.seed for one in lands()] == [2])
    yield from at_rest()
    result["seed_after_adjusting"] = [one.landscape.recipe.seed for one in lands()]
    result["parts_after_adjusting"] = sum(o.parent is not None for o in bpy.data.objects)
    shot("a1_adjusted")
    for _ in range(3):
        call("ed.undo")
        yield 0.5
        if [one.landscape.recipe.seed for one in lands()] == [1]:
            break
    yield from at_rest()
    result["seed_after_undo"] = [one.landscape.recipe.seed for one in lands()]


def undo_during_a_job() -> Iterator[float]:
    call("object.select_all", action="DESELECT")
    land().select_set(True)
    call("ed.undo_push", message="Before the move")
    land().location.x += 100.0
    call("ed.undo_push", message="Move")
    where = land().location.x
    yield from begin_long_update()
    call("ed.undo")
    result["moved_back"] = where - land().location.x
    yield from until(lambda: not live().jobs.running)
    bpy.context.window_manager.landscape_live = True
    live().notice(land())
    yield from at_rest()
    result["state_after_undo"] = live().state_of(land())
    result["vertices_fit"] = len(land().data.vertices) == land().landscape.recipe.resolution ** 2


def delete_during_a_job() -> Iterator[float]:
    yield from begin_long_update()
    call("object.delete")
    result["lands_after_deleting"] = len(lands())
    yield from until(lambda: not live().jobs.running)
    yield 1.0
    result["left_after_deleting"] = [o.name for o in bpy.data.objects if o.name.startswith("Rolling Hills")]
    shot("a2_deleted")
    bpy.context.window_manager.landscape_live = True


def render_in_the_window() -> Iterator[float]:
    """One click on New Landscape, then F12."""
    call("landscape.generate", "INVOKE_DEFAULT", preset="alpine", seed=3, resolution=257)
    yield from until(lambda: bool(lands()))
    yield from at_rest()
    shot("a3_made")
    bpy.context.scene.render.resolution_percentage = 40
    if "samples" in dir(bpy.context.scene.eevee):
        bpy.context.scene.eevee.samples = 8
    bpy.context.scene.eevee.taa_render_samples = 8
    done = []
    bpy.app.handlers.render_complete.append(lambda *_: done.append(True))
    call("render.render", "INVOKE_DEFAULT")
    yield from until(lambda: bool(done), 300)
    yield 1.0
    bpy.data.images["Render Result"].save_render(out("f12.png"))
    shot("a4_rendered")
    for other in bpy.context.window_manager.windows[1:]:
        with bpy.context.temp_override(window=other):
            bpy.ops.wm.window_close()
    yield 0.5


def two_windows_at_once() -> Iterator[float]:
    before = len(lands())
    call("wm.window_new")
    yield 1.0
    first, second = bpy.context.window_manager.windows[:2]
    for seed, one in ((11, first), (12, second)):
        place = next((a for a in one.screen.areas if a.type == "VIEW_3D"), one.screen.areas[0])
        place.type = "VIEW_3D"
        inside = next(r for r in place.regions if r.type == "WINDOW")
        with bpy.context.temp_override(window=one, area=place, region=inside):
            bpy.ops.landscape.generate("INVOKE_DEFAULT", preset="rolling_hills", seed=seed, resolution=RESOLUTION)
    result["jobs_at_once"] = len(live().jobs.running)
    yield from until(lambda: len(lands()) == before + 2)
    yield from at_rest()
    result["seeds_of_two_windows"] = sorted(one.landscape.recipe.seed for one in lands())[-2:]
    shot("a5_two_windows")
    with bpy.context.temp_override(window=second):
        bpy.ops.wm.window_close()
    yield 0.5


def open_a_file_during_a_job() -> Iterator[float]:
    path = out("accidents.blend")
    call("wm.save_as_mainfile", filepath=path)
    yield from begin_long_update()
    call("wm.open_mainfile", filepath=path)
    result["jobs_after_opening"] = len(live().jobs.running)
    yield 2.0
    yield from at_rest()
    result["lands_after_opening"] = len(lands())
    shot("a6_opened")

"""Unusual things that users do, many of them while something is computed; put behind hands.py."""

import itertools

LIMIT = 240  # seconds for one accident; the first waits for the compiler
SOON = 20  # seconds
LONG = 1025  # vertices from west to east of a land that takes a while


unused_seeds = itertools.count(100)  # a land that was there before is there again at once


def steps() -> Iterator[float]:
    """Run one accident after the other; the log says which one, so that one that never ends can be found."""
    area().spaces.active.show_region_ui = True
    yield 1.0
    region("UI").active_panel_category = "Landscape"
    for accident in (
        take_back_what_is_growing,
        adjust_what_was_made,
        make_a_copy,
        make_a_linked_copy,
        undo_during_a_job,
        finish_early,
        close_the_window_of_a_job,
        open_a_file_during_a_job,
        delete_during_a_job,
    ):
        log(accident.__name__)
        started = time.monotonic()
        for pause in accident():
            if time.monotonic() - started > LIMIT:
                shot("too_long")
                raise TimeoutError(f"{accident.__name__} was not over after {LIMIT} s")
            yield pause
        result.setdefault("seconds", {})[accident.__name__] = round(time.monotonic() - started, 1)
    keep_result()


# --- what is checked ------------------------------------------------------------------------------------------------


def lands() -> list[bpy.types.Object]:
    return [o for o in bpy.data.objects if o.landscape.is_landscape and o.users_collection]


def seeds() -> list[int]:
    return [one.landscape.recipe.seed for one in lands()]


def census() -> dict[str, list[str]]:
    """The names of all data, with copies under the name of the original."""
    kinds = ("objects", "meshes", "materials", "node_groups", "collections", "cameras", "lights", "worlds")
    return {kind: sorted(item.name.split(".")[0] for item in getattr(bpy.data, kind)) for kind in kinds}


def is_still() -> bool:
    return not jobs() and not any(status(one) for one in lands())


def at_rest() -> Iterator[float]:
    """Wait until nothing is computed any more."""
    yield from until(is_still)
    yield 0.3
    yield from until(is_still)


def soon(condition: Callable[[], bool]) -> Iterator[float]:
    """Wait for a condition, but only for some seconds; the test checks whether it came true."""
    deadline = time.monotonic() + SOON
    while not condition() and time.monotonic() < deadline:
        yield 0.1


def ours() -> list[str]:
    """Names of the lands and the objects that belong to them, in the scene: what is deleted leaves the file later."""
    return sorted(o.name for o in bpy.context.scene.objects if o.name.startswith("Rolling Hills"))


def share_water() -> bool:
    """Whether two lands point to the same water, as they do just after one was duplicated."""
    waters = [one.landscape.water for one in lands()]
    return len(set(waters)) < len(waters)


def choose(one: bpy.types.Object) -> None:
    call("object.select_all", action="DESELECT")
    one.select_set(True)
    bpy.context.view_layer.objects.active = one


def relief_of(one: bpy.types.Object) -> float:
    values = np.empty(3 * len(one.data.vertices), np.float32)
    one.data.attributes["position"].data.foreach_get("vector", values)
    return float(np.ptp(values[2::3]))


def noise_of(one: bpy.types.Object) -> bpy.types.PropertyGroup:
    return one.landscape.recipe.relief.layers[0].source.fractal_noise


def raise_the_hills(one: bpy.types.Object) -> None:
    """What happens when the mouse releases a slider."""
    noise_of(one).height *= 1.5
    call("ed.undo_push", message="Height")
    notice(one)


def begin_long_update() -> Iterator[float]:
    """Start a long job on the active land."""
    bpy.context.window_manager.landscape_live = False
    land().landscape.recipe.seed = next(unused_seeds)
    land().landscape.recipe.resolution = LONG
    call("landscape.update", "INVOKE_DEFAULT")
    yield from until(lambda: any(job.is_long and job.progress.fraction > 0.0 for job in jobs()))


def live_again() -> Iterator[float]:
    bpy.context.window_manager.landscape_live = True
    for one in lands():
        one.landscape.recipe.resolution = RESOLUTION
        notice(one)
    yield from at_rest()


# --- accidents --------------------------------------------------------------------------------------------------------


def take_back_what_is_growing() -> Iterator[float]:
    """Ctrl+Z while the plants of a new landscape are computed; earlier work stays."""
    bpy.data.objects.new("marker", None)
    bpy.data.objects["marker"].use_fake_user = True
    call("ed.undo_push", message="Marker")
    call("landscape.generate", "INVOKE_DEFAULT", preset="rolling_hills", seed=3, resolution=LONG)
    yield from until(lambda: bool(lands()))
    call("ed.undo")
    yield from until(lambda: not jobs())
    yield from at_rest()
    there = [o.name for o in bpy.data.objects if o.name == "marker"]
    result["lands_undone_while_growing"] = [len(lands()), there]


def adjust_what_was_made() -> Iterator[float]:
    """Another seed in the panel Adjust Last Operation."""
    call("landscape.generate", "INVOKE_DEFAULT", preset="rolling_hills", seed=1, resolution=RESOLUTION)
    yield from until(lambda: bool(lands()))
    yield from at_rest()
    # A hidden panel is at the origin.
    result["panel_is_seen"] = region("HUD").x > 0
    before = census()
    shot("a1_made")
    made = next(o for o in reversed(bpy.context.window_manager.operators) if "REGISTER" in o.bl_options)
    made.properties.seed = 2
    call("ed.undo_redo")
    result["lands_while_adjusting"] = len(lands())
    yield from until(lambda: seeds() == [2])
    yield from at_rest()
    after = census()
    result["left_by_adjusting"] = [kind for kind in after if after[kind] != before[kind]]
    shot("a2_adjusted")
    result["plants_after_adjusting"] = land().landscape.plants is not None
    for step in ("undo", "undo", "redo", "redo"):
        call(f"ed.{step}")
        yield from soon(lambda: not any("landscape_growing" in one for one in lands()))
        yield from at_rest()
        there = [(one.landscape.recipe.seed, one.landscape.plants is not None) for one in lands()]
        result.setdefault("steps_of_adjusting", []).append(there)
    # The other accidents need no plants, and plants are slow to draw without a graphics card.
    call("landscape.clear_plants")
    yield from at_rest()


def make_a_copy() -> Iterator[float]:
    """Shift+D, then change a slider of the copy, undo and redo."""
    name, before = land().name, relief_of(land())
    alone = ours()
    call("object.duplicate", linked=False)
    call("ed.undo_push", message="Duplicate")
    yield from soon(lambda: not share_water())
    result["copy_is_new"] = land().name != name
    result["copy_has_own_water"] = not share_water()
    raise_the_hills(land())
    yield from at_rest()
    result["original_after_slider"] = relief_of(bpy.data.objects[name]) / before
    result["copy_after_slider"] = relief_of(land()) / before
    call("ed.undo")
    yield from at_rest()
    result["copy_after_undo"] = relief_of(land()) / before
    call("ed.redo")
    yield from at_rest()
    result["copy_after_redo"] = relief_of(land()) / before
    shot("a3_copy")
    call("object.delete")
    yield from soon(lambda: ours() == alone)
    result["left_of_the_copy"] = sorted(set(ours()) - set(alone))
    choose(bpy.data.objects[name])


def make_a_linked_copy() -> Iterator[float]:
    """Alt+D, then change a slider of the copy."""
    name, before = land().name, relief_of(land())
    alone = ours()
    call("object.duplicate", linked=True)
    yield from soon(lambda: not share_water())
    result["linked_share_a_mesh"] = land().data == bpy.data.objects[name].data
    raise_the_hills(land())
    yield from at_rest()
    result["linked_after_slider"] = [relief_of(one) / before for one in lands()]
    result["linked_recipes_agree"] = len({noise_of(one).height for one in lands()}) == 1
    call("object.delete")
    yield from soon(lambda: ours() == alone)
    result["left_of_the_linked_copy"] = sorted(set(ours()) - set(alone))
    choose(bpy.data.objects[name])


def undo_during_a_job() -> Iterator[float]:
    call("ed.undo_push", message="Before the move")
    land().location.x += 100.0
    call("ed.undo_push", message="Move")
    where = land().location.x
    yield from begin_long_update()
    call("ed.undo")
    result["moved_back"] = where - land().location.x
    call("ed.redo")
    result["moved_again"] = where - land().location.x
    yield from until(lambda: not jobs())
    yield from live_again()
    result["state_after_undo"] = status(land())
    result["vertices_fit"] = len(land().data.vertices) == land().landscape.recipe.resolution ** 2


def finish_early() -> Iterator[float]:
    yield from begin_long_update()
    call("landscape.finish_early")
    yield from until(lambda: not jobs())
    result["state_after_finishing_early"] = status(land())
    result["vertices_wanted"] = LONG**2
    result["vertices_after_finishing_early"] = len(land().data.vertices)
    yield from live_again()


def close_the_window_of_a_job() -> Iterator[float]:
    """Start a job in a second window, and close the window before the job ends."""
    before = len(lands())
    call("wm.window_new")
    yield 1.0
    second = bpy.context.window_manager.windows[-1]
    place = second.screen.areas[0]
    place.type = "VIEW_3D"
    yield 0.5
    inside = next(r for r in place.regions if r.type == "WINDOW")
    with bpy.context.temp_override(window=second, area=place, region=inside):
        bpy.ops.landscape.generate("INVOKE_DEFAULT", preset="rolling_hills", seed=9, resolution=LONG)
    yield 0.3
    result["jobs_of_two_windows"] = len(jobs())
    shot("a4_two_windows")
    with bpy.context.temp_override(window=second):
        bpy.ops.wm.window_close()
    yield from until(lambda: not jobs())
    yield 0.5
    result["lands_after_closing"] = len(lands()) - before


def open_a_file_during_a_job() -> Iterator[float]:
    path = out("accidents.blend")
    result["lands_before_opening"] = [one.name for one in lands()]
    result["vertices_before_opening"] = len(land().data.vertices)
    call("wm.save_as_mainfile", filepath=path)
    yield from begin_long_update()
    call("wm.open_mainfile", filepath=path)
    result["jobs_after_opening"] = len(jobs())
    yield 1.0
    yield from at_rest()
    result["lands_after_opening"] = [one.name for one in lands()]
    result["vertices_after_opening"] = len(lands()[0].data.vertices)
    choose(lands()[0])
    shot("a5_opened")


def delete_during_a_job() -> Iterator[float]:
    yield from begin_long_update()
    call("object.delete")
    yield from until(lambda: not jobs())
    yield from soon(lambda: not ours())
    result["left_after_deleting"] = ours()
    shot("a6_deleted")

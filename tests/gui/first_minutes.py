"""What a new user does in the first minutes, with mouse and keys; put behind hands.py."""

import shutil

from bpy_extras.view3d_utils import location_3d_to_region_2d
from mathutils import Vector

# A new user has no kernels yet.
shutil.rmtree(KERNELS, ignore_errors=True)


def steps() -> Iterator[float]:
    yield from new_landscape()
    yield from drag_a_slider()
    yield from take_it_back()
    yield from cancel_with_escape()
    yield from stop_live_work()
    yield from bake()
    yield from look_at_all_panels()
    yield from save_and_reopen()
    yield from quit_while_computing()


def new_landscape() -> Iterator[float]:
    area().spaces.active.show_region_ui = True
    yield 1.0
    region("UI").active_panel_category = "Landscape"
    bpy.context.window_manager.landscape_preset = "rolling_hills"
    yield 1.0
    shot("1_before")
    yield from find("landscape.generate", "ctrl+c")
    before = set(bpy.data.objects)
    click(*result["places"]["landscape.generate"])
    yield from until(lambda: bool(jobs()))
    yield 1.0
    shot("2_progress")
    yield from until(lambda: bool(set(bpy.data.objects) - before))
    yield 3.0
    shot("3_after")
    view, sidebar = region("WINDOW"), region("UI")
    result["new"] = land() not in before
    result["vertices"], result["resolution"] = len(land().data.vertices), land().landscape.recipe.resolution
    result["camera"] = bpy.context.scene.camera.name
    result["cubes"] = [o.name for o in bpy.data.objects if o.name.startswith("Cube")]
    result["land_seen"], result["part_seen"] = seen_edges(land()), list(module("look.framing").visible_part(area())[:4])
    # The part of the 3D view without toolbar and sidebar: left, top, right, bottom.
    low, high = window().height - view.y - 80, window().height - view.y - view.height + 80
    result["view"] = [view.x + 80, high, sidebar.x - 80, low]
    land().landscape.recipe.resolution = RESOLUTION
    land().landscape.recipe.ecosystem.cover = FEW
    land().update_tag()
    yield from until(lambda: len(land().data.vertices) == RESOLUTION**2)
    yield from until(lambda: not status(land()) and not jobs())


def seen_edges(one: bpy.types.Object) -> list[float]:
    """The least and largest x and y of the corners of an object, in pixels of the 3D view."""
    main, view = region("WINDOW"), area().spaces.active.region_3d
    corners = [one.matrix_world @ Vector(corner) for corner in one.bound_box]
    places = [location_3d_to_region_2d(main, view, corner) for corner in corners]
    x, y = [place.x for place in places], [place.y for place in places]
    return [min(x), max(x), min(y), max(y)]


def drag_a_slider() -> Iterator[float]:
    noise = land().landscape.recipe.relief.layers[0].source.fractal_noise
    call("ed.undo_push", message="Before the slider")
    yield from find("fractal_noise.height", "ctrl+shift+c")
    before, result["height_before"] = heights(), noise.height
    result["relief_before"] = float(np.ptp(before))
    x, y = result["places"]["fractal_noise.height"]
    mouse("mousemove", x, y, "mousedown", 1)
    yield 0.2
    for pixels in range(2, 42, 4):
        mouse("mousemove", x + pixels, y)
        yield 0.1
    yield 0.5
    # The button is still down.
    yield from until(lambda: noise.height > result["height_before"] and np.ptp(heights()) > np.ptp(before) + 1.0)
    result["height_while_dragging"] = noise.height
    result["relief_while_dragging"] = float(np.ptp(heights()))
    shot("4_dragging")
    mouse("mouseup", 1)
    yield from until(lambda: not status(land()) and not jobs())
    result["relief_after"] = float(np.ptp(heights()))
    shot("5_refined")


def take_it_back() -> Iterator[float]:
    view = region("WINDOW")
    mouse("mousemove", view.x + view.width // 3, window().height - view.y - view.height // 2)
    yield 0.3
    key("ctrl+z")

    def is_back() -> bool:
        return bool(land().landscape.recipe.relief.layers[0].source.fractal_noise.height == result["height_before"])

    yield from until(is_back)
    yield from until(lambda: not status(land()) and not jobs())
    result["relief_after_undo"] = float(np.ptp(heights()))


def cancel_with_escape() -> Iterator[float]:
    bpy.context.window_manager.landscape_live = False
    seed = land().landscape.recipe.seed
    land().landscape.recipe.seed, land().landscape.recipe.resolution = seed + 1, 1025
    yield 0.5
    before, recipe = heights(), mark()
    call("landscape.update", "INVOKE_DEFAULT")
    yield from until(lambda: bool(jobs()) and jobs()[0].progress.fraction > 0.0)
    shot("6_long_job")
    started = time.monotonic()
    key("Escape")
    yield from until(lambda: not jobs())
    result["seconds_to_cancel"] = time.monotonic() - started
    yield 0.5
    result["cancelled_unchanged"] = bool(np.array_equal(heights(), before)) and mark() == recipe
    result["state_after_cancel"] = status(land())
    shot("7_cancelled")
    land().landscape.recipe.seed, land().landscape.recipe.resolution = seed, RESOLUTION
    bpy.context.window_manager.landscape_live = True
    land().update_tag()
    yield 0.5


def stop_live_work() -> Iterator[float]:
    """A slider was moved, and the whole land takes long: there is a bar, and Esc stops the work."""
    seed = land().landscape.recipe.seed
    # So large that no machine finishes it before the key comes.
    land().landscape.recipe.seed, land().landscape.recipe.resolution = seed + 2, 2049
    land().update_tag()
    yield from until(lambda: any(job.is_long for job in jobs()))
    yield 0.3
    shot("7_live_job")
    result["live_bar"] = [module("session.jobs").describe(job) for job in jobs()]
    mouse("mousemove", *(region("WINDOW").x + 300, window().height // 2))
    yield 0.3
    key("Escape")
    yield from until(lambda: not jobs())
    yield 1.0
    result["state_after_stopping"], result["jobs_after_stopping"] = status(land()), len(jobs())
    shot("7_live_stopped")
    land().landscape.recipe.seed, land().landscape.recipe.resolution = seed, RESOLUTION
    land().update_tag()
    yield from until(lambda: not status(land()) and not jobs())


def bake() -> Iterator[float]:
    folder = Path(out("textures"))
    call("landscape.bake_textures", "INVOKE_DEFAULT", asked=True, directory=str(folder))
    yield 0.3
    yield from until(lambda: not jobs())
    yield 0.5
    result["baked"] = sorted(path.name for path in folder.iterdir())


def look_at_all_panels() -> Iterator[float]:
    """Show each sub-panel alone and open."""
    panels = module("ui.panels")
    call("landscape.check_realism")
    call("landscape.show_map", map="drainage")
    shown = [panel for panel in panels.CLASSES if getattr(panel, "bl_parent_id", "")]
    for panel in reversed(shown):
        bpy.utils.unregister_class(panel)
    for panel in shown:
        # With a new name, because Blender remembers whether a panel was open.
        name = f"{panel.__name__}_open"
        opened = type(name, (panel,), {"bl_idname": name, "bl_options": set()})
        bpy.utils.register_class(opened)
        region("UI").tag_redraw()
        yield 1.0
        shot(f"panel_{panel.bl_label.lower()}")
        bpy.utils.unregister_class(opened)
    for panel in shown:
        bpy.utils.register_class(panel)
    call("landscape.show_map", map="drainage")
    result["panels"] = [panel.bl_label for panel in shown]
    yield 0.5


def save_and_reopen() -> Iterator[float]:
    path, name, before = out("land.blend"), land().name, mark()
    call("wm.save_as_mainfile", filepath=path)
    call("wm.open_mainfile", filepath=path)
    yield 2.0
    bpy.context.view_layer.objects.active = bpy.data.objects[name]
    result["mark_survives"] = mark() == before
    result["state_after_reopening"] = status(land())
    shot("8_reopened")


def quit_while_computing() -> Iterator[float]:
    bpy.context.window_manager.landscape_live = False
    land().landscape.recipe.resolution = 1537
    call("landscape.update", "INVOKE_DEFAULT")
    yield from until(lambda: bool(jobs()) and jobs()[0].progress.fraction > 0.0)
    yield from leave()

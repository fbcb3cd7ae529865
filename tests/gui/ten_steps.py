"""Ten steps of somebody who directs a land, with mouse and keys, then all of them back and forth; put behind hands.py.

Each step is known by what one sees after it: the heights, what is drawn, what is painted, and the model of the plants.
Ctrl+Z has to show each of them again, the last one first; Shift+Ctrl+Z too.
"""

from zlib import crc32

ACROSS = {"left": 1.0 / 6.0, "middle": 0.5, "right": 0.85}  # of the sidebar
MOST_PRESSES = 60  # of Ctrl+Z; Blender makes several steps of the drag of a point

states: list[dict[str, Any]] = []


def steps() -> Iterator[float]:
    area().spaces.active.show_region_ui = True
    yield 1.0
    region("UI").active_panel_category = "Landscape"
    for number, step in enumerate(STEPS, start=1):
        log(f"{number} {step.__name__}")
        began = time.monotonic()
        yield from step()
        yield from at_rest()
        states.append(look() | {"step": step.__name__})
        shot(f"s{number:02}_{step.__name__}")
        result.setdefault("seconds", {})[step.__name__] = round(time.monotonic() - began, 1)
    result["states"] = states
    yield from go("ctrl+z", "undone")
    yield from go("ctrl+shift+z", "redone")
    keep_result()


# --- what one sees ----------------------------------------------------------------------------------------------------


def the_land() -> bpy.types.Object | None:
    return next((o for o in bpy.context.scene.objects if o.landscape.is_landscape), None)


def look() -> dict[str, Any]:
    """What one sees of the land."""
    one = the_land()
    if one is None:
        return {"land": None}
    places = np.empty(3 * len(one.data.vertices), np.float32)
    one.data.attributes["position"].data.foreach_get("vector", places)
    drawn = module("land.features").drawn_features(one)
    lines = [[tuple(point) for line in module("land.features")._lines_of(o) for point in line] for o in drawn]
    group, painted = one.vertex_groups.get("No Plants"), 0.0
    if group is not None:
        painted = sum(g.weight for v in one.data.vertices for g in v.groups if g.group == group.index)
    return {
        "land": one.name,
        "heights": crc32(places.tobytes()),
        "drawn": [o.name for o in drawn],
        "lines": crc32(repr(lines).encode()),
        "painted": round(painted, 2),
        "cover": round(one.landscape.recipe.ecosystem.cover, 3),
        "model": one.landscape.recipe.ecosystem.species[0].collection if one.landscape.recipe.ecosystem.species else "",
    }


def is_still() -> bool:
    one = the_land()
    return not jobs() and (one is None or not status(one))


def at_rest() -> Iterator[float]:
    yield from until(is_still)
    yield 0.3
    yield from until(is_still)


def go(keys: str, name: str) -> Iterator[float]:
    """Press keys until nothing changes any more; keep each different sight."""
    seen = [look()]
    still = 0
    over_the_view()
    yield 0.5
    for _ in range(MOST_PRESSES):
        key(keys)
        yield 0.2
        yield from at_rest()
        now = look()
        still = still + 1 if now == seen[-1] else 0
        if still == 0:
            seen.append(now)
        if still > 8 or (keys == "ctrl+z" and now["land"] is None):
            break
    shot(name)
    result[name] = seen


# --- hands ------------------------------------------------------------------------------------------------------------


def over_the_view(across: float = 0.35, down: float = 0.5) -> tuple[int, int]:
    """Move the mouse to a place of the 3D view, as shares of its width and height; return the pixels."""
    view = region("WINDOW")
    x = round(view.x + view.width * across)
    y = round(window().height - view.y - view.height * (1.0 - down))
    mouse("mousemove", x, y)
    return x, y


def press(text: str, across: str = "middle", keys: str = "ctrl+c") -> Iterator[float]:
    """Find a button and click it."""
    yield from find(text, keys, ACROSS[across], 0.04)
    click(*result["places"][text])
    yield 0.3


def only(name: str) -> Iterator[float]:
    """Open one sub-panel; the others are away, so that nobody has to scroll."""
    panels = module("ui.panels")
    shown = [panel for panel in panels.CLASSES if getattr(panel, "bl_parent_id", "")]
    for panel in [*reversed(opened), *reversed(shown)]:
        if panel.is_registered:
            bpy.utils.unregister_class(panel)
    opened.clear()
    panel = next(one for one in shown if one.bl_label == name)
    fresh = f"{panel.__name__}_{int(time.monotonic())}"
    opened.append(type(fresh, (panel,), {"bl_idname": fresh, "bl_options": set()}))
    bpy.utils.register_class(opened[-1])
    region("UI").tag_redraw()
    yield 0.5


opened: list[type] = []


def click_points(*places: tuple[float, float]) -> Iterator[float]:
    """Click points on the land, and end the line."""
    for across, down in places:
        over_the_view(across, down)
        yield 0.15
        mouse("click", 1)
        yield 0.4  # longer than a double click
    key("Return")
    yield 0.3


def choose_land() -> None:
    one = the_land()
    for other in bpy.context.selected_objects:
        other.select_set(False)
    one.select_set(True)
    bpy.context.view_layer.objects.active = one


# --- the ten steps ----------------------------------------------------------------------------------------------------


def make_a_model() -> None:
    """A collection with a mesh, which somebody has from elsewhere."""
    mesh = bpy.data.meshes.new("Oak")
    mesh.from_pydata([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 3.0)], [], [(0, 1, 2)])
    models = bpy.data.collections.new("My Oaks")
    models.objects.link(bpy.data.objects.new("Oak", mesh))
    models.use_fake_user = True
    call("ed.undo_push", message="Models")


def new_landscape() -> Iterator[float]:
    make_a_model()
    yield 0.5
    # The panel's button makes it larger than graphics without a card can show in time.
    call("landscape.generate", "INVOKE_DEFAULT", preset="rolling_hills", resolution=RESOLUTION)
    yield from until(lambda: the_land() is not None)
    yield from at_rest()
    with bpy.context.temp_override(window=window(), area=area(), region=region("WINDOW")):
        bpy.ops.view3d.view_axis(type="TOP")
        bpy.ops.view3d.view_selected()
    yield 1.0


def thin_the_plants() -> Iterator[float]:
    """What happens when the mouse releases the slider; forests are slow to draw without a graphics card."""
    the_land().landscape.recipe.ecosystem.cover = FEW
    call("ed.undo_push", message="Plants")
    notice(the_land())
    yield from at_rest()
    module("data.own_presets").save_preset("Thin", the_land())
    module("data.own_presets").refresh_presets()


def draw_a_river() -> Iterator[float]:
    yield from only("Draw")
    yield from press("kind='river'", "left")
    yield from click_points((0.28, 0.3), (0.36, 0.5), (0.30, 0.7))
    yield from until(lambda: bool(look()["drawn"]))


def drag_its_point() -> Iterator[float]:
    """Tab, click the point in the middle, G, move the mouse, click, Tab."""
    x, y = over_the_view(0.36, 0.5)
    yield 0.2
    key("Tab")
    yield 0.5
    mouse("click", 1)
    yield 0.5
    key("g")
    yield 0.2
    for pixels in range(0, 100, 10):
        mouse("mousemove", x + pixels, y)
        yield 0.05
    shot("dragging")
    mouse("click", 1)
    yield 0.3
    key("Tab")
    yield 0.5


def draw_a_road() -> Iterator[float]:
    choose_land()
    yield 0.3
    yield from press("kind='road'", "right")
    yield from click_points((0.32, 0.25), (0.55, 0.4))
    yield from until(lambda: "Road" in look()["drawn"])


def paint_no_plants() -> Iterator[float]:
    choose_land()
    yield from only("Paint")
    yield from press("purpose='NO_PLANTS'")
    yield 0.5
    x, y = over_the_view(0.5, 0.65)
    yield 0.2
    mouse("mousedown", 1)
    for pixels in range(0, 120, 10):
        mouse("mousemove", x + pixels, y)
        yield 0.05
    mouse("mouseup", 1)
    yield 0.5
    call("object.mode_set", mode="OBJECT")
    yield 0.3


def brush_the_land() -> Iterator[float]:
    yield from press("landscape.erosion_brush")
    x, y = over_the_view(0.55, 0.5)
    yield 0.3
    mouse("mousedown", 1)
    for pixels in range(0, 120, 10):
        mouse("mousemove", x + pixels, y)
        yield 0.05
    mouse("mouseup", 1)
    yield 0.5
    key("Return")
    yield 0.3


def apply_a_preset() -> Iterator[float]:
    """The user's own preset from before: without the strokes of the brush and the picked collection."""
    bpy.context.window_manager.landscape_preset = "own: Thin"
    yield 0.3
    yield from press("landscape.apply_preset")


def pick_a_collection() -> Iterator[float]:
    """The objects for the first species, from the list that opens with a click."""
    yield from only("Plants")
    yield from press("species[0].collection", "middle", "ctrl+shift+c")
    yield 0.5
    type_text("My Oaks")
    yield 0.5
    key("Return")
    yield 0.5


STEPS = (
    *(new_landscape, thin_the_plants, draw_a_river, drag_its_point, draw_a_road, paint_no_plants, brush_the_land),
    *(pick_a_collection, apply_a_preset),
)

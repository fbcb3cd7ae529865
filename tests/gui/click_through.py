"""Ten steps of somebody who directs a land, with mouse and keys; put behind hands.py."""

from itertools import pairwise


def steps() -> Iterator[float]:
    area().spaces.active.show_region_ui = True
    yield 1.0
    region("UI").active_panel_category = "Landscape"
    call("landscape.generate", preset="rolling_hills", resolution=65)
    yield from at_rest()
    # Without a graphics card each plant takes its time.
    module("compat").set_modifier_input(land().landscape.plants.modifiers[0], "Viewport Share", 1.0)
    with bpy.context.temp_override(window=window(), area=area(), region=region("WINDOW")):
        bpy.ops.view3d.view_axis(type="TOP")
        bpy.ops.view3d.view_selected()
    area().spaces.active.overlay.show_floor = False
    yield 1.0
    result["land"], result["changed"], first = land().name, {}, heights()
    began = time.monotonic()
    yield from step("river", draws("river", ((-0.3, 0.3), (-0.05, 0.1), (0.3, -0.3))))
    yield from step("dragged point", drag_a_point())
    yield from step("ridge", draws("ridge", ((-0.3, -0.1), (-0.05, -0.3))))
    yield from step("road", draws("road", ((0.05, 0.05), (0.3, 0.05))))
    yield from step("pad", draws("pad", ((0.2, 0.2), (0.3, 0.2), (0.3, 0.3), (0.2, 0.3))))
    yield from step("painted plants", paints("NO_PLANTS"))
    yield from step("painted mask", paints("EROSION"))
    yield from step("brush", erodes())
    call("landscape.apply_preset", name="volcano")
    yield from step("preset", iter(()))
    yield from take_all_back(first)
    result["seconds"] = time.monotonic() - began
    result["status"] = status(the_land())
    keep_result()


def the_land() -> bpy.types.Object:
    return bpy.data.objects[result["land"]]


def ground() -> np.ndarray:
    """Heights of the land, and how many plants stand on it."""
    values = np.empty(3 * len(the_land().data.vertices), np.float32)
    the_land().data.attributes["position"].data.foreach_get("vector", values)
    return values[2::3]


def plants() -> int:
    carrier = the_land().landscape.plants
    return len(carrier.data.vertices) if carrier is not None else 0


def at_rest() -> Iterator[float]:
    yield 0.5
    yield from until(lambda: not jobs() and not (result.get("land") and status(the_land())))


def step(name: str, doing: Iterator[float]) -> Iterator[float]:
    """Do something, wait until the land rests, and note how many vertices moved by a decimetre, and plants went."""
    before, plants_before = ground(), plants()
    yield from doing
    yield from at_rest()
    moved = np.abs(ground() - before) > 0.1 if len(ground()) == len(before) else np.ones(1)
    result["changed"][name] = [int(moved.sum()), plants() - plants_before]
    log(f"{name}: {result['changed'][name]}")
    shot(f"step_{len(result['changed'])}_{name.replace(' ', '_')}")


def pixel(across: float, up: float) -> tuple[int, int]:
    """A place on the screen, as shares of the height of the 3D view from its middle."""
    view = region("WINDOW")
    x, y = view.x + view.width / 2 + across * view.height, view.y + view.height / 2 + up * view.height
    return round(x), round(window().height - y)


def draws(kind: str, places: tuple[tuple[float, float], ...]) -> Iterator[float]:
    bpy.context.view_layer.objects.active = the_land()
    call("landscape.draw_feature", "INVOKE_DEFAULT", kind=kind)
    yield 0.3
    for place in places:
        mouse("mousemove", *pixel(*place))
        yield 0.2
        mouse("click", 1)
        yield 0.4  # two clicks that are closer are a double click
    if kind == "river":
        shot("drawing_a_river")
    key("Return")
    yield from until(lambda: land().landscape_feature.land == the_land())


def drag_a_point() -> Iterator[float]:
    """Move the middle of the river with G and the mouse, and look before it is let go."""
    river = bpy.data.objects["River"]
    bpy.context.view_layer.objects.active = river
    call("object.mode_set", mode="EDIT")
    for number, point in enumerate(river.data.splines[0].bezier_points):
        point.select_control_point = point.select_left_handle = point.select_right_handle = number == 1
    mouse("mousemove", *pixel(-0.05, 0.1))
    yield 0.5
    shot("before_the_drag")
    before = ground()
    key("g")
    for share in range(1, 9):
        mouse("mousemove", *pixel(-0.05 + 0.02 * share, 0.1 + 0.015 * share))
        yield 0.15
    yield from until(lambda: (np.abs(ground() - before) > 1.0).sum() > 20, patience=60)
    result["moved_while_dragging"] = int((np.abs(ground() - before) > 1.0).sum())
    shot("while_dragging")
    mouse("click", 1)
    yield 0.3
    call("object.mode_set", mode="OBJECT")
    yield from at_rest()
    shot("after_the_drag")


def strokes(places: tuple[tuple[float, float], ...]) -> Iterator[float]:
    mouse("mousemove", *pixel(*places[0]))
    yield 0.3
    mouse("mousedown", 1)
    for first, last in pairwise(places):
        for share in np.linspace(0.0, 1.0, 8):
            mouse("mousemove", *pixel(*(a + share * (b - a) for a, b in zip(first, last))))
            yield 0.05
    mouse("mouseup", 1)
    yield 0.5


def paints(purpose: str) -> Iterator[float]:
    bpy.context.view_layer.objects.active = the_land()
    call("landscape.paint", purpose=purpose)
    yield 1.0
    yield from strokes(((-0.2, -0.05), (0.2, 0.1)))
    yield from at_rest()
    shot(f"painting_{purpose.lower()}")
    call("object.mode_set", mode="OBJECT")


def erodes() -> Iterator[float]:
    bpy.context.view_layer.objects.active = the_land()
    call("landscape.erosion_brush", "INVOKE_DEFAULT", brush="smooth")
    yield 0.5
    yield from strokes(((-0.2, -0.2), (0.0, 0.2)))
    key("Escape")


def take_all_back(first: np.ndarray) -> Iterator[float]:
    """Press Ctrl+Z until the land is as it was before the first step."""
    mouse("mousemove", *pixel(-0.45, 0.0))
    presses = 0

    def differs() -> bool:
        return len(ground()) != len(first) or bool(np.abs(ground() - first).max() > 1e-3)

    while presses < 60 and (the_land().landscape.recipe.features or differs()):
        key("ctrl+z")
        presses += 1
        yield from at_rest()
    result["presses"], result["is_back"] = presses, not differs()
    result["left"] = [one.name for one in bpy.data.objects if one.landscape_feature.land is not None]
    shot("step_10_all_undone")

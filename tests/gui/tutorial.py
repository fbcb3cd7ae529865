"""The pictures of docs/first_landscape.md, in the order of its steps; put behind hands.py."""

import zipfile


def steps() -> Iterator[float]:
    yield from drop_the_zip()
    yield from open_the_sidebar()
    yield from new_landscape()
    yield from drag_a_slider()
    yield from draw_a_river()
    yield from leave()


def drop_the_zip() -> Iterator[float]:
    """What Blender asks when the file is dropped; nothing is installed twice, Escape takes it away."""
    package = Path(out("procedural_landscape.zip"))
    manifest = Path(module("compat").__file__).parents[1] / "blender_manifest.toml"
    with zipfile.ZipFile(package, "w") as content:
        content.write(manifest, manifest.name)
    yield 1.0
    view = region("WINDOW")
    mouse("mousemove", view.x + view.width // 2, window().height // 2)
    yield 0.5
    with bpy.context.temp_override(window=window(), area=area(), region=view):
        bpy.ops.extensions.package_install_files("INVOKE_DEFAULT", url=str(package))
    yield 1.5
    shot("install_1")
    key("Escape")
    yield 0.5


def open_the_sidebar() -> Iterator[float]:
    area().spaces.active.show_region_ui = True
    yield 1.0
    region("UI").active_panel_category = "Landscape"
    bpy.context.window_manager.landscape_preset = "alpine"
    yield 2.0
    shot("install_2")


def new_landscape() -> Iterator[float]:
    before = set(bpy.data.objects)
    yield from find("landscape.generate", "ctrl+c")
    click(*result["places"]["landscape.generate"])
    yield from until(lambda: bool(set(bpy.data.objects) - before) and not jobs())
    yield from until(lambda: not status(land()) and not jobs())
    yield 4.0
    shot("install_3")


def drag_a_slider() -> Iterator[float]:
    noise = land().landscape.recipe.relief.layers[0].source.fractal_noise
    noise.height *= 1.6
    land().update_tag()
    yield 0.5
    yield from until(lambda: not status(land()) and not jobs())
    yield 3.0
    shot("first_drag")
    noise.height /= 1.6
    land().update_tag()
    yield 0.5
    yield from until(lambda: not status(land()) and not jobs())


def draw_a_river() -> Iterator[float]:
    one = land()
    call("landscape.draw_feature", "INVOKE_DEFAULT", kind="river")
    view = region("WINDOW")
    x, y = view.x + view.width * 2 // 5, window().height - view.y - view.height // 2
    for across, down in ((-80, 150), (-60, 60), (20, 0), (120, -90)):
        mouse("mousemove", x + across, y + down)
        yield 0.3
        mouse("click", 1)
        yield 0.3
    key("Return")
    yield from until(lambda: land() != one)
    # The whole land is computed some time after the quick look.
    for pause in (4.0, 2.0):
        yield from until(lambda: one.landscape.recipe.features and not status(one) and not jobs())
        yield pause
    # Crowns would hide the water.
    one.landscape.plants.hide_set(True)
    yield 1.0
    shot("first_river")
    result["features"] = len(one.landscape.recipe.features)

"""What users see of masks, with a real brush, and of plants, the sun and dialogs; put behind hands.py."""


def steps() -> Iterator[float]:
    yield from make_a_land()
    yield from look_at_the_plants()
    yield from paint_a_mask()
    yield from draw_a_river()
    yield from sculpt()
    yield from look_at_the_sun()
    yield from look_at_the_bake_dialog()
    keep_result()


def open_panels(*names: str) -> Iterator[float]:
    """Show only these sub-panels, open; Blender remembers whether a panel was open by its name."""
    panels = module("ui.panels")
    shown = [panel for panel in panels.CLASSES if getattr(panel, "bl_parent_id", "")]
    for panel in reversed(shown):
        if panel.is_registered:
            bpy.utils.unregister_class(panel)
    for panel in opened:
        bpy.utils.unregister_class(panel)
    opened.clear()
    for panel in shown:
        if panel.bl_label in names:
            name = f"{panel.__name__}_{len(names)}{int(time.monotonic())}"
            opened.append(type(name, (panel,), {"bl_idname": name, "bl_options": set()}))
            bpy.utils.register_class(opened[-1])
    region("UI").tag_redraw()
    yield 1.0


opened: list[type] = []


def make_a_land() -> Iterator[float]:
    area().spaces.active.show_region_ui = True
    yield 1.0
    region("UI").active_panel_category = "Landscape"
    call("landscape.generate", preset="rolling_hills", resolution=RESOLUTION)
    yield from until(lambda: not jobs())
    result["sidebar"] = region("UI").width
    shot("a_land")


def paint_a_mask() -> Iterator[float]:
    relief = land().landscape.recipe.relief
    layer = relief.layers.add()
    layer.name, layer.blend = "Hill", "add"
    layer.source.fractal_noise.base_altitude, layer.source.fractal_noise.height = 200.0, 0.0
    layer.mask.model = "painted_mask"
    relief.layers_index = len(relief.layers) - 1
    yield from open_panels("Relief")
    yield 1.0
    yield from until(lambda: not status(land()) and not jobs())
    shot("b_mask_without_group")
    call("landscape.paint_mask", path=layer.mask.painted_mask.path_from_id())
    with bpy.context.temp_override(window=window(), area=area(), region=region("WINDOW")):
        bpy.ops.view3d.view_axis(type="TOP")
        bpy.ops.view3d.view_selected()
    yield 1.0
    yield from until(lambda: not status(land()) and not jobs())
    before = heights()

    def risen_area() -> int:
        return int((heights() - before > 50.0).sum())

    view = region("WINDOW")
    x, y = view.x + view.width // 3, window().height - view.y - view.height // 2
    mouse("mousemove", x, y)
    yield 0.5
    for _ in range(3):
        mouse("mousemove", x, y, "mousedown", 1)
        for pixels in range(0, 200, 10):
            mouse("mousemove", x + pixels, y)
            yield 0.05
        mouse("mouseup", 1)
        yield 0.5
        x, y = x, y + 30
    # A slow machine still has strokes in its queue when the land rests for the first time.
    yield from settled(risen_area)
    result["mode"], result["group"] = land().mode, land().vertex_groups.active.name
    result["risen_under_the_brush"] = float((heights() - before).max())
    result["risen_area"] = risen_area()
    shot("c_painted")
    mouse("mousemove", view.x + view.width // 2, window().height - view.y - 60)
    yield 0.3
    key("ctrl+z")
    yield from until(lambda: risen_area() < result["risen_area"] and not status(land()) and not jobs())
    result["left_of_the_last_stroke"] = risen_area()
    shot("d_undone")
    call("object.mode_set", mode="OBJECT")
    yield 0.5
    yield from until(lambda: not status(land()) and not jobs())
    result["status_after_painting"] = status(land())


def draw_a_river() -> Iterator[float]:
    """Click points on the land, and take one of them elsewhere in Edit Mode."""
    one, before = land(), heights()
    call("landscape.draw_feature", "INVOKE_DEFAULT", kind="river")
    view = region("WINDOW")
    x, y = view.x + view.width * 2 // 5, window().height - view.y - view.height // 2
    yield 0.3
    for across, down in ((100, -120), (0, 0), (-80, 140)):
        mouse("mousemove", x + across, y + down)
        yield 0.2
        mouse("click", 1)
        yield 0.3
    key("Return")
    yield from until(lambda: land() != one)
    river = land()
    result["drawn"] = [river.name, river.landscape_feature.land == one]
    yield from until(lambda: one.landscape.recipe.features and not status(one) and not jobs())
    river.data.splines[0].bezier_points[1].co.x += 200.0
    river.data.update_tag()
    yield 0.5
    yield from until(lambda: not status(one) and not jobs())
    shot("m_river")
    bpy.context.view_layer.objects.active = one
    result["cut_by_the_river"] = float((before - heights()).max())


def sculpt() -> Iterator[float]:
    call("object.mode_set", mode="SCULPT")
    yield 1.0
    shot("e_sculpt")
    call("landscape.keep_sculpt")
    yield 1.0
    yield from until(lambda: not status(land()) and not jobs())
    result["mode_after_keeping"] = land().mode
    shot("f_kept")


def look_at_the_plants() -> Iterator[float]:
    plants = land().landscape.plants
    modifier = plants.modifiers[0]
    module("compat").set_modifier_input(modifier, "Viewport Share", 5.0)
    yield from open_panels("Plants")
    with bpy.context.temp_override(window=window(), area=area(), region=region("WINDOW")):
        bpy.ops.view3d.view_camera()
    yield 2.0
    shot("g_plants_solid")
    # They have been seen; drawing them takes most of the time.
    land().landscape.recipe.ecosystem.cover = FEW
    land().update_tag()
    yield from until(lambda: not status(land()) and not jobs())


def look_at_the_sun() -> Iterator[float]:
    yield from open_panels("Light and Material")
    bpy.context.scene.landscape_daylight.direction = 2.0
    yield 1.0
    shot("h_sun")


def look_at_the_bake_dialog() -> Iterator[float]:
    call("landscape.bake_textures", "INVOKE_DEFAULT")
    yield 3.0
    shot("i_bake")
    key("Escape")
    yield 1.0
    call("landscape.export_package", "INVOKE_DEFAULT")
    yield 3.0
    shot("j_package")
    key("Escape")
    yield 1.0

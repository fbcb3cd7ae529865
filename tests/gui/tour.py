"""The pictures of docs/tour.md: the sidebar with each of its panels open; put behind hands.py."""

HEADER = 12  # pixels, less than the height of the header of a panel
PANELS = {
    "features": "draw",
    "paint": "paint",
    "relief": "relief",
    "erosion": "erosion",
    "water": "water",
    "maps": "maps",
    "plants": "plants",
    "material": "light",
    "output": "output",
}
drawn: list[str] = []


def steps() -> Iterator[float]:
    yield from land_in_the_sidebar()
    yield 1.0
    watch_the_panels()
    yield from open_one_panel_after_the_other()
    yield from leave()


def land_in_the_sidebar() -> Iterator[float]:
    area().spaces.active.show_region_ui = True
    yield 1.0
    region("UI").active_panel_category = "Landscape"
    call("landscape.generate", "EXEC_DEFAULT", preset="alpine", resolution=RESOLUTION)
    yield 1.0
    yield from until(lambda: not status(land()) and not jobs())
    yield 3.0
    shot("tour_closed")


def watch_the_panels() -> None:
    """Note which panels are drawn: those that are open."""
    for name in (*PANELS, "new_planet"):
        cls = getattr(bpy.types, f"VIEW3D_PT_landscape_{name}")
        cls.draw = noted(cls.draw, name)


def noted(draw: Callable[..., None], name: str) -> Callable[..., None]:
    def draw_and_note(panel: bpy.types.Panel, context: bpy.types.Context) -> None:
        drawn.append(name)
        draw(panel, context)

    return draw_and_note


def open_one_panel_after_the_other() -> Iterator[float]:
    """From the last to the first, because a panel that opens moves those below it."""
    sidebar = region("UI")
    x, top = sidebar.x + sidebar.width // 2, window().height - sidebar.y - sidebar.height
    shown: dict[str, int] = {}
    for y in range(top + sidebar.height - HEADER, top, -HEADER):
        mouse("mousemove", x, y)
        yield 0.2
        drawn.clear()
        click(x, y)
        yield 1.0
        opened = next(iter(drawn), "")
        if opened in PANELS and opened not in shown:
            shown[opened] = y - top
            mouse("mousemove", x - sidebar.width, y)
            # Pictures of plants come one after the other.
            yield 6.0
            shot(f"tour_{PANELS[opened]}")
        if opened:
            click(x, y)
            yield 1.0
        if len(shown) == len(PANELS):
            break
    result["shown"] = {PANELS[name]: header for name, header in shown.items()}
    result["sidebar"] = (sidebar.x, top, sidebar.width, sidebar.height)

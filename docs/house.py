"""Draws the house: folders as rooms on floors, imports between them as arrows.

A room is a folder, or a file that stands beside folders.  It stands one floor above the highest room that it imports,
so an arrow can only run down: an import that runs up would close a circle.
"""

import ast
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent

WIDTH, ROOM, HEIGHT, FLOOR, MARGIN = 960, 150, 44, 84, 20


class House(NamedTuple):
    """What each room imports, and the floor on which it stands."""

    arrows: dict[str, set[str]]
    floors: dict[str, int]


def survey(folder: str) -> House:
    """Return the rooms of a folder of the package, as its imports place them.

    Raises
    ------
    ValueError
        If rooms import one another in a circle.
    """
    place = ROOT / folder
    arrows: dict[str, set[str]] = {}
    for file in sorted(place.rglob("*.py")):
        room = _room(file.relative_to(place).with_suffix("").parts)
        if room is None:
            continue
        used = {_room(parts) for parts in _imports(file, place)} - {None, room}
        arrows.setdefault(room, set()).update(str(one) for one in used)
    return House(arrows, {room: _floor(room, arrows, ()) for room in arrows})


def _room(parts: tuple[str, ...]) -> str | None:
    """The room of a module, by its path from the folder; None for the folder's own face."""
    return parts[0] if parts and parts[0] != "__init__" else None


def _imports(file: Path, place: Path) -> list[tuple[str, ...]]:
    """Paths from the folder to the modules that a file imports."""
    here = file.relative_to(ROOT).parent.parts
    found = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        target = (*here[: len(here) - node.level + 1], *(node.module or "").split("."))
        whole = [tuple(filter(None, (*target, alias.name))) for alias in node.names]
        base = place.relative_to(ROOT).parts
        found += [path[len(base) :] for path in whole if path[: len(base)] == base]
    return found


def _floor(room: str, arrows: dict[str, set[str]], above: tuple[str, ...]) -> int:
    if room in above:
        raise ValueError(f"{' -> '.join((*above, room))} is a circle of imports")
    return 1 + max((_floor(used, arrows, (*above, room)) for used in arrows[room]), default=0)


def draw(folder: str) -> str:
    """Return the picture of a folder as SVG."""
    house = survey(folder)
    top = max(house.floors.values())
    places: dict[str, tuple[float, float]] = {}
    for floor in range(1, top + 1):
        rooms = sorted(room for room, stands in house.floors.items() if stands == floor)
        for number, room in enumerate(rooms, start=1):
            # Rooms of neighbouring floors stand beside one another, so that arrows do not run through them.
            shift = 0.18 * WIDTH * (floor % 3 - 1) if len(rooms) == 1 else 0.0
            places[room] = (WIDTH * number / (len(rooms) + 1) + shift, MARGIN + (top - floor) * FLOOR)
    height = 2 * MARGIN + (top - 1) * FLOOR + HEIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif">',
        f'<rect width="{WIDTH}" height="{height}" fill="#fbfaf7"/>',
    ]
    for room, used in sorted(house.arrows.items()):
        x, y = places[room]
        for other in sorted(used):
            to_x, to_y = places[other]
            bend = 0.5 * (y + HEIGHT + to_y)
            parts.append(
                f'<path d="M {x:.0f} {y + HEIGHT} C {x:.0f} {bend:.0f} {to_x:.0f} {bend:.0f} {to_x:.0f} {to_y}" '
                'fill="none" stroke="#8a9a8a" stroke-width="1.2" opacity="0.7"/>'
            )
    for room, (x, y) in sorted(places.items()):
        parts.append(
            f'<rect x="{x - ROOM / 2:.0f}" y="{y}" width="{ROOM}" height="{HEIGHT}" rx="6" fill="#e4ede1" '
            'stroke="#52705a"/>'
            f'<text x="{x:.0f}" y="{y + 28}" text-anchor="middle" font-size="15">{room}</text>'
        )
    return "\n".join([*parts, "</svg>", ""])


def count(folder: str) -> str:
    """Return how many rooms, arrows and floors a folder has, in words."""
    house = survey(folder)
    arrows = sum(map(len, house.arrows.values()))
    return f"{len(house.floors)} rooms, {arrows} arrows, {max(house.floors.values())} floors"

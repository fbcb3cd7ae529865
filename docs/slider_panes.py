"""Sliders at three values each: the land seen from above, side by side, and the table below it."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from terrain_addon.core.building.landscape import Landscape
from terrain_addon.core.flow.water import Water, find_water
from terrain_addon.core.foundation.parameters import Parameter, ParameterSet, menu_name, parameters_of

PANE = 225
"""Samples along each side of a land that is shown."""

_GAP = 6
WATER_COLOUR = (0.24, 0.43, 0.60)
"""Of lakes and rivers seen from above."""

_TOWARDS_SUN = (-0.5, 0.5, 0.7)
_ROCK, _SOIL, _SAND = (0.78, 0.76, 0.74), (0.66, 0.68, 0.44), (0.95, 0.82, 0.58)
# Metres of loose ground under which rock is no longer seen.
_COVERED = 0.5


class Slider(NamedTuple):
    """A parameter, three values, and what an artist does with it."""

    name: str
    values: tuple[Any, Any, Any]
    use: str


def side_by_side(landscapes: Sequence[Landscape], water: Water) -> NDArray[np.float32]:
    """Return lands from above, with a white gap between them and below."""
    gap = np.ones((PANE, _GAP, 4), np.float32)
    first, *more = (seen_from_above(land, water) for land in landscapes)
    panes = np.concatenate([first, *(part for pane in more for part in (gap, pane))], axis=1)
    return np.concatenate((panes, np.ones((_GAP, panes.shape[1], 4), np.float32)))


def slider_table(parameters: type[ParameterSet], sliders: Sequence[Slider]) -> str:
    """Return Markdown: a row for each slider, with its values from left to right."""
    declared = {one.name: one for one in parameters_of(parameters)}
    lines = ["| row | slider | left | middle | right | what to do with it |\n|---|---|---|---|---|---|\n"]
    for number, slider in enumerate(sliders, start=1):
        one = declared[slider.name]
        values = " | ".join(f"{value_text(one, value)} {one.unit}".rstrip() for value in slider.values)
        folded = ", in *Advanced*" if one.advanced else ""
        lines.append(f"| {number} | *{one.label}*{folded} | {values} | {slider.use} |\n")
    return "".join(lines)


def table_of_others(heading: str, column: str, shown: set[str], classes: Mapping[str, type]) -> str:
    """Return Markdown: what the page shows no picture of, by the name of its parameters."""
    lines = [f"## {heading}\n\n| {column} |\n|---|---|\n"]
    for name, described in classes.items():
        if name not in shown:
            summary = (described.__doc__ or "").partition("\n")[0]
            lines.append(f"| [{name.replace('_', ' ').title()}](parameters.md#{name}) | {summary} |\n")
    return "".join(lines)


def value_text(parameter: Parameter, value: Any) -> str:
    """Return a number with commas, or the name of a choice as menus show it."""
    if isinstance(value, str):
        return parameter.choice_name(value) if parameter.choices else menu_name(value)
    return f"{value:,.10g}"


def seen_from_above(landscape: Landscape, water: Water) -> NDArray[np.float32]:
    """Return a land in the light of the north-west, with its loose ground and its water.

    Parameters
    ----------
    landscape : Landscape
        It was built.
    water : Water
        Which water is shown.

    Returns
    -------
    ndarray of float32, shape (rows, columns, 4)
        RGBA from the bottom up.
    """
    terrain = landscape.terrain
    light = light_from_north_west(terrain.surface.astype(np.float64), terrain.cell_size)[..., np.newaxis]
    loose = np.clip(terrain.sediment / _COVERED, 0.0, 1.0)[..., np.newaxis]
    ground = np.array(_SOIL if water.rivers else _SAND)
    colours = (0.15 + 1.15 * light) * (np.array(_ROCK) + loose * (ground - np.array(_ROCK)))
    colours[find_water(terrain.surface, terrain.cell_size, water).water_depth > 0.0] = np.array(WATER_COLOUR)
    return np.dstack((np.clip(colours, 0.0, 1.0), np.ones(light.shape[:2]))).astype(np.float32)


def light_from_north_west(surface: NDArray[np.float64], cell_size: float) -> NDArray[np.float64]:
    """Return how much of the light of a low sun reaches each sample of a surface, 0 to 1, without shadows."""
    north, east = np.gradient(surface, cell_size)
    normal = np.dstack((-east, -north, np.ones_like(east)))
    towards = np.array(_TOWARDS_SUN) / np.linalg.norm(_TOWARDS_SUN)
    light: NDArray[np.float64] = np.clip(normal @ towards / np.linalg.norm(normal, axis=2), 0.0, 1.0)
    return light

"""The page of relief for artists: sources, blends, masks and shaping at three values each, seen from above."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from slider_panes import PANE, Slider, side_by_side, slider_table, table_of_others

from terrain_addon.core import Recipe, build
from terrain_addon.core.building.layers import Layer, Relief
from terrain_addon.core.building.recipe import Ecosystem
from terrain_addon.core.flow.water import Water
from terrain_addon.core.foundation.parameters import ParameterSet
from terrain_addon.core.maps.masks import MASKS
from terrain_addon.core.relief.shaping import Shaping
from terrain_addon.core.relief.sources import SOURCES

_SIZE = 4000.0  # metres along each side of the land
_DRY = Water(rivers=False, lakes=False)

INTRODUCTION = """# Relief for artists

The relief is the shape that the land starts from. In the panel **Relief** it is a list of layers. The first
layer of the list is the lowest; each next one lies on those before it. Each layer has a *Source*, which makes its
heights, and a *Blend*, which says how it is combined with the layers below it. *Mask* limits it to a part of the land.
*Shaping*, below the list, changes the whole stack.

1. Begin with one layer of *Fractal Noise*. *Height* and *Wavelength* decide what kind of land it is. The mountains of
   the preset *alpine* have a *Height* of 8,500 m and a *Wavelength* of 8,000 m, the hills of *rolling_hills* 300 m and
   800 m. *Height* is the greatest height that the noise can reach, not the height that you get. The noise of a land
   mostly spans a third to two thirds of it, and rivers change that again. So *alpine* ends with about 1,400 m between
   its lowest and its highest place, *rolling_hills* with 180 m.
2. Add *Stream Power* in **Erosion**. It makes valleys and ridges, and most fine detail of the relief is gone then. So
   choose large forms here, and leave small ones to [erosion](erosion_for_artists.md).
3. Add a second layer only for something that noise does not make: a cone, a plateau, a plain before mountains.
4. Change *Seed* until you like the land. *Variation*, in *Advanced*, changes one layer alone.

Each row shows one setting at three values, before erosion. You always see 4 km of land from above, in light from the
north-west.

"""


class Row(NamedTuple):
    """A part of a relief, where its values are declared, what it is for, its sliders, and other values than usual."""

    name: str
    declared: type[ParameterSet]
    use: str
    sliders: tuple[Slider, ...]
    others: Mapping[str, Any] = MappingProxyType({})


_SOURCES = {source.model(): source for source in SOURCES}
_HILLS: Mapping[str, Any] = MappingProxyType({"wavelength": 1500.0, "height": 1000.0})

ROWS = (
    Row(
        "fractal_noise",
        _SOURCES["fractal_noise"],
        "Hills and mountains of every kind. Take it first.",
        (
            Slider("wavelength", (500.0, 1500.0, 4000.0), "The distance between large hills. Lower *Height* with it."),
            Slider("character", ("smooth", "billow", "ridged"), "Hills, round mounds, or sharp ridges."),
            Slider("gain", (0.35, 0.5, 0.65), "Low is smooth, high is rugged. Below 0.5 erosion has more to do."),
            Slider("warp", (0.0, 300.0, 800.0), "Bends ridges and valleys, as folded rock does."),
        ),
        _HILLS,
    ),
    Row(
        "multifractal_noise",
        _SOURCES["multifractal_noise"],
        "Land that is rough where it is high and smooth where it is low.",
        (
            Slider("character", ("hybrid", "hetero", "ridged"), "Soft hills, rough hills, or bare ridges."),
            Slider("offset", (0.6, 1.0, 1.5), "Low leaves more of the land smooth."),
        ),
        _HILLS,
    ),
    Row(
        "slope_damped_noise",
        _SOURCES["slope_damped_noise"],
        "Slopes that look worn. It is fast, and good for far land that no process erodes.",
        (
            Slider("character", ("damped", "swiss", "jordan"), "Worn slopes, ribs down slopes, or round blocks."),
            Slider("damping", (0.0, 0.3, 0.8), "High makes smooth slopes between sharp crests."),
        ),
        _HILLS,
    ),
    Row(
        "cellular_noise",
        _SOURCES["cellular_noise"],
        "Cells around scattered points: plateaus with cracks, blocks, cones.",
        (Slider("feature", ("f1", "f2", "f2_minus_f1"), "Pits around points, wide pits, or cells with walls."),),
        _HILLS,
    ),
    Row(
        "midpoint_displacement",
        _SOURCES["midpoint_displacement"],
        "The classic fractal land of films and papers.",
        (
            Slider(
                "smoothness",
                (0.6, 0.9, 1.2),
                "Low is as rough as gravel; high makes smoother ground, with straight creases along the squares.",
            ),
        ),
        {"wavelength": 2000.0, "height": 1000.0},
    ),
    Row(
        "volcano",
        _SOURCES["volcano"],
        "One cone with a crater. Lay it over a layer of noise, whose hills make its flanks uneven.",
        (
            Slider("crater_radius", (100.0, 300.0, 700.0), "Wide craters are those of large eruptions."),
            Slider("concavity", (1.0, 1.7, 3.0), "Low is a straight cone, high steepens towards the summit."),
        ),
        {"height": 1200.0},
    ),
    Row(
        "blend",
        Layer,
        "A second layer with a cone lies on a first one with hills.",
        (
            Slider(
                "blend",
                ("add", "subtract", "multiply"),
                "Adds the cone, takes it away, or lowers land around it.",
            ),
            Slider("blend", ("max", "min", "smooth_max"), "What is higher, what is lower, or a rounded border."),
            Slider("opacity", (0.25, 0.5, 1.0), "How strongly the layer acts."),
        ),
    ),
    Row(
        "mask",
        Layer,
        "A second layer with sharp ridges lies on hills. The mask says where it acts.",
        (Slider("mask", ("everywhere", "noise_mask", "height_mask"), "Everywhere, in patches, or on high ground."),),
    ),
    Row(
        "shaping",
        Shaping,
        "What happens to the stack as a whole.",
        (
            Slider("terracing", (0.0, 0.5, 1.0), "Steps, as of rice fields or of level beds of rock."),
            Slider("border", ("open", "square", "round"), "Lets the land fall towards its border, as an island does."),
        ),
        {"falloff_width": 1200.0},
    ),
)


def write_relief_page(page: Path, save: Any) -> None:
    """Write the page and its pictures.

    Parameters
    ----------
    page : Path
        Markdown.
    save : callable
        Takes the name of a picture, and its pixels from the bottom up.
    """
    for row in ROWS:
        lands = [[_land(row, slider.name, value) for value in slider.values] for slider in reversed(row.sliders)]
        save(picture_of(row), np.concatenate([side_by_side(three, _DRY) for three in lands], axis=0))
    page.write_text(relief_page(), encoding="utf-8")


def picture_of(row: Row) -> str:
    """Return the name of the picture of a part of the relief."""
    return f"sliders_relief_{row.name}"


def relief_page() -> str:
    """Return the page as Markdown."""
    others = table_of_others("Other sources", "source | what it makes", {row.name for row in ROWS}, _SOURCES)
    return "".join((INTRODUCTION, *map(_section, ROWS), others)).rstrip() + "\n"


def _section(row: Row) -> str:
    """The part of the page about a part of the relief."""
    title = row.name.replace("_", " ").title()
    anchor = row.declared.__name__.lower() if row.declared in (Layer, Shaping) else row.name
    return (
        f"## {title}\n\n{row.use}\n\n![{title} at three values]({picture_of(row)}.jpg)\n\n"
        f"{slider_table(row.declared, row.sliders)}\nAll values: [Parameters](parameters.md#{anchor}).\n\n"
    )


def _land(row: Row, name: str, value: Any) -> Any:
    """Build the land that shows one value."""
    values = {**row.others, name: value}
    noise = _SOURCES["fractal_noise"]
    hills = Layer(source=noise(wavelength=2000.0, height=900.0, gain=0.42))
    ridges = noise(wavelength=900.0, height=700.0, character="ridged")
    second = ridges if row.name == "mask" else _SOURCES["volcano"](height=900.0)
    if row.declared is Shaping:
        relief = Relief(layers=(hills,), shaping=Shaping(**values))
    elif row.declared is Layer:
        relief = Relief(layers=(hills, Layer(source=second, variation=1, **_with_mask(values))))
    else:
        relief = Relief.of(row.declared(**values))
    recipe = Recipe(
        width=_SIZE,
        depth=_SIZE,
        resolution=PANE,
        seed=7,
        relief=relief,
        erosion=(),
        ecosystem=Ecosystem(species=()),
        water=_DRY,
    )
    return build(recipe)


def _with_mask(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a layer, with the mask itself in place of its name."""
    masks = {mask.model(): mask() for mask in MASKS}
    return {name: masks[value] if name == "mask" else value for name, value in values.items()}

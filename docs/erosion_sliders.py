"""The page of erosion for artists: each main slider of each process at three values, seen from above."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from slider_panes import PANE, Slider, side_by_side, slider_table, table_of_others

from terrain_addon.core import Recipe, build
from terrain_addon.core.erosion.process import ProcessParameters
from terrain_addon.core.erosion.processes import PROCESSES
from terrain_addon.core.flow.water import Water
from terrain_addon.core.foundation.parameters import parameters_of

INTRODUCTION = """# Erosion for artists

Each row shows one slider at three values; the other sliders keep their usual values, unless a line below the table
names others. You always see the same land from above, 4 km wide, in light from the north-west. Rock is grey, loose
ground is green, water is blue. The land of the dunes at the end is 1.5 km wide.

Processes work one after the other, in the order of the list in the panel **Erosion**. Begin with *Stream Power*, which
makes the large shapes. Then add one or two others. The mask of a process limits it to a part of the land.

"""


class Row(NamedTuple):
    """A process, the land on which it is shown, its sliders, and other values than usual of its other parameters."""

    model: str
    land: str
    use: str
    sliders: tuple[Slider, ...]
    others: Mapping[str, Any] = MappingProxyType({})


ROWS = (
    Row(
        "stream_power",
        "hills",
        "The first process of nearly every land. Rivers cut while the land rises.",
        (
            Slider("age", (0.1, 1.0, 4.0), "Young gives gorges in a plateau, old gives low hills. Try this one first."),
            Slider("strength", (0.3, 1.0, 3.0), "Low leaves massive blocks, high opens wide valleys."),
            Slider("rockiness", (0.0, 0.5, 1.0), "Low makes soft, green land; high makes walls and sharp crests."),
            Slider("uplift", (0.4, 1.0, 2.0), "How high the mountains become."),
        ),
    ),
    Row(
        "droplets",
        "mountains",
        "Gullies on slopes. It works on the scale of cells, so use it on fine lands.",
        (
            Slider("density", (0.1, 0.3, 1.5), "More drops make closer and deeper gullies."),
            Slider("radius", (1, 3, 6), "Wide drops make smooth gullies."),
            Slider("capacity", (1.0, 4.0, 12.0), "High digs deeper, and leaves larger fans below."),
        ),
    ),
    Row(
        "thermal_erosion",
        "mountains",
        "Frost breaks crests; scree gathers below walls.",
        (
            Slider("passes", (3, 30, 150), "More passes make lower crests and more scree."),
            Slider("talus_angle", (25.0, 35.0, 45.0), "Low makes long aprons of scree."),
        ),
    ),
    Row(
        "hydraulic_erosion",
        "mountains",
        "Running water takes loose ground away and cuts into rock where it is wet and steep.",
        (Slider("passes", (3, 30, 150), "More passes make deeper valleys and softer ground between them."),),
    ),
    Row(
        "landslides",
        "mountains",
        "Walls that are too steep fall down.",
        (Slider("critical_angle", (35.0, 45.0, 55.0), "Low takes all cliffs away, high leaves most of them."),),
    ),
    Row(
        "cliff_retreat",
        "mountains",
        "Flat-topped mesas, walls and benches, where hard and weak beds alternate. More on its [own page](rock.md).",
        (
            Slider("years", (2e4, 1e5, 3e5), "More years make wider benches; mesas become buttes."),
            Slider("hard_bed", (30.0, 80.0, 200.0), "Thick beds make high walls."),
            Slider("weak_bed", (30.0, 90.0, 200.0), "Thick beds make long slopes of talus."),
        ),
        {"altitude": 1300.0},
    ),
    Row(
        "hillslope_diffusion",
        "mountains",
        "Rounds everything sharp, as soil creeps.",
        (
            Slider("years", (1e4, 1e5, 1e6), "More years make rounder land."),
            Slider("critical_angle", (35.0, 60.0, 90.0), "Low makes straight slopes with sharp edges between them."),
        ),
    ),
    Row(
        "deposition",
        "mountains",
        "Valleys are filled, and fans grow where streams leave the mountains.",
        (
            Slider("supply", (0.3, 3.0, 15.0), "Much supply fills whole valleys."),
            Slider("fan_angle", (0.5, 2.0, 6.0), "A high angle puts fans into steeper valleys, too."),
        ),
    ),
    Row(
        "weathering",
        "mountains",
        "Rock becomes soil, and plants grow where soil lies. Nearly every land needs it.",
        (
            Slider("soil_depth", (0.2, 1.5, 6.0), "Deep soil bears large trees."),
            Slider("talus_angle", (25.0, 35.0, 45.0), "Slopes above it are bare rock."),
        ),
    ),
    Row(
        "glaciation",
        "mountains",
        "Ice ages: wide valleys, hollows with lakes, moraines. More on its [own page](ice.md).",
        (
            Slider("equilibrium_line_altitude", (1700.0, 1500.0, 1300.0), "A lower line lets ice reach farther down."),
            Slider("years", (5e3, 2e4, 8e4), "More years make wider and deeper troughs."),
            Slider("meltwater", (0.5, 0.9, 1.0), "Low leaves more moraine."),
        ),
        {"equilibrium_line_altitude": 1400.0, "years": 20_000.0},
    ),
    Row(
        "sand",
        "flat",
        "Dunes that travel with the wind.",
        (
            Slider("supply", (1.5, 4.0, 10.0), "Little sand makes barchans, much makes long dunes."),
            Slider("years", (80.0, 160.0, 320.0), "Dunes grow and join one another."),
        ),
        {"years": 320.0},
    ),
)


def write_page(page: Path, save: Any) -> None:
    """Write the page and its pictures.

    Parameters
    ----------
    page : Path
        Markdown.
    save : callable
        Takes the name of a picture, and its pixels from the bottom up.
    """
    for row in ROWS:
        save(picture_of(row), np.concatenate([_panes(row, slider) for slider in reversed(row.sliders)], axis=0))
    page.write_text(sliders_page(), encoding="utf-8")


def picture_of(row: Row) -> str:
    """Return the name of the picture of a process."""
    return f"sliders_{row.model}"


def sliders_page() -> str:
    """Return the page as Markdown."""
    classes = {process.model(): process for process in PROCESSES}
    shown = {row.model for row in ROWS}
    others = table_of_others("Without pictures here", "process | what it does", shown, classes)
    return "".join((INTRODUCTION, *map(_section, ROWS), others)).rstrip() + "\n"


def _section(row: Row) -> str:
    """The part of the page about a process."""
    parameters = _parameters_of(row.model)
    title = row.model.replace("_", " ").title()
    lines = [f"## {title}\n\n{row.use}\n\n![{title}: each slider at three values]({picture_of(row)}.jpg)\n\n"]
    lines.append(slider_table(parameters, row.sliders))
    declared = {one.name: one for one in parameters_of(parameters)}
    if row.others:
        kept = (
            f"*{declared[n].label}* is {value:,.10g} {declared[n].unit}".rstrip() for n, value in row.others.items()
        )
        lines.append(f"\nWhere it is not the slider of the row, {' and '.join(kept)}.\n")
    lines.append(f"\nAll its sliders: [Parameters](parameters.md#{row.model}).\n\n")
    return "".join(lines)


def _parameters_of(model: str) -> type[ProcessParameters]:
    (found,) = (one for one in PROCESSES if one.model() == model)
    return found


def _panes(row: Row, slider: Slider) -> NDArray[np.float32]:
    """One land at three values of a slider, side by side."""
    process = _parameters_of(row.model)
    lands = [build(_recipe(row.land, process(**{**row.others, slider.name: value}))) for value in slider.values]
    return side_by_side(lands, _WATER_OF[row.land])


def _recipe(land: str, process: ProcessParameters) -> Recipe:
    """A land without plants to which a process is added last."""
    size = _SIZE[land]
    plain = Recipe.preset("alpine", width=size, depth=size, resolution=PANE, seed=7)
    (layer,) = plain.relief.layers
    noise = layer.source.replace(wavelength=3000.0, height=2200.0, base_altitude=400.0)
    if land == "flat":
        noise = noise.replace(height=4.0)
    relief = plain.relief.replace(layers=(layer.replace(source=noise),))
    rivers = plain.erosion[0]
    before: Sequence[ProcessParameters] = (rivers,) if land == "mountains" else ()
    ecosystem = plain.ecosystem.replace(species=())
    return plain.replace(relief=relief, erosion=(*before, process), ecosystem=ecosystem, water=_WATER_OF[land])


_SIZE = {"hills": 4000.0, "mountains": 4000.0, "flat": 1500.0}
_WATER_OF = {
    "hills": Water(river_source=0.5),
    "mountains": Water(river_source=0.5),
    "flat": Water(rivers=False, lakes=False),
}

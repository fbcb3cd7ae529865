"""The pages of models: what each source of relief, each process and the weather computes, its laws and its sources.

They are made from the docstrings of the modules, the declarations of the parameters, and the names of the tests, so
they say what the code says. `MODELS` adds what none of these knows: which tests are about a model, and which picture
shows it.
"""

import ast
import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from erosion_sliders import ROWS
from parameters_page import parameter_rows, use_of
from source_tiles import ACROSS, ON_SHEET, choices_shown

from terrain_addon.core.climate.climate import Climate
from terrain_addon.core.ecosystem.evolution_parameters import Evolution
from terrain_addon.core.ecosystem.soil_feedback import SoilFeedback
from terrain_addon.core.erosion.processes import PROCESSES
from terrain_addon.core.foundation.parameters import ParameterSet, parameters_of
from terrain_addon.core.ice.glaciers import Glaciers
from terrain_addon.core.maps.catalogue import MAPS
from terrain_addon.core.relief.sources import SOURCES
from terrain_addon.core.snow.winter import Winter

DOCS = Path(__file__).resolve().parent
TESTS = DOCS.parent / "tests"

WEATHER = (Climate, Glaciers, Winter, Evolution, SoilFeedback)
GROUPS: dict[str, tuple[type[ParameterSet], ...]] = {
    "Sources of relief": tuple(SOURCES),
    "Processes": tuple(PROCESSES),
    "Weather, ice and forest": WEATHER,
}
"""The models under their headings, in the order of the page that lists them."""

FOR_ALL = {
    "Sources of relief": ("laws/test_limits_of_sources", "laws/test_layers"),
    "Processes": ("laws/test_processes", "laws/test_process_masks"),
    "Weather, ice and forest": ("laws/test_determinism",),
}
"""Files below tests/ that hold for every model under a heading."""


class Laws(NamedTuple):
    """A file below tests/; of its tests those count in which one of some words stands, or all of them."""

    file: str
    words: tuple[str, ...] = ()


class Model(NamedTuple):
    """What the page of a model says beside what the code says of itself.

    Attributes
    ----------
    laws : tuple of Laws
        Tests that are about this model.
    more : tuple of str
        Modules of terrain_addon.core, beside that of the parameters, whose docstrings hold its equations.
    picture, caption : str
        A picture of docs/ and what it shows; without them, tiles of a source or sliders of a process.
    guide : str
        A page of docs/ that says more for artists.
    """

    laws: tuple[Laws, ...]
    more: tuple[str, ...] = ()
    picture: str = ""
    caption: str = ""
    guide: str = ""


_PUBLISHED = "reference/test_published_noise"
MODELS = {
    "fractal_noise": Model(
        (Laws("laws/test_noise", ("FractalNoise", "LANDS", "lands")), Laws("laws/test_moving_noise"))
    ),
    "multifractal_noise": Model((Laws("laws/test_noise", ("MultifractalNoise", "LANDS", "lands")),)),
    "slope_damped_noise": Model((Laws("laws/test_noise", ("SlopeDampedNoise", "LANDS", "lands")),)),
    "double_ridged_noise": Model((Laws("laws/test_noise", ("DoubleRidgedNoise", "LANDS", "lands")),)),
    "cellular_noise": Model((Laws("laws/test_noise", ("CellularNoise", "cellular", "LANDS", "lands")),)),
    "white_noise": Model(
        (Laws("laws/test_noise", ("WhiteNoise",)), Laws("laws/test_limits_of_sources", ("WhiteNoise",)))
    ),
    "midpoint_displacement": Model((Laws("laws/test_midpoint"),)),
    "volcano": Model(
        (Laws("core/test_volcano"),),
        picture="volcano.jpg",
        caption="The preset *Volcano*: the cone, with noise and erosion on its flanks.",
    ),
    "elevation_model": Model(
        (Laws("laws/test_relief"),),
        more=("foundation.resampling",),
        picture="big_tujunga.jpg",
        caption="The preset *Big Tujunga*: measured mountains of California.",
        guide="real_terrain.md",
    ),
    "stored_heights": Model(
        (Laws("laws/test_relief"), Laws("core/test_layers", ("StoredHeights", "StoredField"))),
        picture="tour_relief.jpg",
        caption="The panel *Relief*, where a layer gets its source. *Keep Sculpted Surface* takes over sculpted land.",
    ),
    "salted_perlin": Model((Laws(_PUBLISHED, ("salted", "Salted", "TABLE_A")),)),
    "zoomed_perlin": Model((Laws(_PUBLISHED, ("zoomed", "Zoomed")),)),
    "sliding_perlin": Model((Laws(_PUBLISHED, ("animated", "Sliding")),)),
    "random_angle_perlin": Model((Laws(_PUBLISHED, ("random_angle", "RandomAngle")),)),
    "stream_power": Model((Laws("laws/test_stream_power"),), more=("erosion.river_incision",)),
    "thermal_erosion": Model(
        (Laws("laws/test_layered_erosion", ("thermal", "Thermal", "PROCESSES")),), more=("erosion.erosion_factors",)
    ),
    "hydraulic_erosion": Model(
        (Laws("laws/test_layered_erosion", ("hydraulic", "Hydraulic", "PROCESSES")),),
        more=("erosion.erosion_factors",),
    ),
    "deposition": Model((Laws("laws/test_hillslope", ("Deposition",)),)),
    "droplets": Model((Laws("laws/test_droplets"),)),
    "hillslope_diffusion": Model(
        (Laws("laws/test_hillslope", ("Creep", "HillslopeDiffusion")),), more=("erosion.steep_creep",)
    ),
    "landslides": Model((Laws("laws/test_hillslope", ("Landslides", "collapse")),)),
    "cliff_retreat": Model(
        (Laws("laws/test_cliffs"),), more=("erosion.rock_walls", "erosion.hoodoos"), guide="rock.md"
    ),
    "stabilisation": Model(
        (Laws("laws/test_layered_erosion", ("Stabilisation", "stabilise", "PROCESSES")),),
        picture="sliders_landslides.jpg",
        caption="Debris of landslides at its talus angle: the same law lets it slide.",
    ),
    "weathering": Model((Laws("laws/test_conservation"),)),
    "river_beds": Model(
        (Laws("core/test_water_geometry", ("RiverBeds",)), Laws("laws/test_worlds", ("RiverBeds", "river_beds"))),
        picture="big_tujunga.jpg",
        caption="The preset *Big Tujunga*: its river lies in a bed that this process cut.",
    ),
    "sand": Model((Laws("laws/test_sand"),), guide="sand.md"),
    "glaciation": Model((Laws("laws/test_ice"),), more=("ice.ice_flow",), guide="ice.md"),
    "wandering_rivers": Model(
        (Laws("laws/test_wandering_rivers"), Laws("laws/test_meanders")),
        more=("meander.centre_line",),
        picture="wandering_rivers.jpg",
        caption="A plain, and the same after its rivers have wandered for 900 years.",
        guide="wandering_rivers.md",
    ),
    "climate": Model(
        (Laws("laws/test_climate"),),
        more=("climate.orographic_rain", "climate.temperature", "climate.moisture", "climate.snow"),
        picture="climate.jpg",
        caption="Above: rain, temperature and days with snow under west wind, dark where they are low. Below: "
        "moisture; a forest without the climate and with it.",
        guide="climate.md",
    ),
    "glaciers": Model(
        (Laws("laws/test_glaciers"),),
        more=("ice.ice_flow",),
        picture="glaciers.jpg",
        caption="A valley without and with the glaciers of today.",
        guide="ice.md",
    ),
    "winter": Model(
        (Laws("laws/test_winter"),),
        more=("snow.snowpack", "snow.drift", "snow.avalanches"),
        picture="winter.jpg",
        caption="One land in January, April and July.",
        guide="winter.md",
    ),
    "evolution": Model(
        (
            Laws(
                "laws/test_ecosystem",
                (
                    "evolve(",
                    "measure_shares",
                    "overlap_of_smaller",
                    "lonely",
                    "stand(",
                    "crush",
                    "thicken",
                    "not_smaller",
                ),
            ),
        ),
        more=(
            "ecosystem.evolution",
            "ecosystem.competition",
            "ecosystem.growth_laws",
            "ecosystem.plant_growth",
            "ecosystem.dispersal",
        ),
        picture="forest.jpg",
        caption="Above: a forest after 5, 40 and 150 years. Below: trees in zones.",
        guide="forests.md",
    ),
    "soil_feedback": Model(
        (Laws("laws/test_ecosystem", ("SoilFeedback",)),),
        picture="forest.jpg",
        caption="Forests, whose roots hold the soil: above after 5, 40 and 150 years, below with trees in zones.",
        guide="forests.md",
    ),
}

# Proper names in the names of tests and models.
_NAMES = {"beyer", "fourier", "gaussian", "halfar", "july", "perlin", "roering"}
_HEADING = re.compile(r"^References\n-+\n", re.MULTILINE)
_DOCTEST = re.compile(r"^>>>.*?(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)
_NUMBER = re.compile(r" {5,}(\(\d+\))$", re.MULTILINE)  # of an equation, at the right margin
_SECTION = re.compile(r"^(\w[\w ]*)\n-+\n", re.MULTILINE)
# Sources stand apart by empty lines, or each begins on a line of its own with a name.
_NEXT_SOURCE = re.compile(r"\n\n|(?<![,&])(?<! and)\n(?=[A-Z][\w'-]+, [A-Z]\.|[A-Z]\. |de [A-Z])")
_LINKED = re.compile(r"\(https://doi.org/(\S+)\)")
_DOI = re.compile(r"doi:(10\.\S+?)(?=[:,.;]?(\s|$))")


def models_page() -> str:
    """Return the page that lists all models, as Markdown."""
    lines = [
        "# Models",
        "",
        "What each source of relief, each process and the weather computes: one page each, with its equations, its",
        "parameters, the laws that tests hold it to, and where it was published. `python build.py docs models` makes",
        "these pages from the code.",
    ]
    for heading, sets in GROUPS.items():
        lines += ["", f"## {heading}", "", "| model | what it makes |", "|---|---|"]
        lines += [f"| [{_title(cls)}](models/{cls.model()}.md) | {_summary(cls)} |" for cls in sets]
        if heading == "Sources of relief":
            lines += ["", "![Noise and midpoint displacement, dark where low](bases.png)", ""]
            lines += ["*From above, dark where it is low. The tiles of each row, from left to right:*", "", *_tiles()]
    lines += ["", "## Maps", "", "| map | what it shows |", "|---|---|"]
    lines += [f"| `{one.name}` | {one.description} |" for one in MAPS.values()]
    return "\n".join(lines) + "\n"


def _tiles() -> list[str]:
    """What the sheet of sources shows, as a list with an item for each row."""
    names = [
        " ".join([_title(source), *(f"({str(value).replace('_', ' ')})" for value in choice.values())])
        for source in ON_SHEET
        for choice in choices_shown(source)
    ]
    return [f"{1 + n // ACROSS}. {', '.join(names[n : n + ACROSS])}" for n in range(0, len(names), ACROSS)]


def model_pages() -> dict[str, str]:
    """Return the page of each model as Markdown, by its name."""
    return {cls.model(): _page(cls, heading) for heading, sets in GROUPS.items() for cls in sets}


def write_models(folder: Path) -> None:
    """Write all pages into docs/, and remove those of models that are no more."""
    (folder / "models.md").write_text(models_page(), encoding="utf-8")
    pages = folder / "models"
    pages.mkdir(exist_ok=True)
    made = model_pages()
    for old in pages.glob("*.md"):
        if old.stem not in made:
            old.unlink()
    for name, text in made.items():
        (pages / f"{name}.md").write_text(text, encoding="utf-8")


def _page(cls: type[ParameterSet], heading: str) -> str:
    """The page of one model."""
    model, name = MODELS[cls.model()], cls.model()
    own = sys.modules[cls.__module__]
    others = [importlib.import_module(f"terrain_addon.core.{one}") for one in model.more]
    lines = [f"# {_title(cls)}", "", _summary(cls), "", *_picture(cls, model), use_of(cls), ""]
    lines += ["## What it computes", ""]
    # Beside those that hold the equations, a module of one sentence only declares parameters.
    lines += [] if others and "\n\n" not in _about(own) else [_about(own), *_about_work(cls), ""]
    for module in others:
        lines += [f"### {_words(module.__name__.rpartition('.')[2])}", "", _about(module), ""]
    lines += ["## Parameters", "", *parameter_rows(cls, "../parameters.md")]
    lines += ["", f"The same in the table of all: [{name}](../parameters.md#{name})."]
    lines += ["", "## Laws", "", *_laws(model, heading), "", "## References", ""]
    sources = [source for module in (own, *others) for source in _sources(module)]
    lines += [f"- {source}" for source in _each_once(sources)] or ["None: a model of our own."]
    files = ", ".join(f"`terrain_addon/{'/'.join(one.__name__.split('.')[1:])}.py`" for one in (own, *others))
    lines += ["", f"Code: {files}. [All models](../models.md)."]
    return "\n".join(lines) + "\n"


def _title(cls: type[ParameterSet]) -> str:
    return _words(cls.model())


def _words(name: str) -> str:
    """A name of code as words."""
    words = " ".join(word.capitalize() if word in _NAMES else word for word in name.split("_"))
    return words[:1].upper() + words[1:]


def _summary(cls: type[ParameterSet]) -> str:
    return (cls.__doc__ or "").splitlines()[0]


def _picture(cls: type[ParameterSet], model: Model) -> list[str]:
    """The picture of a model, what it shows, and the page that says more for artists."""
    name, picture, caption, guide = cls.model(), model.picture, model.caption, model.guide
    if not picture and (DOCS / f"sliders_{name}.jpg").is_file():
        anchor = name.replace("_", "-")
        picture, caption = (
            f"sliders_{name}.jpg",
            f"From above, each slider at three values; from the top: {_sliders(cls)}.",
        )
        guide = guide or f"erosion_for_artists.md#{anchor}"
    elif not picture:
        picture = f"bases_{name}.png"
        labels = ", ".join(str(value).replace("_", " ") for one in choices_shown(cls) for value in one.values())
        caption = "From above, dark where the land is low" + (f"; from left to right: {labels}." if labels else ".")
    more = f" [More for artists](../{guide})." if guide else ""
    return [f"![{_title(cls)}](../{picture})", "", f"_{caption}_{more}", ""]


def _sliders(cls: type[ParameterSet]) -> str:
    """The sliders in the picture of a process."""
    labels = {one.name: one.label for one in parameters_of(cls)}
    (row,) = (one for one in ROWS if one.model == cls.model())
    return ", ".join(labels[slider.name] for slider in row.sliders)


def _about(module: ModuleType) -> str:
    """What a module says of its model."""
    text = _HEADING.split(inspect.cleandoc(module.__doc__ or ""))[0]
    text = _NUMBER.sub(r"    \1", _DOCTEST.sub("", text))
    return "\n\n".join(part for part in text.split("\n\n") if part.strip()).strip("\n")


def _about_work(cls: type[ParameterSet]) -> list[str]:
    """What the function that a source or process declares says of its model, after its first sentence."""
    declared: Any = SOURCES[cls].make if cls in SOURCES else PROCESSES[cls].work if cls in PROCESSES else None
    if declared is None:
        return []
    before, *parts = _SECTION.split(inspect.cleandoc(declared.__doc__ or ""))
    notes = [text for title, text in zip(parts[::2], parts[1::2]) if title == "Notes"]
    said = [text.strip("\n") for text in (before.partition("\n\n")[2], *notes)]
    return [line for text in said if text for line in ("", text)]


def _sources(module: ModuleType) -> list[str]:
    """What a module refers to."""
    rest = _HEADING.split(inspect.cleandoc(module.__doc__ or ""))[1:]
    sources = _NEXT_SOURCE.split(rest[0].strip()) if rest else []
    return [_DOI.sub(r"[doi:\1](https://doi.org/\1)", " ".join(source.split())) for source in sources]


def _each_once(sources: list[str]) -> list[str]:
    """Sources without those that were named before; the first says best what was taken from it."""
    found: dict[str, str] = {}
    for source in sources:
        doi = _LINKED.search(source)
        found.setdefault(doi[1] if doi else source, source)
    return list(found.values())


def _laws(model: Model, heading: str) -> list[str]:
    """What the tests of a model say, in the words of their names."""
    lines: list[str] = []
    for laws in model.laws:
        lines += [f"`tests/{laws.file}.py`: {_first_line(laws.file)}", ""]
        lines += [*(f"- {_words(name)}" for name in _tests_of(laws)), ""]
    lines += [f"For all of *{heading}*:", ""]
    return [*lines, *(f"- `tests/{file}.py`: {_first_line(file)}" for file in FOR_ALL[heading])]


def _first_line(file: str) -> str:
    return (ast.get_docstring(_tree(file)) or "").splitlines()[0]


def _tests_of(laws: Laws) -> Iterator[str]:
    """Yield the names of tests without their first word, in the order of the file."""
    for node in _tree(laws.file).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            code = ast.unparse(node)
            if not laws.words or any(word in code for word in laws.words):
                yield node.name.removeprefix("test_")


def _tree(file: str) -> ast.Module:
    return ast.parse((TESTS / f"{file}.py").read_text(encoding="utf-8"))

"""The page of models: what each source of relief and each process does, its sources, and where its code is.

It is made from the docstrings of the modules, so it says what the code says.
"""

import inspect
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

from terrain_addon.core.erosion.processes import PROCESSES
from terrain_addon.core.foundation.parameters import ParameterSet
from terrain_addon.core.maps.catalogue import MAPS
from terrain_addon.core.relief.sources import SOURCES

FOLDER = Path(__file__).resolve().parent

# The file of tests/laws with what must hold for each process alone; tests/laws/test_processes.py holds for all of them.
LAWS = {
    "stream_power": "test_stream_power",
    "thermal_erosion": "test_layered_erosion",
    "hydraulic_erosion": "test_layered_erosion",
    "deposition": "test_hillslope",
    "droplets": "test_droplets",
    "hillslope_diffusion": "test_hillslope",
    "landslides": "test_hillslope",
    "cliff_retreat": "test_cliffs",
    "stabilisation": "test_layered_erosion",
    "weathering": "test_conservation",
    "sand": "test_sand",
    "glaciation": "test_ice",
    "wandering_rivers": "test_wandering_rivers",
    "midpoint_displacement": "test_midpoint",
    "elevation_model": "test_relief",
}

_HEADING = re.compile(r"^References\n-+\n", re.MULTILINE)
_DOCTEST = re.compile(r"^>>>.*?(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)
# Sources stand apart by empty lines, or each begins on a line of its own with a name.
_NEXT_SOURCE = re.compile(r"\n\n|(?<![,&])(?<! and)\n(?=[A-Z][\w'-]+, [A-Z]\.|[A-Z]\. )")
_DOI = re.compile(r"doi:(10\.\S+?)(?=[:,.;]?(\s|$))")


def models_page() -> str:
    """Return the page as Markdown."""
    lines = [
        "# Models",
        "",
        "What each source of relief and each process computes, and where that was published. Equation numbers",
        "stand in the code, at the lines that compute them. Files of `tests/laws` test what must hold whatever the",
        "parameters are, such as that no rock is lost: `test_noise.py` for every source of relief, `test_processes.py`",
        "for every process, and the file that is named below for one alone. `python build.py docs models` makes this",
        "page from the code.",
    ]
    lines += ["", "## Sources of relief", "", "![Noise and midpoint displacement, dark where low](bases.png)", ""]
    lines += [
        "*From above, dark where it is low: noise of each kind, then midpoint displacement.*",
        *_sections(SOURCES),
    ]
    lines += ["", "## Processes", *_sections(PROCESSES)]
    lines += ["", "## Maps", "", "| map | what it shows |", "|---|---|"]
    lines += [f"| `{one.name}` | {one.description} |" for one in MAPS.values()]
    return "\n".join(lines) + "\n"


def _sections(sets: Iterable[type[ParameterSet]]) -> list[str]:
    """A section for each parameter set."""
    lines = []
    for cls in sets:
        module = sys.modules[cls.__module__]
        path = cls.__module__.removeprefix("terrain_addon.").replace(".", "/") + ".py"
        about, sources = _parts(module)
        lines += ["", f"### {cls.model().replace('_', ' ').capitalize()}", "", (cls.__doc__ or "").splitlines()[0], ""]
        lines += [about, "", *_picture(cls)]
        laws = f" · `tests/laws/{LAWS[cls.model()]}.py`" if cls.model() in LAWS else ""
        lines += [f"[Parameters](parameters.md#{cls.model()}) · `terrain_addon/{path}`{laws}"]
        lines += ["", *(f"- {source}" for source in sources)] if sources else []
    return lines


def _picture(cls: type[ParameterSet]) -> list[str]:
    """The picture of a process, if the page of erosion for artists has one."""
    name = f"sliders_{cls.model()}.jpg"
    if not (FOLDER / name).is_file():
        return []
    heading = cls.model().replace("_", "-")
    more = f"[its sliders at three values](erosion_for_artists.md#{heading})"
    return [f"![{cls.model().replace('_', ' ').capitalize()}, from above]({name})", "", f"*From above: {more}.*", ""]


def _parts(module: ModuleType) -> tuple[str, list[str]]:
    """What a module says of its model, and its sources."""
    text = inspect.cleandoc(module.__doc__ or "")
    about, *rest = _HEADING.split(text)
    about = "\n\n".join(part for part in _DOCTEST.sub("", about).split("\n\n") if part.strip())
    sources = _NEXT_SOURCE.split(rest[0].strip()) if rest else []
    return about.strip(), [_DOI.sub(r"[doi:\1](https://doi.org/\1)", " ".join(source.split())) for source in sources]

"""The page of models: what each source of relief and each process does, its sources, and where its code is.

It is made from the docstrings of the modules, so it says what the code says.
"""

import inspect
import re
import sys
from collections.abc import Iterable
from types import ModuleType

from terrain_addon.core.erosion.processes import PROCESSES
from terrain_addon.core.foundation.parameters import ParameterSet
from terrain_addon.core.maps.catalogue import MAPS
from terrain_addon.core.relief.sources import SOURCES

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
        "Made from the docstrings of the code by `python build.py docs models`. Equation numbers stand in the code, at",
        "the lines that compute them; the laws that each model keeps are tests in `tests/laws`.",
    ]
    lines += ["", "## Sources of relief", *_sections(SOURCES)]
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
        lines += [f"{about}", "", f"[Parameters](parameters.md#{cls.model()}) · `terrain_addon/{path}`"]
        lines += ["", *(f"- {source}" for source in sources)] if sources else []
    return lines


def _parts(module: ModuleType) -> tuple[str, list[str]]:
    """What a module says of its model, and its sources."""
    text = inspect.cleandoc(module.__doc__ or "")
    about, *rest = _HEADING.split(text)
    about = "\n\n".join(part for part in _DOCTEST.sub("", about).split("\n\n") if part.strip())
    sources = _NEXT_SOURCE.split(rest[0].strip()) if rest else []
    return about.strip(), [_DOI.sub(r"[doi:\1](https://doi.org/\1)", " ".join(source.split())) for source in sources]

"""Everything public in core and files explains itself."""

import ast
import functools
import importlib
import inspect
import pkgutil
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import terrain_addon.core
import terrain_addon.files
from terrain_addon.core.building.layers import Layer
from terrain_addon.core.erosion.processes import PROCESSES
from terrain_addon.core.foundation.parameters import ParameterSet, parameters_of

pytestmark = pytest.mark.once

PACKAGE = Path(terrain_addon.core.__file__).parents[1]

MODELS = ("core.flow", "core.maps", "core.ecosystem", "core.erosion", "core.relief", "core.planet")
"""Rooms whose modules compute something that somebody has published, or that we have to say is our own."""

WITHOUT_MODEL = {
    "core.ecosystem.covered_parts": "how tiles of dart throwing remember what is full",
    "core.ecosystem.darts": "how the place of a dart is drawn",
    "core.ecosystem.density": "response curves and how they are combined; where they were published is not on record",
    "core.ecosystem.evolution": "puts growth, competition, death and seeds together",
    "core.ecosystem.evolution_parameters": "parameters",
    "core.ecosystem.first_darts": "how dart throwing begins in a tile",
    "core.ecosystem.flooded_ground": "how deep water stands at a place",
    "core.ecosystem.forest": "an array for each year",
    "core.ecosystem.forest_records": "arrays",
    "core.ecosystem.gap_filling": "how dart throwing goes through a tile",
    "core.ecosystem.open_parts": "how tiles of dart throwing remember what is open",
    "core.ecosystem.plant_attributes": "names",
    "core.ecosystem.plant_fate": "enumerations",
    "core.ecosystem.plant_form": "an enumeration",
    "core.ecosystem.plant_looks": "draws age, turn and variant of a plant",
    "core.ecosystem.plants": "arrays, and distances to a line",
    "core.ecosystem.population": "arrays",
    "core.ecosystem.recruitment": "puts dispersal and competition together",
    "core.ecosystem.room_kept": "how dart throwing finds neighbours",
    "core.ecosystem.spacing": "distances that a species keeps",
    "core.ecosystem.stand": "arrays",
    "core.ecosystem.sounding": "how dart throwing measures its own speed",
    "core.ecosystem.suitable_ground": "where density lets a dart stand",
    "core.ecosystem.tile_grid": "how dart throwing divides a tile",
    "core.ecosystem.tiles": "how dart throwing divides the land",
    "core.ecosystem.traits": "numbers of a species",
    "core.ecosystem.ecosystem": "parameters, and which function does what",
    "core.ecosystem.species": "parameters",
    "core.erosion.layers": "moves heights between rock and sediment",
    "core.foundation.levels": "shapes of grids",
    "core.erosion.masked": "a mean by a mask",
    "core.erosion.mass_balance": "a sum",
    "core.erosion.process": "what a process declares",
    "core.erosion.processes": "a table",
    "core.flow.inflows": "a sum, and which cells are outlets",
    "core.flow.water": "puts sea, lakes and rivers together",
    "core.maps.deposition": "a difference",
    "core.maps.masks": "fades and curves that a user draws",
    "core.maps.catalogue": "a table",
    "core.maps.colour": "colours chosen by eye",
    "core.maps.declaration": "what a map declares",
    "core.maps.ground_cover": "thresholds chosen by eye",
    "core.maps.terrain_fields": "layers of a terrain",
    "core.maps.water": "fields of the water of a terrain",
    "core.planet.located_places": "bilinear interpolation",
    "core.planet.planet": "puts relief, climate and biomes together",
    "core.planet.planet_relief": "puts ground and craters together",
    "core.planet.planet_stages": "says what is computed from what",
    "core.planet.planet_preview": "thins out what other modules have computed",
    "core.planet.planet_recipe": "parameters",
    "core.planet.rims": "which samples tiles share",
    "core.relief.bases": "puts the numbers of a noise together",
    "core.relief.elevation_model": "parameters, and calls of the resampling",
    "core.relief.height_range": "parameters",
    "core.relief.lattice_rows": "how a grid is filled with the noise of lattice",
    "core.relief.noise_lines": "how a row is filled with noise",
    "core.relief.octave_noise": "how octaves become heights",
    "core.relief.oracle.points": "checks of input",
    "core.relief.oracle.white_noise": "a hash for each cell",
    "core.relief.source": "what a source declares",
    "core.relief.sources": "a table",
    "core.relief.volcano": "a shape of our own",
    "core.relief.octave_sums": "how a grid is filled with sums of octaves",
    "core.relief.octaves": "parameters",
    "core.relief.stored_heights": "parameters",
}
"""Modules in those rooms that need no source, each with the reason."""

LONG = 15
"""Lines from which on a private function has a docstring."""


def modules() -> list[ModuleType]:
    found = []
    for package in (terrain_addon.core, terrain_addon.files):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            found.append(importlib.import_module(module.name))
    return found


MODULES = modules()


def public_functions(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """The public functions and methods that are written in a module, kernels as what they were before compilation."""
    for name, member in vars(module).items():
        member = getattr(member, "py_func", member)
        if name.startswith("_") or getattr(member, "__module__", "") != module.__name__:
            continue
        if inspect.isclass(member):
            for method_name, method in vars(member).items():
                method = getattr(method, "__func__", getattr(method, "fget", None) or getattr(method, "func", method))
                written = inspect.isfunction(method) and method.__name__ == method_name
                if written and not method_name.startswith("_"):
                    yield f"{name}.{method_name}", (member, method_name, method)
        elif inspect.isfunction(member):
            yield name, (None, name, member)


def documentation(owner: type | None, name: str, function: Any) -> str:
    """A docstring; for a method, followed by those of the methods that it refines."""
    if owner is None:
        return inspect.getdoc(function) or ""
    written = [vars(base)[name] for base in owner.__mro__ if name in vars(base)]
    return "\n\n".join(filter(None, map(inspect.getdoc, written)))


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.__name__)
def test_public_things_have_docstrings(module: ModuleType) -> None:
    classes = [
        name
        for name, member in vars(module).items()
        if inspect.isclass(member) and member.__module__ == module.__name__ and not name.startswith("_")
        # A dataclass without a docstring is given its signature.
        if not vars(member).get("__doc__") or member.__doc__.startswith(f"{name}(")
    ]
    functions = [name for name, place in public_functions(module) if not documentation(*place)]
    assert not classes + functions
    # An __init__.py that only marks a folder has nothing to explain.
    assert module.__doc__ or hasattr(module, "__path__")


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.__name__)
def test_functions_that_refuse_input_say_so(module: ModuleType) -> None:
    silent = []
    for name, place in public_functions(module):
        owner, method, function = place
        if owner is not None and issubclass(owner, ParameterSet) and method == "check":
            continue  # what `check` is for is said once, in ParameterSet
        text = documentation(*place)
        if _raises_value_error(function) and "Raises\n------" not in text:
            silent.append(name)
    assert not silent


def section(text: str, title: str) -> str:
    """What stands in a section of a numpydoc docstring; empty where there is none."""
    found = re.search(rf"^{title}\n-+\n(.*?)(?=^\S[^\n]*\n-{{3,}}$|\Z)", text, re.DOTALL | re.MULTILINE)
    return found[1] if found else ""


def listed_names(text: str) -> set[str]:
    """The names in front of a colon, or alone, at the beginning of a line."""
    lines = [line.split(":")[0] for line in text.splitlines() if line and not line.startswith(" ")]
    return {name.strip(" *") for line in lines for name in line.split(",")}


def place_of(function: Any) -> str:
    code = inspect.unwrap(function).__code__
    return f"{Path(code.co_filename).relative_to(PACKAGE.parent).as_posix()}:{code.co_firstlineno}"


def is_property(owner: type | None, name: str) -> bool:
    return owner is not None and isinstance(inspect.getattr_static(owner, name), property | functools.cached_property)


def undocumented_parts(module: ModuleType) -> Iterator[str]:
    """What the docstrings of a module's public functions leave out of what goes in and what comes out."""
    for name, (owner, method, function) in public_functions(module):
        if is_property(owner, method):
            continue
        text = documentation(owner, method, function)
        given = set(inspect.signature(function).parameters) - {"self", "cls"}
        if missing := given - listed_names(section(text, "Parameters")):
            yield f"{place_of(function)} {name}: no word under Parameters on {', '.join(sorted(missing))}"
        returned = inspect.signature(function).return_annotation
        # What takes nothing says in its first sentence what it returns.
        if (
            given
            and returned not in (None, "None", inspect.Signature.empty)
            and not (section(text, "Returns") or section(text, "Yields"))
        ):
            yield f"{place_of(function)} {name}: no section Returns or Yields"


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.__name__)
def test_public_functions_say_what_goes_in_and_what_comes_out(module: ModuleType) -> None:
    if missing := list(undocumented_parts(module)):
        pytest.fail("\n".join(missing), pytrace=False)


# --- sources ----------------------------------------------------------------------------------------------------------


def module_name(module: ModuleType) -> str:
    return module.__name__.removeprefix("terrain_addon.")


def is_model(module: ModuleType) -> bool:
    is_room = hasattr(module, "__path__")
    return not is_room and module_name(module).startswith(MODELS) and module_name(module) not in WITHOUT_MODEL


def sources_of(module: ModuleType) -> str:
    """All sections References of a module: its own, and those of its classes and functions."""
    code = ast.parse(inspect.getsource(module))
    owners = [node for node in ast.walk(code) if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)]
    return "\n".join(section(ast.get_docstring(owner) or "", "References") for owner in owners)


@pytest.mark.parametrize("module", [m for m in MODULES if is_model(m)], ids=module_name)
def test_models_name_their_sources(module: ModuleType) -> None:
    sources = sources_of(module)
    has_year = re.search(r"\b(1[5-9]|20)\d\d\b", sources)
    has_place = re.search(r"\b10\.\d{4,}/|\bpp?\. ?\d|[\"“].+[\"”]|\(\d{4}\w?\)\.\s+[A-Z]", sources, re.DOTALL)
    if not (has_year and has_place) or "://" in sources:
        pytest.fail(
            f"{module_name(module)}: no section References with author, year, and a title, DOI or page, without URLs",
            pytrace=False,
        )


def test_every_process_and_source_is_a_model() -> None:
    declared = [declared for declared in parameters_of(Layer) if declared.name == "source"]
    kinds = [*PROCESSES, *declared[0].members]
    asked = {module.__name__ for module in MODULES if is_model(module)}
    without = {f"terrain_addon.{name}" for name in WITHOUT_MODEL}
    assert {kind.__module__ for kind in kinds} <= asked | without
    assert sorted(without - {module.__name__ for module in MODULES}) == []


# --- private functions ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("room", ["core", "files", "blender"])
def test_long_private_functions_have_docstrings(room: str) -> None:
    silent = []
    for file in sorted((PACKAGE / room).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("_") and not node.name.startswith("__"):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > LONG and not ast.get_docstring(node):
                    place = f"{file.relative_to(PACKAGE.parent).as_posix()}:{node.lineno}"
                    silent.append(f"{place} {node.name}: {lines} lines without a docstring")
    if silent:
        pytest.fail("\n".join(silent), pytrace=False)


def _raises_value_error(function: Any) -> bool:
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    raised = [node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise)]
    return any(isinstance(e, ast.Call) and isinstance(e.func, ast.Name) and e.func.id == "ValueError" for e in raised)

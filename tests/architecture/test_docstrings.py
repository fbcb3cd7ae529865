"""Everything public in core and files explains itself."""

import ast
import importlib
import inspect
import pkgutil
import textwrap
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

import terrain_addon.core
import terrain_addon.files
from terrain_addon.core.foundation.parameters import ParameterSet

pytestmark = pytest.mark.once


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
    """A docstring, which a method may inherit from the class it refines."""
    return inspect.getdoc(getattr(owner, name) if owner else function) or ""


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


def _raises_value_error(function: Any) -> bool:
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    raised = [node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise)]
    return any(isinstance(e, ast.Call) and isinstance(e.func, ast.Name) and e.func.id == "ValueError" for e in raised)

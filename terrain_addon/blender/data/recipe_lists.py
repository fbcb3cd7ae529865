"""The lists of a recipe: layers of the relief, processes of erosion, species."""

from collections.abc import Iterable
from typing import Any

import bpy

from ...core.building.recipe import Recipe
from ...core.foundation.parameters import Parameter, ParameterSet, parameters_of
from .properties import copy_item


def _find_series(cls: type[ParameterSet], path: str = "") -> dict[str, Parameter]:
    """All lists in a parameter set by their path; without lists in lists."""
    found = {}
    for parameter in parameters_of(cls):
        if parameter.kind == "series":
            found[f"{path}{parameter.name}"] = parameter
        elif parameter.kind == "group":
            found |= _find_series(parameter.members[0], f"{path}{parameter.name}.")
    return found


SERIES = _find_series(Recipe)
"""The lists of a recipe, by their path, such as relief.layers."""


def check_series(path: str) -> None:
    """Check that a recipe has a list at a path.

    Raises
    ------
    ValueError
        If it has none.
    """
    if path not in SERIES:
        raise ValueError(_no_such(f"list {path!r}", SERIES))


def check_model(path: str, model: str) -> None:
    """Check that a list can hold items of a kind; empty is the default kind.

    Raises
    ------
    ValueError
        If it cannot.
    """
    kinds = [member.model() for member in SERIES[path].members]
    if model not in ("", *kinds):
        raise ValueError(_no_such(repr(model), kinds))


def add_item(items: Any, model: str) -> int:
    """Add an item of a kind with default values to a list; return its index."""
    new = items.add()
    if model:
        new.model = model
    _make_distinct(new, items)
    return len(items) - 1


def duplicate_item(items: Any, index: int) -> int:
    """Copy an item of a list and put the copy after it; return the index of the copy."""
    if len(items) == 0:
        return 0
    new = items.add()
    copy_item(items[index], new)
    _make_distinct(new, items)
    items.move(len(items) - 1, index + 1)
    return index + 1


def remove_item(items: Any, index: int) -> int:
    """Remove an item of a list; return the index of the item that is active afterwards."""
    if len(items) > 0:
        items.remove(index)
    return max(index - 1, 0)


def move_item(items: Any, index: int, step: int) -> int:
    """Move an item of a list up (−1) or down (1); return its new index."""
    target = min(max(index + step, 0), max(len(items) - 1, 0))
    if len(items) > 0:
        items.move(index, target)
    return target


def _no_such(name: str, names: Iterable[str]) -> str:
    return f"there is no {name}; there are: {', '.join(names)}"


def _make_distinct(new: bpy.types.PropertyGroup, items: Any) -> None:
    """Give a new item a name and a variation that no other item of the list has."""
    properties = new.bl_rna.properties
    if "variation" in properties:
        new.variation = max(item.variation for item in items) + 1 if len(items) > 1 else new.variation
    if "name" in properties and properties["name"].type == "STRING":
        taken = {item.name for item in items if item != new}
        stem, number = new.name.rsplit(" ", 1)[0] if new.name[-1:].isdigit() and " " in new.name else new.name, 2
        while new.name in taken:
            new.name, number = f"{stem} {number}", number + 1

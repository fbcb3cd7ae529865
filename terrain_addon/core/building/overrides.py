"""Changing one parameter of a recipe by its path, as on a command line: ``relief.wavelength=800``."""

import difflib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from ..direction.features import DRAWN_FEATURES
from ..foundation.parameters import ParameterSet, parameters_of
from .renames import NEW_NAMES

_Path = tuple[str, ...]
_R = TypeVar("_R", bound=ParameterSet)


def override(recipe: _R, assignments: list[str]) -> _R:
    """Return a recipe with some parameters changed.

    Parameters
    ----------
    recipe : ParameterSet
        Of a landscape or a planet; it stays as it is.
    assignments : list of str
        ``PATH=VALUE`` each.  A path is names joined by dots, with numbers for the items of a list from 0, such as
        ``relief.layers.0.source.wavelength``.  Names in between may be left out, and the name of a model may stand for
        an item: ``relief.wavelength``, ``weathering.soil_depth``; the first that fits is meant.  Where a part is one of
        several models, the value is the name of the model.  Curves are JSON.  Values are checked together, so that
        their order does not matter, except that a model comes before its own parameters.

    Returns
    -------
    ParameterSet
        A copy with the changes.

    Raises
    ------
    ValueError
        If nothing fits a path, or a value is of the wrong type or out of range.

    Examples
    --------
    >>> from terrain_addon.core import Recipe
    >>> override(Recipe(), ["relief.wavelength=800"]).relief.layers[0].source.wavelength
    800.0
    """
    data = recipe.to_json()
    written: dict[str, str] = {}
    for assignment in assignments:
        path, equals, value = assignment.partition("=")
        if not equals:
            raise ValueError(f"{assignment!r} is not of the form PATH=VALUE")
        if not path.strip():
            raise ValueError(f"{assignment!r} names no parameter; write PATH=VALUE, such as relief.wavelength=800")
        keys, kind = _find(recipe, path.strip())
        if not value.strip() and kind not in ("text", "choice", "path"):
            raise ValueError(f"--set {assignment.strip()} has no value")
        written["".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys)[1:]] = path.strip()
        owner: Any = data
        for key in keys[:-1]:
            owner = owner[key]
        owner[keys[-1]] = _parse(kind, value.strip())
        if kind == "variant":  # whose parameters are others
            recipe = type(recipe).from_json(data)
            data = recipe.to_json()
    try:
        return type(recipe).from_json(data)
    except ValueError as error:
        raise ValueError(_as_written(str(error), written)) from None


def _find(recipe: ParameterSet, path: str) -> tuple[tuple[Any, ...], str]:
    """The keys in JSON and the kind of the parameter that a path leads to."""
    wanted = tuple(part for part in re.split(r"[.\[\]]+", path) if part)
    wanted = (*wanted[:-1], *(NEW_NAMES.get(name, name) for name in wanted[-1:]))
    every = list(_places(recipe))
    places = [place for place in every if place[2] != "series"]
    place = next((p for p in places if _fits(wanted, p[0])), None)
    if place is None and any(_fits(wanted, names) for names, *_ in every):
        feature = " or, each on its own, by --feature FILE" if wanted[-1] == "features" else ""
        raise ValueError(f"{path} is a list; lists are read from a recipe file{feature}, and --set changes their items")
    if place is None:
        if len(wanted) > 1 and not any(wanted[0] in names for names, *_ in places):
            hint = "; add one with --feature FILE" if wanted[0] in {one.model() for one in DRAWN_FEATURES} else ""
            raise ValueError(f"{path} is not a parameter of this recipe, which has no {wanted[0]}{hint}")
        number = next((part for part in wanted if part.isdigit()), "")
        there = 0
        while number and any(
            _fits(tuple(str(there) if part == number else part for part in wanted), p[0]) for p in places
        ):
            there += 1
        if there:
            raise ValueError(
                f"{path} asks for number {number}, but this recipe has {there} of them; the first is number 0"
            )
        close = difflib.get_close_matches(wanted[-1] if wanted else path, [names[-1] for names, *_ in places], n=1)
        raise ValueError(f"{path} is not a parameter of this recipe" + (f"; did you mean {close[0]}?" if close else ""))
    return place[1], place[2]


def _as_written(message: str, written: Mapping[str, str]) -> str:
    """Return a message that names a parameter as the user wrote it, not by its place in the recipe."""
    for place, path in written.items():
        if message.startswith(f"{place} "):
            return path + message.removeprefix(place)
    return message


def _places(values: ParameterSet, names: _Path = (), keys: tuple[Any, ...] = ()) -> Iterator[tuple[_Path, Any, str]]:
    """Every parameter below a set: its names on the way, its keys in JSON, its kind."""
    for parameter in parameters_of(type(values)):
        value = getattr(values, parameter.name)
        here, key = (*names, parameter.name), (*keys, parameter.name)
        if parameter.kind == "series":
            yield here, key, "series"
            for number, item in enumerate(value):
                yield from _places(item, (*here, str(number), item.model()), (*key, number))
        elif parameter.kind in ("group", "variant"):
            if parameter.kind == "variant":
                yield here, key, "variant"
            yield from _places(value, (*here, value.model()), key)
        else:
            yield here, key, parameter.kind


def _fits(wanted: _Path, names: _Path) -> bool:
    """Whether the wanted names come in this order among the names, the last of them last."""
    if not wanted or wanted[-1] != names[-1]:
        return False
    rest = iter(names)
    return all(name in rest for name in wanted)


def _parse(kind: str, value: str) -> Any:
    """Return the value that a text means; what is no JSON stays text, and the check of the parameter refuses it."""
    if kind == "variant":
        return {"model": value}
    if kind in ("text", "choice", "path"):
        return value
    try:
        return json.loads(value.lower() if kind == "bool" else value)
    except (ValueError, RecursionError):
        return value

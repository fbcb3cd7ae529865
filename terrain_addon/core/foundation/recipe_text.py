"""Recipes as text: what every kind of recipe refuses in JSON before it looks at a parameter."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from .parameters import shown

_R = TypeVar("_R")

LARGEST_RECIPE = 1 << 22
"""Characters; a recipe of a thousand layers has less."""

_DEEPEST = 40
_MOST_DIGITS = 400
_BRACKETS_AND_TEXTS = re.compile(r'"(?:\\.|[^"\\])*+"|[\[\]{}]', re.DOTALL)


def load_recipe_file(path: Path, loads: Callable[[str], _R]) -> _R:
    """Read a recipe of any kind from a file.

    Parameters
    ----------
    path : Path
        JSON in UTF-8.
    loads : callable
        Makes the recipe of a text, such as `Recipe.loads`.

    Returns
    -------
    object
        What `loads` returned.

    Raises
    ------
    ValueError
        If the file cannot be read or is not a recipe; the message names the file.
    """
    try:
        with path.open("rb") as file:
            data = file.read(4 * LARGEST_RECIPE + 1)  # A character has 4 bytes at most.
        return loads(data.decode("utf-8-sig"))  # Some editors begin a text with a byte order mark.
    except OSError as error:
        raise ValueError(f"cannot read {path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise ValueError(f"cannot read {path}: it is not a text in UTF-8, or longer than a recipe") from None
    except ValueError as error:
        raise ValueError(f"cannot read {path}: {error}") from None


def path_beside(recipe: Path, named: str) -> str:
    """Return where the file is that a recipe names.

    Parameters
    ----------
    recipe : Path
        The file of the recipe.
    named : str
        A path in it.

    Returns
    -------
    str
        The full path if the file lies beside the recipe, else the path as it is.
    """
    path = recipe.resolve().parent / named
    return str(path) if path.is_file() and not named.startswith("//") else named


def parse_recipe(text: str) -> dict[str, Any]:
    """Return the object that a recipe is in JSON.

    Parameters
    ----------
    text : str
        JSON.

    Returns
    -------
    dict
        Parameters by name, and the schema.

    Raises
    ------
    ValueError
        As `parse_parameters`, or if it is not an object.
    """
    data = parse_parameters(text, "a recipe")
    if not isinstance(data, dict):
        raise ValueError("this is not a recipe: it must be an object with parameters")
    return data


def parse_parameters(text: str, what: str) -> Any:
    """Return what a text holds that is a recipe, or a part of one.

    Parameters
    ----------
    text : str
        JSON.
    what : str
        What it should be, for the message.

    Returns
    -------
    Any
        As `json.loads`.

    Raises
    ------
    ValueError
        If it is not text, not JSON, longer than `LARGEST_RECIPE` or nested too deeply, or if it names a parameter
        twice.
    """
    if not isinstance(text, str):
        raise ValueError(f"this is not {what}: it is {type(text).__name__}, not text")
    if len(text) > LARGEST_RECIPE:
        raise ValueError(f"this is not {what}: it is longer than the {LARGEST_RECIPE} characters of a recipe")
    try:
        _check_depth(text)
        return json.loads(
            text, parse_int=_whole_number, parse_constant=_refuse_constant, object_pairs_hook=_without_doubles
        )
    except ValueError as error:
        raise ValueError(f"this is not {what}: {error}") from None


def take_schema(data: dict[str, Any], newest: int) -> int:
    """Take the schema out of what `parse_recipe` returned.

    Parameters
    ----------
    data : dict
        Loses its schema.
    newest : int
        The schema of this version.

    Returns
    -------
    int
        1 to `newest`.

    Raises
    ------
    ValueError
        If there is no schema, or none that this version reads.

    Examples
    --------
    >>> take_schema({"schema": 2, "seed": 7}, 4)
    2
    """
    if "schema" not in data:
        raise ValueError(f"the recipe does not say its schema; this extension reads 1 to {newest}")
    schema = data.pop("schema")
    if type(schema) is not int or not 1 <= schema <= newest:
        raise ValueError(f"schema = {shown(schema)} is none of the versions that this extension reads, 1 to {newest}")
    return schema


def _check_depth(text: str) -> None:
    """Refuse JSON with more objects and lists inside one another than a recipe has."""
    depth = 0
    for found in _BRACKETS_AND_TEXTS.finditer(text):
        bracket = found[0]
        depth += (bracket in "[{") - (bracket in "]}")
        if depth > _DEEPEST:
            raise ValueError(f"its objects and lists are nested too deeply, more than {_DEEPEST} inside one another")


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; refuse one that names a parameter twice."""
    data = dict(pairs)
    if len(data) < len(pairs):
        names = [name for name, _ in pairs]
        double = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{shown(double)} is there twice in one object")
    return data


def _whole_number(text: str) -> int:
    """Return a whole number; refuse one with more digits than any parameter has."""
    if len(text) > _MOST_DIGITS:
        raise ValueError(f"it has a number of {len(text)} digits")
    return int(text)


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number that JSON knows")

"""Recipes that differ in one parameter, for every parameter that a recipe can hold."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from terrain_addon.core.building.layers import Relief
from terrain_addon.core.building.recipe import Recipe
from terrain_addon.core.foundation.parameters import Parameter, ParameterSet, parameters_of
from terrain_addon.core.foundation.stored_field import StoredField
from terrain_addon.core.relief.fractal_noise import FractalNoise


class Change(NamedTuple):
    """One parameter with another value.

    Attributes
    ----------
    parameter : str
        The class in which the parameter is declared, and its name; ``Layer.source`` for a choice among parameter sets.
    path : str
        The names on the way from the recipe to the parameter.
    before, after : ParameterSet
        Two sets that differ in nothing else.
    """

    parameter: str
    path: str
    before: Any
    after: Any


class StoredFields(dict[str, StoredField]):
    """Stored fields for whatever a recipe asks for: another field under every key."""

    def __contains__(self, key: object) -> bool:
        return True

    def __bool__(self) -> bool:
        return True

    def __missing__(self, key: str) -> StoredField:
        random = np.random.default_rng(list(key.encode()))
        self[key] = StoredField(random.random((40, 40), dtype=np.float32), 30.0)
        return self[key]


def small_recipe(resolution: int, **changes: Any) -> Recipe:
    """Return a recipe in which every stage has work: moving hills, all maps, climate, winter, ice, forest and soil."""
    recipe = Recipe(resolution=resolution, width=120.0, depth=120.0, time=2.5)
    ecosystem, hills = recipe.ecosystem, FractalNoise(wavelength=80.0, height=50.0, base_altitude=300.0, speed=0.5)
    return recipe.replace(
        relief=Relief.of(hills),
        climate=recipe.climate.replace(enabled=True),
        winter=recipe.winter.replace(enabled=True),
        glaciers=recipe.glaciers.replace(enabled=True),
        extra_maps=recipe.extra_maps.replace(**{p.name: True for p in parameters_of(type(recipe.extra_maps))}),
        ecosystem=ecosystem.replace(
            evolution=ecosystem.evolution.replace(years=10.0, step=2.5, start="grown"),
            soil=ecosystem.soil.replace(enabled=True),
        ),
    ).replace(**changes)


def usual(member: type[ParameterSet]) -> ParameterSet:
    """A parameter set in which any parameter can be changed alone."""
    # Land that repeats needs a second wavelength that fits into the period.
    fits = {"second_wavelength": "wavelength"}
    one = member()
    names = {declared.name for declared in parameters_of(member)}
    one = one.replace(**{name: getattr(one, other) for name, other in fits.items() if name in names})
    # A feature without points takes no part.
    outline = ((100.0, 100.0), (200.0, 110.0), (150.0, 200.0))
    return one.replace(points=outline) if "points" in names else one


def other_values(declared: Parameter, value: Any) -> Iterator[Any]:
    """Values that a parameter could have instead; some may not fit the other parameters of the set."""
    if declared.kind == "bool":
        yield not value
    elif declared.kind == "choice":
        yield from (choice for choice in declared.choices if choice != value)
    elif declared.kind in ("text", "path"):
        yield f"{value}_other"
    elif declared.kind == "curve":
        yield tuple((x, 1.0 - y) for x, y in value)
        yield tuple((x, y * y) for x, y in value)
        yield tuple((x, 0.5 * y) for x, y in value)
    elif declared.kind == "points":
        yield ((100.0, 120.0), (140.0, 100.0, 50.0), (180.0, 150.0))
    elif declared.kind in ("float", "int"):
        low, high = declared.soft or declared.limits or (0.0, 1.0)
        for share in (0.5, 0.1, 0.9, 0.0, 1.0):
            number = low + share * (high - low)
            if number != value:
                yield round(number) if declared.kind == "int" else number


def changes_of(
    start: ParameterSet,
    *,
    all_choices: bool = False,
    make: Callable[[type[ParameterSet]], ParameterSet] = usual,
    path: str = "",
) -> Iterator[Change]:
    """Change every parameter of a set, and of all sets that it can hold, one at a time.

    Parameters
    ----------
    start : ParameterSet
        What is changed.
    all_choices : bool
        Whether a choice takes each of its other values in turn, or only the first that fits.
    make : callable
        From a type to the set that is put where `start` holds one of another type.
    path : str
        The way from the recipe to `start`.
    """
    for declared in parameters_of(type(start)):
        name, value = declared.name, getattr(start, declared.name)
        here = f"{path}.{name}".lstrip(".")
        known = f"{type(start).__name__}.{name}"
        if declared.kind in ("group", "variant", "series"):
            many = declared.kind == "series"
            for member in declared.members:
                held = [one for one in (value if many else (value,)) if type(one) is member]
                inner = held[0] if held else make(member)
                as_value = (lambda one: (one,)) if many else (lambda one: one)
                if not held:
                    yield Change(known, here, start, start.replace(**{name: as_value(inner)}))
                for change in changes_of(inner, all_choices=all_choices, make=make, path=here):
                    before, after = (start.replace(**{name: as_value(one)}) for one in (change.before, change.after))
                    yield change._replace(before=before, after=after)
        else:
            for after in _fitting(start, declared, all_choices and declared.kind == "choice"):
                yield Change(known, here, start, after)


def _fitting(start: ParameterSet, declared: Parameter, every: bool) -> Iterator[ParameterSet]:
    """The set with other values of one parameter: the first that is accepted, or every one."""
    for value in other_values(declared, getattr(start, declared.name)):
        try:
            yield start.replace(**{declared.name: value})
        except ValueError:
            continue
        if not every:
            return

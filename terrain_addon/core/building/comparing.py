"""Recipes compared by how real their land is: the eight numbers of the realism check beside those of measured land."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median

from ..maps.land_classes import LandClass
from ..maps.realism import Realism, RealismNumber
from .judging import judge, land_class_of
from .landscape import build
from .layers import Inputs
from .recipe import Recipe

_NAME_WIDTH, _NUMBER_WIDTH = 22, 12


@dataclass(frozen=True)
class Compared:
    """How real the lands of one recipe are.

    Attributes
    ----------
    name : str
        What the recipe is called.
    land_class : str
        The class of measured land that they are judged as.
    lands : tuple of Realism
        One for each seed.
    """

    name: str
    land_class: LandClass
    lands: tuple[Realism, ...]

    @property
    def medians(self) -> tuple[RealismNumber, ...]:
        """The eight numbers, each the median over the lands; NaN if a land has none."""
        return tuple(
            replace(number, value=_median([land[number.name].value for land in self.lands]))
            for number in self.lands[0].numbers
        )

    @property
    def too_perfect(self) -> int:
        """How many of the lands are more orderly than measured land."""
        return sum(bool(land.too_perfect) for land in self.lands)


def compare_recipe(
    name: str, recipe: Recipe, seeds: int, read: Callable[[Recipe], Inputs], land_class: LandClass | None = None
) -> Compared:
    """Build the land of a recipe with several seeds, and judge how real it is.

    Parameters
    ----------
    name : str
        What the recipe is called.
    recipe : Recipe
        Its seed is the first.
    seeds : int
        How many lands are built, 1 or more.
    read : callable
        Returns what a recipe needs from outside.
    land_class : str, optional
        The class of measured land that it is judged as; left out, it follows from the recipe, or is mountains.

    Returns
    -------
    Compared

    Raises
    ------
    ValueError
        If the land cannot be built, or is smaller than 32 × 32 samples.
    """
    judged_as = land_class or land_class_of(recipe) or "mountains"
    lands = []
    for seed in range(recipe.seed, recipe.seed + seeds):
        one = recipe.replace(seed=seed)
        lands.append(judge(build(one, inputs=read(one), extent="terrain"), judged_as))
    return Compared(name, judged_as, tuple(lands))


def table_head(numbers: Sequence[RealismNumber]) -> Iterator[str]:
    """Yield the first lines of a table of lands: the names of the numbers, and what measured land has.

    Parameters
    ----------
    numbers : sequence of RealismNumber
        Those of any land.

    Yields
    ------
    str
        One line of the table.
    """
    names = [f"{number.name} {number.unit}".split(maxsplit=1) for number in numbers]
    yield _line("", [words[0] for words in names], "")
    yield _line("", [words[1] if len(words) > 1 else "" for words in names], "score")
    yield _line("real land", [_real(number) for number in numbers], f"6 to {len(numbers)}")
    yield _line("passes if", [_wanted(number) for number in numbers], f"of {len(numbers)}")


def table_line(compared: Compared) -> str:
    """Return the line of a table of lands for one recipe: medians, with a star where land does not pass, and scores.

    Parameters
    ----------
    compared : Compared
        The recipe.

    Returns
    -------
    str
    """
    values = [f"{number.value:.3f}{'' if number.passed else '*'}" for number in compared.medians]
    scores = " ".join(str(land.score) for land in compared.lands)
    remark = f"  {compared.too_perfect} too perfect" if compared.too_perfect else ""
    return _line(compared.name, values, scores + remark)


def _line(name: str, values: Sequence[str], last: str) -> str:
    columns = "".join(f"{value:>{_NUMBER_WIDTH}}" for value in values)
    return f"{name:<{_NAME_WIDTH}}{columns}   {last}".rstrip()


def _real(number: RealismNumber) -> str:
    """The range of measured land, or its median where the range is not known."""
    low, middle, high = number.real
    if math.isnan(low) or math.isnan(high):
        return _wanted(number) if math.isnan(middle) else f"{middle:g}"
    return f"{low:g} to {high:g}"


def _wanted(number: RealismNumber) -> str:
    if math.isinf(number.low):
        return f"< {number.high:g}"
    return f"> {number.low:g}" if math.isinf(number.high) else f"{number.low:g} to {number.high:g}"


def _median(values: Sequence[float]) -> float:
    return math.nan if any(map(math.isnan, values)) else median(values)

"""From a recipe to the plan of its landscape: an ordered list of stages.

Each stage names the stages it uses and the parameters it reads; its key is a hash of both, so whoever keeps results can
tell which of them still hold.  Read `plan_of` to see how a landscape comes about.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

from ..direction.checks import feature_warnings
from ..erosion.mass_balance import Eroded
from ..foundation.stages import KindOfStage, Stage, keys_of
from ..maps.glaciers import GLACIERS
from ..maps.winter import SNOWPACK, SWOLLEN_WATERS
from .drawing_stages import border_stages, drawing_stages, finished_stages, with_drawn_rivers, with_inflows
from .erosion_stages import erosion_inputs, erosion_stages, slides_among
from .layers import Inputs, inputs_of
from .measuring import maps_wanted, measurement_stages
from .plant_stages import habitat_maps, life_stages, life_warnings, plant_inputs, soil_stage
from .recipe import Recipe
from .relief_stages import NO_PROBLEMS, Problems, relief_stages, warnings_of
from .stage import StageKind

Extent = Literal["terrain", "maps", "plants"]
"""How far to go."""


class Section(NamedTuple):
    """A run of stages that is shown, and compiled ahead, as one.

    Parameters
    ----------
    name : str
        What it makes.
    reads : tuple of str
        Parameters of the recipe on which its kernels depend.
    kernels : int
        How many kernels it has, more or less.
    """

    name: str
    reads: tuple[str, ...]
    kernels: int


RELIEF_SECTION = Section("relief", ("relief", "features"), 20)
FIRST_EROSION = Section("erosion", ("erosion", "water"), 26)
LATER_EROSION = Section("later erosion", ("erosion", "water"), 12)
_OF_MAPS = ("illumination", "low_sun", "extra_maps", "water", "climate", "glaciers", "winter")
MAPS_SECTION = Section("maps", _OF_MAPS, 23)
PLANTS_SECTION = Section("plants", ("ecosystem",), 27)
SECTIONS = (RELIEF_SECTION, FIRST_EROSION, LATER_EROSION, MAPS_SECTION, PLANTS_SECTION)
"""In the order in which they are shown."""

_LAST_SECTION: dict[Extent, Section] = {
    "terrain": LATER_EROSION,
    "maps": MAPS_SECTION,
    "plants": PLANTS_SECTION,
}
_SECTION_OF: dict[KindOfStage, Section] = {
    StageKind.LAYER: RELIEF_SECTION,
    StageKind.RELIEF: RELIEF_SECTION,
    StageKind.DRAWN: RELIEF_SECTION,
    StageKind.MEASUREMENT: MAPS_SECTION,
    StageKind.FOREST: PLANTS_SECTION,
    StageKind.SOIL: PLANTS_SECTION,
    StageKind.PLANTS: PLANTS_SECTION,
}


def sections_up_to(extent: Extent) -> tuple[Section, ...]:
    """Return the sections of a landscape of some extent.

    Parameters
    ----------
    extent : {'terrain', 'maps', 'plants'}
        How far to go.

    Returns
    -------
    tuple of Section
        In the order in which they are shown.
    """
    return SECTIONS[: SECTIONS.index(_LAST_SECTION[extent]) + 1]


def section_of(stage: Stage) -> Section:
    """Return the section to which a stage belongs.

    Parameters
    ----------
    stage : Stage
        Of any plan.

    Returns
    -------
    Section
        Erosion has two: the first process, which is shown as soon as it is there, and all others.
    """
    if stage.kind in (StageKind.HISTORY, StageKind.EROSION):
        return FIRST_EROSION if stage.index == 1 else LATER_EROSION
    return _SECTION_OF[stage.kind]


@dataclass(frozen=True)
class Plan:
    """The stages of a landscape.

    Attributes
    ----------
    recipe : Recipe
        What is made.
    stages : tuple of Stage
        In an order in which each comes after those it needs.
    land : str
        Name of the stage that makes the finished terrain.
    maps : tuple of str
        Names of the maps that the landscape has.
    warnings : tuple of str
        A sentence for each layer that is left out, and each disturbance that has nothing to follow.
    """

    recipe: Recipe
    stages: tuple[Stage, ...]
    land: str
    maps: tuple[str, ...]
    warnings: tuple[str, ...] = ()

    @cached_property
    def keys(self) -> dict[str, str]:
        """A key for each stage, by name: equal keys mean equal results, within one version of this package."""
        return keys_of(self.stages)

    @property
    def eroded(self) -> tuple[Stage, ...]:
        """The stages that have a mass balance."""
        return tuple(stage for stage in self.stages if stage.kind in (StageKind.EROSION, StageKind.SOIL))

    def wanted(self, extent: Extent) -> tuple[str, ...]:
        """Return the names of the stages whose results belong to a landscape of some extent.

        Parameters
        ----------
        extent : {'terrain', 'maps', 'plants'}
            How far to go.

        Returns
        -------
        tuple of str
            The stages that they need are not among them.
        """
        drawn = tuple(stage.name for stage in self.stages if stage.kind is StageKind.DRAWN)
        terrain = (self.land, *drawn[-1:], *(stage.name for stage in self.eroded))
        if extent == "terrain":
            return terrain
        ice = (GLACIERS.name,) if self.recipe.glaciers.enabled else ()
        snow = (SNOWPACK.name, SWOLLEN_WATERS.name) if self.recipe.winter.enabled else ()
        maps = (*terrain, *self.maps, "waters", *ice, *snow)
        return maps if extent == "maps" else (*maps, "forest", "plants")

    def part_of(self, name: str, result: Any) -> Any:
        """Return the part of a stage's result that belongs to the landscape: only one land does.

        Parameters
        ----------
        name : str
            Of a stage of this plan.
        result : object
            What it made, or the part of it.

        Returns
        -------
        object
            The result, or where a process made it that is not the last, its report.
        """
        return result.report if isinstance(result, Eroded) and name != self.land else result

    def history_of(self, stage: Stage) -> str | None:
        """Return the name of the stage that follows the history of a process, None if it has none.

        Parameters
        ----------
        stage : Stage
            Of this plan.

        Returns
        -------
        str or None
            The name.
        """
        if stage.kind is not StageKind.EROSION:
            return None
        return next(
            (one.name for one in self.stages if one.kind is StageKind.HISTORY and one.index == stage.index), None
        )


def plan_of(recipe: Recipe, inputs: Inputs, problems: Problems = NO_PROBLEMS, *, sketched: bool = False) -> Plan:
    """Return the plan of a recipe's landscape.

    Layers and processes that are off, or lack an input, have no stage.

    Parameters
    ----------
    recipe : Recipe
        What to make.
    inputs : mapping of str to StoredField
        What comes from outside, by key.
    problems : mapping of str to str
        Why inputs are not there, by key.
    sketched : bool
        Whether processes that have a sketch only sketch.

    Returns
    -------
    Plan
        Nothing is computed yet.

    Raises
    ------
    ValueError
        If no layer is left because of missing inputs, or a feature cannot be.

    Examples
    --------
    >>> [stage.name for stage in plan_of(Recipe(), {}).stages][:3]
    ['layer 1: Layer', 'relief', 'history of erosion 1: stream power']
    """
    recipe = with_inflows(recipe)
    eroded = erosion_stages(recipe, inputs, sketched=sketched)
    stages = [*relief_stages(recipe, inputs, problems), *drawing_stages(recipe, inputs), *eroded]
    stages += border_stages(recipe, stages[-1].name)
    stages += finished_stages(recipe, stages[-1].name)
    land, slides = stages[-1].name, slides_among(recipe, eroded)
    if recipe.ecosystem.soil.enabled:
        # The forest grows on the land as it was, and the finished land is what it made of that.
        soil = soil_stage(recipe, land)
        forest, plants = life_stages(recipe, inputs, land, shared=(), slides=slides, finished=soil.name)
        stages += [forest, soil, *with_drawn_rivers(recipe, measurement_stages(recipe, soil.name), soil.name), plants]
        land = soil.name
    else:
        life = life_stages(recipe, inputs, land, shared=habitat_maps(recipe), slides=slides)
        stages += [*with_drawn_rivers(recipe, measurement_stages(recipe, land), land), *life]
    warnings = (
        *warnings_of(recipe, inputs, problems),
        *feature_warnings(recipe.features, recipe.width, recipe.depth),
        *life_warnings(recipe, slides),
    )
    return Plan(recipe, tuple(stages), land, maps_wanted(recipe), warnings)


def inputs_asked_for(recipe: Recipe) -> tuple[str, ...]:
    """Return the keys of all inputs that a recipe uses.

    Parameters
    ----------
    recipe : Recipe
        What is to be made.

    Returns
    -------
    tuple of str
        Each once: those of layers, without which a layer is left out, and those of processes and plants, which need
        not be there.
    """
    return tuple(dict.fromkeys((*inputs_of(recipe.relief), *erosion_inputs(recipe), *plant_inputs(recipe))))

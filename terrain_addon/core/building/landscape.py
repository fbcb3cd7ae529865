"""A landscape, and how it is built from a recipe."""

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ..direction.pads import LaidPad
from ..direction.road_course import RoadCourse
from ..ecosystem.forest import Forest
from ..ecosystem.plants import Plants
from ..erosion.mass_balance import MassBalance
from ..flow.water import Waters
from ..foundation.cache import Cache
from ..foundation.progress import Progress, run
from ..foundation.stages import Work, stage_steps
from ..foundation.terrain import Field, Terrain
from ..ice.glaciers import GlacierFields, why_no_glaciers
from ..maps.glaciers import GLACIERS
from ..maps.winter import notices_of
from ..meshing.detail import detail_heights
from ..snow.snowpack import Snowpack
from .drawing_stages import last_drawn, level_warnings
from .layers import Inputs
from .measuring import LandMaps
from .memory_needed import check_recipe
from .plan import Extent, plan_of
from .recipe import Recipe
from .relief_stages import NO_PROBLEMS, Problems
from .stage import land_of


@dataclass(frozen=True)
class Landscape:
    """What a recipe became.

    Attributes
    ----------
    recipe : Recipe
        What it was made from.
    terrain : Terrain
        Bedrock and sediment.
    maps : mapping of str to ndarray of float32, shape (rows, columns)
        By name; empty if only the terrain was asked for.  Those that are quick are measured anew at each reading.
    plants : Plants or None
        None if they were not asked for.
    forest : Forest or None
        The plants with their past; None as `plants`.
    waters : Waters or None
        Sea, lakes and rivers, which carry melt water too; None if only the terrain was asked for.
    balances : mapping of str to MassBalance
        Mass balance of each process of erosion, by the name of its stage.
    process_balances : mapping of int to MassBalance
        The same by the number of the process in the recipe, from 1.
    warnings : tuple of str
        A sentence for each layer that was left out, and for each process that did less than was asked for.
    is_whole : bool
        Whether no process behind it was asked to finish early.
    terrain_key : str
        The key of its terrain: equal for recipes that differ only in what does not change the terrain.
    roads : tuple of RoadCourse
        Drawn roads as they were built, with profile, bridges, tunnels and volumes.
    pads : tuple of LaidPad
        Drawn pads as they were laid, with level and volumes.
    glaciers : GlacierFields or None
        The ice on it; None if its recipe has none, or only the terrain was asked for.
    snow : Snowpack or None
        The snow of the day, with its balance; None where the winter is off, or only the terrain was asked for.
    """

    recipe: Recipe
    terrain: Terrain
    maps: Mapping[str, Field]
    plants: Plants | None
    forest: Forest | None = None
    waters: Waters | None = None
    balances: Mapping[str, MassBalance] = field(default_factory=dict)
    process_balances: Mapping[int, MassBalance] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    is_whole: bool = True
    terrain_key: str = ""
    roads: tuple[RoadCourse, ...] = ()
    pads: tuple[LaidPad, ...] = ()
    glaciers: GlacierFields | None = None
    snow: Snowpack | None = None

    @cached_property
    def detail(self) -> Field:
        """Metres by which the ground is higher than its samples say, as strongly as its appearance asks for."""
        amount = self.recipe.appearance.detail
        if amount == 0.0:
            return np.zeros_like(self.terrain.surface)
        return detail_heights(self.terrain, self.recipe.origin) * np.float32(amount)


def build(
    recipe: Recipe,
    *,
    inputs: Inputs | None = None,
    problems: Problems = NO_PROBLEMS,
    cache: Cache | None = None,
    extent: Extent = "plants",
    report: Callable[[Progress], None] | None = None,
) -> Landscape:
    """Make the landscape of a recipe.

    Parameters
    ----------
    recipe : Recipe
        What to make.
    inputs : mapping of str to StoredField, optional
        Stored fields by the keys that the recipe's layers ask for; `files.inputs.read_inputs` reads them.
    problems : mapping of str to str
        Why elevation data that the recipe names are not among `inputs`, for the warnings.
    cache : Cache, optional
        Results of earlier builds; stages that nothing has changed for are taken from it.
    extent : str, default 'plants'
        How far to go: 'terrain', 'maps' or 'plants'.
    report : callable, optional
        Called before each step; what it raises stops the build and passes through.

    Returns
    -------
    Landscape
        Arrays are read-only, and shared with the cache.

    Raises
    ------
    ValueError
        If an input is missing, or the landscape would not fit into memory.
    """
    return run(build_steps(recipe, inputs=inputs, problems=problems, cache=cache, extent=extent), report)


def build_steps(
    recipe: Recipe,
    *,
    inputs: Inputs | None = None,
    problems: Problems = NO_PROBLEMS,
    cache: Cache | None = None,
    extent: Extent = "plants",
    passes: bool = False,
    sketched: bool = False,
) -> Generator[Progress, bool | None, Landscape]:
    """Make the landscape of a recipe step by step; see `build`.  Close the generator to cancel.

    Parameters
    ----------
    recipe, inputs, problems, cache, extent
        As for `build`.
    passes : bool
        Whether the landscape is only looked at in passing; see `Cache`.
    sketched : bool
        Whether processes that have a sketch only sketch.

    Yields
    ------
    Progress
        Before each step.
    """
    check_recipe(recipe)
    plan = plan_of(recipe, inputs or {}, problems, sketched=sketched)
    # A history that was cut short is enough: the terrain that grows from it must not take long either.
    samples = recipe.grid.rows * recipe.grid.columns
    work = Work(plan.stages, plan.keys, plan.wanted(extent), samples, plan.history_of, plan.part_of)
    results, is_whole = yield from stage_steps(work, cache or Cache(limit=0), passes=passes)
    drawn = last_drawn(results)
    snow = results["snowpack"] if recipe.winter.enabled and extent != "terrain" else None
    ice = results.get(GLACIERS.name) if extent != "terrain" else None
    land = land_of(results[plan.land])
    notices = [notice for stage in plan.eroded for notice in results[stage.name].notices]
    notices += notices_of(snow) if snow else ()
    notices += why_no_glaciers(ice, recipe.glaciers, float(land.surface.max())) if ice else ()
    waters = results["waters" if snow is None else "swollen_waters"] if extent != "terrain" else None
    notices += level_warnings(recipe, drawn.drawing, waters, land.cell_size) if drawn and waters else ()
    return Landscape(
        recipe,
        land,
        maps=LandMaps({name: results[name] for name in plan.maps if extent != "terrain"}),
        plants=results["plants"] if extent == "plants" else None,
        forest=results["forest"] if extent == "plants" else None,
        waters=waters,
        balances={stage.name: results[stage.name].balance for stage in plan.eroded},
        process_balances={stage.index: results[stage.name].balance for stage in plan.eroded if stage.index},
        warnings=(*plan.warnings, *(drawn.warnings if drawn else ()), *notices),
        is_whole=is_whole,
        terrain_key=plan.keys[plan.land],
        roads=drawn.roads if drawn else (),
        pads=drawn.pads if drawn else (),
        glaciers=ice,
        snow=snow,
    )

"""Building landscapes and planets with the results that this session already has."""

from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from typing import NamedTuple

import bpy

from ...core.building.landscape import Landscape, build_steps
from ...core.building.layers import Inputs
from ...core.building.memory_needed import check_recipe
from ...core.building.plan import Extent, plan_of
from ...core.building.planet_warming import PlanetWarming
from ...core.building.quick_drawing import quick_steps
from ...core.building.recipe import Recipe
from ...core.building.warming import Warming
from ...core.direction.checks import leave_out_refused, left_out
from ...core.direction.features import Feature
from ...core.direction.road_course import RoadCourse
from ...core.direction.roads import RefusedRoad
from ...core.foundation.cache import Cache
from ...core.foundation.progress import Progress, mapped, run
from ...core.foundation.stored_field import StoredField
from ...core.planet.planet import Planet, build_planet_steps, preview_planet_steps
from ...core.planet.planet_preview import touched_stages
from ...core.planet.planet_recipe import PlanetRecipe
from . import inputs

_cache = Cache()
_warming: Warming | None = None
_warming_planets: PlanetWarming | None = None

COMPILING = "preparing the code (only the first time)"
"""What a progress bar shows while kernels are compiled ahead."""

_COMPILED = 0.9  # of the whole, where nothing was compiled before


def build_landscape(
    recipe: Recipe,
    extent: Extent = "plants",
    land: bpy.types.Object | None = None,
    report: Callable[[Progress], None] | None = None,
) -> Landscape:
    """Build a recipe at once; see `landscape_steps`."""
    return run(landscape_steps(recipe, extent, land), report)


def landscape_steps(
    recipe: Recipe, extent: Extent = "plants", land: bpy.types.Object | None = None, *, passes: bool = False
) -> Generator[Progress, bool | None, Landscape]:
    """Return the steps of building a recipe, which may run in any thread.

    What the recipe asks for of Blender and of files is read here and now.  Kernels that are being compiled ahead are
    waited for.

    Parameters
    ----------
    recipe : Recipe
    extent : {'terrain', 'maps', 'plants'}
        How far to go.
    land : Object, optional
        Whose painted attributes and stored heights the recipe means.
    passes : bool
        Whether it is built for a preview, so that its results need not be kept for long.

    Raises
    ------
    ValueError
        If nothing is left of the relief because files cannot be read, or the landscape does not fit into memory.
    """
    check_recipe(recipe, shown=True)
    problems: dict[str, str] = {}
    found = inputs.gather_inputs(recipe, land, problems)

    def build(kept: Recipe) -> Generator[Progress, bool | None, Landscape]:
        return build_steps(kept, inputs=found, problems=problems, cache=_cache, extent=extent, passes=passes)

    steps = _with_what_can_be(recipe, build)
    return steps if _warming is None else _when_warm(_warming, recipe, extent, steps)


def quick_landscape_steps(
    recipe: Recipe, land: bpy.types.Object, before: Sequence[Feature], roads: Sequence[RoadCourse], *, careful: bool
) -> Generator[Progress, bool | None, Landscape]:
    """Return the steps of a quick look at what is drawn on a land; see `core.building.quick_drawing`.

    Parameters
    ----------
    recipe : Recipe
    land : Object
        Whose painted attributes and stored heights the recipe means.
    before : sequence of Feature
        Those of the land that was shown in full.
    roads : sequence of RoadCourse
        Those that it shows.
    careful : bool
        Whether to look closer, for a drawing that has come to a pause.
    """
    found = inputs.gather_inputs(recipe, land)
    shown = _allowed(recipe.replace(features=tuple(before))).recipe.features

    def build(kept: Recipe) -> Generator[Progress, bool | None, Landscape]:
        return quick_steps(kept, before=shown, inputs=found, cache=_cache, roads=roads, careful=careful)

    steps = _with_what_can_be(recipe, build)
    return steps if _warming is None else _when_warm(_warming, recipe, "terrain", steps)


def given_landscape_steps(
    recipe: Recipe, given: Inputs, extent: Extent = "plants"
) -> Generator[Progress, bool | None, Landscape]:
    """Return the steps of building a recipe whose inputs are at hand; any thread may call it.

    Parameters
    ----------
    recipe : Recipe
    given : mapping of str to StoredField
        All that it asks for.
    extent : {'terrain', 'maps', 'plants'}
        How far to go.
    """

    def build(kept: Recipe) -> Generator[Progress, bool | None, Landscape]:
        return build_steps(kept, inputs=given, cache=_cache, extent=extent)

    steps = _with_what_can_be(recipe, build)
    return steps if _warming is None else _when_warm(_warming, recipe, extent, steps)


class _Kept(NamedTuple):
    """A recipe whose refused features are off, and a sentence for each of them."""

    recipe: Recipe
    refused: tuple[str, ...]


# What was kept of recipes with roads that were refused, the newest last.
_refused: dict[Recipe, _Kept] = {}
_MOST_REFUSED = 16


def _allowed(recipe: Recipe) -> _Kept:
    """What of a recipe is not refused before it is built."""
    features, sentences = leave_out_refused(recipe.features, recipe.width, recipe.depth)
    return _Kept(recipe.replace(features=features) if sentences else recipe, sentences)


def _with_what_can_be(
    recipe: Recipe,
    build: Callable[[Recipe], Generator[Progress, bool | None, Landscape]],
) -> Generator[Progress, bool | None, Landscape]:
    """Build a recipe without the features that are refused, which its warnings tell."""
    kept = _allowed(recipe)
    _refused.pop(recipe, None)
    while True:
        try:
            landscape = yield from build(kept.recipe)
        except RefusedRoad as error:
            features = tuple(one.replace(enabled=False) if one == error.road else one for one in kept.recipe.features)
            if features == kept.recipe.features:
                raise
            kept = _Kept(kept.recipe.replace(features=features), (*kept.refused, left_out(str(error))))
            _refused[recipe] = kept
            while len(_refused) > _MOST_REFUSED:
                del _refused[next(iter(_refused))]
        else:
            warnings = (*kept.refused, *landscape.warnings)
            return replace(landscape, recipe=recipe, warnings=warnings)


def is_at_hand(recipe: Recipe, extent: Extent, land: bpy.types.Object | None = None) -> bool:
    """Return whether this session already has all of a landscape that takes time to build.

    The plants of one year follow from the forest at once, so they need not be there.

    Raises
    ------
    ValueError
        As `landscape_steps`.
    """
    problems: dict[str, str] = {}
    recipe, _ = _refused.get(recipe) or _allowed(recipe)
    plan = plan_of(recipe, inputs.gather_inputs(recipe, land, problems), problems)
    return all(plan.keys[name] in _cache for name in plan.wanted(extent) if name != "plants")


def is_compiled(recipe: Recipe, extent: Extent) -> bool:
    """Return whether a landscape can be built without waiting for kernels that are being compiled ahead."""
    return _warming is None or _warming.is_warm(recipe, extent)


def _when_warm(
    warming: Warming, recipe: Recipe, extent: Extent, steps: Generator[Progress, bool | None, Landscape]
) -> Generator[Progress, bool | None, Landscape]:
    if not warming.is_warm(recipe, extent):
        waiting = warming.wait(recipe, extent)
        yield from mapped(waiting, lambda share: Progress(COMPILING, _COMPILED * share))
        steps = mapped(steps, lambda step: replace(step, fraction=_COMPILED + (1.0 - _COMPILED) * step.fraction))
    return (yield from steps)


def kept_planet_steps(
    recipe: PlanetRecipe, elevation: StoredField | None, *, preview: int | None = None, close: bool = False
) -> Generator[Progress, bool | None, Planet]:
    """Return the steps of building a planet, which may run in any thread.

    Kernels that are being compiled ahead are waited for.

    Parameters
    ----------
    recipe : PlanetRecipe
    elevation : StoredField, optional
        The heights that it names.
    preview : int, optional
        Samples along an edge of a face of a coarser look at it; left out, the whole planet is built.
    close : bool
        Whether it is to be seen from close by.
    """
    if preview is None:
        steps = build_planet_steps(recipe, elevation, cache=_cache)
    else:
        steps = preview_planet_steps(recipe, preview, _cache, elevation)
    if _warming_planets is not None and not _warming_planets.is_warm(close=close):
        waiting = _warming_planets.wait(close=close)
        yield from mapped(waiting, lambda share: Progress(COMPILING, _COMPILED * share))
        steps = mapped(steps, lambda step: replace(step, fraction=_COMPILED + (1.0 - _COMPILED) * step.fraction))
    return (yield from steps)


def stages_to_make(recipe: PlanetRecipe) -> frozenset[str]:
    """Return the names of the stages of a planet that this session has no result of.

    Raises
    ------
    ValueError
        If the planet does not fit into memory.
    """
    return touched_stages(recipe, _cache)


def warm_planets() -> None:
    """Begin to compile the kernels of planets after those of landscapes, if they are not there."""
    global _warming_planets
    if _warming_planets is None:
        _warming_planets = PlanetWarming(_warming)


def forget_cut_short() -> None:
    """Discard the results of processes that were asked to finish early."""
    _cache.forget_cut_short()


def warm(recipe: Recipe) -> None:
    """Begin to compile the kernels of a recipe, if they are not there and not being compiled."""
    global _warming
    if _warming is None or not _warming.serves(recipe):
        if _warming is not None:
            _warming.stop()
        _warming = Warming(recipe)


def forget_results() -> None:
    """Discard all cached results, and stop compiling ahead."""
    _cache.clear()
    inputs.forget_files()
    stop_warming()


def stop_warming() -> None:
    """Stop compiling ahead; what is asked for afterwards is compiled from the beginning."""
    global _warming, _warming_planets
    if _warming_planets is not None:
        _warming_planets.stop()
        _warming_planets = None
    if _warming is not None:
        _warming.stop()
        _warming = None

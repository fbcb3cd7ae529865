"""Building landscapes with the results that this session already has."""

from collections.abc import Callable, Generator

import bpy

from ..core.atlas import maps_wanted
from ..core.landscape import Cache, Extent, Landscape, build_steps
from ..core.progress import Progress, mapped, run
from ..core.recipe import Recipe
from ..core.stages import last_land, stage_keys, stages_of
from ..core.warming import PARTS, Warming
from .inputs import gather_inputs

_cache = Cache()
_warming: Warming | None = None

# How many of the parts in `PARTS` a landscape needs, and how many kernels those have, more or less.
_PARTS_NEEDED = {"terrain": 3, "maps": 4, "plants": 5}
_USUAL_KERNELS = {"terrain": 60, "maps": 90, "plants": 120}
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
    recipe: Recipe, extent: Extent = "plants", land: bpy.types.Object | None = None
) -> Generator[Progress, bool | None, Landscape]:
    """Return the steps of building a recipe, which may run in any thread.

    What the recipe asks for of Blender and of files is read here and now.

    Parameters
    ----------
    recipe : Recipe
    extent : {'terrain', 'maps', 'plants'}
        How far to go.
    land : Object, optional
        Whose painted attributes and stored heights the recipe means.

    Raises
    ------
    ValueError
        If nothing is left of the relief because files cannot be read, or the landscape does not fit into memory.
    """
    problems: dict[str, str] = {}
    inputs = gather_inputs(recipe, land, problems)
    return build_steps(recipe, inputs=inputs, problems=problems, cache=_cache, extent=extent)


def is_at_hand(recipe: Recipe, extent: Extent, land: bpy.types.Object | None = None) -> bool:
    """Return whether this session already has all of a landscape that takes time to build.

    Which plants there are in a year of a forest that has grown is soon said.

    Raises
    ------
    ValueError
        As `landscape_steps`.
    """
    problems: dict[str, str] = {}
    stages = stages_of(recipe, gather_inputs(recipe, land, problems), problems)
    keys = stage_keys(stages)
    charts = (*maps_wanted(recipe), "water")
    wanted = {"terrain": (), "maps": charts, "plants": (*charts, "forest")}[extent]
    return all(keys[name] in _cache for name in (last_land(stages), *wanted))


def first_steps(recipe: Recipe, extent: Extent = "plants") -> Generator[Progress, bool | None, Landscape]:
    """Return the steps of building a new landscape; in a window, kernels that were never compiled are first.

    Parameters and errors are those of `landscape_steps`.
    """
    steps = landscape_steps(recipe, extent)
    if bpy.app.background:
        return steps
    warming = warm(recipe)
    needed = PARTS[: _PARTS_NEEDED[extent]]
    if warming.is_warm(*needed):
        return steps
    return _when_warm(warming, needed, _USUAL_KERNELS[extent], steps)


def _when_warm(
    warming: Warming, parts: tuple[str, ...], usual: int, steps: Generator[Progress, bool | None, Landscape]
) -> Generator[Progress, bool | None, Landscape]:
    for kernels in warming.wait(*parts):
        yield Progress(f"first time: {kernels} of {usual}", _COMPILED * min(kernels / usual, 1.0))
    return (yield from mapped(steps, lambda step: Progress(step.stage, _COMPILED + (1 - _COMPILED) * step.fraction)))


def warm(recipe: Recipe) -> Warming:
    """Begin to compile the kernels of a recipe, if they are not there and not being compiled."""
    global _warming
    if _warming is None or not _warming.serves(recipe):
        if _warming is not None:
            _warming.stop()
        _warming = Warming(recipe)
    _warming.is_warm(*PARTS)
    return _warming


def forget() -> None:
    """Let go of all cached results, and of processes at work."""
    global _warming
    _cache.clear()
    if _warming is not None:
        _warming.stop()
        _warming = None

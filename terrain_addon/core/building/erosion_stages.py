"""The stages of erosion: each process works on the terrain that the one before left.

A process that begins on coarse grids gets an overview too: the land as it is at the resolution of a preview, made by
the same recipe.  So its coarse grids are the same for every finer resolution, and the final land has the rivers of the
preview.

Where the sea has risen since erosion ended, every process works as if it still stood lower; see `while_eroding`.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..direction.drawing import NOTHING_DRAWN
from ..direction.features import Lake
from ..direction.fixed_border import border_form
from ..erosion.masked import keep_outside
from ..erosion.mass_balance import Eroded
from ..erosion.process import Factor
from ..erosion.processes import PROCESSES
from ..flow.rivers import DrawnStreams
from ..flow.water import Waters, find_water
from ..foundation.hashing import Purpose, derive_seed
from ..foundation.progress import Steps, within
from ..foundation.stages import Results, Stage
from ..foundation.terrain import Field, Terrain
from ..maps.climate import RAIN_MAP, rain_share
from ..maps.masks import Mask, Surroundings, evaluate_mask
from ..maps.water import WATERS
from .drawing_stages import DRAWN, OVERVIEW_RESOLUTION, directing_features, drawing_stages, has_overview
from .layers import Inputs
from .measuring import RELIEF, Measured, needs_relief, reads_of
from .recipe import Recipe
from .relief_stages import relief_stages
from .stage import StageKind, land_of

_ACTING = Factor("mask", 0.0, 1.0)


def erosion_stages(recipe: Recipe, inputs: Inputs, *, sketched: bool = False) -> list[Stage]:
    """Return the stages of each process that is on, in their order.

    Parameters
    ----------
    recipe : Recipe
        Whose list of erosion is followed.
    inputs : mapping of str to StoredField
        What was painted, by key.
    sketched : bool
        Whether processes that have a sketch only sketch.

    Returns
    -------
    list of Stage
        One for each process; two for a process with a history, so that its age can change without following it again.
    """
    recipe = while_eroding(recipe)
    stages: list[Stage] = []
    for index, process in enumerate(recipe.erosion, start=1):
        if process.enabled:
            before = stages[-1].name if stages else DRAWN if directing_features(recipe) else RELIEF
            stages += _stages_of(recipe, process, index, before, inputs, sketched=sketched)
    return stages


def while_eroding(recipe: Recipe) -> Recipe:
    """Return a recipe as processes of erosion see it.

    Parameters
    ----------
    recipe : Recipe
        Of the finished land.

    Returns
    -------
    Recipe
        With the sea where it was before it rose.
    """
    return recipe.replace(water=recipe.water.while_eroding) if recipe.water.sea_rise else recipe


def slides_among(recipe: Recipe, stages: Sequence[Stage]) -> tuple[tuple[str, str], ...]:
    """Return where among the stages of erosion ground slides down slopes.

    Parameters
    ----------
    recipe : Recipe
        Whose erosion it is.
    stages : sequence of Stage
        From `erosion_stages`.

    Returns
    -------
    tuple of (str, str)
        For each process in which ground slides, the stage before it and its own.
    """
    return tuple(
        (stage.needs[0], stage.name)
        for stage in stages
        if stage.kind is StageKind.EROSION and PROCESSES[type(recipe.erosion[stage.index - 1])].slides
    )


class FoundLand(NamedTuple):
    """What a process finds.

    Attributes
    ----------
    terrain : Terrain
        The land.
    fields : dict of str to ndarray of float32, shape (rows, columns), or None
        What the masks of the process stand for there, by the names of its factors; None for the usual everywhere.
    mask : ndarray of float32, shape (rows, columns), or None
        Where the process acts, 0 to 1; None for everywhere.
    """

    terrain: Terrain
    fields: dict[str, Field | None]
    mask: Field | None


def land_before(recipe: Recipe, index: int, inputs: Inputs) -> Steps[FoundLand]:
    """Make the land that a process finds.

    Parameters
    ----------
    recipe : Recipe
        Whose relief and erosion are followed.
    index : int
        Number of the process, from 1; it must be on.
    inputs : mapping of str to StoredField
        As for `core.build`.

    Yields
    ------
    float
        Share done.

    Returns
    -------
    FoundLand
    """
    recipe = while_eroding(recipe)
    results: dict[str, Any] = {}
    land = RELIEF
    before = [*relief_stages(recipe, inputs), *drawing_stages(recipe, inputs)]
    for stage in [*before, *erosion_stages(recipe, inputs)]:
        if stage.index == index and stage.kind in (StageKind.HISTORY, StageKind.EROSION):
            break
        results[stage.name] = yield from stage.compute(results)
        land = stage.name
    process, measured = recipe.erosion[index - 1], _measured(results, land, recipe)
    mask = _field_of(_ACTING, process.mask, recipe, measured, inputs)
    return FoundLand(land_of(results[land]), _fields_of(process, recipe, measured, inputs), mask)


def act_on(recipe: Recipe, index: int, land: Terrain, relief: Terrain, inputs: Inputs) -> Steps[Eroded]:
    """Let one process of a recipe act on a land that was made elsewhere.

    Parameters
    ----------
    recipe : Recipe
        Its resolution is that of the land.
    index : int
        Number of the process, from 1.
    land, relief : Terrain
        What the process finds, and the land before any erosion.
    inputs : mapping of str to StoredField
        As for `core.build`.

    Yields
    ------
    float
        Share done.

    Returns
    -------
    Eroded
    """
    recipe = while_eroding(recipe)
    found = "land"
    results: dict[str, Any] = {found: land, RELIEF: relief}
    stages = _stages_of(recipe, recipe.erosion[index - 1], index, found, inputs)
    for stage in stages:
        results[stage.name] = yield from stage.compute(results)
    eroded: Eroded = results[stages[-1].name]
    return eroded


def erosion_inputs(recipe: Recipe) -> tuple[str, ...]:
    """Return the keys of all inputs that the masks of erosion use where they are there.

    Parameters
    ----------
    recipe : Recipe
        Whose processes are asked.

    Returns
    -------
    tuple of str
        Each once.
    """
    masks = (mask for process in recipe.erosion for mask in _masks(process))
    return tuple(dict.fromkeys(key for mask in masks for key in mask.keys))


def _title_among(recipe: Recipe, index: int) -> str:
    """The name of a process for people, with its number among those of its kind if there are several."""
    process = recipe.erosion[index - 1]
    same = [number for number, one in enumerate(recipe.erosion, start=1) if type(one) is type(process)]
    return f"{process.title()} {same.index(index) + 1}" if len(same) > 1 else process.title()


def _stages_of(
    recipe: Recipe, process: Any, index: int, before: str, inputs: Inputs, *, sketched: bool = False
) -> list[Stage]:
    """The stages of one process."""
    declared = PROCESSES[type(process)]
    name = f"erosion {index}: {process.model().replace('_', ' ')}"
    factors = [mask for _, mask in _factors(process)]
    drawn = directing_features(recipe)
    # A lake that goes on beyond the border closes it for all water.
    is_led = (declared.directed and drawn) or any(isinstance(one, Lake) for one in drawn)
    led_by = (DRAWN,) if is_led else ()
    needs = tuple(dict.fromkeys((*_needs(before, [*declared.measurements, *_maps(factors)]), *led_by)))
    reads = [process.to_json() | {"mask": None}, _reads_of(recipe, process, inputs)]
    work = _on_terrain(declared.work, recipe, index, before, inputs)
    stages, doing = [], _title_among(recipe, index)
    if sketched and declared.sketch is not None:
        work = _on_terrain(declared.sketch, recipe, index, before, inputs)
        reads.append("sketch")
    elif declared.history is not None:
        history = declared.history
        follow = _on_terrain(history.follow, recipe, index, before, inputs)
        timeless = [process.to_json() | {"mask": None, history.age: None}, reads[1]]
        stages.append(
            Stage(StageKind.HISTORY, f"history of {name}", needs, timeless, follow, index, f"{doing}: {history.doing}")
        )
        age = getattr(process, history.age)
        needs, reads = (stages[0].name,), [age]

        def work(results: Results) -> Steps[Any]:
            return history.grow(results[stages[0].name], age)

    if _acts_somewhere(process.mask, inputs):
        work = _within_mask(work, recipe, index, before, inputs)
        needs = tuple(dict.fromkeys((*needs, *_needs(before, _maps([process.mask])), *led_by)))
        reads = [*reads, process.mask.to_json(), *_reads_of_masks(recipe, [process.mask], inputs)]
    return [*stages, Stage(StageKind.EROSION, name, needs, reads, work, index, doing)]


def _needs(before: str, maps: Iterable[str]) -> tuple[str, ...]:
    """The stages that a process needs for the land before it and these maps of it."""
    return tuple(dict.fromkeys((before, *([RELIEF] if any(map(needs_relief, maps)) else []))))


def _maps(masks: Iterable[Mask]) -> list[str]:
    """The maps of the land that masks follow."""
    return [name for mask in masks for name in mask.maps]


def _acts_somewhere(mask: Mask, inputs: Inputs) -> bool:
    """Whether a mask keeps a process from a part of the land; what was painted and is not there keeps it from none."""
    return not (mask.is_everywhere or any(key not in inputs for key in mask.keys))


def _masks(process: Any) -> list[Mask]:
    """All masks of a process."""
    return [process.mask, *(mask for _, mask in _factors(process))]


def _factors(process: Any) -> list[tuple[Factor, Mask]]:
    """What masks change of a process, with the masks."""
    return [(factor, getattr(process, factor.name)) for factor in PROCESSES[type(process)].factors]


def _reads_of(recipe: Recipe, process: Any, inputs: Inputs) -> list[Any]:
    """What a process depends on apart from the terrain and its own parameters."""
    declared = PROCESSES[type(process)]
    masks = _reads_of_masks(recipe, [mask for _, mask in _factors(process)], inputs)
    return [
        recipe.seed if declared.seeded else None,
        recipe.water.sea_surface if declared.at_sea else None,
        [inflow.to_json() for inflow in recipe.water.inflows] if declared.fed else None,
        recipe.fixed_border if declared.directed else None,
        [reads_of(name, recipe) for name in declared.measurements],
        masks,
    ]


def _reads_of_masks(recipe: Recipe, masks: Iterable[Mask], inputs: Inputs) -> list[Any]:
    """What masks depend on apart from the terrain and their own parameters."""
    return [
        [
            recipe.seed,
            recipe.borders,
            [reads_of(name, recipe) for name in mask.maps],
            [inputs[key].digest for key in mask.keys if key in inputs],
        ]
        for mask in masks
        if not mask.is_everywhere
    ]


def _within_mask(
    work: Callable[[Results], Steps[Any]], recipe: Recipe, index: int, before: str, inputs: Inputs
) -> Callable[[Results], Steps[Any]]:
    """Keep the work of a process within its mask, which looks at the land that the process finds."""

    def compute(results: Results) -> Steps[Any]:
        eroded = yield from work(results)
        measured = _measured(results, before, recipe)
        shares = _field_of(_ACTING, recipe.erosion[index - 1].mask, recipe, measured, inputs)
        return eroded if shares is None else keep_outside(land_of(results[before]), eroded, shares)

    return compute


def _on_terrain(
    work: Callable[..., Steps[Any]], recipe: Recipe, index: int, before: str, inputs: Inputs
) -> Callable[[Results], Steps[Any]]:
    """Give the work of a process, or of the history of one, all that it takes."""
    process = recipe.erosion[index - 1]
    declared = PROCESSES[type(process)]

    def compute(results: Results) -> Steps[Any]:
        terrain = land_of(results[before])
        measured = _measured(results, before, recipe)
        taken: dict[str, Any] = {name: measured(name) for name in declared.measurements}
        taken |= _fields_of(process, recipe, measured, inputs)
        if declared.seeded:
            taken["seed"] = recipe.seed
        if declared.at_sea:
            taken["sea_level"] = recipe.water.sea_surface
        if declared.fed:
            taken["inflows"] = recipe.water.inflows
        if declared.overview is not None and has_overview(recipe):
            coarse = recipe.replace(resolution=OVERVIEW_RESOLUTION)
            land, factors, _ = yield from within(land_before(coarse, index, inputs), 0.0, 0.0)
            seen = Measured(land, coarse, None, _closed_at_lakes(results, land, coarse))
            factors |= {name: seen(name) for name in declared.measurements}
            taken["overview"] = declared.overview(land, **factors)
        if declared.directed and (DRAWN in results or recipe.fixed_border):
            drawing = results[DRAWN].drawing if DRAWN in results else NOTHING_DRAWN
            taken["drawing"] = drawing._replace(border=border_form(terrain) if recipe.fixed_border else None)
        return (yield from work(terrain, process, **taken))

    return compute


def _measured(results: Results, name: str, recipe: Recipe) -> Measured:
    """Return what measures the terrain that a stage made."""
    relief, land = land_of(results[RELIEF]) if RELIEF in results else None, land_of(results[name])
    return Measured(land, recipe, relief, _closed_at_lakes(results, land, recipe))


def _closed_at_lakes(results: Results, terrain: Terrain, recipe: Recipe) -> dict[str, Callable[[Measured], Waters]]:
    """What finds the water of a terrain, if drawn lakes go on beyond its border: none leaves over them."""
    if DRAWN not in results:
        return {}
    lakes = results[DRAWN].drawing.lakes_on_border(terrain.surface.shape, terrain.cell_size)
    if not lakes.size:
        return {}

    def find(measured: Measured) -> Waters:
        rain = rain_share(measured(RAIN_MAP.name)) if recipe.climate.enabled else None
        streams = DrawnStreams(np.empty(0, np.int32), np.empty(0, np.float32), lakes)
        return find_water(terrain.surface, terrain.cell_size, recipe.water, rain, streams)

    return {WATERS.name: find}


def _fields_of(process: Any, recipe: Recipe, measured: Measured, inputs: Inputs) -> dict[str, Field | None]:
    """What the masks of a process stand for, by the names of the factors."""
    return {factor.name: _field_of(factor, mask, recipe, measured, inputs) for factor, mask in _factors(process)}


def _field_of(factor: Factor, mask: Mask, recipe: Recipe, measured: Measured, inputs: Inputs) -> Field | None:
    """What a mask stands for as a multiple of the usual; None for the usual everywhere."""
    if mask.is_everywhere or any(key not in inputs for key in mask.keys):
        return None
    seed = int(derive_seed(recipe.seed, Purpose.PROCESS_MASK, *factor.name.encode()))
    around = Surroundings(recipe.grid, measured.terrain.surface, measured, inputs, seed, recipe.borders)
    least, most = np.float32(factor.least), np.float32(factor.most)
    return least + (most - least) * evaluate_mask(mask, around)

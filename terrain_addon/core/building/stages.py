"""From a recipe to the list of stages that make its landscape.

Each stage names the stages it uses and the parameters it reads; its key is a hash of both, so whoever keeps results can
tell which of them still hold.  Read `stages_of` to see how a landscape comes about.
"""

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..ecosystem.density import Habitat
from ..ecosystem.ecosystem import grow_forest
from ..ecosystem.forest import Forest
from ..ecosystem.plant_attributes import PLANT_EXCLUSION, PLANTS_HERE_INPUT
from ..ecosystem.plants import Plants
from ..ecosystem.soil_feedback import SoilFeedback, work_on_soil
from ..erosion.mass_balance import Eroded
from ..erosion.processes import AGEING, MASKS, PROCESSES
from ..foundation.hashing import Purpose, derive_seed
from ..foundation.progress import Steps
from ..foundation.terrain import Field, Terrain
from ..maps.masks import Everywhere, MapMask, PaintedMask, evaluate_mask, mask_inputs
from ..relief.shaping import shape_relief
from .atlas import CHARTS, maps_of
from .layers import Inputs, Layer, apply_layer, inputs_of_layer, missing_inputs, stack_limits
from .recipe import Recipe

Results = Mapping[str, Any]

Problems = Mapping[str, str]
"""For inputs that are not there, by key: the reason, as a sentence."""
NO_PROBLEMS: Problems = {}

ATTRIBUTE = "attribute:"
"""How the key of an input begins that is an attribute painted on the land."""
EXCLUSION, PLANT_HERE = ATTRIBUTE + PLANT_EXCLUSION, ATTRIBUTE + PLANTS_HERE_INPUT
"""Inputs that keep plants away, and that put them where they would not grow; both need not be there."""

EROSION = "erosion"
"""How the names of the stages begin that erode."""

HISTORY = "history of "
"""How the name of a stage begins that follows a land through all ages, for the process that the rest is named after."""

MULTIPLES = {"rain": (0.1, 1.0), "hardness": (1.0, 8.0)}
"""What masks of erosion stand for where they are 0 and 1, as multiples of the usual."""

_CENTURY = 100.0
# The maps that plants respond to, besides altitude and sediment.
_HABITAT = ("illumination", "humidity", "slope", "water_distance")


@dataclass(frozen=True)
class Stage:
    """One step of the way from a recipe to a landscape.

    Attributes
    ----------
    name : str
        Unique within a recipe; also what a progress bar shows.
    needs : tuple of str
        Names of the stages whose results it uses.
    reads : object
        Everything else that its result depends on, as JSON.
    compute : callable
        From results by name to the steps of this stage.
    """

    name: str
    needs: tuple[str, ...]
    reads: Any
    compute: Callable[[Results], Steps[Any]]


def stages_of(recipe: Recipe, inputs: Inputs, problems: Problems = NO_PROBLEMS) -> list[Stage]:
    """Return the stages of a recipe, in an order in which each comes after those it needs.

    Layers and processes that are off, or lack an input, have no stage.

    Raises
    ------
    ValueError
        If no layer is left because of missing inputs.
    """
    relief = relief_stages(recipe, inputs, problems)
    erosion = _erosion_stages(recipe, inputs)
    land = (relief + erosion)[-1].name
    plants = _plants_stage(recipe)
    if not recipe.ecosystem.soil.enabled:
        return [*relief, *erosion, *_map_stages(recipe, land), _forest_stage(recipe, inputs, land, _HABITAT), plants]
    # The forest grows on the land as it was, and the finished land is what it made of that.
    soil = _soil_stage(recipe, land)
    return [*relief, *erosion, _forest_stage(recipe, inputs, land, ()), soil, *_map_stages(recipe, soil.name), plants]


def stage_keys(stages: list[Stage]) -> dict[str, str]:
    """Return a key for every stage: equal keys mean equal results, within one version of this package."""
    keys: dict[str, str] = {}
    for stage in stages:
        content = json.dumps([stage.name, [keys[name] for name in stage.needs], stage.reads])
        keys[stage.name] = hashlib.sha256(content.encode()).hexdigest()
    return keys


def last_land(stages: list[Stage]) -> str:
    """Return the name of the stage whose result is the finished terrain."""
    return next(stage.needs[0] for stage in stages if stage.name == "slope")


def land_of(result: Any) -> Terrain:
    """Return the terrain in the result of a stage that makes land."""
    terrain: Terrain = result if isinstance(result, Terrain) else result.terrain
    return terrain


def warnings_of(recipe: Recipe, inputs: Inputs, problems: Problems = NO_PROBLEMS) -> tuple[str, ...]:
    """Return a sentence for each layer that is left out because something it needs is not there, with the reason."""
    return tuple(
        f"layer {layer.name!r} is left out: {problems.get(key, f'{key} is not there')}"
        for layer in recipe.relief.layers
        if layer.enabled
        for key in missing_inputs(layer, inputs)
    )


def erosion_inputs(recipe: Recipe) -> tuple[str, ...]:
    """Return the keys of all inputs that the masks of erosion use where they are there."""
    masks = (getattr(process, name) for process in recipe.erosion for name in MASKS if hasattr(process, name))
    return tuple(dict.fromkeys(key for mask in masks for key in mask_inputs(mask)))


def plant_inputs(recipe: Recipe) -> tuple[str, ...]:
    """Return the keys of all inputs that the plants of a recipe use where they are there."""
    painted = (ATTRIBUTE + species.painted_map for species in recipe.ecosystem.species if species.painted_map)
    return tuple(dict.fromkeys((EXCLUSION, PLANT_HERE, *painted)))


# --- relief -----------------------------------------------------------------------------------------------------------


def relief_stages(recipe: Recipe, inputs: Inputs, problems: Problems = NO_PROBLEMS) -> list[Stage]:
    """Return one stage per layer, each on top of the one before, and one that shapes them all.

    Raises
    ------
    ValueError
        If no layer is left because of missing inputs.
    """
    grid, borders = recipe.grid, recipe.borders
    place = [grid.rows, grid.columns, grid.cell_size, grid.first_row, grid.first_column, recipe.seed]
    limits = stack_limits(recipe.relief, inputs)
    working = [
        (number, layer)
        for number, layer in enumerate(recipe.relief.layers)
        if layer.enabled and not missing_inputs(layer, inputs)
    ]
    if not working and any(layer.enabled for layer in recipe.relief.layers):
        raise ValueError(f"nothing is left of the relief: {'; '.join(warnings_of(recipe, inputs, problems))}")

    stages: list[Stage] = []
    for number, layer in working:
        needs = (stages[-1].name,) if stages else ()
        reads = [
            [place, borders, layer.replace(name="").to_json(), limits[number]],
            recipe.time if _moves(layer) else 0.0,
            _map_reads(layer, recipe),
            [inputs[key].digest for key in inputs_of_layer(layer)],
        ]
        stages.append(
            Stage(f"layer {number + 1}: {layer.name}", needs, reads, _lay(recipe, layer, limits[number], needs, inputs))
        )

    def shape(results: Results) -> Steps[Terrain]:
        yield 0.0
        heights = results[needs[0]] if needs else np.zeros(grid.shape, np.float32)
        shaped = shape_relief(heights, grid, borders, recipe.relief.shaping, limits[-1])
        return Terrain(shaped, np.zeros_like(shaped), grid.cell_size)

    needs = (stages[-1].name,) if stages else ()
    return [*stages, Stage("relief", needs, [place, borders, recipe.relief.shaping.to_json(), limits[-1]], shape)]


def _lay(
    recipe: Recipe, layer: Layer, limits: tuple[float, float], needs: tuple[str, ...], inputs: Inputs
) -> Callable[[Results], Steps[Field]]:
    def compute(results: Results) -> Steps[Field]:
        yield 0.0
        grid = recipe.grid
        below: Field | None = results[needs[0]] if needs else None
        ground = np.zeros(grid.shape, np.float32) if below is None else below
        maps = maps_of(Terrain(ground, np.zeros_like(ground), grid.cell_size), recipe)
        return apply_layer(
            below, grid, layer, recipe.seed, inputs, recipe.time, limits=limits, borders=recipe.borders, maps=maps
        )

    return compute


def _moves(layer: Layer) -> bool:
    """Whether a layer looks otherwise at another time."""
    return any(getattr(layer.source, name, 0.0) != 0.0 for name in ("speed", "drift_east", "drift_north"))


def _map_reads(layer: Layer, recipe: Recipe) -> Any:
    """The parameters of the map that a layer's mask follows."""
    return _reads_of(layer.mask.map, recipe, None, {}) if isinstance(layer.mask, MapMask) else []


# --- erosion ----------------------------------------------------------------------------------------------------------


def _erosion_stages(recipe: Recipe, inputs: Inputs) -> list[Stage]:
    """The stages of each process that is on, each working on the land that the one before left."""
    stages: list[Stage] = []
    for number, process in enumerate(recipe.erosion, start=1):
        if process.enabled:
            before = stages[-1].name if stages else "relief"
            name = f"{EROSION} {number}: {process.model().replace('_', ' ')}"
            stages += _process_stages(recipe, process, name, before, inputs)
    return stages


def _process_stages(recipe: Recipe, process: Any, name: str, before: str, inputs: Inputs) -> list[Stage]:
    """One stage; two for a process with a history, so that its age can change without following it again."""
    wants = PROCESSES[type(process)].wants
    reads = [_reads_of(want, recipe, process, inputs) for want in wants]
    ageing = AGEING.get(type(process))
    if ageing is None:
        work = _on_land(PROCESSES[type(process)].work, recipe, process, before, inputs)
        return [Stage(name, (before,), [process.to_json(), reads], work)]
    timeless = process.to_json() | {ageing.age: None}
    follow = _on_land(ageing.follow, recipe, process, before, inputs)
    age = getattr(process, ageing.age)
    history = HISTORY + name
    return [
        Stage(history, (before,), [timeless, reads], follow),
        Stage(name, (history,), age, lambda results: ageing.grow(results[history], age)),
    ]


def _on_land(
    work: Callable[..., Steps[Any]], recipe: Recipe, process: Any, before: str, inputs: Inputs
) -> Callable[[Results], Steps[Any]]:
    def compute(results: Results) -> Steps[Any]:
        terrain = land_of(results[before])
        maps = maps_of(terrain, recipe)

        def wanted(name: str) -> Any:
            if name in MASKS:
                return _masked(getattr(process, name), name, terrain, recipe, maps, inputs)
            if name == "sea_level":
                return recipe.water.sea_surface
            return recipe.seed if name == "seed" else maps(name)

        return work(terrain, process, **{name: wanted(name) for name in PROCESSES[type(process)].wants})

    return compute


def _masked(
    mask: Any, name: str, terrain: Terrain, recipe: Recipe, maps: Callable[[str], Any], inputs: Inputs
) -> Field | None:
    """What a mask stands for as a multiple of the usual; None for the usual everywhere."""
    if isinstance(mask, Everywhere) or any(key not in inputs for key in mask_inputs(mask)):
        return None
    seed = int(derive_seed(recipe.seed, Purpose.PROCESS_MASK, *name.encode()))
    share = evaluate_mask(mask, recipe.grid, terrain.surface, maps, inputs, seed, recipe.borders)
    least, most = np.float32(MULTIPLES[name][0]), np.float32(MULTIPLES[name][1])
    return least + (most - least) * share


def _reads_of(want: str, recipe: Recipe, process: Any, inputs: Inputs) -> Any:
    """What something that a process wants depends on, apart from the land."""
    if want in MASKS:
        mask = getattr(process, want)
        inner = _reads_of(mask.map, recipe, process, inputs) if isinstance(mask, MapMask) else []
        digests = [inputs[key].digest for key in mask_inputs(mask) if key in inputs]
        return [recipe.seed, recipe.borders, inner, digests]
    if want == "seed":
        return recipe.seed
    if want == "sea_level":
        return [recipe.water.sea, recipe.water.sea_level]
    chart = CHARTS.get(want)
    if chart is None:
        return []
    return [chart.reads(recipe), [_reads_of(need, recipe, process, inputs) for need in chart.needs]]


# --- maps and plants --------------------------------------------------------------------------------------------------


def _map_stages(recipe: Recipe, land: str) -> list[Stage]:
    def measure(name: str) -> Callable[[Results], Steps[Any]]:
        def compute(results: Results) -> Steps[Any]:
            yield 0.0
            return CHARTS[name].measure(land_of(results[land]), recipe, results.__getitem__)

        return compute

    return [Stage(name, (land, *chart.needs), chart.reads(recipe), measure(name)) for name, chart in CHARTS.items()]


def _forest_stage(recipe: Recipe, inputs: Inputs, land: str, shared: tuple[str, ...]) -> Stage:
    """The forest with its past; it takes the maps in `shared` from their stages, and measures others for itself."""
    ecosystem = recipe.ecosystem
    # Grown in whole centuries, so that the year moves freely within one.
    years = math.ceil(ecosystem.evolution.years / _CENTURY) * _CENTURY
    grown = ecosystem.replace(evolution=ecosystem.evolution.replace(years=years), soil=SoilFeedback())
    painted = {key: inputs[key] for key in plant_inputs(recipe) if key in inputs}

    def grow(results: Results) -> Steps[Forest]:
        terrain = land_of(results[land])
        measured = maps_of(terrain, recipe)

        def habitat_map(name: str) -> Field:
            values: Field = results[name] if name in shared else measured(name)
            return values

        def mask(key: str) -> Field | None:
            if key not in painted:
                return None
            where = PaintedMask(key=key)
            return evaluate_mask(where, recipe.grid, terrain.surface, measured, painted, 0, recipe.borders)

        habitat = Habitat(
            sediment=terrain.sediment,
            altitude=terrain.surface,
            painted={
                name: values
                for name in {species.painted_map for species in ecosystem.species if species.painted_map}
                if (values := mask(ATTRIBUTE + name)) is not None
            },
            **{name: habitat_map(name) for name in _HABITAT},
        )
        forest = yield from grow_forest(
            habitat, grown, terrain.cell_size, recipe.seed, mask(EXCLUSION), mask(PLANT_HERE)
        )
        return forest

    own = [_reads_of(name, recipe, None, inputs) for name in _HABITAT if name not in shared]
    reads = [recipe.seed, grown.to_json(), [[key, painted[key].digest] for key in painted], own]
    return Stage("forest", (land, *shared), reads, grow)


def _soil_stage(recipe: Recipe, land: str) -> Stage:
    """What rain and the forest make of the soil."""
    soil = recipe.ecosystem.soil

    def work(results: Results) -> Steps[Eroded]:
        yield 0.0
        terrain = land_of(results[land])
        return work_on_soil(terrain, maps_of(terrain, recipe)("gradient"), results["forest"], soil)

    return Stage(f"{EROSION}: soil under plants", (land, "forest"), soil.to_json(), work)


def _plants_stage(recipe: Recipe) -> Stage:
    """The plants in the year that is shown."""
    years = recipe.ecosystem.evolution.years

    def look(results: Results) -> Steps[Plants]:
        yield 0.0
        forest: Forest = results["forest"]
        return forest.plants_at(min(years, forest.years))

    return Stage("plants", ("forest",), years, look)

"""The stages of life: the forest with its past, what it makes of the soil, and the plants of one year."""

import math
from collections.abc import Iterable, Mapping

import numpy as np

from ..direction.drawing import stands_free
from ..ecosystem.density import Habitat
from ..ecosystem.ecosystem import grow_forest
from ..ecosystem.flooded_ground import cover_of, find_flooded
from ..ecosystem.forest import Forest
from ..ecosystem.groves import FEWEST_GROVES
from ..ecosystem.plant_attributes import PLANT_EXCLUSION, PLANTS_HERE_INPUT
from ..ecosystem.plants import Plants, remove_plants
from ..ecosystem.soil_feedback import SoilFeedback, work_on_soil
from ..erosion.mass_balance import Eroded
from ..foundation.neighbours import largest_around
from ..foundation.progress import Steps
from ..foundation.sampling import sample
from ..foundation.stages import Results, Stage
from ..foundation.stored_field import StoredField
from ..foundation.terrain import Field, Terrain
from ..maps.climate import RAIN_MAP, TEMPERATURE
from ..maps.glaciers import ICE_THICKNESS
from ..maps.masks import PaintedMask, Surroundings, evaluate_mask
from .drawing_stages import BUILT, cleared_ground
from .layers import Inputs
from .measuring import Measured, reads_of, values_of
from .recipe import Recipe
from .stage import StageKind, land_of

ATTRIBUTE = "attribute:"
"""How the key of an input begins that is an attribute painted on the land."""
EXCLUSION, PLANT_HERE = ATTRIBUTE + PLANT_EXCLUSION, ATTRIBUTE + PLANTS_HERE_INPUT
"""Inputs that keep plants away, and that put them where they would not grow; both need not be there."""

HABITAT_MAPS = ("illumination", "humidity", "slope", "water_distance", "waters")
"""Maps that all plants respond to, besides altitude and sediment, and the water that keeps them away."""

_CENTURY = 100.0

_ROUNDING = 0.01
"""Metres by which heights may differ without any ground having moved."""

Slides = tuple[tuple[str, str], ...]
"""For each process in which ground slid, the names of the stage before it and of its own."""


def life_stages(
    recipe: Recipe,
    inputs: Inputs,
    land: str,
    shared: tuple[str, ...],
    slides: Slides = (),
    finished: str | None = None,
) -> list[Stage]:
    """Return the stages that make the forest and the plants of the year that is shown.

    Parameters
    ----------
    recipe : Recipe
        What grows.
    inputs : mapping of str to StoredField
        What was painted, by key.
    land : str
        Name of the stage that makes the terrain on which the forest grows.
    shared : tuple of str
        Names of maps that have a stage of their own; others of `habitat_maps` are measured for the forest alone.
    slides : tuple of (str, str)
        Where ground slid; landslides take plants there.
    finished : str, optional
        Name of the stage that makes the finished terrain, if that is not `land`: its water may stand elsewhere.

    Returns
    -------
    list of Stage
        The forest and the plants.
    """
    forest = _forest_stage(recipe, inputs, land, shared, slides if _landslides_strike(recipe) else ())
    return [forest, _plants_stage(recipe, land, finished)]


def habitat_maps(recipe: Recipe) -> tuple[str, ...]:
    """Return the names of the maps that the plants of a recipe respond to.

    Parameters
    ----------
    recipe : Recipe
        Whose species are asked, and whether its climate is on.

    Returns
    -------
    tuple of str
        `HABITAT_MAPS`, temperature and rain if they make a difference to a species, and the ice of glaciers.
    """
    ice = (ICE_THICKNESS.name,) if recipe.glaciers.enabled else ()
    asks = recipe.climate.enabled and any(one.responds_to_climate for one in recipe.ecosystem.species)
    return (*HABITAT_MAPS, *((TEMPERATURE.name, RAIN_MAP.name) if asks else ()), *ice)


def life_warnings(recipe: Recipe, slides: Slides) -> tuple[str, ...]:
    """Return a sentence for each setting of plants that cannot do on this land what it says.

    Parameters
    ----------
    recipe : Recipe
        What grows.
    slides : tuple of (str, str)
        Where ground slid.

    Returns
    -------
    tuple of str
    """
    warnings = []
    if _landslides_strike(recipe) and not slides:
        warnings.append(
            "Landslides take no plants: no process moves ground; add landslides, stabilisation or thermal erosion"
        )
    ecosystem, side = recipe.ecosystem, math.sqrt(recipe.width * recipe.depth)
    # The difference grows with the strength, and with their width beside that of a square land of the same area.
    if ecosystem.species and ecosystem.groves * ecosystem.grove_size > side / FEWEST_GROVES:
        warnings.append(
            f"Groves {ecosystem.grove_size:,.0f} m wide may change how many plants there are by more than a third, "
            f"because few fit on a land of {recipe.width:,.0f} × {recipe.depth:,.0f} m; make Grove Size "
            f"{math.floor(side / FEWEST_GROVES / ecosystem.groves):,} m or less"
        )
    return tuple(warnings)


def soil_stage(recipe: Recipe, land: str) -> Stage:
    """Return the stage in which rain and the forest work on the soil.

    Parameters
    ----------
    recipe : Recipe
        Whose `ecosystem.soil` says how.
    land : str
        Name of the stage that makes the terrain on which the forest grew.

    Returns
    -------
    Stage
        It makes the finished terrain.
    """
    soil = recipe.ecosystem.soil
    maps = ("gradient", "drainage") if soil.stream_wash > 0.0 else ("gradient",)

    def work(results: Results) -> Steps[Eroded]:
        yield 0.0
        terrain = land_of(results[land])
        measured = Measured(terrain, recipe, None)
        return work_on_soil(terrain, forest=results["forest"], feedback=soil, **{name: measured(name) for name in maps})

    reads = [soil.to_json(), [reads_of(name, recipe) for name in maps]]
    return Stage(StageKind.SOIL, "erosion: soil under plants", (land, "forest"), reads, work)


def plant_inputs(recipe: Recipe) -> tuple[str, ...]:
    """Return the keys of all inputs that the plants of a recipe use where they are there.

    Parameters
    ----------
    recipe : Recipe
        Whose species are asked.

    Returns
    -------
    tuple of str
        Each once.
    """
    painted = (ATTRIBUTE + species.painted_map for species in recipe.ecosystem.species if species.painted_map)
    return tuple(dict.fromkeys((EXCLUSION, PLANT_HERE, *painted)))


def painted_maps(recipe: Recipe, terrain: Terrain, inputs: Inputs) -> dict[str, Field]:
    """Return what was painted for species, at the samples of a terrain.

    Parameters
    ----------
    recipe : Recipe
        Whose species respond to painted maps.
    terrain : Terrain
        Where they are sampled.
    inputs : mapping of str to StoredField
        What was painted, by key.

    Returns
    -------
    dict of str to ndarray of float32, shape (rows, columns)
        0 to 1, by the name of the painted map; without what is not there.
    """
    names = {species.painted_map for species in recipe.ecosystem.species if species.painted_map}
    fields = {name: _painted(ATTRIBUTE + name, recipe, terrain, inputs) for name in names}
    return {name: values for name, values in fields.items() if values is not None}


def _painted(key: str, recipe: Recipe, terrain: Terrain, inputs: Mapping[str, StoredField]) -> Field | None:
    """What was painted under a key, at the samples of a terrain."""
    if key not in inputs:
        return None
    around = Surroundings(
        recipe.grid, terrain.surface, Measured(terrain, recipe, None), inputs, seed=0, borders=recipe.borders
    )
    return evaluate_mask(PaintedMask(key=key), around)


def moved_ground(pairs: Iterable[tuple[Terrain, Terrain]]) -> Field | None:
    """Return how much ground slides have brought and taken in all.

    Parameters
    ----------
    pairs : iterable of (Terrain, Terrain)
        The land before and after each process in which ground slides.

    Returns
    -------
    ndarray of float32, shape (rows, columns), or None
        Metres; exactly 0 where nothing moved.  None without any such process.
    """
    total: Field | None = None
    for before, after in pairs:
        moved = np.abs(after.surface - before.surface)
        moved[moved < _ROUNDING] = 0.0
        total = moved if total is None else total + moved
    return total


def _landslides_strike(recipe: Recipe) -> bool:
    """Whether landslides are to take plants."""
    evolution = recipe.ecosystem.evolution
    return evolution.years > 0.0 and evolution.landslide_interval > 0.0


def _forest_stage(recipe: Recipe, inputs: Inputs, land: str, shared: tuple[str, ...], slides: Slides) -> Stage:
    """The forest with its past."""
    ecosystem, habitat = recipe.ecosystem, habitat_maps(recipe)
    # Grown in whole centuries, so that the year moves freely within one.
    years = math.ceil(ecosystem.evolution.years / _CENTURY) * _CENTURY
    grown = ecosystem.replace(evolution=ecosystem.evolution.replace(years=years), soil=SoilFeedback())
    painted = {key: inputs[key] for key in plant_inputs(recipe) if key in inputs}

    def grow(results: Results) -> Steps[Forest]:
        terrain = land_of(results[land])
        measured = Measured(terrain, recipe, None)
        maps = {name: values_of(results[name]) if name in shared else measured(name) for name in habitat}
        ice = maps.pop(ICE_THICKNESS.name, None)
        offered = Habitat(
            sediment=terrain.sediment,
            altitude=terrain.surface,
            painted=painted_maps(recipe, terrain, painted),
            moved_ground=moved_ground((land_of(results[before]), land_of(results[after])) for before, after in slides),
            **maps,
        )
        keep_away, plant_here = (_painted(key, recipe, terrain, painted) for key in (EXCLUSION, PLANT_HERE))
        cleared = cleared_ground(results[land])
        if cleared is not None:
            bare = (cleared <= 0.0).astype(np.float32)
            keep_away = bare if keep_away is None else np.maximum(keep_away, bare)
        if ice is not None:
            icy = _under_ice(ice)
            keep_away = icy if keep_away is None else np.maximum(keep_away, icy)
        forest = yield from grow_forest(offered, grown, terrain.cell_size, recipe.seed, keep_away, plant_here)
        return forest

    own = [reads_of(name, recipe) for name in habitat if name not in shared]
    reads = [recipe.seed, grown.to_json(), [[key, painted[key].digest] for key in painted], own]
    needs = tuple(dict.fromkeys((land, *shared, *(name for pair in slides for name in pair))))
    return Stage(StageKind.FOREST, "forest", needs, reads, grow)


def _under_ice(thickness: Field) -> Field:
    """1 at samples with ice and at those beside them, over which its edge reaches, else 0."""
    return largest_around(thickness > 0.0).astype(np.float32)


def _plants_stage(recipe: Recipe, land: str, finished: str | None) -> Stage:
    """The plants in the year that is shown, without those that the water of the finished land or a road takes."""
    years = recipe.ecosystem.evolution.years
    needs: tuple[str, ...] = ("forest",) if finished is None else ("forest", finished, "waters")
    needs += (land,) if land == BUILT else ()

    def look(results: Results) -> Steps[Plants]:
        yield 0.0
        forest: Forest = results["forest"]
        plants = forest.plants_at(min(years, forest.years))
        cleared = cleared_ground(results[land]) if land == BUILT else None
        if cleared is not None:
            is_clear = sample(cleared, recipe.grid.cell_size, plants.x, plants.y) > 0.0
            pads = [laid.pad for laid in results[land].pads]
            plants = remove_plants(plants, is_clear & stands_free(pads, results[land].roads, plants.x, plants.y))
        if finished is None:
            return plants
        terrain = land_of(results[finished])
        water = cover_of(results["waters"], terrain.surface, terrain.cell_size)
        return remove_plants(plants, ~find_flooded(plants.x, plants.y, plants.species, forest.species, water))

    return Stage(StageKind.PLANTS, "plants", needs, years, look)

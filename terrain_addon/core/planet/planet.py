"""A planet, and how it is built from its recipe."""

import math
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..foundation.memory import check_bytes, check_memory
from ..foundation.progress import Progress, mapped, run, watched, within
from ..foundation.stored_field import StoredField
from ..foundation.terrain import Field, Grid
from .biomes import Biome, BiomeNumbers, classify_biomes
from .climate import ClimateMaps, make_climate
from .craters import dig_craters, plan_craters
from .cube_sphere import Directions, face_directions, solid_angles
from .erosion_causes import erode_as_recipe_says
from .ground import GroundSets, plan_ground, raise_ground, refine_ground
from .normals import planet_normals, planet_slope
from .planet_recipe import PlanetRecipe
from .planet_waters import find_waters
from .plant_cover import PlantCover
from .whole_map import whole_map, whole_map_heights

# Deeper than this share of the radius the ground would turn inside out; higher than that it is no planet any more.
_DEEPEST, _HIGHEST = 0.9, 2.0
# Samples along an edge of the coarse planet on which the mean altitude is counted.
_COUNTING = 33
# Shares of the whole time at which erosion usually begins and ends.
_EROSION_BEGINS, _EROSION_ENDS = 0.2, 0.8
# Tables of neighbours on all spheres, heights, and what routes need: measured.
_BYTES_PER_ERODED_SAMPLE = 400


@dataclass(frozen=True)
class Planet:
    """What the recipe of a planet became; arrays are read-only.

    Attributes
    ----------
    recipe : PlanetRecipe
        What it was made from.
    surface : ndarray of float32, shape (6, resolution, resolution)
        Metres above the sphere, for each face of `cube_sphere.CUBE_FACES`.
    directions : ndarray of float64, shape (6, resolution, resolution, 3)
        Where the samples lie: unit vectors, z to the north pole.
    cell_areas : ndarray of float64, shape (6, resolution, resolution)
        Area of the sphere in m² that each sample stands for.  Where faces share a sample, each has its own part.
    maps : mapping of str to ndarray of float32, shape (6, resolution, resolution)
        temperature in °C, rain in mm per year, ice from 0 to 1, slope in degrees, sea_depth in metres.  Where rivers
        have cut the land also sediment, the metres of loose ground, and what `PlanetWaters` holds: drainage_area in m²,
        river in m³/s, lake_depth in metres.
    biomes : ndarray of uint8, shape (6, resolution, resolution)
        A `Biome` for each sample.
    sea_level : float
        Altitude of the sea in metres; −inf if there is none.
    elevation : StoredField or None
        The heights that its recipe names; None if its ground is made.
    is_whole : bool
        False if its erosion was asked to finish early.
    """

    recipe: PlanetRecipe
    surface: Field
    directions: Directions
    cell_areas: npt.NDArray[np.float64]
    maps: Mapping[str, Field]
    biomes: BiomeNumbers
    sea_level: float
    elevation: StoredField | None = None
    is_whole: bool = True

    @property
    def cover(self) -> PlantCover:
        """A map for each species: the share of the ground that it could cover, 0 to 1."""
        return PlantCover(self.maps, self.directions[..., 2], has_life=self.recipe.climate.enabled)


def build_planet(
    recipe: PlanetRecipe,
    *,
    elevation: StoredField | None = None,
    report: Callable[[Progress], None] | None = None,
) -> Planet:
    """Make the planet of a recipe.

    Parameters
    ----------
    recipe : PlanetRecipe
        What to make.
    elevation : StoredField, optional
        The heights that the recipe names; `files.inputs.read_planet_elevation` reads them.
    report : callable, optional
        Called before each step; what it raises stops the build and passes through.

    Returns
    -------
    Planet

    Raises
    ------
    ValueError
        If the sea is above all ground, the ground is deeper than the planet, the heights that the recipe names are
        missing or not those of a whole planet, or the planet does not fit into memory.

    Examples
    --------
    >>> planet = build_planet(PlanetRecipe.preset("temperate", seed=3, resolution=17))
    >>> planet.surface.shape, planet.biomes.dtype
    ((6, 17, 17), dtype('uint8'))
    >>> sorted(planet.maps)  # doctest: +NORMALIZE_WHITESPACE
    ['drainage_area', 'ice', 'lake_depth', 'rain', 'river', 'sea_depth', 'sediment', 'slope', 'temperature']
    """
    return run(build_planet_steps(recipe, elevation), report)


def build_planet_steps(
    recipe: PlanetRecipe, elevation: StoredField | None = None
) -> Generator[Progress, bool | None, Planet]:
    """Make the planet of a recipe step by step; see `build_planet`.  Close the generator to cancel.

    Asked to finish early, it returns a whole planet whose rivers have had less time.

    Parameters
    ----------
    recipe : PlanetRecipe
        What to make.
    elevation : StoredField, optional
        The heights that the recipe names.

    Yields
    ------
    Progress
        Before each step.

    Raises
    ------
    ValueError
        As `build_planet`.
    """
    resolution = recipe.resolution
    check_memory(Grid(6 * resolution, resolution, 1.0))
    early = yield Progress("relief", 0.0)
    directions = face_directions(resolution)
    surface = planet_relief(recipe, directions, elevation)
    sea_level = recipe.sea_level if recipe.has_sea else -math.inf
    highest, lowest = float(surface.max()), float(surface.min())
    if sea_level > highest:
        raise ValueError(
            f"sea_level = {sea_level} m is above the whole planet, whose highest place is at {highest:.0f} m"
        )
    if lowest < -_DEEPEST * recipe.radius:
        raise ValueError(
            f"the ground goes down to {lowest:.0f} m, too deep for a planet with a radius of {recipe.radius} m; "
            "lower the hills or raise the radius"
        )
    if highest > _HIGHEST * recipe.radius:
        raise ValueError(
            f"the ground rises to {highest:.0f} m, too high for a planet with a radius of {recipe.radius} m; "
            "lower the hills or raise the radius"
        )
    maps: dict[str, Field] = {}
    is_whole = True
    if recipe.erosion.enabled:
        what = f"an eroded planet of 6 × {resolution} × {resolution} samples"
        check_bytes(6 * resolution**2 * _BYTES_PER_ERODED_SAMPLE, what, "lower the resolution")
        steps = within(erode_as_recipe_says(recipe, surface), _EROSION_BEGINS, _EROSION_ENDS)
        eroding = mapped(watched(steps, finish_early=bool(early)), lambda share: Progress("erosion", share))
        ((surface, maps["sediment"], _), sphere), is_whole = yield from eroding
    yield Progress("slope", _EROSION_ENDS)
    slope = planet_slope(planet_normals(surface, directions, recipe.radius), directions)
    yield Progress("climate", 0.85)
    depth = np.maximum(np.float32(sea_level) - surface, np.float32(0.0))
    temperature, warmest, rain = make_climate(recipe.climate, surface, sea_level, recipe.turn, recipe.seed)
    biomes, ice = classify_biomes(temperature, warmest, rain, depth, has_water=recipe.climate.enabled)
    if not recipe.climate.enabled:
        rain = np.zeros_like(rain)
        biomes = np.where(depth > 0.0, np.uint8(Biome.SEA), np.uint8(Biome.ROCK))
    maps |= {"temperature": temperature, "rain": rain, "ice": ice, "slope": slope, "sea_depth": depth}
    if recipe.erosion.enabled:
        yield Progress("water", 0.95)
        maps |= find_waters(surface, sphere, sea_level, ClimateMaps(temperature, warmest, rain))._asdict()
    cell_areas = solid_angles(resolution) * recipe.radius**2
    arrays: list[npt.NDArray[Any]] = [surface, cell_areas, biomes, *maps.values()]
    for array in arrays:
        array.flags.writeable = False
    return Planet(recipe, surface, directions, cell_areas, maps, biomes, sea_level, elevation, is_whole)


def planet_relief(
    recipe: PlanetRecipe,
    directions: Directions,
    elevation: StoredField | None = None,
    finest: float | None = None,
) -> Field:
    """Return the altitude of the ground in any directions; it depends on nothing but recipe and direction.

    Parameters
    ----------
    recipe : PlanetRecipe
        Of the planet.
    directions : ndarray of float64, shape (…, 3)
        Unit vectors.
    elevation : StoredField, optional
        The heights that the recipe names.
    finest : float, optional
        Wavelength in degrees of the finest octave of noise; left out, two samples of the recipe's resolution.

    Returns
    -------
    ndarray of float32, shape (…)
        Metres above the sphere.

    Raises
    ------
    ValueError
        If the heights that the recipe names are missing, or not those of a whole planet.
    """
    heights = _cratered(recipe, recipe.turn, _ground_of(recipe, elevation, finest), directions)
    is_centred = not (recipe.has_sea or recipe.elevation.path)
    if is_centred or recipe.craters.enabled:
        # Impacts only move ground.  Where no sea says what 0 is, it is the mean.
        counted, share = face_directions(_COUNTING), solid_angles(_COUNTING) / (4.0 * math.pi)
        raise_all = _ground_of(recipe, elevation, None)
        found = _cratered(recipe, np.eye(3), raise_all, counted)
        if not is_centred:
            found -= raise_all(np.eye(3), counted)
        heights -= math.fsum((share * found).ravel())
    return heights.astype(np.float32)


_Raise: TypeAlias = Callable[[npt.NDArray[np.float64], Directions], npt.NDArray[np.float64]]


def _cratered(
    recipe: PlanetRecipe, turn: npt.NDArray[np.float64], raise_all: _Raise, directions: Directions
) -> npt.NDArray[np.float64]:
    """Altitudes after all impacts, in metres."""
    heights = raise_all(turn, directions)
    if recipe.craters.enabled:
        craters = plan_craters(recipe.craters, recipe.radius, recipe.seed)
        dig_craters(craters, turn, raise_all(np.eye(3), craters.centres), directions, heights)
    return heights


def _ground_of(recipe: PlanetRecipe, elevation: StoredField | None, finest: float | None) -> _Raise:
    """The function from a turn and directions to altitudes before craters, in metres."""
    usual = 180.0 / (recipe.resolution - 1)  # two samples
    if recipe.elevation.path:
        if elevation is None:
            raise ValueError(f"the recipe names {recipe.elevation.path}, but its heights are not given")
        found = whole_map(elevation, recipe.elevation.exaggeration, 0.5 * (finest or usual))
        return lambda turn, directions: whole_map_heights(found, turn, directions)
    sets = GroundSets(recipe.continents, recipe.plates, recipe.hills)
    ground = plan_ground(sets, recipe.turn, recipe.radius, recipe.seed, usual)
    if finest is not None:
        ground = refine_ground(ground, sets, recipe.seed, finest)
    return lambda turn, directions: raise_ground(ground._replace(turn=turn), directions)

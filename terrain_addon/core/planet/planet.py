"""A planet, and how it is built from its recipe."""

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..foundation.cache import Cache
from ..foundation.progress import Progress, run
from ..foundation.stages import Stage, Work, keys_of, stage_steps
from ..foundation.stored_field import StoredField
from ..foundation.terrain import Field
from .biomes import BiomeNumbers
from .cube_sphere import Directions, face_directions, solid_angles
from .planet_preview import preview_stages
from .planet_recipe import PlanetRecipe
from .planet_rivers import PlanetRiver
from .planet_stages import SHOWN_STAGES, planet_stages
from .plant_cover import PlantCover


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
    rivers : tuple of PlanetRiver
        Its rivers as lines; none where erosion is off.
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
    rivers: tuple[PlanetRiver, ...] = ()
    is_whole: bool = True

    @property
    def cover(self) -> PlantCover:
        """A map for each species: the share of the ground that it could cover, 0 to 1."""
        return PlantCover(self.maps, self.directions[..., 2], has_life=self.recipe.climate.enabled)


def build_planet(
    recipe: PlanetRecipe,
    *,
    elevation: StoredField | None = None,
    cache: Cache | None = None,
    report: Callable[[Progress], None] | None = None,
) -> Planet:
    """Make the planet of a recipe.

    Parameters
    ----------
    recipe : PlanetRecipe
        What to make.
    elevation : StoredField, optional
        The heights that the recipe names; `files.inputs.read_planet_elevation` reads them.
    cache : Cache, optional
        Results of earlier builds; stages that nothing has changed for are taken from it.
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
    return run(build_planet_steps(recipe, elevation, cache=cache), report)


def build_planet_steps(
    recipe: PlanetRecipe,
    elevation: StoredField | None = None,
    *,
    cache: Cache | None = None,
) -> Generator[Progress, bool | None, Planet]:
    """Make the planet of a recipe step by step; see `build_planet`.  Close the generator to cancel.

    Asked to finish early, it returns a whole planet whose rivers have had less time.

    Parameters
    ----------
    recipe : PlanetRecipe
        What to make.
    elevation : StoredField, optional
        The heights that the recipe names.
    cache : Cache, optional
        Results of earlier builds.

    Yields
    ------
    Progress
        Before each step.

    Raises
    ------
    ValueError
        As `build_planet`.
    """
    stages = planet_stages(recipe, elevation)
    kept = Cache(limit=0) if cache is None else cache
    return (yield from _steps_of(recipe, elevation, stages, kept))


def preview_planet_steps(
    recipe: PlanetRecipe, resolution: int, cache: Cache, elevation: StoredField | None = None
) -> Generator[Progress, bool | None, Planet]:
    """Make a coarser look at a planet step by step; see `planet_preview`.

    Parameters
    ----------
    recipe : PlanetRecipe
        Of the whole planet.
    resolution : int
        Samples along an edge of a face: a power of two, plus one, at most that of the recipe.
    cache : Cache
        Results of earlier builds, also of the whole planet.
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
    stages = preview_stages(recipe, resolution, cache, elevation)
    return (yield from _steps_of(recipe.replace(resolution=resolution), elevation, stages, cache, passes=True))


def _steps_of(
    recipe: PlanetRecipe, elevation: StoredField | None, stages: list[Stage], cache: Cache, *, passes: bool = False
) -> Generator[Progress, bool | None, Planet]:
    """Make the planet of some stages."""
    resolution = recipe.resolution
    names = tuple(stage.name for stage in stages)
    wanted = tuple(name for name in names if name in SHOWN_STAGES)
    work = Work(stages, keys_of(stages), wanted, 6 * resolution**2)
    made, is_whole = yield from stage_steps(work, cache, passes=passes)
    land, climate, life, waters = made["land"], made["climate"], made["biomes"], made.get("waters")
    maps: dict[str, Field] = {"temperature": climate.temperature, "rain": life.rain, "ice": life.ice}
    maps |= {"slope": made["slope"], "sea_depth": life.sea_depth}
    if "sand" in made:
        maps["sand"] = made["sand"]
    if waters is not None:
        maps |= {"sediment": land.sediment, **waters.maps}
    cell_areas = solid_angles(resolution) * recipe.radius**2
    cell_areas.flags.writeable = False
    return Planet(
        recipe,
        land.surface,
        face_directions(resolution),
        cell_areas,
        maps,
        life.biomes,
        recipe.level_of_sea,
        elevation,
        () if waters is None else waters.rivers,
        is_whole,
    )

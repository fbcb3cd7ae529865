"""The landscape of a square of a planet: heights of the planet, finer hills, and climate and plants of the place.

Squares lie on a plane that touches the planet at a place.  Squares side by side on one plane are given the same heights
along their border, and erosion leaves them there.

References
----------
Snyder, J. P. (1987). Map projections: a working manual. USGS Professional Paper 1395, 191–202. doi:10.3133/pp1395
Körner, C. & Paulsen, J. (2004). A world-wide study of high altitude treeline temperatures. Journal of Biogeography
31(5), 713–732. doi:10.1111/j.1365-2699.2003.01043.x
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..climate.climate import SNOW_LINE, TREE_LINE
from ..ecosystem.ecosystem import Ecosystem
from ..ecosystem.species import load_species, visible_species
from ..erosion.river_beds import RiverBeds
from ..erosion.stream_power import StreamPower
from ..erosion.weathering import Weathering
from ..flow.inflows import Inflow
from ..flow.water import Water
from ..foundation.stored_field import StoredField
from ..foundation.terrain import Field
from ..maps.illumination import Illumination
from ..planet.biomes import Biome
from ..planet.close_ground import changed_by_erosion, close_heights
from ..planet.cube_sphere import Directions, nearest_samples, sample_faces
from ..planet.entering_rivers import (
    Entry,
    EntryValley,
    PlaneSquare,
    RiverSteps,
    cut_valleys,
    entries_of,
    river_steps,
)
from ..planet.local_plane import Place, direction_of, place_of, plane_directions
from ..planet.planet import Planet
from ..planet.planet_recipe import PlanetRecipe
from ..planet.planet_relief import planet_relief
from ..relief.elevation_model import ElevationModel
from ..relief.fractal_noise import FractalNoise
from ..relief.stored_heights import StoredHeights
from .given_land import fit_to_land
from .layers import Inputs, Layer, Relief
from .recipe import Appearance, Recipe

PLANET_HEIGHTS = "planet"
"""Key of the heights of a planet among the inputs of a landscape."""

SMALLEST_SQUARE = 10.0
"""Metres."""

SHARED_BORDER = "neighbours share the heights of their border"
"""What squares side by side have in common, for users."""

_LARGEST_SHARE = 0.5  # of the radius; beyond it distances on the plane are wrong by more than 2 %
_FEW_SAMPLES = 3.0  # of the planet; a smaller square can hardly be compared with it
_FARTHEST = 0.5  # radians from the place to the middle of a square
_AROUND = 100.0  # squares over which the planet's relief is measured
_MEASURED = 6  # samples from the place to either side
_ROUGHNESS = 0.25  # land of a tenth of the size is 0.1^0.25 times as high, because valleys cut it up
_AGE = 0.35  # valleys are cut, and the mean height stays
_LEAST_RELIEF = 0.004  # of the size
_VALLEY_WIDTH = 0.08  # of the size; from a river of the planet to the end of its valley
_ENTRY_REACH = 0.03  # of the size; how far along the border a river may enter beside its line
_DEEPEST_RIVER = 25.0  # m; bed of the largest river that enters
# Species of the extension belong to the Alps, where it is so warm at sea level; trees end and snow stays at these.
_AT_SEA_LEVEL = 12.0  # °C, mean of the year
_LEAST_LAPSE = 0.5
_HIGHEST = 12000.0  # m; limit of altitudes in recipes
_MOST_ROOMS = 6000.0  # along a side; plants with less room around them are left out

_Character = tuple[tuple[str, ...], float, float]

# Species, share of the suitable places that have plants, and how green the ground is.
_LIFE: dict[Biome, _Character] = {
    Biome.TUNDRA: (("heath", "juniper"), 0.4, 0.5),
    Biome.TAIGA: (("spruce", "pine", "birch"), 1.0, 1.0),
    Biome.TEMPERATE_GRASSLAND: (("bush", "oak"), 0.08, 1.0),
    Biome.WOODLAND: (("pine", "juniper", "bush"), 0.5, 0.8),
    Biome.TEMPERATE_FOREST: (("oak", "beech", "birch", "spruce"), 1.0, 1.0),
    Biome.TEMPERATE_RAINFOREST: (("spruce", "beech", "alder"), 1.0, 1.0),
    Biome.DESERT: ((), 0.0, 0.0),
    Biome.SAVANNA: (("oak", "bush"), 0.12, 0.6),
    Biome.SEASONAL_FOREST: (("tropical_tree", "oak", "bush"), 0.9, 1.0),
    Biome.RAINFOREST: (("tropical_tree", "fern"), 1.0, 1.0),
    # Islands in the sea are too small for the map of the planet.
    Biome.SEA: (("oak", "pine", "juniper"), 0.8, 1.0),
}
_NO_LIFE: _Character = ((), 0.0, 0.0)
_DRY = (Biome.ROCK, Biome.DESERT, Biome.ICE, Biome.SEA_ICE)  # no lakes and rivers


class Square(NamedTuple):
    """A square of a planet.

    Attributes
    ----------
    place : Place
        Where the plane touches the planet: the middle of the first square.
    size : float
        Length of a side in metres.
    resolution : int
        Samples along a side.
    east, north : int
        How many squares away from the first one it lies.
    """

    place: Place
    size: float
    resolution: int = 513
    east: int = 0
    north: int = 0


class PlanetLandscape(NamedTuple):
    """A landscape of a planet, ready to be built.

    Attributes
    ----------
    recipe : Recipe
        Of the landscape; its lowest layer asks for the heights.
    heights : StoredField
        Of the planet, with one sample for each of the landscape.
    """

    recipe: Recipe
    heights: StoredField

    @property
    def inputs(self) -> Inputs:
        """What `build` takes beside the recipe."""
        source = self.recipe.relief.layers[0].source
        return {source.key: self.heights}


def landscape_of_planet(
    planet: Planet, square: Square, source: ElevationModel | StoredHeights | None = None
) -> PlanetLandscape:
    """Return the landscape of a square of a planet.

    Its heights are those of the planet with all octaves that its samples can show; what erosion has changed on the
    coarse planet is added smoothly.  A second layer adds hills that are as high as the planet is rugged around the
    place.  Sea, snow, latitude and species follow the climate of the place.  Rivers of the planet that enter the square
    bring the water of their drainage area along.

    Parameters
    ----------
    planet : Planet
        From `build_planet`.
    square : Square
        Which part of it.
    source : ElevationModel or StoredHeights, optional
        By which name the recipe asks for the heights; left out, `PLANET_HEIGHTS`.

    Returns
    -------
    PlanetLandscape
        Squares of one place have the same heights along their borders, byte for byte.  Built landscapes differ there by
        rounding only, because their borders are fixed.

    Raises
    ------
    ValueError
        If the place, the size or the number of squares is out of range.

    Examples
    --------
    >>> from terrain_addon import core
    >>> planet = core.build_planet(core.PlanetRecipe.preset("temperate", resolution=17))
    >>> made = landscape_of_planet(planet, Square(Place(46.0, 8.0), 5000.0, 33))
    >>> core.build(made.recipe, inputs=made.inputs, extent="terrain").terrain.surface.shape
    (33, 33)
    """
    check_square(planet.recipe, square)
    source = source or StoredHeights(key=PLANET_HEIGHTS)
    recipe = _recipe_of(planet, square, source)
    west, south = (square.size * (away - 0.5) for away in (square.east, square.north))
    on_plane = PlaneSquare(square.place, west, south, square.size)
    lowest = planet.sea_level + 0.5 * _hill_height(recipe)  # hills must not dip below the sea
    valley = EntryValley(_VALLEY_WIDTH * square.size, _hill_height(recipe), lowest)
    steps = river_steps(planet, on_plane, 2.0 * valley.width)
    heights = _heights(planet, square, recipe, steps, valley)
    recipe = _with_rivers(recipe, _inflows(entries_of(steps, on_plane), square, heights, planet.sea_level))
    if _is_under_sea(planet, heights):
        # The biome is that of the nearest sample, which may be land.
        recipe = recipe.replace(ecosystem=Ecosystem(cover=0.0, species=()))
    return PlanetLandscape(recipe, StoredField(heights, recipe.cell_size))


def place_around(latitude: float, longitude: float) -> Place:
    """Return a place whose longitude may be counted on beyond 180° to either side: 190° is 170° west.

    Parameters
    ----------
    latitude : float
        Degrees, −90 to 90.
    longitude : float
        Degrees, −360 to 360.

    Returns
    -------
    Place
        With a longitude of −180 to 180.

    Raises
    ------
    ValueError
        If a number is out of its range.
    """
    if 180.0 < abs(longitude) <= 360.0:
        longitude -= math.copysign(360.0, longitude)
    return Place(latitude, longitude).checked()


def spacing_of_samples(planet: PlanetRecipe) -> float:
    """Return how far apart the samples of a planet are on average along the middle of a face.

    Parameters
    ----------
    planet : PlanetRecipe
        Of the planet.

    Returns
    -------
    float
        Metres.
    """
    return 0.5 * math.pi * planet.radius / (planet.resolution - 1)


def warnings_of_square(planet: Planet, square: Square, made: PlanetLandscape) -> list[str]:
    """Return what users should know of the landscape of a square.

    Parameters
    ----------
    planet : Planet
        From `build_planet`.
    square : Square
        Which part of it.
    made : PlanetLandscape
        Of that square, from `landscape_of_planet`.

    Returns
    -------
    list of str
        Sentences without a full stop: that it lies under the sea, or between the samples of the planet, where its
        altitude and coast may differ from what the planet shows.
    """
    warnings = []
    if _is_under_sea(planet, made.heights.heights):
        depth = _length(planet.sea_level - float(made.heights.heights.mean()))
        warnings.append(f"this place lies {depth} under the sea; {_nearest_land(planet, square.place)}")
    spacing = spacing_of_samples(planet.recipe)
    if square.size < _FEW_SAMPLES * spacing:
        warnings.append(
            f"a square of {_length(square.size)} lies between samples of the planet, which are {_length(spacing)} "
            "apart: its altitude and coast can differ from those that the planet shows; more samples of the planet "
            "lessen this"
        )
    return warnings


def _is_under_sea(planet: Planet, heights: Field) -> bool:
    """Whether all of a square lies under the sea."""
    return planet.recipe.has_sea and float(heights.max()) <= planet.sea_level


def _nearest_land(planet: Planet, place: Place) -> str:
    """Where the nearest sample is that lies above the sea, as people write it."""
    closeness = np.where(planet.surface > planet.sea_level, planet.directions @ direction_of(place), -2.0)
    nearest = np.unravel_index(int(closeness.argmax()), closeness.shape)
    if closeness[nearest] < -1.5:
        return "this planet has no land"
    latitude, longitude = place_of(planet.directions[nearest])
    return f"the nearest land is at latitude {latitude:.1f}, longitude {longitude:.1f}"


def _length(metres: float) -> str:
    """A length as people write it."""
    return f"{metres / 1000.0:.3g} km" if metres >= 1000.0 else f"{metres:.3g} m"


def check_square(planet: PlanetRecipe, square: Square) -> None:
    """Refuse squares that are not on a planet, or too large to be flat.

    Parameters
    ----------
    planet : PlanetRecipe
        Of the planet.
    square : Square
        Of which a landscape shall be made.

    Raises
    ------
    ValueError
        If the place, the size or the number of squares is out of range.
    """
    square.place.checked()
    largest = min(_LARGEST_SHARE * planet.radius, 1e6)
    if not SMALLEST_SQUARE <= square.size <= largest:
        raise ValueError(f"size = {square.size} m is outside {SMALLEST_SQUARE:g} to {largest:g} m on this planet")
    away = math.hypot(square.east, square.north) * square.size
    if away > _FARTHEST * planet.radius:
        raise ValueError(
            f"the square {square.east} east and {square.north} north is {away:.0f} m from its place, outside 0 to "
            f"{_FARTHEST * planet.radius:.0f} m; choose a nearer place"
        )


def _heights(planet: Planet, square: Square, recipe: Recipe, steps: RiverSteps, valley: EntryValley) -> Field:
    """Heights of the planet at the samples of a landscape, with the valleys of its rivers."""
    grid, radius = recipe.grid, planet.recipe.radius
    half = 0.5 * square.size
    east = (grid.first_column + np.arange(grid.columns, dtype=np.float64)) * grid.cell_size - half
    north = (grid.first_row + np.arange(grid.rows, dtype=np.float64)) * grid.cell_size - half
    directions = plane_directions(square.place, radius, east, north)
    finest = math.degrees(2.0 * grid.cell_size / radius)
    reach = 0.75 * square.size * (1.0 + math.hypot(square.east, square.north)) / radius
    changed = changed_by_erosion(planet, direction_of(square.place), reach)
    heights = close_heights(planet, directions, finest, changed)
    if len(steps.areas):
        cut_valleys(steps, valley, east, north, heights)
    return heights


def _inflows(entries: Sequence[Entry], square: Square, heights: Field, sea_level: float) -> tuple[Inflow, ...]:
    """Rivers of the planet that enter a square: each at the lowest place of the border beside its line."""
    is_border = np.ones(heights.shape, bool)
    is_border[1:-1, 1:-1] = False
    cell = square.size / (square.resolution - 1)
    places, border = np.argwhere(is_border) * cell, heights[is_border]
    inflows = []
    for entry in entries:
        away = places - (entry.y, entry.x)
        is_near = (away * away).sum(axis=1) <= max(_ENTRY_REACH * square.size, cell) ** 2
        lowest = np.flatnonzero(is_near)[np.argmin(border[is_near])]
        y, x = places[lowest].tolist()
        if border[lowest] > sea_level:
            inflows.append(Inflow(x=x, y=y, drainage_area=entry.drainage_area))
    return tuple(inflows)


def _with_rivers(recipe: Recipe, inflows: tuple[Inflow, ...]) -> Recipe:
    """Return the recipe of a square into which rivers flow."""
    if not inflows:
        return recipe
    largest = max(inflow.drainage_area for inflow in inflows)
    beds = RiverBeds()
    # Depth grows with the power 0.3 of the area, faster than that of the largest rivers does.
    beds = beds.replace(depth=min(beds.depth, _DEEPEST_RIVER / (1e-6 * largest + 1.0) ** 0.3))
    erosion = tuple(beds if isinstance(process, RiverBeds) else process for process in recipe.erosion)
    return recipe.replace(erosion=erosion, water=recipe.water.replace(inflows=inflows, rivers=True))


def _recipe_of(planet: Planet, square: Square, source: ElevationModel | StoredHeights) -> Recipe:
    """The recipe of a square, whose lowest layer asks for heights of the planet."""
    here = direction_of(square.place)[np.newaxis]
    has_air = planet.recipe.climate.enabled
    number = int(planet.biomes.ravel()[nearest_samples(here, planet.recipe.resolution)][0])
    is_wet = has_air and number not in _DRY
    names, cover, green = _LIFE.get(Biome(number), _NO_LIFE)
    relief = Relief(layers=(Layer(name="Planet", source=source), _hills(planet, square)))
    warmth = _warmth_at_sea_level(planet, here) if has_air else -_HIGHEST
    lapse = max(planet.recipe.climate.lapse_rate, _LEAST_LAPSE)
    scale = (square.size / 6000.0) ** 2
    water = Water(
        sea=planet.recipe.has_sea,
        sea_level=planet.recipe.sea_level,
        lakes=is_wet,
        rivers=is_wet,
        river_source=min(0.5 * scale, 1e6),
        smallest_lake=2000.0 * scale,
    )
    snow, trees = _HIGHEST, -_HIGHEST  # without air there is no snow, and rock does not become soil
    if has_air:
        snow, trees = (_altitude_of(limit, warmth, lapse) for limit in (SNOW_LINE, TREE_LINE))
    lift = (warmth - _AT_SEA_LEVEL) / lapse * 1000.0
    species = tuple(load_species(name).lifted(lift) for name in names) if has_air else ()
    return Recipe(
        seed=planet.recipe.seed,
        width=square.size,
        depth=square.size,
        resolution=square.resolution,
        origin_east=square.east * square.size,
        origin_north=square.north * square.size,
        fixed_border=True,
        relief=relief,
        erosion=_erosion(relief, has_water=has_air),
        water=water,
        illumination=Illumination(latitude=round(square.place.latitude, 3)),
        ecosystem=Ecosystem(cover=cover, species=visible_species(species, square.size / _MOST_ROOMS)),
        appearance=Appearance(snow_line=snow, tree_line=trees, vegetation=green),
    )


def _hills(planet: Planet, square: Square) -> Layer:
    """Hills that are too fine for the planet; the same for all squares of a place."""
    around = np.linspace(-0.5, 0.5, 2 * _MEASURED + 1) * min(_AROUND * square.size, planet.recipe.radius)
    wide = float(around[-1] - around[0])
    directions = plane_directions(square.place, planet.recipe.radius, around, around)
    seen = planet_relief(
        planet.recipe, directions, planet.elevation, math.degrees(wide / _MEASURED / planet.recipe.radius)
    )
    if planet.recipe.has_sea:
        # The edge of a continent says nothing of the hills on it.
        level = max(planet.recipe.sea_level, float(seen.min()))
        seen = np.maximum(seen, level) if float(seen[_MEASURED, _MEASURED]) > level else np.minimum(seen, level)
    height = max(float(np.ptp(seen)) * (square.size / wide) ** _ROUGHNESS, _LEAST_RELIEF * square.size)
    height = float(f"{height:.3g}")
    hills = FractalNoise(
        wavelength=0.55 * square.size, height=height, base_altitude=-0.5 * height, gain=0.45, octaves=9
    )
    return Layer(name="Hills", source=hills)


def _hill_height(recipe: Recipe) -> float:
    """Height in metres of the hills that a recipe of `_recipe_of` adds to the planet's land."""
    return float(recipe.relief.layers[1].source.height)


def _erosion(relief: Relief, *, has_water: bool) -> tuple[Any, ...]:
    """Processes for land that is only hills so far; without water there is just rock that weathers."""
    soil = Weathering()
    rivers = fit_to_land(StreamPower(), relief).replace(age=_AGE)
    return (rivers, soil, RiverBeds()) if has_water else (soil,)


def _warmth_at_sea_level(planet: Planet, here: Directions) -> float:
    """Mean temperature of the year in °C that a place would have at the level of the sea."""
    temperature, altitude = (
        float(sample_faces(field, here)[0]) for field in (planet.maps["temperature"], planet.surface)
    )
    level = planet.sea_level if math.isfinite(planet.sea_level) else 0.0
    return temperature + 0.001 * planet.recipe.climate.lapse_rate * max(altitude - level, 0.0)


def _altitude_of(temperature: float, warmth: float, lapse: float) -> float:
    """Altitude in metres at which it is so warm, within the limits of recipes."""
    return float(round(min(max((warmth - temperature) / lapse * 1000.0, -_HIGHEST), _HIGHEST)))

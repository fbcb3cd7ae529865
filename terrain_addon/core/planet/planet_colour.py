"""Colours of a planet as seen from space: one colour per sample.

References
----------
Whittaker, R. H. (1975). Communities and Ecosystems, 2nd ed., pp. 162–167. Macmillan.  (Plants by temperature and rain;
the colours are chosen by eye.)
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.easing import ease_of
from ..foundation.hashing import Purpose
from ..foundation.terrain import Field
from .crater_rays import crater_light
from .cube_sphere import Directions, face_directions
from .located_places import widen_faces
from .planet import Planet
from .planet_recipe import PlanetRecipe
from .planet_relief import made_ground
from .point_noise import draw_noise, space_octaves

Colours = npt.NDArray[np.float32]
"""Linear RGB albedo in [0, 1], shape (…, 3)."""

# Colours of plants and ground, for each temperature a row, for each rain a column.
_TEMPERATURES = (-12.0, 0.0, 8.0, 17.0, 26.0)
_RAINS = (0.0, 300.0, 800.0, 1600.0, 2800.0)
_LIVING = (
    ((0.196, 0.169, 0.142), (0.156, 0.129, 0.089), (0.112, 0.105, 0.065), (0.091, 0.091, 0.057), (0.079, 0.086, 0.052)),
    ((0.275, 0.208, 0.127), (0.157, 0.13, 0.056), (0.059, 0.069, 0.024), (0.035, 0.054, 0.021), (0.03, 0.052, 0.019)),
    ((0.387, 0.266, 0.131), (0.212, 0.164, 0.056), (0.081, 0.094, 0.019), (0.03, 0.063, 0.011), (0.024, 0.057, 0.011)),
    ((0.578, 0.362, 0.146), (0.358, 0.236, 0.081), (0.123, 0.116, 0.022), (0.038, 0.073, 0.008), (0.024, 0.059, 0.008)),
    ((0.657, 0.4, 0.157), (0.439, 0.264, 0.081), (0.163, 0.136, 0.021), (0.044, 0.078, 0.007), (0.015, 0.053, 0.006)),
)
_ROCK = (0.17, 0.145, 0.12)
_ICE = (0.78, 0.82, 0.86)
_BLUE_ICE = (0.27, 0.46, 0.61)
_SEA_ICE = (0.50, 0.60, 0.68)
_SEA_DEPTHS = (0.0, 60.0, 400.0, 4500.0)
_SEA = ((0.020, 0.070, 0.078), (0.011, 0.045, 0.064), (0.005, 0.022, 0.046), (0.002, 0.009, 0.026))
# How much noise frays the border of ice on land, and how much it breaks that of the sea into floes.
_FRAYED, _FLOES = np.float32(1.1), np.float32(2.0)
_LAKE_FREEZES = (-1.0, 1.0)  # °C below 0, the mean of the year
# Where a river is so large, as the fourth root of its m³/s, it begins to be seen and hides all it can of the ground.
_RIVER_SIZES, _RIVER = (4.7, 12.0), np.float32(0.6)
# Colours of bare worlds from their lowest to their highest ground.
_RAMPS: dict[str, tuple[tuple[float, float, float], ...]] = {
    "rust": ((0.060, 0.030, 0.022), (0.21, 0.085, 0.036), (0.36, 0.17, 0.078), (0.55, 0.36, 0.22)),
    "grey": ((0.030, 0.029, 0.029), (0.070, 0.067, 0.064), (0.175, 0.168, 0.158), (0.32, 0.31, 0.29)),
    "frost": ((0.26, 0.17, 0.11), (0.52, 0.47, 0.42), (0.68, 0.70, 0.72), (0.80, 0.84, 0.88)),
}
# Sand, by the colours of the ground.
_SANDS = {
    "living": (0.560, 0.360, 0.155),
    "rust": (0.520, 0.255, 0.082),
    "grey": (0.055, 0.053, 0.052),
    "frost": (0.150, 0.095, 0.055),
}
# Slopes in degrees of the flanks of dunes, between samples, and how much darker they are.
_FLANK_SLOPES, _FLANKS = (0.25, 1.1), np.float32(0.45)
_LARGE_SPOTS, _SMALL_SPOTS = 38.0, 3.5  # wavelengths of stains in degrees
_COUNTED = 33  # samples along an edge of a face from which low and high ground is known
# How much brighter fresh ground is than old highlands, as a share of the step from plains to these.
_FRESHER = 0.4
_FRESH = np.float32(1.3)  # brightness of fresh rock, against the end of the ramp
_AT_ONCE = 8192  # places whose arrays fit into the nearest caches
# Slopes in degrees on which peaks stand out of the ice, and how much of it is bare there.
_PEAKS, _BARE_PEAKS = (1.0, 4.0), 0.8
# On bare worlds with air: the share of the ice that dust hides, and how much darker scarps are, from which slopes on.
_DUST, _SCARPS, _SCARP_SLOPES = np.float32(0.5), np.float32(0.5), (0.6, 3.0)
# How many beds of rock there are from low to high ground, and how much their tone differs.
_BEDS, _BED_TONE = 9.0, np.float32(0.7)
# On the same worlds: fourth roots of the area that a dry river drained, in squares of the radius, and how pale it is.
_DRY_RIVERS, _CLAY = (0.20, 0.70), np.float32(0.5)
_ROCK_BEGINS, _ROCK_EVERYWHERE = 1.6, 5.0  # slopes in degrees, as steep as a planet shows them


class ColouredPlaces(NamedTuple):
    """ColouredPlaces of a planet whose colours are asked for.

    Attributes
    ----------
    directions : ndarray of float64, shape (…, 3)
        Unit vectors.
    heights : ndarray of float32, shape (…)
        Metres above the sphere.
    maps : mapping of str to ndarray of float32, shape (…)
        As those of a planet.
    finest : float
        Wavelength in degrees of the finest stains.
    """

    directions: Directions
    heights: Field
    maps: Mapping[str, Field]
    finest: float


def planet_colour(planet: Planet) -> Colours:
    """Return the colour of each sample, with sea, lakes and rivers.

    Parameters
    ----------
    planet : Planet
        What to colour.

    Returns
    -------
    ndarray of float32, shape (6, resolution, resolution, 3)
        Linear RGB in [0, 1].
    """
    return colour_at(planet, _samples(planet))


def land_and_sea_colour(planet: Planet, least_depth: float) -> tuple[Colours, Colours]:
    """Return the colour of each sample as if there were no sea, and of the sea as if it were everywhere.

    Where both meet, each has its own colour up to the coast, however far apart samples are.

    Parameters
    ----------
    planet : Planet
        What to colour.
    least_depth : float
        Metres of water that the sea has at least.

    Returns
    -------
    land, sea : ndarray of float32, shape (6, resolution, resolution, 3)
        Linear RGB in [0, 1]; `sea` is empty for a planet without one.
    """
    places = _samples(planet)
    land = colour_at(planet, places._replace(maps={**places.maps, "sea_depth": np.zeros_like(planet.surface)}))
    if not planet.recipe.has_sea:
        return land, np.empty((0, 0, 0, 3), np.float32)
    wide = widen_faces((planet.maps["sea_depth"] > 0.0).astype(np.float32))
    rows = np.maximum(np.maximum(wide[:, :-2], wide[:, 1:-1]), wide[:, 2:])
    is_near = np.maximum(np.maximum(rows[..., :-2], rows[..., 1:-1]), rows[..., 2:]) > 0.0
    maps = {name: values[is_near] for name, values in planet.maps.items()}
    maps["sea_depth"] = np.maximum(maps["sea_depth"], np.float32(least_depth))
    sea = np.zeros_like(land)
    sea[is_near] = colour_at(
        planet, ColouredPlaces(planet.directions[is_near], planet.surface[is_near], maps, places.finest)
    )
    return land, sea


def _samples(planet: Planet) -> ColouredPlaces:
    """All samples of a planet."""
    finest = 180.0 / (planet.recipe.resolution - 1)
    return ColouredPlaces(planet.directions, planet.surface, planet.maps, finest)


def colour_at(planet: Planet, places: ColouredPlaces) -> Colours:
    """Return the colours of places of a planet, with sea, lakes and rivers.

    Parameters
    ----------
    planet : Planet
        What to colour.
    places : ColouredPlaces
        Where.

    Returns
    -------
    ndarray of float32, shape (…, 3)
        Linear RGB in [0, 1].
    """
    shape = places.heights.shape
    large, small = (
        _stains(planet.recipe, places, wavelength, number).reshape(-1)
        for number, wavelength in enumerate((_LARGE_SPOTS, _SMALL_SPOTS))
    )
    heights, maps = places.heights.reshape(-1), {name: values.reshape(-1) for name, values in places.maps.items()}
    heights, limits, light = _bare_ground(planet, places, heights)
    colours = np.empty((heights.size, 3), np.float32)
    for begin in range(0, heights.size, _AT_ONCE):
        here = slice(begin, begin + _AT_ONCE)
        part = {name: values[here] for name, values in maps.items()}
        share = (heights[here] - limits[0]) / max(limits[1] - limits[0], np.float32(1.0))
        colours[here] = _colour_of(planet.recipe, share, part, _Stains(small[here], large[here], light[here]))
    return colours.reshape(*shape, 3)


def _bare_ground(planet: Planet, places: ColouredPlaces, heights: Field) -> tuple[Field, Field, Field]:
    """Heights that tell dark plains from bright highlands, between which most of them lie, and the light of craters.

    Plains of lava fill lowlands, not the floors of single craters: where craters lie on ground that nothing has worn
    since, it is the ground before them that counts.
    """
    recipe = planet.recipe
    light = np.zeros(heights.size, np.float32)
    # Wind and dust hide what impacts have thrown out.
    if not recipe.craters.enabled or recipe.climate.enabled or recipe.look.colours == "living":
        return heights, np.percentile(planet.surface, (2.0, 98.0)).astype(np.float32), light
    directions = np.ascontiguousarray(places.directions).reshape(-1, 3)
    light = crater_light(recipe.craters, recipe.radius, recipe.seed, recipe.turn, directions)
    if recipe.erosion.enabled:
        return heights, np.percentile(planet.surface, (2.0, 98.0)).astype(np.float32), light
    ground = made_ground(recipe, planet.elevation)
    counted = ground(recipe.turn, face_directions(_COUNTED))
    before = ground(recipe.turn, directions).astype(np.float32)
    low, high = np.percentile(counted, (2.0, 98.0))
    # Old highlands are not as bright as what impacts throw on them.
    return before, np.array((low, high + _FRESHER * (high - low)), np.float32), light


class _Stains(NamedTuple):
    """Noise of two wavelengths, and how bright craters make the ground."""

    small: Field
    large: Field
    light: Field


def _colour_of(recipe: PlanetRecipe, height: Field, maps: Mapping[str, Field], stains: _Stains) -> Colours:
    """Colours of some places; their heights are shares of those of most of the ground."""
    is_living, (small, large, light) = recipe.look.colours == "living", stains
    ramp = _RAMPS.get(recipe.look.colours, ())
    if recipe.climate.enabled and not is_living:
        height = _in_beds(height, maps["slope"])
    colours = _living_colour(maps, small) if is_living else _bare_colour(ramp, height, stains)
    colours *= (np.float32(1.0) + np.float32(0.35) * small + np.float32(0.25) * large)[..., np.newaxis]
    if not is_living and light.any():
        colours = _mixed(colours, np.array(ramp[-1], np.float32) * _FRESH, light)
    if recipe.climate.enabled and not is_living and "drainage_area" in maps:
        # Rivers that ran once have left pale clay and salt.
        size = np.sqrt(np.sqrt(maps["drainage_area"] / np.float32(recipe.radius) ** 2))
        colours = _mixed(colours, np.array(ramp[-1], np.float32), _CLAY * _step(size, *_DRY_RIVERS))
    if "sand" in maps:
        sand = np.array(_SANDS[recipe.look.colours], np.float32)
        grains = np.clip(np.float32(1.0) + np.float32(0.6) * large + np.float32(0.4) * small, 0.0, 2.0)
        # Wind takes the pale dust off the flanks of dunes.
        grains *= np.float32(1.0) - _FLANKS * _step(maps["slope"], *_FLANK_SLOPES)
        colours += maps["sand"][..., np.newaxis] * (sand * grains[..., np.newaxis] - colours)
    if recipe.climate.enabled:
        # The border of the ice is frayed.
        share = _frayed(maps["ice"], _FRAYED * small)
        # Peaks stand out of it, where it is too steep for ice to stay.
        share *= np.float32(1.0) - np.float32(_BARE_PEAKS) * _step(maps["slope"], *_PEAKS)
        ice = _ice_colour(_ICE, small + large)
        if not is_living:
            # Dust lies on the ice in layers, and scarps stand out dark from the plains.
            ice = _mixed(ice, np.array(ramp[2], np.float32), _DUST * _step(small + np.float32(0.6) * large, -0.2, 0.35))
            bare = np.float32(1.0) - maps.get("sand", np.float32(0.0))
            colours *= (np.float32(1.0) - _SCARPS * bare * _step(maps["slope"], *_SCARP_SLOPES))[..., np.newaxis]
        colours = _mixed(colours, ice, share)
    depth, frozen = maps["sea_depth"], maps["ice"]
    if "lake_depth" in maps:
        depth = np.maximum(depth, maps["lake_depth"])
        # The water of lakes is frozen for most of the year where its mean is below freezing.
        is_cold = _step(-maps["temperature"], *_LAKE_FREEZES)
        frozen = np.where(maps["lake_depth"] > 0.0, np.maximum(frozen, is_cold), frozen)
        if is_living:
            # A river fills a small part of a place that a sample stands for, together with the wet ground beside it.
            size = np.sqrt(np.sqrt(maps["river"]))
            colours = _mixed(colours, np.array(_SEA[0], np.float32), _RIVER * _step(size, *_RIVER_SIZES))
    is_water = depth > 0.0
    colours[is_water] = _water_colour(frozen, depth, small, large)[is_water]
    return np.clip(colours, 0.0, 1.0).astype(np.float32)


def _water_colour(ice: Field, depth: Field, small: Field, large: Field) -> Colours:
    """Colour of seas and lakes by their depth, and of the ice on them, which breaks along lines."""
    colours = _ramp(depth, _SEA_DEPTHS, _SEA)
    closed = np.float32(0.2) + np.float32(0.8) * _step(np.abs(large + np.float32(0.15) * small), 0.0, 0.03)
    closed *= np.float32(0.55) + np.float32(0.45) * _step(np.abs(small - np.float32(0.5) * large), 0.0, 0.035)
    share = _frayed(ice, _FLOES * small) * closed
    return _mixed(colours, _ice_colour(_SEA_ICE, small), share)


def _frayed(ice: Field, noise: Field) -> Field:
    """The share of ice where noise frays its border: it ends in patches, softly, and there are none far from it."""
    between = np.minimum(np.float32(4.0) * ice * (np.float32(1.0) - ice), np.float32(0.5)) * np.float32(2.0)
    return _step(ice + between * noise, 0.36, 0.64)


def _ice_colour(colour: tuple[float, float, float], stains: Field) -> Colours:
    """Colour of ice: white where snow lies, blue where wind has blown it away."""
    blown = _step(stains, -0.1, 0.4)
    white = np.broadcast_to(np.array(colour, np.float32), (*stains.shape, 3))
    return _mixed(white, np.array(_BLUE_ICE, np.float32), np.float32(0.75) * blown)


def _living_colour(maps: Mapping[str, Field], small: Field) -> Colours:
    """Colour of plants and ground by temperature and rain; rock where it is steep or cold and high."""
    # Plants change where it is a little drier or wetter.
    rain = maps["rain"] * (np.float32(1.0) + np.float32(0.5) * small)
    row, column = _place_in(maps["temperature"], _TEMPERATURES), _place_in(rain, _RAINS)
    table = np.array(_LIVING, np.float32)
    i, j = (np.minimum(place.astype(np.intp), 3) for place in (row, column))
    a, b = (row - i)[..., np.newaxis], (column - j)[..., np.newaxis]
    colours = (table[i, j] * (1 - b) + table[i, j + 1] * b) * (1 - a)
    colours += (table[i + 1, j] * (1 - b) + table[i + 1, j + 1] * b) * a
    steep = _step(maps["slope"], _ROCK_BEGINS, _ROCK_EVERYWHERE)
    return _mixed(colours.astype(np.float32), np.array(_ROCK, np.float32), np.float32(0.75) * steep)


def _in_beds(height: Field, slope: Field) -> Field:
    """Altitudes as colours know them: on scarps, beds of dark and pale rock come to light."""
    beds = height * np.float32(_BEDS)
    wave = np.abs(np.float32(2.0) * (beds - np.floor(beds)) - np.float32(1.0)) - np.float32(0.5)
    return height + _BED_TONE * wave * _step(slope, *_SCARP_SLOPES)


def _bare_colour(ramp: tuple[tuple[float, float, float], ...], height: Field, stains: _Stains) -> Colours:
    """Colour of bare ground by altitude and stains."""
    place = np.float32(0.10) + np.float32(0.80) * height
    place = place + np.float32(0.95) * stains.large + np.float32(0.25) * stains.small
    return _ramp(place, (0.0, 0.33, 0.67, 1.0), ramp)


def _stains(recipe: PlanetRecipe, places: ColouredPlaces, wavelength: float, number: int) -> Field:
    octaves = space_octaves(wavelength, 9, 0.7, recipe.seed + number, Purpose.STAINS, places.finest)
    return draw_noise(octaves, recipe.turn, places.directions)


def _place_in(values: Field, stops: tuple[float, ...]) -> npt.NDArray[np.float64]:
    """Where values lie among stops: 1.5 is halfway between the second and the third."""
    return np.interp(values, stops, np.arange(len(stops)))


def _ramp(values: Field, stops: tuple[float, ...], colours: tuple[tuple[float, float, float], ...]) -> Colours:
    table = np.array(colours)
    return np.stack([np.interp(values, stops, table[:, channel]) for channel in range(3)], axis=-1).astype(np.float32)


def _step(values: Field, low: float, high: float) -> Field:
    t = np.clip((values - np.float32(low)) / np.float32(high - low), 0.0, 1.0)
    return ease_of(t).astype(np.float32)


def _mixed(colours: Colours, other: npt.NDArray[np.float32], share: Field) -> Colours:
    return (colours + share[..., np.newaxis] * (other - colours)).astype(np.float32)

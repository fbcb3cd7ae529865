"""From the recipe of a planet to its stages; read `planet_stages` to see how a planet comes about."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..foundation.memory import check_bytes
from ..foundation.progress import Steps
from ..foundation.stages import KindOfStage, Results, Stage
from ..foundation.stored_field import StoredField
from ..foundation.terrain import Field
from .biomes import Biome, BiomeNumbers, classify_biomes
from .climate import ClimateMaps, Weather, bring_rain, draw_weather, put_climate_together
from .cube_sphere import face_directions
from .dunes import find_sand, lay_sand
from .erosion_causes import rain_on_young_land, ranges_read, rising_ranges
from .normals import planet_normals, planet_slope
from .planet_erosion import Causes, YoungPlanet, erode_planet
from .planet_recipe import PlanetRecipe
from .planet_relief import Altitudes, made_ground, with_craters
from .planet_waters import PlanetWaters, find_waters
from .sphere_levels import coarsest_resolution, spheres_from_coarse
from .sphere_links import Sphere, make_sphere
from .young_hollows import dig_hollows, draw_hollows

SHOWN_STAGES = ("sand", "land", "slope", "climate", "biomes", "waters")
"""Names of the stages whose results a planet consists of."""

# Deeper than this share of the radius the ground would turn inside out; higher than that it is no planet any more.
_DEEPEST, _HIGHEST = 0.9, 2.0
# Heights, climate and life; where rivers cut the land, also tables of neighbours on all spheres, and routes.  Measured.
_BYTES_PER_SAMPLE, _BYTES_PER_ERODED_SAMPLE = 90, 400


class PlanetPart(KindOfStage):
    """What a stage of a planet makes."""

    GROUND = "heights before craters", 0.2
    RELIEF = "heights before rivers", 0.2
    CAUSES = "what raises the land, and where rain falls, before rivers", 0.01
    SPHERES = "cells of the sphere and their neighbours", 0.12
    ERODED = "the ground after rivers", 1.5
    HOLLOWS = "where the ground is weak or sinks", 0.05
    SAND = "where sand lies", 0.06
    LAND = "the finished ground", 0.02
    SLOPE = "the slope", 0.07
    WEATHER = "how the climate differs from place to place", 0.05
    WIND = "rain that winds bring", 0.02
    CLIMATE = "temperatures and rain", 0.04
    BIOMES = "biomes and ice", 0.04
    WATERS = "rivers and lakes", 0.1


@dataclass(frozen=True)
class PlanetLand:
    """The finished ground of a planet.

    Attributes
    ----------
    surface : ndarray of float32, shape (6, resolution, resolution)
        Metres above the sphere.
    sediment : ndarray of float32, shape (6, resolution, resolution), or None
        Metres of loose ground; None where no rivers have worked.
    """

    surface: Field
    sediment: Field | None


@dataclass(frozen=True)
class PlanetLife:
    """What covers a planet, arrays of shape (6, resolution, resolution).

    Attributes
    ----------
    biomes : ndarray of uint8
        A `Biome` for each sample.
    ice, rain, sea_depth : ndarray of float32
        0 to 1, mm per year, and metres.
    """

    biomes: BiomeNumbers
    ice: Field
    rain: Field
    sea_depth: Field


def planet_stages(recipe: PlanetRecipe, elevation: StoredField | None = None) -> list[Stage]:
    """Return the stages of a planet.

    Parameters
    ----------
    recipe : PlanetRecipe
        What to make.
    elevation : StoredField, optional
        The heights that the recipe names.

    Returns
    -------
    list of Stage
        In an order in which each comes after those it needs.

    Raises
    ------
    ValueError
        If the heights that the recipe names are missing, or the planet does not fit into memory.
    """
    maker = _Maker(recipe, elevation)
    place = [recipe.resolution, recipe.seed, recipe.turn_x, recipe.turn_y, recipe.turn_z]
    shape = [recipe.radius, recipe.plates.to_json(), recipe.continents.to_json(), recipe.hills.to_json()]
    file = [recipe.elevation.to_json(), None if elevation is None else elevation.digest]
    sea, climate = [recipe.has_sea, recipe.sea_level], recipe.climate
    erodes = recipe.erosion.enabled
    carves = erodes and not recipe.elevation.path
    stages = [
        Stage(PlanetPart.GROUND, "ground", (), [place, shape, file], maker.ground),
        Stage(PlanetPart.RELIEF, "relief", ("ground",), [recipe.has_sea, recipe.craters.to_json()], maker.relief),
    ]
    if erodes:
        size = [recipe.resolution, recipe.radius, carves]
        stages.append(Stage(PlanetPart.SPHERES, "spheres", (), size, maker.spheres))
    if carves:
        air = [climate.enabled, climate.difference]
        stages += [
            Stage(PlanetPart.CAUSES, "ranges", (), [maker.coarsest, place[1:], ranges_read(recipe)], maker.ranges),
            Stage(PlanetPart.CAUSES, "young rain", ("relief",), [maker.coarsest, sea, air], maker.young_rain),
        ]
    used = tuple(stage.name for stage in stages[1:])
    eroded = [place, recipe.radius, sea, recipe.erosion.to_json()]
    stages.append(Stage(PlanetPart.WEATHER, "weather", (), place, maker.weather))
    digs: list[Any] | None = None
    if recipe.has_hollows:
        digs = [recipe.hollows.to_json(), climate.temperature, climate.difference, climate.lapse_rate, sea]
        stages.append(Stage(PlanetPart.HOLLOWS, "hollows", (), place, maker.hollows))
    weak = ("hollows",) if recipe.has_hollows else ()
    stages.append(Stage(PlanetPart.ERODED, "erosion", used, eroded, maker.eroded))
    laid: tuple[str, ...] = ()
    if recipe.has_dunes:
        laid = ("sand",)
        stages.append(Stage(PlanetPart.SAND, "sand", ("erosion",), [place[1:], sea, recipe.dunes.cover], maker.sand))
        digs = [digs, place[1:], recipe.share_that_fits, recipe.dunes.to_json()]
    stages += [
        Stage(PlanetPart.LAND, "land", ("erosion", *weak, *laid), digs, maker.land),
        Stage(PlanetPart.SLOPE, "slope", ("land",), recipe.radius, maker.slope),
        Stage(PlanetPart.WIND, "wind", ("land",), [sea, climate.temperature, climate.difference], maker.wind),
        Stage(PlanetPart.CLIMATE, "climate", ("land", "weather", "wind"), [sea, climate.to_json()], maker.climate),
        Stage(PlanetPart.BIOMES, "biomes", ("land", "climate"), [sea, climate.enabled], maker.biomes),
    ]
    if erodes:
        stages.append(Stage(PlanetPart.WATERS, "waters", ("spheres", "land", "climate"), sea, maker.waters))
    return stages


class _Maker:
    """What the stages of one recipe do."""

    def __init__(self, recipe: PlanetRecipe, elevation: StoredField | None) -> None:
        resolution = recipe.resolution
        what = f"a planet of 6 × {resolution} × {resolution} samples"
        each = _BYTES_PER_ERODED_SAMPLE if recipe.erosion.enabled else _BYTES_PER_SAMPLE

        def advise(room: int) -> str:
            sizes = [2**n + 1 for n in range(1, 20) if 6 * (2**n + 1) ** 2 * each <= room and 2**n + 1 < resolution]
            return "lower the resolution" + (f" to {sizes[-1]} or less" if sizes else "")

        check_bytes(6 * resolution**2 * each, what, advise)
        self._recipe, self._elevation = recipe, elevation
        self.coarsest = coarsest_resolution(resolution)
        self._sea_level = recipe.level_of_sea

    def ground(self, results: Results) -> Steps[Altitudes]:
        yield 0.0
        recipe = self._recipe
        return made_ground(recipe, self._elevation)(recipe.turn, face_directions(recipe.resolution))

    def relief(self, results: Results) -> Steps[Field]:
        yield 0.0
        recipe, ground = self._recipe, made_ground(self._recipe, self._elevation)
        surface = with_craters(recipe, ground, ground, face_directions(recipe.resolution), results["ground"])
        highest, lowest = float(surface.max()), float(surface.min())
        if lowest < -_DEEPEST * recipe.radius:
            raise ValueError(
                f"the ground goes down to {lowest:.0f} m, too deep for a planet with a radius of {recipe.radius} m; "
                "lower its relief or raise the radius"
            )
        if highest > _HIGHEST * recipe.radius:
            raise ValueError(
                f"the ground rises to {highest:.0f} m, too high for a planet with a radius of {recipe.radius} m; "
                "lower its relief or raise the radius"
            )
        return surface

    def spheres(self, results: Results) -> Steps[list[Sphere]]:
        yield 0.0
        recipe = self._recipe
        if recipe.elevation.path:
            return [make_sphere(recipe.resolution, recipe.radius)]
        return spheres_from_coarse(recipe.resolution, recipe.radius)

    def ranges(self, results: Results) -> Steps[Field]:
        yield 0.0
        return rising_ranges(self._recipe, self.coarsest)

    def young_rain(self, results: Results) -> Steps[Field | None]:
        yield 0.0
        return rain_on_young_land(self._recipe, results["relief"], self.coarsest)

    def eroded(self, results: Results) -> Steps[PlanetLand]:
        recipe, surface = self._recipe, results["relief"]
        highest = float(surface.max())
        if self._sea_level > highest:
            raise ValueError(
                f"sea_level = {self._sea_level} m is above the whole planet, whose highest place is at {highest:.0f} m"
            )
        if not recipe.erosion.enabled:
            yield 0.0
            return PlanetLand(surface, None)
        if recipe.elevation.path:
            # Heights from a file have their valleys already.
            yield 0.0
            return PlanetLand(surface, np.zeros_like(surface))
        spheres = results["spheres"]
        young = YoungPlanet(surface, spheres, recipe.radius, self._sea_level, recipe.turn, recipe.seed)
        causes = Causes(results["ranges"], results["young rain"])
        eroded = yield from erode_planet(young, recipe.erosion, causes)
        return PlanetLand(eroded.surface, eroded.sediment)

    def hollows(self, results: Results) -> Steps[Field]:
        yield 0.0
        return draw_hollows(self._recipe.resolution, self._recipe.turn, self._recipe.seed)

    def land(self, results: Results) -> Steps[PlanetLand]:
        yield 0.0
        recipe, eroded = self._recipe, results["erosion"]
        surface, sediment = eroded.surface, eroded.sediment
        if recipe.has_hollows:
            depth = dig_hollows(surface, results["hollows"], recipe.hollows, recipe.climate, self._sea_level)
            surface, sediment = surface - depth, np.maximum(sediment - depth, np.float32(0.0))
        if recipe.has_dunes:
            surface = lay_sand(surface, results["sand"], self._sea_level, recipe.dune_field)
        return PlanetLand(surface, sediment)

    def sand(self, results: Results) -> Steps[Field]:
        yield 0.0
        recipe = self._recipe
        return find_sand(recipe.dunes, results["erosion"].surface, self._sea_level, recipe.turn, recipe.seed)

    def slope(self, results: Results) -> Steps[Field]:
        yield 0.0
        directions = face_directions(self._recipe.resolution)
        return planet_slope(planet_normals(results["land"].surface, directions, self._recipe.radius), directions)

    def weather(self, results: Results) -> Steps[Weather]:
        yield 0.0
        return draw_weather(self._recipe.resolution, self._recipe.turn, self._recipe.seed)

    def wind(self, results: Results) -> Steps[Field]:
        yield 0.0
        return bring_rain(self._recipe.climate, results["land"].surface, self._sea_level)

    def climate(self, results: Results) -> Steps[ClimateMaps]:
        yield 0.0
        surface, climate = results["land"].surface, self._recipe.climate
        return put_climate_together(climate, surface, self._sea_level, results["weather"], results["wind"])

    def biomes(self, results: Results) -> Steps[PlanetLife]:
        yield 0.0
        temperature, warmest, rain = results["climate"]
        depth = np.maximum(np.float32(self._sea_level) - results["land"].surface, np.float32(0.0))
        has_water = self._recipe.climate.enabled
        biomes, ice = classify_biomes(temperature, warmest, rain, depth, has_water=has_water)
        if not has_water:
            rain = np.zeros_like(rain)
            biomes = np.where(depth > 0.0, np.uint8(Biome.SEA), np.uint8(Biome.ROCK))
        return PlanetLife(biomes, ice, rain, depth)

    def waters(self, results: Results) -> Steps[PlanetWaters]:
        yield 0.0
        return find_waters(results["land"].surface, results["spheres"][-1], self._sea_level, results["climate"])

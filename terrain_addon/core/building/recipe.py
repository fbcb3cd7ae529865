"""The recipe of a landscape: the tree of all parameters, and its JSON."""

import json
import re
from dataclasses import dataclass, make_dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from ..climate.climate import Climate
from ..climate.snow import DAYS
from ..direction.features import DRAWN_FEATURES, Feature
from ..ecosystem.biome_presets import HOME_SNOW_LINE, load_biome
from ..ecosystem.ecosystem import Ecosystem
from ..ecosystem.species import visible_species
from ..erosion.processes import PROCESSES
from ..erosion.stream_power import StreamPower
from ..erosion.weathering import Weathering
from ..flow.inflows import check_inflows
from ..flow.water import Water
from ..foundation.parameters import ParameterSet, group, parameter, series
from ..foundation.placement import Borders, borders_of
from ..foundation.recipe_text import load_recipe_file, parse_parameters, parse_recipe, path_beside, take_schema
from ..foundation.terrain import Grid
from ..ice.glaciers import Glaciers
from ..maps.catalogue import MAPS
from ..maps.colour import COLOURINGS, STONES, coldness
from ..maps.declaration import Kept
from ..maps.illumination import Illumination
from ..maps.sun import LowSun
from ..meshing.detail import Origin, longest_gully
from ..relief.elevation_model import ElevationModel
from ..snow.winter import Winter
from .layers import Layer, Relief
from .renames import renamed

SCHEMA_VERSION = 4
_SCHEMA = re.compile(r'\s*\{\s*"schema":\s*(\d{1,4})\b')
# A grid counts fewer cells than this from the origin of the plane.
_MOST_CELLS = 2**32
# A number of cells this close to a whole one is meant to be whole; one farther away is not, however it was rounded.
_NEARLY_WHOLE = 1e-6
_HARDLY_WHOLE = 0.25
# So many plants of a biome fit along a side; smaller ones would be millions.
_MOST_ROOMS = 3000.0
# Plants of a biome at least this share as wide as its widest are what it is known for: on any land they stay.
_LARGE = 0.5
PRESET_FOLDER = Path(__file__).resolve().parents[2] / "presets"


@dataclass(frozen=True)
class Appearance(ParameterSet):
    """How the land is coloured; the shape does not depend on it."""

    colouring: str = parameter("physical", "What the colours of the land stand for", choices=COLOURINGS)
    stone: str = parameter(
        "grey", "What the rock looks like", choices={name: stone.description for name, stone in STONES.items()}
    )
    snow_line: float = parameter(
        2000.0,
        "Altitude above which snow lies on ground that is not too steep, in midsummer",
        unit="m",
        limits=(-12000.0, 12000.0),
        soft=(0.0, 4000.0),
    )
    tree_line: float = parameter(
        1700.0,
        "Altitude above which the ground shows grass and then scree instead of forest floor; trees do not follow it, "
        "but the Altitude Response of their species",
        unit="m",
        limits=(-12000.0, 12000.0),
        soft=(0.0, 4000.0),
    )
    vegetation: float = parameter(
        1.0, "How much of the ground that could be green is: 0 is a desert", limits=(0.0, 1.0)
    )
    brush: float = parameter(
        0.0,
        "How much of open ground low shrubs cover, as chaparral or sagebrush does; they are too many to be plants of "
        "their own, so the ground shows them from afar",
        limits=(0.0, 1.0),
    )
    season: float = parameter(
        7.0,
        "Months since New Year: grass is fresh in May, dry in August and russet in October, and snow comes with "
        "winter; if Winter is on, its day is taken instead",
        unit="months",
        limits=(0.0, 12.0),
    )
    detail: float = parameter(
        1.0,
        "How strongly gullies, beds of rock, joints and stones show that are finer than the mesh; heights stay",
        limits=(0.0, 4.0),
        soft=(0.0, 2.0),
        advanced=True,
    )
    water_clarity: float = parameter(
        8.0,
        "How deep one sees into water: 0.2 in a brown river, 1 in a green one, 8 along many coasts, 30 in the tropics",
        unit="m",
        limits=(0.05, 100.0),
        soft=(0.2, 40.0),
        advanced=True,
    )
    winter_descent: float = parameter(
        1200.0,
        "How far the snow line comes down from midsummer to midwinter",
        unit="m",
        limits=(0.0, 12000.0),
        soft=(0.0, 3000.0),
        advanced=True,
    )

    @property
    def snow_line_now(self) -> float:
        """Altitude in metres of the snow line in the season."""
        return self.snow_line - self.winter_descent * coldness(self.season)


ExtraMaps = make_dataclass(
    "ExtraMaps",
    [
        (name, bool, parameter(False, one.description, advanced=True))
        for name, one in MAPS.items()
        if one.kept is Kept.ON_REQUEST
    ],
    bases=(ParameterSet,),
    frozen=True,
    namespace={
        "__doc__": "Maps that not every landscape needs; they cost time, and memory in the file.",
        "__module__": __name__,
    },
)


@dataclass(frozen=True)
class Recipe(ParameterSet):
    """Everything a landscape is made from: the same recipe and version give the same landscape, byte for byte."""

    seed: int = parameter(
        1, "Number of the random pattern; each gives another land of the same kind", limits=(0, 2**31 - 1)
    )
    width: float = parameter(3000.0, "Length from west to east", unit="m", limits=(1.0, 1e6), soft=(100.0, 20000.0))
    depth: float = parameter(
        3000.0,
        "Length from south to north; the land has whole square cells, so it may be up to half a cell longer or shorter",
        unit="m",
        limits=(1.0, 1e6),
        soft=(100.0, 20000.0),
    )
    resolution: int = parameter(
        513,
        "Number of vertices from west to east; more shows the same land more finely",
        limits=(2, 8193),
        soft=(129, 2049),
    )
    origin_east: float = parameter(
        0.0,
        "Where the western border lies, so that several landscapes can lie side by side and fit together",
        unit="m",
        limits=(-2e9, 2e9),
        soft=(-10000.0, 10000.0),
        advanced=True,
    )
    origin_north: float = parameter(
        0.0,
        "Where the southern border lies, so that several landscapes can lie side by side and fit together",
        unit="m",
        limits=(-2e9, 2e9),
        soft=(-10000.0, 10000.0),
        advanced=True,
    )
    fixed_border: bool = parameter(
        False,
        "Whether erosion leaves the border as it is, so that lands side by side also fit together after erosion",
        advanced=True,
    )
    time: float = parameter(
        0.0,
        "Moment at which the land is seen, for layers that move; can be keyframed",
        unit="s",
        limits=(-1e6, 1e6),
        soft=(0.0, 10.0),
        advanced=True,
    )
    relief: Relief = group(Relief, "The shape that the land starts from")
    erosion: tuple[Any, ...] = series(
        tuple(PROCESSES), (StreamPower(), Weathering()), "Processes that work on the land, in this order"
    )
    features: tuple[Feature, ...] = series(
        DRAWN_FEATURES,
        (),
        "Rivers, ridges, lakes, roads and other things that are drawn on the land, which erosion obeys",
    )
    water: Water = group(Water, "Sea, lakes and rivers")
    illumination: Illumination = group(Illumination, "Light that the ground receives")
    climate: Climate = group(Climate, "Wind, rain, temperature and snow")
    glaciers: Glaciers = group(Glaciers, "Glaciers of today")
    winter: Winter = group(Winter, "Snow of one day")
    low_sun: LowSun = group(LowSun, "The sun that casts the shadows of the map *Shadow*")
    extra_maps: ParameterSet = group(ExtraMaps, "Maps beyond the usual ones")
    ecosystem: Ecosystem = group(Ecosystem, "Plants")
    appearance: Appearance = group(Appearance, "Colours")

    @property
    def origin(self) -> Origin:
        """Where the land begins, and its seed, as its detail depends on them."""
        return Origin(self.seed, self.origin_east, self.origin_north, longest_gully(self.cell_size))

    def check(self) -> None:
        """Refuse a land whose rows do not fit the range of `resolution`, inflows beside it, or too far out to count."""
        low, high = 2, 8193
        rows, cell = round(self.depth / self.cell_size) + 1, self.cell_size
        if not low <= rows <= high:
            raise ValueError(
                f"depth = {self.depth} m is outside {(low - 1) * cell:.6g} to {(high - 1) * cell:.6g} m: with width = "
                f"{self.width} m and resolution = {self.resolution} a sample is {cell:.6g} m wide; set depth too, or "
                "change resolution"
            )
        check_inflows(self.water.inflows, self.width, self.depth)
        for name in ("origin_east", "origin_north"):
            farthest = (_MOST_CELLS - high) * self.cell_size
            if abs(getattr(self, name)) > farthest:
                raise ValueError(
                    f"{name} = {getattr(self, name)} m is outside {-farthest:.6g} to {farthest:.6g} m, where cells of "
                    f"{self.cell_size:.6g} m can be counted; change it, width or resolution"
                )

    @property
    def appearance_now(self) -> Appearance:
        """How the land is coloured: where the winter is on, in the season of its day."""
        if not self.winter.enabled:
            return self.appearance
        return self.appearance.replace(season=self.winter.day_of_year * (12.0 / DAYS))

    @property
    def cell_size(self) -> float:
        """Distance between neighbouring samples in metres."""
        return self.width / (self.resolution - 1)

    @property
    def grid(self) -> Grid:
        """Where the landscape is sampled; the depth is rounded to whole cells.

        An origin that is a multiple of the width or depth is counted in whole landscapes, so that neighbours share
        their border however far out they lie.
        """
        rows, columns = round(self.depth / self.cell_size) + 1, self.resolution
        first_row = _cells_to(self.origin_north, self.depth, rows - 1, self.cell_size)
        first_column = _cells_to(self.origin_east, self.width, columns - 1, self.cell_size)
        return Grid(rows, columns, self.cell_size, first_row, first_column)

    @property
    def borders(self) -> Borders:
        """Borders in metres on the endless plane: west, south, east, north."""
        return borders_of(self.grid)

    @classmethod
    def preset(cls, name: str, **changes: Any) -> Self:
        """Return one of the recipes that come with the extension.

        Parameters
        ----------
        name : str
            One of `preset_names()`.
        changes
            Parameters of the recipe that are to differ, e.g. ``seed=3, resolution=1025``.

        Returns
        -------
        Recipe
            The preset with the changes.

        Raises
        ------
        ValueError
            If there is no such preset, or a change is unknown or out of range.
        """
        if name not in preset_names():
            raise ValueError(f"there is no preset {name!r}; there are: {', '.join(preset_names())}")
        return cls.loads((PRESET_FOLDER / f"{name}.json").read_text(encoding="utf-8")).replace(**changes)

    def with_biome(self, name: str) -> Self:
        """Return this land with the plants of a biome.

        Parameters
        ----------
        name : str
            One of `biome_presets()`.

        Returns
        -------
        Recipe
            With other species, wherever they can grow; all else stays.  Their altitudes follow the snow line of the
            land, and plants that are too small to be seen on it are left out; those at least half as wide as the
            widest stay on any land.

        Raises
        ------
        ValueError
            If there is no such biome.

        Examples
        --------
        >>> [one.name for one in Recipe(width=4000.0, depth=4000.0).with_biome("savanna").ecosystem.species]
        ['umbrella_thorn', 'bushwillow', 'fever_tree', 'thornbush', 'rock']
        >>> [one.name for one in Recipe(width=10_000.0, depth=10_000.0).with_biome("boreal").ecosystem.species]
        ['spruce', 'scots_pine', 'downy_birch', 'willow', 'dead_wood']
        """
        lift = self.appearance.snow_line - HOME_SNOW_LINE
        biome = load_biome(name)
        widest = max(one.radius for one in biome if not one.lasts)
        least = min(max(self.width, self.depth) / _MOST_ROOMS, _LARGE * widest)
        species = visible_species((one.lifted(lift) for one in biome), least)
        usual = Ecosystem()
        return self.replace(
            ecosystem=self.ecosystem.replace(
                species=species, cover=usual.cover, combination=usual.combination, throwing=usual.throwing
            )
        )

    @classmethod
    def loads(cls, text: str) -> Self:
        """Read a recipe from JSON; what is left out takes its default.

        Parameters
        ----------
        text : str
            What `dumps` of this or an earlier version wrote.

        Returns
        -------
        Recipe
            With parameters under their present names.

        Raises
        ------
        ValueError
            If the text is not JSON, longer than `LARGEST_RECIPE`, nested too deeply or comes from a newer version, or
            if a parameter is there twice, unknown, mistyped or out of range: the message names it by its path.
        """
        data = parse_recipe(text)
        schema = take_schema(data, SCHEMA_VERSION)
        if schema < 2:
            data = _from_schema_1(data)
        if schema < 3:
            data = _with_new_names(data)
        _check_kinds_of_features(data.get("features"))
        return cls.from_json(data)

    def dumps(self) -> str:
        """Write the recipe as JSON, every parameter spelled out; `loads` gives an equal recipe back."""
        return json.dumps({"schema": SCHEMA_VERSION, **self.to_json()}, indent=2, ensure_ascii=False) + "\n"


def load_recipe(path: Path) -> Recipe:
    """Read a recipe from a file.

    Parameters
    ----------
    path : Path
        JSON in UTF-8.

    Returns
    -------
    Recipe
        Elevation files that lie beside the recipe are named by their full paths.

    Raises
    ------
    ValueError
        If the file cannot be read or is not a recipe; the message names the file.
    """
    recipe = load_recipe_file(path, Recipe.loads)
    layers = tuple(_with_file_beside(layer, path) for layer in recipe.relief.layers)
    return recipe.replace(relief=recipe.relief.replace(layers=layers))


def _check_kinds_of_features(items: Any) -> None:
    """Refuse a feature that does not say what it is, which would become a river."""
    for place, item in enumerate(items if isinstance(items, list) else []):
        if isinstance(item, dict) and "model" not in item:
            kinds = ", ".join(one.model() for one in DRAWN_FEATURES)
            raise ValueError(f'features[{place}] does not say what it is: add "model", one of: {kinds}')


def load_features(path: Path) -> tuple[Feature, ...]:
    """Read features from a file.

    Parameters
    ----------
    path : Path
        JSON in UTF-8: a feature, or a list of them, as under ``features`` in a recipe.

    Returns
    -------
    tuple of Feature

    Raises
    ------
    ValueError
        If the file cannot be read or holds something else; the message names the file.
    """

    def loads(text: str) -> Recipe:
        data = parse_parameters(text, "a feature or a list of features")
        items = data if isinstance(data, list) else [data]
        _check_kinds_of_features(items)
        return Recipe.from_json({"features": items})

    return load_recipe_file(path, loads).features


def _with_file_beside(layer: Layer, recipe: Path) -> Layer:
    """Return a layer whose elevation file is found beside a recipe, if it is there."""
    if not isinstance(layer.source, ElevationModel):
        return layer
    return layer.replace(source=layer.source.replace(path=path_beside(recipe, layer.source.path)))


def is_older(text: str) -> bool:
    """Return whether a version with an older schema wrote a recipe as JSON; only the beginning of the text is read.

    Parameters
    ----------
    text : str
        What `Recipe.dumps` returned, or anything else.

    Returns
    -------
    bool
        False for a text that does not begin with a schema.

    Examples
    --------
    >>> is_older('{"schema": 2, "seed": 7}'), is_older(Recipe().dumps()), is_older('{"schema": 99}'), is_older("")
    (True, False, False, False)
    """
    begin = _SCHEMA.match(text)
    return begin is not None and int(begin[1]) < SCHEMA_VERSION


PRESETS: dict[str, str] = {
    "alpine": "High mountains with snow, conifer forest and streams",
    "badlands": "Bare clay hills full of gullies, with few bushes",
    "big_tujunga": "Mountains of California as they were measured, with oaks, pines and chaparral",
    "dunes": "Dunes that the wind has heaped up, without plants and water",
    "fjords": "Valleys that ice has cut and the sea has filled, with forest on high walls",
    "fractal_peaks": "Sharp peaks of pure noise, without rivers and lakes",
    "islands": "Steep islands in a warm sea, with tropical forest and beaches",
    "mesa_and_canyon": "Dry tables of hard rock above canyons with steep walls",
    "plains": "Low, wide land with a river that winds, and groves of oak and beech",
    "rolling_hills": "Gentle, grassy hills with single trees, and woods in the hollows",
    "volcano": "A volcano with a crater, lava and ash, and forest around its foot",
}
"""What each preset shows, for tooltips."""


def preset_names() -> tuple[str, ...]:
    """Return the names of the recipes that come with the extension, in alphabetical order."""
    return tuple(sorted(path.stem for path in PRESET_FOLDER.glob("*.json")))


def _cells_to(origin: float, length: float, cells: int, cell_size: float) -> float:
    """Return how many cells away from the origin of the plane a landscape begins.

    Lengths are kept in the 24 bits of float32: far out, an origin misses the border of a neighbour by up to a metre.
    So one that misses a multiple of the landscape's own length, or else a whole number of cells, by no more than that
    is meant to be it.
    """
    slack = float(np.spacing(np.float32(abs(origin))))
    for side in (length, cells * cell_size):
        lands = round(origin / side)
        if abs(origin - lands * side) <= slack:
            return float(lands * cells)
    away = origin / cell_size
    near = max(slack / cell_size, _NEARLY_WHOLE)
    return float(round(away)) if abs(away - round(away)) <= min(near, _HARDLY_WHOLE) else away


def _from_schema_1(data: dict[str, Any]) -> dict[str, Any]:
    """Version 1 had one model of relief in place of layers, and of erosion weathering alone."""
    erosion, source = data.get("erosion", [{}]), data.get("relief")
    if isinstance(erosion, list):
        named = [{"model": Weathering.model()} | one if isinstance(one, dict) else one for one in erosion]
        data = data | {"erosion": named}
    if not isinstance(source, dict):
        return data
    if source.get("model") == "midpoint_displacement":  # which began with a square as large as the land
        source = source | {"wavelength": data.get("width", 3000.0)}
    return data | {"relief": {"layers": [{"source": source}]}}


def _with_new_names(data: dict[str, Any]) -> dict[str, Any]:
    """Schema 3 renamed some parameters of processes."""
    erosion = data.get("erosion")
    if not isinstance(erosion, list):
        return data
    usual = StreamPower.model()
    return data | {"erosion": [renamed(one, usual) if isinstance(one, dict) else one for one in erosion]}

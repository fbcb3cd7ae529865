"""The recipe of a landscape: the tree of all parameters, and its JSON."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from .ecosystem.ecosystem import Ecosystem
from .erosion.weathering import Weathering
from .maps.illumination import Illumination
from .parameters import ParameterSet, group, parameter, series, variant
from .relief.elevation_model import ElevationModel
from .relief.fractal_noise import FractalNoise
from .relief.midpoint_displacement import MidpointDisplacement
from .terrain import Grid

SCHEMA_VERSION = 1
PRESET_FOLDER = Path(__file__).parent.parent / "presets"

Relief = FractalNoise | MidpointDisplacement | ElevationModel


@dataclass(frozen=True)
class Appearance(ParameterSet):
    """How the land is coloured; the shape does not depend on it."""

    snow_line: float = parameter(
        2000.0,
        "Altitude above which snow lies on ground that is not too steep",
        unit="m",
        limits=(-12000.0, 12000.0),
        soft=(0.0, 4000.0),
    )
    tree_line: float = parameter(
        1700.0,
        "Altitude above which the forest floor gives way to grass, and grass to scree",
        unit="m",
        limits=(-12000.0, 12000.0),
        soft=(0.0, 4000.0),
    )
    vegetation: float = parameter(
        1.0, "How much of the ground that could be green is: 0 is a desert", limits=(0.0, 1.0)
    )


@dataclass(frozen=True)
class Recipe(ParameterSet):
    """Everything a landscape is made from: the same recipe and version give the same landscape, byte for byte."""

    seed: int = parameter(1, "Another number, another land of the same kind", limits=(0, 2**31 - 1))
    width: float = parameter(3000.0, "Extent from west to east", unit="m", limits=(1.0, 1e6), soft=(100.0, 20000.0))
    depth: float = parameter(3000.0, "Extent from south to north", unit="m", limits=(1.0, 1e6), soft=(100.0, 20000.0))
    resolution: int = parameter(
        513,
        "Number of vertices from west to east; more shows the same land more finely",
        limits=(2, 8193),
        soft=(129, 2049),
    )
    relief: Relief = variant(
        (FractalNoise, MidpointDisplacement, ElevationModel), "The shape that the land starts from"
    )
    erosion: tuple[Weathering, ...] = series(
        (Weathering,), (Weathering(),), "Processes that work on the land, in this order"
    )
    illumination: Illumination = group(Illumination, "Light that the ground catches")
    ecosystem: Ecosystem = group(Ecosystem, "Plants")
    appearance: Appearance = group(Appearance, "Colours")

    def check(self) -> None:
        """Refuse a landscape whose rows would not fit the range of `resolution`."""
        low, high = 2, 8193
        rows = round(self.depth / self.cell_size) + 1
        if not low <= rows <= high:
            raise ValueError(
                f"depth = {self.depth} m is {rows} rows of {self.cell_size:.6g} m, outside {low} to {high} rows; "
                f"change depth, width or resolution"
            )

    @property
    def cell_size(self) -> float:
        """Distance between neighbouring samples in metres."""
        return self.width / (self.resolution - 1)

    @property
    def grid(self) -> Grid:
        """Where the landscape is sampled; the depth is rounded to whole cells."""
        return Grid(round(self.depth / self.cell_size) + 1, self.resolution, self.cell_size)

    @classmethod
    def preset(cls, name: str, **changes: Any) -> Self:
        """Return one of the recipes that come with the extension.

        Parameters
        ----------
        name : str
            One of `preset_names()`.
        changes
            Parameters of the recipe that are to differ, e.g. ``seed=3, resolution=1025``.

        Raises
        ------
        ValueError
            If there is no such preset, or a change is unknown or out of range.
        """
        if name not in preset_names():
            raise ValueError(f"there is no preset {name!r}; there are: {', '.join(preset_names())}")
        return cls.loads((PRESET_FOLDER / f"{name}.json").read_text(encoding="utf-8")).replace(**changes)

    @classmethod
    def loads(cls, text: str) -> Self:
        """Read a recipe from JSON; what is left out takes its default.

        Raises
        ------
        ValueError
            If the text is not JSON, comes from a newer version, or a parameter is unknown, mistyped or out of range:
            the message names it by its path.
        """
        try:
            data = json.loads(text, parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"this is not a recipe: {error}") from None
        if not isinstance(data, dict):
            raise ValueError("this is not a recipe: it must be an object with parameters")
        schema = data.pop("schema", None)
        if schema != SCHEMA_VERSION:
            raise ValueError(f"schema = {schema!r} is not the version that this extension reads, {SCHEMA_VERSION}")
        return cls.from_json(data)

    def dumps(self) -> str:
        """Write the recipe as JSON, every parameter spelled out; `loads` gives an equal recipe back."""
        return json.dumps({"schema": SCHEMA_VERSION, **self.to_json()}, indent=2, ensure_ascii=False) + "\n"


def preset_names() -> tuple[str, ...]:
    """Return the names of the recipes that come with the extension, in alphabetical order."""
    return tuple(sorted(path.stem for path in PRESET_FOLDER.glob("*.json")))


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number that JSON knows")

"""The recipe of a planet: the tree of all parameters, and its JSON."""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ..foundation.elementary import cos, sin
from ..foundation.parameters import ParameterSet, group, parameter
from ..foundation.recipe_text import load_recipe_file, parse_recipe, path_beside, take_schema
from .climate import PlanetClimate
from .craters import Craters
from .dunes import DuneField, PlanetDunes
from .ground import Continents, GroundSets, PlanetHills, share_that_fits
from .planet_erosion import PlanetErosion
from .plates import Plates
from .whole_map import PlanetElevation
from .young_hollows import PlanetHollows

PLANET_SCHEMA = 1
PLANET_PRESETS = Path(__file__).resolve().parents[2] / "presets" / "planets"
PLANET_COLOURS = {
    "living": "Forest, grass, desert and ice by temperature and rain",
    "rust": "Red and ochre dust, as on Mars",
    "grey": "Grey rock, as on the Moon: dark plains and light highlands",
    "frost": "Pale ice with brown stains, as on Europa",
}
"""Ways to colour a planet, with their descriptions."""

_KIND = "planet"


@dataclass(frozen=True)
class PlanetLook(ParameterSet):
    """How the planet is shown; its shape does not depend on it."""

    colours: str = parameter("living", "What the ground is made of", choices=PLANET_COLOURS)
    exaggeration: float = parameter(
        10.0,
        "How much higher mountains are shown than they are: from space real ones can hardly be seen",
        limits=(0.0, 200.0),
        soft=(1.0, 30.0),
    )
    atmosphere: float = parameter(
        1.0, "How thick the air looks: 0 is none, 1 is that of Earth", limits=(0.0, 5.0), soft=(0.0, 2.0)
    )
    clouds: float = parameter(0.5, "Share of the sky that clouds cover", limits=(0.0, 1.0))


@dataclass(frozen=True)
class PlanetRecipe(ParameterSet):
    """Everything a planet is made from: the same recipe and version give the same planet, byte for byte."""

    seed: int = parameter(
        1, "Number of the random pattern; each gives another planet of the same kind", limits=(0, 2**31 - 1)
    )
    radius: float = parameter(
        6.371e6,
        "Distance from the middle to altitude 0, which is the mean ground where there is no sea; on a small planet all "
        "heights are lower in one ratio, until they fit",
        unit="m",
        limits=(100.0, 1e8),
        soft=(500.0, 2e7),
    )
    resolution: int = parameter(
        257,
        "Samples along an edge of each of the six faces: a power of two, plus one",
        limits=(3, 2049),
        soft=(65, 1025),
    )
    has_sea: bool = parameter(True, "Whether there is a sea")
    sea_level: float = parameter(
        0.0, "Altitude of the sea", unit="m", limits=(-50000.0, 50000.0), soft=(-5000.0, 5000.0)
    )
    turn_x: float = parameter(
        0.0,
        "How far the ground is turned about the axis to 0° east; climate and poles stay in place",
        unit="°",
        limits=(-360.0, 360.0),
        soft=(-180.0, 180.0),
        advanced=True,
    )
    turn_y: float = parameter(
        0.0,
        "How far the ground is turned about the axis to 90° east; climate and poles stay in place",
        unit="°",
        limits=(-360.0, 360.0),
        soft=(-180.0, 180.0),
        advanced=True,
    )
    turn_z: float = parameter(
        0.0,
        "How far the ground is turned about the axis to the north pole",
        unit="°",
        limits=(-360.0, 360.0),
        soft=(-180.0, 180.0),
        advanced=True,
    )
    elevation: PlanetElevation = group(PlanetElevation, "Heights from a file, in place of made ground")
    continents: Continents = group(Continents, "Land and sea floor")
    plates: Plates = group(Plates, "Moving pieces of the crust")
    hills: PlanetHills = group(PlanetHills, "Hills and mountains")
    craters: Craters = group(Craters, "Craters of impacts")
    erosion: PlanetErosion = group(PlanetErosion, "Rivers that cut the land")
    hollows: PlanetHollows = group(PlanetHollows, "Young hollows, which hold lakes")
    dunes: PlanetDunes = group(PlanetDunes, "Seas of sand")
    climate: PlanetClimate = group(PlanetClimate, "Temperature, winds and rain")
    look: PlanetLook = group(PlanetLook, "How the planet is shown")

    def check(self) -> None:
        """Refuse faces that cannot be halved again and again."""
        cells = self.resolution - 1
        if cells & (cells - 1):
            below = 1 << (cells.bit_length() - 1)
            nearest = below if cells - below <= 2 * below - cells else 2 * below
            raise ValueError(f"resolution = {self.resolution} is not 2ⁿ + 1; the nearest is {nearest + 1}")

    @property
    def exaggeration(self) -> float:
        """How much higher mountains are shown than they are: less than its look says on a planet that is lumpy."""
        if self.elevation.path:
            return self.look.exaggeration
        fits = self._amplitude * self.share_that_fits
        most = self.look.exaggeration
        return max(most * share_that_fits(most * fits, self.radius), min(most, 1.0))

    @property
    def share_that_fits(self) -> float:
        """Share of its heights that the planet has room for; 1 on large ones."""
        return share_that_fits(self._amplitude, self.radius)

    @property
    def _amplitude(self) -> float:
        """Metres by which the ground may rise and sink at most, on a planet that is large enough."""
        return GroundSets(self.continents, self.plates, self.hills).amplitude

    @property
    def has_hollows(self) -> bool:
        """Whether there are young hollows: where there is water, and rivers have cut made ground."""
        erodes = self.erosion.enabled and not self.elevation.path
        return erodes and self.climate.enabled and self.hollows.amount > 0.0 and self.hollows.depth > 0.0

    @property
    def has_dunes(self) -> bool:
        """Whether there is sand that winds have laid on made ground."""
        return self.climate.enabled and not self.elevation.path and self.dunes.cover > 0.0

    @property
    def dune_field(self) -> DuneField:
        """What its dunes are made from."""
        height = self.dunes.height * self.share_that_fits
        return DuneField(self.dunes.wavelength, height, self.turn, self.seed)

    @property
    def level_of_sea(self) -> float:
        """Altitude of the sea in metres; −inf if there is none."""
        return self.sea_level if self.has_sea else -math.inf

    @property
    def turn(self) -> npt.NDArray[np.float64]:
        """The rotation from a direction on the planet into the space of the noise, float64 (3, 3)."""
        x, y, z = (_rotation(axis, angle) for axis, angle in enumerate((self.turn_x, self.turn_y, self.turn_z)))
        # The ground turns forwards, so a direction is turned back.
        return np.ascontiguousarray(_product(_product(z, y), x).T)

    @classmethod
    def preset(cls, name: str, **changes: Any) -> Self:
        """Return one of the planets that come with the extension.

        Parameters
        ----------
        name : str
            One of `planet_preset_names()`.
        changes
            Parameters of the recipe that are to differ, e.g. ``seed=3, resolution=513``.

        Returns
        -------
        PlanetRecipe
            The preset with the changes.

        Raises
        ------
        ValueError
            If there is no such preset, or a change is unknown or out of range.
        """
        if name not in planet_preset_names():
            raise ValueError(f"there is no planet {name!r}; there are: {', '.join(planet_preset_names())}")
        return cls.loads((PLANET_PRESETS / f"{name}.json").read_text(encoding="utf-8")).replace(**changes)

    @classmethod
    def loads(cls, text: str) -> Self:
        """Read the recipe of a planet from JSON; what is left out takes its default.

        Parameters
        ----------
        text : str
            What `dumps` wrote.

        Returns
        -------
        PlanetRecipe

        Raises
        ------
        ValueError
            If the text is not JSON, is not a planet, comes from a newer version, or a parameter is unknown, mistyped or
            out of range: the message names it by its path.
        """
        data = parse_recipe(text)
        if data.pop("kind", None) != _KIND:
            raise ValueError(f'this is not the recipe of a planet: it has no "kind": "{_KIND}"')
        take_schema(data, PLANET_SCHEMA)
        return cls.from_json(data)

    def dumps(self) -> str:
        """Write the recipe as JSON, every parameter spelled out; `loads` gives an equal recipe back."""
        data = {"schema": PLANET_SCHEMA, "kind": _KIND, **self.to_json()}
        return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def load_planet_recipe(path: Path) -> PlanetRecipe:
    """Read the recipe of a planet from a file.

    Parameters
    ----------
    path : Path
        JSON in UTF-8.

    Returns
    -------
    PlanetRecipe
        A file with heights that lies beside the recipe is named by its full path.

    Raises
    ------
    ValueError
        If the file cannot be read or is not the recipe of a planet; the message names the file.
    """
    recipe = load_recipe_file(path, PlanetRecipe.loads)
    return recipe.replace(elevation=recipe.elevation.replace(path=path_beside(path, recipe.elevation.path)))


PRESETS_OF_PLANETS: dict[str, str] = {
    "archipelago": "A warm planet of sea with many islands",
    "asteroid": "A small, rough body of grey rock with craters, without air and water",
    "desert": "A dry planet of red dust and seas of sand",
    "ice": "A cold planet with much ice, and little open land near its equator",
    "moon": "A grey body with craters, dark plains and light highlands, without air",
    "temperate": "A planet like the Earth, with seas, forests, deserts and ice at the poles",
}
"""What each planet that comes with the extension shows, for tooltips."""


def planet_preset_names() -> tuple[str, ...]:
    """Return the names of the planets that come with the extension, in alphabetical order."""
    return tuple(sorted(path.stem for path in PLANET_PRESETS.glob("*.json")))


def _rotation(axis: int, angle: float) -> npt.NDArray[np.float64]:
    """The rotation about an axis by an angle in degrees; quarter turns hold only 0, 1 and −1."""
    quarters, rest = divmod(angle, 90.0)
    c, s = (1.0, 0.0) if rest == 0.0 else (float(cos(math.radians(rest))), float(sin(math.radians(rest))))
    for _ in range(int(quarters) % 4):
        c, s = -s, c
    matrix = np.eye(3)
    one, two = (axis + 1) % 3, (axis + 2) % 3
    matrix[one, one] = matrix[two, two] = c
    matrix[one, two], matrix[two, one] = -s, s
    return matrix


def _product(a: npt.NDArray[np.float64], b: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The product of two matrices, added up in one order on every system."""
    return np.array([[a[i, 0] * b[0, j] + a[i, 1] * b[1, j] + a[i, 2] * b[2, j] for j in range(3)] for i in range(3)])

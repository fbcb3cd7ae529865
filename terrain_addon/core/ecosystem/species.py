"""A species as data: where it likes to stand, how it grows, what it bears and how it spreads.

>>> load_species("reed").form
'reed'
>>> Species(height=-1.0)
Traceback (most recent call last):
    ...
ValueError: height = -1.0 m is outside 0.05 to 150.0 m
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from ..foundation.parameters import CurvePoints, ParameterSet, parameter
from .plant_form import FORM_OF

SPECIES_FOLDER = Path(__file__).parent.parent.parent / "presets" / "species"

# Limits of altitude in metres.
_LOWEST, _HIGHEST = -12000.0, 12000.0

ALWAYS: CurvePoints = ((0.0, 1.0), (0.0, 1.0), (1.0, 1.0), (1.0, 1.0))

_FORMS = {name: form.description for name, form in FORM_OF.items()}
"""Forms that a species can have, with what they look like."""

GROWTH_LAWS = {
    "logistic": "Growth is fastest at half the final size (Verhulst 1838)",
    "gompertz": "Growth is fastest at a third of the final size and tails off slowly (Gompertz 1825)",
    "linear": "The crown widens by the same length each year, as long as the plant lives",
}


@dataclass(frozen=True)
class Species(ParameterSet):
    """One kind of plant.

    A response curve is four points (map value, suitability) joined by straight lines and level beyond its ends.
    Light and water make up for one another; soil, slope, altitude, distance to water and a painted map do not.
    """

    name: str = parameter(
        "tree", "What the species is called; also the name of its attribute and its meshes", advanced=True
    )
    form: str = parameter("conifer", "Shape of the plant", choices=_FORMS)
    collection: str = parameter("", "Name of a collection with models of this species; empty uses the built-in models")
    height: float = parameter(12.0, "Height of a full-grown plant", unit="m", limits=(0.05, 150.0), soft=(0.3, 40.0))
    radius: float = parameter(
        4.0, "Room that a plant keeps free around its stem", unit="m", limits=(0.1, 1000.0), soft=(0.5, 20.0)
    )
    radius_variation: float = parameter(
        0.0,
        "How much smaller the radius of a plant can be, at random, as a share of Radius; it stays so for life",
        limits=(0.0, 0.5),
        advanced=True,
    )
    undergrowth: bool = parameter(
        False,
        "Whether it grows under the crowns of others; it then keeps only its own room from their stems",
        advanced=True,
    )
    lifetime: float = parameter(
        150.0,
        "Age that one plant in a hundred reaches",
        unit="yr",
        limits=(1.0, 5000.0),
        soft=(5.0, 500.0),
        advanced=True,
    )
    growth_rate: float = parameter(
        0.12,
        "How fast a young plant widens, as a share of its crown a year",
        unit="1/yr",
        limits=(0.001, 10.0),
        soft=(0.03, 1.0),
        advanced=True,
    )
    growth_law: str = parameter("logistic", "How growth slows down with size", choices=GROWTH_LAWS, advanced=True)
    widening: float = parameter(
        0.0,
        "Length by which the radius of the crown grows in a year if growth is linear; 0 for as much as makes it "
        "full-grown at the end of its lifetime",
        unit="m/yr",
        limits=(0.0, 100.0),
        soft=(0.0, 1.0),
        advanced=True,
    )
    height_exponent: float = parameter(
        0.75,
        "How height follows the width of the crown: below 1 a plant shoots up first and widens later",
        limits=(0.1, 2.0),
        soft=(0.4, 1.2),
        advanced=True,
    )
    shade_tolerance: float = parameter(
        0.3,
        "Share of the shade of taller neighbours that does not hold it back: 0 needs full light, 1 grows in any shade",
        limits=(0.0, 1.0),
        advanced=True,
    )
    maturity: float = parameter(
        20.0, "Age at which it first bears seeds", unit="yr", limits=(0.0, 1000.0), soft=(0.0, 60.0), advanced=True
    )
    fecundity: float = parameter(
        0.4,
        "Seedlings that a full-grown plant would raise in a year on ground that suits and is free",
        unit="1/yr",
        limits=(0.0, 1000.0),
        soft=(0.0, 5.0),
        advanced=True,
    )
    dispersal_distance: float = parameter(
        20.0,
        "Distance within which half of the seeds fall",
        unit="m",
        limits=(0.1, 10000.0),
        soft=(1.0, 200.0),
        advanced=True,
    )
    far_seeds: float = parameter(
        0.02, "Share of the seeds that wind or birds carry anywhere on the land", limits=(0.0, 1.0), advanced=True
    )
    seed_rain: float = parameter(
        2.0,
        "Seedlings that come up on a hectare each year from seeds of forests far away",
        unit="1/(ha·yr)",
        limits=(0.0, 10000.0),
        soft=(0.0, 50.0),
        advanced=True,
    )
    thickening: float = parameter(
        0.0,
        "How much more densely its seedlings come up beside grown plants of its own kind, in forests that grow over "
        "years. 0: as densely as elsewhere; 1: twice; 4: five times",
        limits=(0.0, 100.0),
        soft=(0.0, 20.0),
        advanced=True,
    )
    thickening_distance: float = parameter(
        10.0,
        "Distance from a plant of its own kind within which seedlings come up more densely; most close to it",
        unit="m",
        limits=(0.1, 1000.0),
        soft=(1.0, 50.0),
        advanced=True,
    )
    dead_wood_years: float = parameter(
        15.0,
        "How long a plant that died of old age, wind or hunger stays as a snag or a log",
        unit="yr",
        limits=(0.0, 500.0),
        soft=(0.0, 60.0),
        advanced=True,
    )
    sediment_response: CurvePoints = parameter(
        ((0.0, 0.0), (0.1, 0.3), (0.5, 1.0), (2.0, 1.0)),
        "How well it grows at each depth of soil",
        unit="m",
        limits=(0.0, 100.0),
    )
    illumination_response: CurvePoints = parameter(
        ((0.0, 0.0), (0.3, 0.3), (0.7, 0.7), (1.0, 1.0)), "How well it grows at each illumination", limits=(0.0, 1.0)
    )
    humidity_response: CurvePoints = parameter(
        ((0.0, 0.0), (0.3, 0.5), (0.7, 0.8), (1.0, 0.5)),
        "How well it grows at each wetness of the ground",
        limits=(0.0, 1.0),
    )
    slope_response: CurvePoints = parameter(
        ((0.0, 1.0), (25.0, 1.0), (40.0, 0.0), (90.0, 0.0)),
        "How well it grows at each slope",
        unit="°",
        limits=(0.0, 90.0),
    )
    altitude_response: CurvePoints = parameter(
        ((0.0, 1.0), (1400.0, 1.0), (2000.0, 0.0), (9000.0, 0.0)),
        "How well it grows at each altitude",
        unit="m",
        limits=(_LOWEST, _HIGHEST),
    )
    water_response: CurvePoints = parameter(
        ((0.0, 1.0), (10.0, 1.0), (100.0, 1.0), (1000.0, 1.0)),
        "How well it grows at each distance from a lake or river",
        unit="m",
        limits=(0.0, 100000.0),
        advanced=True,
    )
    temperature_response: CurvePoints = parameter(
        ((-10.0, 1.0), (0.0, 1.0), (10.0, 1.0), (25.0, 1.0)),
        "How well it grows at each mean temperature of the year; counts where the climate is on",
        unit="°C",
        limits=(-100.0, 100.0),
        advanced=True,
    )
    rain_response: CurvePoints = parameter(
        ((0.0, 1.0), (500.0, 1.0), (1000.0, 1.0), (3000.0, 1.0)),
        "How well it grows at each rain of a year; counts where the climate is on",
        unit="mm/yr",
        limits=(0.0, 100000.0),
        advanced=True,
    )
    deepest_water: float = parameter(
        0.0,
        "Deepest standing water in which it grows; 0 keeps it on dry ground. Nothing grows in a river",
        unit="m",
        limits=(0.0, 100.0),
        soft=(0.0, 2.0),
        advanced=True,
    )
    painted_map: str = parameter(
        "", "Name of a painted attribute of the land that it responds to as well; empty for none", advanced=True
    )
    painted_response: CurvePoints = parameter(
        ((0.0, 0.0), (0.3, 0.3), (0.7, 0.7), (1.0, 1.0)),
        "How well it grows at each painted value",
        limits=(0.0, 1.0),
        advanced=True,
    )

    @property
    def lasts(self) -> bool:
        """Whether it is there in every year, as rocks are: it neither grows nor dies."""
        return FORM_OF[self.form].lasts

    @property
    def responds_to_climate(self) -> bool:
        """Whether temperature or rain make a difference to it."""
        return any(share != 1.0 for _, share in (*self.temperature_response, *self.rain_response))

    @property
    def lies(self) -> bool:
        """Whether it lies on the ground and leans with the slope."""
        return FORM_OF[self.form].lies

    def lifted(self, lift: float) -> Self:
        """Return the species as it grows in a climate that is warmer or colder.

        Parameters
        ----------
        lift : float
            Metres by which temperatures lie higher than where the species is at home; negative if lower.

        Returns
        -------
        Species
            With altitudes in whole metres.

        Examples
        --------
        >>> load_species("reed").lifted(500.0).altitude_response[-2:]
        ((2000.0, 0.0), (9500.0, 0.0))
        """
        curve = tuple(
            (float(round(min(max(altitude + lift, _LOWEST), _HIGHEST))), share)
            for altitude, share in self.altitude_response
        )
        return self.replace(altitude_response=curve)


def visible_species(species: Iterable[Species], least_radius: float) -> tuple[Species, ...]:
    """Return the species that are large enough for a land; millions of tufts would fill the memory and not be seen.

    Parameters
    ----------
    species : iterable of Species
    least_radius : float
        Smallest room in metres that a plant may keep around its stem.

    Returns
    -------
    tuple of Species
        Those with as much room or more.
    """
    return tuple(one for one in species if one.radius >= least_radius)


def species_presets() -> tuple[str, ...]:
    """Return the names of the species that come with the extension, in alphabetical order."""
    return tuple(sorted(path.stem for path in SPECIES_FOLDER.glob("*.json")))


def load_species(name: str) -> Species:
    """Return one of the species that come with the extension.

    Parameters
    ----------
    name : str
        One of `species_presets()`.

    Returns
    -------
    Species

    Raises
    ------
    ValueError
        If there is no such species.
    """
    return Species.from_json(_species_json(name))


def species_like(data: dict[str, Any]) -> Species:
    """Read a species that says which other one it is like.

    Parameters
    ----------
    data : dict
        JSON of a species, in which ``like`` names the one of `species_presets()` whose values it takes where it has
        none of its own.

    Returns
    -------
    Species

    Raises
    ------
    ValueError
        If there is no such species, or a value is out of range.

    Examples
    --------
    >>> species_like({"like": "pine", "height": 12.0}).height
    12.0
    """
    own = {key: value for key, value in data.items() if key != "like"}
    return Species.from_json((_species_json(data["like"]) if "like" in data else {}) | own)


def _species_json(name: str) -> dict[str, Any]:
    """The file of a species."""
    if name not in species_presets():
        raise ValueError(f"there is no species {name!r}; there are: {', '.join(species_presets())}")
    data: dict[str, Any] = json.loads((SPECIES_FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return data

"""Features: what somebody draws on a land, and erosion obeys.

Points are metres from the south-west corner of the land: x to the east, y to the north, and a height where it matters.
A point without a height takes it from the land.  A feature without points does nothing.

>>> river = River(points=((4500.0, 8500.0), (5500.0, 7000.0, 1600.0), (9000.0, 5500.0)), width=12.0)
>>> river.points[1]
(5500.0, 7000.0, 1600.0)
>>> River.from_json(river.to_json()) == river
True

References
----------
E. Guérin, A. Peytavie, S. Masnou, J. Digne, B. Sauvage, J. Gain and E. Galin (2022), "Gradient terrain authoring",
Computer Graphics Forum 41(2), 85-95, doi:10.1111/cgf.14460: features that act on slopes.

H. Hnaidi, E. Guérin, S. Akkouche, A. Peytavie and E. Galin (2010), "Feature based terrain generation using diffusion
equation", Computer Graphics Forum 29(7), 2179-2186, doi:10.1111/j.1467-8659.2010.01806.x: curves with heights and
slopes.
"""

from dataclasses import dataclass

from ..foundation.parameters import ParameterSet, PointList, parameter, same_as

_FARTHEST = 1e6  # metres

STEEPEST_GRADE = 60.0
"""Percent: no road may be allowed a steeper grade."""


@dataclass(frozen=True)
class Feature(ParameterSet):
    """Something that is drawn on the land."""

    name: str = parameter("", "What the feature is called in lists and messages")
    enabled: bool = parameter(True, "Whether the feature takes part")
    points: PointList = parameter(
        (),
        "Points in metres from the south-west corner, east and north, each with a height or without",
        kind="points",
        unit="m",
        limits=(-_FARTHEST, _FARTHEST),
    )

    def __post_init__(self) -> None:
        """Refuse values that cannot be, with the name of the feature."""
        try:
            super().__post_init__()
        except ValueError as error:
            raise ValueError(f"{title_of(self)}: {error}") from None


@dataclass(frozen=True)
class River(Feature):
    """A river that runs from the first point to the last; it goes on to the border, the sea or another river."""

    width: float = parameter(12.0, "Width of its bed", unit="m", limits=(0.1, 5000.0), soft=(1.0, 100.0))
    bed_depth: float = parameter(
        2.0, "How deep its bed lies below its banks", unit="m", limits=(0.0, 1000.0), soft=(0.0, 20.0)
    )
    valley_width: float = parameter(
        300.0,
        "Width of the valley that is cut before erosion; later erosion shapes it",
        unit="m",
        limits=(0.0, 1e5),
        soft=(0.0, 2000.0),
    )
    inflow: float = parameter(
        0.0,
        "Area outside the land whose water comes in at the first point; a larger river cuts deeper",
        unit="km²",
        limits=(0.0, 1e7),
        soft=(0.0, 1000.0),
    )


@dataclass(frozen=True)
class Ridge(Feature):
    """A crest along the points, from which the land falls to both sides."""

    height: float = parameter(
        300.0,
        "How high the crest stands above the land where its points have no height",
        unit="m",
        limits=(0.0, 12000.0),
        soft=(0.0, 2000.0),
    )
    width: float = parameter(
        800.0,
        "How far its slopes reach on each side",
        unit="m",
        limits=(0.1, 1e5),
        soft=(50.0, 3000.0),
    )
    strength: float = parameter(
        1.0, "How far the land follows: 1 takes the height exactly, 0 not at all", limits=(0.0, 1.0)
    )


@dataclass(frozen=True)
class Valley(Feature):
    """A valley along the points, to which the land falls from both sides."""

    depth: float = parameter(
        200.0,
        "How deep the floor lies below the land where its points have no height",
        unit="m",
        limits=(0.0, 12000.0),
        soft=(0.0, 2000.0),
    )
    width: float = same_as(Ridge, "width")
    strength: float = same_as(Ridge, "strength")


@dataclass(frozen=True)
class Cliff(Feature):
    """A step along the points: the land on the right, seen from the first point to the last, lies lower."""

    height: float = parameter(120.0, "How high the step is", unit="m", limits=(0.0, 12000.0), soft=(0.0, 1000.0))
    width: float = same_as(Ridge, "width", description="How far from the step the land is lifted and lowered")
    strength: float = same_as(Ridge, "strength", description="How much of the step shows: 1 is all of it, 0 nothing")


@dataclass(frozen=True)
class Lake(Feature):
    """A lake within the outline that the points make; its level is that of the points, or of the lowest of them."""

    depth: float = parameter(20.0, "How deep it is in the middle", unit="m", limits=(0.1, 2000.0), soft=(1.0, 200.0))
    width: float = same_as(
        Ridge,
        "width",
        default=200.0,
        description="Width of the strip around the lake in which the ground is raised or lowered to the shore",
    )


@dataclass(frozen=True)
class Shore(Feature):
    """A shore along the points: the land rises on the left, seen from the first point, and falls to the right."""

    level: float = parameter(
        0.0,
        "Altitude of the shore where its points have no height",
        unit="m",
        limits=(-12000.0, 12000.0),
        soft=(-100.0, 1000.0),
    )
    slope: float = parameter(
        5.0, "How steeply the ground rises from the water and falls into it", unit="°", limits=(0.0, 80.0)
    )
    width: float = same_as(
        Ridge,
        "width",
        default=300.0,
        description="How wide the strip is, both sides together, in which the ground follows the shore",
    )
    strength: float = same_as(Ridge, "strength")


@dataclass(frozen=True)
class Summit(Feature):
    """A summit at each point."""

    height: float = same_as(
        Ridge, "height", description="How high it stands above the land where its point has no height"
    )
    width: float = same_as(Ridge, "width", description="How far its slopes reach")
    strength: float = same_as(Ridge, "strength")


@dataclass(frozen=True)
class Road(Feature):
    """A road that finds its way from the first point to the last, by every point in between."""

    width: float = parameter(7.0, "Width of the roadway", unit="m", limits=(0.5, 200.0), soft=(2.0, 30.0))
    steepest_grade: float = parameter(
        8.0, "Steepest rise along the road", unit="%", limits=(0.5, STEEPEST_GRADE), soft=(2.0, 20.0)
    )
    least_radius: float = parameter(
        30.0, "Radius of the sharpest bend", unit="m", limits=(0.0, 5000.0), soft=(5.0, 500.0)
    )
    cut_angle: float = parameter(
        45.0, "Steepness of the slopes that are cut into the land", unit="°", limits=(5.0, 85.0), advanced=True
    )
    fill_angle: float = parameter(
        33.0, "Steepness of the slopes that are filled up", unit="°", limits=(5.0, 60.0), advanced=True
    )
    longest_bridge: float = parameter(
        200.0, "Length of the longest bridge that may be built", unit="m", limits=(0.0, 1e5), soft=(0.0, 2000.0)
    )
    longest_tunnel: float = parameter(
        500.0, "Length of the longest tunnel that may be built", unit="m", limits=(0.0, 1e5), soft=(0.0, 5000.0)
    )
    surface: str = parameter(
        "asphalt",
        "What the roadway is made of",
        choices={
            "asphalt": "Asphalt, with markings where they are on",
            "gravel": "Gravel, without markings",
        },
    )
    markings: bool = parameter(True, "Whether lines are painted on asphalt: along both edges, and dashes in the middle")
    shoulder: float = parameter(
        1.0,
        "Width of the strip of gravel on each side of the roadway",
        unit="m",
        limits=(0.0, 20.0),
        soft=(0.0, 3.0),
        advanced=True,
    )
    crossfall: float = parameter(
        2.5,
        "How much the roadway falls from its middle to both edges, so that water runs off; bends tilt inwards",
        unit="%",
        limits=(0.0, 10.0),
        soft=(0.0, 4.0),
        advanced=True,
    )
    clearing: float = parameter(
        4.0,
        "How far beside the roadway no plant grows",
        unit="m",
        limits=(0.0, 1000.0),
        soft=(0.0, 50.0),
        advanced=True,
    )


@dataclass(frozen=True)
class Pad(Feature):
    """Level ground within the outline that the points make, with slopes around it."""

    level: str = parameter(
        "balance",
        "Where its level lies if its points have no height",
        choices={
            "balance": "What is cut away fills the rest up",
            "lowest": "At the lowest ground of its outline: everything is cut",
            "highest": "At the highest ground of its outline: everything is filled",
        },
    )
    surface: str = parameter(
        "gravel",
        "What it is covered with",
        choices={
            "gravel": "Gravel",
            "asphalt": "Asphalt",
            "concrete": "Concrete",
            "none": "Nothing: the ground of the land",
        },
    )
    cut_angle: float = same_as(Road, "cut_angle")
    fill_angle: float = same_as(Road, "fill_angle")
    clearing: float = same_as(Road, "clearing", description="How far around it no plant grows")


DRAWN_FEATURES: tuple[type[Feature], ...] = (River, Ridge, Valley, Cliff, Lake, Shore, Summit, Road, Pad)
"""All features that a recipe can list, in the order in which a menu should offer them."""


def place_text(x: float, y: float) -> str:
    """Return how a sentence names a place of a land.

    Parameters
    ----------
    x, y : float
        Metres, as in `Feature.points`.

    Returns
    -------
    str

    Examples
    --------
    >>> place_text(1500.2, 80.0)
    '(1500, 80) m from the south-west corner'
    """
    return f"({x:.0f}, {y:.0f}) m from the south-west corner"


def title_of(feature: Feature) -> str:
    """Return what a feature is called in a sentence.

    Parameters
    ----------
    feature : Feature

    Returns
    -------
    str

    Examples
    --------
    >>> title_of(River(name="Inn")), title_of(Road())
    ("the river 'Inn'", 'the road')
    """
    return f"the {feature.model()} {feature.name!r}" if feature.name else f"the {feature.model()}"

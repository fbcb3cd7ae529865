"""The parameters of a growing forest: years, competition, death and seeds."""

from dataclasses import dataclass

from ..foundation.parameters import ParameterSet, parameter

STARTS = {
    "bare": "Bare ground, on which seeds from beyond the border fall",
    "young": "All places taken at once by seedlings, as if planted",
    "grown": "A forest of all ages, as without evolution",
}

DEATHS_BY_AGE = {
    "drawn": "Each plant draws a lifetime of its own; one in a hundred reaches the lifetime of its species",
    "exact": "Each plant dies at the lifetime of its species; if growth is linear, its age is the radius of its crown "
    "divided by its growth in a year",
}


@dataclass(frozen=True)
class Evolution(ParameterSet):
    """How the forest came about: years of growth, competition, death and seeds."""

    years: float = parameter(
        0.0,
        "Years that the forest grows; 0 places full-grown plants without a past",
        unit="yr",
        limits=(0.0, 2000.0),
        soft=(0.0, 300.0),
    )
    start: str = parameter("bare", "What the forest starts from", choices=STARTS)
    step: float = parameter(
        1.0,
        "Length of one step in which all plants grow: long steps are quicker and less exact",
        unit="yr",
        limits=(0.25, 25.0),
        soft=(1.0, 5.0),
        advanced=True,
    )
    stored_every: float = parameter(
        5.0,
        "Time between two stored states; years between them are interpolated",
        unit="yr",
        limits=(0.25, 100.0),
        soft=(1.0, 20.0),
        advanced=True,
    )
    competition: float = parameter(
        1.0, "How much plants hold back neighbours that they overlap; 0 lets all grow freely", limits=(0.0, 1.0)
    )
    asymmetry: float = parameter(
        0.9,
        "Who takes the overlap of two plants: 0 both evenly, as roots do, 1 the taller, as crowns do with light",
        limits=(0.0, 1.0),
        advanced=True,
    )
    starvation: float = parameter(
        0.3,
        "Share of free growth below which a plant dies; 0 lets nothing starve",
        limits=(0.0, 1.0),
        soft=(0.0, 0.5),
        advanced=True,
    )
    memory: float = parameter(
        6.0,
        "Years over which growth is averaged to tell whether a plant starves: few let plants in the shade die soon",
        unit="yr",
        limits=(0.1, 100.0),
        soft=(1.0, 20.0),
        label="Growth Memory",
        advanced=True,
    )
    death_by_age: str = parameter(
        "drawn", "When a plant dies of old age", choices=DEATHS_BY_AGE, advanced=True, label="Death by Age"
    )
    crushing: bool = parameter(
        False, "Whether a plant dies as soon as the crown of a larger one covers its stem", advanced=True
    )
    stem_spacing: float = parameter(
        0.1,
        "Distance that seedlings keep from living stems, as a share of the larger of the two full-grown crowns' radii",
        limits=(0.0, 1.0),
        soft=(0.0, 0.5),
        advanced=True,
    )
    fire_interval: float = parameter(
        0.0,
        "Mean time between two fires at a dry place; 0 for none",
        unit="yr",
        limits=(0.0, 100000.0),
        soft=(0.0, 500.0),
        advanced=True,
    )
    windthrow_interval: float = parameter(
        0.0,
        "Mean time between two storms that fell tall trees at a place; 0 for none",
        unit="yr",
        limits=(0.0, 100000.0),
        soft=(0.0, 500.0),
        advanced=True,
    )
    landslide_interval: float = parameter(
        0.0,
        "Mean time between two landslides at a place where landslides, stabilisation or thermal erosion moved ground; "
        "0 for none",
        unit="yr",
        limits=(0.0, 100000.0),
        soft=(0.0, 500.0),
        advanced=True,
    )
    landslide_depth: float = parameter(
        1.0,
        "Depth of moved ground with which a landslide takes every plant; half as much takes half of them",
        unit="m",
        limits=(0.01, 1000.0),
        soft=(0.1, 10.0),
        advanced=True,
    )
    patch: float = parameter(
        100.0,
        "Diameter of the patch that a fire, storm or landslide clears",
        unit="m",
        limits=(5.0, 10000.0),
        soft=(20.0, 500.0),
        advanced=True,
    )

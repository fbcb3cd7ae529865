"""A species as data: where it likes to stand and how large it gets."""

from dataclasses import dataclass

from ..parameters import CurvePoints, ParameterSet, parameter

ALWAYS: CurvePoints = ((0.0, 1.0), (0.0, 1.0), (1.0, 1.0), (1.0, 1.0))

FORMS = {
    "conifer": "A cone of needles on a straight trunk",
    "broadleaf": "A round crown of leaves on a branching trunk",
    "bush": "A low dome of leaves with no trunk to speak of",
}


@dataclass(frozen=True)
class Species(ParameterSet):
    """One kind of plant.

    A response curve is four points (map value, suitability) joined by straight lines and level beyond its ends.
    Light and water make up for one another; soil, slope and altitude do not.
    """

    name: str = parameter("tree", "What the species is called; also the name of its attribute and its meshes")
    form: str = parameter("conifer", "Shape of the plant", choices=FORMS)
    height: float = parameter(12.0, "Height of a full-grown plant", unit="m", limits=(0.05, 150.0), soft=(0.3, 40.0))
    radius: float = parameter(
        4.0, "Room that a plant keeps free around its stem", unit="m", limits=(0.1, 1000.0), soft=(0.5, 20.0)
    )
    lifetime: float = parameter(
        150.0, "Age at which the oldest plants stand", unit="yr", limits=(1.0, 5000.0), soft=(5.0, 500.0), advanced=True
    )
    sediment_response: CurvePoints = parameter(
        ((0.0, 0.0), (0.1, 0.3), (0.5, 1.0), (2.0, 1.0)), "How it likes deep soil", unit="m", limits=(0.0, 100.0)
    )
    illumination_response: CurvePoints = parameter(
        ((0.0, 0.0), (0.3, 0.3), (0.7, 0.7), (1.0, 1.0)), "How it likes light", limits=(0.0, 1.0)
    )
    humidity_response: CurvePoints = parameter(
        ((0.0, 0.0), (0.3, 0.5), (0.7, 0.8), (1.0, 0.5)), "How it likes wet ground", limits=(0.0, 1.0)
    )
    slope_response: CurvePoints = parameter(
        ((0.0, 1.0), (25.0, 1.0), (40.0, 0.0), (90.0, 0.0)), "How it stands steep ground", unit="°", limits=(0.0, 90.0)
    )
    altitude_response: CurvePoints = parameter(
        ((0.0, 1.0), (1400.0, 1.0), (2000.0, 0.0), (9000.0, 0.0)),
        "How it stands altitude",
        unit="m",
        limits=(-12000.0, 12000.0),
    )

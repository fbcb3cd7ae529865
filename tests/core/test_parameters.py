"""The one declaration of a parameter, and everything that follows from it."""

from dataclasses import dataclass

import numpy as np
import pytest

from terrain_addon.core.ecosystem.species import Species
from terrain_addon.core.foundation.parameters import ParameterSet, group, parameter, parameters_of, series, variant


@dataclass(frozen=True)
class Rain(ParameterSet):
    """Water from above."""

    amount: float = parameter(0.8, "How much falls in a year", unit="m", limits=(0.0, 12.0))


@dataclass(frozen=True)
class Snow(ParameterSet):
    """Water that waits."""

    depth: float = parameter(1.0, "How much lies", unit="m", limits=(0.0, 30.0))


@dataclass(frozen=True)
class Weather(ParameterSet):
    """Something of every kind."""

    days: int = parameter(3, "How long it lasts", limits=(1, 365))
    wet: bool = parameter(True, "Whether one gets wet")
    wind: str = parameter("west", "Where it comes from", choices={"west": "Off the sea", "east": "Off the land"})
    label: str = parameter("", "What it is called")
    main: Rain = group(Rain, "Most of it")
    fall: Rain | Snow = variant((Rain, Snow), "What falls")
    later: tuple[Rain | Snow, ...] = series((Rain, Snow), (Snow(depth=2.0),), "What comes after")
    curve: tuple[tuple[float, float], ...] = parameter(
        ((0.0, 0.0), (1.0, 0.5), (2.0, 1.0), (3.0, 1.0)), "How it goes", limits=(0.0, 10.0)
    )


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"days": 0}, "days = 0 is outside 1 to 365"),
        ({"days": 366}, "days = 366 is outside 1 to 365"),
        ({"days": 3.0}, "days = 3.0 is not a whole number"),
        ({"days": True}, "days = True is not a whole number"),
        ({"wet": 1}, "wet = 1 is neither true nor false"),
        ({"wind": "north"}, "wind = 'north' is none of: west, east"),
        ({"wind": ["west"]}, "wind = ['west'] is none of: west, east"),
        ({"label": 5}, "label = 5 is not a text"),
        ({"main": Snow()}, "is none of: Rain"),
        ({"later": "snow"}, "later = 'snow' is not a list"),
        ({"curve": ((0, 0), (1, 1))}, "is not a curve: 4 points"),
        ({"curve": ((0, 0), (1, 2), (2, 1), (3, 1))}, "is not a curve: 4 points"),
        ({"curve": ((0, 0), (2, 1), (1, 1), (3, 1))}, "out of order"),
        ({"curve": ((0, 0), (1, float("nan")), (2, 1), (3, 1))}, "is not a curve"),
    ],
)
def test_bad_value_is_named(changes: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValueError) as caught:
        Weather(**changes)  # type: ignore[arg-type]
    assert sentence in str(caught.value)


@pytest.mark.parametrize("value", [-0.001, 12.001, float("nan"), float("inf"), -float("inf"), 1e300, "1", None, True])
def test_float_out_of_range_names_value_unit_and_range(value: object) -> None:
    with pytest.raises(ValueError, match=r"^amount = .*0\.0 to 12\.0 m"):
        Rain(amount=value)  # type: ignore[arg-type]


def test_float_survives_the_way_through_float32() -> None:
    rain = Rain(amount=0.4)
    assert rain.amount == 0.4
    assert Rain(amount=float(np.float32(0.4))) == rain
    assert Rain(amount=np.float32(0.4)) == rain
    assert Rain(amount=0.1234567890123) == Rain(amount=float(np.float32(0.1234567890123)))


def test_json_and_back() -> None:
    weather = Weather(days=7, wet=False, wind="east", fall=Snow(depth=3.0), later=(Rain(amount=1.5), Snow()))
    data = weather.to_json()
    assert data["fall"] == {"model": "snow", "depth": 3.0}
    assert data["main"] == {"amount": 0.8}
    assert [item["model"] for item in data["later"]] == ["rain", "snow"]
    assert Weather.from_json(data) == weather


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"dais": 3}, "dais is not a parameter of weather; did you mean days?"),
        ({"main": {"amont": 3}}, "main.amont is not a parameter of rain; did you mean amount?"),
        ({"fall": {"model": "snow", "depth": -1}}, "fall.depth = -1.0 m is outside 0.0 to 30.0 m"),
        ({"fall": {"model": "hail"}}, "fall.model = 'hail' is none of: rain, snow"),
        ({"later": [{"model": "rain"}, {"model": "snow", "depth": 99}]}, "later[1].depth = 99.0 m is outside"),
        ({"later": {"model": "rain"}}, "later = {'model': 'rain'} is not a list"),
        ({"main": 3}, "main must be an object with parameters, not 3"),
        ({"curve": "high"}, "curve = 'high' is not a curve"),
        ([], "weather must be an object with parameters, not []"),
    ],
)
def test_bad_json_names_the_path(data: object, sentence: str) -> None:
    with pytest.raises(ValueError) as caught:
        Weather.from_json(data)
    assert sentence in str(caught.value)


def test_replace_refuses_unknown_names_and_bad_values() -> None:
    assert Weather().replace(days=9).days == 9
    with pytest.raises(ValueError, match="dys is not a parameter of weather; did you mean days"):
        Weather().replace(dys=9)
    with pytest.raises(ValueError, match="days = 400 is outside"):
        Weather().replace(days=400)


def test_field_without_declaration_is_refused() -> None:
    @dataclass(frozen=True)
    class Careless(ParameterSet):
        number: int = 3

    with pytest.raises(TypeError, match=r"Careless\.number is not declared"):
        parameters_of(Careless)


def test_species_reads_its_curves_from_lists() -> None:
    data = Species().to_json()
    assert isinstance(data["slope_response"][0], list)
    assert Species.from_json(data) == Species()

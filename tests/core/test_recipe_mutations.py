"""Whatever is done to a recipe, reading it gives a recipe or one clear sentence."""

import copy
import json
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from terrain_addon import core
from terrain_addon.command_line import main
from terrain_addon.core.building.overrides import override
from terrain_addon.core.building.recipe import PRESET_FOLDER
from terrain_addon.core.foundation.recipe_text import LARGEST_RECIPE

pytestmark = pytest.mark.once

TRIALS = 6000

WILD: list[Any] = [
    *(None, True, False, 0, -1, 7, 1e308, -1e308, 5e-324, 10**400, -(10**400), 2**63, 0.5, "", "x", "NaN", "1e3"),
    *([], {}, [[]], ["x"], [None], {"model": []}, {"model": ["x"]}, {"model": {}}, {"model": None}, {"model": "x"}),
    *("\ud800", "a\0b", "../../x", "x" * 5000, [1, 2, 3], {"x": 1}, {"": {}}, [{"model": 10**400}], {"schema": 1}),
    *([[0, 0], [1, 1]], [[0, "x"]] * 4, [["1", "2"]] * 4, [[10**400, 0]] * 4, "aabbccdd", {"a": 1, "b": 2}),
]


def nested(depth: int) -> Any:
    data: Any = 1
    for number in range(depth):
        data = [data] if number % 2 else {"relief": data}
    return data


def places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        yield (*path, key)
        yield from places(value, (*path, key))


def sources() -> list[dict[str, Any]]:
    """Real recipes, as all schemas wrote them."""
    presets = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(PRESET_FOLDER.glob("*.json"))]
    full = [json.loads(core.Recipe.preset(name).dumps()) for name in core.preset_names()]
    first = {"schema": 1, "seed": 3, "relief": {"model": "midpoint_displacement", "roughness": 0.4}, "erosion": [{}]}
    second = {"schema": 2, "erosion": [{"model": "river_beds", "banks": 3.0}, {"model": "stream_power"}]}
    old = [recipe | {"schema": schema} for recipe in full for schema in (1, 2, 3)]
    return [*presets, *full, *old, first, second]


def mutated(data: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    data = copy.deepcopy(data)
    for _ in range(chance.randint(1, 3)):
        path = chance.choice(list(places(data)) or [("seed",)])
        owner: Any = data
        for key in path[:-1]:
            owner = owner[key]
        wild = copy.deepcopy(chance.choice(WILD))
        match chance.randrange(6):
            case 0:
                del owner[path[-1]]
            case 1 if isinstance(owner, dict):
                owner[chance.choice(["", "model", "\ud800", "nothing", "seed", "x" * 3000])] = wild
            case 2 if isinstance(owner, list):
                owner.extend(owner * chance.randint(1, 3))
            case 3:
                owner[path[-1]] = [owner[path[-1]]]
            case _:
                owner[path[-1]] = wild
    return data


def damaged(text: str, chance: random.Random) -> str:
    """The text of a recipe with a part cut out, doubled or replaced."""
    begin = chance.randrange(len(text))
    end = min(len(text), begin + chance.randint(1, 40))
    middle = chance.choice(["", text[begin:end] * 2, "9" * 400, "\\ud800", "1e999", "NaN", "[" * 50, '"', ",", "\0"])
    return text[:begin] + middle + text[end:]


def read(text: str) -> str:
    """What is wrong with a recipe; empty if it is read, and is the same after it was written."""
    try:
        recipe = core.Recipe.loads(text)
    except ValueError as error:
        return str(error)
    again = recipe.dumps()
    again.encode()
    assert core.Recipe.loads(again) == recipe
    return ""


def test_thousands_of_mutations_give_a_recipe_or_a_sentence() -> None:
    chance = random.Random(15)
    recipes = sources()
    texts = [json.dumps(recipe) for recipe in recipes]
    foreign: dict[str, str] = {}
    accepted = 0
    started = time.perf_counter()
    for number in range(TRIALS):
        if number % 3 == 0:
            text = damaged(chance.choice(texts), chance)
        else:
            text = json.dumps(mutated(chance.choice(recipes), chance))
        try:
            said = read(text)
        except Exception as error:  # noqa: BLE001  Anything but a ValueError is what this test looks for.
            foreign.setdefault(f"{type(error).__name__}: {error}"[:100], text[:200])
            continue
        accepted += said == ""
        assert "\n" not in said and len(said) < 1500 and said.isprintable(), said
        assert "Error" not in said and "object at 0x" not in said, said
    assert not foreign, f"{len(foreign)} kinds of foreign errors: {foreign}"
    assert 100 < accepted < TRIALS // 2
    assert time.perf_counter() - started < 200.0


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"schema": true}', "schema = True is none of the versions"),
        ('{"schema": 1.0}', "schema = 1.0 is none of the versions"),
        ('{"schema": [1]}', "none of the versions"),
        ('{"schema": 4, "seed": 1, "seed": 2}', "'seed' is there twice"),
        ('{"schema": 4, "relief": {"layers": [], "layers": []}}', "'layers' is there twice"),
        ('{"schema": 4, "width": ' + "9" * 400 + "}", "outside 1.0 to 1000000.0 m"),
        ('{"schema": 4, "seed": ' + "9" * 400 + "}", "outside 0 to 2147483647"),
        ('{"schema": 4, "seed": ' + "9" * 5000 + "}", "this is not a recipe"),
        ('{"schema": 4, "erosion": [{"model": []}]}', "erosion[0].model = [] is none of"),
        ('{"schema": 4, "erosion": [{"model": ["x"]}]}', "erosion[0].model = ['x'] is none of"),
        ('{"schema": 4, "appearance": {"colouring": []}}', "colouring = [] is none of"),
        ('{"schema": 4, "ecosystem": {"species": [{"name": "\\ud800"}]}}', "half of a character"),
        ("[" * 100_000, "nested too deeply"),
        (json.dumps({"schema": 4, "relief": nested(900)}), "nested too deeply"),
        ("null", "must be an object"),
        ("\ufeff{}", "not a recipe"),
    ],
)
def test_what_is_wrong_with_a_recipe_is_said(text: str, sentence: str) -> None:
    said = read(text)
    assert sentence in said and len(said) < 1500 and "\n" not in said, said


def test_a_recipe_has_a_largest_size(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = core.Recipe().dumps()
    long = text.replace('"seed"', " " * LARGEST_RECIPE + '"seed"')
    assert f"longer than the {LARGEST_RECIPE} characters" in read(long)
    path = tmp_path / "recipe.json"
    path.write_text(long, encoding="utf-8")
    assert main(["new", str(path)]) == 1
    assert f"{LARGEST_RECIPE}" in capsys.readouterr().err
    many = {"schema": 4, "erosion": [{}] * 3000}
    assert "erosion has 3000 items, outside 0 to" in read(json.dumps(many))


@pytest.mark.parametrize("value", ["9" * 400, "true", "[]", '{"model": []}', "nan", "inf", "1e999", "\ud800"])
def test_wild_values_on_the_command_line(value: str) -> None:
    for path in ("width", "seed", "relief.source", "ecosystem.age", "appearance.colouring"):
        with pytest.raises(ValueError, match=r".{10}") as caught:
            override(core.Recipe(), [f"{path}={value}"])
        assert "\n" not in str(caught.value) and str(caught.value).isprintable()

"""A planet computes only what a change touches, and the result is that of a planet built anew."""

from collections.abc import Callable, Generator
from dataclasses import Field, fields
from typing import Any

import pytest

from terrain_addon import core
from terrain_addon.core.foundation.progress import Progress, run
from terrain_addon.core.planet.planet import build_planet_steps, preview_planet_steps
from terrain_addon.core.planet.planet_preview import touched_stages
from terrain_addon.core.planet.planet_recipe import PlanetLook

pytestmark = pytest.mark.once

WATER = ["climate", "biomes", "waters"]
AFTER_LAND = ["slope", "wind", *WATER]
AFTER_EROSION = ["erosion", "land", *AFTER_LAND]
AFTER_RELIEF = ["relief", "young rain", *AFTER_EROSION]
RESOLUTION = 9

Change = Callable[[core.PlanetRecipe], core.PlanetRecipe]


def small(name: str = "temperate") -> core.PlanetRecipe:
    return core.PlanetRecipe.preset(name, seed=3, resolution=RESOLUTION)


def computed(recipe: core.PlanetRecipe, cache: core.Cache) -> list[str]:
    return steps_of(build_planet_steps(recipe, cache=cache))[0]


def steps_of(building: Generator[Progress, bool | None, core.Planet]) -> tuple[list[str], core.Planet]:
    """The stages that a planet took, and the planet."""
    seen: list[str] = []
    planet = run(building, lambda step: seen.append(step.stage) if step.stage not in seen else None)
    return seen, planet


def content(planet: core.Planet) -> tuple[bytes, ...]:
    return (planet.surface.tobytes(), planet.biomes.tobytes(), *(one.tobytes() for one in planet.maps.values()))


@pytest.mark.parametrize(
    ("change", "again"),
    [
        (lambda r: r, []),
        (lambda r: r.replace(look=r.look.replace(colours="rust", exaggeration=2.0)), []),
        (lambda r: r.replace(climate=r.climate.replace(season=3.0)), WATER),
        (lambda r: r.replace(climate=r.climate.replace(rain=50.0)), WATER),
        (lambda r: r.replace(climate=r.climate.replace(temperature=9.0)), ["land", *AFTER_LAND]),
        (lambda r: r.replace(hollows=r.hollows.replace(depth=9.0)), ["land", *AFTER_LAND]),
        (lambda r: r.replace(erosion=r.erosion.replace(age=0.2)), AFTER_EROSION),
        (lambda r: r.replace(sea_level=100.0), ["young rain", *AFTER_EROSION]),
        (lambda r: r.replace(craters=r.craters.replace(enabled=True)), AFTER_RELIEF),
        (lambda r: r.replace(hills=r.hills.replace(height=999.0)), ["ground", *AFTER_RELIEF]),
        (lambda r: r.replace(plates=r.plates.replace(speed=9.0)), ["ground", "relief", "ranges", *AFTER_RELIEF[1:]]),
    ],
)
def test_only_what_a_change_touches_is_computed_again(change: Change, again: list[str]) -> None:
    cache = core.Cache()
    core.build_planet(small(), cache=cache)
    assert computed(change(small()), cache) == again


def other(value: Any, low: float, high: float) -> Any:
    """Another value of a parameter, within its range."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1 if value + 1 <= high else value - 1
    return value + 0.3 * (high - value) if value < high else 0.5 * (low + high)


def range_of(field: Field[Any]) -> tuple[float, float]:
    declared = field.metadata["parameter"]
    return declared["soft"] or declared["limits"] or (0.0, 1.0)


def changes_of(recipe: core.PlanetRecipe) -> list[tuple[str, core.PlanetRecipe]]:
    """The same recipe with another value of each parameter that is not only looked at or a file."""
    found = []
    for field in fields(recipe):
        part = getattr(recipe, field.name)
        if field.name in ("look", "elevation", "resolution"):
            continue
        if not hasattr(part, "to_json"):
            low, high = range_of(field)
            found.append((field.name, recipe.replace(**{field.name: other(part, low, high)})))
            continue
        for one in fields(part):
            value = other(getattr(part, one.name), *range_of(one))
            found.append(
                (f"{field.name}.{one.name}", recipe.replace(**{field.name: part.replace(**{one.name: value})}))
            )
    return found


@pytest.mark.parametrize("name", ["temperate", "moon"])
def test_what_is_kept_makes_the_planet_that_is_made_anew(name: str) -> None:
    cache = core.Cache()
    core.build_planet(small(name), cache=cache)
    wrong = [
        path
        for path, recipe in changes_of(small(name))
        if content(core.build_planet(recipe, cache=cache)) != content(core.build_planet(recipe))
    ]
    assert wrong == []


def test_a_planet_that_finished_early_is_made_in_full_when_it_is_to_be() -> None:
    cache = core.Cache()
    steps, finish = build_planet_steps(small(), cache=cache), None
    with pytest.raises(StopIteration) as end:
        while True:
            progress = steps.send(finish)
            finish = progress.stage == "erosion"
    assert not end.value.value.is_whole and not core.build_planet(small(), cache=cache).is_whole
    cache.forget_cut_short()
    assert computed(small(), cache) == AFTER_EROSION
    assert core.build_planet(small(), cache=cache).is_whole


def test_the_look_is_not_of_the_planet_before() -> None:
    cache = core.Cache()
    core.build_planet(small(), cache=cache)
    look = PlanetLook(colours="rust", clouds=0.1)
    assert core.build_planet(small().replace(look=look), cache=cache).recipe.look == look


@pytest.mark.parametrize("change", [{"season": 3.0}, {"temperature": 9.0}])
def test_a_coarser_look_has_the_land_of_the_whole_planet_where_that_stays(change: dict[str, float]) -> None:
    cache = core.Cache()
    before = core.build_planet(small().replace(resolution=129), cache=cache).recipe
    recipe = before.replace(climate=before.climate.replace(**change))
    stages, look = steps_of(preview_planet_steps(recipe, 65, cache))
    # Nothing of the land is made again: what comes is on the way to it, thinned out.
    assert not {"ground", "relief", "ranges", "young rain"} & set(stages)
    whole = core.build_planet(recipe, cache=cache)
    assert look.surface.tobytes() == whole.surface[:, ::2, ::2].tobytes()
    if "season" in change:  # warmer air brings rain that is counted on the land as it is seen
        assert look.maps["rain"].tobytes() == whole.maps["rain"][:, ::2, ::2].tobytes()
    assert look.maps["temperature"].tobytes() == whole.maps["temperature"][:, ::2, ::2].tobytes()


def test_a_coarser_look_at_land_that_changes_is_a_planet_of_its_own() -> None:
    cache = core.Cache()
    core.build_planet(small().replace(resolution=17), cache=cache)
    recipe = small().replace(resolution=17, seed=4)
    _, look = steps_of(preview_planet_steps(recipe, RESOLUTION, cache))
    assert content(look) == content(core.build_planet(recipe.replace(resolution=RESOLUTION)))


def test_what_a_slider_touches_is_known_before() -> None:
    cache = core.Cache()
    assert "ground" in touched_stages(small(), cache)
    core.build_planet(small(), cache=cache)
    assert touched_stages(small(), cache) == frozenset()
    assert touched_stages(small().replace(climate=small().climate.replace(rain=50.0)), cache) == set(WATER)

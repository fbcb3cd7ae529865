"""Building: stages, what is computed again and what is not, progress, cancelling, inputs."""

import hashlib
import pickle
from pathlib import Path

import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.core.building.given_land import fit_to_land
from terrain_addon.core.building.landscape import build_steps
from terrain_addon.core.building.layers import Relief
from terrain_addon.core.building.measuring import maps_wanted
from terrain_addon.core.building.plan import Extent, plan_of
from terrain_addon.core.building.recipe import preset_names
from terrain_addon.core.ecosystem.soil_feedback import SoilFeedback
from terrain_addon.core.erosion.processes import PROCESSES
from terrain_addon.core.erosion.stream_power import StreamPower
from terrain_addon.core.erosion.weathering import Weathering
from terrain_addon.core.foundation.cache import arrays_of
from terrain_addon.core.foundation.compilation import as_writable
from terrain_addon.core.foundation.progress import run
from terrain_addon.core.foundation.stored_field import StoredField
from terrain_addon.core.relief.elevation_model import ElevationModel
from terrain_addon.core.relief.fractal_noise import FractalNoise
from terrain_addon.files.inputs import read_inputs
from tests.mountains import mountains

pytestmark = pytest.mark.once

RECIPE = mountains(seed=2, resolution=65, width=1500.0, depth=1500.0).replace(
    relief=Relief.of(FractalNoise(height=3000.0)), erosion=(Weathering(),)
)
MAPS = ("waters", *(name.replace("_", " ") for name in maps_wanted(RECIPE)))
# First what needs the land before erosion, which is let go then, and after it what needs most memory.
LARGE = ("waters", "illumination", "sky view", "humidity", "water distance", "wet ground")
FIRST = ("deposition", *LARGE)
MEASURED = (*FIRST, *(name for name in MAPS if name not in FIRST))


def computed(recipe: core.Recipe, cache: core.Cache, extent: Extent = "plants") -> list[str]:
    stages: list[str] = []
    steps = build_steps(recipe, cache=cache, extent=extent)
    run(steps, lambda p: stages.append(p.stage) if p.stage not in stages else None)
    return stages


def look(recipe: core.Recipe, cache: core.Cache) -> None:
    run(build_steps(recipe, cache=cache, extent="terrain", passes=True))


def test_facade_as_documented() -> None:
    land = core.build(core.Recipe.preset("alpine", seed=3, resolution=65))
    assert land.terrain.surface.shape == (65, 65)
    assert land.maps["slope"].shape == (65, 65)
    assert land.plants is not None and len(land.plants) > 0


@pytest.mark.parametrize(
    ("change", "again"),
    [
        (lambda r: r, []),
        (lambda r: r.replace(appearance=r.appearance.replace(snow_line=9.0)), []),
        (lambda r: r.replace(ecosystem=r.ecosystem.replace(cover=0.5)), ["forest", "plants"]),
        (lambda r: r.replace(illumination=r.illumination.replace(latitude=9.0)), ["illumination", "forest", "plants"]),
        (
            lambda r: r.replace(erosion=(Weathering(soil_depth=0.7),)),
            ["Weathering", *MEASURED, "forest", "plants"],
        ),
        (
            lambda r: r.replace(seed=99),
            ["layer 1: Fractal Noise", "relief", "Weathering", *MEASURED, "forest", "plants"],
        ),
        (lambda r: r.replace(erosion=(*r.erosion, Weathering(enabled=False))), []),
    ],
)
def test_only_what_a_change_touches_is_computed_again(change: object, again: list[str]) -> None:
    cache = core.Cache()
    core.build(RECIPE, cache=cache)
    changed = change(RECIPE)  # type: ignore[operator]
    assert computed(changed, cache) == again
    fresh, cached = core.build(changed), core.build(changed, cache=cache)
    np.testing.assert_array_equal(fresh.terrain.surface, cached.terrain.surface)
    np.testing.assert_array_equal(fresh.plants.x, cached.plants.x)  # type: ignore[union-attr]


@pytest.mark.parametrize("name", [name for name in preset_names() if name not in ("big_tujunga", "dunes")])
def test_a_land_of_age_zero_is_its_relief_at_every_resolution(name: str) -> None:
    preset = core.Recipe.preset(name)
    (number,) = (k for k, one in enumerate(preset.erosion) if isinstance(one, StreamPower))
    # On 161 vertices a side and fewer there is one grid only.
    for resolution in (2, 3, 9, 33, 64, 161, 162) if name == "alpine" else (2, 33):
        erosion = (preset.erosion[number].replace(age=0.0),)
        cache = core.Cache()
        young = core.build(preset.replace(resolution=resolution, erosion=erosion), extent="terrain", cache=cache)
        relief = core.build(preset.replace(resolution=resolution, erosion=()), extent="terrain")
        np.testing.assert_array_equal(young.terrain.surface, relief.terrain.surface)
        # A slider that is drawn away from 0 finds the history there.
        older = (preset.erosion[number].replace(age=0.01),)
        run(build_steps(preset.replace(resolution=resolution, erosion=older), extent="terrain", cache=cache))


def test_every_parameter_that_shapes_the_land_is_in_a_key() -> None:
    keys = plan_of(RECIPE, {}).keys
    for name, value in {"seed": 3, "width": 4100.0, "depth": 4100.0, "resolution": 66}.items():
        assert plan_of(RECIPE.replace(**{name: value}), {}).keys["relief"] != keys["relief"]


def test_extent_says_how_far_to_go() -> None:
    land = core.build(RECIPE, extent="terrain")
    assert dict(land.maps) == {} and land.plants is None
    land = core.build(RECIPE, extent="maps")
    assert tuple(land.maps) == maps_wanted(RECIPE) and land.waters is not None and land.plants is None


def test_progress_rises_from_zero_towards_one() -> None:
    fractions: list[float] = []
    core.build(RECIPE, report=lambda p: fractions.append(p.fraction))
    assert fractions[0] == 0.0 and fractions == sorted(fractions) and fractions[-1] < 1.0


def test_stopping_half_way_keeps_what_is_finished() -> None:
    class Enough(Exception):
        pass

    def stop(progress: core.Progress) -> None:
        if progress.stage == "humidity":
            raise Enough

    cache = core.Cache()
    with pytest.raises(Enough):
        core.build(RECIPE, cache=cache, report=stop)
    assert computed(RECIPE, cache) == [*MEASURED[MEASURED.index("humidity") :], "forest", "plants"]


def test_what_finished_early_is_kept_until_it_is_to_be_whole() -> None:
    recipe = mountains(resolution=65)
    cache = core.Cache()
    steps = build_steps(recipe, cache=cache, extent="terrain")
    while next(steps).stage != "Stream Power":
        pass
    with pytest.raises(StopIteration) as end:
        while True:
            steps.send(True)
    early, whole = end.value.value, core.build(recipe, extent="terrain")
    assert not early.is_whole and whole.is_whole
    assert (early.terrain.surface != whole.terrain.surface).any()
    # Its maps and plants are those of the land that is shown.
    shown = core.build(recipe, cache=cache)
    assert not shown.is_whole and shown.terrain is early.terrain
    cache.forget_cut_short()
    again = core.build(recipe, cache=cache)
    assert again.is_whole
    np.testing.assert_array_equal(again.terrain.surface, whole.terrain.surface)
    np.testing.assert_array_equal(again.plants.x, core.build(recipe).plants.x)  # type: ignore[union-attr]


def test_a_process_ends_with_its_history_if_that_is_finished_early() -> None:
    recipe = mountains(resolution=129)
    steps = build_steps(recipe, extent="terrain")
    while not next(steps).stage.startswith("Stream Power: wearing"):
        pass
    seen, finish = [], True
    with pytest.raises(StopIteration) as end:
        while True:
            seen.append(steps.send(finish).stage)
            finish = None
    early, whole = end.value.value, core.build(recipe, extent="terrain")
    assert sum(stage == "Stream Power" for stage in seen) <= 2
    assert not early.is_whole and early.terrain.surface.shape == whole.terrain.surface.shape
    assert np.abs(early.terrain.surface - whole.terrain.surface).max() > 10.0


def test_progress_names_processes_as_people_do() -> None:
    twice = core.Recipe(erosion=(StreamPower(), Weathering(), StreamPower()))
    said = [stage.doing for stage in plan_of(twice, {}).stages if stage.name.startswith(("history", "erosion"))]
    assert said == [
        "Stream Power 1: wearing the land down",
        "Stream Power 1",
        "Weathering",
        "Stream Power 2: wearing the land down",
        "Stream Power 2",
    ]


def test_cache_lets_the_longest_unused_go() -> None:
    cache = core.Cache(limit=3 * 65 * 65 * 4)
    core.build(RECIPE, cache=cache)
    assert "relief" in computed(RECIPE, cache)


def test_quick_looks_do_not_drive_out_what_is_kept() -> None:
    side = 65 * 65 * 4
    cache = core.Cache(limit=20 * side, passing_limit=6 * side)
    core.build(RECIPE, cache=cache, extent="terrain")
    for seed in range(100, 120):
        look(RECIPE.replace(seed=seed), cache)
    assert computed(RECIPE, cache, "terrain") == []
    assert computed(RECIPE.replace(seed=119), cache, "terrain") == []
    assert "relief" in computed(RECIPE.replace(seed=100), cache, "terrain")


def test_what_is_used_after_a_quick_look_stays() -> None:
    cache = core.Cache(passing_limit=1)
    look(RECIPE, cache)
    assert computed(RECIPE, cache, "terrain") == []
    look(RECIPE.replace(seed=9), cache)
    assert computed(RECIPE, cache, "terrain") == []


def test_results_can_not_be_changed_by_accident() -> None:
    land = core.build(RECIPE)
    for array in (land.terrain.bedrock, land.maps["slope"], land.plants.x):  # type: ignore[union-attr]
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_a_land_goes_to_another_process_with_all_its_maps() -> None:
    land = core.build(mountains(resolution=33))
    there = pickle.loads(pickle.dumps(land))
    assert there.recipe == land.recipe and set(there.maps) == set(land.maps)
    for name, values in land.maps.items():
        np.testing.assert_array_equal(there.maps[name], values)
    np.testing.assert_array_equal(there.waters.water_level, land.waters.water_level)


def test_no_stage_changes_what_others_have_made() -> None:
    # Kernels see through the flag that makes arrays read-only.
    processes = tuple(process() for process in PROCESSES)
    recipe = mountains(resolution=65).replace(erosion=processes)
    recipe = recipe.replace(ecosystem=recipe.ecosystem.replace(soil=SoilFeedback(enabled=True)))
    results: dict[str, object] = {}
    for stage in plan_of(recipe, {}).stages:
        before = {name: fingerprint(result) for name, result in results.items()}
        results[stage.name] = run(stage.compute(results))
        assert {name: fingerprint(results[name]) for name in before} == before, stage.name
    # A stage that did would be noticed.
    before = {"relief": fingerprint(results["relief"])}
    as_writable(arrays_of(results["relief"])[0])[0, 0] += 1.0
    assert fingerprint(results["relief"]) != before["relief"]


def fingerprint(result: object) -> tuple[bytes, ...]:
    return tuple(hashlib.sha256(np.ascontiguousarray(array)).digest() for array in arrays_of(result))


def test_measured_land_is_built_from_its_input() -> None:
    heights = np.add.outer(np.linspace(0, 300, 20), np.linspace(0, 100, 30)).astype(np.float32)
    recipe = RECIPE.replace(relief=Relief.of(ElevationModel(path="a")), erosion=())
    land = core.build(recipe, inputs={"a": StoredField(heights)}, extent="terrain")
    assert land.terrain.surface[0, 0] == 0.0
    np.testing.assert_allclose(land.terrain.surface[-1, -1], 400.0, rtol=1e-6)
    other = core.build(recipe, inputs={"a": StoredField(heights + 1.0)}, cache=core.Cache(), extent="terrain")
    assert other.terrain.surface[0, 0] == 1.0


def test_missing_input_is_named() -> None:
    with pytest.raises(ValueError, match=r"nowhere.npz is not there; give what .*read_inputs"):
        core.build(RECIPE.replace(relief=Relief.of(ElevationModel(path="nowhere.npz"))))


def test_a_landscape_beyond_memory_is_refused_before_anything_is_allocated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core.foundation.memory, "available_memory", lambda: 2**20)
    core.foundation.memory.forget_free_memory()
    with pytest.raises(
        ValueError, match=r"8193 × 8193 samples needs about 4.6 GiB of memory, 1 MiB are free; lower the"
    ):
        core.build(RECIPE.replace(resolution=8193))


def test_smallest_landscape() -> None:
    land = core.build(core.Recipe(resolution=2, width=1.0, depth=1.0))
    assert land.terrain.surface.shape == (2, 2)
    assert np.isfinite(land.maps["humidity"]).all()


def test_long_thin_landscape() -> None:
    land = core.build(core.Recipe(resolution=301, width=300.0, depth=1.0))
    assert land.terrain.surface.shape == (2, 301)


@pytest.mark.parametrize("resolution", [64, 253])
def test_erosion_of_measured_land_adds_and_does_not_demolish(resolution: int) -> None:
    path = str(Path(__file__).parents[1] / "data" / "big_tujunga_64.npz")
    relief = Relief.of(ElevationModel(path=path))
    measured = core.Recipe(width=1890.0, depth=1890.0, resolution=resolution, relief=relief, erosion=())
    eroded = measured.replace(erosion=tuple(fit_to_land(one, relief) for one in (StreamPower(), Weathering())))
    before, after = (
        core.build(one, inputs=read_inputs(one), extent="terrain").terrain.surface.astype(float)
        for one in (measured, eroded)
    )
    change, height = after - before, np.ptp(before)
    assert 0.001 * height < np.sqrt((change**2).mean()) < 0.02 * height
    assert abs(change.mean()) < 0.005 * height
    # What it adds is fine: channels between the samples of the elevation model.
    if resolution > 64:
        rough = [np.abs(one[2:, 1:-1] + one[:-2, 1:-1] - 2.0 * one[1:-1, 1:-1]).mean() for one in (before, after)]
        assert rough[1] > 1.2 * rough[0]

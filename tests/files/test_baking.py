"""Baked textures hold what the landscape holds, and their note says how to read them."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.core.building.landscape import Landscape
from terrain_addon.core.ecosystem.density import Habitat, plant_density
from terrain_addon.core.foundation.terrain import Terrain
from terrain_addon.core.maps.colour import RAMPS, coldness
from terrain_addon.core.maps.ground_cover import LAYERS
from terrain_addon.core.maps.slope import surface_normals
from terrain_addon.core.meshing.detail import detail_heights
from terrain_addon.core.meshing.residual import mesh_heights
from terrain_addon.files.baking import BAKED_MAPS, BakeOptions, bake, bake_steps, check_maps, extent_for
from terrain_addon.files.exr import open_exr
from terrain_addon.files.raster import Window
from tests.mountains import mountains
from tests.png_reader import read_png

pytestmark = pytest.mark.once

RECIPE = mountains(seed=4, resolution=49, width=2700.0, depth=2100.0)


@pytest.fixture(scope="module")
def landscape() -> Landscape:
    return core.build(RECIPE, extent="maps")


@pytest.fixture(scope="module")
def options(landscape: Landscape) -> BakeOptions:
    heights = np.ascontiguousarray(landscape.terrain.surface[::4, ::4])
    return BakeOptions(mesh=Terrain(heights, np.zeros_like(heights), 4.0 * landscape.terrain.cell_size))


def detailed(landscape: Landscape) -> np.ndarray:
    assert landscape.recipe.appearance.detail == 1.0
    return landscape.terrain.surface + detail_heights(landscape.terrain, landscape.recipe.origin)


def note_of(folder: Path) -> Any:
    return json.loads((folder / "land_textures.json").read_text(encoding="utf-8"))


def read_exr(path: Path) -> np.ndarray:
    with path.open("rb") as file:
        raster = open_exr(file)
        return raster.read(Window(0, 0, raster.rows, raster.columns))[::-1]


def files_in(folder: Path) -> dict[str, bytes]:
    return {f.name: f.read_bytes() for f in folder.iterdir()}


def test_every_map_can_be_read_back(landscape: Landscape, options: BakeOptions, tmp_path: Path) -> None:
    paths = bake(tmp_path, "land", landscape, BAKED_MAPS, options)
    note = note_of(tmp_path)
    assert {p.name for p in paths.values()} == {f.name for f in tmp_path.iterdir()}
    shape = landscape.terrain.grid.shape
    assert (note["rows"], note["columns"]) == shape and note["first_row"] == "north"
    known = {**landscape.maps, "height": landscape.terrain.surface, "sediment": landscape.terrain.sediment}
    compared = 0
    for key, entry in note["textures"].items():
        levels = read_png(tmp_path / entry["file"])[::-1].astype(np.float64)
        assert levels.shape[:2] == shape
        if key in known:
            np.testing.assert_array_equal(read_exr(paths[f"{key}_exact"]), known[key])
            value = entry["low"] + levels / 65535 * (entry["high"] - entry["low"])
            exact = known[key].astype(np.float64)
            if entry["value"].startswith("10 ^"):
                exact = np.log10(np.maximum(exact, 1.0))
            step = (entry["high"] - entry["low"]) / 65535
            np.testing.assert_allclose(value, exact, rtol=0.0, atol=0.501 * step + 1e-6)
            compared += 1
    assert compared >= 11


def test_normals_read_back_and_green_turns(landscape: Landscape, tmp_path: Path) -> None:
    normals = surface_normals(detailed(landscape), landscape.terrain.cell_size)
    for green, sign in (("up", 1.0), ("down", -1.0)):
        bake(tmp_path, "land", landscape, ("normal",), BakeOptions(green=green, exact=False))
        vectors = read_png(tmp_path / "land_normal.png")[::-1] / 65535 * 2.0 - 1.0
        np.testing.assert_allclose(vectors * (1.0, sign, 1.0), normals, atol=1e-4)
        assert note_of(tmp_path)["textures"]["normal"]["green"] == green
    assert not (tmp_path / "land_normal.exr").exists()


def test_mesh_and_residual_are_the_land(landscape: Landscape, options: BakeOptions, tmp_path: Path) -> None:
    for faces in ("triangles", "bilinear"):
        paths = bake(tmp_path, "land", landscape, ("residual",), replace(options, faces=faces))
        rest = read_exr(paths["residual_exact"])
        mesh = mesh_heights(
            options.mesh.surface, options.mesh.cell_size, rest.shape, landscape.terrain.cell_size, faces
        )
        np.testing.assert_allclose(mesh.astype(np.float64) + rest, detailed(landscape), rtol=0.0, atol=2e-4)
        assert np.abs(rest).max() > 0.1


def test_height_and_detail_are_what_light_falls_on(tmp_path: Path) -> None:
    recipe = RECIPE.replace(width=540.0, depth=420.0)
    landscape = core.build(recipe, extent="terrain")
    paths = bake(tmp_path, "land", landscape, ("height", "detail"))
    height, detail = (read_exr(paths[f"{key}_exact"]) for key in ("height", "detail"))
    # The land keeps its heights; who wants the detail adds it.
    np.testing.assert_array_equal(height, landscape.terrain.surface)
    np.testing.assert_allclose(height + detail, detailed(landscape), rtol=0.0, atol=2e-4)
    assert 0.1 < np.abs(detail).max() < 30.0
    smooth = replace(landscape, recipe=recipe.replace(appearance=recipe.appearance.replace(detail=0.0)))
    bake(tmp_path, "land", smooth, ("normal",), BakeOptions(exact=True))
    without = read_exr(tmp_path / "land_normal.exr")
    bake(tmp_path, "land", landscape, ("normal",), BakeOptions(exact=True))
    assert np.abs(read_exr(tmp_path / "land_normal.exr") - without).max() > 0.05


def test_splat_weights_add_up_and_colour_follows_them(landscape: Landscape, tmp_path: Path) -> None:
    bake(tmp_path, "land", landscape, ("splat", "colour"))
    note = note_of(tmp_path)["textures"]
    weights = np.concatenate([read_png(tmp_path / note[k]["file"]) for k in ("splat_1", "splat_2")], axis=2)
    assert (weights.sum(axis=2, dtype=int) == 255).all()
    assert [name for k in ("splat_1", "splat_2") for name in note[k]["channels"].values()] == list(LAYERS)
    colour = read_png(tmp_path / note["colour"]["file"])
    pure = weights.max(axis=2) == 255
    for layer, name in enumerate(LAYERS):
        here = pure & (weights[..., layer] == 255)
        if here.any():
            assert len(np.unique(colour[here], axis=0)) == 1, name
    assert len(np.unique(colour[pure], axis=0)) > 1


@pytest.mark.parametrize(("colouring", "ramp"), [("published_ramp", "terrain"), ("hypsometric", "hypsometric")])
def test_ramps_tell_nothing_but_height(landscape: Landscape, tmp_path: Path, colouring: str, ramp: str) -> None:
    recipe = RECIPE.replace(appearance=RECIPE.appearance.replace(colouring=colouring))
    bake(tmp_path, "land", replace(landscape, recipe=recipe), ("colour",))
    colour = read_png(tmp_path / "land_colour.png")[::-1]
    surface = landscape.terrain.surface.astype(np.float64)
    share = (surface - surface.min()) / np.ptp(surface) if ramp == "terrain" else surface
    places, stops = zip(*RAMPS[ramp])
    srgb = np.array(stops) / 255.0
    light = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    mixed = np.stack([np.interp(share, places, channel) for channel in light.T], axis=-1)
    expected = np.where(mixed <= 0.0031308, mixed * 12.92, 1.055 * mixed ** (1.0 / 2.4) - 0.055) * 255.0
    assert np.abs(colour - expected).max() < 10.0
    assert np.abs(colour - expected).mean() < 1.0
    assert max(int(np.ptp(colour[..., channel])) for channel in range(3)) > 10


PUBLISHED = [(0, 0, 128), (0, 0, 255), (0, 128, 0), (0, 255, 0), (128, 128, 0), (255, 255, 255)]


@pytest.mark.parametrize(
    ("colouring", "steps"),
    [("published_ramp", 0), ("published_ramp_in_25_steps", 25), ("published_ramp_in_15_steps", 15)],
)
def test_the_published_ramp_has_the_printed_colours(
    landscape: Landscape, tmp_path: Path, colouring: str, steps: int
) -> None:
    recipe = RECIPE.replace(appearance=RECIPE.appearance.replace(colouring=colouring))
    side = landscape.terrain.surface.shape[0]
    heights = np.resize(np.linspace(100.0, 600.0, 6).astype(np.float32), (side, side))
    terrain = Terrain(heights, np.zeros_like(heights), landscape.terrain.cell_size)
    bake(tmp_path, "land", replace(landscape, recipe=recipe, terrain=terrain), ("colour",))
    colour = read_png(tmp_path / "land_colour.png")[::-1]
    lowest_and_highest = {0: PUBLISHED[0], 5: PUBLISHED[5]}
    expected = lowest_and_highest if steps else dict(enumerate(PUBLISHED))
    for number, printed in expected.items():
        here = heights == np.float32(100.0 * (number + 1))
        assert here.any() and {tuple(map(int, pixel)) for pixel in colour[here]} == {printed}
    if steps:
        ramp = np.linspace(0.0, 1.0, side * side, dtype=np.float32).reshape(side, side)
        other = Terrain(ramp, np.zeros_like(ramp), landscape.terrain.cell_size)
        bake(tmp_path, "land", replace(landscape, recipe=recipe, terrain=other), ("colour",))
        seen, counts = np.unique(
            read_png(tmp_path / "land_colour.png").reshape(-1, 3).astype(int), axis=0, return_counts=True
        )
        assert len(seen) == steps and np.ptp(counts) <= 2
        assert {PUBLISHED[0], PUBLISHED[5]} <= {tuple(map(int, pixel)) for pixel in seen}


def test_density_is_that_of_the_plants(landscape: Landscape, tmp_path: Path) -> None:
    paths = bake(tmp_path, "land", landscape, ("density",))
    maps, terrain = landscape.maps, landscape.terrain
    habitat = Habitat(
        terrain.sediment, maps["illumination"], maps["humidity"], maps["slope"], terrain.surface, maps["water_distance"]
    )
    for number, species in enumerate(RECIPE.ecosystem.species, start=1):
        (key,) = (k for k in paths if k.startswith(f"density_{number}_") and k.endswith("_exact"))
        density, expected = read_exr(paths[key]), plant_density(habitat, species, RECIPE.ecosystem.combination)
        kept_away = density != expected
        assert not density[kept_away].any()
        # Nothing grows in deep water, and only water keeps plants away.
        assert not density[maps["water_depth"] > species.deepest_water].any()
        assert (maps["water_distance"][kept_away] < 2.0 * terrain.cell_size).all()


def test_winter_brings_snow_to_the_splat(landscape: Landscape, tmp_path: Path) -> None:
    snow = {}
    for season in (6.8, 0.8):
        recipe = RECIPE.replace(appearance=RECIPE.appearance.replace(season=season))
        bake(tmp_path, "land", replace(landscape, recipe=recipe), ("splat",))
        snow[season] = read_png(tmp_path / "land_splat_2.png")[..., 2].mean()
    assert snow[0.8] > snow[6.8] + 20.0
    assert coldness(6.8) == pytest.approx(0.0) and coldness(0.8) == pytest.approx(1.0)


def test_the_same_landscape_gives_the_same_bytes(landscape: Landscape, options: BakeOptions, tmp_path: Path) -> None:
    for name in ("a", "b"):
        bake(tmp_path / name, "land", landscape, ("height", "slope", "mesh_normal", "splat"), options)
    assert files_in(tmp_path / "a") == files_in(tmp_path / "b")


def test_cancelled_bakes_leave_what_was_there(landscape: Landscape, tmp_path: Path) -> None:
    bake(tmp_path, "land", landscape, ("height",))
    (tmp_path / "mine.txt").write_text("mine")
    before = files_in(tmp_path)
    steps = bake_steps(tmp_path, "land", landscape, ("height", "slope", "normal"), BakeOptions(green="down"))
    stages = [next(steps).stage for _ in range(3)]
    assert stages == ["height", "normal", "slope"]
    steps.close()
    assert files_in(tmp_path) == before
    steps = bake_steps(tmp_path / "new" / "folder", "land", landscape, ("height", "slope"))
    next(steps)
    next(steps)
    steps.close()
    assert not (tmp_path / "new").exists()


def test_what_stands_in_the_way_is_not_lost(landscape: Landscape, tmp_path: Path) -> None:
    (tmp_path / "land_slope.png").mkdir()
    with pytest.raises(ValueError, match="folder of that name"):
        bake(tmp_path, "land", landscape, ("height", "slope"))
    assert [f.name for f in tmp_path.iterdir()] == ["land_slope.png"]
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ValueError, match="cannot write"):
        bake(tmp_path / "file", "land", landscape)


def test_only_what_is_needed_has_to_be_built() -> None:
    assert extent_for(("height", "normal", "residual", "slope")) == "terrain"
    assert extent_for(("height", "drainage")) == "maps"
    bare = core.build(RECIPE, extent="terrain")
    needless = [name for name, baked in BAKED_MAPS.items() if baked.extent == "terrain"]
    mesh = BakeOptions(mesh=bare.terrain)
    for name in needless:
        assert list(BAKED_MAPS[name].paint(bare, mesh))


@pytest.mark.parametrize(
    ("maps", "words"),
    [
        (("height", "depth"), r"\['depth'\] must be some of: height"),
        ((), "must be some of"),
        (("residual",), "need the mesh"),
    ],
)
def test_what_can_not_be_baked_is_refused(
    landscape: Landscape, tmp_path: Path, maps: tuple[str, ...], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        bake(tmp_path, "land", landscape, maps)
    assert not list(tmp_path.iterdir())


def test_choices_are_checked() -> None:
    assert check_maps(("normal", "height", "normal")) == ("height", "normal")
    with pytest.raises(ValueError, match="green"):
        BakeOptions(green="left")
    with pytest.raises(ValueError, match="faces"):
        BakeOptions(faces="round")

"""Maps of planets as files, and the command that writes them."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from terrain_addon import core
from terrain_addon.command_line import main
from terrain_addon.core.planet.biomes import Biome
from terrain_addon.core.planet.cube_sphere import CUBE_FACES, sample_faces
from terrain_addon.core.planet.ground_layers import PLANET_LAYERS
from terrain_addon.files.elevation import read_elevation
from terrain_addon.files.planet_maps import PLANET_MAPS, write_planet_maps

pytestmark = pytest.mark.once


@pytest.fixture(scope="module")
def planet() -> core.Planet:
    return core.build_planet(core.PlanetRecipe.preset("temperate", seed=3, resolution=33))


@pytest.fixture(scope="module")
def folder(planet: core.Planet, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("maps")
    write_planet_maps(place, planet, 256)
    return place


def picture(folder: Path, name: str) -> np.ndarray:
    return np.array(Image.open(folder / f"{name}.png"))


def test_all_files_are_there_and_the_recipe_makes_the_planet_again(folder: Path, planet: core.Planet) -> None:
    endings = ("", *(f"_{name}" for name in CUBE_FACES))
    expected = {f"{name}{ending}.png" for name in PLANET_MAPS for ending in endings}
    metres = {f"height_{name}.exr" for name in CUBE_FACES}
    assert {path.name for path in folder.iterdir()} == expected | metres | {"planet.json", "maps.json"}
    assert core.PlanetRecipe.loads((folder / "planet.json").read_text(encoding="utf-8")) == planet.recipe


def test_heights_of_faces_come_back_in_metres(folder: Path, planet: core.Planet) -> None:
    note = json.loads((folder / "maps.json").read_text(encoding="utf-8"))
    unit = (note["highest"] - note["lowest"]) / 65535.0
    for number, name in enumerate(CUBE_FACES):
        heights = note["lowest"] + unit * picture(folder, f"height_{name}")[::-1].astype(np.float64)
        assert np.abs(heights - planet.surface[number]).max() <= 0.51 * unit
        assert (picture(folder, f"biome_{name}")[::-1] == planet.biomes[number]).all()
        metres = read_elevation(folder / f"height_{name}.exr").heights
        assert metres.tobytes() == planet.surface[number].tobytes()


def test_whole_maps_have_north_on_top_and_meet_at_180_degrees(folder: Path, planet: core.Planet) -> None:
    heights, colours = picture(folder, "height").astype(np.float64), picture(folder, "colour").astype(np.float64)
    assert heights.shape == (128, 256) and colours.shape == (128, 256, 3)
    low, high = float(planet.surface.min()), float(planet.surface.max())
    metres = low + heights / 65535.0 * (high - low)
    for row, column in ((0, 10), (31, 64), (64, 128), (70, 200), (127, 255)):
        north, east = math.radians(90.0 - (row + 0.5) * 180.0 / 128), math.radians((column + 0.5) * 360.0 / 256 - 180.0)
        place = (math.cos(north) * math.cos(east), math.cos(north) * math.sin(east), math.sin(north))
        assert metres[row, column] == pytest.approx(float(sample_faces(planet.surface, np.array([place]))[0]), abs=0.5)
    seam, inside = np.abs(metres[:, 0] - metres[:, -1]), np.abs(np.diff(metres, axis=1))
    assert seam.mean() < 2.0 * inside.mean()
    assert colours[0].mean() > 180.0  # ice


def test_normals_point_out_of_the_planet_and_tilt_with_the_ground(folder: Path, planet: core.Planet) -> None:
    for name in ("normal", "normal_x_plus", "normal_north"):
        normals = picture(folder, name) / 127.5 - 1.0
        assert normals[..., 2].min() > 0.0
        assert np.allclose(np.linalg.norm(normals, axis=-1), 1.0, atol=0.02)
    heights, normals = picture(folder, "height").astype(np.float64), picture(folder, "normal") / 127.5 - 1.0
    middle = slice(40, 88)
    to_east = np.gradient(heights, axis=1)[middle]
    to_north = -np.gradient(heights, axis=0)[middle]
    lowest, highest = float(planet.surface.min()), float(planet.surface.max())
    is_land = heights[middle] > 65535 * (planet.sea_level - lowest) / (highest - lowest)
    assert np.corrcoef(to_east[is_land], -normals[middle, :, 0][is_land])[0, 1] > 0.7
    assert np.corrcoef(to_north[is_land], -normals[middle, :, 1][is_land])[0, 1] > 0.7


def test_splat_maps_say_what_covers_each_place(folder: Path, planet: core.Planet) -> None:
    note = json.loads((folder / "maps.json").read_text(encoding="utf-8"))
    for ending in ("", "_x_plus", "_north"):
        weights = np.concatenate([picture(folder, f"splat_{n}{ending}") for n in (1, 2)], axis=-1)
        assert (weights.sum(axis=-1, dtype=int) == 255).all()
    # At the samples of a face there is nothing to blend: one layer each, that of the biome.
    faces = np.concatenate([picture(folder, f"splat_{n}_north") for n in (1, 2)], axis=-1)[::-1]
    for layer, members in PLANET_LAYERS.items():
        is_member = np.isin(planet.biomes[4], members)
        assert (faces[..., note["layers"].index(layer)] == np.where(is_member, 255, 0)).all()
    assert (faces[..., note["layers"].index("ice")] > 0).any()


def test_water_shines_and_land_does_not(folder: Path, planet: core.Planet) -> None:
    surface, is_sea = picture(folder, "surface_x_plus")[::-1], planet.biomes[0] == Biome.SEA
    assert surface[is_sea, 1].mean() < 140 < 180 < surface[planet.biomes[0] > Biome.ICE, 1].min()
    assert not surface[..., 2].any()


def test_widths_that_cannot_be_are_refused(planet: core.Planet, tmp_path: Path) -> None:
    for width in (0, 255, 8194):
        with pytest.raises(ValueError, match="even number of pixels from 2 to 8192"):
            write_planet_maps(tmp_path / "none", planet, width)
    assert not (tmp_path / "none").exists()


def test_the_command_writes_planets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["planet", "moon", "--resolution", "9", "--width", "32", "--set", "craters.count=20", "--json"]
    assert main([*arguments, "--seed", "4..5", "--out", str(tmp_path)]) == 0
    said = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["seed"] for one in said] == [4, 5]
    recipe = core.PlanetRecipe.loads((tmp_path / "seed_4" / "planet.json").read_text(encoding="utf-8"))
    assert recipe == core.PlanetRecipe.preset("moon", seed=4, resolution=9).replace(
        craters=core.PlanetRecipe.preset("moon").craters.replace(count=20)
    )
    assert main(["planet", str(tmp_path / "seed_4" / "planet.json"), "--width", "32", "--out", str(tmp_path)]) == 0
    assert (tmp_path / "height.png").read_bytes() == (tmp_path / "seed_4" / "height.png").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["planet", "temperate", "--resolution", "256"], "the nearest is 257"),
        (["planet", "temperate", "--set", "radius=0"], "radius = 0.0 m is outside"),
        (["planet", "alpine"], "neither a file nor a preset; presets: archipelago"),
        (["planet", "temperate", "--resolution", "9", "--set", "sea_level=49000"], "above the whole planet"),
    ],
)
def test_the_command_explains_what_is_wrong(
    arguments: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*arguments, "--out", str(tmp_path / "out")]) == 1
    assert words in capsys.readouterr().err
    assert not (tmp_path / "out").exists()

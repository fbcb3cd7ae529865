"""Planets whose heights come from a file, and the commands that read planets."""

import json
import math
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from terrain_addon import core
from terrain_addon.command_line import main
from terrain_addon.core.foundation.stored_field import StoredField
from terrain_addon.core.planet.cube_sphere import face_directions
from terrain_addon.core.planet.planet_relief import planet_relief
from terrain_addon.core.planet.whole_map import PlanetElevation
from terrain_addon.files.inputs import read_planet_elevation
from terrain_addon.files.numpy_arrays import write_npy
from terrain_addon.files.png import write_png

pytestmark = pytest.mark.once

ROWS = 64


def land(directions: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Heights that are smooth on the sphere and different everywhere: no axis, no mirror."""
    x, y, z = directions[..., 0], directions[..., 1], directions[..., 2]
    return 1000.0 * x + 500.0 * y * z + 300.0 * z + 800.0 * x * y


def map_of(rows: int, *, corners: bool) -> npt.NDArray[np.float32]:
    """The whole planet as a map; row 0 is south."""
    if corners:
        latitude, longitude = np.linspace(-90.0, 90.0, rows), np.linspace(-180.0, 180.0, 2 * rows - 1)
    else:
        latitude = (np.arange(rows) + 0.5) * 180.0 / rows - 90.0
        longitude = (np.arange(2 * rows) + 0.5) * 180.0 / rows - 180.0
    lat, lon = np.radians(latitude)[:, np.newaxis], np.radians(longitude)
    parts = (np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat) + 0.0 * lon)
    return land(np.stack(parts, axis=-1)).astype(np.float32)


def recipe_of(path: Path | str, **changes: object) -> core.PlanetRecipe:
    return core.PlanetRecipe(resolution=33, elevation=PlanetElevation(path=str(path), **changes))  # type: ignore[arg-type]


@pytest.mark.parametrize("corners", [False, True])
def test_heights_lie_where_the_map_has_them(tmp_path: Path, corners: bool) -> None:
    np.save(tmp_path / "world.npy", map_of(ROWS, corners=corners)[::-1])
    recipe = recipe_of(tmp_path / "world.npy")
    planet = core.build_planet(recipe, elevation=read_planet_elevation(recipe))
    wrong = np.abs(planet.surface - land(planet.directions))
    # Near the poles, where the columns of the map are closer than its rows, heights are means along the row.
    assert wrong[:4].max() < 0.05 and wrong[4:].max() < 0.003 * np.ptp(planet.surface)


def test_there_is_no_seam_at_180_degrees_and_no_tip_at_the_poles(tmp_path: Path) -> None:
    stored = StoredField(map_of(ROWS, corners=False))
    recipe = recipe_of("world.npy")
    angle = np.radians(np.linspace(-20.0, 20.0, 401))
    over_180 = np.stack((-np.cos(angle), np.sin(angle), 0.0 * angle), axis=-1)
    over_pole = np.stack((np.sin(angle), 0.0 * angle, np.cos(angle)), axis=-1)
    for path in (over_180, over_pole):
        steps = np.abs(np.diff(planet_relief(recipe, path, stored, 0.1)))
        # 1800 m in 1 radian at the most.
        assert steps.max() < 1.3 * 1800.0 * math.radians(0.1)


def test_a_fine_map_does_not_alias_on_a_coarse_planet() -> None:
    noise = (np.indices((256, 512)).sum(axis=0) % 2 * 2000.0 - 1000.0).astype(np.float32)
    heights = planet_relief(recipe_of("world.npy"), face_directions(33), StoredField(noise))
    assert np.abs(heights).max() < 200.0


def test_a_turned_planet_has_the_map_turned() -> None:
    stored, recipe = StoredField(map_of(ROWS, corners=False)), recipe_of("world.npy")
    places = face_directions(9)
    straight = planet_relief(recipe, places, stored)
    turned = planet_relief(recipe.replace(turn_z=90.0), places, stored)
    # What lay at 0° east lies at 90° east, on the next face.
    assert np.allclose(turned[1], straight[0], atol=1e-3) and not np.allclose(turned[0], straight[0], atol=10.0)


def test_pictures_get_the_heights_of_black_and_white(tmp_path: Path) -> None:
    grey = np.zeros((32, 64), np.uint16)
    grey[:16] = 65535  # north
    write_png(tmp_path / "world.png", grey)
    recipe = recipe_of(tmp_path / "world.png", lowest=-3000.0, highest=1000.0, exaggeration=2.0)
    planet = core.build_planet(recipe, elevation=read_planet_elevation(recipe))
    assert planet.surface[4, 16, 16] == pytest.approx(2000.0) and planet.surface[5, 16, 16] == pytest.approx(-6000.0)
    assert planet.sea_level == 0.0 and 0.4 < (planet.maps["sea_depth"] > 0.0).mean() < 0.6


@pytest.mark.parametrize("shape", [(32, 65), (32, 32), (1, 2)])
def test_maps_that_are_not_twice_as_wide_as_high_are_refused(tmp_path: Path, shape: tuple[int, int]) -> None:
    path = tmp_path / "land.npy"
    np.save(path, np.zeros(shape, np.float32))
    words = f"twice as wide as high, but this one has {shape[1]} × {shape[0]} samples"
    with pytest.raises(ValueError, match=words):
        read_planet_elevation(recipe_of(path))


def test_a_recipe_whose_heights_are_not_given_is_refused() -> None:
    with pytest.raises(ValueError, match=r"names world\.npy, but its heights are not given"):
        core.build_planet(recipe_of("world.npy"))


def test_the_commands_read_the_map(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save(tmp_path / "world.npy", map_of(ROWS, corners=False)[::-1])
    file = ["--set", f"elevation.path={tmp_path / 'world.npy'}", "--resolution", "17", "--json"]
    assert main(["planet", "temperate", *file, "--width", "32", "--out", str(tmp_path / "maps")]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["highest"] == pytest.approx(float(land(face_directions(17)).max()), abs=5.0)
    assert main(["planet", "temperate", "--set", "elevation.path=nowhere.tif", "--out", str(tmp_path / "none")]) == 1
    assert "nowhere.tif" in capsys.readouterr().err and not (tmp_path / "none").exists()


def test_the_command_writes_a_landscape_that_can_be_built(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    planet = ["here", "temperate", "--resolution", "17", "--samples", "33", "--size", "4000", "--json"]
    for name, square in (("west", "0,0"), ("east", "1,0")):
        arguments = [*planet, "--at", "46,8", "--square", square, "--out", str(tmp_path / name)]
        assert main(arguments) == 0, capsys.readouterr().err
    capsys.readouterr()
    west, east = (np.load(tmp_path / name / "heights.npy") for name in ("west", "east"))
    assert west.shape == (33, 33) and west[:, -1].tobytes() == east[:, 0].tobytes()
    # The folder may be moved: the recipe names the file beside it.
    (tmp_path / "west").rename(tmp_path / "moved")
    assert main(["build", str(tmp_path / "moved" / "recipe.json"), "--json", "--out", str(tmp_path / "built")]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == 33
    stored = np.load(tmp_path / "built" / "landscape.npz")
    hills = core.Recipe.loads((tmp_path / "moved" / "recipe.json").read_text(encoding="utf-8")).relief.layers[1].source
    # The planet's heights, row 0 south, and hills that swing around them.
    assert np.abs(stored["bedrock"] - west[::-1]).max() < 0.6 * hills.height


def test_a_landscape_for_which_the_disk_is_too_small_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    resource = pytest.importorskip("resource", reason="a limit on file sizes stands in for a full disk")
    arguments = ["here", "temperate", "--resolution", "17", "--samples", "129", "--size", "4000", "--at", "46,8"]
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
    try:
        assert main([*arguments, "--out", str(tmp_path / "place")]) == 1
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert capsys.readouterr().err == f"landscape: cannot write to {tmp_path / 'place'}: File too large\n"
    assert not list(tmp_path.iterdir())


def test_arrays_have_the_bytes_of_numpy(tmp_path: Path) -> None:
    values = np.arange(12.0, dtype=np.float32).reshape(3, 4)[::-1]
    write_npy(tmp_path / "own.npy", values)
    np.save(tmp_path / "numpy.npy", values)
    assert (tmp_path / "own.npy").read_bytes() == (tmp_path / "numpy.npy").read_bytes()


@pytest.mark.parametrize(
    ("at", "words"),
    [
        ("46", "is not a latitude and a longitude"),
        ("lat=46,8", "'lat=46,8' is not a latitude and a longitude\n"),
        ("95,0", "latitude = 95.0° is outside -90 to 90°"),
    ],
)
def test_places_that_cannot_be_are_refused(at: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["here", "temperate", "--at", at]) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(("at", "sign"), [("-33.9,18.4", -1), ("0,190", 0)])
def test_places_south_of_the_equator_and_beyond_the_date_line_are_taken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], at: str, sign: int
) -> None:
    small = ["here", "temperate", "--resolution", "17", "--samples", "9", "--size", "4000", "--json"]
    assert main([*small, "--at", at, "--square", "-1,0", "--out", str(tmp_path / "a")]) == 0, capsys.readouterr().err
    said = json.loads(capsys.readouterr().out)
    assert any("lies between samples of the planet" in one for one in said["warnings"])
    recipe = core.Recipe.loads((tmp_path / "a" / "recipe.json").read_text(encoding="utf-8"))
    assert recipe.origin_east == -4000.0 and np.sign(recipe.illumination.latitude) == sign
    if sign == 0:
        assert main([*small, "--at", "0,-170", "--square", "-1,0", "--out", str(tmp_path / "b")]) == 0
        west, same = (np.load(tmp_path / name / "heights.npy") for name in "ab")
        assert west.tobytes() == same.tobytes()


def test_the_help_says_what_neighbouring_squares_share(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["here", "--help"]) == 0
    assert "neighbours share the heights of their border" in " ".join(capsys.readouterr().out.split())


def test_info_knows_planets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", "moon", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["radius"] == 1737000.0 and said["sea_level"] is None
    path = tmp_path / "own.json"
    assert main(["new", "moon", "--set", "radius=5000", "--out", str(path)]) == 0
    assert main(["info", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["radius"] == 5000.0


def test_a_planet_finds_its_heights_beside_its_recipe(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save(tmp_path / "own.npy", map_of(16, corners=False))
    path = tmp_path / "own.json"
    assert main(["new", "moon", "--set", "elevation.path=own.npy", "--out", str(path)]) == 0
    assert main(["info", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["heights_from"] == str(tmp_path / "own.npy")

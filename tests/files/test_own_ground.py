"""Images of the user for the ground: packages, meshes and baked colours have them."""

from pathlib import Path

import numpy as np
import pytest

from terrain_addon.core.foundation.progress import run
from terrain_addon.core.maps.colour import palette_on
from terrain_addon.files.baking import BakeOptions, bake
from terrain_addon.files.engines.package import OwnThings, Package, PackageOptions, write_package_steps
from terrain_addon.files.own_ground import OwnGround, at_size, mean_colours
from tests.files.engine_land import f_land
from tests.png_reader import read_png

CHANCE = np.random.default_rng(1)
COLOUR = CHANCE.integers(0, 256, (48, 96, 3), np.uint8)
NORMAL = CHANCE.integers(0, 256, (30, 30, 3), np.uint8)
ROUGH = CHANCE.random((600, 700), np.float32)
HILLS = (0.5 + 0.5 * np.sin(2.0 * np.pi * np.arange(64) / 64.0)).astype(np.float32) * np.ones((64, 1), np.float32)


def package(folder: Path, engine: str, **ground: OwnGround) -> Package:
    own = OwnThings(ground=ground)
    return run(write_package_steps(folder / "level", f_land(33, 33, 0), engine, PackageOptions(ground=512), own))


def picture(written: Package, layer: str, kind: str) -> np.ndarray:
    about = next(one for one in written.manifest["layers"] if one["name"] == layer)
    return read_png(written.folder / about["ground"][kind])


@pytest.mark.parametrize("engine", ["unity", "godot"])
def test_a_package_has_the_images_as_they_are(tmp_path: Path, engine: str) -> None:
    written = package(tmp_path, engine, rock=OwnGround(7.5, 0.1, COLOUR, NORMAL, ROUGH))
    rock = next(one for one in written.manifest["layers"] if one["name"] == "rock")
    assert rock["ground"]["side_m"] == 7.5
    assert np.array_equal(picture(written, "rock", "colour"), COLOUR)
    assert np.array_equal(picture(written, "rock", "normal"), NORMAL)
    channels = written.manifest["ground_channels"]
    rough = picture(written, "rock", "packed")[..., 3 if "smoothness" in channels else channels.index("roughness")]
    wanted = 1.0 - ROUGH if "smoothness" in channels else ROUGH
    assert rough.shape == ROUGH.shape and np.abs(rough / 255.0 - wanted).max() < 0.003
    # What is not chosen stays as it was, also of other layers.
    plain = package(tmp_path / "plain", engine)
    assert np.array_equal(picture(written, "grass", "colour"), picture(plain, "grass", "colour"))
    assert not np.array_equal(picture(plain, "rock", "normal"), NORMAL)


def test_what_an_image_lacks_comes_from_ours(tmp_path: Path) -> None:
    written = package(tmp_path, "godot", rock=OwnGround(7.5, 0.1, roughness=ROUGH[:100, :100]))
    plain = package(tmp_path / "plain", "godot")
    for kind in ("colour", "normal"):
        assert np.array_equal(picture(written, "rock", kind), picture(plain, "rock", kind))
    for channel in (0, 2):
        ours, theirs = picture(plain, "rock", "packed")[..., channel], picture(written, "rock", "packed")[..., channel]
        assert np.array_equal(ours, theirs)


def test_normals_are_those_of_a_height_image(tmp_path: Path) -> None:
    side, relief = 4.0, 0.5
    written = package(tmp_path, "godot", rock=OwnGround(side, relief, height=HILLS))
    normal = picture(written, "rock", "normal") / 127.5 - 1.0
    slope = -normal[..., 0] / normal[..., 2]
    # Of a sine wave of 0.25 m over 4 m the steepest slope is 2π · 0.25 / 4.
    assert slope.max() == pytest.approx(2.0 * np.pi * 0.25 / side, rel=0.03)
    assert np.argmax(slope[0]) in (0, 1, 63) and np.abs(normal[..., 1]).max() < 0.005


def test_far_land_has_the_mean_colour_of_an_image(tmp_path: Path) -> None:
    red = np.zeros((8, 8, 3), np.uint8)
    red[..., 0] = 200
    own = {name: OwnGround(4.0, 0.1, red) for name in palette_on("grey") if name not in ("snow", "water")}
    assert mean_colours(own)["rock"] == pytest.approx((0.5776, 0.0, 0.0), abs=1e-4)
    written = package(tmp_path, "godot", **own)
    assert next(one for one in written.manifest["layers"] if one["name"] == "rock")["linear_colour"][1:] == [0.0, 0.0]
    seen = read_png(written.folder / written.manifest["tiles"][0]["files"]["colour"])
    assert (seen == (200, 0, 0)).all(axis=2).mean() > 0.9
    files = bake(tmp_path, "land", f_land(33, 33, 0), ["colour"], BakeOptions(own_colours=mean_colours(own)))
    assert np.median(read_png(files["colour"])[..., 0]) == 200


def test_numbers_at_another_size_repeat_without_a_seam() -> None:
    assert at_size(ROUGH, (600, 700)) is ROUGH
    wave = np.cos(2.0 * np.pi * (np.arange(16, dtype=np.float32) + 0.5) / 16.0)[np.newaxis]
    finer = at_size(wave, (3, 64))
    wanted = np.cos(2.0 * np.pi * (np.arange(64) + 0.5) / 64.0)
    assert finer.shape == (3, 64) and np.abs(finer - wanted).max() < 0.03

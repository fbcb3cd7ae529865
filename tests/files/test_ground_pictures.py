"""Textures of the ground: they repeat without a seam, and keep the colour of their layer."""

from pathlib import Path

import numpy as np
import pytest

from terrain_addon.core.maps.colour import palette_on
from terrain_addon.core.maps.ground_cover import LAYERS, Site
from terrain_addon.files.engines.package import PackageOptions, write_package
from terrain_addon.files.engines.tiled_land import game_masks
from terrain_addon.files.ground_pictures import broken_stones, draw_ground
from tests.files.engine_land import f_land
from tests.png_reader import read_png

pytestmark = pytest.mark.once

SIDE = 256


@pytest.mark.parametrize("layer", LAYERS)
def test_borders_fit_together(layer: str) -> None:
    picture = draw_ground(layer, palette_on("grey")[layer], SIDE)
    for values in (picture.colour, picture.normal, picture.height[..., None], picture.roughness[..., None]):
        for axis in (0, 1):
            steps = np.abs(np.diff(values, axis=axis)).mean(axis=(1 - axis, 2))
            seam = np.abs(values.take(0, axis) - values.take(-1, axis)).mean()
            assert seam <= 1.2 * steps.max() + 1e-6


@pytest.mark.parametrize("stone", ["grey", "red"])
def test_the_mean_is_the_colour_from_afar(stone: str) -> None:
    palette = palette_on(stone)
    for layer in LAYERS:
        picture = draw_ground(layer, palette[layer], SIDE)
        assert picture.colour.mean(axis=(0, 1)) == pytest.approx(palette[layer], rel=0.03)
        assert np.abs(np.linalg.norm(picture.normal, axis=2) - 1.0).max() < 1e-4
        assert picture.normal[..., 2].mean() > 0.5


def test_grass_is_about_as_rough_as_rock_and_has_no_lattice() -> None:
    picture = draw_ground("grass", palette_on("grey")["grass"], 1024)
    tilt = np.degrees(np.arccos(picture.normal[..., 2]))
    assert 20.0 < tilt.mean() < 32.0 and np.percentile(tilt, 95) < 60.0
    # Of the patterns of blades, those along rows and columns are no stronger than those in other directions.
    green = picture.colour[..., 1]
    power = np.abs(np.fft.fft2(green - green.mean())) ** 2
    waves = np.fft.fftfreq(1024, 1.0 / 1024)
    up, right = np.meshgrid(np.abs(waves), np.abs(waves), indexing="ij")
    is_blade = (np.hypot(up, right) > 40.0) & (np.hypot(up, right) < 200.0)
    angle = np.degrees(np.arctan2(up, right))
    on_axes = is_blade & ((angle < 4.0) | (angle > 86.0))
    assert power[on_axes].mean() < 1.2 * power[is_blade].mean()


def test_slopes_of_a_picture_are_those_of_its_heights() -> None:
    picture = draw_ground("sand", palette_on("grey")["sand"], SIDE)
    # Where the height rises to the right, the normal leans to the left; where it rises upwards, it leans down.
    rises_right = np.roll(picture.height, -1, axis=1) - np.roll(picture.height, 1, axis=1)
    rises_up = np.roll(picture.height, 1, axis=0) - np.roll(picture.height, -1, axis=0)
    assert np.corrcoef(rises_right.ravel(), picture.normal[..., 0].ravel())[0, 1] < -0.95
    assert np.corrcoef(rises_up.ravel(), picture.normal[..., 1].ravel())[0, 1] < -0.95


@pytest.mark.parametrize(("engine", "channel"), [("unity", 2), ("godot", 2), ("unreal", 2)])
def test_packages_hold_what_the_manifest_says(tmp_path: Path, engine: str, channel: int) -> None:
    package = write_package(tmp_path / "level", f_land(33, 33, 0), engine, PackageOptions(ground=512))
    channels = package.manifest["ground_channels"]
    assert channels[channel] == "height"
    for layer in package.manifest["layers"]:
        picture = draw_ground(layer["name"], tuple(layer["linear_colour"]), 512)
        packed = read_png(package.folder / layer["ground"]["packed"])
        assert packed.shape == (512, 512, len(channels))
        assert np.abs(packed[..., channel] / 255.0 - picture.height).max() < 0.003
        if "smoothness" in channels:
            assert np.abs(1.0 - packed[..., 3] / 255.0 - picture.roughness).max() < 0.003


def test_a_package_can_be_without_textures(tmp_path: Path) -> None:
    package = write_package(tmp_path / "level", f_land(33, 33, 0), "godot", PackageOptions(ground=0))
    assert not list(package.folder.glob("textures/ground_*"))
    assert all("ground" not in layer for layer in package.manifest["layers"])
    with pytest.raises(ValueError, match="ground = 300 is none of: 0, 512, 1024, 2048 texels"):
        PackageOptions(ground=300)


def test_masks_say_where_ground_is_wet_covered_and_worn() -> None:
    def row(*values: float) -> np.ndarray:
        return np.array([values], np.float32)

    nothing = row(0.0, 0.0, 0.0, 0.0)
    site = Site(nothing, row(0.0, 1.0, 1e6, 0.0), row(0.0, 0.0, 0.0, 60.0), row(1.0, 0.5, 0.0, 0.0), *[nothing] * 3)
    assert game_masks(site).tolist() == [[[255, 0, 0], [128, 128, 0], [0, 255, 0], [0, 0, 255]]]


def test_scree_is_loose_stones_that_lie_sorted_by_size() -> None:
    half = np.ones((256, 256), np.float32)
    half[:, 128:] = -1.0
    heights, shades = broken_stones(half, 4.0, 26)
    coarse, fine = heights[:, 16:112], heights[:, 144:240]
    # Metres: where the ground is coarse, stones are several times as high.
    assert np.quantile(coarse, 0.95) > 3.0 * max(np.quantile(fine, 0.95), 0.01) > 0.0
    kinds = [len(np.unique(shades[:, part])) for part in (np.s_[16:112], np.s_[144:240])]
    assert kinds[0] > 100 and kinds[1] > 100
    # The same stones lie in a picture of another size.
    larger = broken_stones(np.kron(half, np.ones((2, 2), np.float32)), 4.0, 26)[0]
    assert np.corrcoef(larger[::2, ::2].ravel(), heights.ravel())[0, 1] > 0.9
    other = broken_stones(half, 4.0, 27)[0]
    assert np.corrcoef(other.ravel(), heights.ravel())[0, 1] < 0.6

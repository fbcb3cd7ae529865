"""The measures of test pictures find what they are named after in pictures of which it is known."""

import runpy
from pathlib import Path

import numpy as np
import pytest

MEASURES = runpy.run_path(str(Path(__file__).parents[2] / "docs" / "picture_measures.py"))


def cloud(exponent: float, seed: int = 1) -> np.ndarray:
    """A grey picture whose power falls with the frequency by an exponent."""
    rng = np.random.default_rng(seed)
    waves = np.hypot(np.fft.fftfreq(192)[:, None], np.fft.fftfreq(320))
    waves[0, 0] = 1.0
    light = np.fft.ifft2(np.fft.fft2(rng.normal(size=waves.shape)) * waves ** (0.5 * exponent)).real
    light = 0.5 + 0.12 * light / light.std()
    return np.repeat(light[..., None], 3, axis=2).astype(np.float32)


@pytest.mark.parametrize("exponent", [-1.5, -2.0, -2.5])
def test_the_slope_is_that_of_the_noise_a_picture_is_made_of(exponent: float) -> None:
    everywhere = np.ones((192, 320), np.bool_)
    assert MEASURES["spectrum_slope"](cloud(exponent), everywhere) == pytest.approx(exponent, abs=0.2)
    assert np.isnan(MEASURES["spectrum_slope"](cloud(exponent), ~everywhere))


def test_black_and_white_pixels_are_counted_and_pure_colours_are_not() -> None:
    picture = np.full((10, 10, 3), 0.5, np.float32)
    picture[0], picture[1], picture[2] = 0.0, 1.0, (1.0, 0.0, 0.0)
    assert MEASURES["clipped_share"](picture) == pytest.approx(0.2)


def test_noise_and_blur_make_pictures_less_alike() -> None:
    picture = cloud(-2.0)
    noise = np.random.default_rng(2).normal(size=picture.shape)
    alike = [MEASURES["likeness"](picture, picture + np.float32(strength) * noise) for strength in (0.0, 0.05, 0.3)]
    assert alike[0] == pytest.approx(1.0) and alike[0] > alike[1] > alike[2]
    assert MEASURES["likeness"](picture, cloud(-2.0, seed=5)) < 0.3

"""Measures of a picture of a land: contrast by size of detail, clipped light, likeness of two pictures.

References
----------
van der Schaaf, A. & van Hateren, J. H. (1996). Modelling the power spectra of natural images: statistics and
information. Vision Research 36(17), 2759–2770. doi:10.1016/0042-6989(96)00002-8  (Slope −1.88 ± 0.43.)
Wang, Z., Bovik, A. C., Sheikh, H. R. & Simoncelli, E. P. (2004). Image quality assessment: from error visibility to
structural similarity. IEEE Transactions on Image Processing 13(4), 600–612. doi:10.1109/TIP.2003.819861
"""

import numpy as np
import numpy.typing as npt

Picture = npt.NDArray[np.float32]

# Luminance of red, green and blue (ITU-R BT.709).
_LUMINANCE = np.array((0.2126, 0.7152, 0.0722))
_WINDOW = 48  # pixels along each side of a window of land
_BAND = (3.0, 16.0)  # waves in a window: larger ones are hills, finer ones noise of the renderer
_GAUSS, _REACH = 1.5, 5  # pixels; equations 13 to 16 of Wang et al.
_DARK, _BRIGHT = 0.004, 0.996


def spectrum_slope(picture: Picture, is_land: npt.NDArray[np.bool_]) -> float:
    """Return the exponent of the power spectrum of luminance over land; NaN where no window is land alone.

    Parameters
    ----------
    picture : ndarray of float32, shape (rows, columns, 3)
        Display colours, 0 to 1.
    is_land : ndarray of bool, shape (rows, columns)
        Pixels that count.

    Returns
    -------
    float
        About −1.9 for photographs.
    """
    light = picture @ _LUMINANCE
    hann = np.hanning(_WINDOW)
    powers = []
    for row in range(0, light.shape[0] - _WINDOW + 1, _WINDOW // 2):
        for column in range(0, light.shape[1] - _WINDOW + 1, _WINDOW // 2):
            window = (slice(row, row + _WINDOW), slice(column, column + _WINDOW))
            if is_land[window].mean() > 0.98:
                part = (light[window] - light[window].mean()) * np.outer(hann, hann)
                powers.append(np.abs(np.fft.fft2(part)) ** 2)
    if not powers:
        return float("nan")
    waves = np.fft.fftfreq(_WINDOW, 1.0 / _WINDOW)
    radius = np.hypot(waves[:, None], waves)
    rings = np.arange(_BAND[0], _BAND[1])
    power = np.mean(powers, axis=0)
    means = [power[(radius >= ring - 0.5) & (radius < ring + 0.5)].mean() for ring in rings]
    return float(np.polyfit(np.log(rings), np.log(np.maximum(means, 1e-12)), 1)[0])


def clipped_share(picture: Picture) -> float:
    """Return the share of pixels that are black or white in all three colours."""
    return float(((picture <= _DARK).all(axis=2) | (picture >= _BRIGHT).all(axis=2)).mean())


def likeness(a: Picture, b: Picture) -> float:
    """Return the structural similarity of two pictures (Wang et al. 2004), 1 for the same picture.

    Both are halved first, as the authors advise for pictures that are looked at from afar.
    """
    x, y = (_halved(picture @ _LUMINANCE) for picture in (a, b))
    mean_x, mean_y = _blurred(x), _blurred(y)
    variance_x = _blurred(x * x) - mean_x * mean_x
    variance_y = _blurred(y * y) - mean_y * mean_y
    covariance = _blurred(x * y) - mean_x * mean_y
    c1, c2 = 0.01**2, 0.03**2
    index = (2.0 * mean_x * mean_y + c1) * (2.0 * covariance + c2)
    index /= (mean_x**2 + mean_y**2 + c1) * (variance_x + variance_y + c2)
    return float(index.mean())


def _halved(light: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    rows, columns = light.shape[0] // 2, light.shape[1] // 2
    halved: npt.NDArray[np.float64] = light[: 2 * rows, : 2 * columns].reshape(rows, 2, columns, 2).mean(axis=(1, 3))
    return halved


def _blurred(field: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return a field weighed by a Gaussian, without the border where it would look beyond."""
    weights = np.exp(-0.5 * (np.arange(-_REACH, _REACH + 1) / _GAUSS) ** 2)
    weights /= weights.sum()
    for axis in (0, 1):
        field = np.apply_along_axis(np.convolve, axis, field, weights, mode="valid")
    return field

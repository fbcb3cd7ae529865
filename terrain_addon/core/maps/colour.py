"""What the land looks like from afar: one colour per sample, for vertex colours and previews."""

import numpy as np
import numpy.typing as npt

from ..compilation import Array, kernel, parallel_kernel, prange
from ..terrain import Field

PALETTE = {
    "rock": (0.190, 0.172, 0.155),
    "soil": (0.150, 0.108, 0.068),
    "grass": (0.072, 0.098, 0.026),
    "forest_floor": (0.040, 0.042, 0.018),
    "snow": (0.800, 0.830, 0.880),
}
"""Linear RGB albedo of what covers the ground."""


def land_colour(
    surface: Field, sediment: Field, slope: Field, humidity: Field, snow_line: float
) -> npt.NDArray[np.float32]:
    """Return the colour of the ground: rock where nothing lies, soil, grass where it is damp, snow high up.

    Parameters
    ----------
    surface, sediment : ndarray of float32, shape (rows, columns)
        Metres.
    slope : ndarray of float32, shape (rows, columns)
        Degrees.
    humidity : ndarray of float32, shape (rows, columns)
        In [0, 1].
    snow_line : float
        Altitude in metres above which snow lies on slopes below about 50°.

    Returns
    -------
    ndarray of float32, shape (rows, columns, 3)
        Linear RGB in [0, 1].
    """
    colour = np.empty((*surface.shape, 3), np.float32)
    _colour(
        surface, sediment, slope, humidity, np.float32(snow_line), np.array(list(PALETTE.values()), np.float32), colour
    )
    return colour


@kernel
def _step(value: float, low: float, high: float) -> float:
    t = min(max((value - low) / (high - low), 0.0), 1.0)
    return t * t * (3.0 - 2.0 * t)


@parallel_kernel
def _colour(
    surface: Array, sediment: Array, slope: Array, humidity: Array, snow_line: np.float32, palette: Array, colour: Array
) -> None:
    for row in prange(surface.shape[0]):
        for column in range(surface.shape[1]):
            soil = _step(sediment[row, column], 0.02, 0.4)
            grass = soil * _step(humidity[row, column], 0.05, 0.25)
            forest = grass * _step(humidity[row, column], 0.25, 0.6)
            snow = _step(surface[row, column] - snow_line, -60.0, 60.0) * (1.0 - _step(slope[row, column], 40.0, 55.0))
            for k in range(3):
                value = palette[0, k] + soil * (palette[1, k] - palette[0, k])
                value += grass * (palette[2, k] - value)
                value += forest * (palette[3, k] - value)
                colour[row, column, k] = value + snow * (palette[4, k] - value)

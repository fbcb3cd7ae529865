"""A map of a planet as a smooth surface between its samples, also across the edges of the faces.

References
----------
Keys, R. G. (1981). Cubic convolution interpolation for digital image processing. IEEE Transactions on Acoustics, Speech
and Signal Processing 29(6), 1153–1160. doi:10.1109/TASSP.1981.1163711
"""

import numpy as np

from ..foundation.compilation import Array, kernel
from ..foundation.terrain import Field
from .cube_sphere import extended_directions, locate, sample_faces


def with_margins(values: Field) -> Field:
    """Return a map with one more sample around each face, taken from the faces beside it.

    Parameters
    ----------
    values : ndarray of float32, shape (6, resolution, resolution)
        The map.

    Returns
    -------
    ndarray of float32, shape (6, resolution + 2, resolution + 2)
        Beyond a corner two faces have the same value, so that they agree all along their edge.
    """
    around = sample_faces(values, extended_directions(values.shape[1]))
    around[:, 1:-1, 1:-1] = values
    return around


@kernel
def smooth_value_at(around: Array, x: float, y: float, z: float) -> float:
    """Return a map in any direction, by cubic convolution of the sixteen samples around it.

    Parameters
    ----------
    around : ndarray of float32, shape (6, resolution + 2, resolution + 2)
        From `with_margins`.
    x, y, z : float
        Direction, of any length above 0.

    Returns
    -------
    float
        Without steps in value or slope on a face; that of the sample at a sample.

    References
    ----------
    Keys (1981), doi:10.1109/TASSP.1981.1163711, eq. 4 with a = −1/2.
    """
    resolution = around.shape[1] - 2
    face, row, column = locate(x, y, z, resolution)
    i = min(np.int64(row), resolution - 2)
    j = min(np.int64(column), resolution - 2)
    total = 0.0
    for up in range(4):
        line = 0.0
        for right in range(4):
            line += _weight(abs(column - j + 1.0 - right)) * np.float64(around[face, i + up, j + right])
        total += _weight(abs(row - i + 1.0 - up)) * line
    return total


@kernel
def _weight(far: float) -> float:
    """Weight of a sample that is so many samples away, 0 to 2."""
    if far < 1.0:
        return (1.5 * far - 2.5) * far * far + 1.0
    return -0.5 * (2.0 - far) * (2.0 - far) * (far - 1.0)

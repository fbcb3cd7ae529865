"""Heights at another distance between samples."""

import numpy as np
import numpy.typing as npt

from ..core.compilation import Array, kernel
from .reading import check_sides


def resample_spacing(
    heights: npt.NDArray[np.float32], spacing: tuple[float, float], cell_size: float
) -> npt.NDArray[np.float32]:
    """Return heights on square cells over the same ground.

    Parameters
    ----------
    heights : ndarray of float32, shape (rows, columns)
        Row 0 south.
    spacing : tuple of float
        Metres between samples from west to east and from south to north.
    cell_size : float
        Metres between samples of the result, whose south-west sample is that of `heights`.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        As many samples as lie within the ground of `heights`.

    Raises
    ------
    ValueError
        If that would be more than 16384 rows or columns.

    Notes
    -----
    Cubic convolution, Keys (1981), "Cubic Convolution Interpolation for Digital Image Processing", a = −½: planes stay
    planes.  Where samples move apart the kernel is stretched as far, so that it averages and nothing aliases.
    """
    shape = tuple(_count(n, cell_size / step) for n, step in zip(heights.shape, (spacing[1], spacing[0])))
    check_sides(*shape)
    upright = _along_rows(heights, cell_size / spacing[1])
    return np.ascontiguousarray(_along_rows(np.ascontiguousarray(upright.T), cell_size / spacing[0]).T)


def _count(source: int, step: float) -> int:
    # A sample that rounding put just beyond the border counts.
    return int((source - 1) / step + 1e-6) + 1


def _along_rows(heights: npt.NDArray[np.float32], step: float) -> npt.NDArray[np.float32]:
    """Return rows `step` apart, which is measured in rows of `heights`."""
    if step == 1.0:
        return heights
    first, weights = _stencil(heights.shape[0], step)
    result = np.zeros((len(first), heights.shape[1]), np.float32)
    _weigh(np.ascontiguousarray(heights), first, weights, result)
    return result


def _stencil(source: int, step: float) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """Return, for each sample of the result, the first of the source samples it is made of, and their weights."""
    position = np.arange(_count(source, step)) * step
    stretch = max(step, 1.0)
    reach = int(np.ceil(2.0 * stretch))
    tap = np.floor(position).astype(np.int64)[:, None] + np.arange(1 - reach, reach + 1)
    weight = _cubic((tap - position[:, None]) / stretch)
    weight /= weight.sum(axis=1, keepdims=True)
    # A stretched kernel, taken at whole samples, is a little off its middle; its two middle samples make up for that.
    offset = (weight * (tap - position[:, None])).sum(axis=1)
    weight[:, reach - 1] += offset
    weight[:, reach] -= offset
    width = min(2 * reach, source)
    first = np.clip(tap[:, 0], 0, source - width)
    # Beyond the border the surface goes on as a straight line: twice the last sample less the mirrored one.
    inside = np.clip(tap, 0, source - 1)
    mirrored = np.clip(2 * inside - tap, 0, source - 1)
    beyond = tap != inside
    weights = np.zeros((len(first), width))
    row = np.arange(len(first))[:, None]
    np.add.at(weights, (row, inside - first[:, None]), np.where(beyond, 2.0 * weight, weight))
    np.add.at(weights, (row, mirrored - first[:, None]), np.where(beyond, -weight, 0.0))
    return first, weights.astype(np.float32)


def _cubic(t: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Equation (8) and (15) of Keys (1981), with a = −½."""
    t = np.abs(t)
    near, far = (1.5 * t - 2.5) * t * t + 1.0, ((-0.5 * t + 2.5) * t - 4.0) * t + 2.0
    return np.where(t < 1.0, near, np.where(t < 2.0, far, 0.0))


@kernel
def _weigh(source: Array, first: Array, weights: Array, result: Array) -> None:
    for row in range(result.shape[0]):
        into = result[row]
        for tap in range(weights.shape[1]):
            weight, line = weights[row, tap], source[first[row] + tap]
            for column in range(into.size):
                into[column] += weight * line[column]

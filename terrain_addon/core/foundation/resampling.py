"""Smooth values between the samples of a lattice: the bicubic spline of Keys (1981), a = −½.

It passes through every sample, its slope has no steps, and it reproduces planes exactly up to the border.  A stretched
kernel averages, and so removes what is too fine for fewer samples.  Between samples zᵢⱼ that are c apart,

    h(x, y) = Σᵢ Σⱼ zᵢⱼ u(x / c − j) u(y / c − i)
    u(t) = 1.5 |t|³ − 2.5 |t|² + 1               for |t| < 1                                                      (15)
    u(t) = −0.5 |t|³ + 2.5 |t|² − 4 |t| + 2      for 1 ≤ |t| < 2, and 0 beyond

References
----------
Keys, R. G. (1981). Cubic convolution interpolation for digital image processing. IEEE Transactions on Acoustics,
Speech, and Signal Processing 29(6), 1153–1160. doi:10.1109/TASSP.1981.1163711
"""

import numpy as np
import numpy.typing as npt

from .compilation import Array, Part, kernel, parallel_kernel, portion
from .terrain import Field

# Threads share the rows in bands, each with one line of working memory.
_BAND_ROWS = 32


def resample(
    source: Field,
    rows: npt.NDArray[np.float64],
    columns: npt.NDArray[np.float64],
    factor: float,
    limits: tuple[float, float],
) -> Field:
    """Return a lattice sampled at the crossings of any rows and columns.

    Parameters
    ----------
    source : ndarray of float32, shape (source rows, source columns)
        At least one sample.
    rows, columns : ndarray of float64, shape (rows,) and (columns,)
        Where to sample, in samples of `source` from its south-west; beyond its border the nearest place on it counts.
    factor : float
        Multiplies the values.
    limits : tuple of float
        Lowest and highest value of the result, where it is cut off: a spline swings a little beyond the samples that it
        joins.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        In the unit of `source`, times `factor`.  A value depends only on its own row and column.

    References
    ----------
    Keys, R. G. (1981). Cubic convolution interpolation for digital image processing. IEEE Transactions on Acoustics,
    Speech, and Signal Processing 29(6), 1153–1160. doi:10.1109/TASSP.1981.1163711

    Examples
    --------
    >>> plane = np.array([[0.0, 1.0, 2.0], [10.0, 11.0, 12.0]], np.float32)
    >>> resample(plane, np.array([0.5]), np.array([0.0, 0.25, 2.0]), 1.0, (0.0, 20.0)).tolist()
    [[5.0, 5.25, 7.0]]
    """
    row_taps, row_weights = _stencil(rows, source.shape[0])
    column_taps, column_weights = _stencil(columns, source.shape[1])
    west = int(column_taps.min())
    strip = source[:, west : int(column_taps.max()) + 1]
    result = np.empty((rows.size, columns.size), np.float32)
    lines = np.empty((-(-rows.size // _BAND_ROWS), strip.shape[1]), np.float32)
    low, high = (np.float32(limit) for limit in limits)
    row_weights *= np.float32(factor)
    _resample(strip, row_taps, row_weights, column_taps - np.uint32(west), column_weights, low, high, lines, result)
    return result


def _stencil(positions: npt.NDArray[np.float64], samples: int) -> tuple[Array, Array]:
    """Return the indices of the four samples around each position, and their weights, both (4, positions)."""
    inside = np.clip(positions, 0.0, samples - 1.0)
    first = np.clip(np.floor(inside), 0, max(samples - 2, 0)).astype(np.int64)
    t = inside - first
    weights = np.array(
        [
            ((-0.5 * t + 1.0) * t - 0.5) * t,
            (1.5 * t - 2.5) * t * t + 1.0,
            ((-1.5 * t + 2.0) * t + 0.5) * t,
            (0.5 * t - 0.5) * t * t,
        ],
    )
    # Beyond the border the surface continues as a straight line: s₋₁ = 2 s₀ − s₁, and the same at the far end.
    before, after = first == 0, first >= samples - 2
    weights[:, before] += np.outer((-1.0, 2.0, -1.0, 0.0), weights[0, before])
    weights[:, after] += np.outer((0.0, -1.0, 2.0, -1.0), weights[3, after])
    # Unsigned: for signed indices numba checks whether they count from the end.
    taps = np.clip(first + np.arange(-1, 3)[:, np.newaxis], 0, samples - 1).astype(np.uint32)
    return taps, weights.astype(np.float32)


@parallel_kernel
def _resample(
    part: Part,
    source: Array,
    row_taps: Array,
    row_weights: Array,
    column_taps: Array,
    column_weights: Array,
    low: np.float32,
    high: np.float32,
    lines: Array,
    result: Array,
) -> None:
    """Write values: each row is first blended from four rows of the source, then from four columns."""
    t0, t1, t2, t3 = column_taps[0], column_taps[1], column_taps[2], column_taps[3]
    w0, w1, w2, w3 = column_weights[0], column_weights[1], column_weights[2], column_weights[3]
    for band in portion(part, lines.shape[0]):
        line = lines[band]
        for row in range(band * _BAND_ROWS, min((band + 1) * _BAND_ROWS, result.shape[0])):
            out = result[row]
            a, b, c, d = row_weights[0, row], row_weights[1, row], row_weights[2, row], row_weights[3, row]
            first, second = source[row_taps[0, row]], source[row_taps[1, row]]
            third, fourth = source[row_taps[2, row]], source[row_taps[3, row]]
            for i in range(line.size):
                line[i] = (a * first[i] + b * second[i]) + (c * third[i] + d * fourth[i])
            for column in range(out.size):
                value = (w0[column] * line[t0[column]] + w1[column] * line[t1[column]]) + (
                    w2[column] * line[t2[column]] + w3[column] * line[t3[column]]
                )
                out[column] = min(max(value, low), high)


def weigh_rows(source: Field, positions: npt.NDArray[np.float64], step: float) -> Field:
    """Return the rows of a lattice at evenly spaced positions, averaged if these lie farther apart than the rows.

    Parameters
    ----------
    source : ndarray of float32, shape (rows, columns)
        At least one row.
    positions : ndarray of float64, shape (n,)
        Where to sample, in rows of `source` and within it.
    step : float
        Rows of `source` from one position to the next, above 0.

    Returns
    -------
    ndarray of float32, shape (n, columns)
        Planes stay planes.  A row depends only on its own position and `step`.

    Notes
    -----
    Cubic convolution with a = −½.  If positions are more than a row apart, the kernel is stretched by their distance.

    References
    ----------
    Keys, R. G. (1981). Cubic convolution interpolation for digital image processing. IEEE Transactions on Acoustics,
    Speech, and Signal Processing 29(6), 1153–1160. doi:10.1109/TASSP.1981.1163711
    """
    # No wider than the lattice, so that it is mirrored at one border only.
    stretch = max(min(step, 0.5 * (source.shape[0] - 1)), 1.0)
    first, weights = _wide_stencil(positions, source.shape[0], stretch)
    result = np.zeros((positions.size, source.shape[1]), np.float32)
    _weigh(np.ascontiguousarray(source), first, weights, result)
    return result


def _wide_stencil(
    positions: npt.NDArray[np.float64], samples: int, stretch: float
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """Return for each position the first sample that counts, and the weights from it on, (positions, taps)."""
    reach = int(np.ceil(2.0 * stretch))
    tap = np.floor(positions).astype(np.int64)[:, None] + np.arange(1 - reach, reach + 1)
    weight = _cubic((tap - positions[:, None]) / stretch)
    weight /= weight.sum(axis=1, keepdims=True)
    # The centre of a stretched kernel at whole samples is a little off; its two middle samples correct that.
    offset = (weight * (tap - positions[:, None])).sum(axis=1)
    weight[:, reach - 1] += offset
    weight[:, reach] -= offset
    width = min(2 * reach, samples)
    first = np.clip(tap[:, 0], 0, samples - width)
    # Beyond the border the surface continues as a straight line: twice the last sample less the mirrored one.
    inside = np.clip(tap, 0, samples - 1)
    mirrored = np.clip(2 * inside - tap, 0, samples - 1)
    beyond = tap != inside
    weights = np.zeros((len(first), width))
    row = np.arange(len(first))[:, None]
    np.add.at(weights, (row, inside - first[:, None]), np.where(beyond, 2.0 * weight, weight))
    np.add.at(weights, (row, mirrored - first[:, None]), np.where(beyond, -weight, 0.0))
    return first, weights.astype(np.float32)


def _cubic(t: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the kernel of cubic convolution."""
    t = np.abs(t)
    # Keys (1981), Eq. (15), which is Eq. (8) with a = −½.
    near, far = (1.5 * t - 2.5) * t * t + 1.0, ((-0.5 * t + 2.5) * t - 4.0) * t + 2.0
    return np.where(t < 1.0, near, np.where(t < 2.0, far, 0.0))


@kernel
def _weigh(source: Array, first: Array, weights: Array, result: Array) -> None:
    """Add up weighted rows of the source."""
    for row in range(result.shape[0]):
        into = result[row]
        for tap in range(weights.shape[1]):
            weight, line = weights[row, tap], source[first[row] + tap]
            for column in range(into.size):
                into[column] += weight * line[column]

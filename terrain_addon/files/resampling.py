"""Heights resampled to square cells of another size.

References
----------
Keys (1981), "Cubic Convolution Interpolation for Digital Image Processing", IEEE Transactions on Acoustics, Speech, and
Signal Processing 29 (6), 1153–1160, doi:10.1109/TASSP.1981.1163711.
"""

import numpy as np
import numpy.typing as npt

from ..core.foundation.resampling import weigh_rows
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
        Metres between samples of the result.  Its south-west sample is that of `heights`.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        As many samples as fit on the ground of `heights`.

    Raises
    ------
    ValueError
        If the result would have more than 16384 rows or columns.

    Notes
    -----
    Cubic convolution with a = −½: a plane stays a plane.  Where the new samples are farther apart than the old ones,
    the kernel is stretched by the same factor, so it averages and there is no aliasing.

    References
    ----------
    Keys (1981), "Cubic Convolution Interpolation for Digital Image Processing", doi:10.1109/TASSP.1981.1163711.

    Examples
    --------
    >>> resample_spacing(np.array([[0.0, 1.0, 2.0]], np.float32), (10.0, 10.0), 20.0).tolist()
    [[0.0, 2.0]]
    """
    shape = tuple(count_samples(n, cell_size / step) for n, step in zip(heights.shape, (spacing[1], spacing[0])))
    check_sides(*shape)
    upright = _along_rows(heights, cell_size / spacing[1])
    return np.ascontiguousarray(_along_rows(np.ascontiguousarray(upright.T), cell_size / spacing[0]).T)


def count_samples(source: int, step: float) -> int:
    """Return how many samples a row has after resampling.

    Parameters
    ----------
    source : int
        Samples before, 1 or more.
    step : float
        Distance between the new samples, in samples before; above 0.

    Returns
    -------
    int
        1 or more.
    """
    # A sample that rounding moved just beyond the border counts.
    return int((source - 1) / step + 1e-6) + 1


def _along_rows(heights: npt.NDArray[np.float32], step: float) -> npt.NDArray[np.float32]:
    """Return rows that are `step` rows of `heights` apart."""
    if step == 1.0:
        return heights
    return weigh_rows(heights, np.arange(count_samples(heights.shape[0], step), dtype=np.float64) * step, step)

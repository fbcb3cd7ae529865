"""Heights at another distance between samples."""

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
    shape = tuple(count_samples(n, cell_size / step) for n, step in zip(heights.shape, (spacing[1], spacing[0])))
    check_sides(*shape)
    upright = _along_rows(heights, cell_size / spacing[1])
    return np.ascontiguousarray(_along_rows(np.ascontiguousarray(upright.T), cell_size / spacing[0]).T)


def count_samples(source: int, step: float) -> int:
    """Return how many samples lie within `source` samples, `step` of them apart."""
    # A sample that rounding put just beyond the border counts.
    return int((source - 1) / step + 1e-6) + 1


def _along_rows(heights: npt.NDArray[np.float32], step: float) -> npt.NDArray[np.float32]:
    """Return rows `step` apart, which is measured in rows of `heights`."""
    if step == 1.0:
        return heights
    return weigh_rows(heights, np.arange(count_samples(heights.shape[0], step), dtype=np.float64) * step, step)

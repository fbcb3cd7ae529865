"""Missing heights: refused, or filled smoothly from the heights around them.

References
----------
Gortler, Grzeszczuk, Szeliski and Cohen (1996), "The Lumigraph", SIGGRAPH 96, section 3.4 (pull-push),
doi:10.1145/237170.237200.
"""

import numpy as np
import numpy.typing as npt


def close_holes(heights: npt.NDArray[np.float32], fill: bool) -> npt.NDArray[np.float32]:
    """Return heights without holes.

    Parameters
    ----------
    heights : ndarray of float32, shape (rows, columns)
        Metres, NaN where a height is missing.
    fill : bool
        Whether holes are filled.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        `heights` itself where it has no holes.

    Raises
    ------
    ValueError
        If there are holes and `fill` is off, or if all heights are missing.
    """
    holes = np.isnan(heights)
    count = int(np.count_nonzero(holes))
    if count == heights.size:
        raise ValueError(f"all of its {count} samples are missing")
    if count and not fill:
        raise ValueError(f"{count} of its {heights.size} samples are missing; choose to fill holes, or repair the file")
    return fill_smoothly(heights, holes) if count else heights


def fill_smoothly(heights: npt.NDArray[np.float32], holes: npt.NDArray[np.bool_]) -> npt.NDArray[np.float32]:
    """Return heights with holes filled from the heights around them; other samples keep every bit.

    Pull: halve the resolution and average the known heights, until none is missing.  Push: fill each level from the
    coarser one, then move the filled heights towards the mean of their neighbours a few times, which smooths them.

    Parameters
    ----------
    heights : ndarray of float32, shape (rows, columns)
        Metres; values in holes are ignored.
    holes : ndarray of bool, shape (rows, columns)
        Where heights are missing; at least one is known.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Within the range of the known heights.

    References
    ----------
    Gortler, Grzeszczuk, Szeliski and Cohen (1996), "The Lumigraph", SIGGRAPH 96, section 3.4 (pull-push),
    doi:10.1145/237170.237200.

    Examples
    --------
    >>> heights = np.array([[4.0, 4.0, 4.0], [4.0, 0.0, 4.0]], np.float32)
    >>> fill_smoothly(heights, heights == 0.0).tolist()
    [[4.0, 4.0, 4.0], [4.0, 4.0, 4.0]]
    """
    if not holes.any():
        return heights
    coarse = fill_smoothly(*_halve(heights, holes))
    rows, columns = np.nonzero(holes)
    filled = heights.copy()
    filled[rows, columns] = _interpolate(coarse, rows, columns)
    north, south = np.maximum(rows - 1, 0), np.minimum(rows + 1, heights.shape[0] - 1)
    west, east = np.maximum(columns - 1, 0), np.minimum(columns + 1, heights.shape[1] - 1)
    for _ in range(_SMOOTHING_STEPS):
        along = filled[north, columns] + filled[south, columns]
        filled[rows, columns] = np.float32(0.25) * (along + (filled[rows, west] + filled[rows, east]))
    return filled


_SMOOTHING_STEPS = 4


def _halve(
    heights: npt.NDArray[np.float32], holes: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
    """Return the mean of the known samples of each 2 × 2, and where none of them is known."""
    rows, columns = (n // 2 * 2 for n in heights.shape)
    known, values = (~holes).astype(np.float32), np.where(holes, np.float32(0.0), heights)
    if (rows, columns) != heights.shape:
        known, values = (np.pad(a, [(0, n % 2) for n in a.shape]) for a in (known, values))
    count, total = _sum_of_four(known), _sum_of_four(values)
    return total / np.maximum(count, np.float32(1.0)), count == 0.0


def _sum_of_four(values: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    pairs = values[0::2] + values[1::2]
    return pairs[:, 0::2] + pairs[:, 1::2]


def _interpolate(
    coarse: npt.NDArray[np.float32], rows: npt.NDArray[np.intp], columns: npt.NDArray[np.intp]
) -> npt.NDArray[np.float32]:
    """Return values at samples of twice the resolution, interpolated between the centres of the coarse samples."""
    (row, row_beyond), (column, column_beyond) = (
        (at // 2, np.clip(at // 2 + at % 2 * 2 - 1, 0, n - 1)) for at, n in zip((rows, columns), coarse.shape)
    )
    near = np.float32(0.75) * coarse[row, column] + np.float32(0.25) * coarse[row_beyond, column]
    far = np.float32(0.75) * coarse[row, column_beyond] + np.float32(0.25) * coarse[row_beyond, column_beyond]
    return np.asarray(np.float32(0.75) * near + np.float32(0.25) * far, np.float32)

"""A grid of heights as triangles, in the axes of glTF: x east, y up, z south."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]


def every_sample(samples: int, step: int) -> npt.NDArray[np.int64]:
    """Return every `step`-th index of a row of samples, and the last one."""
    indices = np.arange(0, samples, step, dtype=np.int64)
    return indices if indices[-1] == samples - 1 else np.append(indices, samples - 1)


def smooth_normals(x: Floats, y: Floats, heights: Floats) -> Floats:
    """Return unit normals from central differences, one-sided at the border.

    Parameters
    ----------
    x, y : ndarray of float32, shape (columns,) and (rows,)
        Metres east and north.
    heights : ndarray of float32, shape (rows, columns)
        Metres; at least 2 × 2.

    Returns
    -------
    ndarray of float32, shape (rows, columns, 3)
        In the axes of glTF.
    """
    rise_east = _difference(heights.T) / _difference(x)[:, None]
    rise_north = _difference(heights) / _difference(y)[:, None]
    upward = np.float32(1.0) / np.sqrt(np.float32(1.0) + rise_east.T * rise_east.T + rise_north * rise_north)
    return stack(-rise_east.T * upward, upward, rise_north * upward)


def grid_triangles(rows: int, columns: int) -> npt.NDArray[np.uint32]:
    """Return two triangles a cell, counter-clockwise seen from above, uint32 (triangles, 3)."""
    corner = np.arange(rows * columns, dtype=np.uint32).reshape(rows, columns)
    south_west, south_east = corner[:-1, :-1], corner[:-1, 1:]
    north_west, north_east = corner[1:, :-1], corner[1:, 1:]
    around = (south_west, south_east, north_east, south_west, north_east, north_west)
    return np.stack(around, axis=-1).reshape(-1, 3)


def stack(*components: npt.ArrayLike) -> Floats:
    """Return vectors (…, components) in float32 of components that broadcast against each other."""
    arrays = [np.asarray(component) for component in components]
    vectors = np.empty((*np.broadcast_shapes(*(a.shape for a in arrays)), len(arrays)), np.float32)
    for i, array in enumerate(arrays):
        vectors[..., i] = array
    return vectors


def colour_levels(colours: Floats) -> npt.NDArray[np.uint16]:
    """Return linear colours (n, 3) as opaque vertex colours (n, 4).

    In 16 bits, because linear colours in 8 bits show steps where it is dark.
    """
    rgba = np.full((len(colours), 4), 65535, np.uint16)
    rgba[:, :3] = np.rint(colours * np.float32(65535.0))
    return rgba


def srgb_levels(colour: Floats) -> npt.NDArray[np.uint8]:
    """Return linear colours from 0 to 1 as 8-bit sRGB (IEC 61966-2-1)."""
    share = np.arange(65536) / 65535
    curve = np.where(share <= 0.0031308, 12.92 * share, 1.055 * share ** (1.0 / 2.4) - 0.055)
    table = np.rint(255.0 * curve).astype(np.uint8)
    return table[np.rint(colour * np.float32(65535.0)).astype(np.uint16)]


def check_unit_range(colour: Floats, name: str) -> None:
    """Refuse colours outside 0 to 1.

    Raises
    ------
    ValueError
        If one is outside, or NaN.
    """
    # Written so that NaN fails it.
    if not (colour.min() >= 0.0 and colour.max() <= 1.0):
        raise ValueError(f"{name} runs from {colour.min()!s} to {colour.max()!s}, outside 0 to 1")


def _difference(values: Floats) -> Floats:
    """Return the next value less the one before along axis 0."""
    around = np.concatenate((values[:1], values, values[-1:]))
    return around[2:] - around[:-2]

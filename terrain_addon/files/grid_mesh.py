"""Triangles, normals and colours of a grid of heights, in the axes of glTF: x east, y up, z south."""

import numpy as np
import numpy.typing as npt

from ..core.maps.colour import srgb_of_linear
from ..core.meshing.cell_diagonals import cell_triangles

Floats = npt.NDArray[np.float32]


def every_nth_sample(samples: int, step: int) -> npt.NDArray[np.int64]:
    """Return the indices of every n-th sample of a row, and of the last one.

    Parameters
    ----------
    samples : int
        Samples of the row, 1 or more.
    step : int
        The n, 1 or more.

    Returns
    -------
    ndarray of int64, shape (n,)
        Rising.

    Examples
    --------
    >>> every_nth_sample(6, 2).tolist()
    [0, 2, 4, 5]
    """
    indices = np.arange(0, samples, step, dtype=np.int64)
    return indices if indices[-1] == samples - 1 else np.append(indices, samples - 1)


def smooth_normals(x: Floats, y: Floats, heights: Floats) -> Floats:
    """Return unit normals from central differences, one-sided at the borders.

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


def grid_triangles(rows: int, columns: int, turned: npt.NDArray[np.bool_] | None = None) -> npt.NDArray[np.uint32]:
    """Return the triangles of a grid, two in each cell.

    Parameters
    ----------
    rows, columns : int
        Vertices of the grid, 2 or more.
    turned : ndarray of bool, shape (rows − 1, columns − 1), optional
        Cells that are divided from south-east to north-west, from `turned_cells`; without it, none.

    Returns
    -------
    ndarray of uint32, shape (triangles, 3)
        Indices row · columns + column, counter-clockwise seen from above.
    """
    alike = np.zeros((rows - 1, columns - 1), np.bool_)
    return cell_triangles(alike if turned is None else turned).astype(np.uint32)


def stack(*components: npt.ArrayLike) -> Floats:
    """Return vectors made of their components.

    Parameters
    ----------
    *components : array_like
        Of shapes that broadcast against each other.

    Returns
    -------
    ndarray of float32, shape (…, components)
        The vectors.
    """
    arrays = [np.asarray(component) for component in components]
    vectors = np.empty((*np.broadcast_shapes(*(a.shape for a in arrays)), len(arrays)), np.float32)
    for i, array in enumerate(arrays):
        vectors[..., i] = array
    return vectors


def colour_levels(colours: Floats) -> npt.NDArray[np.uint16]:
    """Return colours as vertex colours of 16 bits; in 8 bits dark linear colours show steps.

    Parameters
    ----------
    colours : ndarray of float32, shape (n, 3)
        Linear, 0 to 1.

    Returns
    -------
    ndarray of uint16, shape (n, 4)
        Linear, opaque, 0 to 65535.
    """
    rgba = np.full((len(colours), 4), 65535, np.uint16)
    rgba[:, :3] = np.rint(colours * np.float32(65535.0))
    return rgba


def srgb_levels(colour: Floats) -> npt.NDArray[np.uint8]:
    """Return colours as sRGB of 8 bits.

    Parameters
    ----------
    colour : ndarray of float32
        Linear, 0 to 1.

    Returns
    -------
    ndarray of uint8, of the same shape
        sRGB, 0 to 255.

    References
    ----------
    IEC 61966-2-1:1999, "Default RGB colour space: sRGB".
    """
    table = np.rint(255.0 * srgb_of_linear(np.arange(65536) / 65535)).astype(np.uint8)
    return table[np.rint(colour * np.float32(65535.0)).astype(np.uint16)]


def check_unit_range(colour: Floats, name: str) -> None:
    """Refuse colours outside 0 to 1.

    Parameters
    ----------
    colour : ndarray of float32
        The colours.
    name : str
        What they are, for the message.

    Raises
    ------
    ValueError
        If a value is outside 0 to 1, or NaN.
    """
    # Written so that NaN fails.
    if not (colour.min() >= 0.0 and colour.max() <= 1.0):
        raise ValueError(f"{name} runs from {colour.min()!s} to {colour.max()!s}, outside 0 to 1")


def _difference(values: Floats) -> Floats:
    """Return the next value minus the one before, along axis 0; at both ends the value itself stands in."""
    around = np.concatenate((values[:1], values, values[-1:]))
    return around[2:] - around[:-2]

"""Heights and normals as whole numbers for images and game engines; row 0 becomes north."""

import numpy as np
import numpy.typing as npt

from ..core.foundation.terrain import Field, as_field

GREEN = {
    "up": "OpenGL, glTF, Blender, Godot and Unity: green is light where the land faces north",
    "down": "DirectX and Unreal: green is light where the land faces south",
}
"""Direction of the green channel of a normal map, by name."""

_FULL_SCALE = 65535
_ROWS_AT_A_TIME = 256
_UNIT_TOLERANCE = 1e-3


def height_to_uint16(heights: Field) -> tuple[npt.NDArray[np.uint16], float, float]:
    """Return heights as 16-bit numbers that use the full range.

    Parameters
    ----------
    heights : ndarray of float32, shape (rows, columns)
        Metres, finite; row 0 is south.

    Returns
    -------
    levels : ndarray of uint16, shape (rows, columns)
        Row 0 is north; height = lowest + levels / 65535 · (highest − lowest), to the nearest level.  All 0 if all
        heights are equal.
    lowest, highest : float
        The range of `heights` in metres.

    Raises
    ------
    ValueError
        If `heights` is not two-dimensional, is empty or not finite.

    Examples
    --------
    >>> levels, lowest, highest = height_to_uint16(np.array([[100.0, 200.0], [150.0, 300.0]], np.float32))
    >>> levels.tolist(), lowest, highest
    ([[16384, 65535], [0, 32768]], 100.0, 300.0)
    """
    heights = as_field(heights, "heights")
    lowest, highest = float(heights.min()), float(heights.max())
    levels = np.zeros(heights.shape, np.uint16)
    if highest > lowest:
        scale = _FULL_SCALE / (highest - lowest)
        north_up = heights[::-1]
        # float64, so that every height gets its nearest level; in strips, which saves memory.
        for row in range(0, len(levels), _ROWS_AT_A_TIME):
            part = north_up[row : row + _ROWS_AT_A_TIME].astype(np.float64)
            levels[row : row + _ROWS_AT_A_TIME] = np.rint((part - lowest) * scale)
    return levels, lowest, highest


def normal_map(
    normals: npt.NDArray[np.float32], *, green: str = "up", bits: int = 8
) -> npt.NDArray[np.uint8] | npt.NDArray[np.uint16]:
    """Return unit normals as the colours of a tangent-space normal map.

    Parameters
    ----------
    normals : ndarray of float32, shape (rows, columns, 3)
        Unit vectors (east, north, up); row 0 is south.
    green : str
        A key of `GREEN`: ``up`` (OpenGL) or ``down`` (DirectX).
    bits : int
        8 or 16 bits a channel.

    Returns
    -------
    ndarray of uint8 or uint16, shape (rows, columns, 3)
        RGB, row 0 is north; −1 … 1 becomes 0 … 255 or 65535.

    Raises
    ------
    ValueError
        If `normals` has another shape or is not of unit length, or `green` or `bits` is unknown.
    """
    if green not in GREEN:
        raise ValueError(f"green = {green!r} is none of: {', '.join(GREEN)}")
    if bits not in (8, 16):
        raise ValueError(f"bits = {bits!r} is neither 8 nor 16")
    if normals.ndim != 3 or normals.shape[2] != 3 or normals.size == 0:
        raise ValueError(f"normals have shape {normals.shape}, not (rows, columns, 3)")
    signs = np.array([1.0, 1.0 if green == "up" else -1.0, 1.0])
    half = (2**bits - 1) / 2
    colours = np.empty(normals.shape, np.uint8 if bits == 8 else np.uint16)
    north_up = normals[::-1]
    for row in range(0, len(colours), _ROWS_AT_A_TIME):
        part = north_up[row : row + _ROWS_AT_A_TIME].astype(np.float64)
        east, north, up = part[..., 0], part[..., 1], part[..., 2]
        # Written so that NaN fails.
        if not np.all(np.abs(east * east + north * north + up * up - 1.0) <= 2.0 * _UNIT_TOLERANCE):
            raise ValueError("normals hold vectors whose length is not 1")
        colours[row : row + _ROWS_AT_A_TIME] = np.rint((np.clip(part, -1.0, 1.0) * signs + 1.0) * half)
    return colours

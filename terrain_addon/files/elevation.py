"""Measured elevation from files of all formats."""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from ..core.foundation.stored_field import LARGEST_HEIGHT, StoredField
from .ascii_grid import ASCII_GRID
from .bil import BIL
from .exr import EXR
from .geotiff import GEOTIFF
from .hgt import HGT
from .holes import close_holes
from .numpy_arrays import NPY, NPZ
from .png import PNG
from .raster import ElevationFormat, Raster, Window, is_missing
from .raw import RAW
from .reading import check_room, check_sides, open_to_read
from .resampling import count_samples, resample_spacing

ELEVATION_FORMATS = (NPZ, NPY, PNG, EXR, GEOTIFF, HGT, ASCII_GRID, BIL, RAW)
"""All formats that are read."""

READERS: dict[str, ElevationFormat] = {ending: kind for kind in ELEVATION_FORMATS for ending in kind.endings}
"""Formats by ending of the file, in small letters."""

WHOLE = (0.0, 0.0, 1.0, 1.0)
"""The crop that keeps everything."""


@dataclass(frozen=True)
class ElevationPreview:
    """What a file of heights holds.

    Parameters
    ----------
    rows, columns : int
        Samples in the file.
    cell_size : float or None
        Metres between samples after import; None if the file does not say.
    width, depth : float or None
        Metres from west to east and from south to north; None if the file does not say.
    lowest, highest : float
        Range of heights in metres; in a large file only of the rows that were read.
    missing : float
        Share of samples without a height, 0 to 1; in a large file only of the rows that were read.
    is_picture : bool
        Whether heights are shades of grey; `lowest` and `highest` of `read_elevation` turn them into metres.
    is_complete : bool
        Whether every sample was read.
    coordinates : str
        Name of the coordinate system; empty if the file does not say.
    """

    rows: int
    columns: int
    cell_size: float | None
    width: float | None
    depth: float | None
    lowest: float
    highest: float
    missing: float
    is_picture: bool
    is_complete: bool
    coordinates: str = ""

    def part(self, crop: tuple[float, float, float, float]) -> tuple[int, int]:
        """Return how many rows and columns `read_elevation` reads of a crop.

        Parameters
        ----------
        crop : tuple of float
            West, south, east and north edge, 0 to 1.

        Returns
        -------
        tuple of int
            Rows and columns.
        """
        window = _window_of(self.rows, self.columns, crop)
        if not (self.cell_size and self.width and self.depth):  # a single row is 0 m deep
            return window.rows, window.columns
        # Cells that are not square become squares of their shorter side.
        tall = self.depth / (self.rows - 1) / self.cell_size
        wide = self.width / (self.columns - 1) / self.cell_size
        return count_samples(window.rows, 1.0 / tall), count_samples(window.columns, 1.0 / wide)


def read_elevation(
    path: str | os.PathLike[str],
    *,
    lowest: float = 0.0,
    highest: float = 1.0,
    fill_holes: bool = False,
    crop: tuple[float, float, float, float] = WHOLE,
    cell_size: float | None = None,
    shape: tuple[int, int] | None = None,
    square_cells: bool = True,
) -> StoredField:
    """Read heights from a file; its ending selects the format.

    `ELEVATION_FORMATS` says what is read from each format.

    Parameters
    ----------
    path : str or PathLike
        The part inside `crop` has at most 16384 × 16384 samples.
    lowest, highest : float
        Heights of black and white of a picture in metres, within ±1e6; without effect on other formats.
    fill_holes : bool
        Whether missing heights are filled smoothly from the heights around them; otherwise they are an error.
    crop : tuple of float
        West, south, east and north edge of the part to read, as shares of the whole: 0 is west and south, 1 is east and
        north.  They are rounded to samples.
    cell_size : float or None
        Metres between samples of the result; None keeps those of the file.  Cells that are not square, such as those of
        a grid in degrees, become squares of their shorter side.
    shape : tuple of int or None
        Rows and columns of a file without a header.
    square_cells : bool
        Whether cells that are not square become squares; otherwise the samples are those of the file, and their
        distance is not told.

    Returns
    -------
    StoredField
        Row 0 south, always finite.

    Raises
    ------
    ValueError
        One sentence that starts with the path: if the file is missing, damaged, of another kind or too large, if
        heights are missing and `fill_holes` is off, if all heights are missing, or if a height is outside ±1e6 m.  Also
        if an argument is outside its range.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "land.asc")
    ...     _ = path.write_text("ncols 3\\nnrows 2\\ncellsize 30\\nxllcorner 500000\\nyllcorner 0\\n5 6 7\\n1 2 3\\n")
    ...     land = read_elevation(path)
    >>> land.heights.tolist(), land.cell_size
    ([[1.0, 2.0, 3.0], [5.0, 6.0, 7.0]], 30.0)
    """
    if not -LARGEST_HEIGHT <= lowest < highest <= LARGEST_HEIGHT:
        raise ValueError(
            f"lowest = {lowest!r} m and highest = {highest!r} m are not two rising heights within ±{LARGEST_HEIGHT:g} m"
        )
    if not (0.0 <= crop[0] < crop[2] <= 1.0 and 0.0 <= crop[1] < crop[3] <= 1.0):
        raise ValueError(f"crop = {crop!r} is not west < east and south < north within 0 to 1")
    if cell_size is not None and not 0.0 < cell_size < np.inf:
        raise ValueError(f"cell_size = {cell_size!r} m is not a length above 0 m")
    reader = _reader_of(path, shape)
    with open_to_read(path) as file:
        raster = reader(file, Path(path))
        window = _window_of(raster.rows, raster.columns, crop)
        check_sides(window.rows, window.columns)
        if cell_size is not None and raster.spacing is None:
            raise ValueError(
                f"it does not say how far apart its samples lie, so {cell_size:g} m cannot be made of them"
            )
        check_room(_BYTES_PER_SAMPLE * window.rows * window.columns + raster.overhead, window.rows, window.columns)
        heights = close_holes(_all_heights(raster, window, lowest, highest), fill_holes)[::-1]
        if raster.spacing is None or not square_cells:
            return StoredField(heights)
        wanted = _square(raster.spacing) if cell_size is None else cell_size
        if _is_square(raster.spacing) and abs(wanted - raster.spacing[0]) <= _SPACING_TOLERANCE * wanted:
            return StoredField(heights, wanted)
        return StoredField(resample_spacing(heights, raster.spacing, wanted), wanted)


def preview_elevation(path: str | os.PathLike[str], *, shape: tuple[int, int] | None = None) -> ElevationPreview:
    """Return what a file holds; of a large file only a part is read.

    Parameters
    ----------
    path : str or PathLike
        As for `read_elevation`.
    shape : tuple of int or None
        Rows and columns of a file without a header.

    Returns
    -------
    ElevationPreview
        The range of a picture is from 0 to 1, because black and white have no height yet.

    Raises
    ------
    ValueError
        One sentence that starts with the path, if the file cannot be read or has no heights.
    """
    reader = _reader_of(path, shape)
    with open_to_read(path) as file:
        raster = reader(file, Path(path))
        bands = _bands(raster)
        band = bands[0]
        check_room(_BYTES_PER_SAMPLE * band.rows * band.columns + raster.overhead, raster.rows, raster.columns)
        low, high, missing, seen = np.inf, -np.inf, 0, 0
        for band in bands:
            heights = _heights(raster, band, 0.0, 1.0)
            seen, missing = seen + heights.size, missing + int(np.count_nonzero(np.isnan(heights)))
            low = min(low, float(np.fmin.reduce(heights, axis=None, initial=np.inf)))
            high = max(high, float(np.fmax.reduce(heights, axis=None, initial=-np.inf)))
        if seen == missing:
            raise ValueError(f"all of the {seen} samples that were read are missing")
        spacing = raster.spacing
        return ElevationPreview(
            raster.rows,
            raster.columns,
            cell_size=_square(spacing) if spacing else None,
            width=(raster.columns - 1) * spacing[0] if spacing else None,
            depth=(raster.rows - 1) * spacing[1] if spacing else None,
            lowest=low,
            highest=high,
            missing=missing / seen,
            is_picture=raster.full_scale is not None,
            is_complete=seen == raster.rows * raster.columns,
            coordinates=raster.coordinates,
        )


_SPACING_TOLERANCE = 1e-4
_PREVIEW_SAMPLES = 1 << 22
_PREVIEW_BANDS = 8
_ROWS_AT_A_TIME = 256
_SAMPLES_AT_A_TIME = 1 << 22
_BYTES_PER_SAMPLE = 16
"""Heights, holes, the field that is returned and a copy; a band of the file's own numbers is small beside them."""


def _reader_of(path: str | os.PathLike[str], shape: tuple[int, int] | None) -> Callable[[BinaryIO, Path], Raster]:
    """Return the function that opens a file."""
    suffix = Path(path).suffix.lower()
    if suffix not in READERS:
        raise ValueError(f"cannot read {path}: the ending {suffix!r} is none of {', '.join(READERS)}")
    if shape is None:
        return READERS[suffix].open
    if (open_with_shape := READERS[suffix].open_with_shape) is None:
        shapeless = (ending for ending, kind in READERS.items() if kind.open_with_shape)
        raise ValueError(f"cannot read {path}: only {', '.join(shapeless)} files can be given a shape, others have one")
    return lambda file, path: open_with_shape(file, path, shape)


def _window_of(rows: int, columns: int, crop: tuple[float, float, float, float]) -> Window:
    """Return the samples inside a crop (west, south, east, north) of a grid, at least one row and column."""
    west, east = (round(share * (columns - 1)) for share in (crop[0], crop[2]))
    north, south = (round((1.0 - share) * (rows - 1)) for share in (crop[3], crop[1]))
    return Window(north, west, south - north + 1, east - west + 1)


def _bands(raster: Raster) -> list[Window]:
    """Return one window with all of a raster, or evenly spaced bands of a large one."""
    bands = _PREVIEW_BANDS if raster.rows * raster.columns > _PREVIEW_SAMPLES else 1
    rows = max(1, min(raster.rows, _PREVIEW_SAMPLES // raster.columns) // bands) if bands > 1 else raster.rows
    columns = min(raster.columns, _PREVIEW_SAMPLES // bands)
    starts = sorted({i * (raster.rows - rows) // max(bands - 1, 1) for i in range(bands)})
    return [Window(start, 0, rows, columns) for start in starts]


def _all_heights(raster: Raster, window: Window, lowest: float, highest: float) -> npt.NDArray[np.float32]:
    """Return the heights of a window, read in bands, so that the file's own numbers are never in memory as a whole."""
    rows = max(1, _SAMPLES_AT_A_TIME // window.columns)
    if rows >= window.rows:
        return _heights(raster, window, lowest, highest)
    heights = np.empty((window.rows, window.columns), np.float32)
    for first in range(0, window.rows, rows):
        band = replace(window, row=window.row + first, rows=min(rows, window.rows - first))
        heights[first : first + band.rows] = _heights(raster, band, lowest, highest)
    return heights


def _heights(raster: Raster, window: Window, lowest: float, highest: float) -> npt.NDArray[np.float32]:
    """Return heights in metres, NaN where they are missing."""
    values = raster.read(window)
    # The number that marks missing heights may be too large for float32, or an unusual NaN.
    with np.errstate(over="ignore", invalid="ignore"):
        missing = None if raster.missing is None else is_missing(values, raster.missing)
        _check_range(values, missing, raster)
        if raster.full_scale is not None:
            heights = np.empty(values.shape, np.float32)
            # float64, so that black and white are exact; in strips, which saves memory.
            for row in range(0, len(values), _ROWS_AT_A_TIME):
                part = values[row : row + _ROWS_AT_A_TIME]
                heights[row : row + _ROWS_AT_A_TIME] = lowest + part * ((highest - lowest) / raster.full_scale)
        else:
            heights = values.astype(np.float32)
        if raster.unit != 1.0:
            heights *= np.float32(raster.unit)
        if raster.zero != 0.0:
            heights += np.float32(raster.zero)
        if missing is not None:
            heights[missing] = np.nan
    return heights


def _check_range(values: npt.NDArray[Any], missing: npt.NDArray[np.bool_] | None, raster: Raster) -> None:
    """Refuse heights that are infinite or outside ±1e6 m, before they are rounded to float32; NaN is allowed."""
    if missing is None or not missing.any():
        ends = np.fmin.reduce(values, axis=None), np.fmax.reduce(values, axis=None)
    elif missing.all():
        return
    else:
        present = ~missing
        start = values.flat[int(np.argmax(present))]
        ends = (
            np.fmin.reduce(values, axis=None, where=present, initial=start),
            np.fmax.reduce(values, axis=None, where=present, initial=start),
        )
    low, high = sorted(float(end) * raster.unit + raster.zero for end in ends)
    if low < -LARGEST_HEIGHT or high > LARGEST_HEIGHT:
        raise ValueError(f"its heights run from {low:g} to {high:g} m, outside ±{LARGEST_HEIGHT:g} m")


def _is_square(spacing: tuple[float, float]) -> bool:
    return abs(spacing[0] - spacing[1]) <= _SPACING_TOLERANCE * max(spacing)


def _square(spacing: tuple[float, float]) -> float:
    """Return the side of the square cells that a grid becomes."""
    # Where sides differ only by rounding, all tiles of a survey get the same one.
    return spacing[0] if _is_square(spacing) else min(spacing)

"""Reading measured elevation: one table of formats, one way to treat what is missing."""

import os
import re
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from ..core.relief.elevation import LARGEST_HEIGHT, Elevation
from .png import decode_png
from .reading import LARGEST_DEFLATE_RATIO, check_sides, open_to_read, remaining_bytes


@dataclass(frozen=True)
class Samples:
    """What a file says before it is checked: numbers of any type, row 0 north, NaN where there is none.

    `full_scale` is the largest number an image can hold, None where the numbers are metres.
    """

    values: npt.NDArray[Any]
    cell_size: float | None = None
    full_scale: int | None = None


def read_elevation(
    path: str | os.PathLike[str], *, lowest: float = 0.0, highest: float = 1.0, fill_holes: bool = False
) -> Elevation:
    """Read heights from a file; its ending says which format it has.

    ======  ==============================================================================
    Ending  Content, row 0 north
    ======  ==============================================================================
    .npz    array ``elevation`` in metres, and ``cell_size`` in metres if there is one
    .npy    array in metres
    .png    grey image of 8 or 16 bits, black is `lowest` and white is `highest`
    ======  ==============================================================================

    Arrays hold integers of 8 to 64 bits or floats of 16 to 64 bits; they are never unpickled.

    Parameters
    ----------
    path : path
        At most 16384 × 16384 samples.
    lowest, highest : float
        Metres that black and white of an image stand for; without effect on other formats.
    fill_holes : bool
        Whether missing heights (NaN) are filled smoothly from around them instead of being refused.

    Returns
    -------
    Elevation
        Row 0 south, always finite.

    Raises
    ------
    ValueError
        One sentence that starts with the path: if the file is missing, damaged, of another kind or too large, if it has
        holes and `fill_holes` is off, if it has nothing but holes, or if a height is beyond ±1e6 m.
    """
    if not -LARGEST_HEIGHT <= lowest < highest <= LARGEST_HEIGHT:
        raise ValueError(
            f"lowest = {lowest!r} m and highest = {highest!r} m are not two rising heights within ±{LARGEST_HEIGHT:g} m"
        )
    suffix = Path(path).suffix.lower()
    if suffix not in READERS:
        raise ValueError(f"cannot read {path}: the ending {suffix!r} is none of {', '.join(READERS)}")
    with open_to_read(path) as file:
        samples = READERS[suffix](file)
        check_range(samples.values)
        values = samples.values
        if samples.full_scale is not None:
            values = lowest + values * ((highest - lowest) / samples.full_scale)
        return Elevation(close_holes(values.astype(np.float32), fill_holes)[::-1], samples.cell_size)


def check_range(values: npt.NDArray[Any]) -> None:
    """Refuse heights that are infinite or beyond ±1e6 m, before they are rounded to float32; NaN passes.

    Raises
    ------
    ValueError
        Naming the range found.
    """
    lowest, highest = float(np.fmin.reduce(values, axis=None)), float(np.fmax.reduce(values, axis=None))
    if lowest < -LARGEST_HEIGHT or highest > LARGEST_HEIGHT:
        raise ValueError(f"its heights run from {lowest:g} to {highest:g} m, outside ±{LARGEST_HEIGHT:g} m")


def close_holes(heights: npt.NDArray[np.float32], fill: bool) -> npt.NDArray[np.float32]:
    """Return heights without holes: as they are, or filled.

    Parameters
    ----------
    heights : ndarray of float32, shape (rows, columns)
        Metres, NaN where there is a hole.
    fill : bool
        Whether holes are filled.

    Raises
    ------
    ValueError
        If there are holes and `fill` is off, or nothing but holes.
    """
    holes = np.isnan(heights)
    count = int(np.count_nonzero(holes))
    if count == heights.size:
        raise ValueError(f"all of its {count} samples are missing")
    if count and not fill:
        raise ValueError(f"{count} of its {heights.size} samples are missing; choose to fill holes, or mend the file")
    return fill_smoothly(heights, holes) if count else heights


def fill_smoothly(heights: npt.NDArray[np.float32], holes: npt.NDArray[np.bool_]) -> npt.NDArray[np.float32]:
    """Return heights with holes filled from around them; other samples keep every bit.

    Pull: halve the resolution, averaging what is known, until nothing is missing.  Push: fill each level from the
    coarser one, then let what was filled settle towards the mean of its neighbours, as a stretched skin would.

    Parameters
    ----------
    heights : ndarray of float32, shape (rows, columns)
        Metres; whatever stands in a hole is ignored.
    holes : ndarray of bool, shape (rows, columns)
        Where heights are missing; at least one must not be.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Within the range of the known heights.

    Notes
    -----
    Source: pull-push after Gortler, Grzeszczuk, Szeliski and Cohen (1996), "The Lumigraph", section 3.4.
    """
    if not holes.any():
        return heights
    coarse, coarse_holes = _halve(heights, holes)
    filled = np.where(holes, _double(fill_smoothly(coarse, coarse_holes), heights.shape), heights)
    for _ in range(_SETTLING_STEPS):
        around = np.pad(filled, 1, mode="edge")
        mean = np.float32(0.25) * ((around[:-2, 1:-1] + around[2:, 1:-1]) + (around[1:-1, :-2] + around[1:-1, 2:]))
        filled = np.where(holes, mean, heights)
    return filled


_SETTLING_STEPS = 4


def _halve(
    heights: npt.NDArray[np.float32], holes: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
    """Return the mean of the known samples of each 2 × 2, and where there are none."""
    beyond = [(0, n % 2) for n in heights.shape]
    known = np.pad(~holes, beyond).astype(np.float32)
    values = np.pad(np.where(holes, np.float32(0.0), heights), beyond)
    count = (known[0::2, 0::2] + known[0::2, 1::2]) + (known[1::2, 0::2] + known[1::2, 1::2])
    total = (values[0::2, 0::2] + values[0::2, 1::2]) + (values[1::2, 0::2] + values[1::2, 1::2])
    return total / np.maximum(count, np.float32(1.0)), count == 0.0


def _double(coarse: npt.NDArray[np.float32], shape: tuple[int, ...]) -> npt.NDArray[np.float32]:
    """Return heights at twice the resolution, bilinear between the centres of the coarse samples."""
    for axis in (0, 1):
        around = np.moveaxis(np.pad(coarse, [(1, 1) if a == axis else (0, 0) for a in (0, 1)], mode="edge"), axis, 0)
        near = np.float32(0.75) * around[1:-1]
        both = np.stack((near + np.float32(0.25) * around[:-2], near + np.float32(0.25) * around[2:]), axis=1)
        coarse = np.moveaxis(both.reshape(-1, around.shape[1])[: shape[axis]], 0, axis)
    return coarse


def _read_npz(file: BinaryIO) -> Samples:
    try:
        with zipfile.ZipFile(file) as archive:
            names = archive.namelist()
            if "elevation.npy" not in names:
                held = ", ".join(name.removesuffix(".npy") for name in names[:10]) or "nothing"
                raise ValueError(f"it holds no array named elevation, but {held}")
            elevation = _read_member(archive, "elevation.npy", dimensions=2)
            if "cell_size.npy" not in names:
                return Samples(elevation)
            return Samples(elevation, _single(_read_member(archive, "cell_size.npy", dimensions=None)))
    # RuntimeError, NotImplementedError: features of ZIP that no npz has, met in a damaged directory.
    except (zipfile.BadZipFile, zlib.error, EOFError, struct.error, RuntimeError, OverflowError) as error:
        raise ValueError(f"it is not a whole npz archive ({error})") from error


def _read_member(archive: zipfile.ZipFile, name: str, *, dimensions: int | None) -> npt.NDArray[Any]:
    info = archive.getinfo(name)
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"{name} is packed in a way that is not read; save it with numpy.savez_compressed")
    if info.file_size > LARGEST_DEFLATE_RATIO * max(info.compress_size, 1):
        raise ValueError(f"{name} promises more bytes than it can hold")
    with archive.open(info) as member:
        return _read_array(member, info.file_size, dimensions)


def _read_npy(file: BinaryIO) -> Samples:
    return Samples(_read_array(file, remaining_bytes(file), dimensions=2))


def _read_png(file: BinaryIO) -> Samples:
    pixels = decode_png(file)
    if pixels.ndim != 2:
        raise ValueError(f"the PNG image has {pixels.shape[2]} channels; elevation needs a grey image without alpha")
    return Samples(pixels, full_scale=int(np.iinfo(pixels.dtype).max))


READERS: dict[str, Callable[[BinaryIO], Samples]] = {".npz": _read_npz, ".npy": _read_npy, ".png": _read_png}
"""File ending (lower case) to the function that reads such a file, open at its start."""


_NPY_MAGIC = b"\x93NUMPY"
_NUMBERS = {"i": (1, 2, 4, 8), "u": (1, 2, 4, 8), "f": (2, 4, 8)}
_LONGEST_HEADER = 10000


def _read_array(file: Any, size: int, dimensions: int | None) -> npt.NDArray[Any]:
    """Read an npy file of `size` bytes.

    Unlike numpy.load it believes nothing: type and shape must fit the size of the file before memory is taken, and the
    header is searched, not evaluated.
    """
    start = file.read(8)
    if start[:6] != _NPY_MAGIC or len(start) < 8 or start[6] not in (1, 2, 3):
        raise ValueError("it is not a numpy array")
    length_size = 2 if start[6] == 1 else 4
    length = int.from_bytes(file.read(length_size), "little")
    header = file.read(min(length, _LONGEST_HEADER)).decode("latin-1")
    kind = re.search(r"'descr'\s*:\s*'([<>|=]?)([a-zA-Z])(\d{0,3})'", header)
    order = re.search(r"'fortran_order'\s*:\s*(True|False)", header)
    shape = re.search(r"'shape'\s*:\s*\(([\d\s,]{0,200})\)", header)
    if len(header) != length or not order or not shape:
        raise ValueError("it is cut short or damaged: the header of the numpy array cannot be read")
    if not kind or int(kind[3] or 0) not in _NUMBERS.get(kind[2], ()):
        raise ValueError("the numpy array does not hold plain integers or floats")
    sides = tuple(int(side) for side in shape[1].replace(",", " ").split())
    if dimensions is not None and len(sides) != dimensions:
        raise ValueError(f"the numpy array has shape {sides}, not (rows, columns)")
    if len(sides) == 2:
        check_sides(*sides)
    elif any(side != 1 for side in sides):
        raise ValueError(f"cell_size has shape {sides}, not one number")
    dtype = np.dtype(kind[1] + kind[2] + kind[3])
    count = int(np.prod(sides, dtype=np.int64))
    if size != 8 + length_size + length + count * dtype.itemsize:
        raise ValueError(f"it is cut short or damaged: it has {size} bytes, but shape {sides} of {dtype}")
    data = file.read(count * dtype.itemsize)
    if len(data) != count * dtype.itemsize:
        raise ValueError("it is cut short")
    return np.frombuffer(data, dtype).reshape(sides, order="F" if order[1] == "True" else "C")


def _single(values: npt.NDArray[Any]) -> float:
    return float(values.reshape(-1)[0])

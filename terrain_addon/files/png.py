"""PNG images: written fast, the same pixels always as the same bytes; grey ones are read as heights.

References
----------
Portable Network Graphics (PNG) Specification (Third Edition), W3C Recommendation (2025).
RFC 1950, "ZLIB Compressed Data Format Specification version 3.3" (1996).
"""

import os
import struct
import zlib
from dataclasses import dataclass
from io import BytesIO
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from ..core.foundation.compilation import kernel
from .parallel import map_in_order
from .raster import ElevationFormat, Raster, whole_raster
from .reading import LARGEST_DEFLATE_RATIO, check_room, check_sides, remaining_bytes
from .writing import atomic_write

Pixels = npt.NDArray[np.uint8] | npt.NDArray[np.uint16]
"""An image: uint8 or uint16, shape (rows, columns) or (rows, columns, channels); row 0 is the top of the image."""

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_GREY, _RGB, _PALETTE, _GREY_ALPHA, _RGBA = 0, 2, 3, 4, 6
_CHANNELS = {_GREY: 1, _RGB: 3, _PALETTE: 3, _GREY_ALPHA: 2, _RGBA: 4}  # once a palette is applied
_UP = 2  # the filter: each row less the one above
_BAND_BYTES = 1 << 20
_INPUT_BYTES = 1 << 16
_COPIES = 3  # rows with their filters, without them, and in the machine's byte order


def write_png(path: str | os.PathLike[str], pixels: Pixels) -> None:
    """Write an image without metadata; the same pixels and the same zlib give the same bytes.

    Parameters
    ----------
    path : str or PathLike
        Where to write; see `atomic_write`.
    pixels : ndarray of uint8 or uint16, shape (rows, columns) or (rows, columns, 3 or 4)
        Grey, RGB or RGBA.  Row 0 becomes the top of the image; callers whose row 0 is south flip first.

    Raises
    ------
    ValueError
        If `pixels` has another type or shape, or the file cannot be written.

    References
    ----------
    Portable Network Graphics (PNG) Specification (Third Edition), W3C Recommendation (2025).

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_png(Path(folder, "grey.png"), np.zeros((4, 4), np.uint8))
    ...     Path(folder, "grey.png").read_bytes()[1:4]
    b'PNG'
    """
    with atomic_write(path) as file:
        _write(file, pixels)


def png_bytes(pixels: Pixels) -> bytes:
    """Return an image as `write_png` writes it.

    Parameters
    ----------
    pixels : ndarray of uint8 or uint16, shape (rows, columns) or (rows, columns, 3 or 4)
        Row 0 becomes the top of the image.

    Returns
    -------
    bytes

    Raises
    ------
    ValueError
        If `pixels` has another type or shape.
    """
    file = BytesIO()
    _write(file, pixels)
    return file.getvalue()


def open_png(file: BinaryIO) -> Raster:
    """Open a grey image as a picture of heights.

    Gamma and colour profiles are ignored: the numbers are returned as they are stored.

    Parameters
    ----------
    file : BinaryIO
        On disk; grey without alpha, 8 or 16 bits, not interlaced, at most 16384 × 16384.

    Returns
    -------
    Raster
        A picture of uint8 or uint16; row 0 is the top of the image.

    Raises
    ------
    ValueError
        If the image has colours or alpha, is damaged, or is of a kind that is not read.

    References
    ----------
    Portable Network Graphics (PNG) Specification (Third Edition), W3C Recommendation (2025).
    """
    if file.read(len(_SIGNATURE)) != _SIGNATURE:
        raise ValueError("it is not a PNG image")
    kind, data = _read_chunk(file)
    if kind != b"IHDR":
        raise ValueError("the PNG image does not start with a header")
    header = _Header.parse(data)
    lines = _inflate(_read_body(file), header)
    if lines[:, 0].max() > 4:
        raise ValueError("the PNG image uses an unknown row filter")
    unfilter(lines, header.dtype.itemsize)
    pixels = np.ascontiguousarray(lines[:, 1:]).view(header.dtype).astype(header.dtype.newbyteorder("="), copy=False)
    return whole_raster(pixels, full_scale=int(np.iinfo(pixels.dtype).max))


def _write(file: BinaryIO, pixels: Pixels) -> None:
    """Write an image to a file that is open."""
    if pixels.dtype not in (np.uint8, np.uint16):
        raise ValueError(f"pixels are {pixels.dtype}, not uint8 or uint16")
    colours = {(): _GREY, (3,): _RGB, (4,): _RGBA}
    if pixels.ndim not in (2, 3) or pixels.shape[2:] not in colours or pixels.size == 0:
        raise ValueError(f"pixels have shape {pixels.shape}, not (rows, columns) or (rows, columns, 3 or 4)")
    rows, columns = pixels.shape[:2]
    header = struct.pack(">IIBBBBB", columns, rows, 8 * pixels.itemsize, colours[pixels.shape[2:]], 0, 0, 0)
    file.write(_SIGNATURE)
    _write_chunk(file, b"IHDR", header)
    # The parts of a zlib stream are written here, because several threads pack its bands: first the header of a
    # fast level, then the bands, each flushed to a whole byte so that the next can follow, last the checksum.
    _write_chunk(file, b"IDAT", b"\x78\x01")
    band = max(1, _BAND_BYTES // (pixels[0].size * pixels.itemsize))
    bands = ((pixels, first, min(first + band, rows)) for first in range(0, rows, band))
    total = 1
    for packed, filtered in map_in_order(_pack_band, bands):
        _write_chunk(file, b"IDAT", packed)
        total = zlib.adler32(filtered, total)
    _write_chunk(file, b"IDAT", struct.pack(">I", total))
    _write_chunk(file, b"IEND", b"")


@dataclass(frozen=True)
class _Header:
    """The header of a grey image."""

    columns: int
    rows: int
    depth: int

    @classmethod
    def parse(cls, data: bytes) -> "_Header":
        if len(data) != 13:
            raise ValueError(f"the PNG header has {len(data)} bytes, not 13")
        columns, rows, depth, colour, compression, filtering, interlaced = struct.unpack(">IIBBBBB", data)
        check_sides(rows, columns)
        if colour not in _CHANNELS or depth not in (1, 2, 4, 8, 16) or compression or filtering or interlaced > 1:
            raise ValueError("the PNG header holds values that do not exist")
        if colour != _GREY:
            raise ValueError(
                f"the PNG image has {_CHANNELS[colour]} channels; elevation needs a grey image without alpha"
            )
        if depth < 8:
            raise ValueError(f"the PNG image has {depth} bits a channel; save it with 8 or 16")
        if interlaced:
            raise ValueError("the PNG image is interlaced; save it without interlacing")
        return cls(columns, rows, depth)

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(np.uint8) if self.depth == 8 else np.dtype(">u2")

    @property
    def line_bytes(self) -> int:
        return 1 + self.columns * self.dtype.itemsize


def _read_body(file: BinaryIO) -> list[bytes]:
    """Return the packed pixels, piece by piece; everything up to the end of the file is checked."""
    packed: list[bytes] = []
    last = b"IHDR"
    while True:
        kind, data = _read_chunk(file)
        if kind == b"IEND":
            break
        if kind == b"IDAT":
            if packed and last != b"IDAT":
                raise ValueError("the pixels of the PNG image are not in one piece")
            packed.append(data)
        elif not kind[0] & 0x20 and kind != b"PLTE":  # A capital first letter: the image cannot be read without it.
            raise ValueError(f"the PNG image has an unknown part {kind.decode('ascii', 'replace')!r}")
        last = kind
    if data or remaining_bytes(file):
        raise ValueError("the PNG image is followed by something else")
    return packed


def _read_chunk(file: BinaryIO) -> tuple[bytes, bytes]:
    head = file.read(8)
    if len(head) < 8:
        raise ValueError("the PNG image is cut short")
    length, kind = struct.unpack(">I4s", head)
    if length + 4 > remaining_bytes(file):
        raise ValueError("the PNG image is cut short")
    data = file.read(length)
    if file.read(4) != _checksum(kind, data):
        raise ValueError("the PNG image is damaged: a checksum is wrong")
    return kind, data


def _inflate(packed: list[bytes], header: _Header) -> npt.NDArray[np.uint8]:
    """Return the filtered rows, each after its filter; never more bytes than the header promises."""
    size = header.rows * header.line_bytes
    if size > LARGEST_DEFLATE_RATIO * sum(map(len, packed)):
        raise ValueError("the PNG image is cut short")
    check_room(_COPIES * size, header.rows, header.columns)
    lines = np.empty(size, np.uint8)
    filled = 0
    inflate = zlib.decompressobj()
    try:
        for data in packed:
            for start in range(0, len(data), _INPUT_BYTES):
                piece = inflate.decompress(data[start : start + _INPUT_BYTES], size - filled + 1)
                if filled + len(piece) > size or inflate.unused_data:
                    raise ValueError("the PNG image holds more data than its size allows")
                lines[filled : filled + len(piece)] = np.frombuffer(piece, np.uint8)
                filled += len(piece)
    except zlib.error as error:
        raise ValueError("the PNG image is damaged: its pixels cannot be unpacked") from error
    if filled < size or not inflate.eof:
        raise ValueError("the PNG image is cut short")
    return lines.reshape(header.rows, header.line_bytes)


@kernel
def unfilter(lines: npt.NDArray[np.uint8], pixel_bytes: int) -> None:
    """Undo the row filters in place.

    Parameters
    ----------
    lines : ndarray of uint8, shape (rows, 1 + bytes of a row)
        Column 0 is the filter of the row, 0 to 4.
    pixel_bytes : int
        Distance in bytes to the same channel of the pixel on the left.

    References
    ----------
    Portable Network Graphics (PNG) Specification (Third Edition), W3C Recommendation (2025), section 9, "Filtering".
    """
    rows, end = lines.shape
    for row in range(rows):
        method = lines[row, 0]
        for i in range(1, end):
            left = int(lines[row, i - pixel_bytes]) if i > pixel_bytes else 0
            above = int(lines[row - 1, i]) if row > 0 else 0
            predicted = 0
            if method == 1:
                predicted = left
            elif method == 2:
                predicted = above
            elif method == 3:
                predicted = (left + above) // 2
            elif method == 4:
                corner = int(lines[row - 1, i - pixel_bytes]) if row > 0 and i > pixel_bytes else 0
                # Paeth: the neighbour nearest to left + above - corner; of equal ones the first of left, above, corner.
                from_left = abs(above - corner)
                from_above = abs(left - corner)
                from_corner = abs(left + above - 2 * corner)
                if from_left <= from_above and from_left <= from_corner:
                    predicted = left
                elif from_above <= from_corner:
                    predicted = above
                else:
                    predicted = corner
            lines[row, i] = (int(lines[row, i]) + predicted) & 255


def _pack_band(band: tuple[Pixels, int, int]) -> tuple[bytes, bytes]:
    """Return rows first to last packed, and the same unpacked; the last rows of the image end the stream."""
    pixels, first, last = band
    filtered = _subtract_row_above(pixels, first, last)
    # Differences of heights hardly ever repeat.  A search for runs only takes half as long as level 1, and the size is
    # the same within a tenth.
    deflate = zlib.compressobj(1, wbits=-zlib.MAX_WBITS, strategy=zlib.Z_RLE)
    end = zlib.Z_FINISH if last == len(pixels) else zlib.Z_SYNC_FLUSH
    return deflate.compress(filtered) + deflate.flush(end), filtered


def _subtract_row_above(pixels: Pixels, first: int, last: int) -> bytes:
    """Return rows first to last with the filter Up, each after the number of the filter."""
    size = pixels[0].size * pixels.itemsize
    lines = np.zeros((last - first + 1, size), np.uint8)
    start = max(first - 1, 0)
    part = np.ascontiguousarray(pixels[start:last], dtype=pixels.dtype.newbyteorder(">"))
    lines[start - last :] = part.view(np.uint8).reshape(last - start, size)
    filtered = np.empty((last - first, 1 + size), np.uint8)
    filtered[:, 0] = _UP
    np.subtract(lines[1:], lines[:-1], out=filtered[:, 1:])
    return filtered.tobytes()


def _write_chunk(file: BinaryIO, kind: bytes, data: bytes) -> None:
    if data or kind != b"IDAT":
        file.write(struct.pack(">I4s", len(data), kind) + data + _checksum(kind, data))


def _checksum(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", zlib.crc32(data, zlib.crc32(kind)))


PNG = ElevationFormat("PNG", (".png",), "grey picture of 8 or 16 bits", lambda file, path: open_png(file))

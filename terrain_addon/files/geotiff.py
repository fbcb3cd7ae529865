"""GeoTIFF: the format in which most surveys publish elevation.

References
----------
TIFF, Revision 6.0, Adobe (1992).
"The BigTIFF File Format", libtiff documentation.
Adobe Photoshop TIFF Technical Notes (2002): deflate.
Adobe Photoshop TIFF Technical Note 3 (2005): predictor for floats.
OGC GeoTIFF Standard, version 1.1, OGC 19-008r4 (2019).
GDAL documentation, "GTiff: GeoTIFF File Format": the tags GDAL_METADATA and GDAL_NODATA.
"""

import math
import os
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from .georeference import UNITS, degrees_to_metres, looks_geographic, mercator_scale
from .lzw import unpack_lzw
from .parallel import map_in_order
from .raster import LONGEST_SIDE, ElevationFormat, Raster, Window
from .reading import LARGEST_DEFLATE_RATIO, check_room, check_sides, parse_missing, parse_number, read_exactly, unpack
from .turned import Axes, turn_north

_WIDTH, _LENGTH, _BITS, _COMPRESSION, _PHOTOMETRIC, _FILL_ORDER = 256, 257, 258, 259, 262, 266
_STRIP_OFFSETS, _ORIENTATION, _SAMPLES, _ROWS_PER_STRIP, _STRIP_SIZES = 273, 274, 277, 278, 279
_PREDICTOR, _TILE_WIDTH, _TILE_LENGTH, _TILE_OFFSETS, _TILE_SIZES, _FORMAT = 317, 322, 323, 324, 325, 339
_PIXEL_SCALE, _TIE_POINTS, _TRANSFORMATION = 33550, 33922, 34264
_GEO_KEYS, _GEO_DOUBLES, _METADATA, _NODATA = 34735, 34736, 42112, 42113
_MODEL_TYPE, _GEOGRAPHY, _ANGULAR_UNITS, _PROJECTION, _LINEAR_UNITS, _LINEAR_SIZE = 1024, 2048, 2054, 3072, 3076, 3077
_VERTICAL_SYSTEM, _VERTICAL_UNITS = 4096, 4099
# EPSG codes of vertical coordinate systems whose heights are in feet, and of their unit.
_VERTICAL_SYSTEMS: dict[float, int] = {
    5702: 9003,
    6360: 9003,
    8052: 9003,
    6130: 9002,
    6131: 9002,
    6132: 9002,
    8050: 9002,
    8228: 9002,
}
# What GDAL says of a band, in its own tag: `<Item name="SCALE" sample="0" role="scale">0.1</Item>`.
_BAND_ITEM = re.compile(r'<Item name="(OFFSET|SCALE|UNITTYPE)" sample="0"[^>]*>([^<]*)</Item>')
_UNIT_NAMES = {
    **dict.fromkeys(("m", "metre", "metres", "meter", "meters"), UNITS[9001]),
    **dict.fromkeys(("ft", "foot", "feet", "international foot", "international feet"), UNITS[9002]),
    **dict.fromkeys(("us-ft", "ftus", "us survey foot", "us survey feet"), UNITS[9003]),
    **dict.fromkeys(("cm", "centimetre", "centimetres", "centimeter", "centimeters"), 0.01),
}
_PROJECTED, _GEOGRAPHIC = 1, 2
_WEB_MERCATOR = (3857, 3785, 900913)

# Types of values in TIFF, and their letters in the module struct.
_TYPES = {
    1: "B",
    2: "c",
    3: "H",
    4: "I",
    6: "b",
    7: "c",
    8: "h",
    9: "i",
    11: "f",
    12: "d",
    13: "I",
    16: "Q",
    17: "q",
    18: "Q",
}
_NONE, _LZW, _DEFLATE, _OLD_DEFLATE = 1, 5, 8, 32946
_UNREAD_PACKINGS = {2: "CCITT", 3: "CCITT", 4: "CCITT", 6: "JPEG", 7: "JPEG", 32773: "PackBits", 34712: "JPEG 2000"}
_UNREAD_PACKINGS |= {34887: "LERC", 34925: "LZMA", 50000: "Zstandard", 50001: "WebP", 50002: "JPEG XL"}
_KINDS = {1: "u", 2: "i", 3: "f", 4: "u"}
_MOST_TAGS = 4096
# A piece that is unpacked, while its predictor is undone and the result is put into the machine's byte order.
_COPIES = 3
# Samples by which the tiles may be larger than the image.
_MOST_PADDING = 1 << 22


def open_geotiff(file: BinaryIO) -> Raster:
    """Open the first image of a TIFF file.

    It may have strips or tiles, no compression, deflate or LZW, one of three predictors, integers of 8 to 64 bits or
    floats of 16 to 64 bits, either byte order, and it may be a BigTIFF.  Heights in feet, with a scale or an offset,
    and cells in degrees, feet or web Mercator become metres.  An image of unsigned integers of 8 or 16 bits without a
    place on Earth is a picture.

    Parameters
    ----------
    file : BinaryIO
        On disk.

    Returns
    -------
    Raster
        A picture, or heights in metres.

    Raises
    ------
    ValueError
        If the file is damaged, or of a kind that is not read.

    References
    ----------
    TIFF, Revision 6.0, Adobe (1992).
    OGC GeoTIFF Standard, version 1.1, OGC 19-008r4 (2019).
    """
    tags = _Tags.parse(file)
    layout = _Layout.parse(file, tags)
    georeference = _Georeference.parse(tags, (layout.rows, layout.columns))
    scale = _Scale.parse(tags)
    picture = georeference.spacing is None and layout.dtype.kind == "u" and layout.dtype.itemsize <= 2
    missing = _missing(tags, layout.dtype)
    kept: _Kept = {}

    def read(window: Window) -> npt.NDArray[Any]:
        row = layout.rows - window.row - window.rows if georeference.south_first else window.row
        column = layout.columns - window.column - window.columns if georeference.east_first else window.column
        # A sparse file does not store pieces without heights.
        part = Window(row, column, window.rows, window.columns)
        values = layout.read(file, part, 0.0 if missing is None else missing, kept)
        values = values[::-1] if georeference.south_first else values
        return values[:, ::-1] if georeference.east_first else values

    raster = Raster(
        layout.rows,
        layout.columns,
        read,
        georeference.spacing,
        missing,
        int(np.iinfo(layout.dtype).max) if picture and missing is None else None,
        scale.unit,
        scale.zero,
        georeference.coordinates,
        layout.overhead,
    )
    return raster if georeference.axes is None else turn_north(raster, georeference.axes)


_Kept = dict[tuple[int, int], npt.NDArray[Any] | None]
"""Pieces that were unpacked and that reach beyond the window, by their north-west corner; None is an empty piece."""


@dataclass(frozen=True)
class _Tags:
    """The values of the first directory of a TIFF file, by tag."""

    order: str
    values: dict[int, tuple[Any, ...]]

    @classmethod
    def parse(cls, file: BinaryIO) -> "_Tags":
        head = file.read(16)
        order = {b"II": "<", b"MM": ">"}.get(head[:2], "")
        version = struct.unpack(order + "H", head[2:4])[0] if order and len(head) >= 8 else 0
        if version not in (42, 43) or len(head) < (8 if version == 42 else 16):
            raise ValueError("it is not a TIFF image")
        big = version == 43
        if big and struct.unpack(order + "HH", head[4:8]) != (8, 0):
            raise ValueError("it is not a TIFF image")
        (place,) = struct.unpack(order + "Q", head[8:16]) if big else struct.unpack(order + "I", head[4:8])
        count_size, entry_size, value_size = (8, 20, 8) if big else (2, 12, 4)
        (count,) = struct.unpack(order + ("Q" if big else "H"), read_exactly(file, place, count_size))
        if not 1 <= count <= _MOST_TAGS:
            raise ValueError(f"its directory has {count} entries, outside 1 to {_MOST_TAGS}")
        directory = read_exactly(file, place + count_size, count * entry_size)
        found: dict[int, tuple[Any, ...]] = {}
        for start in range(0, len(directory), entry_size):
            entry = directory[start : start + entry_size]
            tag, kind, number = struct.unpack(order + ("HHQ" if big else "HHI"), entry[:-value_size])
            if kind not in _TYPES or tag not in _READ_TAGS or tag in found:
                continue
            size = number * struct.calcsize(_TYPES[kind])
            if size > value_size:
                (value_place,) = struct.unpack(order + ("Q" if big else "I"), entry[-value_size:])
                data = read_exactly(file, value_place, size)
            else:
                data = entry[-value_size:][:size]
            found[tag] = (data,) if _TYPES[kind] == "c" else struct.unpack(f"{order}{number}{_TYPES[kind]}", data)
        return cls(order, found)

    def number(self, tag: int, default: int | None = None) -> int:
        """Return the first value of a tag as a whole number."""
        values = self.values.get(tag, ())
        if not values and default is not None:
            return default
        if not values or not isinstance(values[0], int):
            raise ValueError(f"its TIFF tag {tag} is missing or damaged")
        return values[0]

    def numbers(self, tag: int) -> tuple[float, ...]:
        """Return the values of a tag as numbers; none if the tag is missing or holds something else."""
        values = self.values.get(tag, ())
        return () if any(isinstance(value, bytes) for value in values) else values

    def whole_numbers(self, tag: int) -> tuple[int, ...]:
        """Return the values of a tag as whole numbers of 0 or more; none if the tag holds something else."""
        values = self.values.get(tag, ())
        return values if all(isinstance(value, int) and value >= 0 for value in values) else ()


_READ_TAGS = {
    *(_WIDTH, _LENGTH, _BITS, _COMPRESSION, _PHOTOMETRIC, _FILL_ORDER),
    *(_STRIP_OFFSETS, _ORIENTATION, _SAMPLES, _ROWS_PER_STRIP, _STRIP_SIZES),
    *(_PREDICTOR, _TILE_WIDTH, _TILE_LENGTH, _TILE_OFFSETS, _TILE_SIZES, _FORMAT),
    *(_PIXEL_SCALE, _TIE_POINTS, _TRANSFORMATION, _GEO_KEYS, _GEO_DOUBLES, _METADATA, _NODATA),
}


@dataclass(frozen=True)
class _Layout:
    """Where the pieces of an image are (a strip is a tile as wide as the image), and how their numbers are packed."""

    rows: int
    columns: int
    dtype: np.dtype[Any]
    packing: int
    predictor: int
    tile_rows: int
    tile_columns: int
    offsets: tuple[int, ...]
    sizes: tuple[int, ...]
    is_tiled: bool

    @classmethod
    def parse(cls, file: BinaryIO, tags: _Tags) -> "_Layout":
        rows, columns = tags.number(_LENGTH), tags.number(_WIDTH)
        if not (1 <= rows <= LONGEST_SIDE and 1 <= columns <= LONGEST_SIDE):
            raise ValueError(f"its size of {rows} rows × {columns} columns is outside 1 to {LONGEST_SIDE}")
        if (channels := tags.number(_SAMPLES, 1)) != 1:
            raise ValueError(f"it has {channels} channels; elevation needs one")
        if tags.number(_PHOTOMETRIC, 1) not in (0, 1):
            raise ValueError("it is a colour image; elevation needs a grey one")
        if tags.number(_ORIENTATION, 1) != 1 or tags.number(_FILL_ORDER, 1) != 1:
            raise ValueError("its samples are stored in an unusual order; save it again with the top row first")
        packing, predictor = tags.number(_COMPRESSION, _NONE), tags.number(_PREDICTOR, 1)
        if packing not in (_NONE, _LZW, _DEFLATE, _OLD_DEFLATE):
            name = _UNREAD_PACKINGS.get(packing, f"number {packing}")
            raise ValueError(f"it is compressed as {name}; save it with deflate, LZW or none")
        dtype = _dtype(tags)
        if packing == _NONE:
            predictor = 1
        if predictor not in (1, 2, 3) or (predictor == 3 and dtype.kind != "f"):
            raise ValueError(f"its predictor {predictor} is unknown for {dtype.name}")
        tiled = _TILE_OFFSETS in tags.values
        if tiled:
            tile_rows, tile_columns = tags.number(_TILE_LENGTH), tags.number(_TILE_WIDTH)
            if tile_rows < 16 or tile_columns < 16 or tile_rows % 16 or tile_columns % 16:
                raise ValueError(f"its tiles of {tile_rows} × {tile_columns} are not multiples of 16")
            if tile_rows * tile_columns > rows * columns + _MOST_PADDING:
                raise ValueError(f"its tiles of {tile_rows} × {tile_columns} are far larger than the image")
        else:
            tile_rows, tile_columns = min(max(tags.number(_ROWS_PER_STRIP, rows), 1), rows), columns
        offsets = tags.whole_numbers(_TILE_OFFSETS if tiled else _STRIP_OFFSETS)
        sizes = tags.whole_numbers(_TILE_SIZES if tiled else _STRIP_SIZES)
        count = -(-rows // tile_rows) * -(-columns // tile_columns)
        if not sizes and len(offsets) == 1 and packing == _NONE:
            sizes = (rows * columns * dtype.itemsize,)
        if len(offsets) != count or len(sizes) != count:
            raise ValueError(
                f"its list of {'tiles' if tiled else 'strips'} is damaged: {len(offsets)} instead of {count}"
            )
        # Empty pieces may be missing from a file, so an image can be larger than its file, but only up to a limit.  The
        # pieces that are there must fit into it.
        stored = sum(offset != 0 for offset in offsets) * tile_rows * tile_columns * dtype.itemsize
        ratio = 1 if packing == _NONE else _LARGEST_RATIO
        room = 4 * os.fstat(file.fileno()).st_size
        if rows * columns * dtype.itemsize > _LARGEST_RATIO * room or stored > ratio * room:
            raise ValueError(f"it is too short for its {rows} rows × {columns} columns")
        return cls(rows, columns, dtype, packing, predictor, tile_rows, tile_columns, offsets, sizes, tiled)

    @property
    def overhead(self) -> int:
        """Bytes that a row of pieces takes while it is unpacked; next to nothing if they are not packed."""
        if self.packing == _NONE:
            return 0
        pieces = -(-self.columns // self.tile_columns)
        return _COPIES * pieces * self.tile_rows * self.tile_columns * self.dtype.itemsize

    def read(self, file: BinaryIO, window: Window, missing: float, kept: _Kept) -> npt.NDArray[Any]:
        """Return the samples of a window, shape (window.rows, window.columns), in the machine's byte order.

        Pieces that reach beyond the window are kept for the next one, because a large strip takes long to unpack.
        """
        check_sides(window.rows, window.columns)
        if self.packing == _NONE and not self.is_tiled and self.tile_rows == self.rows:
            return self._read_plain(file, window, missing)
        check_room(self.overhead, self.rows, self.columns)
        values = np.empty((window.rows, window.columns), self.dtype.newbyteorder("="))
        corners = self._corners(window)
        for corner in [corner for corner in kept if corner not in corners]:
            del kept[corner]
        known = [(corner, kept[corner]) for corner in corners if corner in kept]
        new = (self._piece(file, corner) for corner in corners if corner not in kept)
        for (top, left), tile in chain(known, map_in_order(self._unpack_at, new)):
            first_row, last_row = max(top, window.row), min(top + self.tile_rows, window.row + window.rows)
            first, last = max(left, window.column), min(left + self.tile_columns, window.column + window.columns)
            into = values[first_row - window.row : last_row - window.row, first - window.column : last - window.column]
            into[...] = missing if tile is None else tile[first_row - top : last_row - top, first - left : last - left]
            if last_row < min(top + self.tile_rows, self.rows):
                kept[top, left] = tile
        return values

    def _read_plain(self, file: BinaryIO, window: Window, missing: float) -> npt.NDArray[Any]:
        """Return the samples of a window of one strip that is not packed."""
        if self.sizes[0] == 0:
            return np.full((window.rows, window.columns), missing, self.dtype.newbyteorder("="))
        line = self.columns * self.dtype.itemsize
        if self.sizes[0] < self.rows * line:
            raise ValueError("it is cut short: a strip of it ends early")
        data = read_exactly(file, self.offsets[0] + window.row * line, window.rows * line)
        values = np.frombuffer(data, self.dtype).reshape(window.rows, self.columns)
        return values[:, window.column : window.column + window.columns].astype(self.dtype.newbyteorder("="))

    def _corners(self, window: Window) -> list[tuple[int, int]]:
        """Return the north-west corners of all tiles in a window, in the order in which they are stored."""
        rows = range(window.row // self.tile_rows, -(-(window.row + window.rows) // self.tile_rows))
        columns = range(window.column // self.tile_columns, -(-(window.column + window.columns) // self.tile_columns))
        return [(row * self.tile_rows, column * self.tile_columns) for row in rows for column in columns]

    def _piece(self, file: BinaryIO, corner: tuple[int, int]) -> tuple[tuple[int, int], int, bytes]:
        """Return the north-west corner, the number of rows and the packed bytes of a tile."""
        across = -(-self.columns // self.tile_columns)
        top, left = corner
        rows = self.tile_rows if self.is_tiled else min(self.tile_rows, self.rows - top)
        place = top // self.tile_rows * across + left // self.tile_columns
        # Packed data are hardly longer than the samples; more than that is damaged and would take long to read.
        longest = 2 * rows * self.tile_columns * self.dtype.itemsize + 1024
        return corner, rows, read_exactly(file, self.offsets[place], min(self.sizes[place], longest))

    def _unpack_at(self, piece: tuple[tuple[int, int], int, bytes]) -> tuple[tuple[int, int], npt.NDArray[Any] | None]:
        corner, rows, packed = piece
        return corner, self._unpack(packed, rows) if packed else None

    def _unpack(self, packed: bytes, rows: int) -> npt.NDArray[Any]:
        line = self.tile_columns * self.dtype.itemsize
        size = rows * line
        data = packed[:size] if self.packing == _NONE else _UNPACK[self.packing](packed, size, self.tile_rows * line)
        if len(data) != size:
            raise ValueError(f"it is cut short: a {'tile' if self.is_tiled else 'strip'} of it ends early")
        shape = rows, self.tile_columns
        if self.predictor == 3:
            return _undo_float_predictor(np.frombuffer(data, np.uint8), shape, self.dtype)
        values = np.frombuffer(data, self.dtype).astype(self.dtype.newbyteorder("="), copy=False).reshape(shape)
        return values if self.predictor == 1 else _undo_differences(values)


def _dtype(tags: _Tags) -> np.dtype[Any]:
    """Return the type of the samples, with its byte order."""
    bits, kind = tags.number(_BITS, 1), _KINDS.get(tags.number(_FORMAT, 1), "")
    if not kind or bits not in (8, 16, 32, 64) or (kind == "f" and bits == 8):
        raise ValueError(f"its samples have {bits} bits of kind {tags.number(_FORMAT, 1)}; save it as int16 or float32")
    return np.dtype(f"{tags.order}{kind}{bits // 8}")


def _inflate(packed: bytes, size: int, most: int) -> bytes:
    if size > LARGEST_DEFLATE_RATIO * len(packed):
        raise ValueError("it is cut short: one of its pieces promises more than it can hold")
    return unpack(packed, size, most)


def _unpack_lzw(packed: bytes, size: int, most: int) -> bytes:
    if size > _LARGEST_RATIO * len(packed):
        raise ValueError("it is cut short: one of its pieces promises more than it can hold")
    return unpack_lzw(packed, size)


# A code of 12 bits stands for at most 3838 bytes.
_LARGEST_RATIO = 3838 * 8 // 12
_UNPACK: dict[int, Callable[[bytes, int, int], bytes]] = {_LZW: _unpack_lzw, _DEFLATE: _inflate, _OLD_DEFLATE: _inflate}


def _undo_differences(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Undo predictor 2: each number was stored as its difference to the one on its left, as integers."""
    whole = values.view(f"u{values.dtype.itemsize}")
    return np.add.accumulate(whole, axis=1, dtype=whole.dtype).view(values.dtype)


def _undo_float_predictor(
    data: npt.NDArray[np.uint8], shape: tuple[int, int], dtype: np.dtype[Any]
) -> npt.NDArray[Any]:
    """Undo predictor 3: a row has the highest bytes of all numbers first, each byte as its difference to the last."""
    rows, columns = shape
    planes = np.add.accumulate(data.reshape(rows, columns * dtype.itemsize), axis=1, dtype=np.uint8)
    numbers = planes.reshape(rows, dtype.itemsize, columns).transpose(0, 2, 1)
    big = np.ascontiguousarray(numbers).view(dtype.newbyteorder(">"))[..., 0]
    return big.astype(dtype.newbyteorder("="), copy=False)


def _missing(tags: _Tags, dtype: np.dtype[Any]) -> float | None:
    """Return the number that marks missing heights, None if there is none or it is NaN."""
    if _NODATA in tags.values:
        number = parse_missing(_text(tags, _NODATA), "GDAL_NODATA")
        return None if number is None else _fitting(number, dtype)
    return -32768.0 if dtype.kind == "i" and dtype.itemsize == 2 else None


def _text(tags: _Tags, tag: int) -> str:
    """Return the text of a tag; empty if the tag is missing or holds something else."""
    stored = tags.values.get(tag)
    return stored[0].split(b"\0")[0].decode("latin-1").strip() if stored and isinstance(stored[0], bytes) else ""


def _fitting(value: float, dtype: np.dtype[Any]) -> float | None:
    """Return a number if the type of the samples can hold it, None otherwise."""
    if dtype.kind == "f":
        return value
    limits = np.iinfo(dtype)
    return value if value == int(value) and limits.min <= value <= limits.max else None


@dataclass(frozen=True)
class _Georeference:
    """The place of an image on Earth, as far as its size and orientation depend on it."""

    spacing: tuple[float, float] | None = None
    south_first: bool = False
    east_first: bool = False
    coordinates: str = ""
    axes: Axes | None = None
    """How rows and columns lie if they are turned against north."""

    @classmethod
    def parse(cls, tags: _Tags, shape: tuple[int, int]) -> "_Georeference":
        keys = _geo_keys(tags)
        placed = _place(tags)
        if placed is None:
            return cls()
        code = keys.get(_GEOGRAPHY) if keys.get(_MODEL_TYPE) == _GEOGRAPHIC else keys.get(_PROJECTION)
        coordinates = f"EPSG {code:.0f}" if code is not None and 1024 <= code < _OWN_UNIT else ""
        (x, y), column, row = placed
        if Axes(column, row).is_turned:
            axes = _true_axes(keys, placed, shape)
            spacing = math.hypot(*axes.column), math.hypot(*axes.row)
            return cls(spacing, coordinates=coordinates, axes=axes)
        spacing = _true_spacing(keys, x, y, column[0], -row[1], shape)
        return cls(spacing, row[1] > 0.0, column[0] < 0.0, coordinates)


class _Scale(NamedTuple):
    """Metres from a stored height of 0 to one of 1, and metres of a stored height of 0."""

    unit: float
    zero: float

    @classmethod
    def parse(cls, tags: _Tags) -> "_Scale":
        keys, items = _geo_keys(tags), dict(_BAND_ITEM.findall(_text(tags, _METADATA)))
        code = keys.get(_VERTICAL_UNITS, _VERTICAL_SYSTEMS.get(keys.get(_VERTICAL_SYSTEM, 0), 9001))
        # What the band says counts more than the coordinate system.
        metres = _UNIT_NAMES.get(items.get("UNITTYPE", "").strip().lower(), UNITS.get(code, 1.0))
        scale, offset = (
            parse_number(items.get(name, usual), name) for name, usual in (("SCALE", "1"), ("OFFSET", "0"))
        )
        return cls(scale * metres, offset * metres)


def _geo_keys(tags: _Tags) -> dict[int, float]:
    """Return the numbers of the GeoKey directory: those stored in it, and single doubles."""
    directory, doubles = tags.numbers(_GEO_KEYS), tags.numbers(_GEO_DOUBLES)
    keys: dict[int, float] = {}
    for start in range(4, len(directory) - 3, 4):
        key, place, count, value = (int(n) for n in directory[start : start + 4])
        if place == 0:
            keys[key] = value
        elif place == _GEO_DOUBLES and count == 1 and value < len(doubles):
            keys[key] = doubles[value]
    return keys


class _Placed(NamedTuple):
    """Coordinates (x, y) of the first sample, and what they change from a column and from a row to the next."""

    first: tuple[float, float]
    column: tuple[float, float]
    row: tuple[float, float]


def _place(tags: _Tags) -> _Placed | None:
    """Return where an image lies; None if it has no place."""
    matrix, scale, points = tags.numbers(_TRANSFORMATION), tags.numbers(_PIXEL_SCALE), tags.numbers(_TIE_POINTS)
    if len(matrix) == 16:
        placed = _Placed((matrix[3], matrix[7]), (matrix[0], matrix[4]), (matrix[1], matrix[5]))
    elif len(scale) >= 2:
        column, row, _, x, y, _ = points[:6] if len(points) >= 6 else (0.0,) * 6
        placed = _Placed((x - column * scale[0], y + row * scale[1]), (scale[0], 0.0), (0.0, -scale[1]))
    else:
        return None
    if not all(math.isfinite(n) for pair in placed for n in pair) or not any(placed.column) or not any(placed.row):
        raise ValueError("its place on Earth is damaged: the distance between samples is not a length")
    return placed


def _true_axes(keys: dict[int, float], placed: _Placed, shape: tuple[int, int]) -> Axes:
    """Return how rows and columns lie in metres, from the upright rectangle around the land."""
    (x, y), column, row = placed
    corners = [(i, j) for i in (0, shape[1]) for j in (0, shape[0])]
    easts = [x + i * column[0] + j * row[0] for i, j in corners]
    norths = [y + i * column[1] + j * row[1] for i, j in corners]
    west, east, south, north = min(easts), max(easts), min(norths), max(norths)
    east_step, north_step = (east - west) / shape[1], (north - south) / shape[0]
    true_east, true_north = _true_spacing(keys, west, north, east_step, north_step, shape)
    to_east, to_north = true_east / east_step, true_north / north_step
    return Axes((column[0] * to_east, column[1] * to_north), (row[0] * to_east, row[1] * to_north))


def _true_spacing(
    keys: dict[int, float], west: float, north: float, east_step: float, north_step: float, shape: tuple[int, int]
) -> tuple[float, float]:
    """Return the metres between samples to the east and to the north."""
    width, height = shape[1] * east_step, shape[0] * north_step
    west, east = sorted((west, west + width))
    south, north = sorted((north - height, north))
    east_step, north_step = abs(east_step), abs(north_step)
    model = keys.get(_MODEL_TYPE)
    if model == _GEOGRAPHIC or (
        model != _PROJECTED and looks_geographic(west, north, east, south, max(east_step, north_step))
    ):
        degrees = 180.0 / math.pi if keys.get(_ANGULAR_UNITS) == _RADIANS else 1.0
        return degrees_to_metres(east_step * degrees, north_step * degrees, 0.5 * (south + north) * degrees)
    unit = UNITS.get(keys.get(_LINEAR_UNITS, 9001), 1.0)
    if keys.get(_LINEAR_UNITS) == _OWN_UNIT and 0.01 <= keys.get(_LINEAR_SIZE, 0.0) <= 1e4:
        unit = keys[_LINEAR_SIZE]
    if keys.get(_PROJECTION) in _WEB_MERCATOR:
        unit *= mercator_scale(0.5 * (south + north))
    return east_step * unit, north_step * unit


_RADIANS = 9101
_OWN_UNIT = 32767

GEOTIFF = ElevationFormat(
    "GeoTIFF",
    (".tif", ".tiff"),
    "metres or feet; a picture if unsigned and without a place on Earth",
    lambda file, path: open_geotiff(file),
)

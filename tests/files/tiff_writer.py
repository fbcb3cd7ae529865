"""TIFF files of any kind, right or wrong, made from the specification alone."""

import struct
import zlib
from typing import Any

import numpy as np

_SHORT, _LONG, _DOUBLE, _LONG8, _ASCII = 3, 4, 12, 16, 2
_KINDS = {"u": 1, "i": 2, "f": 3}

PLACE = {33550: (_DOUBLE, [30.0, 30.0, 0.0]), 33922: (_DOUBLE, [0.0, 0.0, 0.0, 4e5, 4e6, 0.0])}
"""Tags of a place in metres, with cells of 30."""


def geo_keys(**keys: int) -> dict[int, tuple[int, Any]]:
    """The tag of GeoKeys by name: model, projection, unit, angular, vertical, heights."""
    numbers = {"model": 1024, "angular": 2054, "projection": 3072, "unit": 3076, "vertical": 4099, "heights": 4096}
    entries = [number for name, value in keys.items() for number in (numbers[name], 0, 1, value)]
    return {34735: (_SHORT, [1, 1, 0, len(keys), *entries])}


def nodata(text: str) -> dict[int, tuple[int, Any]]:
    """The tag of a number for missing heights."""
    return {42113: (_ASCII, text.encode() + b"\0")}


def make_tiff(
    values: np.ndarray,
    *,
    order: str = "<",
    big: bool = False,
    packing: int = 1,
    predictor: int = 1,
    tile: tuple[int, int] | None = None,
    strip_rows: int | None = None,
    tags: dict[int, tuple[int, Any]] | None = None,
    pieces: list[bytes] | None = None,
) -> bytes:
    """Return a TIFF file of one grey image; `tags` replace or add, `pieces` replace strips or tiles."""
    rows, columns = values.shape
    values = values.astype(values.dtype.newbyteorder(order))
    if tile:
        high, wide = tile
        padded = np.pad(values, ((0, -rows % high), (0, -columns % wide)), mode="edge")
        blocks = [padded[r : r + high, c : c + wide] for r in range(0, rows, high) for c in range(0, columns, wide)]
    else:
        high = strip_rows or rows
        blocks = [values[r : r + high] for r in range(0, rows, high)]
    data = pieces if pieces is not None else [pack(block, packing, predictor) for block in blocks]
    head = 16 if big else 8
    starts = [head + sum(map(len, data[:i])) if piece else 0 for i, piece in enumerate(data)]
    long = _LONG8 if big else _LONG
    fields: dict[int, tuple[int, Any]] = {
        256: (_LONG, [columns]),
        257: (_LONG, [rows]),
        258: (_SHORT, [8 * values.itemsize]),
        259: (_SHORT, [packing]),
        262: (_SHORT, [1]),
        277: (_SHORT, [1]),
        317: (_SHORT, [predictor]),
        339: (_SHORT, [_KINDS[values.dtype.kind]]),
        (324 if tile else 273): (long, starts),
        (325 if tile else 279): (long, [len(piece) for piece in data]),
    }
    fields |= {322: (_SHORT, [wide]), 323: (_SHORT, [high])} if tile else {278: (_LONG, [high])}
    fields |= tags or {}
    body = b"".join(data)
    return _assemble(fields, body, order, big)


def _assemble(fields: dict[int, tuple[int, Any]], body: bytes, order: str, big: bool) -> bytes:
    letters = {_SHORT: "H", _LONG: "I", _DOUBLE: "d", _LONG8: "Q"}
    count_letter, place_letter, entry, width = ("Q", "Q", "HHQ", 8) if big else ("H", "I", "HHI", 4)
    place = (16 if big else 8) + len(body)
    after = place + struct.calcsize(order + count_letter) + len(fields) * (12 if not big else 20) + width
    directory, values = struct.pack(order + count_letter, len(fields)), b""
    for tag, (kind, numbers) in sorted(fields.items()):
        data = numbers if kind == _ASCII else struct.pack(f"{order}{len(numbers)}{letters[kind]}", *numbers)
        directory += struct.pack(order + entry, tag, kind, len(numbers))
        if len(data) <= width:
            directory += data.ljust(width, b"\0")
        else:
            directory += struct.pack(order + place_letter, after + len(values))
            values += data
    directory += struct.pack(order + place_letter, 0)
    mark = b"II" if order == "<" else b"MM"
    version = struct.pack(order + "HHHQ", 43, 8, 0, place) if big else struct.pack(order + "HI", 42, place)
    return mark + version + body + directory + values


def pack(block: np.ndarray, packing: int, predictor: int) -> bytes:
    """Return one strip or tile as it lies in a file."""
    if predictor == 2:
        whole = block.astype(block.dtype.newbyteorder("=")).view(f"u{block.itemsize}")
        steps = np.diff(whole, axis=1, prepend=np.zeros((len(whole), 1), whole.dtype))
        raw = steps.astype(steps.dtype.newbyteorder(block.dtype.byteorder)).tobytes()
    elif predictor == 3:
        planes = block.astype(block.dtype.newbyteorder(">")).view(np.uint8).reshape(*block.shape, block.itemsize)
        lines = planes.transpose(0, 2, 1).reshape(len(block), -1)
        raw = np.diff(lines, axis=1, prepend=np.zeros((len(lines), 1), np.uint8)).tobytes()
    else:
        raw = np.ascontiguousarray(block).tobytes()
    if packing == 1:
        return raw
    return lzw(raw) if packing == 5 else zlib.compress(raw)


def lzw(raw: bytes) -> bytes:
    """Pack bytes as TIFF 6.0, section 13, tells a writer to."""
    bits = filled = 0
    packed = bytearray()

    def put(code: int, width: int) -> None:
        nonlocal bits, filled
        bits, filled = (bits << width) | code, filled + width
        while filled >= 8:
            filled -= 8
            packed.append((bits >> filled) & 255)

    fresh = {bytes([i]): i for i in range(256)}
    table, width, known = dict(fresh), 9, b""
    put(256, width)
    for byte in raw:
        longer = known + bytes([byte])
        if longer in table:
            known = longer
            continue
        put(table[known], width)
        table[longer] = len(table) + 2  # 256 and 257 are taken.
        known = bytes([byte])
        # A writer knows one code more than a reader, so it changes widths at 511, 1023 and 2047 and clears at 4094.
        if table[longer] == 4093:
            put(256, 12)
            table, width = dict(fresh), 9
        elif table[longer] in (511, 1023, 2047):
            width += 1
    if known:
        put(table[known], width)
    put(257, width)
    put(0, -filled % 8)
    return bytes(packed)

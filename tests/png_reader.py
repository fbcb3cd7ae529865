"""Read the PNG images that we write, by the letter of the format and without our own code."""

import struct
import zlib
from pathlib import Path

import numpy as np

CHANNELS = {0: 1, 2: 3, 6: 4}
UP = 2


def read_png(path: Path) -> np.ndarray:
    """Grey, RGB or RGBA of 8 or 16 bits whose rows all have the filter Up."""
    data = Path(path).read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, place = [], 8
    while place < len(data):
        (length,) = struct.unpack_from(">I", data, place)
        kind, content = data[place + 4 : place + 8], data[place + 8 : place + 8 + length]
        assert struct.unpack_from(">I", data, place + 8 + length) == (zlib.crc32(kind + content),)
        chunks.append((kind, content))
        place += 12 + length
    columns, rows, depth, colour, *rest = struct.unpack(">IIBBBBB", chunks[0][1])
    assert chunks[0][0] == b"IHDR" and chunks[-1] == (b"IEND", b"") and rest == [0, 0, 0]
    assert {kind for kind, _ in chunks[1:-1]} == {b"IDAT"}
    lines = np.frombuffer(zlib.decompress(b"".join(content for _, content in chunks[1:-1])), np.uint8).reshape(rows, -1)
    assert (lines[:, 0] == UP).all()
    levels = np.ascontiguousarray(np.add.accumulate(lines[:, 1:], axis=0, dtype=np.uint8))
    pixels = levels if depth == 8 else levels.view(">u2").astype(np.uint16)
    return pixels.reshape((rows, columns, CHANNELS[colour]) if CHANNELS[colour] > 1 else (rows, columns))

"""LZW compression in the variant of TIFF files.

References
----------
Welch (1984), "A Technique for High-Performance Data Compression", Computer 17 (6), 8–19,
doi:10.1109/MC.1984.1659158.
TIFF, Revision 6.0, Adobe (1992), section 13, "LZW Compression".
"""

import numpy as np

from ..core.foundation.compilation import Array, kernel

_CODES = 4096


def unpack_lzw(packed: bytes, size: int) -> bytes:
    """Return the first `size` bytes of compressed data.

    Parameters
    ----------
    packed : bytes
        Codes of 9 to 12 bits, highest bit first.  Codes become one bit longer one code before their width is full.
    size : int
        How many bytes are wanted, 0 or more; the rest is not unpacked.

    Returns
    -------
    bytes
        Fewer than `size` where the data end early.

    Raises
    ------
    ValueError
        If a code is used before it is defined.

    References
    ----------
    Welch (1984), "A Technique for High-Performance Data Compression", doi:10.1109/MC.1984.1659158.
    TIFF, Revision 6.0, Adobe (1992), section 13, "LZW Compression".
    """
    unpacked = np.empty(size, np.uint8)
    table = np.empty((2, _CODES), np.int64)
    filled = _unpack(np.frombuffer(packed, np.uint8), unpacked, table[0], table[1])
    if filled < 0:
        raise ValueError("it is damaged: one of its pieces cannot be unpacked")
    return unpacked[:filled].tobytes()


@kernel
def _unpack(packed: Array, unpacked: Array, starts: Array, lengths: Array) -> int:
    """Fill `unpacked` and return how many bytes it holds, −1 if a code is used before it is defined.

    When a code is defined, its bytes have just been unpacked one after the other; its last byte is the first byte of
    the code that follows.  So a code is stored as a start in `unpacked` and a length.  This also works for a code that
    is used at once, while its last byte is still unknown.
    """
    clear, end, first_free = 256, 257, 258
    width, free, filled, previous, previous_length = 9, first_free, 0, -1, 0
    bits, held, place = 0, 0, 0
    while filled < unpacked.size:
        while held < width:
            if place == packed.size:
                return filled
            bits = ((bits << 8) | packed[place]) & 0xFFFFFF
            held += 8
            place += 1
        held -= width
        code = (bits >> held) & ((1 << width) - 1)
        if code == end:
            return filled
        if code == clear:
            width, free, previous = 9, first_free, -1
            continue
        if previous >= 0 and free < 4096:
            starts[free], lengths[free] = previous, previous_length + 1
            free += 1
            if free == (1 << width) - 1 and width < 12:
                width += 1
        if code < 256:
            previous, previous_length = filled, 1
            unpacked[filled] = code
            filled += 1
        elif code < free:
            length = min(lengths[code], unpacked.size - filled)
            start = starts[code]
            for i in range(length):
                unpacked[filled + i] = unpacked[start + i]
            previous, previous_length = filled, lengths[code]
            filled += length
        else:
            return -1
    return filled

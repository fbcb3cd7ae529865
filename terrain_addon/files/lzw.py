"""LZW as TIFF packs it.

Source: Welch (1984), "A Technique for High-Performance Data Compression"; TIFF Revision 6.0, section 13.
"""

import numpy as np

from ..core.foundation.compilation import Array, kernel

_CODES = 4096


def unpack_lzw(packed: bytes, size: int) -> bytes:
    """Return the first `size` bytes of what was packed.

    Parameters
    ----------
    packed : bytes
        Codes of 9 to 12 bits, highest bit first, each width used up to one code before its last.
    size : int
        How many bytes are wanted; more are not unpacked.

    Raises
    ------
    ValueError
        If a code stands for nothing.  What ends too early is returned as far as it goes.
    """
    unpacked = np.empty(size, np.uint8)
    table = np.empty((2, _CODES), np.int64)
    filled = _unpack(np.frombuffer(packed, np.uint8), unpacked, table[0], table[1])
    if filled < 0:
        raise ValueError("it is damaged: one of its pieces cannot be unpacked")
    return unpacked[:filled].tobytes()


@kernel
def _unpack(packed: Array, unpacked: Array, starts: Array, lengths: Array) -> int:
    """Fill `unpacked` and return how much was filled, −1 at a code that stands for nothing.

    A code's bytes were written as one run when it was made, and its last byte is the first of the next code's run; so a
    place in what has been unpacked and a length are all that a code needs, even one that is used while it is made.
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

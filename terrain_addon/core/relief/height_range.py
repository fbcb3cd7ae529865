"""The range of heights that every relief out of nothing is scaled to."""

from dataclasses import dataclass

import numpy as np

from ..compilation import Array, kernel
from ..parameters import ParameterSet, parameter


@dataclass(frozen=True)
class HeightRange(ParameterSet):
    """From the lowest to the highest point that there could be; most land uses the middle of it."""

    height: float = parameter(
        1800.0,
        "Height that the highest summit could reach above the base",
        unit="m",
        limits=(0.0, 20000.0),
        soft=(0.0, 4000.0),
    )
    base_altitude: float = parameter(
        0.0,
        "Altitude of the lowest point that there could be",
        unit="m",
        limits=(-12000.0, 12000.0),
        soft=(-500.0, 2000.0),
    )


@kernel
def fill_range(line: Array, base: np.float32, height: np.float32, attenuation: np.float32) -> None:
    """Turn shares P into heights base + height · Pᵏ; what rounding has put outside [0, 1] is cut off."""
    if attenuation != np.float32(1.0):
        for i in range(line.size):
            line[i] = power(min(max(line[i], np.float32(0.0)), np.float32(1.0)), attenuation)
    for i in range(line.size):
        line[i] = base + height * min(max(line[i], np.float32(0.0)), np.float32(1.0))


@kernel
def power(x: np.float32, exponent: np.float32) -> np.float32:
    """Return x to a power, for x in [0, 1] and exponents above 0, to about 1e-6.

    Written out in additions and multiplications, because the mathematical library differs from system to system in the
    last bit, and costs ten times as much.
    """
    bits = np.int32(np.float32(x).view(np.int32))
    # x = m · 2ᵉ with m in [√½, √2): log₂ m = 2/ln 2 · artanh((m − 1) / (m + 1)).
    e = np.int32(np.int32(bits - np.int32(0x3F3504F3)) >> np.int32(23))
    m = np.int32(bits - np.int32(e << np.int32(23))).view(np.float32)
    a = (m - np.float32(1.0)) / (m + np.float32(1.0))
    b = a * a
    series = np.float32(0.41219859) + b * np.float32(0.32059890)
    series = np.float32(0.57707802) + b * series
    series = np.float32(0.96179669) + b * series
    series = np.float32(2.8853901) + b * series
    y = max(exponent * (np.float32(e) + a * series), np.float32(-126.0))
    # 2ʸ = 2ⁿ · exp(f ln 2) with f in [−½, ½].
    n = np.floor(y + np.float32(0.5))
    f = (y - n) * np.float32(0.69314718)
    result = np.float32(1.0 / 720.0) + f * np.float32(1.0 / 5040.0)
    result = np.float32(1.0 / 120.0) + f * result
    result = np.float32(1.0 / 24.0) + f * result
    result = np.float32(1.0 / 6.0) + f * result
    result = np.float32(0.5) + f * result
    result = np.float32(1.0) + f * result
    result = np.float32(1.0) + f * result
    scale = np.int32(np.int32(np.int32(n) + np.int32(127)) << np.int32(23)).view(np.float32)
    return result * scale if x > np.float32(0.0) else np.float32(0.0)

"""Powers, exponentials and angles whose results are the same, to the last bit, on every processor and system.

Mathematical libraries differ in their last bits: between systems, between versions, and with the instructions that the
processor has.  Where a river can take two ways, one such bit decides where the valley is.  So these functions are
written out in additions, multiplications, divisions and square roots, whose results IEEE 754 defines.  Compilers may
not fuse them, because kernels are compiled without fastmath (see `compilation`).

References
----------
IEEE (2019). IEEE Standard for Floating-Point Arithmetic, IEEE 754-2019. doi:10.1109/IEEESTD.2019.8766229
Cody, W. J. & Waite, W. (1980). Software Manual for the Elementary Functions. Prentice-Hall.  (Range reduction with
constants in two parts.)
"""

import math

import numpy as np

from .compilation import Array, Part, kernel, parallel_kernel, portion
from .terrain import Field

_LOG2_E = 1.0 / math.log(2.0)
# ln 2 and π/2 in two parts: the first has so few digits that whole multiples of it are exact.
_LN2_HIGH, _LN2_LOW = float.fromhex("0x1.62e42feep-1"), float.fromhex("0x1.a39ef35793c76p-33")
_QUARTER_HIGH, _QUARTER_LOW = float.fromhex("0x1.921fb544p+0"), float.fromhex("0x1.0b4611a626331p-34")
# Arguments of exp: above the first the result is infinite, below the second it is 0.
_LARGEST, _SMALLEST = 709.0, -708.0
# A number added to this one is rounded to a whole number.  The other two are the bits of 1 and of √½ in memory.
_WHOLE = 1.5 * 2.0**52
_ONE_BITS = np.int64(1023 << 52)
_HALF_BITS = np.int64(0x3FE6A09E667F3BCD)


@kernel
def exp(x: float) -> float:
    """Return eˣ.

    Parameters
    ----------
    x : float
        Any number.

    Returns
    -------
    float
        With a relative error of 1e-15; 0 below −708 and infinity above 709.
    """
    # x = n ln 2 + r with r in [−½ ln 2, ½ ln 2], and the series of eʳ.  n is a whole number, because `rounded` is so
    # large that its bits have no place for a fraction.
    rounded = x * _LOG2_E + _WHOLE
    n = rounded - _WHOLE
    r = (x - n * _LN2_HIGH) - n * _LN2_LOW
    series = 1.0 / 479001600.0 + r * (1.0 / 6227020800.0)
    series = 1.0 / 39916800.0 + r * series
    series = 1.0 / 3628800.0 + r * series
    series = 1.0 / 362880.0 + r * series
    series = 1.0 / 40320.0 + r * series
    series = 1.0 / 5040.0 + r * series
    series = 1.0 / 720.0 + r * series
    series = 1.0 / 120.0 + r * series
    series = 1.0 / 24.0 + r * series
    series = 1.0 / 6.0 + r * series
    series = 0.5 + r * series
    scale = np.int64(np.int64(np.float64(rounded).view(np.int64) << np.int64(52)) + _ONE_BITS).view(np.float64)
    finite = (1.0 + (r + r * r * series)) * scale
    result = math.inf if x > _LARGEST else finite
    return 0.0 if x < _SMALLEST else result


@kernel
def log(x: float) -> float:
    """Return the natural logarithm.

    Parameters
    ----------
    x : float
        0 or more; numbers below 2.3e-308 count as 0.

    Returns
    -------
    float
        With a relative error of 1e-15; minus infinity for 0, NaN below 0.
    """
    # x = m · 2ᵉ with m in [√½, √2): ln m = 2 artanh((m − 1) / (m + 1)).
    bits = np.float64(x).view(np.int64)
    e = np.int64((bits - _HALF_BITS) >> np.int64(52))
    m = np.int64(bits - np.int64(e << np.int64(52))).view(np.float64)
    f = m - 1.0
    s = f / (2.0 + f)
    z = s * s
    series = 1.0 / 21.0 + z * (1.0 / 23.0)
    series = 1.0 / 19.0 + z * series
    series = 1.0 / 17.0 + z * series
    series = 1.0 / 15.0 + z * series
    series = 1.0 / 13.0 + z * series
    series = 1.0 / 11.0 + z * series
    series = 1.0 / 9.0 + z * series
    series = 1.0 / 7.0 + z * series
    series = 1.0 / 5.0 + z * series
    series = 1.0 / 3.0 + z * series
    normal = e * _LN2_HIGH + (2.0 * s + (2.0 * s * z * series + e * _LN2_LOW))
    finite = normal if x < math.inf else x
    result = -math.inf if x <= 2.3e-308 else finite
    return math.nan if x < 0.0 else result


@kernel
def power(x: float, exponent: float) -> float:
    """Return xʸ.

    Parameters
    ----------
    x : float
        0 or more.
    exponent : float
        y, any number.

    Returns
    -------
    float
        With a relative error of 1e-15 · (1 + |y ln x|); NaN for x below 0.
    """
    return exp(exponent * log(x)) if exponent != 0.0 else 1.0


@kernel
def sin(angle: float) -> float:
    """Return the sine of an angle.

    Parameters
    ----------
    angle : float
        Radians, −1e5 to 1e5.

    Returns
    -------
    float
        With an error of 1e-15.
    """
    return _sine_of_turned(angle, 0)


@kernel
def cos(angle: float) -> float:
    """Return the cosine of an angle.

    Parameters
    ----------
    angle : float
        Radians, −1e5 to 1e5.

    Returns
    -------
    float
        With an error of 1e-15.
    """
    return _sine_of_turned(angle, 1)


@kernel
def _sine_of_turned(angle: float, quarters: int) -> float:
    """Return the sine of an angle after so many quarter turns, from its distance to the nearest quarter."""
    n = math.floor(angle / _QUARTER_HIGH + 0.5)
    r = (angle - n * _QUARTER_HIGH) - n * _QUARTER_LOW
    z = r * r
    turned = (np.int64(n) + quarters) & 3
    if turned & 1:
        series = 1.0 / 20922789888000.0 - z * (1.0 / 6402373705728000.0)
        series = 1.0 / 87178291200.0 - z * series
        series = 1.0 / 479001600.0 - z * series
        series = 1.0 / 3628800.0 - z * series
        series = 1.0 / 40320.0 - z * series
        series = 1.0 / 720.0 - z * series
        series = 1.0 / 24.0 - z * series
        result = 1.0 - z * (0.5 - z * series)
    else:
        series = 1.0 / 1307674368000.0 - z * (1.0 / 355687428096000.0)
        series = 1.0 / 6227020800.0 - z * series
        series = 1.0 / 39916800.0 - z * series
        series = 1.0 / 362880.0 - z * series
        series = 1.0 / 5040.0 - z * series
        series = 1.0 / 120.0 - z * series
        series = 1.0 / 6.0 - z * series
        result = r - r * z * series
    return -result if turned & 2 else result


@kernel
def arctan(x: float) -> float:
    """Return the angle whose tangent is a number.

    Parameters
    ----------
    x : float
        Any number.

    Returns
    -------
    float
        Radians in [−π/2, π/2], with a relative error of 1e-15.
    """
    size = abs(x)
    steep = size > 1.0
    ratio = 1.0 / size if steep else size
    # Twice half the angle: tan(a / 2) = tan a / (1 + √(1 + tan² a)).
    ratio = ratio / (1.0 + math.sqrt(1.0 + ratio * ratio))
    ratio = ratio / (1.0 + math.sqrt(1.0 + ratio * ratio))
    z = ratio * ratio
    series = 1.0 / 21.0 - z * (1.0 / 23.0)
    series = 1.0 / 19.0 - z * series
    series = 1.0 / 17.0 - z * series
    series = 1.0 / 15.0 - z * series
    series = 1.0 / 13.0 - z * series
    series = 1.0 / 11.0 - z * series
    series = 1.0 / 9.0 - z * series
    series = 1.0 / 7.0 - z * series
    series = 1.0 / 5.0 - z * series
    series = 1.0 / 3.0 - z * series
    angle = 4.0 * (ratio - ratio * z * series)
    angle = 0.5 * math.pi - angle if steep else angle
    return -angle if x < 0.0 else angle


@kernel
def rough_power(x: np.float32, exponent: np.float32) -> np.float32:
    """Return xʸ roughly, at a tenth of the cost of `power`.

    Parameters
    ----------
    x : numpy.float32
        0 or more.
    exponent : numpy.float32
        y, above 0.

    Returns
    -------
    numpy.float32
        With a relative error of 1e-6 · (1 + |y ln x|).  Results above 1.7e38 are wrong; those below 1e-38 are not quite
        0.
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


def exp_of(field: Field) -> Field:
    """Replace every number x of a field by eˣ, and return the field.

    Parameters
    ----------
    field : ndarray of float32, C-contiguous
        Any shape; changed.

    Returns
    -------
    ndarray of float32
        The same array.
    """
    _raise_e(field.ravel())
    return field


def power_of(field: Array, exponent: float) -> Array:
    """Replace every number of a field by its power, and return the field.

    Parameters
    ----------
    field : ndarray of float32 or float64, C-contiguous
        Any shape; 0 or more; changed.
    exponent : float
        Any number.

    Returns
    -------
    ndarray of float32 or float64
        The same array.
    """
    _raise(field.ravel(), exponent)
    return field


@parallel_kernel
def _raise_e(part: Part, values: Array) -> None:
    for i in portion(part, values.size):
        values[i] = exp(values[i])


@parallel_kernel
def _raise(part: Part, values: Array, exponent: float) -> None:
    for i in portion(part, values.size):
        values[i] = power(values[i], exponent)

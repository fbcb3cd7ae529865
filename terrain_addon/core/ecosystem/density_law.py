"""What density means: the share of the plants that would stand at full density.

Darts fall one after the other, so a stand that is full was thin before (random sequential adsorption: Schaaf & Talbot
1989).  A dart stays only where density is above the share of the full number that stands already when it falls.  So
each place stops at its own density, and a thin stand looks as a full one did early on.

Which share stands at what time is a curve.  On open ground it is the same for all plants of one radius, because they
have no other length.  Where plants of other species stand, and where radii vary, it is measured (`sounding`).

References
----------
Schaaf, P. & Talbot, J. (1989).  Surface exclusion effects in adsorption processes.  The Journal of Chemical Physics
91(7), 4401-4409.  doi:10.1063/1.456768
"""

import math

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, kernel

CROWDS = 5
"""Curves of a species: one for open ground, and others for tiles that other species cover more and more."""

# Shares of a tile that others leave open, from which on a tile counts as the next more open one.
_LEFT_OPEN = np.array([0.95, 0.75, 0.5, 0.25], np.float64)

# Share of the full number of plants on open ground, measured on twelve million plants, at times t for which
# 1 − 1 / √(1 + t) is evenly spaced: from 0 to t = 0.5, when plants cease to stand apart, and from there on.
_EARLY = (
    0.00000,
    0.04076,
    0.07666,
    0.10854,
    0.13704,
    0.16276,
    0.18612,
    0.20745,
    0.22644,
    0.24353,
    0.25938,
    0.27414,
    0.28784,
    0.30076,
    0.31289,
    0.32435,
    0.33521,
    0.34552,
    0.35534,
    0.36470,
    0.37369,
    0.38225,
    0.39048,
    0.39847,
    0.40615,
)
_LATE = (
    0.40615,
    0.48581,
    0.54933,
    0.60119,
    0.64466,
    0.68146,
    0.71338,
    0.74143,
    0.76421,
    0.78519,
    0.80426,
    0.82192,
    0.83844,
    0.85401,
    0.86880,
    0.88293,
    0.89661,
    0.90980,
    0.92303,
    0.93602,
    0.94898,
    0.96201,
    0.97535,
    0.98899,
    1.00000,
)
_TURN = 1.0 - 1.0 / math.sqrt(1.5)

_ENTRIES = 1025
# Least number of plants from which a curve is measured, and shares at which it is compared with that of open ground.
_FEWEST = 200
_COMPARED = np.array(
    [0.14, 0.18, 0.22, 0.26, 0.31, 0.36, 0.41, 0.46, 0.52, 0.58, 0.64, 0.7, 0.76, 0.82, 0.88, 0.93, 0.97]
)


def open_ground_curve() -> npt.NDArray[np.float64]:
    """Return which share of the plants of one radius stands at what time, where no others stand.

    Returns
    -------
    ndarray of float64, shape (entries,)
        The share at times t, in darts for each cell, for which 1 − 1 / √(1 + t) is evenly spaced from 0 to 1.
    """
    at = np.linspace(0.0, 1.0, _ENTRIES)
    early = _through_points(np.array(_EARLY), at / _TURN)
    late = _through_points(np.array(_LATE), (at - _TURN) / (1.0 - _TURN))
    return np.maximum.accumulate(np.clip(np.where(at < _TURN, early, late), 0.0, 1.0))


def _through_points(values: npt.NDArray[np.float64], at: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """A smooth line through evenly spaced values (cubic Hermite pieces), at places from 0 to 1."""
    pieces = values.size - 1
    rise = np.empty_like(values)
    rise[1:-1] = 0.5 * (values[2:] - values[:-2])
    rise[0] = 0.5 * (-3.0 * values[0] + 4.0 * values[1] - values[2])
    rise[-1] = 0.5 * (3.0 * values[-1] - 4.0 * values[-2] + values[-3])
    place = np.clip(at, 0.0, 1.0) * pieces
    piece = np.minimum(place.astype(np.int64), pieces - 1)
    s = place - piece
    from_values = (1.0 + 2.0 * s) * (1.0 - s) ** 2 * values[piece] + s * s * (3.0 - 2.0 * s) * values[piece + 1]
    return from_values + s * (1.0 - s) ** 2 * rise[piece] - s * s * (1.0 - s) * rise[piece + 1]


def measured_curve(
    times: npt.NDArray[np.float64],
    early: npt.NDArray[np.float64],
    stands: int,
    until: float,
    like: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64] | None:
    """Return the curve of some stands, as that of open ground with its times changed.

    Parameters
    ----------
    times : ndarray of float64, shape (plants,)
        When each plant of full stands came, in darts for each cell.
    early : ndarray of float64, shape (early plants,)
        The same for the beginnings of more such stands.
    stands : int
        How many times as much ground `early` comes from.
    until : float
        How long the beginnings are.
    like : ndarray of float64, shape (entries,)
        The curve of open ground.

    Returns
    -------
    ndarray of float64, shape (entries,), or None
        As `like`; None where there are too few plants to tell.
    """
    if times.size < _FEWEST:
        return None
    at = np.linspace(0.0, 1.0, like.size)
    began = until * np.arange(1, 5) / 4.0
    share = np.array([np.count_nonzero(early <= moment) for moment in began]) / (stands * times.size)
    if share[0] <= 0.0:
        return None
    later = _COMPARED[share[-1] + 0.02 < _COMPARED]
    share = np.concatenate([share, later])
    came = np.concatenate([began, np.sort(times)[(later * times.size).astype(np.int64)]])
    # How many times sooner the same share stands than on open ground.
    open_time = 1.0 / (1.0 - np.interp(share, like, at)) ** 2 - 1.0
    return _sooner(like, np.interp(like, share, open_time / came))


def curve_within_borders(
    curve: npt.NDArray[np.float64], width: float, depth: float, distance: float
) -> npt.NDArray[np.float64]:
    """Return a curve for a land so small that its borders matter: beside them a full stand is denser.

    Parameters
    ----------
    curve : ndarray of float64, shape (entries,)
        For a land without end.
    width, depth : float
        Size of the land in metres.
    distance : float
        Metres that two plants keep.

    Returns
    -------
    ndarray of float64, shape (entries,)
    """
    # A full stand has as many plants as if the land were wider by one distance; early on borders do not matter.
    more = min((1.0 + distance / width) * (1.0 + distance / depth), 2.0) - 1.0
    return _sooner(curve, 1.0 / (1.0 + more * (1.0 - curve)))


def _sooner(like: npt.NDArray[np.float64], factor: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """A curve on which each entry of another stands some times sooner."""
    at = np.linspace(0.0, 1.0, like.size)
    time = (1.0 / (1.0 - np.minimum(at, 1.0 - 1e-9)) ** 2 - 1.0) / factor
    changed = np.maximum.accumulate(1.0 - 1.0 / np.sqrt(1.0 + time))
    curve = np.interp(at, changed, like)
    curve[0], curve[-1] = 0.0, 1.0
    return curve


def shares_after(darts: int, per_time: int, curves: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """Return the shares that stand after each of some darts.

    Parameters
    ----------
    darts : int
        How many.
    per_time : int
        How many of them are one for each cell.
    curves : ndarray of float64, shape (curves, entries)
        From `open_ground_curve` or `measured_curve`.

    Returns
    -------
    ndarray of float32, shape (curves, darts + 1)
        0 to 1; the first is the share before any dart.
    """
    at = 1.0 - 1.0 / np.sqrt(1.0 + np.arange(darts + 1) / per_time)
    entries = np.linspace(0.0, 1.0, curves.shape[1])
    return np.stack([np.interp(at, entries, curve) for curve in curves]).astype(np.float32)


@kernel
def crowd_of(left_open: float) -> int:
    """Return the number of the curve that a tile follows.

    Parameters
    ----------
    left_open : float
        Share of its suitable ground that plants of other species leave open.

    Returns
    -------
    int
        0 for open ground, up to CROWDS − 1.
    """
    crowd = 0
    for least in _LEFT_OPEN:
        if left_open < least:
            crowd += 1
    return crowd


@kernel
def share_reached(time: float, curve: Array) -> np.float32:
    """Return the share of the plants that stands at a time.

    Parameters
    ----------
    time : float
        Darts that have fallen for each cell, wherever they fell.
    curve : ndarray of float32, shape (entries,)
        From `open_ground_curve` or `measured_curve`.

    Returns
    -------
    float32
        0 to 1.
    """
    place = (1.0 - 1.0 / math.sqrt(1.0 + time)) * (curve.size - 1)
    entry = min(int(place), curve.size - 2)
    return curve[entry] + np.float32(place - entry) * (curve[entry + 1] - curve[entry])

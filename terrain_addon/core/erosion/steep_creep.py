"""Creep that runs away towards a critical slope: straight hillsides below round crests (Roering et al. 1999).

The flux of soil is q = −D ∇z / (1 − (|∇z| / S)²): that of linear creep on gentle ground, without bound as a slope
nears the critical slope S.
"""

import math

import numpy as np

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion

# Bands of rows that are worked on side by side, each with lines of scratch.
_BANDS = 32
_LINES = 6
_MOST_ITERATIONS = 100
# Of the critical drop from cell to cell: how well each line is solved, and the least that the other direction leaves.
_PRECISION = 1e-9
_NARROWEST = 1e-2
# With less, nothing moves, and the fluxes that would bring a cliff down have no number.
_LEAST_SPREAD = 1e-100


class SteepCreep:
    """Lets one grid creep again and again, in memory of its own.

    Parameters
    ----------
    shape : tuple of int
        (rows, columns).
    critical_drop : float
        Critical slope times cell size: metres from one cell to the next, above 0.
    """

    def __init__(self, shape: tuple[int, int], critical_drop: float) -> None:
        self._critical_drop = float(critical_drop)
        self._turned = np.empty(shape[::-1])
        self._scratch = np.empty((_BANDS, _LINES, max(shape)))
        self._rows_first = True

    def step(self, height: Array, spread: float) -> None:
        """Let the ground creep, in place.

        Parameters
        ----------
        height : ndarray of float64, shape (rows, columns)
            Metres.
        spread : float
            D Δt / cell size², without unit; any value from 0 is stable.

        Raises
        ------
        ValueError
            If `spread` is not finite.

        Notes
        -----
        Backward Euler along rows and along columns in turn, each line solved to the end; how much of the critical slope
        the other direction takes is known from the ground before.  A short step is more accurate.
        """
        if not math.isfinite(spread):
            raise ValueError(f"diffusivity · years / cell_size² = {spread!r} is not a finite number")
        if spread < _LEAST_SPREAD:
            return
        if self._rows_first:
            _creep_rows(height, spread, self._critical_drop, self._scratch, self._turned)
            _creep_rows(self._turned, spread, self._critical_drop, self._scratch, height)
        else:
            np.copyto(self._turned, height.T)
            _creep_rows(self._turned, spread, self._critical_drop, self._scratch, height)
            _creep_rows(height, spread, self._critical_drop, self._scratch, self._turned)
            np.copyto(height, self._turned.T)
        # Otherwise one direction would always have the last word.
        self._rows_first = not self._rows_first


@parallel_kernel
def _creep_rows(part: Part, height: Array, spread: float, critical: float, scratch: Array, turned: Array) -> None:
    """Let each row creep; the result is turned, rows for columns."""
    rows = height.shape[0]
    bands = scratch.shape[0]
    for band in portion(part, bands):
        for row in range(rows * band // bands, rows * (band + 1) // bands):
            _creep_along(height, row, spread, critical, scratch[band], turned)


@kernel
def _creep_along(height: Array, row: int, spread: float, critical: float, scratch: Array, turned: Array) -> None:
    """Solve Δz(pᵢ) − λ (pᵢ₊₁ − 2 pᵢ + pᵢ₋₁) = Δbᵢ for the fluxes p between the cells of a row; then z = b + λ Δp.

    Whatever the fluxes, they take from one cell what they give to the next, and no drop Δz(p) is beyond the critical.
    """
    line = height[row]
    faces = line.size - 1
    flux, room, drops, chord, pivots, change = (
        scratch[0],
        scratch[1],
        scratch[2],
        scratch[3],
        scratch[4],
        scratch[5],
    )
    _measure_room(height, row, critical, room, drops)
    flux[:faces] = 0.0
    squared = critical * critical
    accuracy = _PRECISION * critical
    last = np.inf
    for _ in range(_MOST_ITERATIONS):
        worst = 0.0
        for i in range(faces):
            # The drop at which this much flows, and its rise with the flux.
            root = math.sqrt(squared * squared + 4.0 * flux[i] * flux[i] * room[i])
            secant = 2.0 * room[i] / (squared + root)
            before = flux[i - 1] if i > 0 else 0.0
            after = flux[i + 1] if i < faces - 1 else 0.0
            missing = drops[i] - secant * flux[i] + spread * (before - 2.0 * flux[i] + after)
            worst = max(worst, abs(missing))
            change[i] = missing
            chord[i] = secant
            pivots[i] = secant * squared / root
        if worst <= accuracy:
            break
        # Newton's steps, but where one did not help, the slower step along chords, which always does.
        tangents = pivots if worst < last else chord
        last = worst
        carried = 0.0
        for i in range(faces):
            inverse = 1.0 / (tangents[i] + 2.0 * spread - spread * carried)
            change[i] = (change[i] + (spread * change[i - 1] if i > 0 else 0.0)) * inverse
            carried = spread * inverse
            pivots[i] = carried
        for i in range(faces - 1, -1, -1):
            if i < faces - 1:
                change[i] += pivots[i] * change[i + 1]
            flux[i] += change[i]
    turned[0, row] = line[0]
    for i in range(faces):
        moved = spread * flux[i]
        turned[i, row] += moved
        turned[i + 1, row] = line[i + 1] - moved


@kernel
def _measure_room(height: Array, row: int, critical: float, room: Array, drops: Array) -> None:
    """Drops from cell to cell along a row, and the square of the largest that the slope across leaves room for."""
    line = height[row]
    south, north = max(row - 1, 0), min(row + 1, height.shape[0] - 1)
    per_cell = 0.5 / max(north - south, 1)
    squared = critical * critical
    for i in range(line.size - 1):
        drop = line[i + 1] - line[i]
        across = ((height[north, i] - height[south, i]) + (height[north, i + 1] - height[south, i + 1])) * per_cell
        along, other = drop * drop, across * across
        # Ground that is too steep as a whole comes down in the direction in which it slopes.
        share = other if along + other <= squared else squared * (other / (along + other))
        drops[i] = drop
        room[i] = max(squared - share, _NARROWEST * squared)

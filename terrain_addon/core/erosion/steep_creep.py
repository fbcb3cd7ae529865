"""Nonlinear creep towards a critical slope: straight hillsides below round crests.

The flux of soil is q = −D ∇z / (1 − (|∇z| / S)²), Eq. (8) of Roering, Kirchner & Dietrich (1999).  On gentle ground it
is that of linear creep; it grows without bound as the slope comes near the critical slope S.

>>> height = np.array([[0.0, 6.0, 0.0]])
>>> SteepCreep(height.shape, 8.0).step(height, 0.5)
>>> print(height.round(3))
[[1.24  3.519 1.24 ]]

References
----------
J. J. Roering, J. W. Kirchner and W. E. Dietrich (1999), "Evidence for nonlinear, diffusive sediment transport on
hillslopes and implications for landscape morphology", Water Resources Research 35, 853-870, doi:10.1029/1998WR900090.
"""

import math

import numpy as np

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion

# Bands of rows that are solved side by side, each with its own scratch of a few lines.
_BANDS = 32
_SCRATCH_LINES = 6
_MOST_ITERATIONS = 100
# How exactly each line is solved, as a share of the critical drop from cell to cell.
_PRECISION = 1e-9
# The least share of the squared critical drop that the slope across a line leaves for the drop along it.
_LEAST_SHARE_ALONG = 1e-2
# Below this spread nothing moves, and the fluxes that would bring a cliff down would overflow.
_LEAST_SPREAD = 1e-100


class SteepCreep:
    """Nonlinear creep of grids of one shape; it keeps its memory from step to step.

    Parameters
    ----------
    shape : tuple of int
        (rows, columns).
    critical_drop : float
        Critical slope times cell size: metres from one cell to the next, above 0.
    """

    def __init__(self, shape: tuple[int, int], critical_drop: float) -> None:
        self._critical_drop = float(critical_drop)
        self._transposed = np.empty(shape[::-1])
        self._scratch = np.empty((_BANDS, _SCRATCH_LINES, max(shape)))
        self._rows_first = True

    def step(self, height: Array, spread: float) -> None:
        """Let the ground creep, in place.

        Parameters
        ----------
        height : ndarray of float64, shape (rows, columns)
            Metres.
        spread : float
            D Δt / cell size², dimensionless, 0 or more; any value is stable.

        Raises
        ------
        ValueError
            If `spread` is not finite.

        Notes
        -----
        Backward Euler along rows and along columns in turn, each line solved exactly.  How much of the critical slope
        the other direction takes is measured on the ground before.  A short step is more accurate.
        """
        if not math.isfinite(spread):
            raise ValueError(f"diffusivity · years / cell_size² = {spread!r} is not a finite number")
        if spread < _LEAST_SPREAD:
            return
        if self._rows_first:
            _creep_rows(height, spread, self._critical_drop, self._scratch, self._transposed)
            _creep_rows(self._transposed, spread, self._critical_drop, self._scratch, height)
        else:
            np.copyto(self._transposed, height.T)
            _creep_rows(self._transposed, spread, self._critical_drop, self._scratch, height)
            _creep_rows(height, spread, self._critical_drop, self._scratch, self._transposed)
            np.copyto(height, self._transposed.T)
        # Rows and columns take turns to be first, so that no direction is preferred.
        self._rows_first = not self._rows_first


@parallel_kernel
def _creep_rows(part: Part, height: Array, spread: float, critical: float, scratch: Array, transposed: Array) -> None:
    """Let each row creep; the result is transposed."""
    rows = height.shape[0]
    bands = scratch.shape[0]
    for band in portion(part, bands):
        for row in range(rows * band // bands, rows * (band + 1) // bands):
            _creep_along(height, row, spread, critical, scratch[band], transposed)


@kernel
def _creep_along(height: Array, row: int, spread: float, critical: float, scratch: Array, transposed: Array) -> None:
    """Solve Δz(pᵢ) − λ (pᵢ₊₁ − 2 pᵢ + pᵢ₋₁) = Δbᵢ for the fluxes p between the cells of a row; then z = b + λ Δp.

    The fluxes take from one cell what they give to the next, so the volume is exact, and no drop Δz(p) exceeds the
    critical drop.
    """
    line = height[row]
    faces = line.size - 1
    flux, allowed, drops = scratch[0], scratch[1], scratch[2]
    chord, pivots, change = scratch[3], scratch[4], scratch[5]
    _measure_drops(height, row, critical, drops, allowed)
    flux[:faces] = 0.0
    squared = critical * critical
    accuracy = _PRECISION * critical
    last = np.inf
    for _ in range(_MOST_ITERATIONS):
        worst = 0.0
        for i in range(faces):
            # Eq. (8) of Roering et al. (1999) solved for the drop at which this much flows, over the flux (secant), and
            # how the drop rises with the flux (pivots).
            root = math.sqrt(squared * squared + 4.0 * flux[i] * flux[i] * allowed[i])
            secant = 2.0 * allowed[i] / (squared + root)
            before = flux[i - 1] if i > 0 else 0.0
            after = flux[i + 1] if i < faces - 1 else 0.0
            missing = drops[i] - secant * flux[i] + spread * (before - 2.0 * flux[i] + after)
            worst = max(worst, abs(missing))
            change[i] = missing
            chord[i] = secant
            pivots[i] = secant * squared / root
        if worst <= accuracy:
            break
        # Newton's step; where the last one did not help, the slower step along chords, which always does.
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
    transposed[0, row] = line[0]
    for i in range(faces):
        moved = spread * flux[i]
        transposed[i, row] += moved
        transposed[i + 1, row] = line[i + 1] - moved


@kernel
def _measure_drops(height: Array, row: int, critical: float, drops: Array, allowed: Array) -> None:
    """Write the drops from cell to cell along a row, and the square of the largest that the slope across allows."""
    line = height[row]
    south, north = max(row - 1, 0), min(row + 1, height.shape[0] - 1)
    per_cell = 0.5 / max(north - south, 1)
    squared = critical * critical
    for i in range(line.size - 1):
        drop = line[i + 1] - line[i]
        across = ((height[north, i] - height[south, i]) + (height[north, i + 1] - height[south, i + 1])) * per_cell
        along, other = drop * drop, across * across
        # Ground that is too steep in total comes down in the direction in which it slopes.
        share = other if along + other <= squared else squared * (other / (along + other))
        drops[i] = drop
        allowed[i] = max(squared - share, _LEAST_SHARE_ALONG * squared)

"""Curvature of the surface: a quadratic is fitted to 3 × 3 samples (Evans 1980) and its curvatures taken (Shary 1995).

The quadratic is z = r x²/2 + s x y + t y²/2 + p x + q y + z₀, x to the east and y to the north.
"""

import math

import numpy as np

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.terrain import Field
from .declaration import Kept, Map

CURVATURES = {
    "mean": "Mean of the bending in any two directions at right angles: ridges and summits above 0, hollows below",
    "profile": "Bending along the way down: where the slope steepens above 0, where it eases below",
    "plan": "Bending of the contour line: spurs above 0, gullies below; 0 where the ground is level",
}
_CURVATURE = {name: index for index, name in enumerate(CURVATURES)}


def measure_curvature(surface: Field, cell_size: float, kind: str = "mean") -> Field:
    """Return the curvature of the surface, above 0 where it is convex.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.  With fewer than 3 rows or columns the curvature is 0.
    cell_size : float
        Metres.
    kind : {'mean', 'profile', 'plan'}
        See `CURVATURES`.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        1/m, one over the radius; 0 on planes.  A border sample gets the curvature of the sample beside it.

    Raises
    ------
    ValueError
        If `kind` is unknown.

    References
    ----------
    Evans, I. S. (1980). An integrated system of terrain analysis and slope mapping. Zeitschrift für Geomorphologie,
    Supplementband 36, 274–295.

    Shary, P. A. (1995). Land surface in gravity points classification by a complete system of curvatures. Mathematical
    Geology, 27(3), 373–390. doi:10.1007/BF02084608

    Examples
    --------
    The top of the dome z = −(x² + y²) / 2 has a radius of 1 m:

    >>> import numpy as np
    >>> from terrain_addon.core.maps.curvature import measure_curvature
    >>> y, x = np.mgrid[-1:2, -1:2]
    >>> measure_curvature((-0.5 * (x**2 + y**2)).astype(np.float32), 1.0)[1, 1].tolist()
    1.0
    """
    if kind not in _CURVATURE:
        raise ValueError(f"curvature = {kind!r} is none of: {', '.join(CURVATURES)}")
    curvature = np.zeros_like(surface)
    if min(surface.shape) >= 3:
        _curvature(surface, 1.0 / cell_size, _CURVATURE[kind], curvature)
    return curvature


@kernel
def _bend(p: float, q: float, r: float, s: float, t: float, kind: int) -> float:
    """Return one curvature from the derivatives p = z_x, q = z_y, r = z_xx, s = z_xy, t = z_yy."""
    steep = p * p + q * q
    stretch = (1.0 + steep) * math.sqrt(1.0 + steep)
    if kind == 0:
        # Mean curvature.
        return -((1.0 + q * q) * r - 2.0 * p * q * s + (1.0 + p * p) * t) / (2.0 * stretch)
    if steep < 1e-10:
        return 0.0
    if kind == 1:
        # Profile curvature, called vertical by Shary.
        return -(p * p * r + 2.0 * p * q * s + q * q * t) / (steep * stretch)
    # Plan curvature.
    return -(q * q * r - 2.0 * p * q * s + p * p * t) / (steep * math.sqrt(steep))


@parallel_kernel
def _curvature(part: Part, surface: Array, per_cell: float, kind: int, curvature: Array) -> None:
    """Write the curvature of each cell."""
    rows, columns = surface.shape
    third, sixth, quarter = per_cell * per_cell / 3.0, per_cell / 6.0, per_cell * per_cell / 4.0
    for row in portion(part, rows):
        i = min(max(np.int64(row), 1), rows - 2)
        south, middle, north, line = surface[i - 1], surface[i], surface[i + 1], curvature[row]
        for j in range(1, columns - 1):
            # Heights relative to the middle sample, because sums of large heights lose digits.
            z = np.float64(middle[j])
            z1, z2, z3 = north[j - 1] - z, north[j] - z, north[j + 1] - z
            z4, z6 = middle[j - 1] - z, middle[j + 1] - z
            z7, z8, z9 = south[j - 1] - z, south[j] - z, south[j + 1] - z
            # Least-squares coefficients of Evans's quadratic; z1 is in the north-west, z9 in the south-east.
            p = (z3 + z6 + z9 - z1 - z4 - z7) * sixth
            q = (z1 + z2 + z3 - z7 - z8 - z9) * sixth
            r = (z1 + z3 + z4 + z6 + z7 + z9 - 2.0 * (z2 + z8)) * third
            t = (z1 + z2 + z3 + z7 + z8 + z9 - 2.0 * (z4 + z6)) * third
            s = (z3 + z7 - z1 - z9) * quarter
            line[j] = _bend(p, q, r, s, t, kind)
        line[0], line[columns - 1] = line[1], line[columns - 2]


CURVATURE = Map(
    "curvature",
    lambda terrain: measure_curvature(terrain.surface, terrain.cell_size),
    description="Bending of the ground: ridges and summits above 0, hollows below",
    unit="1/m",
    signed=True,
    is_quick=True,
)
PROFILE_CURVATURE = Map(
    "profile_curvature",
    lambda terrain: measure_curvature(terrain.surface, terrain.cell_size, kind="profile"),
    description="Bending along the way down: above 0 where the slope steepens",
    unit="1/m",
    signed=True,
    kept=Kept.ON_REQUEST,
    is_quick=True,
)
PLAN_CURVATURE = Map(
    "plan_curvature",
    lambda terrain: measure_curvature(terrain.surface, terrain.cell_size, kind="plan"),
    description="Bending of the contour lines: spurs above 0, gullies below",
    unit="1/m",
    signed=True,
    kept=Kept.ON_REQUEST,
    is_quick=True,
)

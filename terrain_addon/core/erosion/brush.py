"""A brush that erodes, fills or smooths the land while somebody strokes it.

A dab of the brush lets a process act on the land around it, and keeps the result within a soft circle.

>>> land = np.zeros((33, 33), np.float32)
>>> land[16, 16] = 10.0
>>> apply_dab(land, 5.0, Dab(80.0, 80.0, 40.0, 1.0), "smooth")
(slice(6, 26, None), slice(6, 26, None))
>>> bool(land[16, 16] < 5.0), float(land[0, 0])
(True, 0.0)

References
----------
See `droplets` and `hillslope`, which do the work.
H. Mei, P. Decaudin and B.-G. Hu (2007), "Fast hydraulic erosion simulation and visualization on GPU", Pacific Graphics,
47-56, doi:10.1109/PG.2007.15: erosion that follows while somebody edits the land.
"""

import math
from typing import NamedTuple

import numpy as np

from ..foundation.progress import run
from ..foundation.terrain import Field, Terrain
from .droplets import Droplets, erode_by_droplets
from .hillslope import HillslopeDiffusion, diffuse_hillslopes
from .masked import keep_outside
from .mass_balance import Eroded

BRUSHES = {
    "erode": "Rain carves gullies and leaves fans at their ends",
    "fill": "Ground fills hollows and valleys up; crests stay",
    "smooth": "Ground creeps until everything is round",
}
"""What a brush can do."""

# Drops per cell of a dab; widths of what is smoothed and of what is filled, as shares of the radius.
_DENSITY, _SMOOTHED, _FILLED = 0.5, 0.2, 0.4
_MARGIN = 2  # cells around the circle that the processes see
_MOST_CREEP = 1e6  # m², the most that a process takes


class Dab(NamedTuple):
    """Where a brush touches the land.

    Parameters
    ----------
    x, y : float
        Metres east and north of the south-west corner; the land need not reach there.
    radius : float
        Metres, above 0.
    strength : float
        0 to 1: share of the effect in the middle; it fades to 0 at the radius.
    """

    x: float
    y: float
    radius: float
    strength: float


def apply_dab(surface: Field, cell_size: float, dab: Dab, brush: str, number: int = 0) -> tuple[slice, slice]:
    """Change a land in place where a brush touches it.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    cell_size : float
        Metres.
    dab : Dab
        Where, how far and how strongly.
    brush : str
        A key of `BRUSHES`.
    number : int
        Of the dab in its stroke; drops of each fall at other places.

    Returns
    -------
    tuple of (slice, slice)
        Rows and columns that may have changed; outside of them, and outside of the circle, no byte has.

    Raises
    ------
    ValueError
        If there is no such brush, or the radius or strength is out of range.
    """
    if brush not in BRUSHES:
        raise ValueError(f"there is no brush {brush!r}; there are: {', '.join(BRUSHES)}")
    if not (math.isfinite(dab.radius) and dab.radius > 0.0):
        raise ValueError(f"radius = {dab.radius!r} m is not a finite length above 0 m")
    if not 0.0 <= dab.strength <= 1.0:
        raise ValueError(f"strength = {dab.strength!r} is outside 0 to 1")
    window = _window(surface.shape, dab, cell_size)
    part = np.ascontiguousarray(surface[window])
    if min(part.shape) < 3:
        return window
    before = Terrain(part, np.zeros_like(part), cell_size)
    shares = _shares(window, dab, cell_size)
    surface[window] = keep_outside(before, _worked(before, dab, brush, number), shares).terrain.surface
    return window


def _window(shape: tuple[int, int], dab: Dab, cell_size: float) -> tuple[slice, slice]:
    """Rows and columns around a dab."""
    reach = dab.radius / cell_size + _MARGIN
    ends = []
    for middle, size in ((dab.y / cell_size, shape[0]), (dab.x / cell_size, shape[1])):
        first, last = (min(max(end, 0), size) for end in (math.ceil(middle - reach), math.floor(middle + reach)))
        ends.append(slice(first, max(last, first)))
    return ends[0], ends[1]


def _shares(window: tuple[slice, slice], dab: Dab, cell_size: float) -> Field:
    """How much of the effect each cell gets: (1 − d² / r²)² of the strength."""
    north, east = (
        (np.arange(one.start, one.stop) * cell_size - middle) / dab.radius
        for one, middle in zip(window, (dab.y, dab.x))
    )
    inner = np.maximum(1.0 - (north[:, None] ** 2 + east[None, :] ** 2), 0.0)
    return (dab.strength * inner * inner).astype(np.float32)


def _worked(before: Terrain, dab: Dab, brush: str, number: int) -> Eroded:
    """What the process of a brush makes of the land around a dab."""
    if brush == "erode":
        return run(erode_by_droplets(before, Droplets(density=_DENSITY), seed=number))
    width = dab.radius * (_FILLED if brush == "fill" else _SMOOTHED)
    # Ground that creeps spreads to a width of √(2 D t).
    creep = HillslopeDiffusion(diffusivity=min(0.5 * width * width, _MOST_CREEP), years=1.0)
    eroded = run(diffuse_hillslopes(before, creep))
    if brush == "smooth":
        return eroded
    filled = np.maximum(eroded.terrain.surface, before.surface)
    return Eroded(Terrain(before.bedrock, filled - before.bedrock, before.cell_size), eroded.balance)

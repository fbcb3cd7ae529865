"""Soil creeps downhill: linear diffusion rounds crests and fills hollows (Culling 1960).

With a critical slope, creep runs away towards it: see `steep_creep`.
"""

import math
from dataclasses import dataclass

import numpy as np

from ..foundation.compilation import Array, Part, parallel_kernel, portion
from ..foundation.parameters import ParameterSet, parameter
from ..foundation.progress import Steps
from ..foundation.terrain import Terrain
from .layers import heights_of, with_surface
from .mass_balance import Eroded, MassBalance
from .process import Process
from .stabilisation import settle
from .steep_creep import SteepCreep

_STEPS = 8
# Creep knows no critical slope at this angle.
_UPRIGHT = 90.0
# Ground that is too steep to creep comes to rest this much below the critical angle, and nothing settles to more.
_BELOW_CRITICAL, _STEEPEST_TALUS = 0.1, 89.0
# Columns swept side by side, so that the elimination along a column runs over whole vectors.
_BLOCK = 64


@dataclass(frozen=True)
class HillslopeDiffusion(ParameterSet):
    """Ground creeps downhill and rounds whatever is sharp, as frost, roots and animals stir it."""

    enabled: bool = parameter(True, "Whether this process takes part")
    diffusivity: float = parameter(
        0.01,
        "How fast ground creeps: dry rock 0.0005, grassland 0.005, wet soil 0.03",
        unit="m²/yr",
        limits=(0.0, 1e6),
        soft=(0.0, 0.05),
    )
    years: float = parameter(10000.0, "How long the ground creeps", unit="yr", limits=(0.0, 1e9), soft=(0.0, 100000.0))
    critical_angle: float = parameter(
        _UPRIGHT,
        "Slope near which creep runs away and hillsides become straight; at 90° creep is alike on any slope",
        unit="°",
        limits=(1.0, _UPRIGHT),
        soft=(20.0, _UPRIGHT),
        advanced=True,
    )


def diffuse_hillslopes(terrain: Terrain, process: HillslopeDiffusion) -> Steps[Eroded]:
    """Let the ground creep downhill: ∂h/∂t = ∇ · (D ∇h / (1 − (|∇h| / S)²)), with no critical slope S ∂h/∂t = D ∇²h.

    Parameters
    ----------
    terrain : Terrain
        The land.  Nothing creeps over its border.
    process : HillslopeDiffusion
        Diffusivity D, time t and the angle of the critical slope S; without that, a hill of width σ becomes one of
        width √(σ² + 2Dt).

    Yields
    ------
    float
        Share done.  Asked to finish early, it returns the land at that time.

    Returns
    -------
    Eroded
        What creeps away is taken from the sediment first, what arrives is sediment.  No summit is higher and no hollow
        deeper than before, for any time and diffusivity.  The books are those of the heights in float64, before they
        are stored.  With a critical slope, ground that is steeper slides at once and what creeps stays below it.

    Notes
    -----
    Backward Euler along rows, then along columns (Yanenko 1971): stable and monotone for any step, first order in time;
    with no critical slope, the variance of a hill grows by exactly 2Dt whatever the step.
    """
    height = heights_of(terrain)
    before = float(height.sum())
    spread = process.diffusivity * process.years / terrain.cell_size**2
    if spread > 0.0:
        finish, creep = yield from _begin(height, terrain.cell_size, process.critical_angle)
        for step in range(_STEPS):
            finish = finish or bool((yield step / _STEPS))
            if finish:
                break
            creep.step(height, spread / _STEPS)
    area = terrain.cell_size**2
    return Eroded(with_surface(terrain, height), MassBalance(before * area, float(height.sum()) * area))


def _begin(height: Array, cell_size: float, critical_angle: float) -> "Steps[tuple[bool, Creep | SteepCreep]]":
    """Return whether to finish early, and what lets this ground creep, which now lies below the critical slope."""
    if critical_angle >= _UPRIGHT:
        return False, Creep(height.shape)
    bottomless = np.full(height.shape, float(height.min()) - 1.0, np.float32)
    talus_angle = min(critical_angle - _BELOW_CRITICAL, _STEEPEST_TALUS)
    finish = yield from settle(height, bottomless, cell_size, talus_angle)
    return finish, SteepCreep(height.shape, math.tan(math.radians(critical_angle)) * cell_size)


class Creep:
    """Diffuses one grid again and again, in memory of its own."""

    def __init__(self, shape: tuple[int, int]) -> None:
        self._rows, self._columns = np.empty(shape[1]), np.empty(shape[0])

    def step(self, height: Array, spread: float) -> None:
        """Diffuse in place.

        Parameters
        ----------
        height : ndarray of float64, shape (rows, columns)
            Metres.
        spread : float
            D Δt / cell size², without unit; any value from 0 is stable.
        """
        _eliminate(spread, self._rows)
        _eliminate(spread, self._columns)
        _diffuse_rows(height, spread, self._rows)
        _diffuse_columns(height, spread, self._columns)


def _eliminate(spread: float, pivots: Array) -> None:
    """Inverse pivots of (1 + 2λ) hᵢ − λ (hᵢ₋₁ + hᵢ₊₁) with nothing flowing over the ends (Thomas 1949)."""
    count = pivots.size
    carried = 0.0
    for i in range(count):
        neighbours = (i > 0) + (i < count - 1)
        inverse = 1.0 / (1.0 + neighbours * spread - spread * carried)
        pivots[i] = inverse
        carried = spread * inverse
    if not math.isfinite(carried):
        raise ValueError(f"diffusivity · years / cell_size² = {spread!r} is not a finite number")


@parallel_kernel
def _diffuse_rows(part: Part, height: Array, spread: float, pivots: Array) -> None:
    for row in portion(part, height.shape[0]):
        line = height[row]
        line[0] *= pivots[0]
        for i in range(1, line.size):
            line[i] = (line[i] + spread * line[i - 1]) * pivots[i]
        for i in range(line.size - 2, -1, -1):
            line[i] += spread * pivots[i] * line[i + 1]


@parallel_kernel
def _diffuse_columns(part: Part, height: Array, spread: float, pivots: Array) -> None:
    rows, columns = height.shape
    for block in portion(part, -(-columns // _BLOCK)):
        west, east = block * _BLOCK, min((block + 1) * _BLOCK, columns)
        for column in range(west, east):
            height[0, column] *= pivots[0]
        for row in range(1, rows):
            for column in range(west, east):
                height[row, column] = (height[row, column] + spread * height[row - 1, column]) * pivots[row]
        for row in range(rows - 2, -1, -1):
            factor = spread * pivots[row]
            for column in range(west, east):
                height[row, column] += factor * height[row + 1, column]


HILLSLOPE_DIFFUSION = Process(HillslopeDiffusion, diffuse_hillslopes)

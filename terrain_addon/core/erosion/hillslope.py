"""Hillslope diffusion: soil creeps downhill, which rounds crests and fills hollows.

Without a critical slope the law is linear (Culling 1960).  With one, S, creep grows without bound towards it: see
`steep_creep`.

    ∂h/∂t = D ∇²h        or        ∂h/∂t = ∇ · (D ∇h / (1 − (|∇h| / S)²))

>>> from terrain_addon.core.foundation.progress import run
>>> ridge = np.array([[0.0, 0.0, 8.0, 0.0, 0.0]] * 3, np.float32)
>>> land = Terrain(ridge, np.zeros_like(ridge), 10.0)
>>> eroded = run(diffuse_hillslopes(land, HillslopeDiffusion(diffusivity=0.01, years=5000.0)))
>>> print(eroded.terrain.surface[1].round(3))
[0.459 1.603 3.876 1.603 0.459]

References
----------
W. E. H. Culling (1960), "Analytical theory of erosion", The Journal of Geology 68, 336-344, doi:10.1086/626663: linear
diffusion.

J. J. Roering, J. W. Kirchner and W. E. Dietrich (1999), "Evidence for nonlinear, diffusive sediment transport on
hillslopes and implications for landscape morphology", Water Resources Research 35, 853-870, doi:10.1029/1998WR900090:
the critical slope, Eq. (8).
"""

import math
from dataclasses import dataclass

import numpy as np

from ..foundation.compilation import Array
from ..foundation.creep import Creep
from ..foundation.elementary import log
from ..foundation.parameters import parameter
from ..foundation.progress import Steps
from ..foundation.terrain import Terrain
from .layers import heights_of, with_surface
from .mass_balance import Eroded, MassBalance
from .process import Process, ProcessParameters
from .stabilisation import SLIDE_REACH, settle
from .steep_creep import SteepCreep

_STEPS = 8
# A critical angle of this many degrees stands for no critical slope.
_VERTICAL = 90.0
# Ground above the critical angle slides to this many degrees below it, but to no more than the steepest talus angle.
_CRITICAL_MARGIN, _STEEPEST_TALUS = 0.1, 89.0
MOST_REACH = 1024
"""Cells around a piece of a large land that creep looks at, at most."""
# Share of the relief by which what lies farther away may change creeping ground.
_NEGLIGIBLE = 1e-9
# A smaller spread moves nothing; its inverse is a number.
_LEAST_SPREAD = 1e-12


@dataclass(frozen=True)
class HillslopeDiffusion(ProcessParameters):
    """Frost, roots and animals make the ground creep downhill, which rounds everything sharp."""

    diffusivity: float = parameter(
        0.01,
        "How fast ground creeps: dry rock 0.0005, grassland 0.005, wet soil 0.03",
        unit="m²/yr",
        limits=(0.0, 1e6),
        soft=(0.0, 0.05),
    )
    years: float = parameter(10000.0, "How long the ground creeps", unit="yr", limits=(0.0, 1e9), soft=(0.0, 100000.0))
    critical_angle: float = parameter(
        _VERTICAL,
        "Slope near which creep grows without limit and hillsides become straight; 90° switches this off",
        unit="°",
        limits=(1.0, _VERTICAL),
        soft=(20.0, _VERTICAL),
        advanced=True,
    )


def diffuse_hillslopes(terrain: Terrain, process: HillslopeDiffusion) -> Steps[Eroded]:
    """Let the ground creep downhill.

    Parameters
    ----------
    terrain : Terrain
        The land.  Nothing creeps over its border.
    process : HillslopeDiffusion
        Diffusivity D, time t and the angle of the critical slope S.  Without a critical slope, a hill of width σ gets
        the width √(σ² + 2Dt).

    Yields
    ------
    float
        Share done.  Asked to finish early, it returns the land at that time.

    Returns
    -------
    Eroded
        Ground that creeps away is sediment first, then bedrock; ground that arrives is sediment.  No summit is higher
        and no hollow deeper than before, for any time and diffusivity.  With a critical slope, steeper ground slides at
        once, and creeping ground stays below that slope.  The mass balance counts the heights in float64, before they
        are stored.

    Notes
    -----
    Backward Euler along rows, then along columns (Yanenko 1971): stable and monotone for any step, first order in time.
    Without a critical slope, the variance of a hill grows by exactly 2Dt for any step.
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
    """Let ground above the critical slope slide; return whether to finish early, and the solver for the creep."""
    if critical_angle >= _VERTICAL:
        return False, Creep(height.shape)
    bottomless = np.full(height.shape, float(height.min()) - 1.0, np.float32)
    talus_angle = min(critical_angle - _CRITICAL_MARGIN, _STEEPEST_TALUS)
    finish = yield from settle(height, bottomless, cell_size, talus_angle)
    return finish, SteepCreep(height.shape, math.tan(math.radians(critical_angle)) * cell_size)


def reach_of_creep(spread: float, steps: int) -> int:
    """Return how far from a border what lies beyond it changes creeping ground by less than 10⁻⁹ of its relief.

    Parameters
    ----------
    spread : float
        D Δt / cell size² of one step of `Creep`, 0 or more.
    steps : int
        How many steps follow one another.

    Returns
    -------
    int
        Cells, at most `MOST_REACH`.

    Notes
    -----
    A step spreads ground as the end points of a random walk whose two-sided geometric steps have the moment generating
    function M(θ) = 1 / (1 − 2 λ (cosh θ − 1)), with λ the spread.  Land beyond a border counts only for walks that come
    there.  In n steps at most twice as many do so as end at least d away (Lévy), at most a share M(θ)ⁿ e^(−θ d) for
    every θ (Chernoff).  There are four borders; the change is at most the height of the relief times all that.
    """
    reach = float(MOST_REACH)
    for percent in range(1, 100):
        # 2 λ (cosh θ − 1), below 1
        share = 0.01 * percent
        cosh = 1.0 + 0.5 * share / max(spread, _LEAST_SPREAD)
        theta = log(cosh + math.sqrt(cosh * cosh - 1.0))
        reach = min(reach, (log(8.0 / _NEGLIGIBLE) - steps * log(1.0 - share)) / theta)
    return math.ceil(reach)


def _reach(process: HillslopeDiffusion, cell_size: float) -> int:
    reach = reach_of_creep(process.diffusivity * process.years / cell_size**2 / _STEPS, _STEPS)
    return reach if process.critical_angle >= _VERTICAL else min(reach + SLIDE_REACH, MOST_REACH)


HILLSLOPE_DIFFUSION = Process(HillslopeDiffusion, diffuse_hillslopes, reach=_reach)

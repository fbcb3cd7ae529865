"""What the ground of a planet does by itself: it creeps downhill, and slides where it is too steep.

A sphere has no rows and columns along which a system of equations could be solved.  So creep takes explicit stages:
what one cell loses, another one gains, in any order and on any number of threads.  With the stages of
Runge–Kutta–Legendre super time stepping, the length of a step grows with the square of the number of its stages.  No
summit grows, and no hollow deepens.

References
----------
Meyer, C. D., Balsara, D. S. & Aslam, T. D. (2014). A stabilized Runge–Kutta–Legendre method for explicit super-time-
stepping of parabolic and mixed equations. Journal of Computational Physics 257, 594–626. doi:10.1016/j.jcp.2013.08.021
"""

import math

import numpy as np

from ..foundation.compilation import Array, Part, parallel_kernel, portion
from ..foundation.neighbours import Mesh
from .sphere_links import Sphere

# Rounds of slides in a call: a step of erosion leaves little to slide, and the next step goes on.
_MOST_SLIDES = 32
# Ground comes to rest within this share of the talus slope.
_AT_REST = 1e-3


class SphereCreep:
    """Linear diffusion on a sphere; it keeps its memory from step to step.

    Parameters
    ----------
    sphere : Sphere
        Its cells.
    """

    def __init__(self, sphere: Sphere) -> None:
        self._sphere = sphere
        cells = sphere.mesh.area.size
        self._before, self._two_before = np.empty(cells), np.empty(cells)

    def step(self, height: Array, spread: float) -> None:
        """Diffuse in place.

        Parameters
        ----------
        height : ndarray of float64, shape (1, cells)
            Metres.
        spread : float
            Diffusivity times time, in m², 0 or more.
        """
        # An odd number of stages s with s (s + 1) above the largest eigenvalue times the step: Eq. (18) and below.
        stages = max(math.ceil(math.sqrt(0.25 + self._sphere.stiffness * spread) - 0.5), 1) | 1
        share = 2.0 * spread / (stages * (stages + 1.0))
        now, before, two_before = height.reshape(-1), self._before, self._two_before
        area, links, bonds = self._sphere.mesh.area, self._sphere.mesh.links.cells, self._sphere.bonds
        before[:] = now
        _take_stage(before, before, links, bonds, area, (0.0, share), now)
        for stage in range(2, stages + 1):
            two_before, before = before, two_before
            before[:] = now
            factor = (2.0 * stage - 1.0) / stage
            _take_stage(before, two_before, links, bonds, area, (1.0 - factor, factor * share), now)


@parallel_kernel
def _take_stage(
    part: Part,
    before: Array,
    two_before: Array,
    links: Array,
    bonds: Array,
    area: Array,
    factors: tuple[float, float],
    after: Array,
) -> None:
    """Write the next stage from the last two: Yⱼ = μⱼ Yⱼ₋₁ + νⱼ Yⱼ₋₂ + μ̃ⱼ τ ∇²Yⱼ₋₁ with μⱼ = 1 − νⱼ.

    `factors` are νⱼ and μ̃ⱼ τ.
    """
    two, flow = factors
    for cell in portion(part, before.size):
        height, gain = before[cell], 0.0
        for k in range(8):
            gain += bonds[cell, k] * (before[links[cell, k]] - height)
        # As a sum of differences, so that level ground stays level to the last digit.
        after[cell] = height + (two * (two_before[cell] - height) + flow * gain / area[cell])


def slide(height: Array, mesh: Mesh, angle: float) -> bool:
    """Let ground slide, in place, where it is steeper than its talus angle.

    Every pair of neighbours that is too steep shares out what is too much, all of them at once.  The volume stays.

    Parameters
    ----------
    height : ndarray of float64, shape (1, cells)
        Metres.
    mesh : Mesh
        The cells.
    angle : float
        Talus angle in degrees, above 0 and below 90.

    Returns
    -------
    bool
        Whether all is at rest; high piles need several calls.
    """
    steepest = math.tan(math.radians(angle))
    now = height.reshape(-1)
    if float(np.ptp(now)) * float(mesh.nearness.max()) <= steepest:
        return True
    before, excess = np.empty_like(now), np.empty(now.size, np.float32)
    for _ in range(_MOST_SLIDES):
        before[:] = now
        _share_out(before, mesh.links.cells, mesh.nearness, mesh.area, steepest, now, excess)
        if float(excess.max()) <= _AT_REST * steepest:
            return True
    return False


@parallel_kernel
def _share_out(
    part: Part, before: Array, links: Array, nearness: Array, area: Array, steepest: float, after: Array, excess: Array
) -> None:
    """Write the heights after all pairs of neighbours have shared out what is too steep, and by how much it is so."""
    for cell in portion(part, before.size):
        height, gain, most = before[cell], 0.0, 0.0
        for k in range(8):
            there = links[cell, k]
            near = nearness[cell, k]
            if there == cell:
                continue
            drop = before[there] - height
            over = abs(drop) * near - steepest
            if over > 0.0:
                most = max(most, over)
                # A sixteenth from each of eight pairs at most, so that no cell falls below what it stood above.
                volume = over / near * (area[cell] + area[there]) * (1.0 / 32.0)
                gain += volume if drop > 0.0 else -volume
        after[cell] = height + gain / area[cell]
        excess[cell] = most

"""The books of an erosion process: what came, what left, and whether the rest is still there."""

from dataclasses import dataclass

import numpy as np

from ..foundation.terrain import Terrain


@dataclass(frozen=True)
class MassBalance:
    """Volumes of rock and sediment in m³, where loose ground counts as much as the rock it came from.

    Attributes
    ----------
    before, after : float
        Volume of the land above altitude 0 (below it counts as negative).
    uplifted : float
        What rose from below.
    left : float
        What went out through the border, or into the sea where the process says so.
    """

    before: float
    after: float
    uplifted: float = 0.0
    left: float = 0.0

    @property
    def error(self) -> float:
        """Volume that is neither there nor accounted for, in m³; rounding apart, 0."""
        return self.after - (self.before + self.uplifted - self.left)


@dataclass(frozen=True)
class Eroded:
    """What a process made of a land, with the books.

    Attributes
    ----------
    terrain : Terrain
        The land afterwards.
    balance : MassBalance
        What came and what left.
    """

    terrain: Terrain
    balance: MassBalance


def volume_of(terrain: Terrain) -> float:
    """Return the volume of a land above altitude 0 in m³, every sample counting as one cell; summed in float64."""
    heights = terrain.bedrock.sum(dtype=np.float64) + terrain.sediment.sum(dtype=np.float64)
    return float(heights) * terrain.cell_size**2

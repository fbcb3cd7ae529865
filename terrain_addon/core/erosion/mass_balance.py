"""The mass balance of an erosion process: volumes before, uplifted, left, and after.

>>> MassBalance(before=100.0, after=96.0, uplifted=2.0, left=6.0).error
0.0
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..foundation.terrain import Terrain


@dataclass(frozen=True)
class MassBalance:
    """Volumes of rock and sediment in m³.  One m³ of sediment counts as much as one m³ of the rock it came from.

    Attributes
    ----------
    before, after : float
        Volume of the land above altitude 0 (ground below altitude 0 counts as negative).
    uplifted : float
        Volume that rose from below, or that was brought from beyond the land.
    left : float
        Volume that left the land over the border or, where the process says so, into the sea.
    """

    before: float
    after: float
    uplifted: float = 0.0
    left: float = 0.0

    @property
    def error(self) -> float:
        """Volume in m³ that is missing from the balance: 0 except for rounding."""
        return self.after - (self.before + self.uplifted - self.left)


class ErosionReport(NamedTuple):
    """What is said of a process.

    Attributes
    ----------
    balance : MassBalance
        The volumes before and after, uplifted, and left.
    notices : tuple of str
        Why the process did less than was asked for, one sentence each.
    """

    balance: MassBalance
    notices: tuple[str, ...]


@dataclass(frozen=True)
class Eroded:
    """The result of a process: the land and the mass balance.

    Attributes
    ----------
    terrain : Terrain
        The land afterwards.
    balance : MassBalance
        The volumes before and after, uplifted, and left.
    notices : tuple of str
        Why the process did less than was asked for, one sentence each.
    """

    terrain: Terrain
    balance: MassBalance
    notices: tuple[str, ...] = ()

    @property
    def report(self) -> ErosionReport:
        """What is said of the process, without the land."""
        return ErosionReport(self.balance, self.notices)


def volume_of(terrain: Terrain) -> float:
    """Return the volume of a land above altitude 0.

    Parameters
    ----------
    terrain : Terrain
        The land.

    Returns
    -------
    float
        m³, summed in float64; every sample counts as one cell.
    """
    heights = terrain.bedrock.sum(dtype=np.float64) + terrain.sediment.sum(dtype=np.float64)
    return float(heights) * terrain.cell_size**2

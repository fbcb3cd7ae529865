"""River beds: each river gets a bed along its course, deeper and wider the larger the river is.

The depth is a power law of discharge, depth ∝ Q^f (hydraulic geometry), f = 0.3; drainage area stands for discharge.

>>> from terrain_addon.core.flow.water import Water, find_water
>>> from terrain_addon.core.foundation.progress import run
>>> y, x = np.mgrid[0.0:7.0, -2.0:3.0].astype(np.float32)
>>> valley = np.abs(x) + np.float32(0.1) * y
>>> land = Terrain(valley, np.zeros_like(valley), 10.0)
>>> waters = find_water(land.surface, 10.0, Water(river_source=0.0003))
>>> eroded = run(cut_river_beds(land, RiverBeds(depth=6.0), waters=waters))
>>> print(eroded.terrain.surface[2].round(2))
[ 2.2  0.1 -0.6  0.1  2.2]

References
----------
L. B. Leopold and T. Maddock (1953), "The hydraulic geometry of stream channels and some physiographic implications",
USGS Professional Paper 252, doi:10.3133/pp252: depth as a power of discharge, downstream 0.4 on average.
"""

import math
from dataclasses import dataclass

import numpy as np

from ..flow.water import Waters
from ..foundation.compilation import Array, kernel
from ..foundation.elementary import power_of
from ..foundation.parameters import parameter
from ..foundation.progress import Steps
from ..foundation.terrain import Terrain
from .mass_balance import Eroded, MassBalance, volume_of
from .process import Process, ProcessParameters


@dataclass(frozen=True)
class RiverBeds(ProcessParameters):
    """Rivers get beds with banks, which show in the shape of the mesh."""

    depth: float = parameter(
        1.5,
        "Depth of the bed where a river drains 1 km²; at 4 km² it is 1.5 times as deep",
        unit="m",
        limits=(0.0, 100.0),
        soft=(0.0, 5.0),
    )
    width_ratio: float = parameter(
        1.5,
        "Width of the bed between its banks as a multiple of the river's width",
        limits=(1.0, 20.0),
        soft=(1.0, 5.0),
        advanced=True,
    )


def cut_river_beds(terrain: Terrain, beds: RiverBeds, *, waters: Waters) -> Steps[Eroded]:
    """Lower the land along its rivers; sediment is removed before bedrock.

    The bed of a river that drains A km² is depth · A^0.3 deep (power law after Leopold & Maddock 1953) and never rises
    downstream, so no water is dammed.  Its cross-section is a parabola from the middle to the banks.  What is removed
    leaves with the water.

    Parameters
    ----------
    terrain : Terrain
        The land.
    beds : RiverBeds
        Depth and width of the beds.
    waters : Waters
        The rivers of the land.

    Yields
    ------
    float
        Share done: 0 once, before its only step.

    Returns
    -------
    Eroded
        The land, nowhere higher than before.
    """
    yield 0.0
    rivers, before = waters.rivers, volume_of(terrain)
    surface = terrain.surface.copy()
    # depth ∝ Q^f with f = 0.3
    depth = np.float32(beds.depth) * power_of((1e-6 * rivers.drainage_area).astype(np.float32), 0.3)
    level = rivers.points[:, 2] - depth
    reach = np.float32(0.5 * beds.width_ratio) * rivers.width
    standing = waters.water_depth.ravel()[rivers.cell] > 0.0
    _cut(surface, rivers.cell, rivers.first, level, depth, reach, standing, terrain.cell_size)
    taken = terrain.surface - surface
    sediment = np.maximum(terrain.sediment - taken, np.float32(0.0))
    bedrock = np.where(taken > 0.0, surface - sediment, terrain.bedrock)
    cut = Terrain(bedrock, sediment, terrain.cell_size)
    after = volume_of(cut)
    return Eroded(cut, MassBalance(before, after, left=before - after))


@kernel
def _cut(
    surface: Array,
    cell: Array,
    first: Array,
    level: Array,
    depth: Array,
    reach: Array,
    standing: Array,
    cell_size: float,
) -> None:
    """Lower the surface to a parabola across each cell of each river; `level` and `depth` are those of its bed."""
    rows, columns = surface.shape
    for river in range(first.size - 1):
        bed = np.float32(np.inf)
        for i in range(first[river], first[river + 1]):
            bed = min(bed, level[i])
            if standing[i]:
                continue
            row, column = cell[i] // columns, cell[i] % columns
            span = math.ceil(reach[i] / cell_size)
            for r in range(max(row - span, 0), min(row + span + 1, rows)):
                for c in range(max(column - span, 0), min(column + span + 1, columns)):
                    away = cell_size * math.sqrt((r - row) * (r - row) + (c - column) * (c - column))
                    share = min(away / max(reach[i], 1e-6), 1.0) if away > 0.0 else 0.0
                    surface[r, c] = min(surface[r, c], bed + depth[i] * np.float32(share * share))
            if i + 1 < first[river + 1]:
                r, c = cell[i + 1] // columns, cell[i + 1] % columns
                if r != row and c != column:
                    # A diagonal step: the mesh may have an edge from bank to bank between the two cells.  Lower one.
                    if surface[row, c] <= surface[r, column]:
                        surface[row, c] = min(surface[row, c], bed)
                    else:
                        surface[r, column] = min(surface[r, column], bed)


RIVER_BEDS = Process(RiverBeds, cut_river_beds, exchanged=("left",), measurements=("waters",))

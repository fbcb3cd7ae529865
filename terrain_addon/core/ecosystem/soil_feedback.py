"""What plants do to the ground: roots hold it against water, litter makes more of it (Cordonnier et al. 2017).

Rain carries off soil in proportion to the slope S, and streams in proportion to A^½ S with the drainage area A, as the
stream power law says.  Roots lower the erodibility of both:

    soil ← soil + years · litter · cover − years · k · S
    k = (wash + stream_wash · √(A / 1 km²)) · (1 − strength · cover)

No more is carried off than there is.

References
----------
Cordonnier, G., Galin, E., Gain, J., Benes, B., Guérin, E., Peytavie, A. & Cani, M.-P. (2017).  Authoring landscapes by
combining ecosystem and terrain erosion simulation.  ACM Transactions on Graphics 36(4), article 134.
doi:10.1145/3072959.3073667

Howard, A. D. (1994).  A detachment-limited model of drainage basin evolution.  Water Resources Research 30(7),
2261-2285.  doi:10.1029/94WR00757

Montgomery, D. R. (2007).  Soil erosion and agricultural sustainability.  Proceedings of the National Academy of
Sciences 104(33), 13268-13272.  doi:10.1073/pnas.0611508104
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..erosion.mass_balance import Eroded, MassBalance, volume_of
from ..foundation.compilation import Array, kernel
from ..foundation.elementary import exp
from ..foundation.parameters import ParameterSet, parameter
from ..foundation.terrain import Field, Terrain
from .forest import Forest
from .plant_fate import Condition
from .plants import Plants
from .species import Species

# Drainage area in m² for which `stream_wash` is given.
_SQUARE_KILOMETRE = 1e6
# Moments of the forest's past whose mean is its cover.
_MOMENTS = 11


@dataclass(frozen=True)
class SoilFeedback(ParameterSet):
    """Let rain and plants work on the soil once the forest has grown: the land itself changes."""

    enabled: bool = parameter(
        False, "Whether soil is washed away and made; maps then show the land as it is afterwards"
    )
    years: float = parameter(
        500.0,
        "Time for which rain and plants work on the soil",
        unit="yr",
        limits=(0.0, 100_000.0),
        soft=(0.0, 2000.0),
    )
    wash: float = parameter(
        0.001,
        "Soil that rain washes off bare ground of 45° in a year; half of it where the ground rises half as steeply",
        unit="m/yr",
        limits=(0.0, 0.1),
        soft=(0.0, 0.005),
    )
    stream_wash: float = parameter(
        0.001,
        "Soil that a stream carries off in a year where it falls at 45° and a square kilometre drains to it; it grows "
        "with the square root of that area",
        unit="m/yr",
        limits=(0.0, 1.0),
        soft=(0.0, 0.01),
    )
    root_strength: float = parameter(
        0.95,
        "How well roots hold the soil where plants cover all the ground: 0 not at all, 1 rain and streams take none",
        limits=(0.0, 1.0),
    )
    litter: float = parameter(
        0.0002,
        "Soil that fallen leaves make in a year where plants cover all the ground",
        unit="m/yr",
        limits=(0.0, 0.1),
        soft=(0.0, 0.002),
    )


def work_on_soil(
    terrain: Terrain, gradient: Field, forest: Forest, feedback: SoilFeedback, drainage: Field | None = None
) -> Eroded:
    """Return a land after rain and plants have worked on its soil; bedrock stays as it is.

    Ploughed fields lose about 1 mm a year and ground under its own plants a hundredth to a tenth of that (Montgomery
    2007), which is what the defaults stand for.

    Parameters
    ----------
    terrain : Terrain
        The land before.
    gradient : ndarray of float32, shape (rows, columns)
        Rise over distance of its surface.
    forest : Forest
        Its cover is the mean of its past.
    feedback : SoilFeedback
        Time, and how strongly rain, streams, roots and leaves work.
    drainage : ndarray of float32, shape (rows, columns), optional
        Land in m² that drains through each place; without it there are no streams.

    Returns
    -------
    Eroded
        In the mass balance litter counts as uplift, and what is washed away leaves the land with its rivers.
    """
    shape, cell_size = terrain.sediment.shape, terrain.cell_size
    moments = np.unique(np.linspace(0.0, forest.years, _MOMENTS))
    covers = (measure_plant_cover(forest.plants_at(float(year)), forest.species, shape, cell_size) for year in moments)
    cover = sum(covers, np.zeros(shape)) / moments.size
    made = feedback.years * feedback.litter * cover
    erodibility = np.full(shape, feedback.wash)
    if drainage is not None:
        erodibility += feedback.stream_wash * np.sqrt(drainage / _SQUARE_KILOMETRE)
    erodibility *= 1.0 - feedback.root_strength * cover
    carried = feedback.years * erodibility * gradient
    # Water cannot wash away more than lies there.
    washed = np.minimum(carried, terrain.sediment + made)
    sediment = np.maximum(terrain.sediment + made - washed, 0.0).astype(np.float32)
    after = Terrain(terrain.bedrock, sediment, cell_size)
    area = cell_size**2
    balance = MassBalance(volume_of(terrain), volume_of(after), area * float(made.sum()), area * float(washed.sum()))
    return Eroded(after, balance)


def measure_plant_cover(plants: Plants, species: Sequence[Species], shape: tuple[int, int], cell_size: float) -> Field:
    """Return which share of the ground lies under crowns.

    Parameters
    ----------
    plants : Plants
        Dead wood covers nothing.
    species : sequence of Species
        What `plants.species` counts; what neither grows nor dies, such as rocks, covers nothing.
    shape : tuple of int
        Rows and columns of the land.
    cell_size : float
        Metres.

    Returns
    -------
    ndarray of float32, shape `shape`
        0 to 1: 1 − exp(−a) with a the crown area over a cell, as for discs that lie at random.
    """
    area = np.zeros(shape, np.float64)
    green = np.array([not one.lasts for one in species], np.bool_)
    counts = (plants.condition == Condition.LIVING) & green[plants.species]
    _add_crowns(plants.x[counts], plants.y[counts], plants.radius[counts], 1.0 / cell_size, area)
    cover = np.empty(shape, np.float32)
    _close(area, cover)
    return cover


@kernel
def _add_crowns(x: Array, y: Array, radius: Array, per_cell: float, area: Array) -> None:
    """Spread the area of each crown evenly over the samples under it, measured in cells."""
    rows, columns = area.shape
    for p in range(x.size):
        column, row, reach = x[p] * per_cell, y[p] * per_cell, radius[p] * per_cell
        first_row, last_row = math.ceil(row - reach), math.floor(row + reach)
        first_column, last_column = math.ceil(column - reach), math.floor(column + reach)
        hit = 0
        for i in range(first_row, last_row + 1):
            for j in range(first_column, last_column + 1):
                hit += (i - row) ** 2 + (j - column) ** 2 <= reach * reach
        whole = math.pi * reach * reach
        if hit == 0:
            i, j = min(int(row + 0.5), rows - 1), min(int(column + 0.5), columns - 1)
            area[i, j] += whole
            continue
        # What lies beyond the border does not count.
        for i in range(max(first_row, 0), min(last_row + 1, rows)):
            for j in range(max(first_column, 0), min(last_column + 1, columns)):
                if (i - row) ** 2 + (j - column) ** 2 <= reach * reach:
                    area[i, j] += whole / hit


@kernel
def _close(area: Array, cover: Array) -> None:
    """Turn crown area into the share of the ground that lies under it."""
    for i in range(area.shape[0]):
        for j in range(area.shape[1]):
            cover[i, j] = 1.0 - exp(-area[i, j])

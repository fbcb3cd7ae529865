"""What plants do to the ground: roots hold it, litter makes more of it (Cordonnier et al. 2017)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..compilation import Array, kernel
from ..parameters import ParameterSet, parameter
from ..terrain import Field
from .plants import Plants
from .species import Species


@dataclass(frozen=True)
class SoilFeedback(ParameterSet):
    """How much plants change the ground that they stand on."""

    root_strength: float = parameter(
        0.7, "Share by which a closed cover of roots lowers the erosion of loose ground", limits=(0.0, 1.0)
    )
    litter: float = parameter(
        0.0002,
        "Soil that a closed cover of leaves makes in a year",
        unit="m/yr",
        limits=(0.0, 0.1),
        soft=(0.0, 0.002),
    )


def measure_plant_cover(plants: Plants, species: Sequence[Species], shape: tuple[int, int], cell_size: float) -> Field:
    """Return which share of the ground lies under crowns.

    Parameters
    ----------
    plants : Plants
        Dead wood covers nothing.
    species : sequence of Species
        What `plants.species` counts; rocks and dead trees cover nothing.
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
    green = np.array([one.form not in ("rock", "dead_tree") for one in species], np.bool_)
    counts = (plants.condition == 0) & green[plants.species]
    _add_crowns(plants.x[counts], plants.y[counts], plants.radius[counts], 1.0 / cell_size, area)
    return (1.0 - np.exp(-area)).astype(np.float32)


def feed_back_on_soil(cover: Field, feedback: SoilFeedback) -> tuple[Field, Field]:
    """Return what a plant cover does to erosion and soil.

    Parameters
    ----------
    cover : ndarray of float32, shape (rows, columns)
        From `measure_plant_cover`.
    feedback : SoilFeedback

    Returns
    -------
    erodibility : ndarray of float32, shape (rows, columns)
        Factor on how easily the ground is carried away, 0 to 1.
    soil_gain : ndarray of float32, shape (rows, columns)
        Metres of new soil a year.
    """
    erodibility = np.float32(1.0) - np.float32(feedback.root_strength) * cover
    return erodibility, np.float32(feedback.litter) * cover


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
        # What lies beyond the border is lost, as it should be.
        for i in range(max(first_row, 0), min(last_row + 1, rows)):
            for j in range(max(first_column, 0), min(last_column + 1, columns)):
                if (i - row) ** 2 + (j - column) ** 2 <= reach * reach:
                    area[i, j] += whole / hit

"""Strata: beds of harder and softer rock, which crop out by height, dip and folds.

The hardness of a bed is random, and folds are fractal noise; both are our own simple models.

>>> strata = Strata(contrast=4.0, thickness=50.0, dip=45.0, dip_direction=90.0, folds=0.0)
>>> print(lay_beds(Grid(1, 3, 10.0), strata, 1))
[[ 10.   0. -10.]]
>>> hardness = np.empty((1, 3), np.float32)
>>> measure_hardness(np.array([[0.0, 20.0, 60.0]], np.float32), strata, 1, hardness)
>>> print(hardness.round(3))
[[1.322 1.322 0.76 ]]

References
----------
A. M. Forte, B. J. Yanites and K. X. Whipple (2016), "Complexities of landscape evolution during incision through
layered stratigraphy with contrasts in rock strength", Earth Surface Processes and Landforms 41, 1736-1757,
doi:10.1002/esp.3947: what beds of different erodibility do to rivers.
"""

import math
from dataclasses import dataclass

import numpy as np

from ..foundation.compilation import Array, Part, parallel_kernel, portion
from ..foundation.elementary import exp
from ..foundation.hashing import Purpose, derive_seed, hash_place, unit_float
from ..foundation.parameters import ParameterSet, parameter
from ..foundation.terrain import Field, Grid
from ..relief.fractal_noise import FractalNoise, make_fractal_noise

# Share of the thickness of a bed over which its hardness changes into that of the next bed.
_TRANSITION = np.float32(0.15)
# Rows of a plane of beds that are computed together.
_ROWS = 64


@dataclass(frozen=True)
class Strata(ParameterSet):
    """Beds of rock of different hardness: hard beds stand out as cliffs and benches."""

    contrast: float = parameter(
        1.0,
        "How much harder the hardest bed is than the softest; 1 is rock of the same hardness everywhere",
        limits=(1.0, 100.0),
        soft=(1.0, 10.0),
    )
    thickness: float = parameter(
        60.0, "Thickness of a bed", unit="m", limits=(0.01, 1e5), soft=(5.0, 500.0), advanced=True
    )
    dip: float = parameter(
        5.0,
        "Slope of the beds; level beds make table mountains, steep beds rows of crests",
        unit="°",
        limits=(0.0, 80.0),
        soft=(0.0, 40.0),
        advanced=True,
    )
    dip_direction: float = parameter(
        135.0,
        "Direction in which the beds slope down: 0 is north, 90 east",
        unit="°",
        limits=(0.0, 360.0),
        advanced=True,
    )
    folds: float = parameter(
        40.0, "How far the beds are bent up and down", unit="m", limits=(0.0, 10000.0), soft=(0.0, 500.0), advanced=True
    )
    fold_wavelength: float = parameter(
        1500.0, "Distance between folds", unit="m", limits=(0.01, 1e6), soft=(100.0, 10000.0), advanced=True
    )


def lay_beds(grid: Grid, strata: Strata, seed: int, land: Grid | None = None) -> Field:
    """Return the height of one bed over a whole land.

    Parameters
    ----------
    grid : Grid
        Where to sample; a finer grid samples the same beds.
    strata : Strata
        Dip and folds.
    seed : int
        0 to 2³¹ − 1.
    land : Grid, optional
        The whole land, where `grid` is a window of it.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres; without folds, 0 in the middle of the land.
    """
    folds = FractalNoise(
        wavelength=strata.fold_wavelength, base_altitude=-strata.folds, height=2.0 * strata.folds, octaves=3
    )
    bed = make_fractal_noise(grid, folds, int(derive_seed(seed, Purpose.FOLDS) >> 1))
    fall, towards = math.tan(math.radians(strata.dip)), math.radians(strata.dip_direction)
    land = land or grid
    columns = np.arange(grid.columns) + (grid.first_column - land.first_column)
    rows = np.arange(grid.rows) + (grid.first_row - land.first_row)
    x, y = columns * grid.cell_size - 0.5 * land.width, rows * grid.cell_size - 0.5 * land.depth
    x *= math.sin(towards)
    y *= math.cos(towards)
    # Some rows at a time, because sums in float64 of all of them take four times the memory of the result.
    for first in range(0, grid.rows, _ROWS):
        some = slice(first, first + _ROWS)
        bed[some] -= (fall * (x + y[some, np.newaxis])).astype(np.float32)
    return bed


def measure_hardness(height_above_bed: Array, strata: Strata, seed: int, hardness: Field) -> None:
    """Write the hardness of the rock at the surface.

    Parameters
    ----------
    height_above_bed : ndarray of float32 or float64, shape (rows, columns)
        How far above the bed of `lay_beds` the ground lies, in metres, without the uplift since then.
    strata : Strata
        Contrast and thickness.
    seed : int
        0 to 2³¹ − 1.
    hardness : ndarray of float32, shape (rows, columns)
        The result, from 1/√contrast to √contrast.
    """
    logarithm = np.float32(math.log(strata.contrast))
    _measure(height_above_bed, 1.0 / strata.thickness, logarithm, derive_seed(seed, Purpose.BEDS), hardness)


@parallel_kernel
def _measure(part: Part, above: Array, per_bed: float, logarithm: np.float32, seed: np.uint32, hardness: Array) -> None:
    """Hardness is contrast^(r − ½), where r is a random number from 0 to 1 for each bed."""
    for row in portion(part, above.shape[0]):
        for column in range(above.shape[1]):
            beds = above[row, column] * per_bed
            bed = np.int64(math.floor(beds))
            within = np.float32(beds - bed)
            here, next_bed = unit_float(hash_place(bed, 0, seed)), unit_float(hash_place(bed + 1, 0, seed))
            blend = max((within - (np.float32(1.0) - _TRANSITION)) / _TRANSITION, np.float32(0.0))
            value = here + blend * (next_bed - here) - np.float32(0.5)
            hardness[row, column] = exp(logarithm * value)

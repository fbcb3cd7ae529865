"""Layers of harder and softer rock: where one crops out is a matter of height, dip and folds."""

import math
from dataclasses import dataclass

import numpy as np

from ..foundation.compilation import Array, Part, parallel_kernel, portion
from ..foundation.elementary import exp
from ..foundation.hashing import Purpose, derive_seed, hash_place, unit_float
from ..foundation.parameters import ParameterSet, parameter
from ..foundation.terrain import Field, Grid
from ..relief.fractal_noise import FractalNoise, make_fractal_noise

# What seeds are derived for.
# Share of a bed over which its hardness goes over into that of the next: as a slope, not as a step.
_BLEND = np.float32(0.15)


@dataclass(frozen=True)
class Strata(ParameterSet):
    """Beds of rock of different hardness: hard ones stand out as cliffs and benches."""

    contrast: float = parameter(
        1.0,
        "How much harder the hardest bed is than the softest; 1 is rock of one kind",
        limits=(1.0, 100.0),
        soft=(1.0, 10.0),
    )
    thickness: float = parameter(
        60.0, "Thickness of a bed", unit="m", limits=(0.01, 1e5), soft=(5.0, 500.0), advanced=True
    )
    dip: float = parameter(
        5.0,
        "Slope of the beds; level beds make tables, steep ones rows of crests",
        unit="°",
        limits=(0.0, 80.0),
        soft=(0.0, 40.0),
        advanced=True,
    )
    dip_direction: float = parameter(
        135.0, "Where the beds slope down to: 0 is north, 90 east", unit="°", limits=(0.0, 360.0), advanced=True
    )
    folds: float = parameter(
        40.0, "How far the beds are bent up and down", unit="m", limits=(0.0, 10000.0), soft=(0.0, 500.0), advanced=True
    )
    fold_wavelength: float = parameter(
        1500.0, "Distance between folds", unit="m", limits=(0.01, 1e6), soft=(100.0, 10000.0), advanced=True
    )


def lay_beds(grid: Grid, strata: Strata, seed: int) -> Field:
    """Return the height of one and the same bed all over a land.

    Parameters
    ----------
    grid : Grid
        Where to sample; a finer grid samples the same beds.
    strata : Strata
        Dip and folds.
    seed : int
        0 to 2³¹ − 1.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres, 0 in the middle of the land but for the folds.
    """
    folds = FractalNoise(
        wavelength=strata.fold_wavelength, base_altitude=-strata.folds, height=2.0 * strata.folds, octaves=3
    )
    bed = make_fractal_noise(grid, folds, int(derive_seed(seed, Purpose.FOLDS) >> 1)).copy()
    fall, towards = math.tan(math.radians(strata.dip)), math.radians(strata.dip_direction)
    x = np.arange(grid.columns) * grid.cell_size - 0.5 * grid.width
    y = np.arange(grid.rows) * grid.cell_size - 0.5 * grid.depth
    bed -= (fall * (math.sin(towards) * x + math.cos(towards) * y[:, np.newaxis])).astype(np.float32)
    return bed


def measure_hardness(height_above_bed: Field, strata: Strata, seed: int, hardness: Field) -> None:
    """Write the hardness of the rock that crops out.

    Parameters
    ----------
    height_above_bed : ndarray of float32 or float64, shape (rows, columns)
        How far above the bed of `lay_beds` the ground lies, in metres, rise of the land since then not counted.
    strata : Strata
        Contrast and thickness.
    seed : int
        0 to 2³¹ − 1.
    hardness : ndarray of float32, shape (rows, columns)
        Result, from 1/√contrast to √contrast.
    """
    logarithm = np.float32(math.log(strata.contrast))
    _measure(height_above_bed, 1.0 / strata.thickness, logarithm, derive_seed(seed, Purpose.BEDS), hardness)


@parallel_kernel
def _measure(part: Part, above: Array, per_bed: float, logarithm: np.float32, seed: np.uint32, hardness: Array) -> None:
    for row in portion(part, above.shape[0]):
        for column in range(above.shape[1]):
            beds = above[row, column] * per_bed
            bed = np.int64(math.floor(beds))
            within = np.float32(beds - bed)
            here, next_bed = unit_float(hash_place(bed, 0, seed)), unit_float(hash_place(bed + 1, 0, seed))
            blend = max((within - (np.float32(1.0) - _BLEND)) / _BLEND, np.float32(0.0))
            value = here + blend * (next_bed - here) - np.float32(0.5)
            hardness[row, column] = exp(logarithm * value)

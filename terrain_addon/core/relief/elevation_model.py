"""Measured land as a relief: a digital elevation model, or other stored heights, sampled smoothly at any resolution."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..parameters import ParameterSet, group, parameter
from ..terrain import Field, Grid
from .elevation import Elevation
from .placement import Extent, Placement, extent_of
from .resampling import resample
from .stored_heights import StoredHeights

# Samples that a grid misses by less than this, in samples, are met: stretched over a grid of their own size, heights
# come back as they were.
_NEAR = 1e-6


@dataclass(frozen=True)
class ElevationModel(ParameterSet):
    """Real land from a file."""

    path: str = parameter(
        "sample:big_tujunga",
        "File with heights (npz, npy, png), or sample:NAME for one that comes with the extension",
        kind="path",
    )
    exaggeration: float = parameter(1.0, "Factor on all heights", limits=(-100.0, 100.0), soft=(0.5, 3.0))
    placement: Placement = group(Placement, "Where the data lie")
    lowest: float = parameter(
        0.0, "Altitude of black, for files that are pictures", unit="m", limits=(-12000.0, 12000.0), advanced=True
    )
    highest: float = parameter(
        1000.0, "Altitude of white, for files that are pictures", unit="m", limits=(-12000.0, 12000.0), advanced=True
    )
    fill_holes: bool = parameter(True, "Whether holes in the data are closed smoothly, or refused", advanced=True)


def elevation_range(model: ElevationModel | StoredHeights, elevation: Elevation) -> tuple[float, float]:
    """Return the lowest and highest height in metres that stored heights have anywhere."""
    low, high = sorted(model.exaggeration * limit for limit in elevation.limits)
    return low, high


def sample_elevation(
    grid: Grid, model: ElevationModel | StoredHeights, elevation: Elevation, extent: Extent | None = None
) -> Field:
    """Return stored heights sampled on a grid; unchanged where it is the one that they were stored on.

    Between samples the surface is the bicubic spline of Keys (1981), a = −½: it passes through every sample, its slope
    has no steps, and it reproduces planes exactly.  Where it would swing beyond the lowest or highest sample of the
    data it is cut, so that the range of the data holds for the land.

    Parameters
    ----------
    grid : Grid
        Where to sample.
    model : ElevationModel or StoredHeights
        Its exaggeration multiplies the heights, its placement says where they lie.
    elevation : Elevation
        The data.
    extent : tuple of 4 floats, optional
        West, south, east and north border in metres of the landscape over which heights are stretched; left out, those
        of `grid`, which is then no tile.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres, within `elevation_range`.

    Raises
    ------
    ValueError
        If the true size is asked for and the data do not say it.
    """
    west, south, east, north = extent or extent_of(grid)
    x = (grid.first_column + np.arange(grid.columns, dtype=np.float64)) * grid.cell_size
    y = (grid.first_row + np.arange(grid.rows, dtype=np.float64)) * grid.cell_size
    if model.placement.fit == "stretched":
        rows, columns = elevation.heights.shape
        x, y = _spread(x, west, east, columns), _spread(y, south, north, rows)
    elif elevation.cell_size is None:
        raise ValueError("fit = 'true_size' needs data that say how large their cells are; use 'stretched' for these")
    else:
        x = (x - model.placement.offset_east) / elevation.cell_size
        y = (y - model.placement.offset_north) / elevation.cell_size
    return resample(elevation.heights, _met(y), _met(x), model.exaggeration, elevation_range(model, elevation))


def _spread(places: npt.NDArray[np.float64], begin: float, end: float, samples: int) -> npt.NDArray[np.float64]:
    """Positions among samples that are spread evenly from one border to the other."""
    if end <= begin:
        return np.zeros(places.size)
    return (places - begin) / (end - begin) * (samples - 1)


def _met(positions: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    nearest = np.rint(positions)
    return np.where(np.abs(positions - nearest) < _NEAR, nearest, positions)

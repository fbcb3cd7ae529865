"""Measured land as a relief: a digital elevation model, or other stored heights, sampled smoothly at any resolution."""

import json
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..foundation.parameters import ParameterSet, group, parameter
from ..foundation.placement import Borders, Placement, borders_of
from ..foundation.resampling import resample, weigh_rows
from ..foundation.stored_field import StoredField
from ..foundation.terrain import Field, Grid
from .stored_heights import StoredHeights

# Samples that a grid misses by less than this, in samples, are met: on a grid of their own size heights come back as
# they were, although recipes keep lengths in the 24 bits of float32.
_NEAR = 1e-3


@dataclass(frozen=True)
class Crop(ParameterSet):
    """Which part of a file is used."""

    west: float = parameter(0.0, "Western edge of the part, as a share of the width", unit="%", limits=(0.0, 100.0))
    east: float = parameter(100.0, "Eastern edge of the part, as a share of the width", unit="%", limits=(0.0, 100.0))
    south: float = parameter(0.0, "Southern edge of the part, as a share of the depth", unit="%", limits=(0.0, 100.0))
    north: float = parameter(100.0, "Northern edge of the part, as a share of the depth", unit="%", limits=(0.0, 100.0))

    def check(self) -> None:
        """Refuse a part without width or depth."""
        for low, high in (("west", "east"), ("south", "north")):
            begin, end = getattr(self, low), getattr(self, high)
            if begin >= end:
                raise ValueError(f"{low} = {begin} % is not below {high} = {end} %: nothing would be left")

    @property
    def shares(self) -> tuple[float, float, float, float]:
        """West, south, east and north edge, 0 to 1."""
        return self.west / 100.0, self.south / 100.0, self.east / 100.0, self.north / 100.0


@dataclass(frozen=True)
class ElevationModel(ParameterSet):
    """Real land from a file."""

    path: str = parameter(
        "sample:big_tujunga",
        "File with heights (GeoTIFF, HGT, ASCII grid, ENVI or Esri BIL, FLT, PNG, OpenEXR, RAW, r16, r32, npy, npz), "
        "or sample:NAME for one that comes with the extension",
        kind="path",
    )
    exaggeration: float = parameter(1.0, "Factor on all heights", limits=(-100.0, 100.0), soft=(0.5, 3.0))
    placement: Placement = group(Placement, "Where the data lie")
    crop: Crop = group(Crop, "Which part of the file is used")
    lowest: float = parameter(
        0.0, "Altitude of black, for files that are pictures", unit="m", limits=(-12000.0, 12000.0), advanced=True
    )
    highest: float = parameter(
        1000.0, "Altitude of white, for files that are pictures", unit="m", limits=(-12000.0, 12000.0), advanced=True
    )
    fill_holes: bool = parameter(True, "Whether holes in the data are closed smoothly, or refused", advanced=True)

    @property
    def key(self) -> str:
        """The name under which its heights are asked for: the path, and what is unusual in how the file is read."""
        mine, usual = self.to_json(), ElevationModel().to_json()
        unusual = {name: mine[name] for name in _READING if mine[name] != usual[name]}
        return f"{self.path} {json.dumps(unusual)}" if unusual else self.path


# What decides which heights a file gives, apart from the file.
_READING = ("crop", "lowest", "highest", "fill_holes")


def elevation_range(model: ElevationModel | StoredHeights, elevation: StoredField) -> tuple[float, float]:
    """Return the lowest and highest height in metres that stored heights have anywhere."""
    low, high = sorted(model.exaggeration * limit for limit in elevation.limits)
    return low, high


def sample_elevation(
    grid: Grid, model: ElevationModel | StoredHeights, elevation: StoredField, borders: Borders | None = None
) -> Field:
    """Return stored heights sampled on a grid; unchanged where it is the one that they were stored on.

    Between samples the surface is the bicubic spline of Keys (1981), a = −½: it passes through every sample, its slope
    has no steps, and it reproduces planes exactly.  Where samples of the grid lie farther apart than those of the data,
    each is a mean of those around it, so that nothing aliases.  Where the surface would swing beyond the lowest or
    highest sample of the data it is cut, so that the range of the data holds for the land.

    Parameters
    ----------
    grid : Grid
        Where to sample.
    model : ElevationModel or StoredHeights
        Its exaggeration multiplies the heights, its placement says where they lie.
    elevation : StoredField
        The data.
    borders : tuple of 4 floats, optional
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
    west, south, east, north = borders or borders_of(grid)
    x = (grid.first_column + np.arange(grid.columns, dtype=np.float64)) * grid.cell_size
    y = (grid.first_row + np.arange(grid.rows, dtype=np.float64)) * grid.cell_size
    heights = elevation.heights
    if model.placement.fit == "stretched":
        rows, columns = heights.shape
        x, across = _spread(x, west, east, columns, grid.cell_size)
        y, along = _spread(y, south, north, rows, grid.cell_size)
    elif elevation.cell_size is None:
        raise ValueError("fit = 'true_size' needs data that say how large their cells are; use 'stretched' for these")
    else:
        x = (x - model.placement.offset_east) / elevation.cell_size
        y = (y - model.placement.offset_north) / elevation.cell_size
        across = along = grid.cell_size / elevation.cell_size
    heights, y = _thinned(heights, _met(y), along)
    turned, x = _thinned(heights.T, _met(x), across)
    return resample(np.ascontiguousarray(turned.T), y, x, model.exaggeration, elevation_range(model, elevation))


def _spread(
    places: npt.NDArray[np.float64], begin: float, end: float, samples: int, apart: float
) -> tuple[npt.NDArray[np.float64], float]:
    """Positions among samples that are spread evenly from one border to the other, and how far apart they are."""
    if end <= begin:
        return np.zeros(places.size), 0.0
    return (places - begin) / (end - begin) * (samples - 1), apart / (end - begin) * (samples - 1)


def _met(positions: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    nearest = np.rint(positions)
    return np.where(np.abs(positions - nearest) < _NEAR, nearest, positions)


def _thinned(heights: Field, positions: npt.NDArray[np.float64], step: float) -> tuple[Field, npt.NDArray[np.float64]]:
    """Heights whose rows lie no closer than positions do, and the positions among them."""
    if step <= 1.0 + _NEAR:
        return heights, positions
    inside = np.clip(positions, 0.0, len(heights) - 1.0)
    return weigh_rows(heights, inside, step), np.arange(positions.size, dtype=np.float64)

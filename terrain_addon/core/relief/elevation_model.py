"""Measured heights as a source: a digital elevation model, or other stored heights, sampled at any resolution.

References
----------
Keys, R. G. (1981). Cubic convolution interpolation for digital image processing. IEEE Transactions on Acoustics,
Speech, and Signal Processing 29(6), 1153–1160. doi:10.1109/TASSP.1981.1163711
"""

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

# A position this close to a sample, in samples, counts as the sample.  So on a grid of their own size heights come back
# unchanged, although recipes keep lengths in the 24 bits of float32.
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
    """Real terrain from a file."""

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
    fill_holes: bool = parameter(
        True, "Whether holes in the data are filled smoothly; if not, a file with holes is refused", advanced=True
    )

    @property
    def key(self) -> str:
        """The name of its heights among the inputs: the path, and the settings of reading that are not the default."""
        mine, usual = self.to_json(), ElevationModel().to_json()
        unusual = {name: mine[name] for name in _READING if mine[name] != usual[name]}
        return f"{self.path} {json.dumps(unusual)}" if unusual else self.path


# The settings that decide which heights a file gives.
_READING = ("crop", "lowest", "highest", "fill_holes")


def elevation_range(model: ElevationModel | StoredHeights, elevation: StoredField) -> tuple[float, float]:
    """Return the lowest and highest height that stored heights have anywhere.

    Parameters
    ----------
    model : ElevationModel or StoredHeights
        Its exaggeration multiplies the heights.
    elevation : StoredField
        The data.

    Returns
    -------
    pair of float
        Metres.
    """
    low, high = sorted(model.exaggeration * limit for limit in elevation.limits)
    return low, high


def sample_elevation(
    grid: Grid, model: ElevationModel | StoredHeights, elevation: StoredField, borders: Borders | None = None
) -> Field:
    """Return stored heights sampled on a grid; unchanged where it is the one that they were stored on.

    Between samples the surface is the bicubic spline of Keys (1981), a = −½: it passes through every sample, its slope
    has no steps, and it reproduces planes exactly.  Where samples of the grid lie farther apart than those of the data,
    each is a mean of those around it, so that nothing aliases.  Where the spline would leave the range of the data,
    it is cut off.

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
        of `grid`, which is then the whole landscape.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres, within `elevation_range`.

    Raises
    ------
    ValueError
        If the true size is asked for and the data do not say it.

    References
    ----------
    Keys, R. G. (1981). Cubic convolution interpolation for digital image processing. IEEE Transactions on Acoustics,
    Speech, and Signal Processing 29(6), 1153–1160. doi:10.1109/TASSP.1981.1163711

    Examples
    --------
    >>> elevation = StoredField(np.array([[0.0, 10.0], [20.0, 30.0]], np.float32))
    >>> sample_elevation(Grid(3, 3, cell_size=5.0), ElevationModel(exaggeration=2.0), elevation).tolist()
    [[0.0, 10.0, 20.0], [20.0, 30.0, 40.0], [40.0, 50.0, 60.0]]
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
    heights, y = _thinned(heights, _snapped(y), along)
    turned, x = _thinned(heights.T, _snapped(x), across)
    return resample(np.ascontiguousarray(turned.T), y, x, model.exaggeration, elevation_range(model, elevation))


def _spread(
    places: npt.NDArray[np.float64], begin: float, end: float, samples: int, apart: float
) -> tuple[npt.NDArray[np.float64], float]:
    """Return positions among samples that are spread evenly between two borders, and how far apart they are."""
    if end <= begin:
        return np.zeros(places.size), 0.0
    return (places - begin) / (end - begin) * (samples - 1), apart / (end - begin) * (samples - 1)


def _snapped(positions: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return positions, those next to a sample moved onto it."""
    nearest = np.rint(positions)
    return np.where(np.abs(positions - nearest) < _NEAR, nearest, positions)


def _thinned(heights: Field, positions: npt.NDArray[np.float64], step: float) -> tuple[Field, npt.NDArray[np.float64]]:
    """Return heights whose rows lie no closer than the positions, and the positions among these rows."""
    if step <= 1.0 + _NEAR:
        return heights, positions
    inside = np.clip(positions, 0.0, len(heights) - 1.0)
    return weigh_rows(heights, inside, step), np.arange(positions.size, dtype=np.float64)

"""A land on windows of grids that are finer than the one on which it took its shape: what acts on it there.

References
----------
H. Schott, E. Galin, E. Guérin, A. Peytavie and A. Paris (2024), "Terrain amplification using multi-scale erosion", ACM
Transactions on Graphics 43(4), 145, doi:10.1145/3658200: erosion from coarse to fine.
"""

import math

import numpy as np

from ..foundation.resampling import resample
from ..foundation.terrain import Field, Grid
from .ages import TIME_SHARE
from .river_incision import Heights
from .rock import jointed_rock, steepest_slope, uneven_rock
from .strata import lay_beds, measure_hardness
from .stream_power import (
    BASE_DISTANCE,
    CREST_WIDTH,
    FINAL_PERTURBATION,
    PLAIN_SLOPE,
    Acting,
    LandSetting,
    StreamPower,
    erodibility_of,
    spread_of_creep,
)


class FinerLand:
    """What acts on a land on windows of grids that are finer than the one on which it took its shape.

    Parameters
    ----------
    acting : Acting
        The land at age 0 on the coarser grid, and the rain and hardness there, which are refined.
    process : StreamPower
        Its parameters.
    seed : int
        As for `erode_by_stream_power`.
    sea_level : float, optional
        Metres.

    Attributes
    ----------
    erodibility : float
        K of rock of usual hardness, in m^(1−2m) per age.
    base_distance : float
        How far beyond the border the base level is, in metres.
    plain_slope : float
        Tangent of the slope with which a lake that is full of sediment rises from its outlet.
    last_time : float
        Time in ages that the coarser grid took for its own steps.
    """

    def __init__(self, acting: Acting, process: StreamPower, seed: int, sea_level: float | None) -> None:
        self._setting = setting = LandSetting(acting, process, seed, sea_level, None)
        self._rain, self._hardness = acting.rain, acting.hardness
        self.is_level = setting.height == 0.0
        self.erodibility = 0.0 if self.is_level else erodibility_of(process, setting.height, setting.span)
        self.base_distance = BASE_DISTANCE * setting.span
        self.plain_slope = PLAIN_SLOPE * setting.height / setting.span
        self.last_time = process.age * TIME_SHARE ** (len(setting.shapes) - 1)

    @property
    def perturbation(self) -> float:
        """By which share of the drop beside it each cell is raised or lowered before water is led."""
        return self._setting.process.flow_perturbation * float(FINAL_PERTURBATION)

    def creep(self, begin: float, end: float, cell_size: float) -> float:
        """Return how far ground creeps in a step.

        Parameters
        ----------
        begin, end : float
            Of the step, in ages.
        cell_size : float
            Metres.

        Returns
        -------
        float
            D Δt / cell size², as `Creep.step` takes it.
        """
        crest = CREST_WIDTH * self._setting.span / cell_size
        return spread_of_creep(self._setting.process.rockiness, end, end - begin, crest)

    def rise(self, land: Grid, window: Grid) -> Field:
        """Return how far the ground would rise over all time.

        Parameters
        ----------
        land, window : Grid
            The whole land and the window of it.

        Returns
        -------
        ndarray of float32, shape (rows, columns)
            Of the window, in metres.
        """
        setting = self._setting
        pattern = _sample_coarse(setting.uplift_pattern, land, window)
        return np.maximum(pattern, np.float32(0.0)) * np.float32(setting.process.uplift * setting.height)

    def base(self, land: Grid, window: Grid) -> Field:
        """Return the base level, which counts on the border of the land.

        Parameters
        ----------
        land, window : Grid
            The whole land and the window of it.

        Returns
        -------
        ndarray of float32, shape (rows, columns)
            Of the window, in metres.
        """
        return _sample_coarse(self._setting.base, land, window)

    def rain(self, land: Grid, window: Grid) -> Field | None:
        """Return the rain of a window.

        Parameters
        ----------
        land, window : Grid
            The whole land and the window of it.

        Returns
        -------
        ndarray of float32, shape (rows, columns), or None
            Multiple of the usual rain; None if that falls everywhere.
        """
        return None if self._rain is None else _sample_coarse(self._rain, land, window)

    def hardness(self, land: Grid, window: Grid, height: Heights, rise: Field, age: float) -> Field:
        """Return the hardness of the rock at the surface of a window.

        Parameters
        ----------
        land, window : Grid
            The whole land and the window of it.
        height : ndarray of float64, shape (rows, columns)
            Heights of the window in metres.
        rise : ndarray of float32, shape (rows, columns)
            From `rise`.
        age : float
            Of the land, in ages.

        Returns
        -------
        ndarray of float32, shape (rows, columns)
            Around 1.
        """
        setting, strata = self._setting, self._setting.process.strata
        rock = uneven_rock(window, setting.span, setting.process.rockiness, setting.seed)
        if strata.contrast > 1.0:
            above = height - lay_beds(window, strata, setting.seed, land) - rise * (1.0 - math.exp(-age))
            beds = np.empty(height.shape, np.float32)
            measure_hardness(above, strata, setting.seed, beds)
            rock *= beds
        if self._hardness is not None:
            rock *= _sample_coarse(self._hardness, land, window)
        return rock

    def steepest(self, window: Grid, hardness: Field) -> Field:
        """Return the steepest slope on which rock of some hardness holds.

        Parameters
        ----------
        window : Grid
            The window of the land.
        hardness : ndarray of float32, shape (rows, columns)
            From `hardness`.

        Returns
        -------
        ndarray of float32, shape (rows, columns)
            Tangents.
        """
        slope = steepest_slope(hardness.copy(), self._setting.process.rockiness)
        slope *= jointed_rock(window, self._setting.span, self._setting.process.rockiness, self._setting.seed)
        return slope


def _sample_coarse(field: Field, land: Grid, window: Grid) -> Field:
    """Return a field of a coarser grid at the samples of a window of the land."""
    rows = (window.first_row - land.first_row + np.arange(window.rows)) * ((field.shape[0] - 1.0) / (land.rows - 1.0))
    columns = (window.first_column - land.first_column + np.arange(window.columns)) * (
        (field.shape[1] - 1.0) / (land.columns - 1.0)
    )
    return resample(field, rows, columns, 1.0, (float(field.min()), float(field.max())))

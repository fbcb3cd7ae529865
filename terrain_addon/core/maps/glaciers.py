"""The map of glaciers of today, and what else is known of their ice.

References
----------
K. Hutter (1983), Theoretical Glaciology, Reidel: the shallow ice approximation; see `ice.glaciers`.

A. H. Jarosch, C. G. Schoof and F. S. Anslow (2013), "Restoring mass conservation to shallow ice flow models over
complex terrain", The Cryosphere 7, 229-240, doi:10.5194/tc-7-229-2013: how thickness is followed.

M. Zemp, F. Paul, M. Hoelzle and W. Haeberli (2008), "Glacier fluctuations in the European Alps, 1850-2000", in
Darkening Peaks, University of California Press: how much farther ice reached not long ago.
"""

import numpy as np

from ..foundation.easing import ease_of
from ..foundation.terrain import Field
from ..ice.glaciers import find_glaciers
from .declaration import Kept, Map, Measurement
from .water_distance import find_nearest, measure_distance

# Metres: how far from ice of today moraine lies, and how far above its surface; and how far above the line of
# equilibrium rock that melts out ends.  Around 1850, when most glaciers were largest, ice reached so far.
_REACHED, _STOOD, _MELTS_OUT = (360.0, 60.0), (70.0, 30.0), (60.0, -60.0)


GLACIERS = Measurement(
    "glacier_fields",
    lambda terrain, glaciers, water: find_glaciers(terrain.surface, terrain.cell_size, glaciers, water.sea_surface),
    reads=("glaciers", "water"),
    switch="glaciers",
    layers=12,
)
ICE_THICKNESS = Map(
    "ice_thickness",
    lambda terrain, glacier_fields: glacier_fields.thickness,
    needs=(GLACIERS.name,),
    description="Thickness of the ice of glaciers",
    unit="m",
    kept=Kept.WHERE_ON,
    switch="glaciers",
)


def moraine_share(surface: Field, thickness: Field, cell_size: float, line: float) -> Field:
    """Return where ice has lately left its rock: beside and before glaciers of today, below the line of equilibrium.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Altitude of the ground in metres.
    thickness : ndarray of float32, shape (rows, columns)
        Of the ice, in metres; 0 where there is none.
    cell_size : float
        Metres.
    line : float
        Altitude of equilibrium of the ice, in metres: above it rock stays in the ice.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        1 where moraine covers all of the ground, 0 where there is none; 1 under ice below the line.

    Examples
    --------
    >>> slope = np.full((1, 6), 1000.0, np.float32)
    >>> ice = np.array([[80, 0, 0, 0, 0, 0]], np.float32)
    >>> moraine_share(slope, ice, 100.0, 1500.0).astype(float).round(2).tolist()
    [[1.0, 0.95, 0.55, 0.1, 0.0, 0.0]]
    """
    if not thickness.any():
        return np.zeros_like(surface)
    icy = thickness > 0.0
    above = surface - (surface + thickness).ravel()[find_nearest(icy)]
    share = _fading(measure_distance(icy, cell_size), *_REACHED) * _fading(above, *_STOOD)
    return share * _fading(surface - np.float32(line), *_MELTS_OUT)


def _fading(field: Field, none: float, full: float) -> Field:
    """Return 0 where a field is at least `none`, 1 where it is at most `full`, and a smooth step between."""
    share = np.clip((field - np.float32(none)) * np.float32(1.0 / (full - none)), 0.0, 1.0)
    return ease_of(share)

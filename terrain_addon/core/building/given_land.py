"""Erosion of land whose heights are given: an elevation model, a mesh, or heights that somebody sculpted.

Given land has its mountains and valleys already.  Erosion shall add what is too fine for its samples, and not remake
it.
"""

from typing import Any

from ..erosion.stream_power import StreamPower
from ..foundation.parameters import ParameterSet
from ..relief.elevation_model import ElevationModel
from ..relief.stored_heights import StoredHeights
from .layers import Relief

# Within this age rivers cut small channels, and heights change by about 1 % of the relief.  Land that rises by this
# share of its height in an age keeps its mean: it rises as much as its rivers take away.
_AGE, _UPLIFT = 0.02, 0.6


def is_given(relief: Relief) -> bool:
    """Return whether the heights of a land come from outside.

    Parameters
    ----------
    relief : Relief
        Of a recipe.

    Returns
    -------
    bool
        Whether its lowest layer that is on is an elevation model, a mesh or sculpted heights.
    """
    lowest = next((layer for layer in relief.layers if layer.enabled), None)
    return lowest is not None and isinstance(lowest.source, ElevationModel | StoredHeights)


def fit_to_land(process: ParameterSet, relief: Relief) -> Any:
    """Return the settings with which a new process of erosion begins on a land.

    Parameters
    ----------
    process : ParameterSet
        A process with its default settings.
    relief : Relief
        Of the recipe to which it is added.

    Returns
    -------
    ParameterSet
        The same; on given land, stream power that is young and holds the mean height.

    Examples
    --------
    >>> fit_to_land(StreamPower(), Relief.of(ElevationModel(path="sample:big_tujunga"))).age
    0.02
    >>> fit_to_land(StreamPower(), Relief()).age
    1.0
    """
    if isinstance(process, StreamPower) and is_given(relief):
        return process.replace(age=_AGE, uplift=_UPLIFT)
    return process

"""The declaration of a source of heights, from which everything else follows.

From a `Source` follow its entry in the menu of layers, the range of heights that a stack of layers can reach, what it
needs from outside, and when its stage has to be computed again.  To add a source, write a parameter set and a function
that makes its heights, and list them in `sources`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..foundation.parameters import ParameterSet
from ..foundation.stored_field import StoredField
from ..foundation.terrain import Field

HeightLimits = tuple[float, float]
"""Lowest and highest height in metres that there could be."""


def height_range_of(source: Any, elevation: StoredField | None) -> HeightLimits:
    """Return the range of a source that is scaled to one.

    Parameters
    ----------
    source : HeightRange
        Its parameters.
    elevation : StoredField or None
        Not used.

    Returns
    -------
    tuple of 2 floats
        Lowest and highest height in metres.
    """
    return source.base_altitude, source.base_altitude + source.height


def no_key(source: Any) -> str | None:
    """Return the key of a source that needs nothing from outside.

    Parameters
    ----------
    source : ParameterSet
        Not used.

    Returns
    -------
    None
        Always.
    """
    return None


def stands_still(source: Any) -> bool:
    """Return whether a source without time looks different at another time.

    Parameters
    ----------
    source : ParameterSet
        Not used.

    Returns
    -------
    bool
        Never.
    """
    return False


@dataclass(frozen=True)
class Source:
    """How the heights of a layer are made.

    Attributes
    ----------
    parameters : type of ParameterSet
        Its settings.
    make : callable
        ``make(grid, parameters, **inputs)`` gives heights in metres, float32 (rows, columns).
    inputs : tuple of str
        What `make` takes besides: ``seed``, ``time``, ``elevation`` (the StoredField of its key), ``borders``.
    limits : callable
        From the parameters and the StoredField of its key, or None, to the range of heights.
    key : callable
        From the parameters to the key of what it needs from outside; None for nothing.
    moves : callable
        From the parameters to whether its heights change with time.
    land_class : str, optional
        The class of measured land that it imitates.
    """

    parameters: type[ParameterSet]
    make: Callable[..., Field]
    inputs: tuple[str, ...] = ("seed", "time")
    limits: Callable[..., HeightLimits] = height_range_of
    key: Callable[[Any], str | None] = no_key
    moves: Callable[[Any], bool] = stands_still
    land_class: str | None = None

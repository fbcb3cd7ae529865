"""The views of a land that one can choose from, by name."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .bird_views import find_overview, find_top
from .close_up import find_close_up
from .seen_land import SeenCrowns, SeenLand, View
from .sunlight import find_sun
from .valley_view import find_valley
from .viewpoint import find_vista


class KindOfView(NamedTuple):
    """What a view shows, and how the best one of a land is found."""

    shows: str
    find: Callable[[SeenLand, float], View]


VIEWS = {
    "vista": KindOfView("From a good place on the land towards its summit", find_vista),
    "overview": KindOfView("The whole land, as a bird sees it", find_overview),
    "valley": KindOfView("Low over the largest river, or the floor of a valley, and up it", find_valley),
    "close_up": KindOfView("Some metres above the ground, before a steep slope", find_close_up),
    "top": KindOfView("Straight down, as a map", find_top),
}
"""By name, in the order in which a button goes through them."""


def find_view(
    heights: npt.NDArray[np.float32],
    width: float,
    depth: float,
    aspect: float = 16.0 / 9.0,
    sea_level: float | None = None,
    name: str = "vista",
    crowns: SeenCrowns | None = None,
) -> View:
    """Return the best view of one kind of a land.

    Parameters
    ----------
    heights : ndarray of float32, shape (rows, columns)
        Altitudes in metres, row 0 in the south.
    width, depth : float
        Size of the land from west to east and from south to north in metres.
    aspect : float
        Width of the picture over its height.
    sea_level : float, optional
        Altitude of the sea in metres; without it there is none.  The sea goes on beyond the border.
    name : str
        One of VIEWS.
    crowns : SeenCrowns, optional
        Crowns of trees that a camera near the ground should not stand in or before.

    Raises
    ------
    ValueError
        If the land is smaller than 2 × 2 samples, or there is no view of that name.
    """
    if name not in VIEWS:
        raise ValueError(f"view = {name!r} is none of: {', '.join(VIEWS)}")
    land = SeenLand(heights, width, depth, sea_level, crowns)
    view = VIEWS[name].find(land, aspect)
    return view if view.sun is not None else replace(view, sun=find_sun(land, view, aspect))


def next_view(name: str) -> str:
    """Return the view after one of VIEWS, in their order; the first after the last, and after an unknown one."""
    names = list(VIEWS)
    return names[(names.index(name) + 1) % len(names)] if name in VIEWS else names[0]

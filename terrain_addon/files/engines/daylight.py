"""The light in which a level is first shown: a low sun, and haze that makes a small land look deep."""

import math
from typing import Any

from .tiled_land import TiledLand

# As in the scenery that the extension adds to a scene in Blender.
_ELEVATION = 19.0  # degrees above the horizon
_BEARING = 240.0  # degrees from the north over the east: in the south-west
_COLOUR = (1.0, 0.76, 0.50)
_HAZE = (0.45, 0.55, 0.68)
_CLEAR = 3.0  # optical depth at the end of sight: 5 % of the light is left
_SIGHT = 2.3  # diagonals of the land
_THICKNESS, _LEAST_THICKNESS = 0.6, 0.02  # of the range of heights, and of the diagonal


def daylight_of(land: TiledLand) -> dict[str, Any]:
    """Return where the sun of a level stands, and how hazy its air is.

    Parameters
    ----------
    land : TiledLand
        The land.

    Returns
    -------
    dict
        JSON: degrees, linear colours, density of the haze at the lowest place in 1/m, and the height in metres over
        which it thins to 1/e.

    Examples
    --------
    >>> land = TiledLand(3, 3, 3000.0, 4000.0, 1, 1, 0.0, 1000.0)
    >>> light = daylight_of(land)
    >>> light["haze_height_m"], round(3.0 / light["haze_per_m"])
    (600.0, 11500)
    """
    size = math.sqrt(land.width * land.width + land.depth * land.depth)
    return {
        "sun_elevation_deg": _ELEVATION,
        "sun_bearing_deg": _BEARING,
        "sun_linear_colour": list(_COLOUR),
        "haze_linear_colour": list(_HAZE),
        "haze_per_m": _CLEAR / (_SIGHT * size),
        "haze_height_m": max(_THICKNESS * (land.highest - land.lowest), _LEAST_THICKNESS * size),
        "haze_base_m": land.lowest,
    }

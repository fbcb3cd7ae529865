"""The light in which a level is first shown: a low sun, and haze that makes a small land look deep."""

import math
from typing import Any

from ...core.maps.sun import SUN_COLOUR, SUN_ELEVATION, SUN_STRENGTH
from .tiled_land import TiledLand

# As in the scenery that the extension adds to a scene in Blender.
_BEARING = 240.0  # degrees from the north over the east: in the west-southwest
_HAZE = (0.45, 0.55, 0.68)
# Linear colours of that sky without its clouds; sky.gdshader makes the sky from them.  Fitted to a panorama of 5°.
_SKY = {
    "zenith": (0.084, 0.126, 0.308),
    "horizon": (0.266, 0.427, 0.622),
    "sunward": (0.906, 1.041, 1.537),
    "opposite": (0.311, 0.411, 0.638),
    "halo": (3.036, 2.495, 2.424),
}
_CLEAR = 3.0  # optical depth at the end of sight: 5 % of the light is left
_SIGHT = 2.3  # diagonals of the land
_ABOVE = 0.5  # of the range of heights: where haze that does not thin is taken from
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
        JSON: degrees, linear colours, the light that comes back from a white surface across the rays of the sun, the
        density of the haze in 1/m at the lowest place, and halfway up to the highest for engines whose haze does
        not thin, and the height in metres over which it thins to 1/e.

    Examples
    --------
    >>> land = TiledLand(3, 3, 3000.0, 4000.0, 1, 1, 0.0, 1000.0)
    >>> light = daylight_of(land)
    >>> light["haze_height_m"], round(3.0 / light["haze_per_m"])
    (600.0, 11500)
    """
    size = math.sqrt(land.width * land.width + land.depth * land.depth)
    span = land.highest - land.lowest
    thickness = max(_THICKNESS * span, _LEAST_THICKNESS * size)
    densest = _CLEAR / (_SIGHT * size)
    return {
        "sun_elevation_deg": SUN_ELEVATION,
        "sun_bearing_deg": _BEARING,
        "sun_linear_colour": list(SUN_COLOUR),
        "haze_linear_colour": list(_HAZE),
        "sun_radiance": SUN_STRENGTH / math.pi,
        "sky": {part: list(colour) for part, colour in _SKY.items()},
        "haze_per_m": densest,
        "haze_above_per_m": densest * math.exp(-_ABOVE * span / thickness),
        "haze_height_m": thickness,
        "haze_base_m": land.lowest,
    }

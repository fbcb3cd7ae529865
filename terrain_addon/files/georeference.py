"""The distance between samples on the ground in metres, from degrees, map projections and other units.

References
----------
Snyder (1987), "Map Projections: A Working Manual", U.S. Geological Survey Professional Paper 1395, doi:10.3133/pp1395.
EPSG Geodetic Parameter Dataset: units of measure 9001 to 9003, coordinate system 3857.
ISO 19162:2019, Geographic information: well-known text representation of coordinate reference systems.
"""

import math
import re

UNITS: dict[float, float] = {9001: 1.0, 9002: 0.3048, 9003: 1200.0 / 3937.0}
"""Metres by EPSG code of a unit of length: metre, foot, US survey foot."""

# The ellipsoid WGS 84.
_EQUATOR_RADIUS = 6378137.0  # m
_ECCENTRICITY_SQUARED = 0.00669437999014


def degrees_to_metres(east: float, north: float, latitude: float) -> tuple[float, float]:
    """Return the lengths of a step in longitude and of a step in latitude on the WGS 84 ellipsoid.

    Parameters
    ----------
    east, north : float
        Steps in degrees.
    latitude : float
        Of the place, in degrees within ±89.9.

    Returns
    -------
    tuple of float
        Metres east and north.

    Raises
    ------
    ValueError
        If `latitude` is outside ±89.9°: near a pole a degree of longitude has no length.

    Notes
    -----
    Radii of curvature in the prime vertical, N = a / W, and in the meridian, M = a (1 − e²) / W³, with
    W² = 1 − e² sin² φ.

    References
    ----------
    Snyder (1987), "Map Projections: A Working Manual", doi:10.3133/pp1395.

    Examples
    --------
    >>> [round(length) for length in degrees_to_metres(1.0, 1.0, 60.0)]
    [55800, 111412]
    """
    if not -89.9 <= latitude <= 89.9:
        raise ValueError(f"its middle lies at latitude {latitude:g}°, outside ±89.9°")
    phi = math.radians(latitude)
    w = math.sqrt(1.0 - _ECCENTRICITY_SQUARED * math.sin(phi) ** 2)
    prime_vertical = _EQUATOR_RADIUS / w
    meridian = _EQUATOR_RADIUS * (1.0 - _ECCENTRICITY_SQUARED) / w**3
    return math.radians(east) * prime_vertical * math.cos(phi), math.radians(north) * meridian


def mercator_scale(northing: float) -> float:
    """Return the true length of a metre of web Mercator (EPSG 3857).

    Parameters
    ----------
    northing : float
        Metres of the projection from the equator.

    Returns
    -------
    float
        Metres, above 0 and at most 1.

    References
    ----------
    Snyder (1987), "Map Projections: A Working Manual", Mercator projection of the sphere, doi:10.3133/pp1395.
    """
    return 1.0 / math.cosh(min(abs(northing) / _EQUATOR_RADIUS, 5.0))


def looks_geographic(west: float, north: float, east: float, south: float, step: float) -> bool:
    """Return whether a grid that names no unit is in degrees, judged by its numbers.

    Parameters
    ----------
    west, north, east, south : float
        Borders in the unit of the grid.
    step : float
        Width of its cells.

    Returns
    -------
    bool
        True if it lies on the globe and its cells are at most 0.1 wide.
    """
    return step <= 0.1 and west >= -180.0 and east <= 360.0 and south >= -90.0 and north <= 90.0


def spacing_in_metres(
    east: float, north: float, *, corner: tuple[float, float], shape: tuple[int, int], projection: str | None
) -> tuple[float, float]:
    """Return the distance between samples of a grid in metres; its coordinates are degrees or lengths.

    Parameters
    ----------
    east, north : float
        Distance between samples, in the unit of the coordinates.
    corner : tuple of float
        Coordinates (x, y) of the north-west corner.
    shape : tuple of int
        Rows and columns.
    projection : str or None
        The coordinate system as well-known text (``GEOGCS[…]``, ``PROJCS[…]``); None if it is unknown, then the numbers
        decide.

    Returns
    -------
    tuple of float
        Metres from west to east and from south to north.

    Raises
    ------
    ValueError
        If coordinates in degrees lie outside the globe.
    """
    rows, columns = shape
    middle = corner[1] - 0.5 * rows * north
    unit = _unit_of(projection) if projection else None
    if unit is None and not projection:
        south, far_east = corner[1] - rows * north, corner[0] + columns * east
        if not looks_geographic(corner[0], corner[1], far_east, south, max(abs(east), abs(north))):
            unit = 1.0
    if unit is not None:
        return east * unit, north * unit
    return degrees_to_metres(east, north, middle)


def name_of_coordinates(projection: str | None) -> str:
    """Return the name of a coordinate system.

    Parameters
    ----------
    projection : str or None
        The coordinate system as well-known text.

    Returns
    -------
    str
        Printable characters only; empty if there is no name.

    Examples
    --------
    >>> name_of_coordinates('PROJCS["WGS 84 / UTM zone 32N",UNIT["metre",1]]')
    'WGS 84 / UTM zone 32N'
    """
    name = re.match(r'\s*[A-Za-z]{1,20}\s*\[\s*"([^"]{1,80})"', projection or "")
    return "".join(character for character in name[1] if character.isprintable()) if name else ""


def _unit_of(projection: str) -> float | None:
    """Return the metres of the unit of well-known text, None if the unit is a degree."""
    text = projection.lstrip().upper()
    if text.startswith(("GEOGCS", "GEOGCRS")) or re.match(r"PROJECTION\s+GEOGRAPHIC", text):
        return None
    factors = re.findall(r'UNIT\s*\[\s*"[^"]{0,80}"\s*,\s*([0-9.eE+-]{1,40})', projection, re.IGNORECASE)
    try:
        # Well-known text ends with the unit of the map; the unit of the globe, degrees, comes before.
        unit = float(factors[-1]) if factors else 1.0
    except ValueError:
        return 1.0
    return unit if 0.01 <= unit <= 1e4 else 1.0

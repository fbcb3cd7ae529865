"""How far apart samples lie on the ground: from degrees, from map projections, from other units to metres."""

import math
import re

UNITS = {9001: 1.0, 9002: 0.3048, 9003: 1200.0 / 3937.0}
"""Metres of the EPSG units of length: metre, foot, US survey foot."""

_EQUATOR_RADIUS = 6378137.0
_ECCENTRICITY_SQUARED = 0.00669437999014


def degrees_to_metres(east: float, north: float, latitude: float) -> tuple[float, float]:
    """Return the lengths of a step of longitude and of a step of latitude on the WGS 84 ellipsoid.

    Parameters
    ----------
    east, north : float
        Steps in degrees.
    latitude : float
        Where they are taken, in degrees within ±90.

    Returns
    -------
    tuple of float
        Metres to the east and to the north.

    Raises
    ------
    ValueError
        If `latitude` is beyond ±90°, or so near a pole that degrees of longitude have no length.

    Notes
    -----
    Radii of curvature in the prime vertical, N = a / W, and in the meridian, M = a (1 − e²) / W³, with
    W² = 1 − e² sin² φ.
    """
    if not -89.9 <= latitude <= 89.9:
        raise ValueError(f"its middle lies at latitude {latitude:g}°, outside ±89.9°")
    phi = math.radians(latitude)
    w = math.sqrt(1.0 - _ECCENTRICITY_SQUARED * math.sin(phi) ** 2)
    prime_vertical = _EQUATOR_RADIUS / w
    meridian = _EQUATOR_RADIUS * (1.0 - _ECCENTRICITY_SQUARED) / w**3
    return math.radians(east) * prime_vertical * math.cos(phi), math.radians(north) * meridian


def mercator_scale(northing: float) -> float:
    """Return how many true metres a metre of web Mercator (EPSG 3857) is, `northing` metres from the equator."""
    return 1.0 / math.cosh(min(abs(northing) / _EQUATOR_RADIUS, 5.0))


def looks_geographic(west: float, north: float, east: float, south: float, step: float) -> bool:
    """Tell whether a grid that does not say so is in degrees: within the globe, its cells at most 0.1 wide."""
    return step <= 0.1 and west >= -180.0 and east <= 360.0 and south >= -90.0 and north <= 90.0


def spacing_in_metres(
    east: float, north: float, *, corner: tuple[float, float], shape: tuple[int, int], projection: str | None
) -> tuple[float, float]:
    """Return the metres between samples of a grid whose coordinates are degrees or lengths.

    Parameters
    ----------
    east, north : float
        Distance between samples, in the unit of the coordinates.
    corner : tuple of float
        Coordinates (x, y) of the north-west corner.
    shape : tuple of int
        Rows and columns.
    projection : str or None
        The coordinate system as well-known text (``GEOGCS[…]``, ``PROJCS[…]``); None where nothing says it, so that
        the numbers have to.

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
    """Return what well-known text calls its system of coordinates, without what cannot be shown; empty if nothing."""
    name = re.match(r'\s*[A-Za-z]{1,20}\s*\[\s*"([^"]{1,80})"', projection or "")
    return "".join(character for character in name[1] if character.isprintable()) if name else ""


def _unit_of(projection: str) -> float | None:
    """Return the metres of a unit of well-known text, None where it is degrees."""
    text = projection.lstrip().upper()
    if text.startswith(("GEOGCS", "GEOGCRS")) or re.match(r"PROJECTION\s+GEOGRAPHIC", text):
        return None
    factors = re.findall(r'UNIT\s*\[\s*"[^"]{0,80}"\s*,\s*([0-9.eE+-]{1,40})', projection, re.IGNORECASE)
    try:
        # Well-known text ends with the unit of the map; the degrees of its globe stand further in.
        unit = float(factors[-1]) if factors else 1.0
    except ValueError:
        return 1.0
    return unit if 0.01 <= unit <= 1e4 else 1.0

"""Rivers of a planet as GeoJSON, for maps and geographic programs.

References
----------
Butler, H. et al. (2016). The GeoJSON format. RFC 7946. doi:10.17487/RFC7946
"""

import json
import math
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ..core.planet.cube_sphere import Directions
from ..core.planet.planet import Planet
from ..core.planet.planet_rivers import PlanetRiver

_DIGITS = 5  # of degrees: a metre on Earth

Line = list[list[float]]


def write_planet_rivers(path: Path, planet: Planet) -> None:
    """Write the rivers of a planet as lines of longitude and latitude in degrees.

    Parameters
    ----------
    path : Path
        Where to write, into a folder of a package that is being made.
    planet : Planet
        What to write.  Without rivers the file holds none.

    References
    ----------
    RFC 7946; a river that crosses the meridian of 180° is cut there (§3.1.9).
    """
    features = [_feature(number, river, planet.recipe.radius) for number, river in enumerate(planet.rivers)]
    whole = {"type": "FeatureCollection", "features": features}
    path.write_text(json.dumps(whole, separators=(",", ":")) + "\n", encoding="utf-8")


def _feature(number: int, river: PlanetRiver, radius: float) -> dict[str, object]:
    lines = _lines(river.directions)
    steps = np.linalg.norm(np.diff(river.directions, axis=0), axis=1)
    return {
        "type": "Feature",
        "id": number,
        "properties": {
            "discharge_m3_per_s": round(river.discharge, 1),
            "drainage_area_km2": round(river.drainage_area * 1e-6, 1),
            "length_km": round(float(steps.sum()) * radius * 1e-3, 1),
            "joins": river.joins if river.joins >= 0 else None,
        },
        "geometry": {"type": "MultiLineString", "coordinates": lines},
    }


def _lines(directions: Directions) -> list[Line]:
    """Longitudes and latitudes, from −180 to 180, in a new line after each crossing of the meridian of 180°."""
    longitude = np.degrees(np.arctan2(directions[:, 1], directions[:, 0]))
    latitude = np.degrees(np.arcsin(np.clip(directions[:, 2], -1.0, 1.0)))
    lines: list[Line] = [[_point(longitude[0], latitude[0])]]
    for before, (east, north) in enumerate(zip(longitude[1:], latitude[1:])):
        jump = east - longitude[before]
        if abs(jump) > 180.0:
            edge = math.copysign(180.0, longitude[before])
            # How far along the step the meridian is.
            share = (edge - longitude[before]) / (jump - math.copysign(360.0, jump))
            crossing = latitude[before] + share * (north - latitude[before])
            lines[-1].append(_point(edge, crossing))
            lines.append([_point(-edge, crossing)])
        lines[-1].append(_point(east, north))
    return lines


def _point(longitude: float | npt.NDArray[np.float64], latitude: float | npt.NDArray[np.float64]) -> list[float]:
    return [round(float(longitude), _DIGITS), round(float(latitude), _DIGITS)]

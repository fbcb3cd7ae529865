"""The sun over a land as a lamp that can be moved along its path."""

import math

import bpy
import numpy as np
import numpy.typing as npt
from mathutils import Matrix, Vector

from ...core.maps.sun import SUN_COLOUR, SUN_ELEVATION, SUN_STRENGTH, sun_at
from .placement import is_where_we_put_it, placement_of, put, was_put

SUN_NAME = "Landscape Sun"

_DIAMETER = math.radians(0.53)
_NOON = (1.0, 0.94, 0.86)  # colour of a high sun, beside the blue light of the sky
_LOSS = 0.85  # of the light, on the way through the air at the usual height
_LOWEST = math.radians(1.0)  # radians above the horizon, as low as the sky can show a sun

# Custom property of a sun: by how much users turned its path about the vertical, in radians.
_TURN = "landscape_turn"
_TIMES = 2881  # of a day that are tried: one every half minute


def set_sun(scene: bpy.types.Scene, azimuth: float) -> bpy.types.Object:
    """Return the sun of a scene, made or turned by us unless it is the user's own.

    Parameters
    ----------
    scene : Scene
    azimuth : float
        Where the sun stands, in degrees counter-clockwise from east.
    """
    sun = sun_of(scene)
    if sun is None:
        light = bpy.data.lights.new(SUN_NAME, "SUN")
        set_low_light(light)
        sun = bpy.data.objects.new(SUN_NAME, light)
        scene.collection.objects.link(sun)
    elif not is_where_we_put_it(sun):
        return sun
    sun.pop(_TURN, None)
    put(sun, _direction(azimuth, SUN_ELEVATION).to_track_quat("Z", "Y").to_matrix().to_4x4())
    return sun


def set_low_light(light: bpy.types.Light) -> None:
    """Give a lamp the strength and the colour of a low sun above land."""
    light.energy, light.color, light.angle = SUN_STRENGTH, SUN_COLOUR, _DIAMETER


def sun_of(scene: bpy.types.Scene) -> bpy.types.Object | None:
    """Return the sun of a scene; None if it has none."""
    return next((o for o in scene.objects if o.type == "LIGHT" and o.data.type == "SUN"), None)


def bearing_of(sun: bpy.types.Object) -> float:
    """Return where a sun shines from, in radians clockwise from north, 0 to 2π."""
    east, north, _ = _shines_from(sun)
    return math.atan2(east, north) % (2.0 * math.pi)


def set_bearing(sun: bpy.types.Object, bearing: float) -> None:
    """Turn a sun about the vertical; it stays as high as it is.

    Parameters
    ----------
    sun : Object
    bearing : float
        Where it then shines from, in radians clockwise from north.
    """
    before, rise = bearing_of(sun), math.asin(_shines_from(sun).z)
    if _TURN in sun:
        sun[_TURN] += bearing - before
    _let_shine_from(sun, bearing, rise)


def time_of(sun: bpy.types.Object, latitude: float, day_of_year: float) -> float:
    """Return the solar time at which the sun of a place on earth stands as high as a lamp, in hours.

    Parameters
    ----------
    sun : Object
    latitude : float
        Degrees, positive in the north.
    day_of_year : float
        1 is the first of January.
    """
    angles = np.linspace(-math.pi, math.pi, _TIMES)
    path = sun_at(latitude, day_of_year, angles)
    height = np.abs(path[:, 2] - _shines_from(sun).z)
    # The sun stands equally high before and after noon.  The nearer one in the sky is meant.
    halves = (slice(None, _TIMES // 2 + 1), slice(_TIMES // 2, None))
    times = [half.indices(_TIMES)[0] + int(height[half].argmin()) for half in halves]
    away = [abs(_wrapped(bearing_of(sun) - sun.get(_TURN, 0.0) - _bearing(path[k]))) for k in times]
    return float(angles[times[int(np.argmin(away))]] * 12.0 / math.pi + 12.0)


def set_time(sun: bpy.types.Object, time: float, latitude: float, day_of_year: float) -> None:
    """Move a sun along its path to another time of the day; while it is down, it stays at the horizon.

    The colour and the strength of a lamp of ours change with its height.

    Parameters
    ----------
    sun : Object
    time : float
        Solar time in hours, 0 to 24.
    latitude, day_of_year : float
        As in `time_of`.
    """
    hours = np.array([time_of(sun, latitude, day_of_year), time])
    before, after = sun_at(latitude, day_of_year, (hours - 12.0) * (math.pi / 12.0))
    turn = _wrapped(bearing_of(sun) - _bearing(before))
    rise = max(math.asin(after[2]), _LOWEST)
    sun[_TURN] = turn
    _let_shine_from(sun, _bearing(after) + turn, rise)
    if is_our_sun(sun):
        sun.data.energy, sun.data.color = _sunlight(rise)


def is_our_sun(sun: bpy.types.Object) -> bool:
    """Return whether a sun was made by us."""
    return was_put(sun)


def _direction(azimuth: float, elevation: float) -> Vector:
    """Return the direction to a place in the sky."""
    turn, rise = math.radians(azimuth), math.radians(elevation)
    return Vector((math.cos(turn) * math.cos(rise), math.sin(turn) * math.cos(rise), math.sin(rise)))


def _shines_from(sun: bpy.types.Object) -> Vector:
    """Return the direction to where a lamp shines from."""
    return (placement_of(sun).to_3x3() @ Vector((0.0, 0.0, 1.0))).normalized()


def _let_shine_from(sun: bpy.types.Object, bearing: float, rise: float) -> None:
    """Turn a lamp; `bearing` is clockwise from north and `rise` above the horizon, both in radians."""
    place, _, scale = placement_of(sun).decompose()
    ahead = _direction(90.0 - math.degrees(bearing), math.degrees(rise))
    sun.matrix_world = Matrix.LocRotScale(place, ahead.to_track_quat("Z", "Y"), scale)


def _sunlight(rise: float) -> tuple[float, tuple[float, ...]]:
    """Return strength and colour of sunlight; at the usual height those of a new sun, higher up whiter.

    The way of the light through the air is 1 / sin of the height, and each colour fades exponentially with it.  A high
    sun is weaker, because more of its light falls on level ground and eyes get used to that.
    """
    usual, way = 1.0 / math.sin(math.radians(SUN_ELEVATION)), 1.0 / max(math.sin(rise), 0.06)
    share = (way - 1.0) / (usual - 1.0)
    colour = tuple(noon * (now / noon) ** share for noon, now in zip(_NOON, SUN_COLOUR))
    return SUN_STRENGTH * _LOSS ** abs(share - 1.0), colour


def _bearing(direction: npt.NDArray[np.float64]) -> float:
    """Return the side that a direction points to, in radians clockwise from north."""
    return math.atan2(direction[0], direction[1])


def _wrapped(angle: float) -> float:
    """Return an angle in radians between −π and π."""
    return (angle + math.pi) % (2.0 * math.pi) - math.pi

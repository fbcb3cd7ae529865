"""The time of day and the direction of the sun, as settings of a scene.

They are read from the lamp and written to it, so that they are right however users turn it.
"""

import math

import bpy

from .atmosphere import let_sky_follow
from .sun import bearing_of, set_bearing, set_time, sun_of, time_of
from .world import has_our_sky

_USUAL_LATITUDE, _USUAL_DAY = 45.0, 80  # where no land says another


def _place_on_earth(scene: bpy.types.Scene) -> tuple[float, float]:
    """Return latitude and day of the year of the first land of a scene, by which its illumination is measured."""
    for land in scene.objects:
        if land.landscape.is_landscape:
            light = land.landscape.recipe.illumination
            return light.latitude, light.day_of_year
    return _USUAL_LATITUDE, _USUAL_DAY


def _tie(scene: bpy.types.Scene, sun: bpy.types.Object) -> None:
    """Let our sky follow the sun, also in files of older versions."""
    if has_our_sky(scene):
        let_sky_follow(sun)


def _time(settings: bpy.types.PropertyGroup) -> float:
    sun = sun_of(settings.id_data)
    return 12.0 if sun is None else time_of(sun, *_place_on_earth(settings.id_data))


def _set_time(settings: bpy.types.PropertyGroup, time: float) -> None:
    sun = sun_of(settings.id_data)
    if sun is not None:
        _tie(settings.id_data, sun)
        set_time(sun, time, *_place_on_earth(settings.id_data))


def _direction(settings: bpy.types.PropertyGroup) -> float:
    sun = sun_of(settings.id_data)
    return 0.0 if sun is None else bearing_of(sun)


def _set_direction(settings: bpy.types.PropertyGroup, bearing: float) -> None:
    sun = sun_of(settings.id_data)
    if sun is not None:
        _tie(settings.id_data, sun)
        set_bearing(sun, bearing)


class LandscapeDaylight(bpy.types.PropertyGroup):
    """Time of day and direction of the sun of a scene."""

    time: bpy.props.FloatProperty(
        name="Time of Day (h)",
        description="Solar time in hours; the sun moves along its path for the latitude and the day of the land's "
        "illumination. While it is down, it stays at the horizon",
        min=0.0,
        max=24.0,
        precision=1,
        step=10,
        get=_time,
        set=_set_time,
    )
    direction: bpy.props.FloatProperty(
        name="Direction",
        description="Where the sun shines from: 0° is north, 90° east. Lamp, sky and haze turn together",
        subtype="ANGLE",
        min=0.0,
        max=2.0 * math.pi,
        get=_direction,
        set=_set_direction,
    )


def register() -> None:
    """Put the settings on scenes."""
    bpy.utils.register_class(LandscapeDaylight)
    bpy.types.Scene.landscape_daylight = bpy.props.PointerProperty(type=LandscapeDaylight, name="Daylight")


def unregister() -> None:
    """Remove the settings from scenes."""
    del bpy.types.Scene.landscape_daylight
    bpy.utils.unregister_class(LandscapeDaylight)

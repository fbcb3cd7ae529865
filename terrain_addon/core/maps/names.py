"""What the maps are called, wherever they appear: as attributes, masks, images and in response curves."""

from typing import NamedTuple


class MapName(NamedTuple):
    """What a map shows, as one sentence without a full stop, and in which unit."""

    description: str
    unit: str


MAPS = {
    "altitude": MapName("Height of the ground", "m"),
    "slope": MapName("Angle between the ground and the level", "°"),
    "gradient": MapName("Rise of the ground over distance", "m/m"),
    "curvature": MapName("Bending of the ground: ridges and summits above 0, hollows below", "1/m"),
    "profile_curvature": MapName("Bending along the way down: above 0 where the slope steepens", "1/m"),
    "plan_curvature": MapName("Bending of the contour lines: noses above 0, gullies below", "1/m"),
    "topographic_position": MapName("Height above the mean of the surroundings: ridges above 0, valleys below", "m"),
    "illumination": MapName("Light that the ground catches in a day, from 0 to 1", ""),
    "sky_view": MapName("Share of the sky's light that level ground gets here, from 0 to 1", ""),
    "ambient_occlusion": MapName("Share of the sky's light that the ground gets as it lies, from 0 to 1", ""),
    "sun_hours": MapName("How long the ground sees the sun on the chosen day", "h"),
    "shadow_hours": MapName("How long the ground lies in shadow while the sun is up on the chosen day", "h"),
    "humidity": MapName("Wetness of the ground, from 0 on dry ridges to 1 on valley floors", ""),
    "wet_ground": MapName("How wet the ground is because water is near: 1 in the water, 0 far from it", ""),
    "drainage": MapName("Land that drains through each place", "m²"),
    "sediment": MapName("Thickness of what lies loose on the rock", "m"),
    "deposition": MapName("Sediment that erosion has left behind", "m"),
    "water_depth": MapName("Depth of seas and lakes", "m"),
    "water_distance": MapName("Straight distance to the nearest water", "m"),
}
"""By name; empty unit for a pure number."""

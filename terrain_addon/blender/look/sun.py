"""The sun over a land: low, and from the side of the view that shows the relief best."""

import math

import bpy
import numpy as np
import numpy.typing as npt
from mathutils import Vector

from .placement import is_where_we_put_it, put

SUN_NAME = "Landscape Sun"

SUN_ELEVATION = 19.0
"""Degrees above the horizon: low enough for long shadows, high enough to reach into valleys."""

_ANGLE_FROM_VIEW = 98.0  # degrees: from the side, a little behind the camera
_STRENGTH = 11.0  # W/m² across the rays
_COLOUR = (1.0, 0.76, 0.50)
_DIAMETER = math.radians(0.53)


def set_sun(scene: bpy.types.Scene, azimuth: float) -> bpy.types.Object:
    """Return the sun of a scene, made or turned by us unless it is the user's own.

    Parameters
    ----------
    scene : Scene
    azimuth : float
        Where the sun stands, in degrees counter-clockwise from east.
    """
    sun = next((o for o in scene.objects if o.type == "LIGHT" and o.data.type == "SUN"), None)
    if sun is None:
        light = bpy.data.lights.new(SUN_NAME, "SUN")
        light.energy, light.color, light.angle = _STRENGTH, _COLOUR, _DIAMETER
        sun = bpy.data.objects.new(SUN_NAME, light)
        scene.collection.objects.link(sun)
    elif not is_where_we_put_it(sun):
        return sun
    put(sun, _direction(azimuth, SUN_ELEVATION).to_track_quat("Z", "Y").to_matrix().to_4x4())
    return sun


def best_azimuth(heights: npt.NDArray[np.float32], width: float, depth: float, heading: float) -> float:
    """Return the side from which the sun shows the high ground best.

    Parameters
    ----------
    heights : ndarray of float32, shape (rows, columns)
        Heights of the land in metres.
    width, depth : float
        Size of the land in metres.
    heading : float
        Where the camera looks, in degrees counter-clockwise from east.

    Returns
    -------
    float
        Degrees counter-clockwise from east.
    """
    step = max(1, max(heights.shape) // 256)
    coarse = heights[::step, ::step].astype(np.float64)
    rows, columns = heights.shape
    south_north, west_east = np.gradient(coarse, step * depth / (rows - 1), step * width / (columns - 1))
    high = coarse > np.median(coarse)

    def contrast(azimuth: float) -> float:
        sun = _direction(azimuth, SUN_ELEVATION)
        lit = (sun.z - sun.x * west_east - sun.y * south_north) / np.sqrt(1.0 + west_east**2 + south_north**2)
        lit = np.maximum(lit[high], 0.0)
        return float(lit.std() + 0.5 * lit.mean()) if lit.size else 0.0

    return max((heading + side * _ANGLE_FROM_VIEW for side in (1.0, -1.0)), key=contrast)


def _direction(azimuth: float, elevation: float) -> Vector:
    """Return the direction to a place in the sky."""
    turn, rise = math.radians(azimuth), math.radians(elevation)
    return Vector((math.cos(turn) * math.cos(rise), math.sin(turn) * math.cos(rise), math.sin(rise)))

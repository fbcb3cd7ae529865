"""The camera on a land, and how far cameras and viewports show."""

import math

import bpy
from mathutils import Euler, Matrix, Vector

from .placement import is_where_we_put_it, placement_of, put
from .seen_land import SENSOR_WIDTH, View

CAMERA_NAME = "Landscape Camera"

# Custom property of our camera: the name of the view that it shows.
_VIEW = "landscape_view"

_STARTUP_CAMERA_PLACE = Vector((7.358891, -6.925791, 4.958309))  # looks at a cube of 2 m
_STARTUP_CLIP_START = 0.01  # metres
_CLIP_START = 2e-5  # as a share of how far a viewport shows


def set_camera(scene: bpy.types.Scene, view: View, place: Matrix, size: float) -> bpy.types.Object:
    """Return the camera of a scene, made or moved by us unless it is the user's own.

    Parameters
    ----------
    scene : Scene
    view : View
        Where the camera stands and looks, relative to the land.
    place : Matrix
        Where the land is, without its scale.
    size : float
        Diagonal of the land in metres.
    """
    camera = scene.camera
    if camera is None or is_startup_camera(camera):
        camera = bpy.data.objects.new(CAMERA_NAME, bpy.data.cameras.new(CAMERA_NAME))
        scene.collection.objects.link(camera)
        scene.camera = camera
    elif is_users_own(camera):
        return camera
    camera.data.type = "ORTHO" if view.breadth > 0.0 else "PERSP"
    if view.breadth > 0.0:
        camera.data.ortho_scale = view.breadth
    camera.data.lens = view.lens
    camera.data.sensor_width, camera.data.sensor_fit = SENSOR_WIDTH, "HORIZONTAL"
    camera.data.clip_start = min(1.0, 1e-4 * size)
    # An unturned camera looks down.  Raised by 90° it looks north, which is 90° from east.
    turn = Euler((math.radians(90.0 + view.pitch), 0.0, math.radians(view.heading - 90.0))).to_matrix().to_4x4()
    put(camera, place @ Matrix.Translation((view.x, view.y, view.z)) @ turn)
    camera[_VIEW] = view.name
    return camera


def is_users_own(camera: bpy.types.Object | None) -> bool:
    """Return whether the camera of a scene is the user's own or was moved by the user, so that it stays."""
    return camera is not None and not is_startup_camera(camera) and not is_where_we_put_it(camera)


def view_of(camera: bpy.types.Object | None) -> str:
    """Return the name of the view that a camera of ours shows; empty for another."""
    return "" if camera is None else str(camera.get(_VIEW, ""))


def heading_of(camera: bpy.types.Object) -> float:
    """Return where a camera looks, in degrees counter-clockwise from east."""
    ahead = placement_of(camera).to_3x3() @ Vector((0.0, 0.0, -1.0))
    return math.degrees(math.atan2(ahead.y, ahead.x))


def show_up_to(camera: bpy.types.Object, distance: float) -> None:
    """Let a camera and all viewports show what is up to this many metres away."""
    camera.data.clip_end = max(camera.data.clip_end, distance)
    for screen in bpy.data.screens:
        for area in screen.areas:
            for space in area.spaces:
                if space.type == "VIEW_3D":
                    show_in_viewport_up_to(space, distance)


def show_in_viewport_up_to(space: bpy.types.SpaceView3D, distance: float) -> None:
    """Let a viewport show what is up to this many metres away.

    Two depths are told apart if they differ by more than about distance² / (clip start × 2²⁴).  With Blender's usual
    clip start of 1 cm, trees a few km away would show through the ground in some places.  A clip start that users have
    chosen stays.

    Parameters
    ----------
    space : SpaceView3D
    distance : float
        In metres.
    """
    space.clip_end = max(space.clip_end, distance)
    if abs(space.clip_start - _STARTUP_CLIP_START) < 1e-6:
        space.clip_start = max(space.clip_start, _CLIP_START * distance)


def is_startup_camera(camera: bpy.types.Object) -> bool:
    """Return whether a camera is the one of Blender's startup file."""
    distance = (placement_of(camera).translation - _STARTUP_CAMERA_PLACE).length
    return camera.name.startswith("Camera") and distance < 1e-3

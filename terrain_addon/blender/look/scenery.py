"""Light, air and a camera for a land, and the settings to render it."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import bpy
import numpy as np
import numpy.typing as npt
from mathutils import Euler, Matrix, Vector

from .. import compat
from .atmosphere import haze_group, place_sun_in_sky, sky_group
from .nodes import Nodes
from .viewpoint import SENSOR_WIDTH, View, find_view

CAMERA_NAME = "Landscape Camera"
SUN_NAME = "Landscape Sun"
WORLD_NAME = "Landscape World"
ENGINES = ("CYCLES", "EEVEE", "WORKBENCH")

SUN_ELEVATION = 19.0
"""Degrees above the horizon: low enough for long shadows, high enough to reach into valleys."""
_SUN_TURN = 98.0  # degrees from the view: from the side, a trifle behind the camera
_SUN_STRENGTH = 11.0  # W/m² across the rays
_SUN_COLOUR = (1.0, 0.76, 0.50)
_CLOUD_LIGHT = (1.02, 0.93, 0.86)
_SUN_DIAMETER = math.radians(0.53)

_STARTUP_NEAR = 0.01  # metres
_NEAR = 2e-5  # of the furthest that a viewport shows

# Custom property that remembers where we put something: moved by the user, it is left alone from then on.
_PLACED_KEY = "landscape_placed"


@dataclass(frozen=True)
class Survey:
    """What of a land decides where camera and sun stand: heights of its grid, its extent in metres, the best view."""

    heights: npt.NDArray[np.float32]
    width: float
    depth: float
    view: View
    foot: float
    top: float


def survey_land(heights: npt.NDArray[np.float32], width: float, depth: float, aspect: float) -> Survey:
    """Look for the best view of a land; this may run in any thread.  See `viewpoint.find_view`."""
    view = find_view(heights, width, depth, aspect)
    return Survey(heights, width, depth, view, float(np.percentile(heights, 5)), float(heights.max()))


def set_stage(scene: bpy.types.Scene, land: bpy.types.Object, survey: Survey | None = None) -> None:
    """Give a scene what it lacks to show a land: a sun, a sky with haze, a camera that frames the summit.

    Cameras, lights and worlds of the user stay as they are; those of Blender's untouched startup scene count as none.
    Called again, it moves what it made itself to suit the land, except for what the user moved since.

    Parameters
    ----------
    scene : Scene
    land : Object
        A mesh that is a grid of rows from south to north, each from west to east, with altitude as z.
    survey : Survey, optional
        Of the land; without, it is made here.

    Raises
    ------
    ValueError
        If `land` is not such a mesh.
    """
    if survey is None:
        survey = survey_land(*_heights_of(land), aspect_of(scene))
    place, reach = _upright(land), math.hypot(survey.width, survey.depth)
    camera = _set_camera(scene, survey.view, place, reach)
    sun = _set_sun(scene, _sun_azimuth(survey.heights, survey.width, survey.depth, _heading_of(camera)))
    _set_world(scene, sun)
    _set_haze(scene, survey, place)
    _set_colours(scene)
    _reach_to(camera, 6.0 * reach)


def render_settings(
    scene: bpy.types.Scene, engine: str = "CYCLES", size: tuple[int, int] = (1280, 720), samples: int = 20
) -> None:
    """Set a scene up to render a landscape in reasonable time.

    Parameters
    ----------
    scene : Scene
    engine : str
        One of ENGINES.
    size : tuple of int
        Width and height of the picture in pixels, each 4 to 65536.
    samples : int
        Samples per pixel, at least 1.

    Raises
    ------
    ValueError
        If one of them is out of its range.
    """
    if engine not in ENGINES:
        raise ValueError(f"engine = {engine!r} is none of: {', '.join(ENGINES)}")
    if not all(4 <= length <= 65536 for length in size):
        raise ValueError(f"size = {size[0]} × {size[1]} pixels is outside 4 to 65536 pixels")
    if samples < 1:
        raise ValueError(f"samples = {samples!r} is below 1")
    render = scene.render
    render.engine = {"CYCLES": "CYCLES", "EEVEE": compat.EEVEE, "WORKBENCH": "BLENDER_WORKBENCH"}[engine]
    render.resolution_x, render.resolution_y = size
    render.resolution_percentage = 100
    if engine == "CYCLES":
        _set_cycles(scene, samples)
    elif engine == "EEVEE":
        scene.eevee.taa_render_samples = samples


# --- the land in numbers ----------------------------------------------------------------------------------------------


def _heights_of(land: bpy.types.Object) -> tuple[npt.NDArray[np.float32], float, float]:
    """Return a land's heights (rows, columns) and its width and depth, all in metres of the world."""
    if land.type != "MESH":
        raise ValueError(f"{land.name} is a {land.type.lower()}, not a land: it must be a mesh")
    count = len(land.data.vertices)
    points = np.empty((count, 3), dtype=np.float32)
    land.data.attributes["position"].data.foreach_get("vector", points.ravel())
    # A row ends where y changes.
    changed = np.flatnonzero(points[:, 1] != points[:1, 1])
    columns = int(changed[0]) if changed.size else count
    if columns < 2 or count % columns or not _is_grid(points.reshape(-1, columns, 3)):
        raise ValueError(
            f"{land.name} with {count} vertices is not a land: its vertices are not a grid of 2 × 2 or more"
        )
    scale = _placement(land).to_scale()
    width, depth = (points[-1] - points[0])[:2] * np.array(scale)[:2]
    return points[:, 2].reshape(-1, columns) * np.float32(scale.z), float(abs(width)), float(abs(depth))


def _is_grid(points: npt.NDArray[np.float32]) -> bool:
    x, y = points[..., 0], points[..., 1]
    rising = (np.diff(x, axis=1) > 0.0).all() and (np.diff(y, axis=0) > 0.0).all()
    return len(points) >= 2 and bool(rising and np.array_equal(x, x[:1].repeat(len(x), 0)))


def _upright(land: bpy.types.Object) -> Matrix:
    """Return where a land is and how it is turned, without its scale."""
    place, turn, _ = _placement(land).decompose()
    return Matrix.LocRotScale(place, turn, None)


def _placement(thing: bpy.types.Object) -> Matrix:
    # The world matrix is only up to date after the next evaluation.
    return thing.matrix_world if thing.parent is not None else thing.matrix_basis


def aspect_of(scene: bpy.types.Scene) -> float:
    """Return the width of a scene's pictures over their height."""
    render = scene.render
    return (render.resolution_x * render.pixel_aspect_x) / (render.resolution_y * render.pixel_aspect_y)


# --- camera -----------------------------------------------------------------------------------------------------------


def _set_camera(scene: bpy.types.Scene, view: View, place: Matrix, reach: float) -> bpy.types.Object:
    camera = scene.camera
    if camera is None or _is_startup_camera(camera):
        camera = bpy.data.objects.new(CAMERA_NAME, bpy.data.cameras.new(CAMERA_NAME))
        scene.collection.objects.link(camera)
        scene.camera = camera
    elif not _is_where_we_put_it(camera):
        return camera
    camera.data.lens = view.lens
    camera.data.sensor_width, camera.data.sensor_fit = SENSOR_WIDTH, "HORIZONTAL"
    camera.data.clip_start = min(1.0, 1e-4 * reach)
    # A camera looks down: stood up by 90° it looks north, which is 90° from east.
    turn = Euler((math.radians(90.0 + view.pitch), 0.0, math.radians(view.heading - 90.0))).to_matrix().to_4x4()
    _put(camera, place @ Matrix.Translation((view.x, view.y, view.z)) @ turn)
    return camera


def _is_startup_camera(camera: bpy.types.Object) -> bool:
    """Return whether a camera is that of Blender's startup file, which looks at a cube of 2 m."""
    distance = (_placement(camera).translation - Vector((7.358891, -6.925791, 4.958309))).length
    return camera.name.startswith("Camera") and distance < 1e-3


def _heading_of(camera: bpy.types.Object) -> float:
    ahead = _placement(camera).to_3x3() @ Vector((0.0, 0.0, -1.0))
    return math.degrees(math.atan2(ahead.y, ahead.x))


def _reach_to(camera: bpy.types.Object, distance: float) -> None:
    """Keep camera and viewports from cutting the land off."""
    camera.data.clip_end = max(camera.data.clip_end, distance)
    for screen in bpy.data.screens:
        for area in screen.areas:
            for space in area.spaces:
                if space.type == "VIEW_3D":
                    reach_to(space, distance)


def reach_to(space: bpy.types.SpaceView3D, distance: float) -> None:
    """Let a viewport show what is up to this many metres away.

    Depths are told apart to about distance² / (near × 2²⁴): with Blender's usual near of 1 cm, trees a few km away are
    drawn through the ground here and not there.  A near that users have chosen stays.
    """
    space.clip_end = max(space.clip_end, distance)
    if abs(space.clip_start - _STARTUP_NEAR) < 1e-6:
        space.clip_start = max(space.clip_start, _NEAR * distance)


def _put(thing: bpy.types.Object, where: Matrix) -> None:
    thing.matrix_world = where
    thing[_PLACED_KEY] = _numbers(thing)


def _is_where_we_put_it(thing: bpy.types.Object) -> bool:
    placed = thing.get(_PLACED_KEY)
    return placed is not None and list(placed) == _numbers(thing)


def _numbers(thing: bpy.types.Object) -> list[float]:
    return [*thing.location, *thing.rotation_euler]


# --- sun --------------------------------------------------------------------------------------------------------------


def _set_sun(scene: bpy.types.Scene, azimuth: float) -> bpy.types.Object:
    sun = next((o for o in scene.objects if o.type == "LIGHT" and o.data.type == "SUN"), None)
    if sun is None:
        light = bpy.data.lights.new(SUN_NAME, "SUN")
        light.energy, light.color, light.angle = _SUN_STRENGTH, _SUN_COLOUR, _SUN_DIAMETER
        sun = bpy.data.objects.new(SUN_NAME, light)
        scene.collection.objects.link(sun)
    elif not _is_where_we_put_it(sun):
        return sun
    _put(sun, _direction(azimuth, SUN_ELEVATION).to_track_quat("Z", "Y").to_matrix().to_4x4())
    return sun


def _sun_azimuth(heights: npt.NDArray[np.float32], width: float, depth: float, heading: float) -> float:
    """Return the side from which the sun models the high ground best, in degrees counter-clockwise from east."""
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

    return max((heading + side * _SUN_TURN for side in (1.0, -1.0)), key=contrast)


def _direction(azimuth: float, elevation: float) -> Vector:
    """Return the direction to a place in the sky."""
    turn, rise = math.radians(azimuth), math.radians(elevation)
    return Vector((math.cos(turn) * math.cos(rise), math.sin(turn) * math.cos(rise), math.sin(rise)))


# --- sky and air ------------------------------------------------------------------------------------------------------


def _set_world(scene: bpy.types.Scene, sun: bpy.types.Object) -> None:
    if not _has_own_world(scene):
        world = bpy.data.worlds.get((WORLD_NAME, None))
        scene.world = world if world is not None else _new_world()
    if _has_our_sky(scene):
        place_sun_in_sky(_placement(sun).to_3x3() @ Vector((0.0, 0.0, 1.0)))


def _has_own_world(scene: bpy.types.Scene) -> bool:
    """Return whether the scene's world is more than the plain grey of Blender's startup file."""
    world = scene.world
    if world is None:
        return False
    nodes = world.node_tree.nodes if world.node_tree is not None else ()
    if {node.type for node in nodes} - {"BACKGROUND", "OUTPUT_WORLD"}:
        return True
    return any(not _is_startup_grey(n.inputs["Color"].default_value) for n in nodes if n.type == "BACKGROUND")


def _is_startup_grey(colour: Iterable[float]) -> bool:
    return all(abs(part - 0.0509) < 1e-3 for part in list(colour)[:3])


def _has_our_sky(scene: bpy.types.Scene) -> bool:
    nodes = scene.world.node_tree.nodes if scene.world.node_tree is not None else ()
    return any(node.type == "GROUP" and node.node_tree == sky_group() for node in nodes)


def _new_world() -> bpy.types.World:
    world = bpy.data.worlds.new(WORLD_NAME)
    tree = compat.enable_nodes(world)
    tree.nodes.clear()
    nodes = Nodes(tree)
    direction = nodes.node("ShaderNodeTexCoord").outputs["Generated"]
    sky = nodes.group(sky_group(), {0: direction}).outputs[0]
    sky = nodes.mix(_cloud_cover(nodes, direction), sky, _CLOUD_LIGHT)
    background = nodes.node("ShaderNodeBackground", {"Color": sky, "Strength": 1.0})
    nodes.node("ShaderNodeOutputWorld", {"Surface": background.outputs[0]})
    nodes.arrange()
    # A sky without the sun's disc is even: rays find it unaimed, and Cycles is much faster for not aiming.
    if hasattr(world, "cycles"):
        world.cycles.sampling_method = "NONE"
    return world


def _cloud_cover(nodes: Nodes, direction: bpy.types.NodeSocket) -> bpy.types.NodeSocket:
    """Return how much thin high cloud hides the sky in a direction."""
    height = nodes.node("ShaderNodeSeparateXYZ", {0: direction}).outputs["Z"]
    # Where the line of sight meets a flat layer; the offset stands for the earth's curve, which ends it at the horizon.
    reach = nodes.math("DIVIDE", 1.0, nodes.math("MAXIMUM", nodes.sum(height, 0.10), 0.05))
    layer = nodes.vector_math("MULTIPLY", nodes.scaled(direction, reach), (1.0, 0.42, 0.0))
    veils = nodes.node(
        "ShaderNodeTexNoise", {"Vector": layer, "Scale": 0.9, "Detail": 7.0, "Roughness": 0.58, "Distortion": 0.5}
    ).outputs[0]
    return nodes.product(nodes.step(veils, 0.46, 0.74), nodes.step(height, 0.0, 0.2), nodes.value("Clouds", 0.65))


def _set_haze(scene: bpy.types.Scene, survey: Survey, place: Matrix) -> None:
    """Fit the haze to the land, so that a land of 1 km looks as deep as one of 10 km; none under a sky of the user."""
    reach = math.hypot(survey.width, survey.depth)
    values = {
        "Base": place.translation.z + survey.foot,
        "Thickness": max(0.6 * (survey.top - survey.foot), 0.02 * reach),
        "Visibility": 2.3 * reach if _has_our_sky(scene) else 1e9,
    }
    nodes = haze_group().nodes
    for label, value in values.items():
        if label in nodes:
            nodes[label].outputs[0].default_value = value


# --- pictures ---------------------------------------------------------------------------------------------------------


def _set_colours(scene: bpy.types.Scene) -> None:
    """Add contrast to Blender's default view, which is flat; another choice of the user stays."""
    settings = scene.view_settings
    if settings.view_transform == "AgX" and settings.look == "None":
        settings.look = "AgX - Medium High Contrast"


def _set_cycles(scene: bpy.types.Scene, samples: int) -> None:
    cycles = scene.cycles
    cycles.samples = samples
    cycles.use_adaptive_sampling = True
    cycles.adaptive_threshold = 0.03
    cycles.use_denoising = _choose_denoiser(cycles)
    # Outdoors nearly all light comes from sun and sky: more bounces cost much and show little.
    cycles.max_bounces, cycles.diffuse_bounces, cycles.glossy_bounces, cycles.transmission_bounces = 2, 1, 1, 1
    cycles.caustics_reflective = cycles.caustics_refractive = False


def _choose_denoiser(cycles: bpy.types.PropertyGroup) -> bool:
    """Return whether this Blender was built with a denoiser that needs no graphics card."""
    try:
        cycles.denoiser = "OPENIMAGEDENOISE"
    except TypeError:
        return False
    return True

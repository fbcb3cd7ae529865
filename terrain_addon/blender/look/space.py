"""Sun, stars and camera for a planet."""

import math

import bpy
from mathutils import Matrix, Vector

from ...core.planet.near_mesh import Viewer
from .. import compat
from .camera import CAMERA_NAME, is_startup_camera, show_up_to
from .nodes import Nodes
from .placement import is_where_we_put_it, placement_of, put
from .scenery import set_contrast
from .seen_land import SENSOR_WIDTH
from .sun import SUN_NAME, set_low_light, sun_of
from .world import has_own_world

SPACE_NAME = "Landscape Space"

PLANET_VIEWS = {
    "space": "The whole planet in the middle of the picture",
    "orbit": "Close above the ground, towards the horizon",
    "ground": "Standing on the land, which becomes finer around the camera",
}
"""Places of the camera, with their descriptions."""

_SUN_STRENGTH = 6.0  # W/m² across the rays
_FILLED = 0.83  # share of the shorter side of the picture that the planet fills
_SUN_ASIDE = 52.0  # degrees between the sun and the camera, seen from the planet
# Degrees above the level ground at which the sun stands for a viewer on it, to the right and a little behind.
_SUN_HEIGHT, _SUN_RIGHT, _SUN_BEHIND = 33.0, 1.0, 0.2
# From orbit it stands lower and in front, so that ranges throw shadows and the sea mirrors it.
_ORBIT_SUN_HEIGHT, _ORBIT_SUN_BEHIND = 30.0, -0.9
_LENS, _ORBIT_LENS, _GROUND_LENS = 50.0, 26.0, 28.0


def set_space(scene: bpy.types.Scene, planet: bpy.types.Object, towards: Vector, radius: float) -> None:
    """Give a scene the sun, stars and camera that it lacks, and show a planet.

    Parameters
    ----------
    scene : Scene
    planet : Object
    towards : Vector
        From the middle of the planet to the side that is shown, in the planet's own space.
    radius : float
        Of the planet with its air, in the scene.
    """
    set_contrast(scene)
    if not has_own_world(scene):
        world = bpy.data.worlds.get((SPACE_NAME, None))
        scene.world = world if world is not None else _new_space()
    seen = (placement_of(planet).to_3x3() @ towards).normalized()
    _set_space_sun(scene, seen)
    if scene.camera is None or is_startup_camera(scene.camera):
        camera = bpy.data.objects.new(CAMERA_NAME, bpy.data.cameras.new(CAMERA_NAME))
        scene.collection.objects.link(camera)
        scene.camera = camera
    elif not is_where_we_put_it(scene.camera):
        return
    look_at_planet(scene, planet, seen, radius)


def leave_space(scene: bpy.types.Scene) -> None:
    """Take the stars away that we gave to a scene, and let our sun shine as it does on land."""
    if scene.world is not None and scene.world == bpy.data.worlds.get((SPACE_NAME, None)):
        scene.world = None
    sun = sun_of(scene)
    if sun is not None and is_where_we_put_it(sun):
        set_low_light(sun.data)


def look_at_planet(scene: bpy.types.Scene, planet: bpy.types.Object, seen: Vector, radius: float) -> None:
    """Place the camera of a scene so that it sees the whole planet.

    Parameters
    ----------
    scene : Scene
        With a camera.
    planet : Object
    seen : Vector
        Unit vector in the world from the middle of the planet to the camera.
    radius : float
        Of the planet with its air, in the scene.
    """
    camera = scene.camera
    middle = placement_of(planet).translation
    camera.data.sensor_width, camera.data.sensor_fit = SENSOR_WIDTH, "AUTO"
    camera.data.lens = _LENS
    half = math.atan(0.5 * SENSOR_WIDTH / _LENS * _shorter_share(scene))
    distance = radius / math.sin(_FILLED * half)
    put(camera, _looking(middle + distance * seen, -seen, Vector((0.0, 0.0, 1.0))))
    camera.data.clip_start = 1e-3 * radius
    show_up_to(camera, 2.0 * distance + 4.0 * radius)


def look_at_ground(
    scene: bpy.types.Scene, planet: bpy.types.Object, viewer: Viewer, size: float, *, stands: bool
) -> None:
    """Place the camera of a scene on the ground of a planet, or close above it.

    Parameters
    ----------
    scene : Scene
        With a camera.
    planet : Object
    viewer : Viewer
        Where the eye is and looks.
    size : float
        Radius of the planet in its own space.
    stands : bool
        Whether it stands on the ground.
    """
    camera, place = scene.camera, placement_of(planet)
    camera.data.sensor_width, camera.data.sensor_fit = SENSOR_WIDTH, "AUTO"
    camera.data.lens = _GROUND_LENS if stands else _ORBIT_LENS
    eye, turn = Vector(viewer.eye), place.to_3x3()
    put(camera, _looking(place @ (size * eye), turn @ Vector(viewer.ahead), turn @ eye))
    shown = size * max(place.to_scale())
    camera.data.clip_start = (1e-4 if stands else 1e-2) * shown
    show_up_to(camera, 4.0 * shown)
    sun = sun_of(scene)
    if sun is not None and is_where_we_put_it(sun):
        # Low light from aside shows hills and gullies.
        up = eye.normalized()
        right = Vector(viewer.ahead).cross(up).normalized()
        behind = _SUN_BEHIND if stands else _ORBIT_SUN_BEHIND
        level = (_SUN_RIGHT * right - behind * up.cross(right)).normalized()
        height = math.radians(_SUN_HEIGHT if stands else _ORBIT_SUN_HEIGHT)
        put(sun, _towards(turn @ (math.cos(height) * level + math.sin(height) * up)))


def _shorter_share(scene: bpy.types.Scene) -> float:
    """The shorter side of a picture over its longer side."""
    sides = scene.render.resolution_x, scene.render.resolution_y
    return min(sides) / max(sides)


def _looking(place: Vector, ahead: Vector, up: Vector) -> Matrix:
    """Where a camera is that looks ahead from a place."""
    back = -ahead.normalized()
    right = up.cross(back).normalized()
    turn = Matrix((right, back.cross(right), back)).transposed()
    return Matrix.Translation(place) @ turn.to_4x4()


def _set_space_sun(scene: bpy.types.Scene, seen: Vector) -> None:
    """Make the sun of a scene, or turn it if we placed it: beside the camera, so that a part of the planet is night."""
    sun = sun_of(scene)
    if sun is None:
        light = bpy.data.lights.new(SUN_NAME, "SUN")
        light.energy, light.angle = _SUN_STRENGTH, math.radians(0.53)
        sun = bpy.data.objects.new(SUN_NAME, light)
        scene.collection.objects.link(sun)
    elif not is_where_we_put_it(sun):
        return
    west = seen.cross(Vector((0.0, 0.0, 1.0))).normalized()
    aside = (west + Vector((0.0, 0.0, 0.28))).normalized()
    angle = math.radians(_SUN_ASIDE)
    direction = math.cos(angle) * seen + math.sin(angle) * aside
    put(sun, _towards(direction))


def _towards(direction: Vector) -> Matrix:
    """How a sun is turned that stands in a direction."""
    return direction.to_track_quat("Z", "Y").to_matrix().to_4x4()


def _new_space() -> bpy.types.World:
    """Make a black world with stars."""
    world = bpy.data.worlds.new(SPACE_NAME)
    tree = compat.enable_nodes(world)
    tree.nodes.clear()
    nodes = Nodes(tree)
    direction = nodes.node("ShaderNodeTexCoord").outputs["Generated"]
    # The cells of a fine Voronoi pattern: a dot in the middle of each, most of them too faint to be seen.
    cells = nodes.node("ShaderNodeTexVoronoi", {"Vector": direction, "Scale": 130.0})
    dot = nodes.smooth_step(cells.outputs["Distance"], 0.11, 0.0)
    luck = nodes.node("ShaderNodeSeparateColor", {0: cells.outputs["Color"]}).outputs
    bright = nodes.math("POWER", luck[0], 14.0)
    tint = nodes.mix_colours(luck[1], (1.0, 0.86, 0.70), (0.72, 0.84, 1.0))
    # Only the camera sees stars: their light is too weak to fall on anything.
    shown = nodes.node("ShaderNodeLightPath").outputs["Is Camera Ray"]
    strength = nodes.product(dot, bright, nodes.value("Stars", 2.2), shown)
    background = nodes.node("ShaderNodeBackground", {"Color": tint, "Strength": strength})
    nodes.node("ShaderNodeOutputWorld", {"Surface": background.outputs[0]})
    nodes.arrange()
    if hasattr(world, "cycles"):
        world.cycles.sampling_method = "NONE"
    return world

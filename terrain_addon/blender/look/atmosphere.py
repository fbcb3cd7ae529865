"""The light of the sky, and the air between the camera and the land."""

import math

import bpy
from mathutils import Vector

from .. import compat
from .nodes import SHADER_TREE, Nodes, Value, find_group
from .placement import placement_of

HAZE_GROUP = "Landscape Haze"
SKY_GROUP = "Landscape Sky"
SUN_GROUP = "Landscape Sun Direction"

# The horizon of the single-scattering sky is green; more ozone and a tint correct that.
_OZONE = 4.0
_LIFT = 0.12  # how far directions are raised out of the dull band at the horizon
_TINT = (1.05, 0.97, 1.08)
# Overhead the sky is darker and bluer than at the horizon; these are heights as the sine of the angle.
_DEEP, _DEEPENS = (0.40, 0.57, 0.80), (0.0, 0.45)
# Under a low sun the horizon below it is warm; higher up in the sky, and under a high sun, nothing is.
_WARM, _WARM_UP_TO, _LOW_SUN = (2.0, 1.06, 0.84), 0.20, (0.75, 0.25)

# Where air as dense as at the foot of the land would have this optical depth, thin air has at least 1.  Chosen by eye.
_FAR_AIR = 2.15
_DEEP_AIR = (1.0, 3.2)  # optical depths from which on air is lighter, and as light as the sky

_LOWEST_SUN = 1.0  # degrees above the horizon
# A lamp shines from its +Z axis; x, y and z are its turns about the axes of the world, in this order.
_EAST_NORTH_UP = _EAST, _NORTH, _UP = (
    "cos(z) * sin(y) * cos(x) + sin(z) * sin(x)",
    "sin(z) * sin(y) * cos(x) - cos(z) * sin(x)",
    "cos(x) * cos(y)",
)
# The sky wants the elevation above the horizon, and the rotation clockwise from +Y.
_SUN_IN_SKY = {
    "sun_elevation": f"asin(max({math.sin(math.radians(_LOWEST_SUN)):.6f}, {_UP}))",
    "sun_rotation": f"atan2({_EAST}, {_NORTH})",
}


def haze_group() -> bpy.types.NodeTree:
    """Return the node group "Landscape Haze", made where it is missing: air between the camera and a surface.

    `scenery.set_scenery` sets three of its Value nodes: "Visibility", the distance in metres at which the air at the
    base takes 95 % of the contrast; "Base", the altitude of the land's foot in metres; "Thickness", the height in
    metres over which the air thins to 1/e.  The fourth, "Amount", is a factor for the user.

    References
    ----------
    Koschmieder, H. (1924). Theorie der horizontalen Sichtweite. Beiträge zur Physik der freien Atmosphäre 12, 33-53.
    """
    tree = find_group(HAZE_GROUP, SHADER_TREE)
    return tree if tree is not None else _new_haze_group()


def sky_group() -> bpy.types.NodeTree:
    """Return the node group "Landscape Sky", made where it is missing: the light of the sky by direction."""
    tree = find_group(SKY_GROUP, SHADER_TREE)
    return tree if tree is not None else _new_sky_group()


def sun_group() -> bpy.types.NodeTree:
    """Return the node group "Landscape Sun Direction", made where it is missing: the direction to the sun."""
    tree = find_group(SUN_GROUP, SHADER_TREE)
    return tree if tree is not None else _new_sun_group()


def let_sky_follow(sun: bpy.types.Object) -> None:
    """Let the sun in the sky stand where a lamp shines from; below 1° above the horizon it stays at 1°.

    Drivers do that, so it also holds when users turn the lamp, in animations and in renders.  Their expressions are so
    simple that Blender evaluates them without Python.
    """
    direction = (placement_of(sun).to_3x3() @ Vector((0.0, 0.0, 1.0))).normalized()
    for node in sky_group().nodes:
        if node.type == "TEX_SKY":
            # At once, because drivers wait for the next evaluation.
            node.sun_elevation = max(math.asin(min(max(direction.z, -1.0), 1.0)), math.radians(_LOWEST_SUN))
            node.sun_rotation = math.atan2(direction.x, direction.y)
            for name, expression in _SUN_IN_SKY.items():
                node.driver_remove(name)
                # Where the lamp was deleted, its scale reads 0, and the sky stays as it is now.
                _drive(node.driver_add(name).driver, f"{expression} if s else {getattr(node, name):.4f}", sun)
    for socket, part, expression in zip(_parts_of(sun_group()), direction, _EAST_NORTH_UP, strict=True):
        socket.default_value = part
        socket.driver_remove("default_value")
        _drive(socket.driver_add("default_value").driver, f"{expression} if s else {part:.4f}", sun)


def _parts_of(tree: bpy.types.NodeTree) -> list[bpy.types.NodeSocket]:
    """Return what holds the direction to the sun: its parts to the east, to the north and up."""
    return list(next(node for node in tree.nodes if node.type == "COMBXYZ").inputs)


def _drive(driver: bpy.types.Driver, expression: str, sun: bpy.types.Object) -> None:
    """Compute a driver from the rotation of a lamp in the world: x, y and z in radians."""
    for name, what in (("x", "ROT_X"), ("y", "ROT_Y"), ("z", "ROT_Z"), ("s", "SCALE_AVG")):
        variable = driver.variables.new()
        variable.name, variable.type = name, "TRANSFORMS"
        target = variable.targets[0]
        target.id, target.transform_type = sun, what
        target.transform_space, target.rotation_mode = "WORLD_SPACE", "XYZ"
    driver.type, driver.expression = "SCRIPTED", expression


def _place_sun(sky: bpy.types.Node, elevation: float, rotation: float) -> None:
    compat.set_physical_sky(sky, elevation, rotation, altitude=0.0, haziness=1.0, ozone=_OZONE)


def _new_haze_group() -> bpy.types.NodeTree:
    """Make the node group that mixes a surface with the light of the air."""
    tree = bpy.data.node_groups.new(HAZE_GROUP, SHADER_TREE)
    tree.interface.new_socket("Surface", in_out="INPUT", socket_type="NodeSocketShader")
    tree.interface.new_socket("Surface", in_out="OUTPUT", socket_type="NodeSocketShader")
    nodes = Nodes(tree)
    surface = nodes.node("NodeGroupInput").outputs[0]
    geometry = nodes.node("ShaderNodeNewGeometry").outputs
    distance = nodes.node("ShaderNodeCameraData").outputs["View Distance"]
    away = nodes.scaled(geometry["Incoming"], -1.0)

    depth = _optical_depth(nodes, geometry, distance)
    share = nodes.math("SUBTRACT", 1.0, nodes.math("EXPONENT", nodes.product(depth, -1.0)))
    # Only the camera may see the haze: its light must not brighten the land.
    share = nodes.product(share, nodes.node("ShaderNodeLightPath").outputs["Is Camera Ray"])
    sky = nodes.group(sky_group(), {0: nodes.vector_math("MULTIPLY", away, (1.0, 1.0, 0.0))}).outputs[0]
    # A few kilometres of air are bluer and darker than the whole depth of the sky at the horizon, where both meet.
    air = nodes.mix_colours(nodes.smooth_step(depth, *_DEEP_AIR), (0.80, 0.88, 1.0), (1.0, 1.0, 1.0))
    air = nodes.vector_math("MULTIPLY", sky, air)
    haze = nodes.node("ShaderNodeEmission", {"Color": air, "Strength": 1.0}).outputs[0]
    mixed = nodes.node("ShaderNodeMixShader", {0: share, 1: surface, 2: haze}).outputs[0]
    nodes.node("NodeGroupOutput", {0: mixed})
    nodes.arrange()
    return tree


def _optical_depth(nodes: Nodes, geometry: bpy.types.bpy_prop_collection, distance: Value) -> bpy.types.NodeSocket:
    """Return the optical depth between a surface and the camera: the air replaces 1 - exp(-depth) of the light.

    The air thins exponentially with height; Simpson's rule integrates it from the surface to the camera.  A part that
    grows with the square of the distance comes on top, so that no edge of the ground shows below a high camera.
    """
    base = nodes.value("Base", 0.0)
    thickness = nodes.value("Thickness", 1000.0)
    clear = nodes.math("DIVIDE", 3.0, nodes.value("Visibility", 1e9))  # exp(-3) is 5 %
    here = nodes.node("ShaderNodeSeparateXYZ", {0: geometry["Position"]}).outputs["Z"]
    rise = nodes.node("ShaderNodeSeparateXYZ", {0: geometry["Incoming"]}).outputs["Z"]
    densities = []
    for part in (0.0, 0.5, 1.0):
        height = nodes.math("MULTIPLY_ADD", rise, nodes.product(distance, part), here)
        above = nodes.math("DIVIDE", nodes.math("SUBTRACT", base, height), thickness)
        densities.append(nodes.math("EXPONENT", nodes.math("MINIMUM", above, 1.0)))
    total = nodes.math("MULTIPLY_ADD", densities[1], 4.0, nodes.sum(densities[0], densities[2]))
    below = nodes.product(total, 1.0 / 6.0, distance, clear)
    far = nodes.product(distance, clear, 1.0 / _FAR_AIR)
    return nodes.product(nodes.math("MULTIPLY_ADD", far, far, below), nodes.value("Amount", 1.0))


def _raised(nodes: Nodes, direction: Value) -> bpy.types.NodeSocket:
    """Return a direction raised out of the dull band at the horizon; those below the horizon become level first."""
    parts = nodes.node("ShaderNodeSeparateXYZ", {0: direction}).outputs
    height = nodes.math("MULTIPLY_ADD", nodes.math("MAXIMUM", parts["Z"], 0.0), 1.0 - _LIFT, _LIFT)
    return nodes.node("ShaderNodeCombineXYZ", {"X": parts["X"], "Y": parts["Y"], "Z": height}).outputs[0]


def _new_sky_group() -> bpy.types.NodeTree:
    """Make the node group of the sky's light."""
    tree = bpy.data.node_groups.new(SKY_GROUP, SHADER_TREE)
    tree.interface.new_socket("Direction", in_out="INPUT", socket_type="NodeSocketVector")
    tree.interface.new_socket("Color", in_out="OUTPUT", socket_type="NodeSocketColor")
    nodes = Nodes(tree)
    direction = nodes.node("NodeGroupInput").outputs[0]
    above = nodes.vector_math("NORMALIZE", _raised(nodes, direction))
    sky = nodes.node("ShaderNodeTexSky", {0: above})
    _place_sun(sky, math.radians(20.0), 0.0)
    even = nodes.vector_math("MULTIPLY", sky.outputs[0], _TINT)
    even = _with_deep_zenith_and_warm_horizon(nodes, even, direction)
    light = nodes.scaled(even, nodes.value("Strength", 0.20))
    nodes.node("NodeGroupOutput", {0: light})
    nodes.arrange()
    return tree


def _with_deep_zenith_and_warm_horizon(nodes: Nodes, sky: Value, direction: Value) -> bpy.types.NodeSocket:
    """Return the sky's colour in a direction, bluer towards the zenith and warmer at the horizon below a low sun."""
    sun = nodes.group(sun_group()).outputs[0]
    height = nodes.node("ShaderNodeSeparateXYZ", {0: direction}).outputs["Z"]
    deep = nodes.mix_colours(nodes.smooth_step(height, *_DEEPENS), (1.0, 1.0, 1.0), _DEEP)
    level = [
        nodes.vector_math("NORMALIZE", nodes.vector_math("MULTIPLY", one, (1.0, 1.0, 0.0))) for one in (direction, sun)
    ]
    beside = nodes.node("ShaderNodeVectorMath", dict(enumerate(level)), operation="DOT_PRODUCT").outputs["Value"]
    below = nodes.math("POWER", nodes.math("MULTIPLY_ADD", beside, 0.5, 0.5, clamp=True), 1.4)
    rise = nodes.node("ShaderNodeSeparateXYZ", {0: sun}).outputs["Z"]
    warmth = nodes.product(below, nodes.smooth_step(height, _WARM_UP_TO, 0.0), nodes.smooth_step(rise, *_LOW_SUN))
    warm = nodes.mix_colours(nodes.product(warmth, nodes.value("Warmth", 1.0)), (1.0, 1.0, 1.0), _WARM)
    return nodes.vector_math("MULTIPLY", sky, nodes.vector_math("MULTIPLY", deep, warm))


def _new_sun_group() -> bpy.types.NodeTree:
    """Make the node group that tells where the sun stands."""
    tree = bpy.data.node_groups.new(SUN_GROUP, SHADER_TREE)
    tree.interface.new_socket("Direction", in_out="OUTPUT", socket_type="NodeSocketVector")
    nodes = Nodes(tree)
    place = nodes.node("ShaderNodeCombineXYZ", {"X": 0.0, "Y": 0.95, "Z": 0.31})
    nodes.node("NodeGroupOutput", {0: place.outputs[0]})
    nodes.arrange()
    return tree

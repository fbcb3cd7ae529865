"""All differences between Blender 4.2, 4.5 and 5.x that matter here; no other file asks for the version."""

from typing import Any

import bpy

_IS_4_5 = bpy.app.version >= (4, 5, 0)
_IS_5_0 = bpy.app.version >= (5, 0, 0)
_IS_5_2 = bpy.app.version >= (5, 2, 0)

EEVEE = "BLENDER_EEVEE" if _IS_5_0 else "BLENDER_EEVEE_NEXT"
"""Identifier of the EEVEE engine, which 5.0 renamed."""

# 5.0 added a sky with multiple scattering, renamed the old one, and renamed dust to aerosol.  The sky that all versions
# have is used everywhere, so that a picture is the same in all of them.
_SKY_TYPE = "SINGLE_SCATTERING" if _IS_5_0 else "NISHITA"
_SKY_HAZINESS = "aerosol_density" if _IS_5_0 else "dust_density"

WHOLE_MATH = "FunctionNodeIntegerMath" if _IS_4_5 else "ShaderNodeMath"
"""Node for arithmetic with whole numbers; 4.2 has only floats, which are exact up to 16 million."""

BUMP_FILTER = {"Filter Width": 1.0} if _IS_4_5 else {}
"""Inputs of a Bump node that make its filter one pixel wide, as in 4.2; with a narrower one EEVEE draws dots."""

_ADAPTIVE = "use_adaptive_subdivision"
_QUAD_METHOD = "quad_method"
_UNIFIED = "unified_paint_settings"
# Where an action holds its curves, until 4.5 and from 5.0 on.
_CURVES, _LAYERS = "fcurves", "layers"

BLEND_RELATIVE = {"PATH_SUPPORTS_BLEND_RELATIVE"} if _IS_4_5 else set()
"""Options of a path property that may start with ``//``: 4.5 and later warn without it, 4.2 does not know it."""


def enable_nodes(owner: bpy.types.Material | bpy.types.World) -> bpy.types.NodeTree:
    """Return the node tree of a material or world, made where it is missing.

    Up to 4.5 setting `use_nodes` makes the tree.  From 5.0 on the tree is always there, and setting it only warns.
    """
    if not _IS_5_0:
        owner.use_nodes = True
    return owner.node_tree


def tell_turned_quads(mesh: bpy.types.Mesh) -> None:
    """Make Blender notice that quads of a mesh begin at other corners than before.

    Before 5.2 it goes on with what it remembers of the corners of each vertex, until something changes the topology.
    Flipping the faces twice does so and leaves them as they are.
    """
    if not _IS_5_2:
        mesh.flip_normals()
        mesh.flip_normals()


def split_as_drawn(node: bpy.types.Node) -> None:
    """Let a Triangulate node of Geometry Nodes split quads where Blender does when it draws them.

    Up to 4.5 that is a setting of the node, later an input.
    """
    if hasattr(node, _QUAD_METHOD):
        setattr(node, _QUAD_METHOD, "FIXED")
    else:
        node.inputs["Quad Method"].default_value = "Fixed"


def set_physical_sky(
    sky: bpy.types.Node, elevation: float, rotation: float, altitude: float, haziness: float, ozone: float
) -> None:
    """Make a Sky Texture node physical, without the disc of the sun.

    Parameters
    ----------
    sky : Node
    elevation, rotation : float
        Place of the sun in radians; rotation is clockwise from +Y, seen from above.
    altitude : float
        Height of the viewer in metres.
    haziness, ozone : float
        Density of dust or aerosol, and of ozone, as multiples of those of clean air.
    """
    sky.sky_type = _SKY_TYPE
    sky.sun_disc = False
    sky.sun_elevation = elevation
    sky.sun_rotation = rotation
    sky.altitude = altitude
    sky.ozone_density = ozone
    setattr(sky, _SKY_HAZINESS, haziness)


def set_modifier_input(modifier: bpy.types.NodesModifier, name: str, value: Any) -> None:
    """Set an input of a Geometry Nodes modifier by the name its node group shows.

    Until 5.1 inputs are custom properties of the modifier; 5.2 moved them to ``modifier.properties.inputs``.

    Parameters
    ----------
    modifier : NodesModifier
    name : str
        Name of the input, not its identifier.
    value : object
        Of the type that the input takes.

    Raises
    ------
    ValueError
        If the node group has no input of that name.
    """
    identifier = _input_identifier(modifier, name)
    if _IS_5_2:
        getattr(modifier.properties.inputs, identifier).value = value
    else:
        modifier[identifier] = value
    # Neither way notifies the dependency graph.
    modifier.id_data.update_tag()


def modifier_input(modifier: bpy.types.NodesModifier, name: str) -> Any:
    """Return an input of a Geometry Nodes modifier by name; see `set_modifier_input`."""
    identifier = _input_identifier(modifier, name)
    return getattr(modifier.properties.inputs, identifier).value if _IS_5_2 else modifier[identifier]


def shown_input(modifier: bpy.types.NodesModifier, name: str) -> tuple[Any, str]:
    """Return an input of a Geometry Nodes modifier as panels show it: what holds it, and the property in it."""
    identifier = _input_identifier(modifier, name)
    if _IS_5_2:
        return getattr(modifier.properties.inputs, identifier), "value"
    return modifier, f'["{identifier}"]'


def brush_settings(context: bpy.types.Context) -> Any:
    """Return the size, strength and weight that all brushes for weights share; from 5.0 on each mode has its own."""
    tools = context.tool_settings
    return getattr(tools.weight_paint if _IS_5_0 else tools, _UNIFIED)


def keyframe_curves(animation: bpy.types.AnimData) -> list[bpy.types.FCurve]:
    """Return the curves between the keyframes of an object or other data; from 5.0 on actions hold them in layers."""
    action = animation.action
    if action is None:
        return []
    if not _IS_5_0:
        return list(getattr(action, _CURVES))
    strips = (strip for layer in getattr(action, _LAYERS) for strip in layer.strips)
    return [curve for strip in strips for bag in strip.channelbags for curve in bag.fcurves]


def set_adaptive(thing: bpy.types.Object, modifier: bpy.types.Modifier, scene: bpy.types.Scene) -> None:
    """Let Cycles divide a subdivided object as finely as the pixels of a render ask for.

    Until 4.5 that is a setting of the object, which `clear_adaptive` must switch off again, and the scene must allow
    experimental features of Cycles.  From 5.0 on it is a setting of the modifier.

    Parameters
    ----------
    thing : Object
    modifier : Modifier
        Subdivision of the object.
    scene : Scene
        The scene that is rendered.
    """
    if not _IS_5_0:
        scene.cycles.feature_set = "EXPERIMENTAL"
    setattr(_adaptive_settings(thing, modifier), _ADAPTIVE, True)


def clear_adaptive(thing: bpy.types.Object, modifier: bpy.types.Modifier) -> None:
    """Switch off what `set_adaptive` switched on for the object or modifier."""
    setattr(_adaptive_settings(thing, modifier), _ADAPTIVE, False)


def _adaptive_settings(thing: Any, modifier: Any) -> Any:
    """Return what holds the setting for adaptive subdivision."""
    return modifier if _IS_5_0 else thing.cycles


def _input_identifier(modifier: bpy.types.NodesModifier, name: str) -> str:
    """Return the identifier of an input from the name that its node group shows."""
    names = {}
    for item in modifier.node_group.interface.items_tree if modifier.node_group else ():
        if item.item_type == "SOCKET" and item.in_out == "INPUT":
            names[item.name] = item.identifier
    if name not in names:
        raise ValueError(f"modifier {modifier.name} has no input {name!r}; it has: {', '.join(names) or 'none'}")
    return names[name]


def remember_drags(gizmo: Any) -> None:
    """Let each drag of a gizmo be a step of undo, where Blender can."""
    if hasattr(gizmo, "use_undo"):
        gizmo.use_undo = True


def users_of_data(**kinds: set[str]) -> dict[bpy.types.ID, set[bpy.types.ID]]:
    """Return each data-block with those that use it; `kinds` are `key_types` and `value_types` of Blender's `user_map`.

    The types of 4.2 say that every argument is required, so data count as `Any` here.
    """
    data: Any = bpy.data
    found: dict[bpy.types.ID, set[bpy.types.ID]] = data.user_map(**kinds)
    return found

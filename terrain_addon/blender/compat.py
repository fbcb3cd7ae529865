"""Every difference between Blender 4.2, 4.5 and 5.x that the package meets; no other file asks for the version."""

from typing import Any

import bpy

_IS_4_5 = bpy.app.version >= (4, 5, 0)
_IS_5_0 = bpy.app.version >= (5, 0, 0)
_IS_5_2 = bpy.app.version >= (5, 2, 0)

EEVEE = "BLENDER_EEVEE" if _IS_5_0 else "BLENDER_EEVEE_NEXT"
"""Identifier of the EEVEE engine: 4.2 to 4.5 call it the next one, 5.0 gave it the old name back."""

# 5.0 added a sky with multiple scattering, gave the one there was another name, and called dust aerosol.  All versions
# use the one that they share, so that a picture is the same in all.
_SKY_TYPE = "SINGLE_SCATTERING" if _IS_5_0 else "NISHITA"
_SKY_HAZINESS = "aerosol_density" if _IS_5_0 else "dust_density"

WHOLE_MATH = "FunctionNodeIntegerMath" if _IS_4_5 else "ShaderNodeMath"
"""Node for arithmetic with whole numbers; the one of 4.2 works with floats, which are exact to 16 million."""

BUMP_FILTER = {"Filter Width": 1.0} if _IS_4_5 else {}
"""Inputs of a Bump node that let it look a pixel far, as 4.2 does: nearer, EEVEE draws a pattern of dots."""

_ADAPTIVE = "use_adaptive_subdivision"

BLEND_RELATIVE = {"PATH_SUPPORTS_BLEND_RELATIVE"} if _IS_4_5 else set()
"""Options of a path property that may start with ``//``: 4.5 began to warn without, 4.2 does not know it."""


def enable_nodes(owner: bpy.types.Material | bpy.types.World) -> bpy.types.NodeTree:
    """Return the node tree of a material or world, made where it is missing.

    From 5.0 on everything has nodes and setting `use_nodes` only warns; before, it makes the tree.
    """
    if not _IS_5_0:
        owner.use_nodes = True
    return owner.node_tree


def set_physical_sky(
    sky: bpy.types.Node, elevation: float, rotation: float, altitude: float, haziness: float, ozone: float
) -> None:
    """Make a Sky Texture node physical, without the disc of the sun.

    Parameters
    ----------
    elevation, rotation : float
        Place of the sun in radians.  Rotation is clockwise from +Y seen from above, in every version.
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
    # Neither way tells the dependency graph.
    modifier.id_data.update_tag()


def modifier_input(modifier: bpy.types.NodesModifier, name: str) -> Any:
    """Return an input of a Geometry Nodes modifier by name; see `set_modifier_input`."""
    identifier = _input_identifier(modifier, name)
    return getattr(modifier.properties.inputs, identifier).value if _IS_5_2 else modifier[identifier]


def set_adaptive(thing: bpy.types.Object, modifier: bpy.types.Modifier, scene: bpy.types.Scene) -> None:
    """Let Cycles divide a subdivided object as finely as the pixels of a render ask for.

    Until 4.5 that is experimental in Cycles, which the scene has to allow, and a setting of the object, which must be
    taken back by `clear_adaptive`; 5.0 made it one of the modifier.
    """
    if not _IS_5_0:
        scene.cycles.feature_set = "EXPERIMENTAL"
    setattr(_divided_by_cycles(thing, modifier), _ADAPTIVE, True)


def clear_adaptive(thing: bpy.types.Object, modifier: bpy.types.Modifier) -> None:
    """Take back what `set_adaptive` set on the object or modifier."""
    setattr(_divided_by_cycles(thing, modifier), _ADAPTIVE, False)


def is_adaptive(thing: bpy.types.Object, modifier: bpy.types.Modifier) -> bool:
    """Return whether Cycles divides an object by pixels."""
    return bool(getattr(_divided_by_cycles(thing, modifier), _ADAPTIVE))


def _divided_by_cycles(thing: Any, modifier: Any) -> Any:
    """What holds the setting for adaptive subdivision."""
    return modifier if _IS_5_0 else thing.cycles


def _input_identifier(modifier: bpy.types.NodesModifier, name: str) -> str:
    names = {}
    for item in modifier.node_group.interface.items_tree if modifier.node_group else ():
        if item.item_type == "SOCKET" and item.in_out == "INPUT":
            names[item.name] = item.identifier
    if name not in names:
        raise ValueError(f"modifier {modifier.name} has no input {name!r}; it has: {', '.join(names) or 'none'}")
    return names[name]

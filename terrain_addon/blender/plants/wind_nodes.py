"""Wind that sways the built-in models of plants in animations, by the colours `data.attributes.WIND` of their meshes.

All plants of one model move alike, each in the direction that its turn gives it.  Where there is no wind there is no
modifier, so that pictures of still plants stay as they are.
"""

import math

import bpy

from .. import compat
from ..data.attributes import WIND
from ..look.nodes import Value
from .geometry_nodes import GeometryNodes
from .plant_assets import OWN_KEY
from .scatter_inputs import COLLECTION_INPUT
from .scatter_modifier import scatter_modifier

WIND_NAME = "Landscape Wind"
WIND_INPUT = "Wind"

# In a wind of 10 m/s a top sways by this share of the height of its plant, and a leaf flutters by this one.
_SWAY, _FLUTTER = 0.02, 0.006
_USUAL_WIND = 10.0
# Times a second.
_SWAY_RATE, _GUST_RATE, _FLUTTER_RATE = 0.31, 0.113, 1.7


def set_wind(plants: bpy.types.Object, wind: float) -> None:
    """Let wind sway the models of the plants that an object carries.

    Parameters
    ----------
    plants : Object
        Carries the plants of a land.
    wind : float
        Metres a second; 0 takes the movement away.

    Raises
    ------
    ValueError
        If `plants` shows no plants, or the wind is not within 0 to 40 m/s.
    """
    if not 0.0 <= wind <= 40.0:
        raise ValueError(f"wind = {wind!r} m/s is outside 0 to 40 m/s")
    scatter = scatter_modifier(plants)
    models = None if scatter is None else compat.modifier_input(scatter, COLLECTION_INPUT)
    if models is None:
        raise ValueError("this land has no plants that wind could move")
    for model in models.objects:
        if OWN_KEY in model or WIND not in model.data.attributes:
            continue
        modifier = model.modifiers.get(WIND_NAME)
        if wind == 0.0:
            if modifier is not None:
                model.modifiers.remove(modifier)
            continue
        if modifier is None:
            modifier = model.modifiers.new(WIND_NAME, "NODES")
            modifier.node_group = _wind_tree()
        compat.set_modifier_input(modifier, WIND_INPUT, wind)


def _wind_tree() -> bpy.types.GeometryNodeTree:
    """Return the node group that moves the vertices of a plant, made where it is missing."""
    found = bpy.data.node_groups.get((WIND_NAME, None))
    if found is not None and found.bl_idname == "GeometryNodeTree":
        return found
    tree = bpy.data.node_groups.new(WIND_NAME, "GeometryNodeTree")
    tree.is_modifier = True
    tree.interface.new_socket("Plant", in_out="INPUT", socket_type="NodeSocketGeometry")
    wind = tree.interface.new_socket(WIND_INPUT, in_out="INPUT", socket_type="NodeSocketFloat")
    wind.description = "Speed of the wind in metres a second"
    tree.interface.new_socket("Plant", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    nodes = GeometryNodes(tree)
    source = nodes.node("NodeGroupInput").outputs
    time = nodes.node("GeometryNodeInputSceneTime").outputs["Seconds"]
    colour = nodes.node("FunctionNodeSeparateColor", {0: nodes.named_attribute(WIND, "FLOAT_COLOR")}).outputs
    phase, sway, flutter = colour["Red"], colour["Green"], colour["Blue"]

    def swing(rate: float, start: Value = 0.0) -> bpy.types.NodeSocket:
        turns = nodes.math("MULTIPLY_ADD", time, rate, start)
        return nodes.math("SINE", nodes.product(turns, math.tau))

    strength = nodes.math("DIVIDE", source[WIND_INPUT], _USUAL_WIND)
    # A crown leans into the wind and swings about that, stronger in gusts.
    lean = nodes.math("MULTIPLY_ADD", swing(_SWAY_RATE), nodes.math("MULTIPLY_ADD", swing(_GUST_RATE), 0.35, 0.65), 0.6)
    along = nodes.product(lean, sway, _SWAY)
    across = nodes.product(swing(1.37 * _SWAY_RATE, 0.25), sway, 0.4 * _SWAY)
    branch = nodes.product(swing(_FLUTTER_RATE, phase), flutter, _FLUTTER)
    move = nodes.node(
        "ShaderNodeCombineXYZ",
        {
            "X": nodes.product(nodes.sum(along, branch), strength),
            "Y": nodes.product(across, strength),
            "Z": nodes.product(branch, strength, 0.7),
        },
    ).outputs[0]
    moved = nodes.node("GeometryNodeSetPosition", {"Geometry": source["Plant"], "Offset": move})
    nodes.node("NodeGroupOutput", {"Plant": moved.outputs[0]})
    nodes.arrange()
    return tree

"""Inputs by which node groups know what the scene's camera sees, so that they leave out what is beside the picture."""

from typing import Any

import bpy

from .. import compat

CULLING_INPUT = "Camera Culling"
MARGIN_INPUT = "View Margin"
DISTANCE_INPUT = "View Distance"
EDGE_INPUTS = ("View Left", "View Right", "View Bottom", "View Top")
PARALLEL_INPUT = "Parallel View"


def add_input(
    tree: bpy.types.GeometryNodeTree,
    name: str,
    kind: str,
    description: str,
    default: Any = None,
    limits: tuple[float, float] | None = None,
) -> Any:
    """Give a node group an input of a kind such as ``Float``, and return its socket."""
    socket = tree.interface.new_socket(name, in_out="INPUT", socket_type=f"NodeSocket{kind}")
    socket.description = description
    if default is not None:
        socket.default_value = default
    if limits is not None:
        socket.min_value, socket.max_value = limits
    return socket


def declare_frame(tree: bpy.types.GeometryNodeTree, culling: str) -> None:
    """Give a node group the inputs that `cull_to_frame` sets.

    Parameters
    ----------
    tree : GeometryNodeTree
    culling : str
        What switching culling on does, as a tooltip.
    """
    add_input(tree, CULLING_INPUT, "Bool", culling, False)
    add_input(
        tree,
        MARGIN_INPUT,
        "Float",
        "How far beyond each edge of the picture things stay, as a share of its width or height",
        0.1,
        (0.0, 10.0),
    )
    far = add_input(
        tree, DISTANCE_INPUT, "Float", "How far the camera sees when culling; 0 is endless", 0.0, (0.0, 1e6)
    )
    far.subtype = "DISTANCE"
    # What a camera of 50 mm sees in a picture of 16:9.
    for name, edge in zip(EDGE_INPUTS, (-0.36, 0.36, -0.2025, 0.2025)):
        add_input(
            tree, name, "Float", "Edge of the picture, as a share of the distance; metres in a parallel view", edge
        )
    add_input(tree, PARALLEL_INPUT, "Bool", "Whether the camera is orthographic", False)


def cull_to_frame(modifier: bpy.types.NodesModifier, scene: bpy.types.Scene) -> None:
    """Leave out what the scene's camera does not see.

    Lens, shift, clipping and shape of the picture are taken as they are now.  The nodes follow the camera when it moves
    or turns.

    Parameters
    ----------
    modifier : NodesModifier
        Of plants or of the ground near the camera.  A node group from an older file that cannot cull stays as it is.
    scene : Scene

    Raises
    ------
    ValueError
        If the scene has no camera, or one whose picture is not flat.
    """
    camera = scene.camera
    if camera is None or camera.type != "CAMERA":
        raise ValueError("the scene has no camera that could decide which plants to hide; add one, or make one active")
    lens = camera.data
    if lens.type not in ("PERSP", "ORTHO"):
        raise ValueError(f"camera {camera.name} is panoramic and sees plants all around, so that none can be hidden")
    if modifier.node_group is None or CULLING_INPUT not in modifier.node_group.interface.items_tree:
        return
    parallel = lens.type == "ORTHO"
    corners = [corner / (1.0 if parallel else -corner.z) for corner in lens.view_frame(scene=scene)]
    x, y = [corner.x for corner in corners], [corner.y for corner in corners]
    frame: dict[str, float | bool] = dict(zip(EDGE_INPUTS, (min(x), max(x), min(y), max(y))))
    frame |= {DISTANCE_INPUT: lens.clip_end, PARALLEL_INPUT: parallel, CULLING_INPUT: True}
    for name, value in frame.items():
        compat.set_modifier_input(modifier, name, value)

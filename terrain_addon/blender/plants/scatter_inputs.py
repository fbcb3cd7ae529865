"""Inputs of the node group "Landscape Plants", which are settings of the modifier that shows plants."""

from typing import Any

import bpy

COLLECTION_INPUT = "Collection"
LAND_INPUT = "Land"
VARIANTS_INPUT = "Variants"
SHARE_INPUT = "Viewport Share"
PROXIES_INPUT = "Viewport Proxies"
DETAIL_INPUT = "Detail"
CULLING_INPUT = "Camera Culling"
MARGIN_INPUT = "View Margin"
DISTANCE_INPUT = "View Distance"
EDGE_INPUTS = ("View Left", "View Right", "View Bottom", "View Top")
PARALLEL_INPUT = "Parallel View"


def declare_sockets(tree: bpy.types.GeometryNodeTree) -> None:
    """Give the node group its inputs and its output."""

    def add(
        name: str, kind: str, description: str, default: Any = None, limits: tuple[float, float] | None = None
    ) -> Any:
        socket = tree.interface.new_socket(name, in_out="INPUT", socket_type=f"NodeSocket{kind}")
        socket.description = description
        if default is not None:
            socket.default_value = default
        if limits is not None:
            socket.min_value, socket.max_value = limits
        return socket

    add("Points", "Geometry", "One loose vertex per plant")
    tree.interface.new_socket("Plants", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    add(COLLECTION_INPUT, "Collection", "What plants look like: an object per species, variant and level of detail")
    add(LAND_INPUT, "Object", "The ground on which they stand, wherever it moves")
    add(VARIANTS_INPUT, "Int", "How many variants of each species the collection has room for", 3, (1, 1000))
    share = add(
        SHARE_INPUT,
        "Float",
        "Share of the plants that the viewport shows; the others are round clumps there, and a render shows all",
        100.0,
        (0.0, 100.0),
    )
    share.subtype = "PERCENTAGE"
    add(PROXIES_INPUT, "Bool", "Draw all plants in their coarsest shape in the viewport", False)
    add(
        DETAIL_INPUT,
        "Float",
        "How far from the camera plants keep their fine shape, as a multiple of what suits a picture of 1080 lines; "
        "renders keep it 2.5 times as far",
        1.0,
        (0.0, 1000.0),
    )
    add(
        CULLING_INPUT,
        "Bool",
        "Hide plants that the camera does not see; those close to it stay for their shadows",
        False,
    )
    add(
        MARGIN_INPUT,
        "Float",
        "How far beyond each edge of the picture plants stay, as a share of its width or height",
        0.1,
        (0.0, 10.0),
    )
    far = add(DISTANCE_INPUT, "Float", "How far the camera sees when culling; 0 is endless", 0.0, (0.0, 1e6))
    far.subtype = "DISTANCE"
    # What a camera of 50 mm sees in a picture of 16:9.
    for name, edge in zip(EDGE_INPUTS, (-0.36, 0.36, -0.2025, 0.2025)):
        add(name, "Float", "Edge of the picture, as a share of the distance; metres in a parallel view", edge)
    add(PARALLEL_INPUT, "Bool", "Whether the camera is orthographic", False)

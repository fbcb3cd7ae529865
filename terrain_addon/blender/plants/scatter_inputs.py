"""Inputs of the node group "Landscape Plants", which are settings of the modifier that shows plants."""

from functools import partial

import bpy

from .frame_inputs import add_input, declare_frame

COLLECTION_INPUT = "Collection"
LAND_INPUT = "Land"
VARIANTS_INPUT = "Variants"
SHARE_INPUT = "Viewport Share"
PROXIES_INPUT = "Viewport Proxies"
DETAIL_INPUT = "Detail"
SHOWN_AT_FIRST = 25_000
"""Plants that a viewport shows before users ask for more; any graphics card can draw them."""


def declare_sockets(tree: bpy.types.GeometryNodeTree) -> None:
    """Give the node group its inputs and its output."""
    add = partial(add_input, tree)
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
    declare_frame(tree, "Hide plants that the camera does not see; those close to it stay for their shadows")

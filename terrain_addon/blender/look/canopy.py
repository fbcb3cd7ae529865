"""The colour of a forest whose trees are not there: of far ground, by the share that crowns cover."""

import bpy

from .nodes import Nodes

CANOPY = "canopy"
"""Point attribute of far ground: share that crowns cover, 0 to 1; elsewhere it is missing and counts as 0."""

_CROWNS = (0.028, 0.052, 0.016, 1.0)  # linear RGB of crowns and the shade between them


def show_canopy(material: bpy.types.Material) -> None:
    """Let a material show crowns where the attribute CANOPY says so; a material without our nodes stays as it is."""
    tree = material.node_tree
    surface = None if tree is None else next((node for node in tree.nodes if node.type == "BSDF_PRINCIPLED"), None)
    if surface is None or CANOPY in tree.nodes:
        return
    colour = surface.inputs["Base Color"]
    if not colour.is_linked:
        return
    nodes = Nodes(tree)
    share = nodes.attribute(CANOPY)
    share.name = CANOPY
    before = colour.links[0].from_socket
    tree.links.new(nodes.mix_colours(share.outputs["Fac"], before, _CROWNS), colour)

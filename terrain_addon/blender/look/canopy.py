"""The colour of a forest whose trees are not there: of far ground, by the share that crowns cover."""

import bpy

from .nodes import Nodes
from .shading import grey

CANOPY = "canopy"
"""Point attribute of far ground: share that crowns cover, 0 to 1; elsewhere it is missing and counts as 0."""

_CROWNS = (0.028, 0.052, 0.016)  # linear RGB of crowns and the shade between them
# Metres across stands of trees; how much lighter or darker they are; and by how much more or less of the ground they
# cover, so that forests end in tongues and have clearings.
_STAND, _LIGHT, _UNEVEN = 150.0, 0.45, 0.25


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
    stands = nodes.signed_noise(nodes.node("ShaderNodeTexCoord").outputs["Object"], _STAND, 4.0, 0.6)
    crowns = nodes.mix_colours(
        1.0, _CROWNS, grey(nodes, nodes.math("MULTIPLY_ADD", stands, _LIGHT, 1.0)), blend="MULTIPLY"
    )
    # Where no crown is, noise adds none; where they close, it opens no gap.
    cover = share.outputs["Fac"]
    half = nodes.product(cover, nodes.math("SUBTRACT", 1.0, cover), 4.0 * _UNEVEN)
    covered = nodes.math("MULTIPLY_ADD", stands, half, cover, clamp=True)
    tree.links.new(nodes.mix_colours(covered, before, crowns), colour)

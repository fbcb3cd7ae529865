"""What viewports show of plants that are too many for them: some as models, the others as points with wide crowns."""

from typing import NamedTuple

import bpy

from ...core.ecosystem.plant_attributes import PlantAttribute
from ..look.nodes import Value, active_socket
from ..look.plant_materials import CROWN_SHARE, canopy_material
from .geometry_nodes import GeometryNodes

MOST_CLUMPS = 40_000
"""Points at most: when the land changes, the ground below each of them is found again."""

# Random numbers end just below 100, so that a share of 100 % shows every plant.
_LARGEST_RANDOM = 99.999


class SplitPlants(NamedTuple):
    """All plants, divided for a viewport.

    Parameters
    ----------
    models : NodeSocket
        Vertices of the plants that are shown as models; in a render, of all plants.
    clumps : NodeSocket
        Vertices of those that are shown as points, among others; nothing in a render.
    is_clump : NodeSocket
        Which of the vertices of `clumps` are shown as points.
    crown : NodeSocket
        Radius of a point in metres; `CROWN_SHARE` of it shows.
    """

    models: bpy.types.NodeSocket
    clumps: bpy.types.NodeSocket
    is_clump: bpy.types.NodeSocket
    crown: bpy.types.NodeSocket


def split_plants(nodes: GeometryNodes, points: Value, share: Value) -> SplitPlants:
    """Divide plants into those that a viewport shows as models and those that it shows as points.

    If more than `MOST_CLUMPS` plants are not shown as models, some of them stand for all, with crowns so wide that they
    cover the same area together.

    Parameters
    ----------
    nodes : GeometryNodes
    points : NodeSocket
        All plants, as loose vertices.
    share : NodeSocket
        Share of the plants that the viewport shows as models, in per cent.
    """
    # The random number of a plant depends on its number alone: a larger share adds plants and never swaps them, and a
    # shader finds the same random number in a viewport and in a render.
    index = nodes.node("GeometryNodeInputIndex").outputs[0]
    numbered = nodes.node("GeometryNodeSetID", {"Geometry": points, "ID": index}).outputs[0]
    count = nodes.node("GeometryNodeAttributeDomainSize", {"Geometry": points}, component="MESH").outputs["Point Count"]
    rest = nodes.math("SUBTRACT", 100.0, share)
    unseen = nodes.math("MAXIMUM", nodes.product(count, rest, 0.01), 1.0)
    part = nodes.math("MINIMUM", nodes.math("DIVIDE", float(MOST_CLUMPS), unseen), 1.0)
    random = _random(nodes)
    near = _chosen(nodes, numbered, nodes.compare("LESS_THAN", random, nodes.math("MULTIPLY_ADD", rest, part, share)))
    some = _chosen(nodes, near, nodes.compare("LESS_THAN", random, share))
    viewport = nodes.node("GeometryNodeIsViewport").outputs[0]
    fewer = nodes.all_of(viewport, nodes.compare("LESS_THAN", share, 100.0))
    shown = nodes.node("GeometryNodeSwitch", {"Switch": fewer, "True": near}, input_type="GEOMETRY").outputs
    wider = nodes.math("SQRT", nodes.math("DIVIDE", 1.0, part))
    return SplitPlants(
        nodes.switch("GEOMETRY", fewer, numbered, some),
        active_socket(shown, "Output"),
        nodes.compare("GREATER_EQUAL", random, share),
        nodes.product(nodes.named_attribute(PlantAttribute.RADIUS, "FLOAT"), wider, 1.0 / CROWN_SHARE),
    )


def draw_clumps(nodes: GeometryNodes, split: SplitPlants, ground: Value) -> bpy.types.NodeSocket:
    """Return green points where plants stand that are not shown as models; `ground` is where each plant stands."""
    inputs = {"Mesh": split.clumps, "Selection": split.is_clump, "Position": ground, "Radius": split.crown}
    crowns = nodes.node("GeometryNodeMeshToPoints", inputs, mode="VERTICES").outputs[0]
    return nodes.node("GeometryNodeSetMaterial", {"Geometry": crowns, "Material": canopy_material()}).outputs[0]


def _random(nodes: GeometryNodes) -> bpy.types.NodeSocket:
    """Return a number for each plant, 0 to just below 100."""
    inputs = {"Min": 0.0, "Max": _LARGEST_RANDOM, "Seed": 0}
    return active_socket(nodes.node("FunctionNodeRandomValue", inputs, data_type="FLOAT").outputs, "Value")


def _chosen(nodes: GeometryNodes, points: Value, condition: Value) -> bpy.types.NodeSocket:
    """Return the points for which a condition holds."""
    return nodes.node("GeometryNodeSeparateGeometry", {"Geometry": points, "Selection": condition}).outputs["Selection"]

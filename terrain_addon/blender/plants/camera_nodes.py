"""Nodes that look from the scene's camera: how far away things are, and whether they are in the picture."""

from collections.abc import Generator
from typing import Any

import bpy

from ...core.meshing.plant_meshes import LEVELS
from ..look.nodes import Value
from .frame_inputs import CULLING_INPUT, DISTANCE_INPUT, EDGE_INPUTS, MARGIN_INPUT, PARALLEL_INPUT
from .geometry_nodes import GeometryNodes
from .scatter_inputs import DETAIL_INPUT, PROXIES_INPUT

# Distance at which each level of detail ends, as a multiple of the height of the plant, and metres more: trees of 12 m
# lose detail beyond 255 m and 750 m, and bushes of 1 m beyond 35 m and 90 m.
_LEVEL_ENDS, _LEVEL_EXTRA = (20.0, 60.0), (15.0, 30.0)
# In renders so many times as far away: there crowns of few large leaves look like crumpled paper, and finer ones cost
# little, because all plants of a mesh share it.
_IN_RENDERS = 2.5
# What is nearer than this is never culled, because its shadow falls into the picture.
_ALWAYS_KEPT = 40.0  # metres


class CameraNodes:
    """Where things are as seen by the scene's camera.

    Attributes
    ----------
    away : NodeSocket
        The way from the camera to a thing, in metres.
    distance, ahead : NodeSocket
        Its length, and how far ahead of the camera it leads.
    is_there : NodeSocket
        Whether the scene has a camera.
    """

    def __init__(self, nodes: GeometryNodes) -> None:
        self._nodes = nodes
        active = nodes.node("GeometryNodeInputActiveCamera").outputs[0]
        camera = nodes.node("GeometryNodeObjectInfo", {"Object": active}, transform_space="RELATIVE").outputs
        place, self._rotation = camera["Location"], camera["Rotation"]
        self.away = nodes.vector_math("SUBTRACT", nodes.node("GeometryNodeInputPosition").outputs[0], place)
        self.distance = nodes.node("ShaderNodeVectorMath", {0: self.away}, operation="LENGTH").outputs["Value"]
        self.ahead = self._along((0.0, 0.0, -1.0))
        # Without a camera in the scene, the node returns exactly the middle of the land at altitude 0.
        offset = nodes.node("ShaderNodeVectorMath", {0: place}, operation="LENGTH").outputs["Value"]
        self.is_there = nodes.compare("GREATER_THAN", offset, 0.0)

    def level(self, source: Any, height: Value) -> bpy.types.NodeSocket:
        """Return the level of detail for the height of a plant and its distance."""
        nodes = self._nodes
        in_viewport = nodes.node("GeometryNodeIsViewport").outputs[0]
        detail = nodes.product(source[DETAIL_INPUT], nodes.switch("FLOAT", in_viewport, _IN_RENDERS, 1.0))
        ends = []
        for heights, metres in zip(_LEVEL_ENDS, _LEVEL_EXTRA):
            end = nodes.product(nodes.math("MULTIPLY_ADD", height, heights, metres), detail)
            ends.append(nodes.compare("GREATER_THAN", self.distance, end))
        by_distance = nodes.switch("FLOAT", self.is_there, 1.0, nodes.sum(ends[0], *ends[1:]))
        use_proxies = nodes.all_of(source[PROXIES_INPUT], in_viewport)
        return nodes.switch("FLOAT", use_proxies, by_distance, LEVELS - 1.0)

    def sees(self, source: Any, radius: Value) -> Generator[None, None, bpy.types.NodeSocket]:
        """Return whether a thing may be in the picture; yields between steps.  Without culling it always may.

        Parameters
        ----------
        source : sockets
            Inputs that `frame_inputs.declare_frame` has declared.
        radius : NodeSocket or float
            Of a ball around its place into which the thing fits, in metres.
        """
        nodes = self._nodes
        right, up = self._along((1.0, 0.0, 0.0)), self._along((0.0, 1.0, 0.0))
        reach = nodes.switch("FLOAT", source[PARALLEL_INPUT], self.ahead, 1.0)
        inside = [nodes.compare("GREATER_THAN", nodes.sum(self.ahead, radius), 0.0)]
        yield
        for offset, names in ((right, EDGE_INPUTS[:2]), (up, EDGE_INPUTS[2:])):
            low, high = (source[name] for name in names)
            more = nodes.product(nodes.math("SUBTRACT", high, low), source[MARGIN_INPUT])
            for edge, sign in ((nodes.math("SUBTRACT", low, more), -1.0), (nodes.sum(high, more), 1.0)):
                # A ball crosses the plane through camera and edge within its radius times the root of 1 + edge².
                slack = nodes.product(radius, nodes.sum(nodes.math("ABSOLUTE", edge), 1.0))
                slack = nodes.switch("FLOAT", source[PARALLEL_INPUT], slack, radius)
                beyond = nodes.product(nodes.math("SUBTRACT", offset, nodes.product(edge, reach)), sign)
                inside.append(nodes.compare("LESS_THAN", beyond, slack))
                yield
        endless = nodes.compare("LESS_THAN", source[DISTANCE_INPUT], 1e-3)
        end = nodes.sum(source[DISTANCE_INPUT], radius)
        inside.append(nodes.either(endless, nodes.compare("LESS_THAN", self.ahead, end)))
        seen = nodes.either(nodes.all_of(*inside), nodes.compare("LESS_THAN", self.distance, _ALWAYS_KEPT))
        culls = nodes.all_of(source[CULLING_INPUT], self.is_there)
        return nodes.switch("BOOLEAN", culls, True, seen)

    def _along(self, axis: tuple[float, float, float]) -> bpy.types.NodeSocket:
        """Return how far away a thing is along an axis of the camera."""
        nodes = self._nodes
        turned = nodes.node("FunctionNodeRotateVector", {"Vector": axis, "Rotation": self._rotation}).outputs[0]
        return nodes.node("ShaderNodeVectorMath", {0: self.away, 1: turned}, operation="DOT_PRODUCT").outputs["Value"]

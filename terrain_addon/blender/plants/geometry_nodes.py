"""Geometry node trees written as code: what `look.nodes` has, and nodes that only Geometry Nodes know."""

import bpy

from .. import compat
from ..look.nodes import Nodes, Value, active_socket


class GeometryNodes(Nodes):
    """Adds nodes to one geometry node tree."""

    def named_attribute(self, name: str, kind: str) -> bpy.types.NodeSocket:
        """Read an attribute of a data type such as ``FLOAT``."""
        node = self.node("GeometryNodeInputNamedAttribute", {"Name": name}, data_type=kind)
        return active_socket(node.outputs, "Attribute")

    def whole_math(self, operation: str, *values: Value) -> bpy.types.NodeSocket:
        """Add arithmetic for whole numbers such as indices; floats are not exact beyond 16 million."""
        return self.node(compat.WHOLE_MATH, dict(enumerate(values)), operation=operation).outputs[0]

    def linear(self, a: Value, b: Value, share: Value) -> bpy.types.NodeSocket:
        """Return a number between `a` and `b`, in linear interpolation."""
        return self.math("MULTIPLY_ADD", self.math("SUBTRACT", b, a), share, a)

    def compare(self, operation: str, a: Value, b: Value) -> bpy.types.NodeSocket:
        """Compare two numbers by an operation such as ``LESS_THAN``."""
        return self.node("FunctionNodeCompare", {"A": a, "B": b}, data_type="FLOAT", operation=operation).outputs[0]

    def is_near(self, a: Value, b: Value, tolerance: Value) -> bpy.types.NodeSocket:
        """Return whether two numbers differ by less than a tolerance."""
        return self.compare("LESS_THAN", self.math("ABSOLUTE", self.math("SUBTRACT", a, b)), tolerance)

    def all_of(self, first: Value, *others: Value) -> bpy.types.NodeSocket:
        """Return whether all conditions hold."""
        for other in others:
            first = self.node("FunctionNodeBooleanMath", {0: first, 1: other}, operation="AND").outputs[0]
        return first

    def either(self, a: Value, b: Value) -> bpy.types.NodeSocket:
        """Return whether one of two conditions holds."""
        return self.node("FunctionNodeBooleanMath", {0: a, 1: b}, operation="OR").outputs[0]

    def switch(self, kind: str, condition: Value, no: Value, yes: Value) -> bpy.types.NodeSocket:
        """Return one of two values; if the condition is the same everywhere, Blender computes only that one."""
        inputs = {"Switch": condition, "False": no, "True": yes}
        return self.node("GeometryNodeSwitch", inputs, input_type=kind).outputs[0]

"""Nodes that find the ground below plants: on a grid by arithmetic, on any other mesh by a ray from above."""

from collections.abc import Generator

import bpy

from ..look.nodes import Value, active_socket
from .geometry_nodes import GeometryNodes


def stand_on_land(
    nodes: GeometryNodes, land: Value
) -> Generator[None, None, tuple[bpy.types.NodeSocket, bpy.types.NodeSocket]]:
    """Return where plants stand on a land, and the upward normal of the ground there; yields between steps.

    On a mesh that is a grid of quads like ours they stand on the triangles as which Blender draws these, on any other
    mesh where a ray from above meets it first.  Without a mesh they stay where their points are.
    """
    mesh = nodes.node("GeometryNodeObjectInfo", {"Object": land}, transform_space="RELATIVE").outputs["Geometry"]
    place = nodes.node("GeometryNodeInputPosition").outputs[0]
    grid = _GridOfLand(nodes, mesh)
    yield
    on_grid, grid_normal = grid.surface(place)
    yield
    on_mesh, mesh_normal = _ray_from_above(nodes, mesh, place)
    return (
        nodes.switch("VECTOR", grid.is_grid, on_mesh, on_grid),
        nodes.switch("VECTOR", grid.is_grid, mesh_normal, grid_normal),
    )


class _GridOfLand:
    """A mesh whose vertices are a grid, row by row, as those of our lands: indices follow from places by arithmetic."""

    def __init__(self, nodes: GeometryNodes, mesh: Value) -> None:
        self.nodes, self.mesh = nodes, mesh
        size = nodes.node("GeometryNodeAttributeDomainSize", {"Geometry": mesh}, component="MESH").outputs
        count = size["Point Count"]
        self.west, self.south, _ = self._split(self._vertex(0.0))
        second_x, second_y, _ = self._split(self._vertex(1.0))
        east, north, _ = self._split(self._vertex(nodes.math("SUBTRACT", count, 1.0)))
        self.cell = nodes.math("SUBTRACT", second_x, self.west)
        self.columns = self._samples(self.west, east)
        self.rows = self._samples(self.south, north)
        before_last_column, before_last_row = (nodes.math("SUBTRACT", n, 1.0) for n in (self.columns, self.rows))
        cells = nodes.whole_math("MULTIPLY", before_last_row, before_last_column)
        # At least two rows and columns, one vertex at each node of the grid, one face in each of its cells, and the
        # second row above the first.
        next_x, next_y, _ = self._split(self._vertex(self.columns))
        self.is_grid = nodes.all_of(
            nodes.compare("GREATER_THAN", self.columns, 1.5),
            nodes.compare("GREATER_THAN", self.rows, 1.5),
            nodes.compare("GREATER_THAN", self.cell, 0.0),
            nodes.is_near(nodes.whole_math("MULTIPLY", self.rows, self.columns), count, 0.5),
            nodes.is_near(cells, size["Face Count"], 0.5),
            nodes.is_near(second_y, self.south, nodes.product(self.cell, 1e-3)),
            nodes.is_near(next_x, self.west, nodes.product(self.cell, 1e-2)),
            nodes.is_near(next_y, nodes.sum(self.south, self.cell), nodes.product(self.cell, 1e-2)),
        )

    def surface(self, place: Value) -> tuple[bpy.types.NodeSocket, bpy.types.NodeSocket]:
        """Return the place on the triangles above or below a place, and the normal there."""
        nodes = self.nodes
        x, y, _ = self._split(place)
        column, right = self._cell_of(x, self.west, self.columns)
        row, up = self._cell_of(y, self.south, self.rows)
        corner = nodes.whole_math("MULTIPLY_ADD", row, self.columns, column)
        beside, above = nodes.whole_math("ADD", corner, 1), nodes.whole_math("ADD", corner, self.columns)
        beyond = nodes.whole_math("ADD", above, 1)
        a, b, c, d = (self._split(self._vertex(index))[2] for index in (corner, beside, above, beyond))
        low, high, left, other = (nodes.math("SUBTRACT", *two) for two in ((b, a), (d, c), (c, a), (d, b)))
        folds = nodes.sum(nodes.product(low, high), nodes.product(left, other))
        turned = self._is_turned(nodes.whole_math("SUBTRACT", corner, row), beside, above, folds)
        # Of two triangles the southern one has its side along the south, and the western one along the west.
        is_low = nodes.compare("LESS_THAN", nodes.sum(right, up), 1.0)
        is_right = nodes.compare("LESS_THAN", up, right)
        south = nodes.switch("BOOLEAN", turned, is_right, is_low)
        not_right = nodes.node("FunctionNodeBooleanMath", {0: is_right}, operation="NOT").outputs[0]
        west = nodes.switch("BOOLEAN", turned, not_right, is_low)
        rise_x, rise_y = nodes.switch("FLOAT", south, high, low), nodes.switch("FLOAT", west, other, left)
        # Where the plane of the north-eastern triangle would meet the south-western corner.
        opposite = nodes.math("SUBTRACT", nodes.sum(b, c), d)
        base = nodes.switch("FLOAT", south, nodes.switch("FLOAT", turned, a, opposite), a)
        z = nodes.sum(base, nodes.product(right, rise_x), nodes.product(up, rise_y))
        stands = nodes.node("ShaderNodeCombineXYZ", {"X": x, "Y": y, "Z": z}).outputs[0]
        falls = {"X": nodes.product(rise_x, -1.0), "Y": nodes.product(rise_y, -1.0), "Z": self.cell}
        return stands, nodes.vector_math("NORMALIZE", nodes.node("ShaderNodeCombineXYZ", falls).outputs[0])

    def _is_turned(self, cell: Value, beside: Value, above: Value, folds: Value) -> bpy.types.NodeSocket:
        """Return whether Blender draws a cell divided from south-east to north-west.

        It divides a quad from its first corner to its third, but the other way where it folds sharply; see
        `data.meshes.set_surface`.
        """
        nodes = self.nodes
        face = nodes.node("GeometryNodeInputIndex").outputs[0]
        loop = nodes.node("GeometryNodeCornersOfFace", {"Face Index": face, "Sort Index": 0}).outputs["Corner Index"]
        first_vertex = nodes.node("GeometryNodeVertexOfCorner", {"Corner Index": loop}).outputs["Vertex Index"]
        first = nodes.node("GeometryNodeSampleIndex", data_type="INT", domain="FACE", clamp=True, label="First Corner")
        for name, value in {"Geometry": self.mesh, "Value": first_vertex, "Index": cell}.items():
            nodes.set(active_socket(first.inputs, name), value)
        begins = active_socket(first.outputs, "Value")
        # Whole numbers as large as indices are exact only among their kind.
        away = (nodes.whole_math("SUBTRACT", begins, vertex) for vertex in (beside, above))
        in_the_east = nodes.either(*(nodes.is_near(steps, 0.0, 0.5) for steps in away))
        area = nodes.product(self.cell, self.cell)
        flipped = nodes.compare("LESS_THAN", folds, nodes.product(area, -1.0))
        return nodes.node("FunctionNodeBooleanMath", {0: in_the_east, 1: flipped}, operation="XOR").outputs[0]

    def _samples(self, first: Value, last: Value) -> bpy.types.NodeSocket:
        """Return how many samples there are from a first to a last place."""
        steps = self.nodes.math("DIVIDE", self.nodes.math("SUBTRACT", last, first), self.cell)
        return self.nodes.math("ADD", self.nodes.math("ROUND", steps), 1.0)

    def _cell_of(self, place: Value, first: Value, samples: Value) -> tuple[bpy.types.NodeSocket, bpy.types.NodeSocket]:
        """Return the number of the cell that a place is in, and where in the cell, 0 to 1."""
        nodes = self.nodes
        steps = nodes.math("DIVIDE", nodes.math("SUBTRACT", place, first), self.cell)
        number = nodes.math("MINIMUM", nodes.math("FLOOR", steps), nodes.math("SUBTRACT", samples, 2.0))
        number = nodes.math("MAXIMUM", number, 0.0)
        return number, nodes.math("SUBTRACT", steps, number)

    def _vertex(self, index: Value) -> bpy.types.NodeSocket:
        """Return the position of a vertex."""
        place = self.nodes.node("GeometryNodeInputPosition").outputs[0]
        inputs = {"Geometry": self.mesh, "Value": place, "Index": index}
        sample = self.nodes.node(
            "GeometryNodeSampleIndex", data_type="FLOAT_VECTOR", domain="POINT", clamp=True, label="Vertex"
        )
        for name, value in inputs.items():
            self.nodes.set(active_socket(sample.inputs, name), int(value) if isinstance(value, float) else value)
        return active_socket(sample.outputs, "Value")

    def _split(self, vector: Value) -> tuple[bpy.types.NodeSocket, ...]:
        """Return x, y and z of a vector."""
        return tuple(self.nodes.node("ShaderNodeSeparateXYZ", {0: vector}).outputs)


def _ray_from_above(
    nodes: GeometryNodes, mesh: Value, place: Value
) -> tuple[bpy.types.NodeSocket, bpy.types.NodeSocket]:
    """Return where a ray from above meets a mesh, and the normal there; the place itself where it meets nothing."""
    box = nodes.node("GeometryNodeBoundBox", {"Geometry": mesh}).outputs
    top = nodes.node("ShaderNodeSeparateXYZ", {0: box["Max"]}).outputs[2]
    bottom = nodes.node("ShaderNodeSeparateXYZ", {0: box["Min"]}).outputs[2]
    here = nodes.node("ShaderNodeSeparateXYZ", {0: place}).outputs
    start = nodes.node("ShaderNodeCombineXYZ", {"X": here[0], "Y": here[1], "Z": nodes.sum(top, 1.0)}).outputs[0]
    ray = nodes.node(
        "GeometryNodeRaycast",
        {
            "Target Geometry": mesh,
            "Source Position": start,
            "Ray Direction": (0.0, 0.0, -1.0),
            "Ray Length": nodes.sum(nodes.math("SUBTRACT", top, bottom), 2.0),
        },
    ).outputs
    return (
        nodes.switch("VECTOR", ray["Is Hit"], place, ray["Hit Position"]),
        nodes.switch("VECTOR", ray["Is Hit"], (0.0, 0.0, 1.0), ray["Hit Normal"]),
    )

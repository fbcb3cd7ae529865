"""The node group that turns points with attributes into instances of plants that stand on the land."""

from collections.abc import Generator
from typing import Any

import bpy

from ...core.ecosystem.plant_attributes import PlantAttribute
from ...core.ecosystem.plant_form import DEAD_FORMS
from ...core.foundation.progress import run
from ...core.meshing.plant_meshes import LEVELS
from .. import compat
from ..look.nodes import UNFINISHED, Nodes, NodeTreeSteps, Value, active_socket, name_group

TREE_NAME = "Landscape Plants"
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

_KIND = "GeometryNodeTree"
# The group is known again by this custom property, whatever users call it; another number is another set of sockets.
_TREE_KEY = "landscape_plants"
_TREE_VERSION = 3
# Just below 100, so that a share of 100 % shows every plant.
_LAST_LOT = 99.999
# Distance at which each level of detail ends, as a multiple of the height of the plant: 12 m high trees lose detail
# beyond 120 m and 480 m.
_LEVEL_ENDS = (10.0, 40.0)
# What is nearer than this is never culled: it throws its shadow into the picture.
_NEAR = 40.0


def scatter_tree() -> bpy.types.GeometryNodeTree:
    """Return the node group "Landscape Plants", made where it is missing.

    It takes a mesh of loose vertices with the point attributes that `meshes.new_plants_mesh` writes and returns one
    instance for each: see `plant_assets.plant_collection` for which object of the collection it is.  All attributes go
    along to the instances, where shaders read them.

    Plants stand on the object "Land" wherever that moves: on the bilinear surface of a mesh that is a grid like ours,
    else on whatever a ray from above meets first; without a land they stay at the height of their points.
    """
    return run(scatter_tree_steps())


def scatter_tree_steps() -> NodeTreeSteps:
    """Return the steps of `scatter_tree`."""
    tree = _find_scatter_tree()
    return tree if tree is not None else (yield from _new_scatter_tree())


def _find_scatter_tree() -> bpy.types.GeometryNodeTree | None:
    for group in bpy.data.node_groups:
        if group.library is None and group.bl_idname == _KIND and group.get(_TREE_KEY) == _TREE_VERSION:
            return group
    return None


def add_scatter_modifier(
    plants: bpy.types.Object,
    collection: bpy.types.Collection,
    viewport_share: float | None = None,
    land: bpy.types.Object | None = None,
    variants: int | None = None,
) -> bpy.types.NodesModifier:
    """Make an object of plant points show its plants; a second call updates the modifier of the first.

    Parameters
    ----------
    plants : Object
        A mesh of loose vertices as `meshes.new_plants_mesh` makes it.
    collection : Collection
        What `plant_assets.plant_collection` returned.
    viewport_share : float, optional
        Percentage of the plants to show in the viewport, 0 to 100; without, what the modifier had, 100 for a new one.
    land : Object, optional
        On which they stand; without, what the modifier had.
    variants : int, optional
        What `plant_assets.variant_stride` says of the species; without, what the modifier had.

    Raises
    ------
    ValueError
        If `viewport_share` is out of its range, or `plants` is not a mesh.
    """
    if viewport_share is not None and not 0.0 <= viewport_share <= 100.0:
        raise ValueError(f"viewport_share = {viewport_share!r} % is outside 0 to 100 %")
    if plants.type != "MESH":
        raise ValueError(f"plants can only stand on the points of a mesh, and {plants.name} is a {plants.type.lower()}")
    tree = scatter_tree()
    modifier = scatter_modifier(plants)
    if modifier is None:
        modifier = plants.modifiers.new(TREE_NAME, "NODES")
    if modifier.node_group != tree:
        modifier.node_group = tree
    wanted = {COLLECTION_INPUT: collection, SHARE_INPUT: viewport_share, LAND_INPUT: land, VARIANTS_INPUT: variants}
    for name, value in wanted.items():
        if value is not None:
            compat.set_modifier_input(modifier, name, value)
    return modifier


def scatter_modifier(plants: bpy.types.Object) -> bpy.types.NodesModifier | None:
    """Return the modifier that shows the plants of an object; None if it has none."""
    # Found by its own name: users may have renamed or deleted the node group.
    return next((m for m in plants.modifiers if m.type == "NODES" and m.name == TREE_NAME), None)


def cull_to_frame(modifier: bpy.types.NodesModifier, scene: bpy.types.Scene) -> None:
    """Leave out plants that the scene's camera does not see.

    Lens, shift, clipping and shape of the picture are taken as they are now; where the camera stands and looks is
    followed by itself.

    Raises
    ------
    ValueError
        If the scene has no camera, or one whose picture is not flat.
    """
    camera = scene.camera
    if camera is None or camera.type != "CAMERA":
        raise ValueError("the scene has no camera to leave out plants for; add one, or make one active")
    lens = camera.data
    if lens.type not in ("PERSP", "ORTHO"):
        raise ValueError(f"camera {camera.name} is a panoramic one, which sees plants all around; none can be left out")
    parallel = lens.type == "ORTHO"
    corners = [corner / (1.0 if parallel else -corner.z) for corner in lens.view_frame(scene=scene)]
    x, y = [corner.x for corner in corners], [corner.y for corner in corners]
    frame: dict[str, float | bool] = dict(zip(EDGE_INPUTS, (min(x), max(x), min(y), max(y))))
    frame |= {DISTANCE_INPUT: lens.clip_end, PARALLEL_INPUT: parallel, CULLING_INPUT: True}
    for name, value in frame.items():
        compat.set_modifier_input(modifier, name, value)


def _new_scatter_tree() -> NodeTreeSteps:
    tree = bpy.data.node_groups.new(UNFINISHED, _KIND)
    tree.is_modifier = True
    _declare_sockets(tree)
    yield
    nodes = Nodes(tree)
    source = nodes.node("NodeGroupInput").outputs
    height = _read(nodes, PlantAttribute.HEIGHT, "FLOAT")

    ground, normal = yield from _on_land(nodes, source[LAND_INPUT])
    some = _share_of(nodes, source["Points"], source[SHARE_INPUT])
    yield
    points = nodes.node("GeometryNodeSetPosition", {"Geometry": some, "Position": ground}).outputs[0]
    children = nodes.node(
        "GeometryNodeCollectionInfo",
        {"Collection": source[COLLECTION_INPUT], "Separate Children": True, "Reset Children": False},
        transform_space="ORIGINAL",
    ).outputs[0]
    yield
    index = nodes.math(
        "MULTIPLY_ADD", _kind(nodes, children, source[VARIANTS_INPUT]), source[VARIANTS_INPUT], _variant(nodes)
    )
    yield
    camera = _Camera(nodes, height)
    yield
    level = camera.level(source)
    yield
    seen = yield from camera.sees(source)
    turn = _turn(nodes, normal)
    yield
    instances = nodes.node(
        "GeometryNodeInstanceOnPoints",
        {
            "Points": points,
            "Selection": seen,
            "Instance": children,
            "Pick Instance": True,
            "Instance Index": nodes.math("MULTIPLY_ADD", index, float(LEVELS), level),
            "Rotation": turn,
            "Scale": height,
        },
    )
    nodes.node("NodeGroupOutput", {"Plants": instances.outputs[0]})
    yield
    nodes.arrange()
    tree = name_group(tree, TREE_NAME, _find_scatter_tree())
    tree[_TREE_KEY] = _TREE_VERSION
    return tree


def _declare_sockets(tree: bpy.types.GeometryNodeTree) -> None:
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
        SHARE_INPUT, "Float", "How many of the plants the viewport shows; a render shows all", 100.0, (0.0, 100.0)
    )
    share.subtype = "PERCENTAGE"
    add(PROXIES_INPUT, "Bool", "Draw all plants in their coarsest shape in the viewport", False)
    add(
        DETAIL_INPUT,
        "Float",
        "How far from the camera plants keep their fine shape, as a multiple of what suits a picture of 1080 lines",
        1.0,
        (0.0, 1000.0),
    )
    add(
        CULLING_INPUT,
        "Bool",
        "Leave out plants that the camera does not see; those close to it stay for their shadows",
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


# --- the ground -------------------------------------------------------------------------------------------------------


def _on_land(nodes: Nodes, land: Value) -> Generator[None, None, tuple[bpy.types.NodeSocket, bpy.types.NodeSocket]]:
    """Return where plants stand, and the upward normal of the ground there."""
    mesh = nodes.node("GeometryNodeObjectInfo", {"Object": land}, transform_space="RELATIVE").outputs["Geometry"]
    place = nodes.node("GeometryNodeInputPosition").outputs[0]
    grid = _GridOfLand(nodes, mesh)
    yield
    on_grid, grid_normal = grid.surface(place)
    yield
    on_mesh, mesh_normal = _ray_from_above(nodes, mesh, place)
    return (
        _switch(nodes, "VECTOR", grid.is_grid, on_mesh, on_grid),
        _switch(nodes, "VECTOR", grid.is_grid, mesh_normal, grid_normal),
    )


class _GridOfLand:
    """A mesh whose vertices are a grid, row by row, as our landscapes have it: places in it follow by arithmetic."""

    def __init__(self, nodes: Nodes, mesh: Value) -> None:
        self.nodes, self.mesh = nodes, mesh
        count = nodes.node("GeometryNodeAttributeDomainSize", {"Geometry": mesh}, component="MESH").outputs[
            "Point Count"
        ]
        self.west, self.south, _ = self._split(self._vertex(0.0))
        second_x, second_y, _ = self._split(self._vertex(1.0))
        east, north, _ = self._split(self._vertex(nodes.math("SUBTRACT", count, 1.0)))
        self.cell = nodes.math("SUBTRACT", second_x, self.west)
        self.columns = self._samples(self.west, east)
        self.rows = self._samples(self.south, north)
        # Of two rows and columns at least, as many vertices as there are places, the second row above the first.
        next_x, next_y, _ = self._split(self._vertex(self.columns))
        self.is_grid = _both(
            nodes,
            _compare(nodes, "GREATER_THAN", self.columns, 1.5),
            _compare(nodes, "GREATER_THAN", self.rows, 1.5),
            _compare(nodes, "GREATER_THAN", self.cell, 0.0),
            _near(nodes, self._whole("MULTIPLY", self.rows, self.columns), count, 0.5),
            _near(nodes, second_y, self.south, nodes.product(self.cell, 1e-3)),
            _near(nodes, next_x, self.west, nodes.product(self.cell, 1e-2)),
            _near(nodes, next_y, nodes.sum(self.south, self.cell), nodes.product(self.cell, 1e-2)),
        )

    def surface(self, place: Value) -> tuple[bpy.types.NodeSocket, bpy.types.NodeSocket]:
        """Return the place on the bilinear surface above or below a place, and the normal there."""
        nodes = self.nodes
        x, y, _ = self._split(place)
        column, east = self._cell_of(x, self.west, self.columns)
        row, north = self._cell_of(y, self.south, self.rows)
        corner = self._whole("MULTIPLY_ADD", row, self.columns, column)
        above = self._whole("ADD", corner, self.columns)
        a, b, c, d = (
            self._split(self._vertex(index))[2]
            for index in (corner, self._whole("ADD", corner, 1), above, self._whole("ADD", above, 1))
        )
        low, high = _linear(nodes, a, b, east), _linear(nodes, c, d, east)
        stands = nodes.node("ShaderNodeCombineXYZ", {"X": x, "Y": y, "Z": _linear(nodes, low, high, north)}).outputs[0]
        slope_x = _linear(nodes, nodes.math("SUBTRACT", a, b), nodes.math("SUBTRACT", c, d), north)
        slope_y = nodes.math("SUBTRACT", low, high)
        normal = nodes.node("ShaderNodeCombineXYZ", {"X": slope_x, "Y": slope_y, "Z": self.cell}).outputs[0]
        return stands, nodes.vector_math("NORMALIZE", normal)

    def _samples(self, first: Value, last: Value) -> bpy.types.NodeSocket:
        steps = self.nodes.math("DIVIDE", self.nodes.math("SUBTRACT", last, first), self.cell)
        return self.nodes.math("ADD", self.nodes.math("ROUND", steps), 1.0)

    def _cell_of(self, place: Value, first: Value, samples: Value) -> tuple[bpy.types.NodeSocket, bpy.types.NodeSocket]:
        nodes = self.nodes
        steps = nodes.math("DIVIDE", nodes.math("SUBTRACT", place, first), self.cell)
        number = nodes.math("MINIMUM", nodes.math("FLOOR", steps), nodes.math("SUBTRACT", samples, 2.0))
        number = nodes.math("MAXIMUM", number, 0.0)
        return number, nodes.math("SUBTRACT", steps, number)

    def _whole(self, operation: str, *values: Value) -> bpy.types.NodeSocket:
        """Arithmetic for indices, which beyond 16 million are not exact as floats."""
        return self.nodes.node(compat.WHOLE_MATH, dict(enumerate(values)), operation=operation).outputs[0]

    def _vertex(self, index: Value) -> bpy.types.NodeSocket:
        place = self.nodes.node("GeometryNodeInputPosition").outputs[0]
        inputs = {"Geometry": self.mesh, "Value": place, "Index": index}
        sample = self.nodes.node(
            "GeometryNodeSampleIndex", data_type="FLOAT_VECTOR", domain="POINT", clamp=True, label="Vertex"
        )
        for name, value in inputs.items():
            self.nodes.set(active_socket(sample.inputs, name), int(value) if isinstance(value, float) else value)
        return active_socket(sample.outputs, "Value")

    def _split(self, vector: Value) -> tuple[bpy.types.NodeSocket, ...]:
        return tuple(self.nodes.node("ShaderNodeSeparateXYZ", {0: vector}).outputs)


def _ray_from_above(nodes: Nodes, mesh: Value, place: Value) -> tuple[bpy.types.NodeSocket, bpy.types.NodeSocket]:
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
        _switch(nodes, "VECTOR", ray["Is Hit"], place, ray["Hit Position"]),
        _switch(nodes, "VECTOR", ray["Is Hit"], (0.0, 0.0, 1.0), ray["Hit Normal"]),
    )


# --- the plants -------------------------------------------------------------------------------------------------------


def _kind(nodes: Nodes, children: Value, variants: Value) -> bpy.types.NodeSocket:
    """Return the number of the species, or of the dead wood that comes after all species."""
    size = nodes.node("GeometryNodeAttributeDomainSize", {"Geometry": children}, component="INSTANCES").outputs
    rows = nodes.math("DIVIDE", size["Instance Count"], nodes.product(variants, float(LEVELS)))
    condition = _read(nodes, PlantAttribute.CONDITION, "INT")
    dead = nodes.sum(rows, condition, -1.0 - len(DEAD_FORMS))
    is_dead = _compare(nodes, "GREATER_THAN", condition, 0.5)
    return _switch(nodes, "FLOAT", is_dead, _read(nodes, PlantAttribute.SPECIES, "INT"), dead)


def _variant(nodes: Nodes) -> bpy.types.NodeSocket:
    return _read(nodes, PlantAttribute.VARIANT, "INT")


def _turn(nodes: Nodes, normal: Value) -> bpy.types.NodeSocket:
    """Return the turn about the vertical; what lies on the ground lies along its slope."""
    radians = nodes.math("RADIANS", _read(nodes, PlantAttribute.ROTATION, "FLOAT"))
    euler = nodes.node("ShaderNodeCombineXYZ", {"Z": radians})
    turn = nodes.node("FunctionNodeEulerToRotation", {0: euler.outputs[0]}).outputs[0]
    lies = _read(nodes, PlantAttribute.LIES, "BOOLEAN")
    inputs = {"Rotation": turn, "Factor": lies, "Vector": normal}
    return nodes.node("FunctionNodeAlignRotationToVector", inputs, axis="Z").outputs[0]


def _share_of(nodes: Nodes, points: Value, share: Value) -> bpy.types.NodeSocket:
    """Return some of the points in a viewport that is to show only a share of them, else all."""
    # A plant's lot depends on its index alone: a larger share adds plants and never swaps them.
    lot = nodes.node("FunctionNodeRandomValue", {"Min": 0.0, "Max": _LAST_LOT, "Seed": 0}, data_type="FLOAT")
    chosen = _compare(nodes, "LESS_THAN", active_socket(lot.outputs, "Value"), share)
    some = nodes.node("GeometryNodeSeparateGeometry", {"Geometry": points, "Selection": chosen}).outputs["Selection"]
    viewport = nodes.node("GeometryNodeIsViewport").outputs[0]
    fewer = _both(nodes, viewport, _compare(nodes, "LESS_THAN", share, 100.0))
    return _switch(nodes, "GEOMETRY", fewer, points, some)


class _Camera:
    """Distance and direction of plants as seen by the scene's camera."""

    def __init__(self, nodes: Nodes, height: Value) -> None:
        self.nodes, self.height = nodes, height
        active = nodes.node("GeometryNodeInputActiveCamera").outputs[0]
        camera = nodes.node("GeometryNodeObjectInfo", {"Object": active}, transform_space="RELATIVE").outputs
        self.place, self.rotation = camera["Location"], camera["Rotation"]
        away = nodes.vector_math("SUBTRACT", nodes.node("GeometryNodeInputPosition").outputs[0], self.place)
        self.away = away
        self.distance = nodes.node("ShaderNodeVectorMath", {0: away}, operation="LENGTH").outputs["Value"]
        # A scene without a camera says that it is exactly in the middle of the land at altitude 0.
        offset = nodes.node("ShaderNodeVectorMath", {0: self.place}, operation="LENGTH").outputs["Value"]
        self.is_there = _compare(nodes, "GREATER_THAN", offset, 0.0)

    def level(self, source: Any) -> bpy.types.NodeSocket:
        """Return the level of detail for the height of a plant and its distance."""
        nodes = self.nodes
        reach = nodes.product(self.height, source[DETAIL_INPUT])
        ends = [_compare(nodes, "GREATER_THAN", self.distance, nodes.product(reach, end)) for end in _LEVEL_ENDS]
        by_distance = _switch(nodes, "FLOAT", self.is_there, 1.0, nodes.sum(ends[0], *ends[1:]))
        proxies = _both(nodes, source[PROXIES_INPUT], nodes.node("GeometryNodeIsViewport").outputs[0])
        return _switch(nodes, "FLOAT", proxies, by_distance, LEVELS - 1.0)

    def sees(self, source: Any) -> Generator[None, None, bpy.types.NodeSocket]:
        """Return whether some of a plant may be in the picture, where culling is on."""
        nodes = self.nodes
        right, up, ahead = (self._along(axis) for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, -1.0)))
        # A plant is no higher and wider than a ball around its foot.
        ball = nodes.sum(self.height, _read(nodes, PlantAttribute.RADIUS, "FLOAT"))
        reach = _switch(nodes, "FLOAT", source[PARALLEL_INPUT], ahead, 1.0)
        inside = [_compare(nodes, "GREATER_THAN", nodes.sum(ahead, ball), 0.0)]
        yield
        for offset, names in ((right, EDGE_INPUTS[:2]), (up, EDGE_INPUTS[2:])):
            low, high = (source[name] for name in names)
            more = nodes.product(nodes.math("SUBTRACT", high, low), source[MARGIN_INPUT])
            for edge, sign in ((nodes.math("SUBTRACT", low, more), -1.0), (nodes.sum(high, more), 1.0)):
                # A ball crosses the plane through camera and edge within its radius times the root of 1 + edge².
                slack = nodes.product(ball, nodes.sum(nodes.math("ABSOLUTE", edge), 1.0))
                slack = _switch(nodes, "FLOAT", source[PARALLEL_INPUT], slack, ball)
                beyond = nodes.product(nodes.math("SUBTRACT", offset, nodes.product(edge, reach)), sign)
                inside.append(_compare(nodes, "LESS_THAN", beyond, slack))
                yield
        endless = _compare(nodes, "LESS_THAN", source[DISTANCE_INPUT], 1e-3)
        end = nodes.sum(source[DISTANCE_INPUT], ball)
        inside.append(_either(nodes, endless, _compare(nodes, "LESS_THAN", ahead, end)))
        seen = _either(nodes, _both(nodes, *inside), _compare(nodes, "LESS_THAN", self.distance, _NEAR))
        culls = _both(nodes, source[CULLING_INPUT], self.is_there)
        return _switch(nodes, "BOOLEAN", culls, True, seen)

    def _along(self, axis: tuple[float, float, float]) -> bpy.types.NodeSocket:
        """Return how far away a plant is in a direction of the camera's."""
        nodes = self.nodes
        turned = nodes.node("FunctionNodeRotateVector", {"Vector": axis, "Rotation": self.rotation}).outputs[0]
        return nodes.node("ShaderNodeVectorMath", {0: self.away, 1: turned}, operation="DOT_PRODUCT").outputs["Value"]


# --- small nodes ------------------------------------------------------------------------------------------------------


def _read(nodes: Nodes, name: str, kind: str) -> bpy.types.NodeSocket:
    node = nodes.node("GeometryNodeInputNamedAttribute", {"Name": name}, data_type=kind)
    return active_socket(node.outputs, "Attribute")


def _linear(nodes: Nodes, a: Value, b: Value, share: Value) -> bpy.types.NodeSocket:
    return nodes.math("MULTIPLY_ADD", nodes.math("SUBTRACT", b, a), share, a)


def _compare(nodes: Nodes, operation: str, a: Value, b: Value) -> bpy.types.NodeSocket:
    return nodes.node("FunctionNodeCompare", {"A": a, "B": b}, data_type="FLOAT", operation=operation).outputs[0]


def _near(nodes: Nodes, a: Value, b: Value, tolerance: Value) -> bpy.types.NodeSocket:
    return _compare(nodes, "LESS_THAN", nodes.math("ABSOLUTE", nodes.math("SUBTRACT", a, b)), tolerance)


def _both(nodes: Nodes, first: Value, *others: Value) -> bpy.types.NodeSocket:
    for other in others:
        first = nodes.node("FunctionNodeBooleanMath", {0: first, 1: other}, operation="AND").outputs[0]
    return first


def _either(nodes: Nodes, a: Value, b: Value) -> bpy.types.NodeSocket:
    return nodes.node("FunctionNodeBooleanMath", {0: a, 1: b}, operation="OR").outputs[0]


def _switch(nodes: Nodes, kind: str, condition: Value, no: Value, yes: Value) -> bpy.types.NodeSocket:
    """Return one of two values; where the condition is the same for all, the other one is not even computed."""
    return nodes.node("GeometryNodeSwitch", {"Switch": condition, "False": no, "True": yes}, input_type=kind).outputs[0]

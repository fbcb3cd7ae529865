"""Node trees written as code: each method adds one node, or a few, and returns the result.

A value is another node's output, a number, or a tuple of numbers for vectors and colours.
"""

from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeAlias

import bpy

from .. import compat

Value: TypeAlias = bpy.types.NodeSocket | float | tuple[float, ...]

NodeTreeSteps: TypeAlias = Generator[None, bool | None, bpy.types.NodeTree]
"""Steps that make a large tree.  After an undo the steps must not go on: Blender has freed what they made."""

SHADER_TREE = "ShaderNodeTree"
"""What Blender calls a node tree of shaders."""

UNFINISHED = "Landscape (unfinished)"
"""Name of a node group while it is being made."""

_COLUMN_WIDTH = 190.0
_ROW_HEIGHT = 170.0
_SOCKET_KINDS = {
    "VALUE": "NodeSocketFloat",
    "VECTOR": "NodeSocketVector",
    "RGBA": "NodeSocketColor",
    "BOOLEAN": "NodeSocketBool",
    "INT": "NodeSocketInt",
    "GEOMETRY": "NodeSocketGeometry",
    "OBJECT": "NodeSocketObject",
    "ROTATION": "NodeSocketRotation",
}


class _Section(NamedTuple):
    """A node group for one part of a tree.

    Attributes
    ----------
    tree, parent : NodeTree
        The group, and the tree that it is a part of.
    source, result : Node
        Where values enter the group and leave it.
    taken : dict of NodeSocket to NodeSocket
        What the group has for a value from outside.
    given : dict of NodeSocket to NodeSocket
        What the parent has for a value of the group.
    place : list of Node
        The node in the parent that holds the group, once it is complete.
    """

    tree: bpy.types.NodeTree
    parent: bpy.types.NodeTree
    source: bpy.types.Node
    result: bpy.types.Node
    taken: dict[bpy.types.NodeSocket, bpy.types.NodeSocket]
    given: dict[bpy.types.NodeSocket, bpy.types.NodeSocket]
    place: list[bpy.types.Node]


class Nodes:
    """Adds nodes to one tree."""

    def __init__(self, tree: bpy.types.NodeTree) -> None:
        self.tree = tree
        self._sections: dict[bpy.types.NodeTree, _Section] = {}

    @contextmanager
    def section(self, name: str) -> Iterator[None]:
        """Put the nodes that are added meanwhile into a node group of their own, as one node of the tree.

        What they use from outside becomes an input of the group, and what others use of them an output.  Blender looks
        at a whole tree after each new node, so many small trees are made much sooner than a large one; and people read
        them more easily.

        Parameters
        ----------
        name : str
            What the section is about, with the name of the tree before it.
        """
        parent = self.tree
        tree = bpy.data.node_groups.new(f"Landscape {name}", parent.bl_idname)
        source, result = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
        section = self._sections[tree] = _Section(tree, parent, source, result, {}, {}, [])
        self.tree = tree
        yield
        self.arrange()
        self.tree = parent
        section.place.append(self.node(parent.bl_idname.replace("Tree", "Group"), node_tree=tree, label=name))
        for outside, socket in zip(section.taken, section.place[0].inputs, strict=True):
            self.set(socket, outside)
            socket.hide_value = True

    def again(self, value: bpy.types.NodeSocket, replaced: bpy.types.NodeSocket, by: Value) -> bpy.types.NodeSocket:
        """Return what a section would have made with another value of one of its inputs.

        Parameters
        ----------
        value : NodeSocket
            Made in a section that is complete.
        replaced : NodeSocket
            What the section used.
        by : NodeSocket or value
            What it is to use instead.
        """
        section = self._sections[value.id_data]
        made = _given(section, value)
        number = list(section.place[0].outputs).index(made)
        replaced = self._outside(replaced)
        node = self.node(section.place[0].bl_idname, node_tree=section.tree, label=section.place[0].label)
        for outside, socket in zip(section.taken, node.inputs, strict=True):
            self.set(socket, by if outside == replaced else outside)
            socket.hide_value = True
        return node.outputs[number]

    def _outside(self, value: bpy.types.NodeSocket) -> bpy.types.NodeSocket:
        """Return what the trees around a complete section have for a value that it made."""
        section = self._sections.get(value.id_data)
        return value if section is None or not section.place else self._outside(_given(section, value))

    def node(self, kind: str, inputs: Mapping[Any, Value] | None = None, **settings: Any) -> bpy.types.Node:
        """Add a node of a kind such as ``ShaderNodeMath``, with settings and values for some of its inputs."""
        node = self.tree.nodes.new(kind)
        for name, setting in settings.items():
            # After each setting Blender goes through the whole tree, even if the setting changes nothing.
            if getattr(node, name) != setting:
                setattr(node, name, setting)
        for key, value in (inputs or {}).items():
            self.set(active_socket(node.inputs, key), value)
        return node

    def set(self, socket: bpy.types.NodeSocket, value: Value) -> None:
        """Feed an input: with a link from a socket, or with the value itself."""
        if isinstance(value, bpy.types.NodeSocket):
            self.tree.links.new(self._brought(value), socket)
        elif socket.type == "RGBA" and isinstance(value, tuple):
            socket.default_value = (*value, 1.0)[:4]
        else:
            socket.default_value = value

    def _brought(self, value: bpy.types.NodeSocket) -> bpy.types.NodeSocket:
        """Return what the tree has for a value that another section, or the tree around this one, may have made."""
        home = value.id_data
        if home == self.tree:
            return value
        outside = self._outside(value)
        if outside != value:
            return self._brought(outside)
        section = self._sections[self.tree]
        if value not in section.taken:
            _add_socket(section.tree, value, "INPUT")
            section.taken[value] = section.source.outputs[len(section.taken)]
        return section.taken[value]

    def math(self, operation: str, *values: Value, clamp: bool = False) -> bpy.types.NodeSocket:
        """Add a Math node, also usable in Geometry Nodes."""
        return self.node("ShaderNodeMath", dict(enumerate(values)), operation=operation, use_clamp=clamp).outputs[0]

    def sum(self, first: Value, *others: Value) -> bpy.types.NodeSocket:
        """Add numbers."""
        for other in others:
            first = self.math("ADD", first, other)
        return first

    def product(self, first: Value, *others: Value) -> bpy.types.NodeSocket:
        """Multiply numbers."""
        for other in others:
            first = self.math("MULTIPLY", first, other)
        return first

    def vector_math(self, operation: str, *values: Value) -> bpy.types.NodeSocket:
        """Add a Vector Math node that returns a vector."""
        return self.node("ShaderNodeVectorMath", dict(enumerate(values)), operation=operation).outputs["Vector"]

    def scaled(self, vector: Value, factor: Value) -> bpy.types.NodeSocket:
        """Multiply a vector or colour by a number."""
        return self.node("ShaderNodeVectorMath", {0: vector, "Scale": factor}, operation="SCALE").outputs["Vector"]

    def smooth_step(self, value: Value, low: Value, high: Value) -> bpy.types.NodeSocket:
        """Return 0 up to `low`, 1 from `high` on, and a smooth change between; `low` may be the larger one."""
        # The node needs rising ends, so a falling step goes from 1 to 0 between them.
        falling = isinstance(low, float) and isinstance(high, float) and low > high
        inputs: dict[str, Value] = {"Value": value, "From Min": low, "From Max": high}
        if falling:
            inputs = {"Value": value, "From Min": high, "From Max": low, "To Min": 1.0, "To Max": 0.0}
        return self.node("ShaderNodeMapRange", inputs, interpolation_type="SMOOTHSTEP").outputs[0]

    def mix_colours(self, factor: Value, a: Value, b: Value, blend: str = "MIX") -> bpy.types.NodeSocket:
        """Mix two colours."""
        node = self.node("ShaderNodeMix", data_type="RGBA", blend_type=blend, clamp_factor=True)
        for identifier, value in (("Factor_Float", factor), ("A_Color", a), ("B_Color", b)):
            self.set(next(s for s in node.inputs if s.identifier == identifier), value)
        return next(s for s in node.outputs if s.identifier == "Result_Color")

    def mix_numbers(self, factor: Value, a: Value, b: Value) -> bpy.types.NodeSocket:
        """Mix two numbers."""
        return self.node("ShaderNodeMix", {0: factor, 2: a, 3: b}, data_type="FLOAT", clamp_factor=True).outputs[0]

    def noise(self, vector: Value, size: float, detail: float, roughness: float = 0.55) -> bpy.types.NodeSocket:
        """Return fractal noise 0 to 1 around 0.5 whose largest features are `size` long, in units of `vector`."""
        inputs = {"Vector": vector, "Scale": 1.0 / size, "Detail": detail, "Roughness": roughness}
        return self.node("ShaderNodeTexNoise", inputs).outputs[0]

    def signed_noise(self, vector: Value, size: float, detail: Value, roughness: float = 0.6) -> bpy.types.NodeSocket:
        """Return fractal noise around 0, mostly within ±1: finer detail is added without weakening what is larger."""
        inputs = {"Vector": vector, "Scale": 1.0 / size, "Detail": detail, "Roughness": roughness}
        return self.node("ShaderNodeTexNoise", inputs, normalize=False).outputs[0]

    def ridged_noise(self, vector: Value, size: float, detail: Value, roughness: float = 0.5) -> bpy.types.NodeSocket:
        """Return noise with sharp crests around 0, mostly within ±1: a ridged multifractal."""
        inputs = {"Vector": vector, "Scale": 1.0 / size, "Detail": detail, "Roughness": roughness}
        inputs |= {"Offset": 1.0, "Gain": 2.0}
        noise = self.node("ShaderNodeTexNoise", noise_type="RIDGED_MULTIFRACTAL")
        for name, value in inputs.items():
            self.set(active_socket(noise.inputs, name), value)
        # Half of all places are above 1.2.
        return self.math("MULTIPLY_ADD", noise.outputs[0], 1.6, -1.9)

    def bump(self, strength: float, metres: Value, height: Value, normal: Value | None = None) -> bpy.types.NodeSocket:
        """Return the normal of a surface that is `metres` higher where `height` is 1."""
        inputs = {"Strength": strength, "Distance": metres, "Height": height, **compat.BUMP_FILTER}
        if normal is not None:
            inputs["Normal"] = normal
        return self.node("ShaderNodeBump", inputs).outputs[0]

    def attribute(self, name: str, kind: str = "GEOMETRY") -> bpy.types.Node:
        """Read a named attribute in a shader: of the mesh, or of the instance for kind ``INSTANCER``."""
        return self.node("ShaderNodeAttribute", attribute_name=name, attribute_type=kind, label=name)

    def value(self, label: str, number: float) -> bpy.types.NodeSocket:
        """Add a number that users and `scenery` can change; the label is also the name of its node."""
        node = self.node("ShaderNodeValue", label=label, name=label)
        node.outputs[0].default_value = number
        return node.outputs[0]

    def group(self, tree: bpy.types.NodeTree, inputs: Mapping[Any, Value] | None = None) -> bpy.types.Node:
        """Add a node group to a shader."""
        return self.node("ShaderNodeGroup", inputs, node_tree=tree)

    def arrange(self) -> None:
        """Lay the nodes out in columns, each to the right of the nodes it reads."""
        # All links are read once: asking one socket for its links goes through all links of the tree.
        sources: dict[str, list[str]] = {}
        for link in self.tree.links:
            sources.setdefault(link.to_node.name, []).append(link.from_node.name)
        columns: dict[str, int] = {}

        def column(name: str) -> int:
            if name not in columns:
                columns[name] = 1 + max(map(column, sources.get(name, ())), default=-1)
            return columns[name]

        rows: dict[int, int] = {}
        places: list[float] = []
        for node in self.tree.nodes:
            place = column(node.name)
            places += (place * _COLUMN_WIDTH, -rows.get(place, 0) * _ROW_HEIGHT)
            rows[place] = rows.get(place, 0) + 1
        self.tree.nodes.foreach_set("location", places)


def _given(section: _Section, value: bpy.types.NodeSocket) -> bpy.types.NodeSocket:
    """Return the output of the node that holds a section for one of its values."""
    if value not in section.given:
        _add_socket(section.tree, value, "OUTPUT")
        number = len(section.given)
        section.tree.links.new(value, section.result.inputs[number])
        section.given[value] = section.place[0].outputs[number]
    return section.given[value]


def _add_socket(tree: bpy.types.NodeTree, value: bpy.types.NodeSocket, in_out: str) -> None:
    """Give a tree an input or output for a value."""
    name = value.node.label or value.name
    tree.interface.new_socket(name, in_out=in_out, socket_type=_SOCKET_KINDS[value.type])


def active_socket(sockets: Any, key: str | int) -> bpy.types.NodeSocket:
    """Return a socket by its number or its name.

    Some nodes have a socket of the same name for each data type; only the enabled one is in use.
    """
    return sockets[key] if isinstance(key, int) else next(s for s in sockets if s.name == key and s.enabled)


def find_group(name: str, kind: str) -> bpy.types.NodeTree | None:
    """Return the node group of a name and kind in this file, not a linked one; None if there is none."""
    group = bpy.data.node_groups.get((name, None))
    return group if group is not None and group.bl_idname == kind else None


def name_group(tree: bpy.types.NodeTree, name: str, other: bpy.types.NodeTree | None) -> bpy.types.NodeTree:
    """Give a finished node group its name; if another one was made meanwhile, remove this one and return the other."""
    if other is None:
        tree.name = name
        return tree
    parts = [node.node_tree for node in tree.nodes if node.type == "GROUP"]
    bpy.data.node_groups.remove(tree)
    bpy.data.batch_remove([part for part in parts if part.users == 0])
    return other

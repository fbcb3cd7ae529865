"""Relief finer than the mesh, from textures: normals and displacement.

The mesh keeps the heights at its vertices.  The normal map holds the normals of the fine land in object space and
replaces those of the mesh.  Displacement adds only the residual, which is what the mesh lacks.  So nothing is counted
twice.
"""

import bpy

from ...core.foundation.sampling import vertex_positions
from ...core.foundation.terrain import Field, Grid
from .. import compat
from ..data.attributes import UV_MAP, set_positions
from ..data.mesh_heights import grid_shape
from .ground_material import NORMAL_INPUT, ground_node, land_material_of
from .ground_site import TEXTURE_SPACING
from .nodes import Nodes, Value

MODIFIER_NAME = "Landscape Fine Detail"
"""The subdivision whose vertices are displaced."""

_NODES = "Fine Detail"  # how the names of our nodes begin


def carries_grid(land: bpy.types.Object, grid: Grid) -> bool:
    """Return whether the mesh of a land is that grid."""
    return grid_shape(land.data) == grid.shape


def ground_of(land: bpy.types.Object) -> bpy.types.Node | None:
    """Return the node that colours a land and takes normals; None if the material of the land is not ours."""
    material = land_material_of(land)
    ground = ground_node(material) if material is not None else None
    return ground if ground is not None and NORMAL_INPUT in ground.inputs else None


def fit_mesh(land: bpy.types.Object, heights: Field, cell_size: float) -> None:
    """Move the vertices of a land to other heights, float32 (rows, columns) in metres."""
    set_positions(land.data, vertex_positions(heights, cell_size))


def add_normals(land: bpy.types.Object, image: bpy.types.Image, mesh: Grid, texture: Grid) -> None:
    """Light a land with the normals of a texture in object space.

    Parameters
    ----------
    land : Object
        Its material must be ours.
    image : Image
        Each texel is a sample of `texture`; see `files.baking`.
    mesh, texture : Grid
        Grid of the mesh, and grid of the samples of the texture; their south-west corners are the same.

    Raises
    ------
    ValueError
        If the material of the land is not ours.
    """
    material, ground = _material_of(land)
    nodes = _MarkedNodes(material.node_tree)
    colour = _texel(nodes, image, mesh, texture).outputs["Color"]
    normal = nodes.node("ShaderNodeNormalMap", {"Color": colour}, space="OBJECT", uv_map=UV_MAP)
    nodes.set(ground.inputs[NORMAL_INPUT], normal.outputs[0])
    _set_spacing(ground, texture.cell_size)


def add_displacement(
    land: bpy.types.Object,
    image: bpy.types.Image,
    lowest: float,
    highest: float,
    mesh: Grid,
    texture: Grid,
    levels: int,
    adaptive_in: bpy.types.Scene | None = None,
) -> None:
    """Displace a land upwards by the residual of its bilinear faces, in renders only.

    Parameters
    ----------
    land : Object
        Its material must be ours.
    image : Image
        The residual: `lowest` metres where it is black, `highest` where it is white.
    mesh, texture : Grid
        As in `add_normals`.
    levels : int
        How many times each face is divided in two along both sides.
    adaptive_in : Scene, optional
        When Cycles renders this scene, faces are divided as finely as pixels ask for instead.

    Raises
    ------
    ValueError
        If the material of the land is not ours.
    """
    material, _ = _material_of(land)
    nodes = _MarkedNodes(material.node_tree)
    share = _texel(nodes, image, mesh, texture).outputs["Color"]
    height = nodes.math("MULTIPLY_ADD", share, highest - lowest, lowest)
    up = nodes.node("ShaderNodeCombineXYZ", {"Z": height}).outputs[0]
    # Upwards: along the normal vertices would move sideways.
    moved = nodes.node(
        "ShaderNodeVectorDisplacement", {"Vector": up, "Midlevel": 0.0, "Scale": 1.0}, space="OBJECT"
    ).outputs[0]
    for node in material.node_tree.nodes:
        if node.type == "OUTPUT_MATERIAL":
            nodes.set(node.inputs["Displacement"], moved)
    material.displacement_method = "DISPLACEMENT"
    modifier = land.modifiers.new(MODIFIER_NAME, "SUBSURF")
    # Simple subdivision leaves faces as bilinear patches, which the residual is measured from.
    modifier.subdivision_type = "SIMPLE"
    modifier.levels, modifier.render_levels = 0, levels
    if adaptive_in is not None:
        compat.set_adaptive(land, modifier, adaptive_in)


def add_colour(land: bpy.types.Object, image: bpy.types.Image, mesh: Grid, texture: Grid) -> None:
    """Colour a land with a texture instead of the colours that its material computes.

    Parameters
    ----------
    land, image, mesh, texture
        As in `add_normals`.


    Raises
    ------
    ValueError
        If the material of the land is not ours.
    """
    material, ground = _material_of(land)
    nodes = _MarkedNodes(material.node_tree)
    colour = _texel(nodes, image, mesh, texture).outputs["Color"]
    for target in [link.to_socket for link in ground.outputs["Color"].links]:
        nodes.set(target, colour)


def has_detail(land: bpy.types.Object) -> bool:
    """Return whether a land has normals, displacement or colour from textures."""
    material = land_material_of(land)
    tree = material.node_tree if material is not None else None
    return land.modifiers.get(MODIFIER_NAME) is not None or any(
        node.name.startswith(_NODES) for node in (tree.nodes if tree is not None else ())
    )


def remove_detail(land: bpy.types.Object) -> None:
    """Remove normals, displacement and colour from textures; Blender does not save images that nothing uses."""
    modifier = land.modifiers.get(MODIFIER_NAME)
    if modifier is not None:
        compat.clear_adaptive(land, modifier)
        land.modifiers.remove(modifier)
    material, ground = land_material_of(land), ground_of(land)
    if material is None or ground is None:
        return
    tree = material.node_tree
    ours = [node for node in tree.nodes if node.name.startswith(_NODES)]
    if not ours:
        return
    fed = [link.to_socket for link in tree.links if link.from_node in ours and link.to_node not in ours]
    for node in ours:
        tree.nodes.remove(node)
    nodes = Nodes(tree)
    _set_spacing(ground, 0.0)
    for socket in fed:
        if socket.node == ground:
            nodes.set(socket, _geometry(nodes).outputs["Normal"])
        elif socket.type == "RGBA":
            nodes.set(socket, ground.outputs["Color"])
        else:
            material.displacement_method = "BUMP"


def _set_spacing(ground: bpy.types.Node, spacing: float) -> None:
    """Tell the ground what detail its normals hold already; a node group of an earlier version does not ask."""
    if TEXTURE_SPACING in ground.inputs:
        ground.inputs[TEXTURE_SPACING].default_value = spacing


def _geometry(nodes: Nodes) -> bpy.types.Node:
    """Return the Geometry node of a tree, made where it is missing."""
    found = next((node for node in nodes.tree.nodes if node.type == "NEW_GEOMETRY"), None)
    return found if found is not None else nodes.node("ShaderNodeNewGeometry")


class _MarkedNodes(Nodes):
    """Nodes whose names mark them as ours, so that `remove_detail` finds them."""

    def node(self, kind: str, inputs: object = None, **settings: object) -> bpy.types.Node:
        node = super().node(kind, inputs, **settings)  # type: ignore[arg-type]
        node.name = node.label = f"{_NODES} {node.bl_label}"
        return node


def _material_of(land: bpy.types.Object) -> tuple[bpy.types.Material, bpy.types.Node]:
    """Return the material of a land and the node that colours it."""
    ground = ground_of(land)
    if ground is None:
        raise ValueError(f"{land.name} has no material of ours to show textures in")
    return land_material_of(land), ground


def _texel(nodes: Nodes, image: bpy.types.Image, mesh: Grid, texture: Grid) -> bpy.types.Node:
    """Add the image so that the middle of each texel lies where its sample lies on the mesh."""
    along, across = _scale(mesh.columns, texture.columns, mesh, texture), _scale(mesh.rows, texture.rows, mesh, texture)
    place = nodes.node("ShaderNodeUVMap", uv_map=UV_MAP).outputs[0]
    scale: Value = (along, across, 1.0)
    offset: Value = (0.5 / texture.columns, 0.5 / texture.rows, 0.0)
    place = nodes.node("ShaderNodeVectorMath", {0: place, 1: scale, 2: offset}, operation="MULTIPLY_ADD").outputs[0]
    return nodes.node("ShaderNodeTexImage", {"Vector": place}, image=image, extension="EXTEND")


def _scale(vertices: int, samples: int, mesh: Grid, texture: Grid) -> float:
    """Return the size of the mesh over the size of the texture along one side."""
    return (vertices - 1) * mesh.cell_size / (samples * texture.cell_size)

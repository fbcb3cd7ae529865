"""The modifier that shows plants at the points of a mesh."""

import bpy

from .. import compat
from .scatter_inputs import COLLECTION_INPUT, LAND_INPUT, SHARE_INPUT, VARIANTS_INPUT
from .scatter_tree import TREE_NAME, scatter_tree


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
        Its mesh has a loose vertex for each plant, as `meshes.new_plants_mesh` makes it.
    collection : Collection
        From `plant_assets.plant_collection`.
    viewport_share : float, optional
        Percentage of the plants to show in the viewport, 0 to 100; without, it stays, and is 100 for a new modifier.
    land : Object, optional
        On which they stand; without, it stays.
    variants : int, optional
        Room for variants of each species, from `plant_assets.variant_stride`; without, it stays.

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
    # By the name of the modifier: users may have renamed or deleted the node group.
    return next((m for m in plants.modifiers if m.type == "NODES" and m.name == TREE_NAME), None)

"""What the view layer at work shows: where new objects go, and which are selected."""

from collections.abc import Sequence

import bpy


def shown_collections() -> list[bpy.types.Collection]:
    """Return the collections that the view layer at work shows, that of the scene first."""
    found, layers = [], [bpy.context.view_layer.layer_collection]
    while layers:
        layer = layers.pop(0)
        if not layer.exclude:
            found.append(layer.collection)
            layers += layer.children
    return found


def collection_beside(land: bpy.types.Object) -> bpy.types.Collection:
    """Return the collection into which new objects of a land go: one of its own, which the view layer shows."""
    shown = shown_collections()
    own = [one for one in land.users_collection if one.is_editable]
    return next((one for one in own if one in shown), next(iter(own), bpy.context.scene.collection))


def select_alone(chosen: Sequence[bpy.types.Object]) -> None:
    """Select some objects and nothing else, and make the last active; what the view layer lacks stays as it is."""
    selected_before, there = bpy.context.selected_objects, []
    for one in chosen:
        try:
            one.select_set(True)
        except RuntimeError:  # it is not in the view layer
            continue
        there.append(one)
    if there:
        for one in selected_before:
            one.select_set(one in there)
        bpy.context.view_layer.objects.active = there[-1]

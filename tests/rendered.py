"""What a render engine is given of the plants of a land."""

import bpy
from mathutils import Matrix


def instances_of(depsgraph: object, plants: object) -> list[tuple[str, Matrix]]:
    """The name of the object and the placement of each instance; without the points that stand for unseen plants."""
    return [
        (i.object.name, i.matrix_world.copy())
        for i in depsgraph.object_instances
        if i.is_instance and i.parent.original == plants and i.object.type == "MESH"
    ]


def instances_in_render(plants: object) -> list[tuple[str, Matrix]]:
    """The same of what a render engine is given."""
    found = []

    class Listing(bpy.types.RenderEngine):
        bl_idname = "LISTING"
        bl_label = "Listing"

        def render(self, depsgraph: object) -> None:
            found.extend(instances_of(depsgraph, plants))

    bpy.utils.register_class(Listing)
    try:
        scene = bpy.context.scene
        scene.render.engine = "LISTING"
        scene.render.resolution_x = scene.render.resolution_y = 8
        bpy.ops.render.render()
        scene.render.engine = "CYCLES"
    finally:
        bpy.utils.unregister_class(Listing)
    return found

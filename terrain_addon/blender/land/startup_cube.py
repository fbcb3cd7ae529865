"""The cube of Blender's startup file, which would stand inside the first land."""

import bpy
from mathutils import Matrix

_NAME = "Cube"
_CORNERS = {(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)}


def remove_startup_cube(scene: bpy.types.Scene) -> None:
    """Remove the cube of Blender's startup file, if nobody has touched it; for operators."""
    cube = scene.objects.get(_NAME)
    if cube is None or not _is_untouched(cube):
        return
    mesh = cube.data
    bpy.data.objects.remove(cube)
    if mesh.users == 0:
        bpy.data.meshes.remove(mesh)


def _is_untouched(cube: bpy.types.Object) -> bool:
    """Whether an object is the cube as Blender starts with it."""
    mesh = cube.data
    return (
        cube.type == "MESH"
        and cube.library is None
        and mesh.users == 1
        and len(mesh.polygons) == 6
        and {tuple(vertex.co) for vertex in mesh.vertices} == _CORNERS
        and cube.matrix_basis == Matrix.Identity(4)
        and cube.parent is None
        and not (cube.children or cube.modifiers or cube.constraints or cube.vertex_groups)
        and cube.animation_data is None
        and [material.name for material in mesh.materials if material is not None] == ["Material"]
        and cube.rigid_body is None
        and not cube.keys()
    )

"""The first land in Blender's startup scene: the cube leaves, and the view shows the land beside the sidebar."""

import math
from collections.abc import Callable

import bpy
import pytest
from mathutils import Vector

from terrain_addon.blender.look.framing import distance_to_fit


@pytest.fixture
def startup(blender: None) -> None:
    """Blender as it starts, with its cube."""
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    assert "Cube" in bpy.data.objects and hasattr(bpy.types.Object, "landscape")


def make_land() -> None:
    assert bpy.ops.landscape.generate(preset="dunes", resolution=33) == {"FINISHED"}
    bpy.ops.ed.undo_push(message="New Landscape")


def test_the_startup_cube_leaves_and_an_undo_brings_it_back(startup: None) -> None:
    bpy.ops.ed.undo_push(message="begin")
    make_land()
    assert "Cube" not in bpy.data.objects and "Cube" not in bpy.data.meshes
    bpy.ops.ed.undo()
    assert [o.name for o in bpy.context.scene.objects if o.type == "MESH"] == ["Cube"]


def test_the_startup_cube_leaves_a_planet_too(startup: None) -> None:
    assert bpy.ops.landscape.new_planet(resolution=5) == {"FINISHED"}
    assert "Cube" not in bpy.data.objects


def move() -> None:
    bpy.data.objects["Cube"].location.x = 1.0


def edit() -> None:
    bpy.data.meshes["Cube"].vertices[0].co.x = -1.5


def paint() -> None:
    bpy.data.objects["Cube"].data.materials.clear()


def add_modifier() -> None:
    bpy.data.objects["Cube"].modifiers.new("Bevel", "BEVEL")


def rename() -> None:
    bpy.data.objects["Cube"].name = "My House"


# The same on every Blender, but for how a mesh is painted.
@pytest.mark.parametrize(
    "work",
    [paint, *(pytest.param(one, marks=pytest.mark.once) for one in (move, edit, add_modifier, rename))],
    ids=lambda work: work.__name__,
)
def test_a_cube_that_somebody_worked_on_stays(startup: None, work: Callable[[], None]) -> None:
    work()
    count = len(bpy.data.objects)
    name = bpy.data.meshes["Cube"].name
    make_land()
    assert name in bpy.data.meshes and len(bpy.data.objects) >= count


def test_a_cube_beside_a_land_stays(startup: None) -> None:
    make_land()
    bpy.ops.mesh.primitive_cube_add(size=2.0)
    bpy.context.active_object.data.materials.append(bpy.data.materials.new("Material"))
    make_land()
    assert "Cube" in bpy.data.objects


@pytest.mark.parametrize("is_perspective", [True, False])
def test_everything_is_in_the_picture_and_something_at_its_edge(is_perspective: bool) -> None:
    corners = [Vector((x, y, z)) for x in (-500.0, 500.0) for y in (-40.0, 60.0) for z in (-500.0, 500.0)]
    tangents = (0.3, 0.2)
    distance = distance_to_fit(corners, tangents, is_perspective=is_perspective)
    shares = []
    for corner in corners:
        depth = distance - corner.z if is_perspective else distance
        shares.append(max(abs(corner.x) / (depth * tangents[0]), abs(corner.y) / (depth * tangents[1])))
    assert max(shares) == pytest.approx(1.0) and not math.isinf(distance)

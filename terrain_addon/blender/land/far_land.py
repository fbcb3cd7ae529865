"""The object *Far Land*: what is seen beyond the border of a land, so that no picture ends in a cut edge."""

import math
from collections.abc import Generator

import bpy
import numpy as np

from ...core.building.plan import inputs_asked_for
from ...core.building.plant_stages import EXCLUSION, PLANT_HERE
from ...core.building.recipe import Recipe
from ...core.foundation.progress import Progress, run
from ...core.foundation.terrain import Field
from ...core.meshing.open_sea import sea_along_sides
from ..data.attributes import DETAIL, read_floats, read_positions, set_attribute, set_vectors
from ..data.mesh_heights import grid_shape
from ..data.meshes import set_triangles
from ..data.properties import read_recipe
from ..look.canopy import CANOPY, show_canopy
from ..look.ground_material import land_material_of
from ..look.ground_site import GROUND_MAPS
from ..look.placement import placement_of, unscaled_placement_of
from .building import given_landscape_steps
from .far_canopy import far_canopy
from .far_ground import LANDS_AROUND, FarGround, InnerGround, far_fields, far_recipe, join_far_ground
from .lookup import LandReference
from .parts import new_part

# Rays across and up a picture, steps of each, how far below the horizon they go (sine), and which share of a picture
# is noticed.
_RAYS, _STEPS, _BELOW_HORIZON, _NOTICED = (33, 121), 400, 0.003, 0.003


def far_land_steps(land: bpy.types.Object) -> Generator[Progress, bool | None, FarGround]:
    """Return the steps that make the ground around a land, which may run in any thread.

    Where the relief is a function of the place, it goes on there.  The land is mirrored where the recipe reads files or
    what was painted, which end at the border, and where the ground around would be larger than a land may be.

    Raises
    ------
    ValueError
        If the mesh of the land is no grid.
    """
    shape = grid_shape(land.data)
    if shape is None:
        raise ValueError(f"the mesh of {land.name} is no longer a grid, so nothing can be joined to its border")
    return _join_steps(read_recipe(land), _inner_ground(land, shape))


def _inner_ground(land: bpy.types.Object, shape: tuple[int, int]) -> InnerGround:
    """Return what the mesh of a land shows."""
    points = read_positions(land.data)
    fields = {"height": np.ascontiguousarray(points[:, 2]).reshape(shape)}
    for name in GROUND_MAPS:
        values = read_floats(land.data, name)
        if values is not None:
            fields[name] = values.reshape(shape)
    width, depth = (points[-1] - points[0])[:2].tolist()
    return InnerGround(fields, width, depth)


def add_far_land(land: bpy.types.Object) -> bpy.types.Object:
    """Show the ground around a land at once, for scripts, and return its object; see `far_land_steps`."""
    show_far_land(LandReference.of(land), run(far_land_steps(land)))
    return land.landscape.far_land


def hide_the_border(land: bpy.types.Object, scene: bpy.types.Scene) -> None:
    """Show the ground around a land if the camera of a scene looks past its border to where land should be.

    Nothing happens if it is there already, or if nothing but sea is at the border.

    Parameters
    ----------
    land : Object
    scene : Scene
        With a camera.

    Raises
    ------
    ValueError
        As `far_land_steps`.
    """
    sea, shape = read_recipe(land).water.sea_surface, grid_shape(land.data)
    if shape is not None:
        ground = _inner_ground(land, shape)
        if sea is not None and np.all(sea_along_sides(ground.heights, sea) == 1.0):
            return
        if not _sees_past(scene, land, ground, -math.inf if sea is None else sea):
            return
    if not has_far_land(land):
        add_far_land(land)


def _sees_past(scene: bpy.types.Scene, land: bpy.types.Object, ground: InnerGround, sea: float) -> bool:
    """Return whether the camera of a scene looks past the border of a land to where ground or hills should be.

    That is below the horizon, and above it up to the height of the land itself.
    """
    corners = np.array([tuple(corner) for corner in scene.camera.data.view_frame(scene=scene)])
    (left, bottom), (right, top) = corners[:, :2].min(axis=0), corners[:, :2].max(axis=0)
    across, up = np.meshgrid(np.linspace(left, right, _RAYS[0]), np.linspace(bottom, top, _RAYS[1]))
    frame = np.stack((across, up, np.full_like(up, corners[0, 2])), axis=-1).reshape(-1, 3)
    place = unscaled_placement_of(land).inverted() @ placement_of(scene.camera)
    ways = frame @ np.array(place.to_3x3()).T
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    far = 1.5 * math.hypot(ground.width, ground.depth)
    points = np.array(place.translation) + ways[:, None, :] * np.linspace(0.0, far, _STEPS)[1:, None]
    shares = points[..., :2] / (ground.width, ground.depth) + 0.5
    inside = np.all((shares >= 0.0) & (shares <= 1.0), axis=-1)
    column, row = (
        np.rint(shares.clip(0.0, 1.0) * (ground.heights.shape[1] - 1, ground.heights.shape[0] - 1)).astype(int).T
    )
    below = ground.heights[row.T, column.T]
    meets = np.any(inside & (points[..., 2] <= np.maximum(below, sea)), axis=1)
    leaves = inside.sum(axis=1).clip(max=inside.shape[1] - 1)
    as_high = points[np.arange(len(points)), leaves, 2] <= ground.heights.max()
    past = ~meets & ((ways[:, 2] < -_BELOW_HORIZON) | as_high)
    return bool((past & (below[:, -1] > sea)).sum() > _NOTICED * len(frame))


def show_far_land(reference: LandReference, ground: FarGround) -> str:
    """Show the ground around a land, and return the sentence to report.

    Raises
    ------
    ValueError
        If the land was deleted or cannot be changed.
    """
    land = reference.land()
    far = land.landscape.far_land
    if far is None:
        far = new_part(land, "Far Land")
        land.landscape.far_land = far
    mesh, shape = far.data, grid_shape(land.data)
    set_triangles(mesh, ground.positions, ground.triangles)
    for name, values in ground.maps.items():
        set_attribute(mesh, name, values)
    set_vectors(mesh, DETAIL, ground.detail)
    if shape is not None:
        set_attribute(mesh, CANOPY, far_canopy(land, _inner_ground(land, shape), ground))
    material = land_material_of(land)
    if material is not None:
        show_canopy(material)
    _share_texture_space(land.data, mesh)
    mesh.materials.clear()
    for material in land.data.materials:
        mesh.materials.append(material)
    return f"Added far land around {land.name}: {len(ground.triangles):,} triangles"


def hide_far_land(land: bpy.types.Object) -> None:
    """Leave the far land of a land without a mesh, because the ground that it was joined to has changed.

    The mesh is changed in place: this may happen between two steps of undo.
    """
    far = land.landscape.far_land
    if has_far_land(land) and far.data.is_editable:
        far.data.clear_geometry()


def has_far_land(land: bpy.types.Object) -> bool:
    """Return whether far land is shown around a land."""
    far = land.landscape.far_land
    return far is not None and far.type == "MESH" and len(far.data.vertices) > 0


def remove_far_land(land: bpy.types.Object) -> None:
    """Remove the far land of a land; for operators."""
    far = land.landscape.far_land
    if far is not None:
        mesh = far.data
        bpy.data.objects.remove(far)
        if mesh.users == 0:
            bpy.data.meshes.remove(mesh)


def _join_steps(recipe: Recipe, near: InnerGround) -> Generator[Progress, bool | None, FarGround]:
    """Build the lands around a land, and join them to it."""
    lands: list[dict[str, Field]] = []
    around = recipe
    for _ in range(LANDS_AROUND):
        try:
            around = far_recipe(around)
        except ValueError:
            break
        # Where plants are wanted does not matter: none grow there.
        is_function = not set(inputs_asked_for(around)) - {EXCLUSION, PLANT_HERE}
        fields = far_fields((yield from given_landscape_steps(around, {}, "maps"))) if is_function else {}
        lands.append(fields)
    lands += [{}] * (LANDS_AROUND - len(lands))
    yield Progress("joining", 1.0)
    return join_far_ground(near, lands, recipe.water.sea_surface, recipe.seed)


def _share_texture_space(land: bpy.types.Mesh, far: bpy.types.Mesh) -> None:
    """Let a height be the same share of both meshes: the material reads it."""
    far.use_auto_texspace = False
    far.texspace_location, far.texspace_size = land.texspace_location, land.texspace_size

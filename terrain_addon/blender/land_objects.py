"""A landscape as Blender objects: the land, and one object that carries all its plants."""

import bpy
import numpy as np

from ..core.landscape import Extent, Landscape
from ..core.relief.resampling import resample
from ..core.sampling import vertex_positions
from ..core.terrain import Field, Grid
from .attributes import set_attribute, set_positions
from .displacement import remove_detail
from .geometry_nodes import add_scatter_modifier
from .materials import land_material
from .mesh_heights import heights_of_grid
from .meshes import new_land_mesh, set_plants_mesh, set_surface
from .plant_assets import plant_collection, variant_counts, variant_stride
from .plant_editing import carry_masks
from .properties import write_recipe
from .sculpting import carry_surfaces
from .water_objects import set_water

_SHOWN_AT_FIRST = 25_000


def add_landscape(collection: bpy.types.Collection, landscape: Landscape, name: str = "Landscape") -> bpy.types.Object:
    """Put a landscape into a collection as a new object, with its plants as a child.

    The object's origin is the middle of the land at altitude 0.
    """
    land = bpy.data.objects.new(name, new_land_mesh(name, landscape.terrain))
    write_recipe(land, landscape.recipe)
    collection.objects.link(land)
    _dress(land, landscape)
    return land


def update_landscape(land: bpy.types.Object, landscape: Landscape) -> None:
    """Make an existing landscape object show another landscape; materials, modifiers and place of the object stay."""
    if _has_shape(land.data, landscape.terrain.grid):
        if not np.array_equal(heights_of_grid(land.data, landscape.terrain.grid.shape), landscape.terrain.surface):
            # Textures finer than the mesh belong to the land that was there before.
            remove_detail(land)
        set_surface(land.data, landscape.terrain)
    else:
        mesh = new_land_mesh(land.data.name, landscape.terrain)
        carry_masks(land, mesh)
        carry_surfaces(land, mesh)
        _replace_mesh(land, mesh)
    write_recipe(land, landscape.recipe)
    _dress(land, landscape)


def extent_of(land: bpy.types.Object) -> Extent:
    """Return how far a landscape has to be built to show all that it has."""
    planted = land.landscape.is_planted or land.landscape.plants is not None
    return "plants" if planted else "maps"


def show_surface(land: bpy.types.Object, surface: Field, grid: Grid) -> None:
    """Move the vertices of a landscape object to a surface; everything else stays, until `update_landscape`.

    A mesh of another shape than `grid` is left as it is; a surface of fewer samples is laid smoothly over the mesh.
    """
    if not _has_shape(land.data, grid):
        return
    if surface.shape != grid.shape:
        rows, columns = (np.linspace(0.0, coarse - 1.0, fine) for coarse, fine in zip(surface.shape, grid.shape))
        surface = resample(surface, rows, columns, 1.0, (float(surface.min()), float(surface.max())))
    set_positions(land.data, vertex_positions(surface, grid.cell_size))


def set_plants(land: bpy.types.Object, landscape: Landscape) -> None:
    """Show the plants of a landscape on its land, in place of those that were there.

    Raises
    ------
    ValueError
        If the landscape has no plants.
    """
    if not landscape.plants:
        raise ValueError("this landscape has no plants")
    plants = land.landscape.plants
    name, species = f"{land.name} Plants", landscape.recipe.ecosystem.species
    is_new = plants is None
    if is_new:
        plants = bpy.data.objects.new(name, bpy.data.meshes.new(name))
        plants.parent = land
        land.landscape.plants = plants
    land.landscape.is_planted = True
    set_plants_mesh(plants.data, landscape.plants, landscape.terrain, species, variant_counts(species))
    for collection in land.users_collection:
        if plants.name not in collection.objects:
            collection.objects.link(plants)
    # A first look that any graphics card can draw; renders show every plant, and users may show more of them.
    share = min(100.0, 100.0 * _SHOWN_AT_FIRST / len(landscape.plants)) if is_new else None
    add_scatter_modifier(plants, plant_collection(species), share, land, variant_stride(species))


def clear_plants(land: bpy.types.Object) -> None:
    """Remove the plants of a landscape; their meshes go when nothing else uses them."""
    plants = land.landscape.plants
    land.landscape.is_planted = False
    if plants is not None:
        mesh = plants.data
        bpy.data.objects.remove(plants)
        _remove_unused(mesh)


def _dress(land: bpy.types.Object, landscape: Landscape) -> None:
    """Attributes, material and plants, as far as the landscape was built."""
    set_attribute(land.data, "sediment", landscape.terrain.sediment)
    for name, values in landscape.maps.items():
        set_attribute(land.data, name, values)
    materials = land.data.materials
    if any(materials):
        land_material(landscape.recipe.appearance, next(material for material in materials if material is not None))
    else:
        materials.clear()
        materials.append(land_material(landscape.recipe.appearance))
    set_water(land, landscape)
    if landscape.plants:
        set_plants(land, landscape)
    elif landscape.plants is not None:
        # Nothing grows here now; with other settings it may again.
        clear_plants(land)
        land.landscape.is_planted = True


def _has_shape(mesh: bpy.types.Mesh, grid: Grid) -> bool:
    """Whether a mesh is a grid of these rows and columns: the counts agree, and so does the first face."""
    faces = (grid.rows - 1) * (grid.columns - 1)
    if len(mesh.vertices) != grid.rows * grid.columns or len(mesh.polygons) != faces:
        return False
    return max(mesh.polygons[0].vertices) == grid.columns + 1


def _replace_mesh(owner: bpy.types.Object, mesh: bpy.types.Mesh) -> None:
    before = owner.data
    for material in before.materials:
        mesh.materials.append(material)
    owner.data = mesh
    _remove_unused(before)
    mesh.name = owner.name


def _remove_unused(mesh: bpy.types.Mesh) -> None:
    if mesh.users == 0:
        bpy.data.meshes.remove(mesh)

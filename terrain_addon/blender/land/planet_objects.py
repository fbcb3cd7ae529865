"""A planet as objects: its ground, and sea, clouds and air as children of it."""

import bpy

from ...core.planet.planet_recipe import PlanetRecipe
from ..data.planet_data import (
    PlanetDrawing,
    new_ground_mesh,
    new_sea_mesh,
    new_shell_mesh,
    pack_pictures,
)
from ..data.properties import read_planet_recipe, write_planet_recipe
from ..look.planet_materials import new_air_material, new_cloud_material, new_ground_material, new_sea_material

# Custom property of a child: which part of its planet it is.
_PART = "landscape_planet_part"
_SEA, _CLOUDS, _AIR = "Sea", "Clouds", "Air"

# How far the shells are above the ground, as shares of the radius.
_CLOUD_ALTITUDE, _AIR_ALTITUDE = 0.007, 0.035


def planets() -> list[bpy.types.Object]:
    """Return all planets of the file that the user did not delete."""
    return [o for o in bpy.data.objects if o.landscape_planet.is_planet and o.users_collection]


def active_planet(context: bpy.types.Context) -> bpy.types.Object | None:
    """Return the planet to work on: the active object, or the planet that it is a part of."""
    active = context.active_object
    if active is None:
        return None
    if active.landscape_planet.is_planet:
        return active
    parent = active.parent
    return parent if parent is not None and parent.landscape_planet.is_planet else None


def why_no_planet(context: bpy.types.Context) -> str:
    """Return why there is no planet to work on; empty if there is one."""
    planet = active_planet(context)
    if planet is None:
        return "Select a planet first"
    if planet.mode != "OBJECT":
        return "Leave edit mode first"
    if not planet.is_editable or not planet.data.is_editable:
        return f"{planet.name} is linked from another file"
    return ""


def recipe_of_planet(planet: bpy.types.Object) -> tuple[PlanetRecipe, float]:
    """Return the recipe of a planet, and its radius in the scene.

    Raises
    ------
    ValueError
        If its values do not fit together.
    """
    return read_planet_recipe(planet), float(planet.landscape_planet.size)


def add_planet(collection: bpy.types.Collection, drawing: PlanetDrawing, name: str) -> bpy.types.Object:
    """Add a planet to a collection."""
    planet = bpy.data.objects.new(name, bpy.data.meshes.new(name))
    collection.objects.link(planet)
    show_planet(planet, drawing)
    return planet


def show_planet(planet: bpy.types.Object, drawing: PlanetDrawing) -> None:
    """Let an object show a planet, instead of what it showed before; materials are made anew."""
    write_planet_recipe(planet, drawing.planet.recipe, drawing.size)
    look = drawing.planet.recipe.look
    pictures = pack_pictures(planet.name, drawing)
    _replace(
        planet,
        new_ground_mesh(planet.name, drawing),
        new_ground_material(f"{planet.name} Ground", pictures, drawing.residuals),
    )
    has_sea = drawing.sea_radius > 0.0 and bool(drawing.sea_quads.any())
    sea = _part(planet, _SEA, wanted=has_sea)
    if sea is not None:
        _replace(sea, new_sea_mesh(sea.name, drawing), new_sea_material(sea.name, pictures))
    ground = max(drawing.size, drawing.sea_radius)
    clouds = _part(planet, _CLOUDS, wanted=look.clouds > 0.0)
    if clouds is not None:
        mesh = new_shell_mesh(clouds.name, ground * (1.0 + _CLOUD_ALTITUDE))
        _replace(clouds, mesh, new_cloud_material(clouds.name, look.clouds, drawing.planet.recipe.seed))
    air = _part(planet, _AIR, wanted=look.atmosphere > 0.0)
    if air is not None:
        mesh = new_shell_mesh(air.name, ground * (1.0 + _AIR_ALTITUDE))
        inside = 1.0 / (1.0 + _AIR_ALTITUDE)
        _replace(air, mesh, new_air_material(air.name, look.colours, look.atmosphere, inside))
        # Only the camera sees the air; it must not make the ground darker.
        air.visible_shadow = air.visible_diffuse = air.visible_glossy = False


def outer_radius(planet: bpy.types.Object) -> float:
    """Return the radius of a planet with its air, in the scene."""
    parts = [planet, *(child for child in planet.children if _PART in child)]
    return max(0.5 * max(part.dimensions) for part in parts)


def hide_planet(planet: bpy.types.Object) -> None:
    """Hide a planet and its parts in viewports and renders."""
    for one in (planet, *(child for child in planet.children if _PART in child)):
        one.hide_viewport = one.hide_render = True


def _part(planet: bpy.types.Object, kind: str, *, wanted: bool) -> bpy.types.Object | None:
    """Return a child of a planet, made if it is wanted and missing, and removed if it is not wanted."""
    part = next((child for child in planet.children if child.get(_PART) == kind), None)
    if not wanted:
        if part is not None:
            _discard(part)
        return None
    if part is None:
        name = f"{planet.name} {kind}"
        part = bpy.data.objects.new(name, bpy.data.meshes.new(name))
        part[_PART] = kind
        part.parent = planet
        for collection in planet.users_collection:
            collection.objects.link(part)
    return part


def _replace(shown: bpy.types.Object, mesh: bpy.types.Mesh, material: bpy.types.Material) -> None:
    """Give an object a mesh and a material, and remove those that it had if nothing else uses them."""
    before = shown.data
    materials = [one for one in before.materials if one is not None]
    mesh.materials.append(material)
    shown.data = mesh
    if before.users == 0:
        name = before.name
        bpy.data.meshes.remove(before)
        mesh.name = name
        for old in materials:
            if old.users == 0:
                name = old.name
                bpy.data.materials.remove(old)
                material.name = name


def _discard(part: bpy.types.Object) -> None:
    """Remove an object, its mesh and its materials."""
    mesh = part.data
    materials = [one for one in mesh.materials if one is not None]
    bpy.data.objects.remove(part)
    if mesh.users == 0:
        bpy.data.meshes.remove(mesh)
    bpy.data.batch_remove([one for one in materials if one.users == 0])

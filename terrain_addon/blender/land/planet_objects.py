"""A planet as objects: its ground, and sea, clouds and air as children of it."""

import hashlib
from collections.abc import Callable

import bpy
import numpy as np

from ...core.planet.planet_recipe import PlanetRecipe
from ...core.planet.standing import Standing
from ..data.images import read_packed
from ..data.planet_data import (
    PlanetDrawing,
    fill_ground,
    fill_sea,
    fill_shell,
    pack_pictures,
    repack_pictures,
)
from ..data.properties import read_planet_recipe, write_planet_recipe
from ..look.planet_air import AIR_ALTITUDE
from ..look.planet_materials import (
    new_air_material,
    new_cloud_material,
    new_ground_material,
    new_sea_material,
    set_air,
    set_clouds,
    set_pictures,
    with_pictures,
)
from ..plants.planet_trees import show_trees
from .marks import mark_of, set_mark

# Custom property of a child: which part of its planet it is.
_PART = "landscape_planet_part"
# Custom property of a part that its planet does not have any more, until an operator removes it.
_UNUSED = "landscape_planet_unused"
_SEA, _CLOUDS, _AIR, _TREES = "Sea", "Clouds", "Air", "Trees"

_CLOUD_ALTITUDE = 0.007  # as a share of the radius


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


def standing_on(planet: bpy.types.Object) -> Standing | None:
    """Return the place near which the ground of a planet is fine; None if it is equally fine everywhere."""
    settings = planet.landscape_planet
    place, ahead = (np.array(vector, np.float64) for vector in (settings.place, settings.ahead))
    return Standing(place, ahead, float(settings.height)) if place.any() else None


def stand_on(planet: bpy.types.Object, standing: Standing | None) -> None:
    """Remember the place near which the ground of a planet is to be fine."""
    settings = planet.landscape_planet
    nowhere = ((0.0,) * 3, (0.0,) * 3, 0.0)
    settings.place, settings.ahead, settings.height = nowhere if standing is None else standing


def add_planet(collection: bpy.types.Collection, drawing: PlanetDrawing, name: str) -> bpy.types.Object:
    """Add a planet to a collection."""
    planet = bpy.data.objects.new(name, bpy.data.meshes.new(name))
    collection.objects.link(planet)
    write_planet_recipe(planet, drawing.planet.recipe, drawing.size)
    show_planet(planet, drawing, planet_mark(drawing.planet.recipe, drawing.size))
    return planet


def show_planet(planet: bpy.types.Object, drawing: PlanetDrawing, mark: str) -> None:
    """Let an object show a planet, instead of what it showed before, in place; its materials stay.

    Nothing is removed: this may happen between two steps of undo.  Parts that the planet does not have any more are
    hidden.

    Parameters
    ----------
    planet : Object
    drawing : PlanetDrawing
    mark : str
        Of what is shown, from `planet_mark`.
    """
    recipe = drawing.planet.recipe
    look, pictures = recipe.look, _own_pictures(planet, drawing)
    fill_ground(planet.data, drawing)
    ground = _material(planet, lambda name: new_ground_material(f"{name} Ground", pictures, drawing.residuals))
    set_pictures(ground, drawing.residuals, has_sea=recipe.has_sea)
    sea = _part(planet, _SEA, wanted=drawing.sea_radius > 0.0 and bool(drawing.is_under_sea.any()))
    if sea is not None:
        fill_sea(sea.data, drawing)
        _material(sea, lambda name: new_sea_material(name, pictures))
    radius = max(drawing.size, drawing.sea_radius)
    clouds = _part(planet, _CLOUDS, wanted=look.clouds > 0.0)
    if clouds is not None:
        fill_shell(clouds.data, radius * (1.0 + _CLOUD_ALTITUDE))
        set_clouds(_material(clouds, lambda name: new_cloud_material(name, look.clouds, recipe.seed)), look.clouds)
    air = _part(planet, _AIR, wanted=look.atmosphere > 0.0)
    if air is not None:
        fill_shell(air.data, radius * (1.0 + AIR_ALTITUDE))
        _material(air, new_air_material)
        # Its shadow must not make the ground darker; its light falls only on ground that is seen from below it.
        air.visible_shadow = air.visible_glossy = False
        air.visible_diffuse = drawing.near_colours is not None
    trees = _part(planet, _TREES, wanted=drawing.trees is not None)
    if trees is not None and drawing.trees is not None:
        show_trees(trees, drawing.trees)
    for shown in (planet, *parts_of(planet)):
        for material in shown.data.materials:
            if material is not None:
                set_air(material, look.colours, look.atmosphere, radius * (1.0 + AIR_ALTITUDE))
    set_mark(planet.data, mark)


def parts_of(planet: bpy.types.Object) -> list[bpy.types.Object]:
    """Return the sea, clouds, air and trees of a planet, as far as it has them."""
    return [child for child in planet.children if _PART in child]


def lacks_parts(planet: bpy.types.Object) -> bool:
    """Return whether a planet is a duplicate that still lacks parts of the one that it was duplicated from.

    A duplicate shares its pictures with that one until it is shown again.
    """
    colours = planet.landscape_planet.colours
    if colours is None:
        return False
    own = _kinds_of(planet)
    alike = (other for other in planets() if other != planet and other.landscape_planet.colours == colours)
    return any(_kinds_of(other) - own for other in alike)


def planet_mark(recipe: PlanetRecipe, size: float) -> str:
    """Return the mark of a mesh that shows a recipe in full at a radius in the scene."""
    return hashlib.sha256(f"{size!r} {recipe.dumps()}".encode()).hexdigest()


def shown_planet_mark(planet: bpy.types.Object) -> str:
    """Return the mark of what a planet shows; empty if it has none."""
    return mark_of(planet.data)


def remove_hidden_parts(planet: bpy.types.Object) -> None:
    """Remove the parts that a planet does not have any more; only operators may do that."""
    for part in [child for child in planet.children if _UNUSED in child]:
        _discard(part)


def reload_pictures() -> None:
    """Read the pictures of all planets again from what is stored in the file, after an undo."""
    for planet in planets():
        for image in (planet.landscape_planet.colours, planet.landscape_planet.relief):
            if image is not None and image.packed_file is not None:
                read_packed(image)


def outer_radius(planet: bpy.types.Object) -> float:
    """Return the radius of a planet with its air, in the scene."""
    return max(0.5 * max(part.dimensions) for part in (planet, *parts_of(planet)))


def hide_planet(planet: bpy.types.Object) -> None:
    """Hide a planet and its parts in viewports, as the eye in the Outliner does, and in renders."""
    for one in (planet, *parts_of(planet)):
        one.hide_render = True
        if one.visible_get():
            one.hide_set(True)


def _own_pictures(planet: bpy.types.Object, drawing: PlanetDrawing) -> tuple[bpy.types.Image, bpy.types.Image]:
    """Write the pictures of a planet into its images; it gets new ones if it has none or shares them with a copy."""
    settings = planet.landscape_planet
    found = settings.colours, settings.relief
    is_shared = any(other != planet and other.landscape_planet.colours == found[0] for other in planets())
    if all(found) and not is_shared:
        repack_pictures(found, drawing)
        return found
    settings.colours, settings.relief = pack_pictures(planet.name, drawing)
    for part in (planet, *(child for child in planet.children if child.get(_PART) == _SEA)):
        if part.data.users > 1:
            part.data = part.data.copy()
        for number, material in enumerate(part.data.materials):
            if material is not None:
                # A copy gets materials of its own, which show its own pictures.
                own = material.copy() if is_shared else material
                part.data.materials[number] = with_pictures(own, settings.colours, settings.relief)
    return settings.colours, settings.relief


def _kinds_of(planet: bpy.types.Object) -> set[str]:
    """Which parts a planet has."""
    return {part[_PART] for part in parts_of(planet) if _UNUSED not in part}


def _part(planet: bpy.types.Object, kind: str, *, wanted: bool) -> bpy.types.Object | None:
    """Return a child of a planet, made if it is wanted and missing; hide one that is not wanted, and return None."""
    part = next((child for child in planet.children if child.get(_PART) == kind), None)
    if not wanted:
        if part is not None and _UNUSED not in part:
            part[_UNUSED] = True
            part.hide_viewport = part.hide_render = True
        return None
    if part is None:
        name = f"{planet.name} {kind}"
        part = bpy.data.objects.new(name, bpy.data.meshes.new(name))
        part[_PART] = kind
        part.parent = planet
        for collection in planet.users_collection:
            collection.objects.link(part)
    elif _UNUSED in part:
        del part[_UNUSED]
        part.hide_viewport = part.hide_render = False
    return part


def _material(shown: bpy.types.Object, make: Callable[[str], bpy.types.Material]) -> bpy.types.Material:
    """Return the first material of an object; if it has none, make one."""
    materials = shown.data.materials
    found = next((one for one in materials if one is not None), None)
    if found is None:
        materials.clear()
        found = make(shown.name)
        materials.append(found)
    return found


def _discard(part: bpy.types.Object) -> None:
    """Remove an object, its mesh and its materials."""
    mesh = part.data
    materials = [one for one in mesh.materials if one is not None]
    bpy.data.objects.remove(part)
    if mesh.users == 0:
        bpy.data.meshes.remove(mesh)
    bpy.data.batch_remove([one for one in materials if one.users == 0])

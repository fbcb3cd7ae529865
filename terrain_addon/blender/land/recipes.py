"""Recipes that lands are given: from presets, defaults, and sculpted surfaces."""

from pathlib import Path
from typing import NamedTuple

import bpy

from ...core.building.drawing_stages import directing_features
from ...core.building.layers import Layer, Relief
from ...core.building.plant_stages import ATTRIBUTE
from ...core.building.recipe import Recipe, load_recipe
from ...core.erosion.processes import PROCESSES
from ...core.relief.stored_heights import StoredHeights
from ..data.own_presets import find_own_preset, title
from ..data.properties import read_recipe, write_recipe
from .features import forget_deleted_features, gather_features, switch_off_forms
from .sculpting import SCULPTED, store_surface


def give_recipe(land: bpy.types.Object, recipe: Recipe) -> None:
    """Write a recipe to the settings of a land, and tell Blender that they changed."""
    write_recipe(land, recipe)
    forget_deleted_features(land)
    gather_features(land)
    # Changes by Python do not reach the dependency graph, and the handler that lets lands follow listens to it.
    land.update_tag()


def reset_recipe(land: bpy.types.Object) -> None:
    """Give a land the default recipe with its own seed, size and resolution."""
    recipe = land.landscape.recipe
    give_recipe(land, Recipe(seed=recipe.seed, width=recipe.width, depth=recipe.depth, resolution=recipe.resolution))


def recipe_of_preset(name: str) -> Recipe:
    """Return the recipe of a preset; of the user's own where two have the same name.

    Raises
    ------
    ValueError
        If there is no such preset, or its file cannot be read.
    """
    own = find_own_preset(name)
    return Recipe.preset(name) if own is None else load_recipe(own)


def own_preset_path(name: str) -> Path:
    """Return the file of one of the user's own presets.

    Raises
    ------
    ValueError
        If there is no such preset.
    """
    path = find_own_preset(name)
    if path is None:
        raise ValueError(f"there is no preset of your own called {name!r}")
    return path


class KeptSurface(NamedTuple):
    """A layer that holds a surface of a land, and the names of what was switched off because the surface has it."""

    layer: str
    processes: tuple[str, ...] = ()
    forms: tuple[str, ...] = ()
    is_shaping_off: bool = False

    @property
    def loss(self) -> str:
        """What was switched off and where users can switch it on again, as a sentence; empty where nothing was."""
        parts = [
            f"{', '.join(names)} (panel {panel})"
            for names, panel in (
                (self.processes, "Erosion"),
                (self.forms, "Draw"),
                (("Shaping",) if self.is_shaping_off else (), "Relief"),
            )
            if names
        ]
        if not parts:
            return ""
        what = ", ".join(parts)
        return f"Layer {self.layer} now holds the ground, so these are off until you switch them on again: {what}"


def keep_strokes(land: bpy.types.Object) -> KeptSurface:
    """Keep what a brush has made of a land's mesh, and return the layer that holds it.

    The strokes that follow one another go into the same layer, as long as it is what the land shows.

    Raises
    ------
    ValueError
        As `keep_sculpted_surface`.
    """
    recipe = read_recipe(land)
    top = next((layer for layer in reversed(recipe.relief.layers) if layer.enabled), None)
    changed = any(one.enabled and not PROCESSES[type(one)].keeps_surface for one in recipe.erosion)
    changed |= bool(directing_features(recipe))
    if top is None or changed or not _is_sculpted(top) or recipe.relief.shaping != Relief().shaping:
        return keep_sculpted_surface(land)
    store_surface(land, top.source.key.removeprefix(ATTRIBUTE))
    land.update_tag()
    return KeptSurface(top.name)


def _is_sculpted(layer: Layer) -> bool:
    """Whether a layer is a surface that was sculpted, as `keep_sculpted_surface` adds it."""
    source = layer.source
    is_stored = isinstance(source, StoredHeights) and source.key.startswith(ATTRIBUTE + SCULPTED)
    return is_stored and layer == Layer(name=layer.name, source=StoredHeights(key=source.key), blend="replace")


def keep_sculpted_surface(land: bpy.types.Object) -> KeptSurface:
    """Add a layer with the heights of a land's mesh to its relief, and return it.

    Processes, shaping and drawn forms are switched off: the surface has them already, and a ridge would rise again.
    Weathering stays, because plants need its soil; roads and pads stay, because they are more than ground.

    Raises
    ------
    ValueError
        If the mesh is no longer a grid, or the settings are no valid recipe.
    """
    recipe = read_recipe(land)
    name = store_surface(land)
    layer = Layer(name=name.capitalize(), source=StoredHeights(key=ATTRIBUTE + name), blend="replace")
    # The surface of the mesh has been shaped already.
    relief = recipe.relief.replace(layers=(*recipe.relief.layers, layer), shaping=Relief().shaping)
    off = [one for one in recipe.erosion if one.enabled and not PROCESSES[type(one)].keeps_surface]
    erosion = tuple(one.replace(enabled=False) if one in off else one for one in recipe.erosion)
    forms = directing_features(recipe)
    features = tuple(one.replace(enabled=False) if one in forms else one for one in recipe.features)
    switch_off_forms(land)
    give_recipe(land, recipe.replace(relief=relief, erosion=erosion, features=features))
    return KeptSurface(
        layer.name,
        tuple(dict.fromkeys(title(type(one).model()) for one in off)),
        tuple(one.name or title(type(one).model()) for one in forms),
        recipe.relief.shaping != Relief().shaping,
    )

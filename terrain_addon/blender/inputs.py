"""What a recipe asks for from outside: files."""

import bpy

from ..core.recipe import Recipe
from ..core.stages import Inputs
from ..files.inputs import read_inputs


def gather_inputs(recipe: Recipe, land: bpy.types.Object | None) -> Inputs:
    """Read everything that a recipe names.

    Parameters
    ----------
    recipe : Recipe
    land : Object or None
        Whose painted attributes and stored heights the recipe means.

    Raises
    ------
    ValueError
        If a file cannot be read.
    """
    return read_inputs(recipe, bpy.path.abspath)

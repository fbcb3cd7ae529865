"""The relief of a recipe in a window of a land: the same samples as those of the whole land.

>>> recipe = Recipe.preset("alpine", resolution=65)
>>> land = recipe.grid
>>> whole, piece = relief_in_window(recipe, land, {}), relief_in_window(recipe, land.window(20, 30, 9, 9), {})
>>> bool((whole[20:29, 30:39] == piece).all())
True
"""

import numpy as np

from ..foundation.terrain import Field, Grid
from ..relief.shaping import shape_relief
from .layers import Inputs, Setting, apply_layer, stack_limits
from .recipe import Recipe


def check_windows(recipe: Recipe) -> None:
    """Refuse a recipe whose relief cannot be made window by window.

    Parameters
    ----------
    recipe : Recipe
        Whose layers are asked.

    Raises
    ------
    ValueError
        If the mask of a layer follows a map: that depends on land far away.
    """
    for layer in recipe.relief.layers:
        if layer.enabled and layer.mask.maps:
            raise ValueError(
                f"layer {layer.name!r} follows the map {layer.mask.maps[0]!r} of the land beneath it, which cannot be "
                f"made tile by tile; use another mask, or build a smaller land"
            )


def relief_in_window(recipe: Recipe, window: Grid, inputs: Inputs) -> Field:
    """Return the land before erosion in a window.

    Parameters
    ----------
    recipe : Recipe
        Its borders count, not its resolution.
    window : Grid
        Where to sample; cells of any size.
    inputs : mapping of str to StoredField
        As for `core.build`.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres.
    """
    limits = stack_limits(recipe.relief, inputs)
    setting = Setting(window, recipe.seed, inputs, recipe.time, recipe.borders)
    heights: Field | None = None
    for layer, below in zip(recipe.relief.layers, limits):
        if layer.enabled:
            heights = apply_layer(heights, layer, setting, below)
    ground = np.zeros(window.shape, np.float32) if heights is None else heights
    return shape_relief(ground, window, recipe.borders, recipe.relief.shaping, limits[-1])

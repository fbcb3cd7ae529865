"""How much memory a landscape needs, so that what does not fit is refused before anything is allocated."""

from ..erosion.processes import PROCESSES
from ..foundation.memory import MAKE_A_WORLD, check_bytes
from .measuring import maps_wanted
from .recipe import Recipe

_FIELD = 4  # bytes of a sample
# Bytes that any landscape takes: the history of its erosion is kept on coarse grids of their own.
_ANY = 2**24
# Bytes for the waves of the air that bring rain; they are computed on a grid of their own, too.
_RAIN = 80 * 2**20
# Ground and water that a landscape keeps beside its maps, and what the measurement that needs most takes meanwhile.
_BESIDE_MAPS = 11
# What Blender adds: the mesh, its attributes, the arrays they come from, and results kept for the next change.
_SHOWN = 56


def bytes_needed(recipe: Recipe, *, shown: bool = False) -> int:
    """Return how much memory a landscape needs while it is made, without its plants.

    Parameters
    ----------
    recipe : Recipe
        What is to be made.
    shown : bool
        Whether Blender shows it as a mesh, too.

    Returns
    -------
    int
        Bytes.

    Examples
    --------
    >>> bytes_needed(Recipe(resolution=1025)) // 2**20
    116
    """
    eroding = max((PROCESSES[type(one)].layers for one in recipe.erosion if one.enabled), default=0)
    layers = max(eroding, _BESIDE_MAPS + len(maps_wanted(recipe))) + (_SHOWN if shown else 0)
    any_size = _ANY + (_RAIN if recipe.climate.enabled else 0)
    return any_size + recipe.grid.rows * recipe.grid.columns * layers * _FIELD


def check_recipe(recipe: Recipe, *, shown: bool = False) -> None:
    """Refuse a landscape that needs more memory than is free.

    Parameters
    ----------
    recipe, shown
        As for `bytes_needed`.

    Raises
    ------
    ValueError
        Saying how much is needed and how much is free.
    """
    grid = recipe.grid
    what = f"a landscape of {grid.rows} × {grid.columns} samples"
    check_bytes(bytes_needed(recipe, shown=shown), what, MAKE_A_WORLD)

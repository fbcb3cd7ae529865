"""How much memory a landscape needs, so that what does not fit is refused before anything is allocated."""

from bisect import bisect_right

from ..erosion.processes import PROCESSES
from ..foundation.memory import check_bytes
from ..maps.catalogue import MAPS, MEASUREMENTS
from .measuring import is_on, maps_wanted
from .recipe import Recipe

_FIELD = 4  # bytes of a sample
# Bytes that any landscape takes: the history of its erosion is kept on coarse grids of their own.
_ANY = 2**24
# Bytes for the waves of the air that bring rain; they are computed on a grid of their own, too.
_RAIN = 44 * 2**20
# Ground that a landscape keeps beside its maps, ice and snow, and what the last measurements take meanwhile.
_BESIDE_MAPS, _ICE, _SNOW = 5, 2, 3
# Ground and maps that are there while the measurement that needs most is made.
_MEANWHILE = 6
# What Blender adds: the mesh, its attributes, the arrays they come from, and results kept for the next change; and the
# bytes of some hundred thousand plants with their models, which any land may have.
_SHOWN, _SHOWN_PLANTS = 56, 2**27

_MAKE_A_WORLD = "make it a world, tile by tile, with `python -m terrain_addon world` (docs/worlds.md)"


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
    96
    """
    layer = recipe.grid.rows * recipe.grid.columns * _FIELD
    eroding = max((PROCESSES[type(one)].layers for one in recipe.erosion if one.enabled), default=0)
    measuring = _MEANWHILE + max(one.layers for one in MEASUREMENTS.values() if is_on(one, recipe))
    raining = _MEANWHILE * layer + _RAIN if recipe.climate.enabled else 0
    kept = sum(not MAPS[name].is_quick for name in maps_wanted(recipe)) + _BESIDE_MAPS
    kept += (_ICE if recipe.glaciers.enabled else 0) + (_SNOW if recipe.winter.enabled else 0)
    made = max(max(eroding, measuring, kept) * layer, raining)
    return _ANY + made + (_SHOWN * layer + _SHOWN_PLANTS if shown else 0)


def check_recipe(recipe: Recipe, *, shown: bool = False) -> None:
    """Refuse a landscape that needs more memory than is free.

    Parameters
    ----------
    recipe, shown
        As for `bytes_needed`.

    Raises
    ------
    ValueError
        Saying how much is needed, how much is free, and the largest resolution that fits.
    """

    def advise(room: int) -> str:
        largest = _largest_resolution(recipe, room, shown=shown)
        return f"lower the resolution{f' to {largest} or less' if largest else ''}, {_MAKE_A_WORLD}"

    grid = recipe.grid
    what = f"a landscape of {grid.rows} × {grid.columns} samples"
    check_bytes(bytes_needed(recipe, shown=shown), what, advise)


def _largest_resolution(recipe: Recipe, room: int, *, shown: bool) -> int:
    """Return the largest resolution below that of a recipe with which it fits into memory; 0 if there is none."""

    def needed(resolution: int) -> int:
        try:
            return bytes_needed(recipe.replace(resolution=resolution), shown=shown)
        except ValueError:  # Cells that are too large for the depth of the land.
            return 0

    sizes = range(2, recipe.resolution)
    largest = bisect_right(sizes, room, key=needed) + 1
    return largest if 0 < needed(largest) <= room else 0

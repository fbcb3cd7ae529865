"""How real a landscape is, as the kind of land that its recipe makes."""

from ..erosion.processes import PROCESSES
from ..maps.land_classes import LandClass
from ..maps.realism import Realism, check_realism
from .landscape import Landscape
from .recipe import Recipe

SPECIAL_FIRST: tuple[LandClass, ...] = ("islands", "volcano", "fjords", "mesa", "mountains", "dunes")
"""Classes that a recipe makes by itself; where it makes several, the first counts."""


def land_class_of(recipe: Recipe) -> LandClass | None:
    """Return which class of land a recipe makes.

    Parameters
    ----------
    recipe : Recipe
        What is made.

    Returns
    -------
    str or None
        Islands where the land falls off into the sea all around, else the most special class that a source or process
        makes, mountains at last; None where none of them makes any.
    """
    sea, shaping = recipe.water.sea_surface, recipe.relief.shaping
    is_island = sea is not None and shaping.border != "open" and shaping.border_altitude < sea
    made: list[str | None] = ["islands"] if is_island else []
    made += [layer.made_by.land_class for layer in recipe.relief.layers if layer.enabled]
    made += [PROCESSES[type(process)].land_class for process in recipe.erosion if process.enabled]
    return next((one for one in SPECIAL_FIRST if one in made), None)


def judge(landscape: Landscape, land_class: LandClass) -> Realism:
    """Return how real the land of a landscape is, down to its sea.

    Parameters
    ----------
    landscape : Landscape
        What is judged.
    land_class : str
        The class of measured land that it is compared with.

    Returns
    -------
    Realism
        See `check_realism`.
    """
    terrain = landscape.terrain
    return check_realism(terrain.surface, terrain.cell_size, land_class, sea_level=landscape.recipe.water.sea_surface)

"""Plants that are added to a stand: as many of one species as find room.

References
----------
Feder, J. (1980).  Random sequential adsorption.  Journal of Theoretical Biology 87(2), 237-254.
doi:10.1016/0022-5193(80)90358-6
"""

import numpy as np

from ..foundation.progress import Steps, within
from ..foundation.terrain import Field
from .dart_throwing import DartThrowing, throw_darts
from .plants import Plants, remove_plants
from .species import Species
from .stem_spacing import Stems, stand_clear

# Random discs that keep a distance d fill the plane when there are this many of them on d² (Feder 1980).
_FULL = 0.696
# Share of the progress that throwing darts takes.
_THROWING = 0.9


def count_room(density: Field, cell_size: float, species: Species) -> int:
    """Return about how many plants of a species have room on empty ground.

    Parameters
    ----------
    density : ndarray of float32, shape (rows, columns)
        Share of the places that may be planted, 0 to 1.
    cell_size : float
        Metres.
    species : Species
        Its radius counts.

    Returns
    -------
    int

    Examples
    --------
    >>> count_room(np.ones((11, 11), np.float32), 10.0, Species(radius=5.0))
    278
    """
    corners = [density[i : i + density.shape[0] - 1, j : j + density.shape[1] - 1] for i in (0, 1) for j in (0, 1)]
    area = 0.25 * float(sum(part.sum(dtype=np.float64) for part in corners)) * cell_size**2
    nearest = species.radius * (1.0 - species.radius_variation)
    return round(_FULL * area / nearest**2)


def add_where_clear(density: Field, cell_size: float, species: Species, seed: int, there: Stems) -> Steps[Plants]:
    """Place plants of one species wherever those that are there leave room.

    Parameters
    ----------
    density : ndarray of float32, shape (rows, columns)
        Share of the places that may be planted, 0 to 1; 2 × 2 samples or more.
    cell_size : float
        Metres.
    species : Species
        What is planted.
    seed : int
        0 to 2³¹ − 1.
    there : Stems
        What is there already.

    Yields
    ------
    float
        Share done.

    Returns
    -------
    Plants
        No two are nearer than the larger of their radii.
    """
    # All that have room, and not fewer with more room each.
    most = max(2 * count_room(density, cell_size, species), 1)
    throwing = DartThrowing(most_plants=min(most, 50_000_000))
    thrown = yield from within(throw_darts([density], cell_size, [species], seed, throwing), 0.0, _THROWING)
    yield _THROWING
    rows, columns = density.shape
    width, depth = (columns - 1) * cell_size, (rows - 1) * cell_size
    return remove_plants(thrown, stand_clear(thrown.x, thrown.y, species.radius, there, width, depth))

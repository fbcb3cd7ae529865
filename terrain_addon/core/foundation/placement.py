"""Where stored heights lie on the plane, and the borders of a landscape."""

from dataclasses import dataclass

from .parameters import ParameterSet, parameter
from .terrain import Grid

Borders = tuple[float, float, float, float]
"""Borders of a landscape in metres on the endless plane: west, south, east, north."""

FITS = {
    "stretched": "Over the whole landscape, whatever its size",
    "true_size": "At the size that the data state; beyond their border the surface is level",
}


@dataclass(frozen=True)
class Placement(ParameterSet):
    """Where stored heights lie."""

    fit: str = parameter("stretched", "Over which area the heights are placed", choices=FITS)
    offset_east: float = parameter(
        0.0,
        "Where the western border of the data lies at their true size",
        unit="m",
        limits=(-1e6, 1e6),
        soft=(-10000.0, 10000.0),
    )
    offset_north: float = parameter(
        0.0,
        "Where the southern border of the data lies at their true size",
        unit="m",
        limits=(-1e6, 1e6),
        soft=(-10000.0, 10000.0),
    )


def borders_of(grid: Grid) -> Borders:
    """Return the borders of a grid, which are those of the landscape unless the grid is a tile of it.

    Parameters
    ----------
    grid : Grid
        Where the samples lie.

    Returns
    -------
    Borders
        West, south, east and north in metres.

    Examples
    --------
    >>> borders_of(Grid(3, 5, cell_size=10.0, first_row=1.0))
    (0.0, 10.0, 40.0, 30.0)
    """
    west, south = grid.first_column * grid.cell_size, grid.first_row * grid.cell_size
    return west, south, west + grid.width, south + grid.depth

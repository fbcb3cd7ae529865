"""Where stored heights lie on the plane."""

from dataclasses import dataclass

from .parameters import ParameterSet, parameter
from .terrain import Grid

Borders = tuple[float, float, float, float]
"""Borders of a landscape in metres on the endless plane: west, south, east, north."""

FITS = {
    "stretched": "Over the whole landscape, whatever its size",
    "true_size": "At the size that the data say they have; beyond their border the land is level",
}


@dataclass(frozen=True)
class Placement(ParameterSet):
    """Where stored heights lie."""

    fit: str = parameter("stretched", "How large the heights are laid out", choices=FITS)
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
    """Return the borders of a grid, which are those of the landscape if it is not a piece of a larger one."""
    west, south = grid.first_column * grid.cell_size, grid.first_row * grid.cell_size
    return west, south, west + grid.width, south + grid.depth

"""The ground: a grid, and the bedrock and sediment on it.

>>> terrain = Terrain(bedrock=[[1.0, 2.0], [3.0, 4.0]], sediment=[[0.5, 0.0], [0.0, 0.0]], cell_size=10.0)
>>> terrain.surface.tolist()
[[1.5, 2.0], [3.0, 4.0]]
>>> terrain.grid.width, terrain.grid.depth
(10.0, 10.0)
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

Field = npt.NDArray[np.float32]
"""Heights or a map: C-contiguous float32, shape (rows, columns), row 0 is south, column 0 is west."""


@dataclass(frozen=True)
class Grid:
    """The places of the samples: `rows` × `columns` points, `cell_size` metres apart.

    Samples are the vertices of a mesh: sample (row, column) is vertex ``row * columns + column``, at
    x = ``column * cell_size`` (east) and y = ``row * cell_size`` (north).

    `first_row` and `first_column` say where in the endless plane the grid begins, in cells.  A window of a grid samples
    exactly the same points, so that a surface made tile by tile equals one made as a whole.

    Parameters
    ----------
    rows, columns : int
        Samples from south to north and from west to east, 1 or more.
    cell_size : float
        Distance between neighbouring samples in metres, above 0.
    first_row, first_column : float
        Cells from the origin of the plane to the south-west sample.

    Raises
    ------
    ValueError
        If a number is out of range.

    Examples
    --------
    >>> Grid(100, 200, cell_size=30.0).window(10, 20, 5, 5)
    Grid(rows=5, columns=5, cell_size=30.0, first_row=10.0, first_column=20.0)
    """

    rows: int
    columns: int
    cell_size: float
    first_row: float = 0.0
    first_column: float = 0.0

    def __post_init__(self) -> None:
        if self.rows < 1 or self.columns < 1:
            raise ValueError(f"a grid of {self.rows} × {self.columns} samples is below 1 × 1 samples")
        if not (np.isfinite(self.cell_size) and self.cell_size > 0.0):
            raise ValueError(f"cell_size = {self.cell_size!r} m is not a finite length above 0 m")
        for name in ("first_row", "first_column"):
            if not abs(getattr(self, name)) < 2.0**32:
                raise ValueError(f"{name} = {getattr(self, name)!r} is not a finite number of cells below 2³²")
            # To a millionth of a cell, so that sums of such numbers are exact and windows of windows agree.
            object.__setattr__(self, name, round(getattr(self, name) * 2.0**20) * 2.0**-20)

    def window(self, row: int, column: int, rows: int, columns: int) -> "Grid":
        """Return the grid of a piece of this one.

        Parameters
        ----------
        row, column : int
            Where the south-west sample of the piece lies in this grid.
        rows, columns : int
            Size of the piece in samples.

        Returns
        -------
        Grid
        """
        return Grid(rows, columns, self.cell_size, self.first_row + row, self.first_column + column)

    def strips(self, rows: int) -> Iterator[tuple["Grid", slice]]:
        """Yield pieces of this grid that reach from west to east, from south to north.

        Parameters
        ----------
        rows : int
            Of each piece, 1 or more; the last one may have fewer.

        Yields
        ------
        tuple
            The grid of the piece, and its rows in this grid.
        """
        for first in range(0, self.rows, rows):
            last = min(first + rows, self.rows)
            yield self.window(first, 0, last - first, self.columns), slice(first, last)

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        return self.rows, self.columns

    @property
    def width(self) -> float:
        """Length from west to east in metres."""
        return (self.columns - 1) * self.cell_size

    @property
    def depth(self) -> float:
        """Length from south to north in metres."""
        return (self.rows - 1) * self.cell_size


@dataclass(frozen=True)
class Terrain:
    """Bedrock and the sediment on it.  The surface is their sum, so that the three cannot disagree.

    Parameters
    ----------
    bedrock : ndarray of float32, shape (rows, columns)
        Height of the rock in metres, finite.
    sediment : ndarray of float32, shape (rows, columns)
        Thickness of the loose cover in metres, not negative.
    cell_size : float
        Distance between neighbouring samples in metres, above 0.

    Raises
    ------
    ValueError
        If the two differ in shape, are not two-dimensional or not finite, or sediment is negative.
    """

    bedrock: Field
    sediment: Field
    cell_size: float

    def __post_init__(self) -> None:
        for name in ("bedrock", "sediment"):
            object.__setattr__(self, name, as_field(getattr(self, name), name))
        if self.bedrock.shape != self.sediment.shape:
            raise ValueError(f"bedrock has shape {self.bedrock.shape} but sediment {self.sediment.shape}")
        if float(self.sediment.min()) < 0.0:
            raise ValueError(f"sediment = {float(self.sediment.min())!r} m is below 0 m")
        rows, columns = self.bedrock.shape
        Grid(rows, columns, self.cell_size)

    @cached_property
    def surface(self) -> Field:
        """Height of the ground in metres, float32 (rows, columns)."""
        surface = self.bedrock + self.sediment
        surface.flags.writeable = False
        return surface

    @property
    def grid(self) -> Grid:
        """Where the samples lie."""
        rows, columns = self.bedrock.shape
        return Grid(rows, columns, self.cell_size)


def as_field(values: npt.ArrayLike, name: str) -> Field:
    """Return values as a read-only C-contiguous float32 array (rows, columns), copied only if necessary.

    Parameters
    ----------
    values : array_like, shape (rows, columns)
        Finite numbers.
    name : str
        What they are called in messages.

    Returns
    -------
    ndarray of float32, shape (rows, columns)

    Raises
    ------
    ValueError
        If `values` is not two-dimensional, is empty, or holds NaN, infinity or numbers beyond float32.
    """
    with np.errstate(over="ignore"):
        field = np.ascontiguousarray(values, dtype=np.float32)
    if field.ndim != 2 or field.size == 0:
        raise ValueError(f"{name} has shape {field.shape}, not (rows, columns) with at least one sample")
    # One pass and no temporary array: the sum of finite float32 values in float64 is finite, anything else is not.
    if not np.isfinite(field.sum(dtype=np.float64)):
        bad = int(field.size - np.isfinite(field).sum())
        raise ValueError(f"{name} holds {bad} values that are NaN, infinite or too large, out of {field.size}")
    field = field.view()
    field.flags.writeable = False
    return field

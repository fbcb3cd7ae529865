"""The land itself: a grid and two layers on it, bedrock and sediment."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

Field = npt.NDArray[np.float32]
"""Heights or a map: C-contiguous float32, shape (rows, columns), row 0 is south, column 0 is west."""


@dataclass(frozen=True)
class Grid:
    """Where the samples lie: `rows` × `columns` points, `cell_size` metres apart.

    Samples are the vertices of a mesh: sample (row, column) is vertex ``row * columns + column``, at
    x = ``column * cell_size`` (east) and y = ``row * cell_size`` (north).

    `first_row` and `first_column` say where in the endless plane the grid begins, in cells: a window of a grid samples
    the very same points, so that land made piece by piece equals land made in one.
    """

    rows: int
    columns: int
    cell_size: float
    first_row: float = 0.0
    first_column: float = 0.0

    def __post_init__(self) -> None:
        if self.rows < 1 or self.columns < 1:
            raise ValueError(f"a grid of {self.rows} × {self.columns} samples is outside 1 × 1 and above")
        if not (np.isfinite(self.cell_size) and self.cell_size > 0.0):
            raise ValueError(f"cell_size = {self.cell_size!r} m is not a finite length above 0 m")
        for name in ("first_row", "first_column"):
            if not abs(getattr(self, name)) < 2.0**32:
                raise ValueError(f"{name} = {getattr(self, name)!r} is not a finite number of cells below 2³²")
            # To a millionth of a cell, so that sums of such numbers are exact and windows of windows agree.
            object.__setattr__(self, name, round(getattr(self, name) * 2.0**20) * 2.0**-20)

    def window(self, row: int, column: int, rows: int, columns: int) -> "Grid":
        """Return the grid of a piece of this one, whose south-west sample is (row, column) here."""
        return Grid(rows, columns, self.cell_size, self.first_row + row, self.first_column + column)

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
    """A land of two layers.  The surface is their sum, so that the three can never disagree.

    Parameters
    ----------
    bedrock : ndarray of float32, shape (rows, columns)
        Height of the rock in metres, finite.
    sediment : ndarray of float32, shape (rows, columns)
        Thickness of what lies loose on it in metres, not negative.
    cell_size : float
        Distance between neighbouring samples in metres, above 0.

    Raises
    ------
    ValueError
        If the layers differ in shape, are not two-dimensional, not finite, or sediment is negative.
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
    """Return values as a read-only C-contiguous float32 array (rows, columns); no copy where none is needed.

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

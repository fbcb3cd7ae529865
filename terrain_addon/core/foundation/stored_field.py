"""Fields that come from outside: measured elevation, painted masks, sculpted heights."""

import hashlib
from dataclasses import dataclass
from functools import cached_property

from .terrain import Field, Grid, as_field

LARGEST_HEIGHT = 1e6
"""Heights beyond this, up or down, in m, are broken data; no planet has such mountains."""


@dataclass(frozen=True)
class StoredField:
    """Heights or values that were measured, painted or sculpted.

    Parameters
    ----------
    heights : ndarray of float32, shape (rows, columns)
        Metres, finite, within ±1e6; row 0 is south.
    cell_size : float or None
        Distance between neighbouring samples in metres, above 0; None if the source does not say.

    Raises
    ------
    ValueError
        If `heights` is not two-dimensional, not finite or beyond ±1e6 m, or `cell_size` is not above 0.
    """

    heights: Field
    cell_size: float | None = None

    def __post_init__(self) -> None:
        heights = as_field(self.heights, "elevation")
        object.__setattr__(self, "heights", heights)
        lowest, highest = self.limits
        if lowest < -LARGEST_HEIGHT or highest > LARGEST_HEIGHT:
            raise ValueError(
                f"elevation runs from {lowest:g} to {highest:g} m, outside -{LARGEST_HEIGHT:g} to {LARGEST_HEIGHT:g} m"
            )
        if self.cell_size is not None:
            rows, columns = heights.shape
            Grid(rows, columns, self.cell_size)

    @cached_property
    def limits(self) -> tuple[float, float]:
        """The lowest and the highest of the heights, in metres."""
        return float(self.heights.min()), float(self.heights.max())

    @cached_property
    def digest(self) -> str:
        """A hash of the heights and their size: equal only for equal data."""
        size = f"{self.heights.shape} {self.cell_size}"
        return hashlib.sha256(size.encode() + self.heights.tobytes()).hexdigest()

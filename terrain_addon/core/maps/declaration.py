"""The declaration of a map, from which everything else follows.

From a `Map` follow its stage in the plan of a landscape, the switch in the recipe if it is optional, its place among
masks, the attribute in Blender, the colours in the viewport, its texture and the note beside it, and its line in the
documentation.  To add a map, write a function that measures it, declare it below, and list it in `catalogue`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any


class Kept(Enum):
    """When a map is part of a finished landscape."""

    ALWAYS = "in every landscape"
    ON_REQUEST = "where the recipe asks for it, because it costs time and memory"
    WHERE_ON = "where the part of the recipe is on that it belongs to"
    IN_TERRAIN = "not stored a second time, because the terrain holds it"


@dataclass(frozen=True)
class Measurement:
    """Something that is measured on a terrain.

    Attributes
    ----------
    name : str
        Unique among all measurements.
    measure : callable
        ``measure(terrain, **inputs)``; `inputs` are exactly the names in `needs`, `reads` and `with_climate`.
    needs : tuple of str
        Names of other measurements, or ``relief`` for the terrain before erosion.
    reads : tuple of str
        Names of the parameter sets of a recipe that it depends on.
    with_climate : tuple of str
        Names of other measurements that `measure` takes too where the climate of the recipe is on.
    switch : str
        Name of the parameter set of a recipe that turns it on, such as ``winter``; empty if it is always there.
    layers : int
        How many float32 fields would fill the memory that it takes while it is measured, with what is kept of it;
        measured.  Those that take most are made first, while few others are there.
    """

    name: str
    measure: Callable[..., Any]
    needs: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    with_climate: tuple[str, ...] = ()
    switch: str = ""
    layers: int = 1


@dataclass(frozen=True, kw_only=True)
class Map(Measurement):
    """A measurement with one float32 value for each sample.

    Attributes
    ----------
    description : str
        What it shows, as one sentence without a full stop.
    unit : str
        SI unit, or ° or h; empty for a pure number.
    limits : tuple of 2 floats, or None
        The range that all lands share, in the unit; None where each land has its own.
    signed : bool
        Whether values above and below 0 are of equal interest.
    logarithmic : bool
        Whether values differ by powers of ten.
    kept : Kept
        When it is part of a finished landscape.
    is_quick : bool
        Whether it is measured so quickly that a landscape does not keep it, but measures it at each reading.
    """

    description: str
    unit: str = ""
    limits: tuple[float, float] | None = None
    signed: bool = False
    logarithmic: bool = False
    kept: Kept = Kept.ALWAYS
    is_quick: bool = False

    @property
    def title(self) -> str:
        """The name as a person writes it."""
        return self.name.replace("_", " ")

"""One step of the way from a recipe to a landscape."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from ..foundation.progress import Steps
from ..foundation.terrain import Terrain

Results = Mapping[str, Any]
"""What stages have made, by their names."""


class StageKind(Enum):
    """What a stage makes."""

    LAYER = "heights after one more layer of the relief"
    RELIEF = "the terrain before erosion"
    DRAWN = "a terrain that follows what was drawn on it"
    HISTORY = "a terrain through all ages, from which the stage of its process takes one"
    EROSION = "a terrain after a process of erosion, with its mass balance"
    SOIL = "a terrain after the forest has worked on its soil, with its mass balance"
    MEASUREMENT = "a map, or the water"
    FOREST = "all plants with their lives"
    PLANTS = "the plants of one year"


@dataclass(frozen=True)
class Stage:
    """A step that is computed again only if what it depends on has changed.

    Attributes
    ----------
    kind : StageKind
        What it makes.
    name : str
        Unique within a plan.
    needs : tuple of str
        Names of the stages whose results it uses.
    reads : object
        Everything else that its result depends on, as JSON.
    compute : callable
        From results by name to the steps of this stage.
    index : int
        Number of the layer or process in the recipe, from 1; 0 for all others.
    """

    kind: StageKind
    name: str
    needs: tuple[str, ...]
    reads: Any
    compute: Callable[[Results], Steps[Any]]
    index: int = 0

    @property
    def title(self) -> str:
        """What a progress bar shows."""
        return self.name.replace("_", " ") if self.kind is StageKind.MEASUREMENT else self.name


def land_of(result: Any) -> Terrain:
    """Return the terrain in the result of a stage that makes one.

    Parameters
    ----------
    result : Terrain, Eroded or Drawn
        What the stage made.

    Returns
    -------
    Terrain
        The terrain itself.
    """
    terrain: Terrain = result if isinstance(result, Terrain) else result.terrain
    return terrain

"""What the stages on the way from a recipe to a landscape make."""

from typing import Any

from ..foundation.stages import KindOfStage
from ..foundation.terrain import Terrain


class StageKind(KindOfStage):
    """What a stage of a landscape makes."""

    LAYER = "heights after one more layer of the relief", 0.3
    RELIEF = "the terrain before erosion", 0.01
    DRAWN = "a terrain that follows what was drawn on it", 0.2
    HISTORY = "a terrain through all ages, from which the stage of its process takes one", 2.0
    EROSION = "a terrain after a process of erosion, with its mass balance", 2.0
    SOIL = "a terrain after the forest has worked on its soil, with its mass balance", 0.1
    MEASUREMENT = "a map, or the water", 0.1
    FOREST = "all plants with their lives", 3.0
    PLANTS = "the plants of one year", 0.01


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

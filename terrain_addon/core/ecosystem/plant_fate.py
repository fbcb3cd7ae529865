"""How the life of a plant ends, and in which condition the plant is then."""

from enum import IntEnum

import numpy as np


class Condition(IntEnum):
    """The condition of a plant; `Plants.condition` holds these numbers, and so do the meshes in Blender."""

    LIVING = 0
    STANDING_DEAD = 1
    LYING_DEAD = 2


class Fate(IntEnum):
    """What ended the life of a plant; `Forest.fate` holds these numbers."""

    LIVING = 0
    AGE = 1
    STARVATION = 2
    FIRE = 3
    WIND = 4
    LANDSLIDE = 5
    CRUSHING = 6


NOTHING_LEFT = -1
"""For a fate that leaves nothing behind, in place of a condition."""

_LEFT_BEHIND = {
    Fate.LIVING: Condition.LIVING,
    Fate.AGE: Condition.STANDING_DEAD,
    Fate.STARVATION: Condition.STANDING_DEAD,
    Fate.FIRE: Condition.STANDING_DEAD,
    Fate.WIND: Condition.LYING_DEAD,
    Fate.LANDSLIDE: NOTHING_LEFT,
    Fate.CRUSHING: NOTHING_LEFT,
}

CONDITION_AFTER = np.array([_LEFT_BEHIND[fate] for fate in Fate], np.int64)
"""The condition in which each fate leaves a plant, NOTHING_LEFT where it takes the plant away."""

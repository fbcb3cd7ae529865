"""Names of the attributes that cross to Blender: those painted on a land, and those of each plant.

A name is declared here once; the rooms above import it.
"""

from enum import StrEnum

PLANT_EXCLUSION = "plant_exclusion"
"""Attribute of a land: the share of the plants that must not stand at a vertex, 0 to 1."""

PLANTS_HERE = "plants_here"
"""Attribute of a land: the least suitability of a vertex for all species, 0 to 1."""

PLANTS_HERE_INPUT = "plant_here"
"""The same as an input of a recipe, as scripts give it.

The two names are older than this module.  Lands in files hold the attribute and scripts name the input, so both stay.
"""


class PlantAttribute(StrEnum):
    """Attributes of each plant in Blender; all but LIES are members of Plants."""

    SPECIES = "species"
    AGE = "age"
    HEIGHT = "height"
    ROTATION = "rotation"
    VARIANT = "variant"
    RADIUS = "radius"
    HEALTH = "health"
    CONDITION = "condition"
    LIES = "lies"


PLANT_MEMBERS = tuple(name for name in PlantAttribute if name is not PlantAttribute.LIES)
"""Attributes of a plant that are members of Plants."""

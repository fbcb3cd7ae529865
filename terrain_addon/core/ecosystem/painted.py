"""Names of attributes that plants have in common with Blender: those painted on a land, and those of each plant."""

from dataclasses import fields

from .plants import Plants

PLANT_EXCLUSION = "plant_exclusion"
"""Attribute of a land: the share of the plants that must not stand at a vertex, 0 to 1."""

PLANTS_HERE = "plants_here"
"""Attribute of a land: the least suitability of a vertex for all species, 0 to 1."""

PLANTS_HERE_INPUT = "plant_here"
"""The same as an input of a recipe, as scripts give it.

The two names came about apart.  Both stay readable: lands in files hold the attribute, scripts name the input.
"""

LIES = "lies"
"""Attribute of a plant in Blender: whether it lies on the ground, and so leans with the slope."""

PLANT_ATTRIBUTES = tuple(part.name for part in fields(Plants) if part.name not in ("x", "y"))
"""Attributes of a plant in Blender that are members of `Plants`; its place is a position there."""

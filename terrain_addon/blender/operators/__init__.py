"""What users can do, one file per subject."""

from . import bake, export, generate, lists, maps, plants, recipes, sculpting

CLASSES = (
    *generate.CLASSES,
    *lists.CLASSES,
    *recipes.CLASSES,
    *maps.CLASSES,
    *plants.CLASSES,
    *bake.CLASSES,
    *export.CLASSES,
    *sculpting.CLASSES,
)

"""The operators, one file per subject."""

from . import bake, export, generate, import_elevation, lists, maps, planets, plants, recipes, sculpting

CLASSES = (
    *generate.CLASSES,
    *import_elevation.CLASSES,
    *lists.CLASSES,
    *recipes.CLASSES,
    *maps.CLASSES,
    *plants.CLASSES,
    *bake.CLASSES,
    *export.CLASSES,
    *sculpting.CLASSES,
    *planets.CLASSES,
)

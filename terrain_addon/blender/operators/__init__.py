"""The operators, one file per subject."""

from . import (
    bake,
    export,
    features,
    generate,
    import_elevation,
    lists,
    maps,
    masks,
    painting,
    planet_landscapes,
    planets,
    plants,
    recipes,
    scenery,
    sculpting,
    worlds,
)

CLASSES = (
    *generate.CLASSES,
    *import_elevation.CLASSES,
    *lists.CLASSES,
    *features.CLASSES,
    *recipes.CLASSES,
    *maps.CLASSES,
    *masks.CLASSES,
    *painting.CLASSES,
    *plants.CLASSES,
    *bake.CLASSES,
    *export.CLASSES,
    *sculpting.CLASSES,
    *scenery.CLASSES,
    *planets.CLASSES,
    *planet_landscapes.CLASSES,
    *worlds.CLASSES,
)

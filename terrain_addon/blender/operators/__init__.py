"""What users can do, one file per subject."""

from . import bake, export, generate, plants

CLASSES = (*generate.CLASSES, *plants.CLASSES, *bake.CLASSES, *export.CLASSES)

"""Mountains for tests that need some: their numbers stay as they are when a preset gets another look."""

from pathlib import Path
from typing import Any

from terrain_addon.core.building.recipe import Recipe, load_recipe

_FILE = Path(__file__).resolve().parent / "data" / "mountains.json"


def mountains(**changes: Any) -> Recipe:
    """Steep land of 6 km with rivers, spruces, beeches and rocks, and with some parameters changed."""
    return load_recipe(_FILE).replace(**changes)

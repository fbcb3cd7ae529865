"""A world so small that a test can make it: mountains with rivers, lakes, a sea and trees in four tiles."""

from pathlib import Path

from terrain_addon.core.building.recipe import Recipe
from tests.mountains import mountains

SIZE, WIDTH, TILE = 128, 1200.0, 64
"""Cells along a side, metres along a side, and cells along a side of a tile."""
CELL = WIDTH / SIZE
RIVER_SOURCE = 0.01
"""km²."""
_SEA_LEVEL = 1690.0  # metres, a little above the lowest ground


def small_alps() -> Recipe:
    """The Alps with one kind of tree and many rivers, on little land."""
    recipe = mountains(width=WIDTH, depth=WIDTH)
    species = recipe.ecosystem.species[0].replace(altitude_response=tuple((2000.0 * step, 1.0) for step in range(4)))
    water = recipe.water.replace(
        river_source=RIVER_SOURCE, smallest_lake=100.0, shallowest_lake=0.0, sea=True, sea_level=_SEA_LEVEL
    )
    return recipe.replace(ecosystem=recipe.ecosystem.replace(species=(species,), cover=0.3), water=water)


def make_small_world(folder: Path) -> Path:
    """Build it; blocks have 32 samples along a side."""
    from terrain_addon.worlds import build_world
    from terrain_addon.worlds.world import Scale

    return build_world(small_alps(), size=SIZE, tile=TILE, store=folder, scale=Scale(side=32, coarse_cells=64))

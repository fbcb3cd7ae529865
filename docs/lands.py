"""Lands and species that several pictures show."""

import json

from terrain_addon.core import Recipe
from terrain_addon.core.building.recipe import PRESET_FOLDER
from terrain_addon.core.climate.climate import Climate
from terrain_addon.core.ecosystem.species import Species


def species_of(*names: str) -> tuple[Species, ...]:
    """Return species that come with the extension."""
    texts = [(PRESET_FOLDER / "species" / f"{name}.json").read_text(encoding="utf-8") for name in names]
    return tuple(Species.from_json(json.loads(text)) for text in texts)


def mountains(resolution: int, base_altitude: float) -> Recipe:
    """Return mountains on 6 km with 700 m of relief and no climate, for pictures of what can be done on such land."""
    recipe = Recipe.preset("alpine", seed=3, width=6000.0, depth=6000.0, resolution=resolution, climate=Climate())
    (layer,) = recipe.relief.layers
    source = layer.source.replace(wavelength=4500.0, height=3000.0, base_altitude=base_altitude, gain=0.45)
    return recipe.replace(relief=recipe.relief.replace(layers=(layer.replace(source=source),)))


def lifted(recipe: Recipe, metres: float) -> Recipe:
    """Lift the first layer of a relief."""
    first, *others = recipe.relief.layers
    source = first.source.replace(base_altitude=first.source.base_altitude + metres)
    return recipe.replace(relief=recipe.relief.replace(layers=(first.replace(source=source), *others)))


def bare(recipe: Recipe) -> Recipe:
    """Take the plants off a land."""
    return recipe.replace(ecosystem=recipe.ecosystem.replace(species=()))

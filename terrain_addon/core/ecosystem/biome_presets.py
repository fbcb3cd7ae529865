"""Biomes: the plants of a kind of country, which can be put on any land.

A biome is a JSON file in `BIOME_FOLDER` with a list of species; see `species_like`.  Its species have their curves of
altitude for a land whose snow begins at `HOME_SNOW_LINE`.

>>> biome_presets()
('alpine_meadow', 'boreal', 'desert', 'mediterranean', 'savanna', 'temperate')
>>> [one.name for one in load_biome("boreal")][:3]
['spruce', 'scots_pine', 'downy_birch']

References
----------
Leuschner, C. & Ellenberg, H. (2017). Ecology of Central European Forests. Springer. doi:10.1007/978-3-319-43042-3

Sankaran, M. et al. (2005). Determinants of woody cover in African savannas. Nature 438, 846–849.
doi:10.1038/nature04070

``presets/biomes/README.md`` names a source for each biome.
"""

import json
from pathlib import Path

from .species import Species, species_like

BIOME_FOLDER = Path(__file__).parent.parent.parent / "presets" / "biomes"

HOME_SNOW_LINE = 2000.0
"""Altitude in metres where snow begins on a land on which biomes grow as their files say."""

BIOMES = {
    "alpine_meadow": "Grass, alpenrose and dwarf pine above the forest, and alder where it is wet",
    "boreal": "Spruce, and pine where it is dry, with birch up to the last trees; bilberry below",
    "temperate": "Oak, then beech, then spruce from the plain upwards; hazel and fern below",
    "mediterranean": "Holm oak, stone pine, olives and cypresses; maquis and rosemary where soil is thin",
    "savanna": "Grass with scattered umbrella thorns, and tall trees along the water",
    "desert": "Shrubs far apart, mesquite where water gathers, and stones",
}
"""Biomes that come with the extension, with what they look like."""


def biome_presets() -> tuple[str, ...]:
    """Return the names of the biomes that come with the extension, in alphabetical order."""
    return tuple(sorted(BIOMES))


def load_biome(name: str) -> tuple[Species, ...]:
    """Return the species of a biome.

    Parameters
    ----------
    name : str
        One of `biome_presets()`.

    Returns
    -------
    tuple of Species

    Raises
    ------
    ValueError
        If there is no such biome.
    """
    if name not in BIOMES:
        raise ValueError(f"there is no biome {name!r}; there are: {', '.join(biome_presets())}")
    data = json.loads((BIOME_FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return tuple(species_like(one) for one in data["species"])

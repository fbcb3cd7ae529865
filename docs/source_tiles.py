"""Small pictures of sources of relief: what each looks like from above with each of its choices."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from terrain_addon.core.foundation.parameters import ParameterSet, parameters_of
from terrain_addon.core.foundation.terrain import Grid
from terrain_addon.core.relief.fractal_noise import FractalNoise
from terrain_addon.core.relief.midpoint_displacement import MidpointDisplacement
from terrain_addon.core.relief.octaves import OctaveNoise
from terrain_addon.core.relief.published_perlin import RandomAnglePerlin, SaltedPerlin, SlidingPerlin, ZoomedPerlin
from terrain_addon.core.relief.sources import SOURCES
from terrain_addon.core.relief.white_noise import WhiteNoise

TILE, GAP, SHADES = 150, 4, 32  # pixels; with fewer shades, the files stay small
ACROSS = 6
"""Tiles in a row of the sheet of sources."""
ON_SHEET = tuple(source for source in SOURCES if issubclass(source, OctaveNoise | WhiteNoise | MidpointDisplacement))
"""Sources on the sheet, in its order."""
_CELL, _WAVELENGTH, _SQUARE, _SEED = 8.0, 400.0, 1200.0, 3
_SHOWN = (
    OctaveNoise,
    WhiteNoise,
    MidpointDisplacement,
    SaltedPerlin,
    ZoomedPerlin,
    SlidingPerlin,
    RandomAnglePerlin,
)


def choices_shown(source: type[ParameterSet]) -> list[dict[str, Any]]:
    """Return the settings of the tiles of a source; none for a source that stands by itself in a render."""
    if not issubclass(source, _SHOWN):
        return []
    if source is MidpointDisplacement:
        return [{"algorithm": one} for one in _choices(source, "algorithm")]
    found: list[dict[str, Any]] = [{"character": one} for one in _choices(source, "character")] or [{}]
    if source is FractalNoise:
        found += [{"basis": one} for one in _choices(source, "basis")[1:]]
    return found


def tiles_of(source: type[ParameterSet]) -> list[NDArray[np.uint8]]:
    """Return a source from above in shades of height, dark where it is low, with each of its choices."""
    grid = Grid(TILE, TILE, _CELL)
    wavelength = _SQUARE if source is MidpointDisplacement else _WAVELENGTH
    made = (
        SOURCES[source].make(grid, source(wavelength=wavelength, **choice), _SEED) for choice in choices_shown(source)
    )
    return [_in_shades(heights) for heights in made]


def in_a_row(tiles: list[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """Return tiles side by side, with white between them."""
    row = np.full((TILE, len(tiles) * (TILE + GAP) - GAP), 255, np.uint8)
    for number, tile in enumerate(tiles):
        row[:, number * (TILE + GAP) : number * (TILE + GAP) + TILE] = tile
    return row


def _in_shades(heights: NDArray[np.float32]) -> NDArray[np.uint8]:
    low, high = heights.min(), heights.max()
    shares = (heights[::-1] - low) / max(high - low, 1e-6)
    return (np.rint(shares * (SHADES - 1)) * (255 // (SHADES - 1))).astype(np.uint8)


def _choices(source: type[ParameterSet], name: str) -> list[str]:
    return [choice for one in parameters_of(source) if one.name == name for choice in one.choices]

"""The two maps that a terrain holds already."""

from .declaration import Kept, Map

ALTITUDE = Map(
    "altitude", lambda terrain: terrain.surface, description="Height of the ground", unit="m", kept=Kept.IN_TERRAIN
)
SEDIMENT = Map(
    "sediment",
    lambda terrain: terrain.sediment,
    description="Thickness of the loose ground on the rock",
    unit="m",
    kept=Kept.IN_TERRAIN,
)

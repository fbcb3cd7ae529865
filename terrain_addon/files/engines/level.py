"""A land as a package takes it: its recipe, its tiles, its plants, its water and its roads."""

from collections.abc import Callable, Iterator
from types import MappingProxyType
from typing import NamedTuple

from ...core.building.recipe import Recipe
from ...core.ecosystem.plants import Plants
from ...core.foundation.terrain import Grid
from ...core.meshing.road_mesh import RoadMesh
from ...core.meshing.water_mesh import WaterMesh
from ..own_ground import OwnGrounds
from ..plant_instances import PlantModel
from ..roads import NOTHING_BUILT, Built
from .tiled_land import Tile, TiledLand


class TileContent(NamedTuple):
    """What a package shows on one tile.

    Attributes
    ----------
    tile : Tile
    plants : Plants or None
        Those that belong to it, measured from the south-west corner of the land, with their model as species.
    water : WaterMesh or None
        Its water, if it is not one mesh with that of the other tiles.
    """

    tile: Tile
    plants: Plants | None
    water: WaterMesh | None = None


class Level(NamedTuple):
    """A land as a package takes it.

    Attributes
    ----------
    recipe : Recipe
    grid : Grid
        Its own samples.
    sea_level : float or None
        Metres; None if there is no sea.
    land : TiledLand
        How it is cut at the size of the engine.
    models : tuple of PlantModel
        Of its plants; empty if it has none.
    tiles : callable
        Goes through the tiles, in the order of `TiledLand.places`.
    water : WaterMesh or None
        Of the whole land; None if tiles have their own.
    roads : RoadMesh or None
        None if it has none.
    built : Built
        Its roads and pads.
    own_ground : mapping of str to OwnGround
        Images of the user for some layers of ground cover.
    """

    recipe: Recipe
    grid: Grid
    sea_level: float | None
    land: TiledLand
    models: tuple[PlantModel, ...]
    tiles: Callable[[], Iterator[TileContent]]
    water: WaterMesh | None = None
    roads: RoadMesh | None = None
    built: Built = NOTHING_BUILT
    own_ground: OwnGrounds = MappingProxyType({})

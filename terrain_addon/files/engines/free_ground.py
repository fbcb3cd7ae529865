"""Where on a tile nothing grows or lies: on roads and pads, beside them as far as they are kept clear, and in water."""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...core.building.recipe import Recipe
from ...core.direction.drawing import stands_free
from ...core.ecosystem.plants import Plants, remove_plants
from ...core.meshing.under_water import GroundPlaces, lie_under_water
from ...core.meshing.water_mesh import RIVER, WaterMesh
from ..plant_models import water_borne_by
from ..plants_in_water import stand_in_water
from ..roads import NOTHING_BUILT, Built
from .engine import Engine
from .tiled_land import Tile, TiledLand

_Mask = npt.NDArray[np.bool_]

# Pictures of densities are as fine as this where there are roads or water, in metres, because a road or a stream is
# narrower than the cells of most lands; but they get no more texels than that along a side.
_FINE, _MOST_TEXELS = 1.5, 2100


class Obstacles(NamedTuple):
    """What keeps plants and things away from the ground.

    Attributes
    ----------
    built : Built
        Roads and pads of the land.
    water : WaterMesh or None
        Around the middle of the land.
    """

    built: Built = NOTHING_BUILT
    water: WaterMesh | None = None


class EngineGround(NamedTuple):
    """The ground of a tile as an engine shows it, with what keeps plants and things away from it.

    Attributes
    ----------
    land : TiledLand
        The whole land.
    tile : Tile
    engine : Engine
    obstacles : Obstacles
    """

    land: TiledLand
    tile: Tile
    engine: Engine
    obstacles: Obstacles

    @property
    def corner(self) -> tuple[float, float]:
        """Metres east and north of the south-west corner of the land, where that of the tile is."""
        width, depth = self.land.tile_size
        return self.tile.column * width, self.tile.row * depth


class DetailTexels(NamedTuple):
    """The middles of the texels of a picture of a tile, row after row from the south-west.

    Attributes
    ----------
    places : GroundPlaces
        From the south-west corner of the tile.
    shape : tuple of int
        Rows and columns.
    finer : int
        How many of them lie along one sample.
    reach : float
        Metres from the middle of a texel to the farthest places where it counts.
    """

    places: GroundPlaces
    shape: tuple[int, int]
    finer: int
    reach: float


def texels_of(ground: EngineGround, samples: tuple[int, int]) -> DetailTexels:
    """Return the texels of a picture that is fine enough for roads and streams.

    Parameters
    ----------
    ground : EngineGround
        Of the tile.
    samples : tuple of int
        Rows and columns of the picture without them.

    Returns
    -------
    DetailTexels
    """
    size = ground.land.tile_size
    wanted = math.ceil(max(size[0] / samples[1], size[1] / samples[0]) / _FINE)
    finer = max(min(wanted, _MOST_TEXELS // max(samples)), 1)
    x, y = (_middles(ground.engine, count, finer, length) for count, length in zip(samples[::-1], size))
    diagonal = math.hypot(*(length / (finer * (count - 1)) for count, length in zip(samples[::-1], size)))
    places = _on_ground(ground, np.tile(x, y.size), np.repeat(y, x.size))
    return DetailTexels(places, (y.size, x.size), finer, diagonal * (1.0 if ground.engine.blends_densities else 0.5))


def _middles(engine: Engine, samples: int, finer: int, length: float) -> npt.NDArray[np.float32]:
    """Return where the texels along a side lie, in metres; those beyond the border of the tile on the border."""
    place = (np.arange(finer * samples) + 0.5) / finer
    share = (place - 0.5) / (samples - 1) if engine.blends_densities else place / samples
    return _inside((share * length).astype(np.float32), length)


def _inside(place: npt.NDArray[np.float32], length: float) -> npt.NDArray[np.float32]:
    """Return places along a side of a tile, those on or beyond its borders just inside: kernels read no further."""
    return np.clip(place, np.float32(0.0), np.nextafter(np.float32(length), np.float32(0.0)))


def kept_clear(ground: EngineGround, texels: DetailTexels) -> _Mask:
    """Return which texels touch roads and pads, or the ground beside them that is kept clear.

    Parameters
    ----------
    ground, texels
        Of the tile.

    Returns
    -------
    ndarray of bool, shape `texels.shape`
    """
    built = ground.obstacles.built
    if not (built.roads or built.pads):
        return np.zeros(texels.shape, np.bool_)
    east, north = ground.corner
    x, y = texels.places.x + np.float32(east), texels.places.y + np.float32(north)
    free = stands_free([laid.pad for laid in built.pads], built.roads, x, y, texels.reach)
    return ~free.reshape(texels.shape)


def deeper_than(ground: EngineGround, texels: DetailTexels, depth: float) -> _Mask:
    """Return which texels lie under so much water.

    Parameters
    ----------
    ground, texels
        Of the tile.
    depth : float
        Metres.

    Returns
    -------
    ndarray of bool, shape `texels.shape`
    """
    water, size = ground.obstacles.water, ground.land.tile_size
    if water is None:
        return np.zeros(texels.shape, np.bool_)
    is_deep = _lie_under(ground, texels.places, water, water.triangles, depth)
    # Between the middles of two texels there may be a narrow stream.
    beside = np.float32(texels.reach / math.sqrt(8.0))
    for east, north in ((beside, 0), (-beside, 0), (0, beside), (0, -beside)):
        ways = np.float32(east), np.float32(north)
        x, y = (_inside(place + way, side) for place, way, side in zip(texels.places, ways, size))
        is_deep |= _lie_under(ground, _on_ground(ground, x, y), water, _rivers_of(water), depth)
    return is_deep.reshape(texels.shape)


def plants_on_banks(ground: EngineGround, plants: Plants | None, recipe: Recipe) -> Plants | None:
    """Return the plants that do not stand in a river as the engine shows it, or in deeper water than they bear.

    On the land itself none does, but an engine shows it by other triangles, on which narrow streams are laid.

    Parameters
    ----------
    ground : EngineGround
        Of the tile.
    plants : Plants or None
        Those of the tile from `plants_by_model`, measured from the south-west corner of the land.
    recipe : Recipe
        Of the land.

    Returns
    -------
    Plants or None
        None if there are none.
    """
    water, land, (east, north) = ground.obstacles.water, ground.land, ground.corner
    if plants is None or water is None:
        return plants
    x, y = (
        _inside(values - np.float32(start), length)
        for values, start, length in zip((plants.x, plants.y), ground.corner, land.tile_size)
    )
    middle = land.width / 2 - east, land.depth / 2 - north
    deepest = water_borne_by(plants, recipe)
    stands_in = stand_in_water(_on_ground(ground, x, y), deepest, water, middle, land.tile_size)
    return remove_plants(plants, ~stands_in) if not stands_in.all() else None


def _rivers_of(water: WaterMesh) -> npt.NDArray[np.int32]:
    """Return the triangles of rivers."""
    return water.triangles[water.kind[water.triangles[:, 0]] == RIVER]


def _on_ground(ground: EngineGround, x: npt.NDArray[np.float32], y: npt.NDArray[np.float32]) -> GroundPlaces:
    """Return places from the south-west corner of the tile with their altitude."""
    east, north = ground.corner
    turned = ground.engine.turned(ground.tile.heights)
    altitude = ground.land.altitude(ground.tile, x + np.float32(east), y + np.float32(north), turned)
    return GroundPlaces(x, y, altitude)


def _lie_under(
    ground: EngineGround, places: GroundPlaces, water: WaterMesh, triangles: npt.NDArray[np.int32], depth: float
) -> _Mask:
    """Return which places have more than so many metres of water above them."""
    (east, north), land = ground.corner, ground.land
    corners = water.positions + np.array([land.width / 2 - east, land.depth / 2 - north, 0.0], np.float32)
    below = places._replace(altitude=places.altitude + np.float32(depth))
    return lie_under_water(below, corners, triangles, land.tile_size)

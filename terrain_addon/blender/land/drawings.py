"""The arrays that Blender shows of a landscape; made in the thread that builds it, so the window does not wait."""

import weakref
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...core.building.landscape import Landscape
from ...core.building.measuring import kept_of
from ...core.ecosystem.crown_cover import crown_cover
from ...core.foundation.progress import Progress
from ...core.foundation.sampling import vertex_positions
from ...core.foundation.terrain import Field
from ...core.ice.glaciers import GlacierFields
from ...core.maps.glaciers import ICE_THICKNESS, moraine_share
from ...core.maps.water import WATER_DEPTH
from ...core.meshing.cut_water import water_on_land
from ...core.meshing.detail import detail_slopes
from ...core.meshing.ice_mesh import IceMesh, IceSurface, make_ice_mesh
from ...core.meshing.open_sea import with_open_sea
from ...core.meshing.road_mesh import RoadMesh, make_road_mesh
from ...core.meshing.snow_mesh import NO_SNOW, SnowMesh, drawn_snow_depth, make_snow_mesh
from ...core.meshing.water_mesh import WaterMesh, make_water_mesh, signed_water_depth
from ..data.attributes import SNOW_COVER
from ..data.meshes import PlantPoints, points_on_land
from ..plants.plant_assets import variant_counts


@dataclass(frozen=True)
class Drawing:
    """A landscape and the arrays that show it.

    Attributes
    ----------
    landscape : Landscape
    positions : ndarray of float32, shape (vertices, 3), or None
        Vertices of the land in metres; None if the land already shows this ground with its maps.
    water : WaterMesh or None
        None if the landscape was built without water, or the land already shows this ground.
    plants : PlantPoints or None
        None if there are no plants, or the land already shows them.
    maps : mapping of str to ndarray of float32, shape (rows, columns), or None
        All maps of the land by name, the depth of water as `signed_water_depth`, and `attributes.SNOW_COVER` where snow
        or ice is known; None as for `positions`.
    crown_cover : ndarray of float32, shape (rows, columns), or None
        Share of the ground that crowns of trees cover; None as for plants.
    roads : RoadMesh or None
        None if the land already shows this ground.
    detail : ndarray of float32, shape (vertices, 3), or None
        Rise to the east and north, and height in metres, of the detail that the vertices can show; None as for roads,
        or without maps.
    ice : IceMesh or None
        None as for roads.
    snow : SnowMesh or None
        None if the land already shows this ground.
    """

    landscape: Landscape
    positions: npt.NDArray[np.float32] | None
    maps: Mapping[str, Field] | None = None
    water: WaterMesh | None = None
    plants: PlantPoints | None = None
    crown_cover: Field | None = None
    roads: RoadMesh | None = None
    detail: npt.NDArray[np.float32] | None = None
    ice: IceMesh | None = None
    snow: SnowMesh | None = None


class Shown:
    """Which ground and which plants a land shows; by weak references, so that it keeps neither in memory.

    Parameters
    ----------
    landscape : Landscape, optional
        What the land shows; without it, nothing that is known.
    """

    def __init__(self, landscape: Landscape | None = None) -> None:
        self._ground = () if landscape is None else tuple(map(weakref.ref, _ground_of(landscape)))
        plants = None if landscape is None else landscape.plants
        self._plants = None if plants is None else weakref.ref(plants)

    def has_ground_of(self, landscape: Landscape) -> bool:
        """Return whether the land shows the ground of a landscape, with the same maps and water."""
        ground = _ground_of(landscape)
        return len(ground) == len(self._ground) and all(part is known() for part, known in zip(ground, self._ground))

    def has_plants_of(self, landscape: Landscape) -> bool:
        """Return whether the land shows the plants of a landscape."""
        return landscape.plants is not None and self._plants is not None and self._plants() is landscape.plants


_NOTHING = Shown()


def draw(
    landscape: Landscape,
    variants: Sequence[int] | None = None,
    shown: Shown = _NOTHING,
    *,
    with_horizon: bool = True,
) -> Drawing:
    """Return the arrays that show a landscape.

    Parameters
    ----------
    landscape : Landscape
    variants : sequence of int, optional
        `plant_assets.variant_counts` of its species.  Without it Blender is asked, so call this in the main thread.
    shown : Shown, optional
        What the land shows already.
    with_horizon : bool
        Whether its sea goes on beyond the border to the horizon.
    """
    terrain, species = landscape.terrain, landscape.recipe.ecosystem.species
    if variants is None:
        variants = variant_counts(species)
    new_ground = not shown.has_ground_of(landscape)
    has_snow = new_ground and landscape.snow is not None
    snow_depth = drawn_snow_depth(landscape.maps["snow_depth"]) if has_snow else None
    new_plants = new_ground or not shown.has_plants_of(landscape)
    plants = landscape.plants if new_plants and landscape.plants else None
    return Drawing(
        landscape,
        vertex_positions(terrain.surface, terrain.cell_size) if new_ground else None,
        _maps_of(landscape, snow_depth) if new_ground else None,
        _water_of(landscape, with_horizon) if new_ground else None,
        points_on_land(plants, terrain, species, variants) if plants else None,
        crown_cover(plants, terrain.grid) if plants else None,
        make_road_mesh(terrain, landscape.roads, landscape.pads) if new_ground else None,
        detail_slopes(terrain, landscape.recipe.origin) if new_ground and landscape.maps else None,
        _ice_of(landscape) if new_ground else None,
        _snow_of(landscape, snow_depth) if new_ground else None,
    )


def drawing_steps(
    building: Generator[Progress, bool | None, Landscape], variants: Sequence[int], shown: Shown = _NOTHING
) -> Generator[Progress, bool | None, Drawing]:
    """Return the steps that build a landscape and draw it, for any thread; see `draw` for the parameters."""
    landscape = yield from building
    yield Progress("making meshes", 1.0)
    return draw(landscape, variants, shown)


def _maps_of(landscape: Landscape, snow_depth: Field | None) -> dict[str, Field]:
    """The maps of a landscape, with a depth of water that tells shores between samples, and where snow or ice lies."""
    maps, waters = dict(landscape.maps), landscape.waters
    if waters is not None and WATER_DEPTH.name in maps:
        maps[WATER_DEPTH.name] = signed_water_depth(landscape.terrain, waters)
    if snow_depth is not None:
        maps[SNOW_COVER] = snow_depth + np.float32(1.0)
    elif ICE_THICKNESS.name in maps:
        terrain, line = landscape.terrain, landscape.recipe.glaciers.equilibrium_line_altitude
        maps[SNOW_COVER] = -moraine_share(terrain.surface, maps[ICE_THICKNESS.name], terrain.cell_size, line)
    return maps


def _water_of(landscape: Landscape, with_horizon: bool) -> WaterMesh | None:
    """The water of a landscape, and the open sea beyond; None if it was built without water.

    Rivers end at the border, but where another land may go on with them.
    """
    terrain, waters = landscape.terrain, landscape.waters
    if waters is None:
        return None
    water = make_water_mesh(terrain, waters)
    if not with_horizon:
        return water
    grid = terrain.grid
    return with_open_sea(water_on_land(water, (grid.width, grid.depth)), terrain, waters.sea_level)


def _ice_of(landscape: Landscape) -> IceMesh:
    """The glaciers of a landscape; an empty mesh without any."""
    none = np.zeros_like(landscape.terrain.surface)
    ice = landscape.glaciers or GlacierFields(none, none, none)
    return make_ice_mesh(landscape.terrain, IceSurface(*ice, landscape.recipe.glaciers.equilibrium_line_altitude))


def _snow_of(landscape: Landscape, snow_depth: Field | None) -> SnowMesh:
    """The surface of the snow of a landscape; an empty one where no snow lies."""
    maps, terrain = landscape.maps, landscape.terrain
    if snow_depth is None:
        return NO_SNOW
    ice = None if landscape.glaciers is None else maps[ICE_THICKNESS.name]
    return make_snow_mesh(terrain, snow_depth, maps["water_distance"], ice)


def _ground_of(landscape: Landscape) -> tuple[Any, ...]:
    """The parts of a landscape that its ground is made of."""
    waters = () if landscape.waters is None else (landscape.waters,)
    parts = kept_of(landscape.maps)
    return (landscape.terrain, *waters, *(parts[name] for name in sorted(parts)))

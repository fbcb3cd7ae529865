"""What Blender is given of a landscape, as arrays: made in the landscape's own thread, so that no window waits."""

import weakref
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...core.building.landscape import Landscape
from ...core.foundation.progress import Progress
from ...core.foundation.sampling import vertex_positions
from ...core.meshing.water_mesh import WaterMesh, make_water_mesh
from ..data.meshes import PlantPoints, points_on_land
from ..plants.plant_assets import variant_counts


@dataclass(frozen=True)
class Drawing:
    """A landscape and the arrays that show it.

    Attributes
    ----------
    landscape : Landscape
    positions : ndarray of float32, shape (vertices, 3), or None
        Of the land, in metres; None if the land shows this ground with its maps already.
    water : WaterMesh or None
        None if the landscape was built without, or the land shows this ground already.
    plants : PlantPoints or None
        None if there are none, or the land shows these already.
    """

    landscape: Landscape
    positions: npt.NDArray[np.float32] | None
    water: WaterMesh | None = None
    plants: PlantPoints | None = None


class Shown:
    """Which ground and which plants a land shows; it keeps neither in memory."""

    def __init__(self, landscape: Landscape | None = None) -> None:
        self._ground = () if landscape is None else tuple(map(weakref.ref, _ground_of(landscape)))
        plants = None if landscape is None else landscape.plants
        self._plants = None if plants is None else weakref.ref(plants)

    def has_ground_of(self, landscape: Landscape) -> bool:
        """Return whether that is the ground, with the same maps and water."""
        ground = _ground_of(landscape)
        return len(ground) == len(self._ground) and all(part is known() for part, known in zip(ground, self._ground))

    def has_plants_of(self, landscape: Landscape) -> bool:
        """Return whether those are the plants."""
        return landscape.plants is not None and self._plants is not None and self._plants() is landscape.plants


_NOTHING = Shown()


def draw(landscape: Landscape, variants: Sequence[int] | None = None, shown: Shown = _NOTHING) -> Drawing:
    """Return what shows a landscape.

    Parameters
    ----------
    landscape : Landscape
    variants : sequence of int, optional
        What `plant_assets.variant_counts` says of its species; without, Blender is asked, which only its main thread
        may do.
    shown : Shown, optional
        What the land shows already.
    """
    terrain, species, waters = landscape.terrain, landscape.recipe.ecosystem.species, landscape.waters
    if variants is None:
        variants = variant_counts(species)
    new_ground = not shown.has_ground_of(landscape)
    new_plants = new_ground or not shown.has_plants_of(landscape)
    return Drawing(
        landscape,
        vertex_positions(terrain.surface, terrain.cell_size) if new_ground else None,
        make_water_mesh(terrain, waters) if new_ground and waters is not None else None,
        points_on_land(landscape.plants, terrain, species, variants) if new_plants and landscape.plants else None,
    )


def drawing_steps(
    building: Generator[Progress, bool | None, Landscape], variants: Sequence[int], shown: Shown = _NOTHING
) -> Generator[Progress, bool | None, Drawing]:
    """Return the steps of building a landscape and drawing it, which may run in any thread; see `draw`."""
    landscape = yield from building
    yield Progress("meshes", 1.0)
    return draw(landscape, variants, shown)


def _ground_of(landscape: Landscape) -> tuple[Any, ...]:
    waters = () if landscape.waters is None else (landscape.waters,)
    return (landscape.terrain, *waters, *(landscape.maps[name] for name in sorted(landscape.maps)))

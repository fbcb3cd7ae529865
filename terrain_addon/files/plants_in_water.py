"""Which plants stand in water as a file shows it: by other triangles than the land on which they grew."""

import numpy as np
import numpy.typing as npt

from ..core.foundation.terrain import Field
from ..core.meshing.under_water import GroundPlaces, lie_under_water
from ..core.meshing.water_mesh import RIVER, WaterMesh


def stand_in_water(
    places: GroundPlaces, deepest: Field, water: WaterMesh, corner: tuple[float, float], size: tuple[float, float]
) -> npt.NDArray[np.bool_]:
    """Return which plants stand in a river, or in deeper standing water than they bear.

    Parameters
    ----------
    places : GroundPlaces
        Of the plants, on the ground that is shown.
    deepest : ndarray of float32, shape (places,)
        Metres of standing water that each plant bears.
    water : WaterMesh
        As it is shown.
    corner : tuple of float
        Metres east and north from where places are measured to where water is: the middle of the land.
    size : tuple of float
        Metres within which places lie, from west to east and from south to north.

    Returns
    -------
    ndarray of bool, shape (places,)
    """
    corners = water.positions + np.array([*corner, 0.0], np.float32)
    is_river = water.kind[water.triangles[:, 0]] == RIVER
    wades = places._replace(altitude=places.altitude + deepest)
    in_river = lie_under_water(places, corners, water.triangles[is_river], size)
    return in_river | lie_under_water(wades, corners, water.triangles[~is_river], size)

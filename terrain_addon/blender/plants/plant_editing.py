"""Plants cleared and added by hand.  What was edited is painted on the land, so that updates keep it."""

from collections.abc import Sequence

import bpy
import numpy as np
import numpy.typing as npt

from ...core.ecosystem.dart_throwing import DartThrowing, throw_darts
from ...core.ecosystem.plant_attributes import PLANT_EXCLUSION, PLANT_MEMBERS, PLANTS_HERE, PlantAttribute
from ...core.ecosystem.plants import Plants, remove_plants
from ...core.ecosystem.species import Species
from ...core.foundation.progress import run
from ...core.foundation.sampling import sample
from ..data.attributes import read_positions, set_attribute
from ..data.mesh_heights import grid_shape
from ..data.meshes import points_at, set_points
from .plant_assets import variant_counts
from .plant_masks import paint
from .plant_points import keep_points, plants_of
from .regions import Disc, Places, Region, bounds_of, moved, world_places


def clear_region(land: bpy.types.Object, region: Region) -> int:
    """Remove the plants of a land in a region and keep it clear.

    The painted mask is as fine as the land's mesh: the whole region stays clear, and up to a cell around it.

    Parameters
    ----------
    land : Object
    region : Region

    Returns
    -------
    int
        How many plants were removed.
    """
    paint(land, region, PLANT_EXCLUSION, 1.0, wider=True)
    paint(land, region, PLANTS_HERE, 0.0, wider=False)
    plants = land.landscape.plants
    if plants is None:
        return 0
    stays = region.distance(world_places(plants)) > 0.0
    keep_points(plants.data, stays)
    return int(np.count_nonzero(~stays))


def plant_region(land: bpy.types.Object, region: Disc, species: Sequence[Species], number: int, seed: int) -> int:
    """Plant one species in a disc wherever there is room, and keep the disc planted.

    Parameters
    ----------
    land : Object
    region : Disc
    species : sequence of Species
        All species of the land.
    number : int
        Which of them to plant, from 0.
    seed : int

    Returns
    -------
    int
        How many plants were added.

    Raises
    ------
    ValueError
        If the land has no plants object, or there is no such species.
    """
    if not 0 <= number < len(species):
        raise ValueError(f"species number {number + 1} is not one of the {len(species)} of this landscape")
    carrier = land.landscape.plants
    if carrier is None:
        raise ValueError("this landscape has no plants yet; scatter plants first")
    paint(land, region, PLANT_EXCLUSION, 0.0, wider=False)
    paint(land, region, PLANTS_HERE, 1.0, wider=False)
    one = species[number]
    everywhere = np.ones((2, 2), np.float32)
    thrown = run(throw_darts([everywhere], 2.0 * region.radius, [one], seed, DartThrowing()))
    world = np.stack((thrown.x, thrown.y), axis=1) + (np.array(region.middle[:2]) - region.radius)
    before, places = plants_of(carrier.data)
    fits = _is_free(region, world, one.radius, world_places(carrier), before.radius) & _is_over(land, world)
    added = remove_plants(thrown, fits)
    flat = np.column_stack((world[fits], np.zeros(len(added))))
    local = moved(flat, carrier.matrix_world.inverted_safe())
    local[:, 2] = _altitudes(land, local)
    _add_points(carrier.data, (before, places), (added, local), species, number)
    return len(added)


def _add_points(
    mesh: bpy.types.Mesh,
    before: tuple[Plants, Places],
    added: tuple[Plants, Places],
    species: Sequence[Species],
    number: int,
) -> None:
    """Add plants of one species to a mesh; both kinds of plants come with their places."""
    count = len(before[0])
    values = {name: np.concatenate((getattr(before[0], name), getattr(added[0], name))) for name in PLANT_MEMBERS}
    values[PlantAttribute.SPECIES][count:] = number
    places = np.concatenate((before[1], added[1]))
    plants = Plants(x=places[:, 0].copy(), y=places[:, 1].copy(), **values)
    variants = values[PlantAttribute.VARIANT].copy()
    set_points(mesh, points_at(places, plants, species, variant_counts(species)))
    # The plants that were there keep their variants.
    variants[count:] = plants_of(mesh)[0].variant[count:]
    set_attribute(mesh, PlantAttribute.VARIANT, variants)


def _is_free(
    region: Disc, world: npt.NDArray[np.float64], radius: float, there: Places, radii: npt.NDArray[np.float32]
) -> npt.NDArray[np.bool_]:
    """Return at which places in a disc a plant of a radius has room beside the plants that are there."""
    near = region.distance(there) < radius
    room = np.full(len(world), np.inf)
    for place, other in zip(there[near], radii[near]):
        room = np.minimum(room, np.hypot(*(world - place[:2]).T) - max(other, radius))
    return (region.distance(world.astype(np.float32)) < 0.0) & (room > 0.0)


def _is_over(land: bpy.types.Object, world: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Return which places in the world (x, y) are over the land."""
    low, high = bounds_of(land)
    return np.all((world > low) & (world < high), axis=1)


def _altitudes(land: bpy.types.Object, local: Places) -> Places:
    """Return the altitude of a land at places in its own metres."""
    shape = grid_shape(land.data)
    if shape is None or len(local) == 0:
        return local[:, 2]
    corners = read_positions(land.data)
    cell = float(corners[1, 0] - corners[0, 0])
    field = np.ascontiguousarray(corners[:, 2].reshape(shape))
    return sample(field, cell, local[:, 0] - corners[0, 0], local[:, 1] - corners[0, 1])

"""Plants cleared and added by hand.  What was edited is painted on the land, so that updates keep it."""

from collections.abc import Sequence
from typing import NamedTuple

import bpy
import numpy as np
import numpy.typing as npt
from mathutils import Matrix

from ...core.ecosystem.added_plants import add_where_clear, count_room
from ...core.ecosystem.ecosystem import Ecosystem
from ...core.ecosystem.plant_attributes import PLANT_EXCLUSION, PLANT_MEMBERS, PLANTS_HERE, PlantAttribute
from ...core.ecosystem.plants import Plants, remove_plants
from ...core.ecosystem.species import Species
from ...core.ecosystem.stem_spacing import Stems
from ...core.foundation.progress import Steps
from ...core.foundation.sampling import sample
from ...core.foundation.terrain import Field
from ...core.meshing.under_water import GroundPlaces, lie_under_water
from ..data.attributes import read_floats, read_positions, set_attribute
from ..data.mesh_heights import grid_shape
from ..data.meshes import points_at, set_points
from ..look.placement import check_extent
from .plant_assets import variant_counts
from .plant_masks import paint
from .plant_points import keep_points, plants_of
from .regions import Disc, Places, Region, moved, world_places


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

    Raises
    ------
    ValueError
        If the land is scaled to nothing.
    """
    check_extent(land)
    paint(land, region, PLANT_EXCLUSION, 1.0, wider=True)
    paint(land, region, PLANTS_HERE, 0.0, wider=False)
    plants = land.landscape.plants
    if plants is None:
        return 0
    stays = region.distance(world_places(plants)) > 0.0
    keep_points(plants.data, stays)
    return int(np.count_nonzero(~stays))


class FoundPlants(NamedTuple):
    """Plants that have room on a land.

    Attributes
    ----------
    plants : Plants
        What they look like.
    places : ndarray of float32, shape (plants, 3)
        Where they stand, in the metres of the land.
    there : ndarray of float32, shape (others, 3)
        The plants that were there when room was looked for, in the metres of their object.
    """

    plants: Plants
    places: Places
    there: Places


def find_room(land: bpy.types.Object, region: Disc, ecosystem: Ecosystem, number: int, seed: int) -> Steps[FoundPlants]:
    """Return the steps that look for room for plants of one species in a disc: on the land, on dry ground.

    Parameters
    ----------
    land : Object
        It is read before the first step; the steps do not touch Blender.
    region : Disc
    ecosystem : Ecosystem
        Of the land.
    number : int
        Which of its species to plant, from 0.
    seed : int

    Returns
    -------
    generator
        Yields the share that is done and returns `FoundPlants`.

    Raises
    ------
    ValueError
        If the land has no plants object, is no longer a grid or is scaled to nothing, if there is no such species or
        no land in the disc, or if more plants have room than the ecosystem allows.
    """
    check_extent(land)
    species = ecosystem.species
    if not 0 <= number < len(species):
        raise ValueError(f"species number {number + 1} is not one of the {len(species)} of this land")
    carrier = land.landscape.plants
    if carrier is None:
        raise ValueError("this land has no plants yet; press Plant first")
    patch = _patch_of(land, region)
    room, most = count_room(patch.density, patch.cell, species[number]), ecosystem.throwing.most_plants
    plants, places = plants_of(carrier.data)
    if room > most - len(plants):
        raise ValueError(
            f"about {room:,} plants of {species[number].name} have room within {region.radius:,.6g} m, but the "
            f"land has {len(plants):,} plants and may have {most:,}; choose a smaller radius or raise Most Plants"
        )
    to_land = land.matrix_world.inverted_safe()
    near = moved(places, to_land @ carrier.matrix_world)[:, :2] - np.array(patch.corner, np.float32)
    there = Stems(near[:, 0].copy(), near[:, 1].copy(), plants.radius)
    water = land.landscape.water
    wet = _triangles_of(water.data, to_land @ water.matrix_world) if water is not None else None
    return _find(
        patch,
        region,
        land.matrix_world.copy(),
        add_where_clear(patch.density, patch.cell, species[number], seed, there),
        wet,
        places,
    )


def add_plants_found(
    land: bpy.types.Object, region: Disc, species: Sequence[Species], number: int, found: FoundPlants
) -> int:
    """Show plants that `find_room` has found, and keep the dry ground of the disc planted.

    Parameters
    ----------
    land : Object
    region : Disc
    species : sequence of Species
        All species of the land.
    number : int
        Which of them was planted, from 0.
    found : FoundPlants

    Returns
    -------
    int
        How many plants were added.

    Raises
    ------
    ValueError
        If the plants of the land have changed since room was looked for.
    """
    carrier = land.landscape.plants
    before = plants_of(carrier.data) if carrier is not None else None
    if before is None or not np.array_equal(before[1], found.there):
        raise ValueError(f"the plants of {land.name} changed meanwhile; add plants again")
    paint(land, region, PLANT_EXCLUSION, 0.0, wider=False)
    paint(land, region, PLANTS_HERE, 1.0, wider=False)
    depth, here = read_floats(land.data, "water_depth"), read_floats(land.data, PLANTS_HERE)
    if depth is not None and here is not None:
        # What is painted is for all species: nothing shall grow in the water.
        set_attribute(land.data, PLANTS_HERE, np.where(depth > 0.0, np.float32(0.0), here))
    local = moved(found.places, carrier.matrix_world.inverted_safe() @ land.matrix_world)
    _add_points(carrier.data, before, (found.plants, local), species, number)
    return len(found.plants)


class _Patch(NamedTuple):
    """The part of a land around a region: south-west corner and cell size in metres, heights, and where to plant."""

    corner: tuple[float, float]
    cell: float
    ground: Field
    density: Field


class _WaterTriangles(NamedTuple):
    """The water of a land in its metres."""

    corners: Places
    triangles: npt.NDArray[np.int32]


def _patch_of(land: bpy.types.Object, region: Disc) -> _Patch:
    """Return the part of a land around a region."""
    shape = grid_shape(land.data)
    if shape is None:
        raise ValueError(f"{land.name} is no longer a grid of vertices; press Update Landscape, then add plants")
    world, local = world_places(land), read_positions(land.data)
    # As far around the region as it takes for the interpolated density to be whole in all of it.
    cell = max(float(np.linalg.norm(world[other, :2] - world[0, :2])) for other in (1, shape[1]))
    inside = (region.distance(world) <= np.sqrt(2.0) * cell).reshape(shape)
    rows, columns = np.flatnonzero(inside.any(axis=1)), np.flatnonzero(inside.any(axis=0))
    if len(rows) == 0:
        raise ValueError(f"no ground of {land.name} lies within {region.radius:,.6g} m of the 3D cursor")
    first_row, first_column = min(rows[0], shape[0] - 2), min(columns[0], shape[1] - 2)
    window = np.s_[first_row : max(rows[-1], first_row + 1) + 1, first_column : max(columns[-1], first_column + 1) + 1]
    depth = read_floats(land.data, "water_depth")
    dry = np.ones(shape, np.bool_) if depth is None else (depth <= 0.0).reshape(shape)
    corner = local.reshape(*shape, 3)[first_row, first_column, :2]
    return _Patch(
        corner=(float(corner[0]), float(corner[1])),
        cell=float(local[1, 0] - local[0, 0]),
        ground=np.ascontiguousarray(local[:, 2].reshape(shape)[window]),
        density=(inside & _widened_by_a_cell(dry))[window].astype(np.float32),
    )


def _widened_by_a_cell(places: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return the given samples and those beside them."""
    padded = np.pad(places, 1)
    rows, columns = places.shape
    around = [padded[i : i + rows, j : j + columns] for i in range(3) for j in range(3)]
    return np.logical_or.reduce(around)


def _triangles_of(mesh: bpy.types.Mesh, matrix: Matrix) -> _WaterTriangles:
    """Return a mesh as triangles, moved by a matrix."""
    mesh.calc_loop_triangles()
    triangles = np.empty((len(mesh.loop_triangles), 3), np.int32)
    mesh.loop_triangles.foreach_get("vertices", triangles.ravel())
    return _WaterTriangles(moved(read_positions(mesh), matrix), triangles)


def _find(
    patch: _Patch, region: Disc, to_world: Matrix, placing: Steps[Plants], water: _WaterTriangles | None, there: Places
) -> Steps[FoundPlants]:
    """Place plants, and leave out those outside the region and in the water."""
    added = yield from placing
    altitude = sample(patch.ground, patch.cell, added.x, added.y)
    places = np.stack((added.x + np.float32(patch.corner[0]), added.y + np.float32(patch.corner[1]), altitude), axis=1)
    fits = region.distance(moved(places, to_world)) < 0.0
    if water is not None:
        rows, columns = patch.ground.shape
        size = (columns - 1) * patch.cell, (rows - 1) * patch.cell
        corners = water.corners - np.array((*patch.corner, 0.0), np.float32)
        fits &= ~lie_under_water(GroundPlaces(added.x, added.y, altitude), corners, water.triangles, size)
    return FoundPlants(remove_plants(added, fits), places[fits], there)


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

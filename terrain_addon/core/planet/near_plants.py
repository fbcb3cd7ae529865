"""Trees near somebody who stands on a planet: where each one grows, by the climate of the place.

A lattice on the sphere has one place for a tree in each cell, at random in it.  Whether a tree stands there, and which,
follows from the cover of the species and from nothing else, so it is the same for every viewer.  Trees are as tall as
mountains: exaggerated by the look of the planet.

References
----------
Lane, B. & Prusinkiewicz, P. (2002). Generating spatial distributions for multilevel models of plant communities.
Proceedings of Graphics Interface 2002, 69–80.  (Plants placed one by one from a map of their density.)
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..ecosystem.plants import VARIANTS
from ..ecosystem.species import Species, load_species, species_presets
from ..foundation.compilation import Array, Bits, Part, parallel_kernel, portion
from ..foundation.easing import ease_of
from ..foundation.hashing import Purpose, derive_seed, hash_place, mix, unit_float
from ..foundation.terrain import Field
from .close_ground import near_heights
from .cube_sphere import CUBE_FACES, FACE_AXES, FACE_RIGHTS, FACE_UPS, Directions, lattice_directions, sample_faces
from .near_mesh import Viewer
from .planet import Planet
from .point_noise import draw_noise, space_octaves

_SMALLEST = 4.0  # m; lower plants are not seen from there
_SPACING = 8.0  # m between trees of closed forest
_REACH = 0.03  # radii; farther away the colour of the ground stands for the forest
_ALL_WITHIN = 0.007  # radii; farther away only some of them are shown
_MOST = 100_000
_BELOW, _ASIDE = 0.42, 0.75  # tangents of the edges of the picture
_THIN = 1.4  # outside of it woods thin out, up to so much larger tangents
_STANDING_ROUND = 0.0012  # radii around the viewer without a tree before the lens
_BLOCK = 32  # cells of the lattice, from side to side, that are looked at together
_FINE = 16  # places in a cell, from side to side
_DRAWS = 8  # random numbers for each cell: whether, which, variant, height, turn, how far it is seen, and place
_PATCHES, _PATCH_OCTAVES = 0.12, 6  # wavelength of the largest woods and clearings in degrees
_RAGGED = 3.4  # how much woods and clearings differ from the mean cover
_CLOSED = 0.72  # share of woods where trees grow best
_STEEPEST = 0.9  # slope, as it is shown, on which no tree stands


class NearPlants(NamedTuple):
    """Trees near a viewer.

    Attributes
    ----------
    species : tuple of Species
        All that there are.
    directions : ndarray of float64, shape (plants, 3)
        Where each one stands.
    ground : ndarray of float32, shape (plants,)
        Altitude of its foot in metres.
    kind : ndarray of int32, shape (plants,)
        Number of its species.
    variant : ndarray of int32, shape (plants,)
        Number of its model.
    height : ndarray of float32, shape (plants,)
        Metres.
    turn : ndarray of float32, shape (plants,)
        Radians about its stem.
    """

    species: tuple[Species, ...]
    directions: Directions
    ground: Field
    kind: npt.NDArray[np.int32]
    variant: npt.NDArray[np.int32]
    height: Field
    turn: Field


def tree_species() -> tuple[Species, ...]:
    """Return the species of trees that come with the extension."""
    found = (load_species(name) for name in species_presets())
    return tuple(one for one in found if one.height >= _SMALLEST and not one.undergrowth and one.form != "rock")


def is_above_trees(viewer: Viewer) -> bool:
    """Return whether a viewer is so high above the ground that no tree is seen one by one.

    Parameters
    ----------
    viewer : Viewer
        Who looks at it.

    Returns
    -------
    bool
    """
    return math.sqrt(float(np.square(viewer.eye).sum())) > viewer.ground + _REACH


def wooded_share(planet: Planet, viewer: Viewer, directions: Directions, finest: float) -> Field:
    """Return which share of the ground is under trees: woods with clearings, as much as the climate allows.

    The viewer stands in a clearing, because crowns that are only painted do not bear a close look.

    Parameters
    ----------
    planet : Planet
        From `build_planet`.
    viewer : Viewer
        Who looks at it.
    directions : ndarray of float64, shape (places, 3)
        Unit vectors.
    finest : float
        Wavelength in degrees of the smallest clearings.

    Returns
    -------
    ndarray of float32, shape (places,)
        0 to 1.
    """
    if not _is_alive(planet):
        return np.zeros(len(directions), np.float32)
    share = _wooded(planet, sample_faces(_all_trees(planet), directions), directions, finest)
    foot = viewer.eye / math.sqrt(float(np.square(viewer.eye).sum()))
    far = np.sqrt(np.square(directions - foot).sum(axis=1))
    return share * np.clip(far / _STANDING_ROUND - 1.0, 0.0, 1.0).astype(np.float32)


def plants_near(planet: Planet, viewer: Viewer) -> NearPlants:
    """Return the trees that a viewer sees one by one.

    Parameters
    ----------
    planet : Planet
        From `build_planet`.
    viewer : Viewer
        Who looks at it.

    Returns
    -------
    NearPlants
        None on a planet that is not alive; at most 100,000, the nearest.
    """
    species = tree_species()
    recipe = planet.recipe
    cell = _SPACING * recipe.exaggeration / recipe.radius
    directions, draws = _places(viewer, cell, recipe.seed)
    covers = np.zeros((len(species), len(directions)), np.float32)
    if _is_alive(planet):
        covers[:] = [sample_faces(planet.cover.of(one), directions) for one in species]
    total = np.minimum(covers.sum(axis=0), np.float32(1.0))
    share = _wooded(planet, total, directions, math.degrees(2.0 * cell))
    stands = np.flatnonzero(draws[:, 0] < share)[: 2 * _MOST]
    ground, is_good = _footing(planet, directions[stands], cell)
    stands, ground = stands[is_good][:_MOST], ground[is_good][:_MOST]
    chances, draws = np.cumsum(covers[:, stands], axis=0), draws[stands].T
    kind = np.minimum((chances <= draws[1] * chances[-1]).sum(axis=0), len(species) - 1).astype(np.int32)
    tall = np.array([one.height for one in species], np.float32)[kind]
    return NearPlants(
        species,
        directions[stands],
        ground,
        kind,
        (draws[2] * np.float32(VARIANTS)).astype(np.int32),
        tall * (np.float32(1.1) - np.float32(0.75) * draws[3] * draws[3]),
        np.float32(2.0 * math.pi) * draws[4],
    )


def _is_alive(planet: Planet) -> bool:
    """Whether plants grow on a planet and its colours show them."""
    return planet.recipe.climate.enabled and planet.recipe.look.colours == "living"


def _all_trees(planet: Planet) -> Field:
    """The cover of all trees together, at most 1."""
    total = np.zeros_like(planet.surface)
    for one in tree_species():
        total += planet.cover.of(one)
    return np.minimum(total, np.float32(1.0))


def _wooded(planet: Planet, cover: Field, directions: Directions, finest: float) -> Field:
    """Woods and clearings that together have the mean cover."""
    recipe = planet.recipe
    octaves = space_octaves(_PATCHES, _PATCH_OCTAVES, 0.62, recipe.seed, Purpose.NEAR_PLANTS, finest)
    patches = np.float32(_RAGGED) * draw_noise(octaves, recipe.turn, directions)
    # Where cover is 0 or 1 there is no choice.
    cover = np.float32(_CLOSED) * cover
    ragged = np.clip(cover + patches * cover * (np.float32(1.0) - cover) * 4.0, 0.0, 1.0)
    return ease_of(ragged).astype(np.float32)


def _places(viewer: Viewer, cell: float, seed: int) -> tuple[Directions, Field]:
    """One place in each cell of a lattice that the viewer may see, the nearest first, and random numbers for each."""
    last = 1 << max(6, min(round(math.log2(0.5 * math.pi / cell)), 19))
    found, random = [np.empty((0, 3))], [np.empty((0, _DRAWS), np.float32)]
    for face in range(len(CUBE_FACES)):
        rows, columns = _cells_in_view(viewer, face, last)
        drawn = np.empty((len(rows), _DRAWS), np.float32)
        _draw(rows, columns, derive_seed(seed, Purpose.NEAR_PLANTS, face), drawn)
        lattice = np.stack((np.full_like(rows, face), rows * _FINE, columns * _FINE), axis=1)
        lattice[:, 1:] += (drawn[:, -2:] * _FINE).astype(np.int64)
        found.append(lattice_directions(lattice, last * _FINE))
        random.append(drawn)
    directions, draws = np.concatenate(found), np.concatenate(random)
    beyond, far = _seen(viewer, directions, 0.0)
    # Far away fewer trees stand for the forest, whose crowns are also in the material of the ground.
    is_kept = draws[:, 5] * np.square(far) < _ALL_WITHIN**2
    is_kept &= np.square(1.0 - draws[:, 3]) * (_THIN - 1.0) > beyond - 1.0
    seen = np.flatnonzero(is_kept & (far < _REACH) & (far > _STANDING_ROUND))
    seen = seen[np.argsort(far[seen], kind="stable")]
    return directions[seen], draws[seen]


def _cells_in_view(viewer: Viewer, face: int, last: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Rows and columns of the cells of a face in blocks that the viewer may see."""
    blocks = last // _BLOCK
    foot = viewer.eye
    along = float(foot @ FACE_AXES[face])
    if along <= 0.0:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    reach = 2.0 + 1.5 * _REACH * blocks / (0.5 * math.pi)
    spans = []
    for axis in (FACE_UPS[face], FACE_RIGHTS[face]):
        middle = 0.5 * blocks * (1.0 + math.atan(float(foot @ axis) / along) / (0.25 * math.pi))
        spans.append(np.arange(max(int(middle - reach), 0), min(int(middle + reach) + 1, blocks)))
    rows, columns = (one.ravel() for one in np.meshgrid(*spans, indexing="ij"))
    middles = np.stack((np.full_like(rows, face), 2 * rows + 1, 2 * columns + 1), axis=1)
    margin = 0.5 * math.pi / blocks
    beyond, far = _seen(viewer, lattice_directions(middles, 2 * blocks), margin)
    is_seen = (beyond < _THIN) & (far < _REACH + margin)
    inside = np.arange(_BLOCK)
    rows, columns = rows[is_seen, np.newaxis, np.newaxis], columns[is_seen, np.newaxis, np.newaxis]
    shape = (rows.size, _BLOCK, _BLOCK)
    return (
        np.broadcast_to(rows * _BLOCK + inside[:, np.newaxis], shape).ravel(),
        np.broadcast_to(columns * _BLOCK + inside, shape).ravel(),
    )


def _seen(
    viewer: Viewer, directions: Directions, margin: float
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """How far beyond the edges of the picture each place is, 1 at an edge, and how far away; with a margin in radii."""
    foot = viewer.eye / math.sqrt(float(np.square(viewer.eye).sum()))
    right = np.cross(viewer.ahead, foot)
    right /= math.sqrt(float(np.square(right).sum()))
    up = np.cross(right, viewer.ahead)
    towards = directions * viewer.ground - viewer.eye
    depth = towards @ viewer.ahead
    level = directions - foot
    far = np.sqrt(np.square(level).sum(axis=1))
    below = np.maximum(-(towards @ up) - 2.0 * margin, 0.0) / _BELOW
    aside = np.maximum(np.abs(towards @ right) - 2.0 * margin, 0.0) / _ASIDE
    return np.maximum(below, aside) / np.maximum(depth, 1e-9), far


def _footing(planet: Planet, directions: Directions, cell: float) -> tuple[Field, npt.NDArray[np.bool_]]:
    """Altitude of the ground below each tree, and whether it is dry and not too steep there."""
    spacing = np.full(len(directions), math.degrees(cell))
    ground = near_heights(planet, directions, spacing)
    east = np.stack((-directions[:, 1], directions[:, 0], np.zeros(len(directions))), axis=1)
    east /= np.maximum(np.sqrt(np.square(east).sum(axis=1, keepdims=True)), 1e-9)
    north = np.cross(directions, east)
    shown = planet.recipe.exaggeration / planet.recipe.radius
    rises = [near_heights(planet, directions + 2.0 * cell * way, spacing) - ground for way in (east, north)]
    slope = np.sqrt(np.square(rises[0]) + np.square(rises[1])) * np.float32(shown / (2.0 * cell))
    is_dry = (ground > planet.sea_level) & (slope < _STEEPEST)
    if "lake_depth" in planet.maps:
        is_dry &= sample_faces(planet.maps["lake_depth"], directions) == 0.0
    return ground, is_dry


@parallel_kernel
def _draw(part: Part, rows: Array, columns: Array, seed: Bits, drawn: Array) -> None:
    """Write random numbers in [0, 1) for each cell."""
    for k in portion(part, len(rows)):
        bits = hash_place(rows[k], columns[k], seed)
        for which in range(drawn.shape[1]):
            bits = mix(bits)
            drawn[k, which] = unit_float(bits)

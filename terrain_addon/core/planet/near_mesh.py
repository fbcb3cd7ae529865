"""The mesh of a planet for somebody near its ground: small faces close by, large ones far away and behind.

Each face of the cube is cut into quarters again and again, where a piece would look large.  Squares side by side differ
by one cut at most, and the larger one has a vertex where the smaller ones meet on its side: the mesh is closed.

References
----------
Lindstrom, P., Koller, D., Ribarsky, W., Hodges, L. F., Faust, N. & Turner, G. A. (1996). Real-time, continuous level of
detail rendering of height fields. Proceedings of SIGGRAPH 96, 109–118. doi:10.1145/237170.237217
Von Herzen, B. & Barr, A. H. (1987). Accurate triangulations of deformed, intersecting surfaces. Computer Graphics
21(4), 103–110. doi:10.1145/37402.37415  (Restricted quadtrees.)
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .cube_sphere import CUBE_FACES, lattice_directions, lattice_keys
from .planet_mesh import PlanetMesh, picture_places

# Cuts of all faces, and of those that are cut most: 2²⁰ pieces along an edge are 10 m long on Earth.
_FEWEST_CUTS, _MOST_CUTS = 5, 20
# Largest angle under which a piece may be seen: in the field of view by somebody who stands on the ground and sees it
# foreshortened, from high above, and outside of the field of view; radians.
_IN_VIEW, _FROM_ABOVE, _ASIDE = 1.0 / 190.0, 1.0 / 320.0, 1.0 / 25.0
_HIGH = 0.05  # of the radius above the ground
_TALLEST = 0.03  # mountains in radii: how far behind the horizon ground may still be seen
_VIEW = math.cos(math.radians(38.0))
# Steps of a walk around a piece: to its corners, and to the places a quarter and a half of the way between them.
_CORNERS = np.array(((0, 0), (0, 4), (4, 4), (4, 0)))
_MIDDLES = np.array(((0, 2), (2, 4), (4, 2), (2, 0)))
_QUARTERS = np.array(((0, 1), (0, 3), (1, 4), (3, 4), (4, 1), (4, 3), (1, 0), (3, 0)))
_CHILDREN = np.array(((0, 0), (0, 1), (1, 0), (1, 1)))

Squares = npt.NDArray[np.int64]
"""Face, row and column of each piece, (pieces, 3), counted in pieces of its size."""


class Viewer(NamedTuple):
    """Somebody who looks at a planet; lengths are shares of its radius.

    Attributes
    ----------
    eye : ndarray of float64, shape (3,)
        Where the eye is, from the middle of the planet.
    ahead : ndarray of float64, shape (3,)
        Unit vector of the line of sight.
    ground : float
        Radius of the ground below the eye.
    """

    eye: npt.NDArray[np.float64]
    ahead: npt.NDArray[np.float64]
    ground: float


def mesh_near(resolution: int, mesh_resolution: int, viewer: Viewer) -> PlanetMesh:
    """Return the mesh of a planet for a viewer.

    Parameters
    ----------
    resolution : int
        Samples along an edge of a face of the planet.
    mesh_resolution : int
        Most vertices along an edge of a face that is not near: 2ⁿ + 1, at most `resolution`.
    viewer : Viewer
        Who looks at it.

    Returns
    -------
    PlanetMesh
        Closed; its samples are −1 for vertices between samples.
    """
    levels = _cut(mesh_resolution, viewer)
    _balance(levels)
    deepest = len(levels) - 1
    keys = np.unique(np.concatenate([_keys(one, level, deepest, _CORNERS).ravel() for level, one in enumerate(levels)]))
    corners, sizes, uv = [], [], []
    spacing = np.empty(len(keys), np.float64)
    lattice = np.empty((len(keys), 3), np.int64)
    for level, pieces in enumerate(levels):
        around = np.stack((_CORNERS, _MIDDLES), axis=1).reshape(-1, 2)
        found = _keys(pieces, level, deepest, around)
        is_there = _is_among(found, keys)
        vertices = np.searchsorted(keys, found[is_there])
        places = _places(pieces, level, deepest, around)
        corners.append(vertices)
        sizes.append(is_there.sum(axis=1))
        uv.append(picture_places(places[is_there], 1 << deepest, resolution))
        # Levels come from coarse to fine, so the finest piece at a vertex has the last word.
        spacing[vertices] = 90.0 / (1 << level)
        lattice[vertices] = places[is_there]
    starts = np.concatenate(([0], np.cumsum(np.concatenate(sizes))[:-1]))
    return PlanetMesh(
        lattice_directions(lattice, 1 << deepest),
        _samples(lattice, 1 << deepest, resolution),
        np.concatenate(corners).astype(np.int32),
        starts.astype(np.int32),
        np.concatenate(uv),
        spacing,
    )


def _cut(mesh_resolution: int, viewer: Viewer) -> list[Squares]:
    """Cut the faces; return the pieces that stay, for each number of cuts."""
    level = min(_FEWEST_CUTS, (mesh_resolution - 1).bit_length() - 1)
    count = 1 << level
    rows, columns = np.mgrid[:count, :count]
    pieces = np.stack(
        [np.stack((np.full_like(rows, face), rows, columns), axis=-1) for face in range(len(CUBE_FACES))]
    ).reshape(-1, 3)
    levels: list[Squares] = [np.empty((0, 3), np.int64) for _ in range(level)]
    while len(pieces) and level < _MOST_CUTS:
        is_cut = _looks_large(pieces, level, viewer)
        levels.append(pieces[~is_cut])
        pieces = _quarters(pieces[is_cut])
        level += 1
    if len(pieces):
        levels.append(pieces)
    return levels


def _looks_large(pieces: Squares, level: int, viewer: Viewer) -> npt.NDArray[np.bool_]:
    """Whether each piece is seen under too large an angle."""
    middles = pieces * (1, 2, 2)
    middles[:, 1:] += 1
    directions = lattice_directions(middles, 2 << level)
    towards = directions * viewer.ground - viewer.eye
    far = np.sqrt(np.square(towards).sum(axis=1))
    size = 0.5 * math.pi / (1 << level) * viewer.ground
    height = math.sqrt(float(np.square(viewer.eye).sum()))
    horizon = math.acos(min(viewer.ground / height, 1.0)) + math.acos(1.0 / (1.0 + _TALLEST))
    is_this_side = directions @ viewer.eye > height * math.cos(min(horizon + size, math.pi))
    # Nothing is farther aside than a piece that the eye stands on.
    in_view = is_this_side & (towards @ viewer.ahead > _VIEW * far) | (far < 2.0 * size)
    finest = _FROM_ABOVE if height > viewer.ground + _HIGH else _IN_VIEW
    return np.asarray(size > np.where(in_view, finest, _ASIDE) * far)


def _balance(levels: list[Squares]) -> None:
    """Cut pieces, in place, until no side touches more than two smaller ones."""
    deepest = len(levels) - 1
    while True:
        keys = np.unique(
            np.concatenate([_keys(one, level, deepest, _CORNERS).ravel() for level, one in enumerate(levels)])
        )
        is_done = True
        for level in range(deepest - 1):
            is_cut = _is_among(_keys(levels[level], level, deepest, _QUARTERS), keys).any(axis=1)
            if is_cut.any():
                is_done = False
                levels[level + 1] = np.concatenate((levels[level + 1], _quarters(levels[level][is_cut])))
                levels[level] = levels[level][~is_cut]
        if is_done:
            return


def _quarters(pieces: Squares) -> Squares:
    """The four parts of each piece."""
    parts = np.repeat(pieces * (1, 2, 2), len(_CHILDREN), axis=0)
    parts[:, 1:] += np.tile(_CHILDREN, (len(pieces), 1))
    return parts


def _places(pieces: Squares, level: int, deepest: int, around: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Face, row and column of places around each piece in the finest lattice, (pieces, places, 3)."""
    side = 1 << (deepest - level)
    places = np.repeat((pieces * (1, side, side))[:, np.newaxis], len(around), axis=1)
    places[..., 1:] += around * side // 4
    return places


def _keys(pieces: Squares, level: int, deepest: int, around: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Numbers of places around each piece, the same for all pieces at a place, (pieces, places); −1 between places."""
    keys = lattice_keys(_places(pieces, level, deepest, around), 1 << deepest)
    finest = 1 << (deepest - level)
    if finest < 4:
        keys[:, (around * finest % 4).any(axis=1)] = -1
    return keys


def _is_among(keys: npt.NDArray[np.int64], known: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Whether each number is among others that are in order."""
    place = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    return np.asarray(known[place] == keys)


def _samples(lattice: npt.NDArray[np.int64], last: int, resolution: int) -> npt.NDArray[np.int64]:
    """The sample at each place of a lattice, as an index into the flat array of all samples; −1 between samples."""
    cells = resolution - 1
    face, row, column = lattice.T
    row, row_rest = np.divmod(row * cells, last)
    column, column_rest = np.divmod(column * cells, last)
    is_sample = (row_rest == 0) & (column_rest == 0)
    return np.where(is_sample, (face * resolution + row) * resolution + column, -1)

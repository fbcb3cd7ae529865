"""The samples of a planet as cells of one mesh: each place once, with its neighbours, distances and area.

A cell inside a face has eight neighbours.  So has one on an edge of the cube: three of them lie on the other face.  A
cell at a corner has six, because three faces meet there.

References
----------
Pinkall, U. & Polthier, K. (1993). Computing discrete minimal surfaces and their conjugates. Experimental Mathematics
2(1), 15–36. doi:10.1080/10586458.1993.10504266  (The cotangent weights.)
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.elementary import arctan
from ..foundation.neighbours import COLUMN_STEP, ROW_STEP, Links, Mesh
from .cube_sphere import CUBE_FACES, CUBE_RIMS, face_directions, first_of_shared, solid_angles
from .rims import rim_samples

# Diagonals of a quadrilateral whose lengths differ by less than this share are equally long.
_SAME_LENGTH = 1e-9


class SphereCells(NamedTuple):
    """Which samples of the faces are one cell.

    Attributes
    ----------
    first : ndarray of int64, shape (cells,)
        The first sample of each cell, as an index into the flat array of all samples.
    number : ndarray of int32, shape (6, resolution, resolution)
        The cell of each sample.
    """

    first: npt.NDArray[np.int64]
    number: npt.NDArray[np.int32]

    def of(self, values: npt.NDArray[np.generic]) -> Array:
        """Return the values of the cells.

        Parameters
        ----------
        values : ndarray, shape (6, resolution, resolution)
            On the faces.

        Returns
        -------
        ndarray, shape (1, cells)
        """
        return values.reshape(-1)[self.first].reshape(1, -1)

    def on_faces(self, values: npt.NDArray[np.generic]) -> Array:
        """Return values on the faces.

        Parameters
        ----------
        values : ndarray, shape (1, cells)
            Of the cells.

        Returns
        -------
        ndarray, shape (6, resolution, resolution)
        """
        return values.reshape(-1)[self.number]


class Sphere(NamedTuple):
    """A sphere of cells.

    Attributes
    ----------
    resolution : int
        Samples along an edge of a face.
    cells : SphereCells
        Which samples are one cell.
    mesh : Mesh
        Links, distances and areas, for flow and erosion.
    bonds : ndarray of float32, shape (cells, 8)
        How strongly each neighbour is bound to a cell: the sum of bond · (value there − value here) over the
        neighbours, divided by the area, is the Laplacian.  The same in both directions.
    stiffness : float
        No eigenvalue of the Laplacian is larger, in 1/m².
    """

    resolution: int
    cells: SphereCells
    mesh: Mesh
    bonds: Array
    stiffness: float

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of all fields over the cells: one row."""
        return 1, len(self.cells.first)


def make_sphere(resolution: int, radius: float) -> Sphere:
    """Return a sphere of cells.

    Parameters
    ----------
    resolution : int
        Samples along an edge of a face, 3 or more.
    radius : float
        Metres, above 0.

    Returns
    -------
    Sphere
    """
    cells = _cells(resolution)
    links = _link(cells)
    # All faces are alike, and so are both sides of an edge.  What one face says is true of all of them.
    face = _measure_quads(resolution)
    nearness, bonds = np.empty((2, *links.cells.shape), np.float32)
    lengths = _around(face.east, face.north, face.rising, face.falling) * np.float32(1.0 / radius)
    _hand_out(lengths, _around(*face.bonds), cells.first, links.cells, nearness, bonds)
    area = np.bincount(cells.number.reshape(-1), solid_angles(resolution).reshape(-1)) * radius**2
    places = face_directions(resolution).reshape(-1, 3)[cells.first] * radius
    stiffness = 2.0 * float((bonds.sum(axis=1, dtype=np.float64) / area).max())
    return Sphere(resolution, cells, Mesh(links, nearness, area, places), bonds, stiffness)


@parallel_kernel
def _hand_out(part: Part, near: Array, bound: Array, first: Array, links: Array, nearness: Array, bonds: Array) -> None:
    """Give each cell the numbers that its place on a face has; 0 for neighbours that it lacks."""
    side = len(near)
    for cell in portion(part, len(links)):
        place = first[cell] % (side * side)
        row, column = place // side, place % side
        for k in range(8):
            is_there = links[cell, k] != cell
            nearness[cell, k] = near[row, column, k] if is_there else np.float32(0.0)
            bonds[cell, k] = bound[row, column, k] if is_there else np.float32(0.0)


def _cells(resolution: int) -> SphereCells:
    shared = first_of_shared(resolution).reshape(-1)
    is_first = shared == np.arange(shared.size)
    number = (np.cumsum(is_first) - 1).astype(np.int32)[shared]
    return SphereCells(np.flatnonzero(is_first), number.reshape(6, resolution, resolution))


def _link(cells: SphereCells) -> Links:
    """The neighbours of all cells: the numbers of a face, framed by those beyond its sides."""
    count, resolution = len(cells.first), cells.number.shape[1]
    framed = np.full((len(CUBE_FACES), resolution + 2, resolution + 2), -1, np.int32)
    framed[:, 1:-1, 1:-1] = cells.number
    for rim in CUBE_RIMS:
        beyond = cells.number[rim.other_tile][rim_samples(rim.other_side, resolution, depth=1)]
        rows, columns = rim_samples(rim.side, resolution + 2)
        framed[rim.tile, rows[1:-1], columns[1:-1]] = beyond[:: -1 if rim.is_reversed else 1]
    links = np.empty((count, 8), np.int32)
    _list_neighbours(framed, cells.first, links)
    corners = cells.number[:, :: resolution - 1, :: resolution - 1]
    for corner in np.unique(corners):
        # Two straight steps out of a corner lead to the same cell, and the diagonal one between them nowhere.
        known: set[int] = set()
        for k in range(8):
            there = int(links[corner, k])
            if there < 0 or there in known:
                links[corner, k] = corner
            known.add(there)
    back = np.empty((count, 8), np.uint8)
    _find_back(links, back)
    return Links(links, back)


@parallel_kernel
def _list_neighbours(part: Part, framed: Array, first: Array, links: Array) -> None:
    side = framed.shape[1] - 2
    for cell in portion(part, len(links)):
        face, place = first[cell] // (side * side), first[cell] % (side * side)
        row, column = place // side + 1, place % side + 1
        for k in range(8):
            links[cell, k] = framed[face, row + ROW_STEP[k], column + COLUMN_STEP[k]]


@parallel_kernel
def _find_back(part: Part, links: Array, back: Array) -> None:
    for cell in portion(part, len(links)):
        for k in range(8):
            there = links[cell, k]
            way = (k + 4) & 7
            if there == cell:
                back[cell, k] = k
                continue
            while links[there, way] != cell:
                way = (way + 1) & 7
            back[cell, k] = way


class _Quads(NamedTuple):
    """Links of one face, on the unit sphere: 1 over their lengths, and their bonds.

    Links run along rows, (resolution, resolution − 1), and along columns, (resolution − 1, resolution); the diagonals
    of quadrilaterals rise or fall from west to east, (resolution − 1, resolution − 1).
    """

    east: Array
    north: Array
    rising: Array
    falling: Array
    bonds: tuple[Array, Array, Array, Array]


def _measure_quads(resolution: int) -> _Quads:
    """Measure the links of one face from the quadrilaterals between them."""
    places = face_directions(resolution)[0]
    south, east, north, west, rising, falling = np.empty((6, resolution - 1, resolution - 1))
    _bind_quads(places, south, east, north, west, rising, falling)
    # A link on the rim has its other half on the other face, which is alike.
    rows, columns = np.zeros((resolution, resolution - 1)), np.zeros((resolution - 1, resolution))
    rows[:-1] += south
    rows[1:] += north
    columns[:, :-1] += west
    columns[:, 1:] += east
    for rim in (rows[0], rows[-1], columns[:, 0], columns[:, -1]):
        rim *= 2.0
    along_rows, along_columns = _squared(places[:, 1:] - places[:, :-1]), _squared(places[1:] - places[:-1])
    up, down = _squared(places[1:, 1:] - places[:-1, :-1]), _squared(places[1:, :-1] - places[:-1, 1:])
    lengths = [_inverse_angles(squared) for squared in (along_rows, along_columns, up, down)]
    return _Quads(lengths[0], lengths[1], lengths[2], lengths[3], (rows, columns, rising, falling))


def _around(east: Array, north: Array, rising: Array, falling: Array) -> Array:
    """Numbers of links as a table, float32 (resolution, resolution, 8): beyond a rim the face is mirrored."""
    size = len(east)
    rows, columns = np.pad(east, ((0, 0), (1, 1)), "symmetric"), np.pad(north, ((1, 1), (0, 0)), "symmetric")
    up, down = np.pad(rising, 1), np.pad(falling, 1)
    for framed, mirrored in ((up, falling), (down, rising)):
        framed[1:-1, 0], framed[1:-1, -1] = mirrored[:, 0], mirrored[:, -1]
        framed[0, 1:-1], framed[-1, 1:-1] = mirrored[0], mirrored[-1]
    table = np.empty((size, size, 8), np.float32)
    table[..., 0], table[..., 4] = rows[:, 1:], rows[:, :-1]
    table[..., 2], table[..., 6] = columns[1:], columns[:-1]
    table[..., 1], table[..., 5] = up[1:, 1:], up[:-1, :-1]
    table[..., 3], table[..., 7] = down[1:, :-1], down[:-1, 1:]
    return table


def _squared(vectors: Array) -> Array:
    return vectors[..., 0] ** 2 + vectors[..., 1] ** 2 + vectors[..., 2] ** 2


@parallel_kernel
def _bind_quads(
    part: Part, places: Array, south: Array, east: Array, north: Array, west: Array, rising: Array, falling: Array
) -> None:
    """Write what each quadrilateral adds to the bonds along its four sides and its two diagonals."""
    for row in portion(part, south.shape[0]):
        for column in range(south.shape[1]):
            a, b = places[row, column], places[row, column + 1]
            c, d = places[row + 1, column + 1], places[row + 1, column]
            ac, bd = _distance_squared(a, c), _distance_squared(b, d)
            # It is cut along its shorter diagonal, so that no bond is below 0; along both if they are as long.
            share = 0.5
            if ac < bd * (1.0 - _SAME_LENGTH):
                share = 1.0
            elif bd < ac * (1.0 - _SAME_LENGTH):
                share = 0.0
            other = 1.0 - share
            south[row, column] = 0.5 * (share * _cotangent(c, a, b) + other * _cotangent(d, a, b))
            east[row, column] = 0.5 * (share * _cotangent(a, b, c) + other * _cotangent(d, b, c))
            north[row, column] = 0.5 * (share * _cotangent(a, c, d) + other * _cotangent(b, c, d))
            west[row, column] = 0.5 * (share * _cotangent(c, d, a) + other * _cotangent(b, d, a))
            rising[row, column] = 0.5 * share * (_cotangent(b, a, c) + _cotangent(d, a, c))
            falling[row, column] = 0.5 * other * (_cotangent(a, b, d) + _cotangent(c, b, d))


@kernel
def _distance_squared(one: Array, two: Array) -> float:
    x, y, z = one[0] - two[0], one[1] - two[1], one[2] - two[2]
    return x * x + y * y + z * z


@kernel
def _cotangent(apex: Array, one: Array, two: Array) -> float:
    """Cotangent of the angle of a triangle at its apex."""
    x, y, z = one[0] - apex[0], one[1] - apex[1], one[2] - apex[2]
    u, v, w = two[0] - apex[0], two[1] - apex[1], two[2] - apex[2]
    along = x * u + y * v + z * w
    return along / np.sqrt((x * x + y * y + z * z) * (u * u + v * v + w * w) - along * along)


def _inverse_angles(squared_chords: Array) -> Array:
    """1 over the angles that chords of the unit sphere are seen under."""
    inverse = np.ascontiguousarray(squared_chords).copy()
    _invert_angles(inverse.reshape(-1))
    return inverse


@kernel
def _invert_angles(squared_chords: Array) -> None:
    for k in range(squared_chords.size):
        squared = squared_chords[k]
        # A chord of length c is seen under 2 arcsin(c / 2) = 2 arctan(c / √(4 − c²)).
        squared_chords[k] = 0.5 / arctan(np.sqrt(squared / (4.0 - squared)))

"""A surface as few triangles: many where it bends, few where it is even, never off by more than a given height.

Right-angled triangles are halved where they miss a sample by too much (right-triangulated irregular network: Evans et
al. 2001).  Two triangles that share a longest side are halved together, so that there are no cracks.  Unlike greedy
insertion (Garland & Heckbert 1995), which adds one sample after the other, it needs one pass over the samples of each
size of triangle.

References
----------
Evans, W., Kirkpatrick, D. & Townsend, G. (2001).  Right-triangulated irregular networks.  Algorithmica 30(2), 264-286.
doi:10.1007/s00453-001-0006-x

Garland, M. & Heckbert, P. S. (1995).  Fast polygonal approximation of terrains and height fields.  Technical report
CMU-CS-95-181, Carnegie Mellon University.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.terrain import Field, as_field


@dataclass(frozen=True)
class Triangulation:
    """Triangles whose corners are samples of a surface.

    Attributes
    ----------
    shape : tuple of int
        Rows and columns of the surface.
    samples : ndarray of int64, shape (vertices,)
        The samples that are vertices, ``row * columns + column``, in rising order.
    triangles : ndarray of uint32, shape (triangles, 3)
        Indices into `samples`, counter-clockwise seen from above.
    """

    shape: tuple[int, int]
    samples: npt.NDArray[np.int64]
    triangles: npt.NDArray[np.uint32]

    @property
    def rows(self) -> npt.NDArray[np.int64]:
        """Row of each vertex."""
        return self.samples // self.shape[1]

    @property
    def columns(self) -> npt.NDArray[np.int64]:
        """Column of each vertex."""
        return self.samples % self.shape[1]

    def chunks(self, cells: int) -> "Iterator[tuple[int, int, Triangulation]]":
        """Go through square pieces of the surface, from west to east and from south to north.

        Neighbouring pieces share the vertices along their common side.

        Parameters
        ----------
        cells : int
            Cells along each side of a piece: the `chunk` of the call that made this triangulation.

        Yields
        ------
        row, column : int
            Which piece, counted from the south-west corner.
        piece : Triangulation
            Its `samples` are those of the whole surface.
        """
        corner_rows = self.rows[self.triangles].min(axis=1) // cells
        corner_columns = self.columns[self.triangles].min(axis=1) // cells
        across = -(-(self.shape[1] - 1) // cells)
        place = corner_rows * across + corner_columns
        order = np.argsort(place, kind="stable")
        starts = np.flatnonzero(np.diff(place[order], prepend=-1))
        for first, last in zip(starts, [*starts[1:], len(order)]):
            used, triangles = np.unique(self.triangles[order[first:last]], return_inverse=True)
            row, column = divmod(int(place[order[first]]), across)
            piece = triangles.reshape(-1, 3).astype(np.uint32)
            yield row, column, Triangulation(self.shape, self.samples[used], piece)


def triangulate(surface: Field, tolerance: float, chunk: int | None = None) -> Triangulation:
    """Return a surface as triangles that miss none of its samples by more than a tolerance.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres; at least 2 × 2.
    tolerance : float
        Largest difference in height between triangles and samples in metres, 0 or more.
    chunk : int, optional
        A power of two: no triangle crosses a line of the lattice of that many cells, so that `Triangulation.chunks` can
        take it apart.

    Returns
    -------
    Triangulation
        Without cracks; its border is that of the surface.

    Raises
    ------
    ValueError
        If the surface is smaller than 2 × 2 or not finite, the tolerance is negative or NaN, or `chunk` is not a power
        of two.

    Examples
    --------
    >>> len(triangulate(np.zeros((9, 9), np.float32), tolerance=0.1).triangles)
    2
    """
    surface = as_field(surface, "surface")
    if min(surface.shape) < 2:
        raise ValueError(f"a surface of shape {surface.shape} has no faces; it needs 2 × 2 samples or more")
    # Written so that NaN fails it.
    if not tolerance >= 0.0:
        raise ValueError(f"tolerance = {tolerance!r} m is not 0 m or more")
    if chunk is not None and (chunk < 1 or chunk & (chunk - 1)):
        raise ValueError(f"chunk = {chunk!r} cells is not a power of two")
    rows, columns = surface.shape
    # Squares of the smaller side, side by side, cover a long surface: those of the longer one would mostly lie outside.
    side = 1 << (min(rows, columns) - 2).bit_length()
    down, across = -(-(rows - 1) // side), -(-(columns - 1) // side)
    misses = np.zeros(surface.shape, np.float32)
    # From small to large: a triangle needs the misses of its halves.
    size = 2
    while size <= side:
        for measure in (_measure_sides, _measure_squares):
            measure(surface, size, size > (chunk or side), misses)
        size *= 2
    stack = np.empty((4 * side.bit_length() + 8, 6), np.int64)
    limit = np.float32(tolerance)
    count = _collect(misses, side, down, across, limit, stack, np.empty((0, 3), np.int64))
    corners = np.empty((count, 3), np.int64)
    _collect(misses, side, down, across, limit, stack, corners)
    return _indexed(surface.shape, corners)


def _indexed(shape: tuple[int, int], corners: npt.NDArray[np.int64]) -> Triangulation:
    """Number the samples that are corners."""
    is_vertex = np.zeros(shape[0] * shape[1], np.bool_)
    is_vertex[corners.ravel()] = True
    samples = np.flatnonzero(is_vertex)
    number = np.zeros(is_vertex.size, np.uint32)
    number[samples] = np.arange(samples.size, dtype=np.uint32)
    return Triangulation(shape, samples, number[corners])


# Squares of all sizes 2, 4, 8 … have their south-west corner at a multiple of their size.  Each is two triangles along
# a diagonal that leads to the middle of the next larger square; halved, they are four, whose longest sides are those of
# the square.  `misses` says at the middle of each longest side by how much the triangles along it, or any of those into
# which they are halved, miss a sample.


@kernel
def _leads_north_east(row: int, column: int, size: int) -> bool:
    """Whether the diagonal of a square leads from south-west to north-east."""
    return (row // size + column // size) % 2 == 0


@parallel_kernel
def _measure_squares(part: Part, surface: Array, size: int, is_too_large: bool, misses: Array) -> None:
    """Measure the misses of all squares of a size, at their middles."""
    rows, columns = surface.shape
    half = size // 2
    for band in portion(part, (rows - 1 + size - 1) // size):
        row = band * size
        for column in range(0, columns - 1, size):
            if row + half >= rows or column + half >= columns:
                continue
            # A square that the border cuts has to be halved until none of its parts is cut.
            if is_too_large or row + size >= rows or column + size >= columns:
                misses[row + half, column + half] = np.inf
                continue
            worst = max(
                max(misses[row, column + half], misses[row + size, column + half]),
                max(misses[row + half, column], misses[row + half, column + size]),
            )
            sw, se = float(surface[row, column]), float(surface[row, column + size])
            nw, ne = float(surface[row + size, column]), float(surface[row + size, column + size])
            leads_north_east = _leads_north_east(row, column, size)
            for i in range(size + 1):
                v = i / size
                for j in range(size + 1):
                    u = j / size
                    if leads_north_east:
                        height = sw + (u * (se - sw) + v * (ne - se) if u >= v else v * (nw - sw) + u * (ne - nw))
                    elif u + v <= 1.0:
                        height = sw + u * (se - sw) + v * (nw - sw)
                    else:
                        height = ne + (1.0 - u) * (nw - ne) + (1.0 - v) * (se - ne)
                    worst = max(worst, np.float32(abs(surface[row + i, column + j] - height)))
            misses[row + half, column + half] = worst


class _Side(NamedTuple):
    """Longest side of a triangle: where it begins, its direction, and the direction to the apex."""

    row: int
    column: int
    up: int
    right: int
    out_up: int
    out_right: int


@parallel_kernel
def _measure_sides(part: Part, surface: Array, size: int, is_too_large: bool, misses: Array) -> None:
    """Measure the misses of the triangles on both sides of all sides of squares of a size, at the middles."""
    rows, columns = surface.shape
    half = size // 2
    for band in portion(part, (rows - 1) // size + 1):
        row = band * size
        for column in range(0, columns, size):
            if column + half < columns:
                worst = np.float32(np.inf) if is_too_large else np.float32(0.0)
                for side in range(-1, 2, 2):
                    worst = max(worst, _miss_of(surface, misses, _Side(row, column, 0, 1, side, 0), size))
                misses[row, column + half] = worst
            if row + half < rows:
                worst = np.float32(np.inf) if is_too_large else np.float32(0.0)
                for side in range(-1, 2, 2):
                    worst = max(worst, _miss_of(surface, misses, _Side(row, column, 1, 0, 0, side), size))
                misses[row + half, column] = worst


@kernel
def _miss_of(surface: Array, misses: Array, longest: _Side, size: int) -> np.float32:
    """By how much a triangle or a part of it misses a sample."""
    row, column, up, right, out_up, out_right = longest
    rows, columns = surface.shape
    half = size // 2
    end_row, end_column = row + up * size, column + right * size
    apex_row = row + up * half + out_up * half
    apex_column = column + right * half + out_right * half
    south, north = min(row, end_row, apex_row), max(row, end_row, apex_row)
    west, east = min(column, end_column, apex_column), max(column, end_column, apex_column)
    if south < 0 or west < 0 or south >= rows - 1 or west >= columns - 1:
        return np.float32(0.0)  # outside
    if north >= rows or east >= columns:
        return np.float32(np.inf)  # cut by the border
    worst = np.float32(0.0)
    if size > 2:
        quarter = size // 4
        for step in range(quarter, size, half):
            worst = max(
                worst,
                misses[row + up * step + out_up * quarter, column + right * step + out_right * quarter],
            )
    first, last = float(surface[row, column]), float(surface[end_row, end_column])
    lift = float(surface[apex_row, apex_column]) - 0.5 * (first + last)
    for out in range(half + 1):
        for along in range(out, size - out + 1):
            height = first + (last - first) * (along / size) + lift * (out / half)
            r, c = row + up * along + out_up * out, column + right * along + out_right * out
            worst = max(worst, np.float32(abs(surface[r, c] - height)))
    return worst


@kernel
def _collect(
    misses: Array, side: int, down: int, across: int, tolerance: np.float32, stack: Array, corners: Array
) -> int:
    """Halve all triangles until they miss little enough; return how many there are, and write those that find room."""
    rows, columns = misses.shape
    count = 0
    for square in range(down * across):
        south, west = square // across * side, square % across * side
        north, east = south + side, west + side
        # The ends of the longest side, then the apex, counter-clockwise.
        if _leads_north_east(south, west, side):
            stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3], stack[0, 4], stack[0, 5] = (
                north, east, south, west, south, east,
            )  # fmt: skip
            stack[1, 0], stack[1, 1], stack[1, 2], stack[1, 3], stack[1, 4], stack[1, 5] = (
                south, west, north, east, north, west,
            )  # fmt: skip
        else:
            stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3], stack[0, 4], stack[0, 5] = (
                south, east, north, west, south, west,
            )  # fmt: skip
            stack[1, 0], stack[1, 1], stack[1, 2], stack[1, 3], stack[1, 4], stack[1, 5] = (
                north, west, south, east, north, east,
            )  # fmt: skip
        top = 2
        while top > 0:
            top -= 1
            a, b, c, d, e, f = (
                stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3], stack[top, 4], stack[top, 5],
            )  # fmt: skip
            if min(a, c, e) >= rows - 1 or min(b, d, f) >= columns - 1:
                continue
            is_cut = max(a, c, e) >= rows or max(b, d, f) >= columns
            row, column = (a + c) // 2, (b + d) // 2
            is_smallest = abs(a - c) == 1 and abs(b - d) == 1
            if not is_smallest and (is_cut or misses[row, column] > tolerance):
                stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3] = e, f, a, b
                stack[top + 1, 0], stack[top + 1, 1], stack[top + 1, 2], stack[top + 1, 3] = c, d, e, f
                for k in range(top, top + 2):
                    stack[k, 4], stack[k, 5] = row, column
                top += 2
                continue
            if count < corners.shape[0]:
                corners[count, 0] = a * columns + b
                corners[count, 1] = c * columns + d
                corners[count, 2] = e * columns + f
            count += 1
    return count

"""Midpoint displacement and diamond-square, over the endless plane.

The plane is a lattice of squares whose corners have random heights.  Splitting halves the spacing: the centre of a
square takes the mean of its four corners, and the middle of a side takes the mean of its two ends (in diamond-square,
of its two ends and the two centres beside it).  Each new point is displaced once, by a hash of seed, level and place.
At split k and for the Hurst exponent H, which is the smoothness,

    centre = mean + d,    |d| ≤ r · 2^(−H (k − 1))
    side   = mean + d,    |d| ≤ r · 2^(−H (k − 1)); diamond-square r · 2^(−H (k − ½))

where r is such that all displacements together fill the range of heights.

So any piece of the plane can be computed alone, neighbouring pieces agree, and a finer grid keeps all points of a
coarser one.

References
----------
Fournier, A., Fussell, D. & Carpenter, L. (1982). Computer rendering of stochastic models. Communications of the ACM
25(6), 371–384. doi:10.1145/358523.358553
Saupe, D. (1988). Algorithms for random fractals. In: Peitgen, H.-O. & Saupe, D. (eds.), The Science of Fractal Images.
Springer, 71–136. doi:10.1007/978-1-4612-3784-6_2
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Bits, Part, kernel, parallel_kernel, portion
from ..foundation.hashing import Purpose, derive_seed, mix
from ..foundation.parameters import parameter
from ..foundation.resampling import resample
from ..foundation.terrain import Field, Grid
from .height_range import HeightRange

ALGORITHMS = {
    "midpoint": "The middle of a side lies between its two ends: fast, but squares show as faint creases",
    "diamond_square": "The middle of a side also depends on the centres on both sides of it: fewer creases",
}

CORNERS = {
    "random": "Every corner has a random height",
    "given": "The square at the point 0, 0 has four given corners; squares beside it mirror them",
}
"""Where the heights of the corners of squares come from."""

_LARGEST_SIZE = 2**15 + 1
_LARGEST_HEIGHT = 1e30
_LARGEST_HURST = 16.0
# A grid coincides with the lattice if its cells are this close to the spacing, relative to it, and its south-west
# corner this close to a point, in cells.
_SAME_SPACING = 1e-9
_SAME_PLACE = 1e-6
# Threads share the rows in bands of this even number; the centres of a row serve the rows on both sides of it.
_BAND_ROWS = 32
# Turns a signed hash of 32 bits into a number in [−1, 1].
_PER_BIT = np.float32(2.0**-31)

# First and last point, both included.
_Span = tuple[int, int]


def _given_corner(which: str) -> Any:
    """Declare the height of a corner."""
    return parameter(
        0.5,
        f"Height of the {which} corner if corners are given, as a share of the range: 0 is lowest, 1 highest",
        limits=(0.0, 1.0),
        advanced=True,
    )


@dataclass(frozen=True)
class MidpointDisplacement(HeightRange):
    """Squares are split again and again, and every new point is moved up or down at random."""

    wavelength: float = parameter(
        3000.0,
        "Side of the squares that splitting starts from: places farther apart rise and fall independently",
        unit="m",
        limits=(0.01, 1e6),
        soft=(100.0, 10000.0),
    )
    smoothness: float = parameter(
        0.9,
        "Hurst exponent H: displacements shrink by 2⁻ᴴ at every split; 0 is as rough as gravel, 1 makes soft hills",
        limits=(0.0, 2.0),
        soft=(0.5, 1.2),
    )
    algorithm: str = parameter(
        "midpoint", "From which earlier points the height of a new point follows", choices=ALGORITHMS, advanced=True
    )
    splits: int = parameter(
        14,
        "How often every square is split; more splits add finer detail, as far as the resolution can show it",
        limits=(1, 24),
        soft=(4, 16),
        advanced=True,
    )
    corners: str = parameter("random", "Where the heights of the corners come from", choices=CORNERS, advanced=True)
    south_west: float = _given_corner("south-western")
    south_east: float = _given_corner("south-eastern")
    north_west: float = _given_corner("north-western")
    north_east: float = _given_corner("north-eastern")

    @property
    def given_corners(self) -> Field | None:
        """The given heights in m, (south, north) × (west, east); None if they are random."""
        if self.corners == "random":
            return None
        shares = np.array([[self.south_west, self.south_east], [self.north_west, self.north_east]])
        return (self.base_altitude + self.height * shares).astype(np.float32)


def displace_midpoints(grid: Grid, displacement: MidpointDisplacement, seed: int, time: float = 0.0) -> Field:
    """Return heights of the endless lattice of displaced midpoints.

    Corners start at random in [−r, r], or at given heights.  The first midpoints are displaced by a random number in
    [−r, r], and r shrinks by 2^−H at every further split.  The sum of all displacements is known beforehand and scales
    the result.  Given corners may lie nearer to the ends of the range than random ones: a surface that would leave the
    range is cut off.

    Parameters
    ----------
    grid : Grid
        Where to sample: any place, size and spacing.  Splitting ends when the lattice is as fine as the grid.  Where
        the two coincide (the wavelength is 2ⁿ cells) the result is its points, else a smooth surface through them.
        Squares under two cells, which a grid cannot show, make a level surface.
    displacement : MidpointDisplacement
        Shape of the surface.
    seed : int
        0 to 2³² − 1.
    time : float
        Without effect: this surface does not move.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres, from `base_altitude` to `base_altitude + height`.

    References
    ----------
    Fournier, A., Fussell, D. & Carpenter, L. (1982). Computer rendering of stochastic models. Communications of the ACM
    25(6), 371–384. doi:10.1145/358523.358553
    Saupe, D. (1988). Algorithms for random fractals. In: Peitgen, H.-O. & Saupe, D. (eds.), The Science of Fractal
    Images. Springer, 71–136. doi:10.1007/978-1-4612-3784-6_2

    Examples
    --------
    >>> displacement = MidpointDisplacement(wavelength=100.0, height=1000.0)
    >>> displace_midpoints(Grid(2, 3, cell_size=50.0), displacement, seed=1).astype(int).tolist()
    [[624, 448, 580], [620, 709, 586]]
    """
    base, height, wavelength = displacement.base_altitude, displacement.height, displacement.wavelength
    given = displacement.given_corners
    middle = base + 0.5 * height if given is None else float(given.mean(dtype=np.float64))
    if wavelength < 2.0 * grid.cell_size:
        return np.full(grid.shape, middle, np.float32)
    splits = min(math.ceil(math.log2(wavelength / grid.cell_size) - _SAME_SPACING), displacement.splits)
    per_cell = grid.cell_size / wavelength * 2.0**splits

    diamonds = displacement.algorithm == "diamond_square"
    reach = _Displacements(diamonds, displacement.smoothness, 1.0, seed).largest_sum(displacement.splits)
    displacements = _Displacements(diamonds, displacement.smoothness, 0.5 * height / reach, seed, given)
    if _coincides(grid, per_cell):
        south, west = round(grid.first_row), round(grid.first_column)
        spans = (south, south + grid.rows - 1), (west, west + grid.columns - 1)
        lattice, begin = _split_plane(displacements, middle, splits, *spans)
        south, west = south - begin[0], west - begin[1]
        heights = np.ascontiguousarray(lattice[south : south + grid.rows, west : west + grid.columns])
        return heights if given is None else np.clip(heights, np.float32(base), np.float32(base + height))
    rows = (grid.first_row + np.arange(grid.rows, dtype=np.float64)) * per_cell
    columns = (grid.first_column + np.arange(grid.columns, dtype=np.float64)) * per_cell
    lattice, begin = _split_plane(displacements, middle, splits, _around(rows), _around(columns))
    return resample(lattice, rows - begin[0], columns - begin[1], 1.0, (base, base + height))


def midpoint_heights(
    size: int | tuple[int, int],
    hurst: float,
    corners: tuple[float, float, float, float] | None = None,
    seed: int = 0,
    algorithm: str = "midpoint",
    amplitude: float = 1.0,
    square: tuple[int, int] = (0, 0),
) -> Field:
    """Return one square by midpoint displacement or diamond-square, cut to a size.

    The square has 2ⁿ + 1 points a side, the smallest number that holds `size`, and is cut from its south-west corner.
    On its border, beyond which diamond-square has no centres, only the two ends count.  So squares side by side with
    the same corners agree on their common side in both algorithms.

    Parameters
    ----------
    size : int or tuple of int
        Points a side, or (rows, columns); 1 to 32769.
    hurst : float
        H: displacements shrink by 2^−H at every split; 0 (never) to 16 (at once).
    corners : tuple of 4 floats, optional
        Heights of the south-west, south-east, north-west and north-east corner; left out, they are random in
        [−amplitude, amplitude].
    seed : int
        0 to 2³² − 1.
    algorithm : str
        A key of `ALGORITHMS`.
    amplitude : float
        Largest displacement of the first split, 0 or more.
    square : tuple of int
        Row and column of the square among its neighbours.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        In the unit of `amplitude`; no farther beyond the corners than the sum of all displacements.

    Raises
    ------
    ValueError
        If the size, H, a corner or the amplitude is out of range, or the algorithm unknown.

    References
    ----------
    Fournier, A., Fussell, D. & Carpenter, L. (1982). Computer rendering of stochastic models. Communications of the ACM
    25(6), 371–384. doi:10.1145/358523.358553
    Saupe, D. (1988). Algorithms for random fractals. In: Peitgen, H.-O. & Saupe, D. (eds.), The Science of Fractal
    Images. Springer, 71–136. doi:10.1007/978-1-4612-3784-6_2

    Examples
    --------
    >>> midpoint_heights(3, hurst=1.0, corners=(0.0, 2.0, 4.0, 6.0), amplitude=0.0).tolist()
    [[0.0, 1.0, 2.0], [2.0, 3.0, 4.0], [4.0, 5.0, 6.0]]
    """
    rows, columns = (size, size) if isinstance(size, int) else size
    if not (1 <= rows <= _LARGEST_SIZE and 1 <= columns <= _LARGEST_SIZE):
        raise ValueError(f"size = {size!r} is outside 1 to {_LARGEST_SIZE} points")
    if not 0.0 <= hurst <= _LARGEST_HURST:
        raise ValueError(f"hurst = {hurst!r} is outside 0 to {_LARGEST_HURST:g}")
    if algorithm not in ALGORITHMS:
        raise ValueError(f"algorithm = {algorithm!r} is none of: {', '.join(ALGORITHMS)}")
    if not 0.0 <= amplitude <= _LARGEST_HEIGHT:
        raise ValueError(f"amplitude = {amplitude!r} is outside 0 to {_LARGEST_HEIGHT:g}")
    if corners is not None and (len(corners) != 4 or not all(abs(c) <= _LARGEST_HEIGHT for c in corners)):
        raise ValueError(f"corners = {corners!r} are not four heights within ±{_LARGEST_HEIGHT:g}")

    displacements = _Displacements(algorithm == "diamond_square", hurst, amplitude, seed)
    if corners is None:
        heights = displacements.corners((square[0], square[0] + 1), (square[1], square[1] + 1), 0.0)
    else:
        heights = np.array(corners, np.float32).reshape(2, 2)
    for level in range(1, max(max(rows, columns) - 2, 0).bit_length() + 1):
        side = 2**level
        begin = (square[0] * side, square[1] * side)
        heights = displacements.split(level, heights, (0, 0), begin, (side + 1, side + 1))
    return np.ascontiguousarray(heights[:rows, :columns])


# --- which points are needed ------------------------------------------------------------------------------------------


def _coincides(grid: Grid, per_cell: float) -> bool:
    """Return whether the samples of a grid are points of the lattice."""
    starts = (grid.first_row, grid.first_column)
    return abs(per_cell - 1.0) <= _SAME_SPACING and all(abs(s - round(s)) <= _SAME_PLACE for s in starts)


def _around(positions: npt.NDArray[np.float64]) -> _Span:
    """Return the points that a bicubic spline needs between these increasing positions."""
    return math.floor(positions[0]) - 1, math.floor(positions[-1]) + 2


def _split_plane(
    displacements: "_Displacements", middle: float, splits: int, rows: _Span, columns: _Span
) -> tuple[Field, tuple[int, int]]:
    """Return a piece of the endless lattice that holds a span, after some splits, and its south-west point."""
    # In diamond-square, sides on the border of what is computed have one centre only: a margin that is cut off again.
    margin = 1 if displacements.diamonds else 0
    needed, computed = [(rows, columns)], []
    for _ in range(splits):
        # Start at an even point: the even points are those of the level before.
        spans = [((first - margin) & ~1, last + margin) for first, last in needed[-1]]
        computed.append(spans)
        needed.append(((spans[0][0] // 2, -(-spans[0][1] // 2)), (spans[1][0] // 2, -(-spans[1][1] // 2))))

    heights = displacements.corners(*needed[-1], middle)
    begin = (needed[-1][0][0], needed[-1][1][0])
    for level in range(1, splits + 1):
        (south, north), (west, east) = computed[splits - level]
        skipped = (south // 2 - begin[0], west // 2 - begin[1])
        heights = displacements.split(level, heights, skipped, (south, west), (north - south + 1, east - west + 1))
        begin = (south, west)
    return heights, begin


# --- splitting --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Displacements:
    """Random displacements of points, and the splitting that uses them.

    Attributes
    ----------
    diamonds : bool
        Whether it is diamond-square.
    hurst, amplitude : float
        Displacements of level k are at most amplitude · 2^(−H (k − 1)); those of corners are as large as of level 1.
    seed : int
        0 to 2³² − 1.
    given : ndarray of float32, shape (2, 2), optional
        Heights of corners with even and odd numbers, in rows and columns, that take the place of random ones.
    """

    diamonds: bool
    hurst: float
    amplitude: float
    seed: int
    given: Field | None = None

    def reach(self, level: int) -> tuple[float, float]:
        """Return the largest displacement of centres and of sides."""
        centre = self.amplitude * 2.0 ** (-self.hurst * (level - 1))
        # Saupe (1988): the spacing shrinks by √2 from corners to centres, and by √2 again from centres to sides.
        return centre, centre * 2.0 ** (-0.5 * self.hurst) if self.diamonds else centre

    def largest_sum(self, splits: int) -> float:
        """Return how far from the middle a point can be: each is a mean of earlier ones plus its displacement."""
        largest = self.amplitude
        for level in range(1, splits + 1):
            centre, side = self.reach(level)
            largest += max(centre, 0.5 * centre + side) if self.diamonds else centre
        return largest

    def corners(self, rows: _Span, columns: _Span, middle: float) -> Field:
        """Return the heights of corners of the lattice."""
        if self.given is not None:
            return self.given[np.ix_(np.arange(rows[0], rows[1] + 1) & 1, np.arange(columns[0], columns[1] + 1) & 1)]
        heights = np.empty((rows[1] - rows[0] + 1, columns[1] - columns[0] + 1), np.float32)
        bits = self._column_bits(0, columns[0], heights.shape[1])
        _set_corners(np.float32(middle), np.float32(self.amplitude), rows[0], bits, heights)
        return heights

    def split(
        self, level: int, parents: Field, skipped: tuple[int, int], begin: tuple[int, int], shape: tuple[int, int]
    ) -> Field:
        """Return the points of a level: `shape` of them from `begin` on, an even place, which is parent `skipped`."""
        heights = np.empty(shape, np.float32)
        bits = self._column_bits(level, begin[1], shape[1])
        centre, side = (np.float32(reach) for reach in self.reach(level))
        if self.diamonds:
            scratch = np.empty((-(-shape[0] // _BAND_ROWS), 2, shape[1] // 2), np.float32)
            _split_diamonds(parents, *skipped, begin[0], bits, centre, side, scratch, heights)
        else:
            _split_squares(parents, *skipped, begin[0], bits, centre, heights)
        return heights

    def _column_bits(self, level: int, first: int, count: int) -> Array:
        """Return what the columns of a level add to the hash of its points."""
        bits = np.empty(count, np.uint32)
        _hash_columns(first, derive_seed(self.seed, Purpose.MIDPOINTS, level), bits)
        return bits


@kernel
def _hash_columns(first: int, seed: Bits, bits: Array) -> None:
    """Write what the columns of a level add to the hash of its points."""
    key = np.uint32(mix(seed))
    for column in range(bits.size):
        bits[column] = mix(np.uint32(np.uint32(first + column) + key))


@kernel
def _random(row: np.uint32, bits: Bits) -> np.float32:
    """Return the random number in [−1, 1] of a place."""
    return np.float32(np.int32(mix(np.uint32(row + bits)))) * _PER_BIT


@kernel
def _set_corners(middle: np.float32, reach: np.float32, first_row: int, bits: Array, heights: Array) -> None:
    """Write random heights within `reach` of the middle."""
    for row in range(heights.shape[0]):
        key = np.uint32(first_row + row)
        for column in range(heights.shape[1]):
            heights[row, column] = middle + reach * _random(key, bits[column])


@parallel_kernel
def _split_squares(
    part: Part, parents: Array, south: int, west: int, first_row: int, bits: Array, reach: np.float32, heights: Array
) -> None:
    """Split squares: a new point takes the mean of the two or four corners around it, plus its displacement."""
    half, quarter = np.float32(0.5), np.float32(0.25)
    pairs = heights.shape[1] // 2
    for row in portion(part, heights.shape[0]):
        key = np.uint32(first_row + row)
        line = heights[row]
        before = parents[south + row // 2, west:]
        if row % 2 == 0:
            for k in range(pairs):
                line[2 * k] = before[k]
                line[2 * k + 1] = half * (before[k] + before[k + 1]) + reach * _random(key, bits[2 * k + 1])
            if line.size % 2 == 1:
                line[2 * pairs] = before[pairs]
        else:
            after = parents[south + row // 2 + 1, west:]
            for k in range(pairs):
                here, next_ = before[k] + after[k], before[k + 1] + after[k + 1]
                line[2 * k] = half * here + reach * _random(key, bits[2 * k])
                line[2 * k + 1] = quarter * (here + next_) + reach * _random(key, bits[2 * k + 1])
            if line.size % 2 == 1:
                line[2 * pairs] = half * (before[pairs] + after[pairs]) + reach * _random(key, bits[2 * pairs])


@parallel_kernel
def _split_diamonds(
    part: Part,
    parents: Array,
    south: int,
    west: int,
    first_row: int,
    bits: Array,
    centre: np.float32,
    side: np.float32,
    scratch: Array,
    heights: Array,
) -> None:
    """Split squares by diamond-square: centres first, then sides from their two ends and two centres."""
    half, quarter = np.float32(0.5), np.float32(0.25)
    rows, columns = heights.shape
    last = columns // 2
    for band in portion(part, scratch.shape[0]):
        below, above = scratch[band, 0], scratch[band, 1]
        start = band * _BAND_ROWS
        if start > 0:
            _displace_centres(parents, south, west, start - 1, first_row, bits, centre, below)
        for row in range(start, min(start + _BAND_ROWS, rows), 2):
            before, line, key = parents[south + row // 2, west:], heights[row], np.uint32(first_row + row)
            if row + 1 < rows:
                _displace_centres(parents, south, west, row + 1, first_row, bits, centre, above)
            if 0 < row < rows - 1:
                for k in range(last):
                    mean = quarter * ((before[k] + before[k + 1]) + (below[k] + above[k]))
                    line[2 * k] = before[k]
                    line[2 * k + 1] = mean + side * _random(key, bits[2 * k + 1])
            else:
                # On the border there is no centre beyond: only the two ends count.
                for k in range(last):
                    line[2 * k] = before[k]
                    line[2 * k + 1] = half * (before[k] + before[k + 1]) + side * _random(key, bits[2 * k + 1])
            if columns % 2 == 1:
                line[2 * last] = before[last]
            if row + 1 < rows:
                after, line = parents[south + row // 2 + 1, west:], heights[row + 1]
                key = np.uint32(first_row + row + 1)
                for k in range(1, last):
                    mean = quarter * ((before[k] + after[k]) + (above[k - 1] + above[k]))
                    line[2 * k] = mean + side * _random(key, bits[2 * k])
                    line[2 * k + 1] = above[k]
                line[0] = half * (before[0] + after[0]) + side * _random(key, bits[0])
                if last > 0:
                    line[1] = above[0]
                if columns % 2 == 1:
                    mean = half * (before[last] + after[last])
                    line[2 * last] = mean + side * _random(key, bits[2 * last])
            below, above = above, below


@kernel
def _displace_centres(
    parents: Array, south: int, west: int, row: int, first_row: int, bits: Array, reach: np.float32, centres: Array
) -> None:
    """Write the centres of one row of squares: the mean of four corners, plus the displacement."""
    before, after = parents[south + row // 2, west:], parents[south + row // 2 + 1, west:]
    key = np.uint32(first_row + row)
    for k in range(centres.size):
        mean = np.float32(0.25) * ((before[k] + after[k]) + (before[k + 1] + after[k + 1]))
        centres[k] = mean + reach * _random(key, bits[2 * k + 1])

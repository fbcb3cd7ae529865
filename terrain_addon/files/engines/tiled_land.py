"""The land resampled to the size of an engine, in tiles that share their edges."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...core.building.landscape import Landscape
from ...core.foundation.progress import Steps
from ...core.foundation.sampling import sample
from ...core.foundation.terrain import Field, as_field
from ...core.maps.colour import land_colour
from ...core.maps.ground_cover import Site, splat_weights
from ..grid_mesh import Floats, srgb_levels
from ..resampling import resample_spacing

FULL_SCALE = 65535
"""The highest level of 16-bit heights."""

_LEAST_RANGE = 1.0  # metres between level 0 and the highest, for land that is flat


@dataclass(frozen=True)
class Tile:
    """A piece of the land.

    Parameters
    ----------
    row, column : int
        Counted from the south-west corner of the land.
    rows, columns : slice
        Its samples in the whole land; neighbours share an edge.
    """

    row: int
    column: int
    rows: slice
    columns: slice


@dataclass(frozen=True)
class TiledLand:
    """The whole land at the size of an engine.

    Parameters
    ----------
    heights : ndarray of float32, shape (rows, columns)
        Metres; row 0 is south.
    x, y : ndarray of float64, shape (columns,) and (rows,)
        Metres east and north of the middle of the land.
    tile_rows, tile_columns : int
        Number of tiles.
    lowest, highest : float
        Heights in metres of level 0 and level 65535.
    normals : ndarray of float32, shape (rows, columns, 3)
        Unit vectors (east, north, up).
    colour : ndarray of uint8, shape (rows, columns, 3)
        sRGB.
    weights : ndarray of uint8, shape (rows, columns, layers), or one row and column less
        How much of each layer of ground cover there is, 255 in all; at the samples, or in the middle of cells.
    """

    heights: Field
    x: npt.NDArray[np.float64]
    y: npt.NDArray[np.float64]
    tile_rows: int
    tile_columns: int
    lowest: float
    highest: float
    normals: Floats
    colour: npt.NDArray[np.uint8]
    weights: npt.NDArray[np.uint8]

    @property
    def width(self) -> float:
        """Length of the land from west to east in metres."""
        return float(self.x[-1] - self.x[0])

    @property
    def depth(self) -> float:
        """Length of the land from south to north in metres."""
        return float(self.y[-1] - self.y[0])

    @property
    def spacing(self) -> tuple[float, float]:
        """Metres between samples from west to east and from south to north."""
        return self.width / (self.x.size - 1), self.depth / (self.y.size - 1)

    @property
    def tile_shape(self) -> tuple[int, int]:
        """Rows and columns of samples in a tile."""
        return (self.y.size - 1) // self.tile_rows + 1, (self.x.size - 1) // self.tile_columns + 1

    @property
    def tile_size(self) -> tuple[float, float]:
        """Width and depth of a tile in metres."""
        return self.width / self.tile_columns, self.depth / self.tile_rows

    def tiles(self) -> Iterator[Tile]:
        """Go through all tiles.

        Yields
        ------
        Tile
            From west to east, row after row from south to north.
        """
        rows, columns = (n - 1 for n in self.tile_shape)
        for row in range(self.tile_rows):
            for column in range(self.tile_columns):
                yield Tile(
                    row,
                    column,
                    slice(row * rows, (row + 1) * rows + 1),
                    slice(column * columns, (column + 1) * columns + 1),
                )

    def levels(self, tile: Tile) -> npt.NDArray[np.uint16]:
        """Return the heights of a tile as 16-bit numbers.

        All tiles use the same lowest and highest height, so shared edges are equal.

        Parameters
        ----------
        tile : Tile
            The tile.

        Returns
        -------
        ndarray of uint16, shape (rows, columns)
            Row 0 south; `lowest` is 0, `highest` is 65535.
        """
        part = self.heights[tile.rows, tile.columns].astype(np.float64)
        return np.rint((part - self.lowest) * (FULL_SCALE / (self.highest - self.lowest))).astype(np.uint16)

    def altitude(self, x: npt.NDArray[np.float32], y: npt.NDArray[np.float32]) -> Floats:
        """Return the height of the ground.

        Parameters
        ----------
        x, y : ndarray of float32, shape (n,)
            Metres east and north of the south-west corner.

        Returns
        -------
        ndarray of float32, shape (n,)
            Metres.
        """
        east, north = self.spacing
        return sample(self.heights, 1.0, x / np.float32(east), y / np.float32(north))


def tile_land(
    landscape: Landscape,
    tile_shape: tuple[int, int],
    tiles: tuple[int, int],
    height_range: tuple[float, float] | None,
    weights_in_cells: bool,
) -> Steps[TiledLand]:
    """Resample a landscape to the size of an engine, step by step.

    Parameters
    ----------
    landscape : Landscape
        With maps.
    tile_shape : tuple of int
        Rows and columns of samples in a tile.
    tiles : tuple of int
        Rows and columns of tiles.
    height_range : tuple of float or None
        Heights in metres of level 0 and level 65535; None takes the lowest and the highest point.
    weights_in_cells : bool
        Whether layers are measured in the middle of cells instead of at the samples.

    Yields
    ------
    float
        The share that is done, 0 to 1.

    Returns
    -------
    TiledLand
        The land at the engine's samples.

    Raises
    ------
    ValueError
        If a height lies outside `height_range`.
    """
    terrain, maps, recipe = landscape.terrain, landscape.maps, landscape.recipe
    grid = terrain.grid
    rows, columns = (count * (n - 1) + 1 for count, n in zip(tiles, tile_shape))
    spacing = (columns - 1) / (grid.columns - 1), (rows - 1) / (grid.rows - 1)

    def at_engine_size(field: Field) -> Field:
        return field if field.shape == (rows, columns) else resample_spacing(field, spacing, 1.0)

    heights = as_field(at_engine_size(terrain.surface), "heights")
    yield 0.2
    lowest, highest = float(heights.min()), float(heights.max())
    if height_range is not None:
        if not (lowest >= height_range[0] and highest <= height_range[1]):
            raise ValueError(
                f"heights run from {lowest:.2f} to {highest:.2f} m, outside the range of "
                f"{height_range[0]!r} to {height_range[1]!r} m that was asked for"
            )
        lowest, highest = height_range
    sediment, slope, humidity = (at_engine_size(m) for m in (terrain.sediment, maps["slope"], maps["humidity"]))
    yield 0.4
    colour = srgb_levels(land_colour(heights, sediment, slope, humidity, recipe.appearance.snow_line_now))
    yield 0.6
    site = Site(
        heights,
        sediment,
        slope,
        humidity,
        *(at_engine_size(maps[name]) for name in ("sky_view", "water_depth", "water_distance")),
    )
    if weights_in_cells:
        site = Site(**{name: _cell_means(field) for name, field in vars(site).items()})
    appearance = recipe.appearance
    weights = splat_weights(
        site,
        snow_line=appearance.snow_line_now,
        tree_line=appearance.tree_line,
        vegetation=appearance.vegetation,
    )
    yield 0.9
    x = (np.arange(columns) / (columns - 1) - 0.5) * grid.width
    y = (np.arange(rows) / (rows - 1) - 0.5) * grid.depth
    normals = _normals(heights, grid.width / (columns - 1), grid.depth / (rows - 1))
    highest = max(highest, lowest + _LEAST_RANGE)
    return TiledLand(heights, x, y, *tiles, lowest, highest, normals, colour, weights)


def _cell_means(field: Field) -> Field:
    """Return the mean of the four corners of each cell."""
    return np.float32(0.25) * (field[:-1, :-1] + field[:-1, 1:] + field[1:, :-1] + field[1:, 1:])


def _normals(heights: Field, east: float, north: float) -> Floats:
    """Return unit normals (east, north, up), shape (rows, columns, 3); cells need not be square."""
    rise_east = np.gradient(heights, np.float32(east), axis=1)
    rise_north = np.gradient(heights, np.float32(north), axis=0)
    upward = np.float32(1.0) / np.sqrt(np.float32(1.0) + rise_east * rise_east + rise_north * rise_north)
    normals = np.empty((*heights.shape, 3), np.float32)
    normals[..., 0] = -rise_east * upward
    normals[..., 1] = -rise_north * upward
    normals[..., 2] = upward
    return normals


def samples_along(length: float, longer: float, samples: int) -> int:
    """Return how many samples a side has so that cells are nearly square.

    Parameters
    ----------
    length : float
        Of the side, in metres.
    longer : float
        Length of the longer side, in metres.
    samples : int
        Samples along the longer side.

    Returns
    -------
    int
        2 or more.
    """
    return max(2, round(length / longer * (samples - 1)) + 1)


def tiles_along(length: float, longer: float, tiles: int) -> int:
    """Return how many tiles a side has so that tiles are nearly square.

    Parameters
    ----------
    length : float
        Of the side, in metres.
    longer : float
        Length of the longer side, in metres.
    tiles : int
        Tiles along the longer side.

    Returns
    -------
    int
        1 or more.
    """
    return max(1, math.floor(length / longer * tiles + 0.5))

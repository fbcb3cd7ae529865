"""The land resampled to the size of an engine, in tiles that share their edges."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...core.building.landscape import Landscape
from ...core.building.recipe import Appearance
from ...core.foundation.progress import Steps
from ...core.foundation.terrain import Field, as_field
from ...core.maps.colour import OwnColours, land_colour
from ...core.maps.ground_cover import Site, splat_weights
from ...core.meshing.cell_diagonals import altitude_on_mesh
from ..grid_mesh import Floats, srgb_levels
from ..resampling import resample_spacing

FULL_SCALE = 65535
"""The highest level of 16-bit heights."""

_WORN_FROM, _WORN_TO = 15.0, 45.0  # degrees of slopes on which wear begins and is complete
_BARE = 10.0  # 1/m: with 10 cm of loose ground there is half the wear
_LEAST_RANGE = 1.0  # metres between level 0 and the highest, for land that is flat


@dataclass(frozen=True)
class Tile:
    """A piece of the land at the size of an engine; neighbours share the samples on their edge.

    Parameters
    ----------
    row, column : int
        Counted from the south-west corner of the land.
    x, y : ndarray of float64, shape (columns,) and (rows,)
        Metres east and north of the middle of the land.
    heights : ndarray of float32, shape (rows, columns)
        Metres; row 0 is south.
    normals : ndarray of float32, shape (rows, columns, 3)
        Unit vectors (east, north, up).
    colour : ndarray of uint8, shape (rows, columns, 3)
        sRGB.
    weights : ndarray of uint8, shape (rows, columns, layers), or one row and column less
        How much of each layer of ground cover there is, 255 in all; at the samples, or the mean of each cell.
    masks : ndarray of uint8, shape (rows, columns, 3)
        Flow, deposition and wear; see `game_masks`.
    """

    row: int
    column: int
    x: npt.NDArray[np.float64]
    y: npt.NDArray[np.float64]
    heights: Field
    normals: Floats
    colour: npt.NDArray[np.uint8]
    weights: npt.NDArray[np.uint8]
    masks: npt.NDArray[np.uint8]


@dataclass(frozen=True)
class TiledLand:
    """How the whole land is cut at the size of an engine.

    Parameters
    ----------
    rows, columns : int
        Samples of the whole land.
    depth, width : float
        Length of the land from south to north and from west to east in metres.
    tile_rows, tile_columns : int
        Number of tiles.
    lowest, highest : float
        Heights in metres of level 0 and level 65535.
    """

    rows: int
    columns: int
    depth: float
    width: float
    tile_rows: int
    tile_columns: int
    lowest: float
    highest: float

    @property
    def x(self) -> npt.NDArray[np.float64]:
        """Metres east of the middle of the land, shape (columns,)."""
        return (np.arange(self.columns) / (self.columns - 1) - 0.5) * self.width

    @property
    def y(self) -> npt.NDArray[np.float64]:
        """Metres north of the middle of the land, shape (rows,)."""
        return (np.arange(self.rows) / (self.rows - 1) - 0.5) * self.depth

    @property
    def spacing(self) -> tuple[float, float]:
        """Metres between samples from west to east and from south to north."""
        return self.width / (self.columns - 1), self.depth / (self.rows - 1)

    @property
    def tile_shape(self) -> tuple[int, int]:
        """Rows and columns of samples in a tile."""
        return (self.rows - 1) // self.tile_rows + 1, (self.columns - 1) // self.tile_columns + 1

    @property
    def tile_size(self) -> tuple[float, float]:
        """Width and depth of a tile in metres."""
        return self.width / self.tile_columns, self.depth / self.tile_rows

    def places(self) -> Iterator[tuple[int, int]]:
        """Go through all tiles.

        Yields
        ------
        row, column : int
            From west to east, row after row from south to north.
        """
        for row in range(self.tile_rows):
            for column in range(self.tile_columns):
                yield row, column

    def samples(self, row: int, column: int) -> tuple[slice, slice]:
        """Return which samples of the whole land are those of a tile.

        Parameters
        ----------
        row, column : int
            Of the tile, counted from the south-west corner.

        Returns
        -------
        rows, columns : slice
        """
        rows, columns = (n - 1 for n in self.tile_shape)
        return slice(row * rows, (row + 1) * rows + 1), slice(column * columns, (column + 1) * columns + 1)

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
        part = tile.heights.astype(np.float64)
        return np.rint((part - self.lowest) * (FULL_SCALE / (self.highest - self.lowest))).astype(np.uint16)

    def altitude(
        self,
        tile: Tile,
        x: npt.NDArray[np.float32],
        y: npt.NDArray[np.float32],
        turned: npt.NDArray[np.bool_] | None = None,
    ) -> Floats:
        """Return the height of the ground as an engine shows it, in triangles.

        Parameters
        ----------
        tile : Tile
            On which the places lie.
        x, y : ndarray of float32, shape (n,)
            Metres east and north of the south-west corner of the land.
        turned : ndarray of bool, shape (rows − 1, columns − 1), optional
            From `Engine.turned`, of the tile.

        Returns
        -------
        ndarray of float32, shape (n,)
            Metres.
        """
        east, north = self.spacing
        rows, columns = self.samples(tile.row, tile.column)
        column, row = x / np.float32(east) - np.float32(columns.start), y / np.float32(north) - np.float32(rows.start)
        return altitude_on_mesh(tile.heights, 1.0, column, row, turned)


class Surface(NamedTuple):
    """A land, or a piece of it, as `Tile` holds it.

    Attributes
    ----------
    heights, normals, colour, weights, masks : ndarray
    """

    heights: Field
    normals: Floats
    colour: npt.NDArray[np.uint8]
    weights: npt.NDArray[np.uint8]
    masks: npt.NDArray[np.uint8]


def cut_tiles(land: TiledLand, surface: Surface) -> Iterator[Tile]:
    """Cut a land that is in memory into its tiles.

    Parameters
    ----------
    land : TiledLand
        How it is cut.
    surface : Surface
        The whole of it.

    Yields
    ------
    Tile
        Views of the arrays, in the order of `TiledLand.places`.
    """
    fewer = land.rows - surface.weights.shape[0]
    for row, column in land.places():
        rows, columns = land.samples(row, column)
        cells = slice(rows.start, rows.stop - fewer), slice(columns.start, columns.stop - fewer)
        yield Tile(
            row,
            column,
            land.x[columns],
            land.y[rows],
            surface.heights[rows, columns],
            surface.normals[rows, columns],
            surface.colour[rows, columns],
            surface.weights[cells],
            surface.masks[rows, columns],
        )


def tile_land(
    landscape: Landscape,
    tile_shape: tuple[int, int],
    tiles: tuple[int, int],
    height_range: tuple[float, float] | None,
    weights_in_cells: bool,
    own_colours: OwnColours | None = None,
) -> Steps[tuple[TiledLand, Surface]]:
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
        Whether layers are those of cells, the means of their corners, instead of those of the samples.
    own_colours : mapping of str to tuple of float, optional
        As for `palette_on`.

    Yields
    ------
    float
        The share that is done, 0 to 1.

    Returns
    -------
    land : TiledLand
        How it is cut.
    surface : Surface
        The land at the engine's samples.

    Raises
    ------
    ValueError
        If a height lies outside `height_range`.
    """
    terrain, maps = landscape.terrain, landscape.maps
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
    names = ("slope", "humidity", "sky_view", "water_depth", "water_distance")
    sediment, *measured = (at_engine_size(field) for field in (terrain.sediment, *(maps[name] for name in names)))
    snow = at_engine_size(maps["snow_depth"]) if "snow_depth" in maps else None
    yield 0.4
    site = replace(Site(heights, sediment, *measured), snow_depth=snow)
    look = landscape.recipe.appearance_now
    colour, weights = cover_ground(site, look, own_colours, weights_in_cells=weights_in_cells)
    yield 0.9
    normals = ground_normals(heights, grid.width / (columns - 1), grid.depth / (rows - 1))
    land = TiledLand(rows, columns, grid.depth, grid.width, *tiles, lowest, height_above(lowest, highest))
    return land, Surface(heights, normals, colour, weights, game_masks(site))


def height_above(lowest: float, highest: float) -> float:
    """Return the height of the highest level: more than that of the lowest, also on flat land.

    Parameters
    ----------
    lowest, highest : float
        Heights of the land in metres.

    Returns
    -------
    float
        Metres.
    """
    return max(highest, lowest + _LEAST_RANGE)


def cover_ground(
    site: Site, appearance: Appearance, own_colours: OwnColours | None = None, *, weights_in_cells: bool
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    """Return what covers the ground, as colour and as layers; each place depends on itself only.

    Parameters
    ----------
    site : Site
        What the ground is like at each sample.
    appearance : Appearance
        Of the recipe.
    own_colours : mapping of str to tuple of float, optional
        As for `palette_on`.
    weights_in_cells : bool
        Whether layers are those of cells, the means of their corners, instead of those of the samples.

    Returns
    -------
    colour, weights : ndarray of uint8
        As in `Tile`.
    """
    snow_line = appearance.snow_line_now
    seen = (site.altitude, site.sediment, site.slope, site.humidity)
    colour = srgb_levels(land_colour(*seen, snow_line, appearance.stone, own_colours, site.snow_depth))
    weights = splat_weights(site, snow_line=snow_line, tree_line=appearance.tree_line, vegetation=appearance.vegetation)
    return colour, _cell_means(weights) if weights_in_cells else weights


def game_masks(site: Site) -> npt.NDArray[np.uint8]:
    """Return what games want to know of the ground, such as for particles, sounds, or more layers.

    Parameters
    ----------
    site : Site
        What the ground is like at each sample.

    Returns
    -------
    ndarray of uint8, shape (rows, columns, 3)
        Flow: how much water gathers (the wetness of the ground).  Deposition: half at 1 m of loose ground, all at very
        much.  Wear: steep ground from which everything loose has gone.  Each 0 to 255.
    """
    one = np.float32(1.0)
    steep = np.clip((site.slope - np.float32(_WORN_FROM)) / np.float32(_WORN_TO - _WORN_FROM), 0, one)
    bare = one / (one + site.sediment * np.float32(_BARE))
    shares = (site.humidity, site.sediment / (site.sediment + one), steep * bare)
    return np.stack([np.rint(np.clip(share, 0, one) * np.float32(255.0)).astype(np.uint8) for share in shares], axis=2)


def _cell_means(weights: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Return the mean of the four corners of each cell, 255 in all: of equal remainders the lowest layer's goes up."""
    wide = weights.astype(np.uint16)
    means, remainders = np.divmod(wide[:-1, :-1] + wide[:-1, 1:] + wide[1:, :-1] + wide[1:, 1:], np.uint16(4))
    missing = np.uint16(255) - means.sum(axis=2, dtype=np.uint16)
    for remainder in (3, 2, 1):
        for layer in range(weights.shape[2]):
            is_raised = (remainders[:, :, layer] == remainder) & (missing > 0)
            means[:, :, layer] += is_raised
            missing -= is_raised
    return means.astype(np.uint8)


def ground_normals(heights: Field, east: float, north: float) -> Floats:
    """Return unit normals (east, north, up); cells need not be square.

    Parameters
    ----------
    heights : ndarray of float32, shape (rows, columns)
        Metres.
    east, north : float
        Metres between samples.

    Returns
    -------
    ndarray of float32, shape (rows, columns, 3)
    """
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

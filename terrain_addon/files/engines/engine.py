"""What a game engine declares about its packages, and what all engines share."""

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ...core.foundation.terrain import Field
from ...core.maps.ground_cover import LAYERS
from ..plant_instances import Group, Vegetation
from ..png import write_png
from .tiled_land import Tile, TiledLand

_LONGEST_NAME = 40

SCRIPTS = Path(__file__).parent / "scripts"

Weights = npt.NDArray[np.uint8]
"""How much of each layer of ground cover there is, 255 in all, shape (rows, columns, layers), row 0 south."""


@dataclass(frozen=True)
class TilePlants:
    """The plants of one tile.

    Parameters
    ----------
    vegetation : Vegetation
        The plants and their models.
    order : ndarray of int64, shape (plants,)
        Sorts the plants into groups.
    groups : list of Group
        Pieces of that order.
    """

    vegetation: Vegetation
    order: npt.NDArray[np.int64]
    groups: list[Group]


@dataclass(frozen=True)
class Files:
    """The files of a package that belong together.

    Parameters
    ----------
    root : Path
        The folder of the package.
    suffix : str
        Added to all names, before their ending.
    names : dict of str to str
        Paths inside the package, by kind of file.
    """

    root: Path
    suffix: str = ""
    names: dict[str, str] = field(default_factory=dict)

    def add(self, kind: str, name: str) -> Path:
        """Register a file, and make its folder.

        Parameters
        ----------
        kind : str
            What the file is, for the manifest.
        name : str
            Its path inside the package, without the suffix.

        Returns
        -------
        Path
            Where to write it.
        """
        path = Path(name)
        self.names[kind] = path.with_name(f"{path.stem}{self.suffix}{path.suffix}").as_posix()
        target = self.root / self.names[kind]
        target.parent.mkdir(exist_ok=True)
        return target


def plain_name(name: str) -> str:
    """Return a name in small letters and digits, which every file system and engine accepts.

    Parameters
    ----------
    name : str
        Any text.

    Returns
    -------
    str
        1 to 40 characters.

    Examples
    --------
    >>> plain_name("Grüne Au 2")
    'grune_au_2'
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub("[^a-z0-9]+", "_", plain).strip("_")[:_LONGEST_NAME] or "plant"


def identifier(name: str) -> str:
    """Return the name of a level as scripts can use it in names of their own, different for different names.

    Parameters
    ----------
    name : str
        Of a level.

    Returns
    -------
    str
        Letters, digits and ``_`` of ASCII; others are numbers.

    Examples
    --------
    >>> identifier("alpine-2.old")
    'alpine_2d_2_2e_old'
    """
    return re.sub("[^A-Za-z0-9_]", lambda found: f"_{ord(found[0]):x}_", name)


def suffix_from_north(land: TiledLand, tile: Tile) -> str:
    """Return the end of the names of a tile's files: its column from the west, its row from the north.

    Parameters
    ----------
    land : TiledLand
        The whole land.
    tile : Tile
        One of its tiles.

    Returns
    -------
    str
        Such as ``_x0_y1``.
    """
    return f"_x{tile.column}_y{land.tile_rows - 1 - tile.row}"


@dataclass(frozen=True)
class Engine:
    """A game engine: what a package for it holds, and in which form.

    Parameters
    ----------
    name : str
        What scripts and the command line call it.
    title : str
        What it is called.
    summary : str
        What a package for it holds, in one sentence without a full stop.
    axes : str
        What a point (x east, y north, z up) in metres becomes.
    height_file : str
        The format of a file of heights, for the manifest.
    steps : str
        How to bring a package into the engine, in one line, with ``LEVEL_NAME`` as in scripts.
    write_heights : callable
        Writes the heights of a tile; takes `Files`, `TiledLand` and `Tile`.
    write_layers : callable
        Writes the layers of a tile; takes `Files` and `Weights`.
    placement : callable
        Returns scale and offset of a `TiledLand` in the engine, for the manifest.
    write_plants : callable or None
        Writes the plants of a tile in the engine's own format, if it has one; takes `Files`, `TiledLand`, `Tile` and
        `TilePlants`.
    tile_suffix : callable
        Returns the end of the names of a tile's files; takes `TiledLand` and `Tile`.
    sizes : tuple of int
        Samples along the side of a tile that the engine accepts, rising; empty for any.
    square : bool
        Whether tiles must have as many rows as columns, also on land that is not square.
    weights_in_cells : bool
        Whether layers are those of cells, the means of their corners, instead of those of the samples.
    green : str
        Direction of the green channel of normal maps; a key of `heightmaps.GREEN`.
    plant_cell : float or None
        Side in metres of the cells of its groups of plants; None for those of other files.
    unread : tuple of str
        Folders of the package that the engine itself is not to look into.
    channels : tuple of str
        What the channels of its packed textures of the ground hold; see `ground_textures.write_ground`.
    far : {'cards', 'views', 'both'}
        What the last level of detail of plants is: cards, or a quad that a shader fills with views from all sides.
    details : tuple of int
        Levels of detail of the tufts, ferns and stones that its script strews, from fine to coarse; empty for none.
    blends_densities : bool
        Whether it blends the texels of pictures of densities as samples, the outermost of which lie on the border of a
        tile, instead of reading them as cells.
    chunk : int
        Cells along the side of the pieces of land meshes.
    turns_cells : bool
        Whether it divides the cells of its land from south-east to north-west instead of from south-west to north-east.
    height_origin : {'north', 'south'}
        At which border of the land the first row of a height file lies.
    scripts : mapping of str to str
        Place in the package of each script, by its name in the folder ``scripts``.  The `identifier` of the level takes
        the place of ``LEVEL_NAME`` in them.
    """

    name: str
    title: str
    summary: str
    axes: str
    height_file: str
    steps: str
    write_heights: Callable[[Files, TiledLand, Tile], None]
    write_layers: Callable[[Files, Weights], None]
    placement: Callable[[TiledLand], dict[str, Any]]
    write_plants: Callable[[Files, TiledLand, Tile, TilePlants], None] | None = None
    tile_suffix: Callable[[TiledLand, Tile], str] = suffix_from_north
    sizes: tuple[int, ...] = ()
    square: bool = False
    weights_in_cells: bool = False
    green: str = "up"
    plant_cell: float | None = None
    unread: tuple[str, ...] = ()
    channels: tuple[str, ...] = ("occlusion", "roughness", "height")
    far: str = "cards"
    details: tuple[int, ...] = ()
    blends_densities: bool = False
    chunk: int = 128
    turns_cells: bool = False
    height_origin: str = "north"
    scripts: Mapping[str, str] = field(default_factory=dict)

    def turned(self, heights: Field) -> npt.NDArray[np.bool_] | None:
        """Return which cells of a land it divides from south-east to north-west, None for none.

        Parameters
        ----------
        heights : ndarray of float32, shape (rows, columns)

        Returns
        -------
        ndarray of bool, shape (rows − 1, columns − 1), or None
        """
        return np.ones((heights.shape[0] - 1, heights.shape[1] - 1), np.bool_) if self.turns_cells else None


def write_grey_layers(files: Files, weights: Weights) -> None:
    """Write one grey image per layer, row 0 north.

    Parameters
    ----------
    files : Files
        Of the tile.
    weights : ndarray of uint8, shape (rows, columns, layers)
        Row 0 south.
    """
    for number, name in enumerate(LAYERS):
        write_png(files.add(f"layer_{name}", f"layers/{number}_{name}.png"), weights[::-1, :, number])


def write_colour_layers(files: Files, weights: Weights) -> None:
    """Write four layers in each image, as red, green, blue and alpha, row 0 north.

    Parameters
    ----------
    files : Files
        Of the tile.
    weights : ndarray of uint8, shape (rows, columns, layers)
        Row 0 south.
    """
    for first in range(0, weights.shape[2], 4):
        name = f"weights_{first // 4}"
        write_png(files.add(name, f"layers/{name}.png"), np.ascontiguousarray(weights[::-1, :, first : first + 4]))


def write_numbers(path: Path, values: npt.NDArray[Any]) -> None:
    """Write numbers without a header, little-endian.

    Parameters
    ----------
    path : Path
        The file.
    values : ndarray
        Written row after row.
    """
    path.write_bytes(np.ascontiguousarray(values, values.dtype.newbyteorder("<")).tobytes())


def write_groups(files: Files, plants: TilePlants) -> None:
    """Write the groups of a tile's plants: six int32 each, little-endian, in the order of the fields of `Group`.

    They do not stand in the manifest, which a game may read and carry along: a forest has hundreds of thousands.

    Parameters
    ----------
    files : Files
        The file is called ``plant_groups`` there.
    plants : TilePlants
        The plants.
    """
    write_numbers(files.add("plant_groups", "plants/groups.bin"), np.array(plants.groups, np.int32))

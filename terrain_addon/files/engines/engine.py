"""What all engines have in common, and what each of them says for itself."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ...core.maps.ground_cover import LAYERS
from ..plant_instances import Group, Vegetation
from ..png import write_png
from .sheet import Sheet, Tile

SCRIPTS = Path(__file__).parent / "scripts"


@dataclass(frozen=True)
class Stand:
    """The plants of one tile in groups: `order` sorts them, `groups` are pieces of that order."""

    vegetation: Vegetation
    order: npt.NDArray[np.int64]
    groups: list[Group]


@dataclass(frozen=True)
class Files:
    """Where files of a package go, and which there are.

    Attributes
    ----------
    root : Path
        The package's folder.
    suffix : str
        What every name ends with, before its ending.
    names : dict of str to str
        Paths within the package by kind of file.
    """

    root: Path
    suffix: str = ""
    names: dict[str, str] = field(default_factory=dict)

    def new(self, kind: str, name: str) -> Path:
        """Note a file of a kind and return where to write it; its folder is made."""
        path = Path(name)
        self.names[kind] = path.with_name(f"{path.stem}{self.suffix}{path.suffix}").as_posix()
        target = self.root / self.names[kind]
        target.parent.mkdir(exist_ok=True)
        return target


class Engine(ABC):
    """A game engine.

    Attributes
    ----------
    title : str
        Its name.
    sizes : tuple of int
        Samples along the side of a tile that it takes, the smallest first; empty for any.
    square : bool
        Whether tiles have as many rows as columns, whatever the shape of the land.
    weights_in_cells : bool
        Whether layers are weighed in the middle of cells instead of at the samples.
    green : str
        Which way the green of normal maps points; a key of `heightmaps.GREEN`.
    chunk : int
        Cells along the side of the pieces that land meshes are made of.
    axes : str
        What becomes of a place (x east, y north, z up) in metres.
    height_file : str
        What a file of heights holds, for the manifest.
    height_origin : str
        Which border of the land the first row of a file of heights is.
    steps : str
        How to bring a package into the engine, as one line.
    scripts : dict of str to str
        Importer scripts by their place in the package.
    """

    title: ClassVar[str]
    sizes: ClassVar[tuple[int, ...]] = ()
    square: ClassVar[bool] = False
    weights_in_cells: ClassVar[bool] = False
    green: ClassVar[str] = "up"
    chunk: ClassVar[int] = 128
    axes: ClassVar[str]
    height_file: ClassVar[str]
    height_origin: ClassVar[str] = "north"
    steps: ClassVar[str]
    scripts: ClassVar[dict[str, str]] = {}

    def summary(self) -> str:
        """Return one sentence on what a package for it holds, without a full stop."""
        return (type(self).__doc__ or "").split("\n")[0].rstrip(".")

    def suffix(self, sheet: Sheet, tile: Tile) -> str:
        """Return how names of a tile's files end: column from the west, row from the north."""
        return f"_x{tile.column}_y{sheet.tile_rows - 1 - tile.row}"

    @abstractmethod
    def write_heights(self, files: Files, sheet: Sheet, tile: Tile) -> None:
        """Write the heights of a tile."""

    @abstractmethod
    def write_layers(self, files: Files, weights: npt.NDArray[np.uint8]) -> None:
        """Write the weights of the layers of a tile, uint8 (rows, columns, layers), row 0 south."""

    def write_plants(self, files: Files, sheet: Sheet, tile: Tile, stand: Stand) -> None:  # noqa: B027
        """Write the plants of a tile in the engine's own way, if it has one."""

    @abstractmethod
    def placement(self, sheet: Sheet) -> dict[str, Any]:
        """Return scale and offset of the land in the engine, for the manifest."""


def write_grey_layers(files: Files, weights: npt.NDArray[np.uint8]) -> None:
    """Write one grey image per layer, row 0 north."""
    for number, name in enumerate(LAYERS):
        write_png(files.new(f"layer_{name}", f"layers/{number}_{name}.png"), weights[::-1, :, number])


def write_colour_layers(files: Files, weights: npt.NDArray[np.uint8]) -> None:
    """Write four layers in each image, as red, green, blue and alpha, row 0 north."""
    for first in range(0, weights.shape[2], 4):
        name = f"weights_{first // 4}"
        write_png(files.new(name, f"layers/{name}.png"), np.ascontiguousarray(weights[::-1, :, first : first + 4]))


def write_numbers(path: Path, values: npt.NDArray[Any]) -> None:
    """Write numbers one after the other, the least significant byte first."""
    path.write_bytes(np.ascontiguousarray(values, values.dtype.newbyteorder("<")).tobytes())

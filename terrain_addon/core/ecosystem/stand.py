"""A stand: the plants of all species that are placed so far, listed so that those near a tile are found at once."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..foundation.compilation import Array, Part, parallel_kernel, portion
from .plant_looks import random_numbers_of
from .room_kept import PlacedPlants
from .tiles import TILE, Tiles


@dataclass(frozen=True)
class Stand:
    """Plants placed so far.

    Attributes
    ----------
    plants : PlacedPlants
        Where they stand, and in which tiles.  `rule` is empty: it depends on who comes next.
    species : ndarray of int32, shape (plants,)
        Species of each plant.
    kinds : ndarray of int32, shape (species placed,)
        The species in the order in which they were placed.
    """

    plants: PlacedPlants
    species: Array
    kinds: Array

    def __len__(self) -> int:
        return int(self.species.size)

    def seen_with(self, rule: Array) -> PlacedPlants:
        """Return the plants as the next species sees them.

        Parameters
        ----------
        rule : ndarray of int64, shape (species placed,)
            Which distance the next species keeps from each of `kinds`.

        Returns
        -------
        PlacedPlants
        """
        return self.plants._replace(rule=rule)


def empty_stand() -> Stand:
    """Return a stand without plants."""
    floats, whole, long = np.empty(0, np.float32), np.empty(0, np.int32), np.empty(0, np.int64)
    number = np.empty(0)
    first = np.zeros(1, np.int64)
    plants = PlacedPlants(floats, floats, floats, first, whole, long, long, long, number, number, number, number, long)
    return Stand(plants, whole, whole)


def add_species(stand: Stand, kind: int, tiles: Tiles, largest: float, most: int) -> Stand:
    """Return a stand with the plants of one more species; too many are thinned out evenly.

    Parameters
    ----------
    stand : Stand
        The plants before.
    kind : int
        The species.
    tiles : Tiles
        Its tiles with all its plants.
    largest : float
        Its largest radius in metres.
    most : int
        How many of its plants may stay.

    Returns
    -------
    Stand
    """
    first = np.concatenate([[0], np.cumsum(tiles.filled)])
    x, y, radius = (np.empty(int(first[-1]), np.float32) for _ in range(3))
    _close_gaps(tiles.slots, first, (tiles.x, tiles.y, tiles.radius), (x, y, radius))
    if x.size > most:
        number = random_numbers_of(x, y, np.uint32(kind))
        keep = np.zeros(x.size, np.bool_)
        keep[np.argsort(number, kind="stable")[:most]] = True
        first = np.concatenate([[0], np.cumsum(keep)])[first]
        x, y, radius = x[keep], y[keep], radius[keep]
    before = stand.plants
    plants = PlacedPlants(
        x=np.concatenate([before.x, x]),
        y=np.concatenate([before.y, y]),
        radius=np.concatenate([before.radius, radius]),
        tile_first=np.concatenate([before.tile_first[:-1], first + before.x.size]),
        tile_column=np.concatenate([before.tile_column, tiles.column.astype(np.int32)]),
        row_first=np.concatenate([before.row_first, tiles.row_first + before.tile_column.size]),
        first_row=np.append(before.first_row, before.row_first.size),
        rows=np.append(before.rows, tiles.row_first.size - 1),
        tiles_per_metre=np.append(before.tiles_per_metre, 1.0 / (TILE * tiles.cell)),
        north=np.append(before.north, tiles.north / TILE),
        east=np.append(before.east, tiles.east / TILE),
        largest=np.append(before.largest, largest),
        rule=before.rule,
    )
    species = np.concatenate([stand.species, np.full(x.size, kind, np.int32)])
    return replace(stand, plants=plants, species=species, kinds=np.append(stand.kinds, np.int32(kind)))


@parallel_kernel
def _close_gaps(part: Part, slots: Array, first: Array, apart: Any, together: Any) -> None:
    """Copy what each tile holds, so that nothing lies between the tiles."""
    for tile in portion(part, slots.size - 1):
        for k in range(first[tile + 1] - first[tile]):
            for kind in range(3):
                together[kind][first[tile] + k] = apart[kind][slots[tile] + k]

"""How fast tiles fill among the plants of other species: some are filled on trial, and those plants are thrown away."""

import numpy as np
import numpy.typing as npt

from ..foundation.hashing import chain_hashes
from .covered_parts import empty_maps
from .density_law import CROWDS, measured_curve, shares_after
from .first_darts import FIRST_DARTS, FIRST_ROUNDS, throw_first_darts
from .flooded_ground import DRY, Wetness
from .gap_filling import fill_gaps
from .room_kept import PlacedPlants
from .spacing import Spacing
from .suitable_ground import Ground
from .tiles import TILE, Tiles, with_room

# Tiles that are filled for trial: this many, one more for each of some tiles, and no more than the last number.
_AT_LEAST, _OUT_OF, _AT_MOST = 24, 20, 200
# Cells along the border of a tile in which plants stand more densely than they would beside a full tile.
_BORDER = 4
# How often the beginnings of stands are tried, and darts that may miss in a cell.
_BEGINNINGS, _PATIENCE = 12, 200


def measure_curves(
    tiles: Tiles, placed: PlacedPlants, ground: Ground, spacing: Spacing, open_ground: npt.NDArray[np.float64]
) -> list[npt.NDArray[np.float64]]:
    """Measure which share of the plants stands at what time, in tiles that others leave more or less open.

    Parameters
    ----------
    tiles : Tiles
        All tiles of the species, still without plants.
    placed : PlacedPlants
        Plants of other species.
    ground : Ground
        Where the species can grow.
    spacing : Spacing
        Distances of the species.
    open_ground : ndarray of float64, shape (entries,)
        The curve for plants of one radius on open ground.

    Returns
    -------
    list of ndarray of float64, shape (entries,)
        CROWDS curves.
    """
    alone = np.flatnonzero((tiles.row % 2 == 0) & (tiles.column % 2 == 0))
    wanted = min(_AT_LEAST + tiles.column.size // _OUT_OF, _AT_MOST, alone.size)
    if wanted == 0:
        return [open_ground] * CROWDS
    some = alone[np.arange(wanted) * alone.size // wanted]
    row_first = np.searchsorted(tiles.row[some], np.arange(tiles.row_first.size))
    empty = tiles._replace(
        row=tiles.row[some], column=tiles.column[some], row_first=row_first, top=np.ones(wanted, np.float32)
    )
    # Full density everywhere, on a map of four samples.
    per_sample = 1.0 / max(ground.width, ground.depth)
    everywhere = Ground(np.ones((2, 2), np.float32), ground.width, ground.depth, per_sample)
    curves = np.stack([open_ground] * CROWDS)
    reached = shares_after(FIRST_DARTS, TILE * TILE, curves)
    maps, all_of_them = empty_maps(wanted), np.arange(wanted)
    # Few plants come early, so beginnings are tried more often.
    beginnings = []
    for turn in range(_BEGINNINGS):
        trial = with_room(empty._replace(seed=chain_hashes(int(tiles.seed), turn)), timed=True)
        throw_first_darts(all_of_them, trial, placed, everywhere, Wetness(DRY, 0.0), spacing, maps, reached, 0)
        beginnings.append(_inner_times(trial))
    trial = with_room(empty, timed=True)
    for begin in FIRST_ROUNDS:
        throw_first_darts(all_of_them, trial, placed, everywhere, Wetness(DRY, 0.0), spacing, maps, reached, begin)
    fill_gaps(
        all_of_them, trial, placed, everywhere, Wetness(DRY, 0.0), spacing, maps, curves.astype(np.float32), _PATIENCE
    )
    measured = []
    for crowd, times in enumerate(_inner_times(trial)):
        early = np.concatenate([began[crowd] for began in beginnings])
        until = FIRST_ROUNDS[1] / (TILE * TILE)
        measured.append(measured_curve(times, early, _BEGINNINGS, until, open_ground))
    if spacing.smallest == spacing.largest:
        measured[0] = open_ground
    return _filled_up(measured, open_ground)


def _inner_times(trial: Tiles) -> list[npt.NDArray[np.float64]]:
    """When the plants came that stand away from the borders of their tiles, for each curve."""
    tile = np.repeat(np.arange(trial.column.size), trial.filled)
    plant = np.arange(tile.size) + np.repeat(trial.slots[:-1] - (np.cumsum(trial.filled) - trial.filled), trial.filled)
    u = trial.x[plant] / trial.cell - trial.column[tile] * TILE + trial.east
    v = trial.y[plant] / trial.cell - trial.row[tile] * TILE + trial.north
    inner = (np.minimum(u, v) >= _BORDER) & (np.maximum(u, v) < TILE - _BORDER)
    crowd, came = trial.curve[tile][inner], trial.when[plant][inner].astype(np.float64)
    return [came[crowd == one] for one in range(CROWDS)]


def _filled_up(
    curves: list[npt.NDArray[np.float64] | None], open_ground: npt.NDArray[np.float64]
) -> list[npt.NDArray[np.float64]]:
    """The same curves; where one could not be measured, the nearest that could."""
    known = [crowd for crowd, curve in enumerate(curves) if curve is not None]
    found = []
    for crowd in range(CROWDS):
        nearest = min(known, key=lambda other: abs(other - crowd), default=None)
        curve = None if nearest is None else curves[nearest]
        found.append(open_ground if curve is None else curve)
    return found

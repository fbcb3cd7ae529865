"""What a process does that looks at whole catchments: it acts on the finest level as it acts on a survey of that level.

A survey is the land as it is after the step before, with as few samples as the level in memory.  On it the process acts
as `core.build` lets it act.  The change is refined and added to the finest level.  Where something is laid down, it
fills hollows and buries rills, and what stands out of it stays.
"""

import numpy as np

from ..core.building.drawing_stages import with_inflows
from ..core.building.erosion_stages import act_on
from ..core.erosion.layers import heights_of, with_surface
from ..core.foundation.compilation import Array
from ..core.foundation.elementary import exp_of
from ..core.foundation.progress import run
from ..core.foundation.terrain import Field, Terrain
from ..core.tiling.blocks import Block
from .coarse_level import COARSE_RELIEF
from .shaping_phases import ground_after, put_ground
from .tiles import ANY_HEIGHT, ArrayPart, WorldTile
from .workshop import Workshop

_LEAST = np.float32(1e-6)  # metres


def survey_tile(tile: WorldTile) -> None:
    """Tell the mean of the land around each sample of the level in memory."""
    times = 2**tile.phase.level
    ground = ground_after(tile, tile.phase.step - 1, times - 1)
    columns = tile.world.land(0).columns
    for _, block in tile.blocks():
        around = block.grown(times - 1)
        row, column = (
            np.arange(-(-first // times), -(-(first + size) // times))
            for first, size in ((block.first_row, block.rows), (block.first_column, block.columns))
        )
        places = row * times - around.first_row, column * times - around.first_column
        told = {"sample": (row[:, np.newaxis] * columns + column).ravel()}
        for name, part in (("bedrock", ground.bedrock), ("sediment", ground.sediment)):
            told[name] = thinned(part.padded(around, tile.land.shape), *places, times).ravel()
        tile.tell(told)


def thinned(values: Array, rows: Array, columns: Array, times: int) -> Array:
    """Return means of a field: each sample counts less, the farther it is, as in linear interpolation.

    So what is refined by such an interpolation afterwards has the same volume.

    Parameters
    ----------
    values : ndarray of float32 or float64
        The field, with `times` − 1 samples around all that are wanted.
    rows, columns : ndarray of int64
        Where the means are wanted.
    times : int
        How many samples of the field there are for one of the means.

    Returns
    -------
    ndarray of float64, shape (rows, columns)

    Examples
    --------
    >>> thinned(np.arange(7.0)[np.newaxis] * np.ones((7, 1)), np.array([3]), np.array([1, 3, 5]), 2).tolist()
    [[1.0, 3.0, 5.0]]
    """
    result = np.asarray(values, np.float64)
    for places in (rows, columns):
        sums = np.zeros((places.size, result.shape[1]))
        for away in range(1 - times, times):
            sums += result[places + away] * ((times - abs(away)) / times**2)
        result = sums.T
    return result


def read_survey(shop: Workshop, summary: dict[str, Array]) -> Terrain:
    """Return the survey of a land.

    Parameters
    ----------
    shop : Workshop
        The world.
    summary : dict of str to ndarray
        What all tiles told in `survey_tile`.

    Returns
    -------
    Terrain
        With the samples of the level in memory.
    """
    grid, order = shop.world.land(0), np.argsort(summary["sample"])
    bedrock, sediment = (
        summary[name][order].reshape(grid.shape).astype(np.float32) for name in ("bedrock", "sediment")
    )
    return Terrain(bedrock, sediment, grid.cell_size)


def act_in_memory(shop: Workshop, step: int, land: Terrain) -> dict[str, Array]:
    """Let the process of a step act on the survey of the land before it.

    Parameters
    ----------
    shop : Workshop
        The world.
    step : int
        Of the finest level.
    land : Terrain
        From `read_survey`.

    Returns
    -------
    dict of str to ndarray of float32, shape (rows, columns)
        ``before``, the height of the survey, and ``change``, by how much the process changes it, in metres.
    """
    relief = shop.store.read(COARSE_RELIEF, Block(0, 0, *land.surface.shape))
    bare = Terrain(relief, np.zeros_like(relief), land.cell_size)
    index = shop.world.shaping[step - shop.world.steps - 1] + 1
    after = run(act_on(with_inflows(shop.world.coarse_recipe), index, land, bare, shop.inputs)).terrain
    before = heights_of(land)
    return {"before": before.astype(np.float32), "change": (heights_of(after) - before).astype(np.float32)}


def spread_tile(tile: WorldTile) -> None:
    """Change the land as the survey has changed."""
    found = tile.found("survey")
    survey, changes = (ArrayPart(found[name], Block(0, 0, *found[name].shape)) for name in ("before", "change"))
    ground = ground_after(tile, tile.phase.step - 1, 0)
    for _, block in tile.blocks():
        before = ground.of(block)
        height, change = heights_of(before), tile.refined(changes, block, ANY_HEIGHT)
        detail = (height - tile.refined(survey, block, ANY_HEIGHT)).astype(np.float32)
        height += change + (buried(detail, change) - detail)
        put_ground(tile, block, before, with_surface(before, height))


def buried(detail: Field, laid: Field) -> Field:
    """Return what is still seen of the detail of a ground under what is laid down.

    Hollows get more and knobs less than the mean, and nothing is taken from either: for a detail e under a layer t it
    is e · exp(−t / |e|), and t + e · exp(−t / e) ≥ e.

    Parameters
    ----------
    detail : ndarray of float32
        By how much the ground lies above its mean around, in metres.
    laid : ndarray of float32, the same shape
        Thickness of the layer in metres; below 0 something is taken away, and all is seen.

    Returns
    -------
    ndarray of float32, the same shape
    """
    share = np.maximum(laid, np.float32(0.0)) / -np.maximum(np.abs(detail), _LEAST)
    exp_of(share)
    result: Field = detail * share
    return result
